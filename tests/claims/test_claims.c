/* Every row of the method table on every problem that meets its needs, and the number of problems:
 * the claims of a row are measured with one evaluator, and the other one ends with the same bits
 * and counts, so that they hold of it too. Properties that a row does not claim are measured if a
 * map could have them by accident: a higher order, `explicit`. */
#include "common_claims.h"
#include "common_methods.h"

#include "../reference/common_second_class.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Expensive methods are tried on fewer problems, of every kind; with sanitizers, which slow all of
 * them down, all methods are. */
static int is_worth(const tests_problem *problem, const char *method) {
  static const char *const few[] = {"pendulum",     "henon_heiles", "spherical",
                                    "varying_mass", "two_surfaces", "torus",
                                    "harmonic",     "product",      "plane"};
  const char *stages = strstr(method, "gauss("), *order = strstr(method, "taylor(");
  const int costly = stages  ? atoi(stages + 6) > 3
                     : order ? atoi(order + 7) > 2
                             : strstr(method, "(rattle(") || strstr(method, "solver=") ||
                                   strstr(method, "symmetric)");
  if (!strcmp(method, "adams_bashforth(8)"))
    return 0; /* where it is stable there is nothing but round-off left */
  if (claims_order_in_round_off(method)) return 0;
  for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
    if (!strcmp(problem->name, few[i])) return 1;
  }
  return !costly && TESTS_ONE_IN == 1;
}

/* The evaluator that is measured by: the faster one. */
static int measured_evaluator(void) {
  static int evaluator = -1;
  if (evaluator < 0)
    evaluator = claims_takes_native() ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK;
  return evaluator;
}

/* ---- explicit ---- */

/* Free, with H = T(p) + V(q): any, natural for methods that need it, quadratic for `exact`. */
#define PAIRS "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
static const tests_problem separable[] = {
    {.name = "separable",
     .n = 2,
     .model = PAIRS "hamiltonian(p1^2/2 + p2^2 + p1^4/8 + (q1^2 + q2^2)/2 + q1^2*q2)\n"},
    {.name = "natural",
     .n = 2,
     .model = PAIRS "hamiltonian(p1^2/2 + p2^2 + (q1^2 + q2^2)/2 + q1^2*q2)\n"},
    {.name = "quadratic",
     .n = 2,
     .model = PAIRS "hamiltonian(p1^2/2 + p2^2 + q1^2 + q1*q2 + q2^2)\n"}};

/* The iterations and second derivatives, and the projections, of a few steps from (q, p). */
static int iterations_of(claims_library *library, double *q, double *p, int *projections) {
  rattle_integrator_reset(library->integrator);
  if (claims_library_step(library, 0.02, 4, q, p)) fail_msg("a step fails");
  const rattle_counts counts = rattle_integrator_counts(library->integrator);
  *projections = (int)(counts.position_projections + counts.momentum_projections);
  return (int)(counts.newton_iterations + counts.hessian);
}

/* True if the method iterates for more than multipliers: on the problem itself if it finds none
 * there, as methods of a field do not; else without constraints, if H separates. -1: this cannot be
 * decided; with second-class constraints the method moves by another H. */
static int iterates(claims_library *library, const tests_problem *problem, const char *method) {
  double z[TESTS_MAX_2N] = {0.3, 0.1, 0.2, 0.3};
  rattle_error error;
  int projections, found = -1;
  if (problem->m > 0) {
    claims_start(problem, z, z + problem->n);
    found = iterations_of(library, z, z + problem->n, &projections);
    if (!projections) return found > 0;
    if (second_class_index(problem) >= 0) return -1;
  }
  for (size_t i = 0; i < sizeof separable / sizeof *separable; i++) {
    claims_library free;
    double y[4] = {0.3, 0.1, 0.2, 0.3};
    if (claims_library_open(&free, &separable[i], method, measured_evaluator(), &error)) continue;
    found = iterations_of(&free, y, y + 2, &projections);
    claims_library_close(&free);
    return found > 0;
  }
  return -1;
}

/* ---- proofs ---- */

/* Whether some steps can be proved: 1, and all are; 0, UNSUITABLE; -1: something failed. */
static int proves(const claims_library *library, const tests_problem *problem, const char *method) {
  rattle_certifier *certifier;
  rattle_certificate found = {0};
  rattle_error error;
  double q[TESTS_MAX_2N], *p = q + problem->n;
  const rattle_status status =
      rattle_certifier_create(&certifier, library->problem, method, &error);
  if (status) return status == RATTLE_UNSUITABLE ? 0 : -1;
  claims_start(problem, q, p);
  rattle_state state = {.h = 0.01, .q = q, .p = p};
  const rattle_status stepped = rattle_certifier_step(certifier, &state, 3, &found, &error);
  rattle_certifier_destroy(&certifier);
  return !stepped && found.steps == 3 && !found.open && !found.wrong ? 1 : -1;
}

