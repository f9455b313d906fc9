/* Constraints linear in momenta that no constraint on coordinates implies.
 *
 * g_i = a_i(q) . p + b_i(q) is a constraint on velocities v = H_pp p: alpha_i v = -b_i, alpha_i = a_i H_pp^-1. The alpha_i come from functions of
 * q alone where d alpha_i(u,v) = (alpha_i' u) v - (alpha_i' v) u = 0 for all u, v with alpha u = alpha v = 0 (G. Frobenius, J. reine
 * angew. Math. 82 (1877) 230). Derivatives are central differences at the point; lengths are those of the masses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/error.h"
#include "start/start.h"

enum { MOST = 64 };
static const double far = 1e-4, zero = 1e-6, same = 1e-9;

typedef struct forms {
  const rattle_problem *problem;
  int n, m, count, dimension;
  int held;
  int *row; /* [m] the `count` constraints linear in momenta; at the end the `held` ones without momenta */
  double *z, *g, *J, *S, *work, *mass;  /* the point [2n]; mass: roots of the diagonal of H_pp [n] */
  double *alpha, *basis, *change, *off; /* [m*n], [n*n] of {alpha u = 0}; alpha' u of all, [n*m*n]; [m*n] */
  double size;                          /* of the coordinates, in mass */
  rattle__linear *W;
  rattle__arena arena;
} forms;

static rattle_status plan(forms *f, rattle_error *error) {
  const rattle__function *g = f->problem->g, *H = f->problem->H;
  const size_t n = (size_t)f->n, m = (size_t)f->m, work = g->work > H->work ? g->work : H->work;
  const rattle__array arrays[] = {
      {&f->z, 2 * n}, {&f->g, m},         {&f->J, (size_t)g->jac_nnz}, {&f->S, (size_t)H->hess_nnz}, {&f->work, work},
      {&f->mass, n},  {&f->alpha, m * n}, {&f->basis, n * n},          {&f->change, n * m * n},      {&f->off, m * n}};
  RATTLE__LAY_OUT(&f->arena, arrays);
  f->row = rattle__arena_take(&f->arena, m * sizeof *f->row);
  int *ptr = rattle__arena_take(&f->arena, (n + 1 + n * n) * sizeof *ptr);
  if (f->arena.failed || !ptr) return rattle__no_memory(error);
  for (int i = 0; i <= f->n; i++) ptr[i] = i * f->n;
  for (int i = 0; i < f->n * f->n; i++) ptr[f->n + 1 + i] = i % f->n;
  return rattle__linear_create(&f->W, f->n, ptr, ptr + f->n + 1, 1, RATTLE__LINEAR_DENSE, error);
}

/* The rows whose derivatives by momenta are the same at 2 p + 1 as at p. */
static int find_linear(forms *f) {
  const rattle__function *g = f->problem->g;
  double *a = f->off, *b = f->change;
  for (int other = 0; other < 2; other++) {
    for (int k = f->n; k < 2 * f->n && other; k++) f->z[k] = 2 * f->z[k] + 1;
    if (g->jacobian(g, f->z, f->g, f->J, f->work)) return 1;
    for (int i = 0; i < f->m; i++)
      for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++)
        if (g->jac_col[e] >= f->n) (other ? b : a)[i * f->n + g->jac_col[e] - f->n] = f->J[e];
    for (int k = f->n; k < 2 * f->n && other; k++) f->z[k] = (f->z[k] - 1) / 2;
  }
  for (int i = 0; i < f->m; i++) {
    double change = 0, most = 0;
    for (int k = 0; k < f->n; k++) {
      change = fmax(change, fabs(b[i * f->n + k] - a[i * f->n + k]));
      most = fmax(most, fabs(a[i * f->n + k]));
    }
    if (most > 0 && change <= same * most)
      f->row[f->count++] = i;
    else if (!(most > 0) && !(change > 0))
      f->row[f->m - ++f->held] = i;
  }
  return 0;
}

/* alpha [count*n] at z, over the masses' roots; nonzero if it cannot be had. */
static int forms_at(forms *f, double *alpha) {
  const rattle__function *g = f->problem->g, *H = f->problem->H;
  const int n = f->n;
  if (g->jacobian(g, f->z, f->g, f->J, f->work) || H->hessian(H, f->z, NULL, f->S, f->work)) return 1;
  memset(f->W->value, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int r = n; r < 2 * n; r++)
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      if (H->hess_col[e] >= n) f->W->value[(r - n) * n + H->hess_col[e] - n] = f->S[e];
  if (f->W->factor(f->W)) return 1;
  for (int i = 0; i < f->count; i++) {
    double *a = alpha + i * n;
    memset(a, 0, (size_t)n * sizeof *a);
    for (int e = g->jac_ptr[f->row[i]]; e < g->jac_ptr[f->row[i] + 1]; e++)
      if (g->jac_col[e] >= n) a[g->jac_col[e] - n] = f->J[e];
    f->W->solve(f->W, a);
    for (int k = 0; k < n; k++) a[k] *= f->mass[k];
  }
  return 0;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* What is left of v [n] after its parts along rows of A [rows*n], which are orthonormal, becomes the next row, if it is something. */
static int append(int n, double *A, int rows, const double *v) {
  double *w = A + rows * n;
  memmove(w, v, (size_t)n * sizeof *w);
  const double before = sqrt(dot(n, w, w));
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < rows; i++) {
      const double part = dot(n, A + i * n, w);
      for (int k = 0; k < n; k++) w[k] -= part * A[i * n + k];
    }
  const double length = sqrt(dot(n, w, w));
  if (!(length > 1e-7 * before)) return rows;
  for (int k = 0; k < n; k++) w[k] /= length;
  return rows + 1;
}

