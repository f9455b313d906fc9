#ifndef RATTLE_TESTS_NEAR_H
#define RATTLE_TESTS_NEAR_H
/* What tests against closed forms begin with. */
#include "rattle/rattle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static inline void is_near(const char *what, double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("%s is %.17g, not %.17g: off by %.2e", what, found, expected, found - expected);
}
#endif
