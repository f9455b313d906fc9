/* Time per step of rattle(midpoint) and rattle(gauss(2)) on a sphere |q|^2 + |p|^2 = c of C^2, whose
 * fibres are circles: the library against a step written by hand with all that is known of the
 * model. V is linear, so that stages are no unknowns; that of the circle is t = tan(a/2), a being
 * its angle. |z+|^2 does not change along the circle. */
#include "bench.h"

typedef struct point {
  double x, y, u, v;
} point;

static const double level = 0.98000000636258127;

static int has_arrived(double r, double previous, int k) {
  return r <= 1e-15 || (k >= 2 && r <= 1e-13 && r > 0.5 * previous);
}

/* Along the circle onto psi/2 = q.p - v = 0, from t. */
static int land(double X, double Y, double U, double V, double t, point *end) {
  double previous = HUGE_VAL;
  for (int k = 0; k < 30; k++) {
    const double w = 1 / (1 + t * t), c = (1 - t * t) * w, s = 2 * t * w;
    const double x = c * X + s * U, y = c * Y + s * V, u = c * U - s * X, v = c * V - s * Y;
    const double psi = x * u + y * v - v;
    if (has_arrived(fabs(psi), previous, k)) {
      *end = (point){x, y, u, v};
      return 0;
    }
    previous = fabs(psi);
    t -= psi / (2 * w * (u * u + v * v - x * x - y * y + y));
  }
  return 1;
}

static int circle_step(point *z, double h) {
  const double x = z->x, y = z->y, u = z->u, v = z->v, pp = u * u + v * v, qq = x * x + y * y;
  double t = -0.25 * h * (pp - y + 1) / (pp - qq + y), previous = HUGE_VAL;
  for (int k = 0; k < 30; k++) {
    const double w = 1 / (1 + t * t), c = (1 - t * t) * w, s = 2 * t * w;
    const double P = c * x + s * u, Q = c * y + s * v, U = c * u - s * x, R = c * v - s * y;
    const double V = R - h, X = P + h * U, Y = Q + h * (R - 0.5 * h);
    const double g = X * X + Y * Y + U * U + V * V - level;
    if (has_arrived(fabs(g), previous, k)) return land(X, Y, U, V, t, z);
    previous = fabs(g);
    t -= g / (4 * w * (X * (U - h * P) + Y * (R - h * Q) - U * P - V * Q));
  }
  return 1;
}

static int twin(void *self, double h, long long steps, double *q, double *p) {
  point z = {q[0], q[1], p[0], p[1]};
  int failed = 0;
  (void)self;
  for (long long k = 0; k < steps && !failed; k++) failed = circle_step(&z, h);
  q[0] = z.x, q[1] = z.y, p[0] = z.u, p[1] = z.v;
  return failed;
}

int main(void) {
  static const char *const model = "../examples/harmonic.lua";
  bench_library native = bench_open(model, NULL, 0, "rattle(midpoint)", RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open(model, NULL, 0, "rattle(midpoint)", RATTLE_EVALUATOR_BLOCK);
  bench_library gauss = bench_open(model, NULL, 0, "rattle(gauss(2))", RATTLE_EVALUATOR_NATIVE);
  bench_case cases[] = {{.name = "twin", .advance = twin},
                        {.name = "midpoint, native", .advance = bench_advance, .self = &native},
                        {.name = "midpoint, block", .advance = bench_advance, .self = &block},
                        {.name = "gauss(2), native", .advance = bench_advance, .self = &gauss}};
  double q[2], p[2];
  rattle_error error;
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare("harmonic.lua", 2, cases, 4, 0.01, 5000, 2, q, p, 1e-9);
  bench_close(&native);
  bench_close(&block);
  bench_close(&gauss);
  return 0;
}
