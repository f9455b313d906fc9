/* Studies: fits with known answers, jobs on threads, orders that are known. */
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
#include "study_fixture.h"
#include "study/fit.h"
#include "study/jobs.h"
#include "study/periodogram.h"

#define assert_near(found, wanted, tolerance) assert_true(fabs((found) - (wanted)) <= (tolerance))

/* --- fits --- */

/* Anscombe's first quartet: slope 0.5001, standard error 0.1179 (Amer. Stat. 27 (1973) 17); t of 9 degrees of freedom is 2.262.
 */
static void test_line(void **state) {
  (void)state;
  const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  rattle__fit fit = rattle__fit_line(11, x, y);
  assert_near(fit.slope, 0.5001, 5e-5);
  assert_near(fit.intercept, 3.0001, 5e-5);
  assert_near(fit.uncertainty, 2.262 * 0.1179, 2e-4);
  assert_true(isinf(rattle__fit_line(2, x, y).uncertainty));
  assert_true(isnan(rattle__fit_line(1, x, y).slope));
  assert_true(isnan(rattle__fit_line(3, (double[]){2, 2, 2}, y).slope));
}

/* value = C h^order (1 + a h^next), h halved, with a floor that stays */
static int make_power(double order, double a, int next, double round_off, double *h, double *value, double *floors) {
  for (int k = 0; k < 20; k++) {
    h[k] = 0.5 * pow(2, -k);
    value[k] = 3 * pow(h[k], order) * (1 + a * pow(h[k], next)) + round_off * (1 + 0.3 * (k % 2));
    floors[k] = RATTLE__MARGIN * round_off;
  }
  return 20;
}

static void test_power(void **state) {
  (void)state;
  double h[20], value[20], floors[20];
  for (int order = 1; order <= 8; order++) {
    int count = make_power(order, 0.7, 2, 1e-14, h, value, floors);
    rattle__fit fit = rattle__fit_power(&(rattle__power){count, h, value, floors, 0.1, 2});
    assert_in_range(fit.points, 4, 20);
    assert_true(fabs(fit.slope - order) <= 0.02 && fit.uncertainty < 0.2);
    for (int k = fit.first; k < fit.first + fit.points; k++) assert_true(value[k] > floors[k] && value[k] <= 0.1);
  }
  /* the leading term counts, not what hides it with long steps */
  for (int k = 0; k < 20; k++) value[k] = pow(h[k], 4) + 1e-4 * h[k] * h[k], floors[k] = 1e-16;
  rattle__fit fit = rattle__fit_power(&(rattle__power){20, h, value, floors, 0.1, 2});
  assert_near(fit.slope, 2, 0.01);
  /* a floor that was not announced */
  int count = make_power(2, 0, 2, 1e-6, h, value, floors);
  for (int k = 0; k < 20; k++) floors[k] = 1e-30;
  fit = rattle__fit_power(&(rattle__power){count, h, value, floors, 0.1, 2});
  assert_near(fit.slope, 2, 0.2);
  /* the same, ragged: values rise and fall by a factor of 20 once they have come down to it */
  for (int k = 0; k < 20; k++) {
    uint32_t ragged = (uint32_t)k * 2654435761u >> 8;
    h[k] = pow(1.5, -k);
    value[k] = pow(h[k], 4) + 1e-9 * pow(20, (double)(ragged % 1000) / 1000);
  }
  fit = rattle__fit_power(&(rattle__power){20, h, value, floors, 0.1, 2});
  assert_true(fit.points >= 4 && fit.points < 12);
  assert_near(fit.slope, 4, 0.3);
  /* nothing above the floor */
  for (int k = 0; k < 20; k++) floors[k] = 1;
  fit = rattle__fit_power(&(rattle__power){count, h, value, floors, 0.1, 2});
  assert_int_equal(fit.points, 0);
  assert_true(isnan(fit.slope));
}

/* --- periodograms --- */

