#ifndef TESTS_GUARDS_H
#define TESTS_GUARDS_H
/* The truth about a step of RATTLE, found without the library: the solution that belongs to a step
 * h is the end of the curve
 *
 *     h' -> (lambda, sigma)(h'),   g(S_h'(z0)) = 0,   psi(R_h'(z0)) = 0,   0 < h' <= h,
 *
 * that begins at the multipliers of the differential equation and meets neither a fold (det J = 0
 * or det K = 0; J, K: the derivatives of the two equations by lambda and sigma) nor a degenerate
 * point (det N(R_h') = 0). Any other solution is a jump. Followed in long double in small pieces,
 * with the maps of the reference; and what people use in its place, to compare. */
#include "common_claims.h"

/* A problem for guards: with the exact fibre where it is known, which is faster than the
 * reference's numerical one. */
typedef struct guards_problem {
  tests_problem of;
  int (*slide)(const tests_problem *problem, const long double *s,
               long double *z); /* NULL: reference_slide */
} guards_problem;

extern const guards_problem guards_problems[];
extern const int guards_problem_count;
const guards_problem *guards_problem_named(const char *name);
/* A number from a seed, in [-1, 1). */
double guards_number(uint64_t *seed);
/* A start on the constraints and the hidden ones, not too near a degenerate point; `speed`: of the
 * random momenta. */
void guards_find_start(const guards_problem *problem, double speed, uint64_t *seed, double *z);

typedef struct guards_truth {
  int reaches;        /* 1: the curve goes to h */
  long double part;   /* how much of h it goes */
  long double margin; /* least |det J|, |det K|, |det N| along it, relative to where it begins */
  long double z[TESTS_MAX_2N]; /* R_h(z0) where it reaches */
} guards_truth;

/* Returns 1 if even the shortest piece could not be solved. */
int guards_follow(const guards_problem *problem, reference_base base, long double h,
                  const long double *z0, guards_truth *truth);

/* An unguarded step, Newton's iteration from 0, and the verdict of common indicators (1:
 * suspicious). */
typedef struct guards_opinion {
  int converged;
  int newton, sign, reversal, energy, segment;
} guards_opinion;
void guards_opine(const guards_problem *problem, reference_base base, long double h,
                  const long double *z0, long double usual, guards_opinion *opinion);
#endif
