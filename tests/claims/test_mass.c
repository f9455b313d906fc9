/* Natural problems whose mass matrix is not diagonal: methods commute with linear changes q = S Q,
 * p = S^-T P of the coordinates, so that in those which make M diagonal each gives the same motion,
 * to round-off. */
#include "common_claims.h"
#include "common_methods.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "problem/functions/problem.h"

enum { N = 4, STEPS = 40 };
static const double h = 0.02;

/* q = S Q; M^-1 = S D S^T, with the problems "full_mass" and "full_mass_free" */
static const double S[N][N] = {{1, 0, 0, 0}, {0.25, 1, 0, 0}, {0, -0.25, 1, 0}, {0, 0, 0.5, 1}};

#define PAIRS                                                                                      \
  "local Q1, P1 = pair('Q1', 'P1')\nlocal Q2, P2 = pair('Q2', 'P2')\nlocal Q3, P3 = pair('Q3', "   \
  "'P3')\n"                                                                                        \
  "local Q4, P4 = pair('Q4', 'P4')\nlocal q1, q2, q3, q4 = Q1, Q2 + 0.25*Q1, Q3 - 0.25*Q2, Q4 + "  \
  "0.5*Q3\n"                                                                                       \
  "hamiltonian((P1^2 + P2^2 + P3^2 + 0.5*P4^2)/4)\n"
#define CONSTRAINTS                                                                                \
  "hamiltonian(q2 + 0.5*q4 + 0.25*q1^2*q3)\n"                                                      \
  "constrain('one', q1^2 + q2^2 + 0.125*q1^3 - 1)\nconstrain('two', q3^2 + q4^2 + 0.25*q3*q4 - "   \
  "1)\n"
#define WELL "hamiltonian((q1^2 + q2^2 + q3^2 + q4^2)/2 + q1^2*q3/4 + q2^4/4)\n"

static const tests_problem diagonal[] = {
    {.name = "full_mass, diagonal", .n = N, .m = 2, .model = PAIRS CONSTRAINTS},
    {.name = "full_mass_free, diagonal", .n = N, .m = 0, .model = PAIRS WELL}};
static const tests_problem free_motion = {
    .name = "full_mass_free",
    .n = N,
    .m = 0,
    .model = "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nlocal q3, p3 = "
             "pair('q3', 'p3')\n"
             "local q4, p4 = pair('q4', 'p4')\n"
             "hamiltonian((p1^2 + 1.0625*p2^2 + 1.0625*p3^2 + 0.75*p4^2)/4 + 0.125*p1*p2 - "
             "0.125*p2*p3 + 0.25*p3*p4)\n" WELL};

/* z = (S Q, S^-T P) of Z; S is lower triangular with ones on its diagonal */
static void change(const double *Z, double *z) {
  for (int i = 0; i < N; i++) {
    z[i] = 0;
    for (int j = 0; j <= i; j++) z[i] += S[i][j] * Z[j];
  }
  for (int i = N - 1; i >= 0; i--) {
    z[N + i] = Z[N + i];
    for (int j = i + 1; j < N; j++) z[N + i] -= S[j][i] * z[N + j];
  }
}

static void change_back(const double *z, double *Z) {
  for (int i = 0; i < N; i++) {
    Z[i] = z[i];
    for (int j = 0; j < i; j++) Z[i] -= S[i][j] * Z[j];
    Z[N + i] = 0;
    for (int j = i; j < N; j++) Z[N + i] += S[j][i] * z[N + j];
  }
}

/* Not covariant: those that measure q and p by their entries, in discrete gradients, errors or
 * tolerances; tableaus for pairs that are chosen, not derived. */
static int depends_on_coordinates(const char *method) {
  return strstr(method, "discrete_gradient") || strstr(method, "tol=") ||
         strstr(method, "andersen");
}

