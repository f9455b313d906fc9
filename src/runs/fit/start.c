/* Starts on the constraints. Places that are free change so that g = 0 and psi = 0 hold, the others
 * have the values of the model.
 *
 * K          the rows g' and psi', each of length 1; K_f their columns that are free
 * Retraction z_f <- z_f - K_f^+ (g, psi), Newton's method of least change
 * Directions B: the null space of K_f; those of parameters have K_f w_f = -K w for the rest w */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "problem/functions/problem.h"
#include "runs/fit/fitting.h"

static const double root = 0x1p-26, cube_root = 0x1p-17; /* of round-off */

/* The start z of the model read as numbers. */
static rattle_status take_start(const rattle__fit_system *s, const rattle_model *model,
                                const double *theta, int project, double *z, rattle_error *error) {
  const rattle_problem_options evaluated = {.struct_size = sizeof evaluated,
                                            .evaluator = RATTLE_EVALUATOR_BLOCK};
  rattle_problem *problem = NULL;
  rattle_status status = rattle_problem_create(&problem, (rattle_model *)model, &evaluated, error);
  memset(z, 0, (size_t)s->nz * sizeof *z);
  if (!status) status = rattle_problem_start(problem, project, z, z + s->nz / 2, NULL, error);
  if (s->k) memcpy(z + s->n, theta, (size_t)s->k * sizeof *z);
  rattle_problem_destroy(&problem);
  return status;
}

rattle_status rattle__fit_system_start(rattle__fit_system *s, const double *theta, int project,
                                       double *z, rattle_error *error) {
  rattle_model *model = NULL;
  rattle_status status = rattle__fit_read(s, theta, 0, &model, error);
  if (!status && s->k) status = rattle__fit_system_follow(s, model, theta, error);
  if (!status && z) status = take_start(s, model, theta, project, z, error);
  rattle_model_destroy(&model);
  return status;
}

/* W [k*nz] of starts that the model projects: central differences of these, not of runs. */
static rattle_status difference_starts(const rattle__fit_system *s, const double *z, double *W,
                                       rattle_error *error) {
  const size_t nz = (size_t)s->nz, k = (size_t)s->k;
  double *side[2] = {calloc(2 * nz + k + 1, sizeof *side[0])}, *theta = side[0] + 2 * nz;
  rattle_status status = side[0] ? RATTLE_OK : rattle__no_memory(error);
  side[1] = side[0] + nz;
  for (size_t j = 0; j < k && !status; j++) {
    const double way = cube_root * (z[(size_t)s->n + j] != 0 ? fabs(z[(size_t)s->n + j]) : 1);
    for (int i = 0; i < 2 && !status; i++) {
      rattle_model *model = NULL;
      memcpy(theta, z + s->n, k * sizeof *theta);
      theta[j] += i ? way : -way;
      status = rattle__fit_read(s, theta, 0, &model, error);
      if (!status) status = take_start(s, model, theta, 0, side[i], error);
      rattle_model_destroy(&model);
    }
    for (size_t c = 0; c < nz && !status; c++)
      W[j * nz + c] = (side[1][c] - side[0][c]) / (2 * way);
    W[j * nz + (size_t)s->n + j] = 1;
  }
  free(side[0]);
  return status;
}

/* K [2m*nz] by rows and the residuals r [2m], in the same units. */
static rattle_status find_rows(rattle_fit *fit, const double *z, double *K, double *r,
                               rattle_error *error) {
  rattle_tangent *t = fit->system.tangent;
  rattle__normals *at = &t->normals;
  const rattle__function *g = t->problem->g;
  const int m = t->m, nz = t->nz;
  rattle_status status = rattle__normals_at(at, z, error);
  if (!status) status = rattle_problem_residuals(t->problem, z, z + nz / 2, r, r + m, error);
  memset(K, 0, (size_t)(2 * m * nz) * sizeof *K);
  for (int i = 0; i < m && !status; i++) {
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) K[i * nz + g->jac_col[e]] = at->J[e];
    for (int e = at->psi->ptr[i]; e < at->psi->ptr[i + 1]; e++)
      K[(m + i) * nz + at->psi->col[e]] = at->D[e];
  }
  for (int i = 0; i < 2 * m && !status; i++) {
    double length = 0;
    for (int c = 0; c < nz; c++) length = hypot(length, K[i * nz + c]);
    for (int c = 0; c < nz && length > 0; c++) K[i * nz + c] /= length;
    if (length > 0) r[i] /= length;
  }
  return status;
}

/* x [nz] on the places that are free: the shortest with K_f x = b, as far as there is one. */
static rattle_status solve_free(const rattle_fit *fit, int rows, const double *K, const double *b,
                                double *x, rattle_error *error) {
  const int nz = fit->system.nz, f = fit->named, most = rows > f ? rows : f;
  double *A = calloc((size_t)(rows * f + most) + 1, sizeof *A), *y = A + rows * f;
  if (!A) return rattle__no_memory(error);
  for (int c = 0, j = 0; c < nz; c++) {
    x[c] = 0;
    if (!fit->free[c]) continue;
    for (int i = 0; i < rows; i++) A[i + j * rows] = K[i * nz + c];
    j++;
  }
  for (int i = 0; i < rows; i++) y[i] = b[i];
  const rattle_status status =
      rattle__least_squares(rows, f, A, y, most * DBL_EPSILON, NULL, error);
  for (int c = 0, j = 0; c < nz && !status; c++)
    if (fit->free[c]) x[c] = y[j++];
  free(A);
  return status;
}

