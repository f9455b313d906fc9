#ifndef RATTLE__PROBLEM_PAIRWISE_H
#define RATTLE__PROBLEM_PAIRWISE_H
#include "problem/functions/problem.h"

/* V(q) = bonded(q), from expressions, + the forces of the model between all pairs of beads. Borrows
 * both. */
rattle_status rattle__function_pairwise(rattle__function **f, const rattle__function *bonded,
                                        const rattle_model *model, rattle_error *error);
#endif
