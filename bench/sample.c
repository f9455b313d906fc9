/* Effective samples a second on a torus, by a chain on one core: the least time of five, and the ratio to a chain of the same steps
 * that take 750 us each, as those of mici in Python do (docs/coming-from.md). */
#include "bench.h"

#include "rattle/sample.h"

enum { WARMUP = 1000, DRAWS = 20000 };

static const char torus[] =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + py^2 + pz^2)/2)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n";

enum { ROUNDS = 5 };

/* One chain from its start: its time, x of its draws, and the step after the warm-up. */
static double run(const rattle_problem *problem, const rattle_chain_options *options, double *x, double *step) {
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

/* steps: of the map in a transition on average, there alone: the way back is taken to be in the 750 us. */
static void measure(const rattle_problem *problem, const char *method, double h, long long warmup, double steps) {
  static double x[DRAWS];
  double ns[ROUNDS], step = h;
  rattle_estimate e;
  rattle_error error;
  const rattle_draws draws = {x, 1, DRAWS, DRAWS, 1};
  const rattle_chain_options options = {.struct_size = sizeof options, .method = method, .step = h, .seed = 1, .warmup = warmup};
  for (int k = 0; k < ROUNDS; k++) ns[k] = run(problem, &options, x, &step);
  bench_check(rattle_estimate_of(&draws, &e, &error), &error);
  const double least = bench_least(ns, ROUNDS);
  printf("sample\t%s step %.3g\t3\t%.0f\tns/transition\t%.0f\n", method, step, least, 750e3 * steps / least);
  printf("sample\t%s step %.3g\t3\t%.0f\teffective/s\t-\n", method, step, e.effective / DRAWS / least * 1e9);
}

int main(void) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  bench_check(rattle_model_parse(&model, torus, "torus", NULL, &error), &error);
  bench_check(rattle_problem_create(&problem, model, NULL, &error), &error);
  measure(problem, "hmc(rattle(verlet))", 0.1, 0, 5.5);
  measure(problem, "hmc(rattle(verlet))", 0.1, WARMUP, 5.5);
  measure(problem, "hmc(rattle(verlet), steps=20)", 0.1, 0, 10.5);
  measure(problem, "langevin(rattle(verlet))", 0.1, 0, 1);
  measure(problem, "g_baoab", 0.1, 0, 1);
  measure(problem, "random_walk", 0.4, 0, 1);
  measure(problem, "random_walk(solutions=all)", 0.4, 0, 1);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return 0;
}
