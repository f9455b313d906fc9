/* Implicit Runge-Kutta maps by contraction, without second derivatives.
 *
 * Map      Z_i = z0 + h sum_j a_ij X_H(Z_j), z1 = z0 + h sum_j b_j X_H(Z_j)
 * Start    Z_i = z0 + h c_i X_H(z0): a step is a pure function of its point
 * Stop     changes fall by a factor r each; where r/(1 - r) of the last one, which bounds what is
 *          left (Banach), is below round-off of the terms, or where changes stagnate there. Stages
 *          are known no better than the map at points that are rounded: where slopes cancel, as at
 *          rest, changes stagnate at that, above the round-off of p, and end there
 * Fails    where changes do not fall: h times the Lipschitz constant of X_H is too large. The
 *          general map, by Newton's method, is asked then, if there is one
 * Cost     s gradients an iteration, several at once (stages.h) */
#include "maps/base/contraction.h"
#include "maps/base/prk.h"
#include "maps/base/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "constraint/step/sizes.h"

typedef struct contraction {
  rattle__map map, *general;
  rattle__tableau t;
  rattle__stage_lanes stages;
  void (*improve)(const rattle__stage_lanes *s, double h, const double *z0, double size[2][2]);
  int n;
  int by_general;                   /* 1: the last step */
  double moved[2];                  /* the largest changes of q and p in the last iteration */
  double *reach, *at, *own, *other; /* scratch of one of the parts below [2n] */
  double *gradient;                 /* at one point [2n] */
  double *points;                   /* stages one after the other [stages][2n], for tangents */
  double *work;
} contraction;

/* f[2n] <- X_H(z) */
static int slope(contraction *s, const double *z, double *f) {
  const rattle__function *H = s->map.context->problem->H;
  double *gradient = s->gradient;
  const int n = s->n, answer = H->jacobian(H, z, NULL, gradient, s->work);
  s->map.context->counts.gradient++;
  for (int c = 0; c < n; c++) f[c] = gradient[n + c], f[n + c] = -gradient[c];
  return answer;
}

/* Entry c of stage i, in Z or J. */
static size_t entry(const contraction *s, int i, int c) {
  const int lanes = s->stages.lanes;
  return ((size_t)(i / lanes) * 2 * (size_t)s->n + (size_t)c) * (size_t)lanes + (size_t)(i % lanes);
}

/* The gradient at each stage by itself. */
static int slopes_one_by_one(contraction *s) {
  const rattle__function *H = s->map.context->problem->H;
  const int nz = 2 * s->n, lanes = s->stages.lanes;
  int answer = 0;
  for (int i = 0; i < lanes * s->stages.blocks && !answer; i++) {
    for (int c = 0; c < nz; c++) s->at[c] = s->stages.Z[entry(s, i, c)];
    if (i < s->t.stages) answer = H->jacobian(H, s->at, NULL, s->gradient, s->work);
    for (int c = 0; c < nz; c++) s->stages.J[entry(s, i, c)] = s->gradient[c];
  }
  return answer;
}

/* Gradients at all stages, several at once where H can. */
static int slopes(contraction *s) {
  const rattle__function *H = s->map.context->problem->H;
  const rattle__stage_lanes *stages = &s->stages;
  const size_t block = 2 * (size_t)s->n * (size_t)stages->lanes;
  int answer = H->in_lanes ? 0 : slopes_one_by_one(s);
  for (size_t b = 0; b < (size_t)stages->blocks && H->in_lanes && !answer; b++)
    answer = H->in_lanes(H, stages->lanes, stages->Z + b * block, stages->J + b * block, s->work);
  s->map.context->counts.gradient += stages->count;
  return answer;
}

/* z1 = z0 + h sum_j b_j X_H(Z_j) */
static void finish(const contraction *s, double h, const double *z0, double *z1) {
  for (int c = 0; c < 2 * s->n; c++) {
    const int part = c >= s->n;
    const double *b = rattle__tableau_weights(&s->t, part);
    double sum = 0;
    for (int j = 0; j < s->t.stages; j++)
      sum += b[j] * s->stages.J[entry(s, j, part ? c - s->n : c + s->n)];
    z1[c] = part ? z0[c] - h * sum : z0[c] + h * sum;
  }
}

/* The last changes in units of round-off of these sizes of q and p. */
static double in_units(const contraction *s, const double size[2]) {
  const double q = s->moved[0] / (DBL_EPSILON * size[0] + DBL_MIN),
               p = s->moved[1] / (DBL_EPSILON * size[1] + DBL_MIN);
  return q <= p || p != p ? p : q;
}

