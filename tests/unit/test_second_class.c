/* Second-class constraints: what they are taken for, how they are halved, what is refused, and that
 * a run near a singular {phi,psi} stops at a good state and never goes on wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../one_in.h"
#include "problem/functions/split.h"
#include "rattle/rattle.h"
#include "ground/support/random.h"

#define PAIRS2 "local x, px = pair('x')\nlocal y, py = pair('y')\n"
#define PAIRS3 PAIRS2 "local z, pz = pair('z')\n"
#define PLANE                                                                                      \
  "hamiltonian(x^2/2 + y^2/2 + x^4/8 + x*y^2/4 + cos(y)/10 + px*py/8)\n"                           \
  "start { x = 0.8, y = 0.3, px = -0.2, py = 0.4, project = true }\n"

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  double z[8];
} fixture;

static void set_up(fixture *f, const char *text, int evaluator) {
  rattle_error error;
  rattle_problem_options options = {0};
  options.evaluator = evaluator;
  memset(f, 0, sizeof *f);
  if (rattle_model_parse(&f->model, text, "model", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&f->problem, f->model, &options, &error)) fail_msg("%s", error.message);
}

static void start(fixture *f) {
  rattle_error error;
  if (rattle_problem_start(f->problem, 0, f->z, f->z + rattle_problem_n(f->problem), NULL, &error))
    fail_msg("%s", error.message);
}

static void tear_down(fixture *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* Steps from f->z; the status of the integrator. */
static rattle_status run(fixture *f, const char *method, double h, long long steps,
                         rattle_state *state, rattle_error *error) {
  rattle_integrator *integrator = NULL;
  rattle_status status = rattle_integrator_create(&integrator, f->problem, method, error);
  *state = (rattle_state){.q = f->z, .p = f->z + rattle_problem_n(f->problem), .h = h};
  if (!status) status = rattle_integrator_step(integrator, state, steps, error);
  rattle_integrator_destroy(&integrator);
  return status;
}

static void expect_refused(const char *text, const char *method, const char *part) {
  fixture f;
  rattle_integrator *integrator = NULL;
  rattle_error error;
  set_up(&f, text, RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(rattle_integrator_create(&integrator, f.problem, method, &error),
                   RATTLE_UNSUITABLE);
  if (!strstr(error.message, part)) fail_msg("%s: %s", method, error.message);
  tear_down(&f);
}

/* ---- what constraints are ---- */

static const struct {
  const char *model, *kind;
} kinds[] = {
    {PAIRS2
     "hamiltonian(px^2 + py^2)\nconstrain('a', x)\nconstrain('b', px + y)\nstart { y = 1 }\n",
     "second_class"},
    /* as many as a half of the variables, and more */
    {PAIRS3 "hamiltonian(x + y^2*z)\nconstrain('s', x^2 + y^2 + z^2 - 1)\nconstrain('a', px + "
            "y)\nconstrain('b', py - x)\n"
            "constrain('c', pz)\nstart { z = 1 }\n",
     "second_class"},
    /* brackets that vanish at the start, by accident, and nowhere near it */
    {PAIRS2
     "hamiltonian(px^2 + py^2)\nconstrain('a', px)\nconstrain('b', py - x^2)\nstart { x = 0 }\n",
     "second_class"},
    /* brackets that vanish on the manifold alone */
    {PAIRS3 "hamiltonian(px^2 + py^2 + pz^2)\nlocal a = x^2 + y^2 + z^2 + px^2 + py^2 + pz^2 - 2\n"
            "constrain('a', a)\nconstrain('b', (1 + x/2)*(x*py - y*px - 0.1))\nstart { x = 1, py = "
            "0.5 }\n",
     "coisotropic"},
    /* some commute, some do not */
    {PAIRS3 "local u, pu = pair('u')\nhamiltonian(px^2 + py^2 + pz^2 + pu^2)\nconstrain('a', "
            "x)\nconstrain('b', px)\nconstrain('c', z)\n"
            "start { y = 1 }\n",
     "coisotropic"},
};

static void test_kinds(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    fixture f;
    set_up(&f, kinds[i].model, RATTLE_EVALUATOR_BLOCK);
    if (strcmp(rattle_problem_kind_name(f.problem), kinds[i].kind) != 0)
      fail_msg("%zu is %s", i, rattle_problem_kind_name(f.problem));
    assert_int_equal(!!(rattle_problem_kind(f.problem) & RATTLE_SECOND_CLASS),
                     !strcmp(kinds[i].kind, "second_class"));
    tear_down(&f);
  }
}

