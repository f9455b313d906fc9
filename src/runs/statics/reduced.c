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
  if (problem->velocity)
    why = "it has constraints on velocities, under which it rests in a whole family of places";
  else if (problem->next)
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

static rattle_status lay_out(rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *H = s->problem->H, *g = s->problem->g;
  const size_t n = (size_t)s->n, m = (size_t)s->m, nz = 2 * n, square = n * n;
  const size_t nnz = g ? (size_t)g->jac_nnz : 0, of_g = g ? g->work : 0;
  const size_t widest = nnz > nz ? nnz : nz;
  const rattle__array arrays[] = {{&s->z, nz},
                                  {&s->old, n},
                                  {&s->gradient, nz},
                                  {&s->J, nnz},
                                  {&s->g, m},
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
                                  {&s->work, H->work > of_g ? H->work : of_g},
                                  {&s->dense, nz * (nz > n + m ? nz : n + m)}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  return s->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

static rattle_status not_finite(rattle_equilibrium *s, rattle_error *error) {
  const rattle_status status = rattle__domain_error(s->problem, s->z, error);
  return status ? status
                : rattle__fail(error, RATTLE_DOMAIN, NULL,
                               "H or g is not finite where an equilibrium is sought");
}

/* s->D: the derivative of H' along v */
static rattle_status along(rattle_equilibrium *s, const double *v, rattle_error *error) {
  const rattle__function *H = s->problem->H;
  if (!H->hessian) {
    const int answer = rattle__function_along(H, s->z, v, s->D, s->work, s->room);
    return answer ? rattle__answer(answer, "Hamiltonian", error) : RATTLE_OK;
  }
  memset(s->D, 0, 2 * (size_t)s->n * sizeof *s->D);
  for (int r = 0; r < H->vars; r++)
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      s->D[r] += s->S[e] * v[H->hess_col[e]];
  return RATTLE_OK;
}

/* --- masses ----------------------------------------------------------------------------------- */

/* W = L L^T in place; 0 in rows of coordinates that never move. */
static rattle_status factor(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n;
  double *L = s->L;
  for (int j = 0; j < n; j++) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(L[j * n + i]));
    double pivot = L[j * n + j];
    for (int k = 0; k < j; k++) pivot -= L[k * n + j] * L[k * n + j];
    if (most > 0 && !(pivot > n * DBL_EPSILON * L[j * n + j]))
      return rattle__fail(error, RATTLE_UNSUITABLE, rattle__problem_coordinate_name(s->problem, j),
                          "equilibria of this problem are not sought: H_pp is not positive "
                          "definite at '%s'",
                          rattle__problem_coordinate_name(s->problem, j));
    const double root = most > 0 ? sqrt(pivot) : 0;
    for (int i = 0; i < j; i++) L[j * n + i] = 0;
    for (int i = j + 1; i < n; i++) {
      double sum = L[j * n + i];
      for (int k = 0; k < j; k++) sum -= L[k * n + i] * L[k * n + j];
      L[j * n + i] = root > 0 ? sum / root : 0;
    }
    L[j * n + j] = root;
  }
  return RATTLE_OK;
}

/* H_pp, which is of q where H is not natural. */
static rattle_status find_masses(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n;
  rattle_status status = RATTLE_OK;
  memset(s->v, 0, 2 * (size_t)n * sizeof *s->v);
  for (int k = 0; k < n && !status; k++) {
    s->v[n + k] = 1;
    status = along(s, s->v, error);
    s->v[n + k] = 0;
    memcpy(s->L + (size_t)k * (size_t)n, s->D + n, (size_t)n * sizeof *s->L);
  }
  return status ? status : factor(s, error);
}

