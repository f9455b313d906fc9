/* The impulse with which constraints begin.
 *
 * Source  p+ = p- - G^T Lambda with psi(p+) = target, G = g' by q; target 0, the projection onto
 *         the fibre, or -e psi(p-) of the constraint that begins with restitution e: Newton's law
 *         of impact (D. E. Stewart, Rigid-body dynamics with friction and impact, SIAM Review 42
 *         (2000) 3). psi is affine in p for kinetic energies that are quadratic; of others Newton's
 *         method, until psi no longer falls
 * Symbols N_ij = {{H,g_i},g_j}; Lambda the sum of the solutions
 * Rest    a bounce of speed v under the acceleration a towards the constraint rises by v^2/(2a): if
 *         that is round-off of g, it is none, and the constraint holds */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "runs/integrate/switches_state.h"

/* psi - target at z, N ready to be solved with. */
static rattle_status defect(rattle__switches *s, const double *z, double *most,
                            rattle_error *error) {
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, NULL, s->psi, error);
  for (int i = 0; i < s->m; i++) s->psi[i] -= s->target[i];
  *most = rattle__largest(s->psi, s->m);
  return status;
}

/* z gets the momenta of that target, switch i being the one that begins; s->lambda [m]: the
 * impulse. */
static rattle_status jump(rattle__switches *s, int i, double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double most, last = INFINITY;
  memset(s->lambda, 0, (size_t)s->m * sizeof *s->lambda);
  rattle_status status = defect(s, z, &most, error);
  while (!status && most > 0 && most < last) {
    rattle__linear *N;
    status = rattle__probe_matrix(s->probe, &N, error);
    if (!status && N->factor(N))
      status = rattle__fail(error, RATTLE_SINGULAR, s->model->change[i].name,
                            "constraints that begin are not independent of the others: the impulse "
                            "is not determined");
    if (status) return status;
    N->solve(N, s->psi);
    memcpy(s->before, z, 2 * (size_t)s->n * sizeof *z);
    for (int row = 0; row < s->m; row++)
      for (int e = g->jac_ptr[row]; e < g->jac_ptr[row + 1]; e++)
        z[s->n + g->jac_col[e]] -= s->probe->J[e] * s->psi[row];
    memcpy(s->zdot, s->psi, (size_t)s->m * sizeof *s->psi);
    last = most;
    status = defect(s, z, &most, error);
    if (status || most < last) /* else the correction is round-off */
      for (int row = 0; row < s->m; row++) s->lambda[row] += s->zdot[row];
    else
      memcpy(z, s->before, 2 * (size_t)s->n * sizeof *z);
  }
  return status;
}

/* True if momenta differ by more than round-off. */
static int differs(const rattle__switches *s, const double *z, const double *w) {
  for (int k = s->n; k < 2 * s->n; k++)
    if (!rattle__is_round_off(z[k] - w[k], s->reach[k])) return 1;
  return 0;
}

/* The one-sided constraint other than i on which the impulse pulls most, -1: none. */
static int pulled(const rattle__switches *s, int i, const double *z) {
  const double noise = RATTLE__GENEROUS * DBL_EPSILON * s->m * rattle__largest(s->lambda, s->m);
  int worst = -1;
  double most = noise;
  for (int k = 0; k < s->count; k++) {
    const double own = s->lambda[s->row[s->first_row[k]]];
    if (k != i && s->model->change[k].one_sided && rattle__switch_is_on(s, k, z) && own > most)
      worst = k, most = own;
  }
  return worst;
}

/* Momenta of which the constraints that are on, and i with that restitution, are left. One-sided
 * ones on which the impulse would pull end. */
static rattle_status collide(rattle__switches *s, int i, double restitution, double *z,
                             rattle_error *error) {
  double *from = s->try;
  memcpy(from, z, 2 * (size_t)s->n * sizeof *z);
  for (int let_go = 0; let_go >= 0;) {
    rattle__probe_place(s->probe, from, from + s->n);
    rattle_status status = rattle__probe_residuals(s->probe, NULL, s->psi, error);
    if (status) return status;
    memset(s->target, 0, (size_t)s->m * sizeof *s->target);
    const int row = s->row[s->first_row[i]];
    if (restitution > 0) s->target[row] = -restitution * s->psi[row];
    memcpy(z, from, 2 * (size_t)s->n * sizeof *z);
    status = jump(s, i, z, error);
    if (status) return status;
    let_go = pulled(s, i, z);
    if (let_go >= 0) rattle__switch_set(s, let_go, 0, from);
  }
  return RATTLE_OK;
}