static double length(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum = hypot(sum, x[i]);
  return sum;
}

rattle_status rattle__fit_start_retract(rattle_fit *fit, double *z, rattle_error *error) {
  enum { ROUNDS = 60 };
  const int m = fit->system.tangent->m, nz = fit->system.nz;
  double *K = calloc((size_t)(2 * m * nz + 2 * m + nz) + 1, sizeof *K), *r = K + 2 * m * nz,
         *x = r + 2 * m, before = INFINITY;
  rattle_status status = K ? RATTLE_OK : rattle__no_memory(error);
  for (int round = 0; m && fit->named && !status; round++) {
    status = find_rows(fit, z, K, r, error);
    if (!status) status = solve_free(fit, 2 * m, K, r, x, error);
    if (status) break;
    const double way = length(x, nz), left = length(r, 2 * m), size = length(z, nz);
    /* quadratic: shorter than the root of round-off is the last way but one */
    if (way <= root * size && left <= root * size && way >= 0.5 * before) break;
    if (!isfinite(way) || round == ROUNDS) {
      status = rattle__fail(error, RATTLE_OFF_CONSTRAINTS, NULL,
                            "the start that is to be found cannot be moved onto the constraints by "
                            "what varies: let more of its coordinates and momenta vary");
      break;
    }
    for (int c = 0; c < nz; c++) z[c] -= x[c];
    if (way == 0) break;
    before = way;
  }
  free(K);
  return status;
}

/* An orthonormal basis of {w: w_c = 0 where c is not free, K w = 0}, into B. */
static rattle_status find_basis(const rattle_fit *fit, int rows, const double *K, int *freedom,
                                double *B, rattle_error *error) {
  const int nz = fit->system.nz, f = fit->named, least = rows < f ? rows : f;
  double *A = calloc((size_t)(rows * f + f * f + least) + 1, sizeof *A), *U = A + rows * f,
         *S = U + f * f;
  if (!A) return rattle__no_memory(error);
  for (int c = 0, j = 0; c < nz; c++)
    if (fit->free[c]) {
      for (int i = 0; i < rows; i++) A[j + i * f] = K[i * nz + c];
      j++;
    }
  rattle_status status = RATTLE_OK;
  int rank = 0;
  if (rows) {
    status = rattle__singular(f, rows, A, S, U, error);
    const double zero = (rows > f ? rows : f) * DBL_EPSILON;
    while (!status && rank < least && S[rank] > zero * S[0]) rank++;
  } else {
    for (int j = 0; j < f; j++) U[j + j * f] = 1;
  }
  *freedom = f - rank;
  for (int l = 0; l < *freedom && !status && B; l++)
    for (int c = 0, j = 0; c < nz; c++) B[l * nz + c] = fit->free[c] ? U[j++ + (rank + l) * f] : 0;
  free(A);
  return status;
}

/* The directions of parameters, in W, follow the constraints by what is free. */
static rattle_status follow(const rattle_fit *fit, int rows, const double *K, double *W,
                            rattle_error *error) {
  const int nz = fit->system.nz;
  double *b = calloc((size_t)(rows + nz) + 1, sizeof *b), *x = b + rows;
  rattle_status status = b ? RATTLE_OK : rattle__no_memory(error);
  for (int j = 0; j < fit->k && !status; j++) {
    double *w = W + j * nz, left = 0;
    for (int round = 0; round < 3 && !status; round++) {
      left = 0;
      for (int i = 0; i < rows; i++) {
        b[i] = 0;
        for (int c = 0; c < nz; c++) b[i] -= K[i * nz + c] * w[c];
        left = fmax(left, fabs(b[i]));
      }
      if (round == 2 || !fit->named) break;
      status = solve_free(fit, rows, K, b, x, error);
      for (int c = 0; c < nz && !status; c++) w[c] += x[c];
    }
    if (!status && left > root * length(w, nz))
      status = rattle__fail(error, RATTLE_UNSUITABLE, fit->system.name[j],
                            "the start leaves the constraints when '%s' varies: write it as "
                            "expressions of the parameters, or let the start vary too",
                            fit->system.name[j]);
  }
  free(b);
  return status;
}

rattle_status rattle__fit_start_directions(rattle_fit *fit, rattle__fit_run *run, const double *z,
                                           rattle_error *error) {
  const rattle__fit_system *s = &fit->system;
  const int rows = 2 * s->tangent->m, nz = s->nz;
  double *K = calloc((size_t)(rows * nz + rows) + 1, sizeof *K);
  rattle_status status = K ? RATTLE_OK : rattle__no_memory(error);
  int freedom = 0;
  if (!status && rows) status = find_rows(fit, z, K, K + rows * nz, error);
  if (!status)
    status = fit->projects ? difference_starts(s, z, run->next_W, error)
                           : rattle__fit_system_slopes(s, z, run->next_W, error);
  for (int j = 0; j < fit->k && !status; j++)
    for (int c = 0; c < nz; c++)
      if (fit->free[c]) run->next_W[j * nz + c] = 0;
  if (!status && rows) status = follow(fit, rows, K, run->next_W, error);
  if (!status && fit->named)
    status = find_basis(fit, rows, K, &freedom, run->next_W + fit->k * nz, error);
  if (!status && run->freedom < 0) run->freedom = freedom;
  if (!status && run->freedom != freedom)
    status = rattle__fail(error, RATTLE_NOT_REGULAR, NULL,
                          "the constraints leave the start another freedom than before");
  free(K);
  return status;
}
