#ifndef RATTLE__STAGE_FACTORS_H
#define RATTLE__STAGE_FACTORS_H
/* Expressions as combinations of few others with constant factors:
 *
 *     e_i = k_i + sum_a K_ia f_a,
 *
 * as their texts write them. A spring or a damper between two points of bodies pushes all
 * coordinates of these, with a force of three components: K has three columns for it. Factors are
 * proportional where K is: f_a K_a + f_b K_b is (f_a + c f_b) K_a for K_b = c K_a. */
#include "ground/expr/ball.h"
#include "rattle/expr.h"

typedef struct rattle__stage_factors {
  int rows, count;
  rattle_expr *factor; /* [count], of the graph */
  rattle__ball *K;     /* [count][rows] */
  rattle__ball *k;     /* [rows] */
} rattle__stage_factors;

/* Without factors, for e [rows]; released in any case. */
rattle_status rattle__stage_factors_start(rattle__stage_factors *by, int rows, rattle_error *error);
/* e is added, with factors of its own. */
rattle_status rattle__stage_factors_add(rattle__stage_factors *by, rattle_graph *graph,
                                        const rattle_expr *e, rattle_error *error);
/* Those whose columns are proportional become one. */
rattle_status rattle__stage_factors_merge(rattle__stage_factors *by, rattle_graph *graph,
                                          rattle_error *error);
void rattle__stage_factors_release(rattle__stage_factors *by);
#endif