/* The transform from its definition, in long double. */
static void test_transform(void **state) {
  (void)state;
  const int counts[] = {1, 2, 3, 8, 12, 97, 1000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    int count = counts[i];
    double x[1000], power[501];
    for (int j = 0; j < count; j++) x[j] = sin(0.7 * j) + 0.3 * cos(2.1 * j * j) + 5;
    assert_int_equal(rattle__periodogram(count, x, RATTLE_STUDY_NO_WINDOW, power), 0);
    for (int k = 0; k <= count / 2; k++) {
      long double re = 0, im = 0, turn = 2 * 3.14159265358979323846264338L / count;
      for (int j = 0; j < count; j++) {
        re += x[j] * cosl(turn * ((long long)j * k % count));
        im += x[j] * sinl(turn * ((long long)j * k % count));
      }
      double exact = (double)((k == 0 || 2 * k == count ? 1 : 2) * (re * re + im * im) / count / count);
      assert_near(power[k], exact, 1e-13 * (1 + exact));
    }
  }
}

/* A cos at a frequency of the transform has A^2/2 there, with both windows; between two frequencies the place is found. */
static void test_peaks(void **state) {
  (void)state;
  enum { COUNT = 1500 };
  double x[COUNT], power[COUNT / 2 + 1];
  rattle__peak peak[3];
  for (int w = 0; w < 2; w++) {
    rattle_study_window window = w ? RATTLE_STUDY_NO_WINDOW : RATTLE_STUDY_HANN;
    for (int j = 0; j < COUNT; j++) x[j] = 40 + 3 * cos(2 * M_PI * 200 * j / COUNT + 1) + 0.1 * sin(2 * M_PI * 444 * j / COUNT);
    assert_int_equal(rattle__periodogram(COUNT, x, window, power), 0);
    assert_near(power[0], 1600, 1e-9);
    assert_int_equal(rattle__peaks(COUNT / 2, power, window, 2, peak), 2);
    assert_true(peak[0].frequency == 200 && peak[1].frequency == 444);
    assert_near(peak[0].power, 4.5, 1e-10);
    assert_near(peak[1].power, 0.005, 1e-10);
    for (int j = 0; j < COUNT; j++) x[j] = 3 * cos(2 * M_PI * 200.3 * j / COUNT + 1);
    assert_int_equal(rattle__periodogram(COUNT, x, window, power), 0);
    assert_true(rattle__peaks(COUNT / 2, power, window, 2, peak) >= 1);
    assert_near(peak[0].interpolated, 200.3, 3e-3);
  }
}

/* --- jobs --- */

enum { LINES = 3, MOST = 40 };
typedef struct errand {
  int result[LINES][MOST], asked[LINES], wrong;
  volatile int *interrupt;
} errand;

static void work(void *self, int line, int k, rattle__job *job) {
  errand *e = self;
  rattle__job_tell(job, 1);
  e->result[line][k] = 100 * line + k;
  if (e->interrupt && line == 1 && k == 5) *e->interrupt = 1;
}

/* line i ends at job 3 i + 2, and is asked in order */
static int enough(void *self, int line, int k) {
  errand *e = self;
  if (e->asked[line]++ != k || e->result[line][k] != 100 * line + k) e->wrong++;
  return k == 3 * line + 2;
}

static void test_jobs(void **state) {
  (void)state;
  const int most[LINES] = {MOST, 4, MOST};
  for (int threads = 1; threads <= 16; threads++) {
    errand e = {0};
    int done[LINES];
    rattle_study_options options = {.threads = threads};
    rattle__progress watch = {.options = &options, .stage = "test"};
    rattle__jobs jobs = {.lines = LINES, .most = most, .work = work, .enough = enough, .self = &e, .done = done};
    assert_int_equal(rattle__jobs_run(&jobs, &watch, NULL), RATTLE_OK);
    assert_int_equal(e.wrong, 0);
    assert_int_equal(done[0], 3);
    assert_int_equal(done[1], 4); /* at its end before it was enough */
    assert_int_equal(done[2], 9);
  }
}

static void test_jobs_interrupted(void **state) {
  (void)state;
  const int most[LINES] = {MOST, MOST, MOST};
  volatile int interrupt = 0;
  errand e = {.interrupt = &interrupt};
  int done[LINES];
  rattle_error error;
  rattle_study_options options = {.threads = 2, .interrupt = &interrupt};
  rattle__progress watch = {.options = &options, .stage = "test"};
  rattle__jobs jobs = {.lines = LINES, .most = most, .work = work, .self = &e, .done = done};
  assert_int_equal(rattle__jobs_run(&jobs, &watch, &error), RATTLE_INTERRUPTED);
  assert_true(done[1] <= 5);
}

/* --- studies --- */

