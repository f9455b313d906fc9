#ifndef RATTLE__METRIC_H
#define RATTLE__METRIC_H
/* The metric of a chain, learned in its warm-up: masses W^-1 by which all coordinates, or all their
 * linear combinations, are about as fast, measured by their spread. Any W leaves the measure exact
 * (kernel.h): it changes with the warm-up alone.
 *
 * Rule     after the first eighth of the warm-up, the variances v_i of q_i are taken over windows
 *          that end at a quarter, at a half and at seven eighths of it. At the end of each
 *          log(W_ii/D_i) = (log r_i - mean of log r) count/(count + 5), r_i = v_i/D_i, D = diag
 *          M^-1; dense: and beside the diagonal the correlations, of which the logarithms of the
 *          eigenvalues are treated in the same way. Directions that do not vary, as those that a
 *          plane lacks, have the eigenvalue 1
 * Source   windows, and the 5: Stan Development Team, Stan Reference Manual, section on HMC
 *          (Euclidean metric); means and variances: B. P. Welford, Technometrics 4 (1962) 419
 * Differs from the source in  variances are relative to those of D, on average, and drawn to these
 *          by their logarithms: units do not matter, and steps and lengths keep their meaning */
#include "rattle/status.h"

typedef struct rattle__metric {
  int n;                /* 0: no metric is learned */
  int dense;            /* 1: W is a matrix; 0: its diagonal */
  const double *D;      /* [n] of the problem */
  double *W;            /* [n or n*n]; all 0: that of the problem, until the first window ends */
  double count;         /* draws of the window */
  double *mean, *about; /* [n] of them; [n or n*n] sum of squares about the mean, and products */
} rattle__metric;

rattle_status rattle__metric_create(rattle__metric *metric, int n, int dense, const double *D,
                                    rattle_error *error);
void rattle__metric_release(rattle__metric *metric);
/* After `done` transitions of the warm-up the chain is at q; and whether a window has ended there
 * that makes W by its draws: one in which nothing moved leaves W as it is. */
void rattle__metric_see(rattle__metric *metric, long long done, long long warmup, const double *q);
rattle_status rattle__metric_learned(rattle__metric *metric, long long done, long long warmup,
                                     int *learned, rattle_error *error);
int rattle__metric_is_set(const rattle__metric *metric);

/* How many numbers its state has: W, mean, about, count; none where no metric is learned. */
int rattle__metric_numbers(const rattle__metric *metric);
void rattle__metric_get_state(const rattle__metric *metric, double *state);
/* 1 if these numbers are the state of one, but that a dense W may not be positive definite. */
int rattle__metric_set_state(rattle__metric *metric, const double *state);
#endif
