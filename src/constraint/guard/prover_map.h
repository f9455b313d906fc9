#ifndef RATTLE__PROVER_MAP_H
#define RATTLE__PROVER_MAP_H
/* Proofs of substeps of SHAKE and RATTLE of Runge-Kutta maps for any H, by the equations of
 * map_rows.h.
 *
 * Landing  the momenta p of the end slide onto psi = 0: psi(q, p - C^T sigma) = (1 - t) psi(q, p)
 *          has the root sigma = 0 at t = 0, and p1 is the end of the curve from there, which is
 *          proved like any other, for all q and p in their balls
 * Start    the curve of a substep begins where its equations for t = 0 are solved, at p0 moved
 *          along C0^T by the same slide: by round-off after a step of RATTLE */
#include "constraint/guard/map_rows.h"
#include "constraint/guard/prover.h"

typedef struct rattle__map_prover rattle__map_prover;

/* Why steps of the problem are not covered by any map; NULL: they may be. */
const char *rattle__map_prover_misses(const rattle_problem *problem);
/* UNSUITABLE: why steps of the problem by that map are not covered. lands: of RATTLE, false: of
 * SHAKE. */
rattle_status rattle__map_prover_create(rattle__map_prover **prover, const rattle_problem *problem,
                                        const rattle__constrained_tableau *by, int lands,
                                        rattle_error *error);
/* As rattle__prover_programs. */
int rattle__map_prover_programs(rattle__map_prover *prover, rattle__ball_programs **list);
void rattle__map_prover_destroy(rattle__map_prover **prover);

/* A substep h from (q0, p0) to (q1, p1); p1 NULL: not known. */
typedef struct rattle__map_ends {
  double h;
  const double *q0, *p0, *q1, *p1; /* [n] */
  int own; /* 1: q1 solves its equations to round-off, as far as an iteration knows */
} rattle__map_ends;

/* Asks whether q1 is the end of the curve, and p1 that of its landing, or, not known, whether that
 * has one. *radius as in prover.h. */
rattle__tracked rattle__map_prover_ask(rattle__map_prover *prover, const rattle__map_ends *of,
                                       double *radius);
#endif
