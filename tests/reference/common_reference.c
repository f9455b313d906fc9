/* The reference implementation. See the header for the maps; X_F = (F_p, -F_q), {F,K} = F_q.K_p - F_p.K_q. */
#include "common_reference.h"

#include <math.h>
#include <string.h>

#define MAX_STAGES 8
static const long double tiny_step = 1e-30L;

/* ---- derivatives ---- */

static void lift(int n, const long double *z, tests_complex *c) {
  for (int i = 0; i < 2 * n; i++) c[i] = z[i];
}

long double reference_energy(const tests_problem *problem, const long double *z) {
  tests_complex c[TESTS_MAX_2N];
  lift(problem->n, z, c);
  return creall(problem->hamiltonian(c));
}

void reference_gradient(const tests_problem *problem, const long double *z, long double *gradient) {
  tests_complex c[TESTS_MAX_2N];
  lift(problem->n, z, c);
  for (int i = 0; i < 2 * problem->n; i++) {
    c[i] = z[i] + tiny_step * I;
    gradient[i] = cimagl(problem->hamiltonian(c)) / tiny_step;
    c[i] = z[i];
  }
}

void reference_constraint(const tests_problem *problem, const long double *z, long double *g) {
  tests_complex c[TESTS_MAX_2N], value[TESTS_MAX_M];
  if (problem->m == 0) return;
  lift(problem->n, z, c);
  problem->constraint(c, value);
  for (int i = 0; i < problem->m; i++) g[i] = creall(value[i]);
}

void reference_jacobian(const tests_problem *problem, const long double *z, long double *jacobian) {
  tests_complex c[TESTS_MAX_2N], value[TESTS_MAX_M];
  if (problem->m == 0) return;
  lift(problem->n, z, c);
  for (int j = 0; j < 2 * problem->n; j++) {
    c[j] = z[j] + tiny_step * I;
    problem->constraint(c, value);
    for (int i = 0; i < problem->m; i++) jacobian[i * 2 * problem->n + j] = cimagl(value[i]) / tiny_step;
    c[j] = z[j];
  }
}

static long double bracket(int n, const long double *F, const long double *K) {
  long double sum = 0;
  for (int k = 0; k < n; k++) sum += F[k] * K[n + k] - F[n + k] * K[k];
  return sum;
}

void reference_hidden(const tests_problem *problem, const long double *z, long double *psi) {
  long double Hz[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N];
  reference_gradient(problem, z, Hz);
  reference_jacobian(problem, z, J);
  for (int i = 0; i < problem->m; i++) psi[i] = bracket(problem->n, J + i * 2 * problem->n, Hz);
}

void reference_hidden_jacobian(const tests_problem *problem, const long double *z, long double *psi_jacobian) {
  const int two_n = 2 * problem->n, m = problem->m;
  const long double d = 2e-4L;
  static const long double at[4] = {-2, -1, 1, 2}, weight[4] = {1 / 12.0L, -8 / 12.0L, 8 / 12.0L, -1 / 12.0L};
  long double x[TESTS_MAX_2N], psi[TESTS_MAX_M];
  memset(psi_jacobian, 0, sizeof *psi_jacobian * m * two_n);
  memcpy(x, z, sizeof *x * two_n);
  for (int j = 0; j < two_n; j++) {
    for (int k = 0; k < 4; k++) {
      x[j] = z[j] + at[k] * d;
      reference_hidden(problem, x, psi);
      for (int i = 0; i < m; i++) psi_jacobian[i * two_n + j] += weight[k] * psi[i] / d;
    }
    x[j] = z[j];
  }
}

int reference_solve(int size, long double *A, long double *b) {
  for (int k = 0; k < size; k++) {
    int pivot = k;
    for (int i = k + 1; i < size; i++) {
      if (fabsl(A[i * size + k]) > fabsl(A[pivot * size + k])) pivot = i;
    }
    if (A[pivot * size + k] == 0) return 1;
    for (int j = 0; j < size && pivot != k; j++) {
      long double swap = A[k * size + j];
      A[k * size + j] = A[pivot * size + j];
      A[pivot * size + j] = swap;
    }
    long double swap = b[k];
    b[k] = b[pivot];
    b[pivot] = swap;
    for (int i = k + 1; i < size; i++) {
      long double factor = A[i * size + k] / A[k * size + k];
      for (int j = k; j < size; j++) A[i * size + j] -= factor * A[k * size + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    for (int j = k + 1; j < size; j++) b[k] -= A[k * size + j] * b[j];
    b[k] /= A[k * size + k];
  }
  return 0;
}

int reference_multipliers(const tests_problem *problem, const long double *z, long double *N, long double *lambda) {
  const int n = problem->n, m = problem->m;
  long double Hz[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], P[TESTS_MAX_M * TESTS_MAX_2N], A[TESTS_MAX_M * TESTS_MAX_M];
  reference_gradient(problem, z, Hz);
  reference_jacobian(problem, z, J);
  reference_hidden_jacobian(problem, z, P);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) A[i * m + j] = bracket(n, P + i * 2 * n, J + j * 2 * n);
    lambda[i] = -bracket(n, P + i * 2 * n, Hz);
  }
  memcpy(N, A, sizeof *A * m * m);
  return reference_solve(m, A, lambda);
}

