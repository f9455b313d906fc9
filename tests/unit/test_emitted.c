/* Steps that are written as expressions (maps/emitted) beside the general iteration, which records
 * of impulses ask for: the same ends to round-off on random models, for steps up to where the guard
 * doubts, and the same refusals; and that it is they that ran. */
#include "../one_in.h"
#include "evaluators.h"

#include <float.h>

/* A number in [-1, 1] of a sequence. */
static double next(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* Four to seven coordinates with masses, a force, a constraint or none and one or two rows on
 * velocities; the start goes onto them. */
static void write_rolling(char *text, size_t size, uint64_t seed) {
  const int n = 4 + (int)(seed % 4), held = (int)(seed / 4 % 2), rows = 1 + (int)(seed / 8 % 2);
  size_t at = (size_t)snprintf(text, size, "local x = {}\n");
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  for (int i = 1; i <= n; i++)
    PUT("x[%d] = pair('x%d') mass(x[%d], %.3f)\n", i, i, i, 1.5 + next(&seed));
  PUT("potential(0.3*cos(x[1] + x[2]) + 0.2*x[%d]^2*x[2] + x[3]/(2 + x[%d]^2))\n", n, n);
  if (held) PUT("constrain('g', x[1]^2 + 0.3*x[%d]*x[2] + x[4]^2 - 1 + 0.2*sin(x[3]))\n", n);
  for (int r = 0; r < rows; r++)
    PUT("velocity_constrain('v%d', velocity(x[%d])*cos(%.3f*x[2]) + sin(x[1] + %.3f*x[3])*"
        "velocity(x[%d]) + %.3f*velocity(x[2]))\n",
        r, r + 3, next(&seed), next(&seed), r + 1, next(&seed));
  PUT("start { project = true");
  for (int i = 1; i <= n; i++) PUT(", x%d = %.3f, px%d = %.3f", i, next(&seed), i, next(&seed));
  PUT(" }\n");
#undef PUT
}

/* Three or four coordinates, H not separable, or natural with V of degree 4, on one or two quadrics
 * or spheres. */
static void write_staged(char *text, size_t size, uint64_t seed) {
  const int n = 3 + (int)(seed % 2), held = 1 + (int)(seed / 2 % 2), natural = seed / 4 % 3 == 0;
  size_t at = (size_t)snprintf(text, size, "local x, p = {}, {}\nlocal T, g = 0, 0\n");
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  for (int i = 1; i <= n; i++)
    PUT("x[%d], p[%d] = pair('x%d') T = T + p[%d]^2*%.3f g = g + x[%d]^2*%.3f\n", i, i, i, i,
        1 + 0.5 * next(&seed), i, 1 + 0.3 * next(&seed));
  if (natural)
    PUT("hamiltonian(T + 0.25*x[1]^4 + x[2]*x[3])\n");
  else
    PUT("hamiltonian(T/(2 + 0.5*x[3] + 0.2*sin(x[1])) + 0.3*p[1]*x[2] + %.3f*cos(x[2]))\n",
        next(&seed));
  PUT("constrain('g', g - 1)\n");
  if (held == 2) PUT("constrain('f', x[1]*x[2] + 0.5*x[3]^2 + x[%d] - 0.2)\n", n);
  PUT("start { project = true");
  for (int i = 1; i <= n; i++)
    PUT(", x%d = %.3f, px%d = %.3f", i, 0.7 + 0.3 * next(&seed), i, next(&seed));
  PUT(" }\n");
#undef PUT
}

/* Four coordinates on spheres, hyperboloids or paraboloids of positions and momenta, whose fibres
 * are circles, hyperbolas and parabolas, and maybe on another sphere, which commutes; H not
 * separable. */
static void write_curved(char *text, size_t size, uint64_t seed) {
  static const char *const first[] = {"0.8*(x[1]^2 + x[2]^2) + p[1]^2 + p[2]^2",
                                      "0.5*x[1]^2 - x[2]*p[2] - 0.5*p[1]^2 + x[1]",
                                      "p[1] + 0.5*x[1] - 0.2*x[1]^2 - 0.3*x[2]"};
  const int kind = (int)(seed % 3), held = 1 + (int)(seed / 3 % 2);
  size_t at = (size_t)snprintf(text, size, "local x, p, X, P = {}, {}, {}, {}\n");
#define PUT(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  for (int i = 1; i <= 4; i++)
    PUT("x[%d], p[%d] = pair('x%d') X[%d], P[%d] = %.3f, %.3f\n", i, i, i, i, i,
        0.7 + 0.3 * next(&seed), next(&seed));
  PUT("hamiltonian((p[1]^2 + 0.7*p[2]^2 + p[3]^2)/(2 + 0.3*sin(x[1]) + 0.2*x[3]) + 0.4*p[4]^2 + "
      "x[1] + 0.5*x[4]^2 + %.3f*x[2]*x[3] + 0.2*cos(x[3])*p[2])\n",
      next(&seed));
  PUT("local function g(x, p) return %s end\n", first[kind]);
  PUT("local function f(x, p) return x[3]^2 + 2*p[3]^2 + x[4]^2 + 2*p[4]^2 end\n");
  PUT("constrain('g', g(x, p) - g(X, P), { dirac = true })\n");
  if (held == 2) PUT("constrain('f', f(x, p) - f(X, P))\n");
  PUT("start { project = true");
  for (int i = 1; i <= 4; i++) PUT(", x%d = X[%d], px%d = P[%d]", i, i, i, i);
  PUT(" }\n");
#undef PUT
}

/* The step by that method, by the general iteration if `general`; the evaluator is the
 * interpreter, whose bits are those of machine code (test_step_texts). */
static void open_run(run *r, const char *text, const char *method, double h, int general) {
  begin(r, text, "", method, RATTLE_EVALUATOR_BLOCK, h);
  if (general && rattle_integrator_record_impulses(r->integrator, &r->error))
    fail_msg("%s", r->error.message);
}

static const char *kernel(const run *r) {
  return rattle_integrator_kernel(r->integrator);
}

/* How far the ends are apart, in units of round-off of the largest number. */
static double apart(const run *a, const run *b) {
  const int size = 2 * rattle_problem_n(a->problem);
  double most = 0, size_of_all = 0;
  for (int i = 0; i < size; i++) {
    most = fmax(most, fabs(a->z[i] - b->z[i]));
    size_of_all = fmax(size_of_all, fabs(a->z[i]));
  }
  return most / (DBL_EPSILON * size_of_all);
}

/* True if there is a point of the hidden manifold to start from. */
static int starts(const char *text) {
  run r = {0};
  double q[8], p[8];
  if (rattle_model_parse(&r.model, text, "m.lua", NULL, &r.error) ||
      rattle_problem_create(&r.problem, r.model, NULL, &r.error))
    fail_msg("%s", r.error.message);
  const int made = !rattle_problem_start(r.problem, 0, q, p, NULL, &r.error);
  end(&r);
  return made;
}

enum { MODELS = 48 / TESTS_ONE_IN, STEPS = 12, LENGTHS = 5 };
static const double lengths[LENGTHS] = {0.01, -0.03, 0.1, 0.3, 1};

/* Single steps from the points of a run by the general iteration; those made by the parts, and how
 * many models there are. */
static int compare(void (*write)(char *, size_t, uint64_t), int seeds, const char *method,
                   int *emitted, int *refused) {
  char text[2000];
  int models = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
    write(text, sizeof text, seed);
    if (!starts(text)) continue;
    models++;
    for (size_t i = 0; i < LENGTHS; i++) {
      run general = {0}, quick = {0};
      open_run(&general, text, method, lengths[i], 1);
      open_run(&quick, text, method, lengths[i], 0);
      for (int k = 0; k < STEPS; k++) {
        memcpy(quick.z, general.z, sizeof quick.z);
        const rattle_status one = rattle_integrator_step(general.integrator, &general.state, 1,
                                                         &general.error),
                            other = rattle_integrator_step(quick.integrator, &quick.state, 1,
                                                           &quick.error);
        assert_int_equal(one, other);
        *refused += one != RATTLE_OK;
        if (one) break;
        assert_string_equal(kernel(&general), "general");
        const int fused = !strcmp(kernel(&quick), "fused");
        emitted[i] += fused;
        if (!fused) assert_memory_equal(general.z, quick.z, sizeof quick.z);
        if (!(apart(&general, &quick) <= 100))
          fail_msg("%s, seed %d, h = %g, step %d: %g units", method, (int)seed, lengths[i], k,
                   apart(&general, &quick));
      }
      end(&general);
      end(&quick);
    }
  }
  return models;
}

