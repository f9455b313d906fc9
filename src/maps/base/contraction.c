/* Implicit Runge-Kutta maps by contraction, without second derivatives.
 *
 * Map      Z_i = z0 + h sum_j a_ij X_H(Z_j), z1 = z0 + h sum_j b_j X_H(Z_j)
 * Start    Z_i = z0 + h c_i X_H(z0): a step is a pure function of its point. With guess=past, where
 *          the last step ended at z0 and was as long, its polynomial (continued.h); a step that is
 *          not found from there is tried from z0
 * Stop     changes fall by a factor r each; where r/(1 - r) of the last one, which bounds what is
 *          left (Banach), is below round-off of the terms, or where changes stagnate there. Stages
 *          are known no better than the map at points that are rounded: where slopes cancel, as at
 *          rest, changes stagnate at that, above the round-off of p, and end there
 * Fails    where changes do not fall: h times the Lipschitz constant of X_H is too large. The
 *          general map, by Newton's method, is asked then, if there is one
 * Cost     s gradients an iteration, several at once (stages.h) */
#include "maps/base/contraction.h"
#include "maps/base/continued.h"
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
  rattle__continued past; /* the stages of the last step; without memory unless it is asked for */
  int n;
  int by_general;                   /* 1: the last step */
  double moved[2];                  /* the largest changes of q and p in the last iteration */
  double start[2];                  /* the sizes of q and p where the step begins */
  double *reach, *at, *own, *other; /* scratch of one of the parts below [2n] */
  double *gradient;                 /* at one point [2n] */
  double *points;                   /* stages one after the other [stages][2n], for tangents */
  double *time;                     /* c_i, then h c_i [2][blocks * lanes] */
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

/* Gradients at all stages. */
static int slopes(contraction *s) {
  const rattle__function *H = s->map.context->problem->H;
  s->map.context->counts.gradient += s->stages.count;
  return rattle__stage_lanes_evaluate(&s->stages, H, s->at, s->gradient, s->work);
}

/* z1 = z0 + h sum_j b_j X_H(Z_j) */
static void finish(const contraction *s, double h, const double *z0, double *z1) {
  const int n = s->n, lanes = s->stages.lanes, block = 2 * n * lanes;
  for (int part = 0; part < 2; part++) {
    const double *b = rattle__tableau_weights(&s->t, part), *J = s->stages.J;
    for (int c = part * n; c < (part + 1) * n; c++) {
      const double *own = J + (part ? c - n : c + n) * lanes;
      double sum = 0;
      for (int from = 0; from < s->t.stages; from += lanes, own += block)
        for (int l = 0; l < lanes && from + l < s->t.stages; l++) sum += b[from + l] * own[l];
      z1[c] = part ? z0[c] - h * sum : z0[c] + h * sum;
    }
  }
}

