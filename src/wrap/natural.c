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
 * Cost     one V_q, 2 to 4 evaluations of g and G, as many solves with R, one with A; with sweeps see sweep.c
 * Fails    where R or A is singular, or g leaves its domain */
#include "wrap/natural.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "map/follow.h"
#include "solve/linear.h"
#include "wrap/rows.h"
#include "wrap/sweep.h"

typedef struct natural {
  rattle__map map;
  rattle__scheme scheme;
  rattle__projection projection;
  int n, m, true_newton, blame; /* blame: the constraint where a matrix was singular */
  rattle__rows rows;            /* pattern of G */
  const rattle__function *g, *V;
  const double *inverse_mass;
  int equal;     /* all masses are; then B0 = J0, B1 = J1 */
  double factor; /* of B: the inverse mass where equal, else 1 */
  double tol;
  double *J0, *B0, *V0; /* G, B, V_q at the start of the step */
  double *J1, *B1, *V1; /* at its end */
  double *value, *lambda, *delta, *inverse_floor, *work;
  double potential;           /* V where V1 was taken */
  double largest, residual;   /* |g| and the residual at which the iteration for lambda ended */
  int careful;                /* 1: start from the lambda given, with Newton's matrix */
  int insist;                 /* 1: follow the multipliers, in doubt or not */
  rattle__follower *follower; /* guards the multipliers */
  rattle__coupling *coupling;
  rattle__swept *swept;           /* sweeps in place of the matrices, or NULL */
  rattle__linear *R, *A;          /* A is factored at q0 (then at q1) where known_A says so */
  const double *known;            /* z of the last end of a step, whose J0, B0 (and V0) are at hand ... */
  unsigned long long known_clock; /* ... while the clock stands so */
  int known_V, known_A;
} natural;

/* B = J M^-1; with equal masses B is J itself and the factor is put in where B is used */
static inline void scale_columns(const natural *s, const double *restrict J, double *restrict B) {
  const int *col = s->rows.col;
  if (s->equal) return;
  for (int k = 0; k < s->rows.nnz; k++) B[k] = J[k] * s->inverse_mass[col[k]];
}

static rattle_status failed(const natural *s, rattle_status status, int iterations, double residual, const double *z,
                            rattle_error *error) {
  int worst = status == RATTLE_SINGULAR ? s->blame : rattle__rows_worst(&s->rows, s->value, s->inverse_floor);
  return rattle__multiplier_error(s->map.context->problem, status, worst, iterations, residual, z, error);
}

/* --- evaluations ----------------------------------------------------------------------------------------------------------- */

