/* Constraints on velocities at rest, A(q) q' = 0: r = G^T lambda + A^T mu, mu being
 * the last of s->lambda. Motions go along the null space of (G; A), and displacements across it
 * that g = 0 allows are places where it can rest as well: zero rates, one for each row of A that
 * does not follow from G. In the first order at rest A is constant, but the reaction A^T mu turns
 * with the mechanism, so that K = B^T (H_qq - f_q + lambda . g_qq + mu . A_q) B need not be
 * symmetric.
 *
 * Literature: Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS 1972, chapter V:
 * the linear equations, and that a place of rest is stable if all other rates decay (Malkin). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "runs/statics/statics.h"

rattle_status rattle__statics_refuse_rows(const rattle_problem *problem, const char *what,
                                          rattle_error *error) {
  if (!problem->velocity) return RATTLE_OK;
  return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                      "equilibria of this problem are not sought: those of models with constraints "
                      "on velocities are found at rest, of at most 400 coordinates, for one value "
                      "of each parameter; this one is to be found %s",
                      what);
}

/* A way that the clock goes alone is the speed that a row asks for. */
static rattle_status check_drive(const rattle_equilibrium *s, int row, double speed,
                                 rattle_error *error) {
  if (speed == 0) return RATTLE_OK;
  const char *name = rattle_problem_constraint_name(s->problem, s->m + row);
  return rattle__fail(
      error, RATTLE_UNSUITABLE, name,
      "the constraint on velocities '%s' drives the mechanism, so that nothing is at "
      "rest: let its speed be 0 for an equilibrium",
      name ? name : "");
}

rattle_status rattle__statics_rows(rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *f = s->problem->velocity;
  const int n = s->n, clock = s->problem->clock - 1;
  memcpy(s->still, s->z, (size_t)n * sizeof *s->z);
  memset(s->still + n, 0, (size_t)n * sizeof *s->still);
  memset(s->A, 0, (size_t)s->rows * (size_t)n * sizeof *s->A);
  const int answer = f->jacobian(f, s->still, NULL, s->D, s->work);
  if (answer) return rattle__answer(answer, "constraint on velocities", error);
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < s->rows && !status; i++) {
    double *row = s->A + i * n;
    for (int e = f->jac_ptr[i]; e < f->jac_ptr[i + 1]; e++)
      if (f->jac_col[e] >= n) row[f->jac_col[e] - n] = s->D[e];
    if (clock < 0) continue;
    status = check_drive(s, i, row[clock], error);
  }
  return status;
}

rattle_status rattle__statics_turn_rows(rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *f = s->problem->velocity;
  const int n = s->n;
  double *along = s->still + 2 * n;
  memcpy(along, s->v, (size_t)n * sizeof *along);
  memset(along + n, 0, (size_t)n * sizeof *along);
  const int answer = rattle__function_along(f, s->still, along, s->D, s->work, s->room);
  if (answer) return rattle__answer(answer, "constraint on velocities", error);
  for (int i = 0; i < s->rows; i++)
    for (int e = f->jac_ptr[i]; e < f->jac_ptr[i + 1]; e++)
      if (f->jac_col[e] >= n) s->way[f->jac_col[e] - n] += s->lambda[s->m + i] * s->D[e];
  return RATTLE_OK;
}

int rattle__statics_follows(const rattle_equilibrium *s) {
  const int d = s->d;
  const double soft = 16 * s->n * DBL_EPSILON * rattle__largest(s->K, d * d);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < i; j++)
      if (fabs(s->K[i * d + j] - s->K[j * d + i]) > soft) return 1;
  return 0;
}
