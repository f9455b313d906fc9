#ifndef RATTLE__DRIFT_H
#define RATTLE__DRIFT_H
/* Drifts of natural problems, and of those with time. */
#include "problem/functions/mass.h"
#include "constraint/step/carry.h"

/* q + carry += c W (p + low), carry [n], low [n] being what rounding took from p, or NULL:
 * nothing */
static inline void rattle__carry_drift_all(const rattle__mass *W, double c, double *q,
                                           double *carry, const double *p, const double *low) {
  for (int k = 0; k < W->n && !W->value; k++)
    rattle__carry_drift(q + k, carry + k, c * W->diagonal[k], p[k], low ? low[k] : 0);
  for (int k = 0; k < W->n && W->value; k++)
    for (int e = W->ptr[k]; e < W->ptr[k + 1]; e++)
      rattle__carry_drift(q + k, carry + k, c * W->value[e], p[W->col[e]],
                          low ? low[W->col[e]] : 0);
}

/* q = q0 + c W p, and time by c. carry [2n]: compensated sums, and q0 is in q; NULL: q may be
 * q0. */
static inline void rattle__drift(const rattle__mass *W, double c, const double *q0,
                                 const double *restrict p, double *q, double *carry) {
  if (carry)
    rattle__carry_drift_all(W, c, q, carry, p, carry + W->n);
  else
    rattle__mass_drift(W, c, q0, p, q);
  if (W->clock && carry) rattle__carry_add(q + W->clock - 1, carry + W->clock - 1, c);
  if (W->clock && !carry) q[W->clock - 1] += c;
}
#endif
