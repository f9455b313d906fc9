/* Fibres of quadratic g: X_g is affine, so its flow is summed as a power series to round-off.
 *
 * Map      z' = sum_i s_i X_{g_i}(z) = A z + a over unit time, A = sum s_j A_j, a = sum s_j a_j; X_{g_j}(z) = A_j z + a_j
 * Tangent  y_j = dz/ds_j:  y_j' = A y_j + X_{g_j}(z);  summed together with z, term by term:
 *          z_{k+1} = (A z_k + [k=0] a)/(k+1),   y_{j,k+1} = (A y_{j,k} + A_j z_k + [k=0] a_j)/(k+1)
 * Steps    unit time is cut into equal parts with |A| <= 1/2 each (rattle__norm_of_blocks), so that about 16 terms reach round-off
 * Symbols  A and all A_j share one sparse pattern [2n x 2n], that of the second derivatives of g */
#include "fibre/fibre.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 40 };

typedef struct linear {
  rattle__fibre f;
  int nz, nnz;
  int *ptr, *col;                   /* pattern, compressed rows */
  double *A, *A_j;                  /* [nnz], [m][nnz] */
  double *a, *a_j;                  /* [2n], [m][2n] */
  double *z0, *s, *z, *term, *next; /* start, slide; sum, term, next term [2n] */
  double *y, *y_term;               /* [m][2n] */
} linear;

/* out += M x */
static inline void add_product(const linear *l, const double *M, const double *x, double *out) {
  for (int r = 0; r < l->nz; r++) {
    double sum = 0;
    for (int e = l->ptr[r]; e < l->ptr[r + 1]; e++) sum += M[e] * x[l->col[e]];
    out[r] += sum;
  }
}

/* z, and y if wanted, over one part of the unit time */
static void advance(linear *l, double length, int with_tangent) {
  int nz = l->nz, m = with_tangent ? l->f.m : 0;
  size_t bytes = (size_t)nz * sizeof(double);
  memcpy(l->term, l->z, bytes);
  memcpy(l->y_term, l->y, (size_t)m * bytes);
  for (int k = 0; k < TERMS; k++) {
    double c = length / (k + 1), change[2] = {0, 0}, size[2] = {0, 0};
    for (int j = 0; j < m; j++) {
      double *y_term = l->y_term + j * nz;
      if (k == 0)
        memcpy(l->next, l->a_j + j * nz, bytes);
      else
        memset(l->next, 0, bytes);
      add_product(l, l->A_j + (size_t)j * (size_t)l->nnz, l->term, l->next);
      add_product(l, l->A, y_term, l->next);
      for (int i = 0; i < nz; i++) {
        y_term[i] = c * l->next[i];
        l->y[j * nz + i] += y_term[i];
      }
    }
    if (k == 0)
      memcpy(l->next, l->a, bytes);
    else
      memset(l->next, 0, bytes);
    add_product(l, l->A, l->term, l->next);
    for (int i = 0; i < nz; i++) {
      l->term[i] = c * l->next[i];
      l->z[i] += l->term[i];
      double x = fabs(l->term[i]), y = fabs(l->z[i]);
      const int kind = i >= l->f.n;
      if (x > change[kind]) change[kind] = x;
      if (y > size[kind]) size[kind] = y;
    }
    if (!(change[0] > 1e-3 * DBL_EPSILON * size[0] || change[1] > 1e-3 * DBL_EPSILON * size[1])) break;
  }
}

/* |A| */
static double norm_of(const linear *l) {
  double block[2][2] = {{0, 0}, {0, 0}};
  for (int r = 0; r < l->nz; r++) {
    double sum[2] = {0, 0};
    for (int e = l->ptr[r]; e < l->ptr[r + 1]; e++) sum[l->col[e] >= l->f.n] += fabs(l->A[e]);
    for (int kind = 0; kind < 2; kind++) block[r >= l->f.n][kind] = fmax(block[r >= l->f.n][kind], sum[kind]);
  }
  return rattle__norm_of_blocks(block);
}

static rattle_status flow(linear *l, int with_tangent, rattle_error *error) {
  int nz = l->nz, m = l->f.m;
  memset(l->A, 0, (size_t)l->nnz * sizeof(double));
  memset(l->a, 0, (size_t)nz * sizeof(double));
  for (int j = 0; j < m; j++) {
    for (int e = 0; e < l->nnz; e++) l->A[e] += l->s[j] * l->A_j[(size_t)j * (size_t)l->nnz + (size_t)e];
    for (int i = 0; i < nz; i++) l->a[i] += l->s[j] * l->a_j[j * nz + i];
  }
  const double norm = norm_of(l);
  if (!(norm < 1e4))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                        "the motion along the fibre is too long (|s g''| = %g): the multipliers diverge; use a smaller step",
                        norm);
  int parts = (int)ceil(2 * norm);
  if (parts < 1) parts = 1;
  memcpy(l->z, l->z0, (size_t)nz * sizeof(double));
  memset(l->y, 0, (size_t)(m * nz) * sizeof(double));
  for (int k = 0; k < parts; k++) advance(l, 1.0 / parts, with_tangent);
  return RATTLE_OK;
}

