/* Families of equilibria along a parameter: the way from one to the next, and what happens between
 * them.
 *
 * Steps   become longer where corrections are easy and the tangent hardly turns; they are halved
 *         where no equilibrium is found next to the last one, where the tangent turns by much,
 *         where several stiffnesses change their signs, or the parabola through three values of one
 *         goes through 0 and back
 * Events  signs of the eigenvalues of K, which are continuous as they are sorted, with forces that
 *         of det K; of the largest growth of a motion that oscillates; and of dmu. Regula falsi
 *         (Illinois) in the arclength, to the round-off of what changes its sign; at a fold the
 *         parameter is known to the square of that */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "ground/support/number.h"
#include "ground/support/sign_change.h"
#include "ground/support/sized.h"
#include "problem/model/model.h"
#include "runs/statics/branch.h"

enum { USUAL_POINTS = 200, ROOTS = 60, NUDGES = 8 };
static const double first_step = 0.02, longest = 0.05, fine = 0x1p-10, least_step = 0x1p-24;

struct rattle_equilibria {
  rattle__branch b;
  rattle_equilibria_options options;
  rattle__standing before, now, tried;
  double span;             /* how far coordinates have gone, wherever their origin is */
  double *earlier, behind; /* the tests of the point before `before`, and how far back it is */
  rattle_equilibria_point *point;
  int points, room, lowest; /* lowest: modes that are kept; 0: all */
  double step;
  char why[600], lost[160]; /* lost: an event that could not be located */
};

const char *rattle_equilibria_event_name(rattle_equilibria_event event) {
  static const char *const names[] = {[RATTLE_EQUILIBRIA_NONE] = "",
                                      [RATTLE_EQUILIBRIA_END] = "end",
                                      [RATTLE_EQUILIBRIA_FOLD] = "fold",
                                      [RATTLE_EQUILIBRIA_BRANCH] = "branch",
                                      [RATTLE_EQUILIBRIA_FLUTTER] = "flutter"};
  return (unsigned)event < sizeof names / sizeof *names ? names[event] : "";
}

/* --- points that are kept --------------------------------------------------------------------- */

