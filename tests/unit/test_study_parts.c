/* The parts of studies: fits with known answers, periodograms, jobs on threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rattle/rattle.h"
#include "ground/support/flag.h"
#include "examine/study/fit.h"
#include "examine/study/jobs.h"
#include "examine/study/periodogram.h"

#define assert_near(found, wanted, tolerance) assert_true(fabs((found) - (wanted)) <= (tolerance))

/* --- fits --- */

/* Anscombe's first quartet: slope 0.5001, standard error 0.1179 (Amer. Stat. 27 (1973) 17); t of 9
 * degrees of freedom is 2.262. */
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
static int make_power(double order, double a, int next, double round_off, double *h, double *value,
                      double *floors) {
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
    for (int k = fit.first; k < fit.first + fit.points; k++)
      assert_true(value[k] > floors[k] && value[k] <= 0.1);
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
      double exact =
          (double)((k == 0 || 2 * k == count ? 1 : 2) * (re * re + im * im) / count / count);
      assert_near(power[k], exact, 1e-13 * (1 + exact));
    }
  }
}

/* A cos at a frequency of the transform has A^2/2 there, with both windows; between two frequencies
 * the place is found. */
static void test_peaks(void **state) {
  (void)state;
  enum { COUNT = 1500 };
  double x[COUNT], power[COUNT / 2 + 1];
  rattle__peak peak[3];
  for (int w = 0; w < 2; w++) {
    rattle_study_window window = w ? RATTLE_STUDY_NO_WINDOW : RATTLE_STUDY_HANN;
    for (int j = 0; j < COUNT; j++)
      x[j] = 40 + 3 * cos(2 * M_PI * 200 * j / COUNT + 1) + 0.1 * sin(2 * M_PI * 444 * j / COUNT);
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
  if (e->interrupt && line == 1 && k == 5) rattle__flag_set(e->interrupt);
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
    rattle__jobs jobs = {
        .lines = LINES, .most = most, .work = work, .enough = enough, .self = &e, .done = done};
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
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_line),      cmocka_unit_test(test_power),
      cmocka_unit_test(test_transform), cmocka_unit_test(test_peaks),
      cmocka_unit_test(test_jobs),      cmocka_unit_test(test_jobs_interrupted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
