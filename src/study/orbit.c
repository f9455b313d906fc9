/* The periodic orbit near the start, by each method: rattle/orbit.h as a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/orbit.h"
#include "study/study.h"
#include "support/error.h"

enum { POINTS = 200, MOST_PAIRS = 200 };

typedef struct quest {
  rattle_study *study;
  const char *method;
  rattle_orbit_options how;
  rattle_orbit *orbit;
  double *points; /* [(POINTS+1)*(1+2n)] time and the orbit */
  rattle_status status;
  rattle_error error;
} quest;

/* The orbit at POINTS + 1 times, by its own steps. */
static rattle_status draw(quest *s) {
  const rattle_orbit_result *r = rattle_orbit_result_of(s->orbit);
  const size_t n = (size_t)s->study->n, row = 1 + 2 * n;
  rattle_integrator *integrator = NULL;
  double *z = malloc(2 * n * sizeof *z);
  rattle_status status = z ? RATTLE_OK : rattle__no_memory(&s->error);
  if (!status) status = rattle_integrator_create(&integrator, s->study->problem, s->method, &s->error);
  if (!status) {
    memcpy(z, r->q, n * sizeof *z);
    memcpy(z + n, r->p, n * sizeof *z);
    rattle_state state = {
        .struct_size = sizeof state, .q = z, .p = z + n, .t0 = s->how.start_time, .h = r->period / (double)r->steps};
    for (int i = 0; i <= POINTS && !status; i++) {
      const long long step = r->steps * i / POINTS;
      if (step > state.step) status = rattle_integrator_step(integrator, &state, step - state.step, &s->error);
      s->points[(size_t)i * row] = s->how.start_time + (double)step * state.h;
      memcpy(s->points + (size_t)i * row + 1, z, 2 * n * sizeof *z);
    }
  }
  rattle_integrator_destroy(&integrator);
  free(z);
  return status;
}

static void work(void *self, int i, int k, rattle__job *job) {
  quest *s = (quest *)self + i;
  (void)k;
  s->how.interrupt = rattle__job_interrupt(job);
  s->status = rattle_orbit_create(&s->orbit, s->study->problem, s->study->z0, s->study->z0 + s->study->n, &s->how, &s->error);
  if (!s->status) s->status = draw(s);
  if (s->status == RATTLE_NO_MEMORY) rattle__job_starve(job);
}

/* --- what was found ---------------------------------------------------------------------------------------------------------- */

static void tell_figures(rattle_study *study, const rattle_orbit_result *r, rattle_study_method *method) {
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
  const rattle_study_table table = rattle__study_table(study, "multipliers", r->multipliers, 4, column, &value);
  for (int i = 0; i < r->multipliers && value; i++, value += 4) {
    value[0] = r->real[i], value[1] = r->imaginary[i];
    value[2] = hypot(value[0], value[1]), value[3] = atan2(value[1], value[0]);
  }
  return table;
}

static rattle_study_table start_of(rattle_study *study, const rattle_orbit_result *r, const char *const *name) {
  double *value;
  const rattle_study_table table = rattle__study_table(study, "start", 1, 2 * study->n, name, &value);
  if (!value) return table;
  memcpy(value, r->q, (size_t)study->n * sizeof *value);
  memcpy(value + study->n, r->p, (size_t)study->n * sizeof *value);
  return table;
}

static void report(rattle_study *study, const quest *s, int done, rattle_study_method *method) {
  if (method->status) return;
  method->status = done ? s->status : RATTLE_INTERRUPTED;
  if (method->status) method->message = rattle__study_text(study, "%s", done ? s->error.message : "interrupted");
  if (!s->orbit || s->status) return;
  const rattle_orbit_result *r = rattle_orbit_result_of(s->orbit);
  const int columns = 1 + 2 * study->n;
  rattle_study_table *table = rattle__arena_take(&study->arena, 3 * sizeof *table);
  const char **name = rattle__arena_take(&study->arena, (size_t)columns * sizeof *name);
  double *value;
  if (!table || !name) return;
  name[0] = "time";
  for (int c = 0; c < 2 * study->n; c++) name[1 + c] = rattle__study_text(study, "%s", rattle__channel_name(study, c));
  tell_figures(study, r, method);
  table[0] = multipliers_of(study, r);
  table[1] = start_of(study, r, name + 1);
  table[2] = rattle__study_table(study, "orbit", POINTS + 1, columns, name, &value);
  table[2].bulk = 1;
  if (value) memcpy(value, s->points, (size_t)(POINTS + 1) * (size_t)columns * sizeof *value);
  method->table = table, method->tables = 3;
  method->verdict = r->verdict, method->why = r->why;
}

rattle_orbit_options rattle__study_orbit_options(const rattle_study *study, const char *method, double step) {
  return (rattle_orbit_options){.struct_size = sizeof(rattle_orbit_options),
                                .method = method,
                                .start_time = study->r.start,
                                .period = study->options.period,
                                .span = fabs(study->span),
                                .step = fabs(step),
                                .arcs = study->options.arcs,
                                .held = study->options.held};
}

rattle_status rattle__study_orbit(rattle_study *study, rattle_error *error) {
  const size_t methods = (size_t)study->methods;
  double step;
  if (study->n > MOST_PAIRS)
    return rattle__fail(error, RATTLE_UNSUITABLE, "orbit", "orbits are sought for up to %d pairs, and the problem has %d",
                        MOST_PAIRS, study->n);
  rattle_status status = rattle__span_step(study, &step, error);
  if (status) return status;
  rattle_study_method *row = rattle__study_rows(study, study->methods, study->method);
  quest *s = rattle__arena_take(&study->arena, methods * sizeof *s);
  int *most = rattle__arena_take(&study->arena, 2 * methods * sizeof *most), *done = most + methods;
  if (!row || !s || !most) return rattle__no_memory(error);
  for (size_t i = 0; i < methods; i++) {
    s[i] = (quest){.study = study, .method = row[i].method};
    s[i].how = rattle__study_orbit_options(study, row[i].method, step);
    s[i].points = rattle__arena_doubles(&study->arena, (POINTS + 1) * (1 + 2 * (size_t)study->n));
    if (!s[i].points) return rattle__no_memory(error);
    most[i] = !row[i].status;
  }
  study->progress.stage = "orbits";
  rattle__jobs jobs = {.lines = study->methods, .most = most, .work = work, .self = s, .done = done};
  status = rattle__jobs_run(&jobs, &study->progress, error);
  for (size_t i = 0; i < methods; i++) {
    if (!status || status == RATTLE_INTERRUPTED) report(study, &s[i], done[i], &row[i]);
    rattle_orbit_destroy(&s[i].orbit);
  }
  return status;
}
