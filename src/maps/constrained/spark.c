/* spark(s): the Lobatto IIIA-IIIB pair with g = 0 at its stages.
 *
 * Map      Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),  P_i = p0 - h sum_j ahat_ij F_j,  F_j =
 *          H_q(Q_j,P_j) + G(Q_j)^T L_j,
 *          g(Q_i) = 0 for i = 2..s (Q_1 = q0, q1 = Q_s),  p1 = p0 - h sum_j b_j F_j with G(q1)
 *          H_p(q1,p1) = 0, which gives L_s
 * Symbols  L_i multipliers [m]; a IIIA, ahat IIIB, b, c as in method/coefficients/nodes.c; ahat_is
 *          = 0, so that L_s only moves p1
 * Source   L. Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich, Wanner, Geometric Numerical
 *          Integration (2006), VII.1.4
 * Claims   order 2s-2, symmetric, symplectic, g and psi at round-off; s = 2 is rattle(verlet)
 * Needs    g(q); without constraints it is the Lobatto pair itself
 * Steps    of any H by spark_stages.c; natural problems take the shorter way of spark_natural.c,
 *          and that one where this is in doubt
 * Differs  nothing: L_s is found after the other unknowns, which do not depend on it */
#include "maps/constrained/spark.h"
#include "maps/constrained/spark_stages.h"

void rattle__spark_scheme_lobatto(int stages, rattle__spark_scheme *by) {
  *by = (rattle__spark_scheme){.stages = stages, .blocks = stages - 1};
  rattle__lobatto_coefficients(stages, by->c, by->b, by->a, by->ahat);
  for (int i = 0; i < stages; i++) {
    by->time[i] = by->c[i], by->weight[i] = by->b[i];
    for (int j = 0; j < stages; j++) by->node[i][j] = by->a[i][j], by->push[i][j] = by->ahat[i][j];
  }
}

/* Without constraints: the pair as a Runge-Kutta map. */
static rattle_status create_free(rattle__map **map, rattle__context *context, int stages,
                                 rattle_error *error) {
  rattle__tableau t = {.stages = stages, .symmetric = 1};
  double c[RATTLE__STAGES];
  rattle__lobatto_coefficients(stages, c, t.b, t.a, t.ahat);
  return rattle__prk_create(map, context, &t, NULL, &rattle__automatic, error);
}

static rattle_status create(rattle__map **map, rattle__context *context, const rattle__node *node,
                            rattle_error *error) {
  const rattle_problem *problem = context->problem;
  const int stages = (int)node->argument[0].number;
  if (!problem->m) return create_free(map, context, stages, error);
  rattle__spark_scheme scheme;
  rattle__spark_scheme_lobatto(stages, &scheme);
  rattle_status status = rattle__needs_holonomic(problem, node, error);
  if (!status) status = rattle__spark_create(map, context, &scheme, error);
  if (status || !(problem->flags & RATTLE_NATURAL)) return status;
  return rattle__spark_natural_create(map, context, stages, *map, error);
}

static rattle_status before_slide(rattle__map **map, rattle__context *context,
                                  const rattle__node *node, rattle_error *error) {
  rattle__spark_scheme scheme;
  rattle__spark_scheme_lobatto((int)node->argument[0].number, &scheme);
  const rattle_status status = rattle__needs_holonomic(context->problem, node, error);
  return status ? status : rattle__spark_stages_create(map, context, &scheme, error);
}

static void constrained(const rattle__node *node, rattle__constrained_tableau *tableau) {
  rattle__spark_scheme scheme;
  rattle__spark_scheme_lobatto((int)node->argument[0].number, &scheme);
  *tableau = rattle__spark_tableau(&scheme);
}

static int order(const rattle__node *node) {
  return 2 * (int)node->argument[0].number - 2;
}

const rattle__base rattle__spark = {
    .constrained = constrained, .create = create, .before_slide = before_slide, .order = order};
