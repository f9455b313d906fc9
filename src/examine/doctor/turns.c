/* How far the constraints turn in a step.
 *
 * A step of order 2 goes along the tangent and back to g = 0 across it: a point on a circle, or a
 * rotation matrix, that turns by h w in the time of a step is turned by asin(h w), while g, psi and
 * H are kept. A gradient turns by h w if the velocity v = H_p changes it by
 *
 *     h w = |G_i' across G_i| / |G_i|,    G_i' = h g_i'' v,
 *
 * in the metric of the masses: exact on circles, and the same for g_i times a function. Rows of
 * constraints on velocities turn in the same way; their A' is a difference over a small part of the
 * step. */
#include <math.h>
#include <stdlib.h>

#include "examine/doctor/report.h"
#include "ground/support/arena.h"
#include "problem/functions/problem.h"
#include "problem/functions/velocity.h"

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

/* Both rows [rows n], before and after the point by a part of the step. */
static rattle_status rows_around(rattle__reaction *r, const double *z, double by, double *q,
                                 double *const rows[2]) {
  rattle_status status = RATTLE_OK;
  for (int side = 0; side < 2 && !status; side++) {
    for (int k = 0; k < r->n; k++) q[k] = z[k] + (side ? by : -by) * r->slope[r->n + k];
    status = rattle__velocity_at(r, q, r->slope + r->n, NULL, NULL, rows[side], NULL);
  }
  return status;
}

double rattle__turn_of_rows(const rattle_problem *problem, const rattle_state *at, int *row) {
  static const double part = 1e-4;
  const size_t n = (size_t)problem->n, rows = (size_t)problem->velocity->rows;
  rattle__arena arena = {0};
  rattle__reaction *r = NULL;
  double *z, *q, *both[2], most = 0;
  const rattle__array array[] = {{&z, 2 * n}, {&q, n}, {&both[0], rows * n}, {&both[1], rows * n}};
  RATTLE__LAY_OUT(&arena, array);
  rattle_status status =
      arena.failed ? RATTLE_NO_MEMORY : rattle__reaction_create(&r, problem, &arena, NULL);
  for (size_t k = 0; k < n && !arena.failed; k++) z[k] = at->q[k], z[n + k] = at->p[k];
  if (!status) status = rattle__reaction_look(r, z, NULL);
  if (!status) status = rattle__reaction_metric(r, z, NULL);
  if (!status) status = rows_around(r, z, part * at->h, q, both);
  for (size_t i = 0; i < rows && !status; i++) {
    double AA = 0, AD = 0, DD = 0;
    for (size_t k = 0; k < n; k++) {
      const double root = r->root[k], A = root * (both[0][i * n + k] + both[1][i * n + k]) / 2,
                   D = root * (both[1][i * n + k] - both[0][i * n + k]) / (2 * part);
      AA += A * A, AD += A * D, DD += D * D;
    }
    const double square = DD / AA - AD / AA * (AD / AA);
    if (square > most * most) most = sqrt(square), *row = (int)i;
  }
  rattle__reaction_destroy(&r);
  rattle__arena_release(&arena);
  return most;
}