/* Slopes at the stages, and the next ones; *change: the largest, in units of round-off. */
static int improve(contraction *s, double h, const double *z0, double *change) {
  double size[2], found[2][2];
  const int answer = slopes(s);
  if (answer) return answer;
  s->improve(&s->stages, h, z0, found);
  rattle__largest_of_kind(s->map.context->problem, z0, size);
  for (int part = 0; part < 2; part++)
    s->moved[part] = found[0][part], size[part] = fmax(size[part], found[1][part]);
  *change = in_units(s, size);
  return 0;
}

/* reach <- |z0| + |h X_H'| reach, by a difference along reach, to half of the digits */
static int extend_reach(contraction *s, double h, const double *z0) {
  const double step = sqrt(DBL_EPSILON);
  const int nz = 2 * s->n;
  for (int c = 0; c < nz; c++) s->at[c] = z0[c] + step * s->reach[c];
  const int answer = slope(s, s->at, s->other);
  for (int c = 0; c < nz; c++)
    s->reach[c] = fabs(z0[c]) + fabs(h * (s->other[c] - s->own[c]) / step);
  return answer;
}

/* The sizes whose rounding is what rounding of z0 makes of a step: of p by its slopes, and of q by
 * that of p. */
static int take_reach(contraction *s, double h, const double *z0, double size[2]) {
  memcpy(s->reach, z0, 2 * (size_t)s->n * sizeof *s->reach);
  int answer = slope(s, z0, s->own);
  for (int pass = 0; pass < 2 && !answer; pass++) answer = extend_reach(s, h, z0);
  rattle__largest_of_kind(s->map.context->problem, s->reach, size);
  return answer;
}

static int begin(contraction *s, double h, const double *z0) {
  const int answer = slope(s, z0, s->own), lanes = s->stages.lanes;
  for (int i = 0; i < lanes * s->stages.blocks; i++) {
    const double *a = s->t.a[i < s->t.stages ? i : s->t.stages - 1];
    double c = 0;
    for (int j = 0; j < s->t.stages; j++) c += a[j];
    for (int e = 0; e < 2 * s->n; e++) s->stages.Z[entry(s, i, e)] = z0[e] + h * c * s->own[e];
  }
  return answer;
}

/* The part of a unit of round-off that may be left: errors of stages are of one sign from step to
 * step, as rounding is not (decision 124). */
static const double share = 0x1p-10;

/* True if changes r[0 .. k] do not fall, or so slowly that the iterations there may be end before:
 * at the rate of the last three, after the first ones, whose rates are not yet that of the map. */
static int is_in_vain(const double *r, int k) {
  enum { FIRST = 6, LAST = 3 };
  if (!(r[k] <= DBL_MAX) || k + 1 == RATTLE__ITERATIONS) return 1;
  if (k < FIRST || !(r[k] > RATTLE__ENOUGH)) return 0;
  const double fall = log(r[k - LAST] / r[k]) / LAST;
  return !(fall * (RATTLE__ITERATIONS - k) > log(r[k] / RATTLE__ENOUGH));
}

static rattle_status solve(contraction *s, double h, const double *z0, rattle_error *error) {
  double r[RATTLE__ITERATIONS + 1], reach[2] = {0, 0};
  int answer = begin(s, h, z0);
  for (int k = 0; !answer; k++) {
    rattle_status status = rattle__heed(s->map.context, error);
    if (status) return status;
    answer = improve(s, h, z0, &r[k]);
    const double rate = r[k] == 0 ? 0 : k ? r[k] / r[k - 1] : 1; /* 0: stages that solve it */
    const int small = rate < 0.5 && rate / (1 - rate) * r[k] <= share;
    const int stagnates = !small && rattle__stagnates(r[k], k ? r[k - 1] : r[k], k);
    if (!answer && stagnates && r[k] >= RATTLE__ENOUGH && reach[0] == 0)
      answer = take_reach(s, h, z0, reach);
    const double raised = reach[0] > 0 ? in_units(s, reach) : r[k];
    if (small || (stagnates && (r[k] < RATTLE__ENOUGH || raised < RATTLE__ENOUGH_OF_ALL))) {
      rattle_residuals *seen = &s->map.context->residuals;
      const double left = small ? rate * r[k] : fmin(r[k], raised);
      if (left > seen->iteration_residual) seen->iteration_residual = left;
      return answer ? rattle__answer(answer, "gradient", error) : RATTLE_OK;
    }
    if (!answer && is_in_vain(r, k)) {
      rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                   "the stages of the step do not contract (change %.3g times round-off after %d "
                   "iterations): use a smaller step",
                   r[k], k + 1);
      if (error) error->iterations = k + 1, error->residual = r[k];
      return RATTLE_NOT_CONVERGED;
    }
  }
  return rattle__answer(answer, "gradient", error);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  contraction *s = map->self;
  const rattle_status status = solve(s, h, z0, error);
  s->by_general = status == RATTLE_NOT_CONVERGED && s->general;
  if (s->by_general) return s->general->apply(s->general, h, z0, z1, error);
  if (!status) finish(s, h, z0, z1);
  return status;
}

