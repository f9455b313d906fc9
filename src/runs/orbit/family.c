/* Families of periodic orbits by pseudo-arclength: steps whose length follows the work of the
 * corrections, and what happens between two orbits, located by secants. */
#include "runs/orbit/stations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/sign_change.h"
#include "ground/support/sized.h"

enum { USUAL_POINTS = 200, USUAL_ITERATIONS = 5, SECANTS = 12, SIZES = 6, STRETCH = 8 };

/* The first step and the least one of the arclength, in units of the amplitudes; a step goes no
 * farther than this part of the way so far. */
static const double first_step = 0.02, least_step = 1e-6, largest_part = 0.25, much = 0.75;
/* Over STRETCH points: the energy hardly changes, and the period grows. */
static const double hardly = 1e-3, grown = 1.02;
/* An event is located to this; a multiplier of the first orbit this near to 1 is one of a
 * symmetry. */
static const double located = 1e-7, symmetry = 1e-3;

const char *rattle_family_event_name(rattle_family_event event) {
  static const char *const names[] = {[RATTLE_FAMILY_NONE] = "",
                                      [RATTLE_FAMILY_END] = "end",
                                      [RATTLE_FAMILY_FOLD_ENERGY] = "fold of the energy",
                                      [RATTLE_FAMILY_FOLD_PERIOD] = "fold of the period",
                                      [RATTLE_FAMILY_BRANCH] = "symmetry breaking",
                                      [RATTLE_FAMILY_DOUBLING] = "period doubling",
                                      [RATTLE_FAMILY_COLLISION] = "Krein collision",
                                      [RATTLE_FAMILY_FOLD_PARAMETER] = "fold of the parameter",
                                      [RATTLE_FAMILY_TORUS] = "torus"};
  return (unsigned)event < sizeof names / sizeof *names ? names[event] : "";
}

/* --- points ----------------------------------------------------------------------------------- */

static rattle_status keep_point(rattle_family *f, const rattle__station *at,
                                rattle_family_event event, rattle_error *error) {
  const rattle__floquet *m = &f->orbit->floquet;
  const size_t nz = (size_t)f->orbit->s.nz;
  if (f->points == f->room) {
    const int room = f->room ? 2 * f->room : 64;
    double *larger = realloc(f->row, (size_t)room * (size_t)f->width * sizeof *larger);
    if (!larger) return rattle__no_memory(error);
    f->row = larger, f->room = room;
  }
  double *row = f->row + (size_t)f->points++ * (size_t)f->width;
  row[0] = at->arclength, row[1] = at->energy, row[2] = at->period, row[3] = at->radius,
  row[4] = at->parameter, row[5] = event;
  memcpy(row + SIZES, at->nodes, nz * sizeof *row);
  memcpy(row + SIZES + nz, m->real, (size_t)m->count * sizeof *row);
  memcpy(row + SIZES + nz + (size_t)m->count, m->imaginary, (size_t)m->count * sizeof *row);
  return RATTLE_OK;
}

static void copy_station(const rattle_family *f, rattle__station *to, const rattle__station *from) {
  const size_t bytes = (size_t)rattle__shooting_numbers(&f->orbit->s) * sizeof(double);
  double *direction = to->direction, *nodes = to->nodes;
  *to = *from;
  to->direction = direction, to->nodes = nodes;
  memcpy(direction, from->direction, bytes);
  memcpy(nodes, from->nodes, bytes);
}

/* The orbit `step` from `before`, as a station. */
static rattle_status go(rattle_family *f, double step, rattle__station *to, int *iterations,
                        rattle_error *error) {
  rattle_status status = rattle__family_advance(f, &f->before, step, iterations, error);
  if (!status) status = rattle__family_arrive(f, f->before.direction, to, error);
  to->arclength = f->before.arclength + step;
  return status;
}

/* --- events ----------------------------------------------------------------------------------- */

static rattle_family_event event_of(const rattle_family *f, rattle__test test) {
  static const rattle_family_event event[RATTLE__TESTS] = {
      [RATTLE__TEST_ENERGY] = RATTLE_FAMILY_FOLD_ENERGY,
      [RATTLE__TEST_PERIOD] = RATTLE_FAMILY_FOLD_PERIOD,
      [RATTLE__TEST_PARAMETER] = RATTLE_FAMILY_FOLD_PARAMETER,
      [RATTLE__TEST_PLUS] = RATTLE_FAMILY_BRANCH,
      [RATTLE__TEST_MINUS] = RATTLE_FAMILY_DOUBLING,
      [RATTLE__TEST_COUNT] = RATTLE_FAMILY_COLLISION};
  const int forced = (f->orbit->s.at.problem->flags & RATTLE_FORCED) != 0;
  return forced && test == RATTLE__TEST_COUNT ? RATTLE_FAMILY_TORUS : event[test];
}

