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

/* The sizes of the terms of psi, with those of the corrections that they are made of: r->terms is
 * what these added to each velocity and momentum. The terms may all be small together: what they
 * were at the start of the landing counts too. */
static void measure(const landing *l, int first) {
  rattle__rolling *r = l->r;
  for (int i = 0; i < r->m; i++) {
    double sum = l->at->size[i];
    for (int k = 0; k < r->n; k++) sum += fabs(l->at->C[i * r->n + k]) * r->terms[k];
    r->size[i] = rattle__larger(first ? DBL_MIN : r->size[i], DBL_EPSILON * sum);
  }
}

/* Beside corrections: as small a share of the speed as linear equations leave of other entries. */
static rattle_status begin_terms(const landing *l, rattle_error *error) {
  const rattle__reaction *at = l->at;
  const int n = l->r->n;
  const rattle_status status = rattle__reaction_metric(l->at, l->z, error);
  const double speed = rattle__reaction_speed(at, l->z + n, at->slope + n);
  for (int k = 0; k < n; k++) l->r->terms[k] = rattle__least_size(at->root[k] * speed);
  return status;
}

static rattle_status look(void *self, rattle__course *c, rattle_error *error) {
  const landing *l = self;
  const rattle__rolling *r = l->r;
  rattle_status status =
      c->k ? rattle__reaction_psi(l->at, l->z, error) : rattle__reaction_look(l->at, l->z, error);
  r->map.context->counts.gradient += !rattle__inertia(r->map.context->problem);
  if (c->k == 0 && !status) status = begin_terms(l, error);
  if (!c->full_units) measure(l, c->k == 0);
  find_worst(l, c);
  return status;
}

/* The units of psi by the rounding of q and of the slopes. */
static rattle_status raise(void *self, int on, rattle_error *error) {
  const landing *l = self;
  rattle__rolling *r = l->r;
  const int n = r->n;
  memcpy(on ? r->cheap : r->size, on ? r->size : r->cheap, (size_t)r->m * sizeof *r->size);
  if (!on) return RATTLE_OK;
  rattle__unit *u = r->unit;
  u->terms = NULL;
  rattle_status status = rattle__unit_of_move(u, l->z, l->z, error);
  u->terms = r->terms;
  if (!status && r->held) status = rattle__unit_of_psi(u, l->z, r->size, error);
  if (!status) status = rattle__velocity_at(l->at, l->z, u->X, NULL, NULL, NULL, error);
  for (int k = 0; k < n; k++) {
    r->reach[k] = u->reach[k];
    r->reach[n + k] = u->slope[k] + DBL_EPSILON * (fabs(u->X[k]) + r->terms[k]);
  }
  if (!status) status = rattle__velocity_round_off(l->at, r->reach, r->F, u->room, error);
  for (int i = r->held; i < r->m && !status; i++) r->size[i] = fmax(r->size[i], r->F[i - r->held]);
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  landing *l = self;
  rattle__rolling *r = l->r;
  const int linear = rattle__inertia(r->map.context->problem) != NULL;
  (void)c;
  if (!linear || !l->factored) {
    const rattle_status status = rattle__reaction_factor(l->at, l->z, equations, error);
    r->map.context->counts.factorisation++;
    if (status) return status;
    l->factored = 1;
  }
  memcpy(r->delta, l->at->psi, (size_t)r->m * sizeof *r->delta);
  rattle__reaction_solve(l->at, r->delta);
  rattle__reaction_push(l->at, r->delta, l->z + r->n);
  for (int j = 0; j < r->m; j++)
    for (int k = 0; k < r->n; k++) r->terms[k] += fabs(r->delta[j] * l->at->pushed[j * r->n + k]);
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
