/* Effective samples a second on a torus, by a chain on one core: the least time of five, and the
 * ratio to a chain of the same steps that take 750 us each, as those of mici in Python do
 * (docs/coming-from.md). Then those of several chains of one thread in lanes, with their ratio to
 * the same chains alone, the least times of rounds in turn: their draws are the same. */
#include "bench.h"

#include "rattle/sample.h"

enum { WARMUP = 1000, DRAWS = 20000 };

static const char torus[] =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + py^2 "
    "+ pz^2)/2)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n";

static const char sphere[] =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z')\n"
    "hamiltonian((px^2 + py^2 + pz^2)/2 + 2*z) constrain('sphere', x^2 + y^2 + z^2 - 1) start{x = "
    "1}\n";
static const char rotations[] = "local r, pr, T = {}, {}, 0\nfor i = 1, 9 do r[i], pr[i] = "
                                "pair('r' .. i) T = T + pr[i]^2/2 end\n"
                                "hamiltonian(T + r[3] + 2*r[6] - r[9])\n"
                                "for i = 1, 3 do for j = i, 3 do\n"
                                "constrain('c' .. i .. j, r[i]*r[j] + r[3 + i]*r[3 + j] + r[6 + "
                                "i]*r[6 + j] - (i == j and 1 or 0))\nend end\n"
                                "start{r1 = 1, r5 = 1, r9 = 1}\n";
/* two beads on a ring that attract each other */
static const char ring[] =
    "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\n"
    "hamiltonian((px[1]^2 + py[1]^2 + px[2]^2 + py[2]^2)/2 - x[1]*x[2] - y[1]*y[2])\n"
    "for i = 1, 2 do constrain('ring' .. i, x[i]^2 + y[i]^2 - 1) end\n"
    "start{['x[1]'] = 1, ['y[2]'] = 1}\n";

enum { ROUNDS = 5 };

/* One chain from its start: its time, x of its draws, and the step after the warm-up. */
static double run(const rattle_problem *problem, const rattle_chain_options *options, double *x,
                  double *step) {
  rattle_chain *chain;
  rattle_error error;
  const double *q, *p;
  bench_check(rattle_chain_create(&chain, problem, options, &error), &error);
  bench_check(rattle_chain_advance(chain, options->warmup, &error), &error);
  const double began = bench_now();
  for (int k = 0; k < DRAWS; k++) {
    bench_check(rattle_chain_advance(chain, 1, &error), &error);
    rattle_chain_point(chain, &q, &p);
    x[k] = q[0];
  }
  const double ns = bench_now() - began;
  *step = rattle_chain_step(chain);
  rattle_chain_destroy(&chain);
  return ns / DRAWS;
}

/* steps: of the map in a transition on average, there alone: the way back is taken to be in the 750
 * us. */
static void measure(const rattle_problem *problem, const char *method, double h, long long warmup,
                    double steps) {
  static double x[DRAWS];
  double ns[ROUNDS], step = h;
  rattle_estimate e;
  rattle_error error;
  const rattle_draws draws = {x, 1, DRAWS, DRAWS, 1};
  const rattle_chain_options options = {
      .struct_size = sizeof options, .method = method, .step = h, .seed = 1, .warmup = warmup};
  for (int k = 0; k < ROUNDS; k++) ns[k] = run(problem, &options, x, &step);
  bench_check(rattle_estimate_of(&draws, &e, &error), &error);
  const double least = bench_least(ns, ROUNDS);
  printf("sample\t%s step %.3g\t3\t%.0f\tns/transition\t%.0f\n", method, step, least,
         750e3 * steps / least);
  printf("sample\t%s step %.3g\t3\t%.0f\teffective/s\t-\n", method, step,
         e.effective / DRAWS / least * 1e9);
}

/* --- in lanes --------------------------------------------------------------------------------- */

typedef struct watch {
  double began, ended;
} watch;

