/* Floquet multipliers.
 *
 * M          the product of the images of the arcs, d x d
 * Trivial    M f = f for the field f along the orbit, and dH M = dH for a conserved H: two
 *            multipliers are 1, in a Jordan block, which round-off would split to its root. They
 *            are divided out: with a = f/|f| and c = dH/|dH|, a . c = 0, the others are the
 *            eigenvalues of C^T M C, where the columns of C span what is normal to a and c. Steps
 *            of a symplectic method conserve a modified H: f is that of the orbit's own points, by
 *            differences of order 8, and dH w = f^T J w
 * Pairs      mu, 1/mu, since M is symplectic
 * Source     K. R. Meyer, D. C. Offin, Introduction to Hamiltonian Dynamical Systems and the N-Body
 *            Problem (2017) */
#include "runs/orbit/floquet.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/eigenvalues.h"
#include "ground/linear/singular.h"
#include "ground/support/error.h"

/* M <- image_k M, with M by rows; image by columns */
static void multiply(int d, const double *image, double *M, double *room) {
  memcpy(room, M, (size_t)d * (size_t)d * sizeof *M);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) {
      double sum = 0;
      for (int k = 0; k < d; k++) sum += image[k * d + i] * room[k * d + j];
      M[i * d + j] = sum;
    }
}

/* The field at the first node in its basis, of length 1, from four points on either side. 0:
 * nothing moves. */
static rattle_status field(rattle__shooting *s, double *a, double *ambient, rattle_error *error) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const size_t nz = (size_t)s->nz;
  double *z = s->W; /* d >= 1 vectors */
  memset(ambient, 0, nz * sizeof *ambient);
  memcpy(z, s->z, nz * sizeof *z);
  rattle_state state = {.struct_size = sizeof state,
                        .q = z,
                        .p = z + s->n,
                        .t0 = s->t0,
                        .h = s->T / (double)(s->arcs * s->each)};
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < 4 && !status; i++) {
    status = rattle_integrator_step(rattle_tangent_integrator(s->at.tangent), &state, 1, error);
    const double *before = s->tail + (size_t)(3 - i) * nz;
    for (size_t c = 0; c < nz; c++)
      ambient[c] += weight[i] * (z[c] - before[c]) / rattle__shooting_unit(s, (int)c);
  }
  double length = 0;
  for (int k = 0; k < s->d && !status; k++) {
    const double *basis = s->basis + (size_t)k * nz;
    a[k] = 0;
    for (size_t c = 0; c < nz; c++) a[k] += basis[c] * ambient[c];
    length += a[k] * a[k];
  }
  length = sqrt(length);
  if (!status && !(length > 0))
    return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL, "the search led to an equilibrium");
  for (int k = 0; k < s->d && !status; k++) a[k] /= length;
  return status;
}

/* w -> f^T J w in the basis, of length 1 */
static void energy(const rattle__shooting *s, const double *f, double *c) {
  double length = 0;
  for (int k = 0; k < s->d; k++) {
    const double *w = s->basis + (size_t)k * (size_t)s->nz;
    c[k] = 0;
    for (int i = 0; i < s->n; i++) c[k] += f[i] * w[s->n + i] - f[s->n + i] * w[i];
    length += c[k] * c[k];
  }
  for (int k = 0; k < s->d; k++) c[k] /= sqrt(length);
}

static double defect(int d, const double *M, const double *a) {
  double sum = 0;
  for (int i = 0; i < d; i++) {
    double off = -a[i];
    for (int j = 0; j < d; j++) off += M[i * d + j] * a[j];
    sum += off * off;
  }
  return sqrt(sum);
}

/* A <- C^T M C, C by rows [rest*d] */
static void reduce(int d, int rest, const double *C, const double *M, double *A) {
  for (int i = 0; i < rest; i++)
    for (int j = 0; j < rest; j++) {
      double sum = 0;
      for (int k = 0; k < d; k++)
        for (int l = 0; l < d; l++) sum += C[i * d + k] * M[k * d + l] * C[j * d + l];
      A[i * rest + j] = sum;
    }
}

/* The largest |mu mu' - 1|, each with the one that suits it best. */
static double pairing(const rattle__floquet *of) {
  const int count = of->count - of->trivial;
  double most = 0;
  int *taken = calloc((size_t)count + 1, sizeof *taken);
  for (int i = 0; i < count && taken; i++) {
    double least = (double)INFINITY;
    int best = -1;
    for (int j = i + 1; j < count && !taken[i]; j++) {
      const double re = of->real[i] * of->real[j] - of->imaginary[i] * of->imaginary[j],
                   im = of->real[i] * of->imaginary[j] + of->imaginary[i] * of->real[j],
                   off = hypot(re - 1, im);
      if (!taken[j] && off < least) least = off, best = j;
    }
    if (best < 0) continue;
    taken[i] = taken[best] = 1;
    most = fmax(most, least);
  }
  free(taken);
  return count ? most : (double)NAN;
}

static rattle_status divide_out(rattle__shooting *s, rattle__floquet *of, double *room,
                                rattle_error *error) {
  const int d = s->d;
  double *K = room, *S = K + 2 * d, *V = S + 2, *C = V + d * d, *A = C + d * d,
         *ambient = A + d * d;
  rattle_status status = RATTLE_OK;
  of->trivial_defect = of->pairing_defect = of->radius = (double)NAN;
  if (of->trivial) status = field(s, K, ambient, error);
  if (of->trivial && !status) of->trivial_defect = defect(d, of->M, K);
  if (of->trivial > 1) energy(s, ambient, K + d);
  if (of->trivial && !status) status = rattle__singular(d, of->trivial, K, S, V, error);
  for (int i = 0; !of->trivial && i < d * d; i++) V[i] = i % (d + 1) == 0;
  const int rest = d - of->trivial;
  memcpy(C, V + (size_t)of->trivial * (size_t)d, (size_t)rest * (size_t)d * sizeof *C);
  reduce(d, rest, C, of->M, A);
  if (!status) status = rattle__eigenvalues(rest, A, of->real, of->imaginary, error);
  for (int i = rest; i < d; i++) of->real[i] = 1, of->imaginary[i] = 0;
  if (rest && !status) of->radius = hypot(of->real[0], of->imaginary[0]);
  if (!status && !(s->at.problem->flags & RATTLE_FORCED)) of->pairing_defect = pairing(of);
  return status;
}

rattle_status rattle__floquet_of(rattle__shooting *s, rattle__floquet *of, rattle_error *error) {
  const size_t d = (size_t)s->d;
  double *room = calloc(4 * d * d + 2 * d + 2 + (size_t)s->nz, sizeof *room);
  if (!room) return rattle__no_memory(error);
  for (size_t i = 0; i < d * d; i++) of->M[i] = i % (d + 1) == 0;
  for (int k = 0; k < s->arcs; k++) multiply(s->d, s->image + (size_t)k * d * d, of->M, room);
  of->count = s->d;
  of->trivial = s->clock >= 0 ? 0 : s->at.problem->flags & RATTLE_FORCED ? 1 : 2;
  const rattle_status status = divide_out(s, of, room, error);
  free(room);
  return status;
}
