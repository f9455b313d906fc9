/* The potential with the logarithm of the measure where masses are those of a metric, as functions
 * and as an expression, and in coordinates in which these masses are one: gradients by complex
 * steps of determinants by hand. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opened.h"
#include "problem/functions/remassed.h"
#include "problem/functions/whitened.h"

enum { MOST = 6, ROWS = 3 };
static const double c = 0.7;

typedef struct target {
  const char *text;
  int n, m;
  double q[MOST];
  double complex (*gradients)(const double complex *q, double complex (*G)[MOST]); /* V */
} target;

/* grad g = 4 s q - 8 (x, y, 0), s = |q|^2 + 3/4 */
static double complex torus_gradients(const double complex *q, double complex (*G)[MOST]) {
  const double complex s = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + 0.75;
  for (int i = 0; i < 3; i++) G[0][i] = 4 * s * q[i] - (i < 2 ? 8 * q[i] : 0);
  return 0.3 * q[0];
}

/* Two orthonormal vectors, with a constraint in its own units. */
static double complex frame_gradients(const double complex *q, double complex (*G)[MOST]) {
  for (int i = 0; i < 3; i++) {
    G[0][i] = 2e3 * q[i], G[0][3 + i] = G[1][i] = 0, G[1][3 + i] = 2 * q[3 + i];
    G[2][i] = q[3 + i], G[2][3 + i] = q[i];
  }
  return q[0] + q[4] * q[4];
}

static const target targets[] = {
    {"local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
     "hamiltonian(px^2/2 + py^2/2 + pz^2/8 + 0.3*x)\n"
     "constrain('torus', (x^2 + y^2 + z^2 + 0.75)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n",
     3,
     1,
     {1.1, 0.4, 0.3},
     torus_gradients},
    {"local a, b, H = {}, {}, 0\n"
     "for i = 1, 3 do local p a[i], p = pair('a' .. i) H = H + p^2/2 end\n"
     "for i = 1, 3 do local p b[i], p = pair('b' .. i) H = H + p^2/4 end\n"
     "local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end\n"
     "hamiltonian(H + a[1] + b[2]^2) constrain('a', 1e3*(dot(a, a) - 1))\n"
     "constrain('b', dot(b, b) - 1) constrain('ab', dot(a, b)) start{a1 = 1, b2 = 1}\n",
     6,
     3,
     {0.9, 0.1, -0.3, 0.2, 0.8, 0.1},
     frame_gradients}};

/* log det(G W G^T) */
static double complex log_gram(const target *t, const double complex (*G)[MOST], const double *W) {
  double complex A[ROWS][ROWS], sum = 0;
  for (int i = 0; i < t->m; i++)
    for (int j = 0; j < t->m; j++) {
      A[i][j] = 0;
      for (int k = 0; k < t->n; k++)
        for (int l = 0; l < t->n; l++) A[i][j] += G[i][k] * W[k * t->n + l] * G[j][l];
    }
  for (int k = 0; k < t->m; k++) {
    for (int i = k + 1; i < t->m; i++)
      for (int j = t->m; j-- > k;) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    sum += clog(A[k][k]);
  }
  return sum;
}

static double complex by_hand(const target *t, const double *W, const double complex *q) {
  double complex G[ROWS][MOST];
  const double complex V = t->gradients(q, G);
  return V + c * log_gram(t, (const double complex(*)[MOST])G, W);
}

/* W with entries that are 0, n large; or its diagonal. */
static void make_metric(int n, int dense, double *W, double *L) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      L[i * n + j] = i == j ? 0.6 + 0.3 * i : j < i && dense && i + j != 2 ? 0.2 * (i - 2 * j) : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[i * n + j] = 0;
      for (int k = 0; k < n; k++) W[i * n + j] += L[i * n + k] * L[j * n + k];
    }
}

/* V of a problem at y, q = L y; L NULL: y is q. */
static void compare(const target *t, const rattle_problem *problem, const double *W,
                    const double *L, const double *y) {
  const int n = t->n;
  double dU[MOST], U, alone, *work = calloc(problem->V->work + 1, sizeof *work);
  double complex q[MOST];
  assert_non_null(work);
  assert_int_equal(problem->V->jacobian(problem->V, y, &U, dU, work), 0);
  assert_int_equal(problem->V->value(problem->V, y, &alone, work), 0);
  for (int l = -1; l < n; l++) {
    const double h = 1e-30;
    for (int i = 0; i < n; i++) {
      q[i] = L ? 0 : y[i] + (i == l ? h * I : 0);
      for (int j = 0; j < n && L; j++) q[i] += L[i * n + j] * (y[j] + (j == l ? h * I : 0));
    }
    const double complex expected = by_hand(t, W, q);
    if (l < 0 && !(fabs(U - creal(expected)) < 1e-12 * (1 + fabs(U)) &&
                   fabs(alone - U) < 1e-12 * (1 + fabs(U))))
      fail_msg("U is %.17g and %.17g, not %.17g", U, alone, creal(expected));
    if (l >= 0 && !(fabs(cimag(expected) / h - dU[l]) < 1e-11 * (1 + fabs(dU[l]))))
      fail_msg("dU/dq_%d is %.15g, not %.15g", l, dU[l], cimag(expected) / h);
  }
  free(work);
}

