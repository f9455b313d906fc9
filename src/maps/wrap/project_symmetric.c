/* project(map, symmetric): the same multipliers before the map and after it.
 *
 * Map      z+ = z0 - sum kappa_i d_i(z0) + sum lambda_i X_{g_i}(z0),  z- = phi_h(z+),
 *          z1 = z- - sum kappa_i d_i(z1) + sum lambda_i X_{g_i}(z1);  g(z1) = 0, psi(z1) = 0
 *          determine kappa, lambda
 * Source   E. Hairer, BIT 40 (2000) 726; Hairer, Lubich, Wanner, Geometric Numerical Integration,
 *          V.4.1
 * Claims   symmetric if phi is; of order min(2, r) for X_H, too
 * Newton   simplified, phi' = 1: 2 A dkappa = g, then 2 N dlambda = psi, both at the last iterate
 *          for z1, whose distance from what it should be is a residual too. Converges linearly, by
 *          a factor of O(h)
 * Units    round-off of residuals is that of all that the step adds up: where it ends at rest its
 *          end does not tell it
 * Cost     H' at z0, for other than natural problems H''; per iteration the map, g' three times,
 *          two systems
 * Fails    NOT_CONVERGED if h is too large; SINGULAR where the constraints are dependent, or N is
 *          singular */
#include <float.h>
#include <math.h>
#include <string.h>

#include "maps/wrap/project.h"
#include "constraint/step/sizes.h"

struct rattle__symmetric {
  rattle__nearest_point *onto;
  rattle__map *inner;
  int momenta;
  double *start, *end, *apart; /* z+, z-, and what z1 lacks [2n] */
  double *kappa, *lambda, *x;  /* [m] */
  double h;                    /* the current step ... */
  const double *z0;            /* ... from here ... */
  double *z1;                  /* ... to here */
};

/* z- from the multipliers */
static rattle_status travel(rattle__symmetric *s, double h, const double *z0, rattle_error *error) {
  memcpy(s->start, z0, 2 * (size_t)s->onto->n * sizeof *z0);
  const rattle_status status = rattle__nearest_point_place(s->onto, z0, error);
  if (status) return status;
  rattle__nearest_point_push(s->onto, s->kappa, s->start);
  rattle__nearest_point_push_hidden(s->onto, s->lambda, s->start);
  return s->inner->apply(s->inner, h, s->start, s->end, error);
}

/* The largest residual at z1 in units of round-off: of g, psi, and of z1 itself, whose lack goes to
 * s->apart. */
static rattle_status look_at(rattle__symmetric *s, const double *z1, double *r, int *worst,
                             rattle_error *error) {
  const int n = s->onto->n;
  const rattle_problem *problem = s->onto->context->problem;
  double most[2], along[2], r_psi = 0, r_z = 0;
  int worst_psi = 0;
  rattle_status status =
      s->momenta ? rattle__nearest_point_see_hidden(s->onto, z1, error) : RATTLE_OK;
  if (s->momenta) r_psi = rattle__nearest_point_ratio_hidden(s->onto, &worst_psi);
  if (!status) status = rattle__nearest_point_place(s->onto, z1, error);
  if (status) return status;
  *r = rattle__nearest_point_ratio(s->onto, z1, worst);
  memcpy(s->apart, s->end, 2 * (size_t)n * sizeof *z1);
  rattle__nearest_point_push(s->onto, s->kappa, s->apart);
  rattle__nearest_point_push_hidden(s->onto, s->lambda, s->apart);
  rattle__largest_of_kind(problem, s->end, most);
  rattle__largest_of_kind(problem, s->onto->reach, along);
  for (int c = 0; c < 2 * n; c++) {
    s->apart[c] -= z1[c];
    if (rattle__is_apart(problem, c)) continue;
    const double unit =
        fabs(s->apart[c]) / (DBL_EPSILON * fmax(most[c >= n], along[c >= n]) + DBL_MIN);
    if (!(unit <= r_z)) r_z = unit;
  }
  if (!(r_psi <= *r)) *r = r_psi, *worst = worst_psi;
  if (!(r_z <= *r)) *r = r_z;
  return RATTLE_OK;
}

