/* Studies of methods whose steps differ in length: they are compared at the times of the study all
 * the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"
#include "study_fixture.h"

/* A planet from its aphelion, e = 0.8, half-axis 1, GM = 1. */
static const char kepler[] =
    "local q1, p1 = pair('q1', 'p1') local q2, p2 = pair('q2', 'p2') local r = sqrt(q1^2 + q2^2)\n"
    "hamiltonian((p1^2 + p2^2)/2 - 1/r) observe('density', r^(-1.5))\n"
    "start { q1 = -1.8, p2 = -1/3 }";
/* Two beads on a ring that repel each other, and nearly touch. */
static const char beads[] =
    "local q1, p1 = pair('q1', 'p1') local q2, p2 = pair('q2', 'p2')\n"
    "local q3, p3 = pair('q3', 'p3') local q4, p4 = pair('q4', 'p4')\n"
    "hamiltonian((p1^2 + p2^2 + p3^2 + p4^2)/2 + 0.01/sqrt((q1 - q3)^2 + (q2 - q4)^2))\n"
    "constrain('one', q1^2 + q2^2 - 1) constrain('two', q3^2 + q4^2 - 1)\n"
    "start { q1 = 1, q3 = -1, p2 = 0.5, p4 = 0.25 }";

/* Steps and gradients of a run of its own. */
static rattle_summary run(const fixture *f, const char *method, double step, double stop) {
  double q[4], p[4];
  rattle_integrator *integrator = NULL;
  rattle_summary summary = {.steps = 0};
  rattle_error error;
  rattle_state state = {.q = q, .p = p, .h = step};
  rattle_run_options options = {
      .steps = 100000000, .every = 1000, .initial_energy = (double)NAN, .until = &stop};
  if (rattle_integrator_create(&integrator, f->problem, method, &error) ||
      rattle_problem_start(f->problem, 0, q, p, NULL, &error) ||
      rattle_run(integrator, &state, &options, NULL, 0, &summary, &error))
    fail_msg("%s", error.message);
  rattle_integrator_destroy(&integrator);
  return summary;
}

/* Order 6 down to 1e-9: the way from the end of a step to the time of the study is followed well
 * enough for that. */
static void test_order(void **state) {
  (void)state;
  static const char *const free[] = {"adaptive(verlet)", "adaptive(verlet, density)",
                                     "adaptive(kahan_li6(verlet))"};
  static const char *const held[] = {"adaptive(rattle(verlet))",
                                     "adaptive(suzuki4(rattle(verlet)))"};
  for (int k = 0; k < 2; k++) {
    const int methods = k ? 2 : 3;
    fixture f =
        study_of(k ? beads : kepler, RATTLE_STUDY_ORDER,
                 (rattle_study_options){
                     .method = k ? held : free, .methods = methods, .start = 3, .stop = k ? 7 : 9});
    for (int i = 0; i < methods; i++) {
      const rattle_study_method *row = &f.r->method[i];
      const rattle_study_table *points = rattle_study_find_table(row, "points");
      if (strcmp(row->verdict, "confirmed") != 0)
        fail_msg("%s: %s %s%s", row->method, row->verdict, row->why, row->message);
      const double step = rattle_study_entry(points, points->rows - 1, "step"),
                   steps = rattle_study_entry(points, points->rows - 1, "steps");
      assert_true(steps > 1.2 * (f.r->stop - f.r->start) / step); /* shorter ones after the first */
      if (f.r->method[i].claims.order == 6)
        assert_true(rattle_study_find_fit(row, "error")->points > 8);
      if (k) assert_true(rattle_study_entry(points, points->rows - 1, "psi") < 1e-12);
    }
    close_fixture(&f);
  }
}

/* The method for what it is made for is the cheapest, and the advice is what a run does. */
static void test_advice(void **state) {
  (void)state;
  static const char *const methods[] = {"kahan_li6(verlet)",
                                        "adaptive(kahan_li6(verlet), density)"};
  rattle_study_options options = {
      .method = methods, .methods = 1, .start = 0, .stop = 12, .error = 1e-6, .threads = 1};
  fixture f = study_of(kepler, RATTLE_STUDY_ADVISE, options);
  const double even = rattle_study_find_figure(&f.r->method[0], "gradient");
  assert_string_equal(f.r->method[0].verdict, "measured");
  close_fixture(&f);
  options.methods = 2;
  f = study_of(kepler, RATTLE_STUDY_ADVISE, options);
  const rattle_study_method *row = &f.r->method[1];
  const double steps = rattle_study_find_figure(row, "steps"),
               step = rattle_study_find_figure(row, "step");
  assert_string_equal(row->verdict, "measured");
  assert_true(rattle_study_find_figure(row, "gradient") < 0.5 * even);
  const rattle_summary summary = run(&f, row->method, step, f.r->stop);
  assert_true(summary.steps == (long long)steps);
  assert_true(fabs((double)summary.counts.gradient - rattle_study_find_figure(row, "gradient")) <
              3);
  close_fixture(&f);
}

