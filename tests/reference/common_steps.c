/* See common_steps.h. Symbols: s stages, Z = (Q, P) at the stages [s][2n], F = H_q + G^T L. */
#include "common_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S = STEPS_MOST_STAGES, Z = TESTS_MAX_2N, M = TESTS_MAX_M };

/* ---- the pair ---- */

static long double power(long double x, int k) {
  long double y = 1;
  while (k-- > 0) y *= x;
  return y;
}

void steps_lobatto(int s, long double *c, long double *b, long double a[S][S],
                   long double ahat[S][S]) {
  const long double five = sqrtl(5) / 10, seven = sqrtl(21) / 14;
  const long double nodes[S - 1][S] = {{0, 1},
                                       {0, 0.5L, 1},
                                       {0, 0.5L - five, 0.5L + five, 1},
                                       {0, 0.5L - seven, 0.5L, 0.5L + seven, 1}};
  long double A[S * S], x[S];
  memcpy(c, nodes[s - 2], sizeof *c * s);
  for (int i = -1; i < s;
       i++) { /* the weights, then the rows of a: moments of the integrals from 0 to 1, to c_i */
    for (int k = 0; k < s; k++) {
      for (int j = 0; j < s; j++) A[k * s + j] = power(c[j], k);
      x[k] = power(i < 0 ? 1 : c[i], k + 1) / (k + 1);
    }
    if (reference_solve(s, A, x)) abort();
    memcpy(i < 0 ? b : a[i], x, sizeof *x * s);
  }
  for (int j = 0; j < s; j++) { /* the columns of ahat */
    for (int k = 0; k < s; k++) {
      for (int i = 0; i < s; i++) A[k * s + i] = b[i] * power(c[i], k);
      x[k] = b[j] * (1 - power(c[j], k + 1)) / (k + 1);
    }
    if (reference_solve(s, A, x)) abort();
    for (int i = 0; i < s; i++) ahat[i][j] = x[i];
  }
}

/* ---- spark ---- */

/* H_p, and F with the multipliers L, at z */
static void slopes(const tests_problem *problem, const long double *z, const long double *L,
                   long double *Hp, long double *F) {
  const int n = problem->n;
  long double gradient[Z], J[M * Z];
  reference_gradient(problem, z, gradient);
  reference_jacobian(problem, z, J);
  for (int k = 0; k < n; k++) {
    Hp[k] = gradient[n + k];
    F[k] = gradient[k];
    for (int i = 0; i < problem->m; i++) F[k] += J[i * 2 * n + k] * L[i];
  }
}

/* Stages by fixed-point iteration to stagnation. */
static int spark_stages(const steps_equation *e, long double h, const long double *z0,
                        const long double *x, long double stage[S][Z], long double F[S][Z]) {
  const int n = e->problem->n, m = e->problem->m, s = e->stages;
  long double Hp[S][Z], last = INFINITY;
  for (int i = 0; i < s; i++) memcpy(stage[i], z0, sizeof *z0 * 2 * n);
  for (int round = 0; round < 300; round++) {
    long double change = 0, size = 1;
    for (int i = 0; i < s; i++) slopes(e->problem, stage[i], x + i * m, Hp[i], F[i]);
    for (int i = 0; i < s; i++)
      for (int k = 0; k < 2 * n; k++) {
        long double next = z0[k];
        for (int j = 0; j < s; j++)
          next += k < n ? h * e->a[i][j] * Hp[j][k] : -h * e->ahat[i][j] * F[j][k - n];
        change = fmaxl(change, fabsl(next - stage[i][k]));
        size = fmaxl(size, fabsl(next));
        stage[i][k] = next;
      }
    if (!isfinite(change) || (round > 20 && change > 1e-3L && change > 0.8L * last)) return 1;
    if (change == 0 || (change < 1e-15L * size && change >= last)) return 0;
    last = change;
  }
  return 1;
}

