/* The periodic orbit near the start, by each method: rattle/orbit.h as a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/orbit.h"
#include "examine/study/study.h"
#include "ground/support/error.h"

enum { POINTS = 200, MOST_PAIRS = 200 };

/* The orbit, and POINTS + 1 of its points: rows of time and (q, p). */
typedef struct drawing {
  rattle_orbit *orbit;
  double *point;
} drawing;

/* The orbit at POINTS + 1 times, by its own steps. */
static rattle_status draw(rattle__quest *quest, drawing *c) {
  const rattle_orbit_result *r = rattle_orbit_result_of(c->orbit);
  const size_t n = (size_t)r->n, row = 1 + 2 * n;
  rattle_integrator *integrator = NULL;
  double *z = malloc(2 * n * sizeof *z);
  rattle_status status = z ? RATTLE_OK : rattle__no_memory(&quest->error);
  if (!status)
    status = rattle_integrator_create(&integrator, quest->study->problem, quest->how.method,
                                      &quest->error);
  if (!status) {
    memcpy(z, r->q, n * sizeof *z);
    memcpy(z + n, r->p, n * sizeof *z);
    rattle_state state = {.struct_size = sizeof state,
                          .q = z,
                          .p = z + n,
                          .t0 = quest->how.start_time,
                          .h = r->period / (double)r->steps};
    for (int i = 0; i <= POINTS && !status; i++) {
      const long long step = r->steps * i / POINTS;
      if (step > state.step)
        status = rattle_integrator_step(integrator, &state, step - state.step, &quest->error);
      c->point[(size_t)i * row] = quest->how.start_time + (double)step * state.h;
      memcpy(c->point + (size_t)i * row + 1, z, 2 * n * sizeof *z);
    }
  }
  rattle_integrator_destroy(&integrator);
  free(z);
  return status;
}

static rattle_status make(rattle__quest *quest) {
  const rattle_study *study = quest->study;
  drawing *c = quest->found = calloc(1, sizeof *c);
  if (c) c->point = malloc((POINTS + 1) * (1 + 2 * (size_t)study->n) * sizeof *c->point);
  if (!c || !c->point) return rattle__no_memory(&quest->error);
  const rattle_status status = rattle_orbit_create(
      &c->orbit, study->problem, study->z0, study->z0 + study->n, &quest->how, &quest->error);
  return status ? status : draw(quest, c);
}

static void drop(rattle__quest *quest) {
  drawing *c = quest->found;
  if (!c) return;
  rattle_orbit_destroy(&c->orbit);
  free(c->point);
  free(c);
}

/* --- what was found --------------------------------------------------------------------------- */

static void tell_figures(rattle_study *study, const rattle_orbit_result *r,
                         rattle_study_method *method) {
  const rattle_study_figure figures[] = {{"period", r->period},
                                         {"period_error", r->period_error},
                                         {"energy", r->energy},
                                         {"steps", (double)r->steps},
                                         {"arcs", r->arcs},
                                         {"iterations", r->iterations},
                                         {"residual", r->residual},
                                         {"start_error", r->start_error},
                                         {"radius", r->radius},
                                         {"radius_error", r->radius_error},
                                         {"trivial", r->trivial},
                                         {"trivial_defect", r->trivial_defect},
                                         {"pairing_defect", r->pairing_defect},
                                         {"repeats", r->repeats}};
  rattle_study_figure *figure = rattle__arena_take(&study->arena, sizeof figures);
  if (!figure) return;
  memcpy(figure, figures, sizeof figures);
  method->figure = figure;
  method->figures = sizeof figures / sizeof *figures;
}

static rattle_study_table multipliers_of(rattle_study *study, const rattle_orbit_result *r) {
  static const char *const column[] = {"real", "imaginary", "modulus", "angle"};
  double *value;
  const rattle_study_table table =
      rattle__study_table(study, "multipliers", r->multipliers, 4, column, &value);
  for (int i = 0; i < r->multipliers && value; i++, value += 4) {
    value[0] = r->real[i], value[1] = r->imaginary[i];
    value[2] = hypot(value[0], value[1]), value[3] = atan2(value[1], value[0]);
  }
  return table;
}

static rattle_study_table start_of(rattle_study *study, const rattle_orbit_result *r,
                                   const char *const *name) {
  double *value;
  const rattle_study_table table =
      rattle__study_table(study, "start", 1, 2 * study->n, name, &value);
  if (!value) return table;
  memcpy(value, r->q, (size_t)study->n * sizeof *value);
  memcpy(value + study->n, r->p, (size_t)study->n * sizeof *value);
  return table;
}

static void report(const rattle__quest *quest, rattle_study_method *method) {
  rattle_study *study = quest->study;
  const drawing *c = quest->found;
  const rattle_orbit_result *r = rattle_orbit_result_of(c->orbit);
  const int columns = 1 + 2 * study->n;
  rattle_study_table *table = rattle__arena_take(&study->arena, 3 * sizeof *table);
  const char **name = rattle__arena_take(&study->arena, (size_t)columns * sizeof *name);
  double *value;
  if (!table || !name) return;
  name[0] = "time";
  for (int i = 0; i < 2 * study->n; i++)
    name[1 + i] = rattle__study_text(study, "%s", rattle__channel_name(study, i));
  tell_figures(study, r, method);
  table[0] = multipliers_of(study, r);
  table[1] = start_of(study, r, name + 1);
  table[2] = rattle__study_table(study, "orbit", POINTS + 1, columns, name, &value);
  table[2].bulk = 1;
  if (value) memcpy(value, c->point, (size_t)(POINTS + 1) * (size_t)columns * sizeof *value);
  method->table = table, method->tables = 3;
  method->verdict = r->verdict, method->why = r->why;
}

rattle_status rattle__study_orbit(rattle_study *study, rattle_error *error) {
  const rattle__orbit_jobs jobs = {"orbits", MOST_PAIRS, make, report, drop};
  return rattle__orbit_jobs_run(study, &jobs, error);
}
