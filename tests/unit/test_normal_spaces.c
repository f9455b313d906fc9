/* Angles between normal spaces at the stages of a step: one rod that turned, in closed form; and
 * the theorem for two stages of it, whose matrix is two by two. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "constraint/guard/normal_spaces.h"

/* Gradients of lengths 2 and 5 with that angle between them. */
static void test_turn(void **state) {
  (void)state;
  static const int ptr[] = {0, 1}, col[] = {0};
  rattle_error error;
  rattle__linear *C;
  assert_int_equal(rattle__linear_create(&C, 1, ptr, col, 0, RATTLE__LINEAR_AUTO, &error), 0);
  assert_int_equal(rattle__linear_watch_parts(C, &error), RATTLE_OK);
  for (double angle = 0.1; angle < 3; angle += 0.1) {
    C->value[0] = 2 * 5 * cos(angle);
    assert_int_equal(C->factor(C), RATTLE_OK);
    const double square = rattle__turn_of_normals(log(4), log(25), C);
    if (angle > 1.6)
      assert_true(square == INFINITY);
    else
      assert_true(fabs(square / (tan(angle) * tan(angle)) - 1) < 1e-12);
  }
  rattle__linear_destroy(&C);
}

/* spark(3): R = (w_ij cos(theta_i - theta_j)), theta_0 = 0. If it is said to be regular, its
 * determinant has the sign of det w; it is not said where it is not, though it may be. */
static void test_theorem(void **state) {
  (void)state;
  static const double w[] = {1.0 / 12, 1.0 / 24, 1.0 / 6, 1.0 / 3}, inverse[] = {16, 2, 8, 4};
  int said = 0, singular = 0;
  for (double first = -1.5; first < 1.5; first += 0.0625)
    for (double last = -1.5; last < 1.5; last += 0.0625) {
      const double squares[] = {0, tan(first) * tan(first), tan(last) * tan(last)};
      const double det = w[0] * cos(first) * w[3] * cos(last - first) - w[1] * w[2] * cos(last);
      const int regular = rattle__stages_are_regular(2, squares, w, inverse);
      assert_true(!regular || det > 0);
      said += regular;
      singular += det <= 0;
    }
  assert_true(said > 200 && singular > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_turn), cmocka_unit_test(test_theorem)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
