#ifndef RATTLE__WHITENED_H
#define RATTLE__WHITENED_H
/* A natural problem with a dense W = M^-1 = L L^T in coordinates y, q = L y, in which M is one:
 * H = |L^T p|^2/2 + V(L y), g(L y). Its functions are those of q between two triangular products,
 * so that steps for diagonal M serve it, and machine code of one text for all L. */
#include "problem/functions/problem.h"

typedef struct rattle__whitening {
  const rattle__function *g, *V; /* of q */
  const double *L;               /* [n*n], lower triangle */
} rattle__whitening;

/* `problem`, with a W of a metric (remassed.h), and L [n*n] must outlive it. Without second
 * derivatives: maps that need them are UNSUITABLE. */
rattle_status rattle__problem_whitened(rattle_problem **whitened, const rattle_problem *problem,
                                       const double *L, rattle_error *error);
void rattle__problem_whitened_destroy(rattle_problem **whitened);

/* (y, p_y) = (L^-1 q, L^T p) of z = (q, p) in place, and back. */
void rattle__whiten(int n, const double *L, double *z);
void rattle__unwhiten(int n, const double *L, double *z);

/* g and V of a problem as expressions, where it is whitened those of q. */
static inline const rattle__function *rattle__inner_g(const rattle_problem *problem) {
  return problem->whitening ? problem->whitening->g : problem->g;
}
static inline const rattle__function *rattle__inner_V(const rattle_problem *problem) {
  return problem->whitening ? problem->whitening->V : problem->V;
}
/* Number k of L, a row after the other: L_ij is number i (i + 1)/2 + j; how many there are. */
static inline int rattle__whitening_numbers(const rattle_problem *problem) {
  return problem->whitening ? problem->n * (problem->n + 1) / 2 : 0;
}
#endif
