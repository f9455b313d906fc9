/* Plug-ins in a program: what is added is found, used in expressions, and refused where it is
 * wrong; what it claims falsely is refuted by verification, claim by claim. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../one_in.h"
#include "rattle/rattle.h"

enum { MOST = 12 };

/* --- maps --- */

/* Stoermer-Verlet, as in the table: kick h/2, drift h, kick h/2, or (form b) with kick and drift
 * exchanged. */
static int leap(const rattle_equations *H, double h, const double *z0, double *z1, int form_b) {
  double slope[MOST];
  memcpy(z1, z0, 2 * (size_t)H->n * sizeof *z1);
  for (int part = 0; part < 3; part++) {
    const int drift = (part == 1) != form_b;
    const int failed = drift ? H->velocity(H, z1 + H->n, slope) : H->force(H, z1, slope);
    const double length = part == 1 ? h : h / 2;
    if (failed) return failed;
    for (int k = 0; k < H->n; k++)
      z1[drift ? k : H->n + k] += drift ? length * slope[k] : -length * slope[k];
  }
  return 0;
}

static int verlet_step(void *self, const rattle_equations *H, double h, const double *z0,
                       double *z1) {
  (void)self;
  return leap(H, h, z0, z1, 0);
}

static int drifts_step(void *self, const rattle_equations *H, double h, const double *z0,
                       double *z1) {
  (void)self;
  return leap(H, h, z0, z1, 1);
}

/* W <- Dphi_h W but for the forces: Newton's matrix is off, the solution of its equations is
 * not. */
static int no_tangent(void *self, const rattle_equations *H, double h, const double *z0, int count,
                      double *W) {
  (void)self, (void)z0;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < H->n; i++) W[2 * H->n * k + i] += h * W[2 * H->n * k + H->n + i];
  return 0;
}

/* z + h X_H(z), and the midpoint rule of Runge */
static int euler_step(void *self, const rattle_equations *H, double h, const double *z0,
                      double *z1) {
  double slope[2 * MOST];
  (void)self;
  const int failed = H->gradient(H, z0, slope);
  for (int k = 0; k < H->n && !failed; k++) {
    z1[k] = z0[k] + h * slope[H->n + k];
    z1[H->n + k] = z0[H->n + k] - h * slope[k];
  }
  return failed;
}

static int runge_step(void *self, const rattle_equations *H, double h, const double *z0,
                      double *z1) {
  double slope[2 * MOST], middle[2 * MOST];
  int failed = euler_step(self, H, h / 2, z0, middle);
  if (!failed) failed = H->gradient(H, middle, slope);
  for (int k = 0; k < H->n && !failed; k++) {
    z1[k] = z0[k] + h * slope[H->n + k];
    z1[H->n + k] = z0[H->n + k] - h * slope[k];
  }
  return failed;
}

/* Verlet, pulled by 1e-13 of where it was asked last. */
static int forgetful_step(void *self, const rattle_equations *H, double h, const double *z0,
                          double *z1) {
  double *last = self;
  const int failed = verlet_step(NULL, H, h, z0, z1);
  z1[0] += 1e-13 * last[0];
  last[0] = z0[0];
  return failed;
}

/* The midpoint rule, by as many iterations as it takes. */
static int implicit_step(void *self, const rattle_equations *H, double h, const double *z0,
                         double *z1) {
  double slope[2 * MOST], middle[2 * MOST], change = 1;
  const int n = H->n;
  (void)self;
  memcpy(z1, z0, 2 * (size_t)n * sizeof *z1);
  for (int round = 0; round < 500 && change > 1e-17; round++) {
    change = 0;
    for (int k = 0; k < 2 * n; k++) middle[k] = (z0[k] + z1[k]) / 2;
    const int failed = H->gradient(H, middle, slope);
    if (failed) return failed;
    for (int k = 0; k < 2 * n; k++) {
      const double z = k < n ? z0[k] + h * slope[n + k] : z0[k] - h * slope[k - n];
      change = fmax(change, fabs(z - z1[k]));
      z1[k] = z;
    }
  }
  return 0;
}

static int stopping_step(void *self, const rattle_equations *H, double h, const double *z0,
                         double *z1) {
  const int failed = verlet_step(self, H, h, z0, z1);
  return failed ? failed : z1[0] < 0.5 ? 7 : 0;
}

