/* Studies: orders and drifts that are known, work, comparisons, files. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "rattle/rattle.h"
#include "study_kept.h"

#define assert_near(found, wanted, tolerance) assert_true(fabs((found) - (wanted)) <= (tolerance))

/* --- studies --- */

static void test_orders(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(symplectic_euler)", "shake(verlet)",
                                        "rattle(verlet)", "suzuki4(rattle(verlet))",
                                        "kahan_li6(rattle(midpoint))"};
  const int order[] = {1, 1, 2, 4, 6};
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_ORDER,
        (rattle_study_options){.method = methods,
                               .methods = 5,
                               .start = (double)NAN,
                               .stop = (double)NAN,
                               .threads = 2});
  assert_string_equal(f.r->kind_name, "order");
  assert_int_equal(f.r->methods, 5);
  assert_true(f.r->reference.error < 2e-12);
  for (int i = 0; i < 5; i++) {
    const rattle_study_method *row = &f.r->method[i];
    const rattle_study_fit *fit = rattle_study_find_fit(row, "error");
    assert_string_equal(row->method, methods[i]);
    assert_string_equal(row->verdict, "confirmed");
    assert_int_equal(row->claims.order, order[i]);
    assert_true(fit->points >= 4 && fabs(fit->slope - order[i]) < 0.1 && fit->uncertainty < 0.2);
  }
  /* SHAKE: positions of order 2, hidden constraints off by the order of the step */
  assert_near(rattle_study_find_fit(&f.r->method[1], "error_q")->slope, 2, 0.1);
  assert_near(rattle_study_find_fit(&f.r->method[1], "psi")->slope, 1, 0.1);
  assert_int_equal(rattle_study_find_fit(&f.r->method[2], "psi")->points, 0);
  assert_true(isnan(
      rattle_study_entry(rattle_study_find_table(&f.r->method[0], "points"), 0, "no such column")));
  close_fixture(&f);
}

/* A force with a kink in its derivative: no method has more than some order 2.5 there. */
static void test_refuted(void **state) {
  (void)state;
  static const char *const methods[] = {"kahan_li8(verlet)", "verlet"};
  fixture f = open_fixture(
      "local x, px = pair('x') hamiltonian(px^2/2 + (x^2)^1.25) start { x = 0.7, px = 0.3 }");
  study(&f, RATTLE_STUDY_ORDER,
        (rattle_study_options){.method = methods, .methods = 2, .start = 0, .stop = 9});
  assert_string_equal(f.r->method[0].verdict, "refuted");
  assert_non_null(strstr(f.r->method[0].why, "the claim is order 8"));
  assert_true(rattle_study_find_fit(&f.r->method[0], "error")->slope < 4);
  assert_string_equal(f.r->method[1].verdict, "confirmed");
  close_fixture(&f);
}

static void test_threads(void **state) {
  (void)state;
  fixture one = open_fixture("double_pendulum.lua"), many = open_fixture("double_pendulum.lua");
  rattle_study_options options = {.start = (double)NAN, .stop = 1.5, .threads = 1, .effort = 0.05};
  study(&one, RATTLE_STUDY_ORDER, options);
  options.threads = 7;
  study(&many, RATTLE_STUDY_ORDER, options);
  assert_int_equal(one.r->methods, many.r->methods);
  assert_true(one.r->methods >= 4 && same(one.r->reference.error, many.r->reference.error));
  for (int i = 0; i < one.r->methods; i++) {
    const rattle_study_table *a = &one.r->method[i].table[0], *b = &many.r->method[i].table[0];
    assert_int_equal(a->rows, b->rows);
    for (int k = 0; k < a->rows * a->columns; k++)
      assert_true(same(a->value[k], b->value[k]) || (isnan(a->value[k]) && isnan(b->value[k])));
    assert_true(same(one.r->method[i].fit[0].slope, many.r->method[i].fit[0].slope));
  }
  close_fixture(&one);
  close_fixture(&many);
}

/* A method that cannot be studied has the reason in its entry. */
static void test_rows_that_fail(void **state) {
  (void)state;
  static const char *const methods[] = {"verlet", "rattle(verlt)", "rattle(verlet)"};
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_ORDER,
        (rattle_study_options){
            .method = methods, .methods = 3, .start = 0, .stop = 2, .effort = 0.01});
  assert_int_equal(f.r->method[0].status, RATTLE_UNSUITABLE);
  assert_non_null(strstr(f.r->method[0].message, "use rattle(verlet)"));
  assert_int_equal(f.r->method[1].status, RATTLE_BAD_METHOD);
  assert_int_equal(f.r->method[2].status, RATTLE_OK);
  close_fixture(&f);
}