/* True if it is as claimed, on problems whose steps by RATTLE can be proved; bounds are interpreted,
 * whose bits machine code has (unit_test_ball_programs). */
static int is_proved_as_claimed(const tests_problem *problem, const char *method, int claimed) {
  claims_library library;
  rattle_error error;
  if (claims_library_open(&library, problem, method, RATTLE_EVALUATOR_BLOCK, &error)) return 0;
  const int proved = proves(&library, problem, method);
  const int same = proved == (claimed && proves(&library, problem, "rattle(verlet)") == 1);
  claims_library_close(&library);
  return same;
}

/* ---- a row ---- */

/* Results for a row: the problems that it was measured on, and for each of its methods the least
 * measured order. */
typedef struct finding {
  int problems, methods, failures;
  struct {
    methods_text method;
    double claimed, least;
  } order[2 * METHODS_MAX];
} finding;

static void note_order(finding *f, const char *method, double claimed, double measured) {
  int i = 0;
  while (i < f->methods && strcmp(f->order[i].method, method) != 0) i++;
  assert_true(i < 2 * METHODS_MAX);
  if (i == f->methods) {
    memcpy(f->order[i].method, method, strlen(method) + 1);
    f->order[i].claimed = claimed;
    f->order[i].least = INFINITY;
    f->methods++;
  }
  f->order[i].least = fmin(f->order[i].least, measured);
}

/* Measures one method; returns 1 if it did, 0 if the problem does not meet its needs. */
static int measure(const tests_problem *problem, const rattle_method_row *row, const char *method,
                   finding *f) {
  claims_library library;
  claims_measured found;
  rattle_error error;
  char text[200];
  const rattle_status status =
      claims_library_open(&library, problem, method, measured_evaluator(), &error);
  if (status == RATTLE_UNSUITABLE && *row->needs) return 0;
  if (status != RATTLE_OK) {
    print_error("%s on %s: %s %s\n", method, problem->name, rattle_status_name(status),
                error.message);
    f->failures++;
    return 0;
  }
  const rattle_claims claims = rattle_method_claims(rattle_integrator_method(library.integrator));
  const int shows = strstr(method, "impetus") != NULL || strstr(method, "two_step") != NULL,
            output = shows || strstr(method, "project=output");
  const claims_map map = {problem, claims_library_step, output ? claims_library_output : NULL,
                          &library, shows};
  const char *refuted = claims_refute(&map, &claims, &found, text, sizeof text);
  if (refuted) print_error("%s on %s\n", method, refuted);
  f->failures += refuted != NULL;
  note_order(f, method, claims.order, found.order);
  if (!is_proved_as_claimed(problem, method, claims.proved)) {
    print_error("%s on %s: claims that steps can be proved: %d\n", method, problem->name,
                claims.proved);
    f->failures++;
  }
  const int implicit = iterates(&library, problem, method);
  if (implicit == claims.explicit_) {
    print_error("%s on %s %s, and claims explicit = %d\n", method, problem->name,
                implicit ? "iterates for more than multipliers" : "does not iterate",
                claims.explicit_);
    f->failures++;
  }
  claims_library_close(&library);
  return 1;
}

/* ---- the other evaluator ---- */

/* Where steps from the start end, by one evaluator. */
typedef struct finish {
  rattle_status status; /* whether the method could be had */
  int failed;
  double z[TESTS_MAX_2N], time;
  rattle_counts counts;
} finish;

static const struct {
  double h;
  int steps;
} runs[] = {{0.05, 12}, {-0.03, 5}, {0.4, 4}};
enum { RUNS = sizeof runs / sizeof *runs };

/* Forward, back, and by long steps, each from the start. */
static void run_all(const tests_problem *problem, const char *method, int evaluator,
                    finish to[RUNS]) {
  claims_library library;
  rattle_error error;
  const int n = problem->n;
  memset(to, 0, RUNS * sizeof *to);
  to->status = claims_library_open(&library, problem, method, evaluator, &error);
  for (int k = 0; k < RUNS && !to->status; k++) {
    double *q = to[k].z, *p = q + n;
    claims_start(problem, q, p);
    rattle_integrator_reset(library.integrator);
    to[k].failed = claims_library_step(&library, runs[k].h, runs[k].steps, q, p);
    if (!to[k].failed && strstr(method, "project=output"))
      to[k].failed = 2 * claims_library_output(&library, q, p);
    to[k].time = library.time;
    to[k].counts = rattle_integrator_counts(library.integrator);
  }
  if (!to->status) claims_library_close(&library);
}

/* Compares the evaluators by one method; returns 1 if it did, 0 if the problem does not meet its
 * needs. */
