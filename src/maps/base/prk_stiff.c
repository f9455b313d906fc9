/* Tells if the first matrix of a step is far from its limit because forces are stiff, and for no
 * other reason.
 *
 * Symbols  J = -h^2 G(z1) (M + h C/2 + h^2 K/4)^-1 G(z0)^T, about: Newton's matrix for lambda,
 *          stages eliminated; C, K: dampers and springs; N = G M^-1 G^T
 * Rule     strong C and K take J far from -h^2 N without a fold in between. This is the case if,
 *          without C and K, J is near -h^2 N (gradients have not turned); and if, with them and
 *          G(z0) at both ends, J^-1 is negative definite, as (-h^2 N)^-1 is: no matrix between the
 *          two is singular
 * Cost     two factorisations and one to return, m solves; only in case of doubt */
#include <string.h>

#include "maps/base/prk.h"
#include "problem/functions/probe.h"
#include "ground/support/definite.h"

struct rattle__prk_aside {
  double *J, *hessian, *A; /* kept; scratch [m*m] */
};

void rattle__prk_aside_create(rattle__prk *k) {
  const rattle_problem *problem = k->map.context->problem;
  rattle__arena *arena = &k->map.context->arena;
  if (!(problem->flags & RATTLE_HOLONOMIC) || k->m > RATTLE__STIFF_MOST) return;
  k->aside = rattle__arena_take(arena, sizeof *k->aside);
  if (!k->aside) return;
  k->aside->J = rattle__arena_doubles(arena, (size_t)problem->g->jac_nnz);
  k->aside->hessian =
      rattle__arena_doubles(arena, (size_t)k->t.stages * (size_t)problem->H->hess_nnz);
  k->aside->A = rattle__arena_doubles(arena, (size_t)k->m * (size_t)k->m);
}

static int limit_is_definite(rattle__prk *k) {
  rattle__linear *N = NULL;
  double *A = k->aside->A;
  if (rattle__probe_matrix(k->map.context->probe, &N, NULL) || !N) return 0;
  memset(A, 0, (size_t)k->m * (size_t)k->m * sizeof *A);
  for (int i = 0; i < k->m; i++)
    for (int e = N->ptr[i]; e < N->ptr[i + 1]; e++) A[i * k->m + N->col[e]] = N->value[e];
  return rattle__is_definite(k->m, A);
}

/* True if -J^-1 is positive definite, J from the matrix at hand. */
static int matrix_is_definite(rattle__prk *k) {
  double *x = k->scratch;
  for (int j = 0; j < k->m; j++) {
    memset(x, 0, (size_t)k->size * sizeof *x);
    x[k->multipliers + j] = -1;
    k->matrix->solve(k->matrix, x);
    for (int i = 0; i < k->m; i++) k->aside->A[i * k->m + j] = x[k->multipliers + i];
  }
  return rattle__is_definite(k->m, k->aside->A);
}

/* H'' without the slopes of forces: H_pp alone */
static void drop_forces(rattle__prk *k) {
  const rattle__function *H = k->map.context->problem->H;
  for (int j = 0; j < k->t.stages; j++)
    for (int r = 0; r < 2 * k->n; r++)
      for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
        if (r < k->n || H->hess_col[e] < k->n) k->hessian[j * H->hess_nnz + e] = 0;
}

static int is_stiff(rattle__prk *k, double h, const double *z0) {
  const rattle_problem *problem = k->map.context->problem;
  rattle__probe *probe = k->map.context->probe;
  rattle__probe_place(probe, z0, z0 + k->n);
  if (!limit_is_definite(k)) return 0; /* J of the probe is there now */
  memcpy(k->J, probe->J, (size_t)problem->g->jac_nnz * sizeof *k->J);
  if (rattle__prk_factor(k, h, NULL) || !matrix_is_definite(k)) return 0;
  memcpy(k->J, k->aside->J, (size_t)problem->g->jac_nnz * sizeof *k->J);
  drop_forces(k);
  return !rattle__prk_factor(k, h, NULL) && !rattle__jacobian_far_from_limit(k->follower, h, z0);
}

rattle_status rattle__prk_far_from_limit(rattle__prk *k, double h, const double *z0, int *astray,
                                         rattle_error *error) {
  const rattle_problem *problem = k->map.context->problem;
  const size_t gradients = (size_t)problem->g->jac_nnz * sizeof(double);
  const size_t slopes = (size_t)k->t.stages * (size_t)problem->H->hess_nnz * sizeof(double);
  *astray = rattle__jacobian_far_from_limit(k->follower, h, z0);
  if (!*astray || !k->aside) return RATTLE_OK;
  memcpy(k->aside->J, k->J, gradients);
  memcpy(k->aside->hessian, k->hessian, slopes);
  *astray = !is_stiff(k, h, z0);
  memcpy(k->J, k->aside->J, gradients);
  memcpy(k->hessian, k->aside->hessian, slopes);
  return rattle__prk_factor(k, h, error);
}
