/* Following the multipliers of a step; the rules of common_guards.c, for any number of
 * multipliers. */
#include "common_curve.h"

#include <math.h>
#include <string.h>

enum { C = STEPS_MOST, M = TESTS_MAX_M, Z = TESTS_MAX_2N };

/* Near a fold, at a distance of 1e-5 of the step, determinants have fallen to the root of that
 * distance, 3e-3, of their size. */
static const long double FOLD = 0.03L;

/* One point of the curve. */
typedef struct point {
  long double part, x[C], J[C * C], N[M * M], z[Z];
} point;

static int solve(const steps_equation *e, long double h, const long double *z0,
                 const long double *chord, point *p) {
  long double unused[M];
  return steps_newton(e, p->part * h, z0, chord ? 30 : 8, chord, p->x, p->z) ||
         steps_derivative(e, p->part * h, z0, p->x, p->J) ||
         reference_multipliers(e->problem, p->z, p->N, unused);
}

/* |A^-1 B - 1|, the sum of magnitudes; *ratio = |det B / det A| */
static long double change(int size, const long double *A, const long double *B,
                          long double *ratio) {
  long double sum = 0, X[C * C], D[C * C], product = 1;
  for (int j = 0; j < size; j++) {
    long double b[C];
    memcpy(D, A, sizeof *A * size * size);
    for (int i = 0; i < size; i++) b[i] = B[i * size + j];
    if (reference_solve(size, D, b)) return INFINITY;
    for (int i = 0; i < size; i++) {
      sum += fabsl(b[i] - (i == j));
      X[i * size + j] = b[i];
    }
  }
  for (int k = 0; k < size && ratio; k++) { /* |det A^-1 B| by elimination with pivots */
    int pivot = k;
    for (int i = k + 1; i < size; i++)
      if (fabsl(X[i * size + k]) > fabsl(X[pivot * size + k])) pivot = i;
    for (int j = 0; j < size; j++) {
      const long double swap = X[k * size + j];
      X[k * size + j] = X[pivot * size + j];
      X[pivot * size + j] = swap;
    }
    product *= fabsl(X[k * size + k]);
    for (int i = k + 1; i < size && X[k * size + k] != 0; i++) {
      const long double factor = X[i * size + k] / X[k * size + k];
      for (int j = k; j < size; j++) X[i * size + j] -= factor * X[k * size + j];
    }
  }
  if (ratio) *ratio = product;
  return sum;
}

static int near(const steps_equation *e, const point *a, const point *b, long double h) {
  for (int i = 0; i < e->count; i++)
    if (!(fabsl(h) * fabsl(a->part * a->x[i] - b->part * b->x[i]) < 0.2L)) return 0;
  return change(e->count, a->J, b->J, NULL) < 0.35L &&
         change(e->problem->m, a->N, b->N, NULL) < 0.35L;
}

/* The first point: so near the limit that half the piece changes little. */
static int begin(const steps_equation *e, long double h, const long double *z0, point *p) {
  point half, start = {0};
  if (steps_guess(e, z0, start.x) || reference_multipliers(e->problem, z0, start.N, start.z))
    return 1;
  for (long double part = 1 / 8.0L; part > 1e-6L; part /= 4) {
    *p = (point){.part = part};
    half = (point){.part = part / 2};
    memcpy(p->x, start.x, sizeof p->x);
    memcpy(half.x, start.x, sizeof half.x);
    if (solve(e, h, z0, NULL, p) || solve(e, h, z0, NULL, &half) || !near(e, &half, p, h)) continue;
    int close = change(e->problem->m, start.N, p->N, NULL) < 0.35L;
    for (int i = 0; i < e->count; i++)
      close &= fabsl(half.part * h * (half.x[i] - start.x[i])) < 0.1L;
    if (close) return 0;
  }
  return 1;
}

int curve_follow(const steps_equation *e, long double h, const long double *z0,
                 guards_truth *truth) {
  point first, last, before, next;
  *truth = (guards_truth){.margin = 1};
  if (begin(e, h, z0, &first)) return 1;
  last = before = first;
  long double length = first.part / 2;
  for (int k = 0; k < 2000 && last.part < 1; k++) {
    next.part = fminl(last.part + length, 1);
    const long double slope =
        before.part < last.part ? (next.part - last.part) / (last.part - before.part) : 0;
    for (int i = 0; i < e->count; i++) next.x[i] = last.x[i] + slope * (last.x[i] - before.x[i]);
    if (!solve(e, h, z0, last.J, &next) && near(e, &last, &next, h)) {
      long double of_J, of_N;
      before = last;
      last = next;
      change(e->count, first.J, last.J, &of_J);
      change(e->problem->m, first.N, last.N, &of_N);
      truth->margin = fminl(truth->margin, fminl(of_J, of_N));
      length = fminl(1.6L * length, 1 / 5.0L);
    } else {
      length /= 2;
      if (length < 1e-5L) break;
    }
  }
  if (last.part < 1 && truth->margin > FOLD)
    return 1; /* the stages' own iteration ended, and no fold is near */
  truth->part = last.part;
  truth->reaches = last.part == 1;
  memcpy(truth->z, last.z, sizeof *last.z * 2 * e->problem->n);
  return 0;
}
