/* The solve room: condition numbers, the coupling matrix, and the fill of what it gives. */
#include "ground/linear/linear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <amd.h>
#include <ldl.h>
#include <stdlib.h>
#include <string.h>

/* Bonds i - parent[i] of beads on a line (coordinates 0..beads-1), row r of G: +1 at one end, -1 at
 * the other. */
typedef struct bonds {
  int rows, vars, *ptr, *col;
  double *value;
} bonds;

static bonds bonds_of(int beads, int (*parent)(int), int ring) {
  bonds g = {.rows = beads - 1 + ring, .vars = beads};
  g.ptr = calloc((size_t)g.rows + 1, sizeof *g.ptr);
  g.col = calloc(2 * (size_t)g.rows, sizeof *g.col);
  g.value = calloc(2 * (size_t)g.rows, sizeof *g.value);
  for (int r = 0; r < g.rows; r++) {
    const int closing = r == beads - 1, i = closing ? 0 : parent(r + 1),
              j = closing ? beads - 1 : r + 1;
    g.col[2 * r] = i;
    g.col[2 * r + 1] = j;
    g.value[2 * r] = -1 - 1e-3 * r;
    g.value[2 * r + 1] = 1 + 2e-3 * r;
    g.ptr[r + 1] = 2 * r + 2;
  }
  return g;
}
static void bonds_free(bonds *g) {
  free(g->ptr);
  free(g->col);
  free(g->value);
}
static int chain(int i) {
  return i - 1;
}
/* The branches of a tree are paths that leave the trunk (even beads) at each of its beads: three
 * bonds meet there. */
static int comb(int i) {
  return i % 2 ? i - 1 : i - 2;
}

static void coupling_is_the_product(void **state) {
  (void)state;
  const int rows = 5, vars = 6;
  const int ptr[] = {0, 2, 2, 5, 6, 8},
            col[] = {0, 3, 0, 3, 5, 4, 2, 3}; /* row 1 is empty, row 3 alone, variable 1 unused */
  const double A[] = {1, -2, 3, 0.5, 7, 11, -1.5, 4}, B[] = {2, 1, 0.25, -3, 1, 5, 6, -0.5};
  rattle__coupling *c;
  assert_int_equal(rattle__coupling_create(&c, rows, vars, ptr, col, NULL), RATTLE_OK);
  double *value = calloc((size_t)c->nnz, sizeof *value);
  rattle__coupling_assemble(c, A, B, value);
  double dense_A[5][6] = {{0}}, dense_B[5][6] = {{0}};
  for (int i = 0; i < rows; i++)
    for (int e = ptr[i]; e < ptr[i + 1]; e++) {
      dense_A[i][col[e]] = A[e];
      dense_B[i][col[e]] = B[e];
    }
  for (int i = 0; i < rows; i++) {
    int e = c->ptr[i];
    for (int j = 0; j < rows; j++) {
      double product = 0;
      int linked = i == j;
      for (int k = 0; k < vars; k++) {
        product += dense_A[i][k] * dense_B[j][k];
        linked |= dense_A[i][k] != 0 && dense_B[j][k] != 0;
      }
      if (!linked) continue;
      assert_int_equal(c->col[e], j);
      assert_true(value[e] == product);
      e++;
    }
    assert_int_equal(e, c->ptr[i + 1]);
  }
  free(value);
  rattle__coupling_destroy(&c);
  assert_null(c);
}

/* The rows of a chain have one list, which is kept once; where a row differs another begins. */
static void equal_rows_share_a_list(void **state) {
  (void)state;
  bonds g = bonds_of(1000, chain, 0);
  rattle__coupling *c;
  assert_int_equal(rattle__coupling_create(&c, g.rows, g.vars, g.ptr, g.col, NULL), RATTLE_OK);
  assert_int_equal(c->stretches, 3); /* the first bond, those with two neighbours, the last */
  assert_int_equal(c->stretch[1].first, 1);
  assert_int_equal(c->stretch[1].last, 998);
  assert_true(c->stretch[2].list < 12);
  double *value = calloc((size_t)c->nnz, sizeof *value);
  rattle__coupling_assemble(c, g.value, g.value, value);
  for (int i = 0, e = 0; i < g.rows; i++) {
    const double *own = g.value + 2 * i;
    if (i) assert_true(value[e++] == own[0] * own[-1]);
    assert_true(value[e++] == own[0] * own[0] + own[1] * own[1]);
    if (i + 1 < g.rows) assert_true(value[e++] == own[1] * own[2]);
  }
  free(value);
  rattle__coupling_destroy(&c);
  bonds_free(&g);
}

static void coupling_without_rows(void **state) {
  (void)state;
  const int ptr[] = {0};
  rattle__coupling *c;
  assert_int_equal(rattle__coupling_create(&c, 0, 3, ptr, NULL, NULL), RATTLE_OK);
  assert_int_equal(c->nnz, 0);
  rattle__coupling_destroy(&c);
}

