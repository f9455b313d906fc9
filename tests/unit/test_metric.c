/* Metrics that chains learn: measures are those that they were, known by their moments; targets
 * with unequal scales are sampled as those with equal ones. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opened.h"
#include "runs/sample/metric.h"

enum { DRAWS = 2000 };

static fixture open(const char *text) {
  return open_with(text, RATTLE_EVALUATOR_AUTO);
}

static rattle_sampling *sample(const fixture *f, const char *method, int lanes, long long every) {
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_sampling_options options = {
      .struct_size = sizeof options,
      .chain = &(rattle_chain_options){.method = method, .step = 0.1, .seed = 11, .warmup = 800},
      .chains = 4,
      .draws = DRAWS,
      .every = every,
      .threads = lanes > 1 ? 1 : 2,
      .lanes = lanes};
  if (rattle_sampling_create(&sampling, f->problem, &options, &error))
    fail_msg("%s: %s", method, error.message);
  return sampling;
}

static const rattle_estimate *estimate(const rattle_sampling *sampling, const char *name) {
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  return &r->estimate[column(r, name)];
}

/* Chains agree, and the mean is at most 5 errors off. */
static void expect(const rattle_sampling *sampling, const char *name, double mean) {
  const rattle_estimate *e = estimate(sampling, name);
  const char *method = rattle_sampling_result_of(sampling)->method;
  if (!(e->effective > 400 && e->rhat < 1.03))
    fail_msg("%s of %s: effective %g, R-hat %g", name, method, e->effective, e->rhat);
  if (fabs(e->mean - mean) > 5 * e->error)
    fail_msg("%s: the mean of %s is %g +- %g, not %g", method, name, e->mean, e->error, mean);
}

/* of the area the part (1 + r/R cos(theta))/2 pi is at the angle theta around the tube; |grad g|
 * is proportional to 1 + r/R cos(theta); the momenta have n - m = 2 degrees of freedom */
static const char torus[] = "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
                            "local K = (px^2 + py^2 + pz^2)/2 hamiltonian(K) observe('K', K)\n"
                            "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2))\n"
                            "observe('cos', (sqrt(x^2 + y^2) - 1)/0.5) start{x = 1.5}\n";

static void test_measures(void **state) {
  (void)state;
  static const char *const samplers[] = {"hmc(rattle(verlet), ", "nuts(rattle(verlet), ",
                                         "random_walk("};
  fixture f = open(torus);
  for (int i = 0; i < 6; i++)
    for (int delta = 0; delta < 2; delta++) {
      char method[120];
      snprintf(method, sizeof method, "%smetric=%s, temperature=2%s)", samplers[i % 3],
               i < 3 ? "diagonal" : "dense", delta ? ", measure=delta" : "");
      rattle_sampling *sampling = sample(&f, method, 0, i % 3 == 2 ? 50 : 1);
      expect(sampling, "cos", delta ? 0 : 0.25);
      expect(sampling, "K", 2);
      rattle_sampling_destroy(&sampling);
    }
  close(&f);
}

/* Normal, with deviations 1/100 .. 100; and the same on a plane through the origin, which leaves
 * x_i/s_i with variance 4/5. */
static const char scales[] =
    "local H, sum = 0, 0 for i = 1, 5 do local s = 100^((i - 3)/2)\n"
    "local x, p = pair('x' .. i) H = H + p^2/2 + (x/s)^2/2 sum = sum + x/s\n"
    "observe('square' .. i, (x/s)^2) end hamiltonian(H)\n";

static void test_scales(void **state) {
  (void)state;
  for (int constrained = 0; constrained < 2; constrained++) {
    char text[600];
    snprintf(text, sizeof text, "%s%s", scales, constrained ? "constrain('sum', sum)" : "");
    fixture f = open(text);
    static const char *const samplers[] = {"hmc(rattle(verlet), metric=diagonal)",
                                           "nuts(rattle(verlet), metric=diagonal)"};
    for (int i = 0; i < 2; i++) {
      rattle_sampling *sampling = sample(&f, samplers[i], 0, 1);
      expect(sampling, "square1", constrained ? 0.8 : 1);
      expect(sampling, "square5", constrained ? 0.8 : 1);
      assert_true(estimate(sampling, "x5")->effective > 2000);
      assert_true(estimate(sampling, "x1")->effective > 2000);
      rattle_sampling_destroy(&sampling);
    }
    rattle_sampling *given = sample(&f, "hmc(rattle(verlet))", 0, 1);
    assert_true(estimate(given, "x5")->effective < 200);
    rattle_sampling_destroy(&given);
    close(&f);
  }
}

