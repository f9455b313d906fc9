#ifndef RATTLE__ROLLING_GRADIENT_H
#define RATTLE__ROLLING_GRADIENT_H
/* The interface between the files of discrete_gradient under constraints on velocities:
 * rolling_gradient.c (the step and its guard), rolling_equations.c (the equations at an iterate)
 * and rolling_matrix.c (their derivative).
 *
 *     z1 = z0 + h J (DH + c^T lambda + h Dpsi^T nu),   g(z1) = 0,  A(z) (q1 - q0) = 0,  psi(z1) = 0
 *
 * where the rows c are Dg, and A(z) at the middle z for constraints on velocities; psi = C H_p, C =
 * [g_q; A]. Shapes: n pairs, m constraints of which the first `held` are g; all rows are dense. */
#include "constraint/equation/iterate.h"
#include "constraint/equation/unit.h"
#include "constraint/step/map.h"
#include "maps/constrained/gonzalez.h"
#include "maps/velocity/rolling.h"
#include "maps/velocity/substeps.h"

typedef struct rattle__rolling_gradient {
  rattle__map map;
  int n, m, held, size; /* unknowns x: d = z1 - z0 [2n], lambda [m], nu [m] */
  rattle__chord chord;
  rattle__reaction *start, *last, *end; /* C where the step begins, where the last substep ended,
                                           and at the iterate */
  rattle__reaction *middle, *moved;     /* at the middle of the chord, and at points beside it */
  rattle__unit *unit;
  rattle__linear *matrix;
  const int *diagonal;                  /* of H_pp in H'' [n] */
  double *x, *rhs, *size_of, *least;    /* rhs = -F; sizes in which its round-off is 1 [size] */
  double *first;                        /* multipliers where the iteration begins [2m] */
  double *slope, *kept;                 /* of z1 at z0, and where the last substep ended [2n] */
  double *limit, *multipliers, *before; /* of multipliers for h -> 0: they are limit/h + the others,
                                           at the last two substeps [2m] */
  double *level;                        /* what g is to be at the end: 0 but while following [m] */
  double H0;                            /* H(z0) */
  double *at_middle, *at_end, *at_node; /* gradients of H [2n] */
  double *S, *S_end, *S_g, *S_mu; /* H'' at the middle and at the end, (lambda.g)'', (nu.g)'' */
  double *K;                      /* (mu.C)_q at the middle [n][n] */
  unsigned char *pulls;           /* 1: the row of a constraint on velocities has it [n] */
  double *way, *way_by_q;         /* A(z) (q1 - q0) and its derivative by z [rows], [rows n] */
  double *by_q;                   /* scratch [rows n] */
  double *psi_middle, *psi_end;   /* psi' there [m][2n] */
  double *rest, *psi_rest;        /* what F'(z).d misses [m] */
  rattle__rest *by_slopes;        /* of g [m] */
  double *J_node, *g_node;
  double *tilt;     /* by which DF moves with d [size] */
  double *E, *work; /* [m m], scratch */
  double whole, h;  /* the step; the part of it at hand */
  const double *z0;
  double *z1;
  double largest, residual; /* |g| and the largest residual, where the iteration ended */
  double largest_psi;
  int sloped, factored; /* 1: `kept` is known; there is a matrix */
  int careful;          /* 1: while a step is followed of which a part was refused */
} rattle__rolling_gradient;

/* Row of F_c in the motion, and its sign: J exchanges the halves. */
static inline int rattle__conjugate(int n, int c) {
  return c < n ? n + c : c - n;
}
static inline double rattle__conjugate_sign(int n, int c) {
  return c < n ? 1 : -1;
}

/* The map of discrete_gradient for a problem with constraints on velocities. On failure *map may be
 * a part to destroy. */
rattle_status rattle__rolling_gradient_create(rattle__map **map, rattle__context *context,
                                              rattle_error *error);

/* F at x: rhs and size_of; H at z0 is H0, all else follows. */
rattle_status rattle__rolling_gradient_look(rattle__rolling_gradient *k, rattle_error *error);
/* `least` raised to all that rounding makes of F at x (on = 1), or 0. */
rattle_status rattle__rolling_gradient_raise(rattle__rolling_gradient *k, int on,
                                             rattle_error *error);
/* psi' [m][2n] at z where C is that of `at`, from the gradient of H and H'' there. */
rattle_status rattle__rolling_gradient_hidden(rattle__rolling_gradient *k, rattle__reaction *at,
                                              const double *z, const double *gradient,
                                              const double *S, double *derivative,
                                              rattle_error *error);
/* The matrix F' at x, factored. */
rattle_status rattle__rolling_gradient_factor(rattle__rolling_gradient *k, rattle_error *error);
#endif
