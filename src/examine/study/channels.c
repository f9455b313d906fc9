/* Coordinates, momenta and observables by name (study.h). */
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/nearest.h"
#include "problem/functions/problem.h"
#include "examine/study/study.h"

enum { DEFAULT_MOST = 4 };

static int observables(const rattle_study *study) {
  const rattle_model *model = study->problem->model;
  return model ? rattle_model_observables(model) : 0;
}

/* Momenta of callbacks are "p" before the coordinate's name. */
const char *rattle__channel_name(rattle_study *study, int index) {
  const rattle_model *model = study->problem->model;
  int n = study->n;
  if (index >= 2 * n) return rattle_model_observable_name(model, index - 2 * n);
  if (model)
    return index < n ? rattle_model_coordinate_name(model, index)
                     : rattle_model_momentum_name(model, index - n);
  if (index < n) return rattle__problem_coordinate_name(study->problem, index);
  return rattle__study_text(study, "p%s",
                            rattle__problem_coordinate_name(study->problem, index - n));
}

static rattle_status unknown(rattle_study *study, const char *wanted, rattle_error *error) {
  rattle__nearest nearest = {wanted, NULL, 0};
  int all = 2 * study->n + observables(study);
  for (int i = 0; i < all; i++) rattle__nearest_try(&nearest, rattle__channel_name(study, i));
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, wanted,
                      "no coordinate, momentum or observable is named '%s'%s%s%s", wanted,
                      nearest.best ? "; did you mean " : "", nearest.best ? nearest.best : "",
                      nearest.best ? "?" : "");
}

rattle_status rattle__channels_choose(rattle_study *study, rattle__study_channels *channels,
                                      rattle_error *error) {
  const rattle_study_options *options = &study->options;
  int asked = options->spectra, all = 2 * study->n + observables(study);
  int count = asked ? asked : study->n < DEFAULT_MOST ? study->n : DEFAULT_MOST;
  channels->name = rattle__arena_take(&study->arena, (size_t)count * sizeof *channels->name);
  channels->index = rattle__arena_take(&study->arena, (size_t)count * sizeof *channels->index);
  if (study->arena.failed) return rattle__no_memory(error);
  for (int c = 0; c < count; c++) {
    int found = asked ? -1 : c;
    for (int i = 0; i < all && found < 0; i++)
      if (!strcmp(rattle__channel_name(study, i), options->spectrum[c])) found = i;
    if (found < 0) return unknown(study, options->spectrum[c], error);
    channels->name[c] = rattle__study_text(study, "%s", rattle__channel_name(study, found));
    channels->index[c] = found;
    channels->observed |= found >= 2 * study->n;
  }
  channels->count = count;
  return RATTLE_OK;
}
