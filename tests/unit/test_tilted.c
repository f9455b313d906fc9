/* The potential with the logarithm of the measure: its gradient by complex steps, paths
 * of delta(g) that H hardly rejects, and their bits, whatever evaluates V and g. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/functions/remassed.h"

typedef rattle_status make_view(rattle_problem **tilted, const rattle_problem *problem, double c,
                                rattle_error *error);
enum { MOST = 80 }; /* coordinates of a test */

/* U = V + 0.7 log det(G W G^T) of a view at q is the one by hand, and its gradient that by complex
 * steps, Im U(q + i h e)/h, which lose no digits (W. Squire, G. Trapp 1998). */
static void compare_view(make_view *make, const rattle_problem *problem, const double *q,
                         double complex (*by_hand)(const double complex *q)) {
  const int n = rattle_problem_n(problem);
  const double h = 1e-30;
  rattle_problem *tilted;
  rattle_error error;
  if (make(&tilted, problem, 0.7, &error)) fail_msg("%s", error.message);
  double *work = calloc(tilted->V->work + 1, sizeof *work), dU[MOST], U, alone;
  double complex at[MOST];
  assert_non_null(work);
  assert_int_equal(tilted->V->jacobian(tilted->V, q, &U, dU, work), 0);
  assert_int_equal(tilted->V->value(tilted->V, q, &alone, work), 0);
  for (int i = 0; i < n; i++) at[i] = q[i];
  const double expected = creal(by_hand(at));
  if (!(fabs(U - expected) < 1e-12 * (1 + fabs(U)) && fabs(alone - U) < 1e-12 * (1 + fabs(U))))
    fail_msg("U is %.17g and %.17g, not %.17g", U, alone, expected);
  for (int i = 0; i < n; i++) {
    at[i] = q[i] + h * I;
    const double slope = cimag(by_hand(at)) / h;
    at[i] = q[i];
    if (!(fabs(slope - dU[i]) < 1e-11 * (1 + fabs(slope))))
      fail_msg("dU/dq_%d is %.15g, not %.15g", i, dU[i], slope);
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

/* grad g = 4 s q - 8 (x, y, 0), s = |q|^2 + 3/4 */
static double complex torus_by_hand(const double complex *q) {
  const double complex s = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + 0.75, a = 4 * s - 8;
  return 0.3 * q[0] + 0.7 * clog(a * a * (q[0] * q[0] + q[1] * q[1]) + 16 * s * s * q[2] * q[2]);
}

/* Two constraints, and masses that are not diagonal: rows 2 (x, y, 0, 0) and (0, z, y, 3 w^2), W = 1
 * but for W_xy = 1/2. */
static const char pair_of[] = "local x,a = pair('x') local y,b = pair('y') local z,c = pair('z')\n"
                              "local w,d = pair('w') hamiltonian((a^2 + b^2 + c^2 + d^2 + a*b)/2)\n"
                              "constrain('one', x^2 + y^2 - 1) constrain('two', y*z + w^3 - 1)\n"
                              "start{x = 0.6, y = 0.8, w = 1}\n";

static double complex pair_by_hand(const double complex *q) {
  const double complex x = q[0], y = q[1], z = q[2], w = 3 * q[3] * q[3];
  const double complex A = 4 * (x * x + y * y + x * y), B = 2 * (y * z + x * z / 2),
                       C = z * z + y * y + w * w;
  return 0.7 * clog(A * C - B * B);
}

/* Two orthonormal vectors, with a constraint in its own units and masses 1, 2: V = a_1. */
static const char frames[] =
    "local a, b, H = {}, {}, 0\n"
    "for i = 1, 3 do local p a[i], p = pair('a' .. i) H = H + p^2/2 end\n"
    "for i = 1, 3 do local p b[i], p = pair('b' .. i) H = H + p^2/4 end\n"
    "local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end\n"
    "hamiltonian(H + a[1]) constrain('a', 1e6*(dot(a, a) - 1)) constrain('b', dot(b, b) - 1)\n"
    "constrain('ab', dot(a, b)) start{a1 = 1, b2 = 1}\n";

static double complex frames_by_hand(const double complex *q) {
  double complex G[3][6], A[3][3], det = 0;
  for (int i = 0; i < 3; i++) {
    G[0][i] = 2e6 * q[i], G[0][3 + i] = G[1][i] = 0, G[1][3 + i] = 2 * q[3 + i];
    G[2][i] = q[3 + i], G[2][3 + i] = q[i];
  }
  for (int i = 0; i < 9; i++) {
    A[i / 3][i % 3] = 0;
    for (int l = 0; l < 6; l++) A[i / 3][i % 3] += G[i / 3][l] * G[i % 3][l] / (l < 3 ? 1 : 2);
  }
  for (int i = 0; i < 3; i++)
    det +=
        A[0][i] * (A[1][(i + 1) % 3] * A[2][(i + 2) % 3] - A[1][(i + 2) % 3] * A[2][(i + 1) % 3]);
  return q[0] + 0.7 * clog(det);
}

/* A chain of bonds from the origin in the plane, bead k of mass 1 + k/10: A has the diagonal 4
 * |s_k|^2 (1/m_k + 1/m_(k-1)) and beside it -4 s_k . s_(k+1)/m_k. */
enum { BONDS = 40 };
static const char chain_of[] =
    "local H, x, y = 0, 0, 0\n"
    "for k = 1, 40 do\n"
    "  local u, a = pair('x' .. k) local v, b = pair('y' .. k)\n"
    "  H = H + (a^2 + b^2)/2/(1 + k/10) constrain('bond' .. k, (u - x)^2 + (v - y)^2 - 1)\n"
    "  start{['x' .. k] = k} x, y = u, v\n"
    "end hamiltonian(H)\n";

static double complex chain_by_hand(const double complex *q) {
  double complex sum = 0, d = 0, s[2] = {0}, last[2] = {0}, beside = 0;
  for (int k = 1; k <= BONDS; k++) {
    const double complex *r = q + 2 * (k - 1);
    for (int i = 0; i < 2; i++) last[i] = s[i], s[i] = r[i] - (k > 1 ? r[i - 2] : 0);
    const double own = 1 / (1 + k / 10.0), before = k > 1 ? 1 / (1 + (k - 1) / 10.0) : 0;
    beside = -4 * (s[0] * last[0] + s[1] * last[1]) * before;
    d = 4 * (s[0] * s[0] + s[1] * s[1]) * (own + before) - (k > 1 ? beside * beside / d : 0);
    sum += clog(d);
  }
  return 0.7 * sum;
}

/* By the functions of the problem, and as an expression where there are few constraints. */
static void test_gradient(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double complex (*by_hand)(const double complex *q);
    double q[6];
  } of[] = {{torus, torus_by_hand, {1.1, 0.4, 0.3}},
            {pair_of, pair_by_hand, {0.5, 0.7, 0.4, 0.9}},
            {frames, frames_by_hand, {0.9, 0.1, -0.3, 0.2, 0.8, 0.1}},
            {chain_of, chain_by_hand, {0}}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    rattle_problem *problem = problem_of(of[i].text);
    double q[MOST];
    for (int k = 0; k < MOST; k++) q[k] = k < 6 && i < 3 ? of[i].q[k] : (k / 2 + 1) * sin(k + 1.0);
    compare_view(rattle__problem_tilted, problem, q, of[i].by_hand);
    assert_int_equal(rattle__can_write_tilted(problem), i < 3);
    if (i < 3) compare_view(rattle__problem_tilted_model, problem, q, of[i].by_hand);
    rattle_problem_destroy(&problem);
  }
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

static double complex cubic_by_hand(const double complex *q) {
  return q[0] + 0.7 * clog(9 * q[0] * q[0] * q[0] * q[0] + 16 * q[1] * q[1]);
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
  compare_view(rattle__problem_tilted, problem, q, cubic_by_hand);
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

/* delta(s f) = delta(f)/|s| where f = 0: both angles of the circles are independent, with the density
 * exp(-0.8 cos a), however the gradients turn against each other; the first vector of a frame has
 * the density exp(-2 a_1) on the sphere (R. A. Fisher 1953). With forces of V alone H rejects a
 * sixth of the paths on the circles. */
static const char circles[] =
    "local x,a = pair('x') local y,b = pair('y') local z,c = pair('z') local w,d = pair('w')\n"
    "hamiltonian((a^2 + b^2 + c^2 + d^2)/2) constrain('one', (x^2 + y^2 - 1)*exp(0.8*x))\n"
    "constrain('two', z^2 + w^2 - 1 + 2*z*(x^2 + y^2 - 1)) start{x = 1, z = 1}\n";
static const char tilted_frames[] =
    "local a, b, H = {}, {}, 0\n"
    "for i = 1, 3 do local p a[i], p = pair('a' .. i) H = H + p^2/2 end\n"
    "for i = 1, 3 do local p b[i], p = pair('b' .. i) H = H + p^2/2 end\n"
    "local function dot(u, v) return u[1]*v[1] + u[2]*v[2] + u[3]*v[3] end\n"
    "hamiltonian(H) constrain('a', (dot(a, a) - 1)*exp(2*a[1])) constrain('b', dot(b, b) - 1)\n"
    "constrain('ab', dot(a, b)) start{a1 = 1, b2 = 1}\n";

/* -I_1(0.8)/I_0(0.8) */
static double mean_of_circle(void) {
  double sum = 0, weights = 0;
  for (int i = 0; i < 100; i++) {
    const double c = cos(2 * M_PI * i / 100), weight = exp(-0.8 * c);
    sum += c * weight, weights += weight;
  }
  return sum / weights;
}

static void sample_several(const char *text, const char *method, double mean) {
  rattle_problem *problem = problem_of(text);
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_chain_options chain = {.method = method, .step = 0.05, .seed = 7};
  const rattle_sampling_options options = {.struct_size = sizeof options,
                                           .chain = &chain,
                                           .draws = 3000,
                                           .every = strncmp(method, "lang", 4) ? 1 : 30,
                                           .threads = 2};
  if (rattle_sampling_create(&sampling, problem, &options, &error)) fail_msg("%s", error.message);
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  long long rejected = 0, of = 0;
  for (int c = 0; c < r->chains; c++)
    rejected += r->counts[c].energy, of += r->counts[c].transitions;
  if (50 * rejected > of) fail_msg("%s: H rejects %lld of %lld", method, rejected, of);
  const rattle_estimate e = r->estimate[0];
  if (!(e.effective > 400 && fabs(e.mean - mean) < 5 * e.error))
    fail_msg("%s: the mean of %s is %g +- %g (%g), not %g", method, r->column[0], e.mean, e.error,
             e.effective, mean);
  rattle_sampling_destroy(&sampling);
  rattle_problem_destroy(&problem);
}

static void test_several_constraints(void **state) {
  (void)state;
  static const char *const methods[] = {"hmc(rattle(verlet), steps=40, measure=delta)",
                                        "nuts(rattle(verlet), measure=delta)",
                                        "langevin(rattle(verlet), measure=delta)"};
  for (int i = 0; i < 3; i++) {
    sample_several(circles, methods[i], mean_of_circle());
    sample_several(tilted_frames, methods[i], 0.5 - 1 / tanh(2));
  }
}

/* Samples of the torus with V = 0.3 x. */
static rattle_sampling *sample(const rattle_problem *problem, const char *method, int lanes) {
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_chain_options chain = {.method = method, .step = 0.1, .seed = 3};
  const rattle_sampling_options options = {.struct_size = sizeof options,
                                           .chain = &chain,
                                           .draws = 1000,
                                           .every = 3,
                                           .threads = 2,
                                           .lanes = lanes};
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
                                        "langevin(rattle(verlet)", "hmc(rattle(midpoint), steps=5"};
  char cache[] = "/tmp/rattle-test-XXXXXX", command[64], surface[80], delta[80];
  assert_non_null(mkdtemp(cache));
  assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
  rattle_problem *block = evaluated(torus, RATTLE_EVALUATOR_BLOCK, 0),
                 *compiled = problem_of(torus),
                 *running = evaluated(torus, RATTLE_EVALUATOR_AUTO, 1000000000000);
  assert_string_equal(rattle_problem_evaluator(compiled), "native");
  for (int i = 0; i < 4; i++) {
    snprintf(surface, sizeof surface, "%s)", methods[i]);
    snprintf(delta, sizeof delta, "%s, measure=delta)", methods[i]);
    rattle_sampling *first = sample(compiled, surface, 0), *reference = sample(block, delta, 0);
    const rattle_problem *const problems[] = {running, compiled, compiled};
    static const char *const name[] = {"machine code during a run", "machine code", "lanes"};
    for (int k = 0; k < 3; k++) {
      rattle_sampling *sampling = sample(problems[k], delta, k == 2 ? 2 : 0);
      compare_draws(sampling, reference, name[k]);
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
      cmocka_unit_test(test_acceptance), cmocka_unit_test(test_several_constraints),
      cmocka_unit_test(test_machine_code)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
