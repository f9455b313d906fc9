/* Following the multipliers of a step, and the usual indicators. Symbols as in common_guards.h; x =
 * (lambda, sigma). */
#include "common_guards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = TESTS_MAX_M, Z = TESTS_MAX_2N };

typedef struct equation {
  const guards_problem *problem;
  const long double *z0;
  int hidden; /* 0: g(phi_h(slide(z0)))/h^2 = 0 for lambda, 1: psi(slide(z0))/h = 0 for sigma */
  reference_base base;
  long double h;
} equation;

static int slide(const guards_problem *problem, long double h, const long double *x,
                 long double *z) {
  long double s[M];
  for (int i = 0; i < problem->of.m; i++) s[i] = h * x[i];
  return problem->slide ? problem->slide(&problem->of, s, z) : reference_slide(&problem->of, s, z);
}

static int residual(const equation *e, const long double *x, long double *z, long double *r) {
  const tests_problem *of = &e->problem->of;
  const long double scale = e->hidden ? e->h : e->h * e->h;
  memcpy(z, e->z0, sizeof *z * 2 * of->n);
  if (slide(e->problem, e->h, x, z)) return 1;
  if (!e->hidden && reference_base_step(of, e->base, e->h, z)) return 1;
  if (e->hidden)
    reference_hidden(of, z, r);
  else
    reference_constraint(of, z, r);
  for (int i = 0; i < of->m; i++) r[i] /= scale;
  return 0;
}

static int derivative(const equation *e, const long double *x, long double *A) {
  const int m = e->problem->of.m;
  const long double d = 1e-6L / fabsl(e->h);
  long double moved[M], z[Z], up[M], down[M];
  memcpy(moved, x, sizeof *x * m);
  for (int j = 0; j < m; j++) {
    moved[j] = x[j] + d;
    if (residual(e, moved, z, up)) return 1;
    moved[j] = x[j] - d;
    if (residual(e, moved, z, down)) return 1;
    moved[j] = x[j];
    for (int i = 0; i < m; i++) A[i * m + j] = (up[i] - down[i]) / (2 * d);
  }
  return 0;
}

static long double determinant(int m, const long double *A) {
  if (m == 1) return A[0];
  if (m == 2) return A[0] * A[3] - A[1] * A[2];
  long double sum = 0;
  for (int i = 0; i < 3; i++)
    sum +=
        A[i] * (A[3 + (i + 1) % 3] * A[6 + (i + 2) % 3] - A[3 + (i + 2) % 3] * A[6 + (i + 1) % 3]);
  return sum;
}

/* Newton from x; A is the derivative at the solution, z the point there. Returns 1 if it does not
 * converge. */
static int newton(const equation *e, int rounds, long double *x, long double *z, long double *A) {
  const int m = e->problem->of.m;
  long double r[M], best = INFINITY;
  for (int round = 0; round < rounds; round++) {
    long double size = 0, moved = 0, B[M * M];
    if (residual(e, x, z, r)) return 1;
    for (int i = 0; i < m; i++) size = fmaxl(size, fabsl(r[i]));
    if (!isfinite(size)) return 1;
    if (size * fabsl(e->h) < 1e-15L || (size < 1e-11L && size >= best)) return derivative(e, x, A);
    best = fminl(best, size);
    if (derivative(e, x, B) || reference_solve(m, B, r)) return 1;
    for (int i = 0; i < m; i++) {
      x[i] -= r[i];
      moved = fmaxl(moved, fabsl(r[i]));
    }
    if (!isfinite(moved)) return 1;
  }
  return 1;
}

/* One point of the curve. */
typedef struct point {
  long double part, x[2 * M], J[M * M], K[M * M], N[M * M], z[Z];
} point;

static int solve(const guards_problem *problem, reference_base base, long double h,
                 const long double *z0, point *p) {
  const int m = problem->of.m;
  long double S[Z], unused[M];
  const equation first = {problem, z0, 0, base, p->part * h},
                 second = {problem, S, 1, base, p->part * h};
  if (newton(&first, 8, p->x, S, p->J)) return 1;
  if (newton(&second, 8, p->x + m, p->z, p->K)) return 1;
  return reference_multipliers(&problem->of, p->z, p->N, unused);
}

/* |A^-1 B - 1|, the sum of magnitudes */
static long double change(int m, const long double *A, const long double *B) {
  long double sum = 0;
  for (int j = 0; j < m; j++) {
    long double C[M * M], b[M];
    memcpy(C, A, sizeof *A * m * m);
    for (int i = 0; i < m; i++) b[i] = B[i * m + j];
    if (reference_solve(m, C, b)) return INFINITY;
    for (int i = 0; i < m; i++) sum += fabsl(b[i] - (i == j));
  }
  return sum;
}

static int near(int m, const point *a, const point *b, long double h) {
  for (int i = 0; i < 2 * m; i++) {
    if (!(fabsl(h) * fabsl(a->part * a->x[i] - b->part * b->x[i]) < 0.1L)) return 0;
  }
  return change(m, a->J, b->J) < 0.35L && change(m, a->K, b->K) < 0.35L &&
         change(m, a->N, b->N) < 0.35L;
}

