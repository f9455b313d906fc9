/* Time per step and link of rattle(verlet) for the chain of chain.lua, N = 2 .. 12, then 10^2 ..
 * 10^5 (10^6 with --big): the library against two hand-written twins, which use that the matrix of
 * the multipliers is tridiagonal.
 *
 *     q = (x[N], y[N]), p likewise;  link i: r_i = q_i - q_{i-1}, g_i = |r_i|² - 1;  V = Σ y_i / N
 *     G(Q) G(q)ᵀ = 4 tridiag(-R_i·r_{i-1}, c_i R_i·r_i, -R_i·r_{i+1}),  c_1 = 1, else 2
 *
 * plain: Newton from the multiplier of the continuous problem, the matrix factored anew each time;
 * special: the factors of the momentum equations of one step serve for the first multiplier of the
 * next. */
#include "bench.h"

#define TOLERANCE 2e-14

typedef struct chain {
  int N, keep;             /* keep: special */
  double *rx, *ry;         /* links at q */
  double *Rx, *Ry;         /* links at Q */
  double *Qx, *Qy;         /* Q */
  double *lambda, *delta;  /* multipliers of this step, solution of the linear equations */
  double *ratio, *inverse; /* LU factors: what is eliminated above, and 1/pivot */
} chain;

static chain chain_make(int N, int keep) {
  double *room = malloc(sizeof *room * 10 * (size_t)N);
  if (!room) exit(1);
  chain c = {.N = N, .keep = keep};
  double **part[] = {&c.rx, &c.ry,     &c.Rx,    &c.Ry,    &c.Qx,
                     &c.Qy, &c.lambda, &c.delta, &c.ratio, &c.inverse};
  for (int i = 0; i < 10; i++) *part[i] = room + (size_t)i * N;
  return c;
}

static void links(int N, const double *x, const double *y, double *rx, double *ry) {
  rx[0] = x[0];
  ry[0] = y[0];
  for (int i = 1; i < N; i++) {
    rx[i] = x[i] - x[i - 1];
    ry[i] = y[i] - y[i - 1];
  }
}

/* Factors tridiag(-R_i·r_{i-1}, c_i R_i·r_i, -R_i·r_{i+1}) and solves with b, which becomes the
 * solution. */
static void factor_and_solve(const chain *c, const double *Rx, const double *Ry, const double *rx,
                             const double *ry, double *b) {
  const int N = c->N;
  double *ratio = c->ratio, *inverse = c->inverse, above = 0;
  for (int i = 0; i < N; i++) {
    const double diagonal = (i ? 2 : 1) * (Rx[i] * rx[i] + Ry[i] * ry[i]);
    const double lower = i ? -(Rx[i] * rx[i - 1] + Ry[i] * ry[i - 1]) : 0;
    inverse[i] = 1 / (diagonal - lower * (i ? ratio[i - 1] : 0));
    above = i + 1 < N ? -(Rx[i] * rx[i + 1] + Ry[i] * ry[i + 1]) : 0;
    ratio[i] = above * inverse[i];
    b[i] = (b[i] - lower * (i ? b[i - 1] : 0)) * inverse[i];
  }
  for (int i = N - 2; i >= 0; i--) b[i] -= ratio[i] * b[i + 1];
}

/* Solves with the factors of the symmetric matrix at r, made by factor_and_solve(r, r). */
static void solve_again(const chain *c, const double *rx, const double *ry, double *b) {
  const int N = c->N;
  b[0] *= c->inverse[0];
  for (int i = 1; i < N; i++)
    b[i] = (b[i] + (rx[i] * rx[i - 1] + ry[i] * ry[i - 1]) * b[i - 1]) * c->inverse[i];
  for (int i = N - 2; i >= 0; i--) b[i] -= c->ratio[i] * b[i + 1];
}

/* (tox, toy) = (x, y) - scale Gᵀ λ / 2 */
static void pull(int N, double scale, const double *lambda, const double *rx, const double *ry,
                 const double *x, const double *y, double *tox, double *toy) {
  for (int i = 0; i + 1 < N; i++) {
    tox[i] = x[i] - scale * (lambda[i] * rx[i] - lambda[i + 1] * rx[i + 1]);
    toy[i] = y[i] - scale * (lambda[i] * ry[i] - lambda[i + 1] * ry[i + 1]);
  }
  tox[N - 1] = x[N - 1] - scale * lambda[N - 1] * rx[N - 1];
  toy[N - 1] = y[N - 1] - scale * lambda[N - 1] * ry[N - 1];
}

