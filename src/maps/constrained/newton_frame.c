/* Newton's loop for steps that are systems of equations of their own, and its guard.
 *
 * Start    the body along its slope at z0, multipliers from the differential equation there: a step
 *          is a pure function of its point
 * Stop     every equation at round-off of its own terms, or stagnation near it
 * Guard    as that of maps/base/prk.c (docs/guards.md): the fall of the residuals, the Jacobian at
 *          the first iterate against its limit; a doubtful step is followed from h = 0, the body
 *          starting from the slopes of the last substep
 * Fails    where the iteration does not converge: the step is too long, or the point degenerate */
#include "maps/constrained/newton_frame.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "constraint/step/sizes.h"

static void see(rattle__look *look, int which, double residual, double unit) {
  const double ratio = fabs(residual) / (unit + DBL_MIN);
  if (ratio <= look->ratio) return;
  look->ratio = ratio;
  look->constraint = which;
}

void rattle__look_at_block(rattle__implicit *s, int kind, double most, double terms) {
  see(&s->look, -1, most, fmax(DBL_EPSILON * terms, s->least[kind]));
}

void rattle__look_at_g(rattle__implicit *s, int i, double g, double terms) {
  see(&s->look, i, g, fmax(DBL_EPSILON * terms, s->least_g[i]));
  s->look.largest_g = fmax(s->look.largest_g, fabs(g));
}

void rattle__look_at_psi(rattle__implicit *s, int i, double psi, double terms) {
  see(&s->look, i, psi, fmax(DBL_EPSILON * terms, s->least_psi[i]));
  s->look.psi = fmax(s->look.psi, fabs(psi));
}

rattle_status rattle__needs_holonomic(const rattle_problem *problem, const rattle__node *node,
                                      rattle_error *error) {
  const char *name = node->row->name;
  if (problem->split)
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "%s needs constraints g(q), and these are second class: use "
                        "second_class(...), such as second_class(midpoint)",
                        name);
  if (problem->m && !(problem->flags & RATTLE_HOLONOMIC))
    return rattle__fail(error, RATTLE_UNSUITABLE, name,
                        "%s needs constraints g(q), and these depend on momenta: use "
                        "rattle(midpoint), or a composition for more "
                        "accuracy, such as suzuki4(rattle(midpoint))",
                        name);
  return RATTLE_OK;
}

static double *multipliers(rattle__implicit *s) {
  return s->x + s->body;
}

static int count(const rattle__implicit *s) {
  return s->blocks * s->m;
}

/* True if H or g is not finite at the end or at the start, which is then the reason. */
static int left_domain(const rattle__implicit *s, const double *z0, const double *z1,
                       rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  return rattle__domain_error(problem, z1, error) == RATTLE_DOMAIN ||
         rattle__domain_error(problem, z0, error) == RATTLE_DOMAIN;
}

/* From A^-1 v, A being the sparse part: where the matrix is tilted by the formula of Sherman and
 * Morrison. */
static void straighten(const rattle__implicit *s, double *v) {
  double sum = 0;
  if (!s->equations->tilted) return;
  for (int i = 0; i < s->size; i++) sum += s->tilt[i] * v[i];
  for (int i = 0; i < s->size; i++) v[i] -= sum / s->pivot * s->column[i];
}

void rattle__implicit_solve(const rattle__implicit *s, double *v) {
  s->matrix->solve(s->matrix, v);
  straighten(s, v);
}

/* 1: the tilted matrix is singular */
static int lean(rattle__implicit *s) {
  double most = 1;
  if (!s->equations->tilted) return 0;
  s->matrix->solve(s->matrix, s->column);
  s->pivot = 1;
  for (int i = 0; i < s->size; i++) {
    s->pivot += s->tilt[i] * s->column[i];
    most += fabs(s->tilt[i] * s->column[i]);
  }
  return !rattle__good_pivot(s->pivot, 1 / s->pivot, most, rattle__tiny(s->size));
}

/* The matrix in force, with its values: where the guard has refused substeps the one with all
 * terms, if there is one. */
