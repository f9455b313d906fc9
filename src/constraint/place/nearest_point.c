/* Moving points onto the constraints.
 *
 * g = 0     z = z0 - sum_j kappa_j d_j(z), g(z) = 0, with the directions d of
 * nearest_point_system.c at the point where it ends: for g(q)
 *           the nearest point in the mass metric, for g(q,p) in the Euclidean one. By constraints
 *           linearised at the last iterate: A kappa = g + J (z0 - z_k), z_k+1 = z0 - sum kappa d,
 *           halved while |g| grows. A start, which may be anywhere, is corrected from the last
 *           iterate, A kappa = g, z_k+1 = z_k - sum kappa d: the fixed point above attracts near g
 *           = 0 alone
 * psi = 0   along the fibre. Natural H: p = p0 - G^T sigma, (G M^-1 G^T) sigma = G M^-1 p0.  Else
 * momenta_fibre.c
 * Source    W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, section
 *           6 (equations 33 to 37) and section 7; Hairer, Lubich, Wanner, Geometric Numerical
 *           Integration, IV.4
 * Cost      g', a factorisation and a solve for each of 2 to 3 iterations; of momenta one of each,
 *           of natural H
 * Fails     NOT_CONVERGED far from g = 0; SINGULAR where the constraints are dependent, or N is
 *           singular */
#include "constraint/place/nearest_point.h"
#include "constraint/step/sizes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- onto g = 0 ---- */

static const char equations[] = "the equations of the projection";

static double merit(const rattle__nearest_point *s) {
  double sum = 0;
  for (int i = 0; i < s->m; i++) sum += (s->g[i] / s->scale[i]) * (s->g[i] / s->scale[i]);
  return sum;
}

/* s->kappa at z; s->step: the way from z to the next iterate, whose length is returned in units of
 * round-off. */
static rattle_status find_step(rattle__nearest_point *s, const double *z, double *length,
                               rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  const int nz = 2 * s->n;
  const double *from = s->options.start ? z : s->from;
  double most[2], other[2];
  for (int i = 0; i < s->m; i++) {
    s->kappa[i] = s->g[i];
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      s->kappa[i] += s->J[k] * (from[g->jac_col[k]] - z[g->jac_col[k]]);
  }
  const rattle_status status = rattle__nearest_point_solve(s, z, s->kappa, error);
  if (status) return status;
  double *next = s->step + s->n; /* push has its scratch in front of it */
  memcpy(next, from, (size_t)nz * sizeof *next);
  rattle__nearest_point_push(s, s->kappa, next);
  rattle__largest_of_kind(s->context->problem, z, most);
  rattle__largest_of_kind(s->context->problem, from, other);
  *length = 0;
  for (int c = 0; c < nz; c++) {
    const int kind = c >= s->n;
    next[c] = c < s->vars ? next[c] - z[c] : 0;
    if (rattle__is_apart(s->context->problem, c)) continue;
    const double r = fabs(next[c]) / (DBL_EPSILON * fmax(most[kind], other[kind]) + DBL_MIN);
    if (!(r <= *length)) *length = r;
  }
  return RATTLE_OK;
}

/* z by the step, or, far from g = 0 as the search sees it, by a part of it with which |g| does not
 * grow; g and J there. Units of round-off say nothing of how far z is: those of a constraint whose
 * coordinates are all but 0 are 0 too, and near g = 0 the round-off of others decides whether |g|
 * grows. */
static rattle_status advance(rattle__nearest_point *s, double *z, rattle_error *error) {
  enum { HALVINGS = 12 };
  static const double nearest = 1e8 * DBL_EPSILON;
  const double *step = s->step + s->n, before = merit(s);
  const int far = before > nearest * nearest;
  double t = 1;
  memcpy(s->old, z, (size_t)s->vars * sizeof *z);
  for (int k = 0;; k++, t *= 0.5) {
    for (int c = 0; c < s->vars; c++) z[c] = s->old[c] + t * step[c];
    const rattle_status status = rattle__nearest_point_see(s, z, error);
    if (status || !far || merit(s) < before || k == HALVINGS) return status;
  }
}

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__nearest_point *s = self;
  double length = 0;
  rattle_status status = rattle__nearest_point_see(s, s->z, error);
  if (status) return status;
  if (c->k == 0) rattle__nearest_point_units(s, s->z);
  c->residual = rattle__nearest_point_ratio(s, s->z, &c->worst);
  if (s->options.start || !(fabs(s->g[c->worst]) <= DBL_MAX)) return RATTLE_OK;
  status = find_step(s, s->z, &length, error);
  if (length > c->residual) c->residual = length;
  return status;
}

/* A start may have been put where it is before: its way tells less of the rounding than the last
 * correction, which is a sum of A^-1 g times directions that nearly cancel where A is
 * ill-conditioned. A backward stable solution leaves eps times J and those sizes of g. */
