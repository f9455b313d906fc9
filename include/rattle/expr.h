#ifndef RATTLE_EXPR_H
#define RATTLE_EXPR_H
/* Expression graphs: hash-consed, so equal expressions are one node.
 *
 * A rattle_graph owns its nodes; a rattle_expr is a handle (an index) into one graph. Constants are
 * folded, and trivial algebra (x+0, 1*x, x-x, x^1, --x ...) is simplified when a node is made;
 * operands of + and * keep the user's order. A failure (out of memory) gives RATTLE_EXPR_NONE,
 * which every constructor propagates, so only the final result needs a check. Any number of threads
 * may read a graph that is no longer changed. */
#include <stddef.h>
#include <stdint.h>

#include "rattle/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_graph rattle_graph;
typedef uint32_t rattle_expr;
#define RATTLE_EXPR_NONE ((rattle_expr)0)

typedef enum rattle_op {
#define OP(name, arity, symbol) RATTLE_OP_##name,
#include "rattle/ops.def"
#undef OP
  RATTLE_OP_COUNT
} rattle_op;

RATTLE_API rattle_status rattle_graph_create(rattle_graph **graph, rattle_error *error);
RATTLE_API void rattle_graph_destroy(rattle_graph **graph);

/* Leaves. A variable is identified by its index >= 0, whose meaning the caller defines (in a
 * rattle_model: 2k is the coordinate and 2k+1 the momentum of pair k). */
RATTLE_API rattle_expr rattle_expr_constant(rattle_graph *graph, double value);
RATTLE_API rattle_expr rattle_expr_variable(rattle_graph *graph, int32_t index);
/* Operations of arity 1 and 2; RATTLE_EXPR_NONE if `op` has another arity. */
RATTLE_API rattle_expr rattle_expr_unary(rattle_graph *graph, rattle_op op, rattle_expr a);
RATTLE_API rattle_expr rattle_expr_binary(rattle_graph *graph, rattle_op op, rattle_expr a,
                                          rattle_expr b);

/* a if condition > 0, else b, whatever the value of the other. A condition is made of LT (1 or 0),
 * of 1 - LT, and of products, MIN and MAX of such; any other expression holds if it is positive.
 * Nothing makes a and b agree at a change of the condition. */
RATTLE_API rattle_expr rattle_expr_where(rattle_graph *graph, rattle_expr condition, rattle_expr a,
                                         rattle_expr b);
/* The cubic spline through (x[k], y[k]), k = 0 .. count - 1, of expression e, with two continuous
 * derivatives; not-a-knot at both ends, that is, with three at x[1] and x[count - 2] (de Boor, A
 * Practical Guide to Splines, 1978, IV). Undefined (NaN) outside the table. Its value takes about 9
 * operations for each knot. count from 4 to 1000, x increasing, all finite: else RATTLE_EXPR_NONE,
 * and RATTLE_BAD_ARGUMENT in *error. */
RATTLE_API rattle_expr rattle_expr_table(rattle_graph *graph, rattle_expr e, int count,
                                         const double *x, const double *y, rattle_error *error);

/* Queries of a node. The op of RATTLE_EXPR_NONE is RATTLE_OP_COUNT. Operands beyond the arity are
 * RATTLE_EXPR_NONE; value is 0 unless CONSTANT; index is -1 unless VARIABLE. */
RATTLE_API rattle_op rattle_expr_op(const rattle_graph *graph, rattle_expr e);
RATTLE_API rattle_expr rattle_expr_operand(const rattle_graph *graph, rattle_expr e, int which);
RATTLE_API double rattle_expr_value(const rattle_graph *graph, rattle_expr e);
RATTLE_API int32_t rattle_expr_index(const rattle_graph *graph, rattle_expr e);
/* Number of nodes created so far; handles are 1 .. count, operands come before the nodes that use
 * them. */
RATTLE_API uint32_t rattle_graph_count(const rattle_graph *graph);

/* Symbolic derivative of e by the variable with that index. */
RATTLE_API rattle_expr rattle_expr_derivative(rattle_graph *graph, rattle_expr e, int32_t index);
/* Value of e at x (x[index] for each variable), computed by traversing the graph: slow, for tests,
 * starts and messages. NaN for RATTLE_EXPR_NONE. */
RATTLE_API double rattle_expr_evaluate(const rattle_graph *graph, rattle_expr e, const double *x);
/* e as text, at most size-1 characters and a zero byte, truncated with "..." if too long.
 * name(context, index) gives the name of a variable; NULL: "x[index]". Returns buffer. */
RATTLE_API char *rattle_expr_print(const rattle_graph *graph, rattle_expr e,
                                   const char *(*name)(void *context, int32_t index), void *context,
                                   char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
