/* The lowest modes of an equilibrium of many coordinates, by Lanczos' iteration with the inverse.
 *
 * Operator  u = P (K + shift)^-1 M x, the solution of the saddle (S + C + shift M, G^T; G, 0) for
 *           (M x, 0), whose eigenvalues are 1/(omega^2 + shift): symmetric in the metric M. All
 *           vectors of a sweep are made orthogonal to one another and to the modes found so far,
 *           twice (B. N. Parlett, The Symmetric Eigenvalue Problem (1980), chapter 13)
 * End       a sweep begins at random beside the modes found; they are the lowest when the largest
 *           eigenvalue that the next sweep finds is less: modes of one frequency are found one in
 *           each sweep
 * Source    T. Ericsson, A. Ruhe, Math. Comp. 35 (1980) 1251 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/symmetric.h"
#include "ground/support/error.h"
#include "ground/support/flag.h"
#include "runs/statics/sparse.h"

enum { USUAL_MODES = 10, LENGTH = 240 };
static const double converged = 0x1p-40;

typedef struct lanczos {
  rattle__sparse *p;
  int n, wanted, found, room;           /* found: modes; room: of modes */
  double *mode, *theta;                 /* [room*n], [room] */
  double *basis;                        /* of a sweep [(LENGTH + 1)*n] */
  double *alpha, *beta, *T, *V, *value; /* [LENGTH], its square twice */
  uint64_t random;
} lanczos;

static double dot(const lanczos *l, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < l->n; k++) sum += l->p->M[k] * x[k] * y[k];
  return sum;
}

static void take_away(const lanczos *l, const double *v, double *w) {
  const double part = dot(l, v, w);
  for (int k = 0; k < l->n; k++) w[k] -= part * v[k];
}

/* Twice is enough. */
static void make_orthogonal(const lanczos *l, int count, double *w) {
  for (int twice = 0; twice < 2; twice++) {
    for (int i = 0; i < l->found; i++) take_away(l, l->mode + (size_t)i * (size_t)l->n, w);
    for (int i = 0; i < count; i++) take_away(l, l->basis + (size_t)i * (size_t)l->n, w);
  }
}

static void apply(const lanczos *l, const double *x, double *u) {
  rattle__sparse *p = l->p;
  for (int k = 0; k < l->n; k++) p->x[k] = p->M[k] * x[k];
  memset(p->x + l->n, 0, (size_t)p->s->m * sizeof *p->x);
  rattle__linear_solve_well(p->saddle->matrix, p->x);
  for (int k = 0; k < l->n; k++) u[k] = p->M[k] > 0 ? p->x[k] : 0;
}

/* A vector of length 1 along the constraints and beside the modes found; 0: there is none left. */
static int begin(lanczos *l) {
  double *x = l->p->v, *w = l->basis;
  for (int k = 0; k < l->n; k++) {
    l->random = l->random * 6364136223846793005u + 1442695040888963407u;
    x[k] = (double)(int64_t)l->random / 0x1p63;
  }
  apply(l, x, w);
  const double whole = sqrt(dot(l, w, w));
  make_orthogonal(l, 0, w);
  const double size = sqrt(dot(l, w, w));
  if (!(size > 1e-8 * whole)) return 0;
  for (int k = 0; k < l->n; k++) w[k] /= size;
  make_orthogonal(l, 0, w);
  return 1;
}

/* Eigenvalues of the tridiagonal matrix of `count` steps, rising. */
static void decompose(lanczos *l, int count) {
  memset(l->T, 0, (size_t)count * (size_t)count * sizeof *l->T);
  for (int i = 0; i < count; i++) {
    l->T[i * count + i] = l->alpha[i];
    if (i + 1 < count) l->T[i * count + i + 1] = l->T[(i + 1) * count + i] = l->beta[i];
  }
  (void)rattle__symmetric_eigen(count, l->T, l->value, l->V);
}

/* How many of the largest have converged after `count` steps. */
static int count_converged(const lanczos *l, int count) {
  int good = 0;
  for (; good < count; good++) {
    const int i = count - 1 - good;
    if (!(l->beta[count - 1] * fabs(l->V[i * count + count - 1]) <= converged * l->value[i])) break;
  }
  return good;
}

/* One more mode, the vector of value i of `count`; kept by falling theta. */
static rattle_status keep(lanczos *l, int count, int i, rattle_error *error) {
  const size_t n = (size_t)l->n;
  if (l->found == l->room) {
    const int room = l->room ? 2 * l->room : 32;
    double *mode = realloc(l->mode, (size_t)room * n * sizeof *mode);
    if (mode) l->mode = mode;
    double *theta = mode ? realloc(l->theta, (size_t)room * sizeof *theta) : NULL;
    if (!theta) return rattle__no_memory(error);
    l->theta = theta, l->room = room;
  }
  int at = l->found++;
  for (; at > 0 && l->theta[at - 1] < l->value[i]; at--) {
    l->theta[at] = l->theta[at - 1];
    memcpy(l->mode + (size_t)at * n, l->mode + (size_t)(at - 1) * n, n * sizeof *l->mode);
  }
  l->theta[at] = l->value[i];
  double *x = l->mode + (size_t)at * n;
  memset(x, 0, n * sizeof *x);
  for (int j = 0; j < count; j++)
    for (size_t k = 0; k < n; k++) x[k] += l->V[i * count + j] * l->basis[(size_t)j * n + k];
  return RATTLE_OK;
}

