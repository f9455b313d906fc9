#ifndef RATTLE__MIXING_H
#define RATTLE__MIXING_H
/* epsilon and sigma of two beads from those of each: mixing rules of the kinds of beads of a pair
 * potential. */
#include "rattle/model.h"

/* epsilon, sigma [kinds kinds]; without kinds those of the potential. */
rattle_status rattle__pairs_mix(const rattle_pair_potential *given, double *epsilon, double *sigma,
                                rattle_error *error);
/* BAD_ARGUMENT if a scaled pair occurs twice, is one bead, or is excluded. */
rattle_status rattle__pairs_distinct(int beads, long long excluded, const int *exclusions,
                                     long long scaled, const int *pair, rattle_error *error);
#endif
