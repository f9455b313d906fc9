/* What the processor can do, as the system says it in /proc/cpuinfo; the widest kernels are taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h comes after those four */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "bonds/bonds.h"
#include "constraint/links/chain.h"
#include "ground/support/processor.h"

static char flags[1 << 14]; /* " fpu vme ... " */

static int read_flags(void **state) {
  (void)state;
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(flags, sizeof flags, file) && strncmp(flags, "flags", 5) != 0)
    ;
  if (file) fclose(file);
  if (strncmp(flags, "flags", 5) != 0) *flags = '\0';
  for (char *c = flags; *c; c++)
    if (*c == '\n') *c = ' ';
  return 0;
}

static int system_has(const char *name) {
  char word[32];
  snprintf(word, sizeof word, " %s ", name);
  return strstr(flags, word) != NULL;
}

static void as_the_system_says(void **state) {
  (void)state;
  static const char *const names[] = {"avx2", "avx512f", "avx512dq", "avx512vl"};
  if (!*flags) skip(); /* not this processor, or not this system */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    print_message("%s: %d\n", names[i], system_has(names[i]));
    assert_int_equal(rattle__processor_has(names[i]), system_has(names[i]));
  }
  assert_int_equal(rattle__processor_has("avx"), 0);
  assert_int_equal(rattle__processor_has(""), 0);
}

static void widest_kernels(void **state) {
  (void)state;
  if (!*flags) skip();
  const int eight = system_has("avx512f") && system_has("avx512dq");
  const char *widest = eight ? "avx512" : system_has("avx2") ? "avx2" : "plain";
  assert_string_equal(rattle__bond_kernel_of(NULL)->name, widest);
  assert_string_equal(rattle__chain_kernel_of(0)->name, widest);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_system_says),
                                     cmocka_unit_test(widest_kernels)};
  return cmocka_run_group_tests(tests, read_flags, NULL);
}
