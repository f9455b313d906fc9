/* Advice: the cheapest method and step for an error that is wanted, found by measuring.
 *
 * Every candidate is swept with ever smaller steps until its error is below the one wanted. The few that then look cheapest are
 * searched for the longest step with which the error is below it, and stays below it with steps that are up to a fifth shorter:
 * an error that is small by chance does not count. These are put before the clock one by one, and the cheapest is advised. How
 * sure that is comes from its neighbours, from the run with half the step, and from the error of the reference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "study/sweep.h"

enum { FINALISTS = 4, BISECTIONS = 6, RESTARTS = 6, NEIGHBOURS = 3 };
/* the search aims a little below what is wanted; the longest step is found to this ratio */
static const double aim = 0.9, close_enough = 1.03;
/* steps that are so much shorter must keep the error too */
static const double shorter[NEIGHBOURS] = {1.06, 1.13, 1.2};

/* One candidate in the last round. */
typedef struct finalist {
  const rattle__sweep *sweep;
  int row;                      /* of the study's methods */
  double predicted;             /* seconds */
  long long steps;              /* found; 0: none */
  double error;                 /* with them */
  double neighbour[NEIGHBOURS]; /* errors with shorter steps */
  double half;                  /* error with half the step */
  rattle__trial price;
} finalist;

typedef struct contest {
  rattle_study *study;
  finalist finalist[FINALISTS];
  int finalists;
} contest;

