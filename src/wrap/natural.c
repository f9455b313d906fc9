/* SHAKE and RATTLE for natural problems: explicit kicks and drifts, m multipliers.
 *
 * Map      p+ = p0 - h G0^T lambda                                  fibre slide, exp(h sum lambda_i X_{g_i})
 *          kick k1, drift d1, kick k2, drift d2 from (q0, p+)       kick c: p -= c h V_q(q); drift c: q += c h M^-1 p
 *          g(q1) = 0 determines lambda                              SHAKE
 *          p1 = p - h G1^T sigma,  G1 M^-1 p1 = 0                   RATTLE, a linear system for sigma
 * Symbols  G = g_q [m x n, sparse rows], G0 at q0, G1 at q1; B = G M^-1 in the pattern of G; V_q [n]; M^-1 diagonal [n]
 *          R = G(q) M^-1 G0^T the Newton matrix, A = G1 M^-1 G1^T the coupling matrix, both [m x m]
 * Source   seed 000 (Definitions 1.3, 1.4; section 5.1.3), seed 001 (sections 6.2, 6.3)
 * Claims   those of shake and rattle in methods.def
 * Cost     one V_q, 2 to 4 evaluations of g and G, as many solves with R, one with A
 * Fails    where R or A is singular, or g leaves its domain */
#include "wrap/natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/linear.h"

typedef struct natural {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  int n, m, nnz, true_newton;
  const int *ptr, *col;          /* rows of G */
  const rattle__function *g, *V;
  const double *inverse_mass;
  double tol;
  double *J0, *B0, *V0;          /* G, B, V_q at the start of the step */
  double *J1, *B1, *V1;          /* at its end */
  double *value, *lambda, *delta, *floor, *work;
  double potential;              /* V where V1 was taken */
  rattle__coupling *coupling;
  rattle__linear *R, *A;         /* m > 1; A is factored at q0 (then at q1) where known_A says so */
  const double *known;           /* z of the last end of a step, whose J0, B0 (and V0) are at hand ... */
  unsigned long long known_clock; /* ... while the clock stands so */
  int known_V, known_A;
} natural;

/* --- small pieces --------------------------------------------------------------------------------------------------------- */

/* x -= c * J^T w */
static inline void subtract_transposed(const natural *s, double c, const double *J, const double *w, double *x) {
  for (int i = 0; i < s->m; i++) {
    double cw = c * w[i];
    for (int k = s->ptr[i]; k < s->ptr[i + 1]; k++) x[s->col[k]] -= cw * J[k];
  }
}

static inline void scale_columns(const natural *s, const double *J, double *B) {
  for (int k = 0; k < s->nnz; k++) B[k] = J[k] * s->inverse_mass[s->col[k]];
}

/* round-off level of a quantity J x, row by row: eps * sum |J_k| |x_k| */
static inline void round_off(const natural *s, const double *J, const double *x, const double *y, double *floor) {
  for (int i = 0; i < s->m; i++) {
    double sum = DBL_MIN;
    for (int k = s->ptr[i]; k < s->ptr[i + 1]; k++) sum += fabs(J[k]) * (fabs(x[s->col[k]]) + fabs(y[s->col[k]]));
    floor[i] = 0.5 * DBL_EPSILON * sum;
  }
}

/* largest |r_i| / floor_i; *largest is the largest |r_i|, both NaN-keeping */
static inline double in_round_off(const natural *s, const double *r, double *largest, int *worst) {
  double ratio = 0, size = 0;
  for (int i = 0; i < s->m; i++) {
    double x = fabs(r[i]), y = x / s->floor[i];
    if (!(x <= size)) size = x;
    if (!(y <= ratio)) {
      ratio = y;
      *worst = i;
    }
  }
  *largest = size;
  return ratio;
}

static rattle_status failed(const natural *s, rattle_status status, int worst, int iterations, double residual,
                            const double *z, rattle_error *error) {
  return rattle__multiplier_error(s->map.context->problem, status, worst, iterations, residual, z, error);
}

/* --- evaluations ----------------------------------------------------------------------------------------------------------- */

