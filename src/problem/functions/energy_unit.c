/* The round-off of the energy of a motion that no step shows.
 *
 * All terms of H may be round-off when nothing moves: a spring at its length is off by a digit of
 * the coordinates, and steps shift the coordinates by a digit too, momenta by what moves them so
 * far in a step. The unit is the bound of H's error at such a distance, squares of it included. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ground/expr/round_off.h"
#include "problem/functions/problem.h"

/* The diagonal of H_pp [n]. */
static int find_diagonal(const rattle_problem *problem, const double *z, double *diagonal) {
  const rattle__mass *W = rattle__inertia(problem);
  const rattle__function *H = problem->H;
  const int n = problem->n;
  double *S = W || !H->hessian ? NULL : malloc(((size_t)H->hess_nnz + H->work + 1) * sizeof *S);
  int failed = !W && (!S || H->hessian(H, z, NULL, S, S + H->hess_nnz));
  for (int k = 0; k < n && !failed; k++) {
    diagonal[k] = W ? W->diagonal[k] : 0;
    for (int e = W ? 0 : H->hess_ptr[n + k]; !W && e < H->hess_ptr[n + k + 1]; e++)
      if (H->hess_col[e] == n + k) diagonal[k] = fabs(S[e]);
  }
  free(S);
  return failed;
}

/* How far off z is: coordinates by a digit, as large as others in the metric of the masses, since a
 * zero may be 6e-17; diagonal [n] is that of H_pp, reach [2n]. */
static void find_reach(const rattle_problem *problem, const double *z, double h,
                       const double *diagonal, double *reach) {
  const int n = problem->n, clock = problem->clock - 1;
  double size = 0;
  for (int k = 0; k < n; k++)
    if (k != clock && diagonal[k] > 0) size = fmax(size, fabs(z[k]) / sqrt(diagonal[k]));
  for (int k = 0; k < n; k++) {
    reach[k] = k == clock ? 0 : DBL_EPSILON * fmax(fabs(z[k]), size * sqrt(diagonal[k]));
    reach[n + k] = DBL_EPSILON * fabs(z[n + k]);
    if (diagonal[k] > 0) reach[n + k] += reach[k] / fabs(h * diagonal[k]);
  }
}

static double bound_of(const rattle__function *f, const double *x, const double *reach) {
  double bound = (double)NAN;
  void *room = malloc(rattle__round_off_room(f));
  if (!room || rattle__round_off(f, x, reach, &bound, NULL, room)) bound = (double)NAN;
  free(room);
  return bound;
}

/* The bound of p^T W p/2. */
static double bound_of_masses(const rattle__mass *W, int n, const double *p, const double *reach) {
  double bound = 0;
  for (int k = 0; k < n; k++)
    bound += (fabs(p[k]) + reach[k] / 2) * rattle__mass_reach(W, k, reach);
  return bound;
}

/* H = T + V in its parts, whose arguments have units of their own. */
static double bound_of_energy(const rattle_problem *problem, const double *z, const double *reach) {
  const int n = problem->n;
  if (!problem->V) return bound_of(problem->energy ? problem->energy : problem->H, z, reach);
  return bound_of(problem->V, z, reach) +
         (problem->T ? bound_of(problem->T, z + n, reach + n)
                     : bound_of_masses(problem->mass, n, z + n, reach + n));
}

double rattle__energy_unit(const rattle_problem *problem, const double *z, double h) {
  const size_t n = (size_t)problem->n;
  double unit = (double)NAN, *reach = malloc(3 * n * sizeof *reach), *diagonal = reach + 2 * n;
  if (reach && !find_diagonal(problem, z, diagonal)) {
    find_reach(problem, z, h, diagonal, reach);
    unit = bound_of_energy(problem, z, reach);
  }
  free(reach);
  return unit;
}
