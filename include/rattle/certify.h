#ifndef RATTLE_CERTIFY_H
#define RATTLE_CERTIFY_H
/* Steps with a proof: that the end of a step of SHAKE or RATTLE is the end of the continuous curve
 * of solutions that begins at its start, not another solution of the same equations.
 * docs/certificates.md has the theorem and what is taken as given. */
#include "rattle/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_certifier rattle_certifier;

/* The sum of what is proved of steps. Substeps: of compositions; a step of
 * another method is one. */
typedef struct rattle_certificate {
  size_t struct_size; /* sizeof, or 0: status.h */
  long long steps, substeps;
  /* substeps: proved in one piece; proved by following their curve in several; not proved; and
   * proved wrong: the curve ends elsewhere */
  long long one_piece, tracked, open, wrong;
  /* of those proved: in all, and of one substep; of more than 64 constraints, the pieces of a
   * substep are those of the component, the constraints that coordinates join, with most */
  long long pieces, most_pieces;
  /* How far positions may be from the exact end of the substep, at most: in the unit of the
   * coordinates, and in units of round-off, 2^-52 of the largest coordinate; of those proved */
  double radius, units;
  /* The first substep that is open or wrong, counted from 0 within step number `step`, counted from
   * 1; step 0: there is none. reached: the part of the substep up to which its curve is known; 1:
   * all, but it is not proved that the constraints determine the momenta there */
  long long step;
  int substep, is_wrong;
  double reached;
  /* There, if that is below 1: the constraint whose row of the test was missed by most, -1: none,
   * beyond all constraints: one of the forces or stages; margin, by how much, in parts of its
   * diagonal, NaN where it has no bound; and the smallest singular value of the matrix of the
   * multipliers there, which is 1 at the start of a step and 0 at a fold, NaN of more than 64
   * constraints */
  int row;
  double margin, singular_value;
} rattle_certificate;

/* A certifier of steps of the method, with an integrator that makes them. RATTLE_UNSUITABLE: the
 * theorem does not cover the method or the problem, and why. It covers rattle(...) and shake(...)
 * of Runge-Kutta maps, verlet, symplectic_euler, midpoint, gauss(s), rk4 and others, spark(s),
 * spark_gauss(s), and their compositions; any H(q, p) with or without forces, and 1 to 64
 * constraints g(q), g(q, t) or A(q, t) q' = b(q, t). More constraints g(q) or g(q, t) are covered
 * if they are quadratic, the method is verlet or symplectic_euler, H natural with masses that are
 * diagonal, and no force depends on momenta. Constraints, and all of H and of forces but slopes of
 * V and forces affine in momenta that act where a step begins, are expressions of sums, products,
 * quotients, sqrt, exp, log, sin, cos, atan, tanh and abs. The certifier holds the problem. One
 * thread at a time. */
RATTLE_API rattle_status rattle_certifier_create(rattle_certifier **certifier,
                                                 const rattle_problem *problem, const char *method,
                                                 rattle_error *error);
RATTLE_API void rattle_certifier_destroy(rattle_certifier **certifier);
/* The integrator that makes the steps; it belongs to the certifier. */
RATTLE_API rattle_integrator *rattle_certifier_integrator(rattle_certifier *certifier);

/* Advances the state by `steps` steps, with the bits of rattle_integrator_step, and adds to the
 * certificate, all 0 at first. A step that is not proved is no failure. A failure leaves the state
 * of the last good step, up to which all are in the certificate. */
RATTLE_API rattle_status rattle_certifier_step(rattle_certifier *certifier, rattle_state *state,
                                               long long steps, rattle_certificate *certificate,
                                               rattle_error *error);
/* The same of a substep that somebody else has made: of length h from (q0, p0) to the positions
 * q1 [n], of which time is one where the problem depends on it. */
RATTLE_API rattle_status rattle_certifier_check(rattle_certifier *certifier, double h,
                                                const double *q0, const double *p0,
                                                const double *q1, rattle_certificate *certificate,
                                                rattle_error *error);

/* Steps to come are proved as they are made, with the same bits. One that is not proved is none:
 * RATTLE_DEGENERATE, with the reason. counts.proven and counts.tracked are those that are. The
 * ends of steps of fractional length, at events and given times, are not proved. UNSUITABLE: as
 * above. */
RATTLE_API rattle_status rattle_integrator_certify(rattle_integrator *integrator,
                                                   rattle_error *error);
/* The certificate of the steps since the last reset, in which the step that was refused is named; 0
 * if they are not proved, and nothing is written. Set its struct_size before. */
RATTLE_API int rattle_integrator_certificate(const rattle_integrator *integrator,
                                             rattle_certificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
