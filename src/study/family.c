/* The family of the periodic orbit near the start: rattle/orbit.h as a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/study.h"
#include "support/error.h"

enum { MOST_PAIRS = 100, LEAD = 5, MOST_MULTIPLIERS = 8 };

typedef struct lineage {
  rattle_study *study;
  rattle_family_options how;
  rattle_family *family;
  rattle_status status;
  rattle_error error;
} lineage;

static void work(void *self, int i, int k, rattle__job *job) {
  lineage *l = (lineage *)self + i;
  (void)k;
  l->how.orbit.interrupt = rattle__job_interrupt(job);
  l->status = rattle_family_create(&l->family, l->study->problem, l->study->z0, l->study->z0 + l->study->n, &l->how, &l->error);
  if (l->status == RATTLE_NO_MEMORY) rattle__job_starve(job);
}

/* arclength, energy, period, radius, event; the multipliers; the start */
static rattle_study_table family_of(rattle_study *study, const rattle_family *family, int multipliers) {
  static const char *const lead[LEAD] = {"arclength", "energy", "period", "radius", "event"};
  const int columns = LEAD + 2 * multipliers + 2 * study->n, points = rattle_family_points(family);
  const char **name = rattle__arena_take(&study->arena, (size_t)columns * sizeof *name);
  double *value = NULL;
  if (!name) return (rattle_study_table){.name = "family"};
  memcpy(name, lead, sizeof lead);
  for (int i = 0; i < multipliers; i++) {
    name[LEAD + 2 * i] = rattle__study_text(study, "real_%d", i + 1);
    name[LEAD + 2 * i + 1] = rattle__study_text(study, "imaginary_%d", i + 1);
  }
  for (int c = 0; c < 2 * study->n; c++)
    name[LEAD + 2 * multipliers + c] = rattle__study_text(study, "%s", rattle__channel_name(study, c));
  const rattle_study_table table = rattle__study_table(study, "family", points, columns, name, &value);
  for (int i = 0; i < points && value; i++) {
    const rattle_family_point p = rattle_family_point_of(family, i);
    const double numbers[LEAD] = {p.arclength, p.energy, p.period, p.radius, p.event};
    memcpy(value, numbers, sizeof numbers);
    value += LEAD;
    for (int k = 0; k < multipliers; k++) *value++ = p.real[k], *value++ = p.imaginary[k];
    memcpy(value, p.z, 2 * (size_t)study->n * sizeof *value);
    value += 2 * study->n;
  }
  return table;
}

static void report(rattle_study *study, const lineage *l, int done, rattle_study_method *method) {
  if (method->status) return;
  method->status = done ? l->status : RATTLE_INTERRUPTED;
  if (method->status) method->message = rattle__study_text(study, "%s", done ? l->error.message : "interrupted");
  if (!l->family || l->status) return;
  const int all = rattle_family_multipliers(l->family), points = rattle_family_points(l->family);
  rattle_study_table *table = rattle__arena_take(&study->arena, sizeof *table);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  if (!table || !figure) return;
  int events = 0;
  for (int i = 0; i < points; i++) events += rattle_family_point_of(l->family, i).event > RATTLE_FAMILY_END;
  figure[0] = (rattle_study_figure){"points", points};
  figure[1] = (rattle_study_figure){"events", events};
  *table = family_of(study, l->family, all < MOST_MULTIPLIERS ? all : MOST_MULTIPLIERS);
  method->figure = figure, method->figures = 2;
  method->table = table, method->tables = 1;
  method->verdict = rattle_family_why(l->family)[0] ? "partial" : "complete";
  method->why = rattle_family_why(l->family)[0] ? rattle_family_why(l->family) : "the family was followed to the value asked for";
}

rattle_status rattle__study_family(rattle_study *study, rattle_error *error) {
  const size_t methods = (size_t)study->methods;
  double step;
  if (study->n > MOST_PAIRS)
    return rattle__fail(error, RATTLE_UNSUITABLE, "family", "families are followed for up to %d pairs, and the problem has %d",
                        MOST_PAIRS, study->n);
  rattle_status status = rattle__span_step(study, &step, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, study->methods, study->method);
  lineage *l = rattle__arena_take(&study->arena, methods * sizeof *l);
  int *most = rattle__arena_take(&study->arena, 2 * methods * sizeof *most), *done = most + methods;
  if (!row || !l || !most) return rattle__no_memory(error);
  for (size_t i = 0; i < methods; i++) {
    l[i] = (lineage){.study = study};
    l[i].how = (rattle_family_options){.struct_size = sizeof l[i].how,
                                       .orbit = rattle__study_orbit_options(study, row[i].method, step),
                                       .along = study->options.along,
                                       .to = study->options.to,
                                       .points = study->options.points};
    most[i] = !row[i].status;
  }
  study->progress.stage = "families";
  rattle__jobs jobs = {.lines = study->methods, .most = most, .work = work, .self = l, .done = done};
  status = rattle__jobs_run(&jobs, &study->progress, error);
  for (size_t i = 0; i < methods; i++) {
    if (!status || status == RATTLE_INTERRUPTED) report(study, &l[i], done[i], &row[i]);
    rattle_family_destroy(&l[i].family);
  }
  return status;
}
