/* One search for each method of a study of periodic orbits. */
#include <math.h>

#include "examine/study/study.h"
#include "ground/support/error.h"

typedef struct quests {
  const rattle__orbit_jobs *jobs;
  rattle__quest *quest;
} quests;

static void work(void *self, int i, int k, rattle__job *job) {
  const quests *all = self;
  rattle__quest *q = &all->quest[i];
  (void)k;
  q->how.interrupt = rattle__job_interrupt(job);
  q->status = all->jobs->make(q);
  if (q->status == RATTLE_NO_MEMORY) rattle__job_starve(job);
}

static void end(const quests *all, int i, int done, rattle_study_method *method) {
  rattle__quest *q = &all->quest[i];
  if (!method->status) {
    method->status = done ? q->status : RATTLE_INTERRUPTED;
    if (method->status)
      method->message = rattle__study_text(q->study, "%s", done ? q->error.message : "interrupted");
    if (!method->status) all->jobs->report(q, method);
  }
}

static rattle_orbit_options search(const rattle_study *study, const char *method, double step) {
  return (rattle_orbit_options){.struct_size = sizeof(rattle_orbit_options),
                                .method = method,
                                .start_time = study->r.start,
                                .period = study->options.period,
                                .span = fabs(study->span),
                                .step = fabs(step),
                                .arcs = study->options.arcs,
                                .held = study->options.held};
}

rattle_status rattle__orbit_jobs_run(rattle_study *study, const rattle__orbit_jobs *of,
                                     rattle_error *error) {
  const size_t methods = (size_t)study->methods;
  double step;
  if (study->n > of->most_pairs)
    return rattle__fail(error, RATTLE_UNSUITABLE, of->stage,
                        "%s are sought for up to %d pairs, and the problem has %d", of->stage,
                        of->most_pairs, study->n);
  rattle_status status = rattle__span_step(study, &step, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, study->methods, study->method);
  quests all = {of, rattle__arena_take(&study->arena, methods * sizeof *all.quest)};
  int *most = rattle__arena_take(&study->arena, 2 * methods * sizeof *most), *done = most + methods;
  if (!row || !all.quest || !most) return rattle__no_memory(error);
  for (size_t i = 0; i < methods; i++) {
    all.quest[i] = (rattle__quest){.study = study, .how = search(study, row[i].method, step)};
    most[i] = !row[i].status;
  }
  study->progress.stage = of->stage;
  rattle__jobs jobs = {
      .lines = study->methods, .most = most, .work = work, .self = &all, .done = done};
  status = rattle__jobs_run(&jobs, &study->progress, error);
  for (size_t i = 0; i < methods; i++) {
    if (!status || status == RATTLE_INTERRUPTED) end(&all, (int)i, done[i], &row[i]);
    of->drop(&all.quest[i]);
  }
  return status;
}
