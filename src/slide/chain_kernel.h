/* The walks along the segments of a chain, as the text for vectors of one width. Before inclusion: WIDTH, doubles in a vector; TARGET,
 * the attribute that lets the compiler use such vectors; LARGER(a, b) and SMALLER(a, b) of vectors; KERNEL, the name of the table, and
 * KERNEL_NAME. Symbols: chain.h, chain.c.
 *
 * A walk goes up or down. Down, links count as j' = L + 1 - j and nodes as k' = L - k, and differences change their sign: the same text. */
#include <float.h>

#include "slide/chain.h"
#include "slide/chain_vector.h"

#define AXES for (int d = 0; d < D; d++)

/* What a walk is: constants where its text is compiled. */
typedef struct walk_kind {
  int D, momenta, begins, corrects, eliminates, down;
} kind;

/* Where a walk is, at link j. */
typedef struct walker {
  vector x[3], w;           /* the node before link j, and its inverse mass */
  vector before[3], r[3];   /* links j-1 and j */
  vector ahead[3];          /* begins: the node after link j, from which links are taken */
  vector reach[3];          /* begins: what the node counts with in units of round-off */
  vector r0[3], sigma;      /* momenta begin: link j at the start of the step, and its sigma */
  vector delta, far;        /* corrections: of link j and beyond the other end of the segment */
  vector u, y, v;           /* elimination, of row j-1 */
  vector Y, V, P;           /* delta_1 = Y + V delta_0 + P delta_j */
  int spike, until, spiked; /* 1: v and P do not vanish; rows in which v did not, here and in the elimination before */
  vector ratio, largest;    /* residuals, in units of round-off and as they are */
  vector sum;               /* of the first, which is not a number if one of them is none */
  vector pivot, turned;     /* the least pivot, and the least of the diagonal */
} walker;

/* Where link j, and node k, of the lanes from o on are, and which row of a segment that is. */
INLINE double *link_at(const rattle__chain *c, double *a, int o, int j, int down) {
  return a + RATTLE__LANES * (down ? c->rows + 1 - j : j) + o;
}

INLINE double *node_at(const rattle__chain *c, double *a, int o, int k, int down) {
  return a + RATTLE__LANES * (down ? c->rows - k : k) + o;
}

INLINE int is_full(const rattle__chain *c, int j, int down) {
  return (down ? c->rows + 1 - j : j) <= c->full;
}

/* Node j by delta_j and delta_{j+1}; its links are r and next. */
INLINE void correct(rattle__chain *c, const kind K, walker *s, int o, int j, vector w, const vector *next, vector *x) {
  const int D = K.D;
  vector delta = load(link_at(c, c->y, o, j + 1, K.down));
  if (c->rows - j <= s->spiked) delta += load(link_at(c, c->v, o, j + 1, K.down)) * s->far;
  delta += load(link_at(c, c->u, o, j + 1, K.down)) * s->delta;
  AXES {
    const vector along = s->delta * s->r[d] - delta * next[d], move = K.momenta ? along : w * along;
    x[d] = K.down ? x[d] + move : x[d] - move;
    store(node_at(c, K.momenta ? c->p[d] : c->x[d], o, j, K.down), x[d]);
  }
  s->delta = delta;
}

/* Row j of the matrix, eliminated. R: link j at the iterate, r: at the start of the step; momenta: both are the same */
INLINE void eliminate(rattle__chain *c, const kind K, walker *s, int o, int j, vector f, vector w, const vector *R,
                      const vector *next, int last) {
  const int D = K.D;
  const vector lower = s->w * product(R, s->before, D), upper = w * product(R, next, D);
  vector diagonal = (w + s->w) * product(R, s->r, D);
  if (!is_full(c, j, K.down)) diagonal += load(c->filling.of + o);
  const vector pivot = diagonal - lower * s->u, by = 1 / pivot;
  s->pivot = SMALLER(s->pivot, pivot);
  s->turned = SMALLER(s->turned, diagonal);
  s->y = (f + lower * s->y) * by;
  s->u = upper * by;
  store(link_at(c, c->u, o, j, K.down), s->u);
  store(link_at(c, c->y, o, j, K.down), s->y);
  if (!s->spike) return;
  s->v = lower * s->v * by;
  if (j % 8 == 0) s->v = rounded(s->v);
  store(link_at(c, c->v, o, j, K.down), s->v);
  if (last) return;
  s->Y += s->P * s->y;
  s->V += s->P * s->v;
  s->P = s->P * s->u;
  if (j % 8) return;
  s->P = rounded(s->P);
  if (vanishes(s->v, s->P)) s->spike = 0, s->until = j;
}

