/* How far the constraints turn in a step.
 *
 * A step of order 2 goes along the tangent and back to g = 0 across it: a point on a circle, or a
 * rotation matrix, that turns by h w in the time of a step is turned by asin(h w), while g, psi and
 * H are kept. A gradient turns by h w if the velocity v = H_p changes it by
 *
 *     h w = |G_i' across G_i| / |G_i|,    G_i' = h g_i'' v,
 *
 * in the metric of the masses: exact on circles, and the same for g_i times a function. */
#include <math.h>
#include <stdlib.h>

#include "examine/doctor/report.h"
#include "ground/support/arena.h"
#include "problem/functions/problem.h"

/* The square of h w of constraint i, D being G' for h = 1. */
static double square_of_turn(const rattle__function *g, const rattle__mass *W, int i, double h,
                             const double *G, const double *D) {
  double GG = 0, GD = 0, DD = 0;
  for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
    const double w = W->diagonal[g->jac_col[e]];
    GG += w * G[e] * G[e], GD += w * G[e] * D[e], DD += w * D[e] * D[e];
  }
  return h * h * (DD / GG - GD / GG * (GD / GG));
}

double rattle__turn_of_constraints(const rattle_problem *problem, const rattle_state *at,
                                   int *row) {
  const rattle__function *g = problem->g, *H = problem->H;
  const rattle__mass *W = rattle__inertia(problem);
  double *z, *slope, *G, *D, *work, *room, most = 0;
  if (!g || !(problem->flags & RATTLE_HOLONOMIC) || !W) return 0;
  const size_t n = (size_t)problem->n, nnz = (size_t)g->jac_nnz;
  const rattle__array arrays[] = {
      {&z, 2 * n}, {&slope, 2 * n},          {&G, nnz},
      {&D, nnz},   {&room, 2 * nnz + 2 * n}, {&work, g->work > H->work ? g->work : H->work}};
  double *block = RATTLE__BLOCK(arrays);
  for (size_t k = 0; k < n && block; k++) z[k] = at->q[k], z[n + k] = at->p[k];
  const int failed = !block || H->jacobian(H, z, NULL, slope, work) ||
                     g->jacobian(g, z, NULL, G, work) ||
                     rattle__function_along(g, z, slope + n, D, work, room);
  for (int i = 0; i < g->rows && !failed; i++) {
    const double square = square_of_turn(g, W, i, at->h, G, D);
    if (square > most * most) most = sqrt(square), *row = i;
  }
  free(block);
  return most;
}
