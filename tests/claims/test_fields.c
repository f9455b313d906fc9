/* The underlying equations at points on and off the manifold, against separate formulas in long
 * double:
 *
 *   - dirac: {F,chi}* = 0 strongly, for F = H and for others; the block inverse is the general
 *     bracket; H is kept too;
 *   - total and impetus are the Hamiltonian fields of H_t and H*; impetus keeps g and has its gauge
 *     freedom;
 *   - classical keeps psi, baumgarte has g'' + 2 a g' + a^2 g = 0; all are one field on the hidden
 *     manifold;
 *   - Jacobians are those of the values.
 *
 * Symbols: chi = (g, psi), X_F = (F_p, -F_q), {F,G} = F_q.G_p - F_p.G_q, N_ij = {psi_i,g_j}; rows
 * of Jacobians have 2n entries. */
#include "common_claims.h"

#include "../reference/common_second_class.h"
#include "common_fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { POINTS = 5 };

/* ---- along dirac nothing of chi changes ---- */

static void test_dirac_keeps_all(void **state) {
  (void)state;
  int seen[TESTS_MAX_M + 1] = {0};
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int nz = 2 * problem->n, second = second_class_index(problem) >= 0,
              rows = second ? problem->m : 2 * problem->m;
    fields_library library;
    fields_open(&library, problem, "dirac", 0);
    for (int k = 0; k < POINTS; k++) {
      double z[TESTS_MAX_2N], f[TESTS_MAX_2N];
      long double chi[2 * TESTS_MAX_M * TESTS_MAX_2N], gradient[TESTS_MAX_2N];
      fields_point(problem, k, z);
      fields_value(&library, z, f);
      assert_true(fields_off(problem, z) > 1e-3);
      fields_chi(problem, z, second, chi);
      for (int r = 0; r < rows; r++)
        fields_orthogonal(problem, "dirac changes chi", chi + r * nz, f, 1e-13);
      fields_gradient(problem, z, gradient);
      fields_orthogonal(problem, "dirac changes H", gradient, f, 1e-13);
    }
    seen[problem->m]++;
    fields_close(&library);
  }
  assert_true(seen[1] >= 4 && seen[2] >= 4 && seen[3] >= 2 && seen[4] >= 2);
}

/* The constraints and hidden constraints of a problem as second-class constraints of their own:
 * pairs, H, g and psi as text. */
static const struct {
  const char *of, *pairs, *F, *g, *psi;
} sets[] = {
    {"spherical",
     "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal q3, p3 = pair('q3', "
     "'p3')\n",
     "sin(q1)*p2 + p3^3/3 + q2^2*p1 + exp(q3*p2/4)", "constrain('g', q1^2 + q2^2 + q3^2 - 1)\n",
     "constrain('psi', 2*(q1*p1 + q2*p2 + q3*p3))\n"},
    {"double_pendulum",
     "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal q3, p3 = pair('q3', "
     "'p3')\nlocal q4, p4 = "
     "pair('q4', "
     "'p4')\n",
     "p1*p4 + cos(q2)*p3 + q3^3*p2/4 + p4^4/16 + q1*q4",
     "constrain('inner', q1^2 + q2^2 - 1)\nconstrain('outer', (q3 - q1)^2 + (q4 - q2)^2 - 1)\n",
     "constrain('inner_rate', 2*(q1*p1 + q2*p2))\n"
     "constrain('outer_rate', 2*(q3 - q1)*(2*p3/3 - p1) + 2*(q4 - q2)*(2*p4/3 - p2))\n"},
};

/* The same set of chi with H gives the general bracket, to be compared with the block inverse; with
 * F it must keep chi as well. */
