/* Eigenvalues of the stiffness, and what round-off leaves of them and of forces. */
#include <float.h>
#include <math.h>

#include "ground/linear/symmetric.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "runs/statics/statics.h"

rattle_status rattle__statics_decompose(rattle_equilibrium *s, rattle_error *error) {
  const int d = s->d;
  s->rounding = 16 * DBL_EPSILON * rattle__energy_size(s->problem, s->z, s->of_energy);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) s->square[i * d + j] = 0.5 * (s->K[i * d + j] + s->K[j * d + i]);
  return rattle__symmetric_eigen(d, s->square, s->value, s->V)
             ? rattle__fail(error, RATTLE_DOMAIN, NULL,
                            "second derivatives are not finite where an equilibrium is sought")
             : RATTLE_OK;
}

double rattle__statics_most_moved(const rattle_equilibrium *s, int i) {
  double most = 0;
  for (int k = 0; k < s->n; k++) {
    double turn = 0;
    for (int j = 0; j < s->d; j++) turn += s->V[i * s->d + j] * s->B[j * s->n + k];
    most = fmax(most, fabs(turn));
  }
  return most;
}

double rattle__statics_soft(const rattle_equilibrium *s, int i) {
  const double stiffest = fmax(s->stiffest, rattle__largest(s->value, s->d));
  const double size = fmax(1, fmax(s->size, rattle__largest(s->z, s->n)));
  const double part = rattle__statics_most_moved(s, i) / size;
  return fmax(16 * s->d * DBL_EPSILON * stiffest, s->rounding * part * part);
}

void rattle__statics_rounding(rattle_equilibrium *s, const double *lambda) {
  const rattle__function *H = s->problem->H, *g = s->problem->g;
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    s->way[k] = fabs(s->gradient[k]);
    for (int e = H->hessian ? H->hess_ptr[k] : 0; H->hessian && e < H->hess_ptr[k + 1]; e++)
      s->way[k] += fabs(s->S[e] * s->z[H->hess_col[e]]);
  }
  for (int r = 0; r < s->m; r++)
    for (int e = g->jac_ptr[r]; e < g->jac_ptr[r + 1]; e++)
      if (g->jac_col[e] < n) s->way[g->jac_col[e]] += fabs(lambda[r] * s->J[e]);
  for (int r = 0; r < s->rows; r++)
    for (int k = 0; k < n; k++) s->way[k] += fabs(lambda[s->m + r] * s->A[r * n + k]);
  for (int k = 0; k < n; k++) s->way[k] *= 16 * DBL_EPSILON;
}

double rattle__statics_along(const rattle_equilibrium *s, int i, const double *x) {
  double sum = 0;
  for (int j = 0; j < s->d; j++) sum += s->V[i * s->d + j] * x[j];
  return sum;
}

double rattle__statics_noise(const rattle_equilibrium *s, int i) {
  double sum = 0;
  for (int j = 0; j < s->d; j++)
    for (int k = 0; k < s->n; k++) sum += fabs(s->V[i * s->d + j] * s->B[j * s->n + k]) * s->way[k];
  return sum;
}
