#ifndef RATTLE__FORMULA_H
#define RATTLE__FORMULA_H
/* Formulas of fields: expressions made of those of the problem, in a graph of their own. */
#include "method/notation/row.h"
#include "problem/functions/problem.h"
#include "rattle/expr.h"

enum { RATTLE__BLOCKS = 2 };

/* z' = f(z,u), 0 = r(z,u). Graph variables: the columns of z, then u. The unknowns u come in
 * blocks, and the rows of r of a block hold the unknowns of it and of blocks before it only. */
typedef struct rattle__formula {
  const rattle_problem *problem;
  rattle_graph *graph;
  int n, m, k, blocks,
      first[RATTLE__BLOCKS + 1]; /* first[b] .. first[b+1]: unknowns of block b; k in all */
  int32_t *variable;             /* 0 .. 2n-1 */
  rattle_expr H, *dH;            /* dH [2n]; with forces (H_q - f, H_p) */
  rattle_expr *g, *dg;           /* [m], [m*2n] */
  rattle_expr *psi, *dpsi;       /* {g_i,H} [m] and their gradients [m*2n] */
  rattle_expr *f, *r;            /* [2n], [k] */
  rattle_expr *momenta;    /* [n] where p is not the state's: what p is in (z, u); else NULL */
  const double *parameter; /* of the field's node */
} rattle__formula;

/* Everything up to psi. rattle__formula_end frees, after a failure too. */
rattle_status rattle__formula_begin(rattle__formula *k, const rattle_problem *problem,
                                    const double *parameter, rattle_error *error);
/* The same of H alone, as if there were no constraints. */
rattle_status rattle__formula_begin_free(rattle__formula *k, const rattle_problem *problem,
                                         rattle_error *error);
void rattle__formula_end(rattle__formula *k);

/* `count` new unknowns, a block; returns the index of the first. */
int rattle__formula_unknowns(rattle__formula *k, int count);
rattle_expr rattle__formula_unknown(const rattle__formula *k, int i);
/* Component c of X_F, {F,G}: from gradients. */
rattle_expr rattle__formula_hamiltonian(const rattle__formula *k, const rattle_expr *dF, int c);
rattle_expr rattle__formula_bracket(const rattle__formula *k, const rattle_expr *dF,
                                    const rattle_expr *dG);
rattle_expr rattle__add(rattle_graph *graph, rattle_expr a, rattle_expr b);
rattle_expr rattle__subtract(rattle_graph *graph, rattle_expr a, rattle_expr b);
rattle_expr rattle__multiply(rattle_graph *graph, rattle_expr a, rattle_expr b);

/* Blocks of at most two unknowns in which r is affine are solved for by Cramer's rule, and
 * disappear. */
rattle_status rattle__formula_eliminate(rattle__formula *k, rattle_error *error);
#endif
