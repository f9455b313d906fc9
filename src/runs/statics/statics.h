#ifndef RATTLE__STATICS_H
#define RATTLE__STATICS_H
/* Inside of an equilibrium: point.c, what is known at a point; reduced.c, the equations of rest
 * along the directions of motion; place.c, parts of all searches; equilibrium.c, the search;
 * modes.c, small motions.
 *
 * Symbols  p: H_p = 0, 0 where H has no terms that are linear in p; r = -H_q + f at (q, p);
 *          G = g_q, and below it the rows A of constraints on velocities, A(q) q' = 0;
 *          W = M^-1 = H_pp = L L^T; B = L U, the columns of U [n][d] being an orthonormal
 *          basis of the null space of G L; lambda: |L^T (r - G^T lambda)| least, of those the
 *          shortest; gamma = B^T (r - G^T lambda); K, C as in equilibrium.h */
#include "constraint/place/nearest_point.h"
#include "constraint/step/context.h"
#include "problem/functions/problem.h"
#include "rattle/equilibrium.h"

enum { RATTLE__DENSE_PAIRS = 400 }; /* at most; of more, matrices are sparse */
/* More steps than this from the root of round-off on: convergence is linear, and the linear terms
 * vanish where it leads, as at the bottom of x^4 and at the turn of x^3. */
enum { RATTLE__LINEAR = 8 };

/* All matrices by columns. */
struct rattle_equilibrium {
  const rattle_problem *problem, *moving; /* moving: of a steady motion that of H alone, or NULL */
  rattle_equilibrium_options options;
  rattle_equilibrium_result result;
  rattle__context context;
  rattle__nearest_point *onto; /* moves q onto g = 0; NULL without constraints */
  int n, m, d;                 /* d: known after rattle__statics_reduce */
  int rows,
      positions;     /* constraints on velocities, or with positions = 1 none: they are left out */
  double *A, *still; /* A by rows; (q, 0) and a way from there, of its derivatives [4n] */
  double *z, *old;   /* (q, p) [2n]; q before a step [n] */
  double *gradient;  /* (H_q - f, H_p) [2n] */
  double *J, *g;     /* g' in its pattern, g [m] */
  double *L, *U, *B; /* [n*n] */
  double *lambda, *gamma;     /* [m], [n] */
  double *K, *C;              /* [n*n] */
  double *step, *aim;         /* x, B x [n] */
  double *part, *fall;        /* of x along the vectors of V, and what each lowers H by [n] */
  double *value, *V, *square; /* eigenvalues [n], vectors and scratch [n*n] */
  double *S;                  /* H'' in its pattern, where the problem has it */
  double *v, *D, *way, *room, *work; /* scratch of derivatives */
  double *of_energy;                 /* scratch of rattle__energy_size */
  double *dense;                     /* of matrices that are destroyed [2n*2n] */
  double energy, rounding;           /* H at z, and its round-off */
  double size;                       /* the largest coordinate of all points so far */
  double stiffest;                   /* the largest stiffness of other points; 0: none */
  int carried; /* directions in which symmetries carry a steady motion: no stiffness is due there */
  int gyroscopic; /* 1: C has a part that is antisymmetric, whatever acts */
  int follows;    /* 1: K has one, of reactions of constraints on velocities, which turn with it */
  int close; /* steps between round-off and its root: quadratic convergence takes two or three */
  rattle__arena arena;
};

/* UNSUITABLE: why the problem is not covered. */
rattle_status rattle__statics_check(const rattle_problem *problem, rattle_error *error);
/* Memory, and W = L L^T at q. */
rattle_status rattle__statics_open(rattle_equilibrium *s, rattle_error *error);
/* z: q, or NULL the start of the model, on the constraints. */
rattle_status rattle__statics_place(rattle_equilibrium *s, const double *q, rattle_error *error);
/* z onto the constraints, at rest. */
rattle_status rattle__statics_onto(rattle_equilibrium *s, rattle_error *error);
/* p of z: the momenta with which nothing moves, H_p = 0; time is held: to H_pp it never moves. */
rattle_status rattle__statics_still(rattle_equilibrium *s, rattle_error *error);
/* UNSUITABLE: change [n] moves a coordinate that has no mass. */
rattle_status rattle__statics_has_masses(const rattle_equilibrium *s, const double *change,
                                         rattle_error *error);
