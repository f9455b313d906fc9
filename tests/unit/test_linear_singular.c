/* The solve room: what is singular and what is not, whatever the units. */
#include "matrices.h"

/* Row i and its column set to zero: nothing else can be blamed. */
static void zero_row_is_blamed(void **state) {
  (void)state;
  seed = 6;
  for (int b = 0; b < BACKENDS; b++)
    for (int n = 1; n <= 12; n++)
      for (int zero = 0; zero < n; zero++) {
        band_pattern(n);
        rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
        fill(a, 1);
        for (int i = 0; i < n; i++)
          for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            if (i == zero || a->col[e] == zero) a->value[e] = 0;
        assert_int_not_equal(a->factor(a), 0);
        assert_int_equal(a->blame, zero);
        fill(a, 1);
        check(a, 1e-14);
        rattle__linear_destroy(&a);
      }
}

/* Singular to round-off only: the graph Laplacian of a path, rows in units up to 1e6 and up to 1e60
 * apart (columns too where it must be symmetric); regular where one end is held, columns in any
 * units then. */
static void nearly_singular_is_found(void **state) {
  (void)state;
  for (int b = 0; b < BACKENDS; b++)
    for (int n = 2; n <= 40; n++)
      for (int kind = 0; kind < 6; kind++) {
        const int regular = kind % 3 > 0, columns = kind % 3 > 1 || backends[b].symmetric;
        const double spread = kind < 3 ? 0.6 : 6;
        band_pattern(n);
        rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
        for (int i = 0; i < n; i++)
          for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
            const int j = a->col[e];
            const double laplacian =
                i == j ? (i == 0 || i == n - 1 ? 1 : 2) + (regular && i == 0 ? 1 : 0) : -1;
            a->value[e] = laplacian * pow(10, (i * 7 % 11 - 5) * spread) *
                          (columns ? pow(10, (j * 7 % 11 - 5) * spread) : 1);
          }
        assert_int_equal(a->factor(a) != 0, !regular);
        if (!regular) assert_in_range(a->blame, 0, n - 1);
        rattle__linear_destroy(&a);
      }
}

/* Two rows of G [2][3], the second a third of the first but for `apart`. */
static double row_of_G(int i, int k, double h, double apart) {
  const double row[] = {2, 4 * h, 0};
  return i ? row[k] / 3 + (k == 2 ? apart : 0) : row[k];
}

/* A step of RATTLE as one system: q - h p = a, p + h G^T l = b, p1 - p + h (V'' q + G^T m) = c, G q
 * = d, G p1 + P q = e. Its small pivots are made of terms as small. */
static rattle__linear *short_step(double h, double apart, rattle__backend backend) {
  enum { Q = 0, P = 3, P1 = 6, L = 9, ALL = 13 };
  double A[ALL][ALL] = {{0}};
  memset(flag, 0, sizeof flag);
  for (int i = 0; i < ALL; i++) flag[i][i] = 1;
  for (int k = 0; k < 3; k++) {
    A[Q + k][Q + k] = A[P + k][P + k] = A[P1 + k][P1 + k] = 1;
    A[Q + k][P + k] = -h, A[P1 + k][P + k] = -1;
    A[P1 + k][Q + k] = 2 * h;
    for (int i = 0; i < 2; i++) {
      const double G = row_of_G(i, k, h, apart);
      A[P + k][L + i] = A[P1 + k][L + 2 + i] = h * G;
      A[L + i][Q + k] = A[L + 2 + i][P1 + k] = G;
    }
  }
  A[P1][Q + 2] = A[P1 + 2][Q] = 0.1 * h;
  for (int i = 0; i < 2; i++) {
    A[L + 2 + i][Q] = (i ? 1 / 3.0 : 1) * 10 * h;
    A[L + 2 + i][Q + 1] = i ? -4 / 3.0 : -4;
  }
  for (int r = 0; r < ALL; r++)
    for (int c = 0; c < ALL; c++)
      if (A[r][c] != 0) connect(r, c);
  compress(ALL);
  rattle__linear *a = create(ALL, 0, backend);
  for (int r = 0; r < ALL; r++)
    for (int e = a->ptr[r]; e < a->ptr[r + 1]; e++) a->value[e] = A[r][a->col[e]];
  return a;
}

