/* Advice: the cheapest method and step that reach an error, found by measuring.
 *
 * Every candidate runs with decreasing steps until its error is below the one to reach, or until it
 * is clear that this takes much longer than with another; those that may be quick run first. The
 * few that then look cheapest are searched for the longest step with which the error is below it,
 * and stays below it with steps that are up to a fifth shorter: an error that is small by chance
 * does not count. They are put before the clock one by one. The reference goes with the cheapest
 * through the whole run, step by step, and the step is shortened if the error is larger between the
 * common times than at them; if another is then cheaper, it is its turn. The cheapest is advised.
 * How sure that is comes from its neighbours, from the run with half the step, and from the error
 * of the reference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "examine/study/refinement.h"

enum { FINALISTS = 6, GUESSES = 6, RESTARTS = 6, NEIGHBOURS = 3 };
/* the search aims a little below what is wanted; the longest step is found to this ratio */
static const double aim = 0.9, close_enough = 1.03, a_little = 1.01;
/* finalists may look so many times costlier than the cheapest */
static const double close_call = 1.5;
/* steps that are so much shorter must keep the error too */
static const double shorter[NEIGHBOURS] = {1.06, 1.13, 1.2};

/* One candidate in the last round. */
typedef struct finalist {
  const rattle__refinement *refinement;
  int row;                      /* of the study's methods */
  double predicted;             /* seconds */
  long long steps;              /* found; 0: none */
  double error;                 /* with them */
  double neighbour[NEIGHBOURS]; /* errors with shorter steps */
  double half;                  /* error with half the step */
  double
      most; /* the largest error: along the whole run where `confirmed`, else at the common times */
  int confirmed;
  rattle__trial price;
} finalist;

typedef struct contest {
  rattle_study *study;
  finalist finalist[FINALISTS];
  int finalists;
} contest;

/* The error of one more run, in the quantity of the study. NaN: it failed. */
static double error_of(const finalist *f, long long steps, rattle__job *job) {
  rattle_study *study = f->refinement->study;
  rattle__refinement *one = calloc(1, sizeof *one);
  double *z = malloc(2 * (size_t)study->n * (size_t)study->looks * sizeof *z), error = (double)NAN;
  if (one && z) {
    *one = (rattle__refinement){
        .study = study, .method = f->refinement->method, .claims = f->refinement->claims};
    one->trial[0] = (rattle__trial){.steps = steps, .z = z};
    rattle__trial_run(study, one->method, &one->trial[0], job);
    if (!one->trial[0].status && study->reference.known)
      one->errors[0] = rattle__trial_errors(study, z);
    error = rattle__refinement_error(one, 0);
  }
  free(z);
  free(one);
  return error;
}

/* The number of steps nearest to x that is a multiple of the ticks, and more than `over`. */
static long long whole(const rattle_study *study, double x, long long over) {
  long long ticks = study->ticks, steps = llround(x / (double)ticks) * ticks;
  return steps > over ? steps : (over / ticks + 1) * ticks;
}

/* Steps between low and f->steps to try next: where the error would be the one aimed at if it fell
 * as claimed, or a little beyond if that is known to be small enough; the middle where this leads
 * nowhere. */
static double guess(const finalist *f, double wanted, long long low) {
  const double order = f->refinement->claims.order, high = (double)f->steps,
               least = a_little * (double)low;
  const double there = a_little * high * pow(f->error / (aim * wanted), 1 / order);
  const double next = there < high / a_little ? there : high / close_enough;
  return next > least ? next : sqrt((double)low * high);
}

/* Narrows [low, f->steps], where the error is too large and small enough. */
static void narrow(finalist *f, double wanted, long long low, rattle__job *job) {
  rattle_study *study = f->refinement->study;
  for (int i = 0; i < GUESSES && (double)f->steps > close_enough * (double)low; i++) {
    long long middle = whole(study, guess(f, wanted, low), low);
    if (middle >= f->steps || rattle__job_stopped(job)) return;
    double error = error_of(f, middle, job);
    if (error <= aim * wanted)
      f->steps = middle, f->error = error;
    else
      low = middle;
  }
}

/* Continues the search from a shorter step with a larger error than wanted, if there is one. */
static void settle(finalist *f, double wanted, rattle__job *job) {
  rattle_study *study = f->refinement->study;
  for (int restart = 0; restart <= RESTARTS; restart++) {
    int kept = 1;
    for (int i = 0; i < NEIGHBOURS && kept; i++) {
      long long steps = whole(study, shorter[i] * (double)f->steps, f->steps);
      f->neighbour[i] = error_of(f, steps, job);
      kept = f->neighbour[i] <= wanted;
      if (!kept) f->steps = whole(study, shorter[0] * (double)steps, steps);
    }
    if (kept || rattle__job_stopped(job)) return;
    f->error = error_of(f, f->steps, job);
  }
  f->steps = 0;
}

