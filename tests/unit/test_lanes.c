/* Trajectories in the lanes of vectors: each has the bits of the one that is stepped alone,
 * whatever the width of the vectors, with starts, steps, numbers of steps and parameters that
 * differ, with steps that take another course than most, and with steps that fail. */
#include "lanes_cases.h"

static const char *const two_rods =
    "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/4 + y[1] + 2*y[2] + "
    "0.1*sin(x[2])*exp(-y[1]^2) + 0.2*x[1]^3)\n"
    "constrain('one', x[1]^2 + y[1]^2 - 1)\nconstrain('two', (x[2] - x[1])^2 + (y[2] - y[1])^2 - "
    "1)\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['py[1]'] = 1, ['py[2]'] = 2 }\n";
/* a potential that ends at y = 0.9, and that chooses */
static const char *const cliff =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/2 + y + sqrt(0.9 - y) + max(x, y)/3 + abs(x)/7)\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = -2 }\n"
    "observe('speed', sqrt(px^2 + py^2))\nobserve('beyond', sqrt(y))\n";
static const char *const ellipsoid =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian(px^2/2 + py^2/3 + pz^2 + z + x*y)\n"
    "constrain('ellipsoid', x^2 + 2*y^2 + 3*z^2 - 1)\nstart { x = 1, py = -2, pz = 0.5 }\n";

/* More constraints: a triple pendulum, a loop of four rods on two pivots, a rigid body with a
 * potential that bends it far. */
static const char *const triple = "local x, px = pairs_of('x', 3)\nlocal y, py = pairs_of('y', 3)\n"
                                  "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/4 + "
                                  "(px[3]^2 + py[3]^2)/3 + y[1] + 2*y[2] + 1.5*y[3] + 0.1*x[1]^4)\n"
                                  "constrain('one', x[1]^2 + y[1]^2 - 1)\nconstrain('two', (x[2] - "
                                  "x[1])^2 + (y[2] - y[1])^2 - 1)\n"
                                  "constrain('three', (x[3] - x[2])^2 + (y[3] - y[2])^2 - 0.5)\n"
                                  "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 2 + sqrt(0.5), "
                                  "['py[1]'] = 1, ['py[2]'] = 2 }\n";
static const char *const linkage =
    "local x, px = pairs_of('x', 3)\nlocal y, py = pairs_of('y', 3)\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/2 + (px[3]^2 + py[3]^2)/2 + y[1] + "
    "y[2] + y[3] + sqrt(3 - y[2]))\n"
    "constrain('a', x[1]^2 + y[1]^2 - 1)\nconstrain('b', (x[2] - x[1])^2 + (y[2] - y[1])^2 - 2)\n"
    "constrain('c', (x[3] - x[2])^2 + (y[3] - y[2])^2 - 2)\nconstrain('d', (x[3] - 2)^2 + y[3]^2 - "
    "1)\n"
    "start { ['x[1]'] = 0, ['y[1]'] = 1, ['x[2]'] = 1, ['y[2]'] = 2, ['x[3]'] = 2, ['y[3]'] = 1, "
    "['px[2]'] = 1 }\n";
static const char *const body =
    "local r, pr = {}, {}\nfor i = 1, 9 do r[i], pr[i] = pair('r' .. i) end\n"
    "local T = 0\nfor i = 1, 9 do T = T + pr[i]^2/2/(1 + (i - 1) % 3) end\nhamiltonian(T + r[3] + "
    "2*r[6] - r[9] + 0.3*r[1]^4)\n"
    "for i = 1, 3 do for j = i, 3 do\n"
    "constrain('c' .. i .. j, r[i]*r[j] + r[3 + i]*r[3 + j] + r[6 + i]*r[6 + j] - (i == j and 1 or "
    "0))\nend end\n"
    "start { r1 = 1, r5 = 1, r9 = 1, pr2 = 1, pr4 = -2, pr7 = 0.5 }\n";

/* Constraints that are not quadratic: a torus, a surface with waves, whose steps may pass a crest,
 * an ellipsoid of degree 4, a curve on two such surfaces, three of them and a root. */
