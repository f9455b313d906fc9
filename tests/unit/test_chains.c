/* Chains whose steps go together in the lanes of vectors: each has the bits of the chain that goes
 * alone, for every sampler, any width of the vectors and any number of threads, in its warm-up too,
 * where steps differ from chain to chain, with proposals that are rejected for every reason, and
 * with chains that have fewer draws left than others. */
#include "evaluators.h"

#include "ground/expr/native.h"
#include "runs/sample/lanes.h"

enum { CHAINS = 9, DRAWS = 60, WARMUP = 40, SPREAD = 5, EVERY = 2, MOST_STATE = 40 };

static const char *const sphere =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
    "hamiltonian((px^2 + py^2/2 + pz^2)/2 + 2*z + x^4) constrain('sphere', x^2 + y^2 + z^2 - 1)\n"
    "start { x = 1 }\n";
/* a potential that ends at y = 0.9 */
static const char *const cliff = "local x, px = pair('x')\nlocal y, py = "
                                 "pair('y')\nhamiltonian((px^2 + py^2)/2 + y + sqrt(0.9 - y))\n"
                                 "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1 }\n";
static const char *const body =
    "local r, pr = {}, {}\nfor i = 1, 9 do r[i], pr[i] = pair('r' .. i) end\n"
    "local T = 0\nfor i = 1, 9 do T = T + pr[i]^2/2/(1 + (i - 1) % 3) end\nhamiltonian(T + r[3] + "
    "2*r[6] - r[9] + 0.3*r[1]^4)\n"
    "for i = 1, 3 do for j = i, 3 do\n"
    "constrain('c' .. i .. j, r[i]*r[j] + r[3 + i]*r[3 + j] + r[6 + i]*r[6 + j] - (i == j and 1 or "
    "0))\nend end\n"
    "start { r1 = 1, r5 = 1, r9 = 1 }\n";

static const char *const torus =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/2 + z)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start { x = 1.5 }\n";

/* States of each chain after each draw, and how many draws of it are known when a sampling
 * begins. */
typedef struct drawn {
  double state[CHAINS][DRAWS][MOST_STATE], value[CHAINS][DRAWS][MOST_STATE];
  rattle_chain_counts counts[CHAINS];
  const struct drawn *known;
  int of_each, size, columns;
} drawn;

static rattle_status begin_draws(void *self, const rattle_sampling_result *result, int state_size,
                                 rattle_error *error) {
  drawn *d = self;
  (void)error;
  assert_true(state_size <= MOST_STATE && result->columns <= MOST_STATE);
  d->size = state_size, d->columns = result->columns;
  return RATTLE_OK;
}

static rattle_status known_draws(void *self, int c, long long *draws, double *value, double *state,
                                 rattle_chain_counts *counts, rattle_error *error) {
  const drawn *d = self;
  *draws = d->known ? (long long)c * d->of_each : 0;
  (void)error;
  if (*draws == 0) return RATTLE_OK;
  for (int k = 0; k < *draws; k++)
    memcpy(value + k * d->columns, d->known->value[c][k], (size_t)d->columns * sizeof *value);
  memcpy(state, d->known->state[c][*draws - 1], (size_t)d->size * sizeof *state);
  *counts = (rattle_chain_counts){0};
  return RATTLE_OK;
}

static rattle_status take_draw(void *self, const rattle_sampling_draw *draw, rattle_error *error) {
  drawn *d = self;
  (void)error;
  memcpy(d->state[draw->chain][draw->number], draw->state, (size_t)d->size * sizeof(double));
  memcpy(d->value[draw->chain][draw->number], draw->value, (size_t)d->columns * sizeof(double));
  d->counts[draw->chain] = draw->counts;
  return RATTLE_OK;
}

static rattle_chain_options options_of(const char *method, double step) {
  return (rattle_chain_options){.struct_size = sizeof(rattle_chain_options),
                                .method = method,
                                .step = step,
                                .seed = 11,
                                .warmup = WARMUP,
                                .spread = SPREAD};
}

