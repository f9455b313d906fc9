/* shake and rattle under constraints on velocities: the discrete Lagrange-d'Alembert method, with
 * the constraint taken in the middle of the step (rolling.h).
 *
 * Source     J. Cortes, S. Martinez, Nonlinearity 14 (2001) 1365; R. I. McLachlan, M. Perlmutter,
 *            J. Nonlinear Sci. 16 (2006) 283, as a slide, a map of X_H and a landing, so that it
 *            needs no more than any such map, and g beside it
 * Claims     of rattle(phi), phi symmetric: order 2, symmetric; A q' = b and g = 0 to round-off at
 *            the end of each step; not symplectic, as the motion itself is not. Steps are the same
 *            from all points p + C^T s of a fibre. Without constraints on velocities it is
 *            rattle(phi)
 * Guard      a step is followed from h = 0 (care.c) where residuals fell slowly, det J has another
 *            sign than for short steps, or the rows at its ends differ much; it is refused where
 *            det N has another sign at its end
 * Cost       factorisations of N and of J [m x m], dense, three applications of phi, m tangents of
 *            it; of natural H one V_q, and most steps by their parts (rolling_emitted.h)
 * Fails      where N is singular */
#include "maps/velocity/rolling.h"

#include <string.h>

#include "constraint/step/impulse.h"
#include "ground/linear/dot.h"
#include "ground/support/error.h"

/* ---- steps ---- */

int rattle__rows_turned(const rattle__reaction *from, const rattle__reaction *to, double *E) {
  const int n = from->n, m = from->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      const double *row = to->C + (size_t)i * (size_t)n,
                   *pushed = from->pushed + (size_t)j * (size_t)n;
      E[i * m + j] = rattle__dot(n, row, pushed);
    }
  rattle__reaction_solve_all(from, E);
  for (int i = 0; i < m; i++) E[i * m + i] -= 1;
  return rattle__N_changed(m, E);
}

/* A slide whose result is in doubt, or that found none, is followed. */
static rattle_status slide(rattle__rolling *r, double h, const double *z0, double *z1, int insist,
                           rattle_error *error) {
  rattle__course c = {0};
  rattle_status status = rattle__rolling_begin(r, z0, error);
  if (status) return status;
  if (insist) return rattle__rolling_follow(r, h, z0, z1, error);
  memset(r->s, 0, (size_t)r->m * sizeof *r->s);
  status = rattle__rolling_slide(r, h, z0, z1, &c, error);
  if (!rattle__must_follow(status, &c)) return status;
  return rattle__rolling_follow(r, h, z0, z1, error);
}

rattle_status rattle__rows_crossed(const rattle_problem *problem, rattle_error *error) {
  return rattle__fail(error, RATTLE_DEGENERATE, rattle_problem_constraint_name(problem, problem->m),
                      "the step passes a degenerate point: the determinant of C H_pp C^T, C = "
                      "[g_q; A], has different signs at its start and "
                      "its end. The equations do not determine the motion beyond such a point");
}

/* The end of the step becomes the start of the next one, with N and its factors. */
static void advance(rattle__rolling *r, const double *z1) {
  rattle__reaction *other = r->start;
  r->start = r->end;
  r->end = other;
  memcpy(r->known, z1, 2 * (size_t)r->n * sizeof *z1);
  r->measured = 1;
}

/* The landing of a step from r->z0 */
static rattle_status arrive(rattle__rolling *r, double *z1, rattle_error *error) {
  const int negative = rattle__reaction_negative(r->start);
  const rattle_status status = rattle__rolling_land(r, z1, error);
  return status || !r->landed || rattle__reaction_negative(r->end) == negative
             ? status
             : rattle__rows_crossed(r->map.context->problem, error);
}

static void finish(rattle__rolling *r, const double *z0) {
  rattle__context *context = r->map.context;
  (void)z0;
  context->counts.position_projections++;
  if (r->largest > context->residuals.g) context->residuals.g = r->largest;
  if (r->residual > context->residuals.iteration_residual)
    context->residuals.iteration_residual = r->residual;
}

static rattle_status make(rattle__rolling *r, double h, const double *z0, double *z1, int insist,
                          rattle_error *error) {
  const int lands = r->projection == RATTLE__PROJECT_STEP;
  rattle_status status = slide(r, h, z0, z1, insist, error);
  if (!status) rattle__record_slide(r->map.context, z0, r->plus);
  if (!status && r->scheme) status = rattle__rolling_last_kick(r, z1, error);
  if (!status) status = lands ? arrive(r, z1, error) : rattle__reaction_rows(r->end, z1, error);
  if (!status && !insist && rattle__rows_turned(r->start, r->end, r->W))
    return make(r, h, z0, z1, 1, error);
  if (status) return status;
  finish(r, z0);
  if (r->scheme && r->from->has_V) r->map.context->evaluated = r->from;
  if (lands && r->landed) advance(r, z1);
  return RATTLE_OK;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  rattle__rolling *r = map->self;
  memcpy(z1, z0, 2 * (size_t)r->n * sizeof *z1);
  if (r->emitted && !map->context->impulse && !map->context->asked.examine &&
      rattle__stepper_run(r->emitted, &h, 1, 1, z1, NULL))
    return RATTLE_OK;
  return make(r, h, z0, z1, 0, error);
}

static long long run(rattle__map *map, const double *h, int stages, long long steps, double *z,
                     double *range) {
  const rattle__rolling *r = map->self;
  return rattle__stepper_run(r->emitted, h, stages, steps, z, range);
}

