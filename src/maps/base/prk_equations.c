/* The equations of a partitioned Runge-Kutta step at an iterate: stages, slopes, residuals in units
 * of round-off, corrections. See prk.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "maps/base/prk.h"
#include "problem/functions/probe.h"
#include "constraint/step/sizes.h"

static double *stage_part(rattle__prk *k, int part, int i) {
  return k->Z + (size_t)i * 2 * (size_t)k->n + part * k->n;
}

/* slope of component `part` at stage j: H_p for q, -H_q for p; entry c */
static inline double slope(const rattle__prk *k, int part, int j, int c) {
  const double *gradient = k->gradient + (size_t)j * 2 * (size_t)k->n;
  return part ? -gradient[c] : gradient[k->n + c];
}

rattle_status rattle__prk_gradients(rattle__prk *k, int hessians, rattle_error *error) {
  const rattle__function *H = k->map.context->problem->H;
  int answer = 0;
  for (int j = 0; j < k->t.stages && !answer; j++) {
    double *z = stage_part(k, 0, j);
    answer = H->jacobian(H, z, NULL, k->gradient + (size_t)j * (size_t)H->vars, k->work);
    k->map.context->counts.gradient++;
    if (hessians && !answer) {
      answer = H->hessian(H, z, NULL, k->hessian + (size_t)j * (size_t)H->hess_nnz, k->work);
      k->map.context->counts.hessian++;
    }
  }
  return rattle__answer(answer, "gradient", error);
}

rattle_status rattle__prk_slide(rattle__prk *k, double h, rattle_error *error) {
  for (int i = 0; i < k->m; i++) k->slide[i] = h * k->lambda[i];
  return k->fibre->slide(k->fibre, k->slide, k->plus_z, error);
}

void rattle__prk_keep_slopes(rattle__prk *k, double h, int back) {
  for (int j = 0; j < k->t.stages; j++)
    for (int c = 0; c < 2 * k->n; c++) {
      double *slope = k->slope + (size_t)j * 2 * (size_t)k->n + c, *z = stage_part(k, 0, j) + c;
      if (back)
        *z = k->plus_z[c] + h * *slope;
      else
        *slope = (*z - k->plus_z[c]) / h;
    }
}

/* gradient [2n] at stage j from the one at z0 and H'' there */
static void linear_gradient(const rattle__prk *k, int j, double *gradient) {
  const rattle__function *H = k->map.context->problem->H;
  const double *X = k->map.context->probe->X, *z = k->Z + (size_t)j * 2 * (size_t)k->n;
  for (int r = 0; r < 2 * k->n; r++) {
    double sum = r < k->n ? -X[k->n + r] : X[r - k->n];
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      sum += k->hessian[e] * (z[H->hess_col[e]] - k->z0[H->hess_col[e]]);
    gradient[r] = sum;
  }
}

/* The stages of the equations that are linear in z - z0, by sweeps: no evaluation. */
static void predict(rattle__prk *k, double h) {
  enum { SWEEPS = 3 };
  const size_t nz = 2 * (size_t)k->n;
  for (int j = 0; j < k->t.stages; j++)
    memcpy(k->Z + (size_t)j * nz, k->plus_z, nz * sizeof(double));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int j = 0; j < k->t.stages; j++) linear_gradient(k, j, k->gradient + (size_t)j * nz);
    for (int part = 0; part < 2; part++)
      for (int i = 0; i < k->t.stages; i++) {
        const double *a = part ? k->t.ahat[i] : k->t.a[i];
        double *x = stage_part(k, part, i);
        for (int c = 0; c < k->n; c++) {
          double sum = 0;
          for (int j = 0; j < k->t.stages; j++) sum += a[j] * slope(k, part, j, c);
          x[c] = k->plus_z[part * k->n + c] + h * sum;
        }
      }
  }
}

rattle_status rattle__prk_guess(rattle__prk *k, double h, const double *z0, rattle_error *error) {
  if (k->sloped) {
    rattle__prk_keep_slopes(k, h, 1);
    return RATTLE_OK;
  }
  if (k->rough) {
    predict(k, h);
    return RATTLE_OK;
  }
  const rattle__function *H = k->map.context->problem->H;
  int answer = H->jacobian(H, z0, NULL, k->gradient, k->work), n = k->n;
  k->map.context->counts.gradient++;
  memcpy(k->room, k->gradient, 2 * (size_t)n * sizeof(double));
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++) {
      const double *a = part ? k->t.ahat[i] : k->t.a[i];
      double c = 0, *x = stage_part(k, part, i);
      for (int j = 0; j < k->t.stages; j++) c += a[j];
      for (int e = 0; e < n; e++)
        x[e] = z0[part * n + e] + h * c * (part ? -k->room[e] : k->room[n + e]);
    }
  return rattle__answer(answer, "gradient", error);
}

