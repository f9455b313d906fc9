/* Small motions about an equilibrium: x'' + C x' + K x = 0. If C is 0, mu = sqrt(-kappa), kappa
 * and the shapes being those of the symmetric K; else mu are the eigenvalues of (0 1; -K -C), and x
 * is what mu^2 + mu C + K makes 0. Without forces C is antisymmetric, or 0 where K is not symmetric
 * (rolling.c), and mu are with each also -mu: a mu that has no other one beside the mirror image
 * -conj(mu) is that image, and has no real part. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/linear/eigenvalues.h"
#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "ground/support/largest.h"
#include "runs/statics/statics.h"

typedef struct modes {
  rattle_equilibrium *s;
  double *real, *imaginary, *shape, *shape_imaginary;
  int count;
} modes;

static rattle_status lay_out(modes *at, int most, rattle_error *error) {
  const size_t count = (size_t)most, n = (size_t)at->s->n;
  const rattle__array arrays[] = {{&at->real, count + 1},
                                  {&at->imaginary, count + 1},
                                  {&at->shape, count * n + 1},
                                  {&at->shape_imaginary, count * n + 1}};
  RATTLE__LAY_OUT(&at->s->arena, arrays);
  return at->s->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}

/* The motion of the coordinates by x + i y, with 1 for its largest entry. */
static void put_shape(modes *at, const double *x, const double *y) {
  const rattle_equilibrium *s = at->s;
  const int n = s->n;
  double *a = at->shape + (size_t)at->count * (size_t)n,
         *b = at->shape_imaginary + (size_t)at->count * (size_t)n;
  int most = 0;
  for (int k = 0; k < n; k++) {
    a[k] = b[k] = 0;
    for (int j = 0; j < s->d; j++) {
      a[k] += s->B[j * n + k] * x[j];
      if (y) b[k] += s->B[j * n + k] * y[j];
    }
    if (hypot(a[k], b[k]) > hypot(a[most], b[most])) most = k;
  }
  const double u = a[most], v = b[most], square = u * u + v * v;
  for (int k = 0; k < n && square > 0; k++) {
    const double real = (a[k] * u + b[k] * v) / square;
    b[k] = (b[k] * u - a[k] * v) / square;
    a[k] = real;
  }
}

static void find_free(modes *at) {
  const rattle_equilibrium *s = at->s;
  for (int i = 0; i < s->d; i++, at->count++) {
    const double kappa = fabs(s->value[i]) > rattle__statics_soft(s, i) ? s->value[i] : 0;
    at->real[i] = kappa < 0 ? sqrt(-kappa) : 0;
    at->imaginary[i] = kappa > 0 ? sqrt(kappa) : 0;
    put_shape(at, s->V + i * s->d, NULL);
  }
}

/* --- with C ----------------------------------------------------------------------------------- */

/* The round-off of a mu = 0 that is double: mu^2 is off by that of K, or of the largest mu^2. */
static double round_off(const rattle_equilibrium *s, double size) {
  double square = 16 * s->d * DBL_EPSILON * size * size;
  for (int i = 0; i < s->d; i++) square = fmax(square, rattle__statics_soft(s, i));
  return sqrt(square);
}

/* Without forces: mu on the imaginary axis have no real part, and along directions without
 * stiffness mu is 0. */
static void clean(const rattle_equilibrium *s, double *real, double *imaginary) {
  const int size = 2 * s->d;
  const double soft = round_off(s, hypot(real[0], imaginary[0]));
  int loose = 0;
  for (int i = 0; i < s->d; i++) loose |= fabs(s->value[i]) <= rattle__statics_soft(s, i);
  for (int i = 0; i < size; i++) {
    int image = i;
    if (loose && hypot(real[i], imaginary[i]) <= soft) real[i] = imaginary[i] = 0;
    for (int j = 0; j < size; j++)
      if (hypot(real[i] + real[j], imaginary[i] - imaginary[j]) <
          hypot(real[i] + real[image], imaginary[i] - imaginary[image]))
        image = j;
    if (image == i) real[i] = 0;
  }
}

