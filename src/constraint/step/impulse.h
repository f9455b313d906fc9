#ifndef RATTLE__IMPULSE_H
#define RATTLE__IMPULSE_H
/* The changes of a point by the slides of a step along fibres, summed up if somebody asked for it
 * (rattle/slide.h). */
#include <string.h>

#include "constraint/step/context.h"

/* A slide from z0 to z, both [2n]. */
static inline void rattle__record_slide(rattle__context *context, const double *z0,
                                        const double *z) {
  if (!context->impulse) return;
  const int n = context->problem->n;
  for (int k = 0; k < n; k++) {
    context->impulse[k] += z[n + k] - z0[n + k];
    context->virial += z[k] * (z[n + k] - z0[n + k]);
  }
}

/* p -= c J^T w at q, G(q) being J in the pattern of g. */
static inline void rattle__record_kick(rattle__context *context, double c, const double *J,
                                       const double *w, const double *q) {
  if (!context->impulse) return;
  const rattle__function *g = context->problem->g;
  for (int i = 0; i < g->rows; i++)
    for (int e = g->jac_ptr[i]; e < g->jac_ptr[i + 1]; e++) {
      const int k = g->jac_col[e];
      context->impulse[k] -= c * J[e] * w[i];
      context->virial -= c * J[e] * w[i] * q[k];
    }
}
#endif
