/* Families of periodic orbits along a parameter of the model, where they, and their bifurcations,
 * are known. */
#include "unit/common_family.h"

static void near(const fixture *f, int row, const char *column, double expected, double tolerance) {
  const double found = entry(f, row, column);
  if (!(fabs(found - expected) < tolerance))
    fail_msg("row %d, %s: %.12g for %.12g", row, column, found, expected);
}

static const char pendulum[] =
    "local gravity = parameter('gravity', 1)\nlocal length = parameter('length', 1)\n"
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + gravity*y)\n"
    "constrain('rod', x^2 + y^2 - length^2)\nstart { x = length*math.sin(1), y = "
    "-length*math.cos(1) }\nintegrate { step = 0.1 }";

/* In stronger and weaker gravity, and on a longer rod: its nodes move as the constraint does. By
 * one arc and by three. */
static void test_pendulum(void **unused) {
  (void)unused;
  static const char *const name[] = {"gravity", "gravity", "length", "length"};
  static const double to[] = {4, 0.6, 1.7, 0.6};
  for (int i = 0; i < 4; i++) {
    fixture f =
        family_of(pendulum, "kahan_li8(rattle(verlet))", name[i],
                  (rattle_study_options){.period = 6.7, .to = to[i], .arcs = i == 2 ? 3 : 0});
    const char *column = i < 2 ? "set:gravity" : "set:length";
    expect_whole(&f, column, to[i], 0);
    for (int row = 0; row < rows_of(&f); row++) {
      const double value = entry(&f, row, column);
      near(&f, row, "energy", -cos(1), 1e-10);
      near(&f, row, "period", pendulum_period(i < 2 ? value : 1, i < 2 ? 1 : value, -cos(1)), 1e-7);
    }
    close_fixture(&f);
  }
}

/* With the period held the amplitude changes. */
static void test_held_period(void **unused) {
  (void)unused;
  fixture f =
      family_of(pendulum, "kahan_li8(rattle(verlet))", "length",
                (rattle_study_options){.period = 6.8, .to = 1.1, .held = RATTLE_ORBIT_HOLD_PERIOD});
  expect_whole(&f, "set:length", 1.1, 0);
  for (int row = 0; row < rows_of(&f); row++) {
    near(&f, row, "period", 6.8, 1e-9);
    near(&f, row, "period",
         pendulum_period(1, entry(&f, row, "set:length"), entry(&f, row, "energy")), 1e-7);
  }
  close_fixture(&f);
}

/* V = (x^4 + y^4)/4 + a x^2 y^2/2: the straight orbit has the trace 2 + 4 cos(pi/2 sqrt(1 + 8 a)),
 * and families branch off at a = n(n+1)/2 (M. Brack, S. N. Fedotkin, A. G. Magner, M. Mehta, J.
 * Phys. A 36 (2003) 1095). The same on a circle, x being the angle. */
static void test_quartic(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "local a = parameter('a', 0.6)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"
      "hamiltonian((px^2 + py^2)/2 + (x^4 + y^4)/4 + a*x^2*y^2/2)\nstart { x = 1 }\nintegrate { "
      "step = 0.1 }",
      "local a = parameter('a', 0.6)\nlocal c, pc = pair('c')\nlocal s, ps = pair('s')\nlocal y, "
      "py = pair('y')\nlocal x = "
      "atan2(s, c)\n"
      "hamiltonian((pc^2 + ps^2 + py^2)/2 + (x^4 + y^4)/4 + a*x^2*y^2/2)\nconstrain('circle', c^2 "
      "+ s^2 - 1)\n"
      "start { c = math.cos(1), s = math.sin(1) }\nintegrate { step = 0.1 }"};
  static const char *const method[] = {"kahan_li8(verlet)", "kahan_li6(rattle(verlet))"};
  static const family_event known[] = {{RATTLE_FAMILY_BRANCH, 1, 1e-6},
                                       {RATTLE_FAMILY_BRANCH, 3, 1e-6}};
  for (int i = 0; i < 2; i++) {
    fixture f = family_of(text[i], method[i], "a",
                          (rattle_study_options){.period = 7.4, .to = i ? 1.4 : 3.4});
    assert_string_equal(f.r->method[0].verdict, "complete");
    expect_events(&f, "set:a", known, i ? 1 : 2);
    for (int row = 0; row < rows_of(&f); row++) {
      const double a = entry(&f, row, "set:a"),
                   trace = entry(&f, row, "real_1") + entry(&f, row, "real_2");
      near(&f, row, "energy", 0.25, 1e-10);
      if (!(fabs(trace - 2 - 4 * cos(pi / 2 * sqrt(1 + 8 * a))) < 1e-5))
        fail_msg("a = %.9g: trace %.9g", a, trace);
    }
    close_fixture(&f);
  }
}

/* H = (1 + a) I + (I - 1)^3/3, I = (x^2 + p^2)/2: orbits of period 2 pi have a = -(I - 1)^2, which
 * turns at a = 0. */