/* Goes wrong by a part of h: another equation's solution, with an order of 2 to all appearance. */
static int inconsistent_step(void *self, const rattle_equations *H, double h, const double *z0,
                             double *z1) {
  return verlet_step(self, H, 1.001 * h, z0, z1);
}

static int made, destroyed;

static int create(void **self, const rattle_equations *H) {
  (void)H;
  made++;
  return (*self = calloc(1, sizeof(double))) ? 0 : -1;
}

static void destroy(void *self) {
  destroyed++;
  free(self);
}

#define MAP(name_, ...)                                                                            \
  {                                                                                                \
    .struct_size = sizeof(rattle_base_map), .name = name_, .text = "a map of the tests",           \
    __VA_ARGS__                                                                                    \
  }
static const rattle_base_map
    kicks = MAP("kicks", .order = 2, .symmetric = 1, .symplectic = 1, .explicit_ = 1,
                .needs = RATTLE_SEPARABLE, .step = verlet_step),
    lazy = MAP("lazy", .order = 2, .symmetric = 1, .symplectic = 1, .explicit_ = 1,
               .needs = RATTLE_SEPARABLE, .step = verlet_step, .tangent = no_tangent),
    high = MAP("high", .order = 3, .symplectic = 1, .needs = RATTLE_SEPARABLE, .step = verlet_step),
    one_sided = MAP("one_sided", .order = 2, .symmetric = 1, .step = runge_step),
    shrinking = MAP("shrinking", .order = 2, .symplectic = 1, .step = runge_step),
    forgetful = MAP("forgetful", .order = 2, .needs = RATTLE_SEPARABLE, .step = forgetful_step,
                    .create = create, .destroy = destroy),
    drifts = MAP("drifts", .order = 2, .symmetric = 1, .symplectic = 1, .explicit_ = 1,
                 .needs = RATTLE_SEPARABLE, .step = drifts_step),
    iterating = MAP("iterating", .order = 2, .symmetric = 1, .symplectic = 1, .explicit_ = 1,
                    .step = implicit_step),
    stopping = MAP("stopping", .order = 2, .needs = RATTLE_SEPARABLE, .step = stopping_step),
    inconsistent = MAP("inconsistent", .order = 1, .symplectic = 1, .needs = RATTLE_SEPARABLE,
                       .step = inconsistent_step),
    plain = MAP("plain", .order = 1, .step = euler_step);
static const rattle_base_map *const maps[] = {&kicks,     &lazy,         &high,   &one_sided,
                                              &shrinking, &forgetful,    &drifts, &iterating,
                                              &stopping,  &inconsistent, &plain};
static const rattle_plugin plugin = {.struct_size = sizeof plugin,
                                     .name = "of the tests",
                                     .version = "3",
                                     .maps = sizeof maps / sizeof *maps,
                                     .map = maps};

static int add(void **state) {
  (void)state;
  return rattle_plugin_add(&plugin, NULL) != RATTLE_OK;
}

/* --- what is added --- */

static void test_rows(void **state) {
  (void)state;
  const rattle_method_row *table;
  const int rows = rattle_method_rows(&table);
  rattle_error error;
  assert_int_equal(rattle_plugin_add(&plugin, &error), RATTLE_OK); /* once more: nothing happens */
  for (int i = 0; i < plugin.maps; i++)
    assert_string_equal(rattle_plugin_row(i)->name, maps[i]->name);
  assert_null(rattle_plugin_row(plugin.maps));
  assert_null(rattle_plugin_row(-1));
  assert_string_equal(rattle_plugin_row(0)->needs, "separable");
  assert_int_equal(rattle_method_rows(&table), rows);

  rattle_method *method;
  assert_int_equal(rattle_method_parse(&method, "suzuki4( rattle(kicks) )", &error), RATTLE_OK);
  assert_string_equal(rattle_method_text(method), "suzuki4(rattle(kicks))");
  const rattle_claims claims = rattle_method_claims(method);
  assert_int_equal(claims.order, 4);
  assert_true(claims.symmetric && claims.symplectic && claims.explicit_ && claims.pure &&
              claims.keeps_g && claims.stages == 5);
  assert_string_equal(rattle_method_plugin(method)->name, "of the tests");
  rattle_method_destroy(&method);
  assert_int_equal(rattle_method_parse(&method, "rattle(verlet)", &error), RATTLE_OK);
  assert_null(rattle_method_plugin(method));
  rattle_method_destroy(&method);
  assert_int_equal(rattle_method_parse(&method, "rattle(kickz)", &error), RATTLE_BAD_METHOD);
  assert_non_null(strstr(error.message, "kicks")); /* the nearest name */
  assert_int_equal(rattle_method_parse(&method, "suzuki4(rattle(shrinking))", &error),
                   RATTLE_BAD_METHOD);
  assert_non_null(strstr(error.message, "not symmetric"));
}

