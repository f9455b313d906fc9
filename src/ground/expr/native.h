#ifndef RATTLE__NATIVE_H
#define RATTLE__NATIVE_H
/* Machine code made at run time from C source, and C source made from functions.
 *
 * Objects are kept in the user's own folder, $XDG_CACHE_HOME/rattle or ~/.cache/rattle, under a
 * name that is a hash of the source, the compiler and its flags; a second run loads them without
 * compiling. */
#include <stdio.h>

#include "ground/expr/elements.h"
#include "ground/support/function.h"
#include "rattle/status.h"

/* Loads `source` as machine code, compiled by the `cc` of PATH unless that was done before. The
 * source may use nothing but C, the C library and the prelude below. RATTLE_IO if there is no
 * compiler, no safe folder, or the compiler fails. */
rattle_status rattle__native_load(const char *source, void **library, rattle_error *error);
/* True if there is a compiler. */
int rattle__compiler_is_there(void);
/* Sources that are still to be compiled, and how many the compiler failed to compile. */
typedef struct rattle__orders {
  char *source[4];
  int count, failed;
} rattle__orders;
void rattle__orders_drop(rattle__orders *orders);
/* rattle__native_load for the chosen evaluator. CACHED and COMPILE_IN_BACKGROUND do not compile:
 * RATTLE_IO if the object is missing, and the source is added to `orders`, or counted in
 * orders->failed if its compilation failed before (orders may be NULL). */
rattle_status rattle__native_get(rattle__evaluator evaluator, rattle__orders *orders,
                                 const char *source, void **library, rattle_error *error);

/* A compiler at work. */
typedef struct rattle__compilation rattle__compilation;
rattle_status rattle__compilation_start(rattle__compilation **compilation, const char *source,
                                        rattle_error *error);
/* 1: not done yet; 0: rattle__native_get finds the object; -1: failed. */
int rattle__compilation_poll(rattle__compilation *compilation);
/* Ends the compilation, finished or not, and removes its temporary files. */
void rattle__compilation_end(rattle__compilation **compilation);
/* Address of a symbol, copied into *function (a pointer to a pointer to a function). 0, or -1 if
 * there is none. */
int rattle__native_symbol(void *library, const char *name, void *function);
void rattle__native_unload(void **library); /* NULL is fine; *library becomes NULL */

/* Makes machine code of functions that came from expressions; NULL among them is allowed. Functions
 * with few elements share one object, the others have one each; library[count] receives the
 * objects, which the caller unloads after the functions. A function that is too large, or whose
 * machine code cannot be had, stays interpreted: an error with RATTLE__NATIVE alone. */
rattle_status rattle__native_attach(rattle__function *const *f, int count,
                                    rattle__evaluator evaluator, rattle__orders *orders,
                                    void **library, rattle_error *error);
/* Another function with the tables of f, which must outlive it, for machine code of its own. */
rattle_status rattle__function_twin(rattle__function **twin, const rattle__function *f,
                                    rattle_error *error);

/* Declarations that generated code needs; once, at the start of a source. */
void rattle__emit_prelude(FILE *out);
/* The same for code that steps `lanes` trajectories at once (lanes_text.h). The processor needs
 * vectors of so many lanes; every processor has 2. */
void rattle__emit_prelude_of_lanes(FILE *out, int lanes);
/* And at the end of such a source. */
void rattle__emit_end_of_lanes(FILE *out);
/* The most lanes that this processor has. */
int rattle__most_lanes(void);
/* Straight code for an f with few elements (rattle__elements_are_few, family.h):
 *     static inline void NAME_value(const REAL *restrict x, REAL *restrict F) static inline void
 *     NAME_jacobian(const REAL *restrict x, REAL *restrict F, REAL *restrict J) static inline void
 *     NAME_hessian(const REAL *restrict x, const REAL *restrict w, REAL *restrict S)
 * F of the second and w may be 0; the last exists only if f has second derivatives; the prelude
 * defines REAL. The bits are those of f. If inputs determine numbers of f, each function has one
 * more argument: const REAL *restrict number [rattle__function_inputs]. */
void rattle__emit_straight(FILE *out, const rattle__function *f, const char *name);
#endif