static void test_dirac_of_any_function(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const tests_problem *problem = tests_problem_named(sets[i].of);
    const int nz = 2 * problem->n;
    const char *H = strstr(problem->model, "hamiltonian(");
    char text[2][2048];
    tests_problem same = *problem, other = *problem;
    snprintf(text[0], sizeof text[0], "%s%.*s%s%s", sets[i].pairs,
             (int)(strstr(H, "constrain") - H), H, sets[i].g, sets[i].psi);
    snprintf(text[1], sizeof text[1], "%shamiltonian(%s)\n%s%s", sets[i].pairs, sets[i].F,
             sets[i].g, sets[i].psi);
    same.model = text[0];
    other.model = text[1];
    fields_library blocks, general, of_F;
    fields_open(&blocks, problem, "dirac", 0);
    fields_open(&general, &same, "dirac", 0);
    fields_open(&of_F, &other, "dirac", 0);
    assert_null(blocks.problem->split);
    assert_non_null(general.problem->split);
    for (int k = 0; k < POINTS; k++) {
      double z[TESTS_MAX_2N], f[TESTS_MAX_2N], f_general[TESTS_MAX_2N], f_F[TESTS_MAX_2N];
      long double chi[2 * TESTS_MAX_M * TESTS_MAX_2N];
      fields_point(problem, k, z);
      fields_value(&blocks, z, f);
      fields_value(&general, z, f_general);
      fields_same(problem, "block inverse and general bracket", f, f_general, nz, 1e-13);
      fields_value(&of_F, z, f_F);
      assert_true(fields_apart(f, f_F, nz) > 0.1);
      fields_chi(problem, z, 0, chi);
      for (int r = 0; r < 2 * problem->m; r++)
        fields_orthogonal(problem, "{chi,F}*", chi + r * nz, f_F, 1e-13);
    }
    fields_close(&blocks);
    fields_close(&general);
    fields_close(&of_F);
  }
}

/* The bracket of equation 10, C^-1 of all chi by elimination in long double. */
static void test_dirac_is_the_bracket(void **state) {
  (void)state;
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int n = problem->n, nz = 2 * n, second = second_class_index(problem) >= 0,
              rows = second ? problem->m : 2 * problem->m;
    fields_library library;
    fields_open(&library, problem, "dirac", 0);
    for (int k = 0; k < POINTS; k++) {
      double z[TESTS_MAX_2N], f[TESTS_MAX_2N], wanted[TESTS_MAX_2N];
      long double chi[2 * TESTS_MAX_M * TESTS_MAX_2N], C[4 * TESTS_MAX_M * TESTS_MAX_M],
          u[2 * TESTS_MAX_M], dH[TESTS_MAX_2N];
      fields_point(problem, k, z);
      fields_value(&library, z, f);
      fields_gradient(problem, z, dH);
      fields_chi(problem, z, second, chi);
      for (int a = 0; a < rows; a++) {
        u[a] = fields_bracket(n, chi + a * nz, dH);
        for (int b = 0; b < rows; b++)
          C[a * rows + b] = fields_bracket(n, chi + a * nz, chi + b * nz);
      }
      assert_int_equal(reference_solve(rows, C, u), 0);
      for (int c = 0; c < nz; c++) {
        long double sum = fields_hamiltonian(n, dH, c);
        for (int a = 0; a < rows; a++) sum -= u[a] * fields_hamiltonian(n, chi + a * nz, c);
        wanted[c] = (double)sum;
      }
      fields_same(problem, "dirac", f, wanted, nz, 1e-12);
    }
    fields_close(&library);
  }
}

/* ---- Hamiltonian fields ---- */

/* mu(z) of the total Hamiltonian: N mu = -{psi,H} */
static int total_energy(const tests_problem *problem, const long double *z, long double *energy) {
  const int n = problem->n, m = problem->m;
  long double chi[2 * TESTS_MAX_M * TESTS_MAX_2N], N[TESTS_MAX_M * TESTS_MAX_M], mu[TESTS_MAX_M],
      dH[TESTS_MAX_2N], g[TESTS_MAX_M];
  reference_gradient(problem, z, dH);
  reference_jacobian(problem, z, chi);
  reference_hidden_jacobian(problem, z, chi + m * 2 * n);
  reference_constraint(problem, z, g);
  for (int i = 0; i < m; i++) {
    mu[i] = -fields_bracket(n, chi + (m + i) * 2 * n, dH);
    for (int j = 0; j < m; j++)
      N[i * m + j] = fields_bracket(n, chi + (m + i) * 2 * n, chi + j * 2 * n);
  }
  if (reference_solve(m, N, mu)) return 1;
  *energy = reference_energy(problem, z);
  for (int i = 0; i < m; i++) *energy += mu[i] * g[i];
  return 0;
}

