/* Growing numbers of steps: the points of convergence and work (refinement.h). */
#include "examine/study/refinement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"

/* points at round-off after which finer steps show nothing new */
enum { AT_ROUND_OFF = 3 };
/* errors below `settled` may fall by so many orders more than claimed */
enum { MORE_ORDERS = 2 };
static const double settled = 0.01;
/* a refinement is stopped if it takes so many times the least seconds known, and less than `soon`
 * is never too much */
static const double hopeless = 2, soon = 1e-3;
/* a run is given up if it takes so many times the seconds expected: iterations that hardly converge
 * with long steps; where nothing but the reference says what is expected, so many times more */
static const double patience = 4, ignorance = 4;
/* steps that are long make a map costlier than short ones, by iterations: at most so many times
 * where errors are small */
static const double costliest = 2;
/* radians of the fastest motion in the first steps tried */
static const double longest = 8;

/* Refinements that run together. */
typedef struct race {
  rattle__refinement *refinement;
  int *most;   /* of the jobs */
  double best; /* seconds of the shortest run with an error that is enough */
} race;

/* The largest work of one run, so that a study takes seconds whatever the size of the problem: base
 * maps, evaluations. */
static double share(const rattle_study *study, double small_problem) {
  double effort = study->options.effort > 0 ? study->options.effort : 1;
  return effort * small_problem * fmin(1, fmax(0.04, 8.0 / study->n));
}

/* True if a run of `next` steps would take more evaluations than a run may, judged by one that was
 * made. Twice the work of the reference is never too much: no good method takes more for an error
 * that can be seen. */
static int too_much(const rattle__refinement *refinement, int k, long long next) {
  const rattle__trial *trial = &refinement->trial[k];
  const rattle_counts *c = &trial->counts;
  double evaluations = (double)(c->gradient + c->hessian + c->constraint + c->jacobian);
  if ((double)next * refinement->claims.stages <= 2 * refinement->study->reference.maps) return 0;
  return trial->steps > 0 &&
         evaluations * (double)next / (double)trial->steps > share(refinement->study, 2e6);
}

double rattle__refinement_maps(const rattle__refinement *refinement, int k) {
  return (double)refinement->trial[k].taken * refinement->claims.stages;
}

double rattle__refinement_error(const rattle__refinement *refinement, int k) {
  if (refinement->trial[k].status) return (double)NAN;
  if (refinement->study->options.quantity == RATTLE_STUDY_SOLUTION)
    return refinement->errors[k].relative;
  return refinement->trial[k].energy / refinement->study->r.reference.scale_energy;
}

double rattle__refinement_floor(const rattle__refinement *refinement, int k) {
  rattle__floors floors =
      rattle__trial_floors(refinement->study, rattle__refinement_maps(refinement, k));
  if (refinement->study->options.quantity == RATTLE_STUDY_SOLUTION) return floors.relative;
  return floors.energy / refinement->study->r.reference.scale_energy;
}

void rattle__refinement_plan(rattle_study *study, const rattle_study_method *row, int density,
                             double enough, rattle__refinement *refinement) {
  int order = row->claims.order, stages = row->claims.stages;
  double parts = order <= 2 ? 1
                            : density * (order <= 4   ? 1.5
                                         : order <= 6 ? 2.5
                                                      : 4),
         most = fmax(share(study, 2.5e5), 2 * study->reference.maps);
  const double turns = order < RATTLE_ORDER_EXACT && isfinite(study->r.frequency)
                           ? fabs(study->span) * study->r.frequency
                           : 0;
  *refinement = (rattle__refinement){
      .study = study, .method = row->method, .claims = row->claims, .enough = enough};
  for (int k = 0; refinement->most < RATTLE__REFINEMENT_MOST && !row->status; k++) {
    long long next = study->ticks * llround(pow(2, k / parts));
    if (refinement->most > 0 && next == refinement->trial[refinement->most - 1].steps) continue;
    if (refinement->most > 0 && (double)next * stages > most) break;
    if (enough > 0 && (double)next * longest < turns && 2 * (double)next * stages <= most) continue;
    refinement->trial[refinement->most++].steps = next;
  }
}

/* Seconds of a step, by the runs that went well. INFINITY: there are none. The first runs are
 * slower than others: nothing is in the caches yet. */
static double seconds_of_step(const rattle__refinement *refinement, int runs) {
  double least = (double)INFINITY;
  for (int k = 0; k < runs; k++)
    if (!refinement->trial[k].status)
      least = fmin(least, refinement->trial[k].cpu / (double)refinement->trial[k].steps);
  return least;
}

/* The same by the reference: right for compositions of its base map, and a guess for others. */
static double seconds_by_reference(const rattle__refinement *refinement) {
  const rattle__reference *reference = &refinement->study->reference;
  return reference->known ? reference->map * refinement->claims.stages : (double)INFINITY;
}

/* Seconds after which run k is given up. */
static double may_take(const rattle__refinement *refinement, int k) {
  const double own = seconds_of_step(refinement, k), steps = (double)refinement->trial[k].steps;
  const double expected =
      steps * (isfinite(own) ? own : ignorance * seconds_by_reference(refinement));
  return isfinite(expected) ? patience * fmax(expected, soon) : 0;
}

