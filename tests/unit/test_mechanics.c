/* Modules "vectors" and "mechanics": algebra by value, and mechanisms against the same systems written otherwise. */
#include "evaluators.h"

/* The quantities that a model observes after some steps of a method, with both evaluators, which agree to the bit. */
static int observe(const char *text, const char *method, double h, long long steps, double *observed) {
  static const int evaluators[] = {RATTLE_EVALUATOR_BLOCK, RATTLE_EVALUATOR_NATIVE};
  double first[64];
  int count = 0;
  for (int e = 0; e < 1 + native(); e++) {
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    rattle_integrator *integrator = NULL;
    rattle_error error;
    const rattle_problem_options options = {.evaluator = evaluators[e]};
    if (rattle_model_parse(&model, text, "m.lua", NULL, &error) || rattle_problem_create(&problem, model, &options, &error) ||
        rattle_integrator_create(&integrator, problem, method, &error))
      fail_msg("%s", error.message);
    const int n = rattle_problem_n(problem);
    double *z = calloc(2 * (size_t)n, sizeof *z);
    rattle_state state = {.q = z, .p = z + n, .h = h};
    if (rattle_problem_start(problem, 0, state.q, state.p, NULL, &error) ||
        rattle_integrator_step(integrator, &state, steps, &error) ||
        rattle_problem_observe(problem, state.q, state.p, e ? first : observed, &error))
      fail_msg("%s", error.message);
    count = rattle_model_observables(model);
    if (e) assert_memory_equal(first, observed, (size_t)count * sizeof *first);
    free(z);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  return count;
}

static void assert_near(const char *what, const double *a, const double *b, int count, double tolerance) {
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("%s: %d is %.17g and %.17g", what, i, a[i], b[i]);
}

#define MECHANICS "local mech = require 'mechanics'\n"

/* Two rods: bodies with joints, and Hamilton's function of two angles. */
static void a_double_pendulum_of_rods(void **state) {
  (void)state;
  double bodies[4], angles[2];
  assert_int_equal(observe(MECHANICS
                           "local a = mech.planar { name = 'a', shape = mech.rod { mass = 1, length = 1 }, at = {0.5, 0} }\n"
                           "mech.gravity(0, -9.81)\n"
                           "local b = mech.planar { name = 'b', shape = mech.rod { mass = 1, length = 1 }, at = {1.5, 0} }\n"
                           "mech.revolute('pin', mech.ground:at(0, 0), a:at(-0.5, 0))\n"
                           "mech.revolute('elbow', a:at(0.5, 0), b:here(1, 0))\n"
                           "observe('one', a.angle) observe('two', b.angle)",
                           "kahan_li8(rattle(verlet))", 0.01, 100, bodies),
                   2);
  observe("local a, p = pair('a') local b, r = pair('b')\n"
          "local c = cos(a - b)/2 local D = 4/9 - c^2\n"
          "hamiltonian((p^2/3 - 2*c*p*r + 4/3*r^2)/(2*D) + 9.81*(1.5*sin(a) + 0.5*sin(b)))\n"
          "observe('one', a) observe('two', b)",
          "gauss(6)", 0.01, 100, angles);
  assert_near("a double pendulum", bodies, angles, 2, 1e-11);
  assert_true(fabs(angles[0]) > 0.5);
}

/* What must be true of values and of expressions; each line is a condition. */
static void algebra(void **state) {
  (void)state;
  static const char *const holds[] = {
      "V.cross(V.vec3(1, 0, 0), V.vec3(0, 1, 0))[3] == 1",
      "V.dot(V.vec3(1, 2, 3), V.vec3(4, 5, 6)) == 32",
      "V.dot(V.vec3(x, 0, 0), V.vec3(x, px, 1)) == x*x",
      "(x*V.vec3(1, 0, px))[3] == x*px",
      "(V.vec3(1, 2, 3)*x)[2] == 2*x or (V.vec3(1, 2, 3)*x)[2] == x*2",
      "V.norm2(V.vec3(1, 2, 2)) == 9 and V.norm(V.vec3(1, 2, 2)) == 3",
      "near(V.transpose(V.about({1, 2, 3}, 0.7))*V.about({1, 2, 3}, 0.7), V.identity())",
      "near(V.rotation(V.quat_about({1, 2, 3}, 0.7)), V.about({1, 2, 3}, 0.7))",
      "near(V.rotation(V.quat_of(V.about({1, 2, 3}, 3))), V.about({1, 2, 3}, 3))",
      "near(V.rotation(V.quat_of(V.about({0, 1, 0.1}, 3.1))), V.about({0, 1, 0.1}, 3.1))",
      "near(V.rotation(V.quat_about({1, 2, 3}, 0.7)*V.quat_about({0, 1, 0}, 2)), V.about({1, 2, 3}, 0.7)*V.about({0, 1, 0}, 2))",
      "near(V.euler({0.3, 0.4, 0.5}, 'zxz'), V.about({0, 0, 1}, 0.3)*V.about({1, 0, 0}, 0.4)*V.about({0, 0, 1}, 0.5))",
      "math.abs((V.about({0, 0, 1}, 0.3)*V.vec3(1, 0, 0)).y - math.sin(0.3)) < 1e-15",
      "near(V.hat(V.vec3(1, 2, 3))*V.identity(), V.columns(V.vec3(0, 3, -2), V.vec3(-3, 0, 1), V.vec3(2, -1, 0)))",
      "V.determinant(V.mat3({1, 2, 0}, {0, 3, 1}, {4, 0, 1})) == 11",
  };
  for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
    char text[1000];
    rattle_model *model = NULL;
    rattle_error error;
    snprintf(
        text, sizeof text,
        "local V = require 'vectors' local x, px = pair('x') hamiltonian(px^2)\n"
        "local function near(a, b) local most = 0\n"
        "for i = 1, 3 do for j = 1, 3 do most = math.max(most, math.abs(a[i][j] - b[i][j])) end end return most < 1e-14 end\n"
        "assert(%s)",
        holds[i]);
    if (rattle_model_parse(&model, text, "m.lua", NULL, &error)) fail_msg("%s: %s", holds[i], error.message);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(algebra),
      cmocka_unit_test(a_double_pendulum_of_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
