/* Constraints that follow from others: found, omitted, watched. */
#include "evaluators.h"
#include "problem/functions/mass.h"
#include "problem/functions/problem.h"

static rattle_model *parse(const char *text) {
  rattle_model *model = NULL;
  rattle_error error;
  if (rattle_model_parse(&model, text, "m.lua", NULL, &error))
    fail_msg("%s in\n%s", error.message, text);
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

#define BARS                                                                                       \
  "local mech = require 'mechanics'\nlocal bar = mech.rod { mass = 1, length = 1 }\n"              \
  "local beam = mech.planar { name = 'beam', mass = 1, inertia = 1, at = {2.6, %s}, velocity = "   \
  "{-0.8, 0.6} }\n"                                                                                \
  "for i = 0, 2 do\nlocal up = mech.planar { name = 'up' .. i, shape = bar, at = {2*i + 0.3, "     \
  "0.4}, angle = math.atan(0.8, "                                                                  \
  "0.6), spin = 1, velocity = {-0.4, 0.3} }\n"                                                     \
  "mech.revolute('foot' .. i, up:at(-0.5, 0), mech.ground:at(2*i, 0))\n"                           \
  "mech.revolute('head' .. i, up:at(0.5, 0), beam:at(%s*i - 2, 0))\nend\n"

static const char *bars(const char *height, const char *spacing, const char *more) {
  static char text[1200];
  snprintf(text, sizeof text, BARS "%s", height, spacing, more);
  return text;
}

/* A beam on three parallel bars: 12 constraints of rank 11 on 12 coordinates. It turns through
 * where the bars are in a line. */
static void parallel_bars(void **state) {
  (void)state;
  run r;
  double q[12], p[12], angle;
  rattle_model *model = parse(bars("0.8", "2", "start { project = true }"));
  assert_int_equal(rattle_model_constraints(model), 11);
  assert_int_equal(omissions(model), 1);
  r.model = model;
  assert_int_equal(rattle_problem_create(&r.problem, model, NULL, &r.error), RATTLE_OK);
  assert_int_equal(rattle_integrator_create(&r.integrator, r.problem, "rattle(verlet)", &r.error),
                   RATTLE_OK);
  r.state = (rattle_state){.q = q, .p = p, .h = 0.01};
  assert_int_equal(rattle_problem_start(r.problem, 0, q, p, NULL, &r.error), RATTLE_OK);
  if (rattle_integrator_step(r.integrator, &r.state, 400, &r.error))
    fail_msg("%s", r.error.message);
  angle = q[5]; /* of the first bar */
  assert_true(angle > 4 && fabs(q[2]) < 1e-12 && fabs(q[8] - angle) < 1e-12 &&
              fabs(q[11] - angle) < 1e-12);
  end(&r);
}

/* A start that is roughly right is put onto all constraints; one that cannot be is refused, and so
 * is one that is not to be moved. */
/* A third parallel bar under gravity, in any units of length, mass and time. */
static void any_units(void **state) {
  (void)state;
  static const char *const units[] = {"1, 1, 1", "1e6, 1e3, 1", "1e-9, 1e-27, 1e-12",
                                      "1e12, 1e24, 1e5"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    char text[900];
    snprintf(text, sizeof text,
             "local mech = require 'mechanics' redundant 'omit'\nlocal l, m, t = %s\n"
             "mech.gravity(0, -9.81*l/t^2) local c, s = 0.4*l*math.cos(0.6), 0.4*l*math.sin(0.6)\n"
             "local top = mech.planar { name = 'top', mass = 4*m, inertia = 0.4*m*l^2,\n"
             "  at = {c + 0.5*l, s} }\nfor i = 0, 2 do\n"
             "  local bar = mech.planar { name = 'bar' .. i, mass = m, inertia = 0.03*m*l^2,\n"
             "    at = {i*l/2 + c/2, s/2}, angle = 0.6 }\n"
             "  mech.revolute('A' .. i, bar:at(-0.2*l, 0), mech.ground:at(i*l/2, 0))\n"
             "  mech.revolute('B' .. i, top:at((i - 1)*l/2, 0), bar:at(0.2*l, 0))\nend\n",
             units[i]);
    rattle_model *model = parse(text);
    if (omissions(model) != 1) fail_msg("%s: %d are omitted", units[i], omissions(model));
    rattle_model_destroy(&model);
  }
}

static void assembly(void **state) {
  (void)state;
  rattle_model *model = parse(bars("0.9", "2", "mech.assemble { hold = {} }"));
  assert_int_equal(omissions(model), 1);
  rattle_model_destroy(&model);
  assert_non_null(strstr(refusal(bars("0.8", "2.001", "mech.assemble()"), RATTLE_BAD_MODEL),
                         "cannot be put onto all constraints"));
  assert_non_null(
      strstr(refusal(bars("0.9", "2", ""), RATTLE_BAD_MODEL), "start { project = true }"));
  /* a body that is held off its joint: that joint is named, not another one that is as near as
   * round-off */
  const char *message = refusal(
      bars("0.9", "2",
           "local crank = mech.planar { name = 'crank', shape = bar, at = {9, 0.5}, angle = 1.4 }\n"
           "mech.revolute('O', crank:at(-0.5, 0), mech.ground:at(9, 0))\n"
           "mech.assemble { hold = {crank} }"),
      RATTLE_BAD_MODEL);
  assert_non_null(strstr(message, "'O.x' is -0.085 off, and all of its coordinates are held"));
}

/* The same rows as before where nothing is redundant, or where rows depend at the start alone. */
static void what_stays(void **state) {
  (void)state;
  static const char start[] =
      "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2)\nredundant 'omit'\n";
  char text[600];
  snprintf(text, sizeof text, "%sconstrain('a', x^2 + y^2 - 1) start { x = 1, py = 1 }", start);
  rattle_model *model = parse(text);
  assert_int_equal(omissions(model), 0);
  assert_int_equal(rattle_model_constraints(model), 1);
  rattle_model_destroy(&model);
  /* two spheres that touch */
  snprintf(text, sizeof text,
           "%sconstrain('a', x^2 + y^2 + z^2 - 1) constrain('b', (x - 2)^2 + y^2 + z^2 - 1) start "
           "{ x = 1 }",
           start);
  refusal(text, RATTLE_NOT_REGULAR);
  /* the words */
  snprintf(text, sizeof text, "%sredundant 'keep'", start);
  assert_non_null(
      strstr(refusal(text, RATTLE_BAD_MODEL), "redundant \"omit\" or redundant \"refuse\""));
  snprintf(
      text, sizeof text,
      "%sconstrain('a', x^2 + y^2 - 1) constrain('b', 3 - 3*x^2 - 3*y^2) start { x = 1, pz = 1 }",
      start);
  model = parse(text);
  assert_string_equal(rattle_model_omitted(model, 0), "b");
  rattle_model_destroy(&model);
}

/* If an omitted constraint does not follow any more, a step fails and changes nothing. */
static void other_branches(void **state) {
  (void)state;
  run r;
  begin(&r,
        "local x, px = pair('x') local y, py = pair('y') hamiltonian((px^2 + py^2)/2)\nredundant "
        "'omit'\n",
        "constrain('both', y*(y - 10 - x^2)) constrain('axis', 5*y) start { x = -3, px = 1 }",
        "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.1);
  assert_string_equal(rattle_model_omitted(r.model, 0), "axis");
  assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 3, &r.error), RATTLE_OK);
  const double other[] = {1, 11, 1, 2};
  memcpy(r.z, other, sizeof other);
  assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 1, &r.error), RATTLE_DEGENERATE);
  assert_non_null(strstr(r.error.message, "'axis', which followed from the others"));
  assert_memory_equal(r.z, other, sizeof other);
  end(&r);
}

