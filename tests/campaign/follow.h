#ifndef CAMPAIGN_FOLLOW_H
#define CAMPAIGN_FOLLOW_H
/* Following a solution x(t) of F(t, x) = 0 from t = 0, if it is known, to t = 1, as far as its
 * Jacobian stays regular. */
#include "problem.h"

typedef struct follow_system {
  int size;
  const void *of;
  /* F(t, x); returns 1 if it is not defined. J[size*size] and the derivative by t, Ft, if J is not
   * NULL and `exact`. */
  int (*evaluate)(const struct follow_system *system, long double t, const long double *x,
                  long double *F, long double *J, long double *Ft);
  int exact;                /* 1: evaluate gives J and Ft; 0: they are taken by differences */
  long double difference;   /* of scaled unknowns */
  long double scale[DENSE]; /* x_i times scale_i are of one kind, and near 1 */
  long double unit[DENSE];  /* the size of the terms of F_i, whose round-off is eps times that */
  formula_work *work;
} follow_system;

typedef struct follow_result {
  int reaches;
  long double part;   /* how far it was followed, of 1 */
  long double margin; /* least 1/|J(t)^-1 J(0)| on the way: 0 at a fold */
  long double x[DENSE];
  dense_factors J; /* at the end */
  int pieces,
      exhausted; /* exhausted: 1 if it was given up, after too many pieces or at the first */
} follow_result;

/* x at t = 0 in result->x. strict: 1 follows in short pieces, with narrow limits. */
void follow(const follow_system *system, int strict, follow_result *result);
/* error[i]: the error of x_i due to the round-off eps*unit of all F_j */
void follow_error(const follow_system *system, const dense_factors *J, long double eps,
                  long double *error);
#endif