/* Shortens the step until the error is below the one wanted along the whole run. */
static void confirm(finalist *f, double wanted, rattle__job *job) {
  rattle_study *study = f->refinement->study;
  const double order = f->refinement->claims.order;
  for (int restart = 0; f->steps && !rattle__job_stopped(job); restart++) {
    f->most = study->options.quantity == RATTLE_STUDY_SOLUTION
                  ? rattle__study_whole_run(study, f->refinement->method, f->steps, job)
                  : f->error; /* of the energy, taken after every step */
    if (!(f->most > wanted)) return;
    f->steps =
        restart < RESTARTS
            ? whole(study, (double)f->steps * pow(f->most / (aim * wanted), 1 / order), f->steps)
            : 0;
    if (f->steps) f->error = error_of(f, f->steps, job);
    if (f->steps) settle(f, wanted, job);
  }
}

static void search(void *self, int i, int k, rattle__job *job) {
  contest *c = self;
  finalist *f = &c->finalist[i];
  const rattle__refinement *refinement = f->refinement;
  double wanted = c->study->options.error;
  int reached = refinement->done - 1, before = reached - 1;
  (void)k;
  while (before >= 0 && refinement->trial[before].status) before--;
  f->steps = refinement->trial[reached].steps;
  f->error = rattle__refinement_error(refinement, reached);
  narrow(f, wanted, before >= 0 ? refinement->trial[before].steps : c->study->ticks / 2, job);
  settle(f, wanted, job);
  if (f->steps) f->half = error_of(f, 2 * f->steps, job);
  f->most = f->error;
}

/* The longest first, so that no thread is left alone with it at the end. */
static double longest_first(void *self, int i) {
  return -((contest *)self)->finalist[i].predicted;
}

static void clock_it(void *self, int i, int k, rattle__job *job) {
  contest *c = self;
  finalist *f = &c->finalist[i];
  (void)k;
  f->price = (rattle__trial){.steps = f->steps};
  rattle__trial_time(c->study, f->refinement->method, &f->price, job);
}

static void confirm_it(void *self, int i, int k, rattle__job *job) {
  contest *c = self;
  finalist *f = &c->finalist[i];
  const long long before = f->steps;
  confirm(f, c->study->options.error, job);
  f->confirmed = 1;
  if (!f->steps || f->steps == before) return;
  f->half = error_of(f, 2 * f->steps, job);
  clock_it(self, i, k, job);
}

/* --- rounds ----------------------------------------------------------------------------------- */

static int has_reached(const rattle__refinement *refinement) {
  return refinement->done > 0 &&
         rattle__refinement_error(refinement, refinement->done - 1) <= refinement->enough;
}

/* Seconds that the error wanted will take, by the last two runs. */
static double predict(const rattle__refinement *refinement) {
  int last = refinement->done - 1, before = last - 1;
  double wanted = refinement->enough, seconds = refinement->trial[last].cpu;
  while (before >= 0 && refinement->trial[before].status) before--;
  if (before < 0) return seconds;
  double fine = rattle__refinement_error(refinement, last),
         coarse = rattle__refinement_error(refinement, before);
  double part = coarse > wanted && fine < coarse ? log(coarse / wanted) / log(coarse / fine) : 1;
  double steps = (double)refinement->trial[last].steps,
         coarse_steps = (double)refinement->trial[before].steps;
  return seconds * pow(coarse_steps / steps, 1 - part);
}

/* The candidates that look cheapest, in that order. */
static void choose(contest *c, const rattle__refinement *refinement) {
  for (int i = 0; i < c->study->methods; i++) {
    if (!has_reached(&refinement[i])) continue;
    finalist f = {.refinement = &refinement[i], .row = i, .predicted = predict(&refinement[i])};
    if (c->finalists == FINALISTS && c->finalist[FINALISTS - 1].predicted <= f.predicted) continue;
    int at = c->finalists < FINALISTS ? c->finalists++ : FINALISTS - 1;
    for (; at > 0 && c->finalist[at - 1].predicted > f.predicted; at--)
      c->finalist[at] = c->finalist[at - 1];
    c->finalist[at] = f;
  }
  while (c->finalists &&
         c->finalist[c->finalists - 1].predicted > close_call * c->finalist[0].predicted)
    c->finalists--;
}

/* Seconds; what is not symplectic has to be a tenth cheaper. */
static double price_of(const finalist *f) {
  return f->price.cpu * (f->refinement->claims.symplectic ? 1 : 1.1);
}

/* The cheapest that was found and measured; -1: none. */
static int cheapest(const contest *c) {
  int best = -1;
  for (int i = 0; i < c->finalists; i++) {
    const finalist *f = &c->finalist[i];
    if (!f->steps || isnan(f->price.cpu)) continue;
    if (best < 0 || price_of(f) < price_of(&c->finalist[best])) best = i;
  }
  return best;
}

