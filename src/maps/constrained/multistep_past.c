/* The past points of multistep methods: how the window is made from one state, turned round, and
 * taken back. Symbols: multistep.c, multistep.h.
 *
 * Start    q_j, |j| <= L, by one step each of kahan_li8(rattle(verlet)) from (q_0, p_0), forwards
 *          and backwards; its error is smaller than the method's by some powers of 10. lambda_j,
 *          |j| < L, solves psi' = 0 at (q_j, p_j): N lambda = {psi,H}
 */
#include "maps/constrained/multistep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "ground/support/add_to.h"

rattle_status rattle__multistep_force(rattle__multistep *s, const double *q, double *V, double *a,
                                      rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  const int answer = problem->V->jacobian(problem->V, q, V, a, s->work);
  s->map.context->counts.gradient++;
  if (answer) return rattle__callback_error(answer, "gradient", error);
  double strange = 0 * *V;
  memcpy(s->work, a, (size_t)s->n * sizeof *a);
  for (int k = 0; k < s->n; k++) {
    a[k] = rattle__mass_times(problem->mass, -1, k, s->work);
    strange += 0 * a[k];
  }
  if (strange == 0) return RATTLE_OK;
  memcpy(s->zs, q, (size_t)s->n * sizeof *q);
  memset(s->zs + s->n, 0, (size_t)s->n * sizeof *q);
  if (rattle__domain_error(problem, s->zs, error) == RATTLE_DOMAIN) return RATTLE_DOMAIN;
  return rattle__fail(error, RATTLE_DOMAIN, NULL,
                      "the force is not finite at a point ahead of the state: use a smaller step");
}

/* a, lambda and V at z, of the exact motion */
static rattle_status place(rattle__multistep *s, const double *z, rattle__past to,
                           rattle_error *error) {
  const rattle__function *g = s->map.context->problem->g;
  const rattle__mass *W = s->map.context->problem->mass;
  rattle_status status = rattle__multistep_force(s, z, to.V, to.a, error);
  if (status || !s->m) return status;
  rattle__probe *probe = s->map.context->probe;
  rattle__probe_place(probe, z, z + s->n);
  status = rattle__probe_multipliers(probe, to.lambda, error);
  if (status) return status;
  if (!isfinite(to.lambda[0]))
    return rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                        "multistep methods need the multipliers of the differential equation, "
                        "whose matrix is too large for this "
                        "problem: use kahan_li8(rattle(verlet))");
  rattle__mass_scale(W, g, probe->J, s->B);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      to.a[g->jac_col[e]] -= s->B[e] * to.lambda[i];
  return RATTLE_OK;
}

/* The points on one side of z0: side = 1 or -1. */
static rattle_status walk(rattle__multistep *s, double h, int side, const double *z0,
                          rattle_error *error) {
  const int L = s->c.half;
  const size_t n = (size_t)s->n;
  double *from = s->zs, *to = from + 2 * n;
  rattle_status status = RATTLE_OK;
  memcpy(from, z0, 2 * n * sizeof *z0);
  for (int j = 1; j <= L && !status; j++) {
    status = s->starter->apply(s->starter, side * h, from, to, error);
    if (status) break;
    memcpy(rattle__past_at(s, side * j).q, to, n * sizeof *to);
    if (j < L) status = place(s, to, rattle__past_at(s, side * j + 1), error);
    double *swapped = from;
    from = to;
    to = swapped;
  }
  return status;
}

/* s = pi(E) D about the place 0 */
static void sum_up(rattle__multistep *s) {
  const int L = s->c.half;
  for (int j = 1 - L; j < L; j++) {
    const double *D = rattle__past_at(s, j + 1).D;
    for (int k = 0; k < s->n; k++)
      rattle__add_to(&s->sums[k], &s->sums[s->n + k], s->c.pi[j - 1 + L] * D[k]);
  }
}

