/* Steps with constraints as texts compiled for the problem: they are there where they should be,
 * and have the bits, counts, residuals and energies of the library's own, in one go, step by step
 * and if a step fails. */
#include "evaluators.h"

#include "runs/integrate/integrator.h"

/* a sphere elsewhere, scaled and turned inside out, a circle of other masses, and coordinates that
 * are free */
static const char *const spheres = "local q, p = pairs_of('q', 6)\n"
                                   "hamiltonian((p[1]^2 + p[2]^2 + p[3]^2)/2 + (p[4]^2 + p[5]^2)/6 "
                                   "+ p[6]^2/4 + q[1] + sin(q[3])*q[4] + q[6]^2*(1 + q[5]^2))\n"
                                   "constrain('s', 3 - 0.7*((q[1] - 1)^2 + (q[2] + 2)^2 + (q[3] - "
                                   "0.3)^2))\nconstrain('c', q[4]^2 + q[5]^2 - 3)\n"
                                   "start { ['q[1]'] = 1, ['q[2]'] = -2 + math.sqrt(3/0.7), "
                                   "['q[3]'] = 0.3, ['q[5]'] = math.sqrt(3), ['q[6]'] = 0.5,\n"
                                   "  ['pq[1]'] = 1, ['pq[3]'] = -0.5, ['pq[4]'] = 2 }\n";
static const char *const waves =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian(px^2/2 + py^2/4 + sin(x*y) + x^4/4 + y^2)\nstart { x = 1, py = 0.5 }\n";
static const char *const chain =
    "local x, px = pairs_of('x', 4)\nlocal y, py = pairs_of('y', 4)\nlocal H = 0\n"
    "for i = 1, 4 do H = H + (px[i]^2 + py[i]^2)/2 + y[i] end\nhamiltonian(H)\nconstrain('1', "
    "x[1]^2 + y[1]^2 - 1)\n"
    "for i = 2, 4 do constrain('' .. i, (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) end\n"
    "start { ['x[1]'] = 1, ['x[2]'] = 2, ['x[3]'] = 3, ['x[4]'] = 4, ['py[1]'] = 1, ['py[2]'] = 2, "
    "['py[3]'] = 3, ['py[4]'] = 3 "
    "}\n";
/* quadratic constraints that are not lengths, with other masses */
static const char *const surfaces =
    "local q, p = pairs_of('q', 4)\nhamiltonian((p[1]^2 + p[2]^2)/2 + p[3]^2/6 + p[4]^2/4 + q[2] + "
    "q[3]*q[4])\n"
    "constrain('a', q[1]^2 + 2*q[2]^2 + q[1]*q[2] - 1)\nconstrain('b', (q[3] - q[1])^2 + 3*q[4]^2 "
    "- q[2]*q[4] - 1)\n"
    "start { ['q[1]'] = 1, ['q[3]'] = 2, ['pq[1]'] = -1, ['pq[2]'] = 2, ['pq[3]'] = -3, ['pq[4]'] "
    "= 1 }\n";
/* rows on velocities, without and beside a constraint */
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
/* fibres that are circles, and velocities in place of momenta */
static const char *const circles =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/(2 + 0.3*x) + y)\nconstrain('sphere', abs2(x, y, px, py) - 1)\n"
    "start { x = -0.8, y = -0.4, px = -0.4, py = 0.2, project = true }\n";
static const char *const bead =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/(2 + z) + z)\nconstrain('sphere', abs2(x, y, z) - 1)\n"
    "start { x = 0.8, z = -0.6, py = 1, px = 0.6, pz = 0.8 }\n";
/* a pendulum that swings to where there is no force */
static const char *const edge =
    "local x, px = pair('x')\nlocal y, py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/2 + 9*(x + 0.5)*sqrt(x + 0.5))\nconstrain('rod', x^2 + y^2 - 1)\n"
    "start { x = 1, py = 0.1 }\n";

typedef struct text_case {
  const char *text, *method;
  double h;
  int many; /* the map takes many steps itself */
} text_case;

