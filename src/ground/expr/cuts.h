#ifndef RATTLE__CUTS_H
#define RATTLE__CUTS_H
/* Angles that jump: atan2(y, x) is discontinuous where y = 0 > x. */
#include "ground/expr/walk.h"

/* 1 if the graph has an atan2 at all. */
int rattle__has_angles(const rattle_graph *graph);
/* Adds to `found`, each once, every atan2 below root[roots] whose jump by 2 pi one of these may
 * have. Not among them are those that enter sin, cos and tan alone, added to other things and multiplied by whole
 * numbers; those whose y is never negative (sqrt, abs, exp, an even power); and those of which
 * rattle__least_smooth says more: wrap, and what a condition looks at. */
rattle_status rattle__find_cuts(const rattle_graph *graph, const rattle_expr *root, int roots,
                                rattle__stack *found);
#endif
