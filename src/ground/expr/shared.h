#ifndef RATTLE__SHARED_H
#define RATTLE__SHARED_H
/* Values of many expressions that share parts. */
#include "ground/expr/elements.h"

/* F_r = root[r], of which values are wanted: rattle__function_from_graph, or where the rows are of
 * too many parts that they share for each to be written by itself (RATTLE__WRITTEN), a function
 * that has values only. Its jacobian is NULL, and its pattern has the columns from `first` on that
 * occur, all in row 0. */
rattle_status rattle__function_of_values(rattle__function **f, rattle_graph *graph,
                                         const rattle_expr *root, int rows, int first,
                                         const rattle__build *build, rattle_error *error);
#endif
