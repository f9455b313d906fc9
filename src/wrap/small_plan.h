#ifndef RATTLE__SMALL_PLAN_H
#define RATTLE__SMALL_PLAN_H
/* The arithmetic of small_kernel.h that depends on the pattern of G, as lists of what is done in turn: the library walks them, and
 * small_native.c writes them out as straight code, so that both do the same in the same order.
 *
 * Symbols  e, f: places in the pattern of G; t: place i m + j of a matrix [m x m], whose factors have these places too. `first` is 1
 *          where a place has no value yet */
#include "problem/problem.h"
#include "support/arena.h"
#include "wrap/small_state.h"

enum { RATTLE__SMALL_PIVOT, RATTLE__SMALL_SCALE, RATTLE__SMALL_UPDATE };  /* of `eliminate` */
enum { RATTLE__SMALL_FORWARD, RATTLE__SMALL_DIVIDE, RATTLE__SMALL_BACK }; /* of `substitute` */

typedef struct rattle__small_term {
  int kind, a, b, c, first;
  double by;
} rattle__small_term;

typedef struct rattle__small_list {
  rattle__small_term *term;
  int count;
} rattle__small_list;

/* A matrix sum_c J_ic W_jc, its triangular factors and the solution of a system with it. Pivots are taken from the diagonal. */
typedef struct rattle__small_matrix {
  rattle__small_list products;   /* (t, e, f): A_t += J_e W_f */
  rattle__small_list eliminate;  /* PIVOT (k, t); SCALE (t, k): L_t = A_t / pivot k; UPDATE (t, l, u): A_t -= L_l A_u */
  rattle__small_list substitute; /* FORWARD, BACK (i, t, j): x_i -= L_t x_j; DIVIDE (k): x_k /= pivot k */
} rattle__small_matrix;

typedef struct rattle__small_plan {
  rattle__small_list entries; /* (e, i, c): row i and column c of each place of G */
  rattle__small_list
      bends; /* (t, e, f), by: T_t += by W_e W_f; t = (i m + j) m + k, j <= k; empty unless g is quadratic, m <= 2 */
  rattle__small_matrix R, A; /* of positions; of momenta, symmetric: the part below the diagonal alone */
} rattle__small_plan;

/* The plan of a problem with at most RATTLE__SMALL_MOST constraints, in the arena; NULL without memory. */
const rattle__small_plan *rattle__small_plan_create(const rattle_problem *problem, rattle__arena *arena);
#endif
