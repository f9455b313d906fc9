/* Newton's iteration with the symmetric matrix of the bonds before the step, factorised as L D L'
 * once. Included by rows.h. */

/* c_kl r_k . r_l on the diagonal and above. */
INLINE void assemble_symmetric(const rattle__bond_shape *shape, const vector *inverse_mass,
                               const vector *r, vector *value) {
  const int *pair = shape->pair;
  for (int k = 0; k < shape->bonds; k++)
    value[k] =
        (inverse_mass[pair[2 * k]] + inverse_mass[pair[2 * k + 1]]) * product(r + 3 * k, r + 3 * k);
  if (shape->slots > shape->bonds + shape->couplings)
    for (int e = shape->bonds; e < shape->slots; e++) value[e] = (vector){0};
  for (int c = 0; c < shape->couplings; c++) {
    const rattle__bond_coupling *q = &shape->coupling[c];
    if (q->row < q->column)
      value[q->slot] = q->sign * inverse_mass[q->atom] * product(r + 3 * q->row, r + 3 * q->column);
  }
}

/* 1/D on the diagonal, L' D above it. */
INLINE void factorise(const rattle__bond_shape *shape, vector *value) {
  for (int p = 0; p < shape->bonds; p++) {
    const rattle__bond_pivot *at = &shape->pivot[p];
    const vector by = value[p] = 1 / value[p];
    for (int i = 0; i < at->count; i++) {
      const vector factor = value[shape->upper[at->first + i]] * by;
      const int *target = shape->target + at->target + i * at->count;
      for (int j = i; j < at->count; j++)
        value[target[j]] -= factor * value[shape->upper[at->first + j]];
    }
  }
}

INLINE void solve_factorised(const rattle__bond_shape *shape, const vector *value, vector *y) {
  for (int p = 0; p < shape->bonds; p++) {
    const rattle__bond_pivot *at = &shape->pivot[p];
    y[p] *= value[p];
    for (int i = at->first; i < at->first + at->count; i++)
      y[shape->later[i]] -= value[shape->upper[i]] * y[p];
  }
  for (int p = shape->bonds - 1; p >= 0; p--) {
    const rattle__bond_pivot *at = &shape->pivot[p];
    vector sum = {0};
    for (int i = at->first; i < at->first + at->count; i++)
      sum += value[shape->upper[i]] * y[shape->later[i]];
    y[p] -= sum * value[p];
  }
}

INLINE bits quasi_newton_positions(const kind K, const rattle__bond_stage *stage,
                                   const vector *square, const vector *inverse_mass,
                                   const work *w) {
  enum { ITERATIONS = 100 };
  assemble_symmetric(K.shape, inverse_mass, w->r, w->value);
  factorise(K.shape, w->value);
  for (int k = 0;; k++) {
    const bits wrong = length_residuals(K, stage, square, w);
    if (k == ITERATIONS || !any(wrong)) return wrong;
    solve_factorised(K.shape, w->value, w->y);
    add_where(K, inverse_mass, w->r, wrong, w);
  }
}

INLINE bits quasi_newton_velocities(const kind K, const rattle__bond_stage *stage,
                                    const vector *square, const vector *inverse_mass,
                                    const work *w) {
  (void)square;
  assemble_symmetric(K.shape, inverse_mass, w->s, w->value);
  factorise(K.shape, w->value);
  for (int k = 0;; k++) {
    const bits wrong = rate_residuals(K, stage, w);
    if (k == CORRECTIONS || !any(wrong)) return wrong;
    solve_factorised(K.shape, w->value, w->y);
    add_where(K, inverse_mass, w->s, wrong, w);
  }
}