static void test_fold(void **unused) {
  (void)unused;
  fixture f =
      family_of("local a = parameter('a', -0.25)\nlocal x, p = pair('x')\nlocal I = (x^2 + p^2)/2\n"
                "hamiltonian((1 + a)*I + (I - 1)^3/3)\nstart { x = 1 }\nintegrate { step = 0.1 }",
                "gauss(4)", "a",
                (rattle_study_options){
                    .period = 2 * pi, .to = 0.1, .held = RATTLE_ORBIT_HOLD_PERIOD, .points = 20});
  int folds = 0;
  double most = 0;
  assert_string_equal(f.r->method[0].verdict, "partial");
  for (int row = 0; row < rows_of(&f); row++) {
    const double x = entry(&f, row, "x"), p = entry(&f, row, "px"), action = (x * x + p * p) / 2;
    near(&f, row, "set:a", -(action - 1) * (action - 1), 1e-9);
    most = fmax(most, action);
    if ((int)entry(&f, row, "event") != RATTLE_FAMILY_FOLD_PARAMETER) continue;
    folds++;
    near(&f, row, "set:a", 0, 1e-10);
  }
  assert_int_equal(folds, 1);
  assert_true(most > 1.2); /* beyond the fold */
  close_fixture(&f);
}

/* x'' = -x + (m - x^2 - x'^2) x': the circle of radius sqrt(m), whose multiplier is exp(-2 pi
 * m). */
static void test_limit_cycle(void **unused) {
  (void)unused;
  fixture f = family_of(
      "local m = parameter('m', 0.2)\nlocal x, px = pair('x')\nhamiltonian((px^2 + x^2)/2)\n"
      "force { x = (m - x^2 - px^2)*px }\nstart { x = 0.45 }\nintegrate { step = 0.05 }",
      "rk4(classical)", "m", (rattle_study_options){.period = 6.3, .to = 0.6});
  expect_whole(&f, "set:m", 0.6, 0);
  for (int row = 0; row < rows_of(&f); row++) {
    const double m = entry(&f, row, "set:m"), x = entry(&f, row, "x"), p = entry(&f, row, "px");
    near(&f, row, "radius", exp(-2 * pi * m), 1e-5);
    if (!(fabs(x * x + p * p - m) < 1e-5)) fail_msg("m = %g: radius squared %g", m, x * x + p * p);
  }
  close_fixture(&f);
}

/* x'' = -w^2 x + cos t: x = cos t/(w^2 - 1), held by the drive. */
static void test_driven(void **unused) {
  (void)unused;
  fixture f = family_of(
      "local w = parameter('w', 1.4)\nlocal t = time()\nlocal x, px = pair('x')\n"
      "hamiltonian((px^2 + w^2*x^2)/2 - x*cos(t))\nstart { x = 1 }\nintegrate { step = 0.05 }",
      "kahan_li8(verlet)", "w", (rattle_study_options){.period = 2 * pi, .to = 1.2});
  expect_whole(&f, "set:w", 1.2, 0);
  for (int row = 0; row < rows_of(&f); row++) {
    const double w = entry(&f, row, "set:w");
    near(&f, row, "x", 1 / (w * w - 1), 1e-8);
    near(&f, row, "real_1", cos(2 * pi * w), 1e-7);
  }
  close_fixture(&f);
}

static void refuse(const char *text, const char *parameter, double to, const char *words) {
  const char *method = "rattle(verlet)";
  rattle_study_options how = {.struct_size = sizeof how,
                              .start = (double)NAN,
                              .stop = (double)NAN,
                              .period = 6.7,
                              .to = to,
                              .threads = 1,
                              .along = RATTLE_FAMILY_PARAMETER,
                              .parameter = parameter,
                              .method = &method,
                              .methods = 1};
  fixture f = study_of(text, RATTLE_STUDY_FAMILY, how);
  if (!f.r->method[0].status || !strstr(f.r->method[0].message, words))
    fail_msg("'%s' is not in: %s", words, f.r->method[0].message);
  close_fixture(&f);
}

static void test_refusals(void **unused) {
  (void)unused;
  refuse(pendulum, "gravty", 2, "did you mean 'gravity'?");
  refuse(pendulum, NULL, 2, "needs the name");
  refuse(pendulum, "gravity", 1, "another value for its end");
  /* beyond 1.5 there is one more constraint */
  fixture f = family_of(
      "local g = parameter('g', 1)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz "
      "= pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2 + g*y + z^2/2)\nconstrain('rod', x^2 + y^2 - 1)\n"
      "if g > 1.5 then constrain('plane', z) end\nstart { x = math.sin(1), y = -math.cos(1) "
      "}\nintegrate { step = 0.1 }",
      "kahan_li6(rattle(verlet))", "g", (rattle_study_options){.period = 6.7, .to = 2});
  assert_string_equal(f.r->method[0].verdict, "partial");
  assert_true(entry(&f, -1, "set:g") > 1.4 && entry(&f, -1, "set:g") < 1.5);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_held_period),
      cmocka_unit_test(test_quartic),     cmocka_unit_test(test_fold),
      cmocka_unit_test(test_limit_cycle), cmocka_unit_test(test_driven),
      cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
