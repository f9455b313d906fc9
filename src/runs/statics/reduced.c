/* The equations of rest along the directions of motion. See statics.h. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "problem/model/model.h"
#include "runs/statics/statics.h"

rattle_status rattle__statics_check(const rattle_problem *problem, rattle_error *error) {
  const char *why = NULL;
  if (problem->next)
    why = "it has controllers: let their expressions stand in force { ... }";
  else if (problem->conditions)
    why = "it has constraints that begin and end (switch): write a model without the switch";
  else if (!(problem->flags & RATTLE_HOLONOMIC) || problem->flags & RATTLE_SECOND_CLASS)
    why = "its constraints are not all on coordinates, g(q) = 0";
  return why ? rattle__fail(error, RATTLE_UNSUITABLE, NULL,
                            "equilibria of this problem are not sought: %s", why)
             : RATTLE_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

static size_t largest(size_t a, size_t b) {
  return a > b ? a : b;
}

static rattle_status lay_out(rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *H = s->problem->H, *g = s->problem->g, *A = s->problem->velocity;
  const size_t n = (size_t)s->n, rows = (size_t)s->rows, m = (size_t)s->m + rows;
  const size_t nz = 2 * n, square = n * n;
  const size_t nnz = g ? (size_t)g->jac_nnz : 0, of_A = A ? (size_t)A->jac_nnz : 0;
  const size_t widest = largest(nnz, largest(of_A, nz));
  const size_t work = largest(H->work, largest(g ? g->work : 0, A ? A->work : 0));
  const rattle__array arrays[] = {{&s->z, nz},
                                  {&s->old, n},
                                  {&s->gradient, nz},
                                  {&s->J, nnz},
                                  {&s->g, m},
                                  {&s->A, rows * n},
                                  {&s->still, 2 * nz},
                                  {&s->L, square},
                                  {&s->U, square},
                                  {&s->B, square},
                                  {&s->lambda, m > n ? m : n},
                                  {&s->gamma, n},
                                  {&s->K, square},
                                  {&s->C, square},
                                  {&s->step, m > n ? m : n},
                                  {&s->aim, n},
                                  {&s->part, n},
                                  {&s->fall, n},
                                  {&s->way, nz},
                                  {&s->of_energy, rattle__energy_room(s->problem)},
                                  {&s->value, nz},
                                  {&s->V, square},
                                  {&s->square, square},
                                  {&s->v, nz},
                                  {&s->S, H->hessian ? (size_t)H->hess_nnz : 0},
                                  {&s->D, widest},
                                  {&s->room, 2 * widest + 2 * nz},
                                  {&s->work, work},
                                  {&s->dense, nz * (nz > n + m ? nz : n + m)}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  return s->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__statics_open(rattle_equilibrium *s, rattle_error *error) {
  s->n = s->problem->n, s->m = s->problem->m;
  s->rows = s->problem->velocity && !s->positions ? s->problem->velocity->rows : 0;
  return lay_out(s, error);
}

/* --- directions of motion --------------------------------------------------------------------- */

/* The quaternions of balls, of which |Q| is no motion: pair[4] of each. */
static const int *ball(const rattle_equilibrium *s, int i) {
  const rattle_model *model = s->problem->model;
  const rattle__model_sweeps *tree = model ? model->sweeps : NULL;
  for (int k = 0; tree && k < tree->count; k++)
    if (tree->node[k].kind == RATTLE__BALL && i-- == 0) return tree->node[k].pair;
  return NULL;
}

void rattle__statics_turn_balls(const rattle_equilibrium *s, double *z) {
  const int *Q;
  for (int i = 0; (Q = ball(s, i)); i++) {
    double size = 0;
    for (int k = 0; k < 4; k++) size = hypot(size, z[Q[k]]);
    for (int k = 0; k < 4 && size > 0; k++) z[Q[k]] /= size;
  }
}

/* The columns L^T G^T, and a unit vector for each coordinate that never moves, and L^T Q of balls,
 * in s->dense; how many there are. */