static rattle_status fill(rattle__implicit *s, double h, rattle_error *error) {
  rattle__linear *sparse = s->matrix = s->assembly->matrix;
  rattle__assembly_fill(s->assembly, h);
  sparse->equilibrate = rattle__must_equilibrate(s->follower);
  if (!s->full || !sparse->equilibrate) return RATTLE_OK;
  s->matrix = s->full;
  s->full->equilibrate = 1;
  memset(s->full->value, 0, (size_t)s->full->nnz * sizeof(double));
  for (int i = 0; i < s->size; i++)
    for (int e = sparse->ptr[i]; e < sparse->ptr[i + 1]; e++)
      s->full->value[(size_t)i * (size_t)s->size + (size_t)sparse->col[e]] = sparse->value[e];
  return s->equations->complete(s, h, s->full->value, error);
}

/* The parts of the matrix at hand against their limit for h -> 0; 0: not known. The tilt, of rank
 * one, joins them all, and takes back the turn of one part at most. */
static int side_of_matrix(const rattle__implicit *s) {
  rattle__linear *matrix = s->matrix, *N = NULL;
  rattle__probe *probe = s->map.context->probe;
  int odd = 0;
  const int negative = s->equations->sign(s, s->h, &odd) < 0;
  if (matrix == s->full) {
    rattle__linear_part_by_values(matrix, 1);
    rattle__probe_join_parts(probe, matrix, s->body);
  }
  if (odd) {
    rattle__probe_place(probe, s->z0, s->z0 + s->n);
    if (!(N = rattle__probe_factors(probe))) return 0;
  }
  rattle__linear_expect(matrix, s->body, s->m, N, negative);
  const int turned = rattle__linear_turned(matrix);
  return turned == (s->equations->tilted && s->pivot < 0) ? 1 : -1;
}

static rattle_status factor(rattle__implicit *s, double h, rattle_error *error) {
  rattle_status status = fill(s, h, error);
  if (status) return status;
  rattle__linear *matrix = s->matrix;
  s->map.context->counts.factorisation++;
  status = matrix->factor(matrix);
  if (status == RATTLE_NO_MEMORY) return rattle__no_memory(error);
  if (!status && !lean(s)) return RATTLE_OK;
  const int blame = matrix->blame < s->body ? -1 : (matrix->blame - s->body) % s->m;
  const char *name = rattle_problem_constraint_name(s->map.context->problem, blame);
  rattle__fail(error, RATTLE_SINGULAR, name ? name : s->equations->name,
               "the equations of the step are singular%s%s: the motion reached a degenerate point; "
               "use a smaller step",
               name ? " at constraint " : "", name ? name : "");
  if (error) error->constraint = blame;
  return RATTLE_SINGULAR;
}

rattle_status rattle__implicit_factor(rattle__implicit *s, rattle_error *error) {
  const rattle_status status = s->equations->derivatives(s, s->h, s->z0, error);
  return status ? status : factor(s, s->h, error);
}

/* The first iterate: the body from its slope, in a follow from that of the last substep. */
static rattle_status start(rattle__implicit *s, double h, const double *z0, rattle_error *error) {
  const rattle_status status = s->equations->predict(s, h, z0, s->base, s->slope, error);
  const double *slope = s->sloped ? s->kept : s->slope;
  for (int i = 0; i < s->body; i++) s->x[i] = s->base[i] + h * slope[i];
  return status;
}

/* --- the equations for iterate.h -------------------------------------------------------------- */

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__implicit *s = self;
  s->look = (rattle__look){.constraint = -1};
  memset(s->rhs, 0, (size_t)s->size * sizeof(double));
  const rattle_status status = s->equations->residual(s, s->h, s->z0, s->z1, error);
  c->residual = s->look.ratio;
  c->worst = s->look.constraint;
  c->largest = s->look.largest_g;
  return status;
}

static void lower_units(rattle__implicit *s) {
  s->least[0] = s->least[1] = 0;
  if (s->m) memset(s->least_g, 0, (size_t)s->m * sizeof(double));
  if (s->m) memset(s->least_psi, 0, (size_t)s->m * sizeof(double));
}

static rattle_status begin(void *self, rattle_error *error) {
  rattle__implicit *s = self;
  s->fresh = 1;
  s->factored = 0;
  memcpy(multipliers(s), s->first, (size_t)count(s) * sizeof(double));
  return start(s, s->h, s->z0, error);
}