/* g, and G where J is wanted */
static inline rattle_status constraint_at(natural *s, const double *q, double *J, rattle_error *error) {
  int answer = J ? s->g->jacobian(s->g, q, s->value, J, s->work) : s->g->value(s->g, q, s->value, s->work);
  for (int i = 0; i < s->m && s->careful; i++) s->value[i] -= s->follower->level[i];
  s->map.context->counts.constraint++;
  s->map.context->counts.jacobian += J != NULL;
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

/* Which matrix the corrections use: A at q0, R at the present iterate, or that R again. */
typedef enum matrix { CHORD, FRESH, KEPT } matrix;

/* More than three further iterations to go at this rate? Then another matrix pays. */
static inline int too_slow(double r, double previous) {
  double rate = r / previous;
  return rate * rate * rate * r > 1;
}

/* delta <- the correction of lambda for the residual in value (over h^2) */
static inline rattle_status correction(natural *s, double h, matrix which) {
  double scale = 1 / (h * h * s->factor);
  rattle_counts *counts = &s->map.context->counts;
  rattle__linear *a = which == CHORD ? s->A : s->R;
  counts->newton_iterations++;
  if (which == FRESH || (which == CHORD && !s->known_A)) {
    rattle__coupling_assemble(s->coupling, which == CHORD ? s->J0 : s->J1, s->B0, a->value);
    counts->factorisation++;
    if (a->factor(a)) {
      s->blame = a->blame;
      return RATTLE_SINGULAR;
    }
    if (which == CHORD) s->known_A = 1;
  }
  for (int i = 0; i < s->m; i++) s->delta[i] = s->value[i] * scale;
  a->solve(a, s->delta);
  return RATTLE_OK;
}

/* (q, p) from lambda where the force depends on it: kick k1, drift d1, kick k2, drift d2. */
static rattle_status drift_twice(natural *s, double h, const double *z0, double *q, double *p, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  for (int i = 0; i < s->n; i++) p[i] = z0[s->n + i] - (c->k1 != 0 ? h * c->k1 * s->V0[i] : 0);
  rattle__rows_subtract(&s->rows, h, s->J0, s->lambda, p);
  for (int i = 0; i < s->n; i++) q[i] = z0[i] + h * c->d1 * s->inverse_mass[i] * p[i];
  rattle_status status = force_at(s, q, s->V1, error);
  for (int i = 0; i < s->n; i++) {
    p[i] -= h * c->k2 * s->V1[i];
    q[i] += h * c->d2 * s->inverse_mass[i] * p[i];
  }
  return status;
}

/* A step that sweeps begin again with another lambda. */
typedef struct travel {
  natural *s;
  double h;
  const double *z0;
  double *z1;
} travel;

static rattle_status travel_again(void *self, rattle_error *error) {
  const travel *t = self;
  return drift_twice(t->s, t->h, t->z0, t->z1, t->z1 + t->s->n, error);
}

/* Whether an iterate needs G besides g: for the matrix to come, or since it is the last one if the rate holds. The others are
 * spared it: for long chains the writing of G would be the larger part of an iteration. */
static inline int needs_jacobian(int k, matrix which, double r, double previous) {
  if (k == 0) return which == FRESH;
  return which == FRESH || k == 1 || r * (r / previous) < 10;
}

/* Newton's iterations from lambda; q is where that takes it unless the force depends on lambda. */
static rattle_status newton(natural *s, double h, const double *z0, double *z1, rattle__rates *rates, double *residual,
                            double *largest, rattle_error *error) {
  matrix which = s->true_newton || s->projection != RATTLE__PROJECT_STEP ? FRESH : CHORD;
  double *restrict q = z1, *restrict p = z1 + s->n, before = INFINITY, previous = INFINITY, r = 0;
  int drifts_once = s->scheme.d2 == 0;
  if (s->careful) which = FRESH;
  for (int k = 0;; k++) {
    rattle_status status = drifts_once ? RATTLE_OK : drift_twice(s, h, z0, q, p, error);
    int with_jacobian = needs_jacobian(k, which, previous, before);
    if (!status) status = constraint_at(s, q, with_jacobian ? s->J1 : NULL, error);
    if (status) return status;
    if (k == 0) rattle__rows_round_off(&s->rows, s->J0, q, z0, s->inverse_floor);
    r = rattle__rows_ratio(&s->rows, s->value, s->inverse_floor, largest);
    rattle__rate(rates, k, r, previous, which == CHORD ? rattle__doubt_chord : rattle__doubt_newton);
    rattle__verdict verdict = rattle__judge(r, previous, k, s->tol);
    if (verdict == RATTLE__GIVE_UP) return failed(s, RATTLE_NOT_CONVERGED, k, r, z1, error);
    if (s->true_newton || (k > 0 && too_slow(r, previous))) which = FRESH;
    if (!with_jacobian && (verdict == RATTLE__DONE || which == FRESH)) status = constraint_at(s, q, s->J1, error);
    if (status) return status;
    if (verdict == RATTLE__DONE) break;
    before = previous;
    previous = r;
    status = correction(s, h, which);
    if (which == FRESH) which = KEPT;
    if (status) return failed(s, status, k, r, z1, error);
    for (int i = 0; i < s->m; i++) s->lambda[i] += s->delta[i];
    if (drifts_once) rattle__rows_subtract(&s->rows, h * h * s->factor, s->B0, s->delta, q);
  }
  *residual = r;
  return RATTLE_OK;
}

static rattle_status sweeps(natural *s, double h, const double *z0, double *z1, double *residual, double *largest,
                            rattle_error *error) {
  travel t = {s, h, z0, z1};
  rattle__swept_start start = {.scale = h * h * s->factor,
                               .q0 = z0,
                               .J0 = s->J0,
                               .B0 = s->B0,
                               .again = s->scheme.d2 == 0 ? NULL : travel_again,
                               .self = &t};
  rattle_status status = rattle__swept_positions(s->swept, &start, z1, s->lambda, residual, error);
  if (!status) status = constraint_at(s, z1, s->J1, error);
  *largest = 0;
  for (int i = 0; i < s->m; i++) *largest = fmax(*largest, fabs(s->value[i]));
  return status;
}

/* (q, p) of SHAKE up to its last kick, from the lambda in s->lambda: g(q1) = 0; J1 is G(q1). */
static rattle_status solve(natural *s, double h, const double *z0, double *z1, rattle__rates *rates, rattle_error *error) {
  const rattle__scheme *c = &s->scheme;
  int n = s->n;
  double *restrict q = z1, *restrict p = z1 + n;
  const double *p0 = z0 + n;
  rattle_status status = RATTLE_OK;
  if (c->d2 == 0) {
    if (c->k1 != 0)
      for (int i = 0; i < n; i++) p[i] = p0[i] - h * c->k1 * s->V0[i];
    else
      memcpy(p, p0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) q[i] = z0[i] + h * s->inverse_mass[i] * p[i];
    if (s->careful) rattle__rows_subtract(&s->rows, h * h * s->factor, s->B0, s->lambda, q);
  }
  *rates = rattle__no_doubt;
  status = s->swept ? sweeps(s, h, z0, z1, &s->residual, &s->largest, error)
                    : newton(s, h, z0, z1, rates, &s->residual, &s->largest, error);
  if (!status && c->d2 == 0) rattle__rows_subtract(&s->rows, h, s->J0, s->lambda, p);
  return status;
}

/* The same from another lambda, for the guard. */
static rattle_status solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                rattle_error *error) {
  natural *s = self;
  memcpy(s->lambda, lambda, (size_t)s->m * sizeof(double));
  s->careful = 1;
  rattle_status status = solve(s, h, z0, z1, rates, error);
  s->careful = 0;
  memcpy(lambda, s->lambda, (size_t)s->m * sizeof(double));
  return status;
}