static int put_normals(rattle_equilibrium *s) {
  const rattle__function *g = s->problem->g;
  const int n = s->n;
  double *A = s->dense;
  memset(A, 0, (size_t)n * (size_t)(n + s->m + s->rows) * sizeof *A);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      for (int k = 0; k <= g->jac_col[e] && g->jac_col[e] < n; k++)
        A[i * n + k] += s->J[e] * s->L[k * n + g->jac_col[e]];
  for (int i = 0; i < s->rows; i++)
    for (int k = 0; k < n; k++)
      for (int j = k; j < n; j++) A[(s->m + i) * n + k] += s->A[i * n + j] * s->L[k * n + j];
  int columns = s->m + s->rows;
  for (int k = 0; k < n; k++)
    if (s->L[k * n + k] == 0) A[columns++ * n + k] = 1;
  const int *Q;
  for (int i = 0; (Q = ball(s, i)); i++, columns++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k <= Q[j]; k++) A[columns * n + k] += s->z[Q[j]] * s->L[k * n + Q[j]];
  return columns;
}

static rattle_status find_basis(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n, columns = put_normals(s), least = n < columns ? n : columns;
  int rank = 0;
  rattle_status status = rattle__singular(n, columns, s->dense, s->value, s->U, error);
  while (!status && rank < least && s->value[rank] > 16 * n * DBL_EPSILON * s->value[0]) rank++;
  s->d = n - rank;
  if (rank > 0) memmove(s->U, s->U + rank * n, (size_t)s->d * (size_t)n * sizeof *s->U);
  memset(s->B, 0, (size_t)n * (size_t)n * sizeof *s->B);
  for (int j = 0; j < s->d && !status; j++)
    for (int k = 0; k < n; k++)
      for (int i = k; i < n; i++) s->B[j * n + i] += s->L[k * n + i] * s->U[j * n + k];
  return status;
}

/* Those of least norm that leave the least of r, measured by L^T. */
static rattle_status find_multipliers(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n, m = s->m + s->rows;
  if (!m) return RATTLE_OK;
  put_normals(s);
  for (int k = 0; k < n; k++) {
    s->lambda[k] = 0;
    for (int i = k; i < n; i++) s->lambda[k] -= s->L[k * n + i] * s->gradient[i];
  }
  return rattle__least_squares(n, m, s->dense, s->lambda, 16 * n * DBL_EPSILON, NULL, error);
}

/* gamma = B^T (r - G^T lambda): large parts of r that constraints hold do not reach it by the
 * round-off of B. */
static void put_pull(rattle_equilibrium *s) {
  const rattle__function *g = s->problem->g;
  const int n = s->n;
  memcpy(s->way, s->gradient, (size_t)n * sizeof *s->way);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (g->jac_col[e] < n) s->way[g->jac_col[e]] += s->lambda[i] * s->J[e];
  for (int i = 0; i < s->rows; i++)
    for (int k = 0; k < n; k++) s->way[k] += s->lambda[s->m + i] * s->A[i * n + k];
  for (int j = 0; j < s->d; j++) {
    s->gamma[j] = 0;
    for (int k = 0; k < n; k++) s->gamma[j] -= s->B[j * n + k] * s->way[k];
  }
}

rattle_status rattle__statics_reduce(rattle_equilibrium *s, rattle_error *error) {
  rattle_status status = rattle__statics_see(s, error);
  if (!status) status = rattle__statics_masses(s, error);
  if (!status && s->rows) status = rattle__statics_rows(s, error);
  if (!status) status = find_basis(s, error);
  if (!status) status = find_multipliers(s, error);
  if (!status) put_pull(s);
  return status;
}

/* --- stiffness and damping -------------------------------------------------------------------- */

/* s->v = (B_j, -M H_pq B_j): what rests beside z. h = H_pq B_j [n]. */
static rattle_status set_rest(rattle_equilibrium *s, int j, double *h, rattle_error *error) {
  const int n = s->n;
  memset(s->v, 0, 2 * (size_t)n * sizeof *s->v);
  memcpy(s->v, s->B + j * n, (size_t)n * sizeof *s->v);
  rattle_status status = rattle__statics_change(s, s->v, error);
  if (!status) status = rattle__statics_has_masses(s, s->D + n, error);
  if (status) return status;
  memcpy(h, s->D + n, (size_t)n * sizeof *h);
  rattle__statics_momenta(s, h, s->v + n);
  for (int k = 0; k < n; k++) s->v[n + k] = -s->v[n + k];
  return RATTLE_OK;
}

