#ifndef RATTLE__PIECES_H
#define RATTLE__PIECES_H
/* Functions that are smooth in pieces. */
#include "rattle/expr.h"

/* 1 if e has no values but 0 and 1: made of LT, 1 - LT, products, MIN and MAX of such. */
int rattle__is_condition(const rattle_graph *graph, rattle_expr e);

/* 1 if e is atan2(sin(a), cos(a)), as in wrap(x, L), which jumps at odd multiples of pi. Another
 * atan2 is an angle of two lengths (cuts.h). */
int rattle__is_wrapped(const rattle_graph *graph, rattle_expr e);

/* u, if e is a multiple of u/abs(u) or u/sqrt(u^2), a sign that has no value at 0; else NONE. */
rattle_expr rattle__quotient_of_sign(const rattle_graph *graph, rattle_expr e);

/* Finds the least smooth operation of the expressions root[roots], some of which may be
 * RATTLE_EXPR_NONE, in one walk: abs, min and max have a kink, but |u|^n for odd n and max(u, 0)^n
 * have n - 1 continuous derivatives; table1d has two; sign, lt, when, wrap and u/abs(u) may jump.
 * Returns the number of continuous derivatives, -1 for a jump; *seam is the
 * operation. RATTLE__SMOOTH: everything is smooth, or there is no memory. */
enum { RATTLE__SMOOTH = 1000 };
int rattle__least_smooth(const rattle_graph *graph, const rattle_expr *root, int roots,
                         rattle_expr *seam);
#endif
