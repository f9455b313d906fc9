/* The price of a certificate: steps that `rattle run --certify` proves as they are made
 * (docs/certificates.md), with the programs of bounds interpreted and as machine code, beside the
 * same steps without. Rows as in bench.h: size is the step, ns that of a step with its proof, ratio
 * that to the step without. The last row of a model has the share of steps that are proved in one
 * piece as its ratio. All three end with the same bits, and both certificates are the same. */
#include "bench.h"

enum { STEPS = 200, MOST = 32, CONTENDERS = 3 };

typedef struct certificates_case {
  const char *name, *file, *method;
  double h;
} certificates_case;

/* Short steps: a radian takes 50 to 100 of them, or more. */
static const certificates_case cases[] = {
    {"double pendulum", "double_pendulum.lua", "rattle(midpoint)", 0.01},
    {"bead", "bead.lua", "rattle(midpoint)", 0.02},
    {"sphere", "../examples/harmonic.lua", "rattle(midpoint)", 0.02},
    {"body", "../examples/rigid_body.lua", "rattle(midpoint)", 0.001},
    {"loop", "loop.lua", "rattle(midpoint)", 0.01},
    {"loop, gauss(2)", "loop.lua", "rattle(gauss(2))", 0.01},
    {"commuting", "../examples/commuting.lua", "rattle(midpoint)", 0.02},
    {"foucault", "../examples/foucault.lua", "rattle(midpoint)", 0.01}};

typedef struct contender {
  const char *name;
  int evaluator, proves;
  bench_library library;
  double ns[BENCH_REPEATS];
} contender;

static void open_all(const certificates_case *c, contender *k) {
  rattle_error error;
  for (int i = 0; i < CONTENDERS; i++) {
    k[i].library = bench_open(c->file, NULL, 0, c->method, k[i].evaluator);
    if (k[i].proves)
      bench_check(rattle_integrator_certify(k[i].library.integrator, &error), &error);
  }
}

/* Rounds by turns, from the same start. */
static void time_all(const certificates_case *c, contender *k) {
  double z0[MOST], z[CONTENDERS][MOST];
  rattle_error error;
  const int n = k->library.n;
  bench_check(rattle_problem_start(k->library.problem, 1, z0, z0 + n, NULL, &error), &error);
  for (int round = 0; round < BENCH_REPEATS; round++)
    for (int i = 0; i < CONTENDERS; i++) {
      memcpy(z[i], z0, sizeof z0);
      const double begin = bench_now();
      bench_advance(&k[i].library, c->h, STEPS, z[i], z[i] + n);
      k[i].ns[round] = (bench_now() - begin) / STEPS;
      if (!memcmp(z[i], z[0], 2 * (size_t)n * sizeof **z)) continue;
      fprintf(stderr, "%s: the steps are others\n", c->name);
      exit(1);
    }
}

static double share_in_one_piece(const certificates_case *c, const contender *k) {
  rattle_certificate sum[CONTENDERS];
  for (int i = 1; i < CONTENDERS; i++) {
    sum[i] = (rattle_certificate){.struct_size = sizeof sum[i]};
    (void)rattle_integrator_certificate(k[i].library.integrator, &sum[i]);
  }
  if (!memcmp(&sum[1], &sum[2], sizeof *sum))
    return (double)sum[1].one_piece / (double)sum[1].substeps;
  fprintf(stderr, "%s: the certificates differ\n", c->name);
  exit(1);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const certificates_case *c = &cases[i];
    contender k[CONTENDERS] = {{"without", RATTLE_EVALUATOR_NATIVE, 0, {0}, {0}},
                               {"proved, interpreted", RATTLE_EVALUATOR_BLOCK, 1, {0}, {0}},
                               {"proved, machine code", RATTLE_EVALUATOR_NATIVE, 1, {0}, {0}}};
    open_all(c, k);
    time_all(c, k);
    const double without = bench_least(k[0].ns, BENCH_REPEATS);
    for (int e = 0; e < CONTENDERS; e++) {
      const double ns = bench_least(k[e].ns, BENCH_REPEATS);
      printf("certificates\t%s, %s\t%g\t%.1f\tns/step\t%.2f\n", c->name, k[e].name, c->h, ns,
             ns / without);
    }
    printf("certificates\t%s, in one piece\t%g\t\t\t%.3f\n", c->name, c->h,
           share_in_one_piece(c, k));
    for (int e = 0; e < CONTENDERS; e++) bench_close(&k[e].library);
  }
  return 0;
}
