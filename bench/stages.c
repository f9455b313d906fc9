/* Time per step of rattle(midpoint) and rattle(gauss(2)) of a bead on a sphere, H = p.p/(2 + z) + z
 * not separable: the library against a step written by hand (bead.h). */
#include "bead.h"

/* A step with two stages, of velocities nu. One division in the elimination of all three. */
static int bead_step_of_two(bead *b, double h) {
  static const double s = 0.28867513459481287;
  const double A[2][2] = {{h * 0.25, h * (0.25 - s)}, {h * (0.25 + s), h * 0.25}};
  const double *q = b->q, *p = b->p, w0 = 1 / (2 + q[2]), v0 = w0 * p[2];
  const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], F0 = 1 - w0 * w0 * pp;
  double a = h * (w0 * pp - 0.5 * q[2] * F0), previous = HUGE_VAL, nu[2];
  for (int j = 0; j < 2; j++) {
    const double way = h * (0.5 + (j ? s : -s));
    nu[j] = w0 * (p[2] - a * q[2] - way * F0) * (1 - 2 * way * v0 * w0);
  }
  for (int k = 0; k < 30; k++) {
    const double Px = p[0] - a * q[0], Py = p[1] - a * q[1], pz = p[2] - a * q[2];
    const double T = Px * Px + Py * Py;
    double D[2], w[2], c[2], F[2], r[2], J[2][2], by_a[2], by_nu[2];
    for (int j = 0; j < 2; j++) {
      D[j] = 2 + q[2] + 2 * (A[j][0] * nu[0] + A[j][1] * nu[1]), w[j] = 1 / D[j];
      c[j] = w[j] * w[j], F[j] = 1 - T * c[j] - nu[j] * nu[j];
    }
    for (int j = 0; j < 2; j++) r[j] = nu[j] * D[j] - pz + A[j][0] * F[0] + A[j][1] * F[1];
    const double way = h * (w[0] + w[1]), X = q[0] + way * Px, Y = q[1] + way * Py;
    const double Z = q[2] + h * (nu[0] + nu[1]), g = X * X + Y * Y + Z * Z - 1;
    const double worst = fmax(fmax(fabs(r[0]), fabs(r[1])), fabs(g));
    if (worst <= 1e-15 || (k >= 2 && worst <= 1e-13 && worst > 0.5 * previous)) {
      *b = (bead){{X, Y, Z}, {Px, Py, pz - 0.5 * h * (F[0] + F[1])}, nu[0], a};
      land(b);
      return 0;
    }
    previous = worst;
    const double along = q[0] * Px + q[1] * Py, over = X * Px + Y * Py;
    for (int j = 0; j < 2; j++) {
      for (int e = 0; e < 2; e++)
        J[j][e] = 2 * A[j][e] * (nu[j] - nu[e]) +
                  4 * T * (A[j][0] * c[0] * w[0] * A[0][e] + A[j][1] * c[1] * w[1] * A[1][e]);
      J[j][j] += D[j];
      by_a[j] = q[2] + 2 * along * (A[j][0] * c[0] + A[j][1] * c[1]);
      by_nu[j] = 2 * h * (Z - 2 * over * (c[0] * A[0][j] + c[1] * A[1][j]));
    }
    const double g_a = -2 * way * (X * q[0] + Y * q[1]);
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const double u0 = J[1][1] * r[0] - J[0][1] * r[1], u1 = J[0][0] * r[1] - J[1][0] * r[0];
    const double t0 = J[1][1] * by_a[0] - J[0][1] * by_a[1];
    const double t1 = J[0][0] * by_a[1] - J[1][0] * by_a[0];
    const double bottom = det * g_a - by_nu[0] * t0 - by_nu[1] * t1;
    const double top = det * g - by_nu[0] * u0 - by_nu[1] * u1, inverse = 1 / (bottom * det);
    const double da = top * det * inverse;
    a -= da;
    nu[0] -= (u0 - t0 * da) * (bottom * inverse);
    nu[1] -= (u1 - t1 * da) * (bottom * inverse);
  }
  return 1;
}

/* self: NULL for one stage */
static int twin(void *self, double h, long long steps, double *q, double *p) {
  bead b = {{q[0], q[1], q[2]}, {p[0], p[1], p[2]}, 0, 0};
  int failed = 0;
  for (long long k = 0; k < steps && !failed; k++)
    failed = self ? bead_step_of_two(&b, h) : bead_step(&b, h);
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
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  bench_case of_two[] = {{.name = "gauss(2): twin", .advance = twin, .self = &gauss},
                         {.name = "gauss(2), native", .advance = bench_advance, .self = &gauss}};
  double q[3], p[3];
  rattle_error error;
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare("bead.lua", 3, cases, 3, 0.02, 5000, 3, q, p, 1e-9);
  bench_compare("bead.lua", 3, of_two, 2, 0.02, 5000, 3, q, p, 1e-9);
  bench_close(&native);
  bench_close(&block);
  bench_close(&gauss);
  return 0;
}
