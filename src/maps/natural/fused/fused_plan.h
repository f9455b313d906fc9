#ifndef RATTLE__FUSED_PLAN_H
#define RATTLE__FUSED_PLAN_H
/* The arithmetic of fused_kernel.h that depends on the pattern of G, as lists of what is done in
 * turn: the library walks them, and fused_native.c writes them out as straight code, so that both
 * do the same in the same order.
 *
 * Symbols e, f: places in the pattern of G; t: place i m + j of a matrix [m x m], whose factors
 * have these places too. `first` is 1
 *          where a place has no value yet
 * Groups   rows of a quadratic g have entries that are multiples of one another at every q, as
 *          those of a rod at its two ends: J_e = by J_g with the last of them, g, in whose place
 *          their value is. Sums over a group are multiplied with it once */
#include "problem/functions/problem.h"
#include "ground/support/arena.h"
#include "ground/expr/real.h"
#include "maps/natural/fused/fused_state.h"

enum { RATTLE__FUSED_PIVOT, RATTLE__FUSED_SCALE, RATTLE__FUSED_UPDATE };  /* of `eliminate` */
enum { RATTLE__FUSED_FORWARD, RATTLE__FUSED_DIVIDE, RATTLE__FUSED_BACK }; /* of `substitute` */

typedef struct rattle__fused_term {
  int kind, a, b, c, first;
  int last, group; /* of entries */
  double by;
} rattle__fused_term;

typedef struct rattle__fused_list {
  rattle__fused_term *term;
  int count;
} rattle__fused_list;

/* A matrix sum_c J_ic W_jc, its triangular factors and the solution of a system with it. Pivots are
 * taken from the diagonal. */
typedef struct rattle__fused_matrix {
  rattle__fused_list products; /* (t, e, f), by: A_t += by J_e W_f */
  rattle__fused_list
      eliminate; /* PIVOT (k, t); SCALE (t, k): L_t = A_t / pivot k; UPDATE (t, l, u): A_t -= L_l
                    A_u */
  rattle__fused_list
      substitute; /* FORWARD, BACK (i, t, j): x_i -= L_t x_j; DIVIDE (k): x_k /= pivot k */
} rattle__fused_matrix;

/* A = G M^-1 G^T where that is a constant N on g = 0: of more than two quadratic constraints, such
 * as those of orthonormal axes. */
typedef struct rattle__fused_constant {
  rattle__fused_list inverse; /* (i, j), by: (N^-1)_ij */
  double bend, span, close;   /* norms, as fused_constant.h needs them */
  int holds;                  /* 1: there is one */
} rattle__fused_constant;

typedef struct rattle__fused_plan {
  /* (e, i, c): row i and column c of each place of G, group by group; `first` and `last` of its
   * group, last = 1 in the first group of the row, 2 in others */
  rattle__fused_list entries;
  /* T_i,jk = W_j^T g_i'' W_k / 2, j <= k; t = (i m + j) m + k; empty unless g is quadratic, m <=
   * 2 */
  rattle__fused_list bends;      /* (t, e, f), by: T_t += by J_e J_f */
  rattle__fused_list bends_of_A; /* (t, u), by: T_t = by A_u, A = G M^-1 G^T */
  double spread
      [RATTLE__FUSED_MOST]; /* with `bounded`, multipliers s stretch a step by no more than sum
                               |s_i| spread_i of it */
  int bounded;              /* 1: g is quadratic */
  rattle__fused_matrix R,
      A; /* of positions; of momenta, symmetric: the part below the diagonal alone */
  rattle__fused_constant constant;
} rattle__fused_plan;

/* spread [m] of a quadratic g, diagonal M; 0 if there is none. Scratch from the arena. */
int rattle__fused_spread(const rattle_problem *problem, rattle__arena *arena, double *spread);

/* *to, 0 before, of a quadratic g, diagonal M; scratch and the list from the arena. */
void rattle__fused_constant_find(const rattle_problem *problem, const double *spread,
                                 rattle__arena *arena, rattle__fused_constant *to);

/* The plan of a problem with at most RATTLE__FUSED_MOST constraints, in the arena; NULL without
 * memory. */
const rattle__fused_plan *rattle__fused_plan_create(const rattle_problem *problem,
                                                    rattle__arena *arena);
#endif
