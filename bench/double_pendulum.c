/* Time per step of rattle(verlet) for the double pendulum: the library against three hand-written
 * twins.
 *
 * q = (x1, y1, x2, y2), unit masses and links, V = y1 + y2, rods r = q1, s = q2 - q1; capitals
 * belong to the new point. plain: Newton to 1e-14 in q and p; special: the same in the rods and
 * their velocities, unrolled; tight: with |r| = |s| = 1, from which it drifts by round-off, in rods
 * and their velocities throughout, multipliers starting from those of the last steps, which makes
 * it a method with memory. */
#include "bench.h"

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1];
}

/* x = (G(R,S) G(r,s)ᵀ)^{-1} f, with rods R = q1, S = q2 - q1: G = [2R 0; -2S 2S] */
static void solve(const double *R, const double *S, const double *r, const double *s,
                  const double *f, double *x) {
  const double A[2][2] = {{4 * dot(R, r), -4 * dot(R, s)}, {-4 * dot(S, r), 8 * dot(S, s)}};
  const double inverse = 1 / (A[0][0] * A[1][1] - A[0][1] * A[1][0]);
  x[0] = (A[1][1] * f[0] - A[0][1] * f[1]) * inverse;
  x[1] = (A[0][0] * f[1] - A[1][0] * f[0]) * inverse;
}

/* to = from - scale (V_q + Gᵀ λ), V_q = (0, force, 0, force) */
static void kick(double scale, double force, const double *r, const double *s, const double *lambda,
                 const double *from, double *to) {
  for (int k = 0; k < 2; k++) {
    const double pull = 2 * lambda[1] * s[k], load = k == 1 ? force : 0;
    to[k] = from[k] - scale * (load + 2 * lambda[0] * r[k] - pull);
    to[2 + k] = from[2 + k] - scale * (load + pull);
  }
}

static int step_plain(double h, double *q, double *p) {
  const double r[2] = {q[0], q[1]}, s[2] = {q[2] - q[0], q[3] - q[1]},
               w[2] = {p[2] - p[0], p[3] - p[1]};
  double half[4], Q[4], x[2], lambda[2], v[4];
  /* the multiplier of the continuous problem: G Gᵀ λ = G_qq(p,p) - G V_q */
  const double f[2] = {2 * dot(p, p) - 2 * r[1], 2 * dot(w, w)};
  solve(r, s, r, s, f, lambda);
  for (int iteration = 0; iteration < 20; iteration++) {
    kick(h / 2, 1, r, s, lambda, p, half);
    for (int k = 0; k < 4; k++) Q[k] = q[k] + h * half[k];
    const double R[2] = {Q[0], Q[1]}, S[2] = {Q[2] - Q[0], Q[3] - Q[1]},
                 g[2] = {dot(R, R) - 1, dot(S, S) - 1};
    if (fabs(g[0]) <= 1e-14 && fabs(g[1]) <= 1e-14) {
      const double none[2] = {0, 0};
      kick(h / 2, 1, R, S, none, half, v);
      const double W[2] = {v[2] - v[0], v[3] - v[1]}, e[2] = {2 * dot(R, v), 2 * dot(S, W)};
      solve(R, S, R, S, e, x);
      memcpy(q, Q, sizeof Q);
      kick(1, 0, R, S, x, v, p);
      return 0;
    }
    solve(R, S, r, s, g, x);
    for (int i = 0; i < 2; i++) lambda[i] += 2 / (h * h) * x[i];
  }
  return 1;
}

/* Rods r, s with rod velocities u, w; tensions a, b (times h²) move them by -a r + b s and a r - 2
 * b s. */