static void expect_refused(const rattle_plugin *bad, const char *why) {
  rattle_error error;
  int before = 0, after = 0;
  while (rattle_plugin_row(before)) before++;
  if (rattle_plugin_add(bad, &error) != RATTLE_BAD_ARGUMENT) fail_msg("added, although %s", why);
  if (!strstr(error.message, why))
    fail_msg("refused for another reason than %s: %s", why, error.message);
  while (rattle_plugin_row(after)) after++;
  assert_int_equal(before, after);
}

static void refuse_map(const rattle_base_map *map, const char *why) {
  const rattle_base_map *const both[] = {map, map};
  const rattle_plugin bad = {.struct_size = sizeof bad, .name = "bad", .maps = 1, .map = both};
  expect_refused(&bad, why);
}

static void test_refusals(void **state) {
  (void)state;
  rattle_error error;
  assert_int_equal(rattle_plugin_add(NULL, &error), RATTLE_BAD_ARGUMENT);
  expect_refused(&(rattle_plugin){.struct_size = sizeof(rattle_plugin)}, "there is no name");
  expect_refused(&(rattle_plugin){.struct_size = 3, .name = "bad"}, "struct_size");
  expect_refused(&(rattle_plugin){.struct_size = sizeof(rattle_plugin), .name = "bad", .maps = 1},
                 "0 .. 100");
  rattle_base_map map = kicks;
  refuse_map(&map, "is taken by the plug-in");
  map.name = "verlet", refuse_map(&map, "the table of methods has a row");
  map.name = "two words", refuse_map(&map, "no name of letters");
  map.name = NULL, refuse_map(&map, "no name of letters");
  map.name = "quad", refuse_map(&map, "no name of letters");
  map.name = "fresh", map.order = 0, refuse_map(&map, "the order");
  map = kicks, map.name = "fresh", map.step = NULL, refuse_map(&map, "there is no step");
  map = kicks, map.name = "fresh", map.needs = RATTLE_HOLONOMIC, refuse_map(&map, "`needs`");
  map = kicks, map.name = "fresh", map.struct_size = 1, refuse_map(&map, "struct_size");
  map = kicks, map.name = "fresh";
  const rattle_base_map *const twice[] = {&map, &map};
  expect_refused(
      &(rattle_plugin){
          .struct_size = sizeof(rattle_plugin), .name = "bad", .maps = 2, .map = twice},
      "two base maps have the name");
  assert_int_equal(rattle_plugin_load("/nowhere/at_all.so", NULL, &error), RATTLE_IO);
  assert_int_equal(rattle_plugin_load("", NULL, &error), RATTLE_BAD_ARGUMENT);
}

/* --- steps --- */

typedef struct system_ {
  rattle_model *model;
  rattle_problem *problem;
  double z[6];
} system_;

#define SPHERE                                                                                     \
  "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"                      \
  "hamiltonian((px^2 + py^2 + pz^2)/2 + z + x^2*y/2)\nconstrain('sphere', x^2 + y^2 + z^2 - 1)\n"  \
  "start { x = 1, py = 0.5, pz = -1 }\n"

static void open_system(system_ *s, const char *text) {
  rattle_error error;
  if (rattle_model_parse(&s->model, text, "test", NULL, &error) ||
      rattle_problem_create(&s->problem, s->model, NULL, &error) ||
      rattle_problem_start(s->problem, 0, s->z, s->z + rattle_problem_n(s->problem), NULL, &error))
    fail_msg("%s", error.message);
}

static void close_system(system_ *s) {
  rattle_problem_destroy(&s->problem);
  rattle_model_destroy(&s->model);
}

static rattle_status go_by(const system_ *s, const char *method, int steps, double h, double z[6],
                           long long *gradients, rattle_error *error) {
  rattle_integrator *integrator;
  const int n = rattle_problem_n(s->problem);
  rattle_status status = rattle_integrator_create(&integrator, s->problem, method, error);
  if (status) return status;
  memcpy(z, s->z, 6 * sizeof *z);
  rattle_state state = {.struct_size = sizeof state, .q = z, .p = z + n, .h = h};
  status = rattle_integrator_step(integrator, &state, steps, error);
  if (gradients) *gradients = rattle_integrator_counts(integrator).gradient;
  rattle_integrator_destroy(&integrator);
  return status;
}

