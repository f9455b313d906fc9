/* Values at a point: the energy, its derivatives, the masses, and the momenta with which
 * nothing moves. See statics.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "runs/statics/statics.h"

enum { MOST_ITERATIONS = 50 };
static const double last = 0x1p-26; /* the root of round-off */

static rattle_status not_finite(rattle_equilibrium *s, rattle_error *error) {
  const rattle_status status = rattle__domain_error(s->problem, s->z, error);
  return status ? status
                : rattle__fail(error, RATTLE_DOMAIN, NULL,
                               "H or g is not finite where an equilibrium is sought");
}

rattle_status rattle__statics_see(rattle_equilibrium *s, rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const rattle__function *H = problem->H, *energy = problem->energy ? problem->energy : H;
  int answer = energy->value(energy, s->z, &s->energy, s->work);
  if (!answer) answer = H->jacobian(H, s->z, NULL, s->gradient, s->work);
  if (!answer && H->hessian) answer = H->hessian(H, s->z, NULL, s->S, s->work);
  if (!answer && s->m) answer = problem->g->jacobian(problem->g, s->z, s->g, s->J, s->work);
  if (answer) return rattle__answer(answer, "problem", error);
  double sum = 0 * s->energy;
  for (int k = 0; k < 2 * s->n; k++) sum += 0 * s->gradient[k];
  return sum == 0 ? RATTLE_OK : not_finite(s, error);
}

rattle_status rattle__statics_change(rattle_equilibrium *s, const double *v, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  if (!H->hessian) {
    const int answer = rattle__function_along(H, s->z, v, s->D, s->work, s->room);
    return answer ? rattle__answer(answer, "Hamiltonian", error) : RATTLE_OK;
  }
  memset(s->D, 0, 2 * (size_t)s->n * sizeof *s->D);
  for (int r = 0; r < H->vars; r++)
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      s->D[r] += s->S[e] * v[H->hess_col[e]];
  return RATTLE_OK;
}

/* --- masses ----------------------------------------------------------------------------------- */

/* W = L L^T in place; 0 in rows of coordinates that never move. */
static rattle_status factor(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n;
  double *L = s->L;
  for (int j = 0; j < n; j++) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(L[j * n + i]));
    double pivot = L[j * n + j];
    for (int k = 0; k < j; k++) pivot -= L[k * n + j] * L[k * n + j];
    if (most > 0 && !(pivot > n * DBL_EPSILON * L[j * n + j]))
      return rattle__fail(error, RATTLE_UNSUITABLE, rattle__problem_coordinate_name(s->problem, j),
                          "equilibria of this problem are not sought: H_pp is not positive "
                          "definite at '%s'",
                          rattle__problem_coordinate_name(s->problem, j));
    const double root = most > 0 ? sqrt(pivot) : 0;
    for (int i = 0; i < j; i++) L[j * n + i] = 0;
    for (int i = j + 1; i < n; i++) {
      double sum = L[j * n + i];
      for (int k = 0; k < j; k++) sum -= L[k * n + i] * L[k * n + j];
      L[j * n + i] = root > 0 ? sum / root : 0;
    }
    L[j * n + j] = root;
  }
  return RATTLE_OK;
}

rattle_status rattle__statics_masses(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n;
  rattle_status status = RATTLE_OK;
  memset(s->v, 0, 2 * (size_t)n * sizeof *s->v);
  for (int k = 0; k < n && !status; k++) {
    s->v[n + k] = 1;
    status = rattle__statics_change(s, s->v, error);
    s->v[n + k] = 0;
    memcpy(s->L + (size_t)k * (size_t)n, s->D + n, (size_t)n * sizeof *s->L);
  }
  return status ? status : factor(s, error);
}

void rattle__statics_solve_back(const rattle_equilibrium *s, double *p) {
  const int n = s->n;
  for (int k = n; k-- > 0;) {
    for (int i = k + 1; i < n; i++) p[k] -= s->L[k * n + i] * p[i];
    p[k] = s->L[k * n + k] > 0 ? p[k] / s->L[k * n + k] : 0;
  }
}

void rattle__statics_momenta(const rattle_equilibrium *s, const double *dq, double *p) {
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    p[k] = dq[k];
    for (int i = 0; i < k; i++) p[k] -= s->L[i * n + k] * p[i];
    p[k] = s->L[k * n + k] > 0 ? p[k] / s->L[k * n + k] : 0;
  }
  rattle__statics_solve_back(s, p);
}

/* --- at rest ---------------------------------------------------------------------------------- */

rattle_status rattle__statics_has_masses(const rattle_equilibrium *s, const double *change,
                                         rattle_error *error) {
  for (int k = 0; k < s->n; k++)
    if (change[k] != 0 && s->L[k * s->n + k] == 0 && k != s->problem->clock - 1)
      return rattle__fail(error, RATTLE_UNSUITABLE, rattle__problem_coordinate_name(s->problem, k),
                          "equilibria of this problem are not sought: '%s' moves, and no momentum "
                          "stops it, since H_pp is 0 there",
                          rattle__problem_coordinate_name(s->problem, k));
  return RATTLE_OK;
}

static int moves(const rattle_equilibrium *s) {
  for (int k = 0; k < s->n; k++)
    if (s->gradient[s->n + k] != 0 && k != s->problem->clock - 1) return 1;
  return 0;
}

/* Newton's method; one step where H is quadratic in the momenta, and its round-off. */
rattle_status rattle__statics_still(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n;
  double *p = s->z + n, *change = s->step;
  memset(p, 0, (size_t)n * sizeof *p);
  if (s->problem->mass) return RATTLE_OK;
  for (int i = 0; i < MOST_ITERATIONS; i++) {
    rattle_status status = rattle__statics_see(s, error);
    if (status || !moves(s)) return status;
    status = rattle__statics_masses(s, error);
    if (!status) status = rattle__statics_has_masses(s, s->gradient + n, error);
    if (status) return status;
    rattle__statics_momenta(s, s->gradient + n, change);
    for (int k = 0; k < n; k++) p[k] -= change[k];
    if (rattle__largest(change, n) <= last * rattle__largest(p, n)) return RATTLE_OK;
  }
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                      "no momenta were found with which the coordinates are at rest where an "
                      "equilibrium is sought: from 0, Newton's method did not come to H_p = 0");
}