static rattle_status start(rattle__multistep *s, double h, const double *z0, rattle_error *error) {
  const int L = s->c.half;
  memset(s->memory, 0, s->size * sizeof(double));
  s->memory[0] = h;
  memcpy(rattle__past_at(s, 0).q, z0, (size_t)s->n * sizeof *z0);
  rattle_status status = place(s, z0, rattle__past_at(s, 1), error);
  if (!status) status = walk(s, h, 1, z0, error);
  if (!status) status = walk(s, h, -1, z0, error);
  if (status) return status;
  for (int j = 1 - L; j <= L; j++) {
    const rattle__past at = rattle__past_at(s, j), before = rattle__past_at(s, j - 1);
    for (int k = 0; k < s->n; k++) at.D[k] = at.q[k] - before.q[k];
  }
  sum_up(s);
  const double twice = rattle__mass_twice_kinetic(s->map.context->problem->mass, z0 + s->n);
  s->memory[2] = 0.5 * twice + *rattle__past_at(s, 1).V;
  s->memory[3] = 0.5 * twice;
  return RATTLE_OK;
}

/* The window of -h from that of h, which is in s->whole. With places counted the other way D
 * changes its sign and moves, as do the sums: s of the new way is minus that of one place
 * before. */
static void turn_round(rattle__multistep *s, double h) {
  const int L = s->c.half, n = s->n;
  double *before = s->work;
  memset(before, 0, (size_t)n * sizeof *before);
  for (int j = 1 - L; j < L; j++) {
    const double *a = rattle__past_at(s, j + 1).a, weight = h * h * s->c.beta[abs(j)];
    for (int k = 0; k < n; k++) before[k] -= weight * a[k];
  }
  for (int k = 0; k < n; k++) rattle__add_to(&s->sums[k], &s->sums[n + k], before[k]);
  for (int k = 0; k < 2 * n; k++) s->sums[k] = -s->sums[k];
  memset(s->sums + 2 * n, 0, (size_t)n * sizeof(double));
  rattle__multistep old = *s;
  old.memory = s->whole;
  old.ring = s->whole + (s->ring - s->memory);
  memset(s->ring, 0, (size_t)s->places * s->width * sizeof(double));
  s->memory[0] = h;
  for (int j = -L; j <= L; j++) {
    const rattle__past at = rattle__past_at(s, j);
    memcpy(at.q, rattle__past_at(&old, -j).q, (size_t)n * sizeof(double));
    if (j > -L)
      for (int k = 0; k < n; k++) at.D[k] = -rattle__past_at(&old, 1 - j).D[k];
    if (j > 1 - L) /* a, lambda and V lie one after the other */
      memcpy(at.a, rattle__past_at(&old, 2 - j).a, (s->width - 2 * (size_t)n) * sizeof(double));
  }
}

rattle_status rattle__multistep_window(rattle__multistep *s, double h, const double *z0,
                                       rattle_error *error) {
  const int here =
      s->memory[0] != 0 && !memcmp(rattle__past_at(s, 0).q, z0, (size_t)s->n * sizeof *z0);
  if (here && s->memory[0] == h) return RATTLE_OK;
  memcpy(s->whole, s->memory, s->size * sizeof(double));
  s->anew = 1;
  if (here && s->memory[0] == -h) {
    turn_round(s, h);
    return RATTLE_OK;
  }
  return start(s, h, z0, error);
}

void rattle__multistep_undo(rattle__map *map) {
  rattle__multistep *s = map->self;
  if (s->anew) {
    memcpy(s->memory, s->whole, s->size * sizeof(double));
  } else if (s->done) {
    s->memory[1] = ((int)s->memory[1] + s->places - 1) % s->places;
    s->memory[3] = s->kept_sums[3 * s->n];
    memcpy(s->sums, s->kept_sums, 3 * (size_t)s->n * sizeof(double));
    memcpy(rattle__past_at(s, -s->c.half).q, s->kept, s->width * sizeof(double));
  }
  s->anew = s->done = 0;
}
