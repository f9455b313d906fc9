/* Time per step of rattle(verlet) for the planar pendulum: the library against three hand-written
 * twins.
 *
 *     p½ = p - h/2 (∇V + λ G),  Q = q + h p½,  g(Q) = |Q|² - 1 = 0;   p1 = p½ - h/2 (∇V(Q) + μ
 *     G(Q)),  G(Q) p1 = 0
 *
 * plain: Newton for λ to 1e-14 from the multiplier of the continuous problem; special: λ from the
 * quadratic equation; tight: the same with |q| = 1, from which it drifts by round-off. */
#include "bench.h"

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

static int finish(double h, const double *Q, const double *half, double *q, double *p) {
  const double mu = (dot(Q, half) - h / 2 * Q[1]) / dot(Q, Q);
  q[0] = Q[0];
  q[1] = Q[1];
  p[0] = half[0] - mu * Q[0];
  p[1] = half[1] - h / 2 - mu * Q[1];
  return 0;
}

static int step_plain(double h, double *q, double *p) {
  double lambda = (dot(p, p) - q[1]) / (2 * dot(q, q)), half[2], Q[2];
  for (int iteration = 0; iteration < 20; iteration++) {
    for (int k = 0; k < 2; k++) {
      half[k] = p[k] - h / 2 * ((k == 1) + 2 * lambda * q[k]);
      Q[k] = q[k] + h * half[k];
    }
    const double g = dot(Q, Q) - 1;
    if (fabs(g) <= 1e-14) return finish(h, Q, half, q, p);
    lambda += g / (2 * h * h * dot(Q, q));
  }
  return 1;
}

/* |Q̄ - s q|² = 1 with s = h² λ, the root near 0 without cancellation */
static int step_special(double h, double *q, double *p) {
  const double half_free[2] = {p[0], p[1] - h / 2},
               Q_free[2] = {q[0] + h * half_free[0], q[1] + h * half_free[1]};
  const double a = dot(q, q), b = dot(Q_free, q), c = dot(Q_free, Q_free) - 1, root = b * b - a * c;
  if (!(root >= 0)) return 1;
  const double s = c / (b + sqrt(root)), kick = s / h;
  const double half[2] = {half_free[0] - kick * q[0], half_free[1] - kick * q[1]};
  const double Q[2] = {Q_free[0] - s * q[0], Q_free[1] - s * q[1]};
  return finish(h, Q, half, q, p);
}

static int step_tight(double h, double *q, double *p) {
  const double free_y = p[1] - h / 2, Qx = q[0] + h * p[0], Qy = q[1] + h * free_y;
  const double b = Qx * q[0] + Qy * q[1], c = Qx * Qx + Qy * Qy - 1, s = c / (b + sqrt(b * b - c)),
               kick = s * (1 / h);
  const double half_x = p[0] - kick * q[0], half_y = free_y - kick * q[1];
  q[0] = Qx - s * q[0];
  q[1] = Qy - s * q[1];
  const double mu = q[0] * half_x + q[1] * (half_y - h / 2);
  p[0] = half_x - mu * q[0];
  p[1] = half_y - h / 2 - mu * q[1];
  return 0;
}

static int advance_plain(void *self, double h, long long steps, double *q, double *p) {
  (void)self;
  for (long long k = 0; k < steps; k++) {
    if (step_plain(h, q, p)) return 1;
  }
  return 0;
}

static int advance_special(void *self, double h, long long steps, double *q, double *p) {
  (void)self;
  for (long long k = 0; k < steps; k++) {
    if (step_special(h, q, p)) return 1;
  }
  return 0;
}

static int advance_tight(void *self, double h, long long steps, double *q, double *p) {
  (void)self;
  for (long long k = 0; k < steps; k++) step_tight(h, q, p);
  return 0;
}

/* The library, called for each step. */
static int advance_called(void *self, double h, long long steps, double *q, double *p) {
  const bench_library *library = self;
  rattle_state state = {.q = q, .p = p, .h = h};
  rattle_error error;
  for (long long k = 0; k < steps; k++)
    bench_check(rattle_integrator_step(library->integrator, &state, 1, &error), &error);
  return 0;
}

int main(void) {
  bench_library native =
      bench_open("pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open("pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {
      {.name = "twin, plain", .advance = advance_plain},
      {.name = "twin, special", .advance = advance_special},
      {.name = "twin, tight", .advance = advance_tight},
      {.name = "library, native", .advance = bench_advance, .self = &native},
      {.name = "library, called for each step", .advance = advance_called, .self = &native},
      {.name = "library, block", .advance = bench_advance, .self = &block}};
  const double q[2] = {1, 0}, p[2] = {0, -2};
  bench_compare("pendulum", 1, cases, 6, 0.025, 40000, 2, q, p, 1e-7);
  bench_close(&native);
  bench_close(&block);
  return 0;
}
