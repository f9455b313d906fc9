/* Paths and rings: bonds follow one another, so that one walk along them makes, eliminates and
 * forgets the rows of the matrix, and one walk back solves and pushes. Part of the text of
 * kernel.h.
 *
 * Symbols  bond k is (k, k + 1); the last bond of a ring is (0, m - 1), whose row and column are
 *          carried along. value holds 1/pivots [m], then the entries right of them [m - 1], then
 *          for rings the last column [m - 1] */

/* A walk corrects lengths, examines lengths alone, or corrects rates. */
enum { LENGTHS, LENGTHS_ALONE, RATES };

/* A bond in a walk: its row of the matrix is s, its column r. */
typedef struct passed {
  vector r[3], s[3], off; /* off: the right side */
} passed;

/* Input and results of a walk. worst, sum: how far lengths or rates are beyond the tolerance; far:
 * positive if one more correction may not be enough. */
typedef struct bond_walk {
  const rattle__bond_stage *stage;
  const vector *square;
  vector worst, sum, far, floor;
  int near;
} bond_walk;

INLINE passed pass_bond(const kind K, const int as, const work *w, int k, bond_walk *f) {
  passed b;
  const double tolerance = f->stage->tolerance;
  const vector *ui = w->u + 3 * K.pair[2 * k], *uj = w->u + 3 * K.pair[2 * k + 1];
  if (as == RATES) {
    vector rate[3];
    AXES b.r[d] = b.s[d] = w->s[3 * k + d], rate[d] = ui[d] - uj[d];
    b.off = product(b.s, rate);
    const vector allowed = tolerance * tolerance * (product(ui, ui) + product(uj, uj));
    const vector part = b.off * b.off - product(b.s, b.s) * LARGER(allowed, f->floor);
    f->worst = LARGER(f->worst, part);
    f->sum += part;
  } else {
    AXES b.r[d] = w->r[3 * k + d], b.s[d] = ui[d] - uj[d] + w->s1[3 * k + d];
    const vector square = f->square[k], off = product(b.s, b.s) - square,
                 beyond = size(off) - 2 * tolerance * square;
    f->worst = LARGER(f->worst, beyond);
    f->far = LARGER(f->far, off * off - tolerance * square * square);
    f->sum += beyond;
    b.off = 0.5 * off;
  }
  return b;
}

/* The walk there: y and value. Returns the lanes in which something is not right. */
INLINE bits walk_there(const kind K, const int as, bond_walk *f, const vector *inverse_mass,
                       const work *w) {
  const int m = K.bonds, ring = K.atoms == m, end = ring ? m - 1 : m;
  vector *right = w->value + m, *column = right + m - 1, *y = w->y;
  f->worst = f->sum = f->far = (vector){0};
  f->floor = (8 * DBL_EPSILON * (8 * DBL_EPSILON)) * w->fastest;
  passed last = {.off = {0}}, before = {.off = {0}};
  vector pivot = {0}, by = {0}, foot = {0};
  if (ring) {
    last = pass_bond(K, as, w, m - 1, f);
    pivot = (inverse_mass[0] + inverse_mass[m - 1]) * product(last.s, last.r);
  }
  UNROLL
  for (int k = 0; k < end; k++) {
    const passed b = pass_bond(K, as, w, k, f);
    if (as == LENGTHS_ALONE) {
      y[k] = b.off;
      continue;
    }
    vector here = (inverse_mass[k] + inverse_mass[k + 1]) * product(b.s, b.r), side = b.off,
           across = {0}, under = {0};
    if (k > 0) {
      const vector over = -inverse_mass[k] * product(before.s, b.r);
      const vector factor = -inverse_mass[k] * product(b.s, before.r) * by;
      right[k - 1] = over;
      here -= factor * over;
      side -= factor * y[k - 1];
      if (ring) across = -factor * column[k - 1], under = -foot * over;
    }
    if (ring && (k == 0 || k == m - 2)) {
      const vector shared = inverse_mass[k == 0 ? 0 : m - 1];
      across += shared * product(b.s, last.r);
      under += shared * product(last.s, b.r);
    }
    by = w->value[k] = 1 / here;
    y[k] = side;
    if (ring) {
      column[k] = across;
      foot = under * by;
      pivot -= foot * across;
      last.off -= foot * side;
    }
    before = b;
  }
  if (ring) {
    y[m - 1] = last.off;
    w->value[m - 1] = 1 / pivot;
  }
  f->near = !any((bits)(f->far > 0));
  return (bits)(f->worst > 0) | ~(bits)(f->sum <= 1e300);
}

/* The walk back: u in the lanes of mask, r being the directions. */
INLINE void walk_back(const kind K, const vector *inverse_mass, const vector *r, bits mask,
                      const work *w) {
  const int m = K.bonds, ring = K.atoms == m;
  const vector *right = w->value + m, *column = right + m - 1;
  vector next = {0}, last = {0};
  UNROLL
  for (int q = 0; q < m; q++) {
    const int k = m - 1 - q, i = K.pair[2 * k], j = K.pair[2 * k + 1];
    vector y = w->y[k];
    if (ring && k < m - 1) y -= column[k] * last;
    if (k < m - 1 - ring) y -= right[k] * next;
    y = next = (vector)((bits)(y * w->value[k]) & mask);
    if (q == 0) last = y;
    const vector by_i = inverse_mass[i] * y, by_j = inverse_mass[j] * y;
    AXES {
      w->u[3 * i + d] -= by_i * r[3 * k + d];
      w->u[3 * j + d] += by_j * r[3 * k + d];
    }
  }
}

INLINE bits band_positions(const kind K, const rattle__bond_stage *stage, const vector *square,
                           const vector *inverse_mass, const work *w) {
  bond_walk f = {.stage = stage, .square = square};
  for (int c = 0;; c++) {
    if (f.near || c == MOST) {
      const bits wrong = walk_there(K, LENGTHS_ALONE, &f, inverse_mass, w);
      if (c == MOST || !any(wrong)) return wrong;
    }
    const bits wrong = walk_there(K, LENGTHS, &f, inverse_mass, w);
    if (!any(wrong)) return wrong;
    walk_back(K, inverse_mass, w->r, wrong, w);
  }
}

INLINE bits band_rates(const kind K, const rattle__bond_stage *stage, const vector *square,
                       const vector *inverse_mass, const work *w) {
  bond_walk f = {.stage = stage, .square = square};
  for (int c = 0;; c++) {
    const bits wrong =
        c > 0 ? rate_residuals(K, stage, w) : walk_there(K, RATES, &f, inverse_mass, w);
    if (c == CORRECTIONS || !any(wrong)) return wrong;
    if (c > 0) walk_there(K, RATES, &f, inverse_mass, w);
    walk_back(K, inverse_mass, w->s, wrong, w);
  }
}
