#ifndef RATTLE__FOLLOW_H
#define RATTLE__FOLLOW_H
/* The guard of the sliding equation: is the solution found the one that belongs to the step, or one on another sheet? */
#include "map/map.h"

/* What the residuals of an iteration, in units of round-off, say of it. */
typedef struct rattle__rates {
  int residuals; /* how many were seen */
  int doubtful;  /* 1: the linearisation is not to be trusted */
} rattle__rates;
static const rattle__rates rattle__no_doubt = {0, 0};

/* A residual should be within `part` of the one before. With Newton's matrix r_2/r_1 is about half of Kantorovich's number
 * K |delta|, with a fixed matrix about its contraction: below 1/8 and 0.3 there is one solution in reach. It is connected with
 * that of a vanishing step, whose numbers are smaller still, if the Jacobian at the start is not of another sign than for h = 0:
 * that is for the maps to see. Residuals of no more than 1e4 units are displacements of some 1e-12: no other sheet is that near.
 */
static const double rattle__doubt_newton = 0.125, rattle__doubt_chord = 0.3;
static inline void rattle__rate(rattle__rates *rates, int k, double r, double previous, double part) {
  rates->residuals = k + 1;
  if (k > 0 && r > 1e4 && !(r <= (k > 1 ? rattle__doubt_chord : part) * previous)) rates->doubtful = 1;
}

/* With Newton's matrix J at the first iterate x = J^-1 (J_0 v), J_0 being its limit for h -> 0: whether x is far from v [m]. */
static inline int rattle__far(int m, const double *x, const double *v) {
  double most = 0, apart = 0;
  for (int i = 0; i < m; i++) {
    most = v[i] > most ? v[i] : -v[i] > most ? -v[i] : most;
    double d = x[i] > v[i] ? x[i] - v[i] : v[i] - x[i];
    if (!(d <= apart)) apart = d;
  }
  return !(apart <= 0.75 * most);
}

/* Whether a solution, or the failure to find one, is to be looked into. */
static inline int rattle__must_follow(rattle_status status, const rattle__rates *rates) {
  return status == RATTLE_NOT_CONVERGED || status == RATTLE_SINGULAR || status == RATTLE_DOMAIN || (!status && rates->doubtful);
}

/* Solves the sliding equation for step h from z0: lambda [count] is where to start and what was found, z1 the point it leads to.
 */
typedef rattle_status (*rattle__slide_solver)(void *self, double h, const double *z0, double *lambda, double *z1,
                                              rattle__rates *rates, rattle_error *error);

/* Where lambda is for short steps, to first order: off psi = 0 it grows like 1/h, since the slide h lambda has a limit. */
typedef void (*rattle__slide_guess)(void *self, double h, const double *z0, double *lambda);

typedef struct rattle__follower {
  rattle__context *context;
  int m, count;                  /* constraints; multipliers followed, one or more for each constraint */
  int projection;                /* 1: of a slide onto psi = 0, its part in place of h; for messages */
  double *last, *before, *trial; /* (lambda - guess) / part at the last two substeps; lambda on trial [count] */
  double *guess_at;              /* the guess there [count] */
  rattle__slide_solver solve;
  rattle__slide_guess guess; /* NULL: 0 */
  void *self;
  /* What g is to be at the end of the substep on trial [m]: solvers take it off. It goes from g(z0) to 0, since from a point off
   * g = 0 no short step leads there. 0 but while following. */
  double *level, *g0, *work; /* [m] */
  rattle_error failure;      /* of the last trial */
} rattle__follower;

/* Memory from the context's arena. */
rattle__follower *rattle__follower_create(rattle__context *context, rattle__slide_solver solve, rattle__slide_guess guess,
                                          void *self);
/* The same where the equation has several multipliers for each constraint, `blocks` times m. */
rattle__follower *rattle__follower_create_blocks(rattle__context *context, int blocks, rattle__slide_solver solve,
                                                 rattle__slide_guess guess, void *self);

/* lambda and z1 of the solution that is connected with h = 0: followed through steps between 0 and h. RATTLE_DEGENERATE where it
 * ends before h is reached; RATTLE_DOMAIN where a function does; what callbacks answer. */
rattle_status rattle__follow(rattle__follower *follower, double h, const double *z0, double *lambda, double *z1,
                             rattle_error *error);
#endif