static const char *const torus =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian(px^2/2 + py^2/3 + pz^2 + z + 0.1*sin(x)*y)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 3/4)^2 - 4*(x^2 + y^2))\nstart { x = 3/2, py = 1, pz = "
    "1 }\n";
static const char *const wavy =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian(px^2/2 + py^2/2 + pz^2/2 + z + (x^2 + y^2)/8)\n"
    "constrain('wavy', z - 0.1*sin(12*x)*cos(10*y))\nstart { x = 0.1, py = 1, px = 1 }\n";
static const char *const quartic =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian(px^2/2 + py^2/3 + pz^2 + z + x*y)\n"
    "constrain('quartic', x^4 + 2*y^4 + 3*z^4 - 1)\nstart { x = 1, py = -2, pz = 0.5 }\n";
static const char *const crossed = "local x, px = pairs_of('x', 4)\nhamiltonian((px[1]^2 + px[2]^2 "
                                   "+ px[3]^2/2 + px[4]^2)/2 + x[3] + x[1]*x[4])\n"
                                   "constrain('a', x[1]^4 + x[2]^2 + x[3]^2 - 1)\nconstrain('b', "
                                   "x[2] + x[4]^3 - 0.5*sin(3*x[3]) + x[1]*x[2]/2)\n"
                                   "start { ['x[1]'] = 1, ['px[3]'] = 1, ['px[2]'] = 1 }\n";
static const char *const three_surfaces =
    "local x, px = pairs_of('x', 5)\nlocal T = 0\nfor i = 1, 5 do T = T + px[i]^2/2/i "
    "end\nhamiltonian(T + x[3] + x[1]*x[4] + "
    "x[5]^2)\n"
    "constrain('a', x[1]^4 + x[2]^2 + x[3]^2 - 1)\nconstrain('b', x[2] + x[4] - 0.3*sin(3*x[3]))\n"
    "constrain('c', sqrt(1 + x[5]^2 + x[1]^2) - sqrt(2) + x[5] + x[4]^3)\n"
    "start { ['x[1]'] = 1, ['px[3]'] = 1, ['px[2]'] = 1 }\n";
static const char *const line = "local x, px = pairs_of('x', 3)\nhamiltonian((px[1]^2 + px[2]^2 + "
                                "px[3]^2)/2 + x[1]^2 + x[2]^4 + x[3]^2/2)\n"
                                "constrain('a', x[1] + 2*x[2] - x[3])\nstart { ['x[1]'] = 1, "
                                "['x[2]'] = -0.5, ['px[2]'] = 1 }\n";

/* Parameters in V; in M and g too, where rows are multiples of one another; where they make one
 * constraint another function. */
static const char *const swung =
    "local gravity, k = parameter('gravity', 1), parameter('k', 0.1)\n"
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/2 + gravity*y + k*gravity^2*sin(x) + 0.1*k*x^3)\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1, py = -2 }\nobserve('pull', "
    "gravity*y)\nobserve('far', k*x)\n";
static const char *const weighed =
    "local m, l = parameter('m', 1.5), parameter('l', 1)\nlocal x, px = pairs_of('x', 2)\nlocal y, "
    "py = pairs_of('y', 2)\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2/m + (px[2]^2 + py[2]^2)/4 + m*y[1] + 2*y[2] + "
    "0.2*m/l*x[1]^3)\n"
    "constrain('one', x[1]^2 + y[1]^2 - l^2)\nconstrain('two', (x[2] - x[1])^2 + (y[2] - y[1])^2 - "
    "(1.5 - l/2)^2)\n"
    "start { ['x[1]'] = l, ['x[2]'] = l + (1.5 - l/2), ['py[1]'] = 1, ['py[2]'] = 2 }\n";
static const char *const stretched =
    "local a, b = parameter('a', 2), parameter('b', 3)\nlocal x, px = pair('x')\nlocal y, py = "
    "pair('y')\nlocal z, pz = "
    "pair('z')\n"
    "hamiltonian(px^2/2 + b*py^2/3 + pz^2 + z + a*x*y)\n"
    "constrain('ellipsoid', x^2 + a*y^2 + b*z^2 + x*y/a - 1)\nstart { x = 1, py = -2, pz = 0.5 }\n";

static const char *const three_rods =
    "local m, l = parameter('m', 1.5), parameter('l', 1)\nlocal x, px = pairs_of('x', 3)\nlocal y, "
    "py = pairs_of('y', 3)\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2*m^3 + (px[2]^2 + py[2]^2)/4 + (px[3]^2 + py[3]^2)/2/m + "
    "m*y[1] + 2*y[2] + y[3] + x[1]^3)\n"
    "constrain('one', x[1]^2 + y[1]^2 - l^2)\nconstrain('two', (x[2] - x[1])^2 + (y[2] - y[1])^2 - "
    "1)\n"
    "constrain('three', (x[3] - x[2])^2 + (y[3] - y[2])^2 - 1)\n"
    "start { ['x[1]'] = l, ['x[2]'] = l + 1, ['x[3]'] = l + 2, ['py[1]'] = 1, ['py[2]'] = 2 }\n";
/* N is constant: two axes */
static const char *const axes =
    "local m, l = parameter('m', 1.5), parameter('l', 1)\nlocal a, pa = pairs_of('a', 3)\nlocal b, "
    "pb = pairs_of('b', 3)\n"
    "hamiltonian((pa[1]^2 + pa[2]^2 + pa[3]^2)/2*m^2 + (pb[1]^2 + pb[2]^2 + pb[3]^2)/2/m + m*a[1] "
    "+ "
    "b[2]^3 + a[3]*b[1])\n"
    "constrain('one', a[1]^2 + a[2]^2 + a[3]^2 - l^2)\nconstrain('two', b[1]^2 + b[2]^2 + b[3]^2 - "
    "1)\nconstrain('three', a[1]*b[1] + a[2]*b[2] + a[3]*b[3])\n"
    "start { ['a[1]'] = l, ['b[2]'] = 1, ['pa[3]'] = 1, ['pb[1]'] = 2 }\n";
static const char *const tube = "local r, m = parameter('r', 0.5), parameter('m', 1)\nlocal x, px "
                                "= pair('x')\nlocal y, py = pair('y')\nlocal z, pz = "
                                "pair('z')\n"
                                "hamiltonian((px^2 + py^2 + pz^2/m)/2 + m*z)\n"
                                "constrain('torus', (x^2 + y^2 + z^2 + 4 - r^2)^2 - 16*(x^2 + "
                                "y^2))\nstart { x = 2 + r, py = 1, pz = 1 }\n";

/* Problems that depend on time: through V, through g with parameters, three rods on a pivot that
 * moves. */
static const char *const swayed =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal t = time()\n"
    "hamiltonian((px^2 + py^2)/2 + y*(1 + 0.5*cos(2*t)) + x/3)\nconstrain('rod', x^2 + y^2 - "
    "1)\nstart { x = 1, py = -2 }\n";
static const char *const shaken = "local a, w = parameter('a', 1), parameter('w', 3)\nlocal x, px "
                                  "= pair('x')\nlocal y, py = pair('y')\n"
                                  "local t = time()\nhamiltonian((px^2 + py^2)/2 + a*y)\n"
                                  "constrain('rod', x^2 + (y - 0.1*a*sin(w*t))^2 - 1)\nstart { x = "
                                  "1, py = -2, project = true }\n";
static const char *const shaken_chain =
    "local x, px = pairs_of('x', 3)\nlocal y, py = pairs_of('y', 3)\nlocal t = time()\n"
    "hamiltonian((px[1]^2 + py[1]^2)/2 + (px[2]^2 + py[2]^2)/4 + (px[3]^2 + py[3]^2)/3 + y[1] + "
    "2*y[2] + 1.5*y[3]*sin(t))\n"
    "constrain('one', (x[1] - 0.1*sin(5*t))^2 + y[1]^2 - 1)\nconstrain('two', (x[2] - x[1])^2 + "
    "(y[2] - y[1])^2 - 1)\n"
    "constrain('three', (x[3] - x[2])^2 + (y[3] - y[2])^2 - 0.5)\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 2 + sqrt(0.5), ['py[1]'] = 1, ['py[2]'] = 2, "
    "project = true }\n";

static void same_bits(void **state) {
  (void)state;
  static const char *const texts[] = {pendulum, double_pendulum, two_rods,       cliff, ellipsoid,
                                      triple,   linkage,         body,           torus, wavy,
                                      quartic,  crossed,         three_surfaces, line};
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)",
                                        "yoshida4(rattle(verlet))", "suzuki4(rattle(verlet))",
                                        "rattle(verlet, project=output)"};
  static kept alone, together;
  if (!native()) skip();
  int failures = 0, observables = 0;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, texts[t]);
    for (size_t m = t % PART; m < sizeof methods / sizeof *methods; m += PART) {
      run_cases(problem, methods[m], 1, 1, t == 0, &alone);
      failures += alone.failed, observables += alone.observables;
      for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
        if (width_of(problem, methods[m], lanes) != (rattle_problem_m(problem) > 2 ? 1 : 2) * lanes)
          fail_msg("model %zu, %s, %d lanes: none", t, methods[m], lanes);
        run_cases(problem, methods[m], lanes, 1, t == 0, &together);
        compare(methods[m], lanes, &alone, &together);
      }
      run_cases(problem, methods[m], 0, 3, t == 0, &together);
      compare(methods[m], 0, &alone, &together);
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_true(failures > 20 / PART); /* some cases must fail */
  assert_true(observables > 100 / PART);
}

