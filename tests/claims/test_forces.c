/* Forces that are no gradient: every method that takes them has its order and its symmetry, and the
 * work that it accumulates is that of the forces; every other method refuses with a sentence.
 * References are programs of their own: the equations of motion with the multiplier by hand,
 * classical Runge-Kutta steps in long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common_claims.h"
#include "common_methods.h"

enum { N_MOST = 3, STEPS = 4000 };

/* q, p, W */
typedef void field(const long double *z, long double *f);

typedef struct forced {
  const char *name, *like; /* a test problem that is tried with the same methods */
  int n, m;
  double span, start[2 * N_MOST];
  field *slope;
  const char *text;
} forced;

/* A particle on the unit sphere, |q| = 1, q.p = 0: lambda from q.q'' + |q'|^2 = 0. Damping, a
 * follower force along the parallels and one that depends on everything. */
static void sphere_slope(const long double *z, long double *f) {
  const long double x = z[0], y = z[1], *q = z, *p = z + 3;
  const long double V[3] = {0.75L * x * y, 0.375L * x * x, 1};
  const long double force[3] = {-0.3L * p[0] - 0.5L * y, -0.3L * p[1] + 0.5L * x,
                                -0.3L * p[2] + 0.25L * p[0] * x};
  long double lambda = 0, power = 0;
  for (int i = 0; i < 3; i++) lambda += p[i] * p[i] + q[i] * (force[i] - V[i]);
  for (int i = 0; i < 3; i++) {
    f[i] = p[i];
    f[3 + i] = force[i] - V[i] - q[i] * lambda;
    power += force[i] * p[i];
  }
  f[6] = power;
}

/* H = p1^2/2 + (1 + q1^2) p2^2/2 + q1^2/2 + q2^2/2 + q1^2 q2^2/2, damped by p^3 and driven around
 * the origin */
static void plane_slope(const long double *z, long double *f) {
  const long double x = z[0], y = z[1], p = z[2], r = z[3];
  const long double force[2] = {-0.2L * p - 0.5L * p * p * p + 0.3L * y, -0.2L * r - 0.3L * x};
  f[0] = p;
  f[1] = (1 + x * x) * r;
  f[2] = force[0] - x * r * r - x - x * y * y;
  f[3] = force[1] - y - x * x * y;
  f[4] = force[0] * f[0] + force[1] * f[1];
}

static const forced problems[] = {
    {"plane",
     "product",
     2,
     0,
     6,
     {0.5, 0.25, 0.3, -0.2},
     plane_slope,
     "local x, p = pair('x', 'p')\nlocal y, r = pair('y', 'r')\n"
     "hamiltonian(p^2/2 + (1 + x^2)*r^2/2 + x^2/2 + y^2/2 + x^2*y^2/2)\n"
     "force { x = -0.2*p - 0.5*p^3, y = -0.2*r - 0.3*x }\nforce { x = 0.3*y }\n"},
    {"sphere",
     "spherical",
     3,
     1,
     2,
     {0.8, 0, -0.6, 0.3, 1, 0.4},
     sphere_slope,
     "local x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, pz = pair('z')\n"
     "hamiltonian((px^2 + py^2 + pz^2)/2 + z + 0.375*x^2*y)\nconstrain('sphere', x^2 + y^2 + z^2 - "
     "1)\n"
     "force { x = -0.3*px - 0.5*y, y = -0.3*py + 0.5*x, z = -0.3*pz + 0.25*px*x }\n"}};

/* ---- the reference ---- */

