/* Time per step of rattle(midpoint) and rattle(gauss(2)) of a bead on a sphere, H = p.p/(2 + z) + z
 * not separable: the library against a step written by hand with all that is known of the model.
 * With w = 1/(2 + z), the velocity nu of the stage along z and the kick a are its only unknowns:
 * P = p - a q but for P_z = nu (2 + Z)/1, X = x + 2 h w P. */
#include "bench.h"

typedef struct bead {
  double q[3], p[3];
} bead;

/* p onto q.p = 0, |q| = 1 to round-off. */
static void land(bead *b) {
  const double *q = b->q, *p = b->p, square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  const double s = (q[0] * p[0] + q[1] * p[1] + q[2] * p[2]) * (2 - square);
  for (int i = 0; i < 3; i++) b->p[i] -= s * b->q[i];
}

static int bead_step(bead *b, double h) {
  const double *q = b->q, *p = b->p, w0 = 1 / (2 + q[2]), v0 = w0 * p[2];
  const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], F0 = 1 - w0 * w0 * pp;
  double a = h * (w0 * pp - 0.5 * q[2] * F0), previous = HUGE_VAL;
  double nu = w0 * (p[2] - a * q[2] - 0.5 * h * F0) * (1 - h * v0 * w0);
  for (int k = 0; k < 30; k++) {
    const double Px = p[0] - a * q[0], Py = p[1] - a * q[1], D = 2 + q[2] + h * nu, w = 1 / D;
    const double T = Px * Px + Py * Py, w2 = w * w, step = 2 * h * w;
    const double half = 0.5 * h * (1 - T * w2 - nu * nu), r = nu * D - p[2] + a * q[2] + half;
    const double X = q[0] + step * Px, Y = q[1] + step * Py, Z = q[2] + 2 * h * nu;
    const double g = X * X + Y * Y + Z * Z - 1, worst = fmax(fabs(r), fabs(g));
    if (worst <= 1e-15 || (k >= 2 && worst <= 1e-13 && worst > 0.5 * previous)) {
      *b = (bead){{X, Y, Z}, {Px, Py, p[2] - a * q[2] - 2 * half}};
      land(b);
      return 0;
    }
    previous = worst;
    const double r_nu = D + h * h * T * w2 * w, r_a = q[2] + h * w2 * (q[0] * Px + q[1] * Py);
    const double g_nu = 4 * h * (Z - h * w2 * (X * Px + Y * Py));
    const double g_a = -2 * step * (X * q[0] + Y * q[1]), t = 1 / (r_nu * g_a - r_a * g_nu);
    nu -= (g_a * r - r_a * g) * t;
    a -= (r_nu * g - g_nu * r) * t;
  }
  return 1;
}

static int twin(void *self, double h, long long steps, double *q, double *p) {
  bead b = {{q[0], q[1], q[2]}, {p[0], p[1], p[2]}};
  int failed = 0;
  (void)self;
  for (long long k = 0; k < steps && !failed; k++) failed = bead_step(&b, h);
  memcpy(q, b.q, sizeof b.q);
  memcpy(p, b.p, sizeof b.p);
  return failed;
}

int main(void) {
  bench_library native =
      bench_open("bead.lua", NULL, 0, "rattle(midpoint)", RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open("bead.lua", NULL, 0, "rattle(midpoint)", RATTLE_EVALUATOR_BLOCK);
  bench_library gauss =
      bench_open("bead.lua", NULL, 0, "rattle(gauss(2))", RATTLE_EVALUATOR_NATIVE);
  bench_case cases[] = {{.name = "midpoint: twin", .advance = twin},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block},
                        {.name = "gauss(2), native", .advance = bench_advance, .self = &gauss}};
  double q[3], p[3];
  rattle_error error;
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare("bead.lua", 3, cases, 3, 0.02, 5000, 3, q, p, 1e-9);
  bench_compare("bead.lua", 3, cases, 4, 0.02, 5000, 3, q, p, 0.01);
  bench_close(&native);
  bench_close(&block);
  bench_close(&gauss);
  return 0;
}
