/* Part of the text of spark_kernel.h, for the library alone: products with sparse rows, systems of
 * any size, any W. */
static inline double rows_times_W(const rattle__stages *k, const rattle__shape s, double a, int c,
                                  const double *x) {
  return s.full ? a * rattle__mass_row(SELF->W, c, x) : a * SELF->W->diagonal[c] * x[c];
}

static inline double rows_reach(const rattle__stages *k, const rattle__shape s, int c,
                                const double *x) {
  return s.full ? rattle__mass_reach(SELF->W, c, x) : SELF->W->diagonal[c] * x[c];
}

static inline void rows_pull(const rattle__stages *k, const rattle__shape s, int j, const double *y,
                             const double *from, double *x) {
  for (int c = 0; c < s.n && x != from; c++) x[c] = from ? from[c] : 0;
  rattle__rows_subtract(&SELF->rows, -1, k->J[j], y, x);
}

static inline void rows_push(const rattle__stages *k, const rattle__shape s, int j, const double *x,
                             double *y) {
  (void)s;
  rattle__rows_multiply(&SELF->rows, k->J[j], x, y);
}

static inline void rows_add_sizes(const rattle__stages *k, const rattle__shape s, int j,
                                  const double *y, double *size) {
  for (int l = 0; l < s.m; l++)
    for (int e = SELF->rows.ptr[l]; e < SELF->rows.ptr[l + 1]; e++)
      size[SELF->rows.col[e]] += fabs(k->J[j][e] * y[l]);
}

static inline double rows_size_of_g(const rattle__stages *k, const rattle__shape s, int j, int l,
                                    const double *q0, double least) {
  double sum = 0;
  (void)s;
  for (int e = SELF->rows.ptr[l]; e < SELF->rows.ptr[l + 1]; e++) {
    const int c = SELF->rows.col[e];
    sum += fabs(k->J[j][e]) * rattle__larger(0.5 * (fabs(k->Q[j][c]) + fabs(q0[c])), least);
  }
  return sum;
}

static inline double rows_size_of_psi(const rattle__stages *k, const rattle__shape s, int j, int l,
                                      const double *v) {
  double sum = 0;
  (void)s;
  for (int e = SELF->rows.ptr[l]; e < SELF->rows.ptr[l + 1]; e++)
    sum += fabs(k->J[j][e] * v[SELF->rows.col[e]]);
  return sum;
}

static inline void rows_add_bend(const rattle__stages *k, const rattle__shape s, const double *v,
                                 double *y) {
  for (int l = 0; l < s.m; l++)
    for (int e = SELF->rows.ptr[l]; e < SELF->rows.ptr[l + 1]; e++)
      y[l] += k->along[e] * v[SELF->rows.col[e]];
}

static inline void rows_scale_columns(rattle__stages *k, const rattle__shape s, int j) {
  (void)s;
  rattle__mass_scale(SELF->W, SELF->g, k->J[j], k->B[j]);
}

/* Nonzero: singular, or there is no memory, as *refused says. */
static inline int rows_factor(rattle__stages *k, rattle__linear *A) {
  k->factors++;
  const rattle_status status = A->factor(A);
  SELF->refused->starved |= status == RATTLE_NO_MEMORY;
  return status != RATTLE_OK;
}

static inline int rows_factor_N(rattle__stages *k, const rattle__shape s, int j) {
  rows_scale_columns(k, s, j);
  rattle__coupling_assemble(SELF->coupling, k->J[j], k->B[j], SELF->N->value);
  return rows_factor(k, SELF->N);
}

static inline void rows_solve_N(const rattle__stages *k, const rattle__shape s, double *y) {
  (void)s;
  SELF->N->solve(SELF->N, y);
}

static inline void rows_keep_N(rattle__stages *k, const rattle__shape s) {
  (void)s;
  memcpy(k->N_start, SELF->N->value, (size_t)SELF->N->nnz * sizeof *k->N_start);
}

static inline void rows_N0_along(const rattle__stages *k, const rattle__shape s, double *y) {
  const rattle__linear *N = SELF->N;
  for (int l = 0; l < s.m; l++) {
    y[l] = 0;
    for (int e = N->ptr[l]; e < N->ptr[l + 1]; e++)
      y[l] += rattle__fixed_direction(N->col[e]) * k->N_start[e];
  }
}

/* True if normal spaces hardly turn from the start, where N is factored, to the stages of the first
 * iterate: then R was not singular on the way. */
static inline int rows_normals_stay(rattle__stages *k, const rattle__shape s) {
  const double log_N0 = SELF->N->log_size(SELF->N);
  double squares[RATTLE__SPARK_STAGES] = {0};
  for (int i = 1; i <= s.r; i++) {
    if (rows_factor_N(k, s, i)) return 0;
    rattle__coupling_assemble(SELF->coupling, k->J[i], k->B[0], SELF->C->value);
    if (rows_factor(k, SELF->C)) return 0;
    squares[i] = rattle__turn_of_normals(log_N0, SELF->N->log_size(SELF->N), SELF->C);
  }
  return rattle__stages_are_regular(s.r, squares, SELF->weights, SELF->inverse);
}

static inline void rows_solve_R(const rattle__stages *k, const rattle__shape s, double *y) {
  (void)s;
  SELF->R->solve(SELF->R, y);
}

static inline int rows_factor_R(rattle__stages *k, const rattle__shape s) {
  const rattle__linear *N = SELF->N;
  for (int j = 1; j < s.r; j++) rows_scale_columns(k, s, j);
  for (int i = 0; i < s.r; i++)
    for (int j = 0; j < s.r; j++) {
      rattle__coupling_assemble(SELF->coupling, k->J[i + 1], k->B[j], SELF->block);
      for (int l = 0; l < s.m; l++) {
        const int first = N->ptr[l], width = N->ptr[l + 1] - first;
        double *row = SELF->R->value + i * s.r * N->nnz + s.r * first + j * width;
        for (int e = 0; e < width; e++) row[e] = WEIGHT(i + 1, j) * SELF->block[first + e];
      }
    }
  return rows_factor(k, SELF->R);
}

static inline double rows_ratio_of_psi(rattle__stages *k, const rattle__shape s) {
  (void)s;
  return rattle__rows_ratio(&SELF->rows, k->psi, k->floor, &k->largest_psi);
}
