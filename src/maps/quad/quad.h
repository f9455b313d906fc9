#ifndef RATTLE__QUAD_H
#define RATTLE__QUAD_H
/* The maps of a method with 113 bits, for references: plain and dense, derivatives of H and g from
 * the same expressions as in double, all others by differences.
 *
 * State    z + carry (constraint/step/carry.h), to which each step is rounded: 106 bits
 * Guard    the rates of follow.h: a step whose multipliers may be those of another sheet is
 *          refused, not followed
 * Symbols  n pairs, m constraints, z = (q, p) [2n], X_F = (F_p, -F_q); z+ = exp(h sum lambda_i
 *          X_{g_i}) z0 */
#include "method/notation/method.h"
#include "constraint/step/map.h"

/* A map of the whole step for the root of a method that says `quad`. RATTLE_UNSUITABLE if the build
 * has no 113 bits, the problem is none of expressions, or the method has a map that is not offered
 * with them. */
rattle_status rattle__quad_create(rattle__map **map, rattle__context *context,
                                  const rattle__node *root, rattle_error *error);

#ifdef RATTLE_QUAD
#include "maps/base/base.h"
#include "maps/quad/real.h"

enum { RATTLE__QUAD_FIBRE = 8 };

typedef struct rattle__quad {
  rattle__map map;
  const rattle_problem *problem;
  int n, m;
  int straight;         /* fibres are straight lines */
  int slides, projects; /* whether the step is SHAKE of the map inside, and then RATTLE */
  real *outer,
      *inner; /* fractions of the step: of the compositions around the wrapper, of those inside
                 it */
  int outers, inners;    /* how many */
  int separable;         /* the base map is the scheme, else the tableau */
  rattle__scheme scheme; /* numbers that are exact in double */
  int stages;
  real a[RATTLE__STAGES][RATTLE__STAGES], ahat[RATTLE__STAGES][RATTLE__STAGES], b[RATTLE__STAGES];
  real fibre_a[RATTLE__STAGES][RATTLE__STAGES],
      fibre_b[RATTLE__STAGES]; /* gauss(RATTLE__QUAD_FIBRE): fibres without closed form */
  double *begun;  /* declared memory: 1 once the start has been moved onto the constraints */
  real *z, *next; /* [2n] */
  real *gradient, *field;  /* of H; X_H or the fibre's field [2n] */
  real *part;              /* of problems with forces: (q, p), the gradient of H, forces [5n] */
  real *g, *J;             /* [m], dense [m*2n] */
  real *compressed, *room; /* a Jacobian in its pattern; registers */
  real *x, *X, *Y;         /* base step: start [2n]; stages and slopes [stages*2n] */
  real *F, *matrix;        /* derivative of X_H [2n*2n]; I - h A x F, factored [(stages*2n)^2] */
  int *pivot;              /* of it */
  int factored;            /* 1: for the h and the current substep ... */
  real factored_h;         /* ... which is this */
  real *lambda, *tried, *s, *residual, *moved, *unit; /* [m] */
  real *M;                                            /* [m*m] */
  real *base, *stage, *slope;                         /* slides: start [2n]; [stages*2n] each */
  int doubtful; /* 1: the multipliers may be those of another sheet */
} rattle__quad;

/* functions.c: the gradient of H [2n] into k->gradient; X_H [2n]; g into k->g and its Jacobian into
 * k->J; psi [m], after which all of these are those of z. */
void rattle__quad_gradient(rattle__quad *k, const real *z);
void rattle__quad_field(rattle__quad *k, const real *z, real *X);
void rattle__quad_constraint(rattle__quad *k, const real *z);
void rattle__quad_hidden(rattle__quad *k, const real *z, real *psi);
/* True if all functions are expressions; bytes of registers that they need. */
int rattle__quad_is_expressions(const rattle_problem *problem, size_t *registers);

/* base.c: z <- phi_h(z), the map inside the wrapper; the numbers of Gauss-Legendre. 0, or 1 if
 * stages are not found. */
int rattle__quad_base(rattle__quad *k, real h, real *z);
void rattle__quad_gauss(int s, real *b, real a[RATTLE__STAGES][RATTLE__STAGES]);
/* Dense A [size*size] = L U with partial pivoting; 1 if it is singular. x <- A^-1 x. */
int rattle__quad_factor(int size, real *A, int *pivot);
void rattle__quad_solve(int size, const real *A, const int *pivot, real *x);

/* shake.c: z <- exp(sum s_i X_{g_i}) z; z <- shake of the base map, and rattle; z onto g = 0 (least
 * change) and psi = 0. 0, or 1 where multipliers are not found. */
int rattle__quad_slide(rattle__quad *k, const real *s, real *z);
int rattle__quad_step(rattle__quad *k, real h, real *z);
int rattle__quad_project(rattle__quad *k, real *z);
int rattle__quad_start(rattle__quad *k, real *z);
#endif
#endif