/* It is among what is tried, and is found where it is worth it. */
static void test_choice(void **state) {
  (void)state;
  fixture f = study_of(
      kepler, RATTLE_STUDY_ADVISE,
      (rattle_study_options){
          .start = 0, .stop = 12, .error = 1e-5, .quantity = RATTLE_STUDY_ENERGY, .threads = 1});
  int tried = 0, best = -1;
  for (int i = 0; i < f.r->methods; i++)
    tried += strncmp(f.r->method[i].method, "adaptive(", 9) == 0;
  assert_in_range(tried, 4, 8);
  for (int i = 0; i < f.r->figures; i++)
    if (!strcmp(f.r->figure[i].name, "best")) best = (int)f.r->figure[i].value;
  assert_in_range(best, 0, f.r->methods - 1);
  if (strncmp(f.r->method[best].method, "adaptive(", 9) != 0)
    fail_msg("%s", f.r->method[best].method);
  close_fixture(&f);
}

/* Reversible, with what it remembers; not symplectic, which is not claimed. */
static void test_compare(void **state) {
  (void)state;
  static const char *const methods[] = {"adaptive(rattle(verlet))", "rattle(verlet)"};
  fixture f = study_of(beads, RATTLE_STUDY_COMPARE,
                       (rattle_study_options){.method = methods,
                                              .methods = 2,
                                              .start = 0,
                                              .stop = 40,
                                              .step = 0.02,
                                              .effort = 0.2,
                                              .every = 10});
  const rattle_study_method *row = &f.r->method[0];
  if (row->status || row->why[0]) fail_msg("%s %s", row->message, row->why);
  assert_true(rattle_study_find_figure(row, "reversal") < 1e-12);
  assert_true(rattle_study_find_figure(row, "symplecticity") > 1e-9);
  assert_true(rattle_study_find_figure(&f.r->method[1], "symplecticity") < 1e-11);
  /* gradients and Newton iterations of a step, not of a mean one */
  assert_true(fabs(rattle_study_find_figure(row, "gradients_per_step") - 2) < 0.1);
  close_fixture(&f);
}

/* Samples at the ticks, evenly: the solution is there, and the frequency of its motion is found. */
static void test_drift(void **state) {
  (void)state;
  static const char *const methods[] = {"adaptive(kahan_li6(verlet), density)"}, *const spectrum[] =
                                                                                     {"q1"};
  fixture f = study_of(kepler, RATTLE_STUDY_DRIFT,
                       (rattle_study_options){.method = methods,
                                              .methods = 1,
                                              .start = 0,
                                              .stop = 20 * 6.283185307179586,
                                              .step = 0.1,
                                              .every = 1,
                                              .spectrum = spectrum,
                                              .spectra = 1});
  const rattle_study_method *row = &f.r->method[0];
  const rattle_study_table *growth = rattle_study_find_table(row, "growth"),
                           *samples = rattle_study_find_table(row, "samples"),
                           *peaks = rattle_study_find_table(row, "peaks:q1");
  assert_true(rattle_study_entry(growth, growth->rows - 1, "error") < 1e-7);
  assert_true(fabs(rattle_study_entry(peaks, 0, "frequency") - 1 / 6.283185307179586) < 0.002);
  assert_int_equal(samples->rows, 1258);
  for (int k = 1; k < samples->rows; k++) {
    const double t = rattle_study_entry(samples, k, "time"), M = t + 3.141592653589793;
    double E = M;
    for (int i = 0; i < 60; i++) E -= (E - 0.8 * sin(E) - M) / (1 - 0.8 * cos(E));
    assert_true(fabs(t - 0.1 * k) < 1e-9);
    assert_true(fabs(rattle_study_entry(samples, k, "q1") - (cos(E) - 0.8)) < 1e-7);
  }
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_advice),
                                     cmocka_unit_test(test_choice), cmocka_unit_test(test_compare),
                                     cmocka_unit_test(test_drift)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