static const double *copy(rattle_equilibria *f, const double *from, int count) {
  double *to = rattle__arena_doubles(&f->b.arena, (size_t)count + 1);
  if (to && count) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static int count_unstable(const rattle_equilibrium *s) {
  int count = 0;
  while (count < s->d && s->value[count] < -rattle__statics_soft(s, count)) count++;
  return count;
}

/* False at events: linear terms do not decide there. */
static int decides(rattle_equilibria_event event) {
  return event == RATTLE_EQUILIBRIA_NONE || event == RATTLE_EQUILIBRIA_END;
}

static rattle_status keep(rattle_equilibria *f, rattle__standing *rest,
                          rattle_equilibria_event event, rattle_error *error) {
  rattle_equilibrium *s = rest->at;
  rattle_equilibrium_result *r = &s->result;
  rattle_status status = r->multipliers ? RATTLE_OK : rattle__statics_loads(s, error);
  if (!status && !r->q) status = rattle__statics_modes(s, error);
  if (status) return status;
  const int modes = f->lowest > 0 && f->lowest < r->modes ? f->lowest : r->modes;
  if (f->points == f->room) {
    const int room = f->room ? 2 * f->room : 64;
    rattle_equilibria_point *larger = realloc(f->point, (size_t)room * sizeof *larger);
    if (!larger) return rattle__no_memory(error);
    f->point = larger, f->room = room;
  }
  f->point[f->points++] =
      (rattle_equilibria_point){.parameter = rattle__branch_value(&f->b, rest->mu),
                                .arclength = rest->s,
                                .event = event,
                                .stable = decides(event) ? r->stable : -1,
                                .negative = count_unstable(s),
                                .energy = r->energy,
                                .softest = r->softest,
                                .q = copy(f, r->q, r->n),
                                .p = copy(f, r->p, r->n),
                                .multipliers = copy(f, r->multipliers, r->m + r->omitted),
                                .loads = r->m + r->omitted,
                                .modes = modes,
                                .real = copy(f, r->real, modes),
                                .imaginary = copy(f, r->imaginary, modes)};
  return f->b.arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

/* --- events ----------------------------------------------------------------------------------- */

/* The quantity that changes its sign: test i, or after them dmu. */
static double value_of(const rattle_equilibria *f, const rattle__standing *rest, int i) {
  return i < f->b.tests ? rest->test[i] : rest->dmu;
}

static double rounding_of(const rattle_equilibria *f, const rattle__standing *rest, int i) {
  const int growth =
      i == rattle__branch_growth(&f->b); /* its root is simple, soft of a double one */
  return i == f->b.tests || growth ? 0 : rest->soft[i] / 16;
}

/* True of growth that begins where motions neither grew nor decayed: only its sign says where. */
static int begins_at_zero(const rattle_equilibria *f, int i) {
  const rattle__standing *a = &f->before, *b = &f->now;
  return i == rattle__branch_growth(&f->b) &&
         (fabs(a->test[i]) <= a->soft[i] || fabs(b->test[i]) <= b->soft[i]);
}

/* `tried`: between `before` and `now`, where that is 0. */
static rattle_status locate(rattle_equilibria *f, int i, rattle_error *error) {
  const int halve = begins_at_zero(f, i);
  rattle__sign_change b = {.high = f->now.s - f->before.s,
                           .at_low = value_of(f, &f->before, i),
                           .at_high = value_of(f, &f->now, i)};
  /* where the parameter turns it is known to the square */
  const double near = i < f->b.tests ? 4 * DBL_EPSILON : 0x1p-26;
  double old = INFINITY;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < ROOTS && !status; k++) {
    double step = rattle__sign_change_secant(&b);
    if (halve || !(step > b.low && step < b.high)) step = (b.low + b.high) / 2;
    status = rattle__standing_go(&f->b, &f->before, &f->now, step, (double)NAN, &f->tried, error);
    if (status || fabs(step - old) <= near * b.high) break;
    const double value = value_of(f, &f->tried, i);
    old = step;
    if (!halve && fabs(value) <= rounding_of(f, &f->tried, i)) break;
    rattle__sign_change_narrow(&b, step, value,
                               halve ? f->tried.sign[i] == f->now.sign[i]
                                     : (value > 0) == (b.at_high > 0));
  }
  return status;
}

static int changes(const rattle_equilibria *f, int i) {
  return f->before.sign[i] * f->now.sign[i] < 0;
}

static int turns(const rattle_equilibria *f) {
  return f->before.dmu * f->now.dmu < 0;
}

static rattle_status note(rattle_equilibria *f, int i, rattle_equilibria_event event,
                          rattle_error *error) {
  const rattle_status status = locate(f, i, error);
  if (status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED) return status;
  if (status) {
    rattle__print(f->lost, sizeof f->lost,
                  "an event between %s = %.9g and %.9g could not be located", f->b.parameter,
                  rattle__branch_value(&f->b, f->before.mu),
                  rattle__branch_value(&f->b, f->now.mu));
    return RATTLE_OK;
  }
  const rattle_equilibria_point *last = f->points ? &f->point[f->points - 1] : NULL;
  if (last && last->event == event && last->arclength == f->tried.s) return RATTLE_OK;
  return keep(f, &f->tried, event, error);
}

/* Those of the last step, in their order. */
static rattle_status note_events(rattle_equilibria *f, rattle_error *error) {
  const int growth = rattle__branch_growth(&f->b), turned = turns(f);
  int folds = turned;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < f->b.tests && !status; i++) {
    if (!changes(f, i)) continue;
    const rattle_equilibria_event event = i == growth ? RATTLE_EQUILIBRIA_FLUTTER
                                          : folds     ? RATTLE_EQUILIBRIA_FOLD
                                                      : RATTLE_EQUILIBRIA_BRANCH;
    status = note(f, i, event, error);
    if (event == RATTLE_EQUILIBRIA_FOLD) folds = 0;
  }
  /* the parameter turns, and nothing becomes unstable: another branch goes through there */
  if (!status && folds) status = note(f, f->b.tests, RATTLE_EQUILIBRIA_BRANCH, error);
  return status;
}

