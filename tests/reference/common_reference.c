/* The reference implementation. See the header for the maps; X_F = (F_p, -F_q), {F,K} = F_q.K_p -
 * F_p.K_q. */
#include "common_reference.h"

#include <math.h>
#include <string.h>

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
    for (int i = 0; i < problem->m; i++)
      jacobian[i * 2 * problem->n + j] = cimagl(value[i]) / tiny_step;
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

void reference_hidden_jacobian(const tests_problem *problem, const long double *z,
                               long double *psi_jacobian) {
  const int two_n = 2 * problem->n, m = problem->m;
  const long double d = 2e-4L;
  static const long double at[4] = {-2, -1, 1, 2},
                           weight[4] = {1 / 12.0L, -8 / 12.0L, 8 / 12.0L, -1 / 12.0L};
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

int reference_multipliers(const tests_problem *problem, const long double *z, long double *N,
                          long double *lambda) {
  const int n = problem->n, m = problem->m;
  long double Hz[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], P[TESTS_MAX_M * TESTS_MAX_2N],
      A[TESTS_MAX_M * TESTS_MAX_M];
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

/* ---- base maps ---- */

int reference_field(const void *self, const long double *z, long double *dz) {
  const tests_problem *problem = self;
  long double Hz[TESTS_MAX_2N];
  reference_gradient(problem, z, Hz);
  for (int k = 0; k < problem->n; k++) {
    dz[k] = Hz[problem->n + k];
    dz[problem->n + k] = -Hz[k];
  }
  return 0;
}

/* Symplectic Euler. a: p1 = p0 - h H_q(q0,p1), q1 = q0 + h H_p(q0,p1); adjoint: q1 = q0 + h
 * H_p(q1,p0), p1 = p0 - h H_q(q1,p0). */
static int symplectic_euler(const tests_problem *problem, int adjoint, long double h,
                            long double *z) {
  const int n = problem->n, implicit = adjoint ? 0 : n, explicit_ = adjoint ? n : 0;
  long double x[TESTS_MAX_2N], dz[TESTS_MAX_2N], last = INFINITY;
  memcpy(x, z, sizeof *x * 2 * n);
  for (int round = 0; round < 200; round++) {
    reference_field(problem, x, dz);
    long double change = 0;
    for (int k = 0; k < n; k++) {
      long double next = z[implicit + k] + h * dz[implicit + k];
      change = fmaxl(change, fabsl(next - x[implicit + k]));
      x[implicit + k] = next;
    }
    if (!isfinite(change)) return 1;
    if (change == 0 || (change < 1e-14L && change >= last)) {
      reference_field(problem, x, dz);
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
  reference_field(problem, z, first);
  for (int k = 0; k < 2 * problem->n; k++) x[k] = z[k] + h * first[k];
  reference_field(problem, x, second);
  for (int k = 0; k < 2 * problem->n; k++) z[k] += h / 2 * (first[k] + second[k]);
  return 0;
}

int reference_base_step(const tests_problem *problem, reference_base base, long double h,
                        long double *z) {
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
    return reference_gauss_step(1 + (int)base - (int)REFERENCE_GAUSS_1, reference_field, problem,
                                2 * problem->n, h, z);
  }
}

/* ---- fibres, SHAKE, RATTLE ---- */

int reference_fibre_field(const void *self, const long double *z, long double *dz) {
  const reference_direction *direction = self;
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
  reference_direction direction = {problem, s};
  long double dz[TESTS_MAX_2N], length = 0;
  reference_fibre_field(&direction, z, dz);
  for (int k = 0; k < 2 * problem->n; k++) length = fmaxl(length, fabsl(dz[k]));
  if (!(length < 20)) return 1;
  const int pieces = 1 + (int)(length / 0.1L);
  for (int i = 0; i < pieces; i++) {
    if (reference_gauss_step(8, reference_fibre_field, &direction, 2 * problem->n, 1.0L / pieces,
                             z))
      return 1;
  }
  return 0;
}

/* The equation that Newton's method solves: residual[m] at lambda, and the point reached. */
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

/* Newton with central differences; ends when the residual no longer falls; z is the best point
 * met. */
static int newton(const equation *e, long double *lambda, long double *z) {
  const int m = e->problem->m, two_n = 2 * e->problem->n;
  const long double d = 1e-5L;
  long double A[TESTS_MAX_M * TESTS_MAX_M], r[TESTS_MAX_M], up[TESTS_MAX_M], down[TESTS_MAX_M],
      x[TESTS_MAX_2N];
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

int reference_shake(const tests_problem *problem, reference_base base, long double h,
                    long double *z) {
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

int reference_rattle(const tests_problem *problem, reference_base base, long double h,
                     long double *z) {
  return reference_shake(problem, base, h, z) || reference_project(problem, z);
}