/* H*(q,p*) = H(q, p* - G^T u) with psi = 0 there: u by damped Newton, derivatives by psi' X_g. */
static int impetus_energy(const tests_problem *problem, const long double *z, long double *energy) {
  const int m = problem->m;
  long double x[TESTS_MAX_2N], psi[TESTS_MAX_M];
  memcpy(x, z, sizeof *x * 2 * problem->n);
  for (int round = 0; round < 200; round++) {
    const long double before = fields_hidden_size(problem, x);
    if (before < 1e-18L) break;
    if (fields_newton_momenta(problem, x, psi)) return 1;
    long double step = 1, trial[TESTS_MAX_2N];
    for (int k = 0; k < 40; k++, step /= 2) {
      memcpy(trial, x, sizeof trial);
      fields_kick(problem, z, step, psi, trial);
      if (fields_hidden_size(problem, trial) < before) break;
    }
    if (!(fields_hidden_size(problem, trial) < before)) break;
    memcpy(x, trial, sizeof x);
  }
  (void)m;
  *energy = reference_energy(problem, x);
  return fields_hidden_size(problem, x) > 1e-16L;
}

/* f = X_F with F by differences of order 4 in long double. */
static void expect_field_of(const char *name, int (*energy)(const tests_problem *,
                                                            const long double *, long double *)) {
  int checked = 0;
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int n = problem->n, nz = 2 * n;
    fields_library library;
    if (!fields_offered(problem, name)) continue;
    fields_open(&library, problem, name, 1);
    for (int k = 0; k < POINTS; k++) {
      double z[TESTS_MAX_2N], f[TESTS_MAX_2N], wanted[TESTS_MAX_2N], F[TESTS_MAX_2N * TESTS_MAX_2N];
      long double dF[TESTS_MAX_2N];
      fields_point(problem, k, z);
      fields_value(&library, z, f);
      for (int c = 0; c < nz; c++) {
        static const long double at[4] = {-2, -1, 1, 2},
                                 weight[4] = {1 / 12.0L, -2 / 3.0L, 2 / 3.0L, -1 / 12.0L};
        const long double step = 0x1p-11L;
        dF[c] = 0;
        for (int s = 0; s < 4; s++) {
          long double x[TESTS_MAX_2N], E;
          for (int e = 0; e < nz; e++) x[e] = z[e] + (e == c) * at[s] * step;
          assert_int_equal(energy(problem, x, &E), 0);
          dF[c] += weight[s] * E / step;
        }
      }
      for (int c = 0; c < nz; c++) wanted[c] = (double)fields_hamiltonian(n, dF, c);
      fields_same(problem, name, f, wanted, nz, 2e-9);
      /* and locally: J^-1 f' is symmetric */
      assert_int_equal(rattle__field_jacobian(library.field, F, NULL), 0);
      double asymmetry = 0, size = 0;
      for (int a = 0; a < nz; a++)
        for (int b = 0; b < nz; b++) {
          const double ab = a < n ? -F[(n + a) * nz + b] : F[(a - n) * nz + b],
                       ba = b < n ? -F[(n + b) * nz + a] : F[(b - n) * nz + a];
          asymmetry = fmax(asymmetry, fabs(ab - ba));
          size = fmax(size, fabs(ab));
        }
      if (!(asymmetry < 1e-12 * size))
        fail_msg("%s on %s: J^-1 f' is off symmetry by %g of %g", name, problem->name, asymmetry,
                 size);
    }
    checked++;
    fields_close(&library);
  }
  assert_true(checked >= 7);
}

static void test_total_is_hamiltonian(void **state) {
  (void)state;
  expect_field_of("total", total_energy);
}

static void test_impetus_is_hamiltonian(void **state) {
  (void)state;
  expect_field_of("impetus", impetus_energy);
}

/* ---- impetuses ---- */

/* A gauge transformation p* -> p* + G^T c changes no momentum that is shown, and the field by what
 * keeps it a gauge transformation: d(G^T c)/dt. g is an invariant of the flow. */
