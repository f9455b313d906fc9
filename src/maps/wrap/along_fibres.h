#ifndef RATTLE__ALONG_FIBRES_H
#define RATTLE__ALONG_FIBRES_H
/* The common part of shake, rattle and second_class: wrappers that slide along fibres, so that a
 * map of X_H ends on g = 0. */
#include "maps/base/base.h"
#include "maps/natural/natural.h"

/* For code that makes these steps by other means. */
extern const rattle__wrapper rattle__wrapper_shake, rattle__wrapper_rattle;

/* Claims of a wrapper that slides onto g = 0, and onto psi = 0 too where its row claims that it
 * keeps psi. */
rattle_claims rattle__along_fibres_claims(const rattle__node *node, rattle_claims inner);
int rattle__along_fibres_sensible(const rattle__node *node, rattle__text *reason, int *blame);
void rattle__along_fibres_order(rattle__text *out, const rattle__node *node,
                                const rattle_claims *own, const rattle_claims *inner);
void rattle__along_fibres_cost(rattle__text *out, const rattle__node *node, int applications);
void rattle__along_fibres_tolerance(rattle__text *out, const rattle__node *node);
/* The map of the node: SHAKE of the map inside it, and RATTLE if there is a projection. m > 0 */
rattle_status rattle__along_fibres_create(rattle__map **map, rattle__context *context,
                                          const rattle__node *node, rattle__projection projection,
                                          rattle_error *error);
#endif
