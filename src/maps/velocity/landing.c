/* The landing of a step under constraints on velocities: p - C^T sigma with C H_p = 0, one linear
 * system for natural H, else Newton. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/impulse.h"
#include "constraint/step/sizes.h"
#include "maps/velocity/rolling.h"

static const char equations[] = "the equations of the momentum projection";

typedef struct landing {
  rattle__rolling *r;
  rattle__reaction *at;
  double *z;
  int factored;
} landing;

static void find_worst(const landing *l, rattle__course *c) {
  const rattle__rolling *r = l->r;
  c->residual = c->largest = 0;
  for (int i = 0; i < r->m; i++) {
    const double x = fabs(l->at->psi[i]);
    if (!(x / r->size[i] <= c->residual)) {
      c->residual = x / r->size[i];
      c->worst = i;
    }
    if (!(x <= c->largest)) c->largest = x;
  }
}

static rattle_status look(void *self, rattle__course *c, rattle_error *error) {
  const landing *l = self;
  const rattle__rolling *r = l->r;
  const rattle_status status = rattle__reaction_look(l->at, l->z, error);
  r->map.context->counts.gradient += !rattle__inertia(r->map.context->problem);
  double fastest = 0;
  for (int k = r->n; k < 2 * r->n; k++)
    if (!rattle__is_time(r->map.context->problem, k - r->n))
      fastest = fmax(fastest, fabs(l->at->slope[k]));
  for (int i = 0; i < r->m && !c->full_units; i++) {
    double reach = 0;
    for (int k = 0; k < r->n; k++)
      if (!rattle__is_time(r->map.context->problem, k))
        reach = fmax(reach, fabs(l->at->C[i * r->n + k]));
    /* the terms may all be small together: what they were at the start of the landing counts too */
    r->size[i] =
        fmax(c->k ? r->size[i] : 0,
             DBL_EPSILON * fmax(l->at->size[i], rattle__least_size(reach * fastest)) + DBL_MIN);
  }
  find_worst(l, c);
  return status;
}

/* The units of psi by the rounding of q and of the slopes. */
static rattle_status raise(void *self, int on, rattle_error *error) {
  const landing *l = self;
  rattle__rolling *r = l->r;
  memcpy(on ? r->cheap : r->size, on ? r->size : r->cheap, (size_t)r->m * sizeof *r->size);
  if (!on) return RATTLE_OK;
  rattle__unit *u = r->unit;
  rattle_status status = rattle__unit_of_move(u, l->z, l->z, error);
  if (!status && r->held) status = rattle__unit_of_psi(u, l->z, r->size, error);
  if (!status) status = rattle__velocity_at(l->at, l->z, u->X, NULL, r->by_q, NULL, error);
  for (int i = r->held; i < r->m && !status; i++) {
    const double *row = l->at->C + (size_t)i * (size_t)r->n,
                 *by_q = r->by_q + (size_t)(i - r->held) * (size_t)r->n;
    double sum = 0;
    for (int k = 0; k < r->n; k++)
      sum +=
          fabs(row[k]) * (u->slope[k] + DBL_EPSILON * fabs(u->X[k])) + fabs(by_q[k]) * u->reach[k];
    r->size[i] = fmax(r->size[i], sum);
  }
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  landing *l = self;
  rattle__rolling *r = l->r;
  const int linear = rattle__inertia(r->map.context->problem) != NULL;
  (void)c;
  if (!linear || !l->factored) {
    rattle_status status = rattle__reaction_matrix(l->at, l->z, error);
    if (status) return status;
    r->map.context->counts.factorisation++;
    status = l->at->N->factor(l->at->N);
    if (status)
      return rattle__not_factored(status, r->map.context->problem, equations, l->at->N->blame,
                                  error);
    l->factored = 1;
  }
  memcpy(r->delta, l->at->psi, (size_t)r->m * sizeof *r->delta);
  l->at->N->solve(l->at->N, r->delta);
  rattle__reaction_push(l->at, r->delta, l->z + r->n);
  r->map.context->counts.newton_iterations += !linear;
  return RATTLE_OK;
}

rattle_status rattle__rolling_land(rattle__rolling *r, double *z, rattle_error *error) {
  static const rattle__equation equation = {NULL, look, raise, correct};
  rattle__context *context = r->map.context;
  landing l = {.r = r, .at = r->end, .z = z};
  rattle__course c = {0};
  memcpy(r->plus, z, 2 * (size_t)r->n * sizeof *z);
  const rattle_status status = rattle__iterate(&equation, &l, context, 0, &c, error);
  const double *points[] = {z};
  if (c.gave_up) return rattle__not_converged(context->problem, equations, &c, points, 1, error);
  if (status) return status;
  r->landed = l.factored;
  rattle__record_slide(context, r->plus, z);
  context->counts.momentum_projections++;
  if (c.largest > context->residuals.psi) context->residuals.psi = c.largest;
  return RATTLE_OK;
}