/* Normal with the variance 10^4 along (1, .., 1), and 1 across: scales that no coordinate has by
 * itself. And the same on a plane that contains that direction. */
static const char slanted[] =
    "local H, s, x = 0, 0, {} for i = 1, 4 do local p x[i], p = pair('x' .. i)\n"
    "H = H + p^2/2 + x[i]^2/2 s = s + x[i]/2 end\n"
    "observe('along', s^2/1e4) observe('across', (x[1] + x[2] - x[3] - x[4])^2/4)\n"
    "hamiltonian(H - s^2/2*(1 - 1e-4)) start{x1 = 0.2, x2 = 0.2}\n";

static void test_slanted(void **state) {
  (void)state;
  for (int constrained = 0; constrained < 2; constrained++) {
    char text[600];
    snprintf(text, sizeof text, "%s%s", slanted,
             constrained ? "constrain('plane', x[1] - x[2])" : "");
    fixture f = open(text);
    static const char *const samplers[] = {"hmc(rattle(verlet), metric=dense)",
                                           "nuts(rattle(verlet), metric=dense)"};
    for (int i = 0; i < 2; i++) {
      rattle_sampling *sampling = sample(&f, samplers[i], 0, 1);
      expect(sampling, "along", 1);
      expect(sampling, "across", 1);
      assert_true(estimate(sampling, "x1")->effective > 4000);
      rattle_sampling_destroy(&sampling);
    }
    rattle_sampling *diagonal = sample(&f, "hmc(rattle(verlet), metric=diagonal)", 0, 1);
    assert_true(estimate(diagonal, "x1")->effective < 200);
    rattle_sampling_destroy(&diagonal);
    close(&f);
  }
}

/* On the sphere |q| = 1 of three dimensions: exp(-q^T A q/2) with A = 1 + 99 (1 - u u^T), u the
 * diagonal, and a tilt 8 u.q that leaves one of the poles. The cosine c to u is uniform by area. */
/* A coordinate that a constraint holds varies by round-off, of itself or of the others. */
static void test_held(void **state) {
  (void)state;
  static const char *const text =
      "local x, px = pair('x') local y, py = pair('y') local z, pz = pair('z')\n"
      "local at = parameter('at', 0) local a, b = x/1e-3, (y - 5e3)/1e3\n"
      "mass { x = 1, y = 1, z = 1 } potential((a^2 - 1.8*a*b + b^2)/(2*(1 - 0.81)))\n"
      "constrain('held', z - at) start { y = 5e3, z = at } observe('ab', a*b)\n";
  for (int i = 0; i < 6; i++) {
    const rattle_parameter at = {"at", i % 3 == 0 ? 0 : i % 3 == 1 ? 7 : -1e6};
    const rattle_model_options given = {
        .struct_size = sizeof given, .parameters = &at, .parameter_count = 1};
    fixture f = {0};
    rattle_error error;
    if (rattle_model_parse(&f.model, text, "test", &given, &error) ||
        rattle_problem_create(&f.problem, f.model, NULL, &error))
      fail_msg("%s", error.message);
    rattle_sampling *sampling = sample(
        &f, i < 3 ? "hmc(rattle(verlet), metric=dense)" : "nuts(rattle(verlet), metric=dense)", 0,
        1);
    expect(sampling, "ab", 0.9);
    expect(sampling, "x", 0);
    rattle_sampling_destroy(&sampling);
    close(&f);
  }
}

static void test_slanted_on_sphere(void **state) {
  (void)state;
  double sum = 0, mean = 0;
  for (int k = 0; k < 20000; k++) {
    const double c = (k + 0.5) / 10000 - 1, part = exp(8 * (c - 1) - 99 * (1 - c * c) / 2);
    sum += part, mean += part * (1 - c * c);
  }
  fixture f = open("local H, s, r = 0, 0, 0 for i = 1, 3 do local x, p = pair('x' .. i)\n"
                   "H = H + p^2/2 s = s + x/sqrt(3) r = r + x^2 end\n"
                   "hamiltonian(H + 99/2*(r - s^2) - 8*s) constrain('sphere', r - 1)\n"
                   "observe('off', r - s^2) start{x1 = 1, x2 = 1, x3 = 1}\n");
  for (int delta = 0; delta < 2; delta++) { /* |grad g| is constant */
    rattle_sampling *sampling = sample(&f,
                                       delta ? "hmc(rattle(verlet), metric=dense, measure=delta)"
                                             : "nuts(rattle(verlet), metric=dense)",
                                       0, 1);
    expect(sampling, "off", mean / sum);
    rattle_sampling_destroy(&sampling);
  }
  close(&f);
}

