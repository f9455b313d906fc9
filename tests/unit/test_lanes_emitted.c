/* Trajectories in the lanes of vectors by steps that are written as expressions: general maps with
 * stages, and constraints on velocities. Each has the bits of the one that is stepped alone, also
 * where some lanes iterate longer, leave a step to the general iteration, or fail. */
#include "lanes_cases.h"

/* one unknown velocity; fibres that are circles; two constraints, of which one is no length; 8 and
 * 16 unknowns of stages and 4 multipliers */
static const char *const bead =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/(2 + z) + z)\nconstrain('sphere', abs2(x, y, z) - 1)\n"
    "start { x = 0.8, z = -0.6, py = 1, px = 0.6, pz = 0.8 }\nobserve('height', z)\n"
    "observe('far', x*px)\n";
static const char *const circles =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/(2 + 0.3*x) + y)\nconstrain('sphere', abs2(x, y, px, py) - 1)\n"
    "start { x = -0.8, y = -0.4, px = -0.4, py = 0.2, project = true }\n";
static const char *const surfaces =
    "local q, p = pairs_of('q', 4)\nhamiltonian((p[1]^2 + p[2]^2)/2 + p[3]^2/6 + p[4]^2/4 + q[2] + "
    "q[3]*q[4])\n"
    "constrain('a', q[1]^2 + 2*q[2]^2 + q[1]*q[2] - 1)\nconstrain('b', (q[3] - q[1])^2 + 3*q[4]^2 "
    "- q[2]*q[4] - 1)\n"
    "start { ['q[1]'] = 1, ['q[3]'] = 2, ['pq[1]'] = -1, ['pq[2]'] = 2, ['pq[3]'] = -3, ['pq[4]'] "
    "= 1 }\n";
static const char *const rods =
    "local x, px = pairs_of('x', 4)\nlocal y, py = pairs_of('y', 4)\nlocal H = 0\n"
    "for i = 1, 4 do H = H + (px[i]^2 + py[i]^2 + (x[i]^2 + y[i]^2)^2/2)/2 end\nhamiltonian(H)\n"
    "for i = 1, 4 do local j = i % 4 + 1\nconstrain('' .. i, (x[j] - x[i])^2 + (y[j] - y[i])^2 - "
    "1) end\n"
    "start { ['x[1]'] = 0.8, ['y[2]'] = 0.6, ['x[3]'] = -0.8, ['y[4]'] = -0.6, ['px[2]'] = 0.3 }\n";
/* H ends at z = 0.7, and chooses */
static const char *const shelf =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/(2 + z) + sqrt(0.7 - z) + max(x, y)/3 + abs(x)/7)\n"
    "constrain('sphere', abs2(x, y, z) - 1)\nstart { x = 0.8, z = -0.6, py = 1 }\n";
static const char *const sleigh =
    "local x, y, a = pair('x'), pair('y'), pair('a')\nmass { x = 1, y = 1, a = 0.5 }\n"
    "potential(0.1*x^4 + cos(y)/(2 + 0.3*x))\n"
    "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a) - 0.7*velocity(a))\n"
    "velocity { x = 1, y = 0.21, a = 0.3 }\n";
static const char *const sliding =
    "local x, y, z, a = pair('x'), pair('y'), pair('z'), pair('a')\n"
    "mass { x = 1, y = 1, z = 2, a = 0.5 }\npotential(z)\n"
    "constrain('sphere', x^2 + y^2 + z^2 - 1)\n"
    "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
    "velocity_constrain('turn', velocity(a) - x*velocity(z)/(2 + y))\n"
    "start { x = 0.6, z = 0.8, a = 0.3, px = 1, py = 0.3, project = true }\n";

/* with parameters: in H, in masses and lengths, in coefficients of g and V */
static const char *const heavy =
    "local g, k = parameter('g', 1.3), parameter('k', 0.7)\nlocal x, px = pair('x')\nlocal y, py = "
    "pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/(2*k + z) + g*z)\nconstrain('sphere', abs2(x, y, z) - 1)\n"
    "start { x = 0.8, z = -0.6, py = 1, px = 0.6, pz = 0.8 }\nobserve('height', z)\n"
    "observe('far', x*px)\n";
static const char *const stretched =
    "local a, b = parameter('a', 2), parameter('b', 3)\nlocal x, px = pair('x')\nlocal y, py = "
    "pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian(px^2/2 + b*py^2/3 + pz^2 + z + a*x*y)\n"
    "constrain('ellipsoid', x^2 + a*y^2 + b*z^2 + x*y/a - 1)\nstart { x = 1, py = -2, pz = 0.5 }\n";
