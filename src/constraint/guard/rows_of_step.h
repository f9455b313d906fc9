#ifndef RATTLE__ROWS_OF_STEP_H
#define RATTLE__ROWS_OF_STEP_H
/* The equations that a step of length h from (q0, p0) solves for its multipliers, as functions with
 * bounds of
 *
 *     x = (Q, (q0 + Q)/2, Q - q0, Z, t, y),  Z = M (Q - q0)/(h d1),
 *
 * Q being the end of the step of length t h. All parts of x are affine in multipliers, t and t^2,
 * so that one theorem (curve.h) serves all kinds. The other parts are there where they are needed.
 *
 * Coordinates  g(Q)
 * Velocities   A((q0 + Q)/2) (Q - q0) of constraints A q' = b (maps/velocity/rolling.h), time being
 *              a coordinate: 0 at Q = q0, with the derivative A(q0) there
 * Forces       f(q, p) = phi(q) + Phi(q) p, no gradient, that acts on the momenta P of the drift: P
 *              = p0 - t h k1 (V_q - phi - Phi P) - G0^T lambda at q0, Q = q0 + t h d1 M^-1 P. Rows
 *              of Phi that are not 0 get unknowns y = t^2 Phi P, with which Q = q0 + t d - t^2 a -
 *              W^T s + h^2 d1 k1 M^-1 y is affine again, and the equations
 *
 *                  y - t Phi M (Q - q0)/(h d1) = 0:
 *
 *              quadratic, and regular at t = 0, where y = 0. Phi and phi are taken as the numbers
 *              that the step had; forces that do not depend on momenta are part of a alone
 * Midpoint     forces, those of V included, that act at the middle of the step: stage_rows.h
 * Divided      forces that are not affine in momenta: x = (q0, u, P, t, y), all rows divided by t,
 *              those of g being (g(q0 + t u) - g(q0))/t + g(q0) (ground/expr/divided.h);
 *              stage_rows.h
 * Maps         of any H: map_rows.h has their x, whose rows are divided by t too */
#include "constraint/guard/stage_rows.h"
#include "ground/expr/divided.h"

typedef struct rattle__rows_of_step {
  int rows, vars;
  const int *ptr, *col; /* the pattern of derivatives, rows compressed, columns ascending */
  const rattle__bend *bend;
  int bends, varies;                       /* as rattle__quadratic has them */
  int n, held, rolling, pushed;            /* coordinates; rows of each kind, in this order */
  int middle, way, momentum, time, force;  /* where parts of x begin; those that are not there are
                                             empty */
  rattle__quadratic *g, *velocity, *stage; /* NULL: there are none */
  rattle__divided *difference; /* g, where rows are divided by t: of (q0, u, t); NULL: not so */
  int blocks;                  /* how many u there are, one after the other, each with rows of g */
  int scale;                   /* the column of x by which g(q0) is multiplied there, 0: by 1 */
  rattle__ball *level;         /* g(q0), scratch [held] */
  double *level_near;          /* the same, about */
  rattle__quadratic *divided;  /* all others then */
  int is_divided;
  const rattle__function *f; /* forces */
  int *row;                  /* of f, that of force i [pushed] */
  rattle__ball *push;        /* on coordinates, by y_i = 1 [pushed][n] */
  rattle__ball *slope;       /* Phi M/(h d1) where Phi may differ from 0, row by row */
  rattle__ball *slowness;    /* M/(h d1), 0 where that is infinite [n] */
  int *own_ptr, *own_col;    /* where there are more than rows of g */
  rattle__bend *own_bend;
} rattle__rows_of_step;

/* The functions of a problem; NULL: none. Forces have the variables (q, p) [2 n] and act on the
 * pairs `pushed`. */
typedef struct rattle__rows_of_problem {
  int n;
  const rattle__function *g, *velocity, *force;
  const int *pushed;
  const rattle__stage *stage; /* for `force` and V; without rows: none */
} rattle__rows_of_problem;

/* 0; 1: g or A is not made of functions that have bounds, or, unless smooth, g is not quadratic; 2:
 * forces of the stage have none; -1: no memory. Forces without a stage are affine in momenta. The
 * functions are the caller's, and stay. */
int rattle__rows_of_step_create(rattle__rows_of_step **e, const rattle__rows_of_problem *of,
                                int smooth);
/* Rows that are divided by t: of x [vars], which has q0 [n] first, then u [n], and t at the column
 * `time`. */
typedef struct rattle__rows_divided {
  int n, vars, time, scale;     /* as above */
  int blocks;                   /* as above, 0: one */
  int rolling;                  /* how many of `rows` are of constraints on velocities */
  const rattle__function *g;    /* NULL: none */
  const rattle__function *rows; /* of x; NULL: none */
  const char *fixed;            /* columns that neither unknowns nor t move [vars]; NULL: none.
                                   Derivatives of `rows` by them are 0 */
} rattle__rows_divided;
/* The same; 2: `rows` have no bounds. */
int rattle__rows_of_step_create_divided(rattle__rows_of_step **e, const rattle__rows_divided *of);
void rattle__rows_of_step_destroy(rattle__rows_of_step **e);

/* For steps of h d1 with M^-1 [n]: Phi, in the pattern of the Jacobian of f; NULL: 0. */
void rattle__rows_of_step_push(rattle__rows_of_step *e, const double *Phi,
                               const double *inverse_mass, rattle__ball length);

/* As rattle__quadratic_at, rattle__quadratic_near (of rows that are divided) and
 * rattle__quadratic_second. */
void rattle__rows_of_step_at(const rattle__rows_of_step *e, const rattle__ball *x, rattle__ball *F,
                             rattle__ball *G);
void rattle__rows_of_step_near(const rattle__rows_of_step *e, const double *x, double *F,
                               double *G);
/* Adds their programs to a list of `count`, which becomes longer by RATTLE__PROGRAMS_OF_ROWS at
 * most. */
enum { RATTLE__PROGRAMS_OF_ROWS = 5 };
void rattle__rows_of_step_programs(const rattle__rows_of_step *e, rattle__ball_programs **list,
                                   int *count);
void rattle__rows_of_step_second(const rattle__rows_of_step *e, const rattle__ball *x,
                                 const rattle__ball *rate, const rattle__ball *second,
                                 rattle__ball *F);
#endif
