/* In place of ball_source.c where a build has no compiler at run time (RATTLE_NATIVE=OFF): programs
 * of bounds are interpreted. */
#include <stddef.h>

#include "ground/expr/ball_program.h"

void rattle__ball_programs_compile(rattle__ball_programs *const *p, int count,
                                   rattle__evaluator evaluator, rattle__orders *orders,
                                   void **library) {
  (void)p, (void)count, (void)evaluator, (void)orders;
  *library = NULL;
}
