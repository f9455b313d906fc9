/* spark(s) for natural problems: the momenta of the stages eliminated, one small matrix for the
 * multipliers.
 *
 * Map      that of spark.c. As P_i = p0 - h sum_j ahat_ij F_j and sum_j a_ij = c_i,
 *          Q_i = q0 + h c_i M^-1 p0 - h^2 sum_j w_ij M^-1 F_j,  F_j = V_q(Q_j) + G(Q_j)^T L_j,
 *          g(Q_i) = 0,  i = 2..s, j = 1..s-1
 *          p1 = p0 - h sum_{j<s} b_j F_j - h b_s V_q(q1) - G(q1)^T sigma,  G(q1) M^-1 p1 = 0, which
 *          is linear in sigma = h b_s L_s
 * Symbols  w = a ahat [s x s], its last column is 0; G [m x n], sparse rows; N_j = G M^-1 G^T at
 *          Q_j [m x m]; d_i what the equation of Q_i is off by
 * Iterate  Q_i += d_i - h^2 sum_j w_ij M^-1 G(Q_j)^T delta_j and L += delta with g(Q_i) + G(Q_i)
 *          (change of Q_i) = 0: Newton but for V_qq + L.g'', so that each iteration gains a factor
 *          of about h^2 times their size. The matrix R, blocks w_ij G(Q_i) M^-1 G(Q_j)^T, is taken
 *          at the first iterate, and once more where the gain is less than a factor of ten
 * Start    q0, p0 alone: L the multiplier of the differential equation there, Q_i the parabola with
 *          its force
 * Source   as spark.c; simplified Newton: Hairer, Lubich, Wanner, Geometric Numerical Integration
 *          (2006), VIII.6
 * Cost     per iteration s-1 evaluations of g and G, s-2 of V_q; per step one matrix of (s-1) m
 *          unknowns and one of m
 * Guard    as maps/constrained/newton_frame.c: the fall of the residuals, the Jacobian at the first
 *          iterate against its limit, or for m > 4 the normal spaces of its stages
 *          (constraint/guard/normal_spaces.h; docs/guards.md). In any doubt, and where the
 *          iteration fails, the step is that of spark.c */
#include <math.h>
#include <string.h>

#include "maps/constrained/spark.h"
#include "maps/constrained/spark_state.h"
#include "ground/expr/native.h"
#include "ground/linear/linear.h"
#include "ground/linear/rows.h"
#include "ground/support/eliminate.h"
#include "constraint/guard/follow.h"
#include "constraint/guard/normal_spaces.h"
#include "constraint/step/point.h"

/* The last callback that did not answer 0. */
typedef struct spark_refusal {
  int answer, starved; /* starved: there was no memory for factors */
  const char *what;
} spark_refusal;

typedef struct condensed {
  rattle__map map, *general;
  rattle__stages stages;
  int r, n, m, small;
  rattle__rows rows;
  const rattle__function *g, *V;
  const rattle__mass *W;
  rattle__spark_pair pair;
  int *row;                   /* of the entries of G [nnz] */
  double *entries, *block;    /* scratch: of G [nnz]; a block of R, in the pattern of N */
  double *work, *room;        /* scratch of g and V */
  rattle__coupling *coupling; /* NULL if G is small */
  rattle__linear *N,
      *R; /* N is factored where the step begins, then where it ends; NULL if G is small */
  rattle__linear *C; /* G_i W G_0^T at a stage */
  double weights[RATTLE__STAGES * RATTLE__STAGES],
      inverse[RATTLE__STAGES * RATTLE__STAGES]; /* |w| and |w^-1| [r][r] */
  spark_refusal *refused;
  rattle__point
      point; /* where the last step ended, if has_G: J[0], B[0], Vq[0] and N are of there */
  rattle__spark_run steps; /* as machine code, from `library`; NULL if there is none */
  void *library;
} condensed;

#define SELF ((const condensed *)k->self)

static int refuse(const rattle__stages *k, int answer, const char *what) {
  if (answer) *SELF->refused = (spark_refusal){.answer = answer, .what = what};
  return answer;
}

static int entries_at(rattle__stages *k, int j, double *value) {
  return refuse(k, SELF->g->jacobian(SELF->g, k->Q[j], value, k->J[j], SELF->work), "constraint");
}

