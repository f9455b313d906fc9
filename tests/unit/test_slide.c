/* The public face of src/constraint: points onto constraints, momenta along fibres, impulses of
 * steps. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
} fixture;

static const char rods[] =
    "local x1,px1 = pair('x1') local y1,py1 = pair('y1') local x2,px2 = pair('x2') local y2,py2 = "
    "pair('y2')\n"
    "mass{x1 = 1, y1 = 1, x2 = 2.5, y2 = 2.5} potential(y1 + 0.3*x2*y2)\n"
    "constrain('one', x1^2 + y1^2 - 1) constrain('two', (x2-x1)^2 + (y2-y1)^2 - 4)\n"
    "start{x1 = 0.8, y1 = 0.6, x2 = 0.8, y2 = 2.6, px1 = 0.6, py1 = -0.8, px2 = 1.5, project = "
    "true}\n";
static const char geared[] = "local x,px = pair('x') local y,py = pair('y')\n"
                             "hamiltonian(((1 + 0.5*x^2)*px^2 + py^2)/2 + 0.25*x*px*py + y)\n"
                             "constrain('rod', x^2 + y^2 - 1) start{x = 0.6, y = 0.8, px = 0.8, py "
                             "= -0.6, project = true}\n";
static const char sphere[] =
    "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + x*y + 0.4*x)\n"
    "constrain('sphere', x^2 + y^2 + px^2 + py^2 - 1) start{x = 0.6, py = 0.8, project = true}\n";

static void open(fixture *f, const char *text) {
  rattle_error error;
  *f = (fixture){0};
  if (rattle_model_parse(&f->model, text, "test", NULL, &error) ||
      rattle_problem_create(&f->problem, f->model, NULL, &error))
    fail_msg("%s", error.message);
}

static void close(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* A point off the constraints is put onto both, to round-off, and stays where it is when asked
 * again. */
static void test_places(void **state) {
  (void)state;
  const char *const texts[] = {rods, geared, sphere};
  for (int which = 0; which < 3; which++) {
    fixture f;
    rattle_error error;
    rattle_slider *slider = NULL;
    double q[4], p[4], again[4], g[2], psi[2];
    open(&f, texts[which]);
    const int n = rattle_problem_n(f.problem), m = rattle_problem_m(f.problem);
    assert_int_equal(rattle_problem_start(f.problem, 0, q, p, NULL, &error), RATTLE_OK);
    for (int k = 0; k < n; k++) q[k] += 0.01 * (k + 1), p[k] -= 0.02 * k + 0.05;
    assert_int_equal(rattle_slider_create(&slider, f.problem, &error), RATTLE_OK);
    if (rattle_slider_place(slider, q, p, &error) || rattle_slider_momenta(slider, q, p, &error))
      fail_msg("%s", error.message);
    assert_int_equal(rattle_problem_residuals(f.problem, q, p, g, psi, &error), RATTLE_OK);
    for (int i = 0; i < m; i++) assert_true(fabs(g[i]) < 4e-15 && fabs(psi[i]) < 4e-15);
    memcpy(again, q, sizeof q);
    assert_int_equal(rattle_slider_place(slider, q, p, &error), RATTLE_OK);
    for (int k = 0; k < n; k++) assert_true(fabs(q[k] - again[k]) < 4e-16);
    rattle_slider_destroy(&slider);
    assert_null(slider);
    close(&f);
  }
}

/* From wherever a search begins, it ends on the constraints to the round-off of where it ends. */
static void test_places_from_far(void **state) {
  (void)state;
  static const char circle[] =
      "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + y)\n"
      "constrain('rod', x^2 + y^2 - 1) start{x = 1}\n";
  fixture f;
  rattle_error error;
  rattle_slider *slider = NULL;
  open(&f, circle);
  assert_int_equal(rattle_slider_create(&slider, f.problem, &error), RATTLE_OK);
  for (double far = 10; far < 1e40; far *= 1e3) {
    double q[2] = {far, 0}, p[2] = {0, 0};
    if (rattle_slider_place(slider, q, p, &error)) fail_msg("from %g: %s", far, error.message);
    assert_true(fabs(q[0] - 1) < 4e-16 && q[1] == 0);
  }
  rattle_slider_destroy(&slider);
  close(&f);
}

/* If the gradient vanishes nothing can be done, and nothing is. */
static void test_fails_unchanged(void **state) {
  (void)state;
  fixture f;
  rattle_error error;
  rattle_slider *slider = NULL;
  double q[4] = {0}, p[4] = {1, 2, 3, 4};
  open(&f, rods);
  assert_int_equal(rattle_slider_create(&slider, f.problem, &error), RATTLE_OK);
  assert_int_equal(rattle_slider_place(slider, q, p, &error), RATTLE_SINGULAR);
  for (int k = 0; k < 4; k++) assert_true(q[k] == 0 && p[k] == k + 1);
  rattle_slider_destroy(&slider);
  close(&f);
  open(&f, "local x,px = pair('x') hamiltonian(px^2/2 + x^2) start{x = 1}");
  assert_int_equal(rattle_slider_create(&slider, f.problem, &error), RATTLE_UNSUITABLE);
  assert_null(slider);
  close(&f);
}

