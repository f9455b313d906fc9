/* Time per step of rattle(midpoint) for the bead of bead.h, H not separable, with the derivative of
 * the step on vectors (dq, dp): the library against a twin by hand, and against the step alone,
 * which is what ratios refer to. The vectors are one of them and a basis of the tangent space of the
 * manifold (4). In general: by the way that serves all maps.
 *
 *     r = nu D - p_z + a z + h/2 (1 - T w^2 - nu^2),   g = X^2 + Y^2 + Z^2 - 1,
 *     D = 2 + z + h nu = 1/w,  (X, Y) = (x, y) + 2 h w P,  Z = z + 2 h nu,  P = p - a q,  T = P.P
 *
 * with the unknowns nu and a: their changes from dr = dg = 0, then those of the end and of its slide
 * p1 = P - s Q, s = Q.P/Q.Q. */
#include "bead.h"
#include "tangents.h"

#include "runs/tangent/tangent.h"

enum { MOST = 4 };

/* A basis of the tangent space at the start, q.dq = 0 and q.dp + p.dq = 0. */
static const double start[MOST * 6] = {0, 1, 0, -0.8, 0, 0.6, 0.6, 0, 0.8, -0.8, 0, 0.6,
                                       0, 0, 0, 0,    1, 0,   0,   0, 0,   0.6,  0, 0.8};

/* What the vectors of a step share. */
typedef struct shared {
  const double *q, *Q, *before; /* before: P at the end, before the slide */
  double h, nu, a, w, w2, P[2], T, s, X, Y, Z, r_nu, r_a, g_nu, g_a, t, square;
} shared;

static inline shared share(const bead *from, const bead *to, double h, const double *before) {
  shared k = {.q = from->q, .Q = to->q, .before = before, .h = h, .nu = to->nu, .a = to->a};
  const double D = 2 + from->q[2] + h * k.nu, w = 1 / D, step = 2 * h * w;
  k.w = w, k.w2 = w * w;
  for (int i = 0; i < 2; i++) k.P[i] = from->p[i] - k.a * from->q[i];
  k.T = k.P[0] * k.P[0] + k.P[1] * k.P[1];
  k.X = to->q[0], k.Y = to->q[1], k.Z = to->q[2];
  k.r_nu = D + h * h * k.T * k.w2 * w;
  k.r_a = from->q[2] + h * k.w2 * (from->q[0] * k.P[0] + from->q[1] * k.P[1]);
  k.g_nu = 4 * h * (k.Z - h * k.w2 * (k.X * k.P[0] + k.Y * k.P[1]));
  k.g_a = -2 * step * (k.X * from->q[0] + k.Y * from->q[1]);
  k.t = 1 / (k.r_nu * k.g_a - k.r_a * k.g_nu);
  k.square = 1 / (k.X * k.X + k.Y * k.Y + k.Z * k.Z);
  k.s = (k.X * before[0] + k.Y * before[1] + k.Z * before[2]) * k.square;
  return k;
}

static inline void carry(const shared *k, double *w) {
  const double h = k->h, step = 2 * h * k->w, *q = k->q, *Q = k->Q, *P = k->before;
  double u[3] = {w[3] - k->a * w[0], w[4] - k->a * w[1], w[5] - k->a * w[2]};
  const double dw = -k->w2 * w[2], dT = 2 * (k->P[0] * u[0] + k->P[1] * u[1]);
  const double X = w[0] + 2 * h * (dw * k->P[0] + k->w * u[0]),
               Y = w[1] + 2 * h * (dw * k->P[1] + k->w * u[1]);
  const double r = k->nu * w[2] - u[2] - 0.5 * h * (dT * k->w2 + 2 * k->T * k->w * dw),
               g = 2 * (k->X * X + k->Y * Y + k->Z * w[2]);
  const double nu = -(k->g_a * r - k->r_a * g) * k->t, a = -(k->r_nu * g - k->g_nu * r) * k->t;
  const double more = -k->w2 * (w[2] + h * nu), less = -k->w2 * h * nu;
  u[0] -= a * q[0], u[1] -= a * q[1];
  const double T = 2 * (k->P[0] * u[0] + k->P[1] * u[1]);
  u[2] -= a * q[2] - h * (T * k->w2 + 2 * k->T * k->w * more + 2 * k->nu * nu);
  w[0] = X + 2 * h * less * k->P[0] - step * a * q[0];
  w[1] = Y + 2 * h * less * k->P[1] - step * a * q[1];
  w[2] += 2 * h * nu;
  double s = 0, turn = 0;
  for (int i = 0; i < 3; i++) s += w[i] * P[i] + Q[i] * u[i], turn += Q[i] * w[i];
  s = (s - 2 * k->s * turn) * k->square;
  for (int i = 0; i < 3; i++) w[3 + i] = u[i] - k->s * w[i] - s * Q[i];
}

