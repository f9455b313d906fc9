/* Newton's loop for steps that are systems of equations of their own, and its guard.
 *
 * Start    the body along its slope at z0, multipliers from the differential equation there: a step is a pure function of its
 *          point
 * Stop     every equation at round-off of its own terms, or stagnation near it
 * Guard    as that of map/prk.c (docs/guards.md): the fall of the residuals and the Jacobian at the first iterate against its
 *          limit; a doubtful step is followed from h = 0, the body starting from the slopes of the last substep
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate */
#include "wrap/implicit.h"

#include <string.h>

#include "core/probe.h"

void rattle__look_at_block(rattle__look *look, double most, double terms) {
  const double ratio = most / (DBL_EPSILON * terms + DBL_MIN);
  if (!(ratio <= look->ratio)) {
    look->ratio = ratio;
    look->constraint = -1;
  }
}

void rattle__look_at_constraint(rattle__look *look, int which, double residual, double unit) {
  const double ratio = fabs(residual) / (unit + DBL_MIN);
  if (!(ratio <= look->ratio)) {
    look->ratio = ratio;
    look->constraint = which;
  }
}

rattle_status rattle__needs_holonomic(const rattle_problem *problem, const rattle__node *node, rattle_error *error) {
  const char *name = rattle__method_name(node->id);
  if (problem->split)
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "%s needs constraints g(q), and these are second class: use second_class(...), as in second_class(midpoint)", name);
  if (problem->m && !(problem->flags & RATTLE_HOLONOMIC))
    return rattle__fail(
        error, RATTLE_UNSUITABLE, name,
        "%s needs constraints g(q), and these hold momenta: use rattle(midpoint), and a composition of it for more "
        "accuracy, as in suzuki4(rattle(midpoint))",
        name);
  return RATTLE_OK;
}

static double *multipliers(rattle__implicit *s) {
  return s->x + s->body;
}

static int count(const rattle__implicit *s) {
  return s->blocks * s->m;
}

/* Whether H or g is not finite at the end or at the start: that is why, then. */
static int left_domain(const rattle__implicit *s, const double *z0, const double *z1, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  return rattle__domain_error(problem, z1, error) == RATTLE_DOMAIN || rattle__domain_error(problem, z0, error) == RATTLE_DOMAIN;
}

static rattle_status give_up(const rattle__implicit *s, int iterations, rattle_error *error) {
  const char *name = rattle_problem_constraint_name(s->map.context->problem, s->look.constraint);
  rattle__fail(error, RATTLE_NOT_CONVERGED, name ? name : s->equations->name,
               "the equations of the step%s%s%s were not solved in %d iterations (residual %.3g times round-off): use a smaller "
               "step",
               name ? " (worst: constraint '" : "", name ? name : "", name ? "')" : "", iterations, s->look.ratio);
  if (error) {
    error->constraint = s->look.constraint;
    error->iterations = iterations;
    error->residual = s->look.ratio;
  }
  return RATTLE_NOT_CONVERGED;
}

/* v -> F'^-1 v, where the matrix is tilted by the formula of Sherman and Morrison */
static void correct(const rattle__implicit *s, double *v) {
  double sum = 0;
  s->assembly->matrix->solve(s->assembly->matrix, v);
  if (!s->equations->tilted) return;
  for (int i = 0; i < s->size; i++) sum += s->tilt[i] * v[i];
  for (int i = 0; i < s->size; i++) v[i] -= sum / s->pivot * s->column[i];
}

/* 1: the tilted matrix is singular */
static int lean(rattle__implicit *s) {
  double most = 1;
  if (!s->equations->tilted) return 0;
  s->assembly->matrix->solve(s->assembly->matrix, s->column);
  s->pivot = 1;
  for (int i = 0; i < s->size; i++) {
    s->pivot += s->tilt[i] * s->column[i];
    most += fabs(s->tilt[i] * s->column[i]);
  }
  return !rattle__good_pivot(s->pivot, 1 / s->pivot, most, rattle__tiny(s->size));
}

static rattle_status factor(rattle__implicit *s, double h, rattle_error *error) {
  rattle__linear *matrix = s->assembly->matrix;
  rattle__assembly_fill(s->assembly, h);
  s->map.context->counts.factorisation++;
  if (!matrix->factor(matrix) && !lean(s)) return RATTLE_OK;
  const int blame = matrix->blame < s->body ? -1 : (matrix->blame - s->body) % s->m;
  const char *name = rattle_problem_constraint_name(s->map.context->problem, blame);
  rattle__fail(error, RATTLE_SINGULAR, name ? name : s->equations->name,
               "the equations of the step are singular%s%s: the motion came to a degenerate point; use a smaller step",
               name ? " at constraint " : "", name ? name : "");
  if (error) error->constraint = blame;
  return RATTLE_SINGULAR;
}

/* Whether the Jacobian for the multipliers is far from its limit for h -> 0, along the guess and along a fixed direction. */
static int astray(rattle__implicit *s, double h, const double *z0) {
  rattle__probe *probe = s->map.context->probe;
  rattle__probe_place(probe, z0, z0 + s->n);
  for (int which = 0; which < 2; which++) {
    const double *v = which ? s->compass : multipliers(s);
    memset(s->course, 0, (size_t)s->size * sizeof(double));
    if (!s->equations->limit(s, h, v, s->course)) return 0;
    correct(s, s->course);
    if (rattle__far(count(s), s->course + s->body, v)) return 1;
  }
  return 0;
}

/* The first iterate: the body from its slope, in a follow from that of the last substep. */
static rattle_status start(rattle__implicit *s, double h, const double *z0, rattle_error *error) {
  const rattle_status status = s->equations->predict(s, h, z0, s->base, s->slope, error);
  const double *slope = s->sloped ? s->kept : s->slope;
  for (int i = 0; i < s->body; i++) s->x[i] = s->base[i] + h * slope[i];
  return status;
}

