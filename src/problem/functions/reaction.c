/* C = [G; A], N and the multipliers at a point (velocity.h). */
#include "problem/functions/velocity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/linear/dot.h"
#include "ground/support/error.h"

enum { MOST = 2000 };

static size_t greater(size_t a, const rattle__function *f) {
  return f && f->work > a ? f->work : a;
}

static rattle_status make_matrix(rattle__reaction *s, rattle__arena *arena, rattle_error *error) {
  const int m = s->m;
  int *ptr = rattle__arena_take(arena, ((size_t)m * (size_t)m + (size_t)m + 1) * sizeof *ptr);
  if (!ptr) return rattle__no_memory(error);
  for (int i = 0; i <= m; i++) ptr[i] = i * m;
  for (int i = 0; i < m * m; i++) ptr[m + 1 + i] = i % m;
  return rattle__linear_create(&s->N, m, ptr, ptr + m + 1, 1, RATTLE__LINEAR_DENSE, error);
}

rattle_status rattle__reaction_create(rattle__reaction **reaction, const rattle_problem *problem,
                                      rattle__arena *arena, rattle_error *error) {
  const rattle__function *g = problem->g, *e = problem->velocity, *H = problem->H;
  rattle__reaction *s = *reaction = rattle__arena_take(arena, sizeof *s);
  if (!s) return rattle__no_memory(error);
  *s = (rattle__reaction){
      .problem = problem, .n = problem->n, .m = rattle_problem_m(problem), .holonomic = problem->m};
  if (s->m > MOST)
    return rattle__fail(error, RATTLE_UNSUITABLE,
                        rattle_problem_constraint_name(problem, problem->m),
                        "constraints on velocities use dense equations, for at most %d "
                        "constraints, and the problem has %d",
                        MOST, s->m);
  const size_t n = (size_t)s->n, m = (size_t)s->m, nnz = g ? (size_t)g->jac_nnz : 0;
  const rattle__array array[] = {
      {&s->C, m * n},
      {&s->Q, m * n},
      {&s->pushed, m * n},
      {&s->root, n},
      {&s->largest, m},
      {&s->T, m * m},
      {&s->length, m},
      {&s->g, m},
      {&s->psi, m},
      {&s->size, m},
      {&s->slope, 2 * n},
      {&s->S, H->hessian && !rattle__inertia(problem) ? (size_t)H->hess_nnz : 0},
      {&s->lambda, m},
      {&s->J, nnz},
      {&s->D, nnz},
      {&s->B, e ? (size_t)e->jac_nnz : 0},
      {&s->X, 2 * n},
      {&s->row, 2 * n},
      {&s->zv, 2 * n},
      {&s->work, greater(greater(greater(0, H), g), e)},
      {&s->room, 2 * nnz + 4 * n}};
  RATTLE__LAY_OUT(arena, array);
  if (arena->failed) return rattle__no_memory(error);
  if (rattle__inertia(problem)) rattle__reaction_roots(s);
  return make_matrix(s, arena, error);
}

void rattle__reaction_destroy(rattle__reaction **reaction) {
  if (*reaction) rattle__linear_destroy(&(*reaction)->N);
  *reaction = NULL;
}

/* ---- rows ---- */

rattle_status rattle__velocity_at(rattle__reaction *s, const double *q, const double *v,
                                  double *value, double *by_q, double *by_v, rattle_error *error) {
  const rattle__function *e = s->problem->velocity;
  if (!e) return RATTLE_OK;
  const int own = e->vars / 2; /* an account of forces has a pair that these do not know */
  memcpy(s->zv, q, (size_t)own * sizeof *q);
  if (v) memcpy(s->zv + own, v, (size_t)own * sizeof *v);
  const int answer = e->jacobian(e, s->zv, value, s->B, s->work);
  for (int i = 0; i < e->rows; i++)
    for (int k = e->jac_ptr[i]; k < e->jac_ptr[i + 1]; k++) {
      const int column = e->jac_col[k];
      if (column < own && by_q) by_q[(size_t)i * (size_t)s->n + (size_t)column] = s->B[k];
      if (column >= own && by_v) by_v[(size_t)i * (size_t)s->n + (size_t)(column - own)] = s->B[k];
    }
  return rattle__answer(answer, "velocity constraint", error);
}

rattle_status rattle__velocity_round_off(rattle__reaction *s, const double *reach, double *bound,
                                         void *room, rattle_error *error) {
  const rattle__function *e = s->problem->velocity;
  const size_t own = (size_t)e->vars / 2;
  memcpy(s->row, reach, own * sizeof *reach);
  memcpy(s->row + own, reach + s->n, own * sizeof *reach);
  return rattle__answer(rattle__round_off(e, s->zv, s->row, bound, NULL, room),
                        "velocity constraint", error);
}