void rattle__prk_stay(rattle__prk *k) {
  for (int j = 0; j < k->t.stages; j++)
    memcpy(k->Z + (size_t)j * 2 * (size_t)k->n, k->plus_z, 2 * (size_t)k->n * sizeof *k->Z);
}

/* With e = h (X(Z) - X(z+)) and d = Z - z+, |e_q| |e_p| / |d_q| |d_p| is (h omega)^2 of an
 * oscillator, whatever its units and phase, and the same of a damper. */
int rattle__prk_overshot(const rattle__prk *k) {
  const rattle_problem *problem = k->map.context->problem;
  double e = 1, d = 1;
  for (int part = 0; part < 2; part++) {
    double most[2] = {0, 0};
    for (int i = 0; i < k->t.stages; i++)
      for (int c = 0; c < k->n && k->owner[part][i] == i; c++) {
        if (rattle__is_apart(problem, part * k->n + c)) continue;
        const double moved =
            k->Z[(size_t)(2 * i + part) * (size_t)k->n + (size_t)c] - k->plus_z[part * k->n + c];
        most[0] = fmax(most[0], fabs(k->rhs[k->stage[part][i] + c]));
        most[1] = fmax(most[1], fabs(moved));
      }
    e *= most[0];
    d *= most[1];
  }
  return e > d;
}

/* Right-hand side of the stage equations, and their residual in units of round-off: of the largest
 * terms among the n equations of a stage, since a small entry has no more digits than the terms
 * that it is the sum of. */
static double stage_residual(rattle__prk *k, double h) {
  const rattle_problem *problem = k->map.context->problem;
  double worst = 0;
  int n = k->n;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++) {
      if (k->owner[part][i] != i) continue;
      const double *a = part ? k->t.ahat[i] : k->t.a[i], *x = stage_part(k, part, i),
                   *start = k->plus_z + part * n;
      double most = 0, unit = 0;
      for (int c = 0; c < n; c++) {
        double sum = 0, size = 0;
        for (int j = 0; j < k->t.stages; j++) {
          double term = a[j] * slope(k, part, j, c);
          sum += term;
          size += fabs(term);
        }
        double r = start[c] + h * sum - x[c], terms = fabs(start[c]) + fabs(x[c]) + fabs(h) * size;
        k->rhs[k->stage[part][i] + c] = r;
        if (rattle__is_apart(problem, part * n + c)) continue;
        if (!(fabs(r) <= most)) most = fabs(r);
        if (terms > unit) unit = terms;
      }
      double round_off = DBL_EPSILON * unit + DBL_MIN;
      if (k->raised) round_off = fmax(round_off, k->slope_unit[part]);
      double ratio = most / round_off;
      if (!(ratio <= worst)) worst = ratio;
    }
  return worst;
}

/* Copies to the stages that are z+ or equal to an earlier one. */
static void copy_stages(rattle__prk *k) {
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++) {
      int owner = k->owner[part][i];
      if (owner == i) continue;
      memcpy(stage_part(k, part, i),
             owner < 0 ? k->plus_z + part * k->n : stage_part(k, part, owner),
             (size_t)k->n * sizeof(double));
    }
}

static void finish(const rattle__prk *k, double h, double *z1) {
  for (int part = 0; part < 2; part++) {
    const double *b = rattle__tableau_weights(&k->t, part);
    for (int c = 0; c < k->n; c++) {
      double sum = 0;
      for (int j = 0; j < k->t.stages; j++) sum += b[j] * slope(k, part, j, c);
      z1[part * k->n + c] = k->plus_z[part * k->n + c] + h * sum;
    }
  }
}

/* Round-off of h sum_j b_j X_H(Z_j) due to that of the stages. */
static void measure_slopes(rattle__prk *k, double h) {
  const rattle_problem *problem = k->map.context->problem;
  memset(k->unit, 0, 2 * (size_t)k->n * sizeof(double));
  const double *b = rattle__tableau_weights(&k->t, 0), *bhat = rattle__tableau_weights(&k->t, 1);
  for (int j = 0; j < k->t.stages; j++)
    rattle__slope_round_off(problem, k->hessian + (size_t)j * (size_t)problem->H->hess_nnz,
                            stage_part(k, 0, j), h * fmax(fabs(b[j]), fabs(bhat[j])), k->unit);
}

