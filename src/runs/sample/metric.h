#ifndef RATTLE__METRIC_H
#define RATTLE__METRIC_H
/* The metric of a chain, learned in its warm-up: masses 1/W_i by which all coordinates are about as
 * fast, measured by their spread. Any W leaves the measure exact (kernel.h): it changes with the
 * warm-up alone.
 *
 * Rule     after the first eighth of the warm-up, the variances v_i of q_i are taken over windows
 *          that end at a quarter, at a half and at seven eighths of it. At the end of each
 *          log(W_i/D_i) = (log r_i - mean of log r) count/(count + 5), r_i = v_i/D_i, D = diag M^-1
 * Source   windows, and the 5: Stan Development Team, Stan Reference Manual, section on HMC
 *          (Euclidean metric); means and variances: B. P. Welford, Technometrics 4 (1962) 419
 * Differs from the source in  variances are relative to those of D, on average, and drawn to these
 *          by their logarithms: units do not matter, and steps and lengths keep their meaning */
#include "rattle/status.h"

typedef struct rattle__metric {
  int n;                /* 0: no metric is learned */
  const double *D;      /* [n] of the problem */
  double *W;            /* [n] 1/masses; all 0: those of the problem, until the first window ends */
  double count;         /* draws of the window */
  double *mean, *about; /* [n] of them; sum of squares about the mean */
} rattle__metric;

/* How many numbers its state has: W, count, mean, about. */
#define RATTLE__METRIC_NUMBERS(n) (3 * (n) + 1)

rattle_status rattle__metric_create(rattle__metric *metric, int n, const double *D,
                                    rattle_error *error);
void rattle__metric_release(rattle__metric *metric);
/* After `done` transitions of the warm-up the chain is at q; and whether a window has ended there,
 * which makes W by the draws. */
void rattle__metric_see(rattle__metric *metric, long long done, long long warmup, const double *q);
int rattle__metric_learned(rattle__metric *metric, long long done, long long warmup);
static inline int rattle__metric_is_set(const rattle__metric *metric) {
  double most = 0;
  for (int i = 0; i < metric->n; i++) most = metric->W[i] > most ? metric->W[i] : most;
  return most > 0;
}

void rattle__metric_get_state(const rattle__metric *metric, double *state);
/* 1 if these numbers are the state of one. */
int rattle__metric_set_state(rattle__metric *metric, const double *state);
#endif
