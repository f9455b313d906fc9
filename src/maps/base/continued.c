/* Polynomials through the values of a step, at the nodes of the next one. See continued.h. */
#include "maps/base/continued.h"

void rattle__continued_create(rattle__continued *c, rattle__context *context, const double *time,
                              int count, int width, int ended) {
  double from[RATTLE__STAGES], to[RATTLE__STAGES];
  for (int j = 0; j < count; j++) from[j] = time[j], to[j] = 1 + time[j];
  from[count] = 1;
  *c = (rattle__continued){
      .count = count,
      .width = width,
      .memory = rattle__context_memory(context, 1 + count * width),
  };
  rattle__continuation_coefficients(count + ended, from, count, to, c->weight);
}
