#ifndef FAKE_COMPILER_H
#define FAKE_COMPILER_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A script in a folder as the only `cc` of PATH. */
static inline void make_compiler(const char *folder, const char *script) {
  char name[512];
  snprintf(name, sizeof name, "%s/cc", folder);
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  assert_int_equal(chmod(name, 0700), 0);
  assert_int_equal(setenv("PATH", folder, 1), 0);
}
#endif
