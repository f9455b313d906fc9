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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_oscillator),
                                     cmocka_unit_test(test_means), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
