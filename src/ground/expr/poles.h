#ifndef RATTLE__POLES_H
#define RATTLE__POLES_H
/* Poles: quotients, negative powers, tangents and logarithms, which have none but infinite values
 * where what they are divided by is 0. */
#include "ground/expr/walk.h"

/* Adds to found[0] every such node e below root[roots], once for each factor x of what it is
 * divided by that may change its sign, and y and x to found[1]: e has a pole where x passes 0 and y
 * does not. Roots, powers, asin and acos are added too, with x = 1: they have no value where y is
 * not finite. Left out are nodes below root[roots] .. root[roots + others - 1]. */
rattle_status rattle__find_poles(rattle_graph *graph, const rattle_expr *root, int roots,
                                 int others, rattle__stack *const found[2]);
#endif
