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
#include "wrap/natural_state.h"

#include <math.h>
#include <string.h>

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

/* p -= G^T sigma with G M^-1 p = 0, G in J at q, where A is too if it is known; iterated to round-off. */
static rattle_status solve_hidden(natural *s, const double *J, const double *B, double *z, double *largest, rattle_error *error) {
  double *p = z + s->n, previous = INFINITY, r;
  rattle__rows_measure(&s->rows, B, p, s->value, s->inverse_floor);
  r = rattle__rows_ratio(&s->rows, s->value, s->inverse_floor, largest);
  for (int k = 0; rattle__judge(r, previous, k, 0) == RATTLE__GO_ON; k++) {
    rattle_status status = hidden_correction(s, J, B);
    if (status) return failed(s, status, k, r, z, error);
    slide_along(s, 1, J, s->delta, p);
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
  rattle_status status = rattle__natural_shake(s, h, z0, z1, error);
  int ends_with_kick = c->d2 == 0 && c->k2 != 0;
  if (!status && ends_with_kick) {
    status = force_at(s, z1, s->V1, error);
    kick_by(s, h * c->k2, s->V1, z1 + s->n);
  }
  if (!status) scale_columns(s, s->J1, s->B1);
  s->known_A = 0;
  if (!status && s->projection == RATTLE__PROJECT_STEP) status = project(s, s->J1, s->B1, z1, error);
  if (status) {
    s->known = NULL;
    return status;
  }
  if (map->context->carry) memcpy(map->context->carry, s->carry1, 2 * (size_t)s->n * sizeof(double));
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
  s->known_A = 0;
  return project(s, s->J1, s->B1, z, error);
}

rattle_status rattle__natural_slide(natural *s, double *z, rattle_error *error) {
  if (s->known != z || s->known_clock != s->map.context->clock) {
    s->known_A = 0;
    s->known = NULL;
    rattle_status status = constraint_at(s, z, s->J0, error);
    if (status) return status;
    scale_columns(s, s->J0, s->B0);
    s->known = z;
    s->known_V = 0;
    s->known_clock = ++s->map.context->clock;
  }
  return project(s, s->J0, s->B0, z, error);
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
    s->map.compensates = 0; /* where sweeps end has a sign, and g is not looked at beyond double */
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
                         .compensates = 1,
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
  if (context->carry) {
    s->carry1 = rattle__arena_doubles(arena, 2 * n);
    s->impulse = rattle__arena_doubles(arena, n);
    if (rattle__extended_room(s->g)) s->room = rattle__arena_take(arena, rattle__extended_room(s->g));
  }
  *map = &s->map;
  if (arena->failed) return rattle__no_memory(error);
  rattle__find_runs(s->m, ptr, problem->g->jac_col, run, runs);
  s->rows = (rattle__rows){
      .count = s->m, .vars = s->n, .nnz = (int)nnz, .runs = runs, .ptr = ptr, .col = problem->g->jac_col, .run = run};
  if (solver != RATTLE__METHOD_sweep && solver != RATTLE__METHOD_andersen)
    s->follower = rattle__follower_create(context, rattle__natural_solve_from,
                                          s->projection == RATTLE__PROJECT_STEP ? NULL : first_guess, s);
  return plan_solver(s, solver, error);
}
