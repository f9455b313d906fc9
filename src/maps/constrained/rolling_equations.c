/* The equations of discrete_gradient under constraints on velocities, at an iterate. See
 * rolling_gradient.h and gonzalez.h. */
#include "maps/constrained/rolling_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "constraint/step/sizes.h"
#include "ground/linear/dot.h"

static rattle_status gradient(rattle__rolling_gradient *k, const double *z, double *H, double *out,
                              rattle_error *error) {
  const rattle__function *f = k->map.context->problem->H;
  k->map.context->counts.gradient++;
  return rattle__answer(f->jacobian(f, z, H, out, k->work), "gradient", error);
}

/* ---- the sum of discrete gradients ---- */

/* The rest by slopes where that by values is not clear, with what it may be off by: it becomes 0
 * where it is round-off, and with d as the unknown that is no part of the rounding of z1. */
static double better(double rest, const rattle__rest *by_slopes, double *unit) {
  const double found = rattle__chord_better(rest, by_slopes, unit);
  *unit = fmax(*unit, 4 * DBL_EPSILON * by_slopes->terms);
  return found;
}

static rattle_status add_energy(rattle__rolling_gradient *k, double H1, rattle_error *error) {
  const rattle__row row = {.slope = k->at_middle, .count = 2 * k->n, .F0 = k->H0, .F1 = H1};
  double unit = 0, rest = 0;
  rattle_status status = RATTLE_OK;
  if (!k->map.context->problem->H->quadratic) {
    rest = rattle__chord_rest_of(&k->chord, &k->chord.of_H, 0, &row, &unit);
    if (!rattle__chord_clear(rest, unit)) {
      rattle__rest by_slopes = {0};
      for (int side = -1; side <= 1 && !status; side += 2) {
        status = gradient(k, rattle__chord_node(&k->chord, side), NULL, k->at_node, error);
        rattle__chord_bend(&k->chord, &row, k->at_node, &by_slopes);
      }
      rest = better(rest, &by_slopes, &unit);
    }
  }
  rattle__chord_add(&k->chord, &row, 1, rest, unit);
  return status;
}

static rattle__row row_of_g(const rattle__rolling_gradient *k, int i) {
  const rattle__function *g = k->map.context->problem->g;
  const int from = g->jac_ptr[i];
  return (rattle__row){.slope = k->middle->J + from,
                       .col = g->jac_col + from,
                       .count = g->jac_ptr[i + 1] - from,
                       .F0 = k->start->g[i],
                       .F1 = k->end->g[i]};
}

static rattle_status rests_by_slopes(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle__function *g = k->map.context->problem->g;
  memset(k->by_slopes, 0, (size_t)k->held * sizeof *k->by_slopes);
  for (int side = -1; side <= 1; side += 2) {
    const int answer =
        g->jacobian(g, rattle__chord_node(&k->chord, side), k->g_node, k->J_node, k->work);
    if (answer) return rattle__callback_error(answer, "constraint", error);
    for (int i = 0; i < k->held; i++) {
      const rattle__row row = row_of_g(k, i);
      rattle__chord_bend(&k->chord, &row, k->J_node + g->jac_ptr[i], &k->by_slopes[i]);
    }
  }
  return RATTLE_OK;
}

/* Dg, and A at the middle */
static rattle_status add_rows(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle__function *g = k->map.context->problem->g;
  const double *lambda = k->x + 2 * k->n;
  int known = 0;
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < k->held && !status; i++) {
    const rattle__row row = row_of_g(k, i);
    double unit = 0, rest = g->quadratic
                                ? 0
                                : rattle__chord_rest_of(&k->chord, &k->chord.of_g, i, &row, &unit);
    if (!g->quadratic && !rattle__chord_clear(rest, unit)) {
      if (!known) status = rests_by_slopes(k, error);
      known = 1;
      rest = better(rest, &k->by_slopes[i], &unit);
    }
    k->rest[i] = rest;
    rattle__chord_add(&k->chord, &row, lambda[i], rest, unit);
  }
  for (int i = k->held; i < k->m; i++) {
    const rattle__row row = {.slope = k->middle->C + (size_t)i * (size_t)k->n, .count = k->n};
    rattle__chord_add(&k->chord, &row, lambda[i], 0, 0);
  }
  return status;
}

