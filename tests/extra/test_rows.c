/* A wrapper, a field and a solver that the library does not have, each of them one file and one row
 * (methods.def next to this file): through the parser, the claims, the explanations, and steps.
 * Nothing but the table is compiled anew. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "claims/common_claims.h"

/* ---- expressions ---- */

static rattle_method *parse(const char *expression) {
  rattle_method *method;
  rattle_error error;
  if (rattle_method_parse(&method, expression, &error))
    fail_msg("%s: %s", expression, error.message);
  return method;
}

static void rows_are_found(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"twice", "wrapper"}, {"penalty", "field"}, {"gauss_jordan", "solver"}};
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  for (int k = 0; k < 3; k++) {
    const rattle_method_row *row = &rows[count - 3 + k];
    assert_string_equal(row->name, names[k][0]);
    assert_string_equal(row->kind, names[k][1]);
  }
}

static void canonical_text(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"twice(first = .5, verlet)", "twice(verlet)"},
      {"twice(first=0.25, rattle(verlet))", "twice(rattle(verlet), first=0.25)"},
      {"suzuki4(twice(verlet(b)), compensated)", "suzuki4(twice(verlet(b)), compensated)"},
      {"rk4(penalty(stiffness=1e3))", "rk4(penalty(1000))"},
      {"rattle(verlet, solver=gauss_jordan)", "rattle(verlet, solver=gauss_jordan)"},
      {"twice(shake(midpoint, solver = gauss_jordan, tol=1e-6))",
       "twice(shake(midpoint, solver=gauss_jordan, tol=1e-6))"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_method *method = parse(cases[i][0]);
    assert_string_equal(rattle_method_text(method), cases[i][1]);
    rattle_method_destroy(&method);
  }
}

static void refusals(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"twise(verlet)", "did you mean 'twice'?"},
      {"twice", "twice needs a map"},
      {"twice(verlet, first=1)", "first of twice must be in 0.01 .. 0.99, found 1"},
      {"twice(verlet, second=0.5)", "twice has no option 'second'; it takes first, compensated"},
      {"twice(verlet, tol=1e-3)", "no option 'tol'"},
      {"twice(leapfrog)", "twice needs a one-step map, and leapfrog uses past points"},
      {"suzuki4(twice(verlet, first=0.25))", "twice(verlet, first=0.25) is not symmetric"},
      {"rk4(penalty)", "penalty needs stiffness"},
      {"rk4(penaltie(3))", "did you mean 'penalty'?"},
      {"rattle(rk4(penalty(3)))", "integrates penalty"},
      {"rattle(verlet, solver=gauss_jordon)", "did you mean 'gauss_jordan'?"},
      {"rattle(verlet, solver=lincs)", "dense, gauss_jordan"},
      {"gauss_jordan", "is a solver, not a method"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_method *method;
    rattle_error error;
    assert_int_equal(rattle_method_parse(&method, cases[i][0], &error), RATTLE_BAD_METHOD);
    if (!strstr(error.message, cases[i][1])) fail_msg("%s: %s", cases[i][0], error.message);
  }
}

static void explanations(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"twice(rattle(verlet), first=0.25)",
       "  twice: two steps of the map inside, which share h.\n"},
      {"twice(rattle(verlet), first=0.25)",
       "  twice(rattle(verlet)): order 2, that of the map inside, twice.\n"},
      {"twice(rattle(verlet), first=0.25)",
       "  2 applications of verlet; 2 solves for the multipliers of g = 0 and 2"},
      {"twice(rattle(verlet), first=0.25)", "  twice: z1 = phi_{(1 - c) h} o phi_{c h} z0\n"},
      {"rk4(penalty(9))", "  penalty: springs in place of the constraints"},
      {"rk4(penalty(9))", "expressions (for penalty)"},
      {"shake(verlet, solver=gauss_jordan)",
       "multipliers by gauss_jordan: Newton's method with inverses of its matrices, to round-off"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[8192];
    rattle_method *method = parse(cases[i][0]);
    rattle_method_explain(method, text, sizeof text);
    if (!strstr(text, cases[i][1])) fail_msg("no \"%s\" in\n%s", cases[i][1], text);
    rattle_method_destroy(&method);
  }
}

