/* The family of the periodic orbit near the start: rattle/orbit.h as a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examine/study/study.h"
#include "ground/support/error.h"

enum { MOST_PAIRS = 100, LEAD = 6, MOST_MULTIPLIERS = 8 };

static rattle_status make(rattle__quest *quest) {
  const rattle_study *study = quest->study;
  const rattle_family_options how = {.struct_size = sizeof how,
                                     .orbit = &quest->how,
                                     .along = study->options.along,
                                     .to = study->options.to,
                                     .points = study->options.points,
                                     .parameter = study->options.parameter,
                                     .parse = rattle_model_parse};
  return rattle_family_create((rattle_family **)&quest->found, study->problem, study->z0,
                              study->z0 + study->n, &how, &quest->error);
}

static void drop(rattle__quest *quest) {
  rattle_family_destroy((rattle_family **)&quest->found);
}

/* arclength, energy, period, radius, event, and the parameter if one changes; the multipliers; the
 * start */
static rattle_study_table family_of(rattle_study *study, const rattle_family *family,
                                    int multipliers) {
  const int steers = study->options.along == RATTLE_FAMILY_PARAMETER, leading = LEAD - !steers;
  const char *lead[LEAD] = {"arclength", "energy", "period", "radius", "event", NULL};
  if (steers) lead[LEAD - 1] = rattle__study_text(study, "set:%s", study->options.parameter);
  const int columns = leading + 2 * multipliers + 2 * study->n,
            points = rattle_family_points(family);
  const char **name = rattle__arena_take(&study->arena, (size_t)columns * sizeof *name);
  double *value = NULL;
  if (!name) return (rattle_study_table){.name = "family"};
  memcpy(name, lead, (size_t)leading * sizeof *lead);
  for (int i = 0; i < multipliers; i++) {
    name[leading + 2 * i] = rattle__study_text(study, "real_%d", i + 1);
    name[leading + 2 * i + 1] = rattle__study_text(study, "imaginary_%d", i + 1);
  }
  for (int c = 0; c < 2 * study->n; c++)
    name[leading + 2 * multipliers + c] =
        rattle__study_text(study, "%s", rattle__channel_name(study, c));
  const rattle_study_table table =
      rattle__study_table(study, "family", points, columns, name, &value);
  for (int i = 0; i < points && value; i++) {
    const rattle_family_point p = rattle_family_point_of(family, i);
    const double numbers[LEAD] = {p.arclength, p.energy, p.period, p.radius, p.event, p.parameter};
    memcpy(value, numbers, (size_t)leading * sizeof *numbers);
    value += leading;
    for (int k = 0; k < multipliers; k++) *value++ = p.real[k], *value++ = p.imaginary[k];
    memcpy(value, p.z, 2 * (size_t)study->n * sizeof *value);
    value += 2 * study->n;
  }
  return table;
}

static void report(const rattle__quest *quest, rattle_study_method *method) {
  rattle_study *study = quest->study;
  const rattle_family *family = quest->found;
  const int all = rattle_family_multipliers(family), points = rattle_family_points(family);
  rattle_study_table *table = rattle__arena_take(&study->arena, sizeof *table);
  rattle_study_figure *figure = rattle__arena_take(&study->arena, 2 * sizeof *figure);
  if (!table || !figure) return;
  int events = 0;
  for (int i = 0; i < points; i++)
    events += rattle_family_point_of(family, i).event > RATTLE_FAMILY_END;
  figure[0] = (rattle_study_figure){"points", points};
  figure[1] = (rattle_study_figure){"events", events};
  *table = family_of(study, family, all < MOST_MULTIPLIERS ? all : MOST_MULTIPLIERS);
  method->figure = figure, method->figures = 2;
  method->table = table, method->tables = 1;
  method->verdict = rattle_family_why(family)[0] ? "partial" : "complete";
  method->why = rattle_family_why(family)[0] ? rattle_family_why(family)
                                             : "the family was followed to the value asked for";
}

rattle_status rattle__study_family(rattle_study *study, rattle_error *error) {
  const rattle__orbit_jobs jobs = {"families", MOST_PAIRS, make, report, drop};
  return rattle__orbit_jobs_run(study, &jobs, error);
}
