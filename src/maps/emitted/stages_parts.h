#ifndef RATTLE__STAGES_PARTS_H
#define RATTLE__STAGES_PARTS_H
/* The step of rattle around a Runge-Kutta map with stages, of any H and quadratic g(q) or g(q, p),
 * as expressions (emitted.h):
 *
 *     FIRST    N_ij = -psi_i' X_gj and psi' X_H at z0
 *     BEGIN    lambda = h/2 N^-1 psi' X_H, unknown stages from that and the slope at z0; units
 *     LOOK     z+ = z0 along the fibre up to lambda: p0 - G^T lambda for g(q), else stages_fibre.c;
 *              stages Z_j = z+ + h sum a_jl X(Z_l), those that are not unknown by substitution, of
 *              the others the misfit f; z1 = z+ + h sum b_j X(Z_j); f = g(z1)/h
 *     NEWTON   J = -df/du by all unknowns u, stages before multipliers; along fibres by X_g(z+)
 *     PUSH     z2 = z1 along the fibre up to sigma, or by delta sigma more for g(q)
 *     PSI      psi = g' X_H at z2
 *     MATRIX   N there
 *     ARRIVE   V and the kinetic energy, or H, and psi' X_H there
 *     FORCED, CARRIED, TURNED   its derivative along a vector (stages_tangents.h), or empty
 *     NEXT     z0 = z2
 *
 * Unknown are the stages that break all circles of "X_c depends on z_d", and where that leaves
 * fewer, velocities v_c = w(q) p_c in place of momenta: of the bead with H = p.p/(2 + z) + z it is
 * v_z, of any H without forces none. Rows of g and psi have the sign of N_ii, so that pivots are
 * positive. */
#include "maps/base/base.h"
#include "maps/emitted/emitted.h"

enum {
  PART_FIRST,
  PART_BEGIN,
  PART_LOOK,
  PART_NEWTON,
  PART_PUSH,
  PART_PSI,
  PART_MATRIX,
  PART_ARRIVE,
  PART_FORCED,
  PART_CARRIED,
  PART_TURNED,
  PART_NEXT
};

/* Constants of the loop around the parts. */
typedef struct rattle__stages_kind {
  /* given: 1: parameters of the problem that are set are inputs of the graph of e; [n]: becomes
   * 1/masses of natural H in that graph */
  int inputs;
  rattle_expr *light;
  int unknowns;
  int curved; /* 1: fibres are not kicks */
  int bent;   /* 1: psi is not linear along fibres */
} rattle__stages_kind;

/* The parts of that step, and, if `moves`, of its derivative; UNSUITABLE, without a message, where
 * it is not one of these or too large. e is to be ended in any case. */
rattle_status rattle__stages_parts(rattle__emitted *e, const rattle_problem *problem,
                                   const rattle__tableau *tableau, int moves,
                                   rattle__stages_kind *kind, rattle_error *error);
/* tear.c: of n variables, of which c needs d where needs[c n + d]: unknown[c] 1 for some that break
 * all circles, and the others in an order in which each needs those before it and unknowns alone;
 * their number. `state` is scratch [n]. */
int rattle__tear(int n, const unsigned char *needs, unsigned char *unknown, int *order,
                 unsigned char *state);
#endif
