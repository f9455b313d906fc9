/* spark(s) for natural problems: the momenta of the stages eliminated, one small matrix for the multipliers.
 *
 * Map      that of spark.c. As P_i = p0 - h sum_j ahat_ij F_j and sum_j a_ij = c_i,
 *          Q_i = q0 + h c_i M^-1 p0 - h^2 sum_j w_ij M^-1 F_j,  F_j = V_q(Q_j) + G(Q_j)^T L_j,  g(Q_i) = 0,  i = 2..s, j = 1..s-1
 *          p1 = p0 - h sum_{j<s} b_j F_j - h b_s V_q(q1) - G(q1)^T sigma,  G(q1) M^-1 p1 = 0, which is linear in sigma = h b_s L_s
 * Symbols  w = a ahat [s x s], its last column is 0; G [m x n], sparse rows; N_j = G M^-1 G^T at Q_j [m x m]; d_i what the
 *          equation of Q_i is off by
 * Iterate  Q_i += d_i - h^2 sum_j w_ij M^-1 G(Q_j)^T delta_j and L += delta with g(Q_i) + G(Q_i) (change of Q_i) = 0: Newton but
 *          for V_qq + L.g'', so that each iteration gains a factor of about h^2 times their size. The matrix R, blocks
 *          w_ij G(Q_i) M^-1 G(Q_j)^T, is taken at the first iterate, and once more where the gain is less than a factor of ten
 * Start    q0, p0 alone: L the multiplier of the differential equation there, Q_i the parabola with its force
 * Source   as spark.c; simplified Newton: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), VIII.6
 * Cost     per iteration s-1 evaluations of g and G, s-2 of V_q; per step one matrix of (s-1) m unknowns and one of m
 * Guard    as constrained/newton_frame.c and slide/guard.h: the fall of the residuals, the Jacobian at the first iterate against its limit, N
 *          from one end to the other (docs/guards.md). In any doubt, and where the iteration fails, the step is that of spark.c */
#include "constrained/spark_kernel.h"

static void swap(double **x, double **y) {
  double *z = *x;
  *x = *y;
  *y = z;
}

/* Accounts for the step, and keeps what the next one begins with. */
static void account(condensed *k, const double *z1) {
  rattle__context *context = k->map.context;
  rattle_residuals *seen = &context->residuals;
  context->counts.position_projections++;
  context->counts.momentum_projections++;
  seen->iteration_residual = fmax(seen->iteration_residual, k->ratio);
  seen->g = fmax(seen->g, k->largest_g);
  seen->psi = fmax(seen->psi, k->largest_psi);
  swap(&k->J[0], &k->J[k->r]);
  swap(&k->B[0], &k->B[k->r]);
  swap(&k->D[0], &k->D[k->r]);
  swap(&k->Vq[0], &k->Vq[k->r]);
  rattle__point_go(&k->point, z1);
  k->point.has_G = k->point.has_V = 1;
  k->point.V = k->potential;
  context->evaluated = &k->point;
}

/* Sizes known to the compiler: a pendulum in space, or a bead on a surface; a double pendulum in the plane. */
static outcome made(condensed *k, double h, const double *z0, double *z1, rattle_error *error) {
  const int full = k->W->value != NULL;
#define IF(r_, n_, m_)                                                                                                           \
  if (!full && k->r == r_ && k->n == n_ && k->m == m_) return step(k, (shape){r_, n_, m_, 1, 0}, h, z0, z1, error)
  IF(2, 3, 1);
  IF(2, 4, 2);
  IF(3, 3, 1);
  IF(3, 4, 2);
#undef IF
  if (full) return step(k, (shape){k->r, k->n, k->m, k->small, 1}, h, z0, z1, error);
  if (k->small) return step(k, (shape){k->r, k->n, k->m, 1, 0}, h, z0, z1, error);
  return step(k, (shape){k->r, k->n, k->m, 0, 0}, h, z0, z1, error);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  condensed *k = map->self;
  const outcome o = made(k, h, z0, z1, error);
  if (o == DOUBTFUL) return k->general->apply(k->general, h, z0, z1, error);
  if (o == ENDED) return RATTLE_CALLBACK;
  account(k, z1);
  return RATTLE_OK;
}

/* --- planning --- */

static void destroy(rattle__map *map) {
  condensed *k = map->self;
  rattle__coupling_destroy(&k->coupling);
  rattle__linear_destroy(&k->N);
  rattle__linear_destroy(&k->R);
  if (k->general->destroy) k->general->destroy(k->general);
}

/* N's pattern: that of the coupling, or all entries */
static rattle_status plan_N(condensed *k, rattle_error *error) {
  const rattle__coupling *C = k->coupling;
  int ptr[SMALL + 1], col[SMALL * SMALL];
  for (int i = 0; i <= k->m && k->small; i++) ptr[i] = i * k->m;
  for (int e = 0; e < k->m * k->m && k->small; e++) col[e] = e % k->m;
  return rattle__linear_create(&k->N, k->m, k->small ? ptr : C->ptr, k->small ? col : C->col, 1, RATTLE__LINEAR_AUTO, error);
}

