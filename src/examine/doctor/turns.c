/* How far the constraints turn in a step.
 *
 * A step of order 2 goes along the tangent and back to g = 0 across it: a point on a circle, or a
 * rotation matrix, that turns by h w in the time of a step is turned by asin(h w), while g, psi and
 * H are kept. How far a gradient turns is read from where the velocity leads,
 *
 *     h w = |G_i(q + h v) - G_i(q)| / |G_i(q)|,    v = H_p,
 *
 * in the metric of the masses, which on circles is exact. */
#include <math.h>
#include <stdlib.h>

#include "examine/doctor/report.h"
#include "ground/support/arena.h"
#include "problem/functions/problem.h"

/* The square of the length of a gradient; less: of its difference from another one, or NULL. */
static double square_of(const rattle__function *g, const rattle__mass *W, int i, const double *J,
                        const double *less) {
  double sum = 0;
  for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
    const double x = J[e] - (less ? less[e] : 0);
    sum += x * x * W->diagonal[g->jac_col[e]];
  }
  return sum;
}

double rattle__turn_of_constraints(const rattle_problem *problem, double h, const double *z,
                                   int *row) {
  const rattle__function *g = problem->g, *H = problem->H;
  const rattle__mass *W = rattle__inertia(problem);
  double *slope, *x, *here, *there, *work, most = 0;
  if (!g || !(problem->flags & RATTLE_HOLONOMIC) || !W) return 0;
  const size_t n = (size_t)problem->n, nnz = (size_t)g->jac_nnz;
  const rattle__array arrays[] = {{&slope, 2 * n},
                                  {&x, n},
                                  {&here, nnz},
                                  {&there, nnz},
                                  {&work, g->work > H->work ? g->work : H->work}};
  double *room = RATTLE__BLOCK(arrays);
  int failed = !room || H->jacobian(H, z, NULL, slope, work);
  for (size_t k = 0; k < n && !failed; k++) x[k] = z[k] + h * slope[n + k];
  failed = failed || g->jacobian(g, z, NULL, here, work) || g->jacobian(g, x, NULL, there, work);
  for (int i = 0; i < g->rows && !failed; i++) {
    const double turned = square_of(g, W, i, there, here), size = square_of(g, W, i, here, NULL);
    if (turned > most * most * size) most = sqrt(turned / size), *row = i;
  }
  free(room);
  return most;
}
