/* Trajectories in a heat bath, langevin(map, metropolis=no) as a method of runs: equipartition, the
 * balance of energy, bits, and what is refused. Seeds are fixed; bounds leave a chance of about
 * 1e-5. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* two links of unequal masses in a field, far from the origin; units that are not 1 */
static const char links[] =
    "local x,px = pair('x') local y,py = pair('y') local u,pu = pair('u') local v,pv = pair('v')\n"
    "hamiltonian((px^2 + py^2)/2e-3 + (pu^2 + pv^2)/6e-3 + 2e-2*y + 6e-2*v)\n"
    "constrain('one', (x - 300)^2 + y^2 - 4) constrain('two', (u-x)^2 + (v-y)^2 - 1)\n"
    "start{x = 302, u = 302, v = 1}\n";
/* masses that are not diagonal, no constraints */
static const char coupled[] =
    "local x,px = pair('x') local y,py = pair('y')\n"
    "hamiltonian((2*px^2 + 2*px*py + 3*py^2)/2 + x^2/2 + 2*y^2) start{x = 0.1}\n";
/* friction, a drive and a constraint */
static const char driven[] =
    "local x,px = pair('x') local y,py = pair('y')\n"
    "hamiltonian((px^2 + py^2)/2 + y + 0.5*x*cos(2*time()))\n"
    "force{x = -0.3*px, y = -0.3*py} constrain('rod', x^2 + y^2 - 1) start{x = 1}\n";
static const char moving[] =
    "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', (x - 0.1*sin(time()))^2 + y^2 - 1) start{x = 1}\n";

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double z[16];
  rattle_state state;
} fixture;

static rattle_status try_to(fixture *f, const char *text, const char *method,
                            rattle_evaluator evaluator, rattle_error *error) {
  const rattle_problem_options options = {.struct_size = sizeof options, .evaluator = evaluator};
  memset(f, 0, sizeof *f);
  rattle_status status = rattle_model_parse(&f->model, text, "test", NULL, error);
  if (!status) status = rattle_problem_create(&f->problem, f->model, &options, error);
  if (status) fail_msg("%s", error->message);
  f->state = (rattle_state){
      .struct_size = sizeof f->state, .q = f->z, .p = f->z + rattle_problem_n(f->problem)};
  if (rattle_problem_start(f->problem, 1, f->state.q, f->state.p, NULL, error))
    fail_msg("%s", error->message);
  return rattle_integrator_create(&f->integrator, f->problem, method, error);
}

static void open(fixture *f, const char *text, const char *method, double h,
                 rattle_evaluator evaluator) {
  rattle_error error;
  if (try_to(f, text, method, evaluator, &error)) fail_msg("%s", error.message);
  f->state.h = h;
}

static void close(fixture *f) {
  rattle_integrator_destroy(&f->integrator);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static void step(fixture *f, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(f->integrator, &f->state, steps, &error))
    fail_msg("%s", error.message);
}

static double energy(const fixture *f) {
  double H;
  rattle_error error;
  if (rattle_problem_energy(f->problem, f->state.q, f->state.p, &H, &error))
    fail_msg("%s", error.message);
  return H;
}

/* The mean of p^T M^-1 p/2 is T/2 for each degree of freedom, whatever the map, and V has its own
 * mean. */
static double errors_off(const char *text, const char *method, double h, double kinetic) {
  enum { DRAWS = 4000 };
  static double K[DRAWS];
  fixture f;
  rattle_error error;
  rattle_estimate e;
  open(&f, text, method, h, RATTLE_EVALUATOR_BLOCK);
  step(&f, 500);
  for (int i = 0; i < DRAWS; i++) {
    step(&f, 8);
    double still[8] = {0}, V;
    assert_int_equal(rattle_problem_energy(f.problem, f.state.q, still, &V, &error), RATTLE_OK);
    K[i] = energy(&f) - V;
  }
  const rattle_draws draws = {K, 1, DRAWS, DRAWS, 1};
  assert_int_equal(rattle_estimate_of(&draws, &e, &error), RATTLE_OK);
  assert_true(e.effective > 300);
  close(&f);
  return fabs(e.mean - kinetic) / e.error;
}

static void test_equipartition(void **state) {
  (void)state;
  assert_true(
      errors_off(links,
                 "langevin(rattle(verlet), metropolis=no, friction=100, temperature=0.5, seed=7)",
                 1e-3, 0.5) < 5);
  assert_true(
      errors_off(links,
                 "langevin(suzuki4(rattle(verlet)), metropolis=no, friction=20, temperature=0.01)",
                 8e-3, 0.01) < 5);
  assert_true(errors_off(coupled,
                         "langevin(velocity_verlet, metropolis=no, friction=1, temperature=3)",
                         0.05, 3) < 5);
  assert_true(errors_off(coupled, "langevin(midpoint, metropolis=no, friction=1, temperature=3)",
                         0.1, 3) < 5);
}