/* all entries of G */
static int matrix_at(rattle__stages *k, int j, double *value) {
  const int answer = SELF->g->jacobian(SELF->g, k->Q[j], value, SELF->entries, SELF->work);
  for (int e = 0; e < SELF->rows.nnz; e++)
    k->J[j][SELF->row[e] * SELF->n + SELF->rows.col[e]] = SELF->entries[e];
  return refuse(k, answer, "constraint");
}

static int force_at(rattle__stages *k, int j) {
  return refuse(k, SELF->V->jacobian(SELF->V, k->Q[j], &k->potential, k->Vq[j], SELF->work),
                "gradient");
}

static int bend_along(rattle__stages *k, const double *v) {
  return refuse(k, rattle__function_along(SELF->g, k->Q[0], v, k->along, SELF->work, SELF->room),
                "constraint");
}

#define KERNEL_INLINE RATTLE__INLINE
#define KERNEL_UNROLL
#define NODE(i) SELF->pair.c[i]
#define WEIGHT(i, j) SELF->pair.w[i][j]
#define END_WEIGHT(j) SELF->pair.b[j]
#define INVERSE_MASS(c) SELF->W->diagonal[c]
#define ROW(e) SELF->row[e]
#define COLUMN(e) SELF->rows.col[e]
#define FORCE_AT(k, j) force_at(k, j)
#define ALONG(k, v) bend_along(k, v)
/* once for products with sparse rows, and once for few constraints */
#define KERNEL_NAME(part) rows_##part
#define CONSTRAINT_AT(k, s, j, value) entries_at(k, j, value)
#include "maps/constrained/spark_rows.h"
#include "maps/constrained/spark_kernel.h"
#undef KERNEL_NAME
#undef CONSTRAINT_AT
#define KERNEL_NAME(part) small_##part
#define CONSTRAINT_AT(k, s, j, value) matrix_at(k, j, value)
#include "maps/constrained/spark_small.h"
#include "maps/constrained/spark_kernel.h"

/* --- steps --- */

static void swap(double **x, double **y) {
  double *z = *x;
  *x = *y;
  *y = z;
}

/* Moves the kernel's counts, of `steps` steps made, to the context. */
static void count(condensed *s, long long steps) {
  rattle__stages *k = &s->stages;
  rattle_counts *counts = &s->map.context->counts;
  rattle_residuals *seen = &s->map.context->residuals;
  counts->constraint += k->evaluations;
  counts->jacobian += k->evaluations;
  counts->gradient += k->forces;
  counts->factorisation += k->factors;
  counts->newton_iterations += k->newton;
  counts->position_projections += steps;
  counts->momentum_projections += steps;
  seen->iteration_residual = fmax(seen->iteration_residual, k->most_ratio);
  seen->g = fmax(seen->g, k->most_g);
  seen->psi = fmax(seen->psi, k->most_psi);
  k->evaluations = k->forces = k->factors = k->newton = 0;
  k->most_ratio = k->most_g = k->most_psi = 0;
}

static rattle__shape shape_of(const condensed *s) {
  return (rattle__shape){s->r, s->n, s->m, s->rows.nnz, s->W->value != NULL};
}

/* G, V_q and N at z0, where the last step did not leave them. */
static rattle__outcome cache_start(condensed *s, const double *z0) {
  rattle__stages *k = &s->stages;
  memcpy(k->Q[0], z0, (size_t)s->n * sizeof *z0);
  rattle__point_go(&s->point, z0);
  if (s->point.has_G) return RATTLE__MADE;
  k->evaluations++;
  k->forces++;
  if (s->small ? matrix_at(k, 0, k->value) : entries_at(k, 0, k->value)) return RATTLE__ENDED;
  if (force_at(k, 0)) return RATTLE__ENDED;
  const int singular =
      s->small ? small_factor_N(k, shape_of(s), 0) : rows_factor_N(k, shape_of(s), 0);
  s->point.V = k->potential;
  s->point.has_G = s->point.has_V = !singular;
  return singular ? RATTLE__DOUBTFUL : RATTLE__MADE;
}

/* Assigns the results of the steps to z1. */
static void cache_end(condensed *s, const double *z1) {
  rattle__point_go(&s->point, z1);
  s->point.has_G = s->point.has_V = 1;
  s->point.V = s->stages.potential;
  s->map.context->evaluated = &s->point;
  s->map.context->kernel = s->steps ? "native" : "fused";
}