/* Problems that depend on time, whose steps end at t0 + k h. */
static void same_bits_in_time(void **state) {
  (void)state;
  static const char *const texts[] = {swayed, shaken, shaken_chain};
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)",
                                        "rattle(verlet, project=output)"};
  static kept alone, together;
  if (!native()) skip();
  int failures = 0;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, texts[t]);
    assert_int_equal(width_of(problem, "yoshida4(rattle(verlet))", 2), 1);
    for (size_t m = t % PART; m < sizeof methods / sizeof *methods; m += PART) {
      run_cases(problem, methods[m], 1, 1, 0, &alone);
      failures += alone.failed;
      for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
        if (width_of(problem, methods[m], lanes) != (rattle_problem_m(problem) > 2 ? 1 : 2) * lanes)
          fail_msg("model %zu, %s, %d lanes: none", t, methods[m], lanes);
        run_cases(problem, methods[m], lanes, lanes == 2 ? 3 : 1, 0, &together);
        compare(methods[m], lanes, &alone, &together);
      }
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_true(failures > 10 / PART); /* some cases must fail */
}

/* Output at given times: on a step, between two, at the start, never, two in steps that are next to
 * each other; alone, in lanes, and in runs of which the summary is kept, whose driver makes all
 * steps. */
static void same_outputs(void **state) {
  (void)state;
  static const char *const texts[] = {pendulum, two_rods, cliff, triple, swung, torus};
  static const char *const methods[] = {"rattle(verlet)", "yoshida4(rattle(verlet))",
                                        "rattle(verlet, project=output)"};
  static const double times[3][2] = {{2, 0.711}, {0, 1e4}, {2.04, 2}};
  static kept alone, together, driven;
  if (!native()) skip();
  long long outputs = 0, failures = 0;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, texts[t]);
    for (size_t m = t % PART; m < sizeof methods / sizeof *methods; m += PART) {
      const rattle_events at = {
          .struct_size = sizeof at, .times = times[(t + m) % 3], .time_count = 2};
      alone.events = together.events = driven.events = &at;
      alone.more = together.more = RATTLE_KEEP_EVENTS,
      driven.more = RATTLE_KEEP_EVENTS | RATTLE_KEEP_SUMMARY;
      run_cases(problem, methods[m], 1, 1, t == 0, &alone);
      run_cases(problem, methods[m], 1, 1, t == 0, &driven);
      compare(methods[m], 1, &driven, &alone);
      for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
        run_cases(problem, methods[m], lanes, 1, t == 0, &together);
        compare(methods[m], lanes, &alone, &together);
      }
      run_cases(problem, methods[m], 0, 3, t == 0, &together);
      compare(methods[m], 0, &alone, &together);
      for (int i = 0; i < CASES; i++) outputs += alone.outputs[i];
      failures += alone.failed;
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_true(failures > 10 / PART && outputs > 18 * CASES / 2 / PART);
}

