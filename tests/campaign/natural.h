#ifndef CAMPAIGN_NATURAL_H
#define CAMPAIGN_NATURAL_H
/* Natural problems, H = p^T W p/2 + V(q), g = g(q), in long double. */
#include "problem.h"

/* Values at a point q. */
typedef struct natural_point {
  long double V, g[CONSTRAINTS],
      error[CONSTRAINTS]; /* error: of g in a double evaluation, units of eps */
  long double Vq[PAIRS], G[CONSTRAINTS * PAIRS];
} natural_point;

/* Evaluates at q. */
void natural_evaluate(const problem *pr, const long double *q, formula_work *work,
                      natural_point *at);
/* W x */
void natural_velocity(const problem *pr, const long double *p, long double *v);
/* A W B^T, m by m */
void natural_product(const problem *pr, const long double *A, const long double *B, long double *N);
/* p -= G^T sigma with G W p = 0; d[i] = sqrt(N_ii) (may be NULL). Returns 1 if N is singular. */
int natural_project(const problem *pr, const natural_point *at, long double *p, dense_factors *N,
                    long double *d);
/* By which factor a sweep over the constraints, one after the other, shrinks their residuals at q
 * (Gauss-Seidel). */
double natural_sweep_rate(const problem *pr, const long double *q, formula_work *work);
#endif
