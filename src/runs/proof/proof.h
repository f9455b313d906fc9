#ifndef RATTLE__PROOF_H
#define RATTLE__PROOF_H
/* Proofs of the steps of a method, from the ends of their substeps: rattle/certify.h says what is
 * proved, and docs/certificates.md why. */
#include "constraint/step/trace.h"
#include "rattle/certify.h"

typedef struct rattle__proof rattle__proof;

/* RATTLE_UNSUITABLE: the theorem does not cover the method or the problem, and why. The problem is
 * the caller's, and stays. */
rattle_status rattle__proof_create(rattle__proof **proof, const rattle_problem *problem,
                                   const rattle_method *method, rattle_error *error);
void rattle__proof_destroy(rattle__proof **proof);

/* 1: a step that is not proved is DEGENERATE, 0: the certificate counts it (at first). */
void rattle__proof_insist(rattle__proof *proof, int strict);
/* The sum of all steps so far, which the caller may write. */
rattle_certificate *rattle__proof_certificate(rattle__proof *proof);

/* A trace, empty, for the substeps of the next step; NULL: it has none. */
rattle__trace *rattle__proof_trace(rattle__proof *proof);
/* Adds the step h from z0 to z1, whose substeps are in that trace, as maps see them: with the
 * account of work beside the coordinates. A step that fails is in no count, but the
 * certificate says why. */
rattle_status rattle__proof_of_step(rattle__proof *proof, double h, const double *z0,
                                    const double *z1, rattle_error *error);
/* The same of a substep that somebody else has made, as a step of its own; it never fails for want
 * of a proof. */
rattle_status rattle__proof_of_substep(rattle__proof *proof, double h, const double *q0,
                                       const double *p0, const double *q1, rattle_error *error);
#endif
