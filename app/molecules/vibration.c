/* The fastest vibration that bonds leave: the largest eigenvalue of P M^-1 K by powers, K of the
 * harmonic bonds and angles at the positions of the file, P the projection of velocities onto those
 * that keep the lengths. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "ground/support/random.h"
#include "molecules/analysis.h"

enum { POWERS = 200 };

/* f += K (g . v) g for a gradient g at `of` atoms. */
static void push(int of, const int *atom, double constant, double gradient[3][3], const double *v,
                 double *f) {
  double rate = 0;
  for (int k = 0; k < of; k++)
    for (int d = 0; d < 3; d++) rate += gradient[k][d] * v[3 * atom[k] + d];
  for (int k = 0; k < of; k++)
    for (int d = 0; d < 3; d++) f[3 * atom[k] + d] += constant * rate * gradient[k][d];
}

static void add_spring(const topology *t, const int *atom, double constant, const double *v,
                       double *f) {
  double r[3], gradient[3][3];
  topology_difference(t, t->place, atom[0], atom[1], r);
  const double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  if (!(length > 0)) return;
  for (int d = 0; d < 3; d++) gradient[0][d] = r[d] / length, gradient[1][d] = -gradient[0][d];
  push(2, atom, constant, gradient, v, f);
}

static void add_bend(const topology *t, const int *atom, double constant, const double *v,
                     double *f) {
  double r[2][3], gradient[3][3], length[2], cosine = 0;
  for (int e = 0; e < 2; e++) {
    topology_difference(t, t->place, atom[2 * e], atom[1], r[e]);
    length[e] = sqrt(r[e][0] * r[e][0] + r[e][1] * r[e][1] + r[e][2] * r[e][2]);
  }
  for (int d = 0; d < 3; d++) cosine += r[0][d] / length[0] * (r[1][d] / length[1]);
  const double sine = sqrt(fmax(1 - cosine * cosine, 0));
  /* on a line an angle has no gradient */
  if (!(length[0] > 0 && length[1] > 0 && sine > 1e-4)) return;
  for (int d = 0; d < 3; d++) {
    for (int e = 0; e < 2; e++)
      gradient[2 * e][d] =
          (cosine * r[e][d] / length[e] - r[1 - e][d] / length[1 - e]) / (length[e] * sine);
    gradient[1][d] = -gradient[0][d] - gradient[2][d];
  }
  push(3, atom, constant, gradient, v, f);
}

/* v with a kinetic energy of 1/2. */
static void normalise(const topology *t, double *v) {
  double sum = 0;
  for (long long i = 3; i < 3 * (t->atoms + 1); i++) sum += t->mass[i / 3] * v[i] * v[i];
  for (long long i = 0; i < 3 * (t->atoms + 1); i++) v[i] = sum > 0 ? v[i] / sqrt(sum) : 0;
}

rattle_status topology_frequency(const topology *t, rattle_bonds *solver, double *frequency,
                                 rattle_error *error) {
  const size_t n = 3 * ((size_t)t->atoms + 1);
  uint64_t seed = 1;
  double value = 0;
  *frequency = 0;
  int known = 0;
  for (long long k = 0; k < t->spring.count; k++) known |= t->spring.constant[k] > 0;
  for (long long k = 0; k < t->bend.count; k++) known |= t->bend.constant[k] > 0;
  if (!t->place || !known) return RATTLE_OK;
  double *v = calloc(2 * n, sizeof *v), *f = v + n;
  rattle_status status = v ? RATTLE_OK : RATTLE_NO_MEMORY;
  for (size_t i = 3; i < n && !status; i++)
    v[i] = t->mass[i / 3] > 0 ? rattle__random_signed(&seed) : 0;
  for (int power = 0; power < POWERS && !status; power++) {
    status = rattle_bonds_velocities(solver, t->place, v, t->boxed ? &t->box : NULL, error);
    if (status) break;
    normalise(t, v);
    for (size_t i = 0; i < n; i++) f[i] = 0;
    for (long long k = 0; k < t->spring.count; k++)
      add_spring(t, t->spring.atom + 2 * k, t->spring.constant[k], v, f);
    for (long long k = 0; k < t->bend.count; k++)
      add_bend(t, t->bend.atom + 3 * k, t->bend.constant[k], v, f);
    double now = 0;
    for (size_t i = 3; i < n; i++)
      now += v[i] * f[i], v[i] = t->mass[i / 3] > 0 ? f[i] / t->mass[i / 3] : 0;
    if (power > 20 && fabs(now - value) < 1e-7 * now) power = POWERS;
    value = now;
  }
  free(v);
  *frequency = sqrt(value) / t->unit;
  return status;
}