static int widen(rattle__map *map, int lanes) {
  return rattle__stepper_widen(((rattle__rolling *)map->self)->emitted, lanes);
}

/* Numbers of a problem stand in the text. */
static int join(rattle__map *map, int lane, rattle__map *with) {
  (void)lane;
  return map == with;
}

static long long run_wide(rattle__map *map, const double *h, int stages, long long steps, double *z,
                          long long *unusual) {
  const rattle__rolling *r = map->self;
  return rattle__stepper_run_wide(r->emitted, h, stages, steps, z, unusual);
}

static rattle_status apply_followed(rattle__map *map, double h, const double *z0, double *z1,
                                    rattle_error *error) {
  return make(map->self, h, z0, z1, 1, error);
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  (void)h;
  return rattle__rolling_land(map->self, z, error);
}

static void destroy(rattle__map *map) {
  rattle__rolling *r = map->self;
  rattle__reaction_destroy(&r->start);
  rattle__reaction_destroy(&r->end);
  rattle__linear_destroy(&r->J);
  if (r->emitted) rattle__stepper_end(r->emitted);
  if (r->inner && r->inner->destroy) r->inner->destroy(r->inner);
}

/* ---- making ---- */

static rattle_status lay_out(rattle__rolling *r, rattle_error *error) {
  const rattle_problem *problem = r->map.context->problem;
  rattle__arena *arena = &r->map.context->arena;
  const size_t own = problem->g ? problem->g->work : 0,
               work = r->scheme && problem->V->work > own ? problem->V->work : own;
  const size_t n = (size_t)r->n, m = (size_t)r->m, rows = m - (size_t)r->held,
               nnz = problem->g ? (size_t)problem->g->jac_nnz : 0;
  const rattle__array array[] = {
      {&r->known, 2 * n},   {&r->s, m},         {&r->first, m},      {&r->delta, m},
      {&r->level, m},       {&r->F, m},         {&r->size, m},       {&r->cheap, m},
      {&r->plus, 2 * n},    {&r->middle, n},    {&r->way, n},        {&r->by_q, rows * n},
      {&r->by_v, rows * n}, {&r->W, 2 * m * n}, {&r->G, nnz},        {&r->last, m},
      {&r->before, m},      {&r->limit, m},     {&r->shadow, m * m}, {&r->terms, 2 * n},
      {&r->reach, 2 * n},   {&r->work, work}};
  RATTLE__LAY_OUT(arena, array);
  int *ptr = rattle__arena_take(arena, (m * m + m + 1) * sizeof *ptr);
  r->unit = rattle__unit_create(r->map.context);
  if (arena->failed || !ptr || !r->unit) return rattle__no_memory(error);
  r->unit->terms = r->terms;
  for (int i = 0; i <= r->m; i++) ptr[i] = i * r->m;
  for (int i = 0; i < r->m * r->m; i++) ptr[r->m + 1 + i] = i % r->m;
  const rattle_status status =
      rattle__linear_create(&r->J, r->m, ptr, ptr + r->m + 1, 0, RATTLE__LINEAR_DENSE, error);
  return status ? status : rattle__linear_watch_parts(r->J, error);
}

rattle_status rattle__rolling_create(rattle__map **map, rattle__context *context,
                                     rattle__map *inner, const rattle__scheme *scheme,
                                     rattle__projection projection, double tol,
                                     rattle_error *error) {
  const rattle_problem *problem = context->problem;
  rattle__rolling *r = rattle__arena_take(&context->arena, sizeof *r);
  if (!r) {
    if (inner->destroy) inner->destroy(inner);
    return rattle__no_memory(error);
  }
  *r = (rattle__rolling){
      .inner = inner, .n = problem->n, .held = problem->m, .projection = projection, .tol = tol};
  r->map = (rattle__map){.context = context,
                         .apply = apply,
                         .follow = apply_followed,
                         .destroy = destroy,
                         .records = 1,
                         .symmetric = inner->symmetric,
                         .self = r,
                         .output = projection == RATTLE__PROJECT_OUTPUT ? output : NULL};
  *map = &r->map;
  r->m = r->held + problem->velocity->rows;
  if (scheme && scheme->d2 == 0 && problem->mass && problem->V) {
    rattle__scheme *own = rattle__arena_take(&context->arena, sizeof *own);
    if (!own) return rattle__no_memory(error);
    *own = *scheme;
    r->scheme = own;
    for (int i = 0; i < 2; i++)
      rattle__point_create(&r->point[i], &context->arena, problem->n, 0, 0);
    r->from = &r->point[0];
    r->to = &r->point[1];
  }
  if (!inner->tangent)
    return rattle__fail(error, RATTLE_UNSUITABLE, "rattle",
                        "constraints on velocities need a map with derivatives inside rattle and "
                        "shake: use verlet, midpoint or gauss");
  rattle_status status = rattle__reaction_create(&r->start, problem, &context->arena, error);
  if (!status) status = rattle__reaction_create(&r->end, problem, &context->arena, error);
  if (!status) status = lay_out(r, error);
  context->solver = "dense";
  if (!status && r->scheme && projection == RATTLE__PROJECT_STEP && tol == 0)
    status = rattle__rolling_emitted_create(&r->emitted, context, r->scheme, error);
  if (r->emitted && r->emitted->library)
    r->map.run = run, r->map.examined = 1, r->map.widen = widen, r->map.join = join,
    r->map.run_wide = run_wide, r->map.vectors = 1;
  return status;
}
