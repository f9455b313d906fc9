/* Forces that are no gradient: every method that takes them has its order and its symmetry, and the work that it accumulates is that of the
 * forces; every other method refuses with a sentence. References are programs of their own: the equations of motion with the multiplier
 * by hand, classical Runge-Kutta steps in long double. */
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

/* A particle on the unit sphere, |q| = 1, q.p = 0: lambda from q.q'' + |q'|^2 = 0. Damping, a follower force along the parallels and one that
 * depends on everything. */
static void sphere_slope(const long double *z, long double *f) {
  const long double x = z[0], y = z[1], *q = z, *p = z + 3;
  const long double V[3] = {0.75L * x * y, 0.375L * x * x, 1};
  const long double force[3] = {-0.3L * p[0] - 0.5L * y, -0.3L * p[1] + 0.5L * x, -0.3L * p[2] + 0.25L * p[0] * x};
  long double lambda = 0, power = 0;
  for (int i = 0; i < 3; i++) lambda += p[i] * p[i] + q[i] * (force[i] - V[i]);
  for (int i = 0; i < 3; i++) {
    f[i] = p[i];
    f[3 + i] = force[i] - V[i] - q[i] * lambda;
    power += force[i] * p[i];
  }
  f[6] = power;
}

/* H = p1^2/2 + (1 + q1^2) p2^2/2 + q1^2/2 + q2^2/2 + q1^2 q2^2/2, damped by p^3 and driven around the origin */
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
     "hamiltonian((px^2 + py^2 + pz^2)/2 + z + 0.375*x^2*y)\nconstrain('sphere', x^2 + y^2 + z^2 - 1)\n"
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

static rattle_status open_library(library *l, const forced *t, const char *method, int evaluator, rattle_error *error) {
  char text[4000];
  const rattle_problem_options options = {.struct_size = sizeof options, .evaluator = (rattle_evaluator)evaluator};
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
  print_error("%s: %s is %.3g, the bound is %.3g\n", l->text, finding->what, finding->measured, finding->bound);
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
  const int fine = error[1] < fmax(1e-11, 0.01 * pow(t->span / 160, order)) || error[1] * pow(2, fmin(order, 4) - 0.5) < error[0];
  if (!fine) print_error("%s on %s: errors of the work are %.3g and %.3g\n", method, t->name, error[0], error[1]);
  return !fine;
}

/* 1: measured; 0: refused with a sentence about forces; else -1 */
static int measure(const forced *t, const char *method, int evaluator) {
  library l;
  rattle_error error;
  const rattle_status status = open_library(&l, t, method, evaluator, &error);
  int answer = -1;
  if (status == RATTLE_UNSUITABLE && (strstr(error.message, "forces") || strstr(error.message, "natural problem"))) answer = 0;
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
    const rattle__measured_map map = {
        .subject = &subject, .step = step, .output = at_output ? output : NULL, .time = time_of, .self = &l};
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
        const int native = claims_takes_native() && measured % 8 == 0;
        const int answer = measure(&problems[p], methods[i], native ? RATTLE_EVALUATOR_NATIVE : RATTLE_EVALUATOR_BLOCK);
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(claims_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
