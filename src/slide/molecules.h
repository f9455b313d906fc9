#ifndef RATTLE__MOLECULES_H
#define RATTLE__MOLECULES_H
/* Constraints that are distances between particles in space, of any topology but one long chain: the stages of rattle/bonds.h for the steps of
 * natural problems, and guards of what they give.
 *
 * Symbols   r_k, s_k the bond k before the step and after it, f_k where the free drift takes it; g_k = c_k (|s_k|^2 - d_k^2)
 * Places    bonds are solved in coordinates about one atom of each molecule, which have no round-off of the distance to the origin
 * Guard     what the first residuals of an iteration with the matrix at the start would be, |f|^2 - d^2 and
 *           |f|^2 - d^2 + 2 r.(s - f), as iterate.h compares them; no bond turns by more than 60 degrees; all residuals at round-off.
 *           Anything else is refused, and natural.c takes the step with all its guards */
#include "rattle/bonds.h"
#include "step/map.h"

typedef struct rattle__molecules {
  rattle_bonds *bonds;
  int atoms, m, n;
  int *column;             /* of x, y, z of each atom in q [3 atoms] */
  int *reference;          /* an atom of the same molecule [atoms] */
  int *pair;               /* atoms of each bond [2 m] */
  double *square, *c;      /* d^2, and c of g = c (|s|^2 - d^2) [m] */
  const double *inverse;   /* the diagonal of M^-1 [n] */
  double *a, *b, *v;       /* atom by atom: places before and after, velocities [3 atoms] */
  double *free, *along;    /* |f|^2 - d^2, r.f [m] */
  double g, psi, residual; /* the largest |g| and |psi| of the last stages, and residual in units of round-off */
} rattle__molecules;

/* NULL with arena->failed 0: the constraints are no such distances, masses differ by axis, bonds repeat others, or there are few molecules of each
 * kind. */
rattle__molecules *rattle__molecules_create(const rattle_problem *problem, rattle__arena *arena);
void rattle__molecules_destroy(rattle__molecules *molecules);
/* From q0 and w = M^-1 p: w with the impulses of the constraints, p changed likewise, q1 = q0 + h w. Returns 0 where that leaves doubt. All [n]. */
int rattle__molecules_positions(rattle__molecules *s, double h, const double *q0, double *w, double *p, double *q1);
/* p onto psi = 0 at q1, where the last positions ended; w is scratch. Returns 0 where that leaves doubt. */
int rattle__molecules_momenta(rattle__molecules *s, const double *q1, double *w, double *p);
#endif