static void sample(const run *r, const char *method, double step, int lanes, int threads,
                   drawn *d) {
  rattle_sampling *sampling;
  rattle_error error;
  const rattle_chain_options chain = options_of(method, step);
  const rattle_sampling_record record = {sizeof record, begin_draws, known_draws, take_draw, d};
  const rattle_sampling_options options = {.struct_size = sizeof options,
                                           .chain = &chain,
                                           .chains = CHAINS,
                                           .draws = DRAWS,
                                           .every = EVERY,
                                           .threads = threads,
                                           .record = &record,
                                           .lanes = lanes};
  if (rattle_sampling_create(&sampling, r->problem, &options, &error))
    fail_msg("%s: %s", method, error.message);
  rattle_sampling_destroy(&sampling);
}

/* Chains made one by one by rattle_chain_advance; adds up what became of their transitions. */
static void sample_alone(const run *r, const char *method, double step, drawn *d,
                         rattle_chain_counts *all) {
  rattle_error error;
  for (int c = 0; c < CHAINS; c++) {
    rattle_chain *chain;
    rattle_chain_options options = options_of(method, step);
    options.chain = c;
    if (rattle_chain_create(&chain, r->problem, &options, &error) ||
        rattle_chain_advance(chain, WARMUP, &error))
      fail_msg("%s: %s", method, error.message);
    for (int k = 0; k < DRAWS; k++) {
      assert_int_equal(rattle_chain_advance(chain, EVERY, &error), RATTLE_OK);
      rattle_chain_get_state(chain, d->state[c][k]);
    }
    const rattle_chain_counts counts = rattle_chain_counts_of(chain);
    all->accepted += counts.accepted, all->energy += counts.energy,
        all->unsolved += counts.unsolved;
    all->not_reversible += counts.not_reversible, all->domain += counts.domain;
    rattle_chain_destroy(&chain);
  }
}

static void check(const drawn *alone, const drawn *d, const char *method, int lanes, int threads) {
  for (int c = 0; c < CHAINS; c++)
    for (int k = d->known ? c * d->of_each : 0; k < DRAWS; k++)
      if (memcmp(alone->state[c][k], d->state[c][k], (size_t)d->size * sizeof(double)) != 0)
        fail_msg("%s, lanes %d, threads %d: draw %d of chain %d is another one", method, lanes,
                 threads, k, c);
}

/* It is known beforehand whether the lanes take the steps of the sampler. */
static void compare(const char *model, const char *method, double step, int together,
                    rattle_chain_counts *all) {
  static drawn alone, first, other;
  run r;
  rattle_chain *chain;
  const rattle_chain_options options = options_of(method, step);
  begin(&r, model, "", "rattle(verlet)", RATTLE_EVALUATOR_NATIVE, 0.1);
  assert_int_equal(rattle_chain_create(&chain, r.problem, &options, &r.error), RATTLE_OK);
  assert_int_equal(rattle__abreast_lanes(chain, CHAINS) > 1, together);
  rattle_chain_destroy(&chain);
  sample_alone(&r, method, step, &alone, all);
  for (int lanes = 1; lanes <= rattle__most_lanes(); lanes *= 2)
    for (int threads = 1; threads <= 3; threads += 2) {
      drawn *d = lanes == 1 && threads == 1 ? &first : &other;
      *d = (drawn){0};
      sample(&r, method, step, lanes, threads, d);
      check(&alone, d, method, lanes, threads);
      if (lanes == 1) continue;
      *d = (drawn){.known = &first, .of_each = DRAWS / CHAINS};
      sample(&r, method, step, lanes, threads, d);
      check(&alone, d, method, lanes, threads);
    }
  end(&r);
}

