/* How well double precision knows the multipliers that are cited: lambda = N^-1 b, b = {psi,H}.
 *
 * Method  |dlambda_c| <= sum_i |N^-1_ci| |db_i|: N is symmetric, so that row c of its inverse is a
 *         solution. db is made of what rounding leaves of H' and g' (ground/expr/round_off.h) and
 *         of the terms of b, b_i = sum_k D_k X_k + w_k y_k, y = H'' X
 * Source  N. J. Higham, Accuracy and Stability of Numerical Algorithms (2002), section 7.1 */
#include <float.h>
#include <math.h>

#include "ground/expr/round_off.h"
#include "ground/support/error.h"
#include "problem/functions/probe.h"

typedef struct bounds {
  rattle__arena arena;
  double *X, *y, *J, *b, *row; /* of X and y [2n], g' in its pattern, b and a row of N^-1 [m] */
} bounds;

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static int bound_derivatives(const rattle__probe *s, bounds *of, const double *reach) {
  const rattle__function *g = s->problem->g, *H = s->problem->H;
  const size_t bytes = larger(rattle__round_off_room(g), rattle__round_off_room(H));
  void *room = rattle__arena_take(&of->arena, bytes + 1);
  if (!room || rattle__round_off(g, s->z, reach, NULL, of->J, room) ||
      rattle__round_off(H, s->z, reach, NULL, of->y, room))
    return 0;
  for (int k = 0; k < 2 * s->n; k++)
    of->X[k] = of->y[k < s->n ? s->n + k : k - s->n] + DBL_EPSILON * fabs(s->X[k]);
  return 1;
}

static void bound_bracket(const rattle__probe *s, bounds *of) {
  const rattle__function *g = s->problem->g, *H = s->problem->H;
  for (int r = s->holonomic ? s->n : 0; r < 2 * s->n; r++) {
    of->y[r] = DBL_EPSILON * fabs(s->y[r]);
    for (int e = H->hess_ptr[r]; e < H->hess_ptr[r + 1]; e++)
      of->y[r] += fabs(s->S[e - s->first_S]) * of->X[H->hess_col[e]];
  }
  for (int i = 0; i < s->m; i++) {
    of->b[i] = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      of->b[i] += fabs(s->D[k]) * of->X[g->jac_col[k]] + fabs(s->w[k]) * of->y[s->other[k]] +
                  of->J[k] * fabs(s->y[s->other[k]]);
  }
}

static double bound_multiplier(const rattle__probe *s, const bounds *of, int c) {
  double sum = 0;
  for (int i = 0; i < s->m; i++) of->row[i] = i == c;
  s->bracket->N->solve(s->bracket->N, of->row);
  for (int i = 0; i < s->m; i++) sum += fabs(of->row[i]) * of->b[i];
  return sum;
}

/* Those of least norm are an orthogonal projection of those that are kept. */
static void bound_cited(const rattle__probe *s, const bounds *of, double *bound) {
  const rattle_problem *problem = s->problem;
  double all = 0;
  for (int i = 0; i < s->m && s->shared; i++) all += bound_multiplier(s, of, i);
  for (int k = 0; k < problem->cited; k++) {
    const int at = problem->cited_at[k];
    bound[k] = fmax(bound[k], s->shared ? all : at >= 0 ? bound_multiplier(s, of, at) : 0);
  }
}

rattle_status rattle__probe_cite_round_off(rattle__probe *s, double *reach, rattle_error *error) {
  const size_t nz = 2 * (size_t)s->n, m = (size_t)s->m;
  if (!s->bracket || s->problem->split) return RATTLE_OK;
  bounds of = {0};
  const rattle__array arrays[] = {
      {&of.X, nz}, {&of.y, nz}, {&of.J, (size_t)s->problem->g->jac_nnz}, {&of.b, m}, {&of.row, m}};
  RATTLE__LAY_OUT(&of.arena, arrays);
  rattle_status status =
      of.arena.failed ? RATTLE_NO_MEMORY : rattle__probe_multipliers(s, NULL, NULL);
  if (!status && bound_derivatives(s, &of, reach)) {
    bound_bracket(s, &of);
    bound_cited(s, &of, reach + nz);
  }
  const int failed = of.arena.failed;
  rattle__arena_release(&of.arena);
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}
