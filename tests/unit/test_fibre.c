/* The slide along fibres of quadratic constraints and its derivative, where their flows commute and
 * where they do not. */
#include "constraint/fibre/fibre.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rattle/rattle.h"

enum { N = 3, NZ = 2 * N, M = 2 };

/* Everything in the slide's derivative against central differences of the slide, which are right to
 * 1e-9. */
static void check_derivative(const char *constraints) {
  char text[1000];
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle__fibre *f;
  const double z0[NZ] = {0.3, -0.7, 1.1, 0.5, 0.2, -0.4}, s[M] = {0.31, -0.22}, d = 1e-5;
  double z[2][NZ], Z[M * NZ];
  snprintf(text, sizeof text,
           "local x,px = pair('x') local y,py = pair('y') local z,pz = "
           "pair('z')\nhamiltonian((px^2 + py^2 + pz^2)/2 + z)\n%s\n"
           "start{x = 1}\n",
           constraints);
  if (rattle_model_parse(&model, text, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s", error.message);
  rattle__context context = {.problem = problem};
  assert_int_equal(rattle__fibre_create(&f, &context, &error), RATTLE_OK);
  assert_string_equal(f->name, "linear");
  assert_int_equal(f->nnz, M * NZ);
  assert_int_equal(f->start(f, z0, &error), RATTLE_OK);
  assert_int_equal(f->slide(f, s, z[0], &error) || f->derivative(f, Z, &error), RATTLE_OK);
  for (int j = 0; j < M; j++) {
    for (int side = 0; side < 2; side++) {
      double at[M] = {s[0], s[1]};
      at[j] += side ? -d : d;
      assert_int_equal(f->slide(f, at, z[side], &error), RATTLE_OK);
    }
    for (int i = 0; i < NZ; i++) {
      const double slope = (z[0][i] - z[1][i]) / (2 * d);
      if (!(fabs(slope - Z[j * NZ + i]) < 1e-8))
        fail_msg("%s: %d, %d: %.12g, not %.12g", constraints, j, i, Z[j * NZ + i], slope);
    }
  }
  rattle__arena_release(&context.arena);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* g = x px^2 - 1, whose fibre through x = px = 1 is px = 1/(1 + s), x = (1 + s)^2: it ends at s =
 * -1. A slide is on it, or is an error that says what to do. */
static void test_near_the_end_of_a_fibre(void **state) {
  (void)state;
  static const char text[] =
      "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + x*y) "
      "constrain('bent', x*px^2 - 1) start{x = 1, px = 1}";
  static const double slides[] = {0.5,   -0.5,   -0.8,   -0.9,  -0.95, -0.97, -0.98,
                                  -0.99, -0.995, -0.999, -1.01, -1.5,  -3};
  const double z0[4] = {1, 0, 1, 0};
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle__fibre *f;
  int right = 0, refused = 0;
  if (rattle_model_parse(&model, text, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s", error.message);
  rattle__context context = {.problem = problem};
  assert_int_equal(rattle__fibre_create(&f, &context, &error), RATTLE_OK);
  assert_string_equal(f->name, "numerical");
  assert_int_equal(f->start(f, z0, &error), RATTLE_OK);
  for (size_t i = 0; i < sizeof slides / sizeof *slides; i++) {
    const double s = slides[i];
    double z[4], Z[4];
    rattle_status status = f->slide(f, &s, z, &error);
    if (!status) status = f->derivative(f, Z, &error);
    if (status) {
      assert_int_equal(status, RATTLE_NOT_CONVERGED);
      assert_non_null(strstr(error.message, "use a smaller step"));
      refused++;
      continue;
    }
    if (!(isfinite(z[0]) && isfinite(z[2]))) continue; /* no point at all, which g tells */
    right++;
    if (!(fabs(z[0] - (1 + s) * (1 + s)) < 1e-9 && fabs(z[2] * (1 + s) - 1) < 1e-9))
      fail_msg("s = %g: (%.15g, %.15g), not (%.15g, %.15g)", s, z[0], z[2], (1 + s) * (1 + s),
               1 / (1 + s));
    if (!(fabs(Z[0] - 2 * (1 + s)) < 1e-8 && fabs(Z[2] * (1 + s) * (1 + s) + 1) < 1e-8))
      fail_msg("s = %g: derivative", s);
  }
  /* as the step that it is part of may evaluate */
  double z[4];
  context.allowance = 100;
  assert_int_equal(f->slide(f, &slides[0], z, &error), RATTLE_NOT_CONVERGED);
  assert_non_null(strstr(error.message, "evaluations along fibres"));
  assert_true(context.allowance < 0);
  context.allowance = 0;
  assert_int_equal(f->slide(f, &slides[0], z, &error), RATTLE_OK);
  print_message("%d slides right, %d refused\n", right, refused);
  assert_true(right >= 5 && refused >= 1);
  rattle__arena_release(&context.arena);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void test_flows_commute(void **state) {
  (void)state;
  check_derivative(
      "constrain('sphere', x^2+y^2+z^2+px^2+py^2+pz^2 - 4) constrain('spin', x*py - y*px - 1)");
  check_derivative(
      "constrain('circle', x^2 + px^2 - 0.3*x - 1) constrain('gear', y*pz + z*py + 0.7*y)");
}

/* Brackets that vanish nowhere, on q alone, and but for their constant part. */
static void test_flows_do_not_commute(void **state) {
  (void)state;
  check_derivative("constrain('one', y*pz - z*py - 1) constrain('two', x*py - y*px - 1)");
  check_derivative("constrain('one', x*px + y*py) constrain('two', x^2 + y^2 + z^2 - 1)");
  check_derivative("constrain('one', x^2 + px^2 + y - 1) constrain('two', x + y*py - 1)");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_near_the_end_of_a_fibre),
                                     cmocka_unit_test(test_flows_commute),
                                     cmocka_unit_test(test_flows_do_not_commute)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