static void test_same_bits(void **state) {
  (void)state;
  static const char *const model[] = {"sphere", "cliff", "two rods", "body", "torus"};
  const char *const text[] = {sphere, cliff, double_pendulum, body, torus};
  rattle_chain_counts all = {0};
  for (int m = 0; m < 5; m++) {
    const double step = m == 3 ? 0.3 : 0.6; /* long: some are not solved */
    print_message("%s\n", model[m]);
    compare(text[m], "hmc(rattle(verlet))", step, 1, &all);
    compare(text[m], "hmc(rattle(verlet), length=1.5, temperature=2)", step, 1, &all);
    compare(text[m], "hmc(rattle(verlet), steps=3, solutions=any)", step, 1, &all);
    compare(text[m], "langevin(rattle(verlet))", step, 1, &all);
    compare(text[m], "langevin(rattle(verlet), metropolis=no, friction=1)", step / 2, 1, &all);
    compare(text[m], "g_baoab(substeps=2)", step / 2, m != 1,
            &all); /* a circle has geodesics of its own */
    compare(text[m], "random_walk", step, m != 1, &all);
  }
  /* forces contain the logarithm of the measure, an expression as others (decision 198) */
  compare(sphere, "hmc(rattle(verlet), measure=delta)", 0.9, 1, &all);
  compare(double_pendulum, "hmc(rattle(verlet), measure=delta)", 0.6, 1, &all);
  compare(sphere, "hmc(suzuki4(rattle(verlet)), steps=4)", 0.9, 1, &all);
  compare(cliff, "hmc(rattle(midpoint), steps=3)", 0.4, 1, &all); /* steps as expressions */
  compare(sphere, "hmc(rattle(verlet), solutions=all, near=0.8, steps=3)", 0.5, 0, &all);
  compare(sphere, "random_walk(solutions=all)", 0.5, 0, &all);
  if (!(all.accepted && all.energy && all.unsolved && all.not_reversible && all.domain))
    fail_msg("accepted %lld, by H %lld, no multipliers %lld, not reversible %lld, not finite %lld: "
             "each is to happen",
             all.accepted, all.energy, all.unsolved, all.not_reversible, all.domain);
}

/* Vectors are as long as the chains fill: two of them, side by side, for one or two constraints. */
static void test_how_many(void **state) {
  (void)state;
  static const int chains[] = {1, 2, 3, 4, 7, 8, 16}, of_sphere[] = {1, 1, 1, 2, 2, 4, 8},
                   of_body[] = {1, 2, 2, 4, 4, 8, 8};
  const int most = rattle__most_lanes();
  for (int m = 0; m < 2; m++) {
    run r;
    rattle_chain *chain;
    const rattle_chain_options options = options_of("hmc(rattle(verlet))", 0.3);
    begin(&r, m ? body : sphere, "", "rattle(verlet)", RATTLE_EVALUATOR_NATIVE, 0.1);
    assert_int_equal(rattle_chain_create(&chain, r.problem, &options, &r.error), RATTLE_OK);
    for (int i = 0; i < 7; i++) {
      const int want = m ? of_body[i] : of_sphere[i];
      assert_int_equal(rattle__abreast_lanes(chain, chains[i]), want < most ? want : most);
    }
    rattle_chain_destroy(&chain);
    end(&r);
  }
}

static void test_refused(void **state) {
  (void)state;
  run r;
  rattle_sampling *sampling;
  const rattle_chain_options chain = options_of("hmc(rattle(verlet))", 0.3);
  begin(&r, sphere, "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.1);
  const rattle_sampling_options options = {
      .struct_size = sizeof options, .chain = &chain, .draws = 1, .lanes = 3};
  assert_int_equal(rattle_sampling_create(&sampling, r.problem, &options, &r.error),
                   RATTLE_BAD_ARGUMENT);
  assert_string_equal(r.error.message, "lanes is 3: expected 0, 1, 2, 4 or 8");
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                     cmocka_unit_test(test_how_many),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
