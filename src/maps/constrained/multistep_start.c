/* The window of a multistep method from one state. Symbols: multistep.c, multistep.h.
 *
 * Sweeps   the polynomial through q and q' in the midst and the q'' found at some places gives q
 *          and q' at more places, where q'' is found: from the midst alone those at both ends, then
 *          half the way, at last all. After k sweeps these points are wrong by about
 *          (omega L h)^(2k+1)/(2k+1)!, as Picard's iteration has it, and by O(h^(K+3)) of the
 *          polynomial. There are as many sweeps as bring 2k + 1 above K + 3; with one fewer the
 *          start was seen in the error of runs with long steps. The last points are put onto g = 0
 *          and psi = 0. lambda_j solves psi' = 0 at (q_j, p_j): N lambda = {psi,H}
 * Short    where this fails, there is one step of kahan_li8(rattle(verlet)) of h to each place
 * Cost     6 K - 11 forces and solves for lambda */
#include "maps/constrained/multistep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/walk.h"
#include "problem/functions/probe.h"
#include "problem/model/model.h"
#include "ground/support/add_to.h"
#include "ground/support/eliminate.h"

enum { MOST = RATTLE__MULTISTEP_DATA };

/* A polynomial in x = t / (L h) goes through this: its derivative of that order at x. */
typedef struct datum {
  double x;
  int order;
} datum;

rattle_status rattle__multistep_find_free(rattle__multistep *s, rattle_error *error) {
  const rattle_problem *problem = s->map.context->problem;
  const rattle_model *model = problem->model;
  const rattle__function *g = problem->g;
  const int known = model && !problem->bonded && !problem->mass->value;
  rattle__walk walk;
  memset(s->acts, !known, (size_t)s->n);
  if (!known) return RATTLE_OK;
  if (rattle__walk_begin(&walk, model->graph, model->hamiltonian, rattle__operands)) {
    rattle__walk_end(&walk);
    return rattle__no_memory(error);
  }
  for (size_t i = 0; i < walk.count; i++) {
    const int32_t at = rattle_expr_index(model->graph, walk.node[i]);
    if (at >= 0 && at % 2 == 0 && at / 2 < s->n) s->acts[at / 2] = 1; /* q_k is variable 2 k */
  }
  rattle__walk_end(&walk);
  for (int e = 0; g && e < g->jac_nnz; e++) s->acts[g->jac_col[e]] = 1;
  return RATTLE_OK;
}

double rattle__multistep_kinetic(const rattle__multistep *s, const double *z) {
  const rattle__mass *W = s->map.context->problem->mass;
  const double *p = z + s->n;
  double twice = 0;
  if (W->value) return 0.5 * rattle__mass_twice_kinetic(W, p);
  for (int k = 0; k < s->n; k++)
    if (s->acts[k]) twice += W->diagonal[k] * p[k] * p[k];
  return 0.5 * twice;
}

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

/* q'' is known at each place that `stride` divides; the next sweep finds it where the answer
 * does. */
static int finer(int stride) {
  return stride % 2 ? 1 : stride / 2;
}

/* Weights of the place j in that sweep, of q and q' in the midst, and q'' at the known places. */
static double *weights_at(const rattle__multistep *s, int sweep, int j) {
  return s->weights + 2 * MOST * (sweep * s->places + j + s->c.half);
}

void rattle__multistep_weigh(rattle__multistep *s) {
  const int L = s->c.half;
  for (int sweep = 0, stride = 2 * L; sweep < RATTLE__MULTISTEP_SWEEPS; sweep++) {
    datum of[MOST] = {{0, 0}, {0, 1}};
    int count = 2;
    for (int j = -(L / stride) * stride; j <= L; j += stride)
      of[count++] = (datum){(double)j / L, 2};
    stride = finer(stride);
    for (int j = -L; j <= L; j += stride)
      find_weights((double)j / L, count, of, weights_at(s, sweep, j));
  }
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

/* z += the derivatives `value` [n] by time of that order, with weights of q and q'. */
static void add(const rattle__multistep *s, double h, int order, const double *weight,
                const double *value, double *z) {
  const double whole = s->c.half * h, scale = pow(whole, order);
  for (int k = 0; k < s->n; k++) {
    z[k] += weight[0] * scale * value[k];
    z[s->n + k] += weight[1] * scale / whole * value[k];
  }
}

/* z: the point at the place j of the polynomial of that sweep, from places `stride` apart. */
static void evaluate(const rattle__multistep *s, double h, int sweep, int stride, int j,
                     double *z) {
  const int n = s->n, L = s->c.half;
  const double *weight = weights_at(s, sweep, j);
  memset(z, 0, 2 * (size_t)n * sizeof *z);
  add(s, h, 0, weight, s->midst, z);
  add(s, h, 1, weight + 2, s->midst + n, z);
  for (int e = -(L / stride) * stride; e <= L; e += stride)
    add(s, h, 2, weight += e == -(L / stride) * stride ? 4 : 2, s->kept_slopes + (e + L) * n, z);
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

/* New points from those `stride` apart, from the midst outwards; the last ones are put onto the
 * constraints, and no q'' is asked for at the ends. */
static rattle_status refine(rattle__multistep *s, double h, int sweep, int stride, int last,
                            rattle_error *error) {
  const int L = s->c.half, next = finer(stride);
  rattle_status status = RATTLE_OK;
  double *z = s->zs;
  memcpy(s->kept_slopes, s->slopes, (size_t)(s->places * s->n) * sizeof *z);
  for (int i = 2; i < 2 * (L / next) + 2 && !status; i++) {
    const int j = (i % 2 ? -(i / 2) : i / 2) * next;
    evaluate(s, h, sweep, stride, j, z);
    if (last) status = project(s, h, j, z, error);
    if (!status && last && abs(j) == L)
      memcpy(rattle__past_at(s, j).q, z, (size_t)s->n * sizeof *z);
    else if (!status)
      status = accept(s, j, z, error);
  }
  return status;
}

/* All places from z0. */
static rattle_status interpolate(rattle__multistep *s, double h, const double *z0,
                                 rattle_error *error) {
  const int n = s->n;
  memcpy(s->midst, z0, (size_t)n * sizeof *z0);
  for (int k = 0; k < n; k++)
    s->midst[n + k] = rattle__mass_times(s->map.context->problem->mass, 1, k, z0 + n);
  int stride = 2 * s->c.half, sweep = 0;
  for (int order = 3;; order += 2) { /* of the error of the points that the sweep finds */
    const int last = stride == 1 && order > s->places + 2;
    const rattle_status status = refine(s, h, sweep, stride, last, error);
    if (status || last) return status;
    if (stride > 1) stride = finer(stride), sweep++;
  }
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
  s->memory[3] = rattle__multistep_kinetic(s, z0);
  s->memory[2] = s->memory[3] + *rattle__past_at(s, 1).V;
  return RATTLE_OK;
}