/* Regular, however short the step; singular where rows of G are dependent, but for round-off. */
static void short_steps_are_regular(void **state) {
  static const double steps[] = {1, 1e-2, 1e-4, 1e-6, 1e-8}, apart = 1e-6;
  (void)state;
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
    for (int sparse = 0; sparse < 2; sparse++) {
      const rattle__backend backend = sparse ? RATTLE__LINEAR_KLU : RATTLE__LINEAR_DENSE;
      rattle__linear *a = short_step(steps[k], apart, backend),
                     *b = short_step(steps[k], 0, backend);
      double x[MOST] = {0};
      assert_int_equal(a->factor(a), RATTLE_OK);
      for (int i = 0; i < 2; i++) x[9 + i] = i * apart;
      a->solve(a, x);
      for (int i = 0; i < 2; i++) {
        double g = 0;
        for (int j = 0; j < 3; j++) g += row_of_G(i, j, steps[k], apart) * x[j];
        assert_true(fabs(g - i * apart) < 1e-2 * apart);
      }
      assert_int_equal(b->factor(b), RATTLE_SINGULAR);
      rattle__linear_destroy(&a);
      rattle__linear_destroy(&b);
    }
}

/* Units of time, length and mass by some powers of ten: they scale q, p, p1 and the multipliers,
 * and each equation. Every equation is solved to round-off of its own terms, in any units and
 * however short the step, where rows and columns are scaled. */
static void units_do_not_matter(void **state) {
  static const double steps[] = {1e-1, 1e-3, 1e-5, 1e-7, 1e-9};
  enum { Q, P, MULTIPLIER, G = MULTIPLIER, PSI, KINDS, ALL = 13 };
  static const int column_of[ALL] = {Q, Q, Q,          P,          P,          P,         P,
                                     P, P, MULTIPLIER, MULTIPLIER, MULTIPLIER, MULTIPLIER};
  static const int row_of[ALL] = {Q, Q, Q, P, P, P, P, P, P, G, G, PSI, PSI};
  (void)state;
  seed = 13;
  for (int trial = 0; trial < 600; trial++) {
    const double h = steps[trial % 5];
    rattle__linear *a = short_step(h, 1, trial % 2 ? RATTLE__LINEAR_KLU : RATTLE__LINEAR_DENSE);
    double row[KINDS], column[KINDS], z[ALL], b[ALL], x[ALL];
    for (int k = 0; k < KINDS; k++) row[k] = column[k] = pow(10, 3 * uniform());
    column[MULTIPLIER] = pow(10, 3 * uniform());
    for (int i = 0; i < ALL; i++) {
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        a->value[e] *= row[row_of[i]] / column[column_of[a->col[e]]];
      z[i] = uniform() * column[column_of[i]] / (column_of[i] == MULTIPLIER ? h : 1);
    }
    for (int i = 0; i < ALL; i++) {
      x[i] = 0;
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) x[i] += a->value[e] * z[a->col[e]];
      b[i] = x[i];
    }
    a->equilibrate = 1;
    assert_int_equal(a->factor(a), RATTLE_OK);
    a->solve(a, x);
    for (int i = 0; i < ALL; i++) {
      long double residual = -(long double)b[i], terms = fabsl((long double)b[i]);
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
        const long double term = (long double)a->value[e] * (long double)x[a->col[e]];
        residual += term;
        terms += fabsl(term);
      }
      assert_true(fabsl(residual) < 1e-14L * terms);
    }
    rattle__linear_destroy(&a);
  }
}

static void not_finite_is_refused(void **state) {
  (void)state;
  seed = 7;
  const double bad[] = {(double)NAN, INFINITY, -INFINITY};
  for (int b = 0; b < BACKENDS; b++)
    for (int n = 1; n <= 9; n++) {
      band_pattern(n);
      rattle__linear *a = create(n, backends[b].symmetric, backends[b].backend);
      for (int e = 0; e < a->nnz; e++)
        for (int kind = 0; kind < 3; kind++) {
          fill(a, 1);
          a->value[e] = bad[kind];
          assert_int_not_equal(a->factor(a), 0);
          assert_in_range(a->blame, 0, n - 1);
        }
      fill(a, 1);
      check(a, 1e-14);
      rattle__linear_destroy(&a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_row_is_blamed),      cmocka_unit_test(nearly_singular_is_found),
      cmocka_unit_test(short_steps_are_regular), cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(not_finite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
