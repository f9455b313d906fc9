#ifndef BENCH_BEAD_H
#define BENCH_BEAD_H
/* A bead on a sphere, H = p.p/(2 + z) + z: a step of rattle(midpoint) by hand, with all that is known
 * of the model. With w = 1/(2 + z), the velocity nu of the stage along z and the kick a are its only
 * unknowns: P = p - a q but for P_z = nu (2 + Z)/1, X = x + 2 h w P. */
#include "bench.h"

typedef struct bead {
  double q[3], p[3];
  double nu, a; /* of the last step */
} bead;

/* p onto q.p = 0, |q| = 1 to round-off. */
static inline void land(bead *b) {
  const double *q = b->q, *p = b->p, square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  const double s = (q[0] * p[0] + q[1] * p[1] + q[2] * p[2]) * (2 - square);
  for (int i = 0; i < 3; i++) b->p[i] -= s * b->q[i];
}

static inline int bead_step(bead *b, double h) {
  const double *q = b->q, *p = b->p, w0 = 1 / (2 + q[2]), v0 = w0 * p[2];
  const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], F0 = 1 - w0 * w0 * pp;
  double a = h * (w0 * pp - 0.5 * q[2] * F0), previous = HUGE_VAL;
  double nu = w0 * (p[2] - a * q[2] - 0.5 * h * F0) * (1 - h * v0 * w0);
  for (int k = 0; k < 30; k++) {
    const double Px = p[0] - a * q[0], Py = p[1] - a * q[1], D = 2 + q[2] + h * nu, w = 1 / D;
    const double T = Px * Px + Py * Py, w2 = w * w, step = 2 * h * w;
    const double half = 0.5 * h * (1 - T * w2 - nu * nu), r = nu * D - p[2] + a * q[2] + half;
    const double X = q[0] + step * Px, Y = q[1] + step * Py, Z = q[2] + 2 * h * nu;
    const double g = X * X + Y * Y + Z * Z - 1, worst = fmax(fabs(r), fabs(g));
    if (worst <= 1e-15 || (k >= 2 && worst <= 1e-13 && worst > 0.5 * previous)) {
      *b = (bead){{X, Y, Z}, {Px, Py, p[2] - a * q[2] - 2 * half}, nu, a};
      land(b);
      return 0;
    }
    previous = worst;
    const double r_nu = D + h * h * T * w2 * w, r_a = q[2] + h * w2 * (q[0] * Px + q[1] * Py);
    const double g_nu = 4 * h * (Z - h * w2 * (X * Px + Y * Py));
    const double g_a = -2 * step * (X * q[0] + Y * q[1]), t = 1 / (r_nu * g_a - r_a * g_nu);
    nu -= (g_a * r - r_a * g) * t;
    a -= (r_nu * g - g_nu * r) * t;
  }
  return 1;
}

#endif
