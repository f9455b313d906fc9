#ifndef RATTLE__PROVER_H
#define RATTLE__PROVER_H
/* Proofs of substeps of problems with natural H, constraints on coordinates and on velocities, and
 * forces (rows_of_step.h), which may depend on time: of the positions at the end, by certified
 * continuation (track.h). docs/certificates.md has the theorem. */
#include "constraint/guard/track.h"
#include "ground/expr/ball_program.h"
#include "problem/functions/problem.h"

typedef struct rattle__prover rattle__prover;

/* Constraints; and with the forces that depend on momenta: matrices are dense here. */
enum { RATTLE__PROVER_MOST = 64, RATTLE__PROVER_UNKNOWNS = 128 };

/* Why steps of the problem are not covered; NULL: they are, if its functions are of the kind of the
 * prover. */
const char *rattle__prover_misses(const rattle_problem *problem);

/* True if there are more than RATTLE__PROVER_MOST constraints. */
int rattle__prover_has_many(const rattle_problem *problem);

/* 0; 1: g is not of that kind; -1: no memory. The function is the caller's, and stays. */
int rattle__prover_create(rattle__prover **prover, const rattle__function *g);
/* The same of all functions of the problem, by sums, products, quotients and functions of
 * ground/expr/ball_functions.h. midpoint: forces act at the middle of steps, k1 = 1/2 and d1 = 1,
 * not at their starts. UNSUITABLE: why not. */
rattle_status rattle__prover_create_smooth(rattle__prover **prover, const rattle_problem *problem,
                                           int midpoint, rattle_error *error);
/* The programs with bounds that it executes, which may be compiled: as many as are in the list. */
enum { RATTLE__PROGRAMS_OF_PROVER = 12 };
int rattle__prover_programs(rattle__prover *prover, rattle__ball_programs **list);
void rattle__prover_destroy(rattle__prover **prover);

/* A substep h of SHAKE or RATTLE whose scheme has one drift d1 after the kick k1, from (q0, p0) to
 * positions q1. */
typedef struct rattle__proof_ends {
  double h, d1, k1;
  const rattle__mass *W;      /* M^-1, and the clock, which moves with velocity 1 */
  const double *q0, *p0, *q1; /* [n]; q1 is not read where it is sought */
  const double *V_q;          /* at q0 [n], less the forces at p = 0; not read if k1 = 0 */
  const double *Phi;          /* derivatives of the forces, in the pattern of their Jacobian, at q0;
                                 not read if k1 = 0, or where forces do not depend on momenta */
} rattle__proof_ends;

/* Asks whether q1 is the end of the curve. If so, *radius is how far the exact end may be from it,
 * in each coordinate. */
rattle__tracked rattle__prover_ask(rattle__prover *prover, const rattle__proof_ends *of,
                                   double *radius);

/* Seeks the end of the curve where no iteration found it: RIGHT, and q1 [n] is near it; or OPEN. */
rattle__tracked rattle__prover_seek(rattle__prover *prover, const rattle__proof_ends *of,
                                    double *q1);

/* DEGENERATE: why a substep is not proved. */
rattle_status rattle__prover_refuse(const rattle_problem *problem, const rattle__tracked *found,
                                    rattle_error *error);
#endif