/* ---- claims ---- */

static void claims_are_derived(void **state) {
  (void)state;
  static const struct {
    const char *expression;
    rattle_claims
        claims; /* order, symmetric, symplectic, explicit, keeps g, keeps psi, pure, stages,
                   keeps energy, proved */
  } cases[] = {
      {"twice(verlet)", {2, 1, 1, 1, 0, 0, 1, 2, 0, 0, {0}}},
      {"twice(verlet, first=0.25)", {2, 0, 1, 1, 0, 0, 1, 2, 0, 0, {0}}},
      {"twice(rattle(midpoint))", {2, 1, 1, 0, 1, 1, 1, 2, 0, 0, {0}}},
      {"suzuki4(twice(verlet))", {4, 1, 1, 1, 0, 0, 1, 10, 0, 0, {0}}},
      {"verlet(penalty(5))", {2, 1, 1, 0, 0, 0, 1, 1, 0, 0, {0}}},
      {"rk4(penalty(5))", {4, 0, 0, 1, 0, 0, 1, 1, 0, 0, {0}}},
      {"rattle(verlet, solver=gauss_jordan)", {2, 1, 1, 1, 1, 1, 1, 1, 0, 1, {0}}},
      {"rattle(verlet, solver=gauss_jordan, tol=1e-8)", {2, 0, 0, 1, 0, 0, 1, 1, 0, 1, {0}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle_method *method = parse(cases[i].expression);
    const rattle_claims claims = rattle_method_claims(method);
    if (memcmp(&claims, &cases[i].claims, sizeof claims))
      fail_msg("%s: order %d", cases[i].expression, claims.order);
    rattle_method_destroy(&method);
  }
}

static void claims_are_measured(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"henon_heiles", "twice(verlet)"},
      {"henon_heiles", "twice(verlet, first=0.25)"},
      {"spherical", "twice(rattle(verlet))"},
      {"varying_mass", "suzuki4(twice(rattle(midpoint)))"},
      {"spherical", "twice(rattle(verlet, project=output))"},
      {"spherical", "rattle(verlet, solver=gauss_jordan)"},
      {"varying_mass", "rattle(midpoint, solver=gauss_jordan)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    claims_library library;
    rattle_error error;
    char text[200];
    const tests_problem *problem = tests_problem_named(cases[i][0]);
    if (claims_library_open(&library, problem, cases[i][1], RATTLE_EVALUATOR_BLOCK, &error))
      fail_msg("%s", error.message);
    const rattle_claims claims = rattle_method_claims(rattle_integrator_method(library.integrator));
    const int output = strstr(cases[i][1], "project=output") != NULL;
    const claims_map map = {problem, claims_library_step, output ? claims_library_output : NULL,
                            &library, 0};
    if (claims_refute(&map, &claims, NULL, text, sizeof text))
      fail_msg("%s: %s", cases[i][1], text);
    claims_library_close(&library);
  }
}

/* ---- steps ---- */

typedef struct moved {
  char solver[40]; /* name of the linear solver */
  long long iterations;
} moved;

/* z moved by `steps` steps of a method. */
static moved move(const tests_problem *problem, const char *method, double h, long long steps,
                  double *z) {
  moved m = {"", 0};
  claims_library library;
  rattle_error error;
  const int n = problem->n;
  if (claims_library_open(&library, problem, method, RATTLE_EVALUATOR_BLOCK, &error))
    fail_msg("%s: %s", method, error.message);
  rattle_state state = {.q = z, .p = z + n, .h = h};
  if (rattle_integrator_step(library.integrator, &state, steps, &error))
    fail_msg("%s: %s", method, error.message);

  m.iterations = rattle_integrator_counts(library.integrator).newton_iterations;
  strncat(m.solver, rattle_integrator_solver(library.integrator), sizeof m.solver - 1);
  claims_library_close(&library);
  return m;
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void twice_is_two_steps(void **state) {
  (void)state;
  const tests_problem *problem = tests_problem_named("spherical");
  double a[TESTS_MAX_2N], b[TESTS_MAX_2N];
  claims_start(problem, a, a + problem->n);
  memcpy(b, a, sizeof b);
  move(problem, "twice(rattle(verlet))", 0.0625, 50, a);
  move(problem, "rattle(verlet)", 0.03125, 100, b);
  assert_memory_equal(a, b, 2 * (size_t)problem->n * sizeof *a);
  /* shares of h that differ make another map */
  claims_start(problem, b, b + problem->n);
  move(problem, "twice(rattle(verlet), first=0.25)", 0.0625, 50, b);
  const double d = apart(a, b, 2 * problem->n);
  assert_true(d > 1e-6 && d < 1e-2);
}

/* In natural form, and around a general map. */
static void gauss_jordan_finds_the_multipliers(void **state) {
  (void)state;
  static const char *const bases[] = {"verlet", "midpoint"};
  const tests_problem *problem = &tests_large_problems[0]; /* a chain */
  for (int i = 0; i < 2; i++) {
    double a[TESTS_MAX_2N], b[TESTS_MAX_2N];
    char ours[80], theirs[80];
    snprintf(ours, sizeof ours, "rattle(%s, solver=gauss_jordan)", bases[i]);
    snprintf(theirs, sizeof theirs, "rattle(%s, solver=dense)", bases[i]);
    assert_int_equal(reference_start(problem, a, a + problem->n), 0);
    memcpy(b, a, sizeof b);
    const moved by_ours = move(problem, ours, 0.01, 20, a),
                by_theirs = move(problem, theirs, 0.01, 20, b);
    assert_string_equal(by_ours.solver, "gauss_jordan");
    assert_string_equal(by_theirs.solver, "dense");
    assert_int_equal(by_ours.iterations, by_theirs.iterations);
    const double d = apart(a, b, 2 * problem->n);
    if (!(d < 1e-11)) fail_msg("%s: %g apart", ours, d);
  }
}

/* The field is that of the Hamiltonian with springs. */
static void penalty_is_a_hamiltonian_with_springs(void **state) {
  (void)state;
  static const tests_problem with_springs = {
      .name = "springs",
      .n = 2,
      .model = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\n"
               "hamiltonian((p1^2 + p2^2)/2 + q2 + 50*(q1^2 + q2^2 - 1)^2)\n"};
  static const char *const bases[] = {"rk4", "midpoint", "verlet", "taylor(6"};
  for (int i = 0; i < 4; i++) {
    const tests_problem *pendulum = tests_problem_named("pendulum");
    double a[4] = {1, 0.01, 0.1, -1}, b[4] = {1, 0.01, 0.1, -1};
    char field[80], plain[80];
    snprintf(field, sizeof field, strchr(bases[i], '(') ? "%s, penalty(100))" : "%s(penalty(100))",
             bases[i]);
    snprintf(plain, sizeof plain, strchr(bases[i], '(') ? "%s)" : "%s", bases[i]);
    move(pendulum, field, 0.01, 100, a);
    move(&with_springs, plain, 0.01, 100, b);
    const double d = apart(a, b, 4);
    if (!(d < 1e-11)) fail_msg("%s: %g apart", field, d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_found),
                                     cmocka_unit_test(canonical_text),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(explanations),
                                     cmocka_unit_test(claims_are_derived),
                                     cmocka_unit_test(claims_are_measured),
                                     cmocka_unit_test(twice_is_two_steps),
                                     cmocka_unit_test(gauss_jordan_finds_the_multipliers),
                                     cmocka_unit_test(penalty_is_a_hamiltonian_with_springs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
