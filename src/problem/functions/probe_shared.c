/* How constraints share their force where some follow from others and were omitted
 * (runs/start/redundant.c).
 *
 * Kept rows G [m x n] of multipliers mu, omitted rows R = C G [k x n]. All multipliers (lambda,
 * rho) with G^T lambda + R^T rho = G^T mu have lambda = mu - C^T rho; those of least norm have
 *
 *     (1 + C C^T) rho = C mu,      N C^T = G H_pp R^T,      N = G H_pp G^T
 *
 * (R. Penrose, Proc. Cambridge Philos. Soc. 52 (1956) 17). The choice of kept rows does not matter
 * to them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/model/model.h"
#include "problem/functions/probe.h"
#include "problem/functions/velocity.h"

struct rattle__shared {
  rattle__arena arena;
  int k;
  double *J, *row,
      *C; /* R in the pattern of the omitted constraints, one row of it and its product with H_pp
             [2n], [k*m] */
  double *rho, *work; /* [k] */
  rattle__linear *A;  /* 1 + C C^T */
};

void rattle__shared_destroy(rattle__shared **shared) {
  if (!*shared) return;
  rattle__linear_destroy(&(*shared)->A);
  rattle__arena_release(&(*shared)->arena);
  free(*shared);
  *shared = NULL;
}

rattle_status rattle__shared_create(rattle__shared **shared, const rattle_problem *problem,
                                    rattle_error *error) {
  const rattle__function *f = problem->omitted;
  rattle__shared *s = *shared = calloc(1, sizeof *s);
  if (!s) return rattle__no_memory(error);
  const size_t k = (size_t)f->rows, m = (size_t)problem->m;
  s->k = f->rows;
  const rattle__array arrays[] = {{&s->J, (size_t)f->jac_nnz},
                                  {&s->row, 2 * (size_t)problem->n},
                                  {&s->C, k * m},
                                  {&s->rho, k},
                                  {&s->work, f->work}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  int *ptr = rattle__arena_take(&s->arena, (k + 1 + k * k) * sizeof *ptr);
  rattle_status status = s->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
  for (int i = 0; i <= s->k && !status; i++) ptr[i] = i * s->k;
  for (int i = 0; i < s->k * s->k && !status; i++) ptr[s->k + 1 + i] = i % s->k;
  if (!status)
    status =
        rattle__linear_create(&s->A, s->k, ptr, ptr + s->k + 1, 1, RATTLE__LINEAR_DENSE, error);
  if (status) rattle__shared_destroy(shared);
  return status;
}

/* The same beside constraints on velocities, in which r has no part. */
static void make_row_beside(rattle__reaction *at, const double *r, double *moved, double *c,
                            int m) {
  double *all = at->X;
  rattle__reaction_image(at, r, moved);
  for (int j = 0; j < at->m; j++) {
    all[j] = 0;
    for (int a = 0; a < at->n; a++)
      all[j] += at->C[(size_t)j * (size_t)at->n + (size_t)a] * moved[a];
  }
  rattle__reaction_solve(at, all);
  rattle__reaction_multiply(at, all);
  memcpy(c, all, (size_t)m * sizeof *c);
}

/* Row i of C: N c = G H_pp r, r being row i of R. */
static void make_row(rattle__probe *probe, int i) {
  const rattle__function *f = probe->problem->omitted, *g = probe->problem->g,
                         *H = probe->problem->H;
  rattle__shared *s = probe->shared;
  const int n = probe->n;
  double *r = s->row, *moved = s->row + n, *c = s->C + (size_t)i * (size_t)probe->m;
  memset(r, 0, 2 * (size_t)n * sizeof *r);
  for (int e = f->jac_ptr[i]; e < f->jac_ptr[i + 1]; e++)
    if (f->jac_col[e] < n) r[f->jac_col[e]] = s->J[e];
  if (probe->reaction) {
    make_row_beside(probe->reaction, r, moved, c, probe->m);
    return;
  }
  for (int a = 0; a < n; a++)
    for (int e = H->hess_ptr[n + a]; e < H->hess_ptr[n + a + 1]; e++)
      if (H->hess_col[e] >= n) moved[a] += probe->S[e - probe->first_S] * r[H->hess_col[e] - n];
  for (int j = 0; j < probe->m; j++) {
    c[j] = 0;
    for (int e = g->jac_ptr[j]; e < g->jac_ptr[j + 1]; e++)
      c[j] += probe->J[e] * moved[g->jac_col[e]];
  }
  probe->bracket->N->solve(probe->bracket->N, c);
}

rattle_status rattle__shared_multipliers(rattle__probe *probe, double *lambda, double *rho,
                                         rattle_error *error) {
  const rattle__function *f = probe->problem->omitted;
  rattle__shared *s = probe->shared;
  const int m = probe->m, k = s->k;
  const double *mu = probe->reaction ? probe->reaction->lambda : probe->lambda;
  const int answer = f->jacobian(f, probe->z, s->rho, s->J, s->work);
  if (answer) return rattle__callback_error(answer, "constraint", error);
  for (int i = 0; i < k; i++) make_row(probe, i);
  for (int i = 0; i < k; i++) {
    const double *c = s->C + (size_t)i * (size_t)m;
    s->rho[i] = 0;
    for (int j = 0; j < m; j++) s->rho[i] += c[j] * mu[j];
    for (int l = 0; l < k; l++) {
      double sum = i == l;
      for (int j = 0; j < m; j++) sum += c[j] * s->C[(size_t)l * (size_t)m + (size_t)j];
      s->A->value[i * k + l] = sum;
    }
  }
  if (s->A->factor(s->A))
    return rattle__fail(error, RATTLE_SINGULAR, NULL,
                        "the multipliers of least norm are not determined at this point");
  s->A->solve(s->A, s->rho);
  for (int j = 0; j < m && lambda; j++) {
    lambda[j] = mu[j];
    for (int i = 0; i < k; i++) lambda[j] -= s->C[(size_t)i * (size_t)m + (size_t)j] * s->rho[i];
  }
  if (rho) memcpy(rho, s->rho, (size_t)k * sizeof *rho);
  return RATTLE_OK;
}
