#ifndef RATTLE__INSTANCE_H
#define RATTLE__INSTANCE_H
/* The problem at one value of a parameter of its model, with what makes its steps. */
#include "rattle/orbit.h"
#include "rattle/slide.h"

typedef struct rattle__instance {
  double value; /* of the parameter; NaN: there is none */
  const rattle_problem *problem;
  rattle_tangent *tangent;
  rattle_slider *slider; /* NULL if m = 0 */
  rattle_model *model;   /* NULL: the problem is the caller's */
  rattle_problem *own;
} rattle__instance;

/* A parameter that can be changed: by reading the text of the model anew. */
typedef struct rattle__dial {
  const char *name;           /* NULL: no parameter changes */
  const rattle_problem *base; /* the problem of the first value */
  const char *method;
  rattle_status (*parse)(rattle_model **model, const char *text, const char *name,
                         const rattle_model_options *options, rattle_error *error);
  double unit; /* what counts as 1: the length of the way that is asked for */
} rattle__dial;

/* Steps of `method` for the caller's problem. On failure destroy all the same. */
rattle_status rattle__instance_of(rattle__instance *instance, const rattle_problem *problem,
                                  const char *method, rattle_error *error);
/* The value that the model of the base has. RATTLE_BAD_ARGUMENT: it has no such parameter, with the
 * nearest name, or no text. */
rattle_status rattle__dial_value(const rattle__dial *dial, double *value, rattle_error *error);
/* The model read anew with that value. RATTLE_UNSUITABLE: it is then a problem of other coordinates
 * or constraints. */
rattle_status rattle__instance_at(rattle__instance *instance, const rattle__dial *dial,
                                  double value, rattle_error *error);
/* Makes `at` the instance of another value, and `other` the one before; on failure `at` does not
 * change. The memory of the old `other` is used again. */
rattle_status rattle__instance_turn(rattle__instance *at, rattle__instance *other,
                                    const rattle__dial *dial, double value, rattle_error *error);
void rattle__instance_exchange(rattle__instance *a, rattle__instance *b);
void rattle__instance_destroy(rattle__instance *instance);
#endif
