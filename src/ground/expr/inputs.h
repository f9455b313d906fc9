#ifndef RATTLE__INPUTS_H
#define RATTLE__INPUTS_H
/* Inputs: constants of a graph whose values are set after it was made. An operation on constants
 * and inputs is an input too.
 *
 * The graph is the one that numbers in place of the inputs would give: algebra assumes nothing
 * about the value of an input. If algebra would act differently for some values, and this could
 * change a bit of a result, the graph is marked `unlike` and must not be used. Algebra drops some
 * numbers, above all 0, which changes the pattern of a problem: no input, set or derived, may take
 * such a value. */
#include "rattle/expr.h"

/* whole: the value may be an integer of Lua, whose sums and products are exact up to 2^53 alone. */
rattle_expr rattle__input_make(rattle_graph *graph, double value, int whole);
/* The input that takes the value of `of`, a constant of another graph, which is `value` now: one
 * for each `of`. rattle__inputs_take: those have the values that `from` has; 0: an input has a
 * value for which numbers in its place would make another graph, or operations in another order: 0,
 * or a power of two, which algebra moves since that changes no bit of a product. */
rattle_expr rattle__input_of(rattle_graph *graph, rattle_expr of, double value);
int rattle__inputs_take(rattle_graph *graph, const rattle_graph *from);
/* op(a, b) of constants, at least one of them an input; b NONE for one operand. Equal inputs are
 * one. */
rattle_expr rattle__input_derive(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b);
/* Call once the graph is complete: finds the pairs of constants whose equality would make it
 * another graph. 0 if there is no memory. */
int rattle__inputs_watch(rattle_graph *graph);
/* Sets the value of an input made by rattle__input_make. rattle__inputs_update computes the others;
 * it returns 0 if one is not finite, is -0 or too large to be exact, or if two products that are
 * separate nodes are equal for these values. */
void rattle__input_set(rattle_graph *graph, rattle_expr e, double value);
int rattle__inputs_update(rattle_graph *graph);
/* In copies of the graph into itself (copy.h), an input made by rattle__input_make, made[i], is the
 * expression image[i], and one that was derived the same operation on such
 * (input_images.c). 0: no memory. rattle__inputs_forget: all are constants like others then. */
struct rattle__copy;
int rattle__inputs_become(rattle_graph *graph, struct rattle__copy *copy, const rattle_expr *made,
                          const rattle_expr *image, int count);
void rattle__inputs_forget(rattle_graph *graph);
/* The number op(a, b), as Lua and the folding of constants have it. */
double rattle__input_value(rattle_op op, double a, double b);
/* The number of input e, -1: none; how many inputs there are; true if the graph is unlike. */
int rattle__input_number(const rattle_graph *graph, rattle_expr e);
/* The value of input number k. */
double rattle__input_present(const rattle_graph *graph, int k);
int rattle__graph_inputs(const rattle_graph *graph);
int rattle__graph_is_unlike(const rattle_graph *graph);
#endif