static rattle_status go(const system_ *s, const char *method, int steps, double z[6],
                        long long *gradients, rattle_error *error) {
  return go_by(s, method, steps, 0.02, z, gradients, error);
}

/* The same method as a plug-in and as a row of the table takes the same steps to round-off,
 * whatever its tangent. */
static void test_steps(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"rattle(kicks)", "rattle(verlet)"},
                                         {"rattle(lazy)", "rattle(verlet)"},
                                         {"shake(kicks)", "shake(verlet)"},
                                         {"kahan_li6(rattle(kicks))", "kahan_li6(rattle(verlet))"},
                                         {"rattle(plain)", "rattle(euler)"}};
  system_ s;
  rattle_error error;
  open_system(&s, SPHERE);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    double a[6], b[6];
    long long gradients = 0;
    if (go(&s, pairs[i][0], 100, a, &gradients, &error) ||
        go(&s, pairs[i][1], 100, b, NULL, &error))
      fail_msg("%s", error.message);
    for (int k = 0; k < 6; k++)
      if (!(fabs(a[k] - b[k]) < 1e-13))
        fail_msg("%s: %.3g from %s", pairs[i][0], a[k] - b[k], pairs[i][1]);
    assert_true(gradients >= 100);
  }
  close_system(&s);
}

/* A sphere of 1e-10 m, a particle of 1e-26 kg: a map without tangent takes the steps that it takes
 * elsewhere, in as many iterations. */
static void test_units(void **state) {
  (void)state;
  static const char *const units[] = {"1, 1, 1", "1e-10, 1e-26, 1e-13", "1e9, 1e24, 1e6",
                                      "1, 1e-20, 1"};
  double first[6] = {0}, scale[2];
  long long asked[4];
  for (int u = 0; u < 4; u++) {
    double unit[3], z[6];
    char model[800];
    system_ s;
    rattle_error error;
    sscanf(units[u], "%lf, %lf, %lf", &unit[0], &unit[1], &unit[2]);
    scale[0] = unit[0], scale[1] = unit[1] * unit[0] / unit[2];
    snprintf(
        model, sizeof model,
        "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
        "local l, m, t = %s\nlocal e, c = m*l^2/t^2, m*l/t\n"
        "hamiltonian(e*(sqrt(1 + (px^2 + py^2 + pz^2)/c^2) + z/l + sin(2*x/l)*y/l))\n"
        "constrain('sphere', (x^2 + y^2 + z^2)/l^2 - 1)\nstart { x = l, py = 0.5*c, pz = -c }\n",
        units[u]);
    open_system(&s, model);
    if (go_by(&s, "rattle(drifts)", 100, 0.02 * unit[2], z, &asked[u], &error))
      fail_msg("%s: %s", units[u], error.message);
    for (int k = 0; k < 6; k++) {
      if (!u) first[k] = z[k];
      if (!(fabs(z[k] / scale[k / 3] - first[k]) < 1e-12))
        fail_msg("%s: %g for %g", units[u], z[k] / scale[k / 3], first[k]);
    }
    if (asked[u] > asked[0] * 11 / 10)
      fail_msg("%s: %lld gradients, not %lld", units[u], asked[u], asked[0]);
    close_system(&s);
  }
}

static void test_needs(void **state) {
  (void)state;
  system_ s;
  rattle_error error;
  double z[6];
  open_system(&s,
              "local x, px = pair('x')\nhamiltonian((1 + x^2)*(1 + px^2)/2)\nstart { x = 1 }\n");
  assert_int_equal(go(&s, "kicks", 1, z, NULL, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "T(p) + V(q)"));
  assert_int_equal(go(&s, "iterating", 1, z, NULL, &error), RATTLE_OK);
  assert_int_equal(go(&s, "iterating(compensated)", 1, z, NULL, &error), RATTLE_UNSUITABLE);
  assert_int_equal(go(&s, "iterating(quad)", 1, z, NULL, &error), RATTLE_UNSUITABLE);
  close_system(&s);
}

