/* Lyapunov exponents of motions where they are known. */
#include <math.h>

#include "../study_fixture.h"

static rattle_study_options over(double stop, double step, const char *const *method) {
  return (rattle_study_options){.struct_size = sizeof(rattle_study_options),
                                .method = method,
                                .methods = method ? 1 : 0,
                                .start = 0,
                                .stop = stop,
                                .step = step};
}

static double exponent(const fixture *f, int k) {
  char name[32];
  snprintf(name, sizeof name, "exponent_%d", k);
  return figure(f->r, 0, name);
}

static void check_ok(const fixture *f, const char *verdict) {
  if (f->r->method[0].status) fail_msg("%s", f->r->method[0].message);
  if (strcmp(f->r->method[0].verdict, verdict))
    fail_msg("%s: MEGNO %g, SALI %g, largest %g", f->r->method[0].verdict, figure(f->r, 0, "megno"),
             figure(f->r, 0, "sali"), exponent(f, 1));
}

/* q'' = 4 q and q'' = -q: rates 2, 0, 0, -2; of verlet cosh(r h) = 1 + (2 h)^2/2 */
static void test_saddle(void **unused) {
  (void)unused;
  const char text[] = "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + "
                      "py^2)/2 - 2*x^2 + y^2/2)\n"
                      "start { x = 1e-6, y = 0.3 }";
  const double step = 0.01, rate = acosh(1 + 2 * step * step) / step, stop = 50;
  fixture f = study_of(text, RATTLE_STUDY_LYAPUNOV, over(stop, step, NULL));
  check_ok(&f, "exponential");
  assert_true(fabs(exponent(&f, 1) - rate) < 2 / stop && fabs(exponent(&f, 4) + rate) < 2 / stop);
  assert_true(fabs(exponent(&f, 2)) < 2 / stop && fabs(exponent(&f, 3)) < 2 / stop);
  assert_true(fabs(figure(f.r, 0, "sum")) < 1e-13);
  assert_true(figure(f.r, 0, "error") > 0.9 * fabs(exponent(&f, 1) - rate) &&
              figure(f.r, 0, "error") < 2 / stop);
  const rattle_study_table *table = rattle_study_find_table(&f.r->method[0], "exponents");
  assert_int_equal(table->columns, 3 + 4);
  assert_true(rattle_study_entry(table, table->rows - 1, "time") == stop);
  const double late = rattle_study_entry(table, table->rows - 1, "exponent_1") * stop,
               before = rattle_study_entry(table, table->rows / 2 - 1, "exponent_1") * stop / 2;
  if (!(fabs((late - before) / (stop / 2) - rate) < 1e-9))
    fail_msg("rate %.12g, not %.12g", (late - before) / (stop / 2), rate);
  close_fixture(&f);
}

static const char pendulum[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/2 + z)\nconstrain('rod', x^2 + y^2 + z^2 - 1)\n"
    "start { x = 0.6, z = -0.8, py = 0.7 }";

static void test_integrable(void **unused) {
  (void)unused;
  const double stop = 400;
  fixture f = study_of(pendulum, RATTLE_STUDY_LYAPUNOV, over(stop, 0.05, NULL));
  check_ok(&f, "regular");
  for (int k = 1; k <= 4; k++) assert_true(fabs(exponent(&f, k)) < 2 * log(stop) / stop);
  assert_true(fabs(figure(f.r, 0, "sum")) < 3 / stop);
  assert_true(figure(f.r, 0, "sali") > 1e-3);
  assert_true(exponent(&f, 1) < 2 * figure(f.r, 0, "error")); /* it is 0 */
  close_fixture(&f);
}

static const char twice[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal u, pu = pair('u')\nlocal v, pv = "
    "pair('v')\n"
    "hamiltonian((px^2 + py^2 + pu^2 + pv^2)/2 + 9.81*(y + v))\n"
    "constrain('inner', x^2 + y^2 - 1)\nconstrain('outer', (u - x)^2 + (v - y)^2 - 1)\n"
    "start { y = 1, v = 2, px = 0.3, pu = 0.9 }";

/* From near the upper rest: one exponent of each sign, and two that fall to 0 */
static void test_chaotic(void **unused) {
  (void)unused;
  const double stop = 400;
  fixture f = study_of(twice, RATTLE_STUDY_LYAPUNOV, over(stop, 0.01, NULL));
  check_ok(&f, "exponential");
  const double largest = exponent(&f, 1);
  assert_true(largest > 0.5 && fabs(exponent(&f, 4) + largest) < 0.05 * largest);
  assert_true(figure(f.r, 0, "error") > 1e-3 * largest && figure(f.r, 0, "error") < 0.2 * largest);
  assert_true(fabs(exponent(&f, 2)) < 0.1 * largest && fabs(exponent(&f, 3)) < 0.1 * largest);
  assert_true(fabs(figure(f.r, 0, "sum")) < 20 / stop && figure(f.r, 0, "sali") < 1e-10);
  close_fixture(&f);
}

static void test_refusals(void **unused) {
  (void)unused;
  const char *without[] = {"rattle(verlet, project=output)"};
  fixture f = study_of(pendulum, RATTLE_STUDY_LYAPUNOV, over(10, 0.05, without));
  assert_int_equal(f.r->method[0].status, RATTLE_UNSUITABLE);
  assert_true(f.r->method[0].message[0] && !f.r->method[0].tables);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_saddle), cmocka_unit_test(test_integrable),
      cmocka_unit_test(test_chaotic), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