/* basis: of alpha and the gradients of constraints without momenta first, then of what is orthogonal to them; returns where that
 * begins. J is that of the point. */
static int make_basis(forms *f) {
  const rattle__function *g = f->problem->g;
  int rows = 0;
  for (int i = f->m - f->held; i < f->m && rows < f->n; i++) {
    memset(f->off, 0, (size_t)f->n * sizeof *f->off);
    for (int e = g->jac_ptr[f->row[i]]; e < g->jac_ptr[f->row[i] + 1]; e++)
      if (g->jac_col[e] < f->n) f->off[g->jac_col[e]] = f->J[e] * f->mass[g->jac_col[e]];
    rows = append(f->n, f->basis, rows, f->off);
  }
  for (int i = 0; i < f->count && rows < f->n; i++) rows = append(f->n, f->basis, rows, f->alpha + i * f->n);
  const int first = rows;
  for (int k = 0; k < f->n && rows < f->n; k++) {
    double *unit = f->off;
    memset(unit, 0, (size_t)f->n * sizeof *unit);
    unit[k] = 1;
    rows = append(f->n, f->basis, rows, unit);
  }
  f->dimension = rows;
  return first;
}

/* alpha' u for each u of the basis from `first` on. */
static int differentiate(forms *f, int first) {
  const int n = f->n, all = f->count * n;
  const double t = far * f->size;
  for (int u = first; u < f->dimension; u++) {
    double *change = f->change + (size_t)u * (size_t)f->m * (size_t)n;
    for (int side = 0; side < 2; side++) {
      const double by = side ? -t : t;
      for (int k = 0; k < n; k++) f->z[k] += by * f->basis[u * n + k] * f->mass[k];
      int answer = forms_at(f, side ? f->off : change);
      for (int k = 0; k < n; k++) f->z[k] -= by * f->basis[u * n + k] * f->mass[k];
      if (answer) return 1;
    }
    for (int k = 0; k < all; k++) change[k] = (change[k] - f->off[k]) / (2 * t);
  }
  return 0;
}

static int find(forms *f) {
  const int n = f->n, first = make_basis(f);
  if (differentiate(f, first)) return -1;
  for (int i = 0; i < f->count; i++) {
    const double size = sqrt(dot(n, f->alpha + i * n, f->alpha + i * n)) / f->size;
    for (int u = first; u < f->dimension; u++)
      for (int v = u + 1; v < f->dimension; v++) {
        const double *du = f->change + (size_t)(u * f->m + i) * (size_t)n, *dv = f->change + (size_t)(v * f->m + i) * (size_t)n;
        if (fabs(dot(n, du, f->basis + v * n) - dot(n, dv, f->basis + u * n)) > zero * size) return f->row[i];
      }
  }
  return -1;
}

/* Lengths: roots of H_pp's diagonal, and the largest coordinate over them. */
static int measure(forms *f) {
  const rattle__function *H = f->problem->H;
  if (H->hessian(H, f->z, NULL, f->S, f->work)) return 1;
  for (int k = 0; k < f->n; k++)
    for (int e = H->hess_ptr[f->n + k]; e < H->hess_ptr[f->n + k + 1]; e++)
      if (H->hess_col[e] == f->n + k) f->mass[k] = sqrt(fabs(f->S[e]));
  double shortest = INFINITY;
  for (int k = 0; k < f->n; k++) {
    if (!(f->mass[k] > 0)) return 1;
    f->size = fmax(f->size, fabs(f->z[k]) / f->mass[k]);
    shortest = fmin(shortest, 1 / f->mass[k]);
  }
  if (!(f->size > 0)) f->size = shortest;
  return !isfinite(f->size);
}

rattle_status rattle_problem_not_integrable(const rattle_problem *problem, const double *q, const double *p, int *constraint,
                                            rattle_error *error) {
  forms f = {.problem = problem, .n = problem->n, .m = problem->m};
  const size_t half = (size_t)problem->n * sizeof *q;
  *constraint = -1;
  if (!problem->m || problem->flags & RATTLE_HOLONOMIC || problem->n > MOST || problem->m > MOST || !problem->H->hessian)
    return RATTLE_OK;
  rattle_status status = plan(&f, error);
  if (!status) {
    memcpy(f.z, q, half);
    memcpy(f.z + f.n, p, half);
    if (!find_linear(&f) && f.count > 0 && !measure(&f) && !forms_at(&f, f.alpha)) *constraint = find(&f);
  }
  rattle__linear_destroy(&f.W);
  rattle__arena_release(&f.arena);
  return status;
}