static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  contraction *s = map->self;
  const int nz = 2 * s->n;
  for (int i = 0; i < s->t.stages && !s->by_general; i++)
    for (int c = 0; c < nz; c++) s->points[i * nz + c] = s->stages.Z[entry(s, i, c)];
  if (!s->by_general) rattle__prk_set_stages(s->general, s->points);
  return s->general->tangent(s->general, h, count, W, error);
}

static void destroy(rattle__map *map) {
  contraction *s = map->self;
  if (s->general && s->general->destroy) s->general->destroy(s->general);
}

/* doubles that begin at a multiple of 64 bytes */
static double *take_aligned(rattle__arena *arena, size_t count) {
  const uintptr_t at = (uintptr_t)rattle__arena_doubles(arena, count + 8);
  return (double *)((at + 63) / 64 * 64);
}

/* As many lanes as H has, or the fewest that hold all stages. */
static void lay_out(contraction *s, rattle__arena *arena) {
  const rattle_problem *problem = s->map.context->problem;
  rattle__stage_lanes *stages = &s->stages;
  const int count = s->t.stages;
  int lanes = problem->H->in_lanes ? problem->H->lanes : 2;
  while (lanes > 2 && lanes / 2 >= count) lanes /= 2;
  const int blocks = (count + lanes - 1) / lanes;
  const size_t room = (size_t)(blocks * lanes), nz = 2 * (size_t)s->n;
  *stages = (rattle__stage_lanes){.n = s->n, .count = count, .lanes = lanes, .blocks = blocks};
  s->improve = rattle__stages_2;
#if defined(__x86_64__)
  if (lanes == 4) s->improve = rattle__stages_4;
  if (lanes == 8) s->improve = rattle__stages_8;
#endif
  stages->Z = take_aligned(arena, room * nz);
  stages->J = take_aligned(arena, room * nz);
  stages->judged = rattle__arena_take(arena, nz * sizeof *stages->judged);
  for (int part = 0; part < 2; part++) stages->a[part] = take_aligned(arena, room * (size_t)count);
  if (arena->failed) return;
  for (int c = 0; c < (int)nz; c++)
    stages->judged[c] = rattle__is_apart(problem, c) ? 0 : UINT64_MAX;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < blocks * lanes; i++)
      for (int j = 0; j < count; j++) {
        const int row = i < count ? i : count - 1;
        stages->a[part][((size_t)(i / lanes * count) + (size_t)j) * (size_t)lanes +
                        (size_t)(i % lanes)] = part ? s->t.ahat[row][j] : s->t.a[row][j];
      }
}

rattle_status rattle__contraction_create(rattle__map **map, rattle__context *context,
                                         const rattle__tableau *tableau, rattle__map *general,
                                         rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const rattle_problem *problem = context->problem;
  contraction *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (contraction){.general = general, .t = *tableau, .n = problem->n};
  s->map = (rattle__map){.context = context,
                         .apply = apply,
                         .tangent = general ? tangent : NULL,
                         .destroy = destroy,
                         .rough = 1,
                         .symmetric = tableau->symmetric,
                         .self = s};
  const size_t nz = 2 * (size_t)problem->n;
  const rattle__array arrays[] = {{&s->gradient, nz},
                                  {&s->work, problem->H->work},
                                  {&s->reach, nz},
                                  {&s->at, nz},
                                  {&s->own, nz},
                                  {&s->other, nz},
                                  {&s->points, general ? nz * (size_t)tableau->stages : 0}};
  RATTLE__LAY_OUT(arena, arrays);
  lay_out(s, arena);
  *map = &s->map;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
