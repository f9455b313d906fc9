/* The inverse of the matrix as a series: with D its diagonal and N = 1 - D^-1 A, A^-1 b = (1 + N +
 * ... + N^order) D^-1 b. Included by rows.h.
 *
 * Source   Hess et al. 1997, (12)-(16): first the lengths along the bonds before the step, then the
 *          rotation. Here both, and velocities too, are repeated until they are right: with few
 *          terms that costs repetitions, not accuracy
 * P-LINCS  Hess 2008 divides the bonds among processors, which exchange after each term. No term
 *          depends on the order of the bonds, and here the lanes of a vector are such processors,
 *          of one cluster each, with nothing to exchange */

/* D^-1 as the diagonal, N off it. */
INLINE void assemble_series(const rattle__bond_shape *shape, const vector *inverse_mass,
                            const vector *r, vector *value) {
  for (int k = 0; k < shape->bonds; k++)
    value[k] = 1 / ((inverse_mass[shape->pair[2 * k]] + inverse_mass[shape->pair[2 * k + 1]]) *
                    product(r + 3 * k, r + 3 * k));
  for (int c = 0; c < shape->couplings; c++) {
    const rattle__bond_coupling *q = &shape->coupling[c];
    value[q->slot] = -q->sign * inverse_mass[q->atom] * product(r + 3 * q->row, r + 3 * q->column) *
                     value[q->row];
  }
}

/* y becomes the sum; term and next [bonds]. */
INLINE void sum_series(const rattle__bond_shape *shape, int order, const vector *value, vector *y,
                       vector *term, vector *next) {
  for (int k = 0; k < shape->bonds; k++) term[k] = y[k] *= value[k];
  for (int n = 0; n < order; n++) {
    for (int k = 0; k < shape->bonds; k++) next[k] = (vector){0};
    for (int c = 0; c < shape->couplings; c++) {
      const rattle__bond_coupling *q = &shape->coupling[c];
      next[q->row] += value[q->slot] * term[q->column];
    }
    vector *last = term;
    term = next, next = last;
    for (int k = 0; k < shape->bonds; k++) y[k] += term[k];
  }
}

INLINE bits lincs_positions(const kind K, const rattle__bond_stage *stage, const vector *square,
                            const vector *inverse_mass, const work *w) {
  assemble_series(K.shape, inverse_mass, w->r, w->value);
  for (int n = 0;; n++) {
    const bits wrong = length_residuals(K, stage, square, w);
    if (n == K.shape->iterations || !any(wrong) || !any(wrong & finite_lanes(K, w->y)))
      return wrong;
    for (int k = 0; k < K.bonds; k++) {
      const vector d = ROOT(square[k]), along = ROOT(product(w->r + 3 * k, w->r + 3 * k)),
                   off = 2 * w->y[k];
      const vector rest = square[k] - off, p = ROOT((vector)((bits)rest & (bits)(rest > 0)));
      w->y[k] = n == 0 ? product(w->r + 3 * k, w->s + 3 * k) - d * along : along * off / (d + p);
    }
    sum_series(K.shape, K.shape->order, w->value, w->y, w->s, w->s + K.bonds);
    add_where(K, inverse_mass, w->r, wrong, w);
  }
}

INLINE bits lincs_velocities(const kind K, const rattle__bond_stage *stage, const vector *square,
                             const vector *inverse_mass, const work *w) {
  (void)square;
  assemble_series(K.shape, inverse_mass, w->s, w->value);
  for (int n = 0;; n++) {
    const bits wrong = rate_residuals(K, stage, w);
    if (n == K.shape->iterations || !any(wrong) || !any(wrong & finite_lanes(K, w->y)))
      return wrong;
    sum_series(K.shape, K.shape->order, w->value, w->y, w->r, w->r + K.bonds);
    add_where(K, inverse_mass, w->s, wrong, w);
  }
}
