/* The slide of a step under constraints on velocities: s such that g(q1) = 0 and A((q0 + q1)/2) (q1
 * - q0) = 0.
 *
 * Newton     J = -h N + O(h^2), N = C H_pp C^T at z0: the first correction uses -h N, which the
 *            landing of the step before has factored; the others the derivative by tangents of the
 *            map inside
 * Guess      s = 0; the first correction leads to h/2 times the multiplier of the point, to O(h^2):
 *            nothing is remembered
 * Unknown    s depends neither on how rows are scaled nor on how they are combined, but for
 *            round-off */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/sizes.h"
#include "ground/linear/dot.h"
#include "maps/velocity/rolling.h"

static const char equations[] = "the equations for the multipliers";

rattle_status rattle__rolling_begin(rattle__rolling *r, const double *z0, rattle_error *error) {
  const size_t bytes = 2 * (size_t)r->n * sizeof *z0;
  if (r->measured && !memcmp(r->known, z0, bytes)) return RATTLE_OK;
  r->measured = 0;
  rattle_status status = rattle__reaction_look(r->start, z0, error);
  if (!status) status = rattle__reaction_factor(r->start, z0, equations, error);
  r->map.context->counts.factorisation++;
  if (status) return status;
  memcpy(r->known, z0, bytes);
  r->measured = 1;
  return RATTLE_OK;
}

/* The parts of J at hand, as the map inside leaves them apart, against their limit -h T^-1 D. */
static int side_of_matrix(const rattle__rolling *r) {
  rattle__linear_part_by_values(r->J, 1);
  rattle__linear_expect(r->J, 0, r->m, NULL, r->h > 0);
  for (int i = 0; i < r->m; i++) r->J->expected[i] ^= r->start->length[i] < 0;
  return rattle__linear_side(r->J);
}

rattle_status rattle__rolling_derive(rattle__rolling *r, rattle_error *error) {
  const rattle__function *g = r->map.context->problem->g;
  const int n = r->n, m = r->m, rows = m - r->held;
  const size_t nz = 2 * (size_t)n;
  memset(r->W, 0, (size_t)m * nz * sizeof *r->W);
  for (int j = 0; j < m; j++) {
    const double *row = (r->scheme ? r->start->pushed : r->start->Q) + (size_t)j * (size_t)n;
    double *w = r->W + (size_t)j * nz + (r->scheme ? 0 : n);
    for (int k = 0; k < n; k++) w[k] = r->scheme ? -r->h * r->scheme->d1 * row[k] : -row[k];
  }
  rattle_status status = r->scheme ? RATTLE_OK : r->inner->tangent(r->inner, r->h, m, r->W, error);
  if (status) return status;
  for (int j = 0; j < m; j++) {
    const double *w = r->W + (size_t)j * nz;
    for (int i = 0; i < r->held; i++) {
      double sum = 0;
      for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) sum += r->G[k] * w[g->jac_col[k]];
      r->J->value[i * m + j] = sum;
    }
    for (int i = 0; i < rows; i++) {
      const double *by_q = r->by_q + (size_t)i * (size_t)n, *by_v = r->by_v + (size_t)i * (size_t)n;
      r->J->value[(r->held + i) * m + j] = 0.5 * rattle__dot(n, by_q, w) + rattle__dot(n, by_v, w);
    }
  }
  r->map.context->counts.factorisation++;
  status = r->J->factor(r->J);
  if (status)
    return rattle__not_factored(status, r->map.context->problem, equations, r->J->blame, error);
  r->side = side_of_matrix(r);
  return RATTLE_OK;
}

/* ---- the equation for iterate.h ---- */

/* The sizes of what Q0^T s adds to q1: where these cancel, as where a constraint holds a
 * coordinate, they are what the entry is known by. Linear equations leave of other entries
 * something small beside the way in the metric of the masses. So each has its own unit: lengths and
 * angles do not mix. */
static void measure_terms(rattle__rolling *r) {
  const int n = r->n;
  const double way = sqrt(fabs(r->h)) * rattle__reaction_speed(r->start, r->plus + n, r->way);
  double *restrict terms = r->terms; /* those of p are asked for by nobody, and 0 */
  for (int k = 0; k < n; k++) terms[k] = rattle__least_size(r->start->root[k] * way);
  for (int j = 0; j < r->m; j++) {
    const double *restrict pushed = r->start->pushed + (size_t)j * (size_t)n,
                           by = fabs(r->h * r->s[j]);
    for (int k = 0; k < n; k++) terms[k] += fabs(pushed[k]) * by;
  }
}

/* Units: what rounding of q0 and q1 makes of the equation. Time is exact. */
static void measure(rattle__rolling *r) {
  const rattle_problem *problem = r->map.context->problem;
  const rattle__function *g = problem->g;
  const int n = r->n;
  measure_terms(r);
  for (int k = 0; k < n; k++)
    r->reach[k] =
        rattle__is_time(problem, k)
            ? 0
            : DBL_EPSILON * (0.5 * rattle__larger(fabs(r->z0[k]), fabs(r->z1[k])) + r->terms[k]);
  for (int i = 0; i < r->held; i++) {
    r->size[i] = DBL_MIN;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      r->size[i] += fabs(r->G[k]) * r->reach[g->jac_col[k]];
  }
  for (int i = r->held; i < r->m; i++) {
    const double *by_q = r->by_q + (size_t)(i - r->held) * (size_t)n,
                 *by_v = r->by_v + (size_t)(i - r->held) * (size_t)n;
    r->size[i] = DBL_MIN;
    for (int k = 0; k < n; k++)
      r->size[i] += fabs(by_v[k]) * (DBL_EPSILON * fabs(r->way[k]) + r->reach[k]) +
                    fabs(by_q[k]) * r->reach[k];
  }
}

