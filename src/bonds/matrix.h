/* The matrix R_kl = c_kl s_k . r_l of a group, where c is G M^-1 G' of unit vectors: assembled,
 * eliminated without pivoting (its diagonal dominates or, at r = s, it is symmetric and positive),
 * and solved with. Part of the text of kernel.h.
 *
 * Forms  full, for the smallest shapes; sparse, by the lists of the shape. Paths and rings have
 *        their own: band.h */

/* --- sparse ----------------------------------------------------------------------------------- */

INLINE void assemble_sparse(const rattle__bond_shape *shape, const vector *inverse_mass,
                            const work *w) {
  const int *pair = shape->pair;
  for (int k = 0; k < shape->bonds; k++)
    w->value[k] = (inverse_mass[pair[2 * k]] + inverse_mass[pair[2 * k + 1]]) *
                  product(w->s + 3 * k, w->r + 3 * k);
  if (shape->slots > shape->bonds + shape->couplings)
    for (int e = shape->bonds; e < shape->slots; e++) w->value[e] = (vector){0};
  for (int c = 0; c < shape->couplings; c++) {
    const rattle__bond_coupling *q = &shape->coupling[c];
    w->value[q->slot] =
        q->sign * inverse_mass[q->atom] * product(w->s + 3 * q->row, w->r + 3 * q->column);
  }
}

/* 1/pivots come to the diagonal. */
INLINE void eliminate_sparse(const rattle__bond_shape *shape, vector *value) {
  for (int p = 0; p < shape->bonds; p++) {
    const rattle__bond_pivot *at = &shape->pivot[p];
    const vector by = 1 / value[p];
    value[p] = by;
    const int *target = shape->target + at->target;
    for (int i = 0; i < at->count; i++) {
      const vector factor = value[shape->lower[at->first + i]] *= by;
      for (int j = 0; j < at->count; j++)
        value[*target++] -= factor * value[shape->upper[at->first + j]];
    }
  }
}

INLINE void solve_sparse(const rattle__bond_shape *shape, const vector *value, vector *y) {
  for (int p = 0; p < shape->bonds; p++) {
    const rattle__bond_pivot *at = &shape->pivot[p];
    for (int i = at->first; i < at->first + at->count; i++)
      y[shape->later[i]] -= value[shape->lower[i]] * y[p];
  }
  for (int p = shape->bonds - 1; p >= 0; p--) {
    const rattle__bond_pivot *at = &shape->pivot[p];
    vector sum = y[p];
    for (int i = at->first; i < at->first + at->count; i++)
      sum -= value[shape->upper[i]] * y[shape->later[i]];
    y[p] = sum * value[p];
  }
}

/* --- full ------------------------------------------------------------------------------------- */

INLINE void assemble_full(const kind K, const vector *inverse_mass, const work *w) {
  UNROLL
  for (int k = 0; k < K.bonds; k++) {
    UNROLL
    for (int l = 0; l < K.bonds; l++) {
      const int *a = K.pair + 2 * k, *b = K.pair + 2 * l;
      const vector c = k == l         ? inverse_mass[a[0]] + inverse_mass[a[1]]
                       : a[0] == b[0] ? inverse_mass[a[0]]
                       : a[1] == b[1] ? inverse_mass[a[1]]
                       : a[0] == b[1] ? -inverse_mass[a[0]]
                                      : -inverse_mass[a[1]];
      w->value[k * K.bonds + l] = c * product(w->s + 3 * k, w->r + 3 * l);
    }
  }
}

INLINE void eliminate_full(const kind K, vector *value) {
  const int m = K.bonds;
  UNROLL
  for (int p = 0; p < m; p++) {
    const vector by = 1 / value[p * m + p];
    value[p * m + p] = by;
    UNROLL
    for (int i = p + 1; i < m; i++) {
      const vector factor = value[i * m + p] *= by;
      UNROLL
      for (int j = p + 1; j < m; j++) value[i * m + j] -= factor * value[p * m + j];
    }
  }
}

INLINE void solve_full(const kind K, const vector *value, vector *y) {
  const int m = K.bonds;
  UNROLL
  for (int p = 0; p < m; p++) {
    UNROLL
    for (int i = p + 1; i < m; i++) y[i] -= value[i * m + p] * y[p];
  }
  UNROLL
  for (int q = 0; q < m; q++) {
    const int p = m - 1 - q;
    vector sum = y[p];
    UNROLL
    for (int j = p + 1; j < m; j++) sum -= value[p * m + j] * y[j];
    y[p] = sum * value[p * m + p];
  }
}

/* --- any form --------------------------------------------------------------------------------- */

INLINE void assemble(const kind K, const vector *inverse_mass, const work *w) {
  if (K.shape)
    assemble_sparse(K.shape, inverse_mass, w);
  else
    assemble_full(K, inverse_mass, w);
}

INLINE void eliminate(const kind K, vector *value) {
  if (K.shape)
    eliminate_sparse(K.shape, value);
  else
    eliminate_full(K, value);
}

INLINE void solve(const kind K, vector *value, vector *y) {
  if (K.shape)
    solve_sparse(K.shape, value, y);
  else
    solve_full(K, value, y);
}
