/* Memory that opening a long chain takes, in bytes of the allocator a link, at most. Less is
 * progress: write the new limits here. */
#include <malloc.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTED 0 /* what they add is not the library's */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTED 0
#endif
#endif
#ifndef COUNTED
#ifdef __GLIBC__
#define COUNTED 1
#else
#define COUNTED 0
#endif
#endif

static size_t most;

#if COUNTED
#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *memory);

static size_t in_use;

static void *count(void *memory, size_t before) {
  if (memory) {
    const size_t more = malloc_usable_size(memory) - before;
    const size_t now = __atomic_add_fetch(&in_use, more, __ATOMIC_RELAXED);
    if (now > most) most = now;
  }
  return memory;
}
SEEN_BY_LIBRARIES void *malloc(size_t size) {
  return count(__libc_malloc(size), 0);
}
SEEN_BY_LIBRARIES void *calloc(size_t number, size_t size) {
  return count(__libc_calloc(number, size), 0);
}
SEEN_BY_LIBRARIES void *realloc(void *old, size_t size) {
  const size_t before = old ? malloc_usable_size(old) : 0;
  return count(__libc_realloc(old, size), before);
}
SEEN_BY_LIBRARIES void free(void *memory) {
  if (memory) __atomic_sub_fetch(&in_use, malloc_usable_size(memory), __ATOMIC_RELAXED);
  __libc_free(memory);
}
#endif

#define MEMORY() (double)most
#include "../../bench/opening.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_memory(void **state) {
  (void)state;
  if (!COUNTED) skip();
  enum { N = 50000 };
  static const double limit[STAGES] = {930, 930, 950, 950};
  load at[STAGES];
  opening(N, at);
  for (int s = 0; s < STAGES; s++) {
    print_message("%.0f bytes a link\n", at[s].bytes / N);
    if (!(at[s].bytes > 0 && at[s].bytes / N < limit[s]))
      fail_msg("%.0f bytes a link, not %.0f", at[s].bytes / N, limit[s]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
