/* Time per step of rattle(verlet) for Andrews' squeezing mechanism (examples/andrews.lua): the
 * library against a plain hand-written twin.
 *
 * coordinates  of each of seven bodies in the plane (x, y, θ), masses (m, m, J)
 * pins         point(body, r) - point(other, s) = 0, point = x + R(θ) r: ten of them, twenty rows;
 *              their matrix is 20 x 20
 * twin         Newton to 1e-14 from λ = 0, the matrix factored at each iterate, by Gauss without a
 *              search for pivots that leaves out rows with a 0 */
#include "bench.h"

enum { BODIES = 7, PINS = 10, N = 3 * BODIES, M = 2 * PINS, GROUND = -1 };

static const double mass[BODIES] = {0.04325, 0.00365, 0.02373, 0.07050,
                                    0.00706, 0.05498, 0.00706}; /* K1 K2 K3 K5 K4 K7 K6 */
static const double inertia[BODIES] = {2.194e-6, 4.410e-7, 5.255e-6, 1.169e-5,
                                       5.667e-7, 1.912e-5, 5.667e-7};
enum { K1, K2, K3, K5, K4, K7, K6 };

static const double rr = 0.007, ra = 0.00092, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421,
                    ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                    tb = 0.00916, zt = 0.04, zf = 0.02, fa = 0.01421, u = 0.04, ua = 0.01228,
                    ub = 0.00449;
static const double motor = 0.033, stiffness = 4530, rest = 0.07785, Cx = 0.014, Cy = 0.072;

typedef struct pin {
  int body, other;
  double r[2], s[2];
} pin;
static pin pins[PINS];

/* R(θ) r, and its derivative by θ */
typedef struct arm {
  double x, y;
} arm;

static inline arm turned(const double *sine, const double *cosine, int body, const double *r) {
  return (arm){cosine[body] * r[0] - sine[body] * r[1], sine[body] * r[0] + cosine[body] * r[1]};
}

/* The arms of the pins at a point: of their own bodies, and of the others. */
typedef struct arms {
  arm own[PINS], other[PINS];
} arms;

static void find_arms(const double *q, arms *a) {
  double sine[BODIES], cosine[BODIES];
  for (int b = 0; b < BODIES; b++) sine[b] = sin(q[3 * b + 2]), cosine[b] = cos(q[3 * b + 2]);
  for (int i = 0; i < PINS; i++) {
    a->own[i] = turned(sine, cosine, pins[i].body, pins[i].r);
    a->other[i] = pins[i].other < 0 ? (arm){pins[i].s[0], pins[i].s[1]}
                                    : turned(sine, cosine, pins[i].other, pins[i].s);
  }
}

static double residuals(const double *q, const arms *a, double *g) {
  double largest = 0;
  for (int i = 0; i < PINS; i++) {
    const double *own = q + 3 * pins[i].body,
                 *other = q + 3 * (pins[i].other < 0 ? 0 : pins[i].other);
    const int moves = pins[i].other >= 0;
    g[2 * i] = own[0] + a->own[i].x - a->other[i].x - (moves ? other[0] : 0);
    g[2 * i + 1] = own[1] + a->own[i].y - a->other[i].y - (moves ? other[1] : 0);
    largest = fmax(largest, fmax(fabs(g[2 * i]), fabs(g[2 * i + 1])));
  }
  return largest;
}

/* A += sign G M^{-1} G^T of pins i and j at a body that both have, with arms a and b: the gradients
 * are (1, 0, -a.y) and (0, 1, a.x). */
static inline void meet(double *A, int i, int j, int body, double sign, const arm *a,
                        const arm *b) {
  const double w = 1 / mass[body], v = 1 / inertia[body];
  A[2 * i * M + 2 * j] += sign * (w + v * a->y * b->y);
  A[2 * i * M + 2 * j + 1] -= sign * v * a->y * b->x;
  A[(2 * i + 1) * M + 2 * j] -= sign * v * a->x * b->y;
  A[(2 * i + 1) * M + 2 * j + 1] += sign * (w + v * a->x * b->x);
}

/* A = G(Q) M^{-1} G(q)^T */
static void couple(const arms *Q, const arms *q, double *A) {
  memset(A, 0, sizeof(double) * M * M);
  for (int i = 0; i < PINS; i++)
    for (int j = 0; j < PINS; j++) {
      if (pins[i].body == pins[j].body) meet(A, i, j, pins[i].body, 1, &Q->own[i], &q->own[j]);
      if (pins[i].body == pins[j].other) meet(A, i, j, pins[i].body, -1, &Q->own[i], &q->other[j]);
      if (pins[i].other == pins[j].body) meet(A, i, j, pins[j].body, -1, &Q->other[i], &q->own[j]);
      if (pins[i].other == pins[j].other && pins[i].other >= 0)
        meet(A, i, j, pins[i].other, 1, &Q->other[i], &q->other[j]);
    }
}

