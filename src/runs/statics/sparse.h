#ifndef RATTLE__SPARSE_STATICS_H
#define RATTLE__SPARSE_STATICS_H
/* Inside of an equilibrium of many coordinates: sparse.c, its matrices; sparse_search.c, the
 * search; sparse_modes.c, the lowest modes. Natural H with diagonal M, no forces.
 *
 * Symbols  S = H_qq, C = lambda . g_qq, G = g_q, M; what never moves has a row 1 of its own
 * Saddle   (S + C + mu M, G^T; G, 0), by KLU
 * Definite K + mu > 0 along the constraints if S + C + mu M + rho G^T G is positive definite, by
 *          L D L^T without pivots; rho rises by steps until it is. The reverse holds for rho large
 *          enough, but not for the rho that round-off leaves
 */
#include "ground/linear/assembly.h"
#include "runs/statics/statics.h"

typedef struct rattle__sparse {
  rattle_equilibrium *s;
  double *M;                         /* [n], 0 of what never moves */
  double *x;                         /* right sides and solutions of the saddle [n+m] */
  double *v, *room;                  /* of derivatives along a direction */
  int *colour, colours;              /* of coordinates: no row of G has two of a colour */
  int *pairs;                        /* where row i begins among pairs of its entries [m+1] */
  double *C;                         /* of each such pair [pairs[m]] */
  rattle__assembly *saddle, *raised; /* sources: S, G, C, M; raised: rho G^T G too */
  rattle__linear *ldl;               /* of raised */
} rattle__sparse;

rattle_status rattle__sparse_open(rattle__sparse *p, rattle_equilibrium *s, rattle_error *error);
void rattle__sparse_close(rattle__sparse *p);
/* lambda [m]: those that leave the least of H_q + G^T lambda, in the metric of the masses. */
rattle_status rattle__sparse_multipliers(rattle__sparse *p, rattle_error *error);
/* C of lambda, and the sources of both matrices. */
rattle_status rattle__sparse_curve(rattle__sparse *p, rattle_error *error);
/* The saddle, factored. */
rattle_status rattle__sparse_factor(rattle__sparse *p, double mu, rattle_error *error);
/* 1: K + mu is positive definite; 0: it is not, or that is not known. */
int rattle__sparse_is_definite(rattle__sparse *p, double mu);
/* A bound of the eigenvalues of S + C over masses, by sums of rows; 1 where that is 0. */
double rattle__sparse_scale(const rattle__sparse *p);
/* The equilibrium near q, and its lowest modes. */
rattle_status rattle__sparse_find(rattle_equilibrium *s, const double *q, rattle_error *error);
/* The result's modes; shift: K + shift is positive definite. */
rattle_status rattle__sparse_modes(rattle__sparse *p, double shift, rattle_error *error);
#endif
