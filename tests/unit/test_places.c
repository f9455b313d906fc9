/* Places in a matrix in order: by row, by column, then as they come. */
#include "ground/linear/places.h"
#include "ground/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

typedef struct term {
  rattle__matrix_place at;
  double more;
} term;

static void check(int count, int size) {
  term *list = calloc((size_t)count + 1, sizeof *list);
  char *seen = calloc((size_t)count + 1, 1);
  assert_non_null(list);
  assert_non_null(seen);
  uint64_t state = 7;
  for (int i = 0; i < count; i++)
    list[i].at = (rattle__matrix_place){(int)(rattle__random(&state) % (unsigned)size),
                                        (int)(rattle__random(&state) % (unsigned)size)};
  int *order = rattle__places_in_order(list, sizeof *list, count, size);
  assert_non_null(order);
  for (int i = 0; i < count; i++) {
    assert_in_range(order[i], 0, count - 1);
    assert_false(seen[order[i]]++);
    if (!i) continue;
    const rattle__matrix_place a = list[order[i - 1]].at, b = list[order[i]].at;
    assert_true(a.row <= b.row);
    if (a.row == b.row) assert_true(a.col <= b.col);
    if (a.row == b.row && a.col == b.col) assert_true(order[i - 1] < order[i]);
  }
  free(order);
  free(list);
  free(seen);
}

static void places_are_in_order(void **state) {
  (void)state;
  check(0, 1);
  check(5, 1);    /* all in one place */
  check(3, 1000); /* few in many rows */
  check(5000, 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(places_are_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
