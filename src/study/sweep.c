/* Growing numbers of steps: the points of convergence and work (sweep.h). */
#include "study/sweep.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"

/* points at round-off after which finer steps can tell nothing */
enum { AT_ROUND_OFF = 3 };

/* What one run may take, so that a study takes seconds whatever the size of the problem: base maps, evaluations. */
static double share(const rattle_study *study, double small_problem) {
  double effort = study->options.effort > 0 ? study->options.effort : 1;
  return effort * small_problem * fmin(1, fmax(0.04, 8.0 / study->n));
}

/* Whether a run of `next` steps would take more evaluations than a run may, judged by one that was made. What the reference took
 * twice is never too much: no good method takes that for an error that can be seen. */
static int too_much(const rattle__sweep *sweep, int k, long long next) {
  const rattle__trial *trial = &sweep->trial[k];
  const rattle_counts *c = &trial->counts;
  double evaluations = (double)(c->gradient + c->hessian + c->constraint + c->jacobian);
  if ((double)next * sweep->claims.stages <= 2 * sweep->study->reference.maps) return 0;
  return trial->steps > 0 && evaluations * (double)next / (double)trial->steps > share(sweep->study, 2e6);
}

double rattle__sweep_maps(const rattle__sweep *sweep, int k) {
  return (double)sweep->trial[k].taken * sweep->claims.stages;
}

double rattle__sweep_error(const rattle__sweep *sweep, int k) {
  if (sweep->trial[k].status) return (double)NAN;
  if (sweep->study->options.quantity == RATTLE_STUDY_SOLUTION) return sweep->errors[k].relative;
  return sweep->trial[k].energy / sweep->study->r.reference.scale_energy;
}

double rattle__sweep_floor(const rattle__sweep *sweep, int k) {
  rattle__floors floors = rattle__trial_floors(sweep->study, rattle__sweep_maps(sweep, k));
  if (sweep->study->options.quantity == RATTLE_STUDY_SOLUTION) return floors.relative;
  return floors.energy / sweep->study->r.reference.scale_energy;
}

void rattle__sweep_plan(rattle_study *study, const rattle_study_method *row, int density, rattle__sweep *sweep) {
  int order = row->claims.order, stages = row->claims.stages;
  double parts = order <= 2 ? 1
                            : density * (order <= 4   ? 1.5
                                         : order <= 6 ? 2.5
                                                      : 4),
         most = fmax(share(study, 2.5e5), 2 * study->reference.maps);
  *sweep = (rattle__sweep){.study = study, .method = row->method, .claims = row->claims};
  for (int k = 0; sweep->most < RATTLE__SWEEP_MOST && !row->status; k++) {
    long long next = study->ticks * llround(pow(2, k / parts));
    if (sweep->most > 0 && next == sweep->trial[sweep->most - 1].steps) continue;
    if (sweep->most > 0 && (double)next * stages > most) break;
    sweep->trial[sweep->most++].steps = next;
  }
}

static void work(void *self, int i, int k, rattle__job *job) {
  rattle__sweep *sweep = (rattle__sweep *)self + i;
  const rattle_study *study = sweep->study;
  rattle__trial *trial = &sweep->trial[k];
  trial->z = malloc(2 * (size_t)study->n * (size_t)study->looks * sizeof(double));
  if (!trial->z) {
    trial->status = rattle__no_memory(&trial->error);
    return;
  }
  rattle__trial_run(study, sweep->method, trial, job);
  if (!trial->status && study->reference.known) sweep->errors[k] = rattle__trial_errors(study, trial->z);
  if (!trial->status && sweep->timed) rattle__trial_time(study, sweep->method, trial, job);
  free(trial->z);
  trial->z = NULL;
}

/* Some points at round-off are enough, one with the error wanted is, and so is work; a method that does not fit the problem is
 * refused at once. */
static int enough(void *self, int i, int k) {
  const rattle__sweep *sweep = (rattle__sweep *)self + i;
  const rattle__trial *trial = &sweep->trial[k];
  if (k + 1 < sweep->most && too_much(sweep, k, trial[1].steps)) return 1;
  if (trial->status == RATTLE_BAD_METHOD || trial->status == RATTLE_UNSUITABLE || trial->status == RATTLE_NO_MEMORY) return 1;
  if (rattle__sweep_error(sweep, k) <= sweep->enough) return 1;
  for (int j = k; j > k - AT_ROUND_OFF; j--)
    if (j < 0 || !(rattle__sweep_error(sweep, j) <= rattle__sweep_floor(sweep, j))) return 0;
  return 1;
}

rattle_status rattle__sweep_run(rattle_study *study, rattle__sweep *sweep, int sweeps, rattle_error *error) {
  int *most = calloc(2 * (size_t)sweeps + 1, sizeof *most), *done = most + sweeps;
  if (!most) return rattle__no_memory(error);
  for (int i = 0; i < sweeps; i++) most[i] = sweep[i].most;
  study->watch.stage = "runs";
  rattle__jobs jobs = {.lines = sweeps, .most = most, .work = work, .enough = enough, .self = sweep, .done = done};
  rattle_status status = rattle__jobs_run(&jobs, &study->watch, error);
  for (int i = 0; i < sweeps; i++) sweep[i].done = done[i];
  free(most);
  return status;
}

void rattle__sweep_excuse(const rattle__sweep *sweep, rattle_study_method *row) {
  const rattle__trial *last = &sweep->trial[sweep->done > 0 ? sweep->done - 1 : 0];
  row->status = sweep->done > 0 ? last->status : RATTLE_INTERRUPTED;
  row->message = rattle__study_text(sweep->study, "%s", sweep->done > 0 ? last->error.message : "interrupted");
}
