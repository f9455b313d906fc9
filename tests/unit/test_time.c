/* Models that depend on time: t is t0 + k h to the last bit, steps are functions of it, and what is
 * conserved is the energy less what was supplied. Orders and symmetry are measured by the loop over
 * the table (tests/claims). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rattle/rattle.h"

enum { N = 3, T = 2 }; /* x, y, t */

typedef struct fixture {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double z[2 * N];
  rattle_state state;
} fixture;

static const char rod[] =
    "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal t = time()\n"
    "hamiltonian((px^2 + py^2)/2 + y)\nconstrain('rod', x^2 + y^2 - (1 + 0.3*sin(2*t))^2)\n"
    "start { x = 1, py = -1, project = true }\nintegrate { start_time = %START }\n";

static void parse(rattle_model **model, const char *text, const char *start) {
  char whole[1000], *place;
  rattle_error error;
  snprintf(whole, sizeof whole, "%s", text);
  if ((place = strstr(whole, "%START")))
    snprintf(place, sizeof whole - (size_t)(place - whole), "%s }\n", start);
  if (rattle_model_parse(model, whole, "model", NULL, &error)) fail_msg("%s", error.message);
}

static void set_up(fixture *f, const char *start, const char *method, double h, int evaluator) {
  const rattle_problem_options options = {.evaluator = evaluator};
  rattle_error error;
  parse(&f->model, rod, start);
  if (rattle_problem_create(&f->problem, f->model, &options, &error)) fail_msg("%s", error.message);
  if (rattle_problem_start(f->problem, 1, f->z, f->z + N, NULL, &error))
    fail_msg("%s", error.message);
  if (rattle_integrator_create(&f->integrator, f->problem, method, &error))
    fail_msg("%s", error.message);
  f->state = (rattle_state){.q = f->z, .p = f->z + N, .t0 = atof(start), .h = h};
}

static void tear_down(fixture *f) {
  rattle_integrator_destroy(&f->integrator);
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

static void step(fixture *f, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(f->integrator, &f->state, steps, &error))
    fail_msg("%s", error.message);
}

/* t is on its grid, and steps depend on nothing but their start: together, one by one, by another
 * integrator, with either evaluator. */
static void test_grid(void **state) {
  static const char *const methods[] = {"rattle(verlet)", "rattle(midpoint)",
                                        "suzuki4(rattle(verlet))", "gauss(2, dirac)",
                                        "adams_bashforth(3, dirac)"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fixture all, each, again;
    set_up(&all, "0.3", methods[i], 0.1, RATTLE_EVALUATOR_BLOCK);
    set_up(&each, "0.3", methods[i], 0.1, RATTLE_EVALUATOR_AUTO);
    set_up(&again, "0.3", methods[i], 0.1, RATTLE_EVALUATOR_BLOCK);
    const int extra = rattle_integrator_extra(all.integrator);
    double memory[64];
    assert_in_range(extra, 0, 64);
    step(&all, 50);
    for (int k = 1; k <= 50; k++) {
      step(&each, 1);
      assert_true(each.z[T] == 0.3 + k * 0.1);
      if (k != 20) continue;
      rattle_integrator_get_extra(each.integrator, memory);
      memcpy(again.z, each.z, sizeof again.z);
      again.state.step = 20;
      if (extra) rattle_integrator_set_extra(again.integrator, memory);
    }
    step(&again, 30);
    assert_memory_equal(all.z, each.z, sizeof all.z);
    assert_memory_equal(all.z, again.z, sizeof all.z);
    tear_down(&all);
    tear_down(&each);
    tear_down(&again);
  }
}

/* A large t does not spoil the hidden constraints, and the balance H + p_t is kept as without time:
 * by h^2, or to round-off. */