/* The sizes of the multipliers of each constraint together, all of whose forces move with x. */
static const double *pull(rattle__implicit *s) {
  for (int i = 0; i < s->m; i++) {
    s->scratch[i] = 0;
    for (int block = 0; block < s->blocks; block++)
      s->scratch[i] += fabs(multipliers(s)[block * s->m + i]);
  }
  return s->scratch;
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__implicit *s = self;
  rattle__unit *u = s->unit;
  lower_units(s);
  if (!on) return RATTLE_OK;
  rattle_status status = rattle__unit_of_step(u, s->h, s->z0, s->z0, s->z1, error);
  if (!status && s->m) status = rattle__unit_of_pull(u, s->h, s->z1, pull(s), error);
  if (!status && s->m) status = rattle__unit_of_g(u, s->z1, s->least_g, error);
  if (!status && s->m) status = rattle__unit_of_psi(u, s->z1, s->least_psi, error);
  for (int k = 0; k < 2 * s->n; k++)
    if (!rattle__is_apart(s->map.context->problem, k))
      s->least[k >= s->n] = fmax(s->least[k >= s->n], u->reach[k]);
  return status;
}

static rattle_status correct_once(void *self, rattle__course *c, rattle_error *error) {
  rattle__implicit *s = self;
  if (s->fresh) {
    rattle_status status = rattle__implicit_factor(s, error);
    if (status == RATTLE_SINGULAR && left_domain(s, s->z0, s->z1, error)) status = RATTLE_DOMAIN;
    if (status) return status;
    s->factored = 1;
    if (s->m) c->sign = side_of_matrix(s);
    if (c->k == 0 && s->m) c->doubtful |= rattle__jacobian_far_from_limit(s->follower, s->h, s->z0);
  }
  rattle__implicit_solve(s, s->rhs);
  s->map.context->counts.newton_iterations++;
  for (int i = 0; i < s->size; i++) s->x[i] += s->rhs[i];
  s->fresh = !s->equations->frozen || c->k + 1 < s->equations->frozen || rattle__gains_little(c);
  return RATTLE_OK;
}

/* Body and multipliers (from those in x) by Newton. */
static rattle_status solve(void *self, double h, const double *z0, double *z1, rattle__course *c,
                           rattle_error *error) {
  static const rattle__equation equation = {begin, evaluate, use_full_units, correct_once};
  rattle__implicit *s = self;
  s->h = h;
  s->z0 = z0;
  s->z1 = z1;
  memcpy(s->first, multipliers(s), (size_t)count(s) * sizeof(double));
  lower_units(s);
  rattle_status status = rattle__iterate(&equation, s, s->map.context, 0, c, error);
  if (c->gave_up) {
    const double *points[] = {z1, z0};
    return rattle__not_converged(s->map.context->problem, "the equations of the step", c, points, 2,
                                 error);
  }
  if (!status && s->equations->polished && s->factored) {
    rattle__implicit_solve(s, s->rhs);
    for (int i = 0; i < s->size; i++) s->x[i] += s->rhs[i];
    memcpy(z1, s->x, 2 * (size_t)s->n * sizeof *z1);
  }
  return status;
}

static void taken(void *self) {
  rattle__implicit *s = self;
  for (int i = 0; i < s->body; i++) s->kept[i] = (s->x[i] - s->base[i]) / s->h;
  s->sloped = 1;
}

static rattle_status first_guess(void *self, double h, const double *z0, double *lambda,
                                 rattle_error *error) {
  (void)z0, (void)error;
  rattle__implicit *s = self;
  s->equations->guess(s, h, lambda);
  return RATTLE_OK;
}

static int from_limit(void *self, double h, const double *v, double *x) {
  rattle__implicit *s = self;
  memset(s->scratch, 0, (size_t)s->size * sizeof(double));
  if (!s->equations->limit(s, h, v, s->scratch)) return 0;
  rattle__linear_solve_well(s->matrix, s->scratch);
  straighten(s, s->scratch);
  memcpy(x, s->scratch + s->body, (size_t)count(s) * sizeof *x);
  return 1;
}

/* The side of the matrix at the end; where N is not available, the sign of its determinant. */
static rattle_status side(void *self, int *sign) {
  rattle__implicit *s = self;
  *sign = 0;
  if (s->equations->derivatives(s, s->h, s->z0, NULL)) return RATTLE_OK;
  const rattle_status status = factor(s, s->h, NULL);
  if (status) return status == RATTLE_NO_MEMORY ? status : RATTLE_OK;
  *sign = side_of_matrix(s);
  if (*sign) return RATTLE_OK;
  *sign = rattle__linear_sign(s->matrix);
  if (s->equations->tilted && s->pivot < 0) *sign = -*sign;
  return RATTLE_OK;
}