/* The same for z, which was known before a step failed: not counted again. */
static void restore_start(condensed *s, const double *z) {
  s->point.has_G = s->point.has_V = 0;
  cache_start(s, z);
  s->stages.evaluations = s->stages.forces = s->stages.factors = 0;
}

/* Sizes known to the compiler: a pendulum in space, or a bead on a surface; a double pendulum in
 * the plane. */
static rattle__outcome made(condensed *s, double h, const double *z0, double *z1) {
  rattle__stages *k = &s->stages;
#define IF(r_, n_, m_, nnz_)                                                                       \
  if (s->small && s->r == r_ && s->n == n_ && s->m == m_ && s->rows.nnz == nnz_)                   \
  return small_step(k, (rattle__shape){r_, n_, m_, nnz_, 0}, h, z0, z1)
  IF(2, 3, 1, 3);
  IF(2, 4, 2, 6);
  IF(3, 3, 1, 3);
  IF(3, 4, 2, 6);
#undef IF
  return s->small ? small_step(k, shape_of(s), h, z0, z1) : rows_step(k, shape_of(s), h, z0, z1);
}

/* One step of the library's own. */
static rattle__outcome step(condensed *s, double h, const double *z0, double *z1) {
  rattle__stages *k = &s->stages;
  rattle__outcome o = cache_start(s, z0);
  if (o) return o;
  s->point.has_G = s->point.has_V = 0; /* the step writes over what is known */
  o = made(s, h, z0, z1);
  if (o) return o;
  k->most_ratio = k->ratio, k->most_g = k->largest_g, k->most_psi = k->largest_psi;
  swap(&k->J[0], &k->J[s->r]);
  swap(&k->B[0], &k->B[s->r]);
  swap(&k->Vq[0], &k->Vq[s->r]);
  cache_end(s, z1);
  return o;
}

/* Steps of machine code. */
static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  condensed *s = map->self;
  if (cache_start(s, z)) return 0;
  s->stages.potential = s->point.V;
  const long long done = s->steps(&s->stages, h, stages, steps, z, range);
  count(s, done * stages);
  if (done < steps)
    restore_start(s, z);
  else
    cache_end(s, z);
  return done;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  condensed *s = map->self;
  if (s->steps) {
    memcpy(z1, z0, 2 * (size_t)s->n * sizeof *z1);
    if (run(map, &h, 1, 1, z1, NULL) == 1) return RATTLE_OK;
  }
  s->refused->starved = 0;
  const rattle__outcome o = step(s, h, z0, z1);
  count(s, o == RATTLE__MADE);
  if (s->refused->starved) return rattle__no_memory(error);
  if (o == RATTLE__DOUBTFUL) return s->general->apply(s->general, h, z0, z1, error);
  return o ? rattle__callback_error(s->refused->answer, s->refused->what, error) : RATTLE_OK;
}

/* --- planning --- */

static void destroy(rattle__map *map) {
  condensed *k = map->self;
  rattle__native_unload(&k->library);
  rattle__coupling_destroy(&k->coupling);
  rattle__linear_destroy(&k->N);
  rattle__linear_destroy(&k->R);
  rattle__linear_destroy(&k->C);
  if (k->general->destroy) k->general->destroy(k->general);
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
      for (int e = C->ptr[i % k->m]; e < C->ptr[i % k->m + 1]; e++)
        col[at++] = j * k->m + C->col[e];
  }
  ptr[size] = at;
  return rattle__linear_create(&k->R, (int)size, ptr, col, 0, RATTLE__LINEAR_AUTO, error);
}

/* |w| and |w^-1|, for the guard */
static void plan_weights(condensed *k) {
  double w[RATTLE__STAGES * RATTLE__STAGES];
  for (int i = 0; i < k->r; i++)
    for (int j = 0; j < k->r; j++) {
      k->weights[i * k->r + j] = fabs(w[i * k->r + j] = k->pair.w[i + 1][j]);
      k->inverse[i * k->r + j] = i == j;
    }
  rattle__eliminate(k->r, k->r, w, k->inverse);
  for (int e = 0; e < k->r * k->r; e++) k->inverse[e] = fabs(k->inverse[e]);
}

