/* The price of proofs: steps of few quadratic constraints, which are proved as they are made
 * (docs/certificates.md), beside the same steps by the same machine code without a proof, in turns.
 * Rows as in bench.h; size: the largest angle in radian by which a normal turned in a step; ratio: to
 * the steps without. Each model has a second row: the share of steps that the kernel does not prove (m > 2: these ask rules). */
#include "bench.h"

#include "problem/functions/problem.h"
#include "maps/natural/fast.h"
#include "maps/natural/fused/natural_small.h"

enum { MOST = 16, NONZEROS = 64, STEPS = 400, LENGTHS = 5 };

/* spin: how fast the start turns in the plane, 0: as it does; steps. */
typedef struct proofs_case {
  const char *file;
  double spin, h[LENGTHS];
} proofs_case;

static const proofs_case cases[] = {
    {"pendulum.lua", 2, {0.012, 0.041, 0.12, 0.23, 0.35}},
    {"double_pendulum.lua", 0, {0.024, 0.08, 0.24, 0.42, 0.52}},
    {"loop.lua", 0, {0.03, 0.1, 0.3, 0.5, 0.8}},
    {"../examples/rigid_body.lua", 0, {0.005, 0.016, 0.048, 0.08, 0.12}}};

typedef struct machine {
  rattle__context context;
  rattle__map *map;
  double ns[BENCH_ROUNDS];
} machine;

static void make(machine *m, const rattle_problem *problem, int unproved) {
  static const rattle__scheme verlet = {.k1 = 0.5, .d1 = 1, .k2 = 0.5, .symmetric = 1};
  rattle_error error;
  *m = (machine){.context = {.problem = problem, .asked.unproved = unproved}};
  bench_check(
      rattle__natural_small_create(&m->map, &m->context, &verlet, RATTLE__PROJECT_STEP, &error),
      &error);
  if (m->map->run) return;
  fprintf(stderr, "no machine code is made here: is there a C compiler?\n");
  exit(1);
}

/* As an integrator: by `run`, and a step that it leaves by `apply`. -1: a step fails. */
static int go(machine *m, int n, double h, long long steps, double *z) {
  double next[2 * MOST];
  rattle_error error;
  for (long long done = 0; done < steps; done++) {
    done += m->map->run(m->map, &h, 1, steps - done, z, NULL);
    if (done == steps) break;
    if (m->map->apply(m->map, h, z, next, &error)) return -1;
    memcpy(z, next, 2 * (size_t)n * sizeof *z);
  }
  return 0;
}

/* The largest angle between a gradient and the same one a step later, in the norm of M^-1. */
static double turn(const rattle_problem *problem, const double *q0, const double *q1) {
  const rattle__function *g = problem->g;
  const double *inverse = rattle__inertia(problem)->diagonal;
  double F[MOST], J0[NONZEROS], J1[NONZEROS], work[4096], most = 0;
  if (g->jac_nnz > NONZEROS || g->work > sizeof work / sizeof *work ||
      g->jacobian(g, q0, F, J0, work) || g->jacobian(g, q1, F, J1, work))
    exit(1);
  for (int i = 0; i < g->rows; i++) {
    double a = 0, b = 0, c = 0;
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const double by = inverse[g->jac_col[e]];
      a += by * J0[e] * J0[e], b += by * J0[e] * J1[e], c += by * J1[e] * J1[e];
    }
    most = fmax(most, acos(fmin(1, b / sqrt(a * c))));
  }
  return most;
}

/* The largest turn in a step, and the share of steps that the kernel does not prove; 0: a step
 * fails. */
static double fastest(machine *m, double h, const double *z0, double *open) {
  const rattle_problem *problem = m->context.problem;
  rattle__fast *fast = m->map->self;
  double z[2 * MOST], before[2 * MOST], V_q[MOST], V, work[4096], most = 0;
  memcpy(z, z0, sizeof z);
  *open = 0;
  for (int k = 0; k < STEPS; k++) {
    memcpy(before, z, sizeof z);
    if (problem->V->work > sizeof work / sizeof *work ||
        problem->V->jacobian(problem->V, z, &V, V_q, work) || go(m, problem->n, h, 1, z) < 0)
      return 0;
    most = fmax(most, turn(problem, before, z));
    *open += !fast->prove(fast, &(rattle__fast_ends){h, before, z, V_q}) / (double)STEPS;
  }
  return most;
}

static void measure(const proofs_case *c, machine *m, double h, const double *z0) {
  const int n = m->context.problem->n;
  double z[2 * MOST], open;
  for (int round = 0; round < BENCH_ROUNDS; round++)
    for (int k = 0; k < 2; k++) {
      memcpy(z, z0, sizeof z);
      const double begin = bench_now();
      go(&m[k], n, h, STEPS, z);
      m[k].ns[round] = (bench_now() - begin) / STEPS;
    }
  const double proved = bench_least(m[0].ns, BENCH_ROUNDS),
               plain = bench_least(m[1].ns, BENCH_ROUNDS);
  const double angle = fastest(&m[0], h, z0, &open);
  printf("proofs\t%s, %g a step\t%.2f\t%.1f\tns/step\t%.2f\n", c->file, h, angle, proved,
         proved / plain);
  printf("proofs\t  without; not proved\t%.2f\t%.1f\tns/step\t%.3f\n", angle, plain, open);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const proofs_case *c = &cases[i];
    bench_library library = bench_open(c->file, NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
    machine m[2];
    double z0[2 * MOST] = {0};
    rattle_error error;
    for (int k = 0; k < 2; k++) make(&m[k], library.problem, k);
    bench_check(rattle_problem_start(library.problem, 1, z0, z0 + library.n, NULL, &error), &error);
    for (int k = 0; k < library.n / 2 && c->spin != 0; k++) /* turned as one body */
      z0[library.n + 2 * k] = -c->spin * z0[2 * k + 1],
                         z0[library.n + 2 * k + 1] = c->spin * z0[2 * k];
    for (int t = 0; t < LENGTHS; t++) measure(c, m, c->h[t], z0);
    for (int k = 0; k < 2; k++) {
      m[k].map->destroy(m[k].map);
      rattle__arena_release(&m[k].context.arena);
    }
    bench_close(&library);
  }
  return 0;
}