static inline rattle_status constraint_at(natural *s, const double *q, double *J, rattle_error *error) {
  int answer = s->g->jacobian(s->g, q, s->value, J, s->work);
  s->map.context->counts.constraint++;
  s->map.context->counts.jacobian++;
  return answer ? rattle__callback_error(answer, "constraint", error) : RATTLE_OK;
}

static inline rattle_status force_at(natural *s, const double *q, double *Vq, rattle_error *error) {
  int answer = s->V->jacobian(s->V, q, &s->potential, Vq, s->work);
  s->map.context->counts.gradient++;
  return answer ? rattle__callback_error(answer, "gradient", error) : RATTLE_OK;
}

/* G0, B0 (and V0 where the scheme begins with a kick) at z0. */
static rattle_status look_up_start(natural *s, const double *z0, rattle_error *error) {
  int known = s->known == z0 && s->known_clock == s->map.context->clock;
  rattle_status status = RATTLE_OK;
  if (!known) {
    status = constraint_at(s, z0, s->J0, error);
    scale_columns(s, s->J0, s->B0);
    s->known_A = 0;
  }
  if (!status && s->scheme.k1 != 0 && !(known && s->known_V)) status = force_at(s, z0, s->V0, error);
  return status;
}

/* --- the multipliers of SHAKE ---------------------------------------------------------------------------------------------- */

/* delta <- the correction of lambda for the residual in value (over h^2): Newton with R, or the chord with A at q0. */
static inline rattle_status correction(natural *s, double h, int newton, int *worst) {
  double scale = 1 / (h * h);
  rattle_counts *counts = &s->map.context->counts;
  counts->newton_iterations++;
  if (s->m == 1) {
    double R = 0;
    const double *J = newton ? s->J1 : s->J0;
    for (int k = 0; k < s->nnz; k++) R += J[k] * s->B0[k];
    s->delta[0] = s->value[0] * scale / R;
    *worst = 0;
    return R != 0 ? RATTLE_OK : RATTLE_SINGULAR;
  }
  rattle__linear *a = newton ? s->R : s->A;
  if (newton || !s->known_A) {
    rattle__coupling_assemble(s->coupling, newton ? s->J1 : s->J0, s->B0, a->value);
    counts->factorisation++;
    if (a->factor(a)) {
      *worst = a->blame;
      return RATTLE_SINGULAR;
    }
    if (!newton) s->known_A = 1;
  }
  for (int i = 0; i < s->m; i++) s->delta[i] = s->value[i] * scale;
  a->solve(a, s->delta);
  return RATTLE_OK;
}

/* (q, p) from lambda where the force depends on it: kick k1, drift d1, kick k2, drift d2. */
static rattle_status drift_twice(natural *s, double h, const double *z0, double *q, double *p, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  for (int i = 0; i < s->n; i++) p[i] = z0[s->n + i] - (c->k1 != 0 ? h * c->k1 * s->V0[i] : 0);
  subtract_transposed(s, h, s->J0, s->lambda, p);
  for (int i = 0; i < s->n; i++) q[i] = z0[i] + h * c->d1 * s->inverse_mass[i] * p[i];
  rattle_status status = force_at(s, q, s->V1, error);
  for (int i = 0; i < s->n; i++) {
    p[i] -= h * c->k2 * s->V1[i];
    q[i] += h * c->d2 * s->inverse_mass[i] * p[i];
  }
  return status;
}

