/* Motions far from the origin that a step must not refuse: its equations hold forces of constraints
 * at a point that is itself sought, whose rounding bounds what they can be solved to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "made.h"

static void take(made *m, int steps, const char *what, const char *method) {
  rattle_error error;
  if (rattle_integrator_step(m->integrator, &m->state, steps, &error))
    fail_msg("%s by %s: %s", what, method, error.message);
}

/* The same steps at the origin and at `far`, where coordinates are known to eps far, and what
 * depends on them as well. */
static void compare(const char *model, const char *method, double h, double far) {
  enum { STEPS = 60 };
  char text[2][1024];
  made m[2];
  for (int k = 0; k < 2; k++) {
    snprintf(text[k], sizeof text[k], "local D = %.17g\n%s", k ? far : 0.0, model);
    m[k] = make(text[k], method, h, 0);
    take(&m[k], STEPS, text[k], method);
  }
  const double known = 1e-15 * far * STEPS;
  for (int c = 0; c < m[0].n; c++) {
    const double q = m[1].state.q[c] - m[0].state.q[c], of_q = round(q / far) * far;
    if (!(fabs(q - of_q) < known) || !(fabs(m[1].state.p[c] - m[0].state.p[c]) < 4 * known))
      fail_msg("%s by %s, h = %g: off by %g and %g", text[1], method, h, q - of_q,
               m[1].state.p[c] - m[0].state.p[c]);
  }
  unmake(&m[0]);
  unmake(&m[1]);
}

static void test_far_origins(void **state) {
  (void)state;
  static const char *const models[] = {
      "local x, px = pair('x') local y, py = pair('y')\n"
      "hamiltonian((px^2 + py^2)/2 + (y - D))\n"
      "constrain('rod', sqrt((x - D)^2 + (y - D)^2) - 1)\n"
      "start { x = D + 1, y = D, py = -2 }",
      "local x, px = pair('x') local y, py = pair('y')\n"
      "hamiltonian((px^2 + py^2)/2 + (y - D))\n"
      "constrain('rod', (x - D)^2 + (y - D)^2 - 1)\n"
      "start { x = D + 1, y = D, py = -2 }",
      "local x, px = pair('x') local y, py = pair('y')\n"
      "hamiltonian(sqrt(1 + px^2 + py^2) + (y - D))\n"
      "constrain('rod', sqrt((x - D)^2 + (y - D)^2) - 1)\n"
      "start { x = D + 1, y = D, py = -2 }",
      "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
      "local u, pu = pair('u') local v, pv = pair('v') local w, pw = pair('w')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2 + (pu^2 + pv^2 + pw^2)/6 + z + 3*w)\n"
      "constrain('first', sqrt((x - D)^2 + (y + D)^2 + z^2) - 1.3)\n"
      "constrain('second', sqrt((x - u)^2 + (y - v)^2 + (z - w)^2) - 0.7)\n"
      "start { x = D + 1.3, y = -D, py = -2, u = D + 1.3, v = -D + 0.7, pu = 0.5, pv = -6 }"};
  static const char *const methods[] = {"discrete_gradient", "rattle_monolithic", "spark(3)",
                                        "spark_gauss(2)", "rattle(midpoint)"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      compare(models[i], methods[k], 0.025, 1048576);
      compare(models[i], methods[k], -0.01, 1048576);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_origins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