static void test_refusals(void **state) {
  (void)state;
  const rattle_study_options wrong[] = {{.start = 0, .stop = 0},
                                        {.start = 0, .stop = 1, .effort = -1},
                                        {.start = 0, .stop = 1, .threads = -1},
                                        {.start = 0, .stop = 1, .reference = "verlet"},
                                        {.start = 0, .stop = 1, .reference = "nonsense"}};
  const rattle_status expected[] = {RATTLE_BAD_ARGUMENT, RATTLE_BAD_ARGUMENT, RATTLE_BAD_ARGUMENT,
                                    RATTLE_UNSUITABLE, RATTLE_BAD_METHOD};
  fixture f = open_fixture("pendulum.lua");
  rattle_error error;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(
        rattle_study_create(&f.study, f.problem, RATTLE_STUDY_ORDER, &wrong[i], &error),
        expected[i]);
    assert_null(f.study);
    assert_true(error.message[0]);
  }
  volatile int interrupt = 1;
  rattle_study_options options = {.start = 0, .stop = 1, .interrupt = &interrupt};
  assert_int_equal(rattle_study_create(&f.study, f.problem, RATTLE_STUDY_ORDER, &options, &error),
                   RATTLE_INTERRUPTED);
  assert_null(f.study);
  close_fixture(&f);
}

/* --- drift --- */

/* Frequency of the pendulum of energy E in a field of 1 that turns over: sqrt(2(E + 1))/(4 K(k)),
 * k^2 = 2/(E + 1). */
static double turning_frequency(double E) {
  double a = 1, b = sqrt(1 - 2 / (E + 1));
  for (int i = 0; i < 8; i++) {
    double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return sqrt(2 * (E + 1)) / (2 * M_PI / a);
}

static double exponent(const rattle_study_result *r, int method, const char *name) {
  return rattle_study_find_fit(&r->method[method], name)->slope;
}

/* Seiler's four ways to integrate a pendulum (Math. Comp. 68 (1999) 661), and RATTLE. */
static void test_drift(void **state) {
  (void)state;
  static const char *const methods[] = {"rk4(classical)", "rk4(dirac)", "shake(verlet)",
                                        "kahan_li8(rattle(verlet))"};
  static const char *const wanted[] = {"x", "py"};
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_DRIFT,
        (rattle_study_options){.method = methods,
                               .methods = 4,
                               .start = 0,
                               .stop = 511.5,
                               .step = 0.025,
                               .every = 40,
                               .spectrum = wanted,
                               .spectra = 2});
  assert_near(f.r->stop, 512, 1e-12);
  /* position constraints drift quadratically, the hidden ones linearly */
  assert_string_equal(f.r->method[0].verdict, "drifts");
  assert_near(exponent(f.r, 0, "energy"), 2, 0.15);
  assert_near(exponent(f.r, 0, "g"), 2, 0.1);
  assert_near(exponent(f.r, 0, "psi"), 1, 0.1);
  /* Hamilton-Dirac: all linearly */
  assert_string_equal(f.r->method[1].verdict, "drifts");
  assert_near(exponent(f.r, 1, "energy"), 1, 0.05);
  assert_near(exponent(f.r, 1, "g"), 1, 0.05);
  assert_near(exponent(f.r, 1, "error"), 2, 0.4);
  const rattle_study_fit *trend = rattle_study_find_fit(&f.r->method[1], "energy_trend");
  assert_near(fabs(trend->slope) * 512, rattle_study_find_figure(&f.r->method[1], "energy_max"),
              0.01 * fabs(trend->slope) * 512);
  assert_true(trend->uncertainty < 0.001 * fabs(trend->slope));
  /* SHAKE: bounded, and off psi = 0 all the time */
  assert_string_equal(f.r->method[2].verdict, "bounded");
  assert_near(exponent(f.r, 2, "energy"), 0, 0.01);
  assert_near(exponent(f.r, 2, "psi"), 0, 0.01);
  assert_int_equal(rattle_study_find_fit(&f.r->method[2], "g")->points, 0);
  assert_true(rattle_study_find_figure(&f.r->method[2], "g_max") < 1e-14);
  /* order 8: round-off, errors that grow linearly at most, the right frequency */
  assert_string_equal(f.r->method[3].verdict, "round-off");
  const rattle_study_table *peaks = rattle_study_find_table(&f.r->method[3], "peaks:x");
  assert_non_null(peaks);
  assert_near(rattle_study_entry(peaks, 0, "interpolated"), turning_frequency(2), 2e-5);
  assert_non_null(rattle_study_find_table(&f.r->method[3], "peaks:py"));
  assert_int_equal(rattle_study_find_table(&f.r->method[3], "samples")->rows, 513);
  assert_true(rattle_study_entry(rattle_study_find_table(&f.r->method[3], "growth"), 20,
                                 "reference_error") < 1e-9);
  unlink(assert_kept(&f));
  close_fixture(&f);
}

