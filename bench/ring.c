/* Time per step and link of rattle(verlet) for the ring of ring.lua, N = 10^2 .. 10^5 (10^6 with
 * --big): the library against a hand-written twin, which uses that the matrix of the multipliers is
 * tridiagonal but for its corners.
 *
 *     q = (x[N], y[N]), p likewise;  link i: r_i = q_{i+1} - q_i, g_i = |r_i|² - 1, indices modulo
 *     N;  V = Σ y_i / N
 *     G(Q) G(q)ᵀ = 4 (-R_i·r_{i-1}, 2 R_i·r_i, -R_i·r_{i+1})
 *
 * plain: Newton from the multiplier of the continuous problem, the matrix factored anew each time;
 * the last unknown is a column of its own while the others are eliminated. */
#include <float.h>

#include "bench.h"

#define TOLERANCE 2e-14

typedef struct ring {
  int N;
  double *r[2], *R[2], *Q[2]; /* links at q and at Q, and Q */
  double *lambda, *delta;     /* multipliers of this step, solution of the linear equations */
  double *ratio,
      *corner; /* what is left of them: delta_i = delta_i + ratio_i delta_{i+1} + corner_i
                  delta_{N-1} */
} ring;

static ring ring_make(int N) {
  double *room = malloc(sizeof *room * 10 * (size_t)N);
  if (!room) exit(1);
  ring c = {.N = N};
  double **part[] = {&c.r[0], &c.r[1],   &c.R[0],  &c.R[1],  &c.Q[0],
                     &c.Q[1], &c.lambda, &c.delta, &c.ratio, &c.corner};
  for (int i = 0; i < 10; i++) *part[i] = room + (size_t)i * N;
  return c;
}

static void links(int N, const double *x, double *r) {
  for (int i = 0; i + 1 < N; i++) r[i] = x[i + 1] - x[i];
  r[N - 1] = x[0] - x[N - 1];
}

static double product(double *const *R, int i, double *const *r, int j) {
  return R[0][i] * r[0][j] + R[1][i] * r[1][j];
}

/* Solves with the matrix of R and r and with b, which becomes the solution. */
static void solve(const ring *c, double *const *R, double *const *r, double *b) {
  const int N = c->N;
  double *ratio = c->ratio, *corner = c->corner;
  for (int i = 0; i < N; i++) {
    const int before = i ? i - 1 : N - 1, after = i + 1 < N ? i + 1 : 0;
    const double lower = product(R, i, r, before), upper = product(R, i, r, after);
    double pivot = 2 * product(R, i, r, i), far = lower, rest = b[i];
    if (i > 0) pivot -= lower * ratio[i - 1], far = lower * corner[i - 1], rest += lower * b[i - 1];
    if (i == N - 1) { /* delta_0 = A + B delta_{N-1} */
      double A = b[i - 1], B = ratio[i - 1] + corner[i - 1];
      for (int k = i - 2; k >= 0; k--) A = b[k] + ratio[k] * A, B = ratio[k] * B + corner[k];
      pivot -= far + upper * B;
      rest += upper * A;
    }
    const double inverse = 1 / pivot;
    ratio[i] = upper * inverse;
    corner[i] = far * inverse;
    b[i] = rest * inverse;
  }
  for (int i = N - 2; i >= 0; i--) b[i] += ratio[i] * b[i + 1] + corner[i] * b[N - 1];
}

/* to = x - scale Gᵀ λ / 2 of one axis */
static void pull(int N, double scale, const double *lambda, const double *r, const double *x,
                 double *to) {
  to[0] = x[0] - scale * (lambda[N - 1] * r[N - 1] - lambda[0] * r[0]);
  for (int i = 1; i < N; i++) to[i] = x[i] - scale * (lambda[i - 1] * r[i - 1] - lambda[i] * r[i]);
}

static int step(const ring *c, double h, double *q, double *p) {
  const int N = c->N;
  double *const x[2] = {q, q + N}, *const px[2] = {p, p + N}, *f = c->delta;
  for (int d = 0; d < 2; d++) links(N, x[d], c->r[d]);
  for (int d = 0; d < 2; d++) links(N, px[d], c->R[d]);
  for (int i = 0; i < N; i++)
    c->lambda[i] =
        product(c->R, i, c->R, i) / 2; /* G Gᵀ λ = G_qq(p,p) - G V_q, and V_q is the same for all */
  solve(c, c->r, c->r, c->lambda);
  for (int i = 0; i < N; i++) px[1][i] -= h / 2 / N;
  for (int d = 0; d < 2; d++) {
    for (int i = 0; i < N; i++) c->Q[d][i] = x[d][i] + h * px[d][i];
    pull(N, h * h, c->lambda, c->r[d], c->Q[d], c->Q[d]);
  }
  for (int iteration = 0;; iteration++) {
    double largest = 0;
    for (int d = 0; d < 2; d++) links(N, c->Q[d], c->R[d]);
    for (int i = 0; i < N; i++) {
      const double g = product(c->R, i, c->R, i) - 1;
      f[i] = g / 2;
      largest = fabs(g) > largest ? fabs(g) : largest;
    }
    if (largest <= TOLERANCE + DBL_EPSILON * N / 2)
      break; /* the nodes of a ring are as far away as it is large */
    if (iteration == 20 || !(largest < 1)) return 1;
    solve(c, c->R, c->r, f);
    for (int d = 0; d < 2; d++) pull(N, 1, f, c->r[d], c->Q[d], c->Q[d]);
    for (int i = 0; i < N; i++) c->lambda[i] += f[i] / (h * h);
  }
  for (int d = 0; d < 2; d++) pull(N, h, c->lambda, c->r[d], px[d], px[d]);
  for (int i = 0; i < N; i++) px[1][i] -= h / 2 / N;
  for (int d = 0; d < 2; d++) links(N, px[d], c->r[d]);
  for (int i = 0; i < N; i++) f[i] = product(c->R, i, c->r, i);
  solve(c, c->R, c->R, f);
  for (int d = 0; d < 2; d++) {
    pull(N, 1, f, c->R[d], px[d], px[d]);
    memcpy(x[d], c->Q[d], sizeof *q * (size_t)N);
  }
  return 0;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  for (long long k = 0; k < steps; k++)
    if (step(self, h, q, p)) return 1;
  return 0;
}

static void compare(int N) {
  rattle_error error;
  bench_library native = bench_open("ring.lua", "N", N, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open("ring.lua", "N", N, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  ring plain = ring_make(N);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance, .self = &plain},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  const int n = 2 * N, steps = N >= 40000 ? 5 : N <= 1000 ? 200 : 200000 / N;
  double *q = malloc(sizeof *q * (size_t)n * 2), *p = q + n;
  if (!q) exit(1);
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare("ring", N, cases, 3, 0.02, steps, n, q, p, 1e-6);
  free(q);
  free(plain.r[0]);
  bench_close(&native);
  bench_close(&block);
}

int main(int count, char **arguments) {
  const int largest = count > 1 && !strcmp(arguments[1], "--big") ? 1000000 : 100000;
  for (int N = 100; N <= largest; N *= 10) compare(N);
  return 0;
}
