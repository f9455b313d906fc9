#ifndef RATTLE__NEWTON_FRAME_H
#define RATTLE__NEWTON_FRAME_H
/* A step given by a system of equations of its own, F(x; h, z0) = 0, for the maps that include the
 * constraints in their equations: Newton's loop to round-off, its first iterate and its guard are
 * here, the equations in one file a method.
 *
 * Unknowns  x [size]: first the `body`, with x = base + h slope for small h, then `blocks`
 *           multipliers for each constraint
 * Matrix    an assembly (ground/linear/assembly.h) that the method plans and whose sources it
 * fills */
#include "method/notation/method.h"
#include "constraint/guard/follow.h"
#include "constraint/equation/unit.h"
#include "ground/linear/assembly.h"
#include "constraint/step/map.h"

typedef struct rattle__implicit rattle__implicit;

/* The equations of a method. The functions find the multipliers in x, behind the body. */
typedef struct rattle__equations {
  const char *name; /* if constraints are not responsible */
  /* base and slope of the body at z0 */
  rattle_status (*predict)(rattle__implicit *s, double h, const double *z0, double *base,
                           double *slope, rattle_error *error);
  /* rhs = -F at x, the largest in units of round-off into s->look, and z1 */
  rattle_status (*residual)(rattle__implicit *s, double h, const double *z0, double *z1,
                            rattle_error *error);
  /* the sources of the matrix F', at x */
  rattle_status (*derivatives)(rattle__implicit *s, double h, const double *z0,
                               rattle_error *error);
  /* adds the parts that the sources lack to the matrix [size*size], and to the tilt; for steps that
   * are followed with difficulty. NULL: none */
  rattle_status (*complete)(rattle__implicit *s, double h, double *matrix, rattle_error *error);
  /* where the multipliers are for short steps; the context's probe is at z0 */
  void (*guess)(rattle__implicit *s, double h, double *multipliers);
  /* rows += the limit of F' for h -> 0, the body eliminated, times the multipliers v; 0 if it is
   * not available */
  int (*limit)(rattle__implicit *s, double h, const double *v, double *rows);
  /* the sign of det F' of one constraint alone with N = 1, for h -> 0; `odd`: det F' is an odd
   * power of det N there, else an even one */
  int (*sign)(const rattle__implicit *s, double h, int *odd);
  /* how many iterates have a matrix of their own before one is kept, while each iteration gains a
   * factor of ten; 0: all */
  int frozen;
  int hidden; /* 1: psi(z1) = 0 is among the equations */
  int tilted; /* 1: F' is the assembly's matrix plus column tilt^T, which the derivatives fill,
                 too */
  /* 1: the body begins with z1, which is corrected once more after the last evaluation. A residual
   * below one unit is not random: it points the same way in each step, and what it does to an
   * invariant adds up */
  int polished;
} rattle__equations;

/* The residual at an iterate. */
typedef struct rattle__look {
  double ratio;          /* the largest residual in units of its round-off */
  int constraint;        /* which constraint that is, -1: none */
  double largest_g, psi; /* largest |g| and |psi| */
} rattle__look;

struct rattle__implicit {
  rattle__map map;
  const rattle__equations *equations;
  int n, m, size, body, blocks;
  rattle__assembly *assembly;
  rattle__linear *matrix;      /* the factors in force: of the assembly's, or of */
  rattle__linear *full;        /* the dense one with all terms; NULL: not offered */
  double *x, *rhs;             /* [size] */
  double *first;               /* the multipliers where the iteration begins [blocks m] */
  double *base, *slope, *kept; /* of the body; kept: that of the last substep that the guard took */
  double *column,
      *tilt;       /* of a matrix of rank one in addition to the sparse one; factored: S^-1 column
                [size] */
  double pivot;    /* 1 + tilt.S^-1 column */
  double *scratch; /* scratch for the guard [size] */
  double *level;   /* what g is to be at the end: 0 but while following [m] */
  rattle__look look;
  int sloped;                  /* 1: kept is known */
  double whole;                /* the step, of which h is a part where it is followed */
  double h;                    /* the current step ... */
  const double *z0;            /* ... from here ... */
  double *z1;                  /* ... to here */
  int fresh, factored;         /* 1: the next correction takes a new matrix; 1: there is one */
  rattle__unit *unit;          /* what rounding makes of z1, where that was asked for; then */
  double least[2];             /* the least units of equations for q and for p, */
  double *least_g, *least_psi; /* of g and of psi [m]; else 0 */
  rattle__follower *follower;
  void *self; /* the method's */
};

/* Plans the loop; the method has made s->assembly with its terms, and sets nothing else before.
 * s->x and related functions come from the arena of the context. */
rattle_status rattle__implicit_init(rattle__implicit *s, rattle__context *context,
                                    const rattle__equations *equations, int body, int blocks,
                                    rattle_error *error);
/* The factors of F' at the solution of the last step, for its derivative, and v -> F'^-1 v. */
rattle_status rattle__implicit_factor(rattle__implicit *s, rattle_error *error);
void rattle__implicit_solve(const rattle__implicit *s, double *v);
/* UNSUITABLE if the constraints are second class or depend on momenta, with an alternative. */
rattle_status rattle__needs_holonomic(const rattle_problem *problem, const rattle__node *node,
                                      rattle_error *error);

/* Count residuals, in units of rounding: of a block of equations for q (kind 0) or p (1), |r| at
 * most `most`; of g_i and psi_i. `terms`: the sizes of what was added up. */
void rattle__look_at_block(rattle__implicit *step, int kind, double most, double terms);
void rattle__look_at_g(rattle__implicit *step, int i, double g, double terms);
void rattle__look_at_psi(rattle__implicit *step, int i, double psi, double terms);
#endif
