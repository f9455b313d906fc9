/* McLachlan, Modin, Verdier, Wilkins (2014), section 5.3: free variables, 0 = H_beta. SHAKE and
 * RATTLE of the midpoint rule equal its direct discretisation; those of other Runge-Kutta methods
 * do not. */
#include "paper.h"

#include <math.h>

/* 0 = H_b: b + b^3 + q = 0 */
static const char model[] = "local q, p = pair('q')\nlocal b = free('b')\n"
                            "hamiltonian(p^2/2 + q^2/2 + q^4/4 + b^2/2 + b^4/4 + q*b)\nstart { q = "
                            "1, pq = 0.3, project = true }\n";

static double solve_b(double q) {
  double b = -q;
  for (int i = 0; i < 50; i++) b -= (b + b * b * b + q) / (1 + 3 * b * b);
  return b;
}

/* The direct midpoint rule of q' = p, p' = -H_q(q, b(q)) */
static void direct(double h, double z[2]) {
  double q = z[0], p = z[1];
  for (int i = 0; i < 60; i++) { /* z1 by iteration; h is small */
    const double x = (z[0] + q) / 2, y = (z[1] + p) / 2, b = solve_b(x);
    q = z[0] + h * y;
    p = z[1] - h * (x + x * x * x + b);
  }
  z[0] = q;
  z[1] = p;
}

/* q, p of the state after t = 4, and their largest distance from the direct rule on the way */
static double follow(paper *out, const char *method, double h, double *q) {
  double z[2] = {1, 0.3}, most = 0;
  paper_run *run = paper_run_open(out, model, method, h);
  for (long long k = 0, steps = llround(4 / h); k < steps; k++) {
    paper_run_step(out, run, 1);
    direct(h, z);
    most = fmax(most, hypot(run->state.q[0] - z[0], run->state.p[0] - z[1]));
  }
  *q = run->state.q[0];
  return most;
}

static int run(paper *out) {
  double q, fine, coarse, exact;
  paper_claim(out, "rattle(midpoint), direct midpoint: distance", "0: the same method",
              follow(out, "rattle(midpoint)", 0.05, &q), 0, 1e-13);
  paper_claim(out, "shake(midpoint), direct midpoint: distance", "0: the same method",
              follow(out, "shake(midpoint)", 0.05, &q), 0, 1e-13);
  follow(out, "kahan_li8(rattle(midpoint))", 0.02, &exact);
  follow(out, "rattle(gauss(2))", 0.1, &coarse);
  follow(out, "rattle(gauss(2))", 0.05, &fine);
  paper_claim(out, "order of rattle(gauss(2)) (the direct method has 4)",
              "only the midpoint rule is treated", log2(fabs(coarse - exact) / fabs(fine - exact)),
              1.8, 2.3);
  return 0;
}

const paper_experiment paper_index_one = {
    "index_one", "Free variables: index-1 constraints",
    "R. I. McLachlan, K. Modin, O. Verdier, M. Wilkins, "
    "Found. Comput. Math. 14 (2014) 339, section 5.3",
    "Constraints that fix free variables have index 1: RATTLE with the midpoint rule is the "
    "midpoint rule of what is left.",
    run};