/* Momenta begin: the kicks of node j. */
INLINE void push(rattle__chain *c, const kind K, walker *s, int o, int j, vector *p) {
  const int D = K.D, at = RATTLE__LANES * (j + 1) + o;
  const vector sigma = load(c->sigma + at);
  AXES {
    const vector r0 = load(c->r[d] + at);
    p[d] -= c->push.by * (s->sigma * s->r0[d] - sigma * r0);
    if (c->push.V_q)
      p[d] -= c->push.k * (j <= c->whole ? gather(c->push.V_q, c->begin[d] + o, c->path.stride[d] * j)
                                         : load(rattle__chain_tail(c, d, j) + o));
    store(c->p[d] + RATTLE__LANES * j + o, p[d]);
    s->r0[d] = r0;
  }
  s->sigma = sigma;
}

/* Walks that begin: link j+1, from the node after it; link j to its place. */
INLINE void find_next(rattle__chain *c, const kind K, walker *s, int o, int j, int last, vector *next) {
  const int D = K.D;
  AXES {
    store(c->r[d] + RATTLE__LANES * j + o, s->r[d]);
    if (last) {
      next[d] = load(c->beyond[1][d].of + o);
      continue;
    }
    const vector x = load((K.momenta ? c->x[d] : c->x0[d]) + RATTLE__LANES * (j + 1) + o);
    next[d] = x - s->ahead[d];
    if (j + 1 > c->full) next[d] *= load(c->real.of + o);
    s->ahead[d] = x;
  }
}

/* What a coordinate counts with in units of round-off. */
INLINE vector reach_of(const rattle__chain *c, const kind K, int o, int k, int d, vector w, vector x) {
  if (K.momenta) return w * (size(x) + c->least);
  return size(x) + size(load(c->x0[d] + RATTLE__LANES * k + o)) + c->least;
}

/* 1 / round-off of f, as rattle__rows_round_off and rattle__rows_measure have it: each term with its mean size along the step, and no less
 * than `least`. */
INLINE vector find_floor(const rattle__chain *c, const kind K, walker *s, int o, int j, vector w, const vector *x) {
  const int D = K.D;
  vector sum = all(0);
  AXES {
    const vector reach = reach_of(c, K, o, j, d, w, x[d]);
    sum += size(s->r[d]) * (reach + s->reach[d]);
    s->reach[d] = reach;
  }
  const vector inverse = 1 / ((K.momenta ? DBL_EPSILON : DBL_EPSILON / 2) * sum + DBL_MIN);
  store(c->inverse_floor + RATTLE__LANES * j + o, inverse);
  return inverse;
}

/* f of link j, and R: the link at the iterate, or for momenta in the matrix. */
INLINE vector residual_of(const rattle__chain *c, const kind K, const walker *s, int o, int j, vector w, const vector *x,
                          vector *R) {
  const int D = K.D;
  if (K.momenta) {
    vector rate[3];
    AXES rate[d] = K.down ? s->w * s->x[d] - w * x[d] : w * x[d] - s->w * s->x[d];
    AXES R[d] = s->r[d];
    return product(R, rate, D);
  }
  AXES R[d] = K.down ? s->x[d] - x[d] : x[d] - s->x[d];
  if (!is_full(c, j, K.down)) AXES R[d] *= load(c->real.of + o);
  return 0.5 * (product(R, R, D) - load(link_at(c, c->square, o, j, K.down)));
}

/* Link j and the node after it. */
INLINE void row(rattle__chain *c, const kind K, walker *s, int o, int j, int last) {
  const int D = K.D;
  vector x[3], R[3], next[3], floor;
  const vector w = load(node_at(c, c->inverse_mass, o, j, K.down));
  AXES x[d] = load(node_at(c, K.momenta ? c->p[d] : c->x[d], o, j, K.down));
  if (K.begins) {
    if (K.momenta)
      push(c, K, s, o, j, x);
    else
      store(c->sigma + RATTLE__LANES * j + o, all(0));
    find_next(c, K, s, o, j, last, next);
    floor = find_floor(c, K, s, o, j, w, x);
  } else {
    AXES next[d] = load(link_at(c, c->r[d], o, j + 1, K.down));
    floor = load(link_at(c, c->inverse_floor, o, j, K.down));
  }
  if (K.corrects && !K.momenta) {
    double *sigma = link_at(c, c->sigma, o, j, K.down);
    store(sigma, load(sigma) + s->delta);
  }
  if (K.corrects && !last) correct(c, K, s, o, j, w, next, x);
  const vector f = residual_of(c, K, s, o, j, w, x, R), ratio = size(f) * floor;
  s->ratio = LARGER(s->ratio, ratio);
  s->sum += ratio;
  if (!(K.corrects && K.eliminates)) s->largest = LARGER(s->largest, size(f));
  if (K.eliminates) eliminate(c, K, s, o, j, f, w, R, next, last);
  AXES s->x[d] = x[d];
  AXES s->before[d] = s->r[d];
  AXES s->r[d] = next[d];
  s->w = w;
}

