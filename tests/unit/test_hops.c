/* Hops between parts of {g = 0} that no path joins: the weights of the parts are known in closed
 * form, or by a quadrature of one angle. */
#include <rattle/rattle.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "opened.h"

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

enum { CHAINS = 4 };

static fixture open(const char *text) {
  return open_with(text, RATTLE_EVALUATOR_AUTO);
}

/* Chains of which every other one begins where coordinate `at` has the value `there`; where that
 * is NaN all begin at the start of the model. */
static rattle_sampling *sample(const fixture *f, const char *method, int at, double there,
                               long long draws) {
  rattle_sampling *sampling;
  rattle_error error;
  double starts[CHAINS * 64];
  for (int i = 0; i < 2 * CHAINS * rattle_problem_n(f->problem); i++) starts[i] = NAN;
  for (int c = 1; c < CHAINS; c += 2) starts[2 * c * rattle_problem_n(f->problem) + at] = there;
  const rattle_sampling_options options = {
      .struct_size = sizeof options,
      .chain = &(rattle_chain_options){.method = method, .step = 0.1, .seed = 3, .warmup = 500},
      .chains = CHAINS,
      .draws = draws,
      .starts = isnan(there) ? NULL : starts,
      .threads = 2};
  if (rattle_sampling_create(&sampling, f->problem, &options, &error))
    fail_msg("%s: %s", method, error.message);
  return sampling;
}

/* Chains have come around, and the mean is at most 5 errors off. */
static void expect(const rattle_sampling *sampling, const char *name, double mean) {
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  const rattle_estimate *e = &r->estimate[column(r, name)];
  if (!(e->effective > 400))
    fail_msg("%s: %g effective samples of %s", r->method, e->effective, name);
  if (!(fabs(e->mean - mean) < 5 * e->error))
    fail_msg("%s: the mean of %s is %g +- %g, not %g", r->method, name, e->mean, e->error, mean);
}

#define XYZ "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
#define SPHERES                                                                                    \
  "constrain('spheres', ((x - 2)^2 + y^2 + z^2 - 1)*((x + 2)^2 + y^2 + z^2 - 0.25))\n"             \
  "observe('right', (1 + x/abs(x))/2) start{x = 1}\n"
static const char spheres[] = XYZ "hamiltonian((px^2 + py^2 + pz^2)/2)\n" SPHERES;

/* The part of delta(g) dq that the sphere of radius r has, beside one of radius s at the distance
 * d: |grad g| is 2 r (d^2 + 2 d r c + r^2 - s^2), c uniform in (-1, 1). */
static double part_by_delta(double r, double s, double d) {
  const double A = d * d + r * r - s * s, B = 2 * d * r;
  return r * log((A + B) / (A - B)) / B;
}

static void test_spheres(void **state) {
  (void)state;
  static const char *const samplers[] = {
      "hmc(rattle(verlet), hops=0.5)", "nuts(rattle(verlet), hops=0.5)", "random_walk(hops=0.5)",
      "random_walk(hops=0.5, measure=delta)",
      "hmc(rattle(verlet), metric=diagonal, hops=0.5, measure=delta)"};
  const double large = part_by_delta(1, 0.5, 4), small = part_by_delta(0.5, 1, 4);
  fixture f = open(spheres);
  for (int i = 0; i < 5; i++) {
    rattle_sampling *sampling = sample(&f, samplers[i], 0, -1.5, 8000);
    expect(sampling, "right", i < 3 ? 0.8 : large / (large + small));
    rattle_sampling_destroy(&sampling);
  }
  close(&f);
}

/* Nobody says where the parts are; and masses that are not diagonal, of whose metric the spheres
 * are ellipsoids alike, so that areas are to each other as before. */
