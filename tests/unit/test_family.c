/* Families of periodic orbits where they, and their bifurcations, are known. */
#include "unit/common_family.h"

static rattle_study_options seek(double period, double to) {
  return family_options((rattle_study_options){.period = period, .to = to});
}

static const char pendulum[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = math.sin(1), y = -math.cos(1) }\nintegrate { "
    "step = 0.1 }";

/* The period 2 pi/agm(1, cos(a/2)) belongs to the energy -cos a, all along */
static void test_pendulum(void **unused) {
  (void)unused;
  for (int along = 0; along < 2; along++) {
    rattle_study_options how = seek(6.7, along ? 10 : 0.9);
    how.along = along ? RATTLE_FAMILY_PERIOD : RATTLE_FAMILY_ENERGY;
    fixture f = family_of(pendulum, "kahan_li8(rattle(verlet))", NULL, how);
    expect_whole(&f, along ? "period" : "energy", how.to, 1e-10);
    for (int i = 0; i < rows_of(&f); i++) {
      const double off = entry(&f, i, "period") - pendulum_period(1, 1, entry(&f, i, "energy"));
      if (!(fabs(off) < 1e-7)) fail_msg("point %d: off by %.2e", i, off);
    }
    close_fixture(&f);
  }
}

/* At the energy 1 the pendulum comes to rest upside down after an infinite time: no orbit of the
 * family is beyond. */
static void test_separatrix(void **unused) {
  (void)unused;
  fixture f = family_of(pendulum, "kahan_li6(rattle(verlet))", NULL, seek(6.7, 3));
  assert_string_equal(f.r->method[0].verdict, "partial");
  assert_non_null(strstr(f.r->method[0].why, "never returns"));
  assert_true(entry(&f, -1, "energy") < 1 && entry(&f, -1, "energy") > 0.999 &&
              entry(&f, -1, "period") > 12);
  close_fixture(&f);
}

/* M. Henon and C. Heiles: the straight orbit loses and regains its stability by period doubling;
 * then by orbits of lower symmetry that branch off at 0.969309 and 0.986709 of the energy of the
 * saddle, 1/6 (M. Brack, Found. Phys. 31 (2001) 209). On a circle it is the same motion. */
static void test_henon_heiles(void **unused) {
  (void)unused;
  static const char *const text[] = {
      "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2 + x^2 + y^2)/2 + "
      "x^2*y - y^3/3)\n"
      "start { y = 0.6 }\nintegrate { step = 0.1 }",
      "local x, px = pair('x')\nlocal w, pw = pair('w')\nlocal y, py = pair('y')\nlocal a = "
      "atan2(x, w)\n"
      "hamiltonian((px^2 + pw^2 + py^2 + a^2 + y^2)/2 + a^2*y - y^3/3)\nconstrain('circle', x^2 + "
      "w^2 - 1)\n"
      "start { w = 1, y = 0.6 }\nintegrate { step = 0.15 }"};
  static const char *const method[] = {"kahan_li8(verlet)", "kahan_li6(rattle(verlet))"};
  static const family_event known[] = {{RATTLE_FAMILY_DOUBLING, 0, INFINITY},
                                       {RATTLE_FAMILY_DOUBLING, 0, INFINITY},
                                       {RATTLE_FAMILY_BRANCH, 0.969309 / 6, 2e-6 / 6},
                                       {RATTLE_FAMILY_BRANCH, 0.986709 / 6, 2e-6 / 6}};
  for (int i = 0; i < 2; i++) {
    fixture f = family_of(text[i], method[i], NULL, seek(6.9, 0.165));
    expect_events(&f, "energy", known, 4);
    assert_true(entry(&f, -1, "radius") < 1 + 1e-6);
    close_fixture(&f);
  }
}

static void refuse(const char *text, rattle_study_options how, const char *words) {
  fixture f = study_of(text, RATTLE_STUDY_FAMILY, how);
  if (!f.r->method[0].status || !strstr(f.r->method[0].message, words))
    fail_msg("'%s' is not in: %s", words, f.r->method[0].message);
  close_fixture(&f);
}

static void test_refusals(void **unused) {
  (void)unused;
  rattle_study_options how = seek(6.7, 0.9);
  how.points = 4;
  fixture f = family_of(pendulum, "rattle(verlet)", NULL, how);
  assert_string_equal(f.r->method[0].verdict, "partial");
  assert_true(figure(f.r, 0, "points") == 4);
  close_fixture(&f);
  how = seek(2 * pi, 7);
  how.along = RATTLE_FAMILY_PERIOD;
  refuse("local x, px = pair('x')\nhamiltonian((px^2 + x^2)/2)\nstart { x = 1 }\nintegrate { step "
         "= 0.1 }",
         how, "no family along which the period changes");
  refuse("local t = time()\nlocal x, px = pair('x')\nhamiltonian(px^2/2 + x^2 - x*cos(t))\nstart { "
         "x = 1 }\nintegrate { step = "
         "0.1 }",
         seek(2 * pi, 1), "depends on time");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum), cmocka_unit_test(test_separatrix),
      cmocka_unit_test(test_henon_heiles), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