/* In a step of rattle(verlet) p changes by the kicks, which are -h/2 V_q at both ends, and by the
 * impulses. */
static void test_impulses(void **state) {
  (void)state;
  const char *const methods[] = {"rattle(verlet)", "rattle(verlet, solver=newton)",
                                 "rattle(verlet, solver=quasi_newton)"};
  for (int which = 0; which < 3; which++) {
    fixture f;
    rattle_error error;
    rattle_integrator *plain = NULL, *asked = NULL;
    double q[4], p[4], old_q[4], old_p[4], impulse[4], virial, other_q[4], other_p[4];
    open(&f, rods);
    assert_int_equal(rattle_problem_start(f.problem, 0, q, p, NULL, &error), RATTLE_OK);
    memcpy(other_q, q, sizeof q);
    memcpy(other_p, p, sizeof p);
    assert_int_equal(rattle_integrator_create(&plain, f.problem, methods[which], &error),
                     RATTLE_OK);
    assert_int_equal(rattle_integrator_create(&asked, f.problem, methods[which], &error),
                     RATTLE_OK);
    assert_int_equal(rattle_integrator_record_impulses(asked, &error), RATTLE_OK);
    rattle_state state_q = {.q = q, .p = p, .h = 0.02},
                 other = {.q = other_q, .p = other_p, .h = 0.02};
    for (int step = 0; step < 50; step++) {
      double expected_virial = 0;
      memcpy(old_q, q, sizeof q);
      memcpy(old_p, p, sizeof p);
      assert_int_equal(rattle_integrator_step(asked, &state_q, 1, &error), RATTLE_OK);
      assert_int_equal(rattle_integrator_step(plain, &other, 1, &error), RATTLE_OK);
      rattle_integrator_impulses(asked, impulse, &virial);
      const double kick[4] = {0, -0.02, -0.01 * 0.3 * (old_q[3] + q[3]),
                              -0.01 * 0.3 * (old_q[2] + q[2])};
      for (int k = 0; k < 4; k++) {
        assert_true(fabs(p[k] - old_p[k] - kick[k] - impulse[k]) < 2e-15);
        assert_true(fabs(q[k] - other_q[k]) < 1e-12 && fabs(p[k] - other_p[k]) < 1e-12);
        expected_virial += 0.5 * (old_q[k] + q[k]) * impulse[k];
      }
      /* the slides are at q0 and at q1, and nearly as long as each other */
      assert_true(fabs(virial - expected_virial) < 1e-3 * fabs(virial) + 1e-4);
    }
    rattle_integrator_destroy(&plain);
    rattle_integrator_destroy(&asked);
    close(&f);
  }
}

/* Impulses of a composition are summed over its substeps; maps without slides say so. */
static void test_which_record(void **state) {
  (void)state;
  fixture f;
  rattle_error error;
  open(&f, rods);
  const struct {
    const char *method;
    rattle_status status;
  } cases[] = {{"suzuki4(rattle(verlet))", RATTLE_OK},
               {"rattle(midpoint)", RATTLE_OK},
               {"shake(verlet)", RATTLE_OK},
               {"spark(3)", RATTLE_UNSUITABLE},
               {"rattle_monolithic", RATTLE_UNSUITABLE},
               {"rk4(dirac)", RATTLE_UNSUITABLE},
               {"project(rk4(classical))", RATTLE_UNSUITABLE},
               {"rattle(verlet, solver=sweep)", RATTLE_UNSUITABLE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_integrator *integrator = NULL;
    double q[4], p[4], impulse[4] = {0}, sum = 0;
    assert_int_equal(rattle_problem_start(f.problem, 0, q, p, NULL, &error), RATTLE_OK);
    if (rattle_integrator_create(&integrator, f.problem, cases[i].method, &error))
      fail_msg("%s", error.message);
    assert_int_equal(rattle_integrator_record_impulses(integrator, &error), cases[i].status);
    if (!cases[i].status) {
      rattle_state at = {.q = q, .p = p, .h = 0.05};
      assert_int_equal(rattle_integrator_step(integrator, &at, 1, &error), RATTLE_OK);
      rattle_integrator_impulses(integrator, impulse, NULL);
      for (int k = 0; k < 4; k++) sum += fabs(impulse[k]);
      assert_true(sum > 1e-3);
    }
    rattle_integrator_destroy(&integrator);
  }
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places), cmocka_unit_test(test_places_from_far),
      cmocka_unit_test(test_fails_unchanged), cmocka_unit_test(test_impulses),
      cmocka_unit_test(test_which_record)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