/* Walks that begin: link 1, and what they want of node 0. */
INLINE void look_ahead(rattle__chain *c, const kind K, walker *s, int o) {
  const int D = K.D;
  AXES {
    double *const x = (K.momenta ? c->x[d] : c->x0[d]) + o;
    s->before[d] = load(c->beyond[0][d].of + o);
    s->ahead[d] = load(x + RATTLE__LANES);
    s->r[d] = s->ahead[d] - load(x);
    s->reach[d] = reach_of(c, K, o, 0, d, s->w, s->x[d]);
    if (K.momenta) s->r0[d] = load(c->r[d] + RATTLE__LANES + o);
  }
  if (K.momenta) s->sigma = load(c->sigma + RATTLE__LANES + o);
}

INLINE void set_out(rattle__chain *c, const kind K, walker *s, int o) {
  const int D = K.D;
  s->w = load(node_at(c, c->inverse_mass, o, 0, K.down));
  AXES s->x[d] = load(node_at(c, K.momenta ? c->p[d] : c->x[d], o, 0, K.down));
  if (K.begins) {
    look_ahead(c, K, s, o);
  } else {
    AXES s->before[d] = load(link_at(c, c->r[d], o, 0, K.down));
    AXES s->r[d] = load(link_at(c, c->r[d], o, 1, K.down));
  }
  s->delta = load((K.down ? c->last : c->first).of + o);
  s->far = load((K.down ? c->before : c->after).of + o);
  s->u = s->y = s->Y = s->V = s->ratio = s->largest = s->sum = all(0);
  s->v = s->P = all(1);
  s->pivot = s->turned = all(DBL_MAX);
  s->spike = 1;
  s->until = c->rows;
  s->spiked = c->spiked[o / WIDTH];
}

INLINE void arrive(rattle__chain *c, const kind K, const walker *s, int o) {
  for (int i = 0; i < WIDTH; i++) {
    if (s->ratio[i] > c->seen.ratio) c->seen.ratio = s->ratio[i];
    if (s->largest[i] > c->seen.largest) c->seen.largest = s->largest[i];
    if (!(s->sum[i] <= DBL_MAX)) c->seen.ratio = s->sum[i];
    c->seen.good &= s->pivot[i] > c->tiny && s->turned[i] > 0;
  }
  if (!K.eliminates) return;
  c->spiked[o / WIDTH] = s->until;
  store(c->ends.u.of + o, s->u), store(c->ends.v.of + o, s->v), store(c->ends.y.of + o, s->y);
  store(c->ends.Y.of + o, s->Y), store(c->ends.V.of + o, s->V), store(c->ends.P.of + o, s->P);
}

INLINE void walk(rattle__chain *c, const kind K) {
  c->seen = (rattle__seen){.good = 1};
  for (int o = 0; o < RATTLE__LANES; o += WIDTH) {
    walker s;
    set_out(c, K, &s, o);
    for (int j = 1; j < c->rows; j++) row(c, K, &s, o, j, 0);
    row(c, K, &s, o, c->rows, 1);
    arrive(c, K, &s, o);
  }
  if (K.eliminates) c->ends.down = K.down;
}

/* --- between q and lanes ----------------------------------------------------------------------------------------------------- */

/* What the rows loaded have in common. */
typedef struct loading {
  const double *q, *p, *V_q;
  double k, by;
  vector most, most_p;
} loading;

INLINE void load_row(rattle__chain *c, loading *from, int d, int at, vector x0, vector p) {
  const vector x = x0 + from->by * load(c->inverse_mass + at) * p;
  store(c->x0[d] + at, x0);
  store(c->p[d] + at, p);
  store(c->x[d] + at, x);
  from->most = LARGER(from->most, size(x));
  from->most_p = LARGER(from->most_p, size(p));
}