/* s->way [n]: the change of (H_q - f + lambda . g_q) along s->v. */
static rattle_status turn(rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  const rattle_status status = rattle__statics_change(s, s->v, error);
  if (status) return status;
  memcpy(s->way, s->D, (size_t)s->n * sizeof *s->way);
  if (s->rows && rattle__statics_turn_rows(s, error)) return error ? error->status : RATTLE_DOMAIN;
  if (!s->m) return RATTLE_OK;
  const int answer = rattle__function_along(g, s->z, s->v, s->D, s->work, s->room);
  if (answer) return rattle__answer(answer, "constraint", error);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      if (g->jac_col[e] < s->n) s->way[g->jac_col[e]] += s->lambda[i] * s->D[e];
  return RATTLE_OK;
}

static void take(const rattle_equilibrium *s, int j, double *into) {
  const int n = s->n, d = s->d;
  for (int i = 0; i < d; i++) {
    into[j * d + i] = 0;
    for (int k = 0; k < n; k++) into[j * d + i] += s->B[i * n + k] * s->way[k];
  }
}

/* v = (0, M B_j), M B = L^-T U */
static void set_momentum(rattle_equilibrium *s, int j) {
  const size_t bytes = (size_t)s->n * sizeof *s->v;
  memset(s->v, 0, bytes);
  memcpy(s->v + s->n, s->U + j * s->n, bytes);
  rattle__statics_solve_back(s, s->v + s->n);
}

/* A = B^T M H_pq B, from the columns of H_pq B in s->dense; the largest entry. */
static double find_turns(rattle_equilibrium *s, double *A) {
  const int n = s->n, d = s->d;
  double most = 0;
  for (int i = 0; i < d; i++) {
    set_momentum(s, i);
    for (int j = 0; j < d; j++) {
      A[j * d + i] = 0;
      for (int k = 0; k < n; k++) A[j * d + i] += s->v[n + k] * s->dense[j * n + k];
      most = fmax(most, fabs(A[j * d + i]));
    }
  }
  return most;
}

/* C = A^T - A, 0 where that is round-off of A. */
static void put_gyroscopic(rattle_equilibrium *s) {
  const int d = s->d;
  const double *A = s->square, soft = 16 * s->n * DBL_EPSILON * find_turns(s, s->square);
  s->gyroscopic = 0;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < i; j++) {
      const double turn = A[i * d + j] - A[j * d + i];
      if (!(fabs(turn) > soft)) continue;
      s->C[j * d + i] = turn, s->C[i * d + j] = -turn;
      s->gyroscopic = 1;
    }
}

/* C = B^T (H_qp - f_p) M B - A */
static rattle_status put_damping(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n, d = s->d;
  rattle_status status = RATTLE_OK;
  for (int j = 0; j < d && !status; j++) {
    set_momentum(s, j);
    status = rattle__statics_change(s, s->v, error);
    memcpy(s->way, s->D, (size_t)n * sizeof *s->way);
    take(s, j, s->C);
  }
  find_turns(s, s->square);
  for (int i = 0; i < d * d; i++) s->C[i] -= s->square[i];
  return status;
}

rattle_status rattle__statics_stiffness(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n, d = s->d;
  rattle_status status = RATTLE_OK;
  memset(s->C, 0, (size_t)n * (size_t)n * sizeof *s->C);
  for (int j = 0; j < d && !status; j++) {
    status = set_rest(s, j, s->dense + j * n, error);
    if (!status) status = turn(s, error);
    take(s, j, s->K);
  }
  if (status) return status;
  s->follows = s->rows && rattle__statics_follows(s);
  if (s->problem->force) return put_damping(s, error);
  put_gyroscopic(s);
  for (int i = 0; i < d && !s->follows; i++)
    for (int j = 0; j < i; j++)
      s->K[i * d + j] = s->K[j * d + i] = 0.5 * (s->K[i * d + j] + s->K[j * d + i]);
  return RATTLE_OK;
}
