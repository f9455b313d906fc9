/* In place of compile.c where a build has no compiler at run time (RATTLE_NATIVE=OFF): nothing is
 * compiled, and the interpreter evaluates everything. */
#include <stdlib.h>

#include "ground/expr/native.h"
#include "ground/support/error.h"

static rattle_status none(rattle_error *error) {
  return rattle__fail(error, RATTLE_IO, NULL,
                      "this build has no native evaluator (RATTLE_NATIVE=OFF): use auto or block");
}

rattle_status rattle__native_load(const char *source, void **library, rattle_error *error) {
  (void)source;
  *library = NULL;
  return none(error);
}

int rattle__compiler_is_there(void) {
  return 0;
}

void rattle__orders_drop(rattle__orders *orders) {
  orders->count = orders->failed = 0;
}

rattle_status rattle__native_get(rattle__evaluator evaluator, rattle__orders *orders,
                                 const char *source, void **library, rattle_error *error) {
  (void)evaluator, (void)orders;
  return rattle__native_load(source, library, error);
}

rattle_status rattle__compilation_start(rattle__compilation **compilation, const char *source,
                                        rattle_error *error) {
  (void)source;
  *compilation = NULL;
  return none(error);
}

int rattle__compilation_poll(rattle__compilation *compilation) {
  (void)compilation;
  return -1;
}

void rattle__compilation_end(rattle__compilation **compilation) {
  *compilation = NULL;
}

int rattle__native_symbol(void *library, const char *name, void *function) {
  (void)library, (void)name, (void)function;
  return -1;
}

void rattle__native_unload(void **library) {
  *library = NULL;
}
