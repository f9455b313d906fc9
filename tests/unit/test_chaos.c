/* Indicators of chaos of the cases of an ensemble, where the answer is known: Henon and Heiles, the
 * double pendulum, geodesics on an ellipsoid. */
#include <math.h>

#include "../study_fixture.h"
#include "rattle/ensemble.h"

enum { CASES = 8 };

/* A parameter of a model and its value in each case; what was found. */
typedef struct scan {
  const char *name;
  double value[CASES];
  rattle_parameter given;
  rattle_status status[CASES];
  rattle_chaos chaos[CASES];
  int found[CASES];
  int keep;               /* 0: RATTLE_KEEP_CHAOS */
  double z[CASES][2 * 4]; /* ends, of four pairs at most */
  long long steps[CASES];
  rattle_errors errors[CASES];
} scan;

static rattle_status describe(void *self, rattle_case *c, rattle_error *error) {
  scan *s = self;
  (void)error;
  s->given = (rattle_parameter){s->name, s->value[c->number]};
  c->parameter = &s->given, c->parameters = 1;
  return RATTLE_OK;
}

static rattle_status end(void *self, const rattle_outcome *o, rattle_error *error) {
  scan *s = self;
  (void)error;
  s->status[o->of->number] = o->status;
  s->found[o->of->number] = o->chaos != NULL;
  s->steps[o->of->number] = o->steps;
  for (int k = 0; k < o->n && o->q; k++)
    s->z[o->of->number][k] = o->q[k], s->z[o->of->number][4 + k] = o->p[k];
  if (o->chaos) s->chaos[o->of->number] = *o->chaos;
  if (o->errors) s->errors[o->of->number] = *o->errors;
  return RATTLE_OK;
}

static void go(scan *s, const char *text, int cases, const char *method, double step,
               long long steps, int threads) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  const rattle_problem_options block = {.struct_size = sizeof block,
                                        .evaluator = RATTLE_EVALUATOR_BLOCK};
  if (rattle_model_parse(&model, text, "scan", NULL, &error) ||
      rattle_problem_create(&problem, model, &block, &error))
    fail_msg("%s", error.message);
  const rattle_ensemble_options options = {.struct_size = sizeof options,
                                           .cases = cases,
                                           .threads = threads,
                                           .keep = s->keep ? s->keep : RATTLE_KEEP_CHAOS,
                                           .method = method,
                                           .step = step,
                                           .steps = steps,
                                           .project = 1,
                                           .parse = rattle_model_parse,
                                           .evaluator = RATTLE_EVALUATOR_BLOCK,
                                           .describe = describe,
                                           .end = end,
                                           .self = s};
  if (rattle_ensemble(problem, &options, NULL, &error)) fail_msg("%s", error.message);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

static void check_regular(const scan *s, int i) {
  if (!(s->status[i] == RATTLE_OK && s->found[i] && s->chaos[i].megno < 2.3 &&
        s->chaos[i].sali > 1e-6))
    fail_msg("%s = %g: MEGNO %g, SALI %g, exponent %g; expected regular motion", s->name,
             s->value[i], s->chaos[i].megno, s->chaos[i].sali, s->chaos[i].exponent);
}

static void check_chaotic(const scan *s, int i, double time) {
  const rattle_chaos *c = &s->chaos[i];
  const int is_chaotic = c->megno > 10 && c->sali < 1e-12;
  /* MEGNO goes like lambda t/2 */
  if (!(s->status[i] == RATTLE_OK && s->found[i] && is_chaotic &&
        fabs(2 * c->megno / time / c->exponent - 1) < 0.5))
    fail_msg("%s = %g: MEGNO %g, SALI %g, exponent %g; expected chaos", s->name, s->value[i],
             c->megno, c->sali, c->exponent);
}

/* On the section x = 0, with p_y = 0 and the energy as a text. */
#define HENON_HEILES(energy)                                                                       \
  "local y0 = parameter('y0', 0.3)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\n"            \
  "hamiltonian((px^2 + py^2 + x^2 + y^2)/2 + x^2*y - y^3/3)\n"                                     \
  "start { x = 0, y = y0, py = 0, px = sqrt(2*" energy " - y0^2 + 2*y0^3/3) }\n"