/* Between `before` and `now`, where the test changes its sign: by secants, by halves where it
 * counts. */
static rattle_status locate(rattle_family *f, rattle__test test, rattle_error *error) {
  rattle__sign_change b = {.high = f->now.arclength - f->before.arclength,
                           .at_low = f->before.test[test],
                           .at_high = f->now.test[test]};
  const double whole = b.high;
  int unused;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < SECANTS && !status && b.high - b.low > located * whole; i++) {
    const double step =
        test == RATTLE__TEST_COUNT ? (b.low + b.high) / 2 : rattle__sign_change_secant(&b);
    status = go(f, step, &f->tried, &unused, error);
    if (status) break;
    const double value = f->tried.test[test];
    if (value == 0 || (i == SECANTS - 1)) break;
    rattle__sign_change_narrow(&b, step, value, (value > 0) == (b.at_high > 0));
    if (fabs(value) < located) break;
  }
  return status ? status : keep_point(f, &f->tried, event_of(f, test), error);
}

static int changes(const rattle_family *f, rattle__test test) {
  return f->before.test[test] * f->now.test[test] < 0;
}

/* Every event of the last step; where one cannot be located it is left out. A fold of the energy,
 * or of the parameter, is one of the multipliers at 1 too. */
static rattle_status note_events(rattle_family *f, rattle_error *error) {
  const int folds = changes(f, f->orbit->s.steers ? RATTLE__TEST_PARAMETER : RATTLE__TEST_ENERGY);
  for (int test = 0; test < RATTLE__TESTS; test++) {
    if (!changes(f, (rattle__test)test) || (test == RATTLE__TEST_PLUS && folds)) continue;
    const rattle_status status = locate(f, (rattle__test)test, error);
    if (status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED) return status;
  }
  return RATTLE_OK;
}

/* --- the way ---------------------------------------------------------------------------------- */

static double quantity(const rattle_family *f, const rattle__station *at) {
  return f->options.along == RATTLE_FAMILY_ENERGY   ? at->energy
         : f->options.along == RATTLE_FAMILY_PERIOD ? at->period
                                                    : at->parameter;
}

/* Closes the orbit that has the value asked for. */
static rattle_status close_at_end(rattle_family *f, rattle_error *error) {
  rattle__shooting *s = &f->orbit->s;
  rattle__newton_report report = {0};
  rattle__posing posing = f->posing;
  posing.direction = NULL;
  if (!s->steers) {
    posing.held = f->options.along == RATTLE_FAMILY_ENERGY ? RATTLE_ORBIT_HOLD_ENERGY
                                                           : RATTLE_ORBIT_HOLD_PERIOD;
    posing.energy = posing.period = f->options.to;
    return rattle__orbit_close(s, &posing, &report, error);
  }
  rattle_status status = rattle__shooting_set(s, f->options.to, error);
  if (!status) status = rattle__shooting_place(s, error);
  s->steers = 0;
  if (!status) status = rattle__orbit_close(s, &posing, &report, error);
  s->steers = 1;
  return status;
}

/* From `before`, the orbit whose energy, period or parameter is that asked for. */
static rattle_status finish(rattle_family *f, rattle_error *error) {
  const double from = quantity(f, &f->before),
               share = (f->options.to - from) / (quantity(f, &f->now) - from);
  const double step = share * (f->now.arclength - f->before.arclength);
  int unused;
  rattle_status status = rattle__family_advance(f, &f->before, step, &unused, error);
  if (!status) status = close_at_end(f, error);
  if (!status) status = rattle__family_arrive(f, f->before.direction, &f->tried, error);
  f->tried.arclength = f->before.arclength + step;
  if (!status) status = keep_point(f, &f->tried, RATTLE_FAMILY_END, error);
  if (!status) copy_station(f, &f->now, &f->tried);
  return status ? status : note_events(f, error);
}

/* True if the multipliers have changed so much that two events may have passed unseen: the trace of
 * a pair by most of its range, say. */
static int too_far(const rattle_family *f) {
  for (int test = RATTLE__TEST_PLUS; test <= RATTLE__TEST_MINUS; test++) {
    const double from = f->before.test[test], to = f->now.test[test];
    if (fabs(to - from) > much + (fabs(from) + fabs(to)) / 4) return 1;
  }
  return 0;
}