/* g_i'' along the motion with i off and all others as they are: lambda_i / (N^-1)_ii. */
static rattle_status acceleration(rattle__switches *s, int i, const double *z, double *a,
                                  rattle_error *error) {
  const int row = s->row[s->first_row[i]];
  rattle__linear *N;
  rattle__probe_place(s->probe, z, z + s->n);
  rattle_status status = rattle__probe_multipliers(s->probe, s->psi, error);
  if (!status) status = rattle__probe_matrix(s->probe, &N, error);
  if (status) return status;
  memset(s->target, 0, (size_t)s->m * sizeof *s->target);
  s->target[row] = 1;
  if (N->factor(N)) return rattle__fail(error, RATTLE_SINGULAR, NULL, "N is singular");
  N->solve(N, s->target);
  *a = s->psi[row] / s->target[row];
  return RATTLE_OK;
}

/* Values that are held become those at z, where the switch is on. */
static rattle_status hold(rattle__switches *s, int i, double *z, rattle_error *error) {
  const rattle__switch *is = &s->model->change[i];
  if (is->first_at < 0) return RATTLE_OK;
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, s->psi, NULL, error);
  for (int r = 0; r < is->rows && !status; r++)
    z[is->first_at + r] += s->psi[s->row[s->first_row[i] + r]];
  return status;
}

/* BAD_ARGUMENT: constraints of i, which is on at z, are not 0 there: off by more than a start may
 * be. */
static rattle_status check_values(rattle__switches *s, int i, const double *z,
                                  rattle_error *error) {
  const rattle__function *g = s->problem->g;
  double all = 0;
  for (int k = 0; k < s->n; k++) all = fmax(all, fabs(z[k]));
  rattle__probe_place(s->probe, z, z + s->n);
  const rattle_status status = rattle__probe_residuals(s->probe, s->lambda, NULL, error);
  for (int r = s->first_row[i]; r < s->first_row[i + 1] && !status; r++) {
    const int row = s->row[r];
    double room = 0;
    for (int e = g->jac_ptr[row]; e < g->jac_ptr[row + 1]; e++)
      room += fabs(s->probe->J[e]) * (RATTLE__START_NEAR / DBL_EPSILON * s->reach[g->jac_col[e]] +
                                      RATTLE__START_ALL * all);
    if (!(fabs(s->lambda[row]) > room)) continue;
    return rattle__fail(
        error, RATTLE_OFF_CONSTRAINTS, s->model->change[i].name,
        "the constraint \"%s\" of the switch \"%s\" is %g where it begins, not 0: %s",
        rattle_problem_constraint_name(s->problem, row), s->model->change[i].name, s->lambda[row],
        s->model->change[i].one_sided
            ? "it is at least 0 wherever it is off; start there"
            : "let it begin where it is 0, or give hold = true, which keeps the "
              "value that it has there");
  }
  return status;
}

/* *stays: bounces with that speed at z, where i is on, are round-off. */
static rattle_status comes_to_rest(rattle__switches *s, int i, double speed, const double *z,
                                   int *stays, rattle_error *error) {
  double a = 0;
  *stays = 0;
  rattle_status status = acceleration(s, i, z, &a, error);
  if (!status && a < 0) status = rattle__switches_round_off(s, z, error);
  if (!status && a < 0) *stays = speed * speed <= 2 * -a * s->bound[2 * i];
  return status;
}

rattle_status rattle__switch_begin(rattle__switches *s, int i, double *z, rattle__impact *impact,
                                   rattle_error *error) {
  const rattle__switch *is = &s->model->change[i];
  const int row = s->row[s->first_row[i]];
  const size_t size = 2 * (size_t)s->n * sizeof *z;
  int on = is->restitution == 0;
  memcpy(s->zb, z, size);
  rattle__switch_set(s, i, 1, z);
  rattle_status status = hold(s, i, z, error);
  rattle__probe_place(s->probe, z, z + s->n);
  if (!status) status = rattle__probe_residuals(s->probe, NULL, s->psi, error);
  if (status) return status;
  const double speed = s->psi[row];
  const int leaves = is->one_sided && speed > 0;
  status = check_values(s, i, z, error);
  if (!status && (!on || leaves))
    status = comes_to_rest(s, i, leaves ? speed : is->restitution * speed, z, &on, error);
  if (!status && leaves && !on) {
    memcpy(z, s->zb, size);
    *impact = (rattle__impact){0};
    return RATTLE_OK;
  }
  if (!status) status = collide(s, i, on ? 0 : is->restitution, z, error);
  if (!status && on) status = rattle__switches_round_off(s, z, error);
  if (!status && on) status = rattle__switches_conditions(s, z, s->values, error);
  if (status) return status;
  if (on && s->values[2 * i + 1] > s->bound[2 * i + 1]) on = 0;
  if (!on) rattle__switch_set(s, i, 0, z);
  *impact = (rattle__impact){.on = on, .jumped = differs(s, z, s->zb)};
  if (!on && is->first_at >= 0) /* nothing is held */
    memcpy(z + is->first_at, s->zb + is->first_at, (size_t)is->rows * sizeof *z);
  return RATTLE_OK;
}
