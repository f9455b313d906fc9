#ifndef RATTLE__GAUSS_SEIDEL_H
#define RATTLE__GAUSS_SEIDEL_H
/* Gauss-Seidel sweeps over constraints, one row after the other.
 *
 * Symbols: g [m]; J = g_q at q, B0 = g_q M^-1 at q0, all in the pattern of g; R_i = J_i B0_i^T; A_i
 * = J_i B_i^T. */
#include "ground/support/function.h"

typedef struct rattle__gauss_seidel {
  const rattle__function *g; /* only its member `row` is used */
  double *value;             /* [m] residuals as the last sweep met them */
  double *inverse_floor;     /* [m] 1 / (their round-off level) */
  const double *least; /* [g->vars] by how much more than its size a coordinate, or a momentum,
                          counts in those levels */
  double *J, *work;    /* [jac_nnz], [g->work] */
  int worst;    /* row of the largest residual over its round-off level, or the one that ended a
                sweep early */
  int answer;   /* of a callback, 0 unless one ended the sweep */
  int singular; /* 1: R_i or A_i of row `worst` vanished and ended it */
} rattle__gauss_seidel;

/* For each i: d = g_i(q) / R_i, q -= B0_i^T d, sum_i += d. Returns the largest |g_i| as met over
 * its round-off level; NaN if a row could not be done (q being the point where that was). q0: the
 * levels are taken at this sweep; else NULL. */
double rattle__gauss_seidel_positions(rattle__gauss_seidel *s, const double *q0, const double *B0,
                                      double *q, double *sum);

/* For each i: d = B_i p / A_i, p -= J_i^T d. Returns as above; is_first: the levels are taken at
 * this sweep. */
double rattle__gauss_seidel_momenta(rattle__gauss_seidel *s, int is_first, const double *J,
                                    const double *B, double *p);

/* Round-off levels of single rows become those of the residuals that sweeps leave: row j is solved
 * to its own level, so that its corrections are off by that over R_j, and coordinate c by |B0_jc|
 * times as much, which row i meets. J is that of the last sweep; moved [g->vars] is scratch. */
void rattle__gauss_seidel_spread(rattle__gauss_seidel *s, const double *B0, double *moved);

/* Spectral radius of the Gauss-Seidel matrix of J B^T, the factor by which a sweep converges, from
 * below, by power iteration; w [m] and p [g->vars] are scratch. */
double rattle__gauss_seidel_rate(const rattle__gauss_seidel *s, const double *J, const double *B,
                                 double *w, double *p);
#endif