rattle_status rattle__rolling_gradient_hidden(rattle__rolling_gradient *k, rattle__reaction *at,
                                              const double *z, const double *slope, const double *S,
                                              double *derivative, rattle_error *error) {
  const rattle__function *g = k->map.context->problem->g, *H = k->map.context->problem->H;
  const int n = k->n, nz = 2 * n, held = k->held;
  const double *v = slope + n;
  memset(derivative, 0, (size_t)k->m * (size_t)nz * sizeof *derivative);
  const int answer = g ? rattle__function_along(g, z, v, at->D, at->work, at->room) : 0;
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int i = 0; i < held; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      derivative[i * nz + g->jac_col[e]] = at->D[e];
  const rattle_status status = rattle__velocity_at(at, z, v, NULL, k->by_q, NULL, error);
  for (int i = held; i < k->m; i++)
    memcpy(derivative + i * nz, k->by_q + (i - held) * n, (size_t)n * sizeof *derivative);
  for (int i = 0; i < k->m; i++)
    for (int c = 0; c < n; c++) {
      const double factor = at->C[(size_t)i * (size_t)n + (size_t)c];
      for (int e = H->hess_ptr[n + c]; e < H->hess_ptr[n + c + 1] && factor != 0; e++)
        derivative[i * nz + H->hess_col[e]] += factor * S[e];
    }
  return status;
}

/* nu is small: where the rest of psi is not clear it does not matter. */
static void add_hidden(rattle__rolling_gradient *k) {
  const double *nu = k->x + 2 * k->n + k->m;
  for (int i = 0; i < k->m; i++) {
    const rattle__row row = {.slope = k->psi_middle + (size_t)i * 2 * (size_t)k->n,
                             .count = 2 * k->n,
                             .F0 = k->start->psi[i],
                             .F1 = k->end->psi[i]};
    double unit, rest = rattle__chord_rest(&k->chord, &row, &unit);
    if (!rattle__chord_clear(rest, unit)) {
      unit = fmax(unit, fabs(rest));
      rest = 0;
    }
    k->psi_rest[i] = rest;
    rattle__chord_add(&k->chord, &row, k->h * nu[i], rest, unit);
  }
}

static rattle_status sum(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle__function *H = k->map.context->problem->H;
  const double *z = k->chord.z;
  const size_t held = (size_t)k->held * (size_t)k->n;
  double H1 = 0;
  rattle__chord_span(&k->chord, k->z0, k->x);
  for (int c = 0; c < 2 * k->n; c++) k->z1[c] = k->z0[c] + k->x[c];
  rattle_status status = gradient(k, k->z1, &H1, k->at_end, error);
  if (!status) status = gradient(k, z, NULL, k->at_middle, error);
  if (!status) status = rattle__answer(H->hessian(H, z, NULL, k->S, k->work), "Hessian", error);
  if (status) return status;
  k->map.context->counts.hessian++;
  rattle__chord_metric(k->diagonal, k->n, k->S, k->whole, k->chord.weight);
  rattle__chord_measure(&k->chord);
  status = rattle__reaction_rows(k->middle, z, error);
  if (!status) status = rattle__reaction_look(k->end, k->z1, error);
  k->map.context->counts.constraint += 2;
  k->map.context->counts.jacobian += 2;
  if (!status) status = add_energy(k, H1, error);
  if (!status) status = add_rows(k, error);
  if (!status)
    status =
        rattle__rolling_gradient_hidden(k, k->middle, z, k->at_middle, k->S, k->psi_middle, error);
  if (!status) add_hidden(k);
  if (!status)
    status = rattle__velocity_at(k->middle, z, k->chord.d, k->way, k->way_by_q, k->middle->C + held,
                                 error);
  return status;
}

/* ---- the equations, with their round-off in units of epsilon ---- */

/* Linear equations leave of other entries something small beside the way, and beside the momenta,
 * in the metric of the masses: each entry has its own unit. */
static void add_floor(rattle__rolling_gradient *k) {
  const rattle__reaction *at = k->start;
  const int n = k->n;
  const double speed = rattle__larger(rattle__reaction_speed(at, k->z0 + n, at->slope + n),
                                      rattle__reaction_speed(at, k->z1 + n, k->at_end + n));
  for (int c = 0; c < n; c++) {
    if (!(at->root[c] > 0)) continue;
    k->chord.terms[c] += rattle__least_size(fabs(k->h) * at->root[c] * speed);
    k->chord.terms[n + c] += rattle__least_size(speed / at->root[c]);
  }
}

