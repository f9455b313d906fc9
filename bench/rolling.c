/* Time per step of rattle(verlet) under constraints on velocities: the library against steps written
 * by hand for two systems. Chaplygin's sleigh has one row, solved by Newton's method with a slope in
 * closed form; a disc that leans and rolls has 12 coordinates and 7 + 2 multipliers, found with the
 * Cholesky factors of C W C^T where the step begins, which the landing of the step before has
 * made. */
#include "bench.h"

/* ---- the sleigh ---- */

static const double offset = 0.7, quick = 2; /* of the blade; 1/I */

/* One step with the sine and cosine of its angle, which the next one begins with. */
static int sleigh_step(double h, double *q, double *p, double *sine, double *cosine) {
  const double k = h / 2, s0 = *sine, c0 = *cosine, N = 1 + offset * offset * quick;
  double pull = -quick * p[2] * (c0 * p[0] + s0 * p[1]) / N; /* the multiplier of the point */
  double vx, vy, w;
  for (int iteration = 0;; iteration++) {
    vx = p[0] + k * pull * s0;
    vy = p[1] - k * pull * c0;
    w = quick * (p[2] + k * pull * offset);
    const double middle = q[2] + k * w, s = sin(middle), c = cos(middle);
    const double slip = c * vy - s * vx - offset * w;
    const double slope = -k * (s * s0 + c * c0 + offset * offset * quick) -
                         (c * vx + s * vy) * k * k * quick * offset;
    const double change = slip / slope;
    pull -= change;
    if (fabs(change) * k <= 1e-9 * (fabs(vx) + fabs(vy) + fabs(w))) break;
    if (iteration > 20) return 1;
  }
  vx = p[0] + k * pull * s0;
  vy = p[1] - k * pull * c0;
  w = quick * (p[2] + k * pull * offset);
  q[0] += h * vx;
  q[1] += h * vy;
  q[2] += h * w;
  const double s = *sine = sin(q[2]), c = *cosine = cos(q[2]);
  const double push = (c * vy - s * vx - offset * w) / N;
  p[0] = vx + push * s;
  p[1] = vy - push * c;
  p[2] = w / quick + push * offset;
  return 0;
}

static int sleigh(void *self, double h, long long steps, double *q, double *p) {
  double s = sin(q[2]), c = cos(q[2]);
  (void)self;
  for (long long k = 0; k < steps; k++)
    if (sleigh_step(h, q, p, &s, &c)) return 1;
  return 0;
}

/* ---- the disc ---- */

enum { N = 12, M = 9 };
static const double W[N] = {1, 1, 1, 4, 4, 20, 4, 4, 20, 4, 4, 20};

typedef struct disc {
  double C[M][N], L[M][M]; /* rows where the step begins, and the Cholesky factor of C W C^T, its
                              diagonal inverted */
} disc;

/* The scaled column of the lower edge, (R31, R32)/|(R31, R32)| */
static void edge(const double *q, double *a, double *b) {
  const double inverse = 1 / sqrt(q[9] * q[9] + q[10] * q[10]);
  *a = q[9] * inverse;
  *b = q[10] * inverse;
}

static void disc_rows(disc *d, const double *q) {
  double a, b;
  int row = 0;
  memset(d->C, 0, sizeof d->C);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++, row++)
      for (int l = 0; l < 3; l++) {
        const double *R = q + 3 + 3 * l;
        double *C = d->C[row] + 3 + 3 * l;
        if (i == j) {
          C[i] = R[i];
        } else {
          C[i] = R[j];
          C[j] = R[i];
        }
      }
  edge(q, &a, &b);
  d->C[6][2] = d->C[7][0] = d->C[8][1] = 1;
  d->C[6][9] = d->C[7][3] = d->C[8][6] = -a;
  d->C[6][10] = d->C[7][4] = d->C[8][7] = -b;
}

static void disc_factor(disc *d) {
  for (int i = 0; i < M; i++) {
    double weighed[N];
    for (int k = 0; k < N; k++) weighed[k] = d->C[i][k] * W[k];
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += weighed[k] * d->C[j][k];
      for (int k = 0; k < j; k++) sum -= d->L[i][k] * d->L[j][k];
      d->L[i][j] = i == j ? 1 / sqrt(sum) : sum * d->L[j][j];
    }
  }
}