/* 1 if the method takes both problems and gives the same motion; 0 if it takes neither. */
static int check(const tests_problem *full, const tests_problem *plain, const char *method,
                 int evaluator) {
  claims_library of_full, of_plain;
  rattle_error error;
  const int refused = claims_library_open(&of_full, full, method, evaluator, &error) != RATTLE_OK;
  const int refused_plain =
      claims_library_open(&of_plain, plain, method, evaluator, NULL) != RATTLE_OK;
  if (refused && !refused_plain) fail_msg("%s refuses %s: %s", method, full->name, error.message);
  double z[2 * N] = {0.5, -0.3, 0.4, 0.2, 0.3, 0.4, -0.2, 0.3}, Z[2 * N], y[2 * N], apart = 0,
               size = 1;
  if (full->m) claims_start(full, z, z + N);
  change_back(z, Z);
  int ran = !refused && !refused_plain;
  if (ran) {
    const int failed = claims_library_step(&of_full, h, STEPS, z, z + N),
              plain_failed = claims_library_step(&of_plain, h, STEPS, Z, Z + N);
    if (failed != plain_failed)
      fail_msg("%s on %s: %s", method, full->name, failed ? "fails" : "fails where M is diagonal");
    claims_library_output(&of_full, z, z + N);
    claims_library_output(&of_plain, Z, Z + N);
    change(Z, y);
    for (int k = 0; k < 2 * N; k++) {
      apart = fmax(apart, fabs(y[k] - z[k]));
      size = fmax(size, fabs(z[k]));
    }
    if (!failed && !(apart < 2e-11 * size))
      fail_msg("%s on %s, evaluator %d: %.3g from its motion where M is diagonal", method,
               full->name, evaluator, apart);
    ran = !failed;
  }
  if (!refused) claims_library_close(&of_full);
  if (!refused_plain) claims_library_close(&of_plain);
  return ran;
}

/* For each row of the table, where its methods take natural problems at all. */
static void try_all(int evaluator) {
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  int compared = 0;
  for (int r = 0; r < count; r++) {
    int ran = 0;
    for (int m = 0; m < 2; m++) {
      const tests_problem *full = m ? &free_motion : tests_problem_named("full_mass");
      methods_text methods[METHODS_MAX];
      const int tried = methods_of(&rows[r], full, methods);
      for (int k = 0; k < tried; k++)
        if (!depends_on_coordinates(methods[k]))
          ran += check(full, &diagonal[m], methods[k], evaluator);
    }
    if (!methods_makes_trajectories(&rows[r])) continue;
    if (strstr(rows[r].needs, "natural") && !strstr(rows[r].needs, "distance") && !ran)
      fail_msg("%s says that it takes natural problems, and none of it ran", rows[r].name);
    compared += ran;
  }
  if (compared < 100) fail_msg("only %d motions were compared", compared);
}

static void test_same_motion(void **state) {
  (void)state;
  try_all(RATTLE_EVALUATOR_BLOCK);
}

static void test_same_motion_native(void **state) {
  (void)state;
  if (!claims_takes_native()) skip();
  try_all(RATTLE_EVALUATOR_NATIVE);
}

/* Natural under a constraint are problems with a constant M, diagonal or not, without negative
 * eigenvalues; linear terms in p are not. */
static void test_which_are_natural(void **state) {
  (void)state;
  static const struct {
    const char *kinetic, *kind;
    int full;
  } cases[] = {{"(p1^2 + p2^2)/2", "natural", 0},
               {"p1^2 + p1*p2/2 + p2^2", "natural", 1},
               {"p1*p2", "separable", 0},
               {"(p1^2 - 2*p2^2)/2", "separable", 0},
               {"p1^2 + p1*p2 - p1*p2 + p2^2", "natural", 0},
               {"(p1 + p2)^2/2", "separable", 0},
               {"p1^2 + p1*p2/2 + p2^2 + p1", "separable", 0},
               {"p1^2 + p1*p2/2 + p2^4", "separable", 0},
               {"p1^2 + q1*p1*p2/8 + p2^2", "holonomic", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    rattle_model *model;
    rattle_problem *problem = NULL;
    rattle_error error;
    snprintf(
        text, sizeof text,
        "local q1, p1 = pair('q1', 'p1')\nlocal q2, p2 = pair('q2', 'p2')\nhamiltonian(%s + q2)\n"
        "constrain('rod', q1^2 + q2^2 - 1)\nstart { q1 = 1 }\n",
        cases[i].kinetic);
    if (rattle_model_parse(&model, text, "mass", NULL, &error) ||
        rattle_problem_create(&problem, model, NULL, &error))
      fail_msg("%s: %s", cases[i].kinetic, error.message);
    assert_string_equal(rattle_problem_kind_name(problem), cases[i].kind);
    assert_int_equal(problem->mass && problem->mass->value, cases[i].full);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_which_are_natural),
                                     cmocka_unit_test(test_same_motion),
                                     cmocka_unit_test(test_same_motion_native)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
