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
 * Theorem  let A0, A1 >= kappa D, D being their diagonal, and t = sum |s_k - r_k|^2/d_k^2 <
 *          kappa. Then all pivots of R are positive, and the product of cos^2 of the angles is at
 *          least 1 - t/kappa
 * Proof    with Y = M^-1/2 G^T, |(Y1 - Y0) x|^2 <= t x.D x <= t/kappa x.A0 x, so that x.R x >= (1 -
 *          (t/kappa)^1/2) x.A0 x > 0. With P the projection onto the normals at the start, the sum
 *          of sin^2 is |(1 - P) Y1 A1^-1/2|^2 <= tr A1^-1 (Y1 - Y0)^T (Y1 - Y0) <= t/kappa
 * kappa    1 - |B|, B >= 0 having at least the elements of D^-1/2 A D^-1/2 - 1 in size: cosines
 *          are those that lengths give, or 1; |B| <= max (B x)_i/x_i for any x > 0 (L. Collatz,
 *          Math. Z. 48 (1942) 221)
 * Cost     of a molecule of m bonds m w^2, w the width of R in the order of bonds chosen here;
 *          about 2 for chains and stars, all of them where all distances are held */
#include "ground/support/arena.h"

typedef struct rattle__folds rattle__folds;

/* Bonds are between atoms pair[2 k] and pair[2 k + 1]; inverse: of the masses [atoms];
 * square: d^2 [bonds]. NULL: no memory, arena->failed. */
rattle__folds *rattle__folds_create(int atoms, int bonds, const int *pair, const double *inverse,
                                    const double *square, rattle__arena *arena);
/* True if no molecule went over; turn: |s - r|^2/d^2 [bonds]; r, s [3 bonds], or NULL: by the
 * theorem alone. */
int rattle__folds_are_far(rattle__folds *n, const double *turn, const double *r, const double *s);
#endif