/* ---- Gauss rules ---- */

/* Value and derivative of the Legendre polynomial of degree s on [0,1]. */
static void legendre(int s, long double x, long double *value, long double *slope) {
  long double t = 2 * x - 1, before = 1, now = t;
  for (int k = 2; k <= s; k++) {
    long double next = ((2 * k - 1) * t * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  *value = now;
  *slope = 2 * s * (t * now - before) / (t * t - 1);
}

static void gauss_nodes(int s, long double *c, long double *b) {
  for (int i = 0; i < s; i++) {
    long double value, slope, x = (1 - cosl(M_PI * (i + 0.75L) / (s + 0.5L))) / 2;
    for (int k = 0; k < 12; k++) {
      legendre(s, x, &value, &slope);
      x -= value / slope;
    }
    legendre(s, x, &value, &slope);
    c[i] = x;
    b[i] = 1 / (x * (1 - x) * slope * slope);
  }
}

/* a[i*s+j] = integral over [0, c_i] of the j-th Lagrange polynomial, by the rule itself, which is exact for it. */
static void gauss_rule(int s, long double *a, long double *b) {
  long double c[MAX_STAGES];
  gauss_nodes(s, c, b);
  for (int i = 0; i < s; i++) {
    for (int j = 0; j < s; j++) {
      a[i * s + j] = 0;
      for (int k = 0; k < s; k++) {
        long double x = c[i] * c[k], product = 1;
        for (int l = 0; l < s; l++) {
          if (l != j) product *= (x - c[l]) / (c[j] - c[l]);
        }
        a[i * s + j] += c[i] * b[k] * product;
      }
    }
  }
}

typedef int field(const void *self, const long double *z, long double *dz);

/* One Gauss step of z' = f(z), stages by fixed-point iteration to stagnation. */
static int gauss_step(int s, field *f, const void *self, int size, long double h, long double *z) {
  static struct {
    long double a[MAX_STAGES * MAX_STAGES], b[MAX_STAGES];
  } rules[MAX_STAGES + 1]; /* made at first use: tests run in one thread */
  if (rules[s].b[0] == 0) gauss_rule(s, rules[s].a, rules[s].b);
  const long double *a = rules[s].a, *b = rules[s].b;
  long double F[MAX_STAGES][TESTS_MAX_2N], x[TESTS_MAX_2N];
  if (f(self, z, F[0])) return 1;
  for (int i = 1; i < s; i++) memcpy(F[i], F[0], sizeof F[0]);
  long double last = INFINITY;
  for (int round = 0; round < 200; round++) {
    long double change = 0, before[MAX_STAGES][TESTS_MAX_2N];
    memcpy(before, F, sizeof F);
    for (int i = 0; i < s; i++) {
      for (int k = 0; k < size; k++) {
        x[k] = z[k];
        for (int j = 0; j < s; j++) x[k] += h * a[i * s + j] * before[j][k];
      }
      if (f(self, x, F[i])) return 1;
      for (int k = 0; k < size; k++) change = fmaxl(change, fabsl(h) * fabsl(F[i][k] - before[i][k]));
    }
    if (!isfinite(change)) return 1;
    if (change == 0 || (change < 1e-14L && change >= last)) {
      for (int k = 0; k < size; k++) {
        for (int i = 0; i < s; i++) z[k] += h * b[i] * F[i][k];
      }
      return 0;
    }
    last = change;
  }
  return 1;
}

/* ---- base maps ---- */

static int hamiltonian_field(const void *self, const long double *z, long double *dz) {
  const tests_problem *problem = self;
  long double Hz[TESTS_MAX_2N];
  reference_gradient(problem, z, Hz);
  for (int k = 0; k < problem->n; k++) {
    dz[k] = Hz[problem->n + k];
    dz[problem->n + k] = -Hz[k];
  }
  return 0;
}

/* Symplectic Euler. a: p1 = p0 - h H_q(q0,p1), q1 = q0 + h H_p(q0,p1); adjoint: q1 = q0 + h H_p(q1,p0), p1 = p0 - h H_q(q1,p0).
 */
static int symplectic_euler(const tests_problem *problem, int adjoint, long double h, long double *z) {
  const int n = problem->n, implicit = adjoint ? 0 : n, explicit_ = adjoint ? n : 0;
  long double x[TESTS_MAX_2N], dz[TESTS_MAX_2N], last = INFINITY;
  memcpy(x, z, sizeof *x * 2 * n);
  for (int round = 0; round < 200; round++) {
    hamiltonian_field(problem, x, dz);
    long double change = 0;
    for (int k = 0; k < n; k++) {
      long double next = z[implicit + k] + h * dz[implicit + k];
      change = fmaxl(change, fabsl(next - x[implicit + k]));
      x[implicit + k] = next;
    }
    if (!isfinite(change)) return 1;
    if (change == 0 || (change < 1e-14L && change >= last)) {
      hamiltonian_field(problem, x, dz);
      for (int k = 0; k < n; k++) {
        z[implicit + k] = x[implicit + k];
        z[explicit_ + k] += h * dz[explicit_ + k];
      }
      return 0;
    }
    last = change;
  }
  return 1;
}

static int heun(const tests_problem *problem, long double h, long double *z) {
  long double first[TESTS_MAX_2N], second[TESTS_MAX_2N], x[TESTS_MAX_2N];
  hamiltonian_field(problem, z, first);
  for (int k = 0; k < 2 * problem->n; k++) x[k] = z[k] + h * first[k];
  hamiltonian_field(problem, x, second);
  for (int k = 0; k < 2 * problem->n; k++) z[k] += h / 2 * (first[k] + second[k]);
  return 0;
}

int reference_base_step(const tests_problem *problem, reference_base base, long double h, long double *z) {
  switch (base) {
  case REFERENCE_EULER_A:
    return symplectic_euler(problem, 0, h, z);
  case REFERENCE_EULER_B:
    return symplectic_euler(problem, 1, h, z);
  case REFERENCE_VERLET_A:
    return symplectic_euler(problem, 0, h / 2, z) || symplectic_euler(problem, 1, h / 2, z);
  case REFERENCE_VERLET_B:
    return symplectic_euler(problem, 1, h / 2, z) || symplectic_euler(problem, 0, h / 2, z);
  case REFERENCE_HEUN:
    return heun(problem, h, z);
  default:
    return gauss_step(1 + (int)base - (int)REFERENCE_GAUSS_1, hamiltonian_field, problem, 2 * problem->n, h, z);
  }
}

/* ---- fibres, SHAKE, RATTLE ---- */

typedef struct fibre_direction {
  const tests_problem *problem;
  const long double *s;
} fibre_direction;

static int fibre_field(const void *self, const long double *z, long double *dz) {
  const fibre_direction *direction = self;
  const int n = direction->problem->n;
  long double J[TESTS_MAX_M * TESTS_MAX_2N];
  reference_jacobian(direction->problem, z, J);
  memset(dz, 0, sizeof *dz * 2 * n);
  for (int i = 0; i < direction->problem->m; i++) {
    for (int k = 0; k < n; k++) {
      dz[k] += direction->s[i] * J[i * 2 * n + n + k];
      dz[n + k] -= direction->s[i] * J[i * 2 * n + k];
    }
  }
  return 0;
}

int reference_slide(const tests_problem *problem, const long double *s, long double *z) {
  fibre_direction direction = {problem, s};
  long double dz[TESTS_MAX_2N], length = 0;
  fibre_field(&direction, z, dz);
  for (int k = 0; k < 2 * problem->n; k++) length = fmaxl(length, fabsl(dz[k]));
  if (!(length < 20)) return 1;
  const int pieces = 1 + (int)(length / 0.1L);
  for (int i = 0; i < pieces; i++) {
    if (gauss_step(8, fibre_field, &direction, 2 * problem->n, 1.0L / pieces, z)) return 1;
  }
  return 0;
}

/* What Newton solves for: residual[m] at lambda, and the point reached. */
typedef struct equation {
  const tests_problem *problem;
  const long double *z0;
  int hidden; /* 0: g(phi_h(slide(z0))) = 0, 1: psi(slide(z0)) = 0 */
  reference_base base;
  long double h;
} equation;

static int residual(const equation *e, const long double *lambda, long double *z, long double *r) {
  long double s[TESTS_MAX_M];
  for (int i = 0; i < e->problem->m; i++) s[i] = e->h * lambda[i];
  memcpy(z, e->z0, sizeof *z * 2 * e->problem->n);
  if (reference_slide(e->problem, s, z)) return 1;
  if (e->hidden) {
    reference_hidden(e->problem, z, r);
    return 0;
  }
  if (reference_base_step(e->problem, e->base, e->h, z)) return 1;
  reference_constraint(e->problem, z, r);
  return 0;
}

/* Newton with central differences; ends when the residual no longer falls; z is the best point met. */
static int newton(const equation *e, long double *lambda, long double *z) {
  const int m = e->problem->m, two_n = 2 * e->problem->n;
  const long double d = 1e-5L;
  long double A[TESTS_MAX_M * TESTS_MAX_M], r[TESTS_MAX_M], up[TESTS_MAX_M], down[TESTS_MAX_M], x[TESTS_MAX_2N];
  long double tried[TESTS_MAX_M], best = INFINITY;
  memcpy(tried, lambda, sizeof *tried * m);
  for (int round = 0; round < 40; round++) {
    if (residual(e, tried, x, r)) return 1;
    long double size = 0;
    for (int i = 0; i < m; i++) size = fmaxl(size, fabsl(r[i]));
    if (round > 2 && size >= best) return !(best < 1e-16L);
    if (size < best) {
      best = size;
      memcpy(lambda, tried, sizeof *tried * m);
      memcpy(z, x, sizeof *x * two_n);
    }
    if (size == 0) return 0;
    for (int j = 0; j < m; j++) {
      long double moved[TESTS_MAX_M];
      memcpy(moved, tried, sizeof tried);
      moved[j] = tried[j] + d;
      if (residual(e, moved, x, up)) return 1;
      moved[j] = tried[j] - d;
      if (residual(e, moved, x, down)) return 1;
      for (int i = 0; i < m; i++) A[i * m + j] = (up[i] - down[i]) / (2 * d);
    }
    if (reference_solve(m, A, r)) return 1;
    for (int i = 0; i < m; i++) tried[i] -= r[i];
  }
  return 1;
}

int reference_shake(const tests_problem *problem, reference_base base, long double h, long double *z) {
  long double lambda[TESTS_MAX_M] = {0}, z0[TESTS_MAX_2N];
  if (problem->m == 0) return reference_base_step(problem, base, h, z);
  memcpy(z0, z, sizeof *z0 * 2 * problem->n);
  return newton(&(equation){problem, z0, 0, base, h}, lambda, z);
}

int reference_project(const tests_problem *problem, long double *z) {
  long double sigma[TESTS_MAX_M] = {0}, z0[TESTS_MAX_2N];
  if (problem->m == 0) return 0;
  memcpy(z0, z, sizeof *z0 * 2 * problem->n);
  return newton(&(equation){problem, z0, 1, REFERENCE_EULER_A, 1}, sigma, z);
}

int reference_rattle(const tests_problem *problem, reference_base base, long double h, long double *z) {
  return reference_shake(problem, base, h, z) || reference_project(problem, z);
}

/* ---- start and exact flow ---- */

/* z moves by J^T (J J^T)^{-1} g until g is at round-off. */
static int onto_constraints(const tests_problem *problem, long double *z) {
  const int m = problem->m, two_n = 2 * problem->n;
  long double J[TESTS_MAX_M * TESTS_MAX_2N], A[TESTS_MAX_M * TESTS_MAX_M], g[TESTS_MAX_M], size = INFINITY;
  for (int round = 0; round < 30; round++) {
    reference_constraint(problem, z, g);
    size = 0;
    for (int i = 0; i < m; i++) size = fmaxl(size, fabsl(g[i]));
    if (size < 1e-18L) return 0;
    reference_jacobian(problem, z, J);
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) {
        A[i * m + j] = 0;
        for (int k = 0; k < two_n; k++) A[i * m + j] += J[i * two_n + k] * J[j * two_n + k];
      }
    }
    if (reference_solve(m, A, g)) return 1;
    for (int k = 0; k < two_n; k++) {
      for (int i = 0; i < m; i++) z[k] -= J[i * two_n + k] * g[i];
    }
  }
  return !(size < 1e-17L);
}

