/* Effective samples a second on a torus, by a chain on one core, and what a transition costs beside the steps of its map alone. The third row
 * counts how many steps of 750 us, those of a dense step in Python, would fit into the time of an effective sample there. */
#include "bench.h"

#include "rattle/sample.h"

enum { WARMUP = 1000, DRAWS = 20000 };

static const char torus[] =
    "local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + py^2 + pz^2)/2)\n"
    "constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5}\n";

/* One chain: its time, and the effective sample size of z, which is that of the slower of the two angles. */
static void measure(const rattle_problem *problem, const char *method, double step, long long warmup) {
  rattle_chain *chain;
  rattle_error error;
  static double z[DRAWS];
  const double *q, *p;
  const rattle_chain_options options = {
      .struct_size = sizeof options, .method = method, .step = step, .seed = 1, .warmup = warmup};
  bench_check(rattle_chain_create(&chain, problem, &options, &error), &error);
  bench_check(rattle_chain_advance(chain, warmup, &error), &error);
  const double began = bench_now();
  for (int k = 0; k < DRAWS; k++) {
    bench_check(rattle_chain_advance(chain, 1, &error), &error);
    rattle_chain_point(chain, &q, &p);
    z[k] = q[0];
  }
  const double ns = bench_now() - began;
  rattle_estimate e;
  const rattle_draws draws = {z, 1, DRAWS, DRAWS, 1};
  bench_check(rattle_estimate_of(&draws, &e, &error), &error);
  const rattle_chain_counts counts = rattle_chain_counts_of(chain);
  printf("sample\t%s step %.3g, accepted %.2f\t3\t%.0f\tns/transition\t-\n", method, rattle_chain_step(chain),
         (double)counts.accepted / (double)counts.transitions, ns / DRAWS);
  printf("sample\t%s step %.3g\t3\t%.0f\teffective/s\t-\n", method, rattle_chain_step(chain), e.effective / ns * 1e9);
  rattle_chain_destroy(&chain);
}

int main(void) {
  rattle_model *model;
  rattle_problem *problem;
  rattle_error error;
  bench_check(rattle_model_parse(&model, torus, "torus", NULL, &error), &error);
  bench_check(rattle_problem_create(&problem, model, NULL, &error), &error);
  measure(problem, "hmc(rattle(verlet))", 0.1, 0);
  measure(problem, "hmc(rattle(verlet))", 0.1, WARMUP);
  measure(problem, "hmc(rattle(verlet), steps=20)", 0.1, 0);
  measure(problem, "langevin(rattle(verlet))", 0.1, 0);
  measure(problem, "g_baoab", 0.1, 0);
  measure(problem, "random_walk", 0.4, 0);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return 0;
}
