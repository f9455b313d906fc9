/* The potential with the logarithm of the measure: its gradient by differences of its value, paths
 * of delta(g) that H hardly rejects, and their bits, whatever evaluates V and g. */
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

#include "problem/functions/remassed.h"

/* The gradient of U is that of its values, and these are V + c log det(G W G^T) [given]. */
static void compare(const rattle_problem *problem, const double *q, double tolerance,
                    double expected) {
  const int n = rattle_problem_n(problem);
  const double dq = 1e-5;
  rattle_problem *tilted;
  rattle_error error;
  if (rattle__problem_tilted(&tilted, problem, 0.7, &error)) fail_msg("%s", error.message);
  double *work = calloc(tilted->V->work, sizeof *work), at[8], dU[8], U, up, down;
  assert_non_null(work);
  assert_int_equal(tilted->V->jacobian(tilted->V, q, &U, dU, work), 0);
  if (!(fabs(U - expected) < 1e-12)) fail_msg("U is %.17g, not %.17g", U, expected);
  for (int i = 0; i < n; i++) {
    memcpy(at, q, (size_t)n * sizeof *q);
    at[i] = q[i] + dq;
    tilted->V->value(tilted->V, at, &up, work);
    at[i] = q[i] - dq;
    tilted->V->value(tilted->V, at, &down, work);
    const double slope = (up - down) / (2 * dq);
    if (!(fabs(slope - dU[i]) < tolerance * (1 + fabs(slope))))
      fail_msg("dU/dq_%d is %.12g, not %.12g", i, dU[i], slope);
  }
  free(work);
  rattle__problem_tilted_destroy(&tilted);
}

static rattle_problem *evaluated(const char *text, rattle_evaluator evaluator, long long steps) {
  const rattle_problem_options options = {
      .struct_size = sizeof options, .evaluator = evaluator, .steps = steps};
  rattle_model *model = NULL;
  rattle_problem *problem = NULL;
  rattle_error error;
  if (rattle_model_parse(&model, text, "test", NULL, &error) ||
      rattle_problem_create(&problem, model, &options, &error))
    fail_msg("%s", error.message);
  rattle_model_destroy(&model);
  return problem;
}

static rattle_problem *problem_of(const char *text) {
  return evaluated(text, RATTLE_EVALUATOR_AUTO, 0);
}

static const char torus[] = "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
                            "hamiltonian((px^2 + py^2 + pz^2)/2 + 0.3*x)\n"
                            "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2))\n"
                            "observe('cos', (sqrt(x^2 + y^2) - 1)/0.5) start{x = 1.5}\n";

static void test_gradient(void **state) {
  (void)state;
  const double q[] = {1.1, 0.4, 0.3};
  /* grad g = 4 s q - 8 (x, y, 0), s = |q|^2 + 3/4 */
  const double s = 1.1 * 1.1 + 0.4 * 0.4 + 0.3 * 0.3 + 0.75, a = 4 * s - 8,
               square = a * a * (1.1 * 1.1 + 0.4 * 0.4) + 16 * s * s * 0.09;
  rattle_problem *problem = problem_of(torus);
  compare(problem, q, 1e-8, 0.33 + 0.7 * log(square));
  rattle_problem_destroy(&problem);
  /* two constraints, and masses that are not diagonal: G W G^T of rows 2 (x, y, 0, 0) and (0, z, y,
   * 3 w^2), W = 1 but for W_xy = 1/2 */
  problem = problem_of("local x,a = pair('x') local y,b = pair('y') local z,c = pair('z')\n"
                       "local w,d = pair('w') hamiltonian((a^2 + b^2 + c^2 + d^2 + a*b)/2)\n"
                       "constrain('one', x^2 + y^2 - 1) constrain('two', y*z + w^3 - 1)\n"
                       "start{x = 0.6, y = 0.8, w = 1}\n");
  const double x = 0.5, y = 0.7, z = 0.4, w = 0.9, r[] = {z, y, 3 * w * w};
  const double A = 4 * (x * x + y * y + x * y), B = 2 * (y * r[0] + x * r[0] / 2),
               C = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  compare(problem, (const double[]){x, y, z, w}, 1e-8, 0.7 * log(A * C - B * B));
  rattle_problem_destroy(&problem);
}

