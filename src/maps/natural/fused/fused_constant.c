/* N modulo g (fused_plan.h), for quadratic g.
 *
 * Method  with x = (q, 1), g_i = x.Q_i x/2 and A_ij = G_i M^-1 G_j^T = x.B x/2, B = Q_i^T W Q_j +
 *         Q_j^T W Q_i, W being M^-1 and 0. A_ij = N_ij + sum c_k g_k is asked of all elements of B
 *         but the last, the c_k by least squares, up to the round-off of these sums
 * Norms   |e|^2 = e.A e. A >= kappa D - C max|g| E at the start of a step, where D is the diagonal
 *         of N, C the largest sum |c_k|, and E, full of ones, at most sum 1/D_i times D. So sum b_i
 *         |e_i| <= |e| (sum b_i^2/(kappa D_i))^(1/2), which bounds by `bend` how J changes and by
 *         `span` what residuals leave, where |g| <= `close`, for which kappa is lowered */
#include <float.h>
#include <math.h>
#include <string.h>

#include "maps/natural/fused/fused_plan.h"

enum { MOST = RATTLE__FUSED_MOST };

typedef struct quadratic_forms {
  int n, m, width; /* width = n + 1 */
  double *Q;       /* [m][width][width] */
  double *B, *sizes;
  double gram[MOST * MOST]; /* factors of the products of the Q_k */
} quadratic_forms;

/* Factors of the symmetric a [m m] in its lower triangle; 0: a pivot is not positive. */
static int factor(int m, double *a) {
  for (int k = 0; k < m; k++) {
    if (!(a[k * m + k] > 0)) return 0;
    a[k * m + k] = sqrt(a[k * m + k]);
    for (int i = k + 1; i < m; i++) a[i * m + k] /= a[k * m + k];
    for (int i = k + 1; i < m; i++)
      for (int j = k + 1; j <= i; j++) a[i * m + j] -= a[i * m + k] * a[j * m + k];
  }
  return 1;
}

static void solve(int m, const double *a, double *x) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < i; j++) x[i] -= a[i * m + j] * x[j];
    x[i] /= a[i * m + i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int j = i + 1; j < m; j++) x[i] -= a[j * m + i] * x[j];
    x[i] /= a[i * m + i];
  }
}

/* The sum of the products of the elements but the last. */
static double product(const quadratic_forms *f, const double *x, const double *y) {
  double sum = 0;
  for (int t = 0; t + 1 < f->width * f->width; t++) sum += x[t] * y[t];
  return sum;
}

static double *form(const quadratic_forms *f, int i) {
  return f->Q + (size_t)i * (size_t)f->width * (size_t)f->width;
}

/* 0: g has no derivatives at 0, or some g_k depend on each other there. */
static int take(quadratic_forms *f, const rattle__function *g, rattle__arena *arena) {
  const int n = f->n, width = f->width;
  const size_t square = (size_t)width * (size_t)width;
  double *zero, *F, *J, *S, *work;
  const rattle__array arrays[] = {{&f->Q, (size_t)f->m * square},
                                  {&f->B, square},
                                  {&f->sizes, square},
                                  {&zero, (size_t)n},
                                  {&F, (size_t)f->m},
                                  {&J, (size_t)g->jac_nnz},
                                  {&S, (size_t)g->hess_nnz},
                                  {&work, g->work}};
  RATTLE__LAY_OUT(arena, arrays);
  if (arena->failed || g->jacobian(g, zero, F, J, work)) return 0;
  for (int i = 0; i < f->m; i++) {
    double *Q = form(f, i), w[MOST] = {0};
    w[i] = 1;
    if (g->hessian(g, zero, w, S, work)) return 0;
    for (int r = 0; r < n; r++)
      for (int e = g->hess_ptr[r]; e < g->hess_ptr[r + 1]; e++)
        Q[r * width + g->hess_col[e]] = S[e];
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
      Q[g->jac_col[e] * width + n] = Q[n * width + g->jac_col[e]] = J[e];
    Q[n * width + n] = 2 * F[i];
  }
  for (int i = 0; i < f->m; i++)
    for (int j = 0; j < f->m; j++) f->gram[i * f->m + j] = product(f, form(f, i), form(f, j));
  return factor(f->m, f->gram);
}