/* The largest errors: by the driver of runs, which has them in its summary too, and in lanes, which
 * stop for samples. */
static void same_errors(void **state) {
  (void)state;
  static const char *const texts[] = {pendulum, double_pendulum, two_rods, cliff, ellipsoid,
                                      triple,   linkage,         body,     torus, wavy,
                                      quartic,  swung,           swayed};
  static const char *const methods[] = {"rattle(verlet)", "shake(verlet)",
                                        "yoshida4(rattle(verlet))",
                                        "rattle(verlet, project=output)"};
  static kept alone, together;
  if (!native()) skip();
  int failures = 0, watched = 0, open = 0;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, texts[t]);
    for (size_t m = t % PART; m < sizeof methods / sizeof *methods; m += PART) {
      alone.more = together.more = RATTLE_KEEP_ERRORS,
      alone.every = together.every = m % 2 ? 10 : 37;
      run_cases(problem, methods[m], 1, 1, t == 0, &alone);
      for (int i = 0; i < CASES; i++) open += alone.errors[i].psi_max > 1e-9;
      for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
        run_cases(problem, methods[m], lanes, 1, t == 0, &together);
        compare(methods[m], lanes, &alone, &together);
      }
      run_cases(problem, methods[m], 0, 3, t == 0, &together);
      compare(methods[m], 0, &alone, &together);
      together.more |= RATTLE_KEEP_SUMMARY;
      run_cases(problem, methods[m], 0, 1, t == 0, &together);
      compare(methods[m], 0, &alone, &together);
      failures += alone.failed, watched += alone.watched;
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_true(failures > 20 / PART && watched > 30 * CASES / PART &&
              open > 5 * CASES / PART); /* shake leaves psi open */
}

