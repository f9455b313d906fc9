/* Steps of natural H by a scheme of one drift: kick, drift, kick. V_q is evaluated once a step,
 * where it ends, and dq1/ds = -h W C0^T is known. */
#include <string.h>

#include "ground/support/error.h"
#include "maps/velocity/rolling.h"

static rattle_status force(rattle__rolling *r, rattle__point *at, const double *q,
                           rattle_error *error) {
  const rattle__function *V = r->map.context->problem->V;
  if (rattle__point_go(at, q) && at->has_V) return RATTLE_OK;
  const int answer = V->jacobian(V, q, &at->V, at->V_q, r->work);
  r->map.context->counts.gradient++;
  at->has_V = !answer;
  return rattle__answer(answer, "gradient", error);
}

static void kick(const rattle__rolling *r, double c, const rattle__point *at, double *p) {
  for (int k = 0; k < r->n; k++) p[k] -= c * at->V_q[k];
}

rattle_status rattle__rolling_drift(rattle__rolling *r, rattle_error *error) {
  const rattle__mass *W = r->map.context->problem->mass;
  const int n = r->n;
  double *z1 = r->z1;
  memcpy(z1 + n, r->plus + n, (size_t)n * sizeof *z1);
  if (r->scheme->k1 != 0) {
    const rattle_status status = force(r, r->from, r->z0, error);
    if (status) return status;
    kick(r, r->h * r->scheme->k1, r->from, z1 + n);
  }
  rattle__mass_drift(W, r->h * r->scheme->d1, r->z0, z1 + n, z1);
  if (W->clock) z1[W->clock - 1] = r->z0[W->clock - 1] + r->h * r->scheme->d1;
  return RATTLE_OK;
}

rattle_status rattle__rolling_last_kick(rattle__rolling *r, double *z1, rattle_error *error) {
  if (r->scheme->k2 == 0) return RATTLE_OK;
  const rattle_status status = force(r, r->to, z1, error);
  if (status) return status;
  kick(r, r->h * r->scheme->k2, r->to, z1 + r->n);
  rattle__point *other = r->from;
  r->from = r->to;
  r->to = other;
  return RATTLE_OK;
}