/* The last changes in units of round-off of these sizes of q and p. */
static double in_units(const contraction *s, const double size[2]) {
  const double q = s->moved[0] / (DBL_EPSILON * size[0] + DBL_MIN),
               p = s->moved[1] / (DBL_EPSILON * size[1] + DBL_MIN);
  return q <= p || p != p ? p : q;
}

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/* Slopes at the stages, and the next ones; *change: the largest, in units of round-off. */
static int improve(contraction *s, double h, const double *z0, double *change) {
  double size[2], found[2][2];
  const int answer = slopes(s);
  if (answer) return answer;
  s->stages.improve(&s->stages, 2, h, z0, found);
  for (int part = 0; part < 2; part++)
    s->moved[part] = found[0][part], size[part] = larger(s->start[part], found[1][part]);
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

/* c_i of stage i, also of those that fill a block */
static double time_of(const contraction *s, int i) {
  const double *a = s->t.a[i < s->t.stages ? i : s->t.stages - 1];
  double c = 0;
  for (int j = 0; j < s->t.stages; j++) c += a[j];
  return c;
}

static int begin(contraction *s, double h, const double *z0, int continued) {
  const int room = s->stages.lanes * s->stages.blocks;
  rattle__largest_of_kind(s->map.context->problem, z0, s->start);
  if (continued) {
    rattle__stage_lanes_continue(&s->stages, &s->past, z0);
    return 0;
  }
  const int answer = slope(s, z0, s->own);
  for (int i = 0; i < room; i++) s->time[room + i] = h * s->time[i];
  rattle__stage_lanes_begin(&s->stages, s->time + room, z0, s->own);
  return answer;
}

static rattle_status solve(contraction *s, double h, const double *z0, int continued,
                           rattle_error *error) {
  double r[RATTLE__ITERATIONS + 1], reach[2] = {0, 0};
  int answer = begin(s, h, z0, continued);
  for (int k = 0; !answer; k++) {
    rattle_status status = rattle__heed(s->map.context, error);
    if (status) return status;
    answer = improve(s, h, z0, &r[k]);
    const int small = rattle__contracted(r, k),
              stagnates = !small && rattle__stagnates(r[k], k ? r[k - 1] : r[k], k);
    if (!answer && stagnates && r[k] >= RATTLE__ENOUGH && reach[0] == 0)
      answer = take_reach(s, h, z0, reach);
    const double raised = reach[0] > 0 ? in_units(s, reach) : r[k];
    if (small || (stagnates && (r[k] < RATTLE__ENOUGH || raised < RATTLE__ENOUGH_OF_ALL))) {
      rattle_residuals *seen = &s->map.context->residuals;
      const double left = small ? rattle__rate(r, k) * r[k] : fmin(r[k], raised);
      if (left > seen->iteration_residual) seen->iteration_residual = left;
      return answer ? rattle__answer(answer, "gradient", error) : RATTLE_OK;
    }
    if (!answer && rattle__contracts_in_vain(r, k)) {
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

/* The stages, or that they are not known, for the next step. */
static void remember(contraction *s, double h) {
  double *memory = s->past.memory;
  if (!memory) return;
  memory[0] = s->by_general ? 0 : h;
  rattle__stage_lanes_read(&s->stages, memory + 1);
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  contraction *s = map->self;
  const int known = s->past.memory && s->past.memory[0] == h;
  rattle_status status = known ? solve(s, h, z0, 1, error) : RATTLE_NOT_CONVERGED;
  if (status && status != RATTLE_INTERRUPTED) status = solve(s, h, z0, 0, error);
  s->by_general = status == RATTLE_NOT_CONVERGED && s->general;
  if (s->by_general)
    status = s->general->apply(s->general, h, z0, z1, error);
  else if (!status)
    finish(s, h, z0, z1);
  if (!status) remember(s, h);
  return status;
}

static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  contraction *s = map->self;
  if (!s->by_general) {
    rattle__stage_lanes_read(&s->stages, s->points);
    rattle__prk_set_stages(s->general, s->points);
  }
  return s->general->tangent(s->general, h, count, W, error);
}

static void destroy(rattle__map *map) {
  contraction *s = map->self;
  if (s->general && s->general->destroy) s->general->destroy(s->general);
}

/* general: the same map, which takes the steps where the iteration does not contract, or NULL: such
 * steps fail. */
static rattle_status create(rattle__map **map, rattle__context *context,
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
  rattle__stage_lanes_create(&s->stages, arena, problem, tableau->stages);
  const int room = s->stages.lanes * s->stages.blocks;
  s->time = rattle__arena_doubles(arena, 2 * (size_t)room);
  for (int i = 0; i < room && !arena->failed; i++) s->time[i] = time_of(s, i);
  *map = &s->map;
  if (tableau->remembers && !arena->failed)
    rattle__continued_create(&s->past, context, s->time, tableau->stages, 2 * s->n, 1);
  if (arena->failed) return rattle__no_memory(error);
  rattle__stage_lanes_weigh(&s->stages, 0, s->t.a, 0);
  rattle__stage_lanes_weigh(&s->stages, 1, s->t.ahat, 0);
  return RATTLE_OK;
}

/* Second derivatives of an H that is evaluated by sweeps take many sweeps: stages are found without
 * them, and Newton's method is there where its system is not large. */
rattle_status rattle__implicit_rk_create(rattle__map **map, rattle__context *context,
                                         const rattle__tableau *tableau, rattle_error *error) {
  rattle__map *general = NULL;
  const int swept = context->problem->swept;
  rattle_status status = RATTLE_OK;
  if (!swept || tableau->stages * 2 * context->problem->n <= RATTLE__MOST_UNKNOWNS)
    status = rattle__prk_create(&general, context, tableau, NULL, &rattle__automatic, error);
  *map = general;
  return status || !swept ? status : create(map, context, tableau, general, error);
}

rattle_status rattle__no_past(const rattle__node *node, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, node->row->name,
                      "guess=past is for steps whose stages are found by contraction, those of "
                      "bodies in joint coordinates: omit it");
}