/* Adds x^T W y to B. */
static void add_product(const quadratic_forms *f, const double *inverse_mass, const double *x,
                        const double *y) {
  const int width = f->width;
  for (int k = 0; k < f->n; k++)
    for (int r = 0; r < width; r++) {
      const double left = inverse_mass[k] * x[k * width + r];
      for (int c = 0; c < width && left != 0; c++) {
        f->B[r * width + c] += left * y[k * width + c];
        f->sizes[r * width + c] += fabs(left * y[k * width + c]);
      }
    }
}

/* *N, where A_ij is that but for multiples of g, and the sum |c_k|. 0: it is not. */
static int reduce(const quadratic_forms *f, const double *inverse_mass, int i, int j, double *N,
                  double *sum) {
  const int last = f->width * f->width - 1;
  double c[MOST], most = 0;
  memset(f->B, 0, (size_t)(last + 1) * sizeof *f->B);
  memset(f->sizes, 0, (size_t)(last + 1) * sizeof *f->sizes);
  add_product(f, inverse_mass, form(f, i), form(f, j));
  add_product(f, inverse_mass, form(f, j), form(f, i));
  for (int k = 0; k < f->m; k++) c[k] = product(f, form(f, k), f->B);
  solve(f->m, f->gram, c);
  *sum = 0;
  for (int k = 0; k < f->m; k++) *sum += fabs(c[k]);
  for (int t = 0; t <= last; t++) {
    if (f->sizes[t] > most) most = f->sizes[t];
    for (int k = 0; k < f->m; k++) f->B[t] -= c[k] * form(f, k)[t];
  }
  for (int t = 0; t < last; t++)
    if (!(fabs(f->B[t]) <= 64 * f->width * DBL_EPSILON * most)) return 0;
  *N = 0.5 * f->B[last];
  return 1;
}

/* A number below the least eigenvalue of the symmetric a [m m], whose diagonal is 1. */
static double least_eigenvalue(int m, const double *a) {
  double low = 0, high = 1, b[MOST * MOST];
  for (int round = 0; round < 30; round++) {
    const double middle = 0.5 * (low + high);
    memcpy(b, a, (size_t)(m * m) * sizeof *b);
    for (int i = 0; i < m; i++) b[i * m + i] -= middle;
    if (factor(m, b))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The inverse of N [m m] and the norms; `most`: the largest sum |c_k|. */
static void conclude(const double *N, int m, double most, const double *spread,
                     rattle__fused_constant *to) {
  double a[MOST * MOST], x[MOST], sum = 0, bend = 0;
  for (int i = 0; i < m; i++)
    if (!(N[i * m + i] > 0)) return;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) a[i * m + j] = N[i * m + j] / sqrt(N[i * m + i] * N[j * m + j]);
  const double kappa = (1 - 0x1p-10) * least_eigenvalue(m, a);
  if (!(kappa > 0) || !factor(m, a)) return;
  for (int j = 0; j < m; j++) {
    memset(x, 0, sizeof x);
    x[j] = 1;
    solve(m, a, x);
    for (int i = 0; i < m; i++)
      if (x[i] != 0)
        to->inverse.term[to->inverse.count++] =
            (rattle__fused_term){.a = i, .b = j, .by = x[i] / sqrt(N[i * m + i] * N[j * m + j])};
    sum += 1 / N[j * m + j], bend += spread[j] * spread[j] / N[j * m + j];
  }
  to->bend = 2 * sqrt(bend / kappa), to->span = sqrt(sum / kappa);
  to->close = 0x1p-11 * kappa / (most * sum + DBL_MIN);
  to->holds = to->bend < HUGE_VAL && to->span < HUGE_VAL;
}

void rattle__fused_constant_find(const rattle_problem *problem, const double *spread,
                                 rattle__arena *arena, rattle__fused_constant *to) {
  const int m = problem->m;
  quadratic_forms f = {.n = problem->g->vars, .m = m, .width = problem->g->vars + 1};
  double N[MOST * MOST], most = 0;
  to->inverse.term = rattle__arena_take(arena, MOST * MOST * sizeof *to->inverse.term);
  if (m <= 2 || arena->failed || !take(&f, problem->g, arena)) return;
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      double sum;
      if (!reduce(&f, rattle__inertia(problem)->diagonal, i, j, &N[i * m + j], &sum)) return;
      N[j * m + i] = N[i * m + j];
      if (sum > most) most = sum;
    }
  conclude(N, m, most, spread, to);
}
