/* How far quadratic constraints bend: |u.g_i'' v| <= 2 b_i |u| |v|, |u|^2 = u.M u (proofs of
 * steps, fused_one_curve.h).
 *
 * Formula  b_i is half of the largest row sum of M^-1 |g_i''| or of M^-1/2 |g_i''| M^-1/2,
 *          whichever is less: both bound the eigenvalues of M^-1 g_i'' */
#include <float.h>
#include <math.h>

#include "maps/natural/fused/fused_plan.h"

int rattle__fused_spread(const rattle_problem *problem, rattle__arena *arena, double *spread) {
  const rattle__function *g = problem->g;
  if (!g->quadratic || !g->hessian || rattle__constraints_move(problem)) return 0;
  const double *inverse_mass = rattle__inertia(problem)->diagonal;
  const size_t m = (size_t)g->rows;
  double *S = rattle__arena_doubles(arena, (size_t)g->hess_nnz + (size_t)g->vars + m + g->work);
  if (!S) return 0;
  double *zero = S + g->hess_nnz, *unit = zero + g->vars, *work = unit + m;
  for (int i = 0; i < g->rows; i++) {
    unit[i] = 1;
    if (g->hessian(g, zero, unit, S, work)) return 0;
    unit[i] = 0;
    double plain = 0, scaled = 0;
    for (int r = 0; r < g->vars; r++) {
      double sum = 0, sum_scaled = 0;
      for (int e = g->hess_ptr[r]; e < g->hess_ptr[r + 1]; e++) {
        sum += fabs(S[e]);
        sum_scaled += fabs(S[e]) * sqrt(inverse_mass[r] * inverse_mass[g->hess_col[e]]);
      }
      plain = fmax(plain, inverse_mass[r] * sum), scaled = fmax(scaled, sum_scaled);
    }
    spread[i] =
        0.5 * (scaled * (1 + 8 * DBL_EPSILON) < plain ? scaled * (1 + 8 * DBL_EPSILON) : plain);
  }
  return 1;
}