/* x^3 + 2 y^2 = 1 by callbacks without second derivatives, V = x. */
static int hamiltonian(void *context, const double *z, double *H, double *gradient) {
  (void)context;
  *H = (z[2] * z[2] + z[3] * z[3]) / 2 + z[0];
  if (gradient) gradient[0] = 1, gradient[1] = 0, gradient[2] = z[2], gradient[3] = z[3];
  return 0;
}

static int constraint(void *context, const double *z, double *g, double *jacobian) {
  (void)context;
  if (g) *g = z[0] * z[0] * z[0] + 2 * z[1] * z[1] - 1;
  if (jacobian)
    jacobian[0] = 3 * z[0] * z[0], jacobian[1] = 4 * z[1], jacobian[2] = jacobian[3] = 0;
  return 0;
}

static void test_callbacks(void **state) {
  (void)state;
  static const double inverse_mass[] = {1, 1}, q[] = {0.6, 0.7};
  const rattle_callbacks callbacks = {.struct_size = sizeof callbacks,
                                      .n = 2,
                                      .m = 1,
                                      .flags = RATTLE_SEPARABLE | RATTLE_NATURAL | RATTLE_HOLONOMIC,
                                      .inverse_mass = inverse_mass,
                                      .hamiltonian = hamiltonian,
                                      .constraint = constraint};
  rattle_problem *problem;
  rattle_error error;
  if (rattle_problem_create_callbacks(&problem, &callbacks, &error)) fail_msg("%s", error.message);
  compare(problem, q, 1e-7, 0.6 + 0.7 * log(9 * 0.6 * 0.6 * 0.6 * 0.6 + 16 * 0.49));
  rattle_problem_destroy(&problem);
}

/* The error of H falls with the square of the step, so that at a twentieth of the tube H rejects
 * less than a hundredth of paths; with forces of V it rejects an eighth, whatever the step. The mean
 * of the cosine is that of V alone: by delta(g) the angle around the tube is uniform. */
