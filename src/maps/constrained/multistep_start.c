/* The window of a multistep method from one state. Symbols: multistep.c, multistep.h.
 *
 * Ends     one step each of kahan_li8(rattle(verlet)), of L h
 * Between  Hermite's polynomial through q, q', q'' of the three points, of degree 8
 * Sweeps   then L - 2 times all places anew: the polynomial through q and q' in the midst and the
 *          q'' found at all places. A sweep leaves some (omega h)^2 of the error that the ends have
 *          since their steps are long, and L - 2 of them less than the method's own
 *          (docs/multistep.md). The last polynomials are put onto g = 0 and psi = 0. lambda_j
 *          solves psi' = 0 at (q_j, p_j): N lambda = {psi,H}
 * Short    where this fails, there is one step of h to each place
 * Cost     34 forces and solves for lambda in two steps, and (L - 1) K - 1 forces at places, 5 for
 *          K = 4 */
#include "maps/constrained/multistep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/functions/probe.h"
#include "ground/support/add_to.h"
#include "ground/support/eliminate.h"

enum { MOST = 2 * RATTLE__MULTISTEP_HALF + 3 }; /* data of a polynomial */

/* A polynomial in x = t / (L h) goes through this: its derivative of that order at x. */
typedef struct datum {
  double x;
  int order;
  const double *value; /* of the derivative by t [n] */
} datum;

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

/* The points on one side of z0, side = 1 or -1, by a step for each. */
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

/* The derivative of that order of x^k. */
static double power(double x, int k, int order) {
  double factor = 1;
  for (int i = 0; i < order; i++) factor *= k - i;
  return k < order ? 0 : factor * pow(x, k - order);
}

/* The polynomial and its derivative at x are sums of what is known with these weights [count][2]:
 * exact for powers of x below count. */
static void find_weights(double x, int count, const datum *of, double *weights) {
  double A[MOST * MOST];
  for (int k = 0; k < count; k++) {
    for (int e = 0; e < count; e++) A[k * count + e] = power(of[e].x, k, of[e].order);
    weights[2 * k] = power(x, k, 0);
    weights[2 * k + 1] = power(x, k, 1);
  }
  rattle__eliminate(count, 2, A, weights);
}

/* a, and for the places that the recurrence knows also lambda and V, at z, which is the place j. */
static rattle_status accept(rattle__multistep *s, int j, const double *z, rattle_error *error) {
  const int L = s->c.half, inside = abs(j) < L;
  const rattle__past to = inside ? rattle__past_at(s, j + 1) : rattle__past_in(s, s->fresh);
  memcpy(rattle__past_at(s, j).q, z, (size_t)s->n * sizeof *z);
  const rattle_status status = place(s, z, to, error);
  memcpy(s->slopes + (j + L) * s->n, to.a, (size_t)s->n * sizeof *z);
  return status;
}

/* z: the point of the polynomial at the place j. */
static void evaluate(const rattle__multistep *s, double h, int j, int count, const datum *of,
                     double *z) {
  const int n = s->n, L = s->c.half;
  double weights[2 * MOST];
  find_weights((double)j / L, count, of, weights);
  memset(z, 0, 2 * (size_t)n * sizeof *z);
  for (int e = 0; e < count; e++) {
    const double scale = pow(L * h, of[e].order);
    for (int k = 0; k < n; k++) {
      z[k] += weights[2 * e] * scale * of[e].value[k];
      z[n + k] += weights[2 * e + 1] * scale / (L * h) * of[e].value[k];
    }
  }
  rattle__mass_momenta(s->map.context->problem->mass, s->M, 1, z + n, z + n);
}

/* z at the place j onto g = 0 along the gradients two places nearer to the midst, and its momenta
 * onto psi = 0. */