/* With more digits the reference is known to the last place, and round-off is still that of the
 * sums that are studied. */
static void test_references_with_more_digits(void **state) {
  (void)state;
  static const char *const methods[] = {"kahan_li8(rattle(verlet))"};
  static const char *const references[] = {"kahan_li8(rattle(verlet), compensated)",
#ifdef RATTLE_QUAD
                                           "quad"
#endif
  };
  for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
    fixture f = open_fixture("pendulum.lua");
    study(&f, RATTLE_STUDY_ORDER,
          (rattle_study_options){
              .method = methods, .methods = 1, .start = 0, .stop = 7, .reference = references[k]});
    assert_true(f.r->reference.error < 1e-15);
    assert_non_null(strstr(f.r->reference.method, k ? "quad" : "compensated"));
    assert_string_equal(f.r->method[0].verdict, "confirmed");
    assert_near(exponent(f.r, 0, "error"), 8, 0.01);
    close_fixture(&f);
  }
  /* errors of plain sums lie far above the reference's: no drift is seen in them */
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_DRIFT,
        (rattle_study_options){.method = methods,
                               .methods = 1,
                               .start = 0,
                               .stop = 102.3,
                               .step = 0.025,
                               .every = 8,
                               .reference = references[0]});
  assert_string_equal(f.r->method[0].verdict, "round-off");
  close_fixture(&f);
}

/* The cost of an error lies between those of the runs around it, a smaller error costs more, and
 * high orders win for small errors. */
static void test_work(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "kahan_li8(rattle(verlet))", "verlet"};
  fixture f = open_fixture("pendulum.lua");
  rattle_study_options options = {
      .method = methods, .methods = 3, .start = 0, .stop = 10, .effort = 0.2};
  study(&f, RATTLE_STUDY_WORK, options);
  assert_int_equal(f.r->method[2].status, RATTLE_UNSUITABLE);
  for (int i = 0; i < 2; i++) {
    const rattle_study_table *points = rattle_study_find_table(&f.r->method[i], "points");
    const rattle_study_table *decades = rattle_study_find_table(&f.r->method[i], "decades");
    assert_true(decades->rows >= (i ? 9 : 3));
    for (int k = 0; k < decades->rows; k++) {
      double error = rattle_study_entry(decades, k, "error"),
             step = rattle_study_entry(decades, k, "step");
      double gradients = rattle_study_entry(decades, k, "gradient");
      assert_near(error, pow(10, -k - 1), 1e-3 * error);
      if (k) assert_true(gradients >= rattle_study_entry(decades, k - 1, "gradient"));
      int found = step == rattle_study_entry(points, 0, "step") &&
                  rattle_study_entry(points, 0, "error") <= error;
      for (int p = 1; p < points->rows; p++) {
        if (rattle_study_entry(points, p - 1, "error") < error ||
            rattle_study_entry(points, p, "error") > error)
          continue;
        found |= step <= rattle_study_entry(points, p - 1, "step") &&
                 step >= rattle_study_entry(points, p, "step") &&
                 gradients >= rattle_study_entry(points, p - 1, "gradient") &&
                 gradients <= rattle_study_entry(points, p, "gradient");
      }
      assert_true(found);
    }
    for (int p = 0; p < points->rows; p++) {
      assert_true(rattle_study_entry(points, p, "cpu_seconds") > 0);
      assert_true(rattle_study_entry(points, p, "gradient") >=
                  rattle_study_entry(points, p, "steps") * f.r->method[i].claims.stages);
    }
  }
  const rattle_study_table *best = &f.r->table[0];
  assert_string_equal(best->name, "best");
  assert_true(best->rows >= 9);
  for (int k = 6; k < best->rows; k++)
    assert_true(rattle_study_entry(best, k, "method_by_gradient") == 1);
  unlink(assert_kept(&f));
  /* of the energy, no reference is needed */
  options.quantity = RATTLE_STUDY_ENERGY;
  study(&f, RATTLE_STUDY_WORK, options);
  const rattle_study_table *points = rattle_study_find_table(&f.r->method[0], "points");
  const rattle_study_table *decades = rattle_study_find_table(&f.r->method[0], "decades");
  double step = rattle_study_entry(decades, 2, "step");
  for (int p = 0; p < points->rows; p++)
    if (rattle_study_entry(points, p, "step") > 1.01 * step)
      assert_true(rattle_study_entry(points, p, "energy") > 1e-3);
    else if (rattle_study_entry(points, p, "step") < 0.99 * step)
      assert_true(rattle_study_entry(points, p, "energy") < 1e-3);
  close_fixture(&f);
}