static void disc_solve(const disc *d, double *x) {
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < i; k++) x[i] -= d->L[i][k] * x[k];
    x[i] *= d->L[i][i];
  }
  for (int i = M - 1; i >= 0; i--) {
    for (int k = i + 1; k < M; k++) x[i] -= d->L[k][i] * x[k];
    x[i] *= d->L[i][i];
  }
}

/* The equation over h at q1 = q + h v */
static void disc_equation(double h, const double *q, const double *v, const double *q1, double *F) {
  double a, b, middle[N];
  const double *r = q1 + 3;
  int row = 0;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++, row++) {
      const double u = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
      F[row] = (i == j ? (u - 1) / 2 : u) / h;
    }
  F[6] = (q1[2] - sqrt(q1[9] * q1[9] + q1[10] * q1[10])) / h;
  for (int k = 9; k < 11; k++) middle[k] = q[k] + h / 2 * v[k];
  edge(middle, &a, &b);
  F[7] = v[0] - a * v[3] - b * v[4];
  F[8] = v[1] - a * v[6] - b * v[7];
}

/* v -= W C^T x; the size of the change */
static double disc_push(const disc *d, const double *x, double *v) {
  double moved = 0;
  for (int k = 0; k < N; k++) {
    double sum = 0;
    for (int i = 0; i < M; i++) sum += d->C[i][k] * x[i];
    v[k] -= W[k] * sum;
    moved += fabs(W[k] * sum);
  }
  return moved;
}

static int disc_step(disc *d, double h, double *q, double *p) {
  double v[N], q1[N], x[M], size = 0, last = INFINITY;
  for (int k = 0; k < N; k++) v[k] = W[k] * (p[k] - (k == 2 ? h / 2 : 0));
  for (int k = 0; k < N; k++) size += fabs(v[k]);
  for (int iteration = 0;; iteration++) {
    for (int k = 0; k < N; k++) q1[k] = q[k] + h * v[k];
    disc_equation(h, q, v, q1, x);
    disc_solve(d, x);
    const double moved = disc_push(d, x, v);
    if (moved <= 1e-15 * size || (moved >= last && moved < 1e-9 * size)) break;
    if (iteration > 40) return 1;
    last = moved;
  }
  for (int k = 0; k < N; k++) q[k] += h * v[k];
  v[2] -= h / 2;
  disc_rows(d, q);
  disc_factor(d);
  for (int i = 0; i < M; i++) {
    x[i] = 0;
    for (int k = 0; k < N; k++) x[i] += d->C[i][k] * v[k];
  }
  disc_solve(d, x);
  (void)disc_push(d, x, v);
  for (int k = 0; k < N; k++) p[k] = v[k] / W[k];
  return 0;
}

static int falling(void *self, double h, long long steps, double *q, double *p) {
  disc d;
  (void)self;
  disc_rows(&d, q);
  disc_factor(&d);
  for (long long k = 0; k < steps; k++)
    if (disc_step(&d, h, q, p)) return 1;
  return 0;
}

static void compare(const char *file, int (*twin)(void *, double, long long, double *, double *),
                    int size, long long steps) {
  bench_library native = bench_open(file, NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block = bench_open(file, NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin, plain", .advance = twin},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  double q[N], p[N];
  rattle_error error;
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare(file, size, cases, 3, 0.01, steps, native.n, q, p, 1e-9);
  bench_close(&native);
  bench_close(&block);
}

/* The price of an energy that is kept: the same motion up to the errors of both. */
static void price(const char *file, int size, long long steps) {
  bench_library swings = bench_open(file, NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library keeps = bench_open(file, NULL, 0, "discrete_gradient", RATTLE_EVALUATOR_NATIVE);
  bench_case cases[] = {{.name = "rattle(verlet)", .advance = bench_advance, .self = &swings},
                        {.name = "discrete_gradient", .advance = bench_advance, .self = &keeps}};
  double q[N], p[N];
  rattle_error error;
  bench_check(rattle_problem_start(swings.problem, 1, q, p, NULL, &error), &error);
  bench_compare(file, size, cases, 2, 0.01, steps, swings.n, q, p, 1);
  bench_close(&swings);
  bench_close(&keeps);
}

int main(void) {
  compare("sleigh.lua", sleigh, 3, 20000);
  compare("falling.lua", falling, 12, 500);
  price("sleigh.lua", 3, 20000);
  price("falling.lua", 12, 500);
  return 0;
}