/* --- the way ---------------------------------------------------------------------------------- */

/* True if test i may have gone through 0 and back: by the parabola through its last values. */
static int may_hide(const rattle_equilibria *f, int i) {
  const double h = f->now.s - f->before.s, k = f->behind, a = f->earlier[i], b = f->before.test[i],
               c = f->now.test[i];
  if (!(k > 0) || !(a * b > 0) || !(b * c > 0)) return 0;
  const double curve = ((c - b) / h - (b - a) / k) / (h + k), slope = (c - b) / h - curve * h;
  const double at = curve != 0 ? -slope / (2 * curve) : -1;
  return at > 0 && at < h && (b + at * (slope + curve * at)) * b < 0;
}

/* By how much the tangent turned, in the measure of the steps; and in that of the way so far, which
 * does not depend on the origin: far from it another family is as near as the same one. */
static double least_cosine(const rattle_equilibria *f) {
  const double w = f->before.w, size = f->b.size,
               turned = rattle__standing_angle(&f->b, &f->before, &f->now, w);
  if (!(f->span > 0x1p-26 * size)) return turned;
  return fmin(turned, rattle__standing_angle(&f->b, &f->before, &f->now, w * size / f->span));
}

static void see_span(rattle_equilibria *f) {
  const double *q = f->point[0].q;
  for (int k = 0; k < f->b.n; k++) f->span = fmax(f->span, fabs(f->now.at->z[k] - q[k]));
}

/* True if the step is too long to tell what happened in it. */
static int is_too_long(const rattle_equilibria *f) {
  int events = 0, hidden = 0;
  if (least_cosine(f) < 0.9) return 1;
  if (f->now.s - f->before.s < fine) return 0;
  for (int i = 0; i < f->b.tests; i++) {
    events += changes(f, i);
    hidden |= may_hide(f, i);
  }
  return events > 1 || hidden;
}

static rattle_status try_step(rattle_equilibria *f, double h, double end, int *taken,
                              rattle_error *error) {
  const rattle_status status = rattle__standing_go(&f->b, &f->before, NULL, h, end, &f->now, error);
  const double mu = f->now.mu;
  *taken = !status && !is_too_long(f) && (isfinite(end) || (mu > 0 && mu < 1));
  return status == RATTLE_NO_MEMORY || status == RATTLE_INTERRUPTED ? status : RATTLE_OK;
}

/* How far it is to mu = 0 or 1, *end, along the tangent; INFINITY: the step leads to neither. */
static double way_to_end(const rattle_equilibria *f, double *end) {
  const double dmu = f->before.dmu;
  *end = dmu > 0 ? 1 : 0;
  const double way = dmu != 0 ? (*end - f->before.mu) / dmu : INFINITY;
  return way <= f->step ? way : INFINITY;
}

/* From `before` to `now`; *ended: it is the last point, or there is none. */
static rattle_status step_on(rattle_equilibria *f, int *ended, rattle_error *error) {
  int taken = 0, nudges = 0;
  const rattle__standing other = f->before;
  f->before = f->now, f->now = other;
  *error = (rattle_error){0};
  for (; f->step > least_step; f->step /= 2) {
    double end;
    const double way = way_to_end(f, &end);
    if (isfinite(way)) {
      const rattle_status status = try_step(f, way, end, &taken, error);
      if (status) return status;
      if (taken) return *ended = 1, RATTLE_OK;
      f->step = way;
      continue;
    }
    const rattle_status status = try_step(f, f->step, (double)NAN, &taken, error);
    if (status) return status;
    if (taken && f->now.on && nudges++ < NUDGES) {
      f->step *= 1.8; /* a little shorter: between two points, not on one */
      continue;
    }
    if (taken) break;
  }
  *ended = !taken;
  if (taken && f->now.iterations <= 6 && least_cosine(f) > 0.98)
    f->step = fmin(longest, 1.5 * f->step);
  return RATTLE_OK;
}

