/* Studies of difficult cases: small motions and none, few points, short runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"
#include "study_fixture.h"

/* Two rods and two masses, hanging, turned by an angle that is put in. */
static const char rods[] =
    "local g = 9.81 local a, pa = pair('a') local b, pb = pair('b')\n"
    "local c, pc = pair('c') local d, pd = pair('d') mass { a = 1.7, b = 1.7, c = 0.35, d = 0.35 "
    "}\n"
    "potential(g*(1.7*b + 0.35*d))\n"
    "constrain('r1', a^2 + b^2 - 0.64) constrain('r2', (a - c)^2 + (b - d)^2 - 1.69)\n"
    "local u = %g start { a = 0.8*sin(u), b = -0.8*cos(u), c = 2.1*sin(u), d = -2.1*cos(u) }\n"
    "integrate { method = 'rattle(verlet)', step = 0.003, stop = 3 }";

/* Momenta that are small against those of a shift of q are not a unit: the form of a small swing is
 * preserved as well as that of a large one. */
static void test_small_swings(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "rk4(dirac)"};
  for (double angle = 1; angle > 1e-7; angle /= 10) {
    char text[1024];
    snprintf(text, sizeof text, rods, angle);
    fixture f = study_of(
        text, RATTLE_STUDY_COMPARE,
        (rattle_study_options){
            .method = methods, .methods = 2, .start = 0, .stop = 3, .step = 0.05, .effort = 0.1});
    assert_string_equal(f.r->method[0].why, "");
    assert_true(figure(f.r, 0, "reversal") < 1e-13 && figure(f.r, 0, "symplecticity") < 1e-11);
    assert_true(figure(f.r, 0, "symplecticity_known_to") < 1e-11);
    /* what is not symplectic is seen all the same */
    assert_true(figure(f.r, 1, "symplecticity") > 1e-10);
    assert_true(figure(f.r, 1, "symplecticity") > 100 * figure(f.r, 1, "symplecticity_known_to"));
    close_fixture(&f);
  }
}

static void test_nothing_moves(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)"};
  static const rattle_study_kind needs[] = {RATTLE_STUDY_ORDER, RATTLE_STUDY_WORK,
                                            RATTLE_STUDY_ADVISE};
  char text[1024];
  fixture f;
  rattle_error error;
  snprintf(text, sizeof text, rods, 0.0);
  for (int k = 0; k < 3; k++) {
    rattle_study_options options = {
        .method = methods, .methods = 1, .start = 0, .stop = 3, .error = 1e-6};
    f = open_fixture(text);
    assert_int_equal(try_study(&f, needs[k], options, &error), RATTLE_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "nothing moves"));
    close_fixture(&f);
  }
  f = study_of(text, RATTLE_STUDY_COMPARE,
               (rattle_study_options){.method = methods, .methods = 1, .start = 0, .stop = 3});
  assert_non_null(strstr(f.r->note, "nothing moves"));
  assert_true(isnan(figure(f.r, 0, "reversal")) && isnan(figure(f.r, 0, "symplecticity")) &&
              isnan(figure(f.r, 0, "error_end")));
  assert_string_equal(f.r->method[0].verdict, "round-off");
  assert_string_equal(f.r->method[0].why, "");
  close_fixture(&f);
  /* whole periods end where they began, and move */
  f = study_of("local x, px = pair('x') hamiltonian((px^2 + x^2)/2) start { x = 1 }",
               RATTLE_STUDY_COMPARE,
               (rattle_study_options){.start = 0, .stop = 2 * 3.14159265358979323846});
  assert_null(strstr(f.r->note, "nothing moves"));
  close_fixture(&f);
}

/* A planet from its perihelion, e = 0.3. */
static const char kepler[] = "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + "
                             "py^2)/2 - 1/sqrt(x^2 + y^2))\n"
                             "start { x = 0.7, py = math.sqrt(1.3/0.7) } integrate { method = "
                             "'verlet', step = 0.02, stop = 20 }";

/* Slopes that still rise refute nothing, nor do four points. */
static void test_too_few(void **state) {
  (void)state;
  static const char *const methods[] = {"gauss(8)", "gauss(7)", "verlet"};
  fixture f =
      study_of(kepler, RATTLE_STUDY_ORDER,
               (rattle_study_options){.method = methods, .methods = 3, .start = 0, .stop = 2.2});
  const rattle_study_fit *fit = rattle_study_find_fit(&f.r->method[0], "error");
  assert_true(fit->points == 4 && fit->slope + fit->uncertainty < 16 - 1.28);
  assert_string_equal(f.r->method[0].verdict, "undecided");
  assert_non_null(strstr(f.r->method[0].why, "too few to decide"));
  assert_string_equal(f.r->method[2].verdict, "confirmed");
  close_fixture(&f);
  /* a corner that is round on a small scale: steps that do not see it yet have slopes of a kink,
   * finer ones rise to the order */
  static const char *const late[] = {"kahan_li8(verlet)"};
  f = study_of(
      "local x, px = pair('x') hamiltonian(px^2/2 + (x^2 + 1e-4)^1.25) start { x = 0.7, px = 0.3 }",
      RATTLE_STUDY_ORDER,
      (rattle_study_options){.method = late, .methods = 1, .start = 0, .stop = 9, .effort = 0.01});
  fit = rattle_study_find_fit(&f.r->method[0], "error");
  assert_true(fit->points >= 5 && fit->slope + fit->uncertainty < 8 - 0.64);
  assert_string_equal(f.r->method[0].verdict, "undecided");
  assert_non_null(strstr(f.r->method[0].why, "the slope has not settled"));
  close_fixture(&f);
}

