/* Constraints that follow from others: found, omitted, watched. */
#include "evaluators.h"

static rattle_model *parse(const char *text) {
  rattle_model *model = NULL;
  rattle_error error;
  if (rattle_model_parse(&model, text, "m.lua", NULL, &error)) fail_msg("%s in\n%s", error.message, text);
  return model;
}

static int omissions(const rattle_model *model) {
  int count = 0;
  while (rattle_model_omitted(model, count)) count++;
  return count;
}

static const char *refusal(const char *text, rattle_status expected) {
  static rattle_error error;
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  double z[40];
  rattle_status status = rattle_model_parse(&model, text, "m.lua", NULL, &error);
  if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
  if (!status) status = rattle_problem_start(problem, 0, z, z + 20, NULL, &error);
  assert_int_equal(status, expected);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return error.message;
}

#define BARS                                                                                                                     \
  "local mech = require 'mechanics'\nlocal bar = mech.rod { mass = 1, length = 1 }\n"                                            \
  "local beam = mech.planar { name = 'beam', mass = 1, inertia = 1, at = {2.6, %s}, velocity = {-0.8, 0.6} }\n"                  \
  "for i = 0, 2 do\nlocal up = mech.planar { name = 'up' .. i, shape = bar, at = {2*i + 0.3, 0.4}, angle = math.atan(0.8, "      \
  "0.6), spin = 1, velocity = {-0.4, 0.3} }\n"                                                                                   \
  "mech.revolute('foot' .. i, up:at(-0.5, 0), mech.ground:at(2*i, 0))\n"                                                         \
  "mech.revolute('head' .. i, up:at(0.5, 0), beam:at(%s*i - 2, 0))\nend\n"

static const char *bars(const char *height, const char *spacing, const char *more) {
  static char text[1200];
  snprintf(text, sizeof text, BARS "%s", height, spacing, more);
  return text;
}

/* A beam on three parallel bars: 12 constraints of rank 11 on 12 coordinates. It turns through where the bars are in a line. */
static void parallel_bars(void **state) {
  (void)state;
  run r;
  double q[12], p[12], angle;
  rattle_model *model = parse(bars("0.8", "2", "start { project = true }"));
  assert_int_equal(rattle_model_constraints(model), 11);
  assert_int_equal(omissions(model), 1);
  r.model = model;
  assert_int_equal(rattle_problem_create(&r.problem, model, NULL, &r.error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&r.integrator, r.problem, "rattle(verlet)", &r.error), RATTLE_OK);
  r.state = (rattle_state){.q = q, .p = p, .h = 0.01};
  assert_int_equal(rattle_problem_start(r.problem, 0, q, p, NULL, &r.error), RATTLE_OK);
  if (rattle_integrator_step(r.integrator, &r.state, 400, &r.error)) fail_msg("%s", r.error.message);
  angle = q[5]; /* of the first bar */
  assert_true(angle > 4 && fabs(q[2]) < 1e-12 && fabs(q[8] - angle) < 1e-12 && fabs(q[11] - angle) < 1e-12);
  end(&r);
}

/* A start that is roughly right is put onto all constraints; one that cannot be is refused, and so is one that is not to be moved. */
static void assembly(void **state) {
  (void)state;
  rattle_model *model = parse(bars("0.9", "2", "mech.assemble { hold = {} }"));
  assert_int_equal(omissions(model), 1);
  rattle_model_destroy(&model);
  assert_non_null(
      strstr(refusal(bars("0.8", "2.001", "mech.assemble()"), RATTLE_BAD_MODEL), "cannot be put onto all constraints"));
  assert_non_null(strstr(refusal(bars("0.9", "2", ""), RATTLE_BAD_MODEL), "start { project = true }"));
}

/* The same rows as before where nothing is redundant, or where rows depend at the start alone. */
static void what_stays(void **state) {
  (void)state;
  static const char start[] = "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
                              "hamiltonian((px^2 + py^2 + pz^2)/2)\nredundant 'omit'\n";
  char text[600];
  snprintf(text, sizeof text, "%sconstrain('a', x^2 + y^2 - 1) start { x = 1, py = 1 }", start);
  rattle_model *model = parse(text);
  assert_int_equal(omissions(model), 0);
  assert_int_equal(rattle_model_constraints(model), 1);
  rattle_model_destroy(&model);
  /* two spheres that touch */
  snprintf(text, sizeof text, "%sconstrain('a', x^2 + y^2 + z^2 - 1) constrain('b', (x - 2)^2 + y^2 + z^2 - 1) start { x = 1 }",
           start);
  refusal(text, RATTLE_NOT_REGULAR);
  /* the words */
  snprintf(text, sizeof text, "%sredundant 'keep'", start);
  assert_non_null(strstr(refusal(text, RATTLE_BAD_MODEL), "redundant \"omit\" or redundant \"refuse\""));
  snprintf(text, sizeof text, "%sconstrain('a', x^2 + y^2 - 1) constrain('b', 3 - 3*x^2 - 3*y^2) start { x = 1, pz = 1 }", start);
  model = parse(text);
  assert_string_equal(rattle_model_omitted(model, 0), "b");
  rattle_model_destroy(&model);
}

/* Where an omitted constraint does not follow any more, a step fails and changes nothing. */
static void other_branches(void **state) {
  (void)state;
  run r;
  begin(&r, "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)\nredundant 'omit'\n",
        "constrain('cross', y*(y - x)) constrain('axis', 5*y) start { x = -3, px = 1 }", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK,
        0.1);
  assert_string_equal(rattle_model_omitted(r.model, 0), "axis");
  assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 3, &r.error), RATTLE_OK);
  const double other[] = {2, 2, 1, 1};
  memcpy(r.z, other, sizeof other);
  assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 1, &r.error), RATTLE_DEGENERATE);
  assert_non_null(strstr(r.error.message, "'axis', which followed from the others"));
  assert_memory_equal(r.z, other, sizeof other);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parallel_bars),
      cmocka_unit_test(assembly),
      cmocka_unit_test(what_stays),
      cmocka_unit_test(other_branches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
