#ifndef RATTLE__MOLECULES_FOLDS_H
#define RATTLE__MOLECULES_FOLDS_H
/* Steps that take molecules over a fold: one whose four atoms are nearly in a plane may end as its
 * mirror image, with all lengths right and no bond that turned.
 *
 * Symbols  r_k, s_k the bond k at the start and at the end of a step; R_kl = G1 M^-1 G0^T, which
 *          for lengths is the sum over common atoms of +-(s_k . r_l)/m, and A0, A1 likewise; bonds
 *          of different molecules have none, so that each molecule is judged by itself
 * Guard    all pivots of R are positive, as they are for a vanishing step; where one is small, the
 *          angles between the spaces of normals at both ends (rules.def)
 * Cost     of a molecule of m bonds m w^2, w the width of R in the order of bonds chosen here;
 *          about 2 for chains and stars, all of them where all distances are held */
#include "ground/support/arena.h"

typedef struct rattle__folds rattle__folds;

/* Bonds are between atoms pair[2 k] and pair[2 k + 1]; inverse: of the masses [atoms]; NULL: no
 * memory, arena->failed. */
rattle__folds *rattle__folds_create(int atoms, int bonds, const int *pair, const double *inverse,
                                    rattle__arena *arena);
/* True if no molecule went over; r, s [3 bonds]. */
int rattle__folds_are_far(rattle__folds *n, const double *r, const double *s);
#endif
