#ifndef RATTLE__DEFAULT_H
#define RATTLE__DEFAULT_H
/* The method by which a problem is integrated when none is named: the one policy, of the command,
 * the doctor and studies. */
#include "rattle/integrator.h"

typedef struct rattle__default {
  const char *wrapper, *base; /* wrapper "" if m = 0 */
  const char *method;         /* both as an expression */
  const char *why;
} rattle__default;

/* Never NULL: problems that no method can integrate have one too, which then says why. */
const rattle__default *rattle__default_of(const rattle_problem *problem);
#endif
