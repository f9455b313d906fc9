/* The drift study: one long run of each method with the step asked for, and how its errors grow.
 *
 * Every run has the same step h and is sampled each K steps: ticks of K h. Errors of the solution
 * are taken at ticks that are spread evenly over the logarithm of time. growth.c and spectrum.c
 * evaluate the samples. */
#include "ground/support/error.h"
#include "examine/study/long_run.h"

static void work(void *self, int i, int k, rattle__job *job) {
  (void)k;
  rattle__long_go((rattle__long_run *)self + i, job);
}

static void report(rattle_study *study, const rattle__long_run *run, int done,
                   rattle_study_method *row) {
  if (row->status) return;
  row->status = done ? run->trial.status : RATTLE_INTERRUPTED;
  if (row->status)
    row->message = rattle__study_text(study, "%s", done ? run->trial.error.message : "interrupted");
  if (!done || run->rows < 2) return;
  rattle_study_table *table =
      rattle__arena_take(&study->arena, (size_t)(4 + run->channels->count + 1) * sizeof *table);
  if (!table) return;
  rattle__long_growth(study, run, row, table);
  row->table = table;
  row->tables = 1 + rattle__long_spectrum(study, run, table + 1);
}

static rattle_status run_all(rattle_study *study, rattle__long_run *run, rattle_study_method *row,
                             rattle_error *error) {
  int methods = study->methods;
  int *most = rattle__arena_take(&study->arena, 2 * (size_t)methods * sizeof *most),
      *done = most + methods;
  if (!most) return rattle__no_memory(error);
  for (int i = 0; i < methods; i++) most[i] = !row[i].status;
  study->progress.stage = "runs";
  rattle__jobs jobs = {.lines = methods, .most = most, .work = work, .self = run, .done = done};
  rattle_status status = rattle__jobs_run(&jobs, &study->progress, error);
  for (int i = 0; i < methods && (!status || status == RATTLE_INTERRUPTED); i++)
    report(study, &run[i], done[i], &row[i]);
  return status;
}

rattle_status rattle__study_drift(rattle_study *study, rattle_error *error) {
  rattle__study_channels channels = {0};
  rattle__long_run *run = NULL;
  rattle__plan plan = {0};
  rattle_status status = rattle__long_plan(study, &plan, error);
  if (!status) status = rattle__channels_choose(study, &channels, error);
  if (!status) status = rattle__reference_make(study, RATTLE__WISHED, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, study->methods, study->method);
  if (!row) return rattle__no_memory(error);
  status = rattle__long_create(&run, study, row, &channels, &plan, error);
  if (!status) status = run_all(study, run, row, error);
  rattle__long_destroy(&run, study->methods);
  return status;
}