/* SHAKE: z1 with g(q1) = 0; J1 is G(q1). */
static rattle_status shake(natural *s, double h, const double *z0, double *z1, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  int n = s->n, worst = 0, newton = s->true_newton;
  double *restrict q = z1, *restrict p = z1 + n, largest = 0, previous = INFINITY, r = 0;
  const double *p0 = z0 + n;
  rattle_status status = look_up_start(s, z0, error);
  if (status) return status;
  memset(s->lambda, 0, (size_t)s->m * sizeof(double));
  if (c->d2 == 0) {
    if (c->k1 != 0)
      for (int i = 0; i < n; i++) p[i] = p0[i] - h * c->k1 * s->V0[i];
    else
      memcpy(p, p0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) q[i] = z0[i] + h * s->inverse_mass[i] * p[i];
  }
  for (int k = 0;; k++) {
    if (c->d2 != 0) status = drift_twice(s, h, z0, q, p, error);
    if (!status) status = constraint_at(s, q, s->J1, error);
    if (status) return status;
    if (k == 0) round_off(s, s->J1, q, z0, s->floor);
    r = in_round_off(s, s->value, &largest, &worst);
    rattle__verdict verdict = rattle__judge(r, previous, k, s->tol);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP) return failed(s, RATTLE_NOT_CONVERGED, worst, k, r, z1, error);
    if (!newton && k >= 2 && r > 0.2 * previous) newton = 1; /* the chord is too slow here */
    previous = r;
    status = correction(s, h, newton, &worst);
    if (status) return failed(s, status, worst, k, r, z1, error);
    for (int i = 0; i < s->m; i++) s->lambda[i] += s->delta[i];
    if (c->d2 == 0) subtract_transposed(s, h * h, s->B0, s->delta, q);
  }
  if (c->d2 == 0) subtract_transposed(s, h, s->J0, s->lambda, p);
  s->map.context->counts.position_projections++;
  rattle_residuals *seen = &s->map.context->residuals;
  if (largest > seen->g) seen->g = largest;
  if (r > seen->iteration_residual) seen->iteration_residual = r;
  return RATTLE_OK;
}

/* --- the projection of RATTLE ---------------------------------------------------------------------------------------------- */

static inline double hidden(natural *s, const double *B, const double *p, int *worst, double *largest) {
  for (int i = 0; i < s->m; i++) {
    double sum = 0;
    for (int k = s->ptr[i]; k < s->ptr[i + 1]; k++) sum += B[k] * p[s->col[k]];
    s->value[i] = sum;
  }
  return in_round_off(s, s->value, largest, worst);
}

/* sigma (in delta) from psi (in value): A sigma = psi, A at the point of J, B: factored where it is not yet. */
static inline rattle_status hidden_correction(natural *s, const double *J, const double *B, int *worst) {
  if (s->m == 1) {
    double A = 0;
    for (int k = 0; k < s->nnz; k++) A += J[k] * B[k];
    s->delta[0] = s->value[0] / A;
    *worst = 0;
    return A > 0 ? RATTLE_OK : RATTLE_SINGULAR;
  }
  if (!s->known_A) {
    rattle__coupling_assemble(s->coupling, J, B, s->A->value);
    s->map.context->counts.factorisation++;
    if (s->A->factor(s->A)) {
      *worst = s->A->blame;
      return RATTLE_SINGULAR;
    }
    s->known_A = 1;
  }
  memcpy(s->delta, s->value, (size_t)s->m * sizeof(double));
  s->A->solve(s->A, s->delta);
  return RATTLE_OK;
}

/* p -= G^T sigma with G M^-1 p = 0, G in J at q; iterated to round-off. */
static rattle_status project(natural *s, const double *J, const double *B, double *z, rattle_error *error) {
  double *p = z + s->n, largest = 0, previous = INFINITY, r;
  int worst = 0;
  s->known_A = 0;
  round_off(s, B, p, p, s->floor);
  r = hidden(s, B, p, &worst, &largest);
  for (int k = 0; rattle__judge(r, previous, k, 0) == RATTLE__GO_ON; k++) {
    rattle_status status = hidden_correction(s, J, B, &worst);
    if (status) return failed(s, status, worst, k, r, z, error);
    subtract_transposed(s, 1, J, s->delta, p);
    previous = r;
    r = hidden(s, B, p, &worst, &largest);
    if (k >= 1 && r > 0.5 * previous) break;
  }
  if (!(r < 1e6)) return failed(s, RATTLE_NOT_CONVERGED, worst, RATTLE__ITERATIONS, r, z, error);
  s->map.context->counts.momentum_projections++;
  if (largest > s->map.context->residuals.psi) s->map.context->residuals.psi = largest;
  return RATTLE_OK;
}

/* --- the step --------------------------------------------------------------------------------------------------------------- */

