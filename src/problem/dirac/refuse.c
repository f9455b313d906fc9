/* The objections of Dirac's algorithm to integrating a model, as an error: for starts and the
 * doctor. */
#include <stdlib.h>

#include "problem/dirac/dirac.h"
#include "ground/support/error.h"

/* The constraint that the refusal is about: one that is redundant, one of the pair that does not
 * commute, else the first. */
static int culprit(const rattle__dirac *d) {
  for (int c = d->m - 1; c >= 0; c--)
    if (d->chi[c].redundant || d->chi[c].irregular) return c;
  return d->rank_gg ? d->pair[1] : d->doubtful >= 0 && d->doubtful < d->m ? d->doubtful : 0;
}

/* True if the constraints are to blame, whatever H is; else N = {{H,g_i},g_j} is. */
static int is_of_constraints(const rattle__dirac *d) {
  int redundant = 0;
  for (int c = 0; c < d->m; c++) redundant |= d->chi[c].redundant;
  return d->inconsistent || d->undecided || redundant || d->rank_gg;
}

rattle_status rattle__dirac_refuse(const rattle__dirac *d, rattle_error *error) {
  char reason[sizeof error->message];
  rattle__dirac_refusal(d, reason, sizeof reason);
  if (!reason[0]) return RATTLE_OK;
  const int constraint = culprit(d);
  rattle_status status =
      rattle__fail(error, is_of_constraints(d) ? RATTLE_NOT_REGULAR : RATTLE_SINGULAR,
                   d->chi[constraint].name, "%s", reason);
  if (error) error->constraint = constraint;
  return status;
}

/* The algorithm, run from the start q, p [n]. */
static rattle_status run_from(rattle__dirac **d, const rattle_model *model, const double *q,
                              const double *p, rattle_error *error) {
  const size_t n = (size_t)model->n;
  double *x = malloc(2 * n * sizeof *x);
  if (!x) return rattle__no_memory(error);
  for (size_t k = 0; k < n; k++) {
    x[2 * k] = q[k];
    x[2 * k + 1] = p[k];
  }
  const rattle_status status = rattle__dirac_create(d, model, x, RATTLE__DIRAC_USUAL, 0, error);
  free(x);
  return status;
}

rattle_status rattle__dirac_ask(const rattle_model *model, const double *q, const double *p,
                                rattle_error *error) {
  rattle__dirac *d = NULL;
  rattle_status status = run_from(&d, model, q, p, error);
  if (status) return status;
  status = rattle__dirac_refuse(d, error);
  rattle__dirac_destroy(&d);
  return status;
}

rattle_status rattle__dirac_ask_redundant(const rattle_model *model, const double *q,
                                          const double *p, rattle_error *error) {
  rattle__dirac *d = NULL;
  int irregular = 0;
  rattle_status status = run_from(&d, model, q, p, error);
  if (status) return status;
  for (int c = 0; c < d->m; c++) irregular |= d->chi[c].irregular == 2;
  if (irregular) status = rattle__dirac_refuse(d, error);
  rattle__dirac_destroy(&d);
  return status;
}