static void test_orders(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(symplectic_euler)", "shake(verlet)", "rattle(verlet)", "suzuki4(rattle(verlet))",
                                        "kahan_li6(rattle(midpoint))"};
  const int order[] = {1, 1, 2, 4, 6};
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_ORDER,
        (rattle_study_options){.method = methods, .methods = 5, .start = (double)NAN, .stop = (double)NAN, .threads = 2});
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
  assert_true(isnan(rattle_study_entry(rattle_study_find_table(&f.r->method[0], "points"), 0, "no such column")));
  close_fixture(&f);
}

/* A force with a kink in its derivative: no method has more than some order 2.5 there. */
static void test_refuted(void **state) {
  (void)state;
  static const char *const methods[] = {"kahan_li8(verlet)", "verlet"};
  fixture f = open_fixture("local x, px = pair('x') hamiltonian(px^2/2 + (x^2)^1.25) start { x = 0.7, px = 0.3 }");
  study(&f, RATTLE_STUDY_ORDER, (rattle_study_options){.method = methods, .methods = 2, .start = 0, .stop = 9});
  assert_string_equal(f.r->method[0].verdict, "refuted");
  assert_non_null(strstr(f.r->method[0].why, "the claim is order 8"));
  assert_true(rattle_study_find_fit(&f.r->method[0], "error")->slope < 4);
  assert_string_equal(f.r->method[1].verdict, "confirmed");
  close_fixture(&f);
}

static int same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
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
  study(&f, RATTLE_STUDY_ORDER, (rattle_study_options){.method = methods, .methods = 3, .start = 0, .stop = 2, .effort = 0.01});
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
  const rattle_status expected[] = {RATTLE_BAD_ARGUMENT, RATTLE_BAD_ARGUMENT, RATTLE_BAD_ARGUMENT, RATTLE_UNSUITABLE,
                                    RATTLE_BAD_METHOD};
  fixture f = open_fixture("pendulum.lua");
  rattle_error error;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(rattle_study_create(&f.study, f.problem, RATTLE_STUDY_ORDER, &wrong[i], &error), expected[i]);
    assert_null(f.study);
    assert_true(error.message[0]);
  }
  volatile int interrupt = 1;
  rattle_study_options options = {.start = 0, .stop = 1, .interrupt = &interrupt};
  assert_int_equal(rattle_study_create(&f.study, f.problem, RATTLE_STUDY_ORDER, &options, &error), RATTLE_INTERRUPTED);
  assert_null(f.study);
  close_fixture(&f);
}

/* --- files --- */

static void assert_same_text(const char *a, const char *b) {
  assert_non_null(a);
  assert_non_null(b);
  assert_string_equal(a, b);
}

static int same_or_nan(double a, double b) {
  return same(a, b) || (isnan(a) && isnan(b));
}

static void assert_same_table(const rattle_study_table *a, const rattle_study_table *b) {
  assert_same_text(a->name, b->name);
  assert_true(a->rows == b->rows && a->columns == b->columns && a->bulk == b->bulk);
  for (int c = 0; c < a->columns; c++) assert_same_text(a->column[c], b->column[c]);
  for (int k = 0; k < a->rows * a->columns; k++) assert_true(same_or_nan(a->value[k], b->value[k]));
}

static void assert_same_method(const rattle_study_method *a, const rattle_study_method *b) {
  assert_same_text(a->method, b->method);
  assert_same_text(a->message, b->message);
  assert_same_text(a->verdict, b->verdict);
  assert_same_text(a->why, b->why);
  assert_memory_equal(&a->claims, &b->claims, sizeof a->claims);
  assert_int_equal(a->status, b->status);
  assert_true(a->fits == b->fits && a->figures == b->figures && a->tables == b->tables);
  for (int i = 0; i < a->figures; i++) {
    assert_same_text(a->figure[i].name, b->figure[i].name);
    assert_true(same_or_nan(a->figure[i].value, b->figure[i].value));
  }
  for (int i = 0; i < a->fits; i++) {
    const rattle_study_fit *f = &a->fit[i], *g = &b->fit[i];
    assert_same_text(f->name, g->name);
    assert_true(same_or_nan(f->slope, g->slope) && same_or_nan(f->uncertainty, g->uncertainty) && f->points == g->points &&
                same_or_nan(f->low, g->low) && same_or_nan(f->high, g->high));
  }
  for (int i = 0; i < a->tables; i++) assert_same_table(&a->table[i], &b->table[i]);
}