static void same_bits_of_parameters(void **state) {
  (void)state;
  static const struct {
    const char *text, *name[2];
  } models[] = {{swung, {"gravity", "k"}}, {weighed, {"m", "l"}},    {stretched, {"a", "b"}},
                {tube, {"r", "m"}},        {three_rods, {"m", "l"}}, {axes, {"m", "l"}}};
  static const char *const methods[] = {"rattle(verlet)", "suzuki4(rattle(verlet))",
                                        "shake(verlet)"};
  static kept alone, together;
  if (!native()) skip();
  int failures = 0;
  for (size_t t = 0; t < sizeof models / sizeof *models; t++) {
    rattle_model *model;
    rattle_problem *problem = open_problem(&model, models[t].text);
    for (size_t m = t % PART; m < sizeof methods / sizeof *methods; m += PART) {
      run_cases(problem, methods[m], 1, 1, t == 0, &alone);
      failures += alone.failed;
      for (int lanes = 2; lanes <= rattle__most_lanes(); lanes *= 2) {
        if (!joins(models[t].text, models[t].name, methods[m], lanes, 0))
          fail_msg("model %zu, %s, %d lanes: none", t, methods[m], lanes);
        run_cases(problem, methods[m], lanes, lanes == 2 ? 3 : 1, t == 0, &together);
        compare(methods[m], lanes, &alone, &together);
      }
    }
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
  assert_true(failures > 3 / PART); /* some cases must fail */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),
                                     cmocka_unit_test(same_bits_in_time),
                                     cmocka_unit_test(same_outputs), cmocka_unit_test(same_errors),
                                     cmocka_unit_test(same_bits_of_parameters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