static void test_balance(void **state) {
  static const struct {
    const char *start, *method;
    double h, low, high;
  } runs[] = {{"0", "rattle(verlet)", 0.02, 1e-4, 3e-3},
              {"0", "kahan_li8(rattle(verlet))", 0.02, 0, 1e-10},
              {"0", "discrete_gradient", 0.02, 0, 1e-13},
              {"100000", "rattle(verlet)", 0.02, 1e-4, 3e-3},
              {"100000", "suzuki4(rattle(verlet))", 0.02, 0, 1e-4}};
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    fixture f;
    double H0, H, g, psi, off = 0, most = 0;
    set_up(&f, runs[i].start, runs[i].method, runs[i].h, RATTLE_EVALUATOR_BLOCK);
    assert_true(f.z[N + T] == 0); /* the start is projected */
    assert_int_equal(rattle_problem_energy(f.problem, f.z, f.z + N, &H0, NULL), RATTLE_OK);
    for (int k = 0; k < 500; k++) {
      step(&f, 1);
      assert_int_equal(rattle_problem_energy(f.problem, f.z, f.z + N, &H, NULL), RATTLE_OK);
      assert_int_equal(rattle_problem_residuals(f.problem, f.z, f.z + N, &g, &psi, NULL),
                       RATTLE_OK);
      off = fmax(off, fabs(H - H0));
      most = fmax(most, fabs(psi));
    }
    if (!(off >= runs[i].low && off <= runs[i].high))
      fail_msg("%s: the balance is off by %g", runs[i].method, off);
    if (!(most < 2e-14)) fail_msg("%s from %s: |psi| is %g", runs[i].method, runs[i].start, most);
    assert_true(fabs(f.z[N + T]) > 0.01); /* the rod does work */
    tear_down(&f);
  }
}

static void test_wrong_clock(void **state) {
  fixture f;
  rattle_error error;
  double before[2 * N];
  (void)state;
  set_up(&f, "0.3", "rattle(verlet)", 0.1, RATTLE_EVALUATOR_BLOCK);
  memcpy(before, f.z, sizeof before);
  f.state.t0 = 1;
  assert_int_equal(rattle_integrator_step(f.integrator, &f.state, 3, &error), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "set t0"));
  assert_int_equal(error.step, 0);
  assert_memory_equal(before, f.z, sizeof before);
  f.state.t0 = 0.3;
  step(&f, 3);
  f.state.t0 = f.z[T] + 3 * 0.1, f.state.h = -0.1; /* back again */
  step(&f, 3);
  for (int k = 0; k < 2 * N; k++) assert_true(fabs(f.z[k] - before[k]) < 1e-14);
  tear_down(&f);
}

/* Built by calls. */
static void test_calls(void **state) {
  rattle_model *model;
  rattle_error error;
  rattle_expr t, again;
  (void)state;
  assert_int_equal(rattle_model_create(&model, &error), RATTLE_OK);
  assert_int_equal(rattle_model_clock(model), -1);
  assert_int_equal(rattle_model_add_pair(model, "x", NULL, NULL, &error), RATTLE_OK);
  assert_int_equal(rattle_model_time(model, &t, &error), RATTLE_OK);
  assert_int_equal(rattle_model_time(model, &again, &error), RATTLE_OK);
  assert_int_equal(t, again);
  assert_int_equal(rattle_model_clock(model), 1);
  rattle_problem *problem;
  assert_int_equal(rattle_problem_create(&problem, model, NULL, &error), RATTLE_BAD_MODEL);
  assert_non_null(strstr(error.message, "no Hamiltonian"));
  assert_int_equal(rattle_model_start_variable(model, "t", 1.5, &error), RATTLE_OK);
  assert_true(rattle_model_wishes(model)->start_time == 1.5);
  rattle_model_destroy(&model);
}

/* H = p^2/2 - (1 + cos(2 t)/2) cos q + factor p_t, z = (q, t, p, p_t), context: factor */
static int driven(void *context, const double *z, double *H, double *gradient) {
  const double drive = 1 + 0.5 * cos(2 * z[1]), factor = *(const double *)context;
  *H = z[2] * z[2] / 2 - drive * cos(z[0]) + factor * z[3];
  gradient[0] = drive * sin(z[0]), gradient[1] = sin(2 * z[1]) * cos(z[0]), gradient[2] = z[2],
  gradient[3] = factor;
  return 0;
}

