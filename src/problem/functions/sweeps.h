#ifndef RATTLE__SWEEPS_H
#define RATTLE__SWEEPS_H
/* H of bodies along a tree of joints as a function that is evaluated by sweeps along the tree. */
#include "problem/model/model.h"
#include "problem/functions/problem.h"

/* From the nodes, which are copied, and the rest of H (NULL: none), which f owns from now on.
 * Second derivatives are differences of first ones, with an error of about 1e-9. */
rattle_status rattle__function_swept(rattle__function **f, const rattle__model_sweeps *tree, int n,
                                     rattle__function *rest, rattle_error *error);
/* The rest of H, whose function belongs to f; NULL: none. */
rattle__function *rattle__swept_rest(const rattle__function *f);
#endif