/* x + i y with (mu^2 + mu C + K) (x + i y) = 0. */
static rattle_status find_shape(modes *at, double a, double b, rattle_error *error) {
  const rattle_equilibrium *s = at->s;
  const int d = s->d, size = 2 * d;
  double *A = s->dense, *U = A + (size_t)size * (size_t)size;
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      const double real = (i == j) * (a * a - b * b) + a * s->C[j * d + i] + s->K[j * d + i];
      const double imaginary = (i == j) * 2 * a * b + b * s->C[j * d + i];
      A[i * size + j] = A[(d + i) * size + d + j] = real; /* transposed */
      A[i * size + d + j] = -imaginary, A[(d + i) * size + j] = imaginary;
    }
  double *singular = U + (size_t)size * (size_t)size;
  const rattle_status status = rattle__singular(size, size, A, singular, U, error);
  if (!status)
    put_shape(at, U + (size_t)(size - 1) * (size_t)size, U + (size_t)(size - 1) * (size_t)size + d);
  return status;
}

static rattle_status find_damped(modes *at, rattle_error *error) {
  rattle_equilibrium *s = at->s;
  const int d = s->d, size = 2 * d;
  const size_t square = (size_t)size * (size_t)size;
  double *A, *real, *imaginary;
  const rattle__array arrays[] = {{&A, 2 * square + 2 * (size_t)size},
                                  {&real, (size_t)size + 1},
                                  {&imaginary, (size_t)size + 1}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  if (s->arena.failed) return rattle__no_memory(error);
  for (int j = 0; j < d; j++)
    for (int i = 0; i < d; i++) {
      A[(d + j) * size + i] = i == j;
      A[j * size + d + i] = -s->K[j * d + i];
      A[(d + j) * size + d + i] = -s->C[j * d + i];
    }
  rattle_status status = rattle__eigenvalues(size, A, real, imaginary, error);
  s->dense = A;
  if (!status && !s->problem->force && !(s->follows && s->gyroscopic)) clean(s, real, imaginary);
  for (int i = size; i-- > 0 && !status;) {
    if (imaginary[i] < 0) continue;
    at->real[at->count] = real[i], at->imaginary[at->count] = imaginary[i];
    status = find_shape(at, real[i], imaginary[i], error);
    at->count++;
  }
  return status;
}

/* --- what it says ----------------------------------------------------------------------------- */

/* True if all mu differ, and from 0, beyond round-off, but for the two 0 of each direction in which
 * symmetries carry it: along it, and to another speed. */
static int differ(const modes *at, double soft) {
  int zeros = 2 * at->s->carried;
  for (int i = 0; i < at->count; i++) {
    if (at->imaginary[i] <= soft && zeros-- <= 0) return 0;
    for (int j = 0; j < i; j++)
      if (at->imaginary[i] > soft && fabs(at->imaginary[i] - at->imaginary[j]) <= soft) return 0;
  }
  return 1;
}

/* By the least stiffness of those that are no symmetry's: 1, 0, or -1. */
static int has_least_energy(const rattle_equilibrium *s) {
  int i = 0;
  while (i < s->d && i < s->carried && fabs(s->value[i]) <= rattle__statics_soft(s, i)) i++;
  if (i == s->d) return 1;
  const double soft = rattle__statics_soft(s, i);
  return s->value[i] > soft ? 1 : s->value[i] < -soft ? 0 : -1;
}

/* A bound of the round-off of K in norm: that of its largest element, and E_ij = n noise_i moved_j
 * of forces at rest, which may cancel, and turn as coordinates change by as much as they are large;
 * n times, since directions of B are known to n units. */
static double round_off_of_K(rattle_equilibrium *s) {
  const double size = fmax(1, fmax(s->size, rattle__largest(s->z, s->n)));
  double noise = 0, moved = 0;
  rattle__statics_rounding(s, s->lambda);
  for (int i = 0; i < s->d; i++) {
    noise = hypot(noise, rattle__statics_noise(s, i));
    moved = hypot(moved, rattle__statics_most_moved(s, i));
  }
  return 16 * s->d * DBL_EPSILON * rattle__largest(s->K, s->d * s->d) + s->n * noise * moved / size;
}

/* How many directions have no stiffness: singular values of K that are its round-off.
 * Eigenvalues of a K that is not symmetric may be off by more. */
static int count_loose(const modes *at) {
  rattle_equilibrium *s = at->s;
  const int d = s->d;
  const double soft = round_off_of_K(s);
  rattle_error unused;
  int loose = 0;
  memcpy(s->dense, s->K, (size_t)(d * d) * sizeof *s->dense);
  if (rattle__singular(d, d, s->dense, s->way, s->square, &unused)) return 0;
  for (int i = 0; i < d; i++) loose += s->way[i] <= soft;
  return loose;
}

/* True if mode i is one of the `count` with the least |mu|. */
static int is_least(const modes *at, int i, int count) {
  const double size = hypot(at->real[i], at->imaginary[i]);
  for (int j = 0; j < at->count; j++) {
    const double other = hypot(at->real[j], at->imaginary[j]);
    count -= other < size || (other == size && j < i);
  }
  return count > 0;
}

/* With forces: all decay but those of the symmetries; without: none grows. */
static int decides(const modes *at) {
  const rattle_equilibrium *s = at->s;
  const int loose = s->follows && !s->problem->force ? 2 * count_loose(at) : 0;
  double most = -INFINITY, size = 0;
  int zeros = 2 * s->carried;
  for (int i = 0; i < at->count; i++) size = fmax(size, hypot(at->real[i], at->imaginary[i]));
  const double soft = round_off(s, size);
  for (int i = 0; i < at->count; i++)
    if (!is_least(at, i, loose) && (hypot(at->real[i], at->imaginary[i]) > soft || zeros-- <= 0))
      most = fmax(most, at->real[i]);
  if (most > soft) return 0;
  if (s->problem->force) return most < -soft ? 1 : -1;
  if (s->rows) return -1; /* terms beyond may move it among the places of rest */
  return differ(at, soft) ? RATTLE_EQUILIBRIUM_GYROSCOPIC : -1;
}

/* By the least curvature of a potential, else by all mu; round-off decides nothing. */
static int is_stable(const modes *at, int in_places) {
  const rattle_equilibrium *s = at->s;
  if (!s->d || (in_places > 0 && !s->problem->force)) return 1;
  if (s->close > RATTLE__LINEAR) return -1;
  if (s->rows) return decides(at);
  const int least = s->problem->force ? -1 : has_least_energy(s);
  if (least > 0) return 1;
  return s->problem->force || s->gyroscopic ? decides(at) : least;
}

/* Matrices of the result are by rows. */
static void put_matrices(const modes *at, rattle_equilibrium_result *r) {
  const rattle_equilibrium *s = at->s;
  const int n = s->n, d = s->d;
  double *B, *K, *C;
  const rattle__array arrays[] = {{&B, (size_t)n * (size_t)d + 1},
                                  {&K, (size_t)d * (size_t)d + 1},
                                  {&C, (size_t)d * (size_t)d + 1}};
  RATTLE__LAY_OUT(&at->s->arena, arrays);
  if (s->arena.failed) return;
  for (int j = 0; j < d; j++) {
    for (int k = 0; k < n; k++) B[k * d + j] = s->B[j * n + k];
    for (int i = 0; i < d; i++) {
      K[i * d + j] = s->K[j * d + i];
      C[i * d + j] = s->C[j * d + i];
    }
  }
  r->basis = B, r->stiffness = K, r->damping = C;
}

rattle_status rattle__statics_modes(rattle_equilibrium *s, rattle_error *error) {
  modes at = {.s = s};
  rattle_equilibrium_result *r = &s->result;
  r->softest = s->d ? s->value[0] : (double)NAN;
  rattle_status status = lay_out(&at, 2 * s->d, error);
  const int free = !rattle__statics_is_pushed(s) && !s->gyroscopic;
  if (!status && free) find_free(&at);
  if (!status && !free && s->d) status = find_damped(&at, error);
  if (status) return status;
  put_matrices(&at, r);
  int in_places = -1;
  if (s->rows) status = rattle__statics_in_places(s, &in_places, error);
  if (status) return status;
  r->n = s->n, r->m = s->m + s->rows, r->degrees = s->d;
  r->q = s->z, r->p = s->z + s->n, r->energy = s->energy;
  r->stable = is_stable(&at, in_places);
  const int most = s->options.modes;
  r->modes = most > 0 && most < at.count ? most : at.count, r->real = at.real,
  r->imaginary = at.imaginary;
  r->shape = at.shape, r->shape_imaginary = at.shape_imaginary;
  return s->arena.failed ? rattle__no_memory(error) : RATTLE_OK;
}
