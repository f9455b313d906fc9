/* Memory that opening a long chain takes, in bytes a link. Less is progress: write the new limits
 * here. */
#include "../../bench/opening.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static void test_memory(void **state) {
  (void)state;
  if (SANITIZED) skip(); /* what they add is not the library's */
  enum { N = 50000 };
  static const double limit[STAGES] = {940, 940, 1060, 1130};
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