/* Sweeps cannot start from elsewhere. */
static rattle_status follow(natural *s, double h, const double *z0, double *z1, rattle_error *error) {
  if (s->follower) return rattle__follow(s->follower, h, z0, s->lambda, z1, error);
  int i = rattle__rows_turned(&s->rows, s->J1, s->B0);
  const char *name = rattle_problem_constraint_name(s->map.context->problem, i);
  rattle__fail(error, RATTLE_DEGENERATE, name,
               "the gradient of constraint '%s' turned by more than a right angle in one step: the sweeps may have found a "
               "solution on another sheet: use a smaller step, or solver=newton, which can tell",
               name);
  if (error) error->constraint = i;
  return RATTLE_DEGENERATE;
}

static rattle_status shake(natural *s, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__rates rates = rattle__no_doubt;
  rattle_status status = look_up_start(s, z0, error);
  if (status) return status;
  memset(s->lambda, 0, (size_t)s->m * sizeof(double));
  status = s->insist ? RATTLE_NOT_CONVERGED : solve(s, h, z0, z1, &rates, error);
  if (!status ? rates.doubtful || rattle__rows_turned(&s->rows, s->J1, s->B0) >= 0
              : s->follower && rattle__must_follow(status, &rates))
    status = follow(s, h, z0, z1, error);
  if (status) return status;
  s->map.context->counts.position_projections++;
  rattle_residuals *seen = &s->map.context->residuals;
  if (s->largest > seen->g) seen->g = s->largest;
  if (s->residual > seen->iteration_residual) seen->iteration_residual = s->residual;
  return RATTLE_OK;
}

/* --- the projection of RATTLE ---------------------------------------------------------------------------------------------- */

/* sigma (in delta) from psi (in value), A sigma = psi: both without the factor of B. A is at the point of J, B; factored where it
 * is not yet. */
static inline rattle_status hidden_correction(natural *s, const double *J, const double *B) {
  if (!s->known_A) {
    rattle__coupling_assemble(s->coupling, J, B, s->A->value);
    s->map.context->counts.factorisation++;
    if (s->A->factor(s->A)) {
      s->blame = s->A->blame;
      return RATTLE_SINGULAR;
    }
    s->known_A = 1;
  }
  memcpy(s->delta, s->value, (size_t)s->m * sizeof(double));
  s->A->solve(s->A, s->delta);
  return RATTLE_OK;
}

/* For the guard, where steps begin off psi = 0: the slide h lambda that short steps have is the one onto it. */
static void first_guess(void *self, double h, const double *z0, double *lambda) {
  natural *s = self;
  rattle__rows_multiply(&s->rows, s->B0, z0 + s->n, s->value);
  int known = !hidden_correction(s, s->J0, s->B0);
  for (int i = 0; i < s->m; i++) lambda[i] = known ? s->delta[i] / h : 0;
}