static int compare(const tests_problem *problem, const rattle_method_row *row, const char *method,
                   finding *f) {
  finish block[RUNS], native[RUNS];
  (void)row;
  run_all(problem, method, RATTLE_EVALUATOR_BLOCK, block);
  run_all(problem, method, RATTLE_EVALUATOR_NATIVE, native);
  int same = block->status == native->status;
  for (int k = 0; k < RUNS && same; k++) {
    const finish *a = &block[k], *b = &native[k];
    same = a->failed == b->failed && !memcmp(a->z, b->z, sizeof a->z) &&
           !memcmp(&a->time, &b->time, sizeof a->time);
    /* a step that a fused kernel gives up is made anew by the library: it counts more */
    if (!a->failed && !a->counts.followed)
      same = same && !memcmp(&a->counts, &b->counts, sizeof a->counts);
    if (!same)
      print_error("%s on %s, h = %g: z[0] = %.17g with block, %.17g with native\n", method,
                  problem->name, runs[k].h, a->z[0], b->z[0]);
  }
  f->failures += !same;
  return block->status == RATTLE_OK;
}

/* No method may be of higher order than it claims on each problem that it is measured on. */
static void bound_orders(finding *f) {
  for (int i = 0; i < f->methods; i++) {
    const double bound = f->order[i].claimed + (f->order[i].claimed > 6 ? 1 : 0.4);
    if (f->order[i].least <= bound) continue;
    print_error("%s: the order is %.3g on all problems, the claim %g\n", f->order[i].method,
                f->order[i].least, f->order[i].claimed);
    f->failures++;
  }
}

/* How many problems a row must be measured on, by its needs, which are those of the problems here;
 * a row with other needs says here on how many. Fields are for constraints alone, leapfrog and
 * stormer for none; compositions and solvers are measured on fewer. */
static int floor_of(const rattle_method_row *row) {
  static const struct {
    const char *kind, *needs;
    int problems;
  } floors[] = {{"field", "", 2},
                {"field", "expressions", 15},
                {"field", "expressions, g(q)", 9},
                {"base map", "", 15},
                {"base map", "expressions", 15},
                {"base map", "separable", 8},
                {"base map", "natural", 1},
                {"base map", "flow", 3},
                {"constrained map", "conservative", 15},
                {"constrained map", "g(q)", 9},
                {"constrained map", "natural, g(q)", 4},
                {"wrapper", "", 8},
                {"wrapper", "second-class constraints", 4},
                {"wrapper", "regular constraints", 17},
                {"composition", "", 8},
                {"solver", "", 6},
                {"solver", "natural holonomic", 2},
                {"solver", "natural distance", 2}};
  for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
    if (!strcmp(row->kind, floors[i].kind) && !strcmp(row->needs, floors[i].needs))
      return TESTS_ONE_IN == 1 ? floors[i].problems : 1;
  fail_msg("no floor for a %s that needs \"%s\"", row->kind, row->needs);
  return 0;
}

/* What is tried of a row on each problem: `measure` or `compare`. */
typedef int trial(const tests_problem *problem, const rattle_method_row *row, const char *method,
                  finding *f);

static int try_row(const rattle_method_row *row, trial *one, int *turn) {
  finding f = {0};
  if (!methods_makes_trajectories(row)) return 0;
  for (int i = 0; i < methods_problem_count(); i++) {
    const tests_problem *problem = methods_problem(i);
    methods_text methods[METHODS_MAX];
    const int tried = methods_of(row, problem, methods);
    int measured = 0;
    for (int k = 0; k < tried; k++) {
      if (is_worth(problem, methods[k]) && (!f.problems || ++*turn % TESTS_ONE_IN == 0))
        measured += one(problem, row, methods[k], &f);
    }
    f.problems += measured > 0;
  }
  if (TESTS_ONE_IN == 1) bound_orders(&f);
  if (f.problems < floor_of(row)) {
    print_error("%s was tried on %d problems, the floor is %d\n", row->name, f.problems,
                floor_of(row));
    f.failures++;
  }
  return f.failures;
}

/* Rows shard, shard + shards, ...: the loop is in several processes, so that it takes all
 * processors. */
static int shard, shards = 1;

static void try_rows(trial *one) {
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  int failures = 0, turn = 0; /* turn: whose it is to be measured, where only some are */
  assert_true(count >= shards);
  for (int r = shard; r < count; r += shards) failures += try_row(&rows[r], one, &turn);
  assert_int_equal(failures, 0);
}

static void test_measured(void **state) {
  (void)state;
  try_rows(measure);
}

static void test_same_bits(void **state) {
  (void)state;
  if (!claims_takes_native()) skip();
  try_rows(compare);
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_measured),
                                     cmocka_unit_test(test_same_bits)};
  if (count > 2) shard = atoi(arguments[1]), shards = atoi(arguments[2]);
  if (shard < 0 || shard >= shards) return 2;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
