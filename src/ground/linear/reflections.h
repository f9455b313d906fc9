#ifndef RATTLE__REFLECTIONS_H
#define RATTLE__REFLECTIONS_H
/* Householder's reflections 1 - tau v v^T, v_0 = 1, and Q R of dense matrices by columns. */
#include "rattle/status.h"

/* x[n] becomes beta e_0 for the reflection whose v_1 ... v_n-1 are left behind x_0 = beta. Returns
 * tau; 0: x is a multiple of e_0 already. */
double rattle__reflection(int n, double *x);
/* y[n] <- (1 - tau v v^T) y; v_0 counts as 1, whatever is there. */
void rattle__reflect(int n, const double *v, double tau, double *y);

/* Q R of A [rows*columns]: R in its upper triangle, the vectors of Q = H_0 H_1 ... below; tau
 * [min(rows, columns)]. With `order` [columns] the columns of A are taken in that order, each time
 * the one of which most is left. */
void rattle__factor_qr(int rows, int columns, double *A, double *tau, int *order);
/* y[rows] <- Q^T y, or Q y, of `count` reflections. */
void rattle__times_q(int rows, int count, const double *A, const double *tau, int transposed,
                     double *y);
/* How many singular values of R, with the columns in order, are above a number between `low` and
 * `high`: r where what is left after r rows is at most `low`, so that there are no more, and
 * 1/|R_11^-1|, which is at most the r-th, is above `high`. -1: it takes their values to tell.
 * x[min(rows, columns)] scratch. */
int rattle__rank_by_blocks(int rows, int columns, const double *A, double low, double high,
                           double *x);

/* Divides A [count] by 2^*exponent, so that its largest entry is about 1 and squares are in range.
 * RATTLE_DOMAIN: an entry is not finite. */
rattle_status rattle__to_range(size_t count, double *A, int *exponent, rattle_error *error);
#endif
