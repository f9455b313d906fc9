#ifndef RATTLE__ROUND_OFF_H
#define RATTLE__ROUND_OFF_H
/* How well double precision knows a function at a point: bounds on the errors of its values and
 * derivatives.
 *
 * Method  running error analysis: every operation adds eps |result| to the propagated errors of its
 *         operands
 * Source  J. H. Wilkinson, Rounding Errors in Algebraic Processes (1963); N. J. Higham, Accuracy
 *         and Stability of Numerical Algorithms (2002), section 3.3 */
#include <math.h>

#include "ground/support/function.h"
#include "rattle/expr.h"

/* A number counts as 0 up to so many times its bound, which is not quite one: constants are rounded
 * before, too. */
enum { RATTLE__GENEROUS = 32 };
static inline int rattle__is_round_off(double value, double bound) {
  return fabs(value) <= RATTLE__GENEROUS * bound;
}

/* The error of v = op(a, b) that errors up to ea and eb of its operands make; the rounding of v
 * itself is not in it. */
double rattle__spread(rattle_op op, double a, double b, double v, double ea, double eb);

/* Bytes of scratch for rattle__round_off, aligned for a double. */
size_t rattle__round_off_room(const rattle__function *f);

/* Bounds on the errors of F[rows] and of J[jac_nnz] (each may be NULL) at x[vars], each x[k] being
 * off by at most reach[k]. Operations, sums and their order are those of the evaluators. A callback
 * shows no operations: it is assumed to add up its terms J_k x_k, each with |x_k| at least a 64th
 * of the largest coordinate of the same unit, and its J is assumed as good as the terms of F'' x.
 * Returns 0, or the answer of a callback that failed. */
int rattle__round_off(const rattle__function *f, const double *x, const double *reach, double *F,
                      double *J, void *room);
#endif