/* M that is not diagonal: of V = q^T A q/2 the moments are those of A alone. */
static void test_coupled_masses(void **state) {
  (void)state;
  fixture f = open("local x,px = pair('x') local y,py = pair('y')\n"
                   "hamiltonian(px^2 + px*py + py^2 + (x^2 + 1e4*y^2)/2)\n"
                   "observe('xx', x^2) observe('yy', 1e4*y^2)\n"
                   "observe('K', px^2 + px*py + py^2)");
  for (int dense = 0; dense < 2; dense++) {
    rattle_sampling *sampling = sample(
        &f, dense ? "hmc(rattle(verlet), metric=dense)" : "hmc(rattle(verlet), metric=diagonal)", 0,
        1);
    expect(sampling, "xx", 1);
    expect(sampling, "yy", 1);
    expect(sampling, "K", 1);
    rattle_sampling_destroy(&sampling);
  }
  close(&f);
}

/* The same bits in lanes, and by a chain that is stopped in the warm-up, at the end of a window, and
 * after it. */
static void same_bits(int dense) {
  const char *method =
      dense ? "hmc(rattle(verlet), metric=dense)" : "hmc(rattle(verlet), metric=diagonal)";
  const int size = 6 + 16 + (dense ? 22 : 10);
  fixture f = open(torus);
  rattle_sampling *one = sample(&f, method, 1, 1), *two = sample(&f, method, 4, 1);
  const rattle_sampling_result *a = rattle_sampling_result_of(one),
                               *b = rattle_sampling_result_of(two);
  assert_memory_equal(a->value, b->value, 4 * DRAWS * (size_t)a->columns * sizeof *a->value);
  static const long long parts[] = {100, 50, 50, 123, 500, 977, DRAWS - 1000};
  const rattle_chain_options options = {
      .method = method, .step = 0.1, .seed = 11, .warmup = 800, .chain = 2};
  rattle_chain *chain = NULL;
  rattle_error error;
  double saved[64];
  for (int part = 0; part < 7; part++) {
    rattle_chain_destroy(&chain);
    if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
    assert_int_equal(rattle_chain_state_size(chain), size);
    if (part) assert_int_equal(rattle_chain_set_state(chain, saved, &error), RATTLE_OK);
    assert_int_equal(rattle_chain_advance(chain, parts[part], &error), RATTLE_OK);
    rattle_chain_get_state(chain, saved);
  }
  const double *q, *p;
  rattle_chain_point(chain, &q, &p);
  assert_memory_equal(q, a->value + ((size_t)3 * DRAWS - 1) * (size_t)a->columns, 3 * sizeof *q);
  /* inverse masses that cannot be, and a point without a normal: nothing changes */
  double before[64], after[64];
  rattle_chain_destroy(&chain);
  if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
  rattle_chain_get_state(chain, before);
  for (int k = 0; k < 3; k++) {
    double wrong[64];
    memcpy(wrong, saved, sizeof wrong);
    if (k < 2)
      wrong[22] = -k;
    else
      memset(wrong, 0, 3 * sizeof *wrong);
    assert_int_equal(rattle_chain_set_state(chain, wrong, &error),
                     k < 2 ? RATTLE_BAD_ARGUMENT : RATTLE_SINGULAR);
    rattle_chain_get_state(chain, after);
    assert_memory_equal(after, before, (size_t)size * sizeof *before);
  }
  rattle_chain_destroy(&chain);
  rattle_sampling_destroy(&one);
  rattle_sampling_destroy(&two);
  close(&f);
}

static void test_same_bits(void **state) {
  (void)state;
  same_bits(0);
  same_bits(1);
}

/* Masses do not depend on the unit of length, nor on that of mass; a coordinate that stays has the
 * mass that it had. */
