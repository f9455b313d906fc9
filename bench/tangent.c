/* Time per step of rattle(verlet) for the planar pendulum with the derivative of the step on
 * vectors (dq, dp): the library against a twin by hand, and against the step alone, which is what
 * ratios refer to.
 *
 *     u+ = u - k dq,   x = dq + h u+,  dq1 = x - a q,  u~ = u+ - a q/h,    a = q1 . x / q1 . q
 *     u1 = u~ - mu dq1,                dp1 = u1 - b q1,                    b = (q1 . u1 + p1 . dq1)
 *     / q1 . q1
 *
 * with the multipliers k, mu of the step. The vectors are one of them, a basis of the tangent space
 * of the manifold (2), all 2n = 4. */
#include "tangents.h"

static const double start[16] = {0, 1, 2, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0};

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

static int by_hand(void *self, double h, long long steps, double *q, double *p) {
  bench_vectors *s = self;
  const double inverse = 1 / h;
  bench_begin_vectors(s);
  for (long long i = 0; i < steps; i++) {
    const double half_y = p[1] - h / 2, free[2] = {q[0] + h * p[0], q[1] + h * half_y};
    const double a = dot(q, q), b = dot(free, q), c = dot(free, free) - 1,
                 r = c / (b + sqrt(b * b - a * c)), kick = r * inverse;
    const double half[2] = {p[0] - kick * q[0], half_y - kick * q[1]},
                 Q[2] = {free[0] - r * q[0], free[1] - r * q[1]};
    const double length = 1 / dot(Q, Q), between = 1 / dot(Q, q),
                 mu = (dot(Q, half) - h / 2 * Q[1]) * length;
    const double P[2] = {half[0] - mu * Q[0], half[1] - h / 2 - mu * Q[1]};
    for (int v = 0; v < s->count; v++) {
      double *w = s->W + 4 * v, u[2] = {w[2] - kick * w[0], w[3] - kick * w[1]},
             x[2] = {w[0] + h * u[0], w[1] + h * u[1]};
      const double t = dot(Q, x) * between;
      x[0] -= t * q[0], x[1] -= t * q[1];
      u[0] -= t * inverse * q[0] + mu * x[0], u[1] -= t * inverse * q[1] + mu * x[1];
      const double e = (dot(Q, u) + dot(P, x)) * length;
      w[0] = x[0], w[1] = x[1], w[2] = u[0] - e * Q[0], w[3] = u[1] - e * Q[1];
    }
    memcpy(q, Q, sizeof Q);
    memcpy(p, P, sizeof P);
  }
  return 0;
}

static bench_vectors by_evaluator(const bench_library *library, int count) {
  bench_vectors s = {.start = start, .count = count, .size = 4};
  rattle_error error;
  bench_check(rattle_tangent_create(&s.tangent, library->problem, "rattle(verlet)", &error),
              &error);
  return s;
}

int main(void) {
  static const int counts[3] = {1, 2, 4};
  bench_library native =
      bench_open("pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open("pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_vectors hand[3], library[3], interpreted = by_evaluator(&block, 1);
  bench_case cases[8] = {{.name = "step alone", .advance = bench_advance, .self = &native}};
  char names[6][40];
  for (int i = 0; i < 3; i++) {
    hand[i] = (bench_vectors){.start = start, .count = counts[i], .size = 4};
    library[i] = by_evaluator(&native, counts[i]);
    snprintf(names[i], sizeof names[i], "twin, vectors: %d", counts[i]);
    snprintf(names[3 + i], sizeof names[3 + i], "library, vectors: %d", counts[i]);
    cases[1 + i] = (bench_case){.name = names[i], .advance = by_hand, .self = &hand[i]};
    cases[4 + i] =
        (bench_case){.name = names[3 + i], .advance = bench_carry_vectors, .self = &library[i]};
  }
  cases[7] = (bench_case){
      .name = "library, vectors: 1, block", .advance = bench_carry_vectors, .self = &interpreted};
  const double q[2] = {1, 0}, p[2] = {0, -2};
  bench_compare("tangent", 1, cases, 8, 0.025, 16000, 2, q, p, 1e-7);
  for (int i = 0; i < 3; i++) {
    bench_compare_vectors(&hand[i], &library[i]);
    rattle_tangent_destroy(&library[i].tangent);
  }
  bench_compare_vectors(&hand[0], &interpreted);
  rattle_tangent_destroy(&interpreted.tangent);
  bench_close(&native);
  bench_close(&block);
  return 0;
}