/* The units raised to all that rounding makes of the equation, r->unit being that of the step. */
static rattle_status raise_rows(rattle__rolling *r, rattle_error *error) {
  const int n = r->n;
  for (int k = 0; k < n; k++) {
    r->reach[k] = 0.5 * (r->unit->reach[k] + DBL_EPSILON * fabs(r->middle[k]));
    r->reach[n + k] = r->unit->reach[k] + DBL_EPSILON * fabs(r->way[k]);
  }
  const rattle_status status =
      rattle__velocity_round_off(r->end, r->reach, r->delta, r->unit->room, error);
  for (int i = r->held; i < r->m && !status; i++)
    r->size[i] = fmax(r->size[i], r->delta[i - r->held]);
  return status;
}

static void find_worst(const rattle__rolling *r, rattle__course *c) {
  c->residual = c->largest = 0;
  for (int i = 0; i < r->m; i++) {
    const double x = fabs(r->F[i]);
    if (!(x / r->size[i] <= c->residual)) {
      c->residual = x / r->size[i];
      c->worst = i;
    }
    if (i < r->held && !(x <= c->largest)) c->largest = x;
  }
}

static rattle_status look(void *self, rattle__course *c, rattle_error *error) {
  rattle__rolling *r = self;
  rattle__context *context = r->map.context;
  const rattle__function *g = context->problem->g;
  memcpy(r->plus, r->z0, 2 * (size_t)r->n * sizeof *r->plus);
  rattle__reaction_push(r->start, r->s, r->plus + r->n);
  rattle_status status = r->scheme ? rattle__rolling_drift(r, error)
                                   : r->inner->apply(r->inner, r->h, r->plus, r->z1, error);
  if (status) return status;
  const int answer = g ? g->jacobian(g, r->z1, r->F, r->G, r->work) : 0;
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int k = 0; k < r->n; k++) {
    r->middle[k] = 0.5 * (r->z0[k] + r->z1[k]);
    r->way[k] = r->z1[k] - r->z0[k];
  }
  status = rattle__velocity_at(r->end, r->middle, r->way, r->F + r->held, r->by_q, r->by_v, error);
  context->counts.constraint++;
  context->counts.jacobian++;
  for (int i = 0; i < r->held; i++) r->F[i] -= r->level[i];
  if (!c->full_units) measure(r);
  find_worst(r, c);
  return status;
}

static rattle_status begin(void *self, rattle_error *error) {
  rattle__rolling *r = self;
  (void)error;
  memcpy(r->s, r->first, (size_t)r->m * sizeof *r->s);
  r->fresh = r->side = 0;
  return RATTLE_OK;
}

static rattle_status raise(void *self, int on, rattle_error *error) {
  rattle__rolling *r = self;
  /* the next evaluation measures again */
  for (int i = 0; i < r->m && !on; i++) r->size[i] = DBL_MIN;
  if (!on) return RATTLE_OK;
  measure_terms(r);
  rattle_status status = rattle__unit_of_step(r->unit, r->h, r->z0, r->plus, r->z1, error);
  if (!status && r->held) status = rattle__unit_of_g(r->unit, r->z1, r->size, error);
  return status ? status : raise_rows(r, error);
}

/* The first correction by -h N, the others by Newton's matrix, which is kept while they gain a
 * factor of ten. */
static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__rolling *r = self;
  const int chord = c->k == 0 && !r->careful;
  if (chord) c->allowed_ratio = rattle__doubt_chord;
  if (!chord && (!r->fresh || rattle__gains_little(c))) {
    const rattle_status status = rattle__rolling_derive(r, error);
    if (status) return status;
    r->fresh = 1;
    c->sign = r->side;
  }
  memcpy(r->delta, r->F, (size_t)r->m * sizeof *r->delta);
  r->map.context->counts.newton_iterations++;
  if (chord)
    rattle__reaction_solve(r->start, r->delta);
  else
    r->J->solve(r->J, r->delta);
  for (int i = 0; i < r->m; i++) r->s[i] += chord ? r->delta[i] / r->h : -r->delta[i];
  return RATTLE_OK;
}

rattle_status rattle__rolling_slide(rattle__rolling *r, double h, const double *z0, double *z1,
                                    rattle__course *c, rattle_error *error) {
  static const rattle__equation equation = {begin, look, raise, correct};
  r->h = h;
  r->z0 = z0;
  r->z1 = z1;
  memcpy(r->first, r->s, (size_t)r->m * sizeof *r->s);
  const rattle_status status = rattle__iterate(&equation, r, r->map.context, r->tol, c, error);
  r->largest = c->largest;
  r->residual = c->residual;
  const double *points[] = {z1, z0};
  return c->gave_up ? rattle__not_converged(r->map.context->problem, equations, c, points, 2, error)
                    : status;
}
