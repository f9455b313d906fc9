#ifndef RATTLE__DERIVATIVE_H
#define RATTLE__DERIVATIVE_H
/* Symbolic derivatives of many variables at once. */
#include "rattle/expr.h"

/* out[k] = derivative of e by variables[k], k < count; the constant 0 if e does not have that
 * variable. One sweep back through e: the number of nodes made is a small multiple of the nodes of
 * e, whatever count is. out is undefined on failure. */
rattle_status rattle__gradient(rattle_graph *graph, rattle_expr e, const int32_t *variables,
                               int count, rattle_expr *out);
#endif