static void test_halves(void **unused) {
  (void)unused;
  fixture f;
  /* only gx and gz commute; s meets all of them */
  set_up(&f,
         PAIRS3 "hamiltonian(x + y^2*z)\nconstrain('s', x^2 + 2*y^2 + z^2 - 1)\nconstrain('gx', px "
                "+ y, { dirac = true })\n"
                "constrain('gy', py - x, { dirac = true })\nconstrain('gz', pz)\nstart { x = 0.2, "
                "y = 0.3, z = 0.9, px = -0.3, "
                "py = 0.2 }\n",
         RATTLE_EVALUATOR_BLOCK);
  const rattle__halves *halves = f.problem->split;
  assert_non_null(halves);
  assert_int_equal(halves->k, 2);
  assert_int_equal(halves->blocks, 1);
  assert_true(halves->involutive);
  assert_int_equal(halves->phi[0] * 10 + halves->phi[1], 13);
  assert_int_equal(halves->psi[0] * 10 + halves->psi[1], 2);
  tear_down(&f);
  /* a half with straight fibres is taken, whichever comes first */
  set_up(&f,
         PAIRS2 "hamiltonian(px^2 + py^2)\nconstrain('bent', px + x^2*px^2 + y)\nconstrain('flat', "
                "x + y^2)\nstart { y = 0.1 }\n",
         RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(f.problem->split->phi[0], 1);
  tear_down(&f);
  /* two blocks that do not meet */
  set_up(&f,
         PAIRS2 "local u, pu = pair('u')\nhamiltonian(u^2 + pu^2)\nconstrain('a', "
                "x)\nconstrain('c', y)\nconstrain('b', px)\n"
                "constrain('d', py + y^2)\n",
         RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(f.problem->split->blocks, 2);
  tear_down(&f);
  /* {a,b} = -c vanishes with all four, but not where a = b = 0 alone: a and b are not a half */
  set_up(
      &f,
      PAIRS3
      "hamiltonian(x + y + z^2)\nlocal c = z + pz^2/4\nconstrain('a', px)\nconstrain('b', py + pz "
      "+ x*c)\n"
      "constrain('c', c)\nconstrain('d', x + px^2/4)\nstart { z = -0.04, pz = 0.4, py = -0.4 }\n",
      RATTLE_EVALUATOR_BLOCK);
  assert_true(f.problem->split->involutive);
  assert_int_not_equal(f.problem->split->phi[0] * 10 + f.problem->split->phi[1], 1);
  tear_down(&f);
}

static void test_refusals(void **unused) {
  (void)unused;
  const char *plane = PAIRS2 PLANE
      "constrain('gx', px + y/2, { dirac = true })\nconstrain('gy', py - x/2, { dirac = true })\n";
  expect_refused(plane, "rattle(midpoint)", "second_class(");
  expect_refused(plane, "shake(verlet)", "for 'gx' and 'gy' it is 1");
  expect_refused(plane, "midpoint", "second_class(midpoint)");
  expect_refused(PAIRS2 "hamiltonian(px^2 + py^2)\nconstrain('a', x^2 + y^2 - 1)\n",
                 "second_class(midpoint)", "use rattle(...)");
  expect_refused(plane, "second_class(exact)", "flow");
  expect_refused(plane, "discrete_gradient", "discrete_gradient needs constraints in involution");
  /* a monopole's field has no component that vanishes: no two constraints commute */
  expect_refused(
      PAIRS3
      "hamiltonian(x + y^2*z)\nlocal r = sqrt(x^2 + y^2 + z^2)\nconstrain('s', r - 1)\n"
      "constrain('a', px + y/(r*(r + z)))\nconstrain('b', py - x/(r*(r + z)))\nconstrain('c', pz)\n"
      "start { x = 0.3, y = 0.4, z = 0.8 }\n",
      "second_class(midpoint)", "no half is");
}

/* ---- starts and looks ---- */

static void test_starts(void **unused) {
  (void)unused;
  fixture f;
  rattle_error error;
  double q[2], p[2], g[2], psi[2], lambda[2], smallest;
  set_up(&f,
         PAIRS2 "hamiltonian(x^2 + y^2)\nconstrain('gx', px + y/2, { dirac = true "
                "})\nconstrain('gy', py - x/2, { dirac = true "
                "})\nstart { x = 1, py = 0.5 }\n",
         RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(rattle_problem_start(f.problem, 0, q, p, NULL, &error), RATTLE_OK);
  /* {px + y/2, py - x/2} = 1; {gx,H} = -2x, so that lambda = (.., ..) turns the point */
  assert_int_equal(rattle_problem_multipliers(f.problem, q, p, lambda, &error), RATTLE_OK);
  assert_true(fabs(lambda[0] - 0) < 1e-15 && fabs(lambda[1] - 2) < 1e-15);
  assert_int_equal(rattle_problem_nondegeneracy(f.problem, q, p, &smallest, NULL, &error),
                   RATTLE_OK);
  assert_true(fabs(smallest - 1) < 1e-15);
  p[0] = 0.25;
  p[1] = 0.75;
  assert_int_equal(rattle_problem_residuals(f.problem, q, p, g, psi, &error), RATTLE_OK);
  assert_true(g[0] == 0.25 && g[1] == 0.25 && psi[0] + psi[1] == 0.25);
  tear_down(&f);
  set_up(&f,
         PAIRS2 "hamiltonian(x^2 + y^2)\nconstrain('gx', px + y/2, { dirac = true "
                "})\nconstrain('gy', py - x/2, { dirac = true "
                "})\nstart { x = 1 }\n",
         RATTLE_EVALUATOR_BLOCK);
  assert_int_equal(rattle_problem_start(f.problem, 0, q, p, NULL, &error), RATTLE_OFF_CONSTRAINTS);
  assert_string_equal(error.where, "gy");
  assert_int_equal(rattle_problem_start(f.problem, 1, q, p, NULL, &error), RATTLE_OK);
  assert_true(fabs(p[0] + q[1] / 2) < 1e-15 && fabs(p[1] - q[0] / 2) < 1e-15);
  tear_down(&f);
}

/* ---- units and origins ---- */

/* The class of constraints in u = (x - origin)/length, v, w, and momenta r, s, t in units of
 * `momentum`, near rest; and what the doctor calls it. */
static void expect_class(const char *constraints, rattle__class wanted, const char *name,
                         const double *unit) {
  char text[2000];
  fixture f;
  rattle_error error;
  rattle__class class;
  rattle__halves *split = NULL;
  rattle_doctor *doctor = NULL;
  const rattle_doctor_options options = {.struct_size = sizeof options, .no_trial = 1};
  snprintf(
      text, sizeof text,
      PAIRS3
      "local X, a, b = %.17g, %.17g, %.17g\nlocal u, v, w = (x - X)/a, (y + 2*X)/a, (z - X)/a\n"
      "local r, s, t = px/b, py/b, pz/b\nhamiltonian(r^2/2 + s^2/2 + t^2/3 + u^2/2 + v^2/2 + "
      "w^4/4)\n%s"
      "start { x = X + 0.001*a, y = -2*X + 0.002*a, z = X, px = 1e-7*b, project = true }\n",
      unit[0] * unit[1], unit[1], unit[2], constraints);
  set_up(&f, text, RATTLE_EVALUATOR_BLOCK);
  if (rattle__second_class_split(f.problem, &class, &split, &error)) fail_msg("%s", error.message);
  if (class != wanted) fail_msg("class %d, not %d, of\n%s", class, wanted, text);
  rattle__halves_destroy(&split);
  if (rattle_doctor_create(&doctor, f.model, f.problem, &options, &error))
    fail_msg("%s", error.message);
  const char *found = rattle_doctor_diagnosis(doctor)->class_;
  if (strcmp(found, name) != 0) fail_msg("the doctor finds %s, not %s, of\n%s", found, name, text);
  rattle_doctor_destroy(&doctor);
  tear_down(&f);
}

static void test_units_and_origins(void **unused) {
  (void)unused;
  static const double origins[] = {0, 1, 1000}, sizes[] = {1e-9, 1, 1e9};
  for (int i = 0; i < 27; i += TESTS_ONE_IN) {
    const double unit[3] = {origins[i % 3], sizes[i / 3 % 3], sizes[i / 9]};
    expect_class("constrain('first', r + v/2 + v^2/3)\nconstrain('second', s - u/2 + sin(u)/5)\n",
                 RATTLE__CLASS_SECOND, "second_class", unit);
    expect_class("constrain('first', u)\nconstrain('second', r + v^2/3 + s*sin(v)/6)\n",
                 RATTLE__CLASS_SECOND, "second_class", unit);
    expect_class("constrain('first', r)\nconstrain('second', s*(1 + u))\n",
                 RATTLE__CLASS_COISOTROPIC, "coisotropic", unit);
    expect_class("constrain('first', r + v/2)\nconstrain('second', t - w/7)\n",
                 RATTLE__CLASS_COISOTROPIC, "coisotropic", unit);
  }
}

/* ---- results ---- */

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

/* The same constraints in another order, scaled, and times functions that do not vanish. The order
 * exchanges phi and psi: another map, the same to its order. */
static void test_functions_do_not_matter(void **unused) {
  (void)unused;
  static const char *const forms[] = {
      PAIRS2 PLANE "constrain('gx', px + y*(1 + x^2/4)/2, { dirac = true })\nconstrain('gy', py - "
                   "x*(1 + y^2/4)/2, { dirac = true })\n",
      PAIRS2 PLANE "constrain('gx', 1000*(px + y*(1 + x^2/4)/2), { dirac = true "
                   "})\nconstrain('gy', (py - x*(1 + y^2/4)/2)/50, { "
                   "dirac = true })\n",
      PAIRS2 PLANE "constrain('gx', -2*(px + y*(1 + x^2/4)/2), { dirac = true })\nconstrain('gy', "
                   "(3 + x*y)*(py - x*(1 + "
                   "y^2/4)/2), { dirac = true })\n"};
  double first[4];
  for (int i = 0; i < 3; i++) {
    fixture f;
    rattle_state state;
    rattle_error error;
    set_up(&f, forms[i], RATTLE_EVALUATOR_BLOCK);
    start(&f);
    if (i) memcpy(f.z, first, sizeof first);
    if (!i) memcpy(first, f.z, sizeof first);
    if (run(&f, "second_class(midpoint)", 0.02, 100, &state, &error)) fail_msg("%s", error.message);
    static double reference[4];
    if (!i) memcpy(reference, f.z, sizeof reference);
    /* a factor changes psi'' and with it psi^T K psi beyond its leading term, which the order of
     * the map does not see */
    if (!(apart(f.z, reference, 4) < (i < 2 ? 1e-13 : 1e-6)))
      fail_msg("form %d: %g apart", i, apart(f.z, reference, 4));
    tear_down(&f);
  }
}

static void test_long_run_raises_no_alarm(void **unused) {
  (void)unused;
  fixture f;
  rattle_state state;
  rattle_error error;
  double before, after, g[2];
  set_up(&f,
         PAIRS2 PLANE "constrain('gx', px + y*(1 + x^2/4)/2, { dirac = true })\nconstrain('gy', py "
                      "- x*(1 + y^2/4)/2, { dirac = true })\n",
         RATTLE_EVALUATOR_AUTO);
  start(&f);
  assert_int_equal(rattle_problem_energy(f.problem, f.z, f.z + 2, &before, NULL), RATTLE_OK);
  if (run(&f, "second_class(midpoint)", 0.1, 100000, &state, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_energy(f.problem, f.z, f.z + 2, &after, NULL), RATTLE_OK);
  assert_int_equal(rattle_problem_residuals(f.problem, f.z, f.z + 2, g, NULL, NULL), RATTLE_OK);
  if (!(fabs(after - before) < 5e-4)) fail_msg("the energy moved by %g", after - before);
  assert_true(fabs(g[0]) < 1e-14 && fabs(g[1]) < 1e-14);
  tear_down(&f);
}

/* Native and interpreted bits; a step is a function of its point alone. */
static void test_bits(void **unused) {
  (void)unused;
  double results[3][4];
  for (int i = 0; i < 3; i++) {
    fixture f;
    rattle_state state;
    rattle_error error;
    set_up(&f,
           PAIRS2 PLANE "constrain('gx', px + y*(1 + x^2/4)/2, { dirac = true })\nconstrain('gy', "
                        "py - x*(1 + y^2/4)/2, { dirac = true })\n",
           i == 1 ? RATTLE_EVALUATOR_AUTO : RATTLE_EVALUATOR_BLOCK);
    start(&f);
    for (int k = 0; k < (i == 2 ? 20 : 1); k++)
      if (run(&f, "suzuki4(second_class(verlet))", 0.05, i == 2 ? 1 : 20, &state, &error))
        fail_msg("%s", error.message);
    memcpy(results[i], f.z, sizeof results[i]);
    tear_down(&f);
  }
  assert_memory_equal(results[0], results[1], sizeof results[0]);
  assert_memory_equal(results[0], results[2], sizeof results[0]);
}

/* ---- near a singular {phi,psi} ---- */

/* px = 0, py = F(x), H = -y + x^2/10: {gx,gy} = F'(x), and F(x(t)) = F(1) + t exactly. Backwards in
 * time F' falls. */
static void near_singular(const char *F, const char *method, double h, double ends,
                          double (*primitive)(double)) {
  char text[512];
  fixture f;
  rattle_state state;
  rattle_error error = {0};
  snprintf(text, sizeof text,
           PAIRS2 "hamiltonian(-y + x^2/10)\nconstrain('gx', px, { dirac = true "
                  "})\nconstrain('gy', py - %s, { dirac = true })\n"
                  "start { x = 1, py = %.17g, project = true }\n",
           F, primitive(1));
  set_up(&f, text, RATTLE_EVALUATOR_BLOCK);
  start(&f);
  const double x0 = f.z[0];
  rattle_status status = run(&f, method, -h, (long long)(1.5 / h), &state, &error);
  const double t = (double)state.step * -h, reached = primitive(f.z[0]) - primitive(x0);
  /* a run that continues is right; one that does not is right up to its end, and gives the
   * reason */
  if (!(fabs(reached - t) < 1e-9))
    fail_msg("%s, %s, h = %g: at %g after %g", F, method, h, reached, t);
  if (!(fabs(f.z[2]) < 1e-12)) fail_msg("%s, %s, h = %g: px = %g", F, method, h, f.z[2]);
  if (-t < ends - 1e-9) {
    if (status != RATTLE_DEGENERATE && status != RATTLE_NOT_CONVERGED && status != RATTLE_SINGULAR)
      fail_msg("%s, %s, h = %g: %s at %g: %s", F, method, h, rattle_status_name(status), t,
               error.message);
    if (!strstr(error.message, "{phi_i,psi_j}") || !strstr(error.message, "singular value"))
      fail_msg("the message does not name {phi_i,psi_j}: %s", error.message);
    assert_true(error.constraint < 2);
  }
  if (-t > ends + h) fail_msg("%s, %s, h = %g: went on to %g", F, method, h, t);
  tear_down(&f);
}

static double half_square(double x) {
  return x * x / 2;
}
static double third_cube(double x) {
  return x * x * x / 3;
}
static double lifted_square(double x) {
  return x * x / 2 + x / 100;
}
static double lifted_cube(double x) {
  return x * x * x / 3 + x / 10;
}

static void test_near_singular(void **unused) {
  (void)unused;
  static const char *const methods[] = {"second_class(midpoint)", "second_class(verlet)",
                                        "suzuki4(second_class(midpoint))"};
  static const double steps[] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001};
  for (int i = 0; i < 3; i++)
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      near_singular("x^2/2", methods[i], steps[k], 0.5,
                    half_square); /* F' = 0 is reached at t = -1/2 */
      near_singular("x^3/3", methods[i], steps[k], 1.5,
                    third_cube); /* F' = 0 at t = -1/3, solutions go on */
      near_singular("(x^2/2 + x/100)", methods[i], steps[k], 0.51005, lifted_square);
      near_singular("(x^3/3 + x/10)", methods[i], steps[k], 1.5, lifted_cube); /* F' >= 0.1 */
    }
}

/* Random Hamiltonians and constraints with D = {gx,gy} = 0 on a curve that no solution crosses: a
 * run either stays on its side or stops. (Without the guard of D about one of 50 crosses.) */
static void test_no_run_changes_sides(void **unused) {
  (void)unused;
  static const double steps[] = {0.3, 0.1, 0.03, 0.01};
  uint64_t random = 88172645463325252ULL;
  int stopped = 0, completed = 0;
  for (int i = 0; i < 240 / TESTS_ONE_IN; i++) {
    double r[8];
    char text[512];
    for (int k = 0; k < 8; k++) r[k] = 2 * rattle__unit_of_bits(rattle__random(&random)) - 1;
    snprintf(text, sizeof text,
             PAIRS2 "hamiltonian(%.17g*y + %.17g*x + %.17g*y^2 + %.17g*x*y + %.17g*y^3 + "
                    "%.17g*(px^2 + py^2)/2)\n"
                    "constrain('gx', px + %.17g*y^2, { dirac = true })\nconstrain('gy', py - x^2/2 "
                    "- %.17g*y*x^2, { dirac = true })\n"
                    "start { x = 1, py = 0.5 }\n",
             r[0], r[1], r[2], r[3], r[4], r[5], r[6], 0.3 * r[7]);
    fixture f;
    rattle_integrator *integrator = NULL;
    rattle_error error;
    set_up(&f, text, RATTLE_EVALUATOR_BLOCK);
    start(&f);
    if (rattle_integrator_create(&integrator, f.problem,
                                 i % 3 ? "second_class(midpoint)" : "second_class(verlet)", &error))
      fail_msg("%s", error.message);
    const double h = (i % 2 ? 1 : -1) * steps[i / 2 % 4];
    rattle_state state = {.q = f.z, .p = f.z + 2, .h = h};
    rattle_status status = RATTLE_OK;
    while (!status && (double)state.step * fabs(h) < 3) {
      status = rattle_integrator_step(integrator, &state, 1, &error);
      const double D = f.z[0] + 2 * r[6] * f.z[1] + 0.6 * r[7] * f.z[0] * f.z[1];
      if (!(D > 0)) fail_msg("run %d, h = %g: D = %g after step %lld", i, h, D, state.step);
    }
    stopped += status != RATTLE_OK;
    completed += status == RATTLE_OK;
    rattle_integrator_destroy(&integrator);
    tear_down(&f);
  }
  assert_true(stopped > 50 / TESTS_ONE_IN && completed > 50 / TESTS_ONE_IN);
}

/* The extended Hamiltonian is no stiffer for a start near rest: its stiffness is that of H. */
static void test_near_rest(void **unused) {
  (void)unused;
  static const char *const methods[] = {"second_class(midpoint)", "second_class(verlet)",
                                        "second_class(verlet(b))", "second_class(gauss(2))"};
  static const double rest[] = {0, 1e-12, 1e-8, 3e-4};
  double first = 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) {
      char text[512];
      snprintf(
          text, sizeof text,
          PAIRS2
          "hamiltonian(0.73*px^2 + 0.61*py^2 - 0.17*px*py*cos(y) + 0.66*x^2\n"
          "  - 0.21*x + 0.64*y^2 + 0.64*y)\n"
          "constrain('held', x, { dirac = true })\n"
          "constrain('tied', px + 0.0015*y^2 + 0.064*py*sin(y), { dirac = true })\n"
          "start { x = 0, px = -0.000015 + 0.064*%.17g*math.sin(0.1), y = -0.1, py = %.17g }\n",
          rest[k], rest[k]);
      fixture f;
      rattle_error error;
      rattle_state state;
      set_up(&f, text, RATTLE_EVALUATOR_BLOCK);
      start(&f);
      if (run(&f, methods[i], 0.06, 40, &state, &error))
        fail_msg("%s from py = %g: %s", methods[i], rest[k], error.message);
      assert_true(fabs(f.z[0]) < 1e-15);
      assert_true(fabs(f.z[2] + 0.0015 * f.z[1] * f.z[1] + 0.064 * f.z[3] * sin(f.z[1])) < 1e-15);
      if (i == 0 && k == 0) first = f.z[1];
      if (!(fabs(f.z[1] - first) < 2e-3))
        fail_msg("%s from py = %g: y = %g, not %g", methods[i], rest[k], f.z[1], first);
      tear_down(&f);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),
                                     cmocka_unit_test(test_halves),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_starts),
                                     cmocka_unit_test(test_units_and_origins),
                                     cmocka_unit_test(test_functions_do_not_matter),
                                     cmocka_unit_test(test_long_run_raises_no_alarm),
                                     cmocka_unit_test(test_bits),
                                     cmocka_unit_test(test_near_singular),
                                     cmocka_unit_test(test_no_run_changes_sides),
                                     cmocka_unit_test(test_near_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
