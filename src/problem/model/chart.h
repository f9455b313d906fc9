#ifndef RATTLE__CHART_H
#define RATTLE__CHART_H
/* Coordinates that follow from others, x = X(q), with momenta P(q, p): the positions of bodies by
 * the joints between them. */
#include "problem/model/model.h"

typedef struct rattle__chart {
  int count;            /* of pairs that follow */
  int *pair;            /* [count] ascending */
  rattle_expr *x, *p;   /* [count] X and P, in the pairs that stay */
  double *mass;         /* [count] of p = mass x', for starts */
  rattle_expr kinetic;  /* T in the pairs that stay */
  unsigned char *moved; /* [n] 1: a pair that some X depends on, whose start follows where it was
                           not given */
  rattle_expr *awaited; /* [awaits of the model] in any pairs */
} rattle__chart;

void rattle__chart_destroy(rattle__chart **chart);
/* Replaces the pairs of the chart in all that the model holds; H is that of the pairs that stay
 * already. They are observed under their names. Forces on them act along X_q, start momenta are
 * X_q^T P of theirs. BAD_MODEL: the start is not one of the pairs that stay, or the multiplier of
 * a body is asked for. */
rattle_status rattle__model_apply_chart(rattle_model *model, const rattle__chart *chart,
                                        rattle_error *error);
#endif