/* Saved and loaded, a study is the same. Returns the path, to be unlinked. */
static const char *assert_kept(const fixture *f) {
  static char path[64];
  rattle_study *loaded = NULL;
  rattle_error error;
  snprintf(path, sizeof path, "/tmp/rattle-test-study-%d.h5", (int)getpid());
  unlink(path);
  if (rattle_study_save(f->study, path, 0, &error)) fail_msg("%s", error.message);
  if (rattle_study_load(&loaded, path, &error)) fail_msg("%s", error.message);
  const rattle_study_result *a = f->r, *b = rattle_study_result_of(loaded);
  assert_int_equal(a->kind, b->kind);
  assert_same_text(a->kind_name, b->kind_name);
  assert_same_text(a->title, b->title);
  assert_same_text(a->model_text, b->model_text);
  assert_same_text(a->created, b->created);
  assert_same_text(a->note, b->note);
  assert_same_text(a->verdict, b->verdict);
  assert_same_text(a->why, b->why);
  assert_same_text(a->reference.method, b->reference.method);
  assert_true(same(a->reference.error, b->reference.error) && a->reference.steps == b->reference.steps);
  assert_true(same(a->stop, b->stop) && same_or_nan(a->frequency, b->frequency) && a->n == b->n && a->m == b->m);
  assert_int_equal(a->parameters, b->parameters);
  for (int i = 0; i < a->parameters; i++) {
    assert_same_text(a->parameter[i].name, b->parameter[i].name);
    assert_true(same(a->parameter[i].value, b->parameter[i].value));
  }
  assert_true(a->methods == b->methods && a->figures == b->figures && a->status == b->status && a->tables == b->tables);
  for (int i = 0; i < a->tables; i++) assert_same_table(&a->table[i], &b->table[i]);
  for (int i = 0; i < a->methods; i++) assert_same_method(&a->method[i], &b->method[i]);
  rattle_study_destroy(&loaded);
  return path;
}

/* --- drift --- */

/* Frequency of the pendulum of energy E in a field of 1 that turns over: sqrt(2(E + 1))/(4 K(k)), k^2 = 2/(E + 1). */
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
  static const char *const methods[] = {"rk4(classical)", "rk4(dirac)", "shake(verlet)", "kahan_li8(rattle(verlet))"};
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
  assert_near(fabs(trend->slope) * 512, rattle_study_find_figure(&f.r->method[1], "energy_max"), 0.01 * fabs(trend->slope) * 512);
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
  assert_true(rattle_study_entry(rattle_study_find_table(&f.r->method[3], "growth"), 20, "reference_error") < 1e-9);
  unlink(assert_kept(&f));
  close_fixture(&f);
}

/* With more digits the reference is known to the last place, and round-off is still that of the sums that are studied. */
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
          (rattle_study_options){.method = methods, .methods = 1, .start = 0, .stop = 7, .reference = references[k]});
    assert_true(f.r->reference.error < 1e-15);
    assert_non_null(strstr(f.r->reference.method, k ? "quad" : "compensated"));
    assert_string_equal(f.r->method[0].verdict, "confirmed");
    assert_near(exponent(f.r, 0, "error"), 8, 0.01);
    close_fixture(&f);
  }
  /* errors of plain sums lie far above the reference's: no drift is seen in them */
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_DRIFT,
        (rattle_study_options){
            .method = methods, .methods = 1, .start = 0, .stop = 511.5, .step = 0.025, .every = 40, .reference = references[0]});
  assert_string_equal(f.r->method[0].verdict, "round-off");
  close_fixture(&f);
}