/* x = A^{-1} x */
static void solve(double *A, double *x) {
  for (int k = 0; k < M; k++) {
    const double inverse = 1 / A[k * M + k];
    for (int i = k + 1; i < M; i++) {
      if (A[i * M + k] == 0) continue;
      const double ratio = A[i * M + k] * inverse;
      for (int j = k + 1; j < M; j++) A[i * M + j] -= ratio * A[k * M + j];
      x[i] -= ratio * x[k];
    }
  }
  for (int i = M - 1; i >= 0; i--) {
    for (int j = i + 1; j < M; j++) x[i] -= A[i * M + j] * x[j];
    x[i] /= A[i * M + i];
  }
}

/* z -= scale G^T s, divided by the masses where `weighted` */
static void push(double scale, int weighted, const double *s, const arms *a, double *z) {
  double sum[N] = {0};
  for (int i = 0; i < PINS; i++) {
    const double x = scale * s[2 * i], y = scale * s[2 * i + 1];
    double *own = sum + 3 * pins[i].body,
           *other = sum + 3 * (pins[i].other < 0 ? 0 : pins[i].other);
    own[0] += x, own[1] += y, own[2] += a->own[i].x * y - a->own[i].y * x;
    if (pins[i].other >= 0)
      other[0] -= x, other[1] -= y, other[2] -= a->other[i].x * y - a->other[i].y * x;
  }
  for (int k = 0; k < N; k++)
    z[k] -= sum[k] / (!weighted ? 1 : k % 3 < 2 ? mass[k / 3] : inertia[k / 3]);
}

static void hidden(const double *p, const arms *a, double *psi) {
  double v[N];
  for (int k = 0; k < N; k++) v[k] = p[k] / (k % 3 < 2 ? mass[k / 3] : inertia[k / 3]);
  for (int i = 0; i < PINS; i++) {
    const double *own = v + 3 * pins[i].body,
                 *other = v + 3 * (pins[i].other < 0 ? 0 : pins[i].other);
    const int moves = pins[i].other >= 0;
    psi[2 * i] = own[0] - a->own[i].y * own[2] - (moves ? other[0] - a->other[i].y * other[2] : 0);
    psi[2 * i + 1] =
        own[1] + a->own[i].x * own[2] - (moves ? other[1] + a->other[i].x * other[2] : 0);
  }
}

/* p -= c V_q: the spring at K3 and the motor */
static void kick(double c, const double *q, double *p) {
  const double *x = q + 3 * K3, sine = sin(x[2]), cosine = cos(x[2]), r = sd - sb, s = sa - sc;
  const arm to = {cosine * r - sine * s, sine * r + cosine * s};
  const double dx = x[0] + to.x - Cx, dy = x[1] + to.y - Cy, length = sqrt(dx * dx + dy * dy);
  const double pull = c * stiffness * (length - rest) / length;
  p[3 * K3] -= pull * dx;
  p[3 * K3 + 1] -= pull * dy;
  p[3 * K3 + 2] -= pull * (to.x * dy - to.y * dx);
  p[3 * K1 + 2] += c * motor;
}

static int step(double h, double *q, double *p) {
  double A[M * M], s[M] = {0}, delta[M], Q[N];
  arms begin, end;
  find_arms(q, &begin);
  kick(h / 2, q, p);
  for (int k = 0; k < N; k++) Q[k] = q[k] + h * p[k] / (k % 3 < 2 ? mass[k / 3] : inertia[k / 3]);
  for (int iteration = 0;; iteration++) {
    find_arms(Q, &end);
    if (residuals(Q, &end, delta) <= 1e-14 * 0.1) break; /* lengths are about 0.1 */
    if (iteration == 20) return 1;
    couple(&end, &begin, A);
    solve(A, delta);
    push(1, 1, delta, &begin, Q);
    for (int k = 0; k < M; k++) s[k] += delta[k];
  }
  push(1 / h, 0, s, &begin, p);
  kick(h / 2, Q, p);
  hidden(p, &end, delta);
  couple(&end, &end, A);
  solve(A, delta);
  push(1, 0, delta, &end, p);
  memcpy(q, Q, sizeof Q);
  return 0;
}

static int advance(void *self, double h, long long steps, double *q, double *p) {
  (void)self;
  for (long long k = 0; k < steps; k++) {
    if (step(h, q, p)) return 1;
  }
  return 0;
}

int main(void) {
  const pin all[PINS] = {
      {K1, GROUND, {-ra, 0}, {0, 0}},        {K1, K2, {rr - ra, 0}, {da, 0}},
      {K3, K2, {-sb, sa - ss}, {da - d, 0}}, {K4, K2, {0, -ea}, {da - d, 0}},
      {K6, K2, {fa, 0}, {da - d, 0}},        {K3, GROUND, {-sb, sa}, {-0.03635, 0.03273}},
      {K4, K5, {0, e - ea}, {zt - ta, -tb}}, {K5, GROUND, {-ta, -tb}, {-0.06934, -0.00227}},
      {K6, K7, {fa - zf, 0}, {ub, ua - u}},  {K7, GROUND, {ub, ua}, {-0.06934, -0.00227}}};
  double q[N], p[N];
  rattle_error error;
  memcpy(pins, all, sizeof all);
  bench_library native =
      bench_open("../examples/andrews.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open("../examples/andrews.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare("Andrews", 1, cases, 3, 1e-5, 2000, native.n, q, p, 1e-6);
  bench_close(&native);
  bench_close(&block);
  return 0;
}
