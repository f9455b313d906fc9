/* The discrete gradients of a step at an iterate: DH + sum_i lambda_i Dg_i + sum_i mu_i Dpsi_i. See
 * discrete.h and gonzalez.h. */
#include "maps/constrained/discrete.h"

#include <math.h>
#include <string.h>

rattle_status rattle__discrete_energy(rattle__discrete *k, const double *z, double *H,
                                      double *gradient, rattle_error *error) {
  const rattle__function *f = k->step.map.context->problem->H;
  k->step.map.context->counts.gradient++;
  return rattle__answer(f->jacobian(f, z, H, gradient, k->work), "gradient", error);
}

rattle_status rattle__discrete_constraint(rattle__discrete *k, const double *z, double *g,
                                          double *J, rattle_error *error) {
  const rattle__function *f = k->step.map.context->problem->g;
  if (!k->m) return RATTLE_OK;
  k->step.map.context->counts.constraint++;
  k->step.map.context->counts.jacobian++;
  return rattle__answer(f->jacobian(f, z, g, J, k->work), "constraint", error);
}

static rattle_status add_energy(rattle__discrete *k, double H1, rattle_error *error) {
  const rattle__row row = {.slope = k->at_middle, .count = 2 * k->n, .F0 = k->H0, .F1 = H1};
  double unit = 0, rest = 0;
  rattle_status status = RATTLE_OK;
  if (!k->step.map.context->problem->H->quadratic) {
    rest = rattle__chord_rest_of(&k->chord, &k->chord.of_H, 0, &row, &unit);
    if (!rattle__chord_clear(rest, unit)) {
      rattle__rest by_slopes = {0};
      for (int side = -1; side <= 1 && !status; side += 2) {
        status = rattle__discrete_energy(k, rattle__chord_node(&k->chord, side), NULL, k->at_node,
                                         error);
        rattle__chord_bend(&k->chord, &row, k->at_node, &by_slopes);
      }
      rest = rattle__chord_better(rest, &by_slopes, &unit);
    }
  }
  rattle__chord_add(&k->chord, &row, 1, rest, unit);
  return status;
}

static rattle__row row_of(const rattle__discrete *k, int i) {
  const rattle__function *g = k->step.map.context->problem->g;
  const int from = g->jac_ptr[i];
  return (rattle__row){.slope = rattle__discrete_jacobian(k, 0) + from,
                       .col = g->jac_col + from,
                       .count = g->jac_ptr[i + 1] - from,
                       .F0 = k->g0[i],
                       .F1 = k->g[i]};
}

/* by_slopes [m] of all constraints */
static rattle_status rests_by_slopes(rattle__discrete *k, rattle_error *error) {
  const int *ptr = k->step.map.context->problem->g->jac_ptr;
  rattle_status status = RATTLE_OK;
  memset(k->by_slopes, 0, (size_t)k->m * sizeof *k->by_slopes);
  for (int side = -1; side <= 1 && !status; side += 2) {
    status = rattle__discrete_constraint(k, rattle__chord_node(&k->chord, side), k->psi_size,
                                         k->J_node, error);
    for (int i = 0; i < k->m; i++) {
      const rattle__row row = row_of(k, i);
      rattle__chord_bend(&k->chord, &row, k->J_node + ptr[i], &k->by_slopes[i]);
    }
  }
  return status;
}

static rattle_status add_constraints(rattle__discrete *k, rattle_error *error) {
  const rattle__function *g = k->step.map.context->problem->g;
  const double *lambda = k->step.x + 2 * k->n;
  const int quadratic = g && g->quadratic;
  int slopes_known = 0;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < k->m && !status; i++) {
    const rattle__row row = row_of(k, i);
    double unit = 0,
           rest = quadratic ? 0 : rattle__chord_rest_of(&k->chord, &k->chord.of_g, i, &row, &unit);
    if (!quadratic && !rattle__chord_clear(rest, unit)) {
      if (!slopes_known) status = rests_by_slopes(k, error);
      slopes_known = 1;
      rest = rattle__chord_better(rest, &k->by_slopes[i], &unit);
    }
    k->rest[i] = rest;
    rattle__chord_add(&k->chord, &row, lambda[i], rest, unit);
  }
  return status;
}

/* mu is small: where the rest of psi is not clear it does not matter. */
static void add_hidden(rattle__discrete *k) {
  for (int i = 0; i < k->m; i++) {
    const int from = k->rows->ptr[i];
    const rattle__row row = {.slope = rattle__discrete_psi_derivative(k, 0) + from,
                             .col = k->rows->col + from,
                             .count = k->rows->ptr[i + 1] - from,
                             .F0 = k->psi0[i],
                             .F1 = k->psi[i]};
    double unit, rest = rattle__chord_rest(&k->chord, &row, &unit);
    if (!rattle__chord_clear(rest, unit)) rest = unit = 0;
    k->psi_rest[i] = rest;
    rattle__chord_add(&k->chord, &row, rattle__discrete_mu(k, i), rest, unit);
  }
}

rattle_status rattle__discrete_sum(rattle__discrete *k, const double *z1, rattle_error *error) {
  const rattle__function *H = k->step.map.context->problem->H;
  const double *z = k->chord.z;
  double H1 = 0;
  rattle_status status = rattle__discrete_energy(k, z1, &H1, k->at_end, error);
  if (!status) status = rattle__discrete_energy(k, z, NULL, k->at_middle, error);
  if (!status)
    status = rattle__answer(H->hessian(H, z, NULL, rattle__discrete_source(k, k->first_H), k->work),
                            "Hessian", error);
  k->step.map.context->counts.hessian++;
  rattle__chord_metric(k->diagonal, k->n, rattle__discrete_source(k, k->first_H), k->step.whole,
                       k->chord.weight);
  rattle__chord_measure(&k->chord);
  if (!status)
    status = rattle__discrete_constraint(k, z, k->g, rattle__discrete_jacobian(k, 0), error);
  if (!status)
    status = rattle__discrete_constraint(k, z1, k->g, rattle__discrete_jacobian(k, 1), error);
  if (!status) status = add_energy(k, H1, error);
  if (!status) status = add_constraints(k, error);
  k->along = k->chord.along;
  if (status || !k->m) return status;
  rattle__psi_values(k->rows, rattle__discrete_jacobian(k, 1), k->at_end, k->psi, k->psi_size);
  status = rattle__psi_derivative(k->rows, z, rattle__discrete_jacobian(k, 0), k->at_middle,
                                  rattle__discrete_source(k, k->first_H),
                                  rattle__discrete_psi_derivative(k, 0), error);
  if (!status) add_hidden(k);
  return status;
}
