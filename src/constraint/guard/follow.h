#ifndef RATTLE__FOLLOW_H
#define RATTLE__FOLLOW_H
/* The guard of the sliding equation: is the solution found the one that belongs to the step, or one
 * on another sheet? */
#include "problem/functions/probe.h"
#include "constraint/guard/guard.h"
#include "constraint/guard/nondegeneracy.h"
#include "constraint/guard/track.h"
#include "constraint/equation/iterate.h"

/* The equation of a step for its multipliers. They are an array of the step's own: where its
 * iteration starts, and what it found. */
typedef struct rattle__tracked_equation {
  /* multipliers and z1 of the step h from z0 */
  rattle_status (*solve)(void *self, double h, const double *z0, double *z1, rattle__course *c,
                         rattle_error *error);
  /* where the multipliers are for short steps, to first order: off psi = 0 they grow like 1/h,
   * since the slide h lambda has a limit. NULL: where the differential equation has them if
   * `probed`, else at 0. Fails where that needs a solution of its own */
  rattle_status (*guess)(void *self, double h, const double *z0, double *multipliers,
                         rattle_error *error);
  /* The side of Newton's matrix at the z1 that solve found, 1 or -1, by the signs of determinants
   * of its parts: it is another on the other side of a fold. 0: not known. NULL: never known. Fails
   * where there is no memory to factor the matrix */
  rattle_status (*side)(void *self, int *sign);
  /* x [count] = J^-1 J_0 v, J being Newton's matrix at the first iterate and J_0 its limit for h ->
   * 0; returns 0 if that is not known. NULL: never known */
  int (*from_limit)(void *self, double h, const double *v, double *x);
  /* A certificate of the step that ended at z1; returns 0 where there is none. NULL: there is
   * none */
  int (*prove)(void *self, double h, const double *z0, const double *z1, rattle__tracked *found);
  /* The solution that solve found is that of a substep: the next may begin from it. NULL: it begins
   * from its multipliers alone */
  void (*taken)(void *self);
  int probed; /* 1: the probe of the context is at z0 when guess and from_limit are asked */
  int newton; /* 1: the matrix of the first correction is Newton's, with all its terms */
  int guess_incomplete; /* 1: the guess lacks the limit of multipliers for short steps: what is
                           missing from it does not vanish with the step */
  int projection;       /* 1: of a slide onto psi = 0, the part of its way in place of h */
} rattle__tracked_equation;

typedef struct rattle__follower {
  rattle__context *context;
  const rattle__tracked_equation *sought;
  void *self;
  double *multipliers;   /* the step's own [count] */
  int m, count;          /* constraints; multipliers, one or more for each constraint */
  int following;         /* 1: while multipliers are followed */
  double *last, *before; /* (multipliers - guess) / part at the last two substeps [count] */
  double *guess_at;      /* the guess there [count] */
  double *predicted;     /* where the iteration at hand began [count] */
  double *compass, *x;   /* a fixed direction; scratch [count] */
  double *scale;         /* of the multiplier of each constraint, as constraints are scaled [m] */
  int directions;     /* along which Newton's matrix is compared from one substep to the next: all
                     where they are few */
  double *seen, *now; /* J^-1 J_0 along them, at the end of the last substep and of the one at hand
               [directions][count] */
  /* g at the end of the current substep [m]: solvers subtract it. It goes from g(z0) to 0, since
   * from a point off g = 0 no short step leads there. 0 but while following. */
  double *level, *g0, *work;
  double *G; /* of g(q) where steps begin, where it is not quadratic and N is offered, else NULL */
  rattle__nondegeneracy *guard; /* of N where it depends on more than g', else NULL */
  double largest;               /* multiplier of the substeps taken, as a slide */
  double length;                /* of the substep at hand, in parts of h */
  int side;                     /* of the first substep */
  int refused;                  /* substeps that were too long */
  rattle_error failure;         /* of the last substep */
} rattle__follower;

/* Evaluations along fibres that a step may make: those of the budget of solutions (rules.def), of
 * one part each, whose iteration ends at its limit. */
long long rattle__most_along_fibres(void);
/* Memory from the context's arena; NULL if there is none. */
rattle__follower *rattle__follower_create(rattle__context *context,
                                          const rattle__tracked_equation *sought, int count,
                                          double *multipliers, void *self);

/* True if Newton's matrix at the first iterate is far from its limit for h -> 0, along the
 * multipliers at hand and along a fixed direction: the solution that such an iteration finds may be
 * one on another sheet. 0 while following. */
int rattle__jacobian_far_from_limit(rattle__follower *follower, double h, const double *z0);
/* A step from z0 to z1 that ended with that status: FOLLOW if it failed or is in doubt. Without
 * doubt it says nothing of what lies between its ends: RETRACE if that may be something. */
rattle__judgement rattle__judge_general_step(rattle__follower *follower, rattle_status status,
                                             const rattle__course *c, double h, const double *z0,
                                             const double *z1);
/* The probe of the context goes to z0, where the equation asks it there. */
static inline void rattle__follower_probe(const rattle__follower *f, const double *z0) {
  if (f->sought->probed) rattle__probe_place(f->context->probe, z0, z0 + f->context->problem->n);
}
/* The step from its guess; followed where that leaves doubt, or where `insist` is 1. */
rattle_status rattle__guarded_step(rattle__follower *follower, double h, const double *z0,
                                   double *z1, int insist, rattle_error *error);
/* Multipliers and z1 of the solution that is connected with h = 0: followed through steps between 0
 * and h. RATTLE_DEGENERATE if it ends before h is reached; RATTLE_DOMAIN if a function does; the
 * answers of callbacks. RATTLE_NOT_CONVERGED if the context declines. */
rattle_status rattle__declined(rattle_error *error); /* that */
/* True if a substep was refused: from then on pivots of Newton's matrix do not depend on units
 * (linear.h), so that corrections are not what was slow. */
static inline int rattle__must_equilibrate(const rattle__follower *follower) {
  return follower && follower->following && follower->refused > 0;
}
rattle_status rattle__follow(rattle__follower *follower, double h, const double *z0, double *z1,
                             rattle_error *error);
#endif