static rattle_status project(rattle__multistep *s, double h, int j, double *z,
                             rattle_error *error) {
  const int n = s->n, near = abs(j) < 2 ? 0 : j < 0 ? j + 2 : j - 2;
  double *way = s->next;
  if (!s->m) return RATTLE_OK;
  memcpy(s->front, rattle__past_at(s, near).q, (size_t)n * sizeof *z);
  for (int k = 0; k < n; k++) way[k] = z[k] - s->front[k];
  rattle__mass_momenta(s->map.context->problem->mass, s->M, h, way, s->front + n);
  const rattle_status status = rattle__positions_step(s->slider, h, s->front, way, 0, error);
  memcpy(z, way, (size_t)n * sizeof *z);
  return status ? status : rattle__positions_project(s->slider, z, error);
}

/* All places up to `last` on both sides, from the midst. */
static rattle_status fill(rattle__multistep *s, double h, int last, int count, const datum *of,
                          int projects, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  double *z = s->zs;
  for (int i = 2; i < 2 * last + 2 && !status; i++) {
    const int j = i % 2 ? -(i / 2) : i / 2;
    evaluate(s, h, j, count, of, z);
    if (projects) status = project(s, h, j, z, error);
    if (!status) status = accept(s, j, z, error);
  }
  return status;
}

/* q, q', q'' at both ends and in the midst */
static rattle_status by_ends(rattle__multistep *s, double h, int projects, const double *z0,
                             rattle_error *error) {
  const int L = s->c.half, n = s->n;
  datum of[9];
  for (int end = -1; end <= 1; end++) {
    double *z = s->zs, *v = s->ends + (end + 1) * 2 * n;
    rattle_status status = RATTLE_OK;
    if (end)
      status = s->starter->apply(s->starter, end * L * h, z0, z, error);
    else
      memcpy(z, z0, 2 * (size_t)n * sizeof *z);
    if (end && !status) status = accept(s, end * L, z, error);
    if (status) return status;
    for (int k = 0; k < n; k++)
      v[k] = rattle__mass_times(s->map.context->problem->mass, 1, k, z + n);
    memcpy(v + n, z, (size_t)n * sizeof *z);
    datum *at = of + 3 * (end + 1);
    at[0] = (datum){end, 0, v + n};
    at[1] = (datum){end, 1, v};
    at[2] = (datum){end, 2, s->slopes + (end + 1) * L * n};
  }
  return fill(s, h, L - 1, 9, of, projects, error);
}

/* q and q' in the midst, and q'' at all places */
static rattle_status by_slopes(rattle__multistep *s, double h, int projects, rattle_error *error) {
  const int L = s->c.half, n = s->n;
  const double *v = s->ends + 2 * n;
  datum of[MOST] = {{0, 0, v + n}, {0, 1, v}};
  memcpy(s->kept_slopes, s->slopes, (size_t)(s->places * n) * sizeof *v);
  for (int j = -L; j <= L; j++)
    of[2 + j + L] = (datum){(double)j / L, 2, s->kept_slopes + (j + L) * n};
  return fill(s, h, L, s->places + 2, of, projects, error);
}

/* All places from z0 by one step to each end. */
static rattle_status interpolate(rattle__multistep *s, double h, const double *z0,
                                 rattle_error *error) {
  const int sweeps = s->c.half - 2;
  rattle_status status = by_ends(s, h, sweeps == 0, z0, error);
  for (int k = 1; k <= sweeps && !status; k++) status = by_slopes(s, h, k == sweeps, error);
  return status;
}

/* True if shorter steps may do what failed. */
static int may_retry(rattle_status status) {
  return status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR ||
         status == RATTLE_DEGENERATE || status == RATTLE_DOMAIN;
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

rattle_status rattle__multistep_start(rattle__multistep *s, double h, const double *z0,
                                      rattle_error *error) {
  const int L = s->c.half;
  memset(s->memory, 0, s->size * sizeof(double));
  s->memory[0] = h;
  rattle_status status = accept(s, 0, z0, error);
  if (status) return status;
  status = interpolate(s, h, z0, error);
  if (may_retry(status)) {
    status = walk(s, h, 1, z0, error);
    if (!status) status = walk(s, h, -1, z0, error);
  }
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
