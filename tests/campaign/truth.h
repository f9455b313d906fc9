#ifndef CAMPAIGN_TRUTH_H
#define CAMPAIGN_TRUTH_H
/* The truth about one step, in long double and without the library: which solution of the equations
 * of a map belongs to a step of length h, and whether there is one.
 *
 * A map's unknowns x solve F(t, x) = 0 for the step t h. At t = 0 they are known: no multiplier
 * acts. x(t) is followed from there; what it reaches at t = 1 is the step. If it ends before, at a
 * fold, there is none, and whatever solves the equations at t = 1 belongs to another branch. g goes
 * from g(z0), which is round-off, to 0 in proportion to t, so that the positions of the curve stay
 * on the part of g = 0 on which the step began. */
#include "follow.h"
#include "methods.h"

typedef struct truth {
  int reaches;
  double part, margin;
  long double q[PAIRS], p[PAIRS];             /* if it reaches: the end of the step */
  long double q_error[PAIRS], p_error[PAIRS]; /* the round-off of a careful computation in double */
  int pieces, exhausted; /* exhausted: 1 if the continuation was given up, and says nothing */
  double effort;         /* pieces times the square of the number of unknowns */
} truth;

/* A step from (q, p). */
typedef struct step {
  const problem *pr;
  double h;
  const long double *q, *p;
  int strict;
  formula_work *work;
} step;

/* The step of a method; for methods without equations here (LOOSE) that of the reference map of
 * order 2. */
void truth_of(const step *at, const method *how, truth *result);

/* Moves (q, p) from at->q, at->p along the fibre onto psi = 0; 1 if that cannot be. */
int truth_descend(const step *at, long double *q, long double *p);
/* rattle(verlet) on a natural problem; slide: 0 omits the last slide onto psi = 0. */
void truth_natural_verlet(const step *at, int slide, truth *result);
/* The exact motion with second-class constraints; reaches where {g_i, g_j} stays regular. The
 * margin also says how little the field changes on the way. */
void truth_second_class(const step *at, truth *result);
/* Partitioned Runge-Kutta methods inside shake or rattle, and spark, on any problem. */
void truth_staged(const step *at, const method *how, truth *result);
/* 1: after so many steps of multistep4 from q, p, give or take its window, H is off by more than a
 * fifth of the largest kinetic energy, at which that method ends: it is unstable there. */
int truth_multistep_diverges(const problem *pr, const double *q, const double *p, int steps,
                             formula_work *work);
/* The discrete gradient method, on any problem without forces. */
void truth_discrete(const step *at, truth *result);
#endif
