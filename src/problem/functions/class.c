/* The class of constraints g(q,p): points of g = 0 near the model's start, and the rank of C =
 * {g,g} there.
 *
 * The class is taken at the point of highest rank: brackets that vanish at a start by accident do
 * not count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "problem/functions/survey.h"
#include "problem/functions/split.h"

/* The start moved onto g = 0; if that cannot be, or for further points, from near the start. */
static rattle_status find_points(rattle__survey *survey, const int *rows, rattle_error *error) {
  enum { TRIES = 24 };
  const rattle_model *model = survey->problem->model;
  int n = survey->n, m = survey->m;
  rattle_status status = RATTLE_OK;
  for (int t = 0; t < TRIES && survey->points < RATTLE__SURVEY_POINTS && !status; t++) {
    double *z = survey->point[survey->points];
    int found = 0;
    for (int k = 0; k < n; k++) {
      z[k] = model->pair[k].q;
      z[n + k] = model->pair[k].p;
    }
    if (t) status = rattle__survey_shake(survey, t < TRIES / 2 ? 0.1 : 1, z, error);
    if (!status) status = rattle__survey_project(survey, rows, m, z, &found, error);
    if (!t)
      survey->anywhere =
          !found; /* the gradients at such a start, as at the centre of a sphere, bound nothing */
    survey->points += !status && found && (!t || rattle__survey_is_tame(survey));
  }
  survey->anywhere = 0;
  return status;
}

static rattle_status find_class(rattle__survey *survey, const int *rows, rattle__class *class,
                                rattle_error *error) {
  static const rattle__class of_rank[] = {RATTLE__CLASS_COISOTROPIC, RATTLE__CLASS_MIXED,
                                          RATTLE__CLASS_SECOND};
  rattle_status status = find_points(survey, rows, error);
  for (int t = 0; t < survey->points && !status; t++) {
    int rank = 0;
    status = rattle__survey_at(survey, survey->point[t], rows, survey->m, error);
    if (!status) status = rattle__survey_rank(survey, &rank, error);
    if (of_rank[rank] > *class) *class = of_rank[rank];
  }
  return status;
}

rattle_status rattle__second_class_split(const rattle_problem *problem, rattle__class *class,
                                         rattle__halves **split, rattle_error *error) {
  enum { MOST = 64 };
  *class = problem->flags & (RATTLE_HOLONOMIC | RATTLE_MOMENTUM_G) || problem->m < 2
               ? RATTLE__CLASS_COISOTROPIC
               : RATTLE__CLASS_UNKNOWN;
  *split = NULL;
  if (*class || !problem->model || problem->m > MOST) return RATTLE_OK;
  rattle__survey survey;
  int rows[MOST];
  for (int i = 0; i < problem->m; i++) rows[i] = i;
  rattle_status status = rattle__survey_create(&survey, problem, error);
  if (!status) status = find_class(&survey, rows, class, error);
  if (!status && *class == RATTLE__CLASS_SECOND) {
    status = rattle__halves_create(split, &survey, error);
    if (!*split) *class = RATTLE__CLASS_MIXED;
  }
  rattle__survey_destroy(&survey);
  return status;
}

rattle_status rattle__too_many_constraints(int m, int n, const char *where, rattle_error *error) {
  return rattle__fail(error, RATTLE_NOT_REGULAR, where,
                      "%d constraints on %d coordinates depend on one another: remove those that "
                      "follow from others, or write redundant \"omit\" in the model",
                      m, n);
}
