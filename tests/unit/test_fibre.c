/* The slide along fibres of quadratic constraints and its derivative, where their flows commute and where they do not. */
#include "fibre/fibre.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "rattle/rattle.h"

enum { N = 3, NZ = 2 * N, M = 2 };

/* Everything in the slide's derivative against central differences of the slide, which are right to 1e-9. */
static void check_derivative(const char *constraints) {
  char text[1000];
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error;
  rattle__fibre *f;
  const double z0[NZ] = {0.3, -0.7, 1.1, 0.5, 0.2, -0.4}, s[M] = {0.31, -0.22}, d = 1e-5;
  double z[2][NZ], Z[M * NZ];
  snprintf(text, sizeof text,
           "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\nhamiltonian((px^2 + py^2 + pz^2)/2 + z)\n%s\n"
           "start{x = 1}\n",
           constraints);
  if (rattle_model_parse(&model, text, "test", NULL, &error) || rattle_problem_create(&problem, model, NULL, &error))
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

static void test_flows_commute(void **state) {
  (void)state;
  check_derivative("constrain('sphere', x^2+y^2+z^2+px^2+py^2+pz^2 - 4) constrain('spin', x*py - y*px - 1)");
  check_derivative("constrain('circle', x^2 + px^2 - 0.3*x - 1) constrain('gear', y*pz + z*py + 0.7*y)");
}

/* Brackets that vanish nowhere, on q alone, and but for their constant part. */
static void test_flows_do_not_commute(void **state) {
  (void)state;
  check_derivative("constrain('one', y*pz - z*py - 1) constrain('two', x*py - y*px - 1)");
  check_derivative("constrain('one', x*px + y*py) constrain('two', x^2 + y^2 + z^2 - 1)");
  check_derivative("constrain('one', x^2 + px^2 + y - 1) constrain('two', x + y*py - 1)");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flows_commute), cmocka_unit_test(test_flows_do_not_commute)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