/* x0, p = p0 - k V_q and x = x0 + by M^-1 p of the rows in which all lanes move. */
INLINE void load_axis(rattle__chain *c, loading *from, int d, int o) {
  const int *first = c->begin[d] + o, stride = c->path.stride[d];
  int j = 1;
#ifdef TILES
  for (; stride == 1 && j + WIDTH - 1 <= c->whole; j += WIDTH) {
    vector x0[WIDTH], p[WIDTH], V_q[WIDTH];
    gather_rows(from->q, first, j, x0);
    gather_rows(from->p, first, j, p);
    if (from->V_q) gather_rows(from->V_q, first, j, V_q);
    for (int i = 0; i < WIDTH && from->V_q; i++) p[i] -= from->k * V_q[i];
    for (int i = 0; i < WIDTH; i++) load_row(c, from, d, RATTLE__LANES * (j + i) + o, x0[i], p[i]);
  }
#endif
  for (; j <= c->whole; j++) {
    vector p = gather(from->p, first, stride * j);
    if (from->V_q) p -= from->k * gather(from->V_q, first, stride * j);
    load_row(c, from, d, RATTLE__LANES * j + o, gather(from->q, first, stride * j), p);
  }
}

TARGET static void load_rows(rattle__chain *c, const double *z0, const double *V_q, double k, double by) {
  for (int d = 0; d < c->path.axes; d++)
    for (int o = 0; o < RATTLE__LANES; o += WIDTH) {
      loading from = {.q = z0, .p = z0 + rattle__path_columns(&c->path), .V_q = V_q, .k = k, .by = by};
      load_axis(c, &from, d, o);
      for (int i = 0; i < WIDTH; i++) {
        if (from.most[i] > c->most_x) c->most_x = from.most[i];
        if (from.most_p[i] > c->most_p) c->most_p = from.most_p[i];
      }
    }
}

INLINE void store_axis(const rattle__chain *c, const double *x, int d, int o, double *a) {
  const int *first = c->begin[d] + o, stride = c->path.stride[d];
  int j = 1;
#ifdef TILES
  for (; stride == 1 && j + WIDTH - 1 <= c->whole; j += WIDTH) {
    vector t[WIDTH];
    for (int i = 0; i < WIDTH; i++) t[i] = load(x + RATTLE__LANES * (j + i) + o);
    scatter_rows(a, first, j, t);
  }
#endif
  for (; j <= c->whole; j++)
    for (int l = 0; l < WIDTH; l++) a[first[l] + stride * j] = x[RATTLE__LANES * j + o + l];
}

TARGET static void store_rows(const rattle__chain *c, double *const *from, double *a) {
  for (int d = 0; d < c->path.axes; d++)
    for (int o = 0; o < RATTLE__LANES; o += WIDTH) store_axis(c, from[d], d, o, a);
}

/* --- which walks there are ---------------------------------------------------------------------------------------------------- */

#define WALK(D, momenta, begins, corrects, eliminates, down) walk(c, (kind){D, momenta, begins, corrects, eliminates, down})
#define WALKS(D)                                                                                                                 \
  TARGET static void positions_##D(rattle__chain *c, rattle__chain_walk what) {                                                  \
    if (what == RATTLE__WALK_BEGIN)                                                                                              \
      WALK(D, 0, 1, 0, 1, 0);                                                                                                    \
    else if (what == RATTLE__WALK_ELIMINATE)                                                                                     \
      WALK(D, 0, 0, 0, 1, 0);                                                                                                    \
    else if (what == RATTLE__WALK_BOTH && c->ends.down)                                                                          \
      WALK(D, 0, 0, 1, 1, 0);                                                                                                    \
    else if (what == RATTLE__WALK_BOTH)                                                                                          \
      WALK(D, 0, 0, 1, 1, 1);                                                                                                    \
    else if (c->ends.down)                                                                                                       \
      WALK(D, 0, 0, 1, 0, 0);                                                                                                    \
    else                                                                                                                         \
      WALK(D, 0, 0, 1, 0, 1);                                                                                                    \
  }                                                                                                                              \
  TARGET static void momenta_##D(rattle__chain *c, rattle__chain_walk what) {                                                    \
    if (what == RATTLE__WALK_BEGIN)                                                                                              \
      WALK(D, 1, 1, 0, 1, 0);                                                                                                    \
    else if (what == RATTLE__WALK_ELIMINATE)                                                                                     \
      WALK(D, 1, 0, 0, 1, 0);                                                                                                    \
    else                                                                                                                         \
      WALK(D, 1, 0, 1, 0, 1);                                                                                                    \
  }
WALKS(2)
WALKS(3)

static void positions(rattle__chain *c, rattle__chain_walk what) {
  (c->path.axes == 2 ? positions_2 : positions_3)(c, what);
}

static void momenta(rattle__chain *c, rattle__chain_walk what) {
  (c->path.axes == 2 ? momenta_2 : momenta_3)(c, what);
}

const rattle__chain_kernel KERNEL = {KERNEL_NAME, load_rows, store_rows, positions, momenta};
