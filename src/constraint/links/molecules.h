#ifndef RATTLE__MOLECULES_H
#define RATTLE__MOLECULES_H
/* Constraints that are distances between particles in space, many molecules of each kind: the
 * stages of rattle/bonds.h for the steps of natural problems, and guards of what they give.
 *
 * Symbols   r_k, s_k the bond k before the step and after it, f_k where the free drift takes it;
 *           g_k = c_k (|s_k|^2 - d_k^2)
 * Places    bonds are solved in coordinates about one atom of each molecule, which have no
 *           round-off of the distance to the origin
 * Guard     what the first residuals of an iteration with the matrix at the start would be, |f|^2 -
 *           d^2 and |f|^2 - d^2 + 2 r.(s - f), as iterate.h compares them; no bond turns by more
 *           than 60 degrees; no molecule goes over a fold (molecules_folds.h); all residuals at
 *           round-off. Anything else is refused, and natural.c takes the step with all its
 *           guards */
#include "constraint/links/links.h"
#include "problem/functions/problem.h"
#include "ground/support/arena.h"

/* NULL with arena->failed 0: the constraints are no such distances, masses differ by axis, bonds
 * repeat others, or there are few molecules of each kind. */
rattle__links *rattle__molecules_create(const rattle_problem *problem, rattle__arena *arena);
#endif