/* The rows of all constraints [(m+k)*n], kept ones first, at q. */
static void all_rows(const rattle_problem *problem, const double *q, double *G) {
  const rattle__function *part[] = {problem->g, problem->omitted};
  const size_t n = (size_t)problem->n;
  double z[120] = {0}, value[70], work[20000], J[4000];
  memcpy(z, q, n * sizeof *q);
  for (int f = 0; f < 2; f++) {
    assert_true(part[f]->work <= 20000 && part[f]->jac_nnz <= 4000 && part[f]->rows <= 70);
    assert_int_equal(part[f]->jacobian(part[f], z, value, J, work), 0);
    for (int i = 0; i < part[f]->rows; i++, G += n) {
      memset(G, 0, n * sizeof *G);
      for (int e = part[f]->jac_ptr[i]; e < part[f]->jac_ptr[i + 1]; e++)
        G[part[f]->jac_col[e]] = J[e];
    }
  }
}

/* The largest part of y [rows] that is no combination of the columns of G [rows*n]: what is left by
 * conjugate gradients. */
static double beyond(const double *G, int rows, int n, const double *y) {
  double r[70], s[60], p[60], d[70], before = 0, most = 0;
  memcpy(r, y, (size_t)rows * sizeof *r);
  for (int pass = 0; pass < 4 * n; pass++) {
    double now = 0, along = 0;
    for (int k = 0; k < n; k++) {
      s[k] = 0;
      for (int i = 0; i < rows; i++) s[k] += G[i * n + k] * r[i];
      now += s[k] * s[k];
    }
    if (now < 1e-26) break;
    for (int k = 0; k < n; k++) p[k] = s[k] + (pass ? now / before * p[k] : 0);
    for (int i = 0; i < rows; i++) {
      d[i] = 0;
      for (int k = 0; k < n; k++) d[i] += G[i * n + k] * p[k];
      along += d[i] * d[i];
    }
    for (int i = 0; i < rows; i++) r[i] -= now / along * d[i];
    before = now;
  }
  for (int i = 0; i < rows; i++) most = fmax(most, fabs(r[i]));
  return most;
}

/* Multipliers of all constraints: they keep the velocities on them, and no combination of forces
 * that cancel is in them, which makes their norm the least. */
