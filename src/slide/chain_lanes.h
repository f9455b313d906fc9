#ifndef RATTLE__CHAIN_LANES_H
#define RATTLE__CHAIN_LANES_H
#include "slide/chain.h"

/* From q and p to lanes and back, what neighbouring segments share, and the equations of the segments' ends. */

/* x0, p = p0 - k V_q, x = x0 + c M^-1 p; V_q NULL: no kick */
void rattle__chain_load(rattle__chain *chain, const double *z0, const double *V_q, double k, double c);
/* nodes that move, to a = q or p */
void rattle__chain_store(const rattle__chain *chain, double *const *from, double *a);
/* Before a walk begins: the links beyond the segments, by the nodes x; momenta: and the push of the nodes before them. Afterwards:
 * these links into their rows. */
void rattle__chain_look_beyond(rattle__chain *chain, double *const *x, int momenta);
void rattle__chain_close(rattle__chain *chain);
/* delta at both ends of all segments from what elimination left of them, and the corrections of their end nodes, momenta: of p; 0: a
 * pivot is not positive */
int rattle__chain_ends(rattle__chain *chain, int momenta);
#endif
