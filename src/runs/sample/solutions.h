#ifndef RATTLE__SOLUTIONS_H
#define RATTLE__SOLUTIONS_H
/* Steps that take any solution of their constraint equation: constraint/place/all_solutions.h, with
 * the way h p. Symbols: kernel.h. */
#include "constraint/place/all_solutions.h"
#include "runs/sample/kernel.h"

typedef struct rattle__solutions rattle__solutions;

/* How they are sought, and chosen: options of samplers. */
typedef struct rattle__branching {
  int all, any; /* neither: steps have the solution that is followed from a step of length 0; any:
                   what an iteration finds */
  double near;  /* the probability of the nearest one where there are several; the others share the
               rest. < 0: that of any other */
  double reach; /* 0: ten times h sqrt(n T) */
  int starts;   /* of Newton's method, where there are several constraints or g along the line is
                 no smooth function */
} rattle__branching;
rattle__branching rattle__branching_of(const rattle__node *node);
/* True if the options agree; else 0 with the reason. */
int rattle__branching_sensible(const rattle__node *node, rattle__text *reason);

/* Memory from the kernel's arena. */
rattle_status rattle__solutions_create(rattle__solutions **solutions, rattle__kernel *kernel,
                                       const rattle__branching *choice, rattle_error *error);
/* z1 from z0 by a step of length h of RATTLE with the solution that draws of the kernel choose:
 * half a kick by V if `forced`, a flight, half a kick, and p onto psi = 0. *log_ratio += log of the
 * probability that the step from R z1 takes the solution that leads to R z0, over that of the one
 * taken. RATTLE_NOT_CONVERGED: there is none; RATTLE_DEGENERATE: no solution of the step from R z1
 * leads to R z0. */
rattle_status rattle__solutions_step(rattle__solutions *solutions, int forced, const double *z0,
                                     double *z1, double *log_ratio, rattle_error *error);
/* The number of the solution that is q0, seen from q1; -1: none is. The rounding error of a way is
 * relative to its length. */
int rattle__solutions_which(const rattle__solution_set *set, const double *q0, const double *q1);
#endif