static rattle_status last_rounds(contest *c, rattle_error *error) {
  rattle_study *study = c->study;
  rattle_study_options alone = study->options;
  rattle__progress quiet = study->progress;
  int most[FINALISTS], done[FINALISTS];
  for (int i = 0; i < c->finalists; i++) most[i] = 1;
  study->progress.stage = quiet.stage = "search";
  rattle__jobs jobs = {.lines = c->finalists,
                       .most = most,
                       .work = search,
                       .price = longest_first,
                       .self = c,
                       .done = done};
  rattle_status status = rattle__jobs_run(&jobs, &study->progress, error);
  if (status) return status;
  /* one after the other, so that they do not disturb each other */
  alone.threads = 1;
  quiet.options = &alone;
  quiet.stage = "clock";
  for (int i = 0; i < c->finalists; i++) most[i] = c->finalist[i].steps > 0;
  jobs.work = clock_it, jobs.price = NULL;
  status = rattle__jobs_run(&jobs, &quiet, error);
  jobs.work = confirm_it;
  for (int best; !status && (best = cheapest(c)) >= 0 && !c->finalist[best].confirmed;) {
    for (int i = 0; i < c->finalists; i++) most[i] = i == best;
    status = rattle__jobs_run(&jobs, &quiet, error);
  }
  return status;
}

/* --- conclusions ------------------------------------------------------------------------------ */

enum { STEP, STEPS, ERROR, SECONDS, GRADIENTS, NS, HALF, LOCAL_ORDER, SPREAD, FIGURES };
static const char *const figure_name[FIGURES] = {
    "step",        "steps",           "error",       "cpu_seconds", "gradient",
    "ns_per_step", "error_half_step", "local_order", "spread"};

/* How far errors of the neighbours are from falling like h^order: largest over smallest of error
 * (N/steps)^order. */
static double spread_of(const finalist *f) {
  int order = f->refinement->claims.order < RATTLE_ORDER_EXACT ? f->refinement->claims.order : 0;
  double low = f->error, high = f->error;
  for (int i = 0; i < NEIGHBOURS; i++) {
    double level = f->neighbour[i] * pow(shorter[i], order);
    low = fmin(low, level), high = fmax(high, level);
  }
  return high / low;
}

static void fill(rattle_study *study, const finalist *f, rattle_study_method *row) {
  rattle_study_figure *figure = rattle__arena_take(&study->arena, FIGURES * sizeof *figure);
  if (!figure) return;
  const double value[FIGURES] = {[STEP] = study->span / (double)f->steps,
                                 [STEPS] = (double)f->price.taken,
                                 [ERROR] = f->most,
                                 [SECONDS] = f->price.cpu,
                                 [GRADIENTS] = (double)f->price.counts.gradient,
                                 [NS] = 1e9 * f->price.cpu / (double)f->price.taken,
                                 [HALF] = f->half,
                                 [LOCAL_ORDER] = log2(f->error / f->half),
                                 [SPREAD] = spread_of(f)};
  for (int i = 0; i < FIGURES; i++) figure[i] = (rattle_study_figure){figure_name[i], value[i]};
  row->figure = figure, row->figures = FIGURES;
  row->verdict = "measured";
}

/* The result of a candidate that is not a finalist. */
static void dismiss(rattle_study *study, const rattle__refinement *refinement,
                    rattle_study_method *row) {
  int last = refinement->done - 1;
  if (row->status) return;
  if (last < 0) {
    rattle__refinement_excuse(refinement, row);
    return;
  }
  double error = rattle__refinement_error(refinement, last),
         steps = (double)refinement->trial[last].taken;
  if (refinement->stopped) {
    row->verdict = "stopped";
    row->why =
        isnan(error)
            ? rattle__study_text(study, "no solution with %lld steps in %.1e s",
                                 refinement->trial[last].steps, refinement->trial[last].cpu)
            : rattle__study_text(study, "%.1e with %.0f steps; more take too long", error, steps);
  } else if (isnan(error)) {
    rattle__refinement_excuse(refinement, row);
  } else if (has_reached(refinement)) {
    row->verdict = "slower";
    row->why = rattle__study_text(study, "%.0f steps, %.1e s", steps, refinement->trial[last].cpu);
  } else if (error <= rattle__refinement_floor(refinement, last)) {
    row->verdict = "never";
    row->why = rattle__study_text(study, "no error below %.1e can be measured",
                                  rattle__refinement_floor(refinement, last));
  } else {
    row->verdict = "not reached";
    row->why = rattle__study_text(
        study, "%.1e with %.0f steps; the budget permits no more, and about %.1e are needed", error,
        steps, steps * pow(error / refinement->enough, 1.0 / refinement->claims.order));
  }
}

