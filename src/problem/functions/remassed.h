#ifndef RATTLE__REMASSED_H
#define RATTLE__REMASSED_H
/* A natural problem with other masses: H = p^T W p/2 + V(q) with another diagonal W, and the same V
 * and g. */
#include "problem/functions/problem.h"

/* W = diag(inverse_mass) [n]. `problem` must outlive it. */
rattle_status rattle__problem_remassed(rattle_problem **remassed, const rattle_problem *problem,
                                       const double *inverse_mass, rattle_error *error);
void rattle__problem_remassed_destroy(rattle_problem **remassed);
#endif
