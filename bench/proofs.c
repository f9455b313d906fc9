/* The price of proofs: steps of one and two quadratic constraints, which are proved as they are
 * made (docs/certificates.md), beside the same steps by the same machine code without a proof, in
 * turns. Rows as in bench.h; size: the angle in radian by which the fastest link turned in a step;
 * ratio: to the steps without. Each model has a second row: the share of steps that the code of
 * many steps left to the step alone, which tracks what it does not prove. */
#include "bench.h"

#include "maps/natural/fused/natural_small.h"

enum { MOST = 4, STEPS = 400, LENGTHS = 5 };

/* In the plane, links from bob to bob; how fast the start turns; steps. */
typedef struct proofs_case {
  const char *file;
  int links;
  double spin, h[LENGTHS];
} proofs_case;

static const proofs_case cases[] = {{"pendulum.lua", 1, 2, {0.012, 0.041, 0.12, 0.23, 0.35}},
                                    {"double_pendulum.lua", 2, 0, {0.024, 0.08, 0.24, 0.42, 0.52}}};

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

/* As an integrator: by `run`, and a step that it leaves by `apply`. Returns how many those were, -1
 * if a step fails. */
static long long go(machine *m, int n, double h, long long steps, double *z) {
  long long alone = 0;
  double next[2 * MOST];
  rattle_error error;
  for (long long done = 0; done < steps; done++) {
    done += m->map->run(m->map, &h, 1, steps - done, z, NULL);
    if (done == steps) break;
    if (m->map->apply(m->map, h, z, next, &error)) return -1;
    memcpy(z, next, 2 * (size_t)n * sizeof *z);
    alone++;
  }
  return alone;
}

static double angle(const double *q, int link) {
  const double *from = q + 2 * (link - 1), *to = q + 2 * link;
  return link ? atan2(to[1] - from[1], to[0] - from[0]) : atan2(to[1], to[0]);
}

/* The fastest turn of a link in a step; 0: a step fails. */
static double fastest(machine *m, int links, double h, const double *z0) {
  double z[2 * MOST], most = 0;
  memcpy(z, z0, sizeof z);
  for (int k = 0; k < STEPS; k++) {
    double before[MOST / 2];
    for (int i = 0; i < links; i++) before[i] = angle(z, i);
    if (go(m, 2 * links, h, 1, z) < 0) return 0;
    for (int i = 0; i < links; i++)
      most = fmax(most, fabs(remainder(angle(z, i) - before[i], 2 * acos(-1))));
  }
  return most;
}

static void measure(const proofs_case *c, machine *m, double h, const double *z0) {
  const int n = 2 * c->links;
  double z[2 * MOST];
  long long alone[2];
  for (int round = 0; round < BENCH_ROUNDS; round++)
    for (int k = 0; k < 2; k++) {
      memcpy(z, z0, sizeof z);
      const double begin = bench_now();
      alone[k] = go(&m[k], n, h, STEPS, z);
      m[k].ns[round] = (bench_now() - begin) / STEPS;
    }
  const double proved = bench_least(m[0].ns, BENCH_ROUNDS),
               plain = bench_least(m[1].ns, BENCH_ROUNDS);
  const double turn = fastest(&m[1], c->links, h, z0);
  printf("proofs\t%s, %g a step\t%.2f\t%.1f\tns/step\t%.2f\n", c->file, h, turn, proved,
         proved / plain);
  printf("proofs\t  without; left to the step alone\t%.2f\t%.1f\tns/step\t%.3f\n", turn, plain,
         (double)(alone[0] - alone[1]) / STEPS);
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
    for (int k = 0; k < library.n / 2; k++) /* turned as one body */
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
