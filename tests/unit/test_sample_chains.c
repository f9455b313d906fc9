/* How chains go on: the same bits, warm-up, spread starts, rejections, and what is refused. */
#include "sampled.h"

/* R-hat of a column of four chains. */
static double agreement(const char *model, const rattle_chain_options *chain, const double *starts,
                        const char *name) {
  fixture f = open(model);
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_sampling_options options = {.struct_size = sizeof options,
                                           .chain = chain,
                                           .chains = 4,
                                           .draws = 400,
                                           .threads = 2,
                                           .starts = starts};
  if (rattle_sampling_create(&sampling, f.problem, &options, &error)) fail_msg("%s", error.message);
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  const double rhat = r->estimate[column(r, name)].rhat;
  rattle_sampling_destroy(&sampling);
  close(&f);
  return rhat;
}

/* Two wells that no chain leaves, a curve of two branches, and chains that never move: R-hat sees
 * them if the chains begin apart. */
static void test_spread(void **state) {
  (void)state;
  static const char branches[] =
      "local x,px = pair('x') local y,py = pair('y') hamiltonian((px^2 + py^2)/2 + x^2/2 + y^2/2)\n"
      "constrain('hyperbola', x^2 - y^2 - 1) start{x = 1}\n";
  const double on_both[] = {1, NAN, NAN, NAN, -1.2, 0.5, NAN, NAN, 1, 0, 0, 0, -1, 0, 0, 0};
  rattle_chain_options cold = {.struct_size = sizeof cold,
                               .method = "hmc(rattle(verlet), temperature=0.2)",
                               .step = 0.2,
                               .seed = 3};
  assert_true(agreement(wells, &cold, NULL, "x") < 1.05);
  cold.spread = 100;
  assert_true(agreement(wells, &cold, NULL, "x") > 1.5);
  rattle_chain_options still = {
      .struct_size = sizeof still, .method = "hmc(rattle(verlet))", .step = 200, .spread = 100};
  assert_true(agreement(torus, &still, NULL, "x") > 1.5);
  still.step = 0.2, still.method = NULL;
  assert_true(agreement(branches, &still, NULL, "x") < 1.05); /* a branch is not left */
  assert_true(agreement(branches, &still, on_both, "x") > 1.5);
  const double lost[] = {NAN, INFINITY, 0, 0};
  fixture f = open(branches);
  rattle_chain *chain;
  rattle_error error;
  still.q = lost, still.p = lost + 2;
  assert_int_equal(rattle_chain_create(&chain, f.problem, &still, &error), RATTLE_BAD_ARGUMENT);
  close(&f);
}

/* Draws on both branches of a hyperbola are named as parted; those of one branch, of a circle, and
 * of chains that wander apart, are not. */
static const char *parted(const char *text, const char *method, double step, const double *starts) {
  static char said[400];
  fixture f = open(text);
  rattle_error error;
  rattle_sampling *sampling;
  const rattle_chain_options chain = {.method = method, .step = step, .seed = 3, .warmup = 300};
  const rattle_sampling_options options = {
      .struct_size = sizeof options, .chain = &chain, .chains = 4, .draws = 1000, .starts = starts};
  if (rattle_sampling_create(&sampling, f.problem, &options, &error)) fail_msg("%s", error.message);
  const rattle_sampling_result *r = rattle_sampling_result_of(sampling);
  const char *found = NULL;
  for (int i = 0; !found && rattle_sampling_doubt(r, i, said, sizeof said); i++)
    if (strstr(said, "no chain has crossed")) found = said;
  rattle_sampling_destroy(&sampling);
  close(&f);
  return found;
}

