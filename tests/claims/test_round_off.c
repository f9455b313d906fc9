/* Compensated sums: what is left of round-off in a conserved quantity is what one rounding of each
 * increment makes, h 2^-53, and grows like the root of the number of steps; that of plain sums is
 * far beyond it. docs/round-off.md has the long runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../bench/conserved.h"

enum { MEMBERS = 4, POINTS = 5, STEPS = 1 << 16 };

/* rms[POINTS] of the relative changes after STEPS / 2^4, 2^3 ... substeps. */
static void measure(const conserved *c, const char *method, double *rms) {
  double change[POINTS];
  memset(rms, 0, POINTS * sizeof *rms);
  for (int member = 0; member < MEMBERS; member++) {
    rattle_error error;
    if (conserved_follow(c, method, member, (STEPS / c->substeps) >> (POINTS - 1), POINTS, change,
                         &error))
      fail_msg("%s on %s: %s", method, c->name, error.message);
    for (int i = 0; i < POINTS; i++) rms[i] += change[i] * change[i] / MEMBERS;
  }
  for (int i = 0; i < POINTS; i++) rms[i] = sqrt(rms[i]);
}

static void test_root_of_time(void **state) {
  (void)state;
  for (int k = 0; k < CONSERVED_COUNT; k++) {
    const conserved *c = &conserved_all[k];
    char method[96];
    double plain[POINTS], compensated[POINTS];
    measure(c, c->method, plain);
    conserved_method(c, 1, method, sizeof method);
    measure(c, method, compensated);
    print_message("%-36s %-60s %.2g, plain %.2g\n", c->name, method, compensated[POINTS - 1],
                  plain[POINTS - 1]);
    for (int i = 0; i < POINTS; i++) {
      const double law = 4 * c->h * 0x1p-53 * sqrt(STEPS >> (POINTS - 1 - i));
      if (!(compensated[i] > 0 && compensated[i] < law))
        fail_msg("%s: %s is off by %.3g, more than %.3g", c->name, method, compensated[i], law);
    }
    const double gain = plain[POINTS - 1] / compensated[POINTS - 1];
    if (!(gain > 50))
      fail_msg("%s: %s is off by %.3g times as much only", c->name, c->method, gain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_root_of_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
