/* The step that a chain finds for its warm-up. */
#include "sampled.h"

static double found(const fixture *f, const char *method, long long chain) {
  rattle_chain *c;
  rattle_error error;
  const rattle_chain_options options = {
      .struct_size = sizeof options, .method = method, .seed = 5, .chain = chain, .warmup = 1};
  if (rattle_chain_create(&c, f->problem, &options, &error)) fail_msg("%s", error.message);
  const double h = rattle_chain_step(c), *q, *p;
  rattle_chain_point(c, &q, &p);
  assert_true(q[0] == 0); /* it is where it began */
  rattle_chain_destroy(&c);
  return h;
}

/* One step of Verlet's method from (0, p) changes H of an oscillator by p^2 (w h)^4/8, so that it
 * is accepted with the probability 0.8 or more for |p| up to a/(w h)^2, a = (8 log 1.25)^(1/2); p is
 * standard normal. In any unit. */
static void test_oscillator(void **state) {
  (void)state;
  enum { CHAINS = 2000, FEW = 20 };
  static const double frequency[] = {1, 0x1p-60, 0x1p60};
  const double a = sqrt(8 * log(1.25));
  double first[FEW];
  int half = 0, one = 0, two = 0;
  for (int i = 0; i < 3; i++) {
    char text[120];
    const double w = frequency[i];
    snprintf(text, sizeof text, "local x,px = pair('x') hamiltonian((px^2 + (%.17g*x)^2)/2)", w);
    fixture f = open(text);
    for (int c = 0; c < (i ? FEW : CHAINS); c++) {
      const double h = found(&f, "hmc(verlet)", c);
      if (!i) half += h == 0.5, one += h == 1, two += h == 2;
      if (!i && c < FEW) first[c] = h;
      if (i && h * w != first[c]) fail_msg("frequency %g: %g, and %g of 1", w, h, first[c]);
    }
    close(&f);
  }
  const struct {
    int count;
    double from, to; /* |p| */
  } said[] = {{half, a, 4 * a}, {one, a / 4, a}, {two, a / 16, a / 4}};
  for (int k = 0; k < 3; k++) {
    const double share = erf(said[k].to / sqrt(2)) - erf(said[k].from / sqrt(2)),
                 sd = sqrt(share * (1 - share) * CHAINS);
    if (fabs(said[k].count - share * CHAINS) > FAR * sd)
      fail_msg("%d of %d, %g +- %g should be", said[k].count, CHAINS, share * CHAINS, sd);
  }
}

/* Means are those of the measure, and the warm-up ends at its acceptance, from no step at all. */
static void test_means(void **state) {
  (void)state;
  static const char *const method[] = {"hmc(rattle(verlet))",
                                       "nuts(rattle(verlet))",
                                       "langevin(rattle(verlet))",
                                       "random_walk",
                                       "hmc(rattle(verlet), metric=diagonal)",
                                       "random_walk(solutions=all)"};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    fixture f = open(torus);
    rattle_error error;
    rattle_sampling *sampling;
    const rattle_chain_options chain = {
        .method = method[i], .seed = 3, .warmup = 1000, .spread = 100};
    const rattle_sampling_options options = {
        .struct_size = sizeof options, .chain = &chain, .draws = 3000, .every = i == 2 ? 30 : 1};
    if (rattle_sampling_create(&sampling, f.problem, &options, &error))
      fail_msg("%s: %s", method[i], error.message);
    const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
    const double d = off(sampling, "cos", 0.25);
    if (d > FAR) fail_msg("%s: the mean is %g errors off", method[i], d);
    for (int c = 0; c < r->chains; c++) {
      rattle_chain_options of = chain;
      rattle_chain *alone;
      const double h = r->first_step[c];
      if (!(h >= 0.03 && h <= 4) || frexp(h, &(int){0}) != 0.5)
        fail_msg("%s begins with %g", method[i], h);
      of.chain = c, of.spread = 0, of.struct_size = sizeof of;
      assert_int_equal(rattle_chain_create(&alone, f.problem, &of, &error), RATTLE_OK);
      assert_true(rattle_chain_step(alone) == h);
      rattle_chain_destroy(&alone);
    }
    rattle_sampling_destroy(&sampling);
    close(&f);
  }
}

static rattle_chain *walk(const fixture *f, const char *method, double start, double step,
                          long long transitions) {
  rattle_chain *c;
  rattle_error error;
  const double p = 0;
  const rattle_chain_options options = {.struct_size = sizeof options,
                                        .method = method,
                                        .seed = 3,
                                        .step = step,
                                        .warmup = 1000,
                                        .q = isnan(start) ? NULL : &start,
                                        .p = isnan(start) ? NULL : &p};
  if (rattle_chain_create(&c, f->problem, &options, &error) ||
      rattle_chain_advance(c, transitions, &error))
    fail_msg("%s: %s", method, error.message);
  return c;
}

