/* project(map, symmetric): the same multipliers before the map and after it.
 *
 * Map      z+ = z0 - sum kappa_i d_i(z0) + sum lambda_i X_{g_i}(z0),  z- = phi_h(z+),
 *          z1 = z- - sum kappa_i d_i(z1) + sum lambda_i X_{g_i}(z1);  g(z1) = 0, psi(z1) = 0 determine kappa, lambda
 * Source   E. Hairer, BIT 40 (2000) 726; Hairer, Lubich, Wanner, Geometric Numerical Integration, V.4.1
 * Claims   symmetric where phi is; then of order 2 for X_H too
 * Newton   simplified, phi' = 1: 2 A dkappa = g, then 2 N dlambda = psi, both at the last iterate for z1, whose distance
 *          from what it should be is a residual too. Converges linearly, by a factor of O(h)
 * Units    round-off of residuals is that of all that the step adds up: where it ends at rest its end does not tell it
 * Cost     H' at z0, for other than natural problems H''; per iteration the map, g' three times, two systems
 * Fails    NOT_CONVERGED where h is too large; SINGULAR where the constraints are dependent, or N is singular */
#include <string.h>

#include "wrap/onto.h"

struct rattle__symmetric {
  rattle__onto *onto;
  rattle__map *inner;
  int momenta;
  double *start, *end, *apart; /* z+, z-, and what z1 lacks [2n] */
  double *kappa, *lambda, *x;  /* [m] */
};

/* z- from the multipliers */
static rattle_status travel(rattle__symmetric *s, double h, const double *z0, rattle_error *error) {
  memcpy(s->start, z0, 2 * (size_t)s->onto->n * sizeof *z0);
  const rattle_status status = rattle__onto_place(s->onto, z0, error);
  if (status) return status;
  rattle__onto_push(s->onto, s->kappa, s->start);
  rattle__onto_push_hidden(s->onto, s->lambda, s->start);
  s->onto->context->clock++;
  return s->inner->apply(s->inner, h, s->start, s->end, error);
}

/* The largest residual at z1 in units of round-off: of g, psi, and of z1 itself, whose lack goes to s->apart. */
static rattle_status look(rattle__symmetric *s, const double *z1, double *r, int *worst, rattle_error *error) {
  const int n = s->onto->n;
  double most[2], along[2], r_psi = 0, r_z = 0;
  int worst_psi = 0;
  rattle_status status = s->momenta ? rattle__onto_see_hidden(s->onto, z1, error) : RATTLE_OK;
  if (s->momenta) r_psi = rattle__onto_ratio_hidden(s->onto, &worst_psi);
  if (!status) status = rattle__onto_place(s->onto, z1, error);
  if (status) return status;
  *r = rattle__onto_ratio(s->onto, z1, worst);
  memcpy(s->apart, s->end, 2 * (size_t)n * sizeof *z1);
  rattle__onto_push(s->onto, s->kappa, s->apart);
  rattle__onto_push_hidden(s->onto, s->lambda, s->apart);
  rattle__largest_of_kind(n, s->end, most);
  rattle__largest_of_kind(n, s->onto->reach, along);
  for (int c = 0; c < 2 * n; c++) {
    s->apart[c] -= z1[c];
    const double unit = fabs(s->apart[c]) / (DBL_EPSILON * fmax(most[c >= n], along[c >= n]) + DBL_MIN);
    if (!(unit <= r_z)) r_z = unit;
  }
  if (!(r_psi <= *r)) *r = r_psi, *worst = worst_psi;
  if (!(r_z <= *r)) *r = r_z;
  return RATTLE_OK;
}

/* kappa, lambda and z1, which was looked at, anew. */
static rattle_status correct(rattle__symmetric *s, double *z1, rattle_error *error) {
  rattle__onto *onto = s->onto;
  const rattle__function *g = onto->context->problem->g;
  for (int i = 0; i < onto->m; i++) {
    s->x[i] = onto->g[i];
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) s->x[i] += onto->J[k] * s->apart[g->jac_col[k]];
  }
  rattle_status status = rattle__onto_solve(onto, z1, s->x, error);
  if (status) return status;
  for (int c = 0; c < 2 * onto->n; c++) z1[c] += s->apart[c];
  rattle__onto_push(onto, s->x, z1);
  for (int i = 0; i < onto->m; i++) s->kappa[i] += 0.5 * s->x[i];
  if (!s->momenta) return RATTLE_OK;
  status = rattle__onto_see_hidden(onto, z1, error);
  memcpy(s->x, onto->psi, (size_t)onto->m * sizeof *s->x);
  if (!status) status = rattle__onto_solve_hidden(onto, z1, s->x, error);
  if (status) return status;
  rattle__onto_push_hidden(onto, s->x, z1);
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

rattle_status rattle__symmetric_apply(rattle__symmetric *s, double h, const double *z0, double *z1, rattle_error *error) {
  const size_t bytes = (size_t)s->onto->m * sizeof(double);
  double previous = INFINITY;
  memset(s->kappa, 0, bytes);
  memset(s->lambda, 0, bytes);
  rattle_status status = rattle__onto_measure(s->onto, h, z0, error);
  if (!status) status = travel(s, h, z0, error);
  memcpy(z1, s->end, 2 * (size_t)s->onto->n * sizeof *z1);
  for (int k = 0; !status; k++) {
    double r = 0;
    int worst = 0;
    status = look(s, z1, &r, &worst, error);
    if (status) break;
    const rattle__verdict verdict = rattle__judge(r, previous, k, 0);
    if (verdict == RATTLE__GIVE_UP && (k > 0 || !(r <= DBL_MAX))) /* at first, the system may say more */
      return rattle__multiplier_error(s->onto->context->problem, RATTLE_NOT_CONVERGED, worst, k, r, z1, error);
    if (verdict == RATTLE__DONE) {
      count(s, r);
      break;
    }
    previous = r;
    s->onto->context->counts.newton_iterations++;
    status = correct(s, z1, error);
    if (!status) status = travel(s, h, z0, error);
  }
  s->onto->context->clock++;
  return status;
}

rattle_status rattle__symmetric_create(rattle__symmetric **symmetric, rattle__onto *onto, rattle__map *inner, int momenta,
                                       rattle_error *error) {
  rattle__arena *arena = &onto->context->arena;
  rattle__symmetric *s = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__symmetric){.onto = onto, .inner = inner, .momenta = momenta};
  const size_t nz = 2 * (size_t)onto->n, m = (size_t)onto->m;
  double **vectors[] = {&s->start, &s->end, &s->apart, &s->kappa, &s->lambda, &s->x};
  const size_t sizes[] = {nz, nz, nz, m, m, m};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *vectors[i] = rattle__arena_doubles(arena, sizes[i]);
  *symmetric = s;
  return arena->failed ? rattle__no_memory(error) : RATTLE_OK;
}
