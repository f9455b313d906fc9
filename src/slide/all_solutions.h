#ifndef RATTLE__ALL_SOLUTIONS_H
#define RATTLE__ALL_SOLUTIONS_H
/* The solutions of the constraint equation of one step that are within reach, for samplers that take any of them.
 *
 *     q1 = q0 + W pi,  pi = w - G0^T s,  g(q1) = 0,  pi^T W pi <= reach^2
 *
 * w is the way without multipliers, W = M^-1; |pi|_W is the distance from q0 to q1 in the metric of M, the same at either end. */
#include <stdint.h>

#include "linear/zeros.h"
#include "problem/problem.h"

enum { RATTLE__SOLUTIONS = 64 }; /* at most */

typedef struct rattle__solution_set {
  const rattle_problem *problem;
  int n, m, starts, count, answer; /* answer: of a callback, other than 0 */
  double reach;
  uint64_t key;
  double *q, *p, *far; /* where they are, and pi [RATTLE__SOLUTIONS][n]; |pi|_W^2 */
  const double *q0, *way;
  double *J0, *B0, *A; /* at q0; A, or L */
  double *J, *R, *F, *s, *pi, *at, *last, *row, *work;
  rattle__zeros *zeros;
} rattle__solution_set;

/* Those of the way `way` from q0 with S->reach, S->key. Fails as callbacks do; too many count as none. */
rattle_status rattle__solution_set_find(rattle__solution_set *S, const double *q0, const double *way, rattle_error *error);
int rattle__solution_set_nearest(const rattle__solution_set *S);
#endif
