#ifndef RATTLE__CUTS_H
#define RATTLE__CUTS_H
/* Angles that jump: atan2(y, x) is discontinuous where y = 0 > x, atan(y/x) where x = 0. */
#include "ground/expr/walk.h"

/* 1 if the graph has such an angle at all. */
int rattle__has_angles(const rattle_graph *graph);
/* Adds to `found`, each once, every atan2 below root[roots] whose jump by 2 pi one of these may
 * have, and every atan of a quotient or a tangent whose jump by pi it may have. Not among them are
 * those that enter sin, cos and tan alone, added to other things and multiplied by whole numbers,
 * so that they have that period; atan2 whose y is never negative (sqrt, abs, exp, an even power);
 * atan to which a condition adds constants; and those of which rattle__least_smooth says more:
 * wrap, and the arguments of conditions. */
rattle_status rattle__find_cuts(const rattle_graph *graph, const rattle_expr *root, int roots,
                                rattle__stack *found);
/* The direction y, x of an angle, NONE where there is no memory. */
void rattle__direction(rattle_graph *graph, rattle_expr angle, rattle_expr yx[2]);
#endif