static const text_case cases[] = {
    {pendulum, "geodesic_rkn4", 0.1, 1},
    {pendulum, "geodesic_rkn6", 0.2, 1},
    {pendulum, "geodesic_rkn4", 1.5, 1}, /* angles beyond 1 */
    {spheres, "geodesic_rkn4", 0.1, 1},
    {spheres, "geodesic_rkn6", 0.1, 1},
    {waves, "geodesic_rkn4", 0.1, 1},
    {double_pendulum, "geodesic_rkn4", 0.05, 0},
    {pendulum, "kahan_li8(rattle(verlet))", 0.1, 1},
    {pendulum, "suzuki4(rattle(verlet))", 0.5, 1}, /* steps that are not the usual ones */
    {double_pendulum, "suzuki4(rattle(verlet))", 0.1, 1},
    {double_pendulum, "rattle(verlet)", 0.1, 1},
    {double_pendulum, "rattle(verlet)", 0.02, 1}, /* fewer rounds for the multipliers */
    {spheres, "rattle(verlet)", 0.02, 1},
    {surfaces, "rattle(verlet)", 0.02, 1},
    {surfaces, "kahan_li6(rattle(verlet))", 0.1, 1},
    {chain, "rattle(verlet)", 0.02, 1},
    {sleigh, "rattle(verlet)", 0.05, 1},
    {sliding, "rattle(verlet)", 0.02, 1},
    {sleigh, "rattle(verlet)", 0.6, 1}, /* steps that are left to the general iteration */
    {sliding, "suzuki4(rattle(verlet))", 0.02, 1},
    {surfaces, "rattle(midpoint)", 0.02, 1},
    {bead, "rattle(midpoint)", 0.02, 1},
    {bead, "suzuki4(rattle(gauss(2)))", 0.02, 1},
    {bead, "rattle(gauss(2))", 0.5, 1}, /* steps that are left to the general iteration */
    {circles, "rattle(midpoint)", 0.02, 1},
    {circles, "rattle(gauss(2))", 0.1, 1},
    {pendulum, "multistep8", 0.03, 0},
    {double_pendulum, "multistep8", 0.01, 0},
    {surfaces, "multistep4", 0.01, 0},
    {chain, "multistep6", 0.01, 0},
    {pendulum, "spark(2)", 0.05, 1},
    {pendulum, "spark(3)", 0.05, 1},
    {double_pendulum, "spark(3)", 0.01, 1},
    {double_pendulum, "spark(3)", 0.2, 1}, /* steps that are left to the general iteration */
    {double_pendulum, "kahan_li6(spark(4))", 0.05, 1},
    {spheres, "spark(4)", 0.05, 1},
    {chain, "spark(3)", 0.02, 1},
    {chain, "spark(5)", 0.02, 0}}; /* too large a system */
enum { CASES = sizeof cases / sizeof *cases, STEPS = 300 };

static void step(run *r, long long steps, double *range) {
  if (rattle__integrator_steps(r->integrator, &r->state, steps, range, &r->error))
    fail_msg("%s", r->error.message);
}

static void assert_alike(const char *method, const run *a, const run *b) {
  const rattle_residuals one = rattle_integrator_residuals(a->integrator),
                         other = rattle_integrator_residuals(b->integrator);
  assert_same(method, a, b);
  if (memcmp(&one, &other, sizeof one)) fail_msg("%s: psi = %g and %g", method, one.psi, other.psi);
}

static void test_bits(void **state) {
  (void)state;
  if (!native()) skip();
  for (int i = 0; i < CASES; i++) {
    const text_case *c = &cases[i];
    double ranges[4][2];
    run block = {0}, whole = {0}, single = {0}, none = {0};
    run *all[] = {&block, &whole, &single, &none};
    for (int k = 0; k < 4; k++) {
      begin(all[k], c->text, "", c->method, k ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK,
            c->h);
      ranges[k][0] = INFINITY, ranges[k][1] = -INFINITY;
    }
    assert_int_equal(whole.integrator->map->run != NULL, c->many);
    assert_null(block.integrator->map->run);
    step(&block, STEPS, ranges[0]);
    step(&whole, STEPS, ranges[1]);
    for (int k = 0; k < STEPS; k++) step(&single, 1, ranges[2]);
    step(&none, STEPS, NULL);
    assert_alike(c->method, &whole, &block);
    assert_alike(c->method, &single, &block);
    assert_alike(c->method, &none, &block);
    assert_memory_equal(ranges[0], ranges[1], sizeof *ranges);
    assert_memory_equal(ranges[0], ranges[2], sizeof *ranges);
    for (int k = 0; k < 4; k++) end(all[k]);
  }
}