static void test_without_starts(void **state) {
  (void)state;
  static const char near[] =
      XYZ "hamiltonian((px^2 + py^2 + pz^2)/2 + px*py/3)\n"
          "constrain('spheres', ((x - 1)^2 + y^2 + z^2 - 0.81)*((x + 1)^2 + y^2 + z^2 - 0.36))\n"
          "observe('right', (1 + x/abs(x))/2) start{x = 0.1}\n";
  static const char *const samplers[] = {"hmc(rattle(verlet), hops=0.9)",
                                         "random_walk(hops=0.9, across=3)"};
  fixture f = open(near);
  for (int i = 0; i < 2; i++) {
    rattle_sampling *sampling = sample(&f, samplers[i], 0, NAN, 8000);
    expect(sampling, "right", 0.81 / (0.81 + 0.36));
    rattle_sampling_destroy(&sampling);
  }
  rattle_sampling *with = sample(&f, samplers[0], 0, -0.4, 8000);
  expect(with, "right", 0.81 / (0.81 + 0.36));
  rattle_sampling_destroy(&with);
  close(&f);
}

/* Areas 4 pi^2 R r, and the mean cosine r/(2R) on each: on the right r = 0.5, on the left 0.25. */
static void test_tori(void **state) {
  (void)state;
  fixture f = open(XYZ "hamiltonian((px^2 + py^2 + pz^2)/2)\n"
                       "local function torus(x, r) return (x^2 + y^2 + z^2 + 1 - r^2)^2 - 4*(x^2 + "
                       "y^2) end\n"
                       "constrain('tori', torus(x - 3, 0.5)*torus(x + 3, 0.25))\n"
                       "local right = (1 + x/abs(x))/2 observe('right', right)\n"
                       "observe('cosine', right*(sqrt((x - 3)^2 + y^2) - 1)/0.5) start{x = 4.5}\n");
  rattle_sampling *sampling = sample(&f, "hmc(rattle(verlet), hops=0.5)", 0, -4.25, 8000);
  expect(sampling, "right", 2.0 / 3);
  expect(sampling, "cosine", 2.0 / 3 * 0.25);
  rattle_sampling_destroy(&sampling);
  close(&f);
}

/* Spheres of nine dimensions. */
static void test_dimensions(void **state) {
  (void)state;
  fixture f = open("local H, a, b, first = 0, -1, -0.81\n"
                   "for i = 1, 10 do local x, p = pair('x' .. i) first = first or x\n"
                   "local c = i == 1 and 2 or 0\n"
                   "H = H + p^2/2 a = a + (x - c)^2 b = b + (x + c)^2 end\n"
                   "hamiltonian(H) constrain('spheres', a*b)\n"
                   "observe('right', (1 + first/abs(first))/2) start{x1 = 1}\n");
  rattle_sampling *sampling = sample(&f, "hmc(rattle(verlet), hops=0.5)", 0, -1.1, 8000);
  expect(sampling, "right", 1 / (1 + pow(0.9, 9)));
  rattle_sampling_destroy(&sampling);
  close(&f);
}

/* A four-bar linkage with a crank that turns, in its two assembly modes: their weights by the
 * angle t of the crank. g are squares of lengths; G G^T is 4 times the products of the bars. */
static const double crank = 0.5, coupler = 1.8, rocker = 1.2, base = 2, weight = 0.5;

static void linkage(double t, double side, double *q) {
  const double x = crank * cos(t), y = crank * sin(t), d = hypot(base - x, y),
               a = (coupler * coupler - rocker * rocker + d * d) / (2 * d),
               h = side * sqrt(coupler * coupler - a * a), c = (base - x) / d, s = -y / d;
  q[0] = x, q[1] = y;
  q[2] = x + a * c - h * s, q[3] = y + a * s + h * c;
}

static double mode(double side, int delta) {
  enum { STEPS = 4000 };
  double sum = 0;
  for (int k = 0; k < STEPS; k++) {
    const double t = 2 * M_PI * k / STEPS, dt = 1e-5;
    double q[4], before[4], after[4], arc = 0;
    linkage(t, side, q);
    linkage(t - dt, side, before);
    linkage(t + dt, side, after);
    for (int i = 0; i < 4; i++) arc += pow((after[i] - before[i]) / (2 * dt), 2);
    const double u[] = {q[0], q[1]}, v[] = {q[2] - q[0], q[3] - q[1]}, w[] = {q[2] - base, q[3]};
    const double uu = u[0] * u[0] + u[1] * u[1], vv = v[0] * v[0] + v[1] * v[1],
                 ww = w[0] * w[0] + w[1] * w[1], uv = u[0] * v[0] + u[1] * v[1],
                 vw = v[0] * w[0] + v[1] * w[1];
    const double gram = uu * (2 * vv * ww - vw * vw) - uv * uv * ww;
    sum += exp(-weight * q[3]) * sqrt(arc) * (delta ? 1 / sqrt(gram) : 1);
  }
  return sum;
}