static void explain(rattle_equilibria *f, const rattle_error *error) {
  const double value = rattle__branch_value(&f->b, f->before.mu);
  const char *name = f->b.parameter;
  rattle__print(f->why, sizeof f->why, "the family ends near %s = %.9g: %.300s", name, value,
                error->message[0] ? error->message
                                  : "it bends by much in any step, as at a corner");
}

static rattle_status follow(rattle_equilibria *f, rattle_error *error) {
  const int most = f->options.points ? f->options.points : USUAL_POINTS;
  rattle_status status = keep(f, &f->now, RATTLE_EQUILIBRIA_NONE, error);
  if (!status) *error = (rattle_error){0}; /* its message is that of the last step */
  f->step = first_step;
  for (int i = 1; !status; i++) {
    int ended = 0;
    if (i >= most) {
      rattle__print(
          f->why, sizeof f->why,
          "the family goes on at %s = %.9g: it has as many points as were asked for%s%.300s",
          f->b.parameter, rattle__branch_value(&f->b, f->now.mu),
          error->message[0] ? "; longer steps fail: " : "", error->message);
      break;
    }
    memcpy(f->earlier, f->before.test, (size_t)f->b.tests * sizeof *f->earlier);
    f->behind = i > 1 ? f->now.s - f->before.s : 0;
    status = step_on(f, &ended, error);
    if (status) break;
    if (ended && !(f->now.at && (f->now.mu == 0 || f->now.mu == 1)))
      return explain(f, error), status;
    see_span(f);
    status = note_events(f, error);
    if (!status)
      status = keep(f, &f->now, ended ? RATTLE_EQUILIBRIA_END : RATTLE_EQUILIBRIA_NONE, error);
    if (status || !ended) continue;
    if (f->now.mu == 0)
      rattle__print(f->why, sizeof f->why, "the family turns back and comes to %s = %.9g again",
                    f->b.parameter, f->b.from);
    break;
  }
  return status;
}

/* --- making ----------------------------------------------------------------------------------- */

static rattle_status check(rattle_equilibria *f, const rattle_problem *problem,
                           rattle_error *error) {
  const rattle_parameter *declared;
  const rattle_model *model = rattle_problem_model(problem);
  const char *name = f->options.parameter;
  if (!name || !model)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameter",
                        "a family of equilibria needs a model and the name of its parameter");
  if (problem->n > RATTLE__DENSE_PAIRS)
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "families of equilibria are followed for up to %d pairs, and the problem "
                        "has %d",
                        RATTLE__DENSE_PAIRS, problem->n);
  const int count = rattle_model_parameters(model, &declared), steadies = f->b.how.steadies;
  rattle__nearest near = {.name = name};
  f->b.from = (double)NAN;
  for (int i = 0; i < count; i++) {
    rattle__nearest_try(&near, declared[i].name);
    if (!strcmp(declared[i].name, name)) f->b.from = declared[i].value;
  }
  f->b.steady = rattle__arena_take(&f->b.arena, ((size_t)steadies + 1) * sizeof *f->b.steady);
  if (!f->b.steady) return rattle__no_memory(error);
  for (int i = 0; i < steadies; i++) {
    f->b.steady[i] = f->b.how.steady[i];
    if (isnan(f->b.from) && !strcmp(f->b.steady[i].name, name)) f->b.from = f->b.steady[i].value;
  }
  f->b.how.steady = f->b.steady;
  if (isnan(f->b.from))
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, "parameter", "the model has no parameter '%s'%s%s%s", name,
        near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
  if (!isfinite(f->options.to) || f->options.to == f->b.from || f->options.points < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "to",
                        "the family begins at %s = %.9g: give another finite value for its end, "
                        "and 0 or more points",
                        name, f->b.from);
  f->b.to = f->options.to, f->b.parameter = name;
  return RATTLE_OK;
}

