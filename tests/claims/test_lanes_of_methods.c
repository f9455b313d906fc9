/* Each method of the table that steps several trajectories of a problem in the lanes of vectors
 * gives each of them the bits of one alone, from points along one trajectory. Steps that lanes leave
 * to other means are taken alone, as an ensemble does. */
#include "common_claims.h"
#include "common_methods.h"

#include "runs/integrate/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 2, MOST = 2 * LANES, STEPS = 25 };
static const double h = 0.03;

/* What the loop has found. */
typedef struct finding {
  int served, stops, wrong;
} finding;

static rattle_state state_of(double *z, int n, long long step) {
  return (rattle_state){.q = z, .p = z + n, .h = h, .step = step};
}

/* One step alone. */
static int step(claims_library *library, double *z, int n, long long at) {
  rattle_state s = state_of(z, n, at);
  rattle_error error;
  return rattle_integrator_step(library->integrator, &s, 1, &error) != RATTLE_OK;
}

/* Lane k begins after k steps; 0: some step fails. */
static int start(claims_library *library, const tests_problem *problem, int width,
                 double z[MOST][TESTS_MAX_2N]) {
  const int n = problem->n;
  claims_start(problem, z[0], z[0] + n);
  for (int k = 1; k < width; k++) {
    memcpy(z[k], z[k - 1], sizeof z[k]);
    if (step(library, z[k], n, k - 1)) return 0;
  }
  return 1;
}

/* STEPS steps of all lanes, and of each alone, which are compared. */
static void go(claims_library *library, const tests_problem *problem, int width,
               double z[MOST][TESTS_MAX_2N], finding *f) {
  const int n = problem->n;
  rattle__wide_points lanes;
  double y[MOST][TESTS_MAX_2N];
  int failed = 0, timed = 1;
  memcpy(y, z, sizeof y);
  assert_true(rattle__lanes_make(&lanes, width, n));
  for (long long made = 0; made < STEPS && !failed && timed;) {
    for (int k = 0; k < width; k++) {
      const rattle_state s = state_of(z[k], n, k + made);
      rattle__lanes_put(&lanes, k, &s);
      timed &= rattle__integrator_time_lane(library->integrator, k, &s);
    }
    const long long done =
        timed
            ? rattle__lanes_run(&lanes, rattle__integrator_wide(library->integrator), STEPS - made)
            : 0;
    made += done;
    for (int k = 0; k < width; k++) {
      const rattle_state s = state_of(z[k], n, 0);
      rattle__lanes_get(&lanes, k, &s);
    }
    if (made == STEPS) break;
    for (int k = 0; k < width; k++) failed |= step(library, z[k], n, k + made);
    made++, f->stops++;
  }
  rattle__lanes_release(&lanes);
  for (int k = 0; k < width && !failed && timed; k++) {
    for (int i = 0; i < STEPS; i++) failed |= step(library, y[k], n, k + i);
    f->wrong += failed || memcmp(y[k], z[k], 2 * (size_t)n * sizeof y[k][0]) != 0;
  }
}

static void try_method(const tests_problem *problem, const char *method, finding *f) {
  claims_library library;
  rattle_error error;
  double z[MOST][TESTS_MAX_2N];
  if (claims_library_open(&library, problem, method, RATTLE_EVALUATOR_NATIVE, &error)) return;
  const int width = rattle__integrator_widen(library.integrator, LANES), wrong = f->wrong;
  if (width > 1 && start(&library, problem, width, z)) {
    go(&library, problem, width, z, f);
    f->served++;
    if (f->wrong > wrong) print_error("%s on %s: other bits in lanes\n", method, problem->name);
  }
  claims_library_close(&library);
}

/* Natural, with masses that depend on q, and with a constraint on momenta too. */
static int is_tried(const tests_problem *problem) {
  static const char *const names[] = {"pendulum", "varying_mass", "harmonic"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(problem->name, names[i])) return 1;
  return 0;
}

static void test_table(void **state) {
  (void)state;
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  finding f = {0};
  if (!claims_takes_native()) skip();
  for (int r = 0; r < count; r++)
    for (int i = 0; i < methods_problem_count() && methods_makes_trajectories(&rows[r]); i++) {
      methods_text methods[METHODS_MAX];
      if (!is_tried(methods_problem(i))) continue;
      const int tried = methods_of(&rows[r], methods_problem(i), methods);
      for (int k = 0; k < tried; k++) try_method(methods_problem(i), methods[k], &f);
    }
  print_message("%d methods and problems in lanes, %d steps taken alone\n", f.served, f.stops);
  assert_int_equal(f.wrong, 0);
  assert_true(f.served > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
