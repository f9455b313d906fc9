/* Fibres of quadratic g: X_g is affine, so its flow is summed as a power series to round-off.
 *
 * Map      z' = sum_i s_i X_{g_i}(z) = A z + a over unit time, A = sum s_j A_j, a = sum s_j a_j;
 *          X_{g_j}(z) = A_j z + a_j
 * Tangent  y_j = dz/ds_j:  y_j' = A y_j + X_{g_j}(z);  summed together with z, term by term:
 *          z_{k+1} = (A z_k + [k=0] a)/(k+1),   y_{j,k+1} = (A y_{j,k} + A_j z_k + [k=0] a_j)/(k+1)
 *          If the flows of all X_{g_i} commute, as one alone does: y_j = X_{g_j}(z'), without a
 *          series
 * Steps    unit time is cut into equal parts with |A| <= 1/2 each (rattle__norm_of_blocks), so that
 *          about 16 terms reach round-off
 * Symbols  A and all A_j share one sparse pattern [2n x 2n], that of the second derivatives of g */
#include "constraint/fibre/fibre.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/larger.h"
#include "ground/support/random.h"

enum { TERMS = 40 };

typedef struct linear {
  rattle__fibre f;
  int nz, nnz, commute;
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

/* Rows [from, to): c (A term + [k=0] a) to `next` and to z. Returns whether that is more than
 * round-off of z. */
static int add_rows(linear *l, double c, int k, int from, int to) {
  const double *A = l->A, *term = l->term;
  double change = 0, size = 0;
  for (int r = from; r < to; r++) {
    double sum = k == 0 ? l->a[r] : 0;
    for (int e = l->ptr[r]; e < l->ptr[r + 1]; e++) sum += A[e] * term[l->col[e]];
    const double more = c * sum, z = l->z[r] + more;
    l->next[r] = more, l->z[r] = z;
    change = rattle__larger(fabs(more), change);
    size = rattle__larger(fabs(z), size);
  }
  return change > 1e-3 * DBL_EPSILON * size;
}

/* Term k+1 of z from term k: term <- c (A term + [k=0] a), z += term. Returns 0 if it is
 * negligible, for q and for p. */
static int add_term(linear *l, double c, int k) {
  const int q = add_rows(l, c, k, 0, l->f.n), p = add_rows(l, c, k, l->f.n, l->nz);
  double *term = l->term;
  l->term = l->next;
  l->next = term;
  return q || p;
}

static void add_tangent_term(linear *l, double c, int k) {
  for (int j = 0; j < l->f.m; j++) {
    double *y_term = l->y_term + j * l->nz;
    if (k == 0)
      memcpy(l->next, l->a_j + j * l->nz, (size_t)l->nz * sizeof(double));
    else
      memset(l->next, 0, (size_t)l->nz * sizeof(double));
    add_product(l, l->A_j + (size_t)j * (size_t)l->nnz, l->term, l->next);
    add_product(l, l->A, y_term, l->next);
    for (int i = 0; i < l->nz; i++) {
      y_term[i] = c * l->next[i];
      l->y[j * l->nz + i] += y_term[i];
    }
  }
}

/* z, and y if wanted, over one part of the unit time */
static void advance(linear *l, double length, int with_tangent) {
  memcpy(l->term, l->z, (size_t)l->nz * sizeof(double));
  if (with_tangent) memcpy(l->y_term, l->y, (size_t)(l->f.m * l->nz) * sizeof(double));
  for (int k = 0, more = 1; k < TERMS && more; k++) {
    const double c = length / (k + 1);
    if (with_tangent) add_tangent_term(l, c, k);
    more = add_term(l, c, k);
  }
}

/* |A| */
static double norm_of(const linear *l) {
  double block[2][2] = {{0, 0}, {0, 0}};
  for (int r = 0; r < l->nz; r++) {
    double sum[2] = {0, 0};
    for (int e = l->ptr[r]; e < l->ptr[r + 1]; e++) sum[l->col[e] >= l->f.n] += fabs(l->A[e]);
    for (int kind = 0; kind < 2; kind++)
      block[r >= l->f.n][kind] = fmax(block[r >= l->f.n][kind], sum[kind]);
  }
  return rattle__norm_of_blocks(block);
}

/* A and a of the slide s */
static void combine(const linear *l, const double *s, double *A, double *a) {
  const size_t nz = (size_t)l->nz, nnz = (size_t)l->nnz;
  memset(A, 0, nnz * sizeof *A);
  memset(a, 0, nz * sizeof *a);
  for (size_t j = 0; j < (size_t)l->f.m; j++) {
    for (size_t e = 0; e < nnz; e++) A[e] += s[j] * l->A_j[j * nnz + e];
    for (size_t i = 0; i < nz; i++) a[i] += s[j] * l->a_j[j * nz + i];
  }
}

static rattle_status flow(linear *l, int with_tangent, rattle_error *error) {
  const int nz = l->nz;
  combine(l, l->s, l->A, l->a);
  const double norm = norm_of(l);
  if (!(norm < 1e4))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, "fibre",
                        "the motion along the fibre is too long (|s g''| = %g): the multipliers "
                        "diverge; use a smaller step",
                        norm);
  int parts = (int)ceil(2 * norm);
  if (parts < 1) parts = 1;
  memcpy(l->z, l->z0, (size_t)nz * sizeof(double));
  if (with_tangent) memset(l->y, 0, (size_t)(l->f.m * nz) * sizeof(double));
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
  if (l->commute) {
    memcpy(Z, l->a_j, (size_t)fibre->nnz * sizeof *Z);
    for (int j = 0; j < fibre->m; j++)
      add_product(l, l->A_j + (size_t)j * (size_t)l->nnz, l->z, Z + j * l->nz);
    return RATTLE_OK;
  }
  rattle_status status = flow(l, 1, error);
  memcpy(Z, l->y, (size_t)fibre->nnz * sizeof *Z);
  return status;
}