static void runge_kutta(const forced *t, long double h, long double *z) {
  const int size = 2 * t->n + 1;
  long double k[4][2 * N_MOST + 1], at[2 * N_MOST + 1];
  for (int s = 0; s < 4; s++) {
    for (int c = 0; c < size; c++) at[c] = z[c] + (s ? h * (s < 3 ? 0.5L : 1) * k[s - 1][c] : 0);
    t->slope(at, k[s]);
  }
  for (int c = 0; c < size; c++) z[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
}

/* (q, p, W) at a time */
static void solve(const forced *t, double time, long double *z) {
  for (int c = 0; c < 2 * t->n; c++) z[c] = t->start[c];
  z[2 * t->n] = 0;
  for (int k = 0; k < STEPS; k++) runge_kutta(t, (long double)time / STEPS, z);
}

static int exact(void *self, double time, long double *z) {
  const forced *t = self;
  static long double kept[sizeof problems / sizeof *problems][2 * N_MOST + 1];
  static int known[sizeof problems / sizeof *problems];
  long double other[2 * N_MOST + 1], *end = time == t->span ? kept[t - problems] : other;
  if (end == other || !known[t - problems]) solve(t, time, end);
  if (end != other) known[t - problems] = 1;
  memcpy(z, end, 2 * (size_t)t->n * sizeof *z);
  return 0;
}

/* ---- the library as a map ---- */

typedef struct library {
  const forced *problem;
  rattle_model *model;
  rattle_problem *compiled;
  rattle_integrator *integrator;
  double time, work;
} library;

static rattle_status open_library(library *l, const forced *t, const char *method, int evaluator,
                                  rattle_error *error) {
  char text[4000];
  const rattle_problem_options options = {.struct_size = sizeof options,
                                          .evaluator = (rattle_evaluator)evaluator};
  snprintf(text, sizeof text, "%s%s", t->text, claims_coefficients);
  *l = (library){.problem = t};
  rattle_status status = rattle_model_parse(&l->model, text, t->name, NULL, error);
  if (!status) status = rattle_problem_create(&l->compiled, l->model, &options, error);
  return status ? status : rattle_integrator_create(&l->integrator, l->compiled, method, error);
}

static void close_library(library *l) {
  rattle_integrator_destroy(&l->integrator);
  rattle_problem_destroy(&l->compiled);
  rattle_model_destroy(&l->model);
}

static int step(void *self, double h, long long steps, double *q, double *p) {
  library *l = self;
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = h};
  const rattle_status status = rattle_integrator_step(l->integrator, &state, steps, NULL);
  l->time = rattle_integrator_time(l->integrator, &state);
  l->work = rattle_integrator_work(l->integrator, &state);
  return status;
}

static int output(void *self, double *q, double *p) {
  library *l = self;
  rattle_state state = {.struct_size = sizeof state, .q = q, .p = p, .h = 0.05};
  return rattle_integrator_output(l->integrator, &state, q, p, NULL);
}

static double time_of(void *self) {
  return ((library *)self)->time;
}

static void residuals(void *self, const long double *z, long double *g, long double *psi) {
  (void)self;
  g[0] = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] - 1;
  if (psi) psi[0] = 2 * (z[0] * z[3] + z[1] * z[4] + z[2] * z[5]);
}

typedef struct listener {
  const char *text;
  int failures;
} listener;

static int take(void *self, const rattle__finding *finding) {
  listener *l = self;
  if (finding->holds) return 0;
  print_error("%s: %s is %.3g, the bound is %.3g\n", l->text, finding->what, finding->measured,
              finding->bound);
  return l->failures = 1;
}

/* The work has the order of the method. */
static int check_work(library *l, int order, const char *method) {
  const forced *t = l->problem;
  long double z[2 * N_MOST + 1];
  double error[2];
  solve(t, t->span, z);
  for (int i = 0; i < 2; i++) {
    double q[2 * N_MOST];
    memcpy(q, t->start, sizeof q);
    const long long steps = (order > 1 ? 80 : 640) << i;
    if (step(l, t->span / (double)steps, steps, q, q + t->n)) return 1;
    error[i] = fabs((double)(l->work - z[2 * t->n]));
  }
  const int fine = error[1] < fmax(1e-11, 0.01 * pow(t->span / 160, order)) ||
                   error[1] * pow(2, fmin(order, 4) - 0.5) < error[0];
  if (!fine)
    print_error("%s on %s: errors of the work are %.3g and %.3g\n", method, t->name, error[0],
                error[1]);
  return !fine;
}

/* 1: measured; 0: refused with a sentence about forces; else -1 */
static int measure(const forced *t, const char *method, int evaluator) {
  library l;
  rattle_error error;
  const rattle_status status = open_library(&l, t, method, evaluator, &error);
  int answer = -1;
  if (status == RATTLE_UNSUITABLE &&
      (strstr(error.message, "forces") || strstr(error.message, "natural problem")))
    answer = 0;
  if (status && answer) print_error("%s on %s: %s\n", method, t->name, error.message);
  if (!status) {
    const rattle_claims claims = rattle_integrator_claims(l.integrator);
    assert_int_equal(claims.symplectic, 0);
    rattle__measured_problem subject = {.name = t->name,
                                        .n = t->n,
                                        .m = t->m,
                                        .hidden = 1,
                                        .span = t->span,
                                        .exact = exact,
                                        .residuals = residuals,
                                        .self = (void *)t};
    memcpy(subject.z0, t->start, sizeof t->start);
    const int at_output = strstr(method, "project=output") != NULL;
    const rattle__measured_map map = {.subject = &subject,
                                      .step = step,
                                      .output = at_output ? output : NULL,
                                      .time = time_of,
                                      .self = &l};
    rattle__measured found;
    char text[128];
    snprintf(text, sizeof text, "%.90s on %.20s", method, t->name);
    answer = 1;
    listener heard = {text, 0};
    rattle__measure_claims(&map, &claims, &found, take, &heard);
    int failed = heard.failures;
    if (!strstr(method, "tol=") && !strstr(method, "adaptive") && !strstr(method, "every="))
      failed |= check_work(&l, claims.keeps_psi || at_output || !t->m ? claims.order : 1, method);
    if (failed) answer = -1;
  }
  close_library(&l);
  return answer;
}

