#ifndef RATTLE__REMASSED_H
#define RATTLE__REMASSED_H
/* A natural problem with other masses: H = p^T W p/2 + V(q) with another W, and the same V and g;
 * and with another potential. */
#include "problem/functions/problem.h"

/* W = diag(inverse_mass) [n]; or, if `dense`, inverse_mass [n*n], symmetric: then rows of G have
 * all columns. RATTLE_BAD_ARGUMENT: that is not positive definite. `problem` must outlive it. */
rattle_status rattle__problem_remassed(rattle_problem **remassed, const rattle_problem *problem,
                                       int dense, const double *inverse_mass, rattle_error *error);
void rattle__problem_remassed_destroy(rattle_problem **remassed);

/* tilted.c: a natural problem with U = V + c log det(G W G^T) in place of V. Its gradient has
 * second derivatives of g, those of callbacks by differences. For one thread at a time. `problem`
 * must outlive it. */
rattle_status rattle__problem_tilted(rattle_problem **tilted, const rattle_problem *problem,
                                     double c, rattle_error *error);
/* tilted_model.c: the same with U as an expression, for a problem of a model with few constraints
 * and numbers that stay; whether it is one. */
int rattle__can_write_tilted(const rattle_problem *problem);
rattle_status rattle__problem_tilted_model(rattle_problem **tilted, const rattle_problem *problem,
                                           double c, rattle_error *error);
void rattle__problem_tilted_destroy(rattle_problem **tilted);

/* ptr [rows + 1] and, behind it, col [rows*vars] of rows that have all columns, in one block; NULL:
 * no memory */
int *rattle__full_pattern(int rows, int vars);
/* full_rows.c: g, which must outlive it, with a Jacobian that has all columns in each row; and
 * whether a function is such a one. */
rattle_status rattle__function_full_rows(rattle__function **f, const rattle__function *g,
                                         rattle_error *error);
int rattle__has_full_rows(const rattle__function *f);
#endif