/* The error of one more run, in the quantity of the study. NaN: it failed. */
static double error_of(const finalist *f, long long steps, rattle__job *job) {
  rattle_study *study = f->sweep->study;
  rattle__sweep *one = calloc(1, sizeof *one);
  double *z = malloc(2 * (size_t)study->n * (size_t)study->looks * sizeof *z), error = (double)NAN;
  if (one && z) {
    *one = (rattle__sweep){.study = study, .method = f->sweep->method, .claims = f->sweep->claims};
    one->trial[0] = (rattle__trial){.steps = steps, .z = z};
    rattle__trial_run(study, one->method, &one->trial[0], job);
    if (!one->trial[0].status && study->reference.known) one->errors[0] = rattle__trial_errors(study, z);
    error = rattle__sweep_error(one, 0);
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

/* Narrows [low, *high], where the error is too large and small enough. */
static void bisect(finalist *f, double wanted, long long low, rattle__job *job) {
  rattle_study *study = f->sweep->study;
  for (int i = 0; i < BISECTIONS && (double)f->steps > close_enough * (double)low; i++) {
    long long middle = whole(study, sqrt((double)low * (double)f->steps), low);
    if (middle >= f->steps || rattle__job_stopped(job)) return;
    double error = error_of(f, middle, job);
    if (error <= aim * wanted)
      f->steps = middle, f->error = error;
    else
      low = middle;
  }
}

/* Where a shorter step has a larger error than wanted, the search goes on from there. */
static void settle(finalist *f, double wanted, rattle__job *job) {
  rattle_study *study = f->sweep->study;
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

static void search(void *self, int i, int k, rattle__job *job) {
  contest *c = self;
  finalist *f = &c->finalist[i];
  const rattle__sweep *sweep = f->sweep;
  double wanted = c->study->options.error;
  int reached = sweep->done - 1, before = reached - 1;
  (void)k;
  while (before >= 0 && sweep->trial[before].status) before--;
  f->steps = sweep->trial[reached].steps;
  f->error = rattle__sweep_error(sweep, reached);
  if (before >= 0) bisect(f, wanted, sweep->trial[before].steps, job);
  settle(f, wanted, job);
  if (f->steps) f->half = error_of(f, 2 * f->steps, job);
}

static void clock_it(void *self, int i, int k, rattle__job *job) {
  contest *c = self;
  finalist *f = &c->finalist[i];
  (void)k;
  f->price = (rattle__trial){.steps = f->steps};
  rattle__trial_time(c->study, f->sweep->method, &f->price, job);
}

/* --- rounds ------------------------------------------------------------------------------------------------------------------
 */

static int has_reached(const rattle__sweep *sweep) {
  return sweep->done > 0 && rattle__sweep_error(sweep, sweep->done - 1) <= sweep->enough;
}

/* Seconds that the error wanted will take, by the last two runs. */
static double predict(const rattle__sweep *sweep) {
  int last = sweep->done - 1, before = last - 1;
  double wanted = sweep->enough, seconds = sweep->trial[last].cpu;
  while (before >= 0 && sweep->trial[before].status) before--;
  if (before < 0) return seconds;
  double fine = rattle__sweep_error(sweep, last), coarse = rattle__sweep_error(sweep, before);
  double part = coarse > wanted && fine < coarse ? log(coarse / wanted) / log(coarse / fine) : 1;
  double steps = (double)sweep->trial[last].steps, coarse_steps = (double)sweep->trial[before].steps;
  return seconds * pow(coarse_steps / steps, 1 - part);
}

/* The candidates that look cheapest, in that order. */
static void choose(contest *c, const rattle__sweep *sweep) {
  for (int i = 0; i < c->study->methods; i++) {
    if (!has_reached(&sweep[i])) continue;
    finalist f = {.sweep = &sweep[i], .row = i, .predicted = predict(&sweep[i])};
    if (c->finalists == FINALISTS && c->finalist[FINALISTS - 1].predicted <= f.predicted) continue;
    int at = c->finalists < FINALISTS ? c->finalists++ : FINALISTS - 1;
    for (; at > 0 && c->finalist[at - 1].predicted > f.predicted; at--) c->finalist[at] = c->finalist[at - 1];
    c->finalist[at] = f;
  }
}

static rattle_status last_rounds(contest *c, rattle_error *error) {
  rattle_study *study = c->study;
  rattle_study_options alone = study->options;
  rattle__watch quiet = study->watch;
  int most[FINALISTS], done[FINALISTS];
  for (int i = 0; i < c->finalists; i++) most[i] = 1;
  study->watch.stage = quiet.stage = "search";
  rattle__jobs jobs = {.lines = c->finalists, .most = most, .work = search, .self = c, .done = done};
  rattle_status status = rattle__jobs_run(&jobs, &study->watch, error);
  if (status) return status;
  /* one after the other, so that they do not disturb each other */
  alone.threads = 1;
  quiet.options = &alone;
  quiet.stage = "clock";
  for (int i = 0; i < c->finalists; i++) most[i] = c->finalist[i].steps > 0;
  jobs.work = clock_it;
  return rattle__jobs_run(&jobs, &quiet, error);
}

/* --- what is said ------------------------------------------------------------------------------------------------------------
 */

enum { STEP, STEPS, ERROR, SECONDS, GRADIENTS, NS, HALF, LOCAL_ORDER, SPREAD, FIGURES };
static const char *const figure_name[FIGURES] = {"step",        "steps",           "error",       "cpu_seconds", "gradient",
                                                 "ns_per_step", "error_half_step", "local_order", "spread"};

/* How far errors of the neighbours are from falling like h^order: largest over smallest of error (N/steps)^order. */
static double spread_of(const finalist *f) {
  int order = f->sweep->claims.order < RATTLE_ORDER_EXACT ? f->sweep->claims.order : 0;
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
                                 [ERROR] = f->error,
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

/* What became of a candidate that is no finalist. */
static void dismiss(rattle_study *study, const rattle__sweep *sweep, rattle_study_method *row) {
  int last = sweep->done - 1;
  if (row->status) return;
  if (last < 0) {
    rattle__sweep_excuse(sweep, row);
    return;
  }
  double error = rattle__sweep_error(sweep, last), steps = (double)sweep->trial[last].taken;
  if (isnan(error)) {
    rattle__sweep_excuse(sweep, row);
  } else if (has_reached(sweep)) {
    row->verdict = "dearer";
    row->why = rattle__study_text(study, "%.0f steps are enough, %.1e s", steps, sweep->trial[last].cpu);
  } else if (error <= rattle__sweep_floor(sweep, last)) {
    row->verdict = "never";
    row->why = rattle__study_text(study, "no error below %.1e can be told", rattle__sweep_floor(sweep, last));
  } else {
    row->verdict = "too dear";
    row->why = rattle__study_text(study, "%.1e with %.0f steps; would need some %.1e", error, steps,
                                  steps * pow(error / sweep->enough, 1.0 / sweep->claims.order));
  }
}

/* The verdict about the best. */
static void judge(rattle_study *study, const finalist *f) {
  rattle_study_result *r = &study->r;
  double wanted = study->options.error, order = f->sweep->claims.order, local = log2(f->error / f->half);
  int solution = study->options.quantity == RATTLE_STUDY_SOLUTION;
  int exact = f->sweep->claims.order >= RATTLE_ORDER_EXACT, known = !solution || r->reference.error < wanted / 10;
  /* the run with half the step may be at round-off already */
  int falls = local > 0.6 * order || f->half <= 3 * rattle__sweep_floor(f->sweep, f->sweep->done - 1);
  double spread = spread_of(f);
  r->verdict = known && falls && (spread < 3 || exact) ? "sure" : known && falls ? "fairly sure" : "unsure";
  const char *falling =
      exact ? "at round-off" : rattle__study_text(study, "within a factor of %.1f of h^%d", spread, f->sweep->claims.order);
  const char *reference = solution ? rattle__study_text(study, "; the reference is known to %.1e", r->reference.error) : "";
  r->why = rattle__study_text(study,
                              "measured %.1e of the %.1e wanted; with steps shorter by up to a fifth the error stays below, %s; "
                              "with half the step it is %.1e (h^%.1f)%s",
                              f->error, wanted, falling, f->half, local, reference);
}

/* Seconds; what is not symplectic has to be a tenth cheaper. */
static double price_of(const finalist *f) {
  return f->price.cpu * (f->sweep->claims.symplectic ? 1 : 1.1);
}

static void conclude(rattle_study *study, const contest *c, const rattle__sweep *sweep, rattle_study_method *row) {
  rattle_study_result *r = &study->r;
  const finalist *best = NULL;
  for (int i = 0; i < study->methods; i++) {
    const finalist *own = NULL;
    for (int k = 0; k < c->finalists; k++)
      if (c->finalist[k].row == i && c->finalist[k].steps && !isnan(c->finalist[k].price.cpu)) own = &c->finalist[k];
    if (!own) {
      dismiss(study, &sweep[i], &row[i]);
      continue;
    }
    fill(study, own, &row[i]);
    if (!best || price_of(own) < price_of(best)) best = own;
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
  r->why = "no candidate reaches it: take a larger --error, an earlier --stop or more --effort";
}

/* The reference is no better than what is wanted: nothing can be measured. */
static rattle_status give_none(rattle_study *study, rattle_study_method *row) {
  rattle_study_result *r = &study->r;
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  for (int i = 0; i < study->methods; i++) row[i].verdict = row[i].status ? "" : "not tried";
  r->verdict = "none";
  r->why = rattle__study_text(study,
                              "an error of %.1e cannot be told at that time: the reference itself is known to %.1e only; take an "
                              "earlier --stop, or --quantity energy",
                              study->options.error, r->reference.error);
  if (!figure) return RATTLE_OK; /* noticed by who called */
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
                        "the error wanted is %g; it must lie between 0 and 1, as it is relative", wanted);
  rattle__need need = study->options.quantity == RATTLE_STUDY_SOLUTION ? RATTLE__NEEDED : RATTLE__WISHED;
  rattle_status status = rattle__reference_make(study, need, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, methods, study->method);
  if (!row) return rattle__no_memory(error);
  if (need == RATTLE__NEEDED && !(study->r.reference.error < wanted / 2)) return give_none(study, row);
  rattle__sweep *sweep = calloc((size_t)methods, sizeof *sweep);
  contest c = {.study = study};
  if (!sweep) return rattle__no_memory(error);
  for (int i = 0; i < methods; i++) {
    rattle__sweep_plan(study, &row[i], 1, &sweep[i]);
    sweep[i].enough = aim * wanted;
  }
  status = rattle__sweep_run(study, sweep, methods, error);
  if (!status) choose(&c, sweep);
  if (!status && c.finalists) status = last_rounds(&c, error);
  if (!status) conclude(study, &c, sweep, row);
  free(sweep);
  /* half an advice is none */
  if (status == RATTLE_INTERRUPTED) study->r.method = NULL;
  return status;
}