static void claims_hold(void **state) {
  const rattle_method_row *rows;
  const int count = rattle_method_rows(&rows);
  int failures = 0, measured = 0, refused = 0;
  (void)state;
  for (int p = 0; p < (int)(sizeof problems / sizeof *problems); p++) {
    const tests_problem *like = tests_problem_named(problems[p].like);
    for (int r = 0; r < count; r++) {
      methods_text methods[METHODS_MAX];
      const int tried = methods_of(&rows[r], like, methods);
      for (int i = 0; i < tried; i += p ? TESTS_ONE_IN : 3) {
        if (claims_order_in_round_off(methods[i])) continue;
        const int native = claims_takes_native() && measured % 8 == 0;
        const int answer = measure(&problems[p], methods[i],
                                   native ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK);
        failures += answer < 0;
        measured += answer == 1;
        refused += answer == 0;
      }
    }
  }
  print_message("%d measured, %d refused\n", measured, refused);
  assert_int_equal(failures, 0);
  assert_true(measured * TESTS_ONE_IN >= 130);
}

/* ---- the balance ---- */

static const char van_der_pol[] =
    "local x, p = pair('x', 'p')\nhamiltonian((p^2 + x^2)/2)\nforce { x = 0.5*(1 - x^2)*p }\n";

/* H(end) - H(start) - work after so many steps. */
static double balance_after(const forced *t, const char *method, double h, long long steps) {
  library l;
  rattle_error error;
  double q[2 * N_MOST], H[2];
  memcpy(q, t->start, sizeof q);
  assert_int_equal(open_library(&l, t, method, RATTLE_EVALUATOR_AUTO, &error), RATTLE_OK);
  assert_int_equal(rattle_problem_energy(l.compiled, q, q + t->n, &H[0], NULL), RATTLE_OK);
  assert_int_equal(step(&l, h, steps, q, q + t->n), RATTLE_OK);
  assert_int_equal(rattle_problem_energy(l.compiled, q, q + t->n, &H[1], NULL), RATTLE_OK);
  close_library(&l);
  return H[1] - H[0] - l.work;
}

/* On a limit cycle, which energy flows through for ever: to round-off where the stage is at the
 * middle of a quadratic H, else with h^2 of what flows. */
static void balance_has_no_drift(void **state) {
  const forced cycle = {"van der Pol", "", 1, 0, 1, {1, 0}, NULL, van_der_pol};
  const long long steps = 1000000 / (TESTS_ONE_IN * TESTS_ONE_IN * TESTS_ONE_IN);
  (void)state;
  assert_true(fabs(balance_after(&cycle, "midpoint", 0.05, steps)) < 1e-11);
  assert_true(fabs(balance_after(&cycle, "gauss(2)", 0.05, 1000)) < 1e-13);
  const double coarse = balance_after(&cycle, "verlet", 0.05, 2000),
               fine = balance_after(&cycle, "verlet", 0.025, 4000);
  assert_true(coarse / fine > 3.8 && coarse / fine < 4.2);
}

/* A driven rotor: friction takes what the follower force gives, in each step. */
static void steady_rotation_has_no_drift(void **state) {
  const forced rotor = {
      "rotor",
      "",
      2,
      1,
      1,
      {1, 0, 0, 2},
      NULL,
      "local x, px = pair('x')\nlocal y, py = pair('y')\nhamiltonian((px^2 + py^2)/2)\n"
      "constrain('rod', x^2 + y^2 - 1)\nforce { x = -y - 0.5*px, y = x - 0.5*py }\n"};
  (void)state;
  const double early = balance_after(&rotor, "rattle(midpoint)", 0.05, 2000),
               late = balance_after(&rotor, "rattle(midpoint)", 0.05, 20000 / TESTS_ONE_IN);
  assert_true(fabs(late - early) < 1e-11);
}

/* ---- the work as state ---- */

/* A step from restored state is the step of the run, bit for bit, and a failed step or another
 * start leaves no trace. */