/* The result's residual: the way s->aim in parts of the largest coordinate of all points so far. */
void rattle__statics_reach(rattle_equilibrium *s);
/* NOT_CONVERGED: the coordinate that s->aim still moves most, after the steps of the result; down:
 * they went down the potential. */
rattle_status rattle__statics_refuse(const rattle_equilibrium *s, int down, rattle_error *error);
/* Quaternions of balls in joint coordinates to length 1. */
void rattle__statics_turn_balls(const rattle_equilibrium *s, double *z);
/* The energy, its derivatives, g and G at z. */
rattle_status rattle__statics_see(rattle_equilibrium *s, rattle_error *error);
/* s->D [2n]: the change of (H_q - f, H_p) along v [2n]. */
rattle_status rattle__statics_change(rattle_equilibrium *s, const double *v, rattle_error *error);
/* W and L. */
rattle_status rattle__statics_masses(rattle_equilibrium *s, rattle_error *error);
/* And r, B, lambda and gamma; K and C as well. */
rattle_status rattle__statics_reduce(rattle_equilibrium *s, rattle_error *error);
rattle_status rattle__statics_stiffness(rattle_equilibrium *s, rattle_error *error);
/* p <- L^-T p; 0 of what never moves. */
void rattle__statics_solve_back(const rattle_equilibrium *s, double *p);
/* p [n]: the momenta with which the coordinates move along dq [n], M dq; 0 of what never moves. */
void rattle__statics_momenta(const rattle_equilibrium *s, const double *dq, double *p);
/* The eigenvalues of the symmetric part of K, rising, and their vectors: value, V. */
rattle_status rattle__statics_decompose(rattle_equilibrium *s, rattle_error *error);
/* The motion along V_i of the coordinate that it moves most. */
double rattle__statics_most_moved(const rattle_equilibrium *s, int i);
/* The round-off of eigenvalue i: that of the largest one, and that of the energy over a motion by
 * the size of the coordinates, or by 1 if they are smaller. */
double rattle__statics_soft(const rattle_equilibrium *s, int i);
/* The part of x [d] along V_i. */
double rattle__statics_along(const rattle_equilibrium *s, int i, const double *x);
/* s->way [n]: how far rounding alone may move H_q + lambda . g_q, that of the coordinates
 * included; and then the same of what pulls along V_i. */
void rattle__statics_rounding(rattle_equilibrium *s, const double *lambda);
double rattle__statics_noise(const rattle_equilibrium *s, int i);
/* The multipliers of the result, with those of omitted constraints, which share the load of those
 * that are left: of least norm, as a run has them. */
rattle_status rattle__statics_loads(rattle_equilibrium *s, rattle_error *error);
/* rolling.c: UNSUITABLE: what does not know of constraints on velocities; A at z; s->way += the
 * change of lambda . A along s->v; 1: K is not symmetric, beyond its round-off. */
rattle_status rattle__statics_refuse_rows(const rattle_problem *problem, const char *what,
                                          rattle_error *error);
rattle_status rattle__statics_rows(rattle_equilibrium *s, rattle_error *error);
rattle_status rattle__statics_turn_rows(rattle_equilibrium *s, rattle_error *error);
int rattle__statics_follows(const rattle_equilibrium *s);
/* places.c: *least 1: the energy has a minimum at z among all places with g = 0, so that it is
 * stable whatever rolls; and how many directions they have beyond those of motion. */
rattle_status rattle__statics_in_places(rattle_equilibrium *s, int *least, rattle_error *error);
/* 1: forces, or reactions that turn with it, so that K has no potential. */
static inline int rattle__statics_is_pushed(const rattle_equilibrium *s) {
  return s->problem->force || s->follows;
}
/* Small motions about z, where all of these are known. */
rattle_status rattle__statics_modes(rattle_equilibrium *s, rattle_error *error);
#endif
