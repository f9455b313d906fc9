/* V and the density of the measure at a point. */
#include "runs/sample/kernel.h"

#include <math.h>
#include <string.h>

rattle_status rattle__kernel_potential(rattle__kernel *k, const double *q, double *V,
                                       rattle_error *error) {
  const rattle__function *f = k->problem->V;
  const rattle_status status = rattle__answer(f->value(f, q, V, k->work), "the Hamiltonian", error);
  if (status || isfinite(*V)) return status;
  return rattle__fail(error, RATTLE_DOMAIN, "V", "the potential is not finite");
}

/* A = G W G^T, its lower half. */
static rattle_status gram(rattle__kernel *k, const rattle__mass *W, const double *q,
                          rattle_error *error) {
  const rattle__function *g = k->problem->g;
  const rattle_status status =
      rattle__answer(g->jacobian(g, q, k->g, k->J, k->work), "a constraint", error);
  if (status) return status;
  rattle__mass_scale(W, g, k->J, k->B);
  memset(k->row, 0, (size_t)k->n * sizeof *k->row);
  for (int i = 0; i < k->m; i++) {
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) k->row[g->jac_col[e]] = k->B[e];
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++)
        sum += k->J[e] * k->row[g->jac_col[e]];
      k->A[(size_t)i * k->m + j] = sum;
    }
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) k->row[g->jac_col[e]] = 0;
  }
  return RATTLE_OK;
}

rattle_status rattle__kernel_log_gram(rattle__kernel *k, const rattle__mass *W, const double *q,
                                      double *log_det, rattle_error *error) {
  *log_det = 0;
  if (!k->m) return RATTLE_OK;
  const rattle_status status = gram(k, W, q, error);
  if (status) return status;
  double *A = k->A;
  for (int j = 0; j < k->m; j++) { /* A = L L^T in place */
    for (int i = j; i < k->m; i++) {
      double sum = A[(size_t)i * k->m + j];
      for (int l = 0; l < j; l++) sum -= A[(size_t)i * k->m + l] * A[(size_t)j * k->m + l];
      if (i == j && !(sum > 0 && isfinite(sum)))
        return rattle__fail(error, RATTLE_SINGULAR, "measure",
                            "G M^-1 G^T is singular: the constraints are not independent here");
      A[(size_t)i * k->m + j] = i == j ? sqrt(sum) : sum / A[(size_t)j * k->m + j];
    }
    *log_det += 2 * log(A[(size_t)j * k->m + j]);
  }
  return RATTLE_OK;
}

rattle_status rattle__kernel_energy(rattle__kernel *k, const double *q, double *U,
                                    rattle_error *error) {
  const rattle__mass *W = k->problem->mass;
  double own = 0, given = 0;
  rattle_status status = rattle__kernel_potential(k, q, U, error);
  if (!status && (k->delta || k->given)) status = rattle__kernel_log_gram(k, W, q, &own, error);
  if (!status && !k->delta && k->given)
    status = rattle__kernel_log_gram(k, k->given, q, &given, error);
  *U += k->T / 2 * (own - given);
  return status;
}