static int step_special(double h, double *q, double *p) {
  const double rx = q[0], ry = q[1], sx = q[2] - q[0], sy = q[3] - q[1];
  const double ux = p[0], uy = p[1], wx = p[2] - p[0], wy = p[3] - p[1];
  const double rr = rx * rx + ry * ry, ss = sx * sx + sy * sy, rs = rx * sx + ry * sy;
  const double first = ux * ux + uy * uy - ry, second = wx * wx + wy * wy;
  double scale = h * h / 2 / (2 * rr * ss - rs * rs);
  double a = (2 * ss * first + rs * second) * scale, b = (rr * second + rs * first) * scale;
  const double Rx0 = rx + h * ux, Ry0 = ry + h * (uy - h / 2), Sx0 = sx + h * wx, Sy0 = sy + h * wy;
  for (int iteration = 0; iteration < 20; iteration++) {
    const double Rx = Rx0 - a * rx + b * sx, Ry = Ry0 - a * ry + b * sy;
    const double Sx = Sx0 + a * rx - 2 * b * sx, Sy = Sy0 + a * ry - 2 * b * sy;
    const double g1 = Rx * Rx + Ry * Ry - 1, g2 = Sx * Sx + Sy * Sy - 1;
    if (fabs(g1) <= 1e-14 && fabs(g2) <= 1e-14) {
      const double inverse = 1 / h, a1 = a * inverse, b1 = b * inverse;
      const double Ux = ux - a1 * rx + b1 * sx,
                   Uy = uy - h - a1 * ry + b1 * sy; /* both half kicks of V */
      const double Wx = wx + a1 * rx - 2 * b1 * sx, Wy = wy + a1 * ry - 2 * b1 * sy;
      const double RR = Rx * Rx + Ry * Ry, SS = Sx * Sx + Sy * Sy, RS = Rx * Sx + Ry * Sy;
      const double f = Rx * Ux + Ry * Uy, e = Sx * Wx + Sy * Wy;
      scale = 1 / (2 * RR * SS - RS * RS);
      const double c = (2 * SS * f + RS * e) * scale, d = (RR * e + RS * f) * scale;
      q[0] = Rx;
      q[1] = Ry;
      q[2] = Rx + Sx;
      q[3] = Ry + Sy;
      p[0] = Ux - c * Rx + d * Sx;
      p[1] = Uy - c * Ry + d * Sy;
      p[2] = Ux + Wx - d * Sx;
      p[3] = Uy + Wy - d * Sy;
      return 0;
    }
    const double Rr = Rx * rx + Ry * ry, Rs = Rx * sx + Ry * sy, Sr = Sx * rx + Sy * ry,
                 Ss = Sx * sx + Sy * sy;
    scale = 0.5 / (2 * Rr * Ss - Rs * Sr);
    a += (2 * Ss * g1 + Rs * g2) * scale;
    b += (Rr * g2 + Sr * g1) * scale;
  }
  return 1;
}

/* State of the tight twin: rods, their velocities, multipliers times h² extrapolated from the last
 * three steps. */
typedef struct tight {
  double rx, ry, sx, sy, ux, uy, wx, wy, a[3], b[3];
  int known;
} tight;

