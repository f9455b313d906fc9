/* Doubles as indices: what is not in range is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "ground/support/index.h"

static void whole_numbers(void **state) {
  (void)state;
  static const struct {
    double value;
    long long count, index;
  } row[] = {{0, 1, 0},
             {2, 3, 2},
             {3, 3, -1},
             {-1, 3, -1},
             {0.5, 3, -1},
             {-0.0, 3, 0},
             {4e6, 2, -1},
             {1e300, INT64_MAX, -1},
             {INFINITY, 3, -1},
             {-INFINITY, 3, -1},
             {NAN, 3, -1},
             {0, 0, -1},
             {0x1p53, INT64_MAX, 1LL << 53}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    assert_int_equal(rattle__index(row[i].value, row[i].count), row[i].index);
}

static void cells(void **state) {
  (void)state;
  static const struct {
    double x, low, high;
    int cell; /* of 4 */
  } row[] = {{0, 0, 1, 0},
             {0.25, 0, 1, 1},
             {0.9, 0, 1, 3},
             {1, 0, 1, 3},
             {1.1, 0, 1, -1},
             {5, 5, 5, 0},
             {DBL_MAX, -DBL_MAX, DBL_MAX, 3},
             {-DBL_MAX, -DBL_MAX, DBL_MAX, 0},
             {0, -DBL_MAX, DBL_MAX, 2},
             {NAN, 0, 1, -1},
             {0, NAN, 1, -1},
             {0, 0, INFINITY, 0},
             {INFINITY, 0, INFINITY, -1},
             {0, -INFINITY, INFINITY, -1}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    assert_int_equal(rattle__cell(row[i].x, row[i].low, row[i].high, 4), row[i].cell);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers), cmocka_unit_test(cells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
