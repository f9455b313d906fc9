#ifndef RATTLE__DISCRETE_H
#define RATTLE__DISCRETE_H
/* What the files of discrete_gradient share: discrete_gradient.c (the equations and their matrix) and discrete_sum.c (the sum of
 * discrete gradients at an iterate). */
#include "constrained/gonzalez.h"
#include "constrained/newton_frame.h"
#include "slide/psi_rows.h"

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
  double *rest, *psi_rest, *by_slopes;  /* what F'(z).d misses, for each constraint [m] */
  double along;                         /* chord.along without psi */
  int first_along, first_H, first_g;    /* sources: chord.along; H'' and (lambda.g)'' at the middle */
  int first_J, first_psi;               /* g' and psi' at the middle and at the end */
  int known;                            /* 1: psi' at the end is that of this step */
} rattle__discrete;

static inline double *rattle__discrete_source(const rattle__discrete *k, int first) {
  return k->step.assembly->source + first;
}
static inline double *rattle__discrete_jacobian(const rattle__discrete *k, int end) {
  return rattle__discrete_source(k, k->first_J) + (k->m ? end * k->step.map.context->problem->g->jac_nnz : 0);
}
static inline double *rattle__discrete_psi_derivative(const rattle__discrete *k, int end) {
  return rattle__discrete_source(k, k->first_psi) + (k->m ? end * k->rows->nnz : 0);
}

/* H, its gradient (both optional: NULL) and, if there are constraints, g and g' at a point. */
rattle_status rattle__discrete_energy(rattle__discrete *k, const double *z, double *H, double *gradient, rattle_error *error);
rattle_status rattle__discrete_constraint(rattle__discrete *k, const double *z, double *g, double *J, rattle_error *error);
/* H, g and psi at both ends of the chord, and the sum of their discrete gradients with the multipliers of step.x in chord.total.
 */
rattle_status rattle__discrete_sum(rattle__discrete *k, const double *z1, rattle_error *error);
#endif