static void swap(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  natural *s = map->self;
  const rattle__scheme *c = &s->scheme;
  rattle_status status = shake(s, h, z0, z1, error);
  int ends_with_kick = c->d2 == 0 && c->k2 != 0;
  if (!status && ends_with_kick) {
    status = force_at(s, z1, s->V1, error);
    double *restrict p = z1 + s->n, hk = h * c->k2;
    for (int i = 0; i < s->n; i++) p[i] -= hk * s->V1[i];
  }
  if (!status) scale_columns(s, s->J1, s->B1);
  s->known_A = 0;
  if (!status && s->projection == RATTLE__PROJECT_STEP) status = project(s, s->J1, s->B1, z1, error);
  if (status) {
    s->known = NULL;
    return status;
  }
  swap(&s->J0, &s->J1);
  swap(&s->B0, &s->B1);
  if (ends_with_kick) swap(&s->V0, &s->V1);
  s->known = z1;
  s->known_V = ends_with_kick;
  s->known_clock = ++map->context->clock;
  if (ends_with_kick) {
    map->context->potential = s->potential;
    map->context->potential_clock = map->context->clock;
  }
  return RATTLE_OK;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  natural *s = map->self;
  (void)h;
  map->context->clock++;
  rattle_status status = constraint_at(s, z, s->J1, error);
  if (status) return status;
  scale_columns(s, s->J1, s->B1);
  return project(s, s->J1, s->B1, z, error);
}

static void destroy(rattle__map *map) {
  natural *s = map->self;
  rattle__coupling_destroy(&s->coupling);
  rattle__linear_destroy(&s->R);
  rattle__linear_destroy(&s->A);
}

/* Which solver: the linear backend, and whether Newton's matrix is taken at each iterate. */
static rattle_status plan_solver(natural *s, rattle__method_id solver, rattle_error *error) {
  rattle__backend backend = RATTLE__LINEAR_AUTO;
  s->true_newton = s->m <= 2 || solver == RATTLE__METHOD_newton;
  if (solver == RATTLE__METHOD_quasi_newton) s->true_newton = 0;
  if (solver == RATTLE__METHOD_dense) backend = RATTLE__LINEAR_DENSE;
  if (s->m == 1) {
    s->map.context->solver = "dense";
    return RATTLE_OK;
  }
  rattle_status status = rattle__coupling_create(&s->coupling, s->m, s->n, s->ptr, s->col, error);
  if (status) return status;
  const rattle__coupling *c = s->coupling;
  rattle__backend symmetric = solver == RATTLE__METHOD_sparse ? RATTLE__LINEAR_LDL : backend;
  rattle__backend general = solver == RATTLE__METHOD_sparse ? RATTLE__LINEAR_KLU : backend;
  status = rattle__linear_create(&s->A, c->rows, c->ptr, c->col, 1, symmetric, error);
  if (!status) status = rattle__linear_create(&s->R, c->rows, c->ptr, c->col, 0, general, error);
  if (!status) s->map.context->solver = s->A->name;
  return status;
}

rattle_status rattle__natural_create(rattle__map **map, rattle__context *context, const rattle__scheme *scheme,
                                     rattle__projection projection, rattle__method_id solver, double tol, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  natural *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  size_t n = (size_t)problem->n, m = (size_t)problem->m, nnz = (size_t)problem->g->jac_nnz;
  size_t work = problem->g->work > problem->V->work ? problem->g->work : problem->V->work;
  *s = (natural){.scheme = *scheme, .projection = projection, .n = problem->n, .m = problem->m, .nnz = problem->g->jac_nnz,
                 .ptr = problem->g->jac_ptr, .col = problem->g->jac_col, .g = problem->g, .V = problem->V,
                 .inverse_mass = problem->inverse_mass, .tol = tol};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .symmetric = scheme->symmetric,
                         .order = scheme->order, .self = s,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  double **vectors[] = {&s->J0, &s->B0, &s->J1, &s->B1, &s->V0, &s->V1, &s->value, &s->lambda, &s->delta, &s->floor, &s->work};
  size_t sizes[] = {nnz, nnz, nnz, nnz, n, n, m, m, m, m, work};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  *map = &s->map;
  if (arena->failed) return rattle__no_memory(error);
  return plan_solver(s, solver, error);
}