static void test_rolling(void **state) {
  int emitted[LENGTHS] = {0}, refused = 0;
  (void)state;
  assert_int_equal(compare(write_rolling, MODELS, "rattle(verlet)", emitted, &refused), MODELS);
  assert_int_equal(emitted[0], MODELS * STEPS);
  assert_true(emitted[3] > 0 && emitted[4] < MODELS * STEPS / 2); /* the guard doubts long steps */
  assert_true(refused > 10 / TESTS_ONE_IN);
}

static void test_stages(void **state) {
  static const struct {
    const char *method;
    int models;
  } table[] = {{"rattle(midpoint)", MODELS},
               {"rattle(gauss(2))", MODELS},
               {"rattle(gauss(5))", MODELS / 6}}; /* up to 22 unknowns */
  (void)state;
  for (int i = 0; i < 3; i++) {
    int emitted[LENGTHS] = {0}, refused = 0;
    const int models = table[i].models, steps = models * STEPS;
    assert_int_equal(compare(write_staged, models, table[i].method, emitted, &refused), models);
    assert_int_equal(emitted[0], steps);
    assert_true(emitted[3] > 0 && emitted[4] < steps / 4 && refused > models / 5);
  }
}

static void test_curved(void **state) {
  static const char *const methods[] = {"rattle(midpoint)", "rattle(gauss(2))"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    int emitted[LENGTHS] = {0}, refused = 0;
    const int steps = STEPS * compare(write_curved, MODELS / 2, methods[i], emitted, &refused);
    assert_true(emitted[0] > 2 * steps / 3); /* N of two constraints may be indefinite */
    assert_true(emitted[3] > 0 && emitted[4] < steps / 4 && refused > 10 / TESTS_ONE_IN);
  }
}

