/* A plain RATTLE for the model in model.c, to read and to change.
 *
 *     cc -O2 *.c -lm && ./a.out [step [steps [every]]]
 *
 * One step from (q, p) with g = 0 and psi = {g, H} = 0:
 *     1. slide along the fibre by s, then make one step of the base map; s is such that g = 0
 *        afterwards     (SHAKE)
 *     2. slide along the fibre by r, such that psi = 0 afterwards
 *        (RATTLE)
 * The fibre through (q, p) is the flow of s_1 X_g1 + ... + s_m X_gm. If g depends on q only, it is
 * p -= g_q^T s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { ROOM = M > 0 ? M : 1, MOST_ITERATIONS = 200 };

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

/* Solves A x = b by elimination with pivoting; b becomes x. Returns 0 if A is singular. */
static int solve(double A[ROOM][ROOM], double b[ROOM]) {
  for (int k = 0; k < M; k++) {
    int pivot = k;
    for (int i = k + 1; i < M; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    if (A[pivot][k] == 0) return 0;
    for (int j = 0; j < M; j++) {
      double a = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = a;
    }
    double c = b[k];
    b[k] = b[pivot], b[pivot] = c;
    for (int i = k + 1; i < M; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < M; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = M - 1; i >= 0; i--) {
    for (int j = i + 1; j < M; j++) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return 1;
}

/* An iteration runs until its residual no longer halves: it is at round-off then, or it does not
 * converge. */
static int goes_on(double residual, double *last, int iteration) {
  int on = residual > 0 && residual < 0.5 * *last && iteration < MOST_ITERATIONS;
  *last = residual;
  return on;
}

#if HOLONOMIC
/* The fibre flow of g(q): a kick. */
static void slide(double *q, double *p, const double *s) {
  double g_q[ROOM][N], g_p[ROOM][N];
  constraint_jacobian(q, p, &g_q[0][0], &g_p[0][0]);
  for (int i = 0; i < M; i++)
    for (int k = 0; k < N; k++) p[k] -= g_q[i][k] * s[i];
}
#else
/* The fibre flow of g(q, p): q' = g_p^T s, p' = -g_q^T s over a unit of time, by Runge-Kutta steps
 * small enough for round-off (s is of the order of the time step). */
static void fibre_field(const double *z, const double *s, double *dz) {
  double g_q[ROOM][N], g_p[ROOM][N];
  constraint_jacobian(z, z + N, &g_q[0][0], &g_p[0][0]);
  memset(dz, 0, 2 * N * sizeof *dz);
  for (int i = 0; i < M; i++)
    for (int k = 0; k < N; k++) dz[k] += g_p[i][k] * s[i], dz[N + k] -= g_q[i][k] * s[i];
}

static void slide(double *q, double *p, const double *s) {
  enum { SUBSTEPS = 32 };
  double z[2 * N], y[2 * N], k1[2 * N], k2[2 * N], k3[2 * N], k4[2 * N], h = 1.0 / SUBSTEPS;
  memcpy(z, q, N * sizeof *z);
  memcpy(z + N, p, N * sizeof *z);
  for (int substep = 0; substep < SUBSTEPS; substep++) {
    fibre_field(z, s, k1);
    for (int k = 0; k < 2 * N; k++) y[k] = z[k] + h / 2 * k1[k];
    fibre_field(y, s, k2);
    for (int k = 0; k < 2 * N; k++) y[k] = z[k] + h / 2 * k2[k];
    fibre_field(y, s, k3);
    for (int k = 0; k < 2 * N; k++) y[k] = z[k] + h * k3[k];
    fibre_field(y, s, k4);
    for (int k = 0; k < 2 * N; k++) z[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  memcpy(q, z, N * sizeof *z);
  memcpy(p, z + N, N * sizeof *z);
}
#endif

/* H_q - f and H_p at (q, p), f being the forces that are no gradient of H, if there are any;
 * returns their power f . H_p. */
static double slopes(const double *q, const double *p, double *H_q, double *H_p) {
  double power = 0;
  gradient(q, p, H_q, H_p);
#if FORCED
  double f[N];
  forces(q, p, f);
  for (int k = 0; k < N; k++) H_q[k] -= f[k], power += f[k] * H_p[k];
#endif
  return power;
}

#if HOLONOMIC
/* Stoermer-Verlet; implicit if H is not separable or forces depend on momenta, by fixed-point
 * iteration (one round where it is explicit):
 *     p' = p - h/2 H_q(q, p');  q1 = q + h/2 (H_p(q, p') + H_p(q1, p'));  p1 = p' - h/2 H_q(q1, p')
 * H_q standing for H_q - f. *work: of the forces. */
static int base_map(double *q, double *p, double h, double *work) {
  double half[N], q1[N], H_q[N], H_p[N], H_p1[N], change[N], last = INFINITY;
  memcpy(half, p, sizeof half);
  for (int iteration = 0;; iteration++) {
    slopes(q, half, H_q, H_p);
    for (int k = 0; k < N; k++) change[k] = p[k] - h / 2 * H_q[k] - half[k], half[k] += change[k];
    if (!goes_on(largest(change, N), &last, iteration)) break;
  }
  if (!(last <= 1e-10 * (1 + largest(p, N)))) return 0;
  const double power = slopes(q, half, H_q, H_p);
  memcpy(q1, q, sizeof q1);
  last = INFINITY;
  for (int iteration = 0;; iteration++) {
    slopes(q1, half, H_q, H_p1);
    for (int k = 0; k < N; k++)
      change[k] = q[k] + h / 2 * (H_p[k] + H_p1[k]) - q1[k], q1[k] += change[k];
    if (!goes_on(largest(change, N), &last, iteration)) break;
  }
  if (!(last <= 1e-10 * (1 + largest(q, N)))) return 0;
  *work = h / 2 * (power + slopes(q1, half, H_q, H_p1));
  for (int k = 0; k < N; k++) q[k] = q1[k], p[k] = half[k] - h / 2 * H_q[k];
  return 1;
}
#else
/* Implicit midpoint by fixed-point iteration. */
static int base_map(double *q, double *p, double h, double *work) {
  double q1[N], p1[N], qm[N], pm[N], H_q[N], H_p[N], change[2 * N], last = INFINITY;
  memcpy(q1, q, sizeof q1);
  memcpy(p1, p, sizeof p1);
  for (int iteration = 0;; iteration++) {
    for (int k = 0; k < N; k++) qm[k] = (q[k] + q1[k]) / 2, pm[k] = (p[k] + p1[k]) / 2;
    *work = h * slopes(qm, pm, H_q, H_p);
    for (int k = 0; k < N; k++) {
      change[k] = q[k] + h * H_p[k] - q1[k], change[N + k] = p[k] - h * H_q[k] - p1[k];
      q1[k] += change[k], p1[k] += change[N + k];
    }
    if (!goes_on(largest(change, 2 * N), &last, iteration)) break;
  }
  if (!(last <= 1e-10 * (1 + largest(q, N) + largest(p, N)))) return 0;
  memcpy(q, q1, sizeof q1);
  memcpy(p, p1, sizeof p1);
  return 1;
}
#endif

/* Slides by the s for which the base map ends on g = 0. Changing s_j changes g_i there by about h
 * B_ij, B_ij = {psi_i, g_j}. */
static int shake(double *q, double *p, double h, double *work) {
  double s[ROOM] = {0}, g[ROOM] = {0}, B[ROOM][ROOM], q1[N], p1[N], last = INFINITY;
  for (int iteration = 0;; iteration++) {
    memcpy(q1, q, sizeof q1);
    memcpy(p1, p, sizeof p1);
    slide(q1, p1, s);
    if (!base_map(q1, p1, h, work)) return 0;
    constraints(q1, p1, g);
    if (!goes_on(largest(g, M), &last, iteration)) break;
    brackets(q, p, &B[0][0]);
    if (!solve(B, g)) return 0;
    for (int i = 0; i < M; i++) s[i] -= g[i] / h;
  }
  memcpy(q, q1, sizeof q1);
  memcpy(p, p1, sizeof p1);
  return last <= 1e-10;
}

/* Slides onto psi = 0. */
static int project(double *q, double *p) {
  double r[ROOM] = {0}, psi[ROOM] = {0}, B[ROOM][ROOM], q1[N], p1[N], last = INFINITY;
  for (int iteration = 0;; iteration++) {
    memcpy(q1, q, sizeof q1);
    memcpy(p1, p, sizeof p1);
    slide(q1, p1, r);
    hidden_constraints(q1, p1, psi);
    if (!goes_on(largest(psi, M), &last, iteration)) break;
    brackets(q1, p1, &B[0][0]);
    if (!solve(B, psi)) return 0;
    for (int i = 0; i < M; i++) r[i] -= psi[i];
  }
  memcpy(q, q1, sizeof q1);
  memcpy(p, p1, sizeof p1);
  return last <= 1e-10;
}

/* *work grows by that of the forces. */
static int step(double *q, double *p, double h, double *work) {
  double done = 0;
  const int good = M == 0 ? base_map(q, p, h, &done) : shake(q, p, h, &done) && project(q, p);
  *work += done;
  return good;
}

/* The energy is the balance H - work. */
static void print_point(long long k, double time, const double *q, const double *p, double work) {
  printf("%lld,%.17g", k, time);
  for (int i = 0; i < N; i++) printf(",%.17g,%.17g", q[i], p[i]);
  printf(",%.17g\n", hamiltonian(q, p) - work);
}

int main(int argc, char **argv) {
  double h = argc > 1 ? atof(argv[1]) : time_step, q[N], p[N], work = 0;
  long long steps = argc > 2 ? atoll(argv[2]) : step_count,
            every = argc > 3 ? atoll(argv[3]) : output_every;
  if (h == 0 || steps < 1 || every < 1) {
    fputs("usage: ./a.out [step [steps [every]]]\n", stderr);
    return 2;
  }
  memcpy(q, start_q, sizeof q);
  memcpy(p, start_p, sizeof p);
  printf("step,time");
  for (int i = 0; i < N; i++) printf(",%s,%s", coordinate_name[i], momentum_name[i]);
  printf(",energy\n");
  print_point(0, start_time, q, p, work);
  for (long long k = 1; k <= steps; k++) {
    if (!step(q, p, h, &work)) {
      fprintf(stderr, "step %lld, at time %.17g, did not converge; use a smaller step\n", k,
              start_time + (double)(k - 1) * h);
      return 1;
    }
    if (k % every == 0 || k == steps) print_point(k, start_time + (double)k * h, q, p, work);
  }
  return 0;
}
