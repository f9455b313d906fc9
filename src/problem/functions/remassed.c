/* See remassed.h. */
#include "problem/functions/remassed.h"

#include <stdlib.h>

#include "ground/support/error.h"

void rattle__problem_remassed_destroy(rattle_problem **remassed) {
  rattle_problem *p = *remassed;
  if (!p) return;
  rattle__function_destroy(&p->H);
  rattle__mass_destroy(&p->mass);
  if (rattle__has_full_rows(p->g)) rattle__function_destroy(&p->g);
  free(p);
  *remassed = NULL;
}

/* *W of the dense matrix S [n*n]. */
static rattle_status dense_mass(rattle__mass **W, int n, const double *S, rattle_error *error) {
  int *ptr = malloc(((size_t)n + 1 + (size_t)n * (size_t)n) * sizeof *ptr), *col = ptr + n + 1;
  if (!ptr) return rattle__no_memory(error);
  for (int k = 0; k <= n; k++) ptr[k] = k * n;
  for (int e = 0; e < n * n; e++) col[e] = e % n;
  const rattle_status status = rattle__mass_create(W, n, ptr, col, S, 1, error);
  free(ptr);
  if (status || *W) return status;
  return rattle__fail(error, RATTLE_BAD_ARGUMENT, "metric",
                      "the masses of a metric are not positive definite");
}

rattle_status rattle__problem_remassed(rattle_problem **remassed, const rattle_problem *problem,
                                       int dense, const double *inverse_mass, rattle_error *error) {
  rattle_problem *p = *remassed = malloc(sizeof *p);
  if (!p) return rattle__no_memory(error);
  *p = *problem;
  p->H = p->kinetic = p->T = p->terms = NULL;
  p->settable = NULL;
  p->remassed = problem;
  p->mass = NULL;
  rattle_status status = dense ? dense_mass(&p->mass, p->n, inverse_mass, error)
                               : rattle__mass_create_diagonal(&p->mass, p->n, inverse_mass, error);
  if (!status && dense && p->g && p->g->jac_nnz < p->m * p->n) {
    p->evaluator = RATTLE__BLOCK; /* full rows are no expressions, which machine code is made of */
    status = rattle__function_full_rows(&p->g, problem->g, error);
  }
  if (!status) status = rattle__function_separable(&p->H, p->n, p->V, NULL, p->mass, error);
  if (status) rattle__problem_remassed_destroy(remassed);
  return status;
}