/* Body and multipliers (from those in x) by Newton. */
static rattle_status solve(rattle__implicit *s, double h, const double *z0, double *z1, rattle__rates *rates,
                           rattle_error *error) {
  rattle__context *context = s->map.context;
  double previous = INFINITY;
  int fresh = 1, factored = 0;
  *rates = rattle__no_doubt;
  rattle_status status = start(s, h, z0, error);
  for (int k = 0; !status; k++) {
    s->look = (rattle__look){.constraint = -1};
    memset(s->rhs, 0, (size_t)s->size * sizeof(double));
    status = s->equations->residual(s, h, z0, z1, error);
    if (status) break;
    const double r = s->look.ratio;
    rattle__rate(rates, k, r, previous, rattle__doubt_newton);
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__DONE) break;
    if (verdict == RATTLE__GIVE_UP) return !(r < 1e300) && left_domain(s, z0, z1, error) ? RATTLE_DOMAIN : give_up(s, k, error);
    if (fresh) {
      status = s->equations->derivatives(s, h, z0, error);
      if (!status) status = factor(s, h, error);
      if (status == RATTLE_SINGULAR && left_domain(s, z0, z1, error)) status = RATTLE_DOMAIN;
      if (status) break;
      factored = 1;
      if (k == 0 && s->m && !s->following) rates->doubtful |= astray(s, h, z0);
    }
    correct(s, s->rhs);
    context->counts.newton_iterations++;
    for (int i = 0; i < s->size; i++) s->x[i] += s->rhs[i];
    fresh = !s->equations->frozen || k + 1 < s->equations->frozen || (k > 0 && r > 0.1 * previous);
    previous = r;
  }
  if (!status && s->equations->polished && factored) {
    correct(s, s->rhs);
    for (int i = 0; i < s->size; i++) s->x[i] += s->rhs[i];
    memcpy(z1, s->x, 2 * (size_t)s->n * sizeof *z1);
  }
  if (status || !s->following || rates->doubtful) return status;
  for (int i = 0; i < s->body; i++) s->kept[i] = (s->x[i] - s->base[i]) / h;
  s->sloped = 1;
  return RATTLE_OK;
}

static rattle_status solve_from(void *self, double h, const double *z0, double *lambda, double *z1, rattle__rates *rates,
                                rattle_error *error) {
  rattle__implicit *s = self;
  const size_t bytes = (size_t)count(s) * sizeof(double);
  memcpy(multipliers(s), lambda, bytes);
  const rattle_status status = solve(s, h, z0, z1, rates, error);
  memcpy(lambda, multipliers(s), bytes);
  return status;
}

static void first_guess(void *self, double h, const double *z0, double *lambda) {
  rattle__implicit *s = self;
  rattle__probe_place(s->map.context->probe, z0, z0 + s->n);
  s->equations->guess(s, h, lambda);
}

static rattle_status finished(const rattle__implicit *s) {
  rattle_residuals *seen = &s->map.context->residuals;
  rattle_counts *counts = &s->map.context->counts;
  seen->iteration_residual = fmax(seen->iteration_residual, s->look.ratio);
  if (!s->m) return RATTLE_OK;
  counts->position_projections++;
  seen->g = fmax(seen->g, s->look.largest_g);
  if (!s->equations->hidden) return RATTLE_OK;
  counts->momentum_projections++;
  seen->psi = fmax(seen->psi, s->look.psi);
  return RATTLE_OK;
}

static rattle_status follow(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__implicit *s = map->self;
  map->context->clock++;
  s->following = 1;
  const rattle_status status = rattle__follow(s->follower, h, z0, multipliers(s), z1, error);
  s->following = s->sloped = 0;
  return status ? status : finished(s);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1, rattle_error *error) {
  rattle__implicit *s = map->self;
  rattle__rates rates;
  map->context->clock++;
  if (s->m) first_guess(s, h, z0, multipliers(s));
  const rattle_status status = solve(s, h, z0, z1, &rates, error);
  if (s->m && rattle__must_follow(status, &rates)) return follow(map, h, z0, z1, error);
  return status ? status : finished(s);
}

static void destroy(rattle__map *map) {
  rattle__implicit *s = map->self;
  rattle__assembly_destroy(&s->assembly);
}

rattle_status rattle__implicit_init(rattle__implicit *s, rattle__context *context, const rattle__equations *equations, int body,
                                    int blocks, rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  s->equations = equations;
  s->n = problem->n;
  s->m = problem->m;
  s->body = body;
  s->blocks = blocks;
  s->size = body + blocks * s->m;
  const size_t all = (size_t)s->size, part = (size_t)body;
  const size_t tilted = equations->tilted ? all : 0;
  double **vectors[] = {&s->x, &s->rhs, &s->course, &s->base, &s->slope, &s->kept, &s->compass, &s->column, &s->tilt};
  const size_t sizes[] = {all, all, all, part, part, part, all - part, tilted, tilted};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  for (int i = 0; i < count(s) && s->compass; i++) s->compass[i] = (i % s->m) % 2 ? -1 : 1;
  rattle_status status = rattle__assembly_plan(s->assembly, RATTLE__LINEAR_AUTO, error);
  if (status || !s->m) return status ? status : arena->failed ? rattle__no_memory(error) : RATTLE_OK;
  s->map.follow = follow;
  s->map.lambda = s->x + body;
  s->follower = rattle__follower_create_blocks(context, blocks, solve_from, first_guess, s);
  if (arena->failed) return rattle__no_memory(error);
  s->level = s->follower->level;
  context->solver = s->assembly->matrix->name;
  return rattle__context_probe(context, error);
}
