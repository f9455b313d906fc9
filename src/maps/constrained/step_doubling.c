/* Step doubling inside a step.
 *
 * Map      the step is divided into substeps h/2^k, each beginning at a multiple of its length, so
 *          that the last ends at h exactly; a substep is two halves by the map inside, and k
 *          changes by their distance from one whole
 * Error    e = |two halves - whole| / (2^r - 1), r the order inside: that of the two halves;
 *          accepted where |e_c| <= tol max(|z0|, |z1|) for each c, the largest of its kind, q or p,
 *          being taken, and at least |h X_H|/64 where the step begins, as at rest. The halves are
 *          kept as they are: extrapolation would leave g = 0
 * Lengths  halved after a refusal or a failure inside; doubled where the estimate, times 2^(r+1),
 *          leaves a tenth of room
 * Source   the estimate: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential
 *          Equations I (1993), II.4
 * Claims   none beyond the order: the lengths depend on the point, so that the map is neither
 *          symmetric nor symplectic and its energy drifts
 * Cost     three steps inside for each substep, two where the one before was refused
 * Fails    as the map inside does at the shortest substep, h/2^24; NOT_CONVERGED if its error stays
 *          above tol */
#include "maps/constrained/step_doubling.h"
#include "constraint/equation/unit.h"
#include "constraint/step/sizes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 24 };

typedef struct doubling {
  rattle__map map;
  rattle__map *inner;
  int n;
  double part; /* 1 / (2^order - 1) */
  double room; /* how small an estimate of 1 must be for the length to be doubled */
  double tol;
  double least[2]; /* sizes of q and p that tol= is relative to at least */
  double *gradient, *work;
  double *at, *whole, *half, *end; /* where the substep begins; its three ends [2n] */
} doubling;

/* One step inside, from a buffer that the map has not seen there before. */
static rattle_status inside(doubling *s, double h, const double *from, double *to,
                            rattle_error *error) {
  const rattle_status status = rattle__heed(s->map.context, error);
  return status ? status : s->inner->apply(s->inner, h, from, to, error);
}

/* The largest estimate over its bound. */
static double estimate(const doubling *s) {
  const rattle_problem *problem = s->map.context->problem;
  double size[2], end[2], most = 0;
  rattle__largest_of_kind(problem, s->at, size);
  rattle__largest_of_kind(problem, s->end, end);
  for (int c = 0; c < 2 * s->n; c++) {
    if (rattle__is_apart(problem, c)) continue;
    const double bound =
        s->tol * fmax(fmax(size[c >= s->n], end[c >= s->n]), s->least[c >= s->n]) + DBL_MIN;
    const double ratio = s->part * fabs(s->end[c] - s->whole[c]) / bound;
    if (!(ratio <= most)) most = ratio;
  }
  return most;
}

/* A part of h X_H at z0: at rest nothing else is left of what the step adds up, whose round-off z
 * has. */
static rattle_status find_least(doubling *s, double h, const double *z0, rattle_error *error) {
  const rattle__function *H = s->map.context->problem->H;
  const int answer = H->jacobian(H, z0, NULL, s->gradient, s->work);
  double most[2];
  s->map.context->counts.gradient++;
  if (answer) return rattle__callback_error(answer, "gradient", error);
  rattle__largest_of_kind(s->map.context->problem, s->gradient, most);
  for (int kind = 0; kind < 2; kind++) s->least[kind] = rattle__least_size(fabs(h) * most[!kind]);
  return RATTLE_OK;
}

static int may_retry(rattle_status status) {
  return status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR ||
         status == RATTLE_DEGENERATE || status == RATTLE_DOMAIN;
}

static rattle_status too_short(const doubling *s, double length, double ratio,
                               rattle_error *error) {
  return rattle__fail(error, RATTLE_NOT_CONVERGED, "tol",
                      "substeps became too short (%.3g, with an error of %.3g times the tolerance "
                      "tol=%.3g): the solution may "
                      "not exist beyond this point, or tol= is below round-off",
                      length, ratio, s->tol);
}

/* A substep of that length from s->at to s->end; *known: `whole` is there already. E: the estimate,
 * infinite if it failed. */
static rattle_status substep(doubling *s, double length, int known, double *E,
                             rattle_error *error) {
  rattle_status status = known ? RATTLE_OK : inside(s, length, s->at, s->whole, error);
  s->half[0] = (double)NAN; /* not known */
  if (!status) status = inside(s, 0.5 * length, s->at, s->half, error);
  if (status) s->half[0] = (double)NAN;
  if (!status) status = inside(s, 0.5 * length, s->half, s->end, error);
  *E = status ? INFINITY : estimate(s);
  return status;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  doubling *s = map->self;
  const size_t bytes = 2 * (size_t)s->n * sizeof *z0;
  long place = 0; /* in units of h/2^DEEPEST */
  int depth = 0, known = 0;
  memcpy(s->at, z0, bytes);
  const rattle_status start = find_least(s, h, z0, error);
  if (start) return start;
  while (place < 1L << DEEPEST) {
    const double length = ldexp(h, -depth);
    double E;
    const rattle_status status = substep(s, length, known, &E, error);
    if (status && !may_retry(status)) return status;
    if (E <= 1) {
      memcpy(s->at, s->end, bytes);
      place += 1L << (DEEPEST - depth);
      known = 0;
      if (depth && E <= s->room && place % (1L << (DEEPEST - depth + 1)) == 0) depth--;
    } else {
      if (depth == DEEPEST) return status ? status : too_short(s, length, E, error);
      known = !isnan(s->half[0]);
      if (known) memcpy(s->whole, s->half, bytes);
      depth++;
    }
  }
  memcpy(z1, s->at, bytes);
  return RATTLE_OK;
}

static void destroy(rattle__map *map) {
  doubling *s = map->self;
  if (s->inner->destroy) s->inner->destroy(s->inner);
}

rattle_status rattle__step_doubling_create(rattle__map **map, rattle__context *context,
                                           rattle__map *inner, int order, double tol,
                                           rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const size_t nz = 2 * (size_t)context->problem->n;
  doubling *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error); /* `inner` stays in *map */
  *s = (doubling){.inner = inner,
                  .n = context->problem->n,
                  .part = 1 / (ldexp(1, order) - 1),
                  .room = 0.9 * ldexp(1, -order - 1),
                  .tol = tol,
                  .gradient = rattle__arena_doubles(arena, nz),
                  .work = rattle__arena_doubles(arena, context->problem->H->work),
                  .at = rattle__arena_doubles(arena, nz),
                  .whole = rattle__arena_doubles(arena, nz),
                  .half = rattle__arena_doubles(arena, nz),
                  .end = rattle__arena_doubles(arena, nz)};
  s->map = (rattle__map){
      .context = context, .apply = apply, .destroy = destroy, .lambda = inner->lambda, .self = s};
  *map = &s->map;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
