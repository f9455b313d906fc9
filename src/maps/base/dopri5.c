/* dopri5(field, tol=): the Runge-Kutta pair of Dormand and Prince, orders 5 and 4.
 *
 * Map      without tol=: one step of order 5. With tol=: substeps whose lengths follow from
 *          estimates of their errors, from the first try h to the end at h exactly, so that the map
 *          is a function of (h, z0) alone
 * Error    per substep: e = h sum_i (b_i - b*_i) f_i, the difference of the two orders, is kept
 *          below |e_c| <= tol max(|z0|, |z1|) for each c, the largest of its kind, q or p, being
 *          taken; the more accurate result goes on
 * Lengths  the next is 0.9 E^(-1/5) times the last, at least a fifth and at most five times it, E
 *          the largest |e_c| over its bound; after a substep that was refused not longer than it
 * Source   J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19, Table 2 (RK5(4)7M)
 * Claims   order 5; with tol= for steps so short that none is divided, longer ones being as
 *          accurate as tol makes them
 * Cost     six values of the field a (sub)step: the seventh is the first of the next one, and is
 *          taken only for estimates
 * Fails    NOT_CONVERGED if substeps become too short to move at all, or too many */
#include <float.h>
#include <math.h>
#include <string.h>

#include "maps/field/field.h"
#include "maps/base/base.h"
#include "constraint/step/sizes.h"

enum { STAGES = 7, MOST_SUBSTEPS = 1000000 };

static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784,
     11.0 / 84}}; /* the last row are the weights b */

/* b - b* */
static const double difference[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                          -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = STAGES - 1};
  for (int i = 0; i < STAGES - 1; i++) {
    t->b[i] = a[STAGES - 1][i];
    for (int j = 0; j < i; j++) t->a[i][j] = t->ahat[i][j] = a[i][j];
  }
}

typedef struct dopri5 {
  rattle__map map;
  rattle__field *field;
  int n;
  double tol;
  double *f, *start, *Z; /* values [STAGES*2n]; where a substep begins, a stage [2n] */
  int known; /* 1: the first row of f is the field at `start`, where the last step ended */
} dopri5;

static rattle_status value(dopri5 *s, int i, const double *z, rattle_error *error) {
  s->map.context->counts.gradient++;
  return rattle__field_value(s->field, z, s->f + (size_t)i * 2 * (size_t)s->n, error);
}

/* Stages 2 to 7 over the length h from `start`, whose value is there; the last is the end, in Z. */
static rattle_status stages(dopri5 *s, double h, rattle_error *error) {
  const int nz = 2 * s->n;
  rattle_status status = RATTLE_OK;
  for (int i = 1; i < STAGES && !status; i++) {
    for (int c = 0; c < nz; c++) {
      double sum = 0;
      for (int j = 0; j < i; j++) sum += a[i][j] * s->f[j * nz + c];
      s->Z[c] = s->start[c] + h * sum;
    }
    status = value(s, i, s->Z, error);
  }
  return status;
}

/* The largest estimate over its bound; not a number where the stages are not. */
static double estimate(const dopri5 *s, double h) {
  const int nz = 2 * s->n;
  const rattle_problem *problem = s->map.context->problem;
  double size[2], end[2], most = 0;
  rattle__largest_of_kind(problem, s->start, size);
  rattle__largest_of_kind(problem, s->Z, end);
  for (int c = 0; c < nz; c++) {
    if (rattle__is_apart(problem, c)) continue;
    double e = 0;
    for (int j = 0; j < STAGES; j++) e += difference[j] * s->f[j * nz + c];
    const double bound = s->tol * fmax(size[c >= s->n], end[c >= s->n]) + DBL_MIN,
                 part = fabs(h * e) / bound;
    if (!(part <= most)) most = part;
  }
  return most;
}

static rattle_status too_short(double done, double length, rattle_error *error) {
  return rattle__fail(error, RATTLE_NOT_CONVERGED, "dopri5",
                      "substeps of dopri5 became too short or too many (length %.3g, %.3g after "
                      "the start of the step): the "
                      "solution may not exist beyond this point, or tol= is below round-off",
                      length, done);
}

/* True if a shorter substep may help after that status. */
static int may_retry(rattle_status status) {
  return !status || status == RATTLE_SINGULAR || status == RATTLE_NOT_CONVERGED;
}

static rattle_status apply(rattle__map *map, double h, const double *z0, double *z1,
                           rattle_error *error) {
  dopri5 *s = map->self;
  const size_t nz = 2 * (size_t)s->n, bytes = nz * sizeof *z0;
  double done = 0, length = h, longest = 5; /* longest: how much longer the next may be */
  const int known = s->known && !memcmp(s->start, z0, bytes);
  memcpy(s->start, z0, bytes);
  rattle_status status = known ? RATTLE_OK : value(s, 0, z0, error);
  s->known = 0;
  for (int tried = 0; !status; tried++) {
    const double rest = h - done;
    const int last = !(1.01 * fabs(length) < fabs(rest)); /* no tiny rest is left over */
    if (last) length = rest;
    if (tried == MOST_SUBSTEPS || !(fabs(length) > 16 * DBL_EPSILON * fabs(h)))
      return too_short(done, length, error);
    status = stages(s, length, error);
    if (!may_retry(status)) break;
    const double E = status ? INFINITY : estimate(s, length), factor = E > 0    ? 0.9 * pow(E, -0.2)
                                                                       : E == 0 ? 5
                                                                                : 0;
    status = RATTLE_OK;
    if (E <= 1) {
      memcpy(s->start, s->Z, bytes);
      memcpy(s->f, s->f + (STAGES - 1) * nz, bytes);
      if (last) break;
      done += length;
      length *= fmin(longest, fmax(0.2, factor));
      longest = 5;
    } else {
      length *= fmax(0.2, factor);
      longest = 1;
    }
  }
  if (status) return status;
  memcpy(z1, s->start, bytes);
  s->known = 1;
  return RATTLE_OK;
}

static rattle_status output(rattle__map *map, double h, double *z, rattle_error *error) {
  dopri5 *s = map->self;
  (void)h;
  return rattle__field_show(s->field, z, error);
}

static void destroy(rattle__map *map) {
  dopri5 *s = map->self;
  rattle__field_destroy(&s->field);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  rattle__arena *arena = &context->arena;
  const size_t nz = 2 * (size_t)context->problem->n;
  dopri5 *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (dopri5){.n = context->problem->n, .tol = rattle__option_number(node, "tol")};
  s->map = (rattle__map){.context = context, .apply = apply, .destroy = destroy, .self = s};
  *map = &s->map;
  const rattle_status status =
      rattle__field_create(&s->field, context->problem, rattle__method_field(node), 0, error);
  if (status) return status;
  s->map.shows = rattle__field_shows(s->field);
  if (s->map.shows) s->map.output = output;
  s->f = rattle__arena_doubles(arena, STAGES * nz);
  s->start = rattle__arena_doubles(arena, nz);
  s->Z = rattle__arena_doubles(arena, nz);
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}

const rattle__base rattle__dopri5 = {.tableau = tableau, .create = create};