/* Steps until `wanted` of the largest values have converged, or no room is left; *count: how many;
 * *good: how many have. */
static rattle_status sweep(lanczos *l, int wanted, int *count, int *good, rattle_error *error) {
  const size_t n = (size_t)l->n;
  *good = 0;
  for (int j = 0; j < LENGTH; j++) {
    const double *v = l->basis + (size_t)j * n;
    double *w = l->basis + (size_t)(j + 1) * n;
    if (rattle__flag_is_set(l->p->s->options.interrupt))
      return rattle__fail(error, RATTLE_INTERRUPTED, NULL, "interrupted");
    apply(l, v, w);
    l->alpha[j] = dot(l, v, w);
    make_orthogonal(l, j + 1, w);
    l->beta[j] = sqrt(dot(l, w, w));
    *count = j + 1;
    const int exhausted = !(l->beta[j] > 16 * DBL_EPSILON * fabs(l->alpha[0]));
    if (exhausted || j % 8 == 7 || j + 1 == LENGTH) {
      decompose(l, j + 1);
      *good = exhausted ? j + 1 : count_converged(l, j + 1);
      if (*good >= wanted || exhausted) return RATTLE_OK;
    }
    for (size_t k = 0; k < n; k++) w[k] /= l->beta[j];
  }
  return RATTLE_OK;
}

/* The modes, lowest first. Each sweep finds one at least, or there is no other. */
static rattle_status find(lanczos *l, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  while (!status) {
    int count = 0, good = 0;
    if (!begin(l)) return RATTLE_OK;
    const int left = l->wanted - l->found;
    status = sweep(l, left > 0 ? left : 1, &count, &good, error);
    if (status) return status;
    if (good == 0)
      return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL,
                          "the lowest modes were not found: Lanczos' iteration does not converge "
                          "in %d steps",
                          LENGTH);
    if (l->found >= l->wanted && l->value[count - 1] <= l->theta[l->wanted - 1]) return RATTLE_OK;
    for (int k = 0; k < good && !status; k++) status = keep(l, count, count - 1 - k, error);
  }
  return status;
}

/* --- what it says ----------------------------------------------------------------------------- */

static rattle_status tell(lanczos *l, double shift, rattle_error *error) {
  rattle_equilibrium *s = l->p->s;
  rattle_equilibrium_result *r = &s->result;
  const int modes = l->found < l->wanted ? l->found : l->wanted, n = l->n;
  double *real, *imaginary, *shape, *turned;
  const rattle__array arrays[] = {{&real, (size_t)modes + 1},
                                  {&imaginary, (size_t)modes + 1},
                                  {&shape, (size_t)modes * (size_t)n + 1},
                                  {&turned, (size_t)modes * (size_t)n + 1}};
  RATTLE__LAY_OUT(&s->arena, arrays);
  if (s->arena.failed) return rattle__no_memory(error);
  r->softest = (double)NAN;
  for (int i = 0; i < modes; i++) {
    const double kappa = 1 / l->theta[i] - shift, *x = l->mode + (size_t)i * (size_t)n;
    if (i == 0) r->softest = kappa;
    real[i] = kappa < 0 ? sqrt(-kappa) : 0, imaginary[i] = kappa > 0 ? sqrt(kappa) : 0;
    int most = 0;
    for (int k = 1; k < n; k++)
      if (fabs(x[k]) > fabs(x[most])) most = k;
    for (int k = 0; k < n; k++) shape[(size_t)i * (size_t)n + (size_t)k] = x[k] / x[most];
  }
  const double soft = 16 * DBL_EPSILON * rattle__sparse_scale(l->p);
  int degrees = -s->m;
  for (int k = 0; k < n; k++) degrees += l->p->M[k] > 0;
  r->n = n, r->m = s->m, r->degrees = degrees, r->q = s->z, r->p = s->z + s->n,
  r->energy = s->energy;
  r->stable = degrees == 0                ? 1
              : s->close > RATTLE__LINEAR ? -1
              : r->softest > soft         ? 1
              : r->softest < -soft        ? 0
                                          : -1;
  r->modes = modes, r->real = real, r->imaginary = imaginary;
  r->shape = shape, r->shape_imaginary = turned;
  return RATTLE_OK;
}

rattle_status rattle__sparse_modes(rattle__sparse *p, double shift, rattle_error *error) {
  const size_t n = (size_t)p->s->n, square = (size_t)LENGTH * LENGTH;
  lanczos l = {.p = p, .n = p->s->n, .random = 1};
  l.wanted = p->s->options.modes > 0 ? p->s->options.modes : USUAL_MODES;
  const rattle__array arrays[] = {{&l.basis, (LENGTH + 1) * n},
                                  {&l.alpha, LENGTH},
                                  {&l.beta, LENGTH},
                                  {&l.T, square},
                                  {&l.V, square},
                                  {&l.value, LENGTH}};
  double *block = RATTLE__BLOCK(arrays);
  rattle_status status = block ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = rattle__sparse_factor(p, shift, error);
  if (!status) status = find(&l, error);
  if (!status) status = tell(&l, shift, error);
  free(block);
  free(l.mode);
  free(l.theta);
  return status;
}
