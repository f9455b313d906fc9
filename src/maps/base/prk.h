#ifndef RATTLE__PRK_H
#define RATTLE__PRK_H
/* The equations of a partitioned Runge-Kutta step as one sparse system, shared by prk.c (the
 * iteration), prk_equations.c (residuals and corrections), prk_system.c (unknowns, pattern,
 * matrix), prk_stiff.c (a doubt of the guard) and prk_tangent.c.
 *
 * Unknowns  [Q and P stages that are neither z+ itself nor equal to an earlier one] [lambda] | [z+]
 *           [z1]; lambda, z+ and z1 only with a fibre (SHAKE): z+ = exp(h sum lambda_i X_{g_i}) z0,
 *           g(z1) = 0.
 * Rows      Q_i - q+ - h sum a_ij H_p(Z_j);  P_i - p+ + h sum ahat_ij H_q(Z_j);  g(z1) | z+ -
 *           slide;  z1 - z+ - h sum b_j X_H(Z_j)
 * z+ and z1 are explicit and have no residual: they are eliminated, pivots 1, before the rest is
 * factored. This keeps the determinant and its sign. */
#include "maps/base/base.h"
#include "constraint/equation/broyden.h"
#include "constraint/guard/follow.h"
#include "constraint/guard/prover_in_doubt.h"
#include "constraint/equation/unit.h"
#include "ground/linear/linear.h"

/* value[at] += c h (entry of the Hessian of stage j) */
typedef struct rattle__prk_term {
  int at, stage, entry;
  double c;
} rattle__prk_term;

/* value[at] -= value[left] value[right] */
typedef struct rattle__prk_product {
  int at, left, right;
} rattle__prk_product;

typedef struct rattle__prk_aside rattle__prk_aside;

typedef struct rattle__prk {
  rattle__map map;
  rattle__tableau t;
  rattle__fibre *fibre; /* NULL: without constraints */
  int n, m, size;
  int plus, one, multipliers;   /* offsets of z+, z1, lambda; -1 without a fibre */
  int all;                      /* unknowns with z+ and z1; size: without */
  int stage[2][RATTLE__STAGES]; /* offset of Q_i, P_i among the unknowns; -1: it is z+ */
  int owner[2][RATTLE__STAGES]; /* the first stage with the same offset, or -1 */
  rattle__linear *matrix;
  rattle__prk_term *term;
  int terms;
  int *constant, constants;    /* places of the 1s ... */
  double *constant_value;      /* ... and of the -1s */
  int *jacobian_at, *fibre_at; /* places of the entries of g' and of dz+/dlambda */
  double *value;               /* with a fibre: the entries of all unknowns [entries] */
  int entries;
  rattle__prk_product *product; /* what eliminates z+ and z1 */
  int products;
  int *kept;                  /* places of the entries of the rest [matrix->nnz] */
  double *Z;                  /* stages [s][2n] */
  double *gradient, *hessian; /* of H at the stages [s][2n], [s][hess_nnz] */
  double *slope;              /* (Z_i - z+)/h of the last substep that the guard took [s][2n] */
  int sloped;                 /* 1: slope is known */
  double h;                   /* the current step ... */
  const double *z0;           /* ... from here ... */
  double *z1;                 /* ... to here */
  int fresh, raised; /* 1: the next correction takes a new matrix; 1: units are those of rounding */
  int rough;         /* 1: H'' of all stages is that of the probe at z0 */
  double *plus_z, *expected; /* z+, and where the last correction puts it to first order [2n] */
  double *lambda, *slide;    /* lambda and h lambda [m] */
  double *first;             /* lambda where the iteration begins [m] */
  double *g, *J, *dfibre;
  double *scratch;      /* scratch for the guard, as large as rhs */
  double *unit;         /* round-off of h X_H over a step, where g holds momenta [2n] */
  double slope_unit[2]; /* of the stages, where units are raised */
  double *size_g;       /* units of g [m] */
  rattle__unit *units;  /* of all that rounds */
  double *rhs, *work, *room;
  double largest,
      residual;            /* |g|, and the residual in units of round-off, at the last evaluation */
  int worst;               /* the constraint whose residual that is, or -1 */
  rattle__broyden learned; /* while rough is 1 */
  rattle__follower *follower;      /* with a fibre: guards the multipliers */
  rattle__prover_in_doubt *prover; /* NULL: steps are not proved */
  rattle__prk_aside *aside;        /* NULL: stiff forces are not recognised */
  double tol;
  int frozen; /* 1: quasi-Newton only where it converges */
} rattle__prk;

/* Slopes of the stages, and their Hessians if wanted. */
rattle_status rattle__prk_gradients(rattle__prk *k, int hessians, rattle_error *error);
/* z+ from lambda */
rattle_status rattle__prk_slide(rattle__prk *k, double h, rattle_error *error);
/* Stages from the slope at z+; for the guard from those of its last substep, so that shorter
 * substeps have better guesses. */
rattle_status rattle__prk_guess(rattle__prk *k, double h, const double *z0, rattle_error *error);
/* True if slopes at the first stages differ from those at z+ by more than these: the guess of stiff
 * forces went too far. For the residual at hand. */
int rattle__prk_overshot(const rattle__prk *k);
/* All stages at z+. */
void rattle__prk_stay(rattle__prk *k);
/* Memory to tell stiff forces from doubt; the arena fails if there is none. */
void rattle__prk_aside_create(rattle__prk *k);
/* *astray: the matrix at hand, of the first iterate, is far from its limit for h -> 0 (follow.h)
 * for another reason than stiff forces. The matrix is restored. */
rattle_status rattle__prk_far_from_limit(rattle__prk *k, double h, const double *z0, int *astray,
                                         rattle_error *error);
/* Keeps the slopes of the stages, or sets the stages from them (back). */
void rattle__prk_keep_slopes(rattle__prk *k, double h, int back);
/* Residuals of all equations at the present iterate; z1 from the stages. */
rattle_status rattle__prk_look(rattle__prk *k, double h, double *z1, int hessians,
                               rattle_error *error);
/* The units of all that rounds, from now on in this iteration, and the residual in them. */
rattle_status rattle__prk_raise(rattle__prk *k, double h, const double *z0, const double *z1,
                                rattle_error *error);
/* One correction, from rhs. */
void rattle__prk_update(rattle__prk *k);
/* Without a fibre: rattle__map.tangent. */
rattle_status rattle__prk_tangent(rattle__map *map, double h, int count, double *W,
                                  rattle_error *error);

/* The stages of the last step were these [stages][2n], found by another iteration. */
void rattle__prk_set_stages(rattle__map *map, const double *Z);

/* Unknowns, pattern, matrix; all index lists from the arena. */
rattle_status rattle__prk_plan(rattle__prk *k, rattle__init *general, rattle_error *error);
/* The matrix from the Hessians (and J, dfibre), factored. */
rattle_status rattle__prk_factor(rattle__prk *k, double h, rattle_error *error);
#endif
