/* Advice: what is tried, in which order, and what is not tried to the end. */
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
#include "study/jobs.h"

/* --- lines with a price --- */

enum { LINES = 3, MOST = 6 };

typedef struct market {
  int order[LINES * MOST], runs; /* lines in the order in which they were served */
  int asked[LINES];
  int limit; /* a line that has done so many jobs is not wanted any more; the first ends the others */
} market;

static void buy(void *self, int line, int k, rattle__job *job) {
  market *m = self;
  assert_true(rattle__job_price(job) == (line == 1 ? 1 : 10 + k));
  m->order[m->runs++] = line;
}

static int bought(void *self, int line, int k) {
  market *m = self;
  m->asked[line] = k + 1;
  return m->asked[line] == m->limit;
}

/* The line between is cheaper than the others; when it is done they are not wanted. */
static double price(void *self, int line) {
  const market *m = self;
  if (m->limit && m->asked[1] == m->limit) return (double)INFINITY;
  return line == 1 ? 1 : 10 + m->asked[line];
}

static market trade(int limit) {
  const int most[LINES] = {MOST, MOST, MOST};
  int done[LINES];
  market m = {.limit = limit};
  rattle_study_options options = {.threads = 1};
  rattle__progress watch = {.options = &options, .stage = "test"};
  rattle__jobs jobs = {.lines = LINES, .most = most, .work = buy, .enough = bought, .price = price, .self = &m, .done = done};
  assert_int_equal(rattle__jobs_run(&jobs, &watch, NULL), RATTLE_OK);
  for (int i = 0; i < LINES; i++) assert_int_equal(done[i], m.asked[i]);
  return m;
}

static void test_prices(void **state) {
  (void)state;
  market m = trade(0);
  /* the cheapest to its end, then the others in turn, for their prices rise */
  assert_int_equal(m.runs, LINES * MOST);
  for (int k = 0; k < MOST; k++) assert_int_equal(m.order[k], 1);
  for (int k = MOST; k < LINES * MOST; k++) assert_int_equal(m.order[k], (k - MOST) % 2 ? 2 : 0);
  m = trade(4);
  assert_int_equal(m.runs, 4);
  assert_int_equal(m.asked[1], 4);
}

/* --- candidates --- */

static int best_of(const rattle_study_result *r) {
  for (int i = 0; i < r->figures; i++)
    if (!strcmp(r->figure[i].name, "best")) return (int)r->figure[i].value;
  return -1;
}

static int row_of(const rattle_study_result *r, const char *method) {
  for (int i = 0; i < r->methods; i++)
    if (!strcmp(r->method[i].method, method)) return i;
  return -1;
}

/* 1e6 steps of order 2 would reach the error of a few hundred of order 4: that is not tried to the end, and said. */
static void test_stopped(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "geodesic_rkn4"};
  for (int threads = 1; threads <= 4; threads *= 4) {
    fixture f = study_of(
        "pendulum.lua", RATTLE_STUDY_ADVISE,
        (rattle_study_options){.method = methods, .methods = 2, .start = 0, .stop = 100, .error = 1e-8, .threads = threads});
    double error = 0, steps = 0;
    assert_string_equal(f.r->verdict, "sure");
    assert_int_equal(best_of(f.r), 1);
    assert_string_equal(f.r->method[1].verdict, "measured");
    assert_string_equal(f.r->method[0].verdict, "stopped");
    assert_int_equal(f.r->method[0].status, RATTLE_OK);
    assert_int_equal(sscanf(f.r->method[0].why, "%lf with %lf steps", &error, &steps), 2);
    assert_true(error > 1e-8 && steps <= 65536);
    close_fixture(&f);
  }
  /* alone it is tried until the work limit */
  fixture f = study_of("pendulum.lua", RATTLE_STUDY_ADVISE,
                       (rattle_study_options){.method = methods, .methods = 1, .start = 0, .stop = 100, .error = 1e-8});
  assert_string_equal(f.r->method[0].verdict, "not reached");
  assert_non_null(strstr(f.r->method[0].why, "131072 steps"));
  close_fixture(&f);
}

/* Constrained maps of higher order are candidates, where there are constraints that they take. */
static void test_kinds(void **state) {
  (void)state;
  static const char *const kinds[] = {"geodesic_rkn4", "geodesic_rkn6", "multistep4", "multistep8", "spark(3)", "spark(5)"};
  fixture f = study_of("pendulum.lua", RATTLE_STUDY_ADVISE, (rattle_study_options){.start = 0, .stop = 20, .error = 1e-6});
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const int row = row_of(f.r, kinds[k]);
    assert_in_range(row, 0, f.r->methods - 1);
    assert_int_equal(f.r->method[row].status, RATTLE_OK);
  }
  assert_int_equal(row_of(f.r, "spark(2)"), -1); /* that is rattle(verlet) */
  assert_string_equal(f.r->verdict, "sure");
  assert_string_not_equal(f.r->method[best_of(f.r)].method, "rattle(verlet)"); /* which one wins is a matter of times */
  close_fixture(&f);
  f = study_of("kepler.lua", RATTLE_STUDY_ADVISE, (rattle_study_options){.start = 0, .stop = 5, .error = 1e-3});
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) assert_int_equal(row_of(f.r, kinds[k]), -1);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_prices), cmocka_unit_test(test_stopped), cmocka_unit_test(test_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