static const char *const axes =
    "local m, l = parameter('m', 1.5), parameter('l', 1)\nlocal a, pa = pairs_of('a', 3)\nlocal b, "
    "pb = pairs_of('b', 3)\n"
    "hamiltonian((pa[1]^2 + pa[2]^2 + pa[3]^2)/2*m^2 + (pb[1]^2 + pb[2]^2 + pb[3]^2)/2/m + m*a[1] "
    "+ b[2]^3 + a[3]*b[1])\n"
    "constrain('one', a[1]^2 + a[2]^2 + a[3]^2 - l^2)\nconstrain('two', b[1]^2 + b[2]^2 + b[3]^2 - "
    "1)\nconstrain('three', a[1]*b[1] + a[2]*b[2] + a[3]*b[3])\n"
    "start { ['a[1]'] = l, ['b[2]'] = 1, ['pa[3]'] = 1, ['pb[1]'] = 2 }\n";

static const struct {
  const char *text, *method;
} pairs[] = {{bead, "rattle(midpoint)"},          {bead, "suzuki4(rattle(gauss(2)))"},
             {circles, "rattle(midpoint)"},       {surfaces, "rattle(gauss(2))"},
             {rods, "rattle(midpoint)"},          {rods, "rattle(gauss(2))"},
             {shelf, "rattle(midpoint)"},         {sleigh, "rattle(verlet)"},
             {sliding, "suzuki4(rattle(verlet))"}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Ends, errors and sentences of cases of which some fail. */
static void same_bits(void **state) {
  (void)state;
  static kept alone, together;
  int failures = 0, watched = 0;
  if (!native()) skip();
  for (size_t t = 0; t < PAIRS; t += TESTS_ONE_IN) {
    const char *method = pairs[t].method;
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, pairs[t].text);
    alone.every = together.every = 37;
    for (int k = 0; k < 2; k++) {
      alone.more = together.more = k ? RATTLE_KEEP_ERRORS : 0;
      run_cases(problem, method, 1, 1, 0, &alone);
      for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
        if (width_of(problem, method, lanes) != lanes)
          fail_msg("pair %zu, %s, %d lanes: none", t, method, lanes);
        run_cases(problem, method, lanes, k ? 2 : 1, 0, &together);
        compare(method, lanes, &alone, &together);
      }
      failures += alone.failed, watched += alone.watched;
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_true(failures > 20 / TESTS_ONE_IN &&
              watched > 5 * CASES / TESTS_ONE_IN); /* some cases must fail */
}

/* Cases that fill no lane, some, all but one, all, and one more. */
static void odd_counts(void **state) {
  (void)state;
  static const int counts[] = {1, 3, 7, 8, 9};
  static kept alone, together;
  if (!native()) skip();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    rattle_model *model;
    const size_t t = i % PAIRS;
    rattle_problem *problem = open_problem(&model, pairs[t].text);
    alone.cases = together.cases = counts[i];
    run_cases(problem, pairs[t].method, 1, 1, 0, &alone);
    for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
      run_cases(problem, pairs[t].method, lanes, 1, 0, &together);
      compare(pairs[t].method, lanes, &alone, &together);
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* The case as one of a model that is read with its values: operations with numbers. */
static void compare_with_numbers(const char *text, const char *const *name, const char *method,
                                 const kept *together, int i) {
  const rattle_parameter value[] = {{name[0], together->parameter[i][0]},
                                    {name[1], together->parameter[i][1]}};
  const rattle_model_options how = {
      .struct_size = sizeof how, .parameters = value, .parameter_count = 2};
  const rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  static kept read;
  rattle_model *model;
  rattle_problem *problem = NULL;
  rattle_error error;
  if (rattle_model_parse(&model, text, "m.lua", &how, &error) ||
      rattle_problem_create(&problem, model, &options, &error))
    fail_msg("%s", error.message);
  read.fixed = 1;
  run_cases(problem, method, 1, 1, 0, &read);
  if (read.status[i] != together->status[i] ||
      memcmp(read.z[i], together->z[i], sizeof read.z[i]) != 0)
    fail_msg("%s, case %d: %.17g with numbers, %.17g in lanes", method, i, read.z[i][0],
             together->z[i][0]);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void same_bits_of_parameters(void **state) {
  (void)state;
  static const struct {
    const char *text, *name[2], *method;
  } models[] = {{heavy, {"g", "k"}, "rattle(midpoint)"},
                {heavy, {"g", "k"}, "suzuki4(rattle(gauss(2)))"},
                {stretched, {"a", "b"}, "rattle(gauss(2))"},
                {axes, {"m", "l"}, "rattle(midpoint)"}};
  static const int some[] = {0, 1, 5, 14, 20, 33, 60};
  static kept alone, together;
  if (!native()) skip();
  for (size_t t = 0; t < sizeof models / sizeof *models; t++) {
    const char *method = models[t].method;
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, models[t].text);
    run_cases(problem, method, 1, 1, 0, &alone);
    for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
      if (!joins(models[t].text, models[t].name, method, lanes, 1))
        fail_msg("model %zu, %s, %d lanes: none", t, method, lanes);
      run_cases(problem, method, lanes, lanes == 2 ? 3 : 1, 0, &together);
      compare(method, lanes, &alone, &together);
    }
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
      if (!together.status[some[i]])
        compare_with_numbers(models[t].text, models[t].name, method, &together, some[i]);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(odd_counts),
                                     cmocka_unit_test(same_bits_of_parameters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
