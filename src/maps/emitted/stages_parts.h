#ifndef RATTLE__STAGES_PARTS_H
#define RATTLE__STAGES_PARTS_H
/* The step of rattle around a Runge-Kutta map with stages, of any H and g(q), as expressions
 * (emitted.h), G = g':
 *
 *     FIRST    N = G H_pp G^T and psi' X_H at z0
 *     BEGIN    lambda = h/2 N^-1 psi' X_H, unknown stages from that and the slope at z0; units
 *     LOOK     p+ = p0 - G^T lambda; stages Z_j = z+ + h sum a_jl X(Z_l), those that are not
 *              unknown by substitution, of the others the misfit f; (q1, p1) = z+ + h sum b_j
 *              X(Z_j); f = g(q1)/h
 *     NEWTON   J = -df/du by all unknowns u, stages before multipliers
 *     PSI      psi = G H_p at (q1, p1), N there
 *     PUSH     p1 -= G^T sigma
 *     ARRIVE   V and the kinetic energy, or H, and psi' X_H there
 *     NEXT     z0 = (q1, p1)
 *
 * Unknown are the coordinates and momenta that break all circles of "X_c depends on z_d": of the
 * bead with H = p.p/(2 + z) + z they are z and p_z, of any H without forces none. */
#include "maps/base/base.h"
#include "maps/emitted/emitted.h"

enum {
  PART_FIRST,
  PART_BEGIN,
  PART_LOOK,
  PART_NEWTON,
  PART_PSI,
  PART_PUSH,
  PART_ARRIVE,
  PART_NEXT
};

/* The parts of that step, and how many unknowns they have; UNSUITABLE, without a message, where it
 * is not one of these or too large. e is to be ended in any case. */
rattle_status rattle__stages_parts(rattle__emitted *e, const rattle_problem *problem,
                                   const rattle__tableau *tableau, int *unknowns,
                                   rattle_error *error);
/* tear.c: of n variables, of which c needs d where needs[c n + d]: unknown[c] 1 for some that break
 * all circles, and the others in an order in which each needs those before it and unknowns alone;
 * their number. `state` is scratch [n]. */
int rattle__tear(int n, const unsigned char *needs, unsigned char *unknown, int *order,
                 unsigned char *state);
#endif