static rattle_status plan_matrices(condensed *k, rattle_error *error) {
  rattle__context *context = k->map.context;
  rattle__stages *stages = &k->stages;
  const size_t m = (size_t)k->m, size = (size_t)k->r * m;
  if (k->small) {
    const rattle__array arrays[] = {{&stages->N_start, m * m},
                                    {&stages->N_now, m * m},
                                    {&stages->LU, m * m},
                                    {&stages->R_now, size * size}};
    RATTLE__LAY_OUT(&context->arena, arrays);
    context->solver = "dense";
    return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
  }
  rattle_status status =
      rattle__coupling_create(&k->coupling, k->m, k->n, k->rows.ptr, k->rows.col, error);
  if (!status)
    status = rattle__linear_create(&k->N, k->m, k->coupling->ptr, k->coupling->col, 1,
                                   RATTLE__LINEAR_AUTO, error);
  if (!status) status = plan_R(k, error);
  if (!status)
    status = rattle__linear_create(&k->C, k->m, k->coupling->ptr, k->coupling->col, 0,
                                   RATTLE__LINEAR_AUTO, error);
  if (!status) status = rattle__linear_watch_parts(k->C, error);
  if (status) return status;
  context->solver = k->R->name;
  stages->N_start = rattle__arena_doubles(&context->arena, (size_t)k->N->nnz);
  k->block = rattle__arena_doubles(&context->arena, (size_t)k->N->nnz);
  return context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status plan_vectors(condensed *k, rattle_error *error) {
  rattle__arena *arena = &k->map.context->arena;
  rattle__stages *stages = &k->stages;
  const size_t n = (size_t)k->n, m = (size_t)k->m, r = (size_t)k->r, nnz = (size_t)k->g->jac_nnz,
               G = k->small ? n * m : nnz;
  const rattle__array arrays[] = {{&stages->F, r * n},
                                  {&stages->size, n},
                                  {&stages->d, r * n},
                                  {&stages->L, r * m},
                                  {&stages->value, r * m},
                                  {&stages->unit_g, r * m},
                                  {&stages->delta, r * m},
                                  {&stages->scratch, r * m},
                                  {&stages->pull, m},
                                  {&stages->psi, m},
                                  {&stages->floor, m},
                                  {&stages->along, nnz},
                                  {&k->entries, nnz},
                                  {&k->room, 2 * nnz + 2 * n},
                                  {&k->work, k->g->work > k->V->work ? k->g->work : k->V->work}};
  RATTLE__LAY_OUT(arena, arrays);
  for (int j = 0; j <= k->r; j++) {
    const rattle__array of_stage[] = {
        {&stages->Q[j], n}, {&stages->Vq[j], n}, {&stages->J[j], G}, {&stages->B[j], G}};
    RATTLE__LAY_OUT(arena, of_stage);
  }
  rattle__point_create(&k->point, arena, k->n, 0, 0);
  k->refused = rattle__arena_take(arena, sizeof *k->refused);
  k->row = rattle__arena_take(arena, nnz * sizeof *k->row);
  for (int i = 0; i < k->m && k->row; i++)
    for (int e = k->g->jac_ptr[i]; e < k->g->jac_ptr[i + 1]; e++) k->row[e] = i;
  k->rows = rattle__rows_of(k->g, arena);
  if (arena->failed) return rattle__no_memory(error);
  return RATTLE_OK;
}

rattle_status rattle__spark_natural_create(rattle__map **map, rattle__context *context, int stages,
                                           rattle__map *general, rattle_error *error) {
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
  k->stages.self = k;
  k->map = (rattle__map){.context = context,
                         .apply = apply,
                         .destroy = destroy,
                         .symmetric = general->symmetric,
                         .self = k};
  double a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES];
  k->pair.s = stages;
  rattle__lobatto_coefficients(stages, k->pair.c, k->pair.b, a, ahat);
  for (int i = 0; i < stages; i++)
    for (int j = 0; j < stages; j++)
      for (int l = 0; l < stages; l++) k->pair.w[i][j] += a[i][l] * ahat[l][j];
  plan_weights(k);
  k->small = !k->W->value && k->m <= RATTLE__SPARK_SMALL && k->n <= 4 * RATTLE__SPARK_SMALL;
  *map = &k->map;
  rattle_status status = plan_vectors(k, error);
  if (!status) status = plan_matrices(k, error);
  if (status || !k->small) return status;
  k->steps = rattle__spark_native(context, &k->pair, &k->library);
  if (k->steps) k->map.run = run;
  return RATTLE_OK;
}