static void least_norm(void **state) {
  (void)state;
  static const char *const models[] = {NULL, "bricard.lua", "bennett.lua"};
  for (size_t k = 0; k < 3; k++) {
    run r;
    double z[120], lambda[70], observed[20], a[120], G[70 * 60], later[70 * 60], earlier[70 * 60],
        q[60], H, work[20000];
    char path[300];
    snprintf(path, sizeof path, "%s/examples/%s", RATTLE_SOURCE_DIR, models[k] ? models[k] : "");
    if (!models[k])
      r.model = parse(bars("0.8", "2", "mech.gravity(0, -9.81) start { project = true }"));
    else
      assert_int_equal(rattle_model_load(&r.model, path, NULL, &r.error), RATTLE_OK);
    const int omitted = omissions(r.model), n = rattle_model_pairs(r.model),
              m = rattle_model_constraints(r.model);
    const int own = rattle_model_observables(r.model) - omitted;
    assert_true(omitted > 0 && own >= 0);
    assert_int_equal(rattle_problem_create(&r.problem, r.model, NULL, &r.error), RATTLE_OK);
    assert_int_equal(rattle_integrator_create(&r.integrator, r.problem, "rattle(verlet)", &r.error),
                     RATTLE_OK);
    r.state = (rattle_state){.q = z, .p = z + n, .h = 0.002};
    assert_int_equal(rattle_problem_start(r.problem, 0, z, z + n, NULL, &r.error), RATTLE_OK);
    assert_int_equal(rattle_integrator_step(r.integrator, &r.state, 100, &r.error), RATTLE_OK);
    assert_int_equal(rattle_problem_multipliers(r.problem, z, z + n, lambda, &r.error), RATTLE_OK);
    assert_int_equal(rattle_problem_observe(r.problem, z, z + n, observed, &r.error), RATTLE_OK);
    for (int i = 0; i < omitted; i++) {
      char name[100];
      snprintf(name, sizeof name, "lambda[%s]", rattle_model_omitted(r.model, i));
      assert_string_equal(rattle_model_observable_name(r.model, own + i), name);
      lambda[m + i] = observed[own + i];
      assert_true(fabs(lambda[m + i]) > 1e-3);
    }
    all_rows(r.problem, z, G);
    if (!(beyond(G, m + omitted, n, lambda) < 1e-9))
      fail_msg("%zu: %g", k, beyond(G, m + omitted, n, lambda));
    /* G v' + G' v = 0 with v = H_p */
    const rattle__function *f = r.problem->H;
    assert_true(f->work <= 20000);
    assert_int_equal(f->jacobian(f, z, &H, a, work), 0);
    const double t = 1e-5;
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < n; i++) q[i] = z[i] + (side ? -t : t) * a[n + i];
      all_rows(r.problem, q, side ? earlier : later);
    }
    for (int i = 0; i < m + omitted; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) {
        double force = -a[j];
        for (int l = 0; l < m + omitted; l++) force -= G[l * n + j] * lambda[l];
        sum += G[i * n + j] * force * r.problem->mass->diagonal[j] +
               (later[i * n + j] - earlier[i * n + j]) / (2 * t) * a[n + j];
      }
      if (!(fabs(sum) < 1e-6)) fail_msg("%zu, constraint %d: %g", k, i, sum);
    }
    end(&r);
  }
}

/* A linkage in 3D on whose frame some constraints have coordinates that are 0 but for rounding:
 * wherever the crank stands, the start is found, and constraints are kept that hold all the way
 * round. */
static void any_angle(void **state) {
  (void)state;
  for (int k = 1; k <= 20; k++) {
    rattle_error error;
    rattle_model *model = NULL;
    rattle_problem *problem = NULL;
    double z[120], g[70], J[4000], work[20000];
    const rattle_parameter theta = {"theta", 0.14 * k};
    const rattle_model_options options = {.parameters = &theta, .parameter_count = 1};
    rattle_status status =
        rattle_model_load(&model, RATTLE_SOURCE_DIR "/examples/bennett.lua", &options, &error);
    if (!status) status = rattle_problem_create(&problem, model, NULL, &error);
    const int n = status ? 0 : rattle_problem_n(problem);
    if (!status) status = rattle_problem_start(problem, 0, z, z + n, NULL, &error);
    if (status) fail_msg("theta = %g: %s", theta.value, error.message);
    assert_int_equal(problem->g->jacobian(problem->g, z, g, J, work), 0);
    for (int i = 0; i < rattle_problem_m(problem); i++) assert_true(fabs(g[i]) < 1e-15);
    rattle_integrator *integrator = NULL;
    rattle_state at = {.q = z, .p = z + n, .h = 0.004};
    assert_int_equal(rattle_integrator_create(&integrator, problem, "rattle(verlet)", &error),
                     RATTLE_OK);
    if (rattle_integrator_step(integrator, &at, 350, &error))
      fail_msg("theta = %g: %s", theta.value, error.message);
    rattle_integrator_destroy(&integrator);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_norm), cmocka_unit_test(parallel_bars),  cmocka_unit_test(assembly),
      cmocka_unit_test(what_stays), cmocka_unit_test(other_branches), cmocka_unit_test(any_angle),
      cmocka_unit_test(any_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