static int spark_residual(const steps_equation *e, long double h, const long double *z0,
                          const long double *x, long double *z1, long double *r) {
  const int n = e->problem->n, m = e->problem->m, s = e->stages;
  long double stage[S][Z], F[S][Z];
  if (spark_stages(e, h, z0, x, stage, F)) return 1;
  memcpy(z1, stage[s - 1], sizeof *z1 * n);
  for (int k = 0; k < n; k++) {
    z1[n + k] = z0[n + k];
    for (int i = 0; i < s; i++) z1[n + k] -= h * e->b[i] * F[i][k];
  }
  for (int i = 1; i < s; i++) reference_constraint(e->problem, stage[i], r + (i - 1) * m);
  reference_hidden(e->problem, z1, r + (s - 1) * m);
  for (int i = 0; i < s * m; i++) r[i] /= i < (s - 1) * m ? h * h : h;
  return 0;
}

steps_equation steps_spark(const tests_problem *problem, int stages) {
  steps_equation e = {.problem = problem,
                      .stages = stages,
                      .count = stages * problem->m,
                      .residual = spark_residual};
  steps_lobatto(stages, e.c, e.b, e.a, e.ahat);
  return e;
}

/* ---- discrete gradient ---- */

/* |H_pp| of pair k at z, by differences of order 4; 0 where H_p does not move. */
static long double bend(const tests_problem *problem, const long double *z, int k) {
  static const long double by = 1e-3L;
  const int at = problem->n + k;
  long double moved[Z], slope[4][Z];
  memcpy(moved, z, sizeof *z * 2 * problem->n);
  for (int j = 0; j < 4; j++) {
    moved[at] = z[at] + (j < 2 ? 1 + j : 1 - j) * by;
    reference_gradient(problem, moved, slope[j]);
  }
  return fabsl(8 * (slope[0][at] - slope[2][at]) - (slope[1][at] - slope[3][at])) / (12 * by);
}

/* The metric W at the middle z: 1 for a coordinate, r^2 for its momentum, r = 1, but between 0.1 a
 * h and 10^4 a h, a = |H_pp|, if that is not 0. */
static void metric(const tests_problem *problem, long double h, const long double *z,
                   long double *W) {
  const int n = problem->n;
  for (int k = 0; k < n; k++) {
    const long double a = bend(problem, z, k), step = a * fabsl(h);
    const long double ratio = a > 1e-12L ? fminl(fmaxl(1, 0.1L * step), 10000 * step) : 1;
    W[k] = 1;
    W[n + k] = ratio * ratio;
  }
}

/* A chord and its metric. */
typedef struct chord {
  long double d[Z], W[Z];
} chord;

/* total += weight (slope + part W d (difference - slope.d)/d.W d) */
static void add(const steps_equation *e, const chord *c, const long double *slope,
                long double difference, long double weight, long double *total) {
  const int two_n = 2 * e->problem->n;
  long double along = difference, length = 0;
  for (int k = 0; k < two_n; k++) {
    along -= slope[k] * c->d[k];
    length += c->W[k] * c->d[k] * c->d[k];
  }
  for (int k = 0; k < two_n; k++)
    total[k] +=
        weight * (slope[k] + (length > 0 ? e->part * along / length * c->W[k] * c->d[k] : 0));
}

static int discrete_residual(const steps_equation *e, long double h, const long double *z0,
                             const long double *x, long double *z1, long double *r) {
  const tests_problem *of = e->problem;
  const int n = of->n, m = of->m;
  const long double *lambda = x + 2 * n, *mu = lambda + m;
  long double slope[Z], J[M * Z], P[M * Z], g0[M], g1[M], psi0[M], psi1[M], middle[Z] = {0},
                                                                            total[Z] = {0};
  chord c;
  for (int k = 0; k < 2 * n; k++) {
    c.d[k] = h * x[k];
    middle[k] = z0[k] + c.d[k] / 2;
    z1[k] = z0[k] + c.d[k];
  }
  metric(of, h, middle, c.W);
  reference_gradient(of, middle, slope);
  reference_jacobian(of, middle, J);
  reference_hidden_jacobian(of, middle, P);
  reference_constraint(of, z0, g0);
  reference_constraint(of, z1, g1);
  reference_hidden(of, z0, psi0);
  reference_hidden(of, z1, psi1);
  add(e, &c, slope, reference_energy(of, z1) - reference_energy(of, z0), 1, total);
  for (int i = 0; i < m; i++) {
    add(e, &c, J + i * 2 * n, g1[i] - g0[i], lambda[i], total);
    add(e, &c, P + i * 2 * n, psi1[i] - psi0[i], mu[i], total);
    r[2 * n + i] = g1[i] / h;
    r[2 * n + m + i] = psi1[i] / h;
  }
  for (int k = 0; k < 2 * n; k++) r[k] = x[k] - (k < n ? total[n + k] : -total[k - n]);
  return 0;
}