/* Nothing; the clock is that of the thread. */
static rattle_status known(void *self, int chain, long long *draws, double *value, double *state,
                           rattle_chain_counts *counts, rattle_error *error) {
  (void)value, (void)state, (void)counts, (void)error;
  if (chain == 0) ((watch *)self)->began = bench_now();
  *draws = 0;
  return RATTLE_OK;
}

static rattle_status drawn(void *self, const rattle_sampling_draw *draw, rattle_error *error) {
  (void)error;
  if (draw->number == DRAWS - 1) ((watch *)self)->ended = bench_now();
  return RATTLE_OK;
}

/* Chains on one thread: ns, and effective samples of the first coordinate. */
static double run_chains(const rattle_problem *problem, const rattle_chain_options *chain,
                         int chains, int lanes, double *effective) {
  watch w;
  rattle_error error;
  rattle_sampling *sampling;
  const rattle_sampling_record record = {
      .struct_size = sizeof record, .known = known, .drawn = drawn, .self = &w};
  const rattle_sampling_options options = {.struct_size = sizeof options,
                                           .chain = chain,
                                           .chains = chains,
                                           .draws = DRAWS,
                                           .threads = 1,
                                           .record = &record,
                                           .lanes = lanes};
  bench_check(rattle_sampling_create(&sampling, problem, &options, &error), &error);
  *effective = rattle_sampling_result_of(sampling)->estimate[0].effective;
  rattle_sampling_destroy(&sampling);
  return w.ended - w.began;
}

static void compare(const rattle_problem *problem, const char *name, const char *method, double h,
                    int chains, int lanes) {
  double alone[ROUNDS], together[ROUNDS], effective;
  const rattle_chain_options chain = {
      .struct_size = sizeof chain, .method = method, .step = h, .seed = 1};
  for (int k = 0; k < ROUNDS; k++) {
    alone[k] = run_chains(problem, &chain, chains, 1, &effective);
    together[k] = run_chains(problem, &chain, chains, lanes, &effective);
  }
  const double least = bench_least(together, ROUNDS);
  printf("lanes\t%s, %d chains of %s\t%d\t%.0f\teffective/s\t%.2f\n", name, chains, method, lanes,
         effective / least * 1e9, bench_least(alone, ROUNDS) / least);
}

static void compare_all(const char *text, const char *name, double h, int vectors) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  const rattle_problem_options native = {.struct_size = sizeof native,
                                         .evaluator = RATTLE_EVALUATOR_NATIVE};
  bench_check(rattle_model_parse(&model, text, name, NULL, &error), &error);
  bench_check(rattle_problem_create(&problem, model, &native, &error), &error);
  compare(problem, name, "hmc(rattle(verlet), steps=10)", h, 4, 4 / vectors);
  compare(problem, name, "hmc(rattle(verlet), steps=10)", h, 8, 8 / vectors);
  compare(problem, name, "langevin(rattle(verlet))", h, 4, 4 / vectors);
  compare(problem, name, "g_baoab", h, 4, 4 / vectors);
  compare(problem, name, "random_walk", h, 4, 4 / vectors);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
}

int main(void) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  bench_check(rattle_model_parse(&model, torus, "torus", NULL, &error), &error);
  bench_check(rattle_problem_create(&problem, model, NULL, &error), &error);
  measure(problem, "hmc(rattle(verlet), steps=10)", 0.1, 0, 5.5);
  measure(problem, "hmc(rattle(verlet), steps=10)", 0.1, WARMUP, 5.5);
  measure(problem, "hmc(rattle(verlet), steps=20)", 0.1, 0, 10.5);
  measure(problem, "langevin(rattle(verlet))", 0.1, 0, 1);
  measure(problem, "g_baoab", 0.1, 0, 1);
  measure(problem, "random_walk", 0.4, 0, 1);
  measure(problem, "random_walk(solutions=all)", 0.4, 0, 1);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  compare_all(sphere, "sphere", 0.3, 2);
  compare_all(rotations, "SO(3)", 0.3, 1);
  compare_all(ring, "ring", 0.3, 2);
  compare_all(torus, "torus", 0.1, 2);
  return 0;
}
