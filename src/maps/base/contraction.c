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
 * Cost     s gradients an iteration */
#include "maps/base/contraction.h"
#include "maps/base/prk.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/equation/iterate.h"
#include "constraint/step/sizes.h"

typedef struct contraction {
  rattle__map map, *general;
  rattle__tableau t;
  int n;
  int by_general;                   /* 1: the last step */
  double *Z, *f, *next;             /* stages, slopes there [stages][2n]; a stage [2n] */
  double moved[2];                  /* the largest changes of q and p in the last iteration */
  double *reach, *at, *own, *other; /* scratch of one of the parts below [2n] */
  double *work;
} contraction;

/* f[2n] <- X_H(z) */
static int slope(contraction *s, const double *z, double *f) {
  const rattle__function *H = s->map.context->problem->H;
  double *gradient = s->next;
  const int n = s->n, answer = H->jacobian(H, z, NULL, gradient, s->work);
  s->map.context->counts.gradient++;
  for (int c = 0; c < n; c++) f[c] = gradient[n + c], f[n + c] = -gradient[c];
  return answer;
}

/* Slopes at all stages, at once where H can. */
static int slopes(contraction *s) {
  const rattle__function *H = s->map.context->problem->H;
  const size_t n = (size_t)s->n, nz = 2 * n;
  int answer = 0;
  if (!H->jacobians) {
    for (int i = 0; i < s->t.stages && !answer; i++)
      answer = slope(s, s->Z + (size_t)i * nz, s->f + (size_t)i * nz);
    return answer;
  }
  answer = H->jacobians(H, s->t.stages, s->Z, s->f, s->work);
  s->map.context->counts.gradient += s->t.stages;
  for (int i = 0; i < s->t.stages; i++) {
    double *f = s->f + (size_t)i * nz;
    for (size_t c = 0; c < n; c++) {
      const double push = -f[c];
      f[c] = f[n + c], f[n + c] = push;
    }
  }
  return answer;
}

/* to = z0 + h sum_j w_j f_j of one part, q (0) or p (1): a few entries at once, so that their sums
 * stay in registers. */
static void combine_part(const contraction *s, int part, double h, const double *w,
                         const double *z0, double *to) {
  enum { BLOCK = 8 };
  const size_t first = (size_t)(part * s->n), nz = 2 * (size_t)s->n, end = first + (size_t)s->n;
  size_t c = first;
  for (; c + BLOCK <= end; c += BLOCK) {
    double sum[BLOCK] = {0};
    for (int j = 0; j < s->t.stages; j++)
      for (size_t e = 0; e < BLOCK; e++) sum[e] += w[j] * s->f[(size_t)j * nz + c + e];
    for (size_t e = 0; e < BLOCK; e++) to[c + e] = z0[c + e] + h * sum[e];
  }
  for (; c < end; c++) {
    double sum = 0;
    for (int j = 0; j < s->t.stages; j++) sum += w[j] * s->f[(size_t)j * nz + c];
    to[c] = z0[c] + h * sum;
  }
}

/* The same of q by w, and of p by w_p. */
static void combine(const contraction *s, double h, const double *w, const double *w_p,
                    const double *z0, double *to) {
  combine_part(s, 0, h, w, z0, to);
  combine_part(s, 1, h, w_p, z0, to);
}

/* The last changes in units of round-off of these sizes of q and p. */
static double in_units(const contraction *s, const double size[2]) {
  const double q = s->moved[0] / (DBL_EPSILON * size[0] + DBL_MIN),
               p = s->moved[1] / (DBL_EPSILON * size[1] + DBL_MIN);
  return q <= p || p != p ? p : q;
}

/* Slopes at the stages, and the next ones; *change: the largest, in units of round-off. */
static int improve(contraction *s, double h, const double *z0, double *change) {
  const rattle_problem *problem = s->map.context->problem;
  const int nz = 2 * s->n;
  double size[2], *moved = s->own, *most = s->other; /* of each entry, at all stages */
  rattle__largest_of_kind(problem, z0, size);
  const int answer = slopes(s);
  memset(moved, 0, (size_t)nz * sizeof *moved), memset(most, 0, (size_t)nz * sizeof *most);
  for (int i = 0; i < s->t.stages && !answer; i++) {
    double *Z = s->Z + (size_t)i * (size_t)nz;
    combine(s, h, s->t.a[i], s->t.ahat[i], z0, s->next);
    for (int c = 0; c < nz; c++) {
      const double by = fabs(s->next[c] - Z[c]), now = fabs(s->next[c]);
      Z[c] = s->next[c];
      moved[c] = by <= moved[c] || moved[c] != moved[c] ? moved[c] : by; /* NaN stays */
      most[c] = now <= most[c] ? most[c] : now;
    }
  }
  s->moved[0] = s->moved[1] = 0;
  for (int c = 0; c < nz; c++) {
    double *to = &s->moved[c >= s->n];
    if (rattle__is_apart(problem, c)) continue;
    if (!(moved[c] <= *to) && *to == *to) *to = moved[c];
    size[c >= s->n] = fmax(size[c >= s->n], most[c]);
  }
  *change = in_units(s, size);
  return answer;
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
  const size_t nz = 2 * (size_t)s->n;
  const int answer = slope(s, z0, s->f);
  for (int i = 0; i < s->t.stages && !answer; i++) {
    double c = 0;
    for (int j = 0; j < s->t.stages; j++) c += s->t.a[i][j];
    for (size_t e = 0; e < nz; e++) s->Z[(size_t)i * nz + e] = z0[e] + h * c * s->f[e];
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
  if (!status) combine(s, h, s->t.b, rattle__tableau_weights(&s->t, 1), z0, z1);
  return status;
}

static rattle_status tangent(rattle__map *map, double h, int count, double *W,
                             rattle_error *error) {
  contraction *s = map->self;
  if (!s->by_general) rattle__prk_set_stages(s->general, s->Z);
  return s->general->tangent(s->general, h, count, W, error);
}

static void destroy(rattle__map *map) {
  contraction *s = map->self;
  if (s->general && s->general->destroy) s->general->destroy(s->general);
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
  const size_t nz = 2 * (size_t)problem->n, points = (size_t)tableau->stages * nz;
  const rattle__array arrays[] = {
      {&s->Z, points}, {&s->f, points}, {&s->next, nz}, {&s->work, problem->H->work},
      {&s->reach, nz}, {&s->at, nz},    {&s->own, nz},  {&s->other, nz}};
  RATTLE__LAY_OUT(arena, arrays);
  *map = &s->map;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
