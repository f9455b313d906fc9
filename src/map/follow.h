#ifndef RATTLE__FOLLOW_H
#define RATTLE__FOLLOW_H
/* The guard of the sliding equation: is the solution found the one that belongs to the step, or one on another sheet? */
#include "map/map.h"

/* Residuals of the first two iterates, in units of round-off; {0, 0} where the first one was at round-off. */
typedef struct rattle__rates {
  double first, second;
} rattle__rates;

/* Where the second residual is within `part` of the first, the linearisation at the start is not to be trusted. With Newton's
 * matrix second/first is about half of Kantorovich's number K |delta|, with a fixed matrix about its contraction: below 1/8 and
 * 0.3 there is one solution in reach, and it is connected with that of a vanishing step, whose numbers are smaller still.
 * Residuals of no more than 1e4 units are displacements of some 1e-12: no other sheet is that near. */
static const double rattle__doubt_newton = 0.125, rattle__doubt_chord = 0.3;
static inline int rattle__doubtful(rattle__rates rates, double part) {
  return rates.second > 1e4 && !(rates.second <= part * rates.first);
}

/* Whether a solution, or the failure to find one, is to be looked into. A domain that was left is an answer by itself. */
static inline int rattle__must_follow(rattle_status status, rattle__rates rates, double part) {
  return status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR || (!status && rattle__doubtful(rates, part));
}

/* Solves the sliding equation for step h from z0: lambda [m] is where to start and what was found, z1 the point it leads to. */
typedef rattle_status (*rattle__slide_solver)(void *self, double h, const double *z0, double *lambda, double *z1,
                                              rattle__rates *rates, rattle_error *error);

/* Where lambda is for short steps, to first order: off psi = 0 it grows like 1/h, since the slide h lambda has a limit. */
typedef void (*rattle__slide_guess)(void *self, double h, const double *z0, double *lambda);

typedef struct rattle__follower {
  rattle__context *context;
  int m;
  int projection;                /* 1: of a slide onto psi = 0, its part in place of h; for messages */
  double *last, *before, *trial; /* (lambda - guess) / part at the last two substeps; lambda on trial [m] */
  double *guess_at;              /* the guess there [m] */
  rattle__slide_solver solve;
  rattle__slide_guess guess; /* NULL: 0 */
  void *self;
} rattle__follower;

/* Memory from the context's arena. */
rattle__follower *rattle__follower_create(rattle__context *context, rattle__slide_solver solve, rattle__slide_guess guess,
                                          void *self);

/* lambda and z1 of the solution that is connected with h = 0: followed through steps between 0 and h. RATTLE_DEGENERATE where it
 * ends before h is reached. */
rattle_status rattle__follow(rattle__follower *follower, double h, const double *z0, double *lambda, double *z1,
                             rattle_error *error);
#endif