/* A map that stops leaves the state of the last good step. */
static void test_failure(void **state) {
  (void)state;
  system_ s;
  rattle_error error;
  double z[6], good[6];
  open_system(&s, "local x, px = pair('x')\nhamiltonian(px^2/2 + x^2/2)\nstart { x = 1 }\n");
  assert_int_equal(go(&s, "stopping", 100, z, NULL, &error), RATTLE_CALLBACK);
  assert_non_null(strstr(error.message, "7"));
  assert_true(error.step > 10 && error.step < 100);
  assert_int_equal(go(&s, "kicks", (int)error.step, good, NULL, NULL), RATTLE_OK);
  assert_memory_equal(z, good, 2 * sizeof *z);
  made = destroyed = 0;
  assert_int_equal(go(&s, "forgetful", 10, z, NULL, &error), RATTLE_OK);
  assert_int_equal(made, 1);
  assert_int_equal(destroyed, 1);
  close_system(&s);
}

/* --- claims --- */

/* Verifies a method: whether that claim, and no other, is refuted; NULL: none. */
static void expect_verdict(const char *method, const char *claim) {
  rattle_verification *verification;
  rattle_error error;
  if (rattle_verification_create(&verification, method, NULL, &error))
    fail_msg("%s", error.message);
  const rattle_verification_result *r = rattle_verification_result_of(verification);
  int of_claim = 0;
  if (!r->verdicts) fail_msg("%s: nothing was measured: %s", method, r->note);
  for (int i = 0; i < r->verdicts; i++) {
    const rattle_verdict *v = &r->verdict[i];
    if (v->holds || strcmp(v->method, method) != 0)
      continue; /* of wrappers around it more may fail */
    if (!claim || strcmp(v->claim, claim) != 0)
      fail_msg("%s on %s: %s is %g, the bound is %g", method, v->problem, v->claim, v->measured,
               v->bound);
    of_claim++;
  }
  if (!claim && r->refuted)
    fail_msg("%s: %d claims of wrappers around it are refuted", method, r->refuted);
  if (claim && !of_claim) fail_msg("%s: the claim \"%s\" stands", method, claim);
  rattle_verification_destroy(&verification);
  assert_null(verification);
}

static void test_right_claims(void **state) {
  (void)state;
  expect_verdict("kicks", NULL);
  expect_verdict("plain", NULL);
}

static void test_wrong_order(void **state) {
  (void)state;
  expect_verdict("high", "order");
  expect_verdict("inconsistent", "order");
}

static void test_wrong_symmetry(void **state) {
  (void)state;
  expect_verdict("one_sided", "symmetric");
}

static void test_wrong_symplecticity(void **state) {
  (void)state;
  expect_verdict("shrinking", "symplectic");
}

static void test_wrong_memory(void **state) {
  (void)state;
  expect_verdict("forgetful", "pure");
}

static void test_wrong_explicit(void **state) {
  (void)state;
  expect_verdict("iterating", "explicit");
}

/* Methods of the table go the same way. */
static void test_table(void **state) {
  (void)state;
  rattle_verification *verification;
  rattle_error error;
  expect_verdict("rattle(verlet, project=output)", NULL);
  expect_verdict("adams_bashforth(3, dirac)", NULL);
  expect_verdict("discrete_gradient", NULL);
  assert_int_equal(rattle_verification_create(&verification, "rattle(", NULL, &error),
                   RATTLE_BAD_METHOD);
  assert_null(verification);
  const int stop = 1;
  const rattle_verify_options options = {.struct_size = sizeof options, .interrupt = &stop};
  assert_int_equal(rattle_verification_create(&verification, "kicks", &options, &error),
                   RATTLE_INTERRUPTED);
  assert_null(verification);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),  cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_steps), cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_needs), cmocka_unit_test(test_failure)};
  const struct CMUnitTest measured[] = {
      cmocka_unit_test(test_right_claims),   cmocka_unit_test(test_wrong_order),
      cmocka_unit_test(test_wrong_symmetry), cmocka_unit_test(test_wrong_symplecticity),
      cmocka_unit_test(test_wrong_memory),   cmocka_unit_test(test_wrong_explicit),
      cmocka_unit_test(test_table)};
  const int failed = cmocka_run_group_tests(tests, add, NULL);
  /* with sanitizers the claims of tests/claims are measured, by the same functions */
  return TESTS_ONE_IN > 1 ? failed : failed + cmocka_run_group_tests(measured, NULL, NULL);
}