static int by_hand(void *self, double h, long long steps, double *q, double *p) {
  bench_vectors *s = self;
  bead b = {{q[0], q[1], q[2]}, {p[0], p[1], p[2]}, 0, 0};
  bench_begin_vectors(s);
  for (long long i = 0; i < steps; i++) {
    const bead from = b;
    if (bead_step(&b, h)) return 1;
    const double D = 2 + from.q[2] + h * b.nu, w = 1 / D, x = from.p[0] - b.a * from.q[0],
                 y = from.p[1] - b.a * from.q[1];
    const double before[3] = {
        x, y, from.p[2] - b.a * from.q[2] - h * (1 - (x * x + y * y) * w * w - b.nu * b.nu)};
    const shared k = share(&from, &b, h, before);
    for (int v = 0; v < s->count; v++) carry(&k, s->W + 6 * v);
  }
  memcpy(q, b.q, sizeof b.q);
  memcpy(p, b.p, sizeof b.p);
  return 0;
}

int main(void) {
  static const int counts[2] = {1, MOST};
  bench_library native =
      bench_open("bead.lua", NULL, 0, "rattle(midpoint)", RATTLE_EVALUATOR_NATIVE);
  bench_vectors hand[2], library[2], general = {.start = start, .count = 1, .size = 6};
  bench_case cases[6] = {{.name = "step alone", .advance = bench_advance, .self = &native}};
  char names[4][40];
  double q[3], p[3];
  rattle_error error;
  for (int i = 0; i < 2; i++) {
    hand[i] = library[i] = (bench_vectors){.start = start, .count = counts[i], .size = 6};
    bench_check(
        rattle_tangent_create(&library[i].tangent, native.problem, "rattle(midpoint)", &error),
        &error);
    snprintf(names[i], sizeof names[i], "twin, vectors: %d", counts[i]);
    snprintf(names[2 + i], sizeof names[2 + i], "library, vectors: %d", counts[i]);
    cases[1 + i] = (bench_case){.name = names[i], .advance = by_hand, .self = &hand[i]};
    cases[3 + i] =
        (bench_case){.name = names[2 + i], .advance = bench_carry_vectors, .self = &library[i]};
  }
  bench_check(rattle_tangent_create(&general.tangent, native.problem, "rattle(midpoint)", &error),
              &error);
  const rattle__tangents quick = general.tangent->quick;
  general.tangent->quick.self = NULL, general.tangent->way = NULL;
  cases[5] = (bench_case){
      .name = "in general, vectors: 1", .advance = bench_carry_vectors, .self = &general};
  bench_check(rattle_problem_start(native.problem, 1, q, p, NULL, &error), &error);
  bench_compare("bead.lua: derivative", 3, cases, 6, 0.02, 2000, 3, q, p, 1e-9);
  for (int i = 0; i < 2; i++) {
    bench_compare_vectors(&hand[i], &library[i]);
    rattle_tangent_destroy(&library[i].tangent);
  }
  bench_compare_vectors(&hand[0], &general);
  general.tangent->quick = quick;
  rattle_tangent_destroy(&general.tangent);
  bench_close(&native);
  return 0;
}
