/* See remassed.h. */
#include "problem/functions/remassed.h"

#include <stdlib.h>

#include "ground/support/error.h"

void rattle__problem_remassed_destroy(rattle_problem **remassed) {
  rattle_problem *p = *remassed;
  if (!p) return;
  rattle__function_destroy(&p->H);
  rattle__mass_destroy(&p->mass);
  free(p);
  *remassed = NULL;
}

rattle_status rattle__problem_remassed(rattle_problem **remassed, const rattle_problem *problem,
                                       const double *inverse_mass, rattle_error *error) {
  rattle_problem *p = *remassed = malloc(sizeof *p);
  if (!p) return rattle__no_memory(error);
  *p = *problem;
  p->H = p->kinetic = p->T = p->terms = NULL;
  p->settable = NULL;
  p->mass = NULL;
  rattle_status status = rattle__mass_create_diagonal(&p->mass, p->n, inverse_mass, error);
  if (!status) status = rattle__function_separable(&p->H, p->n, p->V, NULL, p->mass, error);
  if (status) rattle__problem_remassed_destroy(remassed);
  return status;
}