static void test_units(void **state) {
  (void)state;
  double learned[2][3];
  for (int unit = 0; unit < 2; unit++) {
    const double length = unit ? 1e6 : 1, D[] = {unit ? 1e-3 : 1, unit ? 4e-3 : 4, 7};
    rattle__metric metric;
    assert_int_equal(rattle__metric_create(&metric, 3, 0, D, NULL), RATTLE_OK);
    for (int k = 1; k <= 100; k++) {
      const double q[] = {length * (k % 7), length * (k % 11) * 20, 5};
      rattle__metric_see(&metric, k, 160, q);
      int ended;
      assert_int_equal(rattle__metric_learned(&metric, k, 160, &ended, NULL), RATTLE_OK);
      assert_int_equal(ended, k == 40 || k == 80);
    }
    for (int i = 0; i < 3; i++) learned[unit][i] = metric.W[i] / D[i];
    rattle__metric_release(&metric);
  }
  for (int i = 0; i < 3; i++) assert_true(fabs(learned[1][i] / learned[0][i] - 1) < 1e-12);
  assert_true(learned[0][2] == 1);
  assert_true(fabs(learned[0][0] * learned[0][1] - 1) < 1e-12);
  assert_true(learned[0][1] / learned[0][0] > 50);
}

/* The draw k, in a unit of length for each coordinate. */
static void see(rattle__metric *metric, int k, const double *unit, int *ended) {
  const double q[] = {unit[0] * (k % 5), unit[1] * (k % 7), unit[2] * (k % 7 + k % 3)};
  rattle__metric_see(metric, k, 160, q);
  assert_int_equal(rattle__metric_learned(metric, k, 160, ended, NULL), RATTLE_OK);
}

/* Correlations that overflow are none: nothing is left of those of an earlier window. */
static void test_window_beyond_numbers(void **state) {
  (void)state;
  const double D[] = {1, 1, 1}, usual[] = {1, 1, 1}, large[] = {1, 1e200, 1e200};
  int ended;
  rattle__metric metric;
  assert_int_equal(rattle__metric_create(&metric, 3, 1, D, NULL), RATTLE_OK);
  for (int k = 1; k <= 40; k++) see(&metric, k, usual, &ended);
  assert_true(ended && metric.W[5] != 0 && metric.W[7] != 0);
  for (int k = 41; k <= 80; k++) see(&metric, k, large, &ended);
  assert_true(ended && metric.W[4] == 1 && metric.W[8] == 1);
  assert_true(metric.W[5] == 0 && metric.W[7] == 0);
  rattle__metric_release(&metric);
}

/* A window in which nothing moves tells nothing: W, by which the chain goes on, stays. */
static void test_window_at_rest(void **state) {
  (void)state;
  const double D[] = {1, 1, 1}, usual[] = {1, 1, 1}, none[] = {0, 0, 0};
  int ended;
  for (int dense = 0; dense < 2; dense++) {
    rattle__metric metric;
    double W[9];
    assert_int_equal(rattle__metric_create(&metric, 3, dense, D, NULL), RATTLE_OK);
    for (int k = 1; k <= 40; k++) see(&metric, k, usual, &ended);
    assert_true(ended && metric.W[0] != 1);
    memcpy(W, metric.W, (dense ? 9 : 3) * sizeof *W);
    for (int k = 41; k <= 80; k++) see(&metric, k, none, &ended);
    assert_false(ended);
    assert_memory_equal(W, metric.W, (dense ? 9 : 3) * sizeof *W);
    rattle__metric_release(&metric);
  }
}

static void test_refusals(void **state) {
  (void)state;
  fixture f = open(torus);
  rattle_chain *chain;
  rattle_error error;
  static const char *const methods[] = {"langevin(rattle(verlet), metric=diagonal)",
                                        "g_baoab(metric=diagonal)",
                                        "hmc(rattle(verlet), metric=full)"};
  for (int i = 0; i < 3; i++)
    assert_int_equal(rattle_chain_create(&chain, f.problem,
                                         &(rattle_chain_options){.method = methods[i], .step = 0.1},
                                         &error),
                     RATTLE_BAD_METHOD);
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_measures),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_coupled_masses),
      cmocka_unit_test(test_slanted),
      cmocka_unit_test(test_held),
      cmocka_unit_test(test_slanted_on_sphere),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_window_beyond_numbers),
      cmocka_unit_test(test_window_at_rest),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
