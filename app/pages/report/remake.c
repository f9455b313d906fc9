/* The model and the problem of a run, made again from its record. The page omits parts that cannot
 * be made, and says why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages/report/remake.h"
#include "words/error.h"

/* Points of the cotangent bundle were observed: they are named so, and no other name can be. */
static int had_cotangent(const rattle_record_info *info) {
  for (int i = 0; i < info->observables; i++)
    if (!strncmp(info->observable_names[i], "cotangent:", 10)) return 1;
  return 0;
}

static void measure_terms(report_remade *remade, const rattle_record *record) {
  const rattle_record_info *info = rattle_record_info_of(record);
  size_t n = (size_t)info->n;
  double *q = malloc((4 * n + 1) * sizeof *q), *z = q + 2 * n;
  if (!q) return;
  for (int which = 0; which < 2; which++) {
    rattle_error error;
    if (rattle_record_read(record, which ? info->samples - 1 : 0, 1, NULL, NULL, q, q + n, NULL,
                           NULL, &error))
      break;
    for (size_t k = 0; k < n; k++) z[2 * k] = q[k], z[2 * k + 1] = q[n + k];
    double g = report_terms_of_g(remade->model, z), psi = report_terms_of_psi(remade->model, z);
    if (!(g <= remade->g_terms)) remade->g_terms = g;
    if (!(psi <= remade->psi_terms)) remade->psi_terms = psi;
  }
  free(q);
}

/* True if the run's start had to be projected by an option, since the model's own is refused. */
static int start_is_refused(const rattle_problem *problem, size_t n) {
  rattle_error error;
  double *q = malloc((2 * n + 1) * sizeof *q);
  int refused =
      q && rattle_problem_start(problem, 0, q, q + n, NULL, &error) == RATTLE_OFF_CONSTRAINTS;
  free(q);
  return refused;
}

/* Model, drawing and problem, of n pairs and m constraints. */
static rattle_status make(report_remade *remade, const char *text, const char *file,
                          const rattle_model_options *options, int n, int m, rattle_error *error) {
  rattle_problem_options how = {.struct_size = sizeof how, .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_status status = rattle_model_parse(&remade->model, text, file, options, error);
  const int all = status ? 0
                         : rattle_model_constraints(remade->model) +
                               rattle_model_velocity_constraints(remade->model);
  if (!status && (rattle_model_pairs(remade->model) != n || all != m)) {
    status = text_fail(error, RATTLE_BAD_RECORD, "its model does not match its samples");
    rattle_model_destroy(&remade->model);
  }
  if (!status) status = report_drawn_read(&remade->drawn, remade->model, error);
  if (!status) status = rattle_problem_create(&remade->problem, remade->model, &how, error);
  return status;
}

void report_remake_study(report_remade *remade, const rattle_study_result *result) {
  rattle_error error = {0};
  *remade = (report_remade){.g_terms = (double)NAN, .psi_terms = (double)NAN};
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = result->parameter,
                                        .parameter_count = result->parameters,
                                        .old_names = 1};
  if (!result->model_text[0])
    snprintf(remade->why, sizeof remade->why, "The study contains no model text.");
  else if (make(remade, result->model_text, result->model_file, &options, result->n, result->m,
                &error))
    snprintf(remade->why, sizeof remade->why, "The model of the study could not be rebuilt: %.900s",
             error.message);
}

void report_remake(report_remade *remade, const rattle_record *record) {
  const rattle_record_info *info = rattle_record_info_of(record);
  rattle_error error = {0};
  *remade = (report_remade){.g_terms = (double)NAN, .psi_terms = (double)NAN};
  if (!info->model_text || !info->model_text[0]) {
    snprintf(remade->why, sizeof remade->why,
             "The record contains no model text: it was written by a program.");
    return;
  }
  rattle_model_options options = {.struct_size = sizeof options,
                                  .parameters = info->parameter,
                                  .parameter_count = info->parameters,
                                  .cotangent = had_cotangent(info),
                                  .old_names = 1};
  const rattle_status status =
      make(remade, info->model_text, info->model_file, &options, info->n, info->m, &error);
  if (status)
    snprintf(remade->why, sizeof remade->why,
             "The model of the record could not be rebuilt: %.900s", error.message);
  if (status || info->m == 0 || rattle_model_velocity_constraints(remade->model)) return;
  measure_terms(remade, record);
  remade->was_projected = start_is_refused(remade->problem, (size_t)info->n);
}

void report_remade_free(report_remade *remade) {
  report_drawn_free(&remade->drawn);
  rattle_problem_destroy(&remade->problem);
  rattle_model_destroy(&remade->model);
}