/* New kappa, lambda and z1, after z1 has been evaluated. */
static rattle_status correct_at(rattle__symmetric *s, double *z1, rattle_error *error) {
  rattle__nearest_point *onto = s->onto;
  const rattle__function *g = onto->context->problem->g;
  for (int i = 0; i < onto->m; i++) {
    s->x[i] = onto->g[i];
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      s->x[i] += onto->J[k] * s->apart[g->jac_col[k]];
  }
  rattle_status status = rattle__nearest_point_solve(onto, z1, s->x, error);
  if (status) return status;
  for (int c = 0; c < 2 * onto->n; c++) z1[c] += s->apart[c];
  rattle__nearest_point_push(onto, s->x, z1);
  for (int i = 0; i < onto->m; i++) s->kappa[i] += 0.5 * s->x[i];
  if (!s->momenta) return RATTLE_OK;
  status = rattle__nearest_point_see_hidden(onto, z1, error);
  memcpy(s->x, onto->psi, (size_t)onto->m * sizeof *s->x);
  if (!status) status = rattle__nearest_point_solve_hidden(onto, z1, s->x, error);
  if (status) return status;
  rattle__nearest_point_push_hidden(onto, s->x, z1);
  for (int i = 0; i < onto->m; i++) s->lambda[i] += 0.5 * s->x[i];
  return RATTLE_OK;
}

static void count(const rattle__symmetric *s, double r) {
  rattle__context *context = s->onto->context;
  rattle_residuals *seen = &context->residuals;
  context->counts.position_projections++;
  context->counts.momentum_projections += s->momenta;
  for (int i = 0; i < s->onto->m; i++) {
    seen->g = fmax(seen->g, fabs(s->onto->g[i]));
    if (s->momenta) seen->psi = fmax(seen->psi, fabs(s->onto->psi[i]));
  }
  seen->iteration_residual = fmax(seen->iteration_residual, r);
}

static rattle_status evaluate(void *self, rattle__course *c, rattle_error *error) {
  rattle__symmetric *s = self;
  return look_at(s, s->z1, &c->residual, &c->worst, error);
}

static rattle_status use_full_units(void *self, int on, rattle_error *error) {
  rattle__symmetric *s = self;
  memset(s->onto->least, 0, (size_t)s->onto->m * sizeof(double));
  if (!on) return RATTLE_OK;
  rattle__unit *rounding = s->onto->rounding;
  rattle_status status = rattle__unit_of_step(rounding, s->h, s->z0, s->start, s->z1, error);
  if (!status) status = rattle__unit_of_g(rounding, s->z1, s->onto->least, error);
  return status;
}

static rattle_status correct(void *self, rattle__course *c, rattle_error *error) {
  rattle__symmetric *s = self;
  (void)c;
  s->onto->context->counts.newton_iterations++;
  const rattle_status status = correct_at(s, s->z1, error);
  return status ? status : travel(s, s->h, s->z0, error);
}

rattle_status rattle__symmetric_apply(rattle__symmetric *s, double h, const double *z0, double *z1,
                                      rattle_error *error) {
  static const rattle__equation equation = {NULL, evaluate, use_full_units, correct};
  const size_t bytes = (size_t)s->onto->m * sizeof(double);
  rattle__course c = {0};
  s->h = h;
  s->z0 = z0;
  s->z1 = z1;
  memset(s->kappa, 0, bytes);
  memset(s->lambda, 0, bytes);
  memset(s->onto->least, 0, bytes);
  rattle_status status = rattle__nearest_point_measure(s->onto, h, z0, error);
  if (!status) status = travel(s, h, z0, error);
  memcpy(z1, s->end, 2 * (size_t)s->onto->n * sizeof *z1);
  if (!status) status = rattle__iterate(&equation, s, s->onto->context, 0, &c, error);
  const double *points[] = {z1, z0};
  if (c.gave_up)
    return rattle__not_converged(s->onto->context->problem, "the equations of the projection", &c,
                                 points, 2, error);
  if (!status) count(s, c.residual);
  return status;
}

rattle_status rattle__symmetric_create(rattle__symmetric **symmetric, rattle__nearest_point *onto,
                                       rattle__map *inner, int momenta, rattle_error *error) {
  rattle__arena *arena = &onto->context->arena;
  rattle__symmetric *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__symmetric){.onto = onto, .inner = inner, .momenta = momenta};
  const size_t nz = 2 * (size_t)onto->n, m = (size_t)onto->m;
  const rattle__array arrays[] = {{&s->start, nz}, {&s->end, nz},   {&s->apart, nz},
                                  {&s->kappa, m},  {&s->lambda, m}, {&s->x, m}};
  RATTLE__LAY_OUT(arena, arrays);
  *symmetric = s;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