/* Flights along circles are geodesics of any length, which nothing rejects: a warm-up ends where 0.4
 * of them are shorter than half of the circle, h |p| < pi r with p standard normal, so that h = pi
 * r/0.5244. In any unit, and from any step. */
static void test_circles(void **state) {
  (void)state;
  static const double radius[] = {1, 0x1p-27, 0x1p40};
  for (int i = 0; i < 3; i++) {
    char text[200];
    const double r = radius[i];
    snprintf(text, sizeof text,
             "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2) "
             "constrain('c', x^2 + y^2 - %.17g) start { x = %.17g }",
             r * r, r);
    fixture f = open(text);
    for (int given = 0; given < 2; given++) {
      rattle_chain *c = walk(&f, "random_walk", (double)NAN, given ? 0.01 * r : 0, 2000);
      const double h = rattle_chain_step(c) / r, right = acos(-1) / 0.52440051;
      const rattle_chain_counts counts = rattle_chain_counts_of(c);
      if (!(h > right / 1.5 && h < right * 1.5)) fail_msg("radius %g: %g, not %g", r, h, right);
      assert_true((double)counts.accepted > 0.99 * (double)counts.transitions);
      rattle_chain_destroy(&c);
    }
    close(&f);
  }
}

/* In the tail of exp(-2 cosh(x)) steps are shorter by exp(x/2): a warm-up that begins there ends
 * with the step of one that begins in the middle, also if it is interrupted on its way. */
static void test_tail(void **state) {
  (void)state;
  static const double start[] = {15, 20, 25};
  fixture f = open("local x,p = pair('x') hamiltonian(p^2/2 + 2*cosh(x))");
  rattle_chain *c = walk(&f, "hmc(verlet)", 0, 0, 1000);
  const double right = rattle_chain_step(c);
  rattle_chain_destroy(&c);
  for (int i = 0; i < 3; i++) {
    c = walk(&f, "hmc(verlet)", start[i], 0, 1000);
    const double h = rattle_chain_step(c), *q, *p, *again;
    if (!(h > right / 1.5 && h < right * 1.5)) fail_msg("from %g: %g, not %g", start[i], h, right);
    for (long long at = 1; at < 1000; at = 2 * at + 1) {
      rattle_chain *first = walk(&f, "hmc(verlet)", start[i], 0, at),
                   *then = walk(&f, "hmc(verlet)", start[i], 0, 0);
      double room[64];
      rattle_error error;
      assert_in_range(rattle_chain_state_size(first), 1, 64);
      rattle_chain_get_state(first, room);
      assert_int_equal(rattle_chain_set_state(then, room, &error), RATTLE_OK);
      assert_int_equal(rattle_chain_advance(then, 1000 - at, &error), RATTLE_OK);
      rattle_chain_point(c, &q, &p), rattle_chain_point(then, &again, &p);
      assert_true(rattle_chain_step(then) == h && *again == *q);
      rattle_chain_destroy(&first), rattle_chain_destroy(&then);
    }
    rattle_chain_destroy(&c);
  }
  close(&f);
}

/* Steps of any length are accepted: the warm-up ends at the longest, and says so. */
static void test_longest(void **state) {
  (void)state;
  fixture f = open("local x,p = pair('x') hamiltonian(p^2/2)");
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_chain_options chain = {.method = "hmc(verlet)", .step = 0.1, .warmup = 1000};
  const rattle_sampling_options options = {
      .struct_size = sizeof options, .chain = &chain, .chains = 2, .draws = 100};
  if (rattle_sampling_create(&sampling, f.problem, &options, &error)) fail_msg("%s", error.message);
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  char text[400];
  int said = 0;
  for (int i = 0; rattle_sampling_doubt(r, i, text, sizeof text); i++)
    said |= strstr(text, "2 chains ended at the longest step") != NULL;
  assert_true(said && r->at_floor[0] == -1 && fabs(r->step[0] - 100) < 20);
  rattle_sampling_destroy(&sampling);
  close(&f);
}

static void refused(const char *model, const char *method, long long warmup, const char *words) {
  fixture f = open(model);
  rattle_error error = {0};
  rattle_chain *chain;
  const rattle_chain_options options = {
      .struct_size = sizeof options, .method = method, .warmup = warmup};
  assert_true(rattle_chain_create(&chain, f.problem, &options, &error));
  if (!strstr(error.message, words)) fail_msg("%s", error.message);
  close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  refused(torus, "hmc(rattle(verlet))", 0, "without a warm-up the step stays");
  refused(torus, "g_baoab", 1000, "g_baoab keeps the step");
  refused("local x,p = pair('x') hamiltonian(p^2/2)", "hmc(verlet)", 1000, "may not be confined");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator), cmocka_unit_test(test_means),
      cmocka_unit_test(test_circles),    cmocka_unit_test(test_tail),
      cmocka_unit_test(test_longest),    cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
