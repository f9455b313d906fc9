#ifndef RATTLE_SPECIAL_H
#define RATTLE_SPECIAL_H
/* Functions of probability, made of the operations of rattle/expr.h. RATTLE_EXPR_NONE as there. */
#include "rattle/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* log Gamma(a) for 0 < a < 1e38, undefined for others; to round-off of numbers of size 1, a log a
 * and log Gamma(a), whichever is largest. */
RATTLE_API rattle_expr rattle_expr_lgamma(rattle_graph *graph, rattle_expr a);
/* log(exp(a) + exp(b)), which does not overflow. */
RATTLE_API rattle_expr rattle_expr_logaddexp(rattle_graph *graph, rattle_expr a, rattle_expr b);

#ifdef __cplusplus
}
#endif
#endif
