/* Time per step of rk4 of three fields on the planar pendulum: the library compared with
 * hand-written formulas (Seiler 1999).
 *
 *     classical (42)  x' = px, y' = py, px' = -mu x, py' = -mu y - 1,  mu = (px^2 + py^2 - y)/(x^2
 *     + y^2)
 *     dirac (44)      x' = px - x psi/r^2, y' = .., px' = -mu x + px psi/r^2, ..,  psi = x px + y
 *     py, r^2 = x^2 + y^2
 *     impetus (50)    x' = px, y' = py, px*' = lambda px, py*' = lambda py - 1,  p = p* - lambda q,
 *     lambda = psi*(q, p*)/r^2 */
#include "bench.h"

static void classical(const double *z, double *f) {
  const double mu = (z[2] * z[2] + z[3] * z[3] - z[1]) / (z[0] * z[0] + z[1] * z[1]);
  f[0] = z[2];
  f[1] = z[3];
  f[2] = -mu * z[0];
  f[3] = -mu * z[1] - 1;
}

static void dirac(const double *z, double *f) {
  const double square = z[0] * z[0] + z[1] * z[1], mu = (z[2] * z[2] + z[3] * z[3] - z[1]) / square;
  const double nu = (z[0] * z[2] + z[1] * z[3]) / square;
  f[0] = z[2] - nu * z[0];
  f[1] = z[3] - nu * z[1];
  f[2] = -mu * z[0] + nu * z[2];
  f[3] = -mu * z[1] - 1 + nu * z[3];
}

static void impetus(const double *z, double *f) {
  const double lambda = (z[0] * z[2] + z[1] * z[3]) / (z[0] * z[0] + z[1] * z[1]);
  f[0] = z[2] - lambda * z[0];
  f[1] = z[3] - lambda * z[1];
  f[2] = lambda * f[0];
  f[3] = lambda * f[1] - 1;
}

/* One text for the three twins, so that each formula is inlined into its own loop. */
#define TWIN(field)                                                                                \
  static int advance_##field(void *self, double h, long long steps, double *q, double *p) {        \
    double z[4] = {q[0], q[1], p[0], p[1]}, x[4], k1[4], k2[4], k3[4], k4[4];                      \
    (void)self;                                                                                    \
    for (long long i = 0; i < steps; i++) {                                                        \
      field(z, k1);                                                                                \
      for (int c = 0; c < 4; c++) x[c] = z[c] + h / 2 * k1[c];                                     \
      field(x, k2);                                                                                \
      for (int c = 0; c < 4; c++) x[c] = z[c] + h / 2 * k2[c];                                     \
      field(x, k3);                                                                                \
      for (int c = 0; c < 4; c++) x[c] = z[c] + h * k3[c];                                         \
      field(x, k4);                                                                                \
      for (int c = 0; c < 4; c++) z[c] += h / 6 * (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]);         \
    }                                                                                              \
    q[0] = z[0], q[1] = z[1], p[0] = z[2], p[1] = z[3];                                            \
    return 0;                                                                                      \
  }
TWIN(classical)
TWIN(dirac)
TWIN(impetus)

static void compare(const char *bench, const char *method,
                    int (*twin)(void *, double, long long, double *, double *)) {
  bench_library native = bench_open("pendulum.lua", NULL, 0, method, RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open("pendulum.lua", NULL, 0, method, RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin", .advance = twin},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  const double q[2] = {1, 0}, p[2] = {0, -2};
  bench_compare(bench, 1, cases, 3, 0.005, 20000, 2, q, p, 1e-7);
  bench_close(&native);
  bench_close(&block);
}

int main(void) {
  compare("rk4(classical)", "rk4(classical)", advance_classical);
  compare("rk4(dirac)", "rk4(dirac)", advance_dirac);
  compare("rk4(impetus)", "rk4(impetus)", advance_impetus);
  return 0;
}
