/* In place of sweeps_source.c where a build has no compiler at run time (RATTLE_NATIVE=OFF): trees
 * are swept by their tables. */
#include <stddef.h>

#include "problem/functions/sweeps_source.h"

char *rattle__sweeps_source(const rattle__model_sweeps *tree, int n, int lanes, size_t *room) {
  (void)tree, (void)n, (void)lanes;
  *room = 0;
  return NULL;
}
