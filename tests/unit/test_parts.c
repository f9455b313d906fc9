/* Signs of the parts of a system that hang together. */
#include "matrices.h"

/* Several parts, of which two may have negative determinants. */
static void parts_have_signs_of_their_own(void **state) {
  (void)state;
  static const rattle__backend ways[] = {RATTLE__LINEAR_DENSE, RATTLE__LINEAR_KLU,
                                         RATTLE__LINEAR_LDL};
  int hidden = 0;
  seed = 31;
  for (int round = 0; round < 60; round++) {
    random_pattern(24, 12);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
      rattle__linear *a = create(24, ways[k] == RATTLE__LINEAR_LDL, ways[k]);
      fill(a, 0);
      check(a, 1e-13);
      hidden += rattle__linear_sign(a) > 0 && rattle__linear_side(a) < 0;
      rattle__linear_destroy(&a);
    }
  }
  assert_true(hidden > 40);
}

/* The sign of the determinant of the rows and columns i with part[i] = which, in long double; `least`
 * is added to i. 1: there are none. */
static int sign_of_part(const rattle__linear *a, const int *part, int least, int which) {
  static long double F[MOST][MOST];
  int at[MOST], count = 0, sign = 1;
  for (int i = 0; i < a->size; i++)
    if (part[least + i] == which) at[count++] = i;
  for (int r = 0; r < count; r++)
    for (int c = 0; c < count; c++) {
      F[r][c] = 0;
      for (int e = a->ptr[at[r]]; e < a->ptr[at[r] + 1]; e++)
        if (a->col[e] == at[c]) F[r][c] = (long double)a->value[e];
    }
  for (int k = 0; k < count; k++) {
    int p = k;
    for (int i = k + 1; i < count; i++)
      if (fabsl(F[i][k]) > fabsl(F[p][k])) p = i;
    for (int j = k; j < count && p != k; j++) {
      const long double t = F[k][j];
      F[k][j] = F[p][j];
      F[p][j] = t;
    }
    if ((p != k) != (F[k][k] < 0)) sign = -sign;
    for (int i = k + 1; i < count; i++)
      for (int j = count - 1; j >= k; j--) F[i][j] -= F[i][k] / F[k][k] * F[k][j];
  }
  return sign;
}

/* Parts of a matrix whose signs are to be those of -N, which joins some of them; and those of a
 * matrix that was seen before, of which rows of two parts turn. */
static void parts_are_compared(void **state) {
  (void)state;
  enum { ALL = 20, FIRST = 14, COUNT = ALL - FIRST };
  int turned = 0, hidden = 0;
  seed = 47;
  for (int round = 0; round < 200; round++) {
    random_pattern(COUNT, 3);
    rattle__linear *N = create(COUNT, 0, RATTLE__LINEAR_DENSE);
    fill(N, 0);
    random_pattern(ALL, 12);
    rattle__linear *a = create(ALL, 0, round % 2 ? RATTLE__LINEAR_DENSE : RATTLE__LINEAR_KLU);
    fill(a, 0);
    full_pattern(ALL);
    rattle__linear *full = create(ALL, 0, RATTLE__LINEAR_DENSE);
    for (int i = 0; i < ALL; i++)
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        full->value[i * ALL + a->col[e]] = a->value[e];
    rattle__linear *both[] = {a, full};
    assert_int_equal(N->factor(N), 0);
    for (int k = 0; k < 2; k++) {
      assert_int_equal(rattle__linear_watch_parts(both[k], NULL), RATTLE_OK);
      if (k) rattle__linear_part_by_values(full, 1);
      rattle__linear_join_parts(both[k], FIRST, N);
      assert_int_equal(both[k]->factor(both[k]), 0);
      rattle__linear_expect(both[k], FIRST, COUNT, N, 1);
    }
    int expected = 0, sign = 1;
    for (int which = 0; which < ALL; which++) {
      int one = sign_of_part(a, a->part, 0, which) * sign_of_part(N, a->part, FIRST, which);
      for (int i = FIRST; i < ALL; i++)
        if (a->part[i] == which) one = -one;
      expected += one < 0;
      sign *= one;
    }
    assert_int_equal(rattle__linear_turned(a), expected);
    assert_int_equal(rattle__linear_turned(full), expected);
    assert_int_equal(rattle__linear_side(a), expected ? -1 : 1);
    turned += expected > 0;
    hidden += expected > 0 && sign > 0;
    rattle__linear_expect_these(a);
    assert_int_equal(rattle__linear_side(a), 1);
    for (int i = 0; i < ALL; i++)
      if (a->part[i] != a->part[0] || i == 0)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) a->value[e] = -a->value[e];
    assert_int_equal(a->factor(a), 0);
    assert_int_equal(rattle__linear_sign(a) * rattle__linear_sign(full) > 0,
                     rattle__linear_turned(a) % 2 == 0);
    assert_true(rattle__linear_turned(a) > 0);
    rattle__linear_destroy(&N);
    rattle__linear_destroy(&a);
    rattle__linear_destroy(&full);
  }
  assert_true(turned > 150 && hidden > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_have_signs_of_their_own),
      cmocka_unit_test(parts_are_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