/* A point that slides to where there is no force: not a number is no small residual. */
static void test_edge(void **state) {
  (void)state;
  static const char *const text =
      "local x, y, a = pair('x'), pair('y'), pair('a')\nmass { x = 1, y = 1, a = 0.5 }\n"
      "potential(9*(x + 0.5)*sqrt(x + 0.5))\n"
      "velocity_constrain('blade', velocity(y)*cos(a) - velocity(x)*sin(a))\n"
      "velocity { x = 1, a = 0.1 }\n";
  run general = {0}, quick = {0};
  open_run(&general, text, "rattle(verlet)", 0.01, 1);
  open_run(&quick, text, "rattle(verlet)", 0.01, 0);
  const rattle_status one =
      rattle_integrator_step(general.integrator, &general.state, 10000, &general.error);
  assert_int_equal(one, RATTLE_DOMAIN);
  assert_int_equal(rattle_integrator_step(quick.integrator, &quick.state, 10000, &quick.error),
                   one);
  assert_string_equal(kernel(&quick), "fused");
  assert_true(quick.state.step > 10 && quick.state.step == general.state.step);
  assert_true(apart(&general, &quick) <= 1000);
  end(&general);
  end(&quick);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rolling), cmocka_unit_test(test_stages),
                                     cmocka_unit_test(test_curved), cmocka_unit_test(test_edge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
