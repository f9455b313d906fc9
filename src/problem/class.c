/* The class of constraints g(q,p): points of g = 0 near the model's start, and the rank of C = {g,g} there.
 *
 * The class is that of the point where the rank is highest: brackets that vanish at a start by accident do not count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/error.h"
#include "model/model.h"
#include "problem/survey.h"
#include "problem/split.h"

/* The start moved onto g = 0; if that cannot be, or for further points, from near the start. */
static rattle_status find_points(rattle__survey *survey, rattle_error *error) {
  enum { TRIES = 24 };
  const rattle_model *model = survey->problem->model;
  int n = survey->n, m = survey->m, *rows = malloc((size_t)m * sizeof *rows);
  double size = rattle__survey_size(survey, survey->point[0]); /* the start, as made */
  rattle_status status = rows ? RATTLE_OK : rattle__no_memory(error);
  for (int i = 0; i < m && !status; i++) rows[i] = i;
  if (size == 0) size = 1;
  for (int t = 0; t < TRIES && survey->points < RATTLE__SURVEY_POINTS && !status; t++) {
    double *z = survey->point[survey->points];
    int found;
    for (int k = 0; k < n; k++) {
      z[k] = model->pair[k].q;
      z[n + k] = model->pair[k].p;
    }
    if (t) rattle__survey_shake(survey, t < TRIES / 2 ? 0.1 * size : size, z);
    status = rattle__survey_project(survey, rows, m, z, &found, error);
    survey->points += !status && found;
  }
  free(rows);
  return status;
}

static rattle_status class_at(rattle__survey *survey, int point, rattle__class *class, double *smallest, rattle_error *error) {
  double most = 0;
  rattle_status status = rattle__survey_at(survey, survey->point[point], error);
  for (int e = 0; e < survey->m * survey->m; e++) most = fmax(most, fabs(survey->C[e]));
  *smallest = 0;
  if (!status && most > rattle__survey_zero) status = rattle__survey_smallest(survey->m, survey->C, smallest, error);
  *class = !(most > rattle__survey_zero)        ? RATTLE__CLASS_COISOTROPIC
           : !(*smallest > rattle__survey_zero) ? RATTLE__CLASS_MIXED
                                                : RATTLE__CLASS_SECOND;
  return status;
}

rattle_status rattle__second_class_split(const rattle_problem *problem, rattle__class *class, rattle__halves **split,
                                         rattle_error *error) {
  enum { MOST = 64 };
  *class = problem->flags & (RATTLE_HOLONOMIC | RATTLE_MOMENTUM_G) || problem->m < 2 ? RATTLE__CLASS_COISOTROPIC
                                                                                     : RATTLE__CLASS_UNKNOWN;
  *split = NULL;
  if (*class || !problem->model || problem->m > MOST) return RATTLE_OK;
  rattle__survey survey;
  rattle_status status = rattle__survey_create(&survey, problem, error);
  if (!status) status = find_points(&survey, error);
  double smallest = 0, start = 0;
  for (int t = 0; t < survey.points && !status; t++) {
    rattle__class here;
    status = class_at(&survey, t, &here, &smallest, error);
    if (here > *class) *class = here;
    if (!t) start = smallest;
  }
  if (!status && *class == RATTLE__CLASS_SECOND) {
    status = rattle__halves_create(split, &survey, start, error);
    if (!*split) *class = RATTLE__CLASS_MIXED;
  }
  rattle__survey_destroy(&survey);
  return status;
}