static long double margin(int m, const point *a, const point *b) {
  return fminl(fminl(fabsl(determinant(m, b->J) / determinant(m, a->J)),
                     fabsl(determinant(m, b->K) / determinant(m, a->K))),
               fabsl(determinant(m, b->N) / determinant(m, a->N)));
}

/* The first point: at z0 itself the matrices are N up to factors, so one is near when halving the
 * piece changes little. */
static int begin(const guards_problem *problem, reference_base base, long double h,
                 const long double *z0, point *p) {
  const int m = problem->of.m;
  point half, start = {0};
  if (reference_multipliers(&problem->of, z0, start.N, start.x)) return 1;
  for (long double part = 1 / 16.0L; part > 1e-6L; part /= 4) {
    *p = (point){.part = part};
    half = (point){.part = part / 2};
    for (int i = 0; i < 2 * m; i++) p->x[i] = half.x[i] = start.x[i % m] / 2;
    if (!solve(problem, base, h, z0, p) && !solve(problem, base, h, z0, &half) &&
        near(m, &half, p, h) && change(m, start.N, p->N) < 0.35L) {
      int close = 1; /* to the limit for h' -> 0 */
      for (int i = 0; i < 2 * m; i++)
        close &= fabsl(half.part * h * (half.x[i] - start.x[i % m] / 2)) < 0.05L;
      if (close) return 0;
    }
  }
  return 1;
}

int guards_follow(const guards_problem *problem, reference_base base, long double h,
                  const long double *z0, guards_truth *truth) {
  const int m = problem->of.m;
  point first, last, before, next;
  *truth = (guards_truth){.margin = 1};
  if (begin(problem, base, h, z0, &first)) return 1;
  last = before = first;
  long double length = first.part / 2;
  for (int k = 0; k < 2000 && last.part < 1; k++) {
    next.part = fminl(last.part + length, 1);
    long double slope =
        before.part < last.part ? (next.part - last.part) / (last.part - before.part) : 0;
    for (int i = 0; i < 2 * m; i++) next.x[i] = last.x[i] + slope * (last.x[i] - before.x[i]);
    if (!solve(problem, base, h, z0, &next) && near(m, &last, &next, h)) {
      before = last;
      last = next;
      truth->margin = fminl(truth->margin, margin(m, &first, &last));
      length = fminl(1.6L * length, 1 / 10.0L);
    } else {
      length /= 2;
      if (length < 1e-8L) break;
    }
  }
  truth->part = last.part;
  truth->reaches = last.part == 1;
  memcpy(truth->z, last.z, sizeof *last.z * 2 * problem->of.n);
  return 0;
}

/* ---- common alternatives ---- */

static int careless(const guards_problem *problem, reference_base base, long double h,
                    const long double *z0, long double *x, long double *S, long double *z1) {
  const int m = problem->of.m;
  long double A[M * M];
  const equation first = {problem, z0, 0, base, h}, second = {problem, S, 1, base, h};
  memset(x, 0, sizeof *x * 2 * m);
  return newton(&first, 40, x, S, A) || newton(&second, 40, x + m, z1, A);
}

/* Whether det of e's derivative changes sign between 0 and x. */
static int crosses(const equation *e, const long double *x) {
  enum { SAMPLES = 16 };
  const int m = e->problem->of.m;
  long double A[M * M], y[M], start = 0;
  for (int k = 0; k <= SAMPLES; k++) {
    for (int i = 0; i < m; i++) y[i] = x[i] * k / SAMPLES;
    if (derivative(e, y, A)) return 1;
    if (k == 0) start = determinant(m, A);
    if (!(determinant(m, A) / start > 0)) return 1;
  }
  return 0;
}

void guards_opine(const guards_problem *problem, reference_base base, long double h,
                  const long double *z0, long double usual, guards_opinion *opinion) {
  const tests_problem *of = &problem->of;
  long double x[2 * M], S[Z], z1[Z], N0[M * M], N1[M * M], unused[M];
  *opinion = (guards_opinion){.newton = 1};
  if (careless(problem, base, h, z0, x, S, z1)) return;
  opinion->newton = 0;
  opinion->converged = 1;
  const equation first = {problem, z0, 0, base, h}, second = {problem, S, 1, base, h};
  opinion->segment = crosses(&first, x) || crosses(&second, x + of->m);
  if (!reference_multipliers(of, z0, N0, unused) && !reference_multipliers(of, z1, N1, unused))
    opinion->sign = !(determinant(of->m, N0) * determinant(of->m, N1) > 0);
  opinion->energy =
      fabsl(reference_energy(of, z1) - reference_energy(of, z0)) > fmaxl(20 * usual, 1e-9L);
  long double back[Z], apart = 0;
  opinion->reversal = careless(problem, base, -h, z1, x, S, back);
  for (int i = 0; i < 2 * of->n; i++) apart = fmaxl(apart, fabsl(back[i] - z0[i]));
  opinion->reversal |= !(apart < 1e-8L);
}