/* M. Henon, C. Heiles, Astron. J. 69 (1964) 73: with the energy 1/12 all motions of figure 4 are
 * regular; with 1/8, figure 5, there are islands on the axis of y, and a sea, in which y = -0.1 and
 * -0.15 are. */
static void test_henon_heiles(void **unused) {
  (void)unused;
  scan s = {.name = "y0", .value = {-0.15, 0, 0.3, 0.45}};
  go(&s, HENON_HEILES("1/12"), 4, "verlet", 0.05, 60000, 1);
  for (int i = 0; i < 4; i++) check_regular(&s, i);
  scan t = {.name = "y0", .value = {0.3, 0.55, -0.1, -0.15}};
  go(&t, HENON_HEILES("1/8"), 4, "verlet", 0.05, 60000, 1);
  for (int i = 0; i < 2; i++) {
    check_regular(&t, i);
    check_chaotic(&t, 2 + i, 3000);
  }
}

static const char double_pendulum[] =
    "local angle = parameter('angle', 0.2)\nlocal x, px = pair('x')\nlocal y, py = "
    "pair('y')\nlocal u, pu = pair('u')\n"
    "local v, pv = pair('v')\nhamiltonian((px^2 + py^2 + pu^2 + pv^2)/2 + y + v)\nconstrain('rod', "
    "x^2 + y^2 - 1)\n"
    "constrain('second', (u - x)^2 + (v - y)^2 - 1)\n"
    "start { x = sin(angle), y = -cos(angle), u = 2*sin(angle), v = -2*cos(angle) }\n";

/* Small oscillations are nearly two independent ones; with high energies it is chaotic. The numbers
 * are those of the study, whatever the threads. */
static void test_double_pendulum(void **unused) {
  (void)unused;
  scan s = {.name = "angle", .value = {0.1, 0.2, 2, 2.5}}, again = s;
  go(&s, double_pendulum, 4, "rattle(verlet)", 0.01, 40000, 1);
  check_regular(&s, 0);
  check_regular(&s, 1);
  check_chaotic(&s, 2, 400);
  check_chaotic(&s, 3, 400);
  go(&again, double_pendulum, 4, "rattle(verlet)", 0.01, 40000, 2);
  assert_memory_equal(s.chaos, again.chaos, sizeof s.chaos);
  const char *const methods[] = {"rattle(verlet)"};
  const rattle_study_options options = {.struct_size = sizeof options,
                                        .start = 0,
                                        .stop = 400,
                                        .step = 0.01,
                                        .method = methods,
                                        .methods = 1,
                                        .threads = 1};
  fixture f = study_of(double_pendulum, RATTLE_STUDY_LYAPUNOV, options);
  assert_true(fabs(figure(f.r, 0, "megno") - s.chaos[1].megno) <= 1e-9 &&
              fabs(figure(f.r, 0, "sali") - s.chaos[1].sali) <= 1e-9);
  close_fixture(&f);
}

/* Integrable (C. G. J. Jacobi, J. reine angew. Math. 19 (1839) 309): MEGNO tends to 2. */
static void test_ellipsoid(void **unused) {
  (void)unused;
  static const char text[] =
      "local a = parameter('a', 0.3)\nlocal x, px = pair('x')\nlocal y, py = pair('y')\nlocal z, "
      "pz = pair('z')\n"
      "hamiltonian((px^2 + py^2 + pz^2)/2)\nconstrain('surface', x^2 + y^2/2 + z^2/4 - 1)\n"
      "start { x = 1, y = 0, z = 0, px = 0, py = cos(a), pz = sin(a) }\n";
  scan s = {.name = "a", .value = {0.3, 0.6, 0.9, 1.2}};
  go(&s, text, 4, "rattle(verlet)", 0.02, 100000, 1);
  for (int i = 0; i < 4; i++) {
    check_regular(&s, i);
    if (!(fabs(s.chaos[i].megno - 2) < 0.2))
      fail_msg("a = %g: MEGNO %g, not 2", s.value[i], s.chaos[i].megno);
  }
}