static void measure_correction(rattle__nearest_point *s) {
  const rattle__function *g = s->context->problem->g;
  double most[2];
  for (int c = 0; c < 2 * s->n; c++) s->terms[c] = fabs(s->z[c] - s->from[c]);
  for (int i = 0; i < s->m; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      s->terms[g->jac_col[k]] += fabs(s->scaled[k] * s->kappa[i]);
  rattle__largest_of_kind(s->context->problem, s->terms, most);
  for (int c = 0; c < 2 * s->n; c++) s->terms[c] = most[c >= s->n];
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__nearest_point *s = self;
  memset(s->least, 0, (size_t)s->m * sizeof(double));
  if (!on) return RATTLE_OK;
  if (s->terms) measure_correction(s);
  rattle_status status = rattle__unit_of_move(s->rounding, s->from, s->z, error);
  if (!status) status = rattle__unit_of_g(s->rounding, s->z, s->least, error);
  return status;
}

/* Far from g = 0 gradients that are independent there may hardly differ: a damped step comes nearer
 * along what they have in common. */
static rattle_status find_start_step(rattle__nearest_point *s, rattle_error *error) {
  static const double damped = 1e-6;
  double length;
  rattle_status status = find_step(s, s->z, &length, error);
  if (status != RATTLE_SINGULAR) return status;
  s->damping = damped;
  status = find_step(s, s->z, &length, error);
  s->damping = 0;
  s->factored = 0;
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__nearest_point *s = self;
  (void)c;
  s->context->counts.newton_iterations++;
  const rattle_status status = s->options.start ? find_start_step(s, error) : RATTLE_OK;
  return status ? status : advance(s, s->z, error);
}

/* The point nearest to z, or of a start one that it leads to, to the round-off of where the search
 * ends. */
static rattle_status come_near(rattle__nearest_point *s, double *z, rattle_error *error) {
  static const rattle__equation equation = {NULL, evaluate, use_full_units, correct};
  rattle__course c = {0};
  memcpy(s->from, z, 2 * (size_t)s->n * sizeof *z);
  memset(s->least, 0, (size_t)s->m * sizeof(double));
  memset(s->kappa, 0, (size_t)s->m * sizeof(double));
  s->z = z;
  const rattle_status status = rattle__iterate(&equation, s, s->context, 0, &c, error);
  const double *points[] = {z};
  return c.gave_up ? rattle__not_converged(s->context->problem, equations, &c, points, 1, error)
                   : status;
}

rattle_status rattle__nearest_point_constraints(rattle__nearest_point *s, double *z,
                                                rattle_error *error) {
  rattle_status status = RATTLE_OK;
  do status = come_near(s, z, error);
  while (!status && rattle__came_from_far(s->context->problem, s->from, z));
  if (status) return status;
  s->context->counts.position_projections++;
  for (int i = 0; i < s->m; i++)
    s->context->residuals.g = fmax(s->context->residuals.g, fabs(s->g[i]));
  return RATTLE_OK;
}

/* ---- onto psi = 0 ---- */

rattle_status rattle__nearest_point_hidden(rattle__nearest_point *s, double *z,
                                           rattle_error *error) {
  if (s->slide) return rattle__momenta_fibre_slide(s->slide, 1, NULL, z, error);
  rattle_status status = rattle__nearest_point_see(s, z, error);
  if (status) return status;
  rattle__momenta_scale(s->momenta, s->J, s->scaled);
  s->momenta->factored = 0;
  status =
      rattle__momenta_slide(s->momenta, s->J, s->momenta->equal ? s->J : s->scaled, z, NULL, error);
  memcpy(s->at, z, 2 * (size_t)s->n * sizeof *z); /* q is what it was: so are g and J */
  return status;
}

/* ---- making ---- */

static rattle_status refuse(const rattle__nearest_point *s, rattle_error *error) {
  const rattle_problem *problem = s->context->problem;
  if (problem->split && s->options.momenta)
    return rattle__fail(error, RATTLE_UNSUITABLE, "project",
                        "second-class constraints have no hidden constraints, onto which momenta "
                        "are projected: use project(..., "
                        "position), which moves (q, p) onto g = 0");
  if (!s->probe) return RATTLE_OK;
  if (!problem->H->hessian)
    return rattle__fail(error, RATTLE_UNSUITABLE, "project",
                        "projections for this %s problem need second derivatives of H: give the "
                        "callback hamiltonian_hessian",
                        rattle_problem_kind_name(problem));
  if (!s->probe->bracket)
    return rattle__fail(error, RATTLE_UNSUITABLE, "project",
                        "the matrix {{H,g_i},g_j} of %d constraints is too large for a projection: "
                        "use rattle(verlet)",
                        s->m);
  return RATTLE_OK;
}

/* The system for g = 0: sparse, or dense with the directions in rows. */
static rattle_status make_system(rattle__nearest_point *s, rattle_error *error) {
  const rattle__function *g = s->context->problem->g;
  rattle__arena *arena = &s->context->arena;
  const size_t m = (size_t)s->m;
  rattle_status status = RATTLE_OK;
  if (s->options.coupling) {
    s->coupling = s->options.coupling;
    s->system = s->options.system;
  } else if (s->context->problem->split && !s->options.start) {
    int *ptr = rattle__arena_take(arena, (m * m + m + 1) * sizeof *ptr),
        *col = ptr ? ptr + m + 1 : NULL;
    s->row = rattle__arena_doubles(arena, 2 * m * (size_t)s->n);
    if (!ptr || !s->row) return rattle__no_memory(error);
    for (int i = 0; i <= s->m; i++) ptr[i] = i * s->m;
    for (int i = 0; i < s->m * s->m; i++) col[i] = i % s->m;
    status = rattle__linear_create(&s->system, s->m, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
  } else {
    status = rattle__coupling_create(&s->coupling, s->m, s->vars, g->jac_ptr, g->jac_col, error);
    if (!status)
      status = rattle__linear_create(&s->system, s->m, s->coupling->ptr, s->coupling->col, 1,
                                     RATTLE__LINEAR_AUTO, error);
  }
  if (!status) s->context->solver = s->system->name;
  return status;
}

static rattle_status make_slide(rattle__nearest_point *s, rattle_error *error) {
  rattle__fibre *fibre = NULL;
  const rattle_status status = rattle__fibre_create(&fibre, s->context, error);
  return status ? status : rattle__momenta_fibre_create(&s->slide, s->context, fibre, error);
}

static rattle_status make(rattle__nearest_point *s, rattle_error *error) {
  rattle__context *context = s->context;
  const rattle_problem *problem = context->problem;
  const int momenta = s->options.momenta, start = s->options.start;
  const int holonomic = !!(problem->flags & RATTLE_HOLONOMIC),
            natural = holonomic && problem->flags & RATTLE_NATURAL;
  const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = (size_t)problem->g->jac_nnz;
  const size_t work = problem->g->work > problem->H->work ? problem->g->work : problem->H->work;
  const size_t second = natural ? 0 : (size_t)problem->H->hess_nnz;
  int weighted = start && !natural;
  for (int c = 0; start && c < s->n; c++) weighted |= rattle__is_held(problem, c);
  s->mass = natural ? problem->mass : NULL;
  s->rounding = rattle__unit_create(context);
  const rattle__array array[] = {
      {&s->at, 2 * n},    {&s->g, m},        {&s->J, nnz},
      {&s->psi, m},       {&s->scaled, nnz}, {&s->gradient, 2 * n},
      {&s->unit, m},      {&s->kappa, m},    {&s->from, 2 * n},
      {&s->step, 3 * n},  {&s->scale, m},    {&s->work, work},
      {&s->slope, 2 * n}, {&s->S, second},   {&s->reach, 2 * n},
      {&s->least, m},     {&s->old, 2 * n},  {&s->weight, weighted ? 2 * n : 0}};
  RATTLE__LAY_OUT(&context->arena, array);
  if (!weighted) s->weight = NULL;
  if (start) s->terms = rattle__arena_doubles(&context->arena, 2 * n);
  if (s->rounding) s->rounding->terms = s->terms;
  rattle_status status = context->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
  if (!status && !natural && !start) status = rattle__context_probe(context, error);
  if (!natural) s->probe = context->probe;
  if (!status && !start) status = refuse(s, error);
  if (!status && (start || natural || !holonomic)) status = make_system(s, error);
  if (!status && !natural && momenta) status = make_slide(s, error);
  if (!status && natural && momenta)
    status = rattle__momenta_create(&s->momenta, context, s->coupling, NULL, error);
  return status;
}

rattle_status rattle__nearest_point_create(rattle__nearest_point **onto, rattle__context *context,
                                           const rattle__nearest_options *options,
                                           rattle_error *error) {
  *onto = NULL;
  rattle__nearest_point *s = rattle__arena_take(&context->arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__nearest_point){.context = context,
                               .options = *options,
                               .n = context->problem->n,
                               .m = context->problem->m,
                               .vars = context->problem->g->vars};
  const rattle_status status = make(s, error);
  if (status)
    rattle__nearest_point_destroy(&s);
  else
    *onto = s;
  return status;
}

void rattle__nearest_point_destroy(rattle__nearest_point **onto) {
  if (!*onto) return;
  if (!(*onto)->options.coupling) {
    rattle__coupling_destroy(&(*onto)->coupling);
    rattle__linear_destroy(&(*onto)->system);
  }
  rattle__momenta_fibre_destroy(&(*onto)->slide);
  rattle__momenta_destroy(&(*onto)->momenta);
  *onto = NULL;
}
