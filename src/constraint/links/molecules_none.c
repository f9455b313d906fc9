/* In place of molecules.c where a build has no bonds (RATTLE_BONDS=OFF): natural.c takes the
 * steps. */
#include "constraint/links/molecules.h"

rattle__links *rattle__molecules_create(const rattle_problem *problem, rattle__arena *arena) {
  (void)problem, (void)arena;
  return NULL;
}
