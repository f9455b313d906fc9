/* Multipliers in observables and events (problem/model/multiplier.c): where a problem has them. */
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "problem/model/model.h"

/* Rows on velocities come after those on coordinates, in the order of those that are left. */
static int place_of_row(const rattle_problem *problem, int row) {
  const int left = problem->velocity ? problem->velocity->rows : 0;
  for (int i = 0; i < left; i++)
    if (problem->velocity_row[i] == row) return problem->m + i;
  return RATTLE__NOWHERE;
}

/* A free variable that is eliminated leaves no multiplier. */
static rattle_status lost(const char *name, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, name,
                      "the multiplier of '%s' is no quantity here, since that constraint was "
                      "eliminated with its coordinate: omit lambda(\"%s\")",
                      name, name);
}

rattle_status rattle__problem_cite(rattle_problem *problem, rattle_error *error) {
  const rattle_model *model = problem->model;
  if (!model->multipliers) return RATTLE_OK;
  problem->cited_at = malloc((size_t)model->multipliers * sizeof *problem->cited_at);
  if (!problem->cited_at) return rattle__no_memory(error);
  problem->cited = model->multipliers;
  for (int k = 0; k < problem->cited; k++) {
    const rattle__multiplier_of of = rattle__model_multiplier_of(model, k);
    if (of.constraint < 0 && of.velocity_row < 0 && of.observable < 0 && of.coordinate < 0)
      return lost(model->multiplier[k].constraint, error);
    problem->cited_at[k] = of.constraint >= 0     ? of.constraint
                           : of.velocity_row >= 0 ? place_of_row(problem, of.velocity_row)
                           : of.observable >= 0   ? -1 - of.observable
                                                  : RATTLE__NOWHERE;
  }
  return RATTLE_OK;
}

int rattle__cites(const rattle_problem *problem, const rattle__function *f) {
  for (int e = 0; f && problem->cited && e < f->jac_nnz; e++)
    if (f->jac_col[e] >= 2 * problem->n) return 1;
  return 0;
}
