/* The start of a problem, and the exact flow of the DAE from its underlying ODE. */
#include "common_reference.h"

#include <math.h>
#include <string.h>

/* z moves by J^T (J J^T)^{-1} g until g is at round-off. */
static int onto_constraints(const tests_problem *problem, long double *z) {
  const int m = problem->m, two_n = 2 * problem->n;
  long double J[TESTS_MAX_M * TESTS_MAX_2N], A[TESTS_MAX_M * TESTS_MAX_M], g[TESTS_MAX_M],
      size = INFINITY;
  for (int round = 0; round < 30; round++) {
    reference_constraint(problem, z, g);
    size = 0;
    for (int i = 0; i < m; i++) size = fmaxl(size, fabsl(g[i]));
    if (size < 1e-18L) return 0;
    reference_jacobian(problem, z, J);
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) {
        A[i * m + j] = 0;
        for (int k = 0; k < two_n; k++) A[i * m + j] += J[i * two_n + k] * J[j * two_n + k];
      }
    }
    if (reference_solve(m, A, g)) return 1;
    for (int k = 0; k < two_n; k++) {
      for (int i = 0; i < m; i++) z[k] -= J[i * two_n + k] * g[i];
    }
  }
  return !(size < 1e-17L);
}

int reference_start(const tests_problem *problem, double *q, double *p) {
  long double z[TESTS_MAX_2N];
  for (int k = 0; k < 2 * problem->n; k++) z[k] = problem->near[k];
  if (problem->m > 0 && (onto_constraints(problem, z) || reference_project(problem, z))) return 1;
  for (int k = 0; k < problem->n; k++) {
    q[k] = (double)z[k];
    p[k] = (double)z[problem->n + k];
  }
  return 0;
}

static int underlying_field(const void *self, const long double *z, long double *dz) {
  const tests_problem *problem = self;
  long double N[TESTS_MAX_M * TESTS_MAX_M], lambda[TESTS_MAX_M], along[TESTS_MAX_2N];
  reference_field(problem, z, dz);
  if (problem->m == 0) return 0;
  if (reference_multipliers(problem, z, N, lambda)) return 1;
  reference_fibre_field(&(reference_direction){problem, lambda}, z, along);
  for (int k = 0; k < 2 * problem->n; k++) dz[k] += along[k];
  return 0;
}

int reference_flow(const tests_problem *problem, long double t, int steps, long double *z) {
  for (int i = 0; i < steps; i++) {
    if (reference_gauss_step(8, underlying_field, problem, 2 * problem->n, t / steps, z)) return 1;
  }
  return 0;
}
