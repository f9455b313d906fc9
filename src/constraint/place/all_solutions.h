#ifndef RATTLE__ALL_SOLUTIONS_H
#define RATTLE__ALL_SOLUTIONS_H
/* The solutions of the constraint equation of one step that are within reach, for samplers that
 * take any of them; and points of a section of {g = 0} by a plane.
 *
 *     q1 = q0 + W pi,  pi = w - G0^T s,  g(q1) = 0,  pi^T W pi <= reach^2
 *
 * w is the way without multipliers, W = M^-1; |pi|_W is the distance from q0 to q1 in the metric of
 * M, the same at either end. */
#include <stdint.h>

#include "ground/linear/zeros.h"
#include "constraint/equation/unit.h"

enum { RATTLE__SOLUTIONS = 64 }; /* at most */

typedef struct rattle__solution_set {
  rattle__context *context;
  int n, m, starts, count;
  double reach;
  uint64_t key;
  double *q, *p, *far;   /* where they are, and pi [RATTLE__SOLUTIONS][n]; |pi|_W^2 */
  double *centre, *none; /* of a section [n]; zeros [n] */
  const double *q0, *way;
  rattle_status
      status; /* of a callback, or where the search was asked to end; its message is in error */
  rattle_error *error;
  double *J0, *B0, *A; /* G at q0, or the rows of a section; J0 W; J0 W J0^T, or L */
  double *J, *R, *F, *s, *row, *size, *work;
  double *z0, *z; /* (q0, way), and (q, pi) of s [2n]: a move from one to the other */
  double *unit,
      *least; /* of g: round-off in cheap units, and the least where units were raised [m] */
  rattle__unit *rounding;
  rattle__zeros *zeros;
} rattle__solution_set;

/* Memory from the context's arena. `starts`: of Newton's method where there are several
 * constraints, or g along the line is not smooth. */
rattle_status rattle__solution_set_create(rattle__solution_set *S, rattle__context *context,
                                          int starts, rattle_error *error);
/* Those of the way `way` from q0 with S->reach, S->key. Fails as callbacks do; too many count as
 * none. */
rattle_status rattle__solution_set_find(rattle__solution_set *S, const double *q0,
                                        const double *way, rattle_error *error);
/* Those on the section c + W J0^T s with |W J0^T s|_M <= S->reach, about a centre c that is drawn
 * so that q is anywhere in that ball: which of them are found depends on c, J0 and draws that do
 * not know where q is. The rows S->J0, in the pattern of G, are the caller's. And log |det J W
 * J0^T|, J being G at one of them; -inf, or no number, where it is 0. */
rattle_status rattle__solution_set_section(rattle__solution_set *S, const double *q,
                                           rattle_error *error);
double rattle__solution_set_slant(rattle__solution_set *S, const double *J);
int rattle__solution_set_nearest(const rattle__solution_set *S);
#endif
