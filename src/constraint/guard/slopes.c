/* The slopes of H as expressions. See slopes.h. */
#include "constraint/guard/slopes.h"

#include "ground/expr/algebra.h"
#include "ground/expr/derivative.h"
#include "ground/expr/elements.h"
#include "ground/expr/family.h"
#include "ground/support/error.h"

rattle_status rattle__proof_refuse(const char *reason, rattle_error *error) {
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL, "steps of this problem cannot be proved: %s",
                      reason);
}

rattle_status rattle__slopes_refuse(rattle_error *error) {
  return rattle__proof_refuse("its Hamiltonian, its constraints or its forces are no expressions",
                              error);
}

/* Those of f, of z from column `from` on, to `slope` [count]: its variables from `first` on. */
static rattle_status slopes_of(const rattle__function *f, const rattle__slopes_at *at, int from,
                               int first, int count, rattle_expr *slope, rattle_error *error) {
  rattle_expr value = RATTLE_EXPR_NONE;
  if (!f->elements) return rattle__slopes_refuse(error);
  const rattle_status status = rattle__function_rows(f, at->graph, at->z + from, &value, error);
  return status ? status : rattle__gradient(at->graph, value, at->column + first, count, slope);
}

/* W p, and 1 for time */
static void take_masses(const rattle_problem *problem, const rattle__slopes_at *at,
                        rattle_expr *X) {
  const rattle__mass *W = problem->mass;
  const rattle_expr *p = at->z + problem->n;
  for (int c = 0; c < problem->n; c++) {
    rattle_expr sum = rattle_expr_constant(at->graph, W->clock == c + 1);
    const int first = W->value ? W->ptr[c] : c, end = W->value ? W->ptr[c + 1] : c + 1;
    for (int e = first; e < end; e++) {
      const double w = W->value ? W->value[e] : W->diagonal[c];
      const rattle_expr part = rattle__multiple(at->graph, w, p[W->value ? W->col[e] : c]);
      sum = rattle__plus(at->graph, sum, part);
    }
    X[c] = sum;
  }
}

rattle_status rattle__slopes_of_H(const rattle_problem *problem, const rattle__slopes_at *at,
                                  rattle_expr *X, rattle_error *error) {
  const int n = problem->n;
  if (!problem->force && problem->V && (problem->mass || problem->T)) {
    const rattle_status status = slopes_of(problem->V, at, 0, 0, n, X + n, error);
    if (problem->mass) take_masses(problem, at, X);
    return status || problem->mass ? status : slopes_of(problem->T, at, n, n, n, X, error);
  }
  const rattle__function *H = problem->force ? problem->energy : problem->H;
  const rattle_status status = slopes_of(H, at, 0, n, n, X, error);
  return status ? status : slopes_of(H, at, 0, 0, n, X + n, error);
}