static void compare_ends(const char *text, const char *method, const scan *of, double step,
                         long long steps) {
  scan s = *of, ends = *of, twice = *of;
  scan errors = *of, once = *of, both = *of;
  ends.keep = RATTLE_KEEP_OBSERVABLES, twice.keep = RATTLE_KEEP_CHAOS | RATTLE_KEEP_SUMMARY;
  errors.keep = RATTLE_KEEP_ERRORS, once.keep = RATTLE_KEEP_ERRORS | RATTLE_KEEP_CHAOS;
  both.keep = RATTLE_KEEP_ERRORS | RATTLE_KEEP_SUMMARY;
  go(&s, text, 4, method, step, steps, 1);
  go(&ends, text, 4, method, step, steps, 1);
  go(&twice, text, 4, method, step, steps, 1);
  go(&errors, text, 4, method, step, steps, 1);
  go(&once, text, 4, method, step, steps, 1);
  go(&both, text, 4, method, step, steps, 1);
  assert_memory_equal(s.z, once.z, sizeof s.z);
  assert_memory_equal(s.chaos, once.chaos, sizeof s.chaos);
  assert_memory_equal(s.steps, once.steps, sizeof s.steps);
  assert_memory_equal(both.errors, errors.errors, sizeof both.errors);
  assert_memory_equal(both.errors, once.errors, sizeof both.errors);
  assert_memory_equal(s.z, ends.z, sizeof s.z);
  assert_memory_equal(s.z, twice.z, sizeof s.z);
  assert_memory_equal(s.chaos, twice.chaos, sizeof s.chaos);
  assert_memory_equal(s.status, ends.status, sizeof s.status);
  assert_memory_equal(s.steps, ends.steps, sizeof s.steps);
  for (int i = 0; i < 4; i++)
    assert_true(s.found[i] == (s.status[i] == RATTLE_OK) && !ends.found[i]);
}

/* Ends are those of cases without indicators, and those of cases whose steps are made twice, to the
 * bit; also of cases that fail on their way, since sqrt(b - x) ends at x = b. */
static void test_ends(void **unused) {
  (void)unused;
  static const char *const method[] = {"rattle(verlet)", "kahan_li6(rattle(verlet))",
                                       "kahan_li6(rattle(verlet), compensated)",
                                       "rattle(midpoint)"};
  const scan angles = {.name = "angle", .value = {0.1, 2, 2.5, 3}},
             ways = {.name = "b", .value = {1.5, 40, 2, 1e9}};
  for (int i = 0; i < 4; i++) compare_ends(double_pendulum, method[i], &angles, 0.05, 3001);
  static const char wall[] =
      "local b = parameter('b', 2)\nlocal x, px = pair('x')\nhamiltonian(px^2/2 + 0.01*sqrt(b - "
      "x))\nstart { x = 0, px = 1 }\n";
  compare_ends(wall, "verlet", &ways, 0.01, 1000);
  scan s = ways;
  go(&s, wall, 4, "verlet", 0.01, 1000, 1);
  assert_true(s.status[0] && s.steps[0] > 100 && s.steps[0] < 200 && !s.status[1] && s.status[2] &&
              !s.status[3]);
}

/* A method whose steps have no derivative, and no steps at all. */
static void test_without(void **unused) {
  (void)unused;
  scan s = {.name = "angle", .value = {0.1}};
  go(&s, double_pendulum, 1, "rattle(verlet, project=output)", 0.01, 10, 1);
  assert_int_equal(s.status[0], RATTLE_UNSUITABLE);
  assert_int_equal(s.found[0], 0);
  go(&s, double_pendulum, 1, "rattle(verlet)", 0.01, 0, 1);
  assert_int_equal(s.status[0], RATTLE_OK);
  assert_int_equal(s.found[0], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_henon_heiles),
                                     cmocka_unit_test(test_double_pendulum),
                                     cmocka_unit_test(test_ellipsoid),
                                     cmocka_unit_test(test_without), cmocka_unit_test(test_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