/* One more orbit: 1, 0: the family goes on no farther, with the reason in *error. */
static rattle_status step_on(rattle_family *f, int *on, rattle_error *error) {
  int iterations = 0;
  rattle_status status;
  copy_station(f, &f->before, &f->now);
  for (;; f->step /= 2) {
    status = go(f, f->step, &f->now, &iterations, error);
    if (!status && f->step > first_step / 16 && too_far(f)) continue;
    if (!status || status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED ||
        f->step < least_step)
      break;
  }
  *on = !status;
  if (status)
    return status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED ? status : RATTLE_OK;
  const double longest = largest_part * fmax(f->now.arclength, 4 * first_step);
  f->step = fmin(f->step * ldexp(1, iterations < USUAL_ITERATIONS       ? 1
                                    : iterations > USUAL_ITERATIONS + 2 ? -1
                                                                        : 0),
                 longest);
  return RATTLE_OK;
}

/* The energy and the period some points ago, and the energy of the first orbit. */
typedef struct stretch {
  double first, energy, period;
} stretch;

/* True if the energy tends to a limit before the value asked for while the period grows, as next to
 * a separatrix; asked after each STRETCH points. */
static int tends(const rattle_family *f, stretch *s) {
  const double E = f->now.energy, way = fmin(fabs(f->options.to - E), fabs(E - s->first));
  const int stands = fabs(E - s->energy) < hardly * way && f->now.period > grown * s->period;
  s->energy = E, s->period = f->now.period;
  return stands && f->options.along == RATTLE_FAMILY_ENERGY;
}

static rattle_status follow(rattle_family *f, rattle_error *error) {
  const double sign = f->options.to > quantity(f, &f->now) ? 1 : -1;
  const int most = f->options.points ? f->options.points : USUAL_POINTS;
  rattle_status status = keep_point(f, &f->now, RATTLE_FAMILY_NONE, error);
  int on = 1;
  stretch last = {f->now.energy, f->now.energy, f->now.period};
  f->step = first_step;
  f->why = "the family goes on: it has as many points as were asked for";
  for (int i = 1; i < most && !status; i++) {
    status = step_on(f, &on, error);
    if (status) break;
    if (!on) {
      f->why = "the family cannot be followed farther: its orbits no longer close, or pass points "
               "that are not regular";
      break;
    }
    const int beyond = sign * (quantity(f, &f->now) - f->options.to) >= 0;
    if (beyond) {
      f->why = "";
      return finish(f, error);
    }
    status = keep_point(f, &f->now, RATTLE_FAMILY_NONE, error);
    if (!status) status = note_events(f, error);
    if (!status && i % STRETCH == 0 && tends(f, &last)) {
      f->why = "the energy tends to a limit while the period grows: the family ends next to an "
               "orbit that never returns, as a "
               "separatrix";
      break;
    }
  }
  return status;
}

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* --- making ----------------------------------------------------------------------------------- */

static rattle_status reserve(rattle_family *f, rattle_error *error) {
  const rattle__shooting *s = &f->orbit->s;
  const size_t nodes = (size_t)rattle__shooting_numbers(s),
               size = (size_t)rattle__shooting_unknowns(s), nz = (size_t)s->nz;
  const rattle__array arrays[] = {{&f->now.direction, nodes},
                                  {&f->now.nodes, nodes},
                                  {&f->before.direction, nodes},
                                  {&f->before.nodes, nodes},
                                  {&f->tried.direction, nodes},
                                  {&f->tried.nodes, nodes},
                                  {&f->posing.flow, nz},
                                  {&f->posing.reference, nz},
                                  {&f->A, size * size},
                                  {&f->V, size * size},
                                  {&f->S, size},
                                  {&f->gradient, nodes + 2 * size},
                                  {&f->slope, nodes}};
  double *flow = f->posing.flow, *reference = f->posing.reference;
  f->block = RATTLE__BLOCK(arrays);
  if (!f->block) return rattle__no_memory(error);
  memcpy(f->posing.flow, flow, nz * sizeof *flow);
  memcpy(f->posing.reference, reference, nz * sizeof *flow);
  f->width = SIZES + s->nz + 2 * f->orbit->floquet.count;
  return RATTLE_OK;
}

