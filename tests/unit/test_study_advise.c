/* Advice: what is tried, in which order, what is not tried to the end, and what is advised. The
 * clock counts work (study_clock.c). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "rattle/rattle.h"
#include "study_kept.h"
#include "examine/study/jobs.h"

#define assert_near(found, wanted, tolerance) assert_true(fabs((found) - (wanted)) <= (tolerance))

/* --- lines with a price --- */

enum { LINES = 3, MOST = 6 };

typedef struct market {
  int order[LINES * MOST], runs; /* lines in the order in which they were served */
  int asked[LINES];
  int limit; /* a line that has done so many jobs is not wanted any more; the first ends the
                others */
} market;

static void buy(void *self, int line, int k, rattle__job *job) {
  market *m = self;
  (void)k;
  (void)job;
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
  rattle__jobs jobs = {.lines = LINES,
                       .most = most,
                       .work = buy,
                       .enough = bought,
                       .price = price,
                       .self = &m,
                       .done = done};
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

/* --- lines whose jobs depend on those before --- */

typedef struct series {
  int asked[LINES], most[LINES];
  atomic_int early; /* jobs that began before the one before was asked about */
} series;

static void follow(void *self, int line, int k, rattle__job *job) {
  series *s = self;
  (void)job;
  s->early += s->asked[line] != k;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* for the other threads */
}

/* Leaves out the last job of the line. */
static int followed(void *self, int line, int k) {
  series *s = self;
  s->asked[line] = k + 1;
  s->most[line] = MOST - 1;
  return 0;
}

static void test_in_turn(void **state) {
  (void)state;
  series s = {.most = {MOST, MOST, MOST}};
  int done[LINES];
  rattle_study_options options = {.threads = 12};
  rattle__progress watch = {.options = &options, .stage = "test"};
  rattle__jobs jobs = {.lines = LINES,
                       .most = s.most,
                       .in_turn = 1,
                       .work = follow,
                       .enough = followed,
                       .self = &s,
                       .done = done};
  assert_int_equal(rattle__jobs_run(&jobs, &watch, NULL), RATTLE_OK);
  for (int i = 0; i < LINES; i++) assert_int_equal(done[i], MOST - 1);
  assert_int_equal(s.early, 0);
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

/* 1e6 steps of order 2 would reach the error of a few hundred of order 4: that is not tried to the
 * end, and said. */
static void test_stopped(void **state) {
  (void)state;
  static const char *const methods[] = {"rattle(verlet)", "geodesic_rkn4"};
  for (int threads = 1; threads <= 4; threads *= 4) {
    fixture f = study_of("pendulum.lua", RATTLE_STUDY_ADVISE,
                         (rattle_study_options){.method = methods,
                                                .methods = 2,
                                                .start = 0,
                                                .stop = 100,
                                                .error = 1e-8,
                                                .threads = threads});
    double error = 0, steps = 0;
    assert_string_equal(f.r->verdict, "sure");
    assert_int_equal(best_of(f.r), 1);
    assert_string_equal(f.r->method[1].verdict, "measured");
    assert_int_equal(f.r->method[0].status, RATTLE_OK);
    /* a thread of its own may try it to its end before another has reached the error */
    if (threads > 1 && !strcmp(f.r->method[0].verdict, "not reached")) {
      close_fixture(&f);
      continue;
    }
    assert_string_equal(f.r->method[0].verdict, "stopped");
    assert_int_equal(sscanf(f.r->method[0].why, "%lf with %lf steps", &error, &steps), 2);
    assert_true(error > 1e-8 && steps <= 65536);
    close_fixture(&f);
  }
  /* alone it is tried until the work limit */
  fixture f =
      study_of("pendulum.lua", RATTLE_STUDY_ADVISE,
               (rattle_study_options){
                   .method = methods, .methods = 1, .start = 0, .stop = 100, .error = 1e-8});
  assert_string_equal(f.r->method[0].verdict, "not reached");
  assert_non_null(strstr(f.r->method[0].why, "131072 steps"));
  close_fixture(&f);
}

/* Constrained maps of higher order are candidates, where there are constraints that they take. */
static void test_kinds(void **state) {
  (void)state;
  static const char *const kinds[] = {"geodesic_rkn4", "geodesic_rkn6", "multistep4",
                                      "multistep8",    "spark(3)",      "spark(5)"};
  fixture f = study_of("pendulum.lua", RATTLE_STUDY_ADVISE,
                       (rattle_study_options){.start = 0, .stop = 20, .error = 1e-6, .threads = 1});
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const int row = row_of(f.r, kinds[k]);
    assert_in_range(row, 0, f.r->methods - 1);
    assert_int_equal(f.r->method[row].status, RATTLE_OK);
  }
  assert_int_equal(row_of(f.r, "spark(2)"), -1); /* that is rattle(verlet) */
  assert_string_equal(f.r->verdict, "sure");
  assert_string_not_equal(f.r->method[best_of(f.r)].method, "rattle(verlet)");
  close_fixture(&f);
  f = study_of("kepler.lua", RATTLE_STUDY_ADVISE,
               (rattle_study_options){.start = 0, .stop = 5, .error = 1e-3});
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    assert_int_equal(row_of(f.r, kinds[k]), -1);
  close_fixture(&f);
}

/* The advice costs what the best would if each candidate were tried alone and to its end.
 * Evaluations are compared, which are the same in each run; all of these have the same base map.
 * Runs with long steps fail here, or take many times longer than their steps are many. */
static void test_nothing_missed(void **state) {
  (void)state;
  rattle_study_options options = {.start = 0, .stop = 5, .error = 1e-5, .threads = 1};
  fixture f = study_of("index_one.lua", RATTLE_STUDY_ADVISE, options),
          alone = open_fixture("index_one.lua");
  const double advised = figure(f.r, best_of(f.r), "gradient");
  double least = INFINITY;
  assert_string_equal(f.r->verdict, "sure");
  for (int i = 0; i < f.r->methods; i++) {
    options.method = &f.r->method[i].method, options.methods = 1;
    study(&alone, RATTLE_STUDY_ADVISE, options);
    if (best_of(alone.r) == 0) least = fmin(least, figure(alone.r, 0, "gradient"));
  }
  print_message("%s: %.0f gradients, at the least %.0f\n", f.r->method[best_of(f.r)].method,
                advised, least);
  assert_true(advised < 1.6 * least);
  close_fixture(&f);
  close_fixture(&alone);
}

/* z [points*2n] after each part of so many steps. */
static void parts_of(const fixture *f, const char *method, double stop, long long steps,
                     long long points, double *z) {
  const int n = rattle_problem_n(f->problem);
  rattle_integrator *integrator;
  double q[8], p[8];
  rattle_state state = {.q = q, .p = p, .h = stop / (double)steps};
  rattle_error error = {.message = ""};
  rattle_status status = rattle_problem_start(f->problem, 0, q, p, NULL, &error);
  if (!status) status = rattle_integrator_create(&integrator, f->problem, method, &error);
  for (long long j = 0; j < points && !status; j++, z += 2 * n) {
    status = rattle_integrator_step(integrator, &state, steps / points, &error);
    if (!status) status = rattle_integrator_output(integrator, &state, z, z + n, &error);
  }
  if (status) fail_msg("%s: %s", method, error.message);
  rattle_integrator_destroy(&integrator);
}

/* A run with the method and the steps that are advised has at most the error that was wanted after
 * every step, by a solution that the study did not make. */
static void test_reached(void **state) {
  (void)state;
  static const struct {
    const char *model, *judge;
    double stop, error;
    long long steps; /* of the judge, at the least */
    const char
        *only; /* the one candidate; NULL: all. Alone these have larger errors between the common
                 times than at them */
  } cases[] = {
      {"pendulum.lua", "kahan_li8(rattle(verlet))", 20, 1e-8, 4000, NULL},
      {"double_pendulum.lua", "kahan_li8(rattle(verlet))", 10, 1e-6, 4000, NULL},
      {"double_pendulum.lua", "kahan_li8(rattle(verlet))", 8, 1e-4, 4000, NULL},
      {"index_one.lua", "kahan_li8(rattle(midpoint))", 20, 1e-5, 1000, NULL},
      {"double_pendulum.lua", "kahan_li8(rattle(verlet))", 8, 1e-4, 4000, "rattle(verlet)"},
      {"double_pendulum.lua", "kahan_li8(rattle(verlet))", 8, 1e-4, 4000,
       "suzuki4(rattle(verlet))"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    rattle_study_options options = {.start = 0, .stop = cases[k].stop, .error = cases[k].error};
    if (cases[k].only) options.method = &cases[k].only, options.methods = 1;
    fixture f = study_of(cases[k].model, RATTLE_STUDY_ADVISE, options);
    const rattle_study_method *best = &f.r->method[best_of(f.r)];
    const long long steps = (long long)rattle_study_find_figure(best, "steps");
    const size_t numbers = 2 * (size_t)rattle_problem_n(f.problem) * (size_t)steps,
                 n = numbers / 2 / (size_t)steps;
    double *z = malloc(2 * numbers * sizeof *z), *right = z + numbers, far = 0;
    assert_non_null(z);
    if (strncmp(best->method, "adaptive", 8) != 0) {
      parts_of(&f, best->method, cases[k].stop, steps, steps, z);
      parts_of(&f, cases[k].judge, cases[k].stop, steps * (cases[k].steps / steps + 1), steps,
               right);
      for (size_t i = 0; i < numbers; i++)
        far = fmax(far, fabs(z[i] - right[i]) /
                            (i / n % 2 ? f.r->reference.scale_p : f.r->reference.scale_q));
      print_message("%s, %s: %.2e, said to be %.2e, of %.1e\n", cases[k].model, best->method, far,
                    rattle_study_find_figure(best, "error"), cases[k].error);
      assert_true(far <= cases[k].error * (1 + 1e-6));
      assert_true(fabs(far / rattle_study_find_figure(best, "error") - 1) < 1e-3);
    }
    free(z);
    close_fixture(&f);
  }
}

/* --- what is advised --- */

/* z at the end of a run by hand. */
static void run_by_hand(const fixture *f, const char *method, double h, long long steps,
                        double *z) {
  rattle_integrator *integrator = NULL;
  rattle_error error;
  int n = rattle_problem_n(f->problem);
  if (rattle_problem_start(f->problem, 1, z, z + n, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&integrator, f->problem, method, &error))
    fail_msg("%s", error.message);
  rattle_state state = {.q = z, .p = z + n, .h = h};
  if (rattle_integrator_step(integrator, &state, steps, &error)) fail_msg("%s", error.message);
  rattle_integrator_destroy(&integrator);
}

/* The price that advice compares: a method that is not symplectic has to be a tenth cheaper. */
static double price_of(const rattle_study_result *r, int i) {
  return figure(r, i, "cpu_seconds") * (r->method[i].claims.symplectic ? 1 : 1.1);
}

/* The verdict is the one that the figures give by the rule of docs/advice.md. With half the step
 * the error may be round-off instead of falling by the order. */
static void assert_rule(const rattle_study_result *r, int best, double wanted) {
  const int known = r->reference.error < wanted / 10;
  const int falls = figure(r, best, "local_order") > 0.6 * r->method[best].claims.order;
  const char *expected = !known ? "unsure" : figure(r, best, "spread") < 3 ? "sure" : "fairly sure";
  if (falls || !known)
    assert_string_equal(r->verdict, expected);
  else if (figure(r, best, "error_half_step") > 1e-3 * wanted)
    assert_string_equal(r->verdict, "unsure");
}

/* The advice attains the error, by a solution that the study did not make, and nothing that was
 * timed is cheaper. */
static void assert_attained(const fixture *f, int best, double wanted) {
  double exact[6], z[6], miss = 0;
  const double step = figure(f->r, best, "step"), steps = figure(f->r, best, "steps");
  assert_near(step * steps, 20, 1e-12);
  run_by_hand(f, f->r->method[best].method, step, (long long)steps, z);
  run_by_hand(f, "kahan_li10(rattle(verlet))", 0.01, 2000, exact);
  const double unit[2] = {f->r->reference.scale_q, f->r->reference.scale_p};
  for (int i = 0; i < 6; i++) miss = fmax(miss, fabs(z[i] - exact[i]) / unit[i / 3]);
  assert_true(miss <= wanted && figure(f->r, best, "error") <= wanted);
  for (int i = 0; i < f->r->methods; i++) assert_true(!(price_of(f->r, i) < price_of(f->r, best)));
}

static void test_advice(void **state) {
  (void)state;
  static const char *const method[] = {"kahan_li6(rattle(verlet))"};
  const double wanted[] = {1e-3, 1e-6, 1e-9};
  fixture f = open_fixture("spherical_pendulum.lua");
  double last = 0;
  for (int k = 0; k < 3; k++) {
    rattle_study_options options = {.start = 0, .stop = 20, .error = wanted[k], .threads = 1};
    study(&f, RATTLE_STUDY_ADVISE, options);
    assert_string_equal(f.r->figure[1].name, "best");
    assert_attained(&f, best_of(f.r), wanted[k]);
    assert_rule(f.r, best_of(f.r), wanted[k]);
    /* of one method, whose errors are regular: the longest step, with which twice the step would
     * not do */
    options.method = method, options.methods = 1;
    study(&f, RATTLE_STUDY_ADVISE, options);
    assert_attained(&f, 0, wanted[k]);
    assert_rule(f.r, 0, wanted[k]);
    assert_string_equal(f.r->verdict, "sure");
    assert_true(figure(f.r, 0, "error") > 0.02 * wanted[k]);
    assert_true(figure(f.r, 0, "error_half_step") < 0.5 * figure(f.r, 0, "error"));
    assert_true(figure(f.r, 0, "gradient") > last);
    last = figure(f.r, 0, "gradient");
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
  study(
      &f, RATTLE_STUDY_ADVISE,
      (rattle_study_options){
          .method = methods, .methods = 2, .start = 0, .stop = 20, .error = 1e-9, .effort = 0.01});
  assert_string_equal(f.r->verdict, "none");
  assert_int_equal(f.r->method[0].status, RATTLE_UNSUITABLE);
  assert_string_equal(f.r->method[1].verdict, "not reached");
  rattle_study_destroy(&f.study);
  rattle_study_options options = {.start = 0, .stop = 20};
  assert_int_equal(rattle_study_create(&f.study, f.problem, RATTLE_STUDY_ADVISE, &options, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_null(f.study);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prices),         cmocka_unit_test(test_in_turn),
      cmocka_unit_test(test_stopped),        cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_nothing_missed), cmocka_unit_test(test_reached),
      cmocka_unit_test(test_advice),         cmocka_unit_test(test_no_advice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