/* The step that fails, the error and the state are those of the library's own steps. */
static void test_failure(void **state) {
  (void)state;
  static const char *const methods[] = {"geodesic_rkn4", "geodesic_rkn6", "spark(3)",
                                        "suzuki4(rattle(verlet))"};
  if (!native()) skip();
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    run block = {0}, machine = {0};
    begin(&block, edge, "", methods[i], RATTLE_EVALUATOR_BLOCK, 0.01);
    begin(&machine, edge, "", methods[i], RATTLE_EVALUATOR_NATIVE, 0.01);
    const rattle_status status =
        rattle_integrator_step(block.integrator, &block.state, 10000, &block.error);
    assert_int_not_equal(status, RATTLE_OK);
    assert_int_equal(
        rattle_integrator_step(machine.integrator, &machine.state, 10000, &machine.error), status);
    assert_true(block.state.step > 10 && block.state.step < 10000);
    assert_string_equal(block.error.message, machine.error.message);
    assert_alike(methods[i], &machine, &block);
    end(&block);
    end(&machine);
  }
}

/* A step is that from its point, wherever the one before was, also where slopes are made of
 * variables by which their derivatives vanish. */
static void test_slopes_with_jumps(void **state) {
  (void)state;
  static const char *const jumps =
      "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/(2 + z) + max(x, y)/3 + abs(x)/7)\n"
      "constrain('sphere', abs2(x, y, z) - 1)\nstart { x = 0.8, z = -0.6, py = 1 }\n";
  const int evaluators[] = {RATTLE_EVALUATOR_BLOCK, RATTLE_EVALUATOR_NATIVE};
  for (int i = 0; i < 1 + native(); i++) {
    run from_there = {0}, from_elsewhere = {0};
    double z[6];
    begin(&from_there, jumps, "", "rattle(midpoint)", evaluators[i], 0.02);
    begin(&from_elsewhere, jumps, "", "rattle(midpoint)", evaluators[i], 0.02);
    memcpy(z, from_there.z, sizeof z);
    from_elsewhere.z[0] = -0.8;
    step(&from_elsewhere, 1, NULL);
    assert_string_not_equal(rattle_integrator_kernel(from_elsewhere.integrator), "general");
    memcpy(from_elsewhere.z, z, sizeof z);
    step(&from_elsewhere, 1, NULL);
    step(&from_there, 1, NULL);
    assert_memory_equal(from_there.z, from_elsewhere.z, sizeof z);
    assert_string_not_equal(rattle_integrator_kernel(from_there.integrator), "general");
    end(&from_there);
    end(&from_elsewhere);
  }
}

/* Where the force is constant every symmetric Runge-Kutta map is Stoermer and Verlet's, and has its
 * text; where it is not, none is. */
static void test_constant_force(void **state) {
  (void)state;
  static const struct {
    const char *text, *method, *same;
    double h;
    int alike;
  } maps[] = {{double_pendulum, "rattle(midpoint)", "rattle(verlet)", 0.05, 1},
              {double_pendulum, "shake(gauss(3))", "shake(verlet)", 0.01, 1},
              {chain, "suzuki4(rattle(gauss(2)))", "suzuki4(rattle(verlet))", 0.02, 1},
              {surfaces, "rattle(midpoint)", "rattle(verlet)", 0.02, 0}};
  for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
    run stages = {0}, kicks = {0};
    begin(&stages, maps[i].text, "", maps[i].method, RATTLE_EVALUATOR_BLOCK, maps[i].h);
    begin(&kicks, maps[i].text, "", maps[i].same, RATTLE_EVALUATOR_BLOCK, maps[i].h);
    step(&stages, STEPS, NULL);
    step(&kicks, STEPS, NULL);
    if (maps[i].alike)
      assert_alike(maps[i].method, &stages, &kicks);
    else
      assert_true(stages.z[0] != kicks.z[0]);
    end(&stages);
    end(&kicks);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_failure),
                                     cmocka_unit_test(test_slopes_with_jumps),
                                     cmocka_unit_test(test_constant_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