static void test_parts(void **state) {
  (void)state;
  static const char branches[] =
      "local y,py = pair('y') local x,px = pair('x') hamiltonian((px^2 + py^2)/2 + x^2/2 + y^2/2)\n"
      "constrain('hyperbola', x^2 - y^2 - 1) start{x = 1}\n";
  const double on_both[] = {0, 1, 0, 0, 0.5, -1.2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0},
               right[] = {0, 1, 0, 0, 0.5, 1.2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
  const char *said = parted(branches, "hmc(rattle(verlet))", 0.3, on_both);
  assert_non_null(said);
  double from, to;
  assert_int_equal(
      sscanf(said, "no chain has crossed from x = %lf to %lf: 1 stays below, 3 above", &from, &to),
      2);
  assert_true(from <= -1 && from > -1.1 && to >= 1 && to < 1.1);
  assert_null(parted(branches, "hmc(rattle(verlet))", 0.3, right));
  assert_null(parted(branches, "hmc(rattle(verlet), solutions=all, reach=4)", 0.3, on_both));
  /* apart, but each of them wanders */
  const double along[] = {-3, 3.1, 0, 0, -1, 1.4, 0, 0, 1, 1.4, 0, 0, 3, 3.1, 0, 0};
  assert_null(parted(branches,
                     "langevin(rattle(verlet), friction=0.01, temperature=1e-3, metropolis=no)",
                     1e-4, along));
}

/* Starts are spread by the measure at ten times the temperature: on the circle of wells, 400 of
 * them, in the half with x > 0. */
static double warm_weight(double phi) {
  return exp(wells_power(phi) / 10);
}
static double warm_right(double phi) {
  return cos(phi) > 0 ? warm_weight(phi) : 0;
}
static void test_spread_is_warm(void **state) {
  (void)state;
  enum { CHAINS = 400 };
  fixture f = open(wells);
  rattle_error error;
  double right = 0;
  for (int c = 0; c < CHAINS; c++) {
    rattle_chain *chain;
    const double *q, *p;
    double g, psi;
    const rattle_chain_options options = {.struct_size = sizeof options,
                                          .method = "g_baoab",
                                          .step = 0.01,
                                          .seed = 9,
                                          .chain = c,
                                          .spread = 100};
    if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
    rattle_chain_point(chain, &q, &p);
    assert_int_equal(rattle_problem_residuals(f.problem, q, p, &g, &psi, &error), RATTLE_OK);
    assert_true(fabs(g) < 1e-14);
    right += q[0] > 0;
    rattle_chain_destroy(&chain);
  }
  const double want = around(warm_right) / around(warm_weight),
               sd = sqrt(want * (1 - want) / CHAINS);
  if (fabs(right / CHAINS - want) > FAR * sd)
    fail_msg("%g of the starts are right, %g +- %g should be", right / CHAINS, want, sd);
  close(&f);
}

/* The draws do not depend on threads, on where a chain was stopped, or on the evaluator. */
static void test_same_bits(void **state) {
  (void)state;
  static const char *const methods[] = {
      "hmc(rattle(verlet), length=0.8)", "hmc(rattle(verlet), solutions=any)",
      "langevin(rattle(verlet))", "g_baoab(substeps=2)", "random_walk"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    fixture f = open(torus), native = open_with(torus, RATTLE_EVALUATOR_NATIVE);
    const rattle_chain_options chain_options = {
        .method = methods[i], .step = 0.2, .seed = 3, .warmup = 50};
    rattle_sampling_options options = {.struct_size = sizeof options,
                                       .chain = &chain_options,
                                       .chains = 3,
                                       .draws = 100,
                                       .every = 2};
    rattle_sampling *one, *two;
    rattle_error error;
    options.threads = 1;
    if (rattle_sampling_create(&one, f.problem, &options, &error)) fail_msg("%s", error.message);
    options.threads = 3;
    if (rattle_sampling_create(&two, native.problem, &options, &error))
      fail_msg("%s", error.message);
    const rattle_sampling_result *a = rattle_sampling_result_of(one),
                                 *b = rattle_sampling_result_of(two);
    assert_memory_equal(a->value, b->value, 3 * 100 * (size_t)a->columns * sizeof *a->value);
    assert_memory_not_equal(a->value, a->value + 100 * a->columns,
                            (size_t)a->columns * sizeof *a->value);

    /* chain 1, stopped in its warm-up and after it, and continued elsewhere */
    rattle_chain_options of = chain_options;
    of.chain = 1;
    rattle_chain *chain = NULL;
    double saved[64];
    static const long long parts[] = {20, 43, 187};
    for (int part = 0; part < 3; part++) {
      if (rattle_chain_create(&chain, f.problem, &of, &error)) fail_msg("%s", error.message);
      assert_true(rattle_chain_state_size(chain) <= 64);
      if (part) assert_int_equal(rattle_chain_set_state(chain, saved, &error), RATTLE_OK);
      assert_int_equal(rattle_chain_advance(chain, parts[part], &error), RATTLE_OK);
      rattle_chain_get_state(chain, saved);
      if (part < 2) rattle_chain_destroy(&chain);
    }
    const double *q, *p;
    rattle_chain_point(chain, &q, &p);
    assert_memory_equal(q, a->value + (2 * 100 - 1) * a->columns, 3 * sizeof *q);
    assert_int_equal(rattle_chain_counts_of(chain).transitions, 250);
    saved[6] = 0.5; /* the number of transitions */
    assert_int_equal(rattle_chain_set_state(chain, saved, &error), RATTLE_BAD_ARGUMENT);
    rattle_chain_destroy(&chain);
    rattle_sampling_destroy(&one);
    rattle_sampling_destroy(&two);
    close(&native);
    close(&f);
  }
}

/* A warm-up ends, with the acceptance that is asked for. */
static void test_warmup(void **state) {
  (void)state;
  fixture f = open(sphere);
  rattle_error error;
  static const double from[] = {0.01, 3};
  for (int i = 0; i < 2; i++) {
    rattle_chain *chain;
    const rattle_chain_options options = {.struct_size = sizeof options,
                                          .method = "hmc(rattle(verlet))",
                                          .step = from[i],
                                          .seed = 5,
                                          .warmup = 1000,
                                          .acceptance = 0.9};
    if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
    assert_int_equal(rattle_chain_advance(chain, 1000, &error), RATTLE_OK);
    const double h = rattle_chain_step(chain);
    const long long before = rattle_chain_counts_of(chain).accepted;
    assert_int_equal(rattle_chain_advance(chain, 2000, &error), RATTLE_OK);
    assert_true(rattle_chain_step(chain) == h);
    const double accepted = (double)(rattle_chain_counts_of(chain).accepted - before) / 2000;
    if (fabs(accepted - 0.9) > 0.05)
      fail_msg("from %g the step is %g and %g are accepted", from[i], h, accepted);
    rattle_chain_destroy(&chain);
  }
  close(&f);
}

/* The length of paths that a warm-up learns: x = sin(w t + phase), with the phase and the path's
 * part of the length uniform, turns with the probability (2/3) length w/pi. In any unit. */
static void test_length(void **state) {
  (void)state;
  static const double frequency[] = {1, 1e-3, 30};
  for (int i = 0; i < 3; i++) {
    char text[120];
    rattle_chain *chain;
    rattle_error error;
    double saved[64];
    const double w = frequency[i];
    const rattle_chain_options options = {.struct_size = sizeof options,
                                          .method = "hmc(verlet)",
                                          .step = 0.02 / w,
                                          .seed = 5,
                                          .warmup = 4000,
                                          .acceptance = 0.999};
    snprintf(text, sizeof text, "local x,px = pair('x') hamiltonian((px^2 + (%.17g*x)^2)/2)", w);
    fixture f = open(text);
    if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
    assert_int_equal(rattle_chain_advance(chain, 4000, &error), RATTLE_OK);
    rattle_chain_get_state(chain, saved);
    const double length = saved[4]; /* after the point, the transitions and the step */
    if (fabs(length * w / (0.75 * M_PI) - 1) > 0.1)
      fail_msg("frequency %g: paths of %g, 3/4 pi/w is %g", w, length, 0.75 * M_PI / w);
    rattle_chain_destroy(&chain);
    close(&f);
  }
}

/* A step of any solution is longer for the same acceptance, and the measure is exact. */
static void test_any_solution(void **state) {
  (void)state;
  static const char *const method[] = {"hmc(rattle(verlet), steps=4)",
                                       "hmc(rattle(verlet), steps=4, solutions=any)"};
  double step[2];
  for (int i = 0; i < 2; i++) {
    fixture f = open(torus);
    rattle_error error;
    rattle_sampling *sampling;
    const rattle_chain_options chain = {
        .method = method[i], .step = 0.2, .seed = 9, .warmup = 500, .acceptance = 0.7};
    const rattle_sampling_options options = {
        .struct_size = sizeof options, .chain = &chain, .chains = 4, .draws = 4000};
    if (rattle_sampling_create(&sampling, f.problem, &options, &error))
      fail_msg("%s", error.message);
    step[i] = rattle_sampling_result_of(sampling)->step[0];
    const double d = off(sampling, "cos", 0.25);
    if (d > FAR) fail_msg("%s: the mean is %g errors off", method[i], d);
    rattle_sampling_destroy(&sampling);
    close(&f);
  }
  if (step[1] < 1.3 * step[0]) fail_msg("steps of %g, and of %g with doubt", step[0], step[1]);
}

/* Every rejection has its reason: a step that is much too long finds no multipliers, and the chain
 * stays. */
static void test_rejections(void **state) {
  (void)state;
  fixture f = open(sphere);
  rattle_error error;
  rattle_chain *chain;
  const rattle_chain_options options = {
      .struct_size = sizeof options, .method = "hmc(rattle(verlet))", .step = 100, .seed = 1};
  if (rattle_chain_create(&chain, f.problem, &options, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_chain_advance(chain, 50, &error), RATTLE_OK);
  const rattle_chain_counts c = rattle_chain_counts_of(chain);
  const double *q, *p;
  rattle_chain_point(chain, &q, &p);
  assert_int_equal(c.transitions, 50);
  assert_int_equal(c.accepted, 0);
  assert_true(c.unsolved > 40);
  assert_int_equal(c.accepted + c.energy + c.unsolved + c.not_reversible + c.domain, 50);
  assert_true(q[0] == 1 && q[1] == 0 && q[2] == 0);
  rattle_chain_destroy(&chain);
  close(&f);
}

static void refused(const char *model, const rattle_chain_options *options, rattle_status status,
                    const char *words) {
  fixture f = open(model);
  rattle_error error = {0};
  rattle_chain *chain;
  assert_int_equal(rattle_chain_create(&chain, f.problem, options, &error), status);
  assert_null(chain);
  if (!strstr(error.message, words)) fail_msg("%s", error.message);
  close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  rattle_chain_options o = {.struct_size = sizeof o, .step = 0.1};
  refused("local x,p = pair('x') hamiltonian((1 + x^2)*p^2/2) start{x=1}", &o, RATTLE_UNSUITABLE,
          "not of the form");
  refused("local x,p = pair('x') local y,q = pair('y') hamiltonian((p^2 + q^2)/2) constrain('c', p "
          "- x) start{x=1, px=1}",
          &o, RATTLE_UNSUITABLE, "depend on momenta");
  o.method = "rattle(verlet)";
  refused(torus, &o, RATTLE_UNSUITABLE, "use a sampler");
  o.method = "hmc(shake(verlet))";
  refused(torus, &o, RATTLE_BAD_METHOD, "symmetric");
  o.method = "hmc(hmc(rattle(verlet)))";
  refused(torus, &o, RATTLE_BAD_METHOD, "outermost");
  o.method = "hmc(rattle(verlet), compensated)";
  refused(torus, &o, RATTLE_BAD_METHOD, "compensated");
  o.method = "langevin(rattle(verlet), metropolis=no, measure=delta)";
  refused(torus, &o, RATTLE_BAD_METHOD, "omit measure");
  o.method = "hmc(verlet)";
  refused(torus, &o, RATTLE_UNSUITABLE, "ignores");
  o.method = NULL;
  o.step = 0;
  refused(torus, &o, RATTLE_BAD_ARGUMENT, "step");
  o.step = 0.1, o.chain = -1;
  refused(torus, &o, RATTLE_BAD_ARGUMENT, "negative");
  o.chain = 0, o.acceptance = 1;
  refused(torus, &o, RATTLE_BAD_ARGUMENT, "acceptance");
  fixture f = open(torus);
  rattle_integrator *integrator;
  rattle_error error;
  assert_int_equal(rattle_integrator_create(&integrator, f.problem, "hmc(rattle(verlet))", &error),
                   RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "rattle sample"));
  close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_warmup),
      cmocka_unit_test(test_length),         cmocka_unit_test(test_any_solution),
      cmocka_unit_test(test_rejections),     cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_spread),         cmocka_unit_test(test_parts),
      cmocka_unit_test(test_spread_is_warm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