/* p -= G^T sigma with G M^-1 p = 0, G in J at q; iterated to round-off. */
static rattle_status solve_hidden(natural *s, const double *J, const double *B, double *z, double *largest, rattle_error *error) {
  double *p = z + s->n, previous = INFINITY, r;
  s->known_A = 0;
  rattle__rows_measure(&s->rows, B, p, s->value, s->inverse_floor);
  r = rattle__rows_ratio(&s->rows, s->value, s->inverse_floor, largest);
  for (int k = 0; rattle__judge(r, previous, k, 0) == RATTLE__GO_ON; k++) {
    rattle_status status = hidden_correction(s, J, B);
    if (status) return failed(s, status, k, r, z, error);
    rattle__rows_subtract(&s->rows, 1, J, s->delta, p);
    previous = r;
    rattle__rows_multiply(&s->rows, B, p, s->value);
    r = rattle__rows_ratio(&s->rows, s->value, s->inverse_floor, largest);
    if (k >= 1 && r > 0.5 * previous) break;
  }
  return r < 1e6 ? RATTLE_OK : failed(s, RATTLE_NOT_CONVERGED, RATTLE__ITERATIONS, r, z, error);
}

static rattle_status project(natural *s, const double *J, const double *B, double *z, rattle_error *error) {
  double largest = 0;
  rattle_status status =
      s->swept ? rattle__swept_momenta(s->swept, J, B, z, &largest, error) : solve_hidden(s, J, B, z, &largest, error);
  if (status) return status;
  s->map.context->counts.momentum_projections++;
  largest *= s->factor;
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

static rattle_status apply_followed(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  natural *s = map->self;
  s->insist = 1;
  rattle_status status = apply(map, h, z0, z1, error);
  s->insist = 0;
  return status;
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
  if (solver == RATTLE__METHOD_sweep || solver == RATTLE__METHOD_andersen) {
    s->map.context->solver = rattle__method_name(solver);
    return rattle__swept_create(&s->swept, s->map.context, solver == RATTLE__METHOD_andersen, s->tol, error);
  }
  s->true_newton = s->m <= 2 || solver == RATTLE__METHOD_newton;
  if (solver == RATTLE__METHOD_quasi_newton) s->true_newton = 0;
  if (solver == RATTLE__METHOD_dense) backend = RATTLE__LINEAR_DENSE;
  rattle_status status = rattle__coupling_create(&s->coupling, s->m, s->n, s->rows.ptr, s->rows.col, error);
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
  *s = (natural){.scheme = *scheme,
                 .projection = projection,
                 .n = problem->n,
                 .m = problem->m,
                 .g = problem->g,
                 .V = problem->V,
                 .inverse_mass = problem->inverse_mass,
                 .tol = tol};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .follow = apply_followed,
                         .destroy = destroy,
                         .symmetric = scheme->symmetric,
                         .order = scheme->order,
                         .self = s,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  double **vectors[] = {&s->J0, &s->J1, &s->V0, &s->V1, &s->value, &s->lambda, &s->delta, &s->inverse_floor, &s->work};
  size_t sizes[] = {nnz, nnz, n, n, m, m, m, m, work};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  s->equal = 1;
  for (size_t i = 1; i < n; i++) s->equal &= problem->inverse_mass[i] == problem->inverse_mass[0];
  s->factor = s->equal ? problem->inverse_mass[0] : 1;
  const int *ptr = problem->g->jac_ptr;
  int runs = rattle__find_runs(s->m, ptr, problem->g->jac_col, NULL, 0);
  rattle__run *run = rattle__arena_take(arena, (size_t)runs * sizeof *run);
  s->B0 = s->equal ? s->J0 : rattle__arena_doubles(arena, nnz);
  s->B1 = s->equal ? s->J1 : rattle__arena_doubles(arena, nnz);
  *map = &s->map;
  if (arena->failed) return rattle__no_memory(error);
  rattle__find_runs(s->m, ptr, problem->g->jac_col, run, runs);
  s->rows = (rattle__rows){
      .count = s->m, .vars = s->n, .nnz = (int)nnz, .runs = runs, .ptr = ptr, .col = problem->g->jac_col, .run = run};
  if (solver != RATTLE__METHOD_sweep && solver != RATTLE__METHOD_andersen)
    s->follower = rattle__follower_create(context, solve_from, s->projection == RATTLE__PROJECT_STEP ? NULL : first_guess, s);
  return plan_solver(s, solver, error);
}
