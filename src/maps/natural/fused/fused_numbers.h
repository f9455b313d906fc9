#ifndef RATTLE__FUSED_NUMBERS_H
#define RATTLE__FUSED_NUMBERS_H
/* The numbers of a step that parameters change, where these are inputs of the graph
 * (ground/expr/inputs.h), or a metric that is learned: the text of fused_lanes.h reads them for
 * each lane from a table, that of fused_kernel.h for its trajectory, so that one text serves all
 * values. In this order: those in g and in V, 1/masses, the factors of the
 * plan, norms, how far multipliers can stretch a step, and L of coordinates that are whitened. */
#include "maps/natural/fused/fused_plan.h"

typedef struct rattle__fused_numbers {
  int g, V;   /* in g, in V */
  int masses; /* n, or 0: they are the same for all values */
  int groups; /* factors within groups of a row, or 0 */
  int plan;   /* other factors of the plan, or 0 */
  int norms;  /* three of a constant N, or 0 */
  int spread; /* m, or 0 */
  int white;  /* n (n + 1)/2, or 0 */
  int count;  /* of all */
} rattle__fused_numbers;

rattle__fused_numbers rattle__fused_numbers_of(const rattle_problem *problem,
                                               const rattle__fused_plan *plan);
/* to[k stride], k < count */
void rattle__fused_numbers_get(const rattle_problem *problem, const rattle__fused_plan *plan,
                               double *to, size_t stride);
/* The same for one trajectory, in the arena; NULL: there are none. */
const double *rattle__fused_numbers_take(const rattle_problem *problem,
                                         const rattle__fused_plan *plan, rattle__arena *arena);
/* True if tables are of the same form; true if two plans are one but for their factors. */
int rattle__fused_numbers_agree(const rattle__fused_numbers *a, const rattle__fused_numbers *b);
int rattle__fused_plans_agree(const rattle__fused_plan *a, const rattle__fused_plan *b);
#endif