static void test_gauge_freedom(void **state) {
  (void)state;
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int n = problem->n, nz = 2 * n, m = problem->m;
    fields_library library;
    if (!fields_offered(problem, "impetus")) continue;
    fields_open(&library, problem, "impetus", 0);
    for (int k = 0; k < POINTS; k++) {
      double z[TESTS_MAX_2N], f[TESTS_MAX_2N], there[TESTS_MAX_2N], f_there[TESTS_MAX_2N],
          shown[2][TESTS_MAX_2N];
      long double x[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], ahead[TESTS_MAX_M * TESTS_MAX_2N],
          behind[TESTS_MAX_M * TESTS_MAX_2N], c[TESTS_MAX_M];
      const long double step = 0x1p-14L;
      fields_point(problem, k, z);
      fields_value(&library, z, f);
      for (int e = 0; e < nz; e++) x[e] = z[e];
      reference_jacobian(problem, x, J);
      for (int r = 0; r < m; r++)
        fields_orthogonal(problem, "impetus changes g", J + r * nz, f, 1e-13);
      for (int e = 0; e < n; e++) x[e] = z[e] + step * f[e];
      reference_jacobian(problem, x, ahead);
      for (int e = 0; e < n; e++) x[e] = z[e] - step * f[e];
      reference_jacobian(problem, x, behind);
      memcpy(there, z, sizeof z);
      for (int r = 0; r < m; r++) {
        c[r] = 0.7L - 0.4L * r;
        for (int e = 0; e < n; e++) there[n + e] += (double)(c[r] * J[r * nz + e]);
      }
      fields_value(&library, there, f_there);
      for (int r = 0; r < m; r++)
        for (int e = 0; e < n; e++)
          f_there[n + e] -= (double)(c[r] * (ahead[r * nz + e] - behind[r * nz + e]) / (2 * step));
      fields_same(problem, "the field in another gauge", f_there, f, nz, 1e-8);
      memcpy(shown[0], z, sizeof z);
      memcpy(shown[1], there, sizeof z);
      assert_true(rattle__field_shows(library.field));
      for (int s = 0; s < 2; s++)
        assert_int_equal(rattle__field_show(library.field, shown[s], NULL), 0);
      fields_same(problem, "the momenta shown", shown[0], shown[1], nz, 1e-13);
      for (int e = 0; e < nz; e++) x[e] = shown[0][e];
      assert_true(fields_hidden_size(problem, x) < 1e-13L);
    }
    fields_close(&library);
  }
}

/* Impetuses far away: undamped Newton from strictions 0 diverges there if H is not quadratic in p;
 * what the library finds is the same as from nearby. */
static void test_large_impetuses(void **state) {
  (void)state;
  static const char *const names[] = {"relativistic", "varying_mass", "two_surfaces", "spherical"};
  int diverged = 0;
  for (int i = 0; i < 4; i++) {
    const tests_problem *problem = tests_problem_named(names[i]);
    const int n = problem->n, nz = 2 * n, m = problem->m;
    fields_library library;
    fields_open(&library, problem, "impetus", 0);
    for (double c = 1; c < 2e3; c *= 10) {
      double z[TESTS_MAX_2N], near[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N];
      long double x[TESTS_MAX_2N], exact[TESTS_MAX_M * TESTS_MAX_2N], step[TESTS_MAX_M];
      fields_point(problem, 0, near);
      for (int e = 0; e < nz; e++) x[e] = z[e] = near[e];
      reference_jacobian(problem, x, exact);
      for (int e = 0; e < m * nz; e++) J[e] = (double)exact[e];
      for (int r = 0; r < m; r++)
        for (int e = 0; e < n; e++) z[n + e] += (r ? -0.5 : 1) * c * J[r * nz + e];
      rattle_error error;
      const double size = fields_length(z, nz);
      if (rattle__field_show(library.field, z, &error))
        fail_msg("%s at %g: %s", problem->name, c, error.message);
      assert_int_equal(rattle__field_show(library.field, near, NULL), 0);
      if (!(fields_apart(z, near, nz) < 1e-13 * size))
        fail_msg("%s at %g: %g apart", problem->name, c, fields_apart(z, near, nz));
      /* the same without damping */
      for (int e = 0; e < nz; e++) x[e] = near[e];
      for (int r = 0; r < m; r++)
        for (int e = 0; e < n; e++) x[n + e] += (r ? -0.5L : 1) * c * exact[r * nz + e];
      int failed = 0;
      for (int round = 0; round < 60 && !failed; round++) {
        failed = fields_newton_momenta(problem, x, step);
        fields_kick(problem, x, 1, step, x);
        failed |= !(fields_hidden_size(problem, x) < 1e9L);
      }
      diverged += failed || !(fields_hidden_size(problem, x) < 1e-12L);
    }
    fields_close(&library);
  }
  assert_true(diverged >= 1);
}

