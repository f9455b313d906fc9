#ifndef RATTLE__NEAREST_POINT_H
#define RATTLE__NEAREST_POINT_H
/* Moving points onto the constraints: what starts, rattle_slider_place and the projections of
 * project(map, ...) are made of (nearest_point.c).
 *
 *     X_g = (g_p, -g_q), psi_i = {g_i,H}, N_ij = {{H,g_i},g_j}, J = g' in its pattern, d_i the
 *     directions of nearest_point_system.c */
#include "problem/functions/probe.h"
#include "constraint/solve/momenta_linear.h"
#include "constraint/equation/unit.h"
#include "constraint/step/context.h"
#include "constraint/solve/momenta_fibre.h"

/* Options of the callers. */
typedef struct rattle__nearest_options {
  int momenta; /* 1: psi = 0 will be asked for too */
  /* 1: the points are starts. From wherever one is it goes to a point of g = 0 that need not be the
   * nearest; its units are its own, for H that is not natural; coordinates that the model holds
   * stay; and constraints on them alone are no equations where they are satisfied */
  int start;
  rattle__coupling
      *coupling; /* of the pattern of J, and a system of its pattern: borrowed, for starts; NULL:
                   made */
  rattle__linear *system;
} rattle__nearest_options;

typedef struct rattle__nearest_point {
  rattle__context *context;
  rattle__nearest_options options;
  rattle__probe *probe; /* the context's, for second derivatives; NULL for natural H with g(q) */
  const rattle__mass *mass;   /* then M^-1, else NULL */
  int n, m, vars;             /* vars: columns of J, those of z that are moved onto g = 0 */
  int seen, placed, factored; /* what is known at the point `at` */
  double *at;                 /* [2n] */
  double *g, *J, *psi;        /* [m], [nnz], [m] */
  double *reach;     /* sizes of the terms of z along a step that was measured, else 0 [2n] */
  double *slope, *S; /* round-off of X_H there, in units of epsilon [2n]; H'' */
  double *row;       /* second class: d [m*2n], else NULL */
  double *scaled;    /* else d in the pattern of g [nnz] */
  double *weight; /* of starts that no mass measures: squares of the units of z, 0 of what is held;
                 else NULL [2n] */
  double *terms;  /* of starts: what the last correction adds up [2n]; else NULL */
  double *gradient, *unit, *kappa, *from, *old, *step, *scale, *work;
  rattle__coupling *coupling;   /* of A = J d^T in that pattern, else NULL */
  rattle__linear *system;       /* A; NULL if it is N */
  rattle__momenta_fibre *slide; /* NULL if H is natural, or nothing is to be moved onto psi = 0 */
  rattle__momenta *momenta;     /* of natural H, else NULL */
  rattle__unit *rounding;
  double *least;  /* the least units of g where they were raised, else 0 [m] */
  double damping; /* of A, as a part of its diagonal: for a start where A is singular, else 0 */
  double *z;      /* the point at hand */
} rattle__nearest_point;

/* True if the model holds that entry of z in projections of starts; time is never moved. */
int rattle__is_held(const rattle_problem *problem, int entry);

/* RATTLE_UNSUITABLE if the problem has no such projection. */
rattle_status rattle__nearest_point_create(rattle__nearest_point **onto, rattle__context *context,
                                           const rattle__nearest_options *options,
                                           rattle_error *error);
void rattle__nearest_point_destroy(rattle__nearest_point **onto);

/* The units of a search from z, where g and J are known: of g, for the line search, and the weights
 * of a start. */
void rattle__nearest_point_units(rattle__nearest_point *onto, const double *z);
/* g and J at z; the directions too; psi too. */
rattle_status rattle__nearest_point_see(rattle__nearest_point *onto, const double *z,
                                        rattle_error *error);
rattle_status rattle__nearest_point_place(rattle__nearest_point *onto, const double *z,
                                          rattle_error *error);
rattle_status rattle__nearest_point_see_hidden(rattle__nearest_point *onto, const double *z,
                                               rattle_error *error);
/* Round-off of g and psi also from what a step of h from z adds up, from now on, and what H'' makes
 * of it: where the step ends at rest, or slopes cancel, as in 0 = H_b, what is left at its end does
 * not tell it. */
rattle_status rattle__nearest_point_measure(rattle__nearest_point *onto, double h, const double *z,
                                            rattle_error *error);
/* The largest |g_i| or |psi_i| at z, seen there, in units of round-off, and the constraint it
 * belongs to. */
double rattle__nearest_point_ratio(rattle__nearest_point *onto, const double *z, int *worst);
double rattle__nearest_point_ratio_hidden(const rattle__nearest_point *onto, int *worst);
/* x [m] <- A^-1 x, A = J d^T, and N^-1 x at z. */
rattle_status rattle__nearest_point_solve(rattle__nearest_point *onto, const double *z, double *x,
                                          rattle_error *error);
rattle_status rattle__nearest_point_solve_hidden(rattle__nearest_point *onto, const double *z,
                                                 double *x, rattle_error *error);
/* z -= sum_i kappa_i d_i of the point placed last; z += sum_i lambda_i X_{g_i}, with J of the point
 * seen last. */
void rattle__nearest_point_push(const rattle__nearest_point *onto, const double *kappa, double *z);
void rattle__nearest_point_push_hidden(const rattle__nearest_point *onto, const double *lambda,
                                       double *z);

/* The projections of z, counted. On failure z is undefined. */
rattle_status rattle__nearest_point_constraints(rattle__nearest_point *onto, double *z,
                                                rattle_error *error);
rattle_status rattle__nearest_point_hidden(rattle__nearest_point *onto, double *z,
                                           rattle_error *error);
#endif
