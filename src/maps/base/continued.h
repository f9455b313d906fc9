#ifndef RATTLE__CONTINUED_H
#define RATTLE__CONTINUED_H
/* Polynomials through the values of a step at its nodes, continued as the first guess of the next
 * one: declared memory. */
#include "constraint/step/context.h"
#include "method/coefficients/nodes.h"

typedef struct rattle__continued {
  int count, width;
  double *memory; /* h of the last step, 0: not known; then its values [count][width] */
  double weight[RATTLE__STAGES][RATTLE__STAGES]; /* at node i of the next step, of value j */
} rattle__continued;

/* For `width` values at each of the nodes time[count], in parts of a step; ended: the polynomials
 * have the values at the end of the step too. Without memory the arena fails. */
void rattle__continued_create(rattle__continued *c, rattle__context *context, const double *time,
                              int count, int width, int ended);
/* Value e at node i of a step from `end`, 0 unless `ended`. */
static inline double rattle__continued_at(const rattle__continued *c, int i, int e, double end) {
  const double *value = c->memory + 1 + e;
  double sum = 0;
  for (int j = 0; j < c->count; j++) sum += c->weight[i][j] * (value[j * c->width] - end);
  return end + sum;
}
#endif
