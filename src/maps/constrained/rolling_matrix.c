/* Newton's matrix of discrete_gradient under constraints on velocities, dense: F' at x but for
 * third derivatives, which only the small multipliers of psi have, unless a step is followed. See
 * rolling_gradient.h. */
#include "maps/constrained/rolling_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double *row_of(rattle__rolling_gradient *k, int row) {
  return k->matrix->value + (size_t)row * (size_t)k->size;
}

/* The row of the motion in which F_c stands, and h J there. */
static double *row_of_slope(rattle__rolling_gradient *k, int c, double *by) {
  *by = k->h * rattle__conjugate_sign(k->n, c);
  return row_of(k, rattle__conjugate(k->n, c));
}

/* half of h J S, S second derivatives of f in its pattern */
static void add_second(rattle__rolling_gradient *k, const rattle__function *f, const double *S) {
  for (int r = 0; r < f->vars; r++) {
    double by, *row = row_of_slope(k, r, &by);
    for (int e = f->hess_ptr[r]; e < f->hess_ptr[r + 1]; e++)
      row[f->hess_col[e]] += 0.5 * by * S[e];
  }
}

/* The rows of C^T mu move with the middle: K [n][n] = (mu.C)_q there. */
static rattle_status find_bend(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle__function *g = k->map.context->problem->g;
  const double *nu = k->x + 2 * k->n + k->m;
  memset(k->K, 0, (size_t)k->n * (size_t)k->n * sizeof *k->K);
  if (!g) return RATTLE_OK;
  const int answer = g->hessian(g, k->chord.z, nu, k->S_mu, k->work);
  for (int c = 0; c < k->n; c++)
    for (int e = g->hess_ptr[c]; e < g->hess_ptr[c + 1]; e++)
      k->K[c * k->n + g->hess_col[e]] = k->h * k->S_mu[e];
  return rattle__answer(answer, "constraint", error);
}

/* The forces A(z)^T lambda move with the middle: component c by lambda.(A e_c)_q, which needs no
 * second derivatives. The same with mu goes to K. */
static rattle_status add_reaction(rattle__rolling_gradient *k, rattle_error *error) {
  const int n = k->n, rows = k->m - k->held;
  const double *lambda = k->x + 2 * n + k->held, *nu = lambda + k->m;
  double *e = k->at_node; /* scratch */
  memset(e, 0, (size_t)n * sizeof *e);
  for (int c = 0; c < n; c++) {
    if (!k->pulls[c]) continue;
    e[c] = 1;
    const rattle_status status =
        rattle__velocity_at(k->middle, k->chord.z, e, NULL, k->by_q, NULL, error);
    if (status) return status;
    e[c] = 0;
    double by, *row = row_of_slope(k, c, &by), *bend = k->K + c * n;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < n; j++) {
        row[j] += 0.5 * by * lambda[i] * k->by_q[i * n + j];
        bend[j] += k->h * nu[i] * k->by_q[i * n + j];
      }
  }
  return RATTLE_OK;
}

/* (mu.psi)'' of r and c: F_r moves with the middle, and the rest of mu.psi with d. */
static void bend_hidden(rattle__rolling_gradient *k, int r, int c, double bend) {
  double by, *row = row_of_slope(k, r, &by);
  row[c] += 0.5 * by * bend;
  k->tilt[r] -= 0.5 * bend * k->chord.d[c];
}

/* mu.psi = mu.C H_p bends by H_pp K between momenta and coordinates; what it does between
 * coordinates is left out. */
static void add_hidden_bend(rattle__rolling_gradient *k) {
  const rattle__function *H = k->map.context->problem->H;
  const int n = k->n;
  for (int c = 0; c < n; c++)
    for (int e = H->hess_ptr[n + c]; e < H->hess_ptr[n + c + 1]; e++)
      for (int j = 0; j < n && H->hess_col[e] >= n; j++) {
        const double bend = k->S[e] * k->K[(H->hess_col[e] - n) * n + j];
        bend_hidden(k, n + c, j, bend);
        bend_hidden(k, j, n + c, bend);
      }
}

/* psi' at the middle z moved to `z`, in psi_end. */
static rattle_status hidden_at(rattle__rolling_gradient *k, const double *z, rattle_error *error) {
  const rattle__function *H = k->map.context->problem->H;
  int answer = H->jacobian(H, z, NULL, k->at_node, k->work);
  if (!answer) answer = H->hessian(H, z, NULL, k->S_end, k->work);
  k->map.context->counts.hessian++;
  rattle_status status = rattle__answer(answer, "Hessian", error);
  if (!status) status = rattle__reaction_rows(k->moved, z, error);
  return status ? status
                : rattle__rolling_gradient_hidden(k, k->moved, z, k->at_node, k->S_end, k->psi_end,
                                                  error);
}

/* All of mu.psi'', by differences of psi' along each coordinate, where a step is followed: what is
 * missing would keep the first correction from coming near. */
static rattle_status add_all_bend(rattle__rolling_gradient *k, rattle_error *error) {
  const int nz = 2 * k->n, m = k->m;
  const double *nu = k->x + nz + m;
  double *z = k->chord.node;
  memcpy(z, k->chord.z, (size_t)nz * sizeof *z);
  for (int c = 0; c < nz; c++) {
    z[c] = k->chord.z[c] + rattle__chord_shift(&k->chord, k->map.context->problem, c);
    const double by = z[c] - k->chord.z[c];
    if (by == 0) continue;
    const rattle_status status = hidden_at(k, z, error);
    if (status) return status;
    z[c] = k->chord.z[c];
    for (int r = 0; r < nz; r++) {
      double bend = 0;
      for (int i = 0; i < m; i++)
        bend += k->h * nu[i] * (k->psi_end[i * nz + r] - k->psi_middle[i * nz + r]) / by;
      if (isfinite(bend)) bend_hidden(k, r, c, bend); /* not next to the border of a domain */
    }
  }
  return RATTLE_OK;
}