static void test_acceptance(void **state) {
  (void)state;
  static const char *const methods[] = {
      "hmc(rattle(verlet), steps=20, measure=delta)", "nuts(rattle(verlet), measure=delta)",
      "hmc(rattle(verlet), steps=20, measure=delta, metric=diagonal)",
      "langevin(rattle(verlet), measure=delta)"};
  rattle_model *model = NULL;
  rattle_problem *problem;
  rattle_error error;
  if (rattle_model_parse(&model,
                         "local x,px = pair('x') local y,py = pair('y') local z,pz = "
                         "pair('z') hamiltonian((px^2 + py^2 + pz^2)/2)\n"
                         "constrain('torus', (x^2 + y^2 + z^2 + 0.75)^2 - 4*(x^2 + y^2))\n"
                         "observe('cos', (sqrt(x^2 + y^2) - 1)/0.5) start{x = 1.5}\n",
                         "test", NULL, &error) ||
      rattle_problem_create(&problem, model, NULL, &error))
    fail_msg("%s", error.message);
  for (int i = 0; i < 4; i++) {
    rattle_sampling *sampling;
    const rattle_chain_options chain = {
        .method = methods[i], .step = 0.05, .seed = 5, .warmup = i == 2 ? 800 : 0};
    const rattle_sampling_options options = {.struct_size = sizeof options,
                                             .chain = &chain,
                                             .draws = 4000,
                                             .every = i == 3 ? 50 : 1,
                                             .threads = 2};
    if (rattle_sampling_create(&sampling, problem, &options, &error)) fail_msg("%s", error.message);
    const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
    long long rejected = 0, of = 0;
    for (int c = 0; c < r->chains; c++)
      rejected += r->counts[c].energy, of += r->counts[c].transitions;
    if (i != 2 && 100 * rejected > of)
      fail_msg("%s: H rejects %lld of %lld", r->method, rejected, of);
    assert_string_equal(r->column[3], "cos");
    const rattle_estimate e = r->estimate[3];
    if (!(e.effective > 400 && fabs(e.mean) < 5 * e.error))
      fail_msg("%s: the mean cosine is %g +- %g, not 0", r->method, e.mean, e.error);
    rattle_sampling_destroy(&sampling);
  }
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

/* Samples of the torus with V = 0.3 x. */
static rattle_sampling *sample(const rattle_problem *problem, const char *method) {
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_chain_options chain = {.method = method, .step = 0.1, .seed = 3};
  const rattle_sampling_options options = {
      .struct_size = sizeof options, .chain = &chain, .draws = 1000, .every = 3, .threads = 2};
  if (rattle_sampling_create(&sampling, problem, &options, &error))
    fail_msg("%s: %s", method, error.message);
  return sampling;
}

/* The mean of the cosine around the tube: by delta(g) both angles of the torus are uniform but for
 * exp(-V), V = 0.3 (1 + cos/2) cos(phi). */
static double mean_cosine(void) {
  enum { POINTS = 200 };
  double sum = 0, weights = 0;
  for (int i = 0; i < POINTS; i++)
    for (int k = 0; k < POINTS; k++) {
      const double c = cos(2 * M_PI * i / POINTS);
      const double weight = exp(-0.3 * (1 + c / 2) * cos(2 * M_PI * k / POINTS));
      sum += c * weight, weights += weight;
    }
  return sum / weights;
}

/* The mean is right, and values, energies and probabilities have the bits of `block`. */
static void compare_draws(const rattle_sampling *sampling, const rattle_sampling *block,
                          const char *evaluator) {
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling),
                               *b = rattle_sampling_result_of(block);
  const size_t draws = (size_t)r->chains * (size_t)r->draws;
  const rattle_estimate e = r->estimate[3];
  assert_string_equal(r->column[3], "cos");
  if (!(e.effective > 400 && fabs(e.mean - mean_cosine()) < 5 * e.error))
    fail_msg("%s by %s: the mean cosine is %g +- %g, not %g", r->method, evaluator, e.mean, e.error,
             mean_cosine());
  if (memcmp(r->value, b->value, draws * (size_t)r->columns * sizeof(double)) != 0 ||
      memcmp(r->energy, b->energy, draws * sizeof(double)) != 0 ||
      memcmp(r->acceptance, b->acceptance, draws * sizeof(double)) != 0)
    fail_msg("%s by %s: other bits than by block", r->method, evaluator);
}

/* Machine code of V, g and of whole steps is there from the first step on: chains by surface have
 * been compiled before. Steps that took V in place of U would keep the mean, but not the bits. */
static void test_machine_code(void **state) {
  (void)state;
  static const char *const methods[] = {"hmc(rattle(verlet), steps=10", "nuts(rattle(verlet)",
                                        "langevin(rattle(verlet)"};
  char cache[] = "/tmp/rattle-test-XXXXXX", command[64], surface[80], delta[80];
  assert_non_null(mkdtemp(cache));
  assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
  rattle_problem *block = evaluated(torus, RATTLE_EVALUATOR_BLOCK, 0),
                 *compiled = problem_of(torus),
                 *running = evaluated(torus, RATTLE_EVALUATOR_AUTO, 1000000000000);
  assert_string_equal(rattle_problem_evaluator(compiled), "native");
  for (int i = 0; i < 3; i++) {
    snprintf(surface, sizeof surface, "%s)", methods[i]);
    snprintf(delta, sizeof delta, "%s, measure=delta)", methods[i]);
    rattle_sampling *first = sample(compiled, surface), *reference = sample(block, delta);
    const rattle_problem *const problems[] = {compiled, running};
    for (int k = 0; k < 2; k++) {
      rattle_sampling *sampling = sample(problems[k], delta);
      compare_draws(sampling, reference, k ? "machine code during a run" : "machine code");
      rattle_sampling_destroy(&sampling);
    }
    rattle_sampling_destroy(&reference);
    rattle_sampling_destroy(&first);
  }
  rattle_problem_destroy(&running);
  rattle_problem_destroy(&compiled);
  rattle_problem_destroy(&block);
  snprintf(command, sizeof command, "rm -rf '%s'", cache);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient), cmocka_unit_test(test_callbacks),
      cmocka_unit_test(test_acceptance), cmocka_unit_test(test_machine_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