/* The motion; chord.terms become those of z1. */
static void motion_rows(rattle__rolling_gradient *k) {
  const rattle_problem *problem = k->map.context->problem;
  const int n = k->n;
  const double *total = k->chord.total;
  double *terms = k->chord.terms;
  for (int c = 0; c < n; c++) { /* to their conjugate places */
    const double of_q = fabs(k->h) * terms[n + c], of_p = fabs(k->h) * terms[c];
    terms[c] = of_q;
    terms[n + c] = of_p;
  }
  rattle__slope_round_off(problem, k->S, k->chord.z, k->h, terms);
  add_floor(k);
  for (int c = 0; c < 2 * n; c++) {
    const int row = rattle__conjugate(n, c);
    k->rhs[row] = -k->h * rattle__conjugate_sign(n, c) * total[c] - k->x[row];
  }
  for (int c = 0; c < 2 * n; c++) {
    terms[c] += fabs(k->x[c]);
    k->size_of[c] = rattle__is_time(problem, c) ? INFINITY : terms[c];
    terms[c] = rattle__is_time(problem, c) ? 0 : terms[c] + fabs(k->z0[c]) + fabs(k->z1[c]);
  }
}

static void constraint_rows(rattle__rolling_gradient *k) {
  const int n = k->n, m = k->m, held = k->held;
  const double *terms = k->chord.terms, *d = k->chord.d;
  double *F = k->rhs + 2 * n, *size = k->size_of + 2 * n;
  for (int i = 0; i < held; i++) {
    const double *row = k->end->C + (size_t)i * (size_t)n;
    F[i] = k->level[i] - k->end->g[i];
    size[i] = 0;
    for (int c = 0; c < n; c++) size[i] += fabs(row[c]) * 0.5 * terms[c];
  }
  for (int i = held; i < m; i++) {
    const double *row = k->middle->C + (size_t)i * (size_t)n,
                 *by_q = k->way_by_q + (size_t)(i - held) * (size_t)n;
    F[i] = -k->way[i - held];
    size[i] = 0;
    for (int c = 0; c < n; c++)
      size[i] += fabs(row[c]) * (fabs(d[c]) + 0.5 * terms[c]) + fabs(by_q[c]) * 0.25 * terms[c];
  }
  for (int i = 0; i < m; i++) { /* what round-off of z1 makes of psi counts too */
    const double *row = k->psi_middle + (size_t)i * 2 * (size_t)n;
    F[m + i] = -k->end->psi[i];
    size[m + i] = k->end->size[i];
    for (int c = 0; c < 2 * n; c++) size[m + i] += fabs(row[c]) * 0.5 * terms[c];
  }
}

rattle_status rattle__rolling_gradient_look(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle_status status = sum(k, error);
  if (status) return status;
  motion_rows(k);
  constraint_rows(k);
  for (int i = 0; i < k->size; i++)
    k->size_of[i] = fmax(DBL_MIN, fmax(DBL_EPSILON * k->size_of[i], k->least[i]));
  return RATTLE_OK;
}

/* ---- raised units ---- */

static rattle_status raise_velocities(rattle__rolling_gradient *k, rattle_error *error) {
  const int n = k->n, held = k->held;
  const rattle__unit *u = k->unit;
  double *reach = k->chord.node, *bound = k->E, *least = k->least + 2 * n;
  for (int c = 0; c < n; c++) {
    reach[c] = 0.5 * (u->reach[c] + DBL_EPSILON * fabs(k->chord.z[c]));
    reach[n + c] = u->reach[c] + DBL_EPSILON * fabs(k->chord.d[c]);
  }
  rattle_status status =
      rattle__velocity_at(k->middle, k->chord.z, k->chord.d, k->way, NULL, NULL, error);
  if (!status) status = rattle__velocity_round_off(k->middle, reach, bound, u->room, error);
  for (int i = held; i < k->m && !status; i++) least[i] = bound[i - held];
  if (!status) status = rattle__velocity_at(k->end, k->z1, u->X, k->way, NULL, NULL, error);
  for (int c = 0; c < n; c++) {
    reach[c] = u->reach[c];
    reach[n + c] = u->slope[c] + DBL_EPSILON * fabs(u->X[c]);
  }
  if (!status) status = rattle__velocity_round_off(k->end, reach, bound, u->room, error);
  for (int i = held; i < k->m && !status; i++) least[k->m + i] = bound[i - held];
  return status;
}

rattle_status rattle__rolling_gradient_raise(rattle__rolling_gradient *k, int on,
                                             rattle_error *error) {
  rattle__unit *u = k->unit;
  double *least = k->least;
  memset(least, 0, (size_t)k->size * sizeof *least);
  if (!on) return RATTLE_OK;
  rattle_status status = rattle__unit_of_step(u, k->h, k->z0, k->z0, k->z1, error);
  if (status) return status;
  memcpy(least, u->reach, 2 * (size_t)k->n * sizeof *least);
  if (k->held) status = rattle__unit_of_g(u, k->z1, least + 2 * k->n, error);
  if (k->held && !status) status = rattle__unit_of_psi(u, k->z1, least + 2 * k->n + k->m, error);
  return status ? status : raise_velocities(k, error);
}
