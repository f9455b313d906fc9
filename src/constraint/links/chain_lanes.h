#ifndef RATTLE__CHAIN_LANES_H
#define RATTLE__CHAIN_LANES_H
#include "constraint/links/chain.h"

/* From q and p to lanes and back, what neighbouring segments share, and the equations of the
 * segments' ends. */

/* a = q, p or V_q into lanes; places 1: q, where nodes that do not move are somewhere, else 0. And
 * nodes that move back to a. */
void rattle__chain_load(const rattle__chain *chain, const double *a, int places, double *const *to);
void rattle__chain_store(const rattle__chain *chain, double *const *from, double *a);
/* The largest |a|; moving: of nodes that move. */
double rattle__chain_largest(const rattle__chain *chain, double *const *a, int moving);
/* most_x, most_p and energies at the start of the step; what node 0 adds to the energies of
 * walks. */
void rattle__chain_measure(rattle__chain *chain);
void rattle__chain_add_first(rattle__chain *chain);
/* Puts right what walks that push add up in way and span: each node once. Without it the node that
 * closes a ring is in two lanes where links are no multiple of 8, and the last one of an open chain
 * in none where they are. */
void rattle__chain_count_last(rattle__chain *chain);
/* The links beyond the segments at the start of the step; their sigma, corrected 1: with the
 * corrections found. */
void rattle__chain_look_beyond(rattle__chain *chain);
void rattle__chain_sum_beyond(rattle__chain *chain, int corrected);
/* delta at both ends of all segments from what elimination left of them, and the corrections of
 * their end nodes, momenta: of p; first: of the first iterate. 0: a pivot is not positive */
int rattle__chain_ends(rattle__chain *chain, int momenta, int first);
/* Scales the result of an elimination of momenta by the factors of the links beyond, by nodes x. */
void rattle__chain_scale(rattle__chain *chain, double *const *x);
#endif
