#ifndef RATTLE__DISCRETE_H
#define RATTLE__DISCRETE_H
/* The interface between the files of discrete_gradient: discrete_gradient.c (the equations and
 * their matrix), discrete_sum.c (the sum of discrete gradients at an iterate) and discrete_bend.c
 * (third derivatives). */
#include "maps/constrained/gonzalez.h"
#include "maps/constrained/newton_frame.h"
#include "constraint/equation/psi_rows.h"

typedef struct rattle__discrete {
  rattle__implicit step;
  int n, m;
  rattle__psi_rows *rows;
  rattle__chord chord;
  double H0;                            /* H(z0) */
  double *g0, *psi0;                    /* at z0 [m] */
  double *at_middle, *at_end, *at_node; /* gradients of H [2n] */
  double *g, *psi, *psi_size, *work;    /* [m], [m], [m] */
  double *J_node;                       /* g' [jac_nnz] */
  double *rest, *psi_rest;              /* what F'(z).d misses, for each constraint [m] */
  rattle__rest *by_slopes;              /* [m] */
  double along;                         /* chord.along without psi */
  const int *diagonal;                  /* where H_pp has its diagonal in H'', -1: nowhere [n] */
  int first_along, first_H,
      first_g; /* sources: chord.along W [2n]; H'' and (lambda.g)'' at the middle */
  int first_J,
      first_psi; /* g' at the middle and at the end; psi' too, and h times that at the middle */
  double *moved, *bend, *weight; /* scratch for third derivatives [rows->nnz], [2n], [2n] */
  int known;                     /* 1: psi' at the end is that of this step */
} rattle__discrete;

static inline double *rattle__discrete_source(const rattle__discrete *k, int first) {
  return k->step.assembly->source + first;
}
static inline double *rattle__discrete_jacobian(const rattle__discrete *k, int end) {
  return rattle__discrete_source(k, k->first_J) +
         (k->m ? end * k->step.map.context->problem->g->jac_nnz : 0);
}
static inline double *rattle__discrete_psi_derivative(const rattle__discrete *k, int end) {
  return rattle__discrete_source(k, k->first_psi) + (k->m ? end * k->rows->nnz : 0);
}

/* Row of F_c in the motion, and its sign: J exchanges the halves. */
static inline int rattle__discrete_row(const rattle__discrete *k, int c) {
  return c < k->n ? k->n + c : c - k->n;
}
static inline double rattle__discrete_sign(const rattle__discrete *k, int c) {
  return c < k->n ? 1 : -1;
}
/* mu_i = h nu_i */
static inline double rattle__discrete_mu(const rattle__discrete *k, int i) {
  return k->step.h * k->step.x[2 * k->n + k->m + i];
}

/* H, its gradient (both optional: NULL) and, if there are constraints, g and g' at a point. */
rattle_status rattle__discrete_energy(rattle__discrete *k, const double *z, double *H,
                                      double *gradient, rattle_error *error);
rattle_status rattle__discrete_constraint(rattle__discrete *k, const double *z, double *g,
                                          double *J, rattle_error *error);
/* H, g and psi at both ends of the chord, and the sum of their discrete gradients with the
 * multipliers of step.x in chord.total. */
rattle_status rattle__discrete_sum(rattle__discrete *k, const double *z1, rattle_error *error);
/* Adds, to the matrix [size*size] and to the tilt, the contributions of the discrete gradients of
 * psi and of the metric, which moves with the middle. */
rattle_status rattle__discrete_complete(rattle__implicit *step, double h, double *matrix,
                                        rattle_error *error);
#endif
