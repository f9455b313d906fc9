#ifndef TESTS_STEPS_H
#define TESTS_STEPS_H
/* Steps that know the constraints by themselves, in long double, plain and dense: stages by
 * fixed-point iteration, the multipliers around them, or all unknowns at once, by Newton with
 * differences. Shares no code with the library.
 *
 *     spark(s)           x = (L_1, ..., L_s): Q_i, P_i by the Lobatto IIIA-IIIB pair; r = (g(Q_2),
 *     ..., g(Q_s))/h^2, psi(z1)/h
 *     discrete_gradient  x = ((z1 - z0)/h, lambda, mu): r = ((z1 - z0)/h - J (DH + lambda.Dg +
 *     mu.Dpsi), g(z1)/h, psi(z1)/h) */
#include "common_reference.h"

enum { STEPS_MOST_STAGES = 5, STEPS_MOST = TESTS_MAX_2N + 2 * TESTS_MAX_M };

typedef struct steps_equation steps_equation;
struct steps_equation {
  const tests_problem *problem;
  int stages, count; /* unknowns in all */
  int body; /* 2n where x begins with the slope (z1 - z0)/h, and its last m multipliers with 0;
               0: multipliers only */
  long double
      part; /* of F(z1) - F(z0) - F'(z).d that discrete gradients hold: 1, or wrong on purpose */
  /* z1 and r[count], scaled so that r' has a regular limit for h -> 0; returns 1 if the inner
   * iteration does not converge */
  int (*residual)(const steps_equation *e, long double h, const long double *z0,
                  const long double *x, long double *z1, long double *r);
  /* the Lobatto pair of spark */
  long double c[STEPS_MOST_STAGES], b[STEPS_MOST_STAGES], a[STEPS_MOST_STAGES][STEPS_MOST_STAGES],
      ahat[STEPS_MOST_STAGES][STEPS_MOST_STAGES];
};

steps_equation steps_spark(const tests_problem *problem, int stages);
steps_equation steps_discrete_gradient(const tests_problem *problem, int unused);

/* The limit of x for h -> 0 from psi(z0) = 0. */
int steps_guess(const steps_equation *e, const long double *z0, long double *x);
/* r' by central differences, A[count*count]. */
int steps_derivative(const steps_equation *e, long double h, const long double *z0,
                     const long double *x, long double *A);
/* Newton from x, at most so many rounds, with the matrix given (a chord) or its own at each round
 * (NULL); 1 if it does not come to round-off. */
int steps_newton(const steps_equation *e, long double h, const long double *z0, int rounds,
                 const long double *matrix, long double *x, long double *z1);
/* One step, z in place, from the guess. */
int steps_step(const steps_equation *e, long double h, long double *z);

/* The Lobatto IIIA-IIIB pair from moments: sum_j a_ij c_j^k = c_i^(k+1)/(k+1), sum_i b_i c_i^k
 * ahat_ij = b_j (1 - c_j^(k+1))/(k+1), with the nodes in closed form. 2 <= s <= 5. */
void steps_lobatto(int s, long double *c, long double *b,
                   long double a[STEPS_MOST_STAGES][STEPS_MOST_STAGES],
                   long double ahat[STEPS_MOST_STAGES][STEPS_MOST_STAGES]);
#endif
