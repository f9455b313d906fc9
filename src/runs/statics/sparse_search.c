/* The search for an equilibrium of many coordinates: Newton's method on the saddle, with mu raised
 * until K + mu is positive definite, so that steps go down the potential. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/flag.h"
#include "ground/support/largest.h"
#include "runs/statics/sparse.h"

enum { STEPS = 300, HALVES = 30, RAISES = 40, HALVINGS = 6 };
static const double last = 0x1p-26;

/* aim = dx, and the new multipliers in p->x + n. */
static rattle_status solve(rattle__sparse *p, double mu, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  const rattle_status status = rattle__sparse_factor(p, mu, error);
  if (status) return status;
  for (int k = 0; k < s->n; k++) p->x[k] = p->M[k] > 0 ? -s->gradient[k] : 0;
  memset(p->x + s->n, 0, (size_t)s->m * sizeof *p->x);
  rattle__linear_solve_well(p->saddle->matrix, p->x);
  memcpy(s->aim, p->x, (size_t)s->n * sizeof *s->aim);
  return RATTLE_OK;
}

/* How much the potential falls at first along aim: -(H_q + G^T lambda) . aim, G aim being 0. */
static double slope(const rattle_equilibrium *s) {
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum -= s->gradient[k] * s->aim[k];
  return sum;
}

/* z = old + t aim on the constraints; *moved: and the potential falls, or `near`. */
static rattle_status go(rattle__sparse *p, int near, int *moved, double *t, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  const rattle__function *H = s->problem->energy ? s->problem->energy : s->problem->H;
  const size_t bytes = (size_t)s->n * sizeof *s->z;
  const double before = s->energy, fall = slope(s);
  *moved = 0, *t = 1;
  memcpy(s->old, s->z, bytes);
  for (int i = 0; i < (near ? 1 : HALVES); i++, *t /= 2) {
    for (int k = 0; k < s->n; k++) s->z[k] = s->old[k] + *t * s->aim[k];
    if (rattle__statics_onto(s, NULL)) continue;
    if (H->value(H, s->z, &s->energy, s->work)) continue;
    if (!near && !(before - s->energy + s->rounding > *t * fall / 4)) continue;
    return *moved = 1, rattle__statics_see(s, error);
  }
  memcpy(s->z, s->old, bytes);
  s->energy = before;
  return RATTLE_OK;
}

/* True if nothing pulls by more than rounding makes, as at a saddle. */
static int is_at_rest(rattle__sparse *p) {
  rattle_equilibrium *s = p->s;
  const rattle__function *g = s->problem->g;
  const double *lambda = p->x + s->n;
  double *pull = s->D;
  rattle__statics_rounding(s, lambda);
  memcpy(pull, s->gradient, (size_t)s->n * sizeof *pull);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (g->jac_col[e] < s->n) pull[g->jac_col[e]] += lambda[i] * s->J[e];
  for (int k = 0; k < s->n; k++)
    if (p->M[k] > 0 && !(fabs(pull[k]) <= s->way[k])) return 0;
  return 1;
}

/* One step, by the least mu that makes one. */
static rattle_status advance(rattle__sparse *p, double *before, int *done, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  rattle_equilibrium_result *r = &s->result;
  rattle_status status = rattle__sparse_curve(p, error);
  const double scale = status ? 0 : rattle__sparse_scale(p);
  double mu = 0, t = 1;
  s->rounding = 16 * DBL_EPSILON * rattle__energy_size(s->problem, s->z, s->of_energy);
  for (int i = 0; i < RAISES && !status; i++, mu = mu > 0 ? 10 * mu : 1e-12 * scale) {
    if (!s->options.nearest && !rattle__sparse_is_definite(p, mu)) continue;
    status = solve(p, mu, error);
    if (status) {
      if (status == RATTLE_SINGULAR && mu == 0 && !s->options.nearest) status = RATTLE_OK;
      continue;
    }
    rattle__statics_reach(s);
    if (mu > 0 && is_at_rest(p)) return *done = 1, RATTLE_OK;
    const int near = mu == 0 && r->residual < last;
    s->close += near && r->residual >= DBL_EPSILON;
    *done = near && (!(r->residual < *before) || (r->residual < DBL_EPSILON && *before < last));
    if (*done) return RATTLE_OK;
    *before = near ? r->residual : INFINITY;
    int moved = 0;
    status = go(p, near || s->options.nearest, &moved, &t, error);
    if (!status && moved) {
      for (int k = 0; k < s->m; k++) s->lambda[k] += t * (p->x[s->n + k] - s->lambda[k]);
      return RATTLE_OK;
    }
  }
  return status ? status : rattle__statics_refuse(s, !s->options.nearest, error);
}

static rattle_status search(rattle__sparse *p, const double *q, rattle_error *error) {
  rattle_equilibrium *s = p->s;
  rattle_status status = rattle__statics_place(s, q, error);
  if (!status) status = rattle__statics_see(s, error);
  if (!status) status = rattle__sparse_multipliers(p, error);
  double before = INFINITY;
  int done = 0;
  for (; !status && !done; s->result.iterations++) {
    if (rattle__flag_is_set(s->options.interrupt))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted");
    status = s->result.iterations < STEPS ? advance(p, &before, &done, error)
                                          : rattle__statics_refuse(s, !s->options.nearest, error);
  }
  if (!status) status = rattle__sparse_multipliers(p, error);
  return status ? status : rattle__sparse_curve(p, error);
}

/* About the least shift by which K is positive definite: modes next to it converge soon. */
static double find_shift(rattle__sparse *p) {
  if (rattle__sparse_is_definite(p, 0)) return 0;
  double shift = 1e-10 * rattle__sparse_scale(p), below = shift;
  for (; isfinite(shift) && !rattle__sparse_is_definite(p, shift); shift *= 10) below = shift;
  for (int i = 0; i < HALVINGS && below < shift; i++) {
    const double middle = sqrt(below * shift);
    if (rattle__sparse_is_definite(p, middle))
      shift = middle;
    else
      below = middle;
  }
  return shift;
}

rattle_status rattle__sparse_find(rattle_equilibrium *s, const double *q, rattle_error *error) {
  rattle__sparse p;
  rattle_status status = rattle__sparse_open(&p, s, error);
  if (!status) status = search(&p, q, error);
  if (!status) status = rattle__statics_loads(s, error);
  if (!status) status = rattle__sparse_modes(&p, find_shift(&p), error);
  rattle__sparse_close(&p);
  return status;
}