/* What an error costs lies between the runs around it, a smaller error costs more, and high orders win for small errors. */
static void test_work(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "kahan_li8(rattle(verlet))", "verlet"};
  fixture f = open_fixture("pendulum.lua");
  rattle_study_options options = {.method = methods, .methods = 3, .start = 0, .stop = 10, .effort = 0.2};
  study(&f, RATTLE_STUDY_WORK, options);
  assert_int_equal(f.r->method[2].status, RATTLE_UNSUITABLE);
  for (int i = 0; i < 2; i++) {
    const rattle_study_table *points = rattle_study_find_table(&f.r->method[i], "points");
    const rattle_study_table *decades = rattle_study_find_table(&f.r->method[i], "decades");
    assert_true(decades->rows >= (i ? 9 : 3));
    for (int k = 0; k < decades->rows; k++) {
      double error = rattle_study_entry(decades, k, "error"), step = rattle_study_entry(decades, k, "step");
      double gradients = rattle_study_entry(decades, k, "gradient");
      assert_near(error, pow(10, -k - 1), 1e-3 * error);
      if (k) assert_true(gradients >= rattle_study_entry(decades, k - 1, "gradient"));
      int found = step == rattle_study_entry(points, 0, "step") && rattle_study_entry(points, 0, "error") <= error;
      for (int p = 1; p < points->rows; p++) {
        if (rattle_study_entry(points, p - 1, "error") < error || rattle_study_entry(points, p, "error") > error) continue;
        found |= step <= rattle_study_entry(points, p - 1, "step") && step >= rattle_study_entry(points, p, "step") &&
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
  for (int k = 6; k < best->rows; k++) assert_true(rattle_study_entry(best, k, "method_by_gradient") == 1);
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

static double figure(const rattle_study_result *r, int method, const char *name) {
  return rattle_study_find_figure(&r->method[method], name);
}

static void test_compare(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)", "rattle(symplectic_euler)",
                                        "rk4(dirac)",     "verlet",        "suzuki4(rattle(midpoint))"};
  fixture f = open_fixture("pendulum.lua");
  study(&f, RATTLE_STUDY_COMPARE, (rattle_study_options){.method = methods, .methods = 6, .start = 0, .stop = 100, .step = 0.05});
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
  assert_true(figure(f.r, 5, "ns_per_step") > 0 && figure(f.r, 5, "newton_per_step") > 5);
  for (int i = 0; i < 6; i++) assert_string_equal(f.r->method[i].why, "");
  unlink(assert_kept(&f));
  close_fixture(&f);
}

/* A force that is not the gradient of H: friction. What the midpoint rule claims is then not so. */
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
  if (rattle_problem_create_callbacks(&f.problem, &callbacks, &error)) fail_msg("%s", error.message);
  study(&f, RATTLE_STUDY_COMPARE,
        (rattle_study_options){.method = methods, .methods = 1, .q = q, .p = p, .start = 0, .stop = 50, .step = 0.1});
  assert_non_null(strstr(f.r->method[0].why, "claims to be symplectic"));
  assert_null(strstr(f.r->method[0].why, "symmetric")); /* the rule is, for any field */
  /* four steps of 0.1: exp(-0.04) of the form is left */
  assert_near(figure(f.r, 0, "symplecticity"), 1 - exp(-0.04), 1e-4);
  assert_string_equal(f.r->method[0].verdict, "drifts");
  close_fixture(&f);
}

/* --- advice --- */

/* z at the end of a run by hand. */
static void run_by_hand(const fixture *f, const char *method, double h, long long steps, double *z) {
  rattle_integrator *integrator = NULL;
  rattle_error error;
  int n = rattle_problem_n(f->problem);
  if (rattle_problem_start(f->problem, 1, z, z + n, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&integrator, f->problem, method, &error)) fail_msg("%s", error.message);
  rattle_state state = {.q = z, .p = z + n, .h = h};
  if (rattle_integrator_step(integrator, &state, steps, &error)) fail_msg("%s", error.message);
  rattle_integrator_destroy(&integrator);
}

/* What is advised attains the error, against a solution that is not the study's; half of it would not do with twice the step. */
/* What advice goes by: what is not symplectic has to be a tenth cheaper. */
static double price(const rattle_study_result *r, int i) {
  return figure(r, i, "cpu_seconds") * (r->method[i].claims.symplectic ? 1 : 1.1);
}