/* H gains what the bath and the forces do, up to the error of the map. */
static void test_balance(void **state) {
  (void)state;
  fixture f;
  open(&f, driven, "langevin(rattle(midpoint), metropolis=no, friction=0.5, temperature=0.8)", 2e-3,
       RATTLE_EVALUATOR_BLOCK);
  const double before = energy(&f);
  double most = 0;
  for (int i = 0; i < 40; i++) {
    step(&f, 50);
    const double work = rattle_integrator_work(f.integrator, &f.state);
    most = fmax(most, fabs(work));
    const double off = energy(&f) - before - work;
    if (!(fabs(off) < 2e-4)) fail_msg("after %d steps H is %g off its balance", 50 * (i + 1), off);
  }
  assert_true(most > 0.5);
  close(&f);
}

/* Bits: of both evaluators; continued by another integrator; parts of a step do not matter; another
 * seed is another trajectory. */
static void test_bits(void **state) {
  (void)state;
  static const char method[] =
      "langevin(rattle(verlet), metropolis=no, friction=2, temperature=0.5, seed=7)";
  fixture a, b, c, d;
  double extra[8];
  open(&a, links, method, 2e-3, RATTLE_EVALUATOR_BLOCK);
  open(&b, links, method, 2e-3, RATTLE_EVALUATOR_NATIVE);
  open(&c, links, method, 2e-3, RATTLE_EVALUATOR_BLOCK);
  open(&d, links, "langevin(rattle(verlet), metropolis=no, friction=2, temperature=0.5, seed=8)",
       2e-3, RATTLE_EVALUATOR_BLOCK);
  step(&a, 60);
  step(&b, 25);
  step(&b, 35);
  step(&c, 23);
  assert_true(rattle_integrator_extra(a.integrator) <= 8);
  rattle_integrator_get_extra(c.integrator, extra);
  fixture e;
  open(&e, links, method, 2e-3, RATTLE_EVALUATOR_BLOCK);
  memcpy(e.z, c.z, sizeof e.z);
  e.state.step = c.state.step;
  rattle_integrator_set_extra(e.integrator, extra);
  step(&e, 37);
  step(&d, 60);
  assert_memory_equal(a.z, b.z, 8 * sizeof *a.z);
  assert_memory_equal(a.z, e.z, 8 * sizeof *a.z);
  assert_memory_not_equal(a.z, d.z, 8 * sizeof *a.z);
  assert_true(rattle_integrator_work(a.integrator, &a.state) ==
              rattle_integrator_work(e.integrator, &e.state));
  fixture *all[] = {&a, &b, &c, &d, &e};
  for (int i = 0; i < 5; i++) close(all[i]);
}

/* A step that fails changes nothing, the heat included. */
static void test_failure(void **state) {
  (void)state;
  fixture f;
  rattle_error error;
  open(&f, links, "langevin(rattle(verlet), metropolis=no, friction=2, temperature=0.5)", 2e-3,
       RATTLE_EVALUATOR_BLOCK);
  step(&f, 10);
  fixture g = f;
  const double work = rattle_integrator_work(f.integrator, &f.state);
  f.state.h = 1e3;
  assert_int_not_equal(rattle_integrator_step(f.integrator, &f.state, 1, &error), RATTLE_OK);
  assert_memory_equal(f.z, g.z, sizeof f.z);
  assert_true(rattle_integrator_work(f.integrator, &f.state) == work);
  close(&f);
}

static void refused(const char *text, const char *method, const char *words) {
  fixture f;
  rattle_error error = {0};
  assert_int_not_equal(try_to(&f, text, method, RATTLE_EVALUATOR_BLOCK, &error), RATTLE_OK);
  assert_null(f.integrator);
  if (!strstr(error.message, words)) fail_msg("%s", error.message);
  close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  refused(links, "langevin(rattle(verlet), metropolis=no)", "needs friction=");
  refused(links, "langevin(rattle(verlet), friction=1)", "makes no trajectory");
  refused(links, "g_baoab(friction=1)", "makes no trajectory");
  refused(links, "langevin(verlet, metropolis=no, friction=1)", "ignores the 2 constraints");
  refused(moving, "langevin(rattle(verlet), metropolis=no, friction=1)",
          "constraints that depend on time");
  refused("local x,px = pair('x') hamiltonian(px^2*(1 + x^2)/2)",
          "langevin(midpoint, metropolis=no, friction=1)", "is not of that form");
  fixture f;
  rattle_error error;
  rattle_tangent *tangent = NULL;
  open(&f, links, "rattle(verlet)", 1e-3, RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(rattle_tangent_create(&tangent, f.problem,
                                         "langevin(rattle(verlet), metropolis=no, friction=1)",
                                         &error),
                   RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "noise"));
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equipartition), cmocka_unit_test(test_balance),
      cmocka_unit_test(test_bits), cmocka_unit_test(test_failure), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