/* G L of the whitened problem, g at y, and the derivative of G L along a vector. */
static void compare_constraints(const target *t, const rattle_problem *white, const double *L,
                                const double *y) {
  const int n = t->n, m = t->m;
  const rattle__function *g = white->g;
  double J[ROWS * MOST], D[ROWS * MOST], v[MOST], *work = calloc(g->work + 1, sizeof *work);
  double complex q[MOST], G[ROWS][MOST];
  assert_non_null(work);
  assert_int_equal(g->jac_nnz, m * n);
  for (int i = 0; i < n; i++) v[i] = sin(i + 1.0);
  assert_int_equal(g->jacobian(g, y, NULL, J, work), 0);
  assert_int_equal(g->along(g, y, v, D, work), 0);
  for (int i = 0; i < n; i++) {
    q[i] = 0;
    for (int j = 0; j < n; j++) q[i] += L[i * n + j] * (y[j] + 1e-30 * I * v[j]);
  }
  t->gradients(q, G);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double complex sum = 0;
      for (int k = 0; k < n; k++) sum += G[i][k] * L[k * n + j];
      if (!(cabs(sum - J[i * n + j]) < 1e-12 * (1 + cabs(sum))))
        fail_msg("row %d of G L has %.15g, not %.15g", i, J[i * n + j], creal(sum));
      const double bent = cimag(sum) / 1e-30;
      if (!(fabs(bent - D[i * n + j]) < 1e-12 * (1 + fabs(bent))))
        fail_msg("row %d of G' v L has %.15g, not %.15g", i, D[i * n + j], bent);
    }
  free(work);
}

/* The view of a metric, and that in other coordinates. */
static void compare_views(const target *t, const fixture *f, int dense) {
  double W[MOST * MOST], L[MOST * MOST], diagonal[MOST], y[MOST];
  make_metric(t->n, dense, W, L);
  for (int i = 0; i < t->n; i++) {
    diagonal[i] = W[i * t->n + i];
    y[i] = t->q[i];
    for (int j = 0; j < i; j++) y[i] -= L[i * t->n + j] * y[j];
    y[i] /= L[i * t->n + i];
  }
  rattle_problem *remassed, *view, *white;
  rattle_error error;
  if (rattle__problem_remassed(&remassed, f->problem, dense, dense ? W : diagonal, &error))
    fail_msg("%s", error.message);
  assert_int_equal(rattle__can_write_tilted(remassed), 1);
  for (int written = 0; written < 2; written++) {
    if ((written ? rattle__problem_tilted_model : rattle__problem_tilted)(&view, remassed, c,
                                                                          &error))
      fail_msg("%s", error.message);
    compare(t, view, W, NULL, t->q);
    if (dense) {
      if (rattle__problem_whitened(&white, view, L, &error)) fail_msg("%s", error.message);
      compare(t, white, W, L, y);
      compare_constraints(t, white, L, y);
      rattle__problem_whitened_destroy(&white);
    }
    rattle__problem_tilted_destroy(&view);
  }
  rattle__problem_remassed_destroy(&remassed);
}

static void test_gradients(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    fixture f = open_with(targets[i].text, RATTLE_EVALUATOR_BLOCK);
    for (int dense = 0; dense < 2; dense++) compare_views(&targets[i], &f, dense);
    close(&f);
  }
}

/* There and back leads to the same point. */
static void test_coordinates(void **state) {
  (void)state;
  double W[MOST * MOST], L[MOST * MOST], z[2 * MOST];
  make_metric(MOST, 1, W, L);
  for (int i = 0; i < 2 * MOST; i++) z[i] = cos(i + 0.5);
  rattle__whiten(MOST, L, z);
  for (int i = 0; i < MOST; i++) {
    double q = 0, p = 0;
    for (int j = 0; j < MOST; j++)
      q += L[i * MOST + j] * z[j], p += L[j * MOST + i] * cos(MOST + j + 0.5);
    assert_true(fabs(q - cos(i + 0.5)) < 1e-14 && fabs(p - z[MOST + i]) < 1e-14);
  }
  rattle__unwhiten(MOST, L, z);
  for (int i = 0; i < 2 * MOST; i++) assert_true(fabs(z[i] - cos(i + 0.5)) < 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients),
                                     cmocka_unit_test(test_coordinates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
