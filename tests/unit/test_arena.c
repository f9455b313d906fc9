/* Arenas: zeros, aligned; what nobody writes takes no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "ground/support/arena.h"

static void test_zeros(void **state) {
  (void)state;
  rattle__arena arena = {0};
  for (size_t count = 0; count < 40000; count = 2 * count + 1) {
    double *a = rattle__arena_doubles(&arena, count);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 64, 0);
    for (size_t i = 0; i < count; i++) {
      assert_true(a[i] == 0);
      a[i] = 1; /* the next one does not begin within this one */
    }
  }
  assert_false(arena.failed);
  rattle__arena_release(&arena);
  assert_null(arena.first);
}

/* Pages in memory of [a, a + bytes). */
static size_t resident(const void *a, size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE),
               begin = ((uintptr_t)a + page - 1) / page * page, pages = bytes / page - 1;
  unsigned char *in = malloc(pages);
  size_t count = 0;
  assert_int_equal(mincore((void *)begin, pages * page, in), 0);
  for (size_t i = 0; i < pages; i++) count += in[i] & 1;
  free(in);
  return count;
}

/* Maps have arrays for steps in doubt, which long chains may never take. */
static void test_untouched(void **state) {
  (void)state;
  enum { BYTES = 48 << 20 };
  rattle__arena arena = {0};
  char *a = rattle__arena_take(&arena, BYTES);
  assert_non_null(a);
  assert_true(resident(a, BYTES) < 2000); /* of 12288; huge pages come in 512 */
  rattle__arena_release(&arena);
}

/* Nor what the allocator had before. */
static void test_recycled(void **state) {
  (void)state;
  enum { BYTES = 16 << 20 };
  for (int i = 0; i < 3; i++) {
    char *used = malloc(BYTES + (1 << 20));
    assert_non_null(used);
    for (size_t k = 0; k < BYTES; k += 512) ((volatile char *)used)[k] = 1;
    free(used);
  }
  rattle__arena arena = {0};
  char *a = rattle__arena_take(&arena, BYTES);
  assert_non_null(a);
  assert_true(resident(a, BYTES) < 1200); /* of 4096 */
  assert_int_equal(a[BYTES / 2], 0);
  rattle__arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_zeros), cmocka_unit_test(test_untouched),
                                     cmocka_unit_test(test_recycled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