/* exp(A), in the parts of the slide itself */
static rattle_status tangent(rattle__fibre *fibre, int count, double *W, rattle_error *error) {
  linear *l = fibre->self;
  (void)error;
  combine(l, l->s, l->A, l->a);
  const int parts = (int)fmax(1, ceil(2 * norm_of(l)));
  for (int j = 0; j < count; j++) {
    double *w = W + (size_t)j * (size_t)l->nz;
    for (int part = 0; part < parts; part++) {
      memcpy(l->term, w, (size_t)l->nz * sizeof *w);
      for (int k = 0; k < TERMS; k++) {
        memset(l->next, 0, (size_t)l->nz * sizeof *w);
        add_product(l, l->A, l->term, l->next);
        for (int r = 0; r < l->nz; r++) w[r] += l->term[r] = l->next[r] / (parts * (k + 1.0));
      }
    }
  }
  return RATTLE_OK;
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
static rattle_status fill(linear *l, const double *zero, double *weight, double *S, double *J,
                          double *work, rattle_error *error) {
  const rattle__function *g = l->f.context->problem->g;
  int answer = g->jacobian(g, zero, NULL, J, work);
  for (int j = 0; j < l->f.m && !answer; j++) {
    rattle__hamiltonian_field(l->f.n, J + g->jac_ptr[j], g->jac_col + g->jac_ptr[j],
                              g->jac_ptr[j + 1] - g->jac_ptr[j],
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

/* --- do the flows commute? -------------------------------------------------------------------- */

/* |M| |x|, added to bound, and sign M x to sum */
static void add_with_bound(const linear *l, double sign, const double *M, const double *x,
                           double *sum, double *bound) {
  for (int r = 0; r < l->nz; r++)
    for (int e = l->ptr[r]; e < l->ptr[r + 1]; e++) {
      sum[r] += sign * M[e] * x[l->col[e]];
      bound[r] += fabs(M[e] * x[l->col[e]]);
    }
}

/* True if the field B x - A y vanishes, up to round-off of its terms. */
static int vanishes(const linear *l, const double *A, const double *B, const double *x,
                    const double *y, double *sum) {
  const double negligible = 1e-12;
  double *bound = sum + l->nz;
  memset(sum, 0, 2 * (size_t)l->nz * sizeof *sum);
  add_with_bound(l, 1, B, x, sum, bound);
  add_with_bound(l, -1, A, y, sum, bound);
  for (int r = 0; r < l->nz; r++)
    if (!(fabs(sum[r]) <= negligible * bound[r])) return 0;
  return 1;
}

/* Lie brackets of two random combinations A w + a, B w + b of the fields: B a - A b and (B A - A B)
 * w at a random w. They are bilinear: where both vanish, so do all, but for chance. -1 without
 * memory. */
static int commute(const linear *l) {
  const size_t m = (size_t)l->f.m, nz = (size_t)l->nz, nnz = (size_t)l->nnz;
  if (m == 1) return 1;
  double *room = calloc(2 * m + 2 * nnz + 7 * nz, sizeof *room);
  if (!room) return -1;
  double *alpha = room, *beta = alpha + m, *A = beta + m, *B = A + nnz, *a = B + nnz, *b = a + nz,
         *w = b + nz, *x = w + nz, *y = x + nz, *sum = y + nz;
  uint64_t state = 1;
  for (size_t j = 0; j < m; j++)
    alpha[j] = rattle__random_signed(&state), beta[j] = rattle__random_signed(&state);
  for (size_t i = 0; i < nz; i++) w[i] = rattle__random_signed(&state);
  combine(l, alpha, A, a);
  combine(l, beta, B, b);
  add_product(l, A, w, x);
  add_product(l, B, w, y);
  const int yes = vanishes(l, A, B, a, b, sum) && vanishes(l, A, B, x, y, sum);
  free(room);
  return yes;
}

rattle_status rattle__fibre_linear(rattle__fibre **fibre, rattle__context *context,
                                   rattle_error *error) {
  const rattle__function *g = context->problem->g;
  rattle__arena *arena = &context->arena;
  rattle__fibre *f = rattle__fibre_dense(context, "linear");
  linear *l = rattle__arena_take(arena, sizeof *l);
  if (!f || !l) return rattle__no_memory(error);
  size_t nz = 2 * (size_t)f->n, m = (size_t)f->m, nnz = (size_t)g->hess_nnz;
  const rattle__array arrays[] = {{&l->A, nnz},      {&l->A_j, m * nnz},  {&l->a, nz},
                                  {&l->a_j, m * nz}, {&l->z0, nz},        {&l->s, m},
                                  {&l->z, nz},       {&l->term, nz},      {&l->next, nz},
                                  {&l->y, m * nz},   {&l->y_term, m * nz}};
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
  l->f.tangent = tangent;
  l->f.self = l;
  *fibre = &l->f;
  rattle_status status = plan_pattern(l, error);
  if (!status)
    status = fill(l, l->z0, scratch, scratch + m, scratch + m + nnz, scratch + m + nnz + g->jac_nnz,
                  error);
  free(scratch);
  l->commute = status ? 0 : commute(l);
  return l->commute < 0 ? rattle__no_memory(error) : status;
}