/* --- compare --- */

static void test_compare(void **state) {
  (void)state;
  static const char *const methods[] = {
      "rattle(verlet)", "shake(verlet)", "rattle(symplectic_euler)",
      "rk4(dirac)",     "verlet",        "suzuki4(rattle(midpoint))"};
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_COMPARE,
        (rattle_study_options){
            .method = methods, .methods = 6, .start = 0, .stop = 100, .step = 0.05});
  /* symmetric and symplectic, symplectic, neither */
  assert_true(figure(f.r, 0, "reversal") < 1e-13 && figure(f.r, 0, "symplecticity") < 1e-10);
  assert_true(figure(f.r, 5, "reversal") < 1e-13 && figure(f.r, 5, "symplecticity") < 1e-10);
  assert_true(figure(f.r, 2, "reversal") > 1e-4 && figure(f.r, 2, "symplecticity") < 1e-10);
  assert_true(figure(f.r, 3, "reversal") > 1e-9 && figure(f.r, 3, "symplecticity") > 1e-8);
  assert_true(figure(f.r, 1, "reversal") > 1e-2);
  /* what else is in the table */
  assert_string_equal(f.r->method[0].verdict, "bounded");
  assert_string_equal(f.r->method[3].verdict, "drifts");
  assert_int_equal(f.r->method[4].status, RATTLE_UNSUITABLE);
  assert_true(figure(f.r, 1, "psi_max") > 0.1 && figure(f.r, 0, "psi_max") < 1e-14);
  assert_true(figure(f.r, 0, "error_end") > 100 * figure(f.r, 5, "error_end"));
  assert_near(figure(f.r, 0, "gradients_per_step"), 1, 0.01);
  assert_near(figure(f.r, 3, "gradients_per_step"), 4, 0.01);
  assert_true(figure(f.r, 5, "ns_per_step") > 0 && figure(f.r, 5, "newton_per_step") >= 5);
  for (int i = 0; i < 6; i++) assert_string_equal(f.r->method[i].why, "");
  unlink(assert_kept(&f));
  close_fixture(&f);
}

/* A force that is not the gradient of H: friction. The claims of the midpoint rule are false
 * then. */
static int friction(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[0] * z[0] + z[1] * z[1]) / 2;
  gradient[0] = z[0] + 0.1 * z[1];
  gradient[1] = z[1];
  return 0;
}

static void test_compare_claims(void **state) {
  (void)state;
  static const char *const methods[] = {"midpoint"};
  const double q[] = {1}, p[] = {0.2};
  const rattle_callbacks callbacks = {.n = 1, .hamiltonian = friction};
  fixture f = {0};
  rattle_error error;
  if (rattle_problem_create_callbacks(&f.problem, &callbacks, &error))
    fail_msg("%s", error.message);
  study(&f, RATTLE_STUDY_COMPARE,
        (rattle_study_options){
            .method = methods, .methods = 1, .q = q, .p = p, .start = 0, .stop = 50, .step = 0.1});
  assert_non_null(strstr(f.r->method[0].why, "claims to be symplectic"));
  assert_null(strstr(f.r->method[0].why, "symmetric")); /* the rule is, for any field */
  /* four steps of 0.1: exp(-0.04) of the form is left */
  assert_near(figure(f.r, 0, "symplecticity"), 1 - exp(-0.04), 1e-4);
  assert_string_equal(f.r->method[0].verdict, "drifts");
  close_fixture(&f);
}

