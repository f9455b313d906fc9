#ifndef RATTLE__DRIFT_H
#define RATTLE__DRIFT_H
/* Drifts of natural problems with compensated sums. */
#include "problem/mass.h"
#include "step/carry.h"

/* q + carry += c W (p + low), carry [n], low [n] being what rounding took from p, or NULL: nothing */
static inline void rattle__carry_drift_all(const rattle__mass *W, double c, double *q, double *carry, const double *p,
                                           const double *low) {
  for (int k = 0; k < W->n && !W->value; k++) rattle__carry_drift(q + k, carry + k, c * W->diagonal[k], p[k], low ? low[k] : 0);
  for (int k = 0; k < W->n && W->value; k++)
    for (int e = W->ptr[k]; e < W->ptr[k + 1]; e++)
      rattle__carry_drift(q + k, carry + k, c * W->value[e], p[W->col[e]], low ? low[W->col[e]] : 0);
}
#endif
