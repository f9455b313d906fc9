/* spark_gauss(s): H at the s nodes of Gauss, constraints at the s + 1 nodes of Lobatto.
 *
 * Map      Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),
 *          P_i = p0 - h sum_j a_ij H_q(Q_j,P_j) - h sum_{k<s} d_ik G(T_k)^T L_k,
 *          T_k = q0 + h sum_j e_kj H_p(Q_j,P_j),  g(T_k) = 0 for k = 1..s (T_0 = q0, q1 = T_s),
 *          p1 = p0 - h sum_j b_j H_q(Q_j,P_j) - h sum_k w_k G(T_k)^T L_k with G(q1) H_p(q1,p1) = 0,
 *          which gives L_s
 * Symbols  L_k multipliers [m]; a, b of the nodes of Gauss, w of those of Lobatto, e_kj the
 *          integral of the j-th Lagrange polynomial of the former up to the k-th of the latter,
 *          d_ik = w_k (1 - e_ki/b_i); d_is = 0, so that L_s only moves p1
 * Source   L. O. Jay, SIAM J. Numer. Anal. 45 (2007) 1814
 * Claims   order 2s, symmetric, symplectic, g and psi at round-off; s = 1 is rattle(midpoint)
 * Needs    g(q); without constraints it is gauss(s)
 * Differs  nothing: L_s is found after the other unknowns, which do not depend on it */
#include "maps/base/base.h"
#include "maps/constrained/spark_contraction.h"

void rattle__spark_scheme_gauss(int stages, rattle__spark_scheme *by) {
  *by = (rattle__spark_scheme){.stages = stages, .blocks = stages, .apart = 1};
  rattle__gauss_coefficients(stages, by->c, by->b, by->a);
  rattle__gauss_lobatto_coefficients(stages, by->time, by->weight, by->node, by->push);
  for (int i = 0; i < stages; i++)
    for (int j = 0; j < stages; j++) by->ahat[i][j] = by->a[i][j];
}

/* Newton's method is there for steps that do not contract where its system is not large. */
static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  if (rattle__remembers(node) && !problem->swept) return rattle__no_past(node, error);
  if (!problem->m) {
    rattle__tableau tableau;
    rattle__gauss_tableau((int)node->argument[0].number, &tableau);
    tableau.remembers = rattle__remembers(node);
    return rattle__implicit_rk_create(map, context, &tableau, error);
  }
  rattle__spark_scheme scheme;
  rattle__spark_scheme_gauss((int)node->argument[0].number, &scheme);
  rattle__map *general = NULL;
  rattle_status status = rattle__needs_holonomic(problem, node, error);
  if (!status && (!problem->swept || 2 * scheme.stages * problem->n <= RATTLE__MOST_UNKNOWNS))
    status = rattle__spark_create(&general, context, &scheme, error);
  *map = general;
  if (status || !problem->swept) return status;
  return rattle__spark_contraction_create(map, context, &scheme, general, rattle__remembers(node),
                                          error);
}

static rattle_status before_slide(rattle__map **map, rattle__context *context,
                                  const rattle__node *node, rattle_error *error) {
  rattle__spark_scheme scheme;
  rattle__spark_scheme_gauss((int)node->argument[0].number, &scheme);
  const rattle_status status = rattle__needs_holonomic(context->problem, node, error);
  return status ? status : rattle__spark_stages_create(map, context, &scheme, error);
}

static void constrained(const rattle__node *node, rattle__constrained_tableau *tableau) {
  rattle__spark_scheme scheme;
  rattle__spark_scheme_gauss((int)node->argument[0].number, &scheme);
  *tableau = rattle__spark_tableau(&scheme);
}

static int order(const rattle__node *node) {
  return 2 * (int)node->argument[0].number;
}

const rattle__base rattle__spark_gauss = {
    .constrained = constrained, .create = create, .before_slide = before_slide, .order = order};