/* g(z1) into the right-hand side; its residual in units of round-off. */
static rattle_status constraint_residual(rattle__prk *k, const double *z1, rattle_error *error) {
  const rattle__function *g = k->map.context->problem->g;
  int answer = g->jacobian(g, z1, k->g, k->J, k->work);
  k->map.context->counts.constraint++;
  k->map.context->counts.jacobian++;
  double most[2];
  rattle__largest_of_kind(k->map.context->problem, z1, most);
  for (int i = 0; i < k->m; i++) {
    k->g[i] -= k->follower->level[i];
    double size = DBL_MIN, x = fabs(k->g[i]);
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      int c = g->jac_col[e];
      if (rattle__is_time(k->map.context->problem, c)) continue;
      double own = 0.5 * (fabs(z1[c]) + fabs(k->plus_z[c])) + k->unit[c];
      size += DBL_EPSILON * fabs(k->J[e]) * fmax(own, rattle__least_size(most[c >= k->n]));
    }
    k->size_g[i] = k->raised ? fmax(k->size_g[i], size) : size;
    if (!(x / k->size_g[i] <= k->residual)) {
      k->residual = x / k->size_g[i];
      k->worst = i;
    }
    if (!(x <= k->largest)) k->largest = x;
    k->rhs[k->multipliers + i] = -k->g[i];
  }
  return rattle__answer(answer, "constraint", error);
}

/* The slide is not a straight line: stages follow z+ to its actual position, once. */
static void shift_stages(rattle__prk *k) {
  for (int j = 0; j < k->t.stages; j++)
    for (int c = 0; c < 2 * k->n; c++) stage_part(k, 0, j)[c] += k->plus_z[c] - k->expected[c];
  memcpy(k->expected, k->plus_z, 2 * (size_t)k->n * sizeof *k->expected);
}

rattle_status rattle__prk_look(rattle__prk *k, double h, double *z1, int hessians,
                               rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (k->fibre) {
    status = rattle__prk_slide(k, h, error);
    shift_stages(k);
  }
  copy_stages(k);
  if (!status) status = rattle__prk_gradients(k, hessians && !k->rough, error);
  if (status) return status;
  if (hessians && k->fibre && !(k->map.context->problem->flags & RATTLE_HOLONOMIC))
    measure_slopes(k, h);
  memset(k->rhs, 0, (size_t)k->size * sizeof(double));
  k->worst = -1;
  k->largest = 0;
  k->residual = stage_residual(k, h);
  finish(k, h, z1);
  return k->fibre ? constraint_residual(k, z1, error) : RATTLE_OK;
}

rattle_status rattle__prk_raise(rattle__prk *k, double h, const double *z0, const double *z1,
                                rattle_error *error) {
  rattle__unit *units = k->units;
  for (int i = 0; i < k->m && k->fibre; i++) k->size_g[i] = 0;
  rattle_status status = rattle__unit_of_step(units, h, z0, k->plus_z, z1, error);
  if (!status && k->fibre) status = rattle__unit_of_g(units, z1, k->size_g, error);
  if (status) return status;
  k->slope_unit[0] = k->slope_unit[1] = 0;
  for (int c = 0; c < 2 * k->n; c++)
    if (!rattle__is_apart(k->map.context->problem, c))
      k->slope_unit[c >= k->n] = fmax(k->slope_unit[c >= k->n], units->reach[c]);
  k->raised = 1;
  return RATTLE_OK;
}

void rattle__prk_update(rattle__prk *k) {
  k->matrix->solve(k->matrix, k->rhs);
  if (k->rough) rattle__broyden_improve(&k->learned, k->rhs);
  k->map.context->counts.newton_iterations++;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < k->t.stages; i++)
      for (int c = 0; c < k->n && k->owner[part][i] == i; c++)
        stage_part(k, part, i)[c] += k->rhs[k->stage[part][i] + c];
  if (!k->fibre) return;
  for (int i = 0; i < k->m; i++) {
    const double change = k->rhs[k->multipliers + i];
    k->lambda[i] += change;
    for (int e = k->fibre->ptr[i]; e < k->fibre->ptr[i + 1]; e++)
      k->expected[k->fibre->col[e]] += k->h * k->dfibre[e] * change;
  }
}
