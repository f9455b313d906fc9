#ifndef RATTLE__PROVER_SUBSTEP_H
#define RATTLE__PROVER_SUBSTEP_H
/* Inside of prover.c: the curve of a substep, its end, and the matrix of its momenta. */
#include "constraint/guard/prover.h"
#include "constraint/guard/prover_sparse.h"
#include "constraint/guard/rows_of_step.h"

struct rattle__prover {
  rattle__sparse_prover *sparse; /* of many constraints, and nothing else; NULL */
  rattle__rows_of_step *g;
  rattle__stage stage; /* forces at the middle of steps; without rows: at their starts */
  rattle__curve *curve;
  int n, m;                                /* coordinates of the problem; equations */
  double *s, *root, *end, *scratch, *x1;   /* [m], [m], [m], [7m], coordinates of the curve */
  rattle__ball *x, *move, *pushed, *F, *G; /* of the curve; [n]; C1 [rows][n]; at q1 */
  double *N, *unknown, *K, *spare;         /* [rows][rows] */
};

/* The curve of the substep. */
void rattle__prover_begin(rattle__prover *prover, const rattle__proof_ends *of);
/* x1 of q1 [n], as well as that knows it. */
void rattle__prover_write_end(rattle__prover *prover, const rattle__proof_ends *of);
/* Q at the root [n] in x; answers where in x the part is that moves with it. */
int rattle__prover_end(rattle__prover *prover);
/* The most that a coordinate of q1 can be off from the exact end of the curve, whose multipliers
 * are within `end` of `root`. */
double rattle__prover_radius(rattle__prover *prover, const double *q1);
/* -1: C1 M^-1 C1^T at q1 is proved to be regular; else a row that may depend on the others. */
int rattle__prover_row_of_dependence(rattle__prover *prover, const rattle__mass *W,
                                     const double *q1);
#endif
