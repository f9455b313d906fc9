/* The spectral radius of a linear map by Arnoldi's method (W. E. Arnoldi, Quart. Appl. Math. 9
 * (1951) 17): an orthonormal basis of the Krylov space of a vector, twice orthogonalised, and the
 * eigenvalues of the map's Hessenberg matrix in it. Exact where the basis becomes complete; else
 * the largest eigenvalues are known first. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ground/linear/eigenvalues.h"
#include "ground/linear/linear.h"
#include "ground/support/error.h"

enum { BASIS = 32 };
static const double complete = 1e-13, nilpotent = 1e-6;

static double dot(int size, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < size; k++) sum += a[k] * b[k];
  return sum;
}

/* The largest modulus of the eigenvalues of the Hessenberg matrix; round-off of a nilpotent one
 * makes eigenvalues of about the root of eps. */
static double largest(int count, double *H) {
  double real[BASIS], imaginary[BASIS], norm = 0, most = 0;
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++) norm = fmax(norm, fabs(H[i + j * BASIS]));
  if (rattle__hessenberg_eigenvalues(count, BASIS, H, real, imaginary)) return (double)NAN;
  for (int k = 0; k < count; k++) most = fmax(most, hypot(real[k], imaginary[k]));
  return most > nilpotent * norm ? most : 0;
}

rattle_status rattle__spectral_radius(int size, rattle__linear_map *map, void *self,
                                      const double *start, double *radius, rattle_error *error) {
  const int most = size < BASIS ? size : BASIS;
  const size_t length = (size_t)size;
  double H[BASIS * BASIS] = {0}, *Q = malloc((length * ((size_t)most + 1) + 1) * sizeof *Q);
  int count = 0;
  if (!Q) return rattle__no_memory(error);
  double norm = sqrt(dot(size, start, start));
  int failed = !(norm <= DBL_MAX);
  for (int k = 0; k < size && norm > 0; k++) Q[k] = start[k] / norm;
  while (count < most && norm > 0 && !failed) {
    double *next = Q + length * ((size_t)count + 1), *column = H + (size_t)count * BASIS;
    if (map(self, Q + length * (size_t)count, next)) {
      failed = 1;
      break;
    }
    const double before = sqrt(dot(size, next, next));
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i <= count; i++) {
        const double *q = Q + length * (size_t)i, part = dot(size, q, next);
        column[i] += part;
        for (int k = 0; k < size; k++) next[k] -= part * q[k];
      }
    norm = sqrt(dot(size, next, next));
    failed = !(norm <= DBL_MAX);
    if (!(norm > complete * before)) norm = 0;
    if (++count < most && norm > 0) column[count] = norm;
    for (int k = 0; k < size && norm > 0; k++) next[k] /= norm;
  }
  *radius = failed ? (double)NAN : count ? largest(count, H) : 0;
  free(Q);
  return RATTLE_OK;
}