/* A run that ends early is reported up to its end. */
static void test_drift_that_fails(void **state) {
  (void)state;
  fixture f =
      open_fixture("local x, px = pair('x') hamiltonian(px^2/2 + sqrt(x)) start { x = 0.5 }");
  static const char *const methods[] = {"verlet"};
  study(&f, RATTLE_STUDY_DRIFT,
        (rattle_study_options){
            .method = methods, .methods = 1, .start = 0, .stop = 100, .step = 0.01});
  assert_int_equal(f.r->method[0].status, RATTLE_DOMAIN);
  assert_string_equal(f.r->method[0].verdict, "failed");
  assert_non_null(strstr(f.r->method[0].message, "sqrt"));
  assert_true(rattle_study_find_figure(&f.r->method[0], "time") > 0.5);
  assert_true(rattle_study_find_figure(&f.r->method[0], "time") < 2);
  assert_non_null(strstr(f.r->note, "no reference solution"));
  close_fixture(&f);
}

/* An attribute of both methods less. */
static void forget(const char *path, const char *name) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  char method[64];
  assert_true(file >= 0);
  for (int i = 0; i < 2; i++) {
    snprintf(method, sizeof method, "/study/methods/%03d", i);
    assert_true(H5Adelete_by_name(file, method, name, H5P_DEFAULT) >= 0);
  }
  H5Fclose(file);
}

static void test_kept(void **state) {
  (void)state;
  static const char *const methods[] = {"verlet", "rattle(verlet)", "shake(verlet)"};
  fixture f = open_fixture("pendulum.lua");
  rattle_study *loaded = NULL;
  rattle_error error;
  study(&f, RATTLE_STUDY_ORDER,
        (rattle_study_options){
            .method = methods, .methods = 3, .start = 0, .stop = 2, .effort = 0.01});
  const char *path = assert_kept(&f);
  assert_true(strstr(f.r->model_text, "constrain(\"rod\"") != NULL);
  assert_int_equal(f.r->parameters, 1);
  /* not over what is there, unless forced */
  assert_int_equal(rattle_study_save(f.study, path, 0, &error), RATTLE_EXISTS);
  assert_int_equal(rattle_study_save(f.study, path, 1, &error), RATTLE_OK);
  /* a disk that is full leaves nothing behind, and the old file */
  struct rlimit limit, small;
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 8192;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  rattle_status full = rattle_study_save(f.study, path, 1, &error);
  setrlimit(RLIMIT_FSIZE, &limit);
  assert_int_equal(full, RATTLE_IO);
  assert_int_equal(rattle_study_load(&loaded, path, &error), RATTLE_OK);
  rattle_study_destroy(&loaded);
  /* of a time that did not know a claim: it is not claimed */
  forget(path, "keeps_psi");
  assert_int_equal(rattle_study_load(&loaded, path, &error), RATTLE_OK);
  assert_true(f.r->method[1].claims.keeps_psi &&
              !rattle_study_result_of(loaded)->method[1].claims.keeps_psi);
  rattle_study_destroy(&loaded);
  /* cut, or no study at all */
  assert_int_equal(truncate(path, 9000), 0);
  assert_int_equal(rattle_study_load(&loaded, path, &error), RATTLE_BAD_RECORD);
  assert_null(loaded);
  unlink(path);
  assert_int_equal(rattle_study_load(&loaded, path, &error), RATTLE_BAD_RECORD);
  assert_int_equal(rattle_study_save(f.study, "/no/such/folder/a.h5", 0, &error), RATTLE_IO);
  close_fixture(&f);
}

/* With an argument only the tests that match it, as in `test_study test_threads`. */
int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_refuted),
                                     cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_rows_that_fail),
                                     cmocka_unit_test(test_kept),
                                     cmocka_unit_test(test_drift),
                                     cmocka_unit_test(test_references_with_more_digits),
                                     cmocka_unit_test(test_drift_that_fails),
                                     cmocka_unit_test(test_work),
                                     cmocka_unit_test(test_compare),
                                     cmocka_unit_test(test_compare_claims)};
  if (count > 1) cmocka_set_test_filter(arguments[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