static void reserve(rattle_equilibria *f, const rattle_equilibrium *found) {
  rattle__branch *b = &f->b;
  b->n = found->n, b->d = found->d;
  b->tests = b->d ? 1 + (b->base->force ? 1 : b->d) : 0;
  const size_t n = (size_t)b->n, size = (size_t)b->d + 1;
  const rattle__array arrays[] = {{&b->A, size * size},
                                  {&b->b, size},
                                  {&b->aim, n + 1},
                                  {&b->q, n + 1},
                                  {&b->row, size},
                                  {&b->side, 2 * n},
                                  {&f->earlier, (size_t)b->tests + 1}};
  RATTLE__LAY_OUT(&b->arena, arrays);
  rattle__standing_lay_out(b, &f->before);
  rattle__standing_lay_out(b, &f->now);
  rattle__standing_lay_out(b, &f->tried);
}

static rattle_status make(rattle_equilibria *f, const rattle_problem *problem, const double *q,
                          rattle_error *error) {
  /* a value serves for a few evaluations: not worth a compiler */
  const rattle_problem_options evaluated = {.struct_size = sizeof evaluated,
                                            .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_problem *base = NULL;
  rattle_equilibrium *found = NULL;
  rattle_status status = check(f, problem, error);
  if (!status)
    status = rattle_problem_create(&base, (rattle_model *)rattle_problem_model(problem), &evaluated,
                                   error);
  f->lowest = f->b.how.modes, f->b.how.modes = 0; /* events are those of all modes */
  f->b.base = base;
  if (!status) status = rattle_equilibrium_create(&found, base, q, &f->b.how, error);
  if (status) return status;
  reserve(f, found);
  if (f->b.arena.failed) {
    rattle_equilibrium_destroy(&found);
    return rattle__no_memory(error);
  }
  f->b.size = found->size;
  status = rattle__standing_begin(&f->b, &f->now, found, error);
  return status ? status : follow(f, error);
}

rattle_status rattle_equilibria_create(rattle_equilibria **family, const rattle_problem *problem,
                                       const double *q, const rattle_equilibria_options *options,
                                       rattle_error *error) {
  rattle_error local;
  if (!error) error = &local;
  rattle_equilibria *f = *family = calloc(1, sizeof *f);
  if (!f) return rattle__no_memory(error);
  rattle_status status =
      RATTLE__TAKE(&f->options, rattle_equilibria_options, points, options, error);
  if (!status)
    status =
        RATTLE__TAKE(&f->b.how, rattle_equilibrium_options, interrupt, f->options.first, error);
  if (!status) status = rattle__statics_refuse_rows(problem, "along a parameter", error);
  if (!status) status = make(f, problem, q, error);
  if (f->lost[0])
    rattle__print(f->why + strlen(f->why), sizeof f->why - strlen(f->why), "%s%s",
                  f->why[0] ? "; " : "", f->lost);
  if (status) rattle_equilibria_destroy(family);
  return status;
}

void rattle_equilibria_destroy(rattle_equilibria **family) {
  if (!family || !*family) return;
  rattle_equilibria *f = *family;
  rattle_problem *base = (rattle_problem *)f->b.base;
  rattle__standing_drop(&f->before);
  rattle__standing_drop(&f->now);
  rattle__standing_drop(&f->tried);
  rattle_problem_destroy(&base);
  rattle__arena_release(&f->b.arena);
  free(f->point);
  free(f);
  *family = NULL;
}

int rattle_equilibria_points(const rattle_equilibria *family) {
  return family->points;
}

rattle_equilibria_point rattle_equilibria_point_of(const rattle_equilibria *family, int i) {
  return family->point[i];
}

const char *rattle_equilibria_why(const rattle_equilibria *family) {
  return family->why;
}