static void work(void *self, int i, int k, rattle__job *job) {
  rattle__refinement *refinement = &((race *)self)->refinement[i];
  const rattle_study *study = refinement->study;
  rattle__trial *trial = &refinement->trial[k];
  trial->z = malloc(2 * (size_t)study->n * (size_t)study->looks * sizeof(double));
  if (!trial->z) {
    trial->status = rattle__no_memory(&trial->error);
    rattle__job_starve(job);
    return;
  }
  if (refinement->enough > 0) trial->most = may_take(refinement, k);
  rattle__trial_run(study, refinement->method, trial, job);
  if (!trial->status && study->reference.known)
    refinement->errors[k] = rattle__trial_errors(study, trial->z);
  if (!trial->status && refinement->timed)
    rattle__trial_time(study, refinement->method, trial, job);
  free(trial->z);
  trial->z = NULL;
}

/* Leaves out the runs after run k that cannot have the error that is enough either: of as few steps
 * as it cannot have where errors do not fall much faster than claimed; of less than twice the steps
 * where it failed. */
static void skip(rattle__refinement *refinement, int k) {
  const double error = rattle__refinement_error(refinement, k),
               fall = fmin(error, settled) / refinement->enough;
  const double factor = isnan(error) ? 2
                        : fall > 1   ? pow(fall, 1.0 / (refinement->claims.order + MORE_ORDERS))
                                     : 1;
  rattle__trial *trial = refinement->trial;
  int to = k + 1;
  while (to + 1 < refinement->most && (double)trial[to].steps < factor * (double)trial[k].steps)
    to++;
  if (to == k + 1 || refinement->claims.order >= RATTLE_ORDER_EXACT) return;
  memmove(&trial[k + 1], &trial[to], (size_t)(refinement->most - to) * sizeof *trial);
  refinement->most -= to - (k + 1);
}

/* Some points at round-off are enough, one with the error wanted is, and so is work; a method that
 * does not fit the problem is refused at once. */
static int enough(void *self, int i, int k) {
  race *r = self;
  rattle__refinement *refinement = &r->refinement[i];
  const rattle__trial *trial = &refinement->trial[k];
  const double error = rattle__refinement_error(refinement, k);
  refinement->done = k + 1;
  if (error <= refinement->enough) r->best = fmin(r->best, trial->cpu);
  if (refinement->enough > 0 && k + 1 < refinement->most) skip(refinement, k);
  r->most[i] = refinement->most;
  if (k + 1 < refinement->most && too_much(refinement, k, trial[1].steps)) return 1;
  if (trial->status == RATTLE_BAD_METHOD || trial->status == RATTLE_UNSUITABLE ||
      trial->status == RATTLE_NO_MEMORY)
    return 1;
  if (error <= refinement->enough) return 1;
  for (int j = k; j > k - AT_ROUND_OFF; j--)
    if (j < 0 ||
        !(rattle__refinement_error(refinement, j) <= rattle__refinement_floor(refinement, j)))
      return 0;
  return 1;
}

/* Seconds of a run with the error that is enough, at the least: it has no fewer steps than the next
 * one, and errors do not fall much faster than claimed. */
static double least_seconds(const rattle__refinement *refinement) {
  const int last = refinement->done - 1;
  if (last < 0) return 0;
  const rattle__trial *trial = &refinement->trial[last];
  const double error = rattle__refinement_error(refinement, last),
               guess = seconds_by_reference(refinement);
  double steps = (double)trial[refinement->done < refinement->most].steps,
         rate = seconds_of_step(refinement, refinement->done);
  if (!isfinite(rate)) rate = trial->cpu / (double)trial->steps;
  if (!(error < settled)) return steps * fmin(rate, guess);
  if (error > refinement->enough)
    steps = fmax(steps, (double)trial->steps * pow(error / refinement->enough,
                                                   1.0 / (refinement->claims.order + MORE_ORDERS)));
  return steps * fmin(rate, fmax(guess, rate / costliest));
}

static double price(void *self, int i) {
  const race *r = self;
  rattle__refinement *refinement = &r->refinement[i];
  const double seconds = least_seconds(refinement);
  refinement->stopped = seconds > hopeless * fmax(r->best, soon);
  return refinement->stopped ? (double)INFINITY : seconds;
}

rattle_status rattle__refinement_run(rattle_study *study, rattle__refinement *refinement,
                                     int refinements, rattle_error *error) {
  int *most = calloc(2 * (size_t)refinements + 1, sizeof *most), *done = most + refinements;
  if (!most) return rattle__no_memory(error);
  for (int i = 0; i < refinements; i++) most[i] = refinement[i].most;
  study->progress.stage = "runs";
  race r = {.refinement = refinement, .most = most, .best = (double)INFINITY};
  rattle__jobs jobs = {
      .lines = refinements, .most = most, .work = work, .enough = enough, .self = &r, .done = done};
  if (refinements > 0 && refinement->enough > 0) jobs.price = price, jobs.in_turn = 1;
  rattle_status status = rattle__jobs_run(&jobs, &study->progress, error);
  for (int i = 0; i < refinements; i++) refinement[i].done = done[i];
  free(most);
  return status;
}

void rattle__refinement_excuse(const rattle__refinement *refinement, rattle_study_method *row) {
  const rattle__trial *last = &refinement->trial[refinement->done > 0 ? refinement->done - 1 : 0];
  row->status = refinement->done > 0 ? last->status : RATTLE_INTERRUPTED;
  row->message = rattle__study_text(refinement->study, "%s",
                                    refinement->done > 0 ? last->error.message : "interrupted");
}