rattle_status rattle__statics_open(rattle_equilibrium *s, rattle_error *error) {
  s->n = s->problem->n, s->m = s->problem->m;
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
  memset(A, 0, (size_t)n * (size_t)(n + s->m) * sizeof *A);
  for (int i = 0; i < s->m; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      for (int k = 0; k <= g->jac_col[e] && g->jac_col[e] < n; k++)
        A[i * n + k] += s->J[e] * s->L[k * n + g->jac_col[e]];
  int columns = s->m;
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
  const int n = s->n;
  if (!s->m) return RATTLE_OK;
  put_normals(s);
  for (int k = 0; k < n; k++) {
    s->lambda[k] = 0;
    for (int i = k; i < n; i++) s->lambda[k] -= s->L[k * n + i] * s->gradient[i];
  }
  return rattle__least_squares(n, s->m, s->dense, s->lambda, 16 * n * DBL_EPSILON, NULL, error);
}

rattle_status rattle__statics_see(rattle_equilibrium *s, rattle_error *error) {
  const rattle_problem *problem = s->problem;
  const rattle__function *H = problem->H, *energy = problem->energy ? problem->energy : H;
  int answer = energy->value(energy, s->z, &s->energy, s->work);
  if (!answer) answer = H->jacobian(H, s->z, NULL, s->gradient, s->work);
  if (!answer && H->hessian) answer = H->hessian(H, s->z, NULL, s->S, s->work);
  if (!answer && s->m) answer = problem->g->jacobian(problem->g, s->z, s->g, s->J, s->work);
  if (answer) return rattle__answer(answer, "problem", error);
  double sum = 0 * s->energy;
  for (int k = 0; k < 2 * s->n; k++) sum += 0 * s->gradient[k];
  return sum == 0 ? RATTLE_OK : not_finite(s, error);
}

rattle_status rattle__statics_reduce(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n;
  rattle_status status = rattle__statics_see(s, error);
  if (!status) status = find_masses(s, error);
  if (!status) status = find_basis(s, error);
  if (!status) status = find_multipliers(s, error);
  for (int j = 0; j < s->d && !status; j++) {
    s->gamma[j] = 0;
    for (int k = 0; k < n; k++) s->gamma[j] -= s->B[j * n + k] * s->gradient[k];
  }
  return status;
}

/* --- stiffness and damping -------------------------------------------------------------------- */

/* Fails if H_pq is not 0 at p = 0 along s->v: what rests at z moves beside it, and by K and C alone
 * its modes would be wrong. s->D: H'' v. */
static rattle_status check_beside(const rattle_equilibrium *s, rattle_error *error) {
  for (int k = 0; k < s->n; k++)
    if (s->D[s->n + k] != 0 && k != s->problem->clock - 1)
      return rattle__fail(error, RATTLE_UNSUITABLE, rattle__problem_coordinate_name(s->problem, k),
                          "equilibria of this problem are not sought: '%s' moves where all momenta "
                          "are 0, beside this point, as in a magnetic field or a rotating frame; "
                          "write what turns the motion as force { ... }",
                          rattle__problem_coordinate_name(s->problem, k));
  return RATTLE_OK;
}

/* s->way [n]: the change of (H_q - f + lambda . g_q) along the motion s->v = (B_j, 0). */
static rattle_status turn(rattle_equilibrium *s, rattle_error *error) {
  const rattle__function *g = s->problem->g;
  rattle_status status = along(s, s->v, error);
  if (!status) status = check_beside(s, error);
  if (status) return status;
  memcpy(s->way, s->D, (size_t)s->n * sizeof *s->way);
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

/* p <- L^-T p; 0 in rows of coordinates that never move. */
static void solve_back(const rattle_equilibrium *s, double *p) {
  const int n = s->n;
  for (int k = n; k-- > 0;) {
    for (int i = k + 1; i < n; i++) p[k] -= s->L[k * n + i] * p[i];
    p[k] = s->L[k * n + k] > 0 ? p[k] / s->L[k * n + k] : 0;
  }
}

void rattle__statics_momenta(const rattle_equilibrium *s, const double *dq, double *p) {
  const int n = s->n;
  for (int k = 0; k < n; k++) {
    p[k] = dq[k];
    for (int i = 0; i < k; i++) p[k] -= s->L[i * n + k] * p[i];
    p[k] = s->L[k * n + k] > 0 ? p[k] / s->L[k * n + k] : 0;
  }
  solve_back(s, p);
}

/* v = (0, M B_j), M B = L^-T U */
static void set_momentum(rattle_equilibrium *s, int j) {
  const size_t bytes = (size_t)s->n * sizeof *s->v;
  memset(s->v, 0, bytes);
  memcpy(s->v + s->n, s->U + j * s->n, bytes);
  solve_back(s, s->v + s->n);
}

rattle_status rattle__statics_stiffness(rattle_equilibrium *s, rattle_error *error) {
  const int n = s->n, d = s->d;
  rattle_status status = RATTLE_OK;
  memset(s->C, 0, (size_t)n * (size_t)n * sizeof *s->C);
  for (int j = 0; j < d && !status; j++) {
    memset(s->v, 0, 2 * (size_t)n * sizeof *s->v);
    memcpy(s->v, s->B + j * n, (size_t)n * sizeof *s->v);
    status = turn(s, error);
    take(s, j, s->K);
    if (status || !s->problem->force) continue;
    set_momentum(s, j);
    status = along(s, s->v, error);
    memcpy(s->way, s->D, (size_t)n * sizeof *s->way);
    take(s, j, s->C);
  }
  for (int i = 0; i < d && !s->problem->force; i++)
    for (int j = 0; j < i; j++)
      s->K[i * d + j] = s->K[j * d + i] = 0.5 * (s->K[i * d + j] + s->K[j * d + i]);
  return status;
}