static void add_motion(rattle__rolling_gradient *k) {
  const int n = k->n, m = k->m, nz = 2 * n;
  for (int c = 0; c < nz; c++) {
    row_of(k, c)[c] += 1;
    double by, *row = row_of_slope(k, c, &by);
    if (c != k->chord.supplied) row[c] += by * k->chord.along * k->chord.weight[c];
    for (int i = 0; i < m; i++) {
      if (c < n) row[nz + i] += by * k->middle->C[i * n + c];
      row[nz + m + i] += by * k->h * k->psi_middle[i * nz + c];
    }
  }
  add_second(k, k->map.context->problem->H, k->S);
  if (k->held) add_second(k, k->map.context->problem->g, k->S_g);
}

static void add_constraints(rattle__rolling_gradient *k) {
  const int n = k->n, m = k->m, nz = 2 * n;
  for (int i = 0; i < m; i++) {
    double *row = row_of(k, nz + i);
    for (int c = 0; c < n; c++)
      row[c] = i < k->held ? k->end->C[i * n + c]
                           : k->middle->C[i * n + c] + 0.5 * k->way_by_q[(i - k->held) * n + c];
    memcpy(row_of(k, nz + m + i), k->psi_end + i * nz, (size_t)nz * sizeof *row);
  }
}

/* The discrete gradients move with x also by along = sum w R/e.d: column tilt^T, to which second
 * derivatives of mu.psi have been added. */
static void add_tilt(rattle__rolling_gradient *k) {
  const int n = k->n, m = k->m, nz = 2 * n;
  const double *lambda = k->x + nz, *nu = lambda + m,
               inverse = k->chord.d2 > 0 ? 1 / k->chord.d2 : 0;
  double *slope = k->tilt, *size = k->at_node; /* scratch */
  for (int c = 0; c < nz; c++) {
    slope[c] += k->at_end[c] - k->at_middle[c] - 2 * k->chord.along * k->chord.e[c];
    size[c] = fabs(k->at_end[c]) + fabs(k->at_middle[c]);
  }
  for (int i = 0; i < m; i++)
    for (int c = 0; c < nz; c++) {
      const double there = k->psi_end[i * nz + c], here = k->psi_middle[i * nz + c];
      slope[c] += k->h * nu[i] * (there - here);
      size[c] += fabs(k->h * nu[i]) * (fabs(there) + fabs(here));
    }
  for (int i = 0; i < k->held; i++)
    for (int c = 0; c < n; c++) {
      const double there = k->end->C[i * n + c], here = k->middle->C[i * n + c];
      slope[c] += lambda[i] * (there - here);
      size[c] += fabs(lambda[i]) * (fabs(there) + fabs(here));
    }
  rattle__chord_take_bend(&k->chord, k->map.context->problem->H, k->S, slope, size);
  if (k->held) rattle__chord_take_bend(&k->chord, k->map.context->problem->g, k->S_g, slope, size);
  for (int c = 0; c < nz; c++)
    slope[c] = fabs(slope[c]) > 64 * DBL_EPSILON * size[c] ? inverse * slope[c] : 0;
  for (int i = 0; i < m; i++) {
    slope[nz + i] = i < k->held ? inverse * k->rest[i] : 0;
    slope[nz + m + i] = inverse * k->h * k->psi_rest[i];
  }
  for (int c = 0; c < nz; c++) {
    double by, *row = row_of_slope(k, c, &by);
    by *= k->chord.e[c];
    for (int i = 0; i < k->size && by != 0; i++) row[i] += by * slope[i];
  }
}

/* Second derivatives at x. */
static rattle_status look_closer(rattle__rolling_gradient *k, rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const rattle__function *H = problem->H, *g = problem->g;
  int answer = H->hessian(H, k->z1, NULL, k->S_end, k->work);
  k->map.context->counts.hessian++;
  if (answer) return rattle__answer(answer, "Hessian", error);
  if (g) answer = g->hessian(g, k->chord.z, k->x + 2 * k->n, k->S_g, k->work);
  return answer ? rattle__callback_error(answer, "constraint", error)
                : rattle__rolling_gradient_hidden(k, k->end, k->z1, k->at_end, k->S_end, k->psi_end,
                                                  error);
}

rattle_status rattle__rolling_gradient_factor(rattle__rolling_gradient *k, rattle_error *error) {
  memset(k->matrix->value, 0, (size_t)k->matrix->nnz * sizeof(double));
  memset(k->tilt, 0, (size_t)k->size * sizeof *k->tilt);
  rattle_status status = k->careful ? add_all_bend(k, error) : RATTLE_OK;
  if (!status) status = look_closer(k, error);
  if (status) return status;
  add_motion(k);
  status = find_bend(k, error);
  if (!status) status = add_reaction(k, error);
  if (status) return status;
  if (!k->careful) add_hidden_bend(k);
  add_tilt(k);
  add_constraints(k);
  k->map.context->counts.factorisation++;
  status = k->matrix->factor(k->matrix);
  const int blame = k->matrix->blame < 2 * k->n ? -1 : (k->matrix->blame - 2 * k->n) % k->m;
  return status ? rattle__not_factored(status, k->map.context->problem, "the equations of the step",
                                       blame, error)
                : RATTLE_OK;
}