int reference_start(const tests_problem *problem, double *q, double *p) {
  long double z[TESTS_MAX_2N];
  for (int k = 0; k < 2 * problem->n; k++) z[k] = problem->near[k];
  if (problem->m > 0 && (onto_constraints(problem, z) || reference_project(problem, z))) return 1;
  for (int k = 0; k < problem->n; k++) {
    q[k] = (double)z[k];
    p[k] = (double)z[problem->n + k];
  }
  return 0;
}

static int underlying_field(const void *self, const long double *z, long double *dz) {
  const tests_problem *problem = self;
  long double N[TESTS_MAX_M * TESTS_MAX_M], lambda[TESTS_MAX_M], along[TESTS_MAX_2N];
  hamiltonian_field(problem, z, dz);
  if (problem->m == 0) return 0;
  if (reference_multipliers(problem, z, N, lambda)) return 1;
  fibre_field(&(fibre_direction){problem, lambda}, z, along);
  for (int k = 0; k < 2 * problem->n; k++) dz[k] += along[k];
  return 0;
}

int reference_flow(const tests_problem *problem, long double t, int steps, long double *z) {
  for (int i = 0; i < steps; i++) {
    if (gauss_step(8, underlying_field, problem, 2 * problem->n, t / steps, z)) return 1;
  }
  return 0;
}