rattle_status rattle__reaction_rows(rattle__reaction *s, const double *q, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const size_t n = (size_t)s->n, held = (size_t)s->holonomic;
  const int answer = g ? g->jacobian(g, q, s->g, s->J, s->work) : 0;
  for (int i = 0; i < s->holonomic; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      s->C[(size_t)i * n + (size_t)g->jac_col[k]] = s->J[k];
  if (answer) return rattle__callback_error(answer, "constraint", error);
  return rattle__velocity_at(s, q, NULL, NULL, NULL, s->C + held * n, error);
}

static rattle_status slope(rattle__reaction *s, const double *z, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  return rattle__answer(H->jacobian(H, z, NULL, s->slope, s->work), "Hamiltonian", error);
}

rattle_status rattle__reaction_psi(rattle__reaction *s, const double *z, rattle_error *error) {
  const rattle__mass *W = rattle__inertia(s->problem);
  const int n = s->n;
  const rattle_status status = W ? RATTLE_OK : slope(s, z, error);
  if (status) return status;
  for (int k = 0; k < n && W; k++)
    s->slope[n + k] = k == W->clock - 1 ? 1 : rattle__mass_times(W, 1, k, z + n);
  for (int i = 0; i < s->m; i++) {
    const double *row = s->C + (size_t)i * (size_t)n;
    double size[2] = {0, 0};
    for (int k = 0; k < n; k++) size[k % 2] += fabs(row[k] * s->slope[n + k]);
    s->psi[i] = rattle__dot(n, row, s->slope + n);
    s->size[i] = size[0] + size[1];
  }
  return RATTLE_OK;
}

rattle_status rattle__reaction_look(rattle__reaction *s, const double *z, rattle_error *error) {
  const rattle_status status = rattle__reaction_rows(s, z, error);
  return status ? status : rattle__reaction_psi(s, z, error);
}

void rattle__reaction_push(const rattle__reaction *s, const double *x, double *restrict p) {
  for (int i = 0; i < s->m; i++) {
    const double *restrict row = s->Q + (size_t)i * (size_t)s->n, by = x[i];
    for (int k = 0; k < s->n; k++) p[k] -= row[k] * by;
  }
}

/* ---- N and the multipliers ---- */

/* y [n] = (H_pq x + H_pp x_p) of x [2n] = (x, x_p) */
static void rate(const rattle__reaction *s, const double *x, double *y) {
  const rattle__mass *W = rattle__inertia(s->problem);
  const rattle__function *H = s->problem->H;
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    if (W) {
      y[k] = rattle__mass_times(W, 1, k, x + n);
      continue;
    }
    y[k] = 0;
    for (int e = H->hess_ptr[n + k]; e < H->hess_ptr[n + k + 1]; e++)
      y[k] += s->S[e] * x[H->hess_col[e]];
  }
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

rattle_status rattle__reaction_matrix(rattle__reaction *s, const double *z, rattle_error *error) {
  const int n = s->n, m = s->m;
  const rattle_status status = rattle__reaction_metric(s, z, error);
  for (int j = 0; j < m && !status; j++) {
    rattle__reaction_image(s, s->C + (size_t)j * (size_t)n, s->room);
    for (int i = 0; i <= j; i++)
      s->N->value[i * m + j] = s->N->value[j * m + i] =
          dot(n, s->C + (size_t)i * (size_t)n, s->room);
  }
  return status;
}

rattle_status rattle__reaction_factor(rattle__reaction *s, const double *z, const char *what,
                                      rattle_error *error) {
  const rattle_status status = rattle__reaction_metric(s, z, error);
  if (status || !rattle__reaction_orthogonal(s, NULL, NULL)) return status;
  const char *name = rattle_problem_constraint_name(s->problem, s->blame);
  rattle__fail(error, RATTLE_SINGULAR, name,
               "%s are singular at constraint '%s': the motion reached a degenerate point, or "
               "constraints are dependent there",
               what, name);
  if (error) error->constraint = s->blame;
  return RATTLE_SINGULAR;
}

/* s->lambda = psi' X: rows of g, and of velocities */
static rattle_status forces(rattle__reaction *s, const double *z, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const int n = s->n, held = s->holonomic;
  double *change = s->row; /* of H_p along X */
  memcpy(s->X, s->slope + n, (size_t)n * sizeof *s->X);
  for (int k = 0; k < n; k++) s->X[n + k] = -s->slope[k];
  rate(s, s->X, change);
  const int answer = g ? rattle__function_along(g, z, s->X, s->D, s->work, s->room) : 0;
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int i = 0; i < s->m; i++) s->lambda[i] = dot(n, s->C + (size_t)i * (size_t)n, change);
  for (int i = 0; i < held; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      s->lambda[i] += s->D[k] * s->X[g->jac_col[k]];
  const rattle__function *e = s->problem->velocity;
  const int own = e->vars / 2;
  const rattle_status status = rattle__velocity_at(s, z, s->slope + n, NULL, NULL, NULL, error);
  for (int i = 0; i < e->rows && !status; i++)
    for (int k = e->jac_ptr[i]; k < e->jac_ptr[i + 1]; k++)
      if (e->jac_col[k] < own) s->lambda[held + i] += s->B[k] * s->X[e->jac_col[k]];
  return status;
}

rattle_status rattle__reaction_multipliers(rattle__reaction *s, const double *z,
                                           rattle_error *error) {
  rattle_status status = rattle__reaction_look(s, z, error);
  if (!status) status = rattle__reaction_factor(s, z, "the equations for the multipliers", error);
  if (!status && rattle__inertia(s->problem)) status = slope(s, z, error);
  if (!status) status = forces(s, z, error);
  if (status) return status;
  rattle__reaction_solve(s, s->lambda);
  rattle__reaction_multiply(s, s->lambda);
  return RATTLE_OK;
}