static int step_tight(double h, double inverse_h, tight *k) {
  const double rx = k->rx, ry = k->ry, sx = k->sx, sy = k->sy;
  double a = 3 * (k->a[0] - k->a[1]) + k->a[2], b = 3 * (k->b[0] - k->b[1]) + k->b[2];
  if (k->known < 3) {
    const double rs = rx * sx + ry * sy, scale = h * h / 2 / (2 - rs * rs);
    const double first = k->ux * k->ux + k->uy * k->uy - ry, second = k->wx * k->wx + k->wy * k->wy;
    a = (2 * first + rs * second) * scale;
    b = (second + rs * first) * scale;
    k->known++;
  }
  const double uy = k->uy - h / 2, Rx0 = rx + h * k->ux, Ry0 = ry + h * uy, Sx0 = sx + h * k->wx,
               Sy0 = sy + h * k->wy;
  double Rx = Rx0 - a * rx + b * sx, Ry = Ry0 - a * ry + b * sy, Sx = Sx0 + a * rx - 2 * b * sx,
         Sy = Sy0 + a * ry - 2 * b * sy;
  for (int iteration = 0; iteration < 20; iteration++) {
    const double g1 = Rx * Rx + Ry * Ry - 1, g2 = Sx * Sx + Sy * Sy - 1;
    if (fabs(g1) <= 1e-14 && fabs(g2) <= 1e-14) {
      const double a1 = a * inverse_h, b1 = b * inverse_h, RS = Rx * Sx + Ry * Sy,
                   scale = 1 / (2 - RS * RS);
      const double Ux = k->ux - a1 * rx + b1 * sx, Uy = uy - h / 2 - a1 * ry + b1 * sy;
      const double Wx = k->wx + a1 * rx - 2 * b1 * sx, Wy = k->wy + a1 * ry - 2 * b1 * sy;
      const double f = Rx * Ux + Ry * Uy, e = Sx * Wx + Sy * Wy;
      const double c = (2 * f + RS * e) * scale, d = (e + RS * f) * scale;
      *k = (tight){Rx,
                   Ry,
                   Sx,
                   Sy,
                   Ux - c * Rx + d * Sx,
                   Uy - c * Ry + d * Sy,
                   Wx + c * Rx - 2 * d * Sx,
                   Wy + c * Ry - 2 * d * Sy,
                   {a, k->a[0], k->a[1]},
                   {b, k->b[0], k->b[1]},
                   k->known};
      return 0;
    }
    const double Rr = Rx * rx + Ry * ry, Rs = Rx * sx + Ry * sy, Sr = Sx * rx + Sy * ry,
                 Ss = Sx * sx + Sy * sy;
    const double scale = 0.5 / (2 * Rr * Ss - Rs * Sr), da = (2 * Ss * g1 + Rs * g2) * scale,
                 db = (Rr * g2 + Sr * g1) * scale;
    a += da;
    b += db;
    Rx -= da * rx - db * sx;
    Ry -= da * ry - db * sy;
    Sx += da * rx - 2 * db * sx;
    Sy += da * ry - 2 * db * sy;
  }
  return 1;
}

static int advance_tight(void *self, double h, long long steps, double *q, double *p) {
  tight k = {q[0],        q[1],        q[2] - q[0], q[3] - q[1], p[0], p[1],
             p[2] - p[0], p[3] - p[1], {0},         {0},         0};
  const double inverse_h = 1 / h;
  (void)self;
  for (long long i = 0; i < steps; i++) {
    if (step_tight(h, inverse_h, &k)) return 1;
  }
  const double Q[4] = {k.rx, k.ry, k.rx + k.sx, k.ry + k.sy},
               P[4] = {k.ux, k.uy, k.ux + k.wx, k.uy + k.wy};
  memcpy(q, Q, sizeof Q);
  memcpy(p, P, sizeof P);
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

int main(void) {
  bench_library native =
      bench_open("double_pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_NATIVE);
  bench_library midpoint = /* the same map: the force is constant */
      bench_open("double_pendulum.lua", NULL, 0, "rattle(midpoint)", RATTLE_EVALUATOR_NATIVE);
  bench_library block =
      bench_open("double_pendulum.lua", NULL, 0, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK);
  bench_case cases[] = {{.name = "twin, plain", .advance = advance_plain},
                        {.name = "twin, special", .advance = advance_special},
                        {.name = "twin, tight", .advance = advance_tight},
                        {.name = "library, native", .advance = bench_advance, .self = &native},
                        {.name = "library, midpoint", .advance = bench_advance, .self = &midpoint},
                        {.name = "library, block", .advance = bench_advance, .self = &block}};
  const double q[4] = {sin(1), -cos(1), 2 * sin(1), -2 * cos(1)}, p[4] = {0};
  bench_compare("double pendulum", 1, cases, 6, 0.01, 20000, 4, q, p, 1e-4);
  bench_close(&native);
  bench_close(&midpoint);
  bench_close(&block);
  return 0;
}
