/* Multipliers of constraints that were eliminated with parts without mass
 * (problem/model/massless.c): they follow from those of the others. */
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "problem/functions/probe.h"
#include "problem/functions/velocity.h"

rattle_status rattle__probe_eliminated(rattle__probe *probe, double *observed,
                                       rattle_error *error) {
  const rattle_problem *problem = probe->problem;
  const rattle_model *model = problem->model;
  const rattle__function *f = problem->shares;
  double *lambda = probe->all, *share = probe->share;
  const int m = probe->m, others = m + model->omissions;
  memcpy(lambda, probe->reaction ? probe->reaction->lambda : probe->lambda,
         (size_t)m * sizeof *lambda);
  const rattle_status status =
      probe->shared ? rattle__shared_multipliers(probe, lambda, lambda + m, error) : RATTLE_OK;
  if (status) return status;
  const int answer = f->value(f, probe->z, share, probe->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int r = 0; r < model->reactions; r++, share += 1 + others) {
    double sum = share[0];
    for (int j = 0; j < others; j++) sum += share[1 + j] * lambda[j];
    observed[model->reaction[r].observable] = sum;
  }
  return RATTLE_OK;
}