/* A finite order is distinguished from exact, however high it is. */
static void test_exact(void **state) {
  (void)state;
  static const char *const methods[] = {"exact", "gauss(8)", "taylor(20)"};
  rattle_study_options options = {
      .method = methods, .methods = 3, .start = 0, .stop = 20, .error = 1e-6};
  fixture f = study_of("local x, px = pair('x') hamiltonian((px^2 + x^2)/2) start { x = 1 }",
                       RATTLE_STUDY_ORDER, options);
  assert_true(f.r->method[0].claims.order == RATTLE_ORDER_EXACT);
  assert_true(f.r->method[1].claims.order == 16 && f.r->method[2].claims.order == 20);
  assert_true(RATTLE_ORDER_EXACT > 20);
  assert_string_equal(f.r->method[0].verdict, "confirmed");
  close_fixture(&f);
  options.methods = 1;
  f = study_of("local x, px = pair('x') hamiltonian((px^2 + x^2)/2) start { x = 1 }",
               RATTLE_STUDY_ADVISE, options);
  assert_string_equal(f.r->verdict, "sure");
  assert_null(strstr(f.r->why, "of h^"));
  close_fixture(&f);
}

/* Part of an oscillation is not a drift, and an energy error above the size of the energy is
 * one. */
static void test_short_runs(void **state) {
  (void)state;
  static const char centre[] = "local x, px = pair('x') local y, py = pair('y')\n"
                               "hamiltonian((x^2 + y^2)/2 + x^4/8 + x*y^2/4 + cos(y)/10)\n"
                               "constrain('gx', px + y*(1 + x^2/4)/2, { dirac = true }) "
                               "constrain('gy', py - x*(1 + y^2/4)/2, { dirac = true })\n"
                               "start { x = 0.8, y = 0.3, project = true }";
  static const char *const methods[] = {"second_class(midpoint)",
                                        "mclachlan4(second_class(midpoint))", "rk4(dirac)"};
  rattle_study_options options = {
      .method = methods, .methods = 3, .start = 0, .stop = 5, .step = 0.05, .effort = 0.1};
  const rattle_study_kind kinds[] = {RATTLE_STUDY_COMPARE, RATTLE_STUDY_DRIFT};
  for (int k = 0; k < 2; k++) {
    fixture f = study_of(centre, kinds[k], options);
    for (int i = 0; i < 3; i++) assert_string_equal(f.r->method[i].verdict, "too short");
    if (k)
      assert_non_null(strstr(f.r->method[0].why, "cannot be distinguished from an oscillation"));
    close_fixture(&f);
  }
  options.stop = 40, options.step = 0.1, options.effort = 0.01;
  fixture f = study_of(centre, RATTLE_STUDY_COMPARE, options);
  assert_string_equal(f.r->method[0].verdict, "bounded");
  assert_string_equal(f.r->method[1].verdict, "bounded");
  assert_string_equal(f.r->method[2].verdict, "drifts");
  close_fixture(&f);
  /* off the manifold the total field is unstable */
  static const char *const wild[] = {"rk4(total)"};
  char text[1024];
  snprintf(text, sizeof text, rods, 2.0);
  f = study_of(text, RATTLE_STUDY_DRIFT,
               (rattle_study_options){.method = wild, .methods = 1, .start = 0, .stop = 3});
  assert_true(figure(f.r, 0, "energy_max") > 1e6);
  assert_string_equal(f.r->method[0].verdict, "drifts");
  assert_non_null(strstr(f.r->method[0].why, "larger than the size of the energy"));
  close_fixture(&f);
}

/* If stepping back fails there is no reversal, which is noted for methods that claim symmetry. */
static void test_no_reversal(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "rk4(dirac)"};
  char text[1024];
  snprintf(text, sizeof text, rods, 2.0);
  fixture f = study_of(
      text, RATTLE_STUDY_COMPARE,
      (rattle_study_options){.method = methods, .methods = 2, .start = 0, .stop = 3, .step = 0.2});
  assert_true(isnan(figure(f.r, 0, "reversal")));
  assert_non_null(strstr(
      f.r->note, "because a step back failed, although symmetry is claimed: rattle(verlet); "));
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_swings), cmocka_unit_test(test_nothing_moves),
      cmocka_unit_test(test_too_few),      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_short_runs),   cmocka_unit_test(test_no_reversal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
