/* The info of a record. */
#include <math.h>
#include <string.h>

#include "record/hdf5/handle.h"

/* How many steps a run will have taken that is to end at a time, by those that it has. */
static void guess_steps(rattle_record_info *info) {
  const double part = (info->last_time - info->start_time) / (info->stop_asked - info->start_time);
  if (!(part > 0 && part < 1)) return;
  info->steps_asked = (long long)fmin((double)info->last_step / part, 9e15);
  if (info->steps_asked <= info->last_step) info->steps_asked = info->last_step + 1;
}

void rattle__info_update(rattle_record *record) {
  const rattle__checkpoint *checkpoint = &record->store.checkpoint;
  const rattle__head *head = &checkpoint->head;
  const rattle__figures *figures = &checkpoint->figures;
  rattle_record_info *info = &record->info;
  int begun = checkpoint->state != NULL, ended = begun && head->ended;
  info->samples = head->samples;
  info->steps_asked = begun ? head->steps_asked : record->store.about.steps;
  info->last_step = head->step;
  info->last_time = begun ? figures->time : info->start_time;
  info->initial_energy = begun ? figures->energy_initial : (double)NAN;
  info->energy_max_error = figures->energy_max_error;
  info->energy_max_relative_error = figures->energy_max_relative_error;
  info->g_max = figures->g_max, info->psi_max = figures->psi_max;
  info->wall_seconds = figures->wall_seconds;
  info->min_singular_value = figures->min_singular_value,
  info->min_singular_time = figures->min_singular_time;
  info->counts = (rattle_counts){.steps = head->step};
#define COUNT(name, text) info->counts.name = head->name;
#include "rattle/counts.def"
#undef COUNT
  info->status = ended ? (rattle_status)head->status : RATTLE_OK;
  info->status_name = ended ? rattle_status_name(info->status) : "";
  info->message = ended ? record->store.message : "";
  info->warnings = 0, info->warning_texts = record->sentence;
  for (int i = 0; i < RATTLE__WARNINGS && record->store.sentences.text[i][0]; i++)
    record->sentence[info->warnings++] = record->store.sentences.text[i];
  for (int e = 0; e < info->events; e++) {
    const int64_t *event = begun ? rattle__event_of(checkpoint, e + 1) : NULL;
    record->counts[e] = event ? event[RATTLE__EVENT_ROWS] : 0;
    record->last[e] = (double)NAN;
    if (record->counts[e] > 0)
      memcpy(&record->last[e], &event[RATTLE__EVENT_TIME], sizeof *record->last);
  }
  info->solver = record->store.about.solver, info->evaluator = record->store.about.evaluator;
  info->closed = ended && record->in_order;
  info->written = record->held;
  if (info->adapts) guess_steps(info);
}