/* λ of the continuous problem at (q, p): G Gᵀ λ = G_qq(p,p) - G V_q */
static void first_multiplier(const chain *c, const double *px, const double *py, int factored) {
  const int N = c->N;
  double wx = px[0], wy = py[0];
  c->lambda[0] = (wx * wx + wy * wy - c->ry[0] / N) / 2;
  for (int i = 1; i < N; i++) {
    wx = px[i] - px[i - 1];
    wy = py[i] - py[i - 1];
    c->lambda[i] = (wx * wx + wy * wy) / 2;
  }
  if (factored)
    solve_again(c, c->rx, c->ry, c->lambda);
  else
    factor_and_solve(c, c->rx, c->ry, c->rx, c->ry, c->lambda);
}

static int step(const chain *c, double h, double *q, double *p, int factored) {
  const int N = c->N;
  double *x = q, *y = q + N, *px = p, *py = p + N;
  links(N, x, y, c->rx, c->ry);
  first_multiplier(c, px, py, factored);
  for (int i = 0; i < N; i++) py[i] -= h / 2 / N;
  for (int i = 0; i < N; i++) {
    c->Qx[i] = x[i] + h * px[i];
    c->Qy[i] = y[i] + h * py[i];
  }
  /* positions: Q moves by the change of λ, λ keeps the sum for the momenta */
  pull(N, h * h, c->lambda, c->rx, c->ry, c->Qx, c->Qy, c->Qx, c->Qy);
  for (int iteration = 0;; iteration++) {
    double largest = 0;
    links(N, c->Qx, c->Qy, c->Rx, c->Ry);
    for (int i = 0; i < N; i++) {
      const double g = c->Rx[i] * c->Rx[i] + c->Ry[i] * c->Ry[i] - 1;
      c->delta[i] = g / 2;
      largest = fabs(g) > largest ? fabs(g) : largest;
    }
    if (largest <= TOLERANCE) break;
    if (iteration == 20 || !(largest < 1)) return 1;
    factor_and_solve(c, c->Rx, c->Ry, c->rx, c->ry, c->delta);
    pull(N, 1, c->delta, c->rx, c->ry, c->Qx, c->Qy, c->Qx, c->Qy);
    for (int i = 0; i < N; i++) c->lambda[i] += c->delta[i] / (h * h);
  }
  /* momenta: G(Q) p = 0 */
  pull(N, h, c->lambda, c->rx, c->ry, px, py, px, py);
  for (int i = 0; i < N; i++) py[i] -= h / 2 / N;
  c->delta[0] = c->Rx[0] * px[0] + c->Ry[0] * py[0];
  for (int i = 1; i < N; i++)
    c->delta[i] = c->Rx[i] * (px[i] - px[i - 1]) + c->Ry[i] * (py[i] - py[i - 1]);
  factor_and_solve(c, c->Rx, c->Ry, c->Rx, c->Ry, c->delta);
  pull(N, 1, c->delta, c->Rx, c->Ry, px, py, px, py);
  memcpy(x, c->Qx, sizeof *x * (size_t)N);
  memcpy(y, c->Qy, sizeof *y * (size_t)N);
  return 0;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  const chain *c = self;
  for (long long k = 0; k < steps; k++) {
    if (step(c, h, q, p, c->keep && k > 0)) return 1;
  }
  return 0;
}

static void compare(int N) {
  rattle_error error;
  const double begin = bench_now();
  bench_library native = bench_open("chain.lua", "N", N, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  const double opened = 1e-9 * (bench_now() - begin);
  bench_library block = bench_open("chain.lua", "N", N, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  printf("chain\tload, %s\t%d\t%.3f\ts\t\n", rattle_integrator_solver(native.integrator), N,
         opened);
  chain plain = chain_make(N, 0), special = chain_make(N, 1);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance, .self = &plain},
                        {.name = "twin, special", .advance = advance, .self = &special},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  const int n = 2 * N, steps = N >= 40000 ? 5 : N <= 12 ? 500 : N <= 1000 ? 200 : 200000 / N;
  double *q = malloc(sizeof *q * (size_t)n * 2), *p = q + n;
  if (!q) exit(1);
  bench_check(rattle_problem_start(native.problem, 0, q, p, NULL, &error), &error);
  bench_compare("chain", N, cases, 4, 0.02, steps, n, q, p, 1e-6);
  free(q);
  free(plain.rx);
  free(special.rx);
  bench_close(&native);
  bench_close(&block);
}

int main(int count, char **arguments) {
  const int largest = count > 1 && !strcmp(arguments[1], "--big") ? 1000000 : 100000;
  const int few[] = {2, 3, 4, 6, 8, 12};
  for (size_t i = 0; i < sizeof few / sizeof *few; i++) compare(few[i]);
  for (int N = 100; N <= largest; N *= 10) compare(N);
  return 0;
}