/* By callbacks: t is on its grid, the balance is kept, and an H without p_t is refused. */
static void test_callbacks(void **state) {
  double factor = 1, z[4] = {1, 0.3, 0, 0}, H0, H;
  const rattle_callbacks how = {.struct_size = sizeof how,
                                .n = 2,
                                .context = &factor,
                                .flags = RATTLE_SEPARABLE,
                                .hamiltonian = driven,
                                .clock = 2};
  rattle_problem *problem;
  rattle_integrator *integrator;
  rattle_error error;
  (void)state;
  if (rattle_problem_create_callbacks(&problem, &how, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&integrator, problem, "kahan_li8(verlet)", &error))
    fail_msg("%s", error.message);
  rattle_state at = {.q = z, .p = z + 2, .t0 = 0.3, .h = 0.1};
  assert_int_equal(rattle_problem_energy(problem, z, z + 2, &H0, NULL), RATTLE_OK);
  if (rattle_integrator_step(integrator, &at, 100, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_problem_energy(problem, z, z + 2, &H, NULL), RATTLE_OK);
  assert_true(z[1] == 0.3 + 100 * 0.1);
  assert_true(fabs(H - H0) < 1e-9 && fabs(z[3]) > 0.01);
  rattle_integrator_destroy(&integrator);
  factor = 0;
  if (rattle_integrator_create(&integrator, problem, "verlet", &error))
    fail_msg("%s", error.message);
  assert_int_equal(rattle_integrator_step(integrator, &at, 1, &error), RATTLE_UNSUITABLE);
  assert_true(at.step == 100 && z[1] == 0.3 + 100 * 0.1);
  rattle_integrator_destroy(&integrator);
  rattle_problem_destroy(&problem);
}

/* --- H = p^T M^-1 p/2 + p_t + V(q,t), g(q,t): the steps of natural problems ------------------- */

#define FLAT(i)                                                                                    \
  "local x" #i ", px" #i " = pair('x" #i "')\nlocal y" #i ", py" #i " = pair('y" #i "')\n"
static const char *const drifting[] = {
    /* a force, one rod; a rod of prescribed length; a driven pivot with two rods, and with three */
    FLAT(1) "local t = time()\nhamiltonian((px1^2 + py1^2)/2 + y1 + 0.3*x1*cos(1.3*t) %s)\n"
            "constrain('rod', x1^2 + y1^2 - 1)\nstart { x1 = 1, py1 = 0.5, project = true }\n",
    FLAT(1) "local t = time()\nhamiltonian((px1^2 + py1^2)/2 + y1 %s)\n"
            "constrain('rod', x1^2 + y1^2 - (1 + 0.3*sin(2*t))^2)\nstart { x1 = 1, py1 = 0.5, "
            "project = true }\n",
    FLAT(1) FLAT(
        2) "local t = time()\nhamiltonian((px1^2 + py1^2)/2 + (px2^2 + py2^2)/3 + y1 + 1.5*y2 %s)\n"
           "constrain('a', (x1 - 0.3*sin(2*t))^2 + y1^2 - 1)\nconstrain('b', (x2 - x1)^2 + (y2 - "
           "y1)^2 - 1)\n"
           "start { x1 = 1, x2 = 2, py1 = 0.5, project = true }\n",
    FLAT(1) FLAT(2) FLAT(3) "local t = time()\nhamiltonian((px1^2 + py1^2 + px2^2 + py2^2 + px3^2 "
                            "+ py3^2)/2 + y1 + y2 + y3 %s)\n"
                            "constrain('a', (x1 - 0.3*sin(2*t))^2 + y1^2 - 1)\nconstrain('b', (x2 "
                            "- x1)^2 + (y2 - y1)^2 - 1)\n"
                            "constrain('c', (x3 - x2)^2 + (y3 - y2)^2 - 1)\n"
                            "start { x1 = 1, x2 = 2, x3 = 3, py1 = 0.5, project = true }\n"};

typedef struct drive {
  double z[14], g[3], psi[3]; /* g, psi: at the start */
  rattle_counts counts;
  rattle_residuals residuals;
} drive;

/* 300 steps of 0.02 from `start` on, `apart` steps at a time; `extra` is a term of H. */
static drive drive_by(const char *text, const char *extra, const char *method, int evaluator,
                      int apart, double start) {
  drive d = {.z = {0}};
  char model[1000];
  const rattle_problem_options options = {.evaluator = evaluator};
  fixture f;
  rattle_error error;
  snprintf(model, sizeof model, text, extra);
  snprintf(model + strlen(model), sizeof model - strlen(model),
           "integrate { start_time = %.17g }\n", start);
  parse(&f.model, model, "0");
  if (rattle_problem_create(&f.problem, f.model, &options, &error)) fail_msg("%s", error.message);
  const int n = rattle_problem_n(f.problem);
  if (rattle_problem_start(f.problem, 1, d.z, d.z + n, NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_residuals(f.problem, d.z, d.z + n, d.g, d.psi, &error))
    fail_msg("%s", error.message);
  if (rattle_integrator_create(&f.integrator, f.problem, method, &error))
    fail_msg("%s", error.message);
  f.state = (rattle_state){.q = d.z, .p = d.z + n, .t0 = start, .h = 0.02};
  rattle_integrator_reset(f.integrator);
  for (int k = 0; k < 300; k += apart) step(&f, apart);
  assert_true(d.z[n - 1] == start + 300 * 0.02);
  d.counts = rattle_integrator_counts(f.integrator);
  d.residuals = rattle_integrator_residuals(f.integrator);
  tear_down(&f);
  return d;
}

static double apart_by(const drive *a, const drive *b) {
  double most = 0;
  for (int k = 0; k < 14; k++) most = fmax(most, fabs(a->z[k] - b->z[k]));
  return most;
}

/* Together or one by one, interpreted or compiled: the same bits. A term that rounding drops but
 * that makes H another kind has the general map do the same step, with second derivatives; so does
 * Newton's method on sparse rows, without them. */
static void test_drifting(void **state) {
  static const char *const methods[] = {"rattle(verlet)", "rattle(verlet(b))", "shake(verlet)",
                                        "rattle(verlet, compensated)", "suzuki4(rattle(verlet))"};
  (void)state;
  for (size_t i = 0; i < sizeof drifting / sizeof *drifting; i++)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      const drive all = drive_by(drifting[i], "", methods[k], RATTLE_EVALUATOR_BLOCK, 300, 0.3);
      const drive each = drive_by(drifting[i], "", methods[k], RATTLE_EVALUATOR_NATIVE, 1, 0.3);
      const drive native = drive_by(drifting[i], "", methods[k], RATTLE_EVALUATOR_NATIVE, 300, 0.3);
      const char *plain = strstr(methods[k], "compensated") ? "rattle(verlet)" : methods[k];
      const drive general =
          drive_by(drifting[i], "+ 1e-99*px1^4", plain, RATTLE_EVALUATOR_BLOCK, 300, 0.3);
      assert_memory_equal(all.z, each.z, sizeof all.z);
      assert_memory_equal(all.z, native.z, sizeof all.z);
      assert_int_equal(all.counts.newton_iterations, native.counts.newton_iterations);
      assert_int_equal(all.counts.followed, 0);
      assert_true(all.counts.hessian == 0 && general.counts.hessian > 0);
      if (!(apart_by(&all, &general) < 2e-11))
        fail_msg("%s on model %zu: %g", methods[k], i, apart_by(&all, &general));
    }
  for (size_t i = 0; i < sizeof drifting / sizeof *drifting; i++) {
    const drive few = drive_by(drifting[i], "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 300, 0.3);
    const drive rows = drive_by(drifting[i], "", "rattle(verlet, solver=newton)",
                                RATTLE_EVALUATOR_BLOCK, 300, 0.3);
    assert_true(rows.counts.hessian == 0 && rows.counts.factorisation > 0 &&
                apart_by(&few, &rows) < 2e-11);
  }
}

/* Time is exact: residuals are not judged by its size. */
static void test_late(void **state) {
  static const char *const methods[] = {"rattle(verlet)",
                                        "rattle(verlet, solver=newton)",
                                        "rattle(verlet, compensated)",
                                        "rattle(midpoint)",
                                        "rattle(rk4(hamiltonian))",
                                        "spark(2)",
                                        "rattle_monolithic",
                                        "discrete_gradient",
                                        "project(gauss(2, dirac))",
                                        "geodesic_rkn4",
                                        "project(rk4(dirac), symmetric)"};
  (void)state;
  for (size_t i = 0; i < sizeof drifting / sizeof *drifting; i++)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
      const drive late = drive_by(drifting[i], "", methods[k], RATTLE_EVALUATOR_BLOCK, 300, 1e9);
      for (int j = 0; j < 3; j++) assert_true(fabs(late.g[j]) < 2e-14 && fabs(late.psi[j]) < 2e-14);
      /* differences of H over a step, divided by their length, have fewer digits */
      const double most = strcmp(methods[k], "discrete_gradient") ? 2e-14 : 1e-10;
      if (!(late.residuals.g < most && late.residuals.psi < most))
        fail_msg("%s on model %zu: |g| %g, |psi| %g", methods[k], i, late.residuals.g,
                 late.residuals.psi);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid),        cmocka_unit_test(test_balance),
      cmocka_unit_test(test_wrong_clock), cmocka_unit_test(test_calls),
      cmocka_unit_test(test_callbacks),   cmocka_unit_test(test_drifting),
      cmocka_unit_test(test_late)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