/* The verdict about the best. */
static void judge(rattle_study *study, const finalist *f) {
  rattle_study_result *r = &study->r;
  double wanted = study->options.error, order = f->refinement->claims.order,
         local = log2(f->error / f->half);
  int solution = study->options.quantity == RATTLE_STUDY_SOLUTION;
  int exact = f->refinement->claims.order >= RATTLE_ORDER_EXACT,
      known = isfinite(f->most) && (!solution || r->reference.error < wanted / 10);
  /* the run with half the step may be at round-off already */
  int falls = local > 0.6 * order ||
              f->half <= 3 * rattle__refinement_floor(f->refinement, f->refinement->done - 1);
  double spread = spread_of(f);
  r->verdict = known && falls && (spread < 3 || exact) ? "sure"
               : known && falls                        ? "fairly sure"
                                                       : "unsure";
  const char *falling = exact ? "at round-off"
                              : rattle__study_text(study, "within a factor of %.1f of h^%d", spread,
                                                   f->refinement->claims.order);
  const char *reference =
      solution
          ? rattle__study_text(study, "; the reference is accurate to %.1e", r->reference.error)
          : "";
  r->why = rattle__study_text(study,
                              "measured %.1e along the whole run, target %.1e; with steps up to a "
                              "fifth shorter the error stays below the target, "
                              "%s; with half the step it is %.1e (h^%.1f)%s",
                              f->most, wanted, falling, f->half, local, reference);
}

static void conclude(rattle_study *study, const contest *c, const rattle__refinement *refinement,
                     rattle_study_method *row) {
  rattle_study_result *r = &study->r;
  const int winner = cheapest(c);
  const finalist *best = winner < 0 ? NULL : &c->finalist[winner];
  for (int i = 0; i < study->methods; i++) {
    const finalist *own = NULL;
    for (int k = 0; k < c->finalists; k++)
      if (c->finalist[k].row == i && c->finalist[k].steps && !isnan(c->finalist[k].price.cpu))
        own = &c->finalist[k];
    if (!own) {
      dismiss(study, &refinement[i], &row[i]);
      continue;
    }
    fill(study, own, &row[i]);
  }
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  if (!figure) return;
  figure[0] = (rattle_study_figure){"error_wanted", study->options.error};
  figure[1] = (rattle_study_figure){"best", best ? best->row : (double)NAN};
  r->figure = figure, r->figures = 2;
  if (best) {
    judge(study, best);
    return;
  }
  r->verdict = "none";
  r->why =
      "no candidate reaches the error: use a larger --error, an earlier --stop or more --effort";
}

/* The reference is not better than the error to reach: nothing can be measured. */
static rattle_status give_none(rattle_study *study, rattle_study_method *row) {
  rattle_study_result *r = &study->r;
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  for (int i = 0; i < study->methods; i++) row[i].verdict = row[i].status ? "" : "not tried";
  r->verdict = "none";
  r->why = rattle__study_text(study,
                              "an error of %.1e cannot be measured at that time: the reference "
                              "itself is accurate to %.1e only; "
                              "use an earlier --stop, or --quantity energy",
                              study->options.error, r->reference.error);
  if (!figure) return RATTLE_OK; /* noticed by the caller */
  figure[0] = (rattle_study_figure){"error_wanted", study->options.error};
  figure[1] = (rattle_study_figure){"best", (double)NAN};
  r->figure = figure, r->figures = 2;
  return RATTLE_OK;
}

rattle_status rattle__study_advise(rattle_study *study, rattle_error *error) {
  int methods = study->methods;
  double wanted = study->options.error;
  if (!(wanted > 0) || wanted >= 1)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "error",
                        "the error to reach is %g; it is relative and must lie between 0 and 1",
                        wanted);
  rattle__need need =
      study->options.quantity == RATTLE_STUDY_SOLUTION ? RATTLE__NEEDED : RATTLE__WISHED;
  rattle_status status = rattle__reference_make(study, need, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, methods, study->method);
  if (!row) return rattle__no_memory(error);
  if (need == RATTLE__NEEDED && !(study->r.reference.error < wanted / 2))
    return give_none(study, row);
  rattle__refinement *refinement = calloc((size_t)methods, sizeof *refinement);
  contest c = {.study = study};
  if (!refinement) return rattle__no_memory(error);
  for (int i = 0; i < methods; i++) {
    rattle__refinement_plan(study, &row[i], 1, aim * wanted, &refinement[i]);
  }
  status = rattle__refinement_run(study, refinement, methods, error);
  if (!status) choose(&c, refinement);
  if (!status && c.finalists) status = last_rounds(&c, error);
  if (!status) conclude(study, &c, refinement, row);
  free(refinement);
  /* half an advice is none */
  if (status == RATTLE_INTERRUPTED) study->r.method = NULL;
  return status;
}
