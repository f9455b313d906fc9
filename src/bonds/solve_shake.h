/* Gauss-Seidel sweeps: each bond in its turn, with the multiplier that makes it right to first
 * order. Included by rows.h.
 *
 * Source  Ryckaert, Ciccotti & Berendsen 1977, (5.11)-(5.13); for velocities Andersen 1983,
 *         (4.13)-(4.15) */

/* So that a stage ends: two million corrections in small clusters, a thousand sweeps in large
 * ones. */
INLINE int most_sweeps(int bonds) {
  return 1000 + 2000000 / bonds;
}

/* u of the two atoms of bond k. */
INLINE void push_one(const kind K, const vector *inverse_mass, int k, const vector *r, vector y,
                     vector *u) {
  const int i = K.pair[2 * k], j = K.pair[2 * k + 1];
  const vector by_i = inverse_mass[i] * y, by_j = inverse_mass[j] * y;
  AXES {
    u[3 * i + d] -= by_i * r[3 * k + d];
    u[3 * j + d] += by_j * r[3 * k + d];
  }
}

INLINE bits shake_positions(const kind K, const rattle__bond_stage *stage, const vector *square,
                            const vector *inverse_mass, const work *w) {
  for (int sweep = 0;; sweep++) {
    const bits wrong = length_residuals(K, stage, square, w);
    if (sweep == most_sweeps(K.bonds) || !any(wrong) || !any(wrong & finite_lanes(K, w->y)))
      return wrong;
    for (int k = 0; k < K.bonds; k++) {
      const vector *a = w->u + 3 * K.pair[2 * k], *b = w->u + 3 * K.pair[2 * k + 1],
                   *r = w->r + 3 * k;
      vector s[3];
      AXES s[d] = w->s1[3 * k + d] + a[d] - b[d];
      const vector both = inverse_mass[K.pair[2 * k]] + inverse_mass[K.pair[2 * k + 1]];
      const vector y = (product(s, s) - square[k]) / (2 * both * product(s, r));
      push_one(K, inverse_mass, k, w->r, (vector)((bits)y & wrong), w->u);
    }
  }
}

INLINE bits shake_velocities(const kind K, const rattle__bond_stage *stage, const vector *square,
                             const vector *inverse_mass, const work *w) {
  (void)square;
  for (int sweep = 0;; sweep++) {
    const bits wrong = rate_residuals(K, stage, w);
    if (sweep == most_sweeps(K.bonds) || !any(wrong) || !any(wrong & finite_lanes(K, w->y)))
      return wrong;
    for (int k = 0; k < K.bonds; k++) {
      const vector *a = w->u + 3 * K.pair[2 * k], *b = w->u + 3 * K.pair[2 * k + 1],
                   *s = w->s + 3 * k;
      vector rate[3];
      AXES rate[d] = a[d] - b[d];
      const vector both = inverse_mass[K.pair[2 * k]] + inverse_mass[K.pair[2 * k + 1]];
      const vector y = product(s, rate) / (both * product(s, s));
      push_one(K, inverse_mass, k, w->s, (vector)((bits)y & wrong), w->u);
    }
  }
}
