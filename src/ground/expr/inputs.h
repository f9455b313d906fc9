#ifndef RATTLE__INPUTS_H
#define RATTLE__INPUTS_H
/* Inputs: constants of a graph whose values are set after it was made, and what constants and inputs make together, which are inputs too.
 *
 * The graph is the one that numbers in their places would give: algebra takes an input as it takes a number of which nothing is
 * known. Where it would do something else for some numbers, and that could change a bit of a result, the graph is `unlike`, and not
 * to be used. Numbers that it drops, 0 above all, change the pattern of a problem: what has an input in it must not be given them. */
#include "rattle/expr.h"

/* whole: the value may be an integer of Lua, whose sums and products are exact up to 2^53 alone. */
rattle_expr rattle__input_make(rattle_graph *graph, double value, int whole);
/* op(a, b) of constants of which at least one is an input; b NONE for one operand. Equal ones are one. */
rattle_expr rattle__input_derive(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b);
/* Finds what may make the graph another one for some values, when it is complete; 0 if there is no memory. */
int rattle__inputs_watch(rattle_graph *graph);
/* Sets the value of an input of rattle__input_make; the others have theirs after rattle__inputs_update: 0 where one of them is not
 * finite, -0, or beyond what is exact, and where two products that are nodes of their own are one for these values. */
void rattle__input_set(rattle_graph *graph, rattle_expr e, double value);
int rattle__inputs_update(rattle_graph *graph);
/* The number op(a, b), as Lua and the folding of constants have it. */
double rattle__input_value(rattle_op op, double a, double b);
/* Which input e is, -1: none; how many there are; whether the graph is unlike. */
int rattle__input_number(const rattle_graph *graph, rattle_expr e);
int rattle__graph_inputs(const rattle_graph *graph);
int rattle__graph_is_unlike(const rattle_graph *graph);
#endif