/* H_p falls off for large p: there no striction can be found, and the sentence names the cure. */
static void test_strictions_that_are_not_found(void **state) {
  (void)state;
  tests_problem problem = *tests_problem_named("spherical");
  problem.model = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal q3, p3 "
                  "= pair('q3', 'p3')\n"
                  "hamiltonian(log(1 + p1^2 + p2^2 + p3^2) + q3)\nconstrain('sphere', q1^2 + q2^2 "
                  "+ q3^2 - 1)\n";
  fields_library library;
  rattle_error error;
  double z[6] = {1, 0, 0, 0.1, 0.2, 0.1}, f[6];
  fields_open(&library, &problem, "impetus", 0);
  assert_int_equal(rattle__field_value(library.field, z, f, &error), RATTLE_OK);
  z[3] = 30;
  assert_int_equal(rattle__field_value(library.field, z, f, &error), RATTLE_NOT_CONVERGED);
  assert_non_null(strstr(error.message, "reset them with project(..., momentum)"));
  fields_close(&library);
}

/* ---- classical, baumgarte, and what all have in common ---- */

static void test_second_derivative_of_g(void **state) {
  (void)state;
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int n = problem->n, nz = 2 * n, m = problem->m;
    if (second_class_index(problem) >= 0) continue;
    for (int which = 0; which < 2; which++) {
      fields_library library;
      fields_open(&library, problem, which ? "baumgarte(3)" : "classical", 0);
      for (int k = 0; k < POINTS; k++) {
        double z[TESTS_MAX_2N], f[TESTS_MAX_2N];
        long double x[TESTS_MAX_2N], chi[2 * TESTS_MAX_M * TESTS_MAX_2N], g[TESTS_MAX_M],
            psi[TESTS_MAX_M];
        fields_point(problem, k, z);
        for (int e = 0; e < nz; e++) x[e] = z[e];
        fields_value(&library, z, f);
        fields_chi(problem, z, 0, chi);
        reference_constraint(problem, x, g);
        reference_hidden(problem, x, psi);
        const long double a = which ? 3 : 0;
        for (int r = 0; r < m; r++) {
          long double rate = 2 * a * psi[r] + a * a * g[r], size = fabsl(rate);
          for (int c = 0; c < nz; c++) {
            rate += chi[(m + r) * nz + c] * f[c];
            size += fabsl(chi[(m + r) * nz + c] * f[c]);
          }
          if (!(fabsl(rate) <= 1e-13L * size))
            fail_msg("%s, a = %Lg: psi' is off by %Lg", problem->name, a, rate);
        }
      }
      fields_close(&library);
    }
  }
}

/* On the hidden manifold classical, baumgarte, total and dirac are one field; impetus has the same
 * coordinates' rates, and momenta that differ from theirs by a motion along the gauge
 * directions. */