steps_equation steps_discrete_gradient(const tests_problem *problem, int unused) {
  const int body = 2 * problem->n;
  (void)unused;
  return (steps_equation){.problem = problem,
                          .count = body + 2 * problem->m,
                          .body = body,
                          .part = 1,
                          .residual = discrete_residual};
}

/* ---- multipliers ---- */

/* J (H' + sum_i lambda_i g_i') */
static void motion(const tests_problem *problem, const long double *z, const long double *lambda,
                   long double *slope) {
  const int n = problem->n;
  long double total[Z], J[M * Z];
  reference_gradient(problem, z, total);
  reference_jacobian(problem, z, J);
  for (int i = 0; i < problem->m; i++)
    for (int k = 0; k < 2 * n; k++) total[k] += lambda[i] * J[i * 2 * n + k];
  for (int k = 0; k < 2 * n; k++) slope[k] = k < n ? total[n + k] : -total[k - n];
}

int steps_guess(const steps_equation *e, const long double *z0, long double *x) {
  const int m = e->problem->m, body = e->body, moving = body ? body + m : e->count;
  long double N[M * M], lambda[M];
  if (reference_multipliers(e->problem, z0, N, lambda)) return 1;
  for (int i = body; i < e->count; i++) x[i] = i < moving ? lambda[(i - body) % m] : 0;
  if (body) motion(e->problem, z0, lambda, x);
  return 0;
}

int steps_derivative(const steps_equation *e, long double h, const long double *z0,
                     const long double *x, long double *A) {
  const int count = e->count;
  const long double d = 1e-6L / fabsl(h);
  long double moved[STEPS_MOST], z1[Z], up[STEPS_MOST], down[STEPS_MOST];
  memcpy(moved, x, sizeof *x * count);
  for (int j = 0; j < count; j++) {
    moved[j] = x[j] + d;
    if (e->residual(e, h, z0, moved, z1, up)) return 1;
    moved[j] = x[j] - d;
    if (e->residual(e, h, z0, moved, z1, down)) return 1;
    moved[j] = x[j];
    for (int i = 0; i < count; i++) A[i * count + j] = (up[i] - down[i]) / (2 * d);
  }
  return 0;
}

int steps_newton(const steps_equation *e, long double h, const long double *z0, int rounds,
                 const long double *matrix, long double *x, long double *z1) {
  long double A[STEPS_MOST * STEPS_MOST], r[STEPS_MOST], tried[STEPS_MOST], z[Z], best = INFINITY;
  memcpy(tried, x, sizeof *x * e->count);
  for (int round = 0; round < rounds; round++) {
    long double size = 0;
    if (e->residual(e, h, z0, tried, z, r)) return 1;
    for (int i = 0; i < e->count; i++) size = fmaxl(size, fabsl(r[i]));
    if (!isfinite(size) || (matrix && round && size > 0.5L * best && size * fabsl(h) > 1e-10L))
      return 1;
    if (round > 1 && size * fabsl(h) < 1e-13L && size >= best) return 0;
    if (size < best) {
      best = size;
      memcpy(x, tried, sizeof *x * e->count);
      memcpy(z1, z, sizeof *z * 2 * e->problem->n);
    }
    if (size == 0) return 0;
    if (matrix) memcpy(A, matrix, sizeof *A * e->count * e->count);
    if ((!matrix && steps_derivative(e, h, z0, tried, A)) || reference_solve(e->count, A, r))
      return 1;
    for (int i = 0; i < e->count; i++) tried[i] -= r[i];
  }
  return 1;
}

int steps_step(const steps_equation *e, long double h, long double *z) {
  long double x[STEPS_MOST], z0[Z];
  memcpy(z0, z, sizeof *z * 2 * e->problem->n);
  return steps_guess(e, z0, x) || steps_newton(e, h, z0, 40, NULL, x, z);
}