static rattle_status start(rattle__fibre *fibre, const double *z0, rattle_error *error) {
  linear *l = fibre->self;
  (void)error;
  memcpy(l->z0, z0, (size_t)l->nz * sizeof *z0);
  return RATTLE_OK;
}

static rattle_status slide(rattle__fibre *fibre, const double *s, double *z, rattle_error *error) {
  linear *l = fibre->self;
  memcpy(l->s, s, (size_t)fibre->m * sizeof *s);
  rattle_status status = flow(l, 0, error);
  memcpy(z, l->z, (size_t)l->nz * sizeof *z);
  return status;
}

static rattle_status derivative(rattle__fibre *fibre, double *Z, rattle_error *error) {
  linear *l = fibre->self;
  rattle_status status = flow(l, 1, error);
  memcpy(Z, l->y, (size_t)fibre->nnz * sizeof *Z);
  return status;
}

/* dg/dz_c stands in row (c + n) mod 2n of X_g = (g_p, -g_q). */
static int row_of(const linear *l, int c) {
  return c < l->f.n ? c + l->f.n : c - l->f.n;
}

/* Every A_j has the pattern of sum w_j g_j'', its rows permuted. */
static rattle_status plan_pattern(linear *l, rattle_error *error) {
  const rattle__function *g = l->f.context->problem->g;
  rattle__arena *arena = &l->f.context->arena;
  l->nnz = g->hess_nnz;
  l->ptr = rattle__arena_take(arena, ((size_t)l->nz + 1) * sizeof(int));
  l->col = rattle__arena_take(arena, ((size_t)l->nnz + 1) * sizeof(int));
  if (!l->ptr || !l->col) return rattle__no_memory(error);
  int at = 0;
  for (int r = 0; r < l->nz; r++) {
    int c = row_of(l, r); /* the same permutation back */
    for (int e = g->hess_ptr[c]; e < g->hess_ptr[c + 1]; e++) l->col[at++] = g->hess_col[e];
    l->ptr[r + 1] = at;
  }
  return RATTLE_OK;
}

/* A_j and a_j from g_j'' and g_j' at 0, which `zero` holds. */
static rattle_status fill(linear *l, const double *zero, double *weight, double *S, double *J, double *work,
                          rattle_error *error) {
  const rattle__function *g = l->f.context->problem->g;
  int answer = g->jacobian(g, zero, NULL, J, work);
  for (int j = 0; j < l->f.m && !answer; j++) {
    rattle__hamiltonian_field(l->f.n, J + g->jac_ptr[j], g->jac_col + g->jac_ptr[j], g->jac_ptr[j + 1] - g->jac_ptr[j],
                              l->a_j + (size_t)j * (size_t)l->nz);
    memset(weight, 0, (size_t)l->f.m * sizeof *weight);
    weight[j] = 1;
    answer = g->hessian(g, zero, weight, S, work);
    for (int r = 0; r < l->nz; r++) {
      int c = row_of(l, r);
      double *to = l->A_j + (size_t)j * (size_t)l->nnz + l->ptr[r];
      for (int e = g->hess_ptr[c]; e < g->hess_ptr[c + 1]; e++) *to++ = c < l->f.n ? -S[e] : S[e];
    }
  }
  return rattle__answer(answer, "constraint", error);
}

rattle_status rattle__fibre_linear(rattle__fibre **fibre, rattle__context *context, rattle_error *error) {
  const rattle__function *g = context->problem->g;
  rattle__arena *arena = &context->arena;
  rattle__fibre *f = rattle__fibre_dense(context, "linear");
  linear *l = rattle__arena_take(arena, sizeof *l);
  if (!f || !l) return rattle__no_memory(error);
  size_t nz = 2 * (size_t)f->n, m = (size_t)f->m, nnz = (size_t)g->hess_nnz;
  const rattle__array arrays[] = {{&l->A, nnz},   {&l->A_j, m * nnz}, {&l->a, nz},         {&l->a_j, m * nz},
                                  {&l->z0, nz},   {&l->s, m},         {&l->z, nz},         {&l->term, nz},
                                  {&l->next, nz}, {&l->y, m * nz},    {&l->y_term, m * nz}};
  RATTLE__LAY_OUT(arena, arrays);
  double *scratch = calloc(m + nnz + (size_t)g->jac_nnz + g->work + 1, sizeof *scratch);
  if (arena->failed || !scratch) {
    free(scratch);
    return rattle__no_memory(error);
  }
  l->nz = (int)nz;
  l->f = *f;
  l->f.start = start;
  l->f.slide = slide;
  l->f.derivative = derivative;
  l->f.self = l;
  *fibre = &l->f;
  rattle_status status = plan_pattern(l, error);
  if (!status) status = fill(l, l->z0, scratch, scratch + m, scratch + m + nnz, scratch + m + nnz + g->jac_nnz, error);
  free(scratch);
  return status;
}