static void test_all_are_one_on_the_manifold(void **state) {
  (void)state;
  static const char *const names[] = {"classical", "baumgarte(5)", "total", "dirac", "impetus"};
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int n = problem->n, nz = 2 * n, m = problem->m;
    double z[TESTS_MAX_2N], f[5][TESTS_MAX_2N];
    if (second_class_index(problem) >= 0) continue;
    assert_int_equal(reference_start(problem, z, z + n), 0);
    for (int k = 0; k < 5; k++) {
      fields_library library;
      if (!fields_offered(problem, names[k])) continue;
      fields_open(&library, problem, names[k], 0);
      fields_value(&library, z, f[k]);
      fields_close(&library);
      if (k > 0 && k < 4) fields_same(problem, names[k], f[k], f[0], nz, 2e-13);
      if (k < 4) continue;
      fields_same(problem, "impetus, q'", f[4], f[0], n, 1e-13);
      long double x[TESTS_MAX_2N], J[TESTS_MAX_M * TESTS_MAX_2N], A[TESTS_MAX_M * TESTS_MAX_M],
          u[TESTS_MAX_M];
      for (int e = 0; e < nz; e++) x[e] = z[e];
      reference_jacobian(problem, x, J);
      for (int r = 0; r < m; r++) {
        u[r] = 0;
        for (int e = 0; e < n; e++) u[r] += J[r * nz + e] * (f[4][n + e] - f[0][n + e]);
        for (int s = 0; s < m; s++) {
          A[r * m + s] = 0;
          for (int e = 0; e < n; e++) A[r * m + s] += J[r * nz + e] * J[s * nz + e];
        }
      }
      assert_int_equal(reference_solve(m, A, u), 0);
      for (int r = 0; r < m; r++)
        for (int e = 0; e < n; e++) f[4][n + e] -= (double)(u[r] * J[r * nz + e]);
      fields_same(problem, "impetus, p' but for its gauge", f[4], f[0], nz, 1e-12);
    }
  }
}

static void test_jacobians(void **state) {
  (void)state;
  static const char *const names[] = {"hamiltonian", "classical", "baumgarte(3)",
                                      "total",       "dirac",     "impetus"};
  static const double weight[3] = {0.75, -0.15, 1 / 60.0};
  for (int i = 0; i < fields_problem_count(); i++) {
    const tests_problem *problem = fields_problem(i);
    const int nz = 2 * problem->n;
    for (int which = 0; which < 6; which++) {
      fields_library library;
      if (!fields_offered(problem, names[which])) continue;
      fields_open(&library, problem, names[which], 1);
      for (int k = 0; k < 2; k++) {
        double z[TESTS_MAX_2N], f[TESTS_MAX_2N], F[TESTS_MAX_2N * TESTS_MAX_2N], worst = 0,
                                                                                 size = 0;
        const double step = 0x1p-9;
        fields_point(problem, k, z);
        fields_value(&library, z, f);
        assert_int_equal(rattle__field_jacobian(library.field, F, NULL), 0);
        for (int c = 0; c < nz; c++) {
          double D[TESTS_MAX_2N] = {0};
          for (int s = 1; s <= 3; s++)
            for (int sign = -1; sign <= 1; sign += 2) {
              double x[TESTS_MAX_2N], fx[TESTS_MAX_2N];
              memcpy(x, z, sizeof x);
              x[c] += sign * s * step;
              fields_value(&library, x, fx);
              for (int r = 0; r < nz; r++) D[r] += sign * weight[s - 1] * fx[r] / step;
            }
          for (int r = 0; r < nz; r++) {
            worst = fmax(worst, fabs(D[r] - F[r * nz + c]));
            size = fmax(size, fabs(F[r * nz + c]));
          }
        }
        if (!(worst < 1e-9 * size))
          fail_msg("%s on %s: Jacobian off by %g of %g", names[which], problem->name, worst, size);
      }
      fields_close(&library);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dirac_keeps_all),
                                     cmocka_unit_test(test_dirac_of_any_function),
                                     cmocka_unit_test(test_dirac_is_the_bracket),
                                     cmocka_unit_test(test_total_is_hamiltonian),
                                     cmocka_unit_test(test_impetus_is_hamiltonian),
                                     cmocka_unit_test(test_gauge_freedom),
                                     cmocka_unit_test(test_large_impetuses),
                                     cmocka_unit_test(test_strictions_that_are_not_found),
                                     cmocka_unit_test(test_second_derivative_of_g),
                                     cmocka_unit_test(test_all_are_one_on_the_manifold),
                                     cmocka_unit_test(test_jacobians)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