static void work_is_restored(void **state) {
  library l, other;
  rattle_error error;
  double q[2 * N_MOST], kept[2 * N_MOST], extra[1], again[2 * N_MOST];
  const forced *t = &problems[1];
  (void)state;
  assert_int_equal(open_library(&l, t, "suzuki4(rattle(verlet))", RATTLE_EVALUATOR_BLOCK, &error),
                   RATTLE_OK);
  assert_int_equal(
      open_library(&other, t, "suzuki4(rattle(verlet))", RATTLE_EVALUATOR_BLOCK, &error),
      RATTLE_OK);
  assert_int_equal(rattle_integrator_extra(l.integrator), 1);
  memcpy(q, t->start, sizeof q);
  assert_int_equal(step(&l, 0.05, 10, q, q + 3), RATTLE_OK);
  memcpy(kept, q, sizeof q);
  rattle_integrator_get_extra(l.integrator, extra);
  assert_true(extra[0] == l.work && l.work != 0);
  assert_int_equal(step(&l, 0.05, 10, q, q + 3), RATTLE_OK);
  memcpy(again, kept, sizeof again);
  rattle_integrator_set_extra(other.integrator, extra);
  assert_int_equal(step(&other, 0.05, 10, again, again + 3), RATTLE_OK);
  assert_memory_equal(again, q, sizeof q);
  assert_true(other.work == l.work);
  assert_int_not_equal(step(&other, 50, 1, again, again + 3), RATTLE_OK);
  assert_true(other.work == l.work);
  memcpy(again, kept, sizeof again); /* a start that is not where the last step ended */
  assert_int_equal(step(&other, 0.05, 10, again, again + 3), RATTLE_OK);
  assert_true(fabs(other.work - (l.work - extra[0])) < 1e-14);
  close_library(&l);
  close_library(&other);
}

/* ---- callbacks ---- */

static int energy(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[3] * z[3] + z[4] * z[4] + z[5] * z[5]) / 2 + z[2] + 0.375 * z[0] * z[0] * z[1];
  const double slope[6] = {0.75 * z[0] * z[1], 0.375 * z[0] * z[0], 1, z[3], z[4], z[5]};
  memcpy(gradient, slope, sizeof slope);
  return 0;
}

static int sphere(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  g[0] = z[0] * z[0] + z[1] * z[1] + z[2] * z[2] - 1;
  for (int c = 0; c < 6; c++) jacobian[c] = c < 3 ? 2 * z[c] : 0;
  return 0;
}

static int push(void *context, const double *z, double *f, double *jacobian) {
  const double J[18] = {0, -0.5, 0, -0.3,        0, 0, 0.5,         0, 0,
                        0, -0.3, 0, 0.25 * z[3], 0, 0, 0.25 * z[0], 0, -0.3};
  f[0] = -0.3 * z[3] - 0.5 * z[1];
  f[1] = -0.3 * z[4] + 0.5 * z[0];
  f[2] = -0.3 * z[5] + 0.25 * z[3] * z[0];
  memcpy(jacobian, J, sizeof J);
  return *(int *)context;
}

static void callbacks_agree(void **state) {
  int answer = 0;
  rattle_callbacks c = {.struct_size = sizeof c,
                        .n = 3,
                        .m = 1,
                        .context = &answer,
                        .flags = RATTLE_HOLONOMIC,
                        .hamiltonian = energy,
                        .constraint = sphere,
                        .force = push};
  library model, calls = {.problem = &problems[1]};
  rattle_error error;
  double q[6], p[6];
  (void)state;
  assert_int_equal(
      open_library(&model, &problems[1], "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, &error),
      RATTLE_OK);
  assert_int_equal(rattle_problem_create_callbacks(&calls.compiled, &c, &error), RATTLE_OK);
  assert_true(rattle_problem_kind(calls.compiled) & RATTLE_FORCED);
  assert_int_equal(
      rattle_integrator_create(&calls.integrator, calls.compiled, "rattle(verlet)", &error),
      RATTLE_OK);
  memcpy(q, problems[1].start, sizeof q);
  memcpy(p, problems[1].start, sizeof p);
  assert_int_equal(step(&model, 0.02, 100, q, q + 3), RATTLE_OK);
  assert_int_equal(step(&calls, 0.02, 100, p, p + 3), RATTLE_OK);
  for (int k = 0; k < 6; k++) assert_true(fabs(q[k] - p[k]) < 1e-13);
  assert_true(fabs(model.work - calls.work) < 1e-13);
  answer = -7;
  assert_int_equal(step(&calls, 0.02, 1, p, p + 3), RATTLE_CALLBACK);
  answer = 0;
  close_library(&model);
  close_library(&calls);
  c.flags |= RATTLE_SEPARABLE;
  assert_int_equal(rattle_problem_create_callbacks(&calls.compiled, &c, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "with forces"));
  c.flags = 0;
  assert_int_equal(rattle_problem_create_callbacks(&calls.compiled, &c, &error),
                   RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(error.message, "constraints on coordinates"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_hold), cmocka_unit_test(balance_has_no_drift),
      cmocka_unit_test(steady_rotation_has_no_drift), cmocka_unit_test(work_is_restored),
      cmocka_unit_test(callbacks_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
