#ifndef RATTLE__SPARK_H
#define RATTLE__SPARK_H
/* The shorter way to a step of spark(s) with constraints g(q); that for any H: spark_stages.h. */
#include "maps/constrained/spark_state.h"
#include "maps/wrap/wrap.h"

/* Natural H: an iteration for the multipliers. Steps that it does not make without doubt are left
 * to `general`, which it owns, also where this fails. */
rattle_status rattle__spark_natural_create(rattle__map **map, rattle__context *context, int stages,
                                           rattle__map *general, rattle_error *error);

/* The pair: weights b, nodes c, w = a ahat; its last column is 0. */
typedef struct rattle__spark_pair {
  int s;
  double b[RATTLE__STAGES], c[RATTLE__STAGES], w[RATTLE__STAGES][RATTLE__STAGES];
} rattle__spark_pair;

/* Many steps as machine code for the problem (spark_run.h), and the library that holds them, to be
 * unloaded; both NULL if the problem's functions are not machine code, or too large to be written
 * out, or there is no compiler. */
typedef long long (*rattle__spark_run)(rattle__stages *k, const double *h, int stages,
                                       long long steps, double *z, double *range);
rattle__spark_run rattle__spark_native(const rattle__context *context,
                                       const rattle__spark_pair *pair, void **library);
#endif