static void test_advice(void **state) {
  (void)state;
  const double wanted[] = {1e-3, 1e-6, 1e-9};
  fixture f = open_fixture("spherical_pendulum.lua");
  double last = 0;
  for (int k = 0; k < 3; k++) {
    double exact[6], z[6], miss = 0;
    study(&f, RATTLE_STUDY_ADVISE, (rattle_study_options){.start = 0, .stop = 20, .error = wanted[k]});
    assert_string_equal(f.r->verdict, "sure");
    assert_string_equal(f.r->figure[1].name, "best");
    int best = (int)f.r->figure[1].value;
    double step = figure(f.r, best, "step"), steps = figure(f.r, best, "steps");
    assert_near(step * steps, 20, 1e-12);
    run_by_hand(&f, f.r->method[best].method, step, (long long)steps, z);
    run_by_hand(&f, "kahan_li10(rattle(verlet))", 0.01, 2000, exact);
    const double unit[2] = {f.r->reference.scale_q, f.r->reference.scale_p};
    for (int i = 0; i < 6; i++) miss = fmax(miss, fabs(z[i] - exact[i]) / unit[i / 3]);
    assert_true(miss <= wanted[k]);
    assert_true(figure(f.r, best, "error") <= wanted[k] && figure(f.r, best, "error") > 0.02 * wanted[k]);
    assert_true(figure(f.r, best, "error_half_step") < 0.5 * figure(f.r, best, "error"));
    /* no other timed candidate is cheaper, and more steps cost more */
    for (int i = 0; i < f.r->methods; i++) assert_true(!(price(f.r, i) < price(f.r, best)));
    assert_true(figure(f.r, best, "gradient") > last);
    last = figure(f.r, best, "gradient");
  }
  unlink(assert_kept(&f));
  close_fixture(&f);
}

static void test_no_advice(void **state) {
  (void)state;
  static const char *const methods[] = {"symplectic_euler", "rattle(verlet)"};
  fixture f = open_fixture("pendulum.lua");
  rattle_error error;
  /* beyond double precision */
  study(&f, RATTLE_STUDY_ADVISE, (rattle_study_options){.start = 0, .stop = 20, .error = 1e-15});
  assert_string_equal(f.r->verdict, "none");
  assert_non_null(strstr(f.r->why, "the reference itself is accurate to"));
  /* beyond what may be spent */
  study(&f, RATTLE_STUDY_ADVISE,
        (rattle_study_options){.method = methods, .methods = 2, .start = 0, .stop = 20, .error = 1e-9, .effort = 0.01});
  assert_string_equal(f.r->verdict, "none");
  assert_int_equal(f.r->method[0].status, RATTLE_UNSUITABLE);
  assert_string_equal(f.r->method[1].verdict, "not reached");
  rattle_study_destroy(&f.study);
  rattle_study_options options = {.start = 0, .stop = 20};
  assert_int_equal(rattle_study_create(&f.study, f.problem, RATTLE_STUDY_ADVISE, &options, &error), RATTLE_BAD_ARGUMENT);
  assert_null(f.study);
  close_fixture(&f);
}

/* A run that ends early is reported up to its end. */
static void test_drift_that_fails(void **state) {
  (void)state;
  fixture f = open_fixture("local x, px = pair('x') hamiltonian(px^2/2 + sqrt(x)) start { x = 0.5 }");
  static const char *const methods[] = {"verlet"};
  study(&f, RATTLE_STUDY_DRIFT, (rattle_study_options){.method = methods, .methods = 1, .start = 0, .stop = 100, .step = 0.01});
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
  study(&f, RATTLE_STUDY_ORDER, (rattle_study_options){.method = methods, .methods = 3, .start = 0, .stop = 2, .effort = 0.01});
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
  assert_true(f.r->method[1].claims.keeps_psi && !rattle_study_result_of(loaded)->method[1].claims.keeps_psi);
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

/* With an argument only the tests that match it, as in `test_study 'test_jobs*'`. */
int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_line),
                                     cmocka_unit_test(test_power),
                                     cmocka_unit_test(test_jobs),
                                     cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_refuted),
                                     cmocka_unit_test(test_jobs_interrupted),
                                     cmocka_unit_test(test_threads),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_rows_that_fail),
                                     cmocka_unit_test(test_kept),
                                     cmocka_unit_test(test_transform),
                                     cmocka_unit_test(test_peaks),
                                     cmocka_unit_test(test_drift),
                                     cmocka_unit_test(test_references_with_more_digits),
                                     cmocka_unit_test(test_drift_that_fails),
                                     cmocka_unit_test(test_work),
                                     cmocka_unit_test(test_compare),
                                     cmocka_unit_test(test_compare_claims),
                                     cmocka_unit_test(test_advice),
                                     cmocka_unit_test(test_no_advice)};
  if (count > 1) cmocka_set_test_filter(arguments[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