/* The first orbit as a station, and which way the family goes from it. */
static rattle_status begin(rattle_family *f, rattle_error *error) {
  const rattle__floquet *m = &f->orbit->floquet;
  rattle__shooting *s = &f->orbit->s;
  f->longest = s->T / (double)(s->arcs * s->each);
  for (int i = 0; i < m->count - m->trivial; i++)
    f->ones += hypot(m->real[i] - 1, m->imaginary[i]) < symmetry;
  rattle_status status = rattle__family_arrive(f, NULL, &f->now, error);
  if (status || f->options.to >= quantity(f, &f->now)) return status;
  for (int c = 0; c < rattle__shooting_numbers(s); c++) f->now.direction[c] = -f->now.direction[c];
  for (int test = RATTLE__TEST_ENERGY; test <= RATTLE__TEST_PARAMETER; test++)
    f->now.test[test] *= -1;
  return RATTLE_OK;
}

/* The parameter as one more unknown. */
static rattle_status steer(rattle_family *f, rattle_error *error) {
  rattle__shooting *s = &f->orbit->s;
  s->dial =
      (rattle__dial){.name = f->options.parameter,
                     .base = s->at.problem,
                     .method = f->orbit->options.method ? f->orbit->options.method
                                                        : rattle_default_method(s->at.problem),
                     .parse = f->options.parse};
  const rattle_status status = rattle__dial_value(&s->dial, &s->at.value, error);
  if (status) return status;
  s->dial.unit = fabs(f->options.to - s->at.value);
  if (!(s->dial.unit > 0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "to",
                        "the family begins at %s = %.9g: give another value for its end",
                        s->dial.name, s->at.value);
  s->steers = 1;
  return rattle__shooting_by_parameter(s, error);
}

static rattle_status make(rattle_family *f, const rattle_problem *problem, const double *q,
                          const double *p, rattle_error *error) {
  if (!isfinite(f->options.to) || f->options.points < 0 ||
      (unsigned)f->options.along > RATTLE_FAMILY_PARAMETER)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "to",
                        "a family needs a finite value to end at, and 0 or more points");
  const int steers = f->options.along == RATTLE_FAMILY_PARAMETER;
  if (steers && !f->options.parameter)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameter",
                        "a family along a parameter needs the name of it");
  rattle_status status = rattle_orbit_create(&f->orbit, problem, q, p, f->options.orbit, error);
  if (status) return status;
  if (!steers && (f->orbit->s.clock >= 0 || problem->flags & RATTLE_FORCED))
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "families along the energy or the period are followed for conservative "
                        "problems; this one depends on time or "
                        "has forces: follow it along a parameter of the model");
  f->posing = f->orbit->posing;
  if (steers)
    status = steer(f, error);
  else
    f->posing.held = RATTLE_ORBIT_HOLD_NOTHING;
  if (!status) status = reserve(f, error);
  if (!status) status = begin(f, error);
  if (!status) status = follow(f, error);
  if (!status) qsort(f->row, (size_t)f->points, (size_t)f->width * sizeof *f->row, rising);
  return status;
}

rattle_status rattle_family_create(rattle_family **family, const rattle_problem *problem,
                                   const double *q, const double *p,
                                   const rattle_family_options *options, rattle_error *error) {
  rattle_family *f = *family = calloc(1, sizeof *f);
  if (!f) return rattle__no_memory(error);
  rattle_status status = RATTLE__TAKE(&f->options, rattle_family_options, points, options, error);
  if (!status) status = make(f, problem, q, p, error);
  if (status) rattle_family_destroy(family);
  return status;
}

void rattle_family_destroy(rattle_family **family) {
  if (!family || !*family) return;
  rattle_orbit_destroy(&(*family)->orbit);
  free((*family)->block);
  free((*family)->row);
  free(*family);
  *family = NULL;
}

int rattle_family_points(const rattle_family *family) {
  return family->points;
}

int rattle_family_multipliers(const rattle_family *family) {
  return family->orbit->floquet.count;
}

rattle_family_point rattle_family_point_of(const rattle_family *family, int i) {
  const double *row = family->row + (size_t)i * (size_t)family->width;
  const int nz = family->orbit->s.nz, count = family->orbit->floquet.count;
  return (rattle_family_point){.arclength = row[0],
                               .energy = row[1],
                               .period = row[2],
                               .radius = row[3],
                               .parameter = row[4],
                               .event = (rattle_family_event)row[5],
                               .z = row + SIZES,
                               .real = row + SIZES + nz,
                               .imaginary = row + SIZES + nz + count};
}

const char *rattle_family_why(const rattle_family *family) {
  return family->why;
}