/* --- the step --------------------------------------------------------------------------------- */

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

static rattle_status make(rattle__map *map, double h, const double *z0, double *z1, int insist,
                          rattle_error *error) {
  rattle__implicit *s = map->self;
  rattle__course c = {0};
  s->whole = h;
  const rattle_status status = s->m ? rattle__guarded_step(s->follower, h, z0, z1, insist, error)
                                    : solve(s, h, z0, z1, &c, error);
  s->sloped = 0;
  return status ? status : finished(s);
}

static rattle_status follow(rattle__map *map, double h, const double *z0, double *z1,
                            rattle_error *error) {
  return make(map, h, z0, z1, 1, error);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  return make(map, h, z0, z1, 0, error);
}

static void destroy(rattle__map *map) {
  rattle__implicit *s = map->self;
  rattle__assembly_destroy(&s->assembly);
  rattle__linear_destroy(&s->full);
}

/* The dense matrix of systems that are small enough. */
static rattle_status plan_full(rattle__implicit *s, rattle_error *error) {
  enum { MOST = 128 };
  const int n = s->size;
  if (!s->equations->complete || n > MOST) return RATTLE_OK;
  int *ptr = malloc(((size_t)n + 1 + (size_t)n * (size_t)n) * sizeof *ptr),
      *col = ptr ? ptr + n + 1 : NULL;
  if (!ptr) return rattle__no_memory(error);
  for (int i = 0; i <= n; i++) ptr[i] = i * n;
  for (int e = 0; e < n * n; e++) col[e] = e % n;
  const rattle_status status =
      rattle__linear_create(&s->full, n, ptr, col, 0, RATTLE__LINEAR_DENSE, error);
  free(ptr);
  return status;
}

rattle_status rattle__implicit_init(rattle__implicit *s, rattle__context *context,
                                    const rattle__equations *equations, int body, int blocks,
                                    rattle_error *error) {
  static const rattle__tracked_equation sought = {.solve = solve,
                                                  .guess = first_guess,
                                                  .side = side,
                                                  .from_limit = from_limit,
                                                  .probed = 1,
                                                  .taken = taken};
  const rattle_problem *problem = context->problem;
  rattle__arena *arena = &context->arena;
  const rattle_status lacks = rattle__needs_hessian(problem, "an implicit method", error);
  if (lacks) return lacks;
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  s->equations = equations;
  s->n = problem->n;
  s->m = problem->m;
  s->body = body;
  s->blocks = blocks;
  s->size = body + blocks * s->m;
  const size_t all = (size_t)s->size, part = (size_t)body;
  const size_t tilted = equations->tilted ? all : 0;
  const rattle__array arrays[] = {{&s->x, all},         {&s->rhs, all},    {&s->scratch, all},
                                  {&s->base, part},     {&s->slope, part}, {&s->kept, part},
                                  {&s->column, tilted}, {&s->tilt, tilted}};
  RATTLE__LAY_OUT(arena, arrays);
  s->unit = rattle__unit_create(context);
  s->first = rattle__arena_doubles(arena, all - part);
  s->least_g = rattle__arena_doubles(arena, (size_t)s->m);
  s->least_psi = rattle__arena_doubles(arena, (size_t)s->m);
  rattle_status status = rattle__assembly_plan(s->assembly, count(s), error);
  if (status || !s->m)
    return status ? status : arena->failed ? rattle__no_memory(error) : RATTLE_OK;
  status = plan_full(s, error);
  if (status) return status;
  s->map.follow = follow;
  s->map.lambda = s->x + body;
  s->follower = rattle__follower_create(context, &sought, count(s), multipliers(s), s);
  if (arena->failed) return rattle__no_memory(error);
  s->level = s->follower->level;
  context->solver = s->assembly->matrix->name;
  status = rattle__context_probe(context, error);
  if (!status) status = rattle__linear_watch_parts(s->assembly->matrix, error);
  if (!status && s->full) status = rattle__linear_watch_parts(s->full, error);
  if (!status) rattle__probe_join_parts(context->probe, s->assembly->matrix, body);
  return status;
}