/* Solves with the coupling matrix of the bonds; returns the backend's name. */
static const char *solve_bonds(bonds *g, int *off_diagonal_factors) {
  rattle__coupling *c;
  assert_int_equal(rattle__coupling_create(&c, g->rows, g->vars, g->ptr, g->col, NULL), RATTLE_OK);
  rattle__linear *a;
  assert_int_equal(rattle__linear_create(&a, c->rows, c->ptr, c->col, 1, RATTLE__LINEAR_AUTO, NULL),
                   RATTLE_OK);
  assert_int_equal(a->nnz, c->nnz);
  rattle__coupling_assemble(c, g->value, g->value, a->value);
  const size_t n = (size_t)a->size;
  double *x = calloc(n, sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = 1;
  assert_int_equal(a->factor(a), 0);
  a->solve(a, x);
  for (int i = 0; i < a->size; i++) {
    double residual = -1;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) residual += a->value[e] * x[a->col[e]];
    assert_true(fabs(residual) < 1e-9);
  }
  free(x);

  int *P = calloc(n, sizeof *P), *work = calloc(5 * n + 1, sizeof *work), *start = work + 4 * n;
  assert_true(amd_order(a->size, a->ptr, a->col, P, NULL, NULL) >= AMD_OK);
  ldl_symbolic(a->size, (int *)a->ptr, (int *)a->col, start, work, work + n, work + 2 * n, P,
               work + 3 * n);
  *off_diagonal_factors = start[n];
  free(P);
  free(work);
  const char *name = a->name;
  rattle__linear_destroy(&a);
  rattle__coupling_destroy(&c);
  return name;
}

static void chains_are_tridiagonal(void **state) {
  (void)state;
  bonds g = bonds_of(500, chain, 0);
  int fill;
  assert_string_equal(solve_bonds(&g, &fill), "tridiagonal");
  assert_int_equal(fill, g.rows - 1);
  bonds_free(&g);
}

/* A tree's line graph has one triangle at each trunk bead, and nothing is added: factors as many as
 * entries below the diagonal. */
static void trees_fill_nothing_in(void **state) {
  (void)state;
  bonds g = bonds_of(500, comb, 0);
  rattle__coupling *c;
  assert_int_equal(rattle__coupling_create(&c, g.rows, g.vars, g.ptr, g.col, NULL), RATTLE_OK);
  int fill;
  assert_string_equal(solve_bonds(&g, &fill), "ldl");
  assert_int_equal(fill, (c->nnz - c->rows) / 2);
  rattle__coupling_destroy(&c);
  bonds_free(&g);
}

static void rings_fill_one_row_in(void **state) {
  (void)state;
  bonds g = bonds_of(500, chain, 1);
  int fill;
  assert_string_equal(solve_bonds(&g, &fill), "ldl");
  assert_true(fill >= g.rows && fill < 2 * g.rows);
  bonds_free(&g);
}

/* The second difference matrix, singular values 2 - 2 cos(k pi/(n+1)); |A^-1|_1 is about n^2/8. */
static rattle__linear *second_differences(int n, int symmetric) {
  int *ptr = calloc((size_t)n + 1, sizeof *ptr), *col = calloc(3 * (size_t)n, sizeof *col);
  for (int i = 0; i < n; i++) {
    int to = ptr[i];
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) col[to++] = j;
    ptr[i + 1] = to;
  }
  rattle__linear *a;
  assert_int_equal(rattle__linear_create(&a, n, ptr, col, symmetric, RATTLE__LINEAR_AUTO, NULL),
                   RATTLE_OK);
  for (int i = 0; i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) a->value[e] = a->col[e] == i ? 2 : -1;
  free(ptr);
  free(col);
  return a;
}

static void condition_of_known_matrices(void **state) {
  (void)state;
  const double pi = acos(-1);
  for (int n = 1; n <= 500; n = 2 * n + 1) {
    rattle__linear *a = second_differences(n, 1);
    double smallest, condition;
    assert_int_equal(rattle__linear_condition(a, &smallest, &condition, NULL), RATTLE_OK);
    const double exact = 2 - 2 * cos(pi / (n + 1)), largest = 2 - 2 * cos(n * pi / (n + 1));
    assert_true(fabs(smallest - exact) < 1e-13);
    assert_true(fabs(condition - largest / exact) < 1e-8 * condition);
    rattle__linear_destroy(&a);
  }
}

static void condition_is_estimated_above_500(void **state) {
  (void)state;
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    const int n = 999;
    rattle__linear *a = second_differences(n, symmetric);
    double smallest, condition;
    /* upper bidiagonal: (2, -1): |A|_1 = 3, |A^-1|_1 -> 1 */
    if (!symmetric)
      for (int i = 1; i < n; i++) a->value[a->ptr[i]] = 0;
    const double inverse = symmetric ? (n + 1.0) * (n + 1.0) / 8 : 1, norm = symmetric ? 4 : 3;
    assert_int_equal(rattle__linear_condition(a, &smallest, &condition, NULL), RATTLE_OK);
    assert_true(fabs(1 / smallest - inverse) < 1e-6 * inverse);
    assert_true(fabs(condition - norm * inverse) < 1e-6 * condition);
    rattle__linear_destroy(&a);
  }
}

static void condition_of_the_singular_and_the_not_finite(void **state) {
  (void)state;
  for (int n = 5; n < 1000; n += 900) {
    rattle__linear *a = second_differences(n, 1);
    double smallest = 7, condition = 7;
    a->value[0] = a->value[a->nnz - 1] = 1;
    assert_int_equal(rattle__linear_condition(a, &smallest, &condition, NULL), RATTLE_OK);
    assert_true(smallest < 1e-15);
    assert_true(condition > 1e15);
    a->value[1] = INFINITY;
    assert_int_equal(rattle__linear_condition(a, &smallest, &condition, NULL), RATTLE_OK);
    assert_true(isnan(smallest) && isnan(condition));
    rattle__linear_destroy(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coupling_is_the_product),
      cmocka_unit_test(equal_rows_share_a_list),
      cmocka_unit_test(coupling_without_rows),
      cmocka_unit_test(chains_are_tridiagonal),
      cmocka_unit_test(trees_fill_nothing_in),
      cmocka_unit_test(rings_fill_one_row_in),
      cmocka_unit_test(condition_of_known_matrices),
      cmocka_unit_test(condition_is_estimated_above_500),
      cmocka_unit_test(condition_of_the_singular_and_the_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