/* R's pattern: that of N in each of r x r blocks */
static rattle_status plan_R(condensed *k, rattle_error *error) {
  const rattle__linear *C = k->N;
  rattle__arena *arena = &k->map.context->arena;
  const size_t r = (size_t)k->r, size = r * (size_t)k->m;
  int *ptr = rattle__arena_take(arena, (size + 1) * sizeof *ptr);
  int *col = rattle__arena_take(arena, r * r * (size_t)C->nnz * sizeof *col), at = 0;
  if (!ptr || !col) return rattle__no_memory(error);
  for (int i = 0; i < k->r * k->m; i++) {
    ptr[i] = at;
    for (int j = 0; j < k->r; j++)
      for (int e = C->ptr[i % k->m]; e < C->ptr[i % k->m + 1]; e++) col[at++] = j * k->m + C->col[e];
  }
  ptr[size] = at;
  return rattle__linear_create(&k->R, (int)size, ptr, col, 0, RATTLE__LINEAR_AUTO, error);
}

static rattle_status plan_matrices(condensed *k, rattle_error *error) {
  rattle__context *context = k->map.context;
  rattle_status status = RATTLE_OK;
  if (!k->small) status = rattle__coupling_create(&k->coupling, k->m, k->n, k->rows.ptr, k->rows.col, error);
  if (!status) status = plan_N(k, error);
  if (!status) status = plan_R(k, error);
  if (!status) status = rattle__watch_create(&k->watch, context, error);
  if (status) return status;
  context->solver = k->R->name;
  k->N0 = rattle__arena_doubles(&context->arena, (size_t)k->N->nnz);
  k->block = rattle__arena_doubles(&context->arena, (size_t)k->N->nnz);
  return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status plan_vectors(condensed *k, rattle_error *error) {
  rattle__arena *arena = &k->map.context->arena;
  const size_t n = (size_t)k->n, m = (size_t)k->m, r = (size_t)k->r, nnz = (size_t)k->g->jac_nnz;
  const rattle__array arrays[] = {{&k->F, r * n},
                                  {&k->size, n},
                                  {&k->d, r * n},
                                  {&k->L, r * m},
                                  {&k->value, r * m},
                                  {&k->unit_g, r * m},
                                  {&k->delta, r * m},
                                  {&k->course, r * m},
                                  {&k->pull, m},
                                  {&k->psi, m},
                                  {&k->floor, m},
                                  {&k->along, nnz},
                                  {&k->room, 2 * nnz + 2 * n},
                                  {&k->work, k->g->work > k->V->work ? k->g->work : k->V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  for (int j = 0; j <= k->r; j++) {
    k->Q[j] = rattle__arena_doubles(arena, n);
    k->Vq[j] = rattle__arena_doubles(arena, n);
    k->J[j] = rattle__arena_doubles(arena, nnz);
    k->B[j] = rattle__arena_doubles(arena, k->small ? n * m : nnz);
    k->D[j] = rattle__arena_doubles(arena, k->small ? n * m : 0);
    for (int e = 0; e < k->n * k->m && k->small && k->D[j]; e++) k->D[j][e] = 0;
  }
  rattle__point_create(&k->point, arena, k->n, 0, 0);
  k->place = rattle__arena_take(arena, nnz * sizeof *k->place);
  for (int i = 0; i < k->m && k->place; i++)
    for (int e = k->g->jac_ptr[i]; e < k->g->jac_ptr[i + 1]; e++) k->place[e] = i * k->n + k->g->jac_col[e];
  const int runs = rattle__find_runs(k->m, k->g->jac_ptr, k->g->jac_col, NULL, 0);
  rattle__run *run = rattle__arena_take(arena, (size_t)runs * sizeof *run);
  if (arena->failed) return rattle__no_memory(error);
  rattle__find_runs(k->m, k->g->jac_ptr, k->g->jac_col, run, runs);
  k->rows = (rattle__rows){k->m, k->n, k->g->jac_nnz, runs, k->g->jac_ptr, k->g->jac_col, run};
  return RATTLE_OK;
}

rattle_status rattle__spark_natural_create(rattle__map **map, rattle__context *context, int stages, rattle__map *general,
                                           rattle_error *error) {
  const rattle_problem *problem = context->problem;
  condensed *k = rattle__arena_take(&context->arena, sizeof *k);
  if (!k) {
    if (general->destroy) general->destroy(general);
    *map = NULL;
    return rattle__no_memory(error);
  }
  *k = (condensed){.general = general, .r = stages - 1, .n = problem->n, .m = problem->m};
  k->g = problem->g;
  k->V = problem->V;
  k->W = problem->mass;
  k->inverse_mass = k->W->diagonal;
  k->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .symmetric = general->symmetric, .self = k};
  double a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES];
  rattle__lobatto_coefficients(stages, k->c, k->b, a, ahat);
  for (int i = 0; i < stages; i++)
    for (int j = 0; j < stages; j++)
      for (int l = 0; l < stages; l++) k->w[i][j] += a[i][l] * ahat[l][j];
  k->small = k->m <= SMALL && k->n <= 4 * SMALL;
  *map = &k->map;
  rattle_status status = plan_vectors(k, error);
  return status ? status : plan_matrices(k, error);
}
