#ifndef RATTLE__SOLUTION_SET_H
#define RATTLE__SOLUTION_SET_H
/* Inside of solutions.h: the solutions of one equation. */
#include "sample/solutions.h"

typedef struct rattle__solution_set {
  rattle__kernel *kernel;
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