static void test_linkage(void **state) {
  (void)state;
  fixture f = open(
      "local x,p = pair('x') local y,r = pair('y') local u,s = pair('u') local v,t = pair('v')\n"
      "hamiltonian((p^2 + r^2 + s^2 + t^2)/2 + 0.5*v)\n"
      "constrain('crank', x^2 + y^2 - 0.25) constrain('coupler', (x - u)^2 + (y - v)^2 - 3.24)\n"
      "constrain('rocker', (u - 2)^2 + v^2 - 1.44)\n"
      "local area = (2 - x)*(v - y) + (u - x)*y observe('up', (1 + area/abs(area))/2)\n"
      "start{x = 0.5, u = 2, v = 1.2}\n");
  static const char *const samplers[] = {"hmc(rattle(verlet), hops=0.5)",
                                         "hmc(rattle(verlet), hops=0.5, measure=delta)"};
  for (int delta = 0; delta < 2; delta++) {
    const double up = mode(1, delta), down = mode(-1, delta);
    rattle_sampling *sampling = sample(&f, samplers[delta], 3, -1.2, 8000);
    expect(sampling, "up", up / (up + down));
    rattle_sampling_destroy(&sampling);
  }
  close(&f);
}

/* The same bits by a chain that is stopped, and with starts that are said twice. */
static void test_same_bits(void **state) {
  (void)state;
  fixture f = open(spheres);
  const double parts[] = {1,   NAN, NAN, NAN, NAN, NAN, -1.5, NAN, NAN,
                          NAN, NAN, NAN, 1,   NAN, NAN, NAN,  NAN, NAN};
  rattle_chain_options options = {.struct_size = sizeof options,
                                  .method = "hmc(rattle(verlet), hops=0.5, metric=diagonal)",
                                  .step = 0.1,
                                  .warmup = 300,
                                  .parts = parts,
                                  .part_count = 2};
  rattle_error error;
  double saved[128], end[2][128];
  for (int way = 0; way < 2; way++) {
    rattle_chain *chain = NULL;
    options.part_count = 2 + way;
    for (int part = 0; part < (way ? 1 : 3); part++) {
      rattle_chain_destroy(&chain);
      if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
      if (part) assert_int_equal(rattle_chain_set_state(chain, saved, &error), RATTLE_OK);
      assert_int_equal(rattle_chain_advance(chain, way ? 600 : 200, &error), RATTLE_OK);
      rattle_chain_get_state(chain, saved);
    }
    assert_true(rattle_chain_counts_of(chain).accepted > 100);
    memcpy(end[way], saved, (size_t)rattle_chain_state_size(chain) * sizeof *saved);
    if (way)
      assert_memory_equal(end[0], end[1], (size_t)rattle_chain_state_size(chain) * sizeof *saved);
    rattle_chain_destroy(&chain);
  }
  close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  rattle_chain *chain;
  rattle_error error;
  fixture f = open("local x,p = pair('x') hamiltonian(p^2/2 + x^2/2) start{x = 1}\n");
  rattle_chain_options options = {
      .struct_size = sizeof options, .method = "hmc(rattle(verlet), hops=0.5)", .step = 0.1};
  assert_int_equal(rattle_chain_create(&chain, f.problem, &options, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "leave it out"));
  options.method = "hmc(rattle(verlet), hops=1)";
  assert_int_equal(rattle_chain_create(&chain, f.problem, &options, &error), RATTLE_BAD_METHOD);
  close(&f);
  f = open(spheres);
  const double lost[] = {INFINITY, 0, 0, 0, 0, 0};
  options.method = "hmc(rattle(verlet), hops=0.5)", options.parts = lost, options.part_count = 1;
  assert_int_equal(rattle_chain_create(&chain, f.problem, &options, &error), RATTLE_BAD_ARGUMENT);
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spheres),  cmocka_unit_test(test_without_starts),
      cmocka_unit_test(test_tori),     cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_linkage),  cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
