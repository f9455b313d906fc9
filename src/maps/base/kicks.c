/* Base maps as kicks and drifts.
 *
 * Map      with H = p^T M^-1 p/2 + V(q) and V'' = 0 each stage of a Runge-Kutta map has the same
 *          force: P_i = p0 - h c_i V_q with c_i = sum_j ahat_ij, so that
 *          q1 = q0 + h M^-1 (sum_i b_i p0 - h sum_i b_i c_i V_q),  p1 = p0 - h V_q,
 *          and order 2 says sum_i b_i = 1 and sum_i b_i c_i = 1/2: verlet(a), whatever the stages
 * Source   Hairer, Lubich, Wanner, Geometric Numerical Integration, II.1.1
 * Claims   the map is the same; its last bits are those of verlet(a) */
#include "maps/base/base.h"

int rattle__kicks_of(const rattle__node *node, const rattle_problem *problem,
                     rattle__scheme *scheme) {
  const rattle__base *base = rattle__base_of(node->row);
  rattle__tableau tableau;
  if (!base || (!base->scheme && !base->tableau)) return 0;
  if (base->scheme) {
    base->scheme(node, scheme);
    return 1;
  }
  const int order = base->order ? base->order(node) : node->row->claims.order;
  const rattle__function *V = problem->V;
  if (order < 2 || !rattle__is_natural_holonomic(problem) || !V->hessian || V->hess_nnz) return 0;
  base->tableau(node, &tableau);
  *scheme = (rattle__scheme){0.5, 1, 0.5, 0, 1};
  return tableau.symmetric;
}

int rattle__is_midpoint(const rattle__node *node) {
  const rattle__base *base = rattle__base_of(node->row);
  rattle__tableau t;
  if (!base || base->scheme || !base->tableau) return 0;
  base->tableau(node, &t);
  return t.stages == 1 && t.symmetric && t.a[0][0] == 0.5 && t.ahat[0][0] == 0.5;
}
