#ifndef RATTLE__NATIVE_H
#define RATTLE__NATIVE_H
/* Machine code made at run time from C source, and C source made from functions.
 *
 * Objects are kept in the user's own folder, $XDG_CACHE_HOME/rattle or ~/.cache/rattle, under a name that is a hash of the
 * source, the compiler and its flags; a second run loads them without compiling. */
#include <stdio.h>

#include "ground/expr/elements.h"
#include "ground/support/function.h"
#include "rattle/status.h"

/* Loads `source` as machine code, compiled by the `cc` of PATH unless that was done before. The source may use nothing but C,
 * the C library and the prelude below. RATTLE_IO if there is no compiler, no safe folder, or the compiler fails. */
rattle_status rattle__native_load(const char *source, void **library, rattle_error *error);
/* Whether there is a compiler. */
int rattle__compiler_is_there(void);
/* Sources that were wanted and not compiled before, and how many the compiler failed to compile. */
typedef struct rattle__orders {
  char *source[4];
  int count, failed;
} rattle__orders;
void rattle__orders_drop(rattle__orders *orders);
/* The same by the evaluator that is wanted: with RATTLE__CACHED and RATTLE__MEANWHILE RATTLE_IO, too, where it was not compiled before;
 * it is then ordered. Where it was compiled and that failed, it is counted (orders may be NULL). */
rattle_status rattle__native_get(rattle__evaluator evaluator, rattle__orders *orders, const char *source, void **library,
                                 rattle_error *error);

/* A compiler at work. */
typedef struct rattle__compilation rattle__compilation;
rattle_status rattle__compilation_start(rattle__compilation **compilation, const char *source, rattle_error *error);
/* 1: not done yet; 0: rattle__native_get finds the object; -1: failed. */
int rattle__compilation_poll(rattle__compilation *compilation);
/* Ends it, done or not, and removes what is temporary. */
void rattle__compilation_end(rattle__compilation **compilation);
/* Address of a symbol, copied into *function (a pointer to a pointer to a function). 0, or -1 if there is none. */
int rattle__native_symbol(void *library, const char *name, void *function);
void rattle__native_unload(void **library); /* NULL is fine; *library becomes NULL */

/* Makes functions from expressions machine code; NULL among them is fine. Those with few elements are in one object, others each in
 * one; library[count] receives what the caller unloads after the functions. Those that are too large, or are not had, remain as they
 * are: an error with RATTLE__NATIVE alone. */
rattle_status rattle__native_attach(rattle__function *const *f, int count, rattle__evaluator evaluator, rattle__orders *orders,
                                    void **library, rattle_error *error);
/* Another function with the tables of f, which must outlive it, for machine code of its own. */
rattle_status rattle__function_twin(rattle__function **twin, const rattle__function *f, rattle_error *error);

/* Declarations that generated code needs; once, at the start of a source. */
void rattle__emit_prelude(FILE *out);
/* The same for code that steps so many trajectories at once (lanes_text.h), of which this processor has a vector: 2 everywhere. */
void rattle__emit_prelude_of_lanes(FILE *out, int lanes);
/* And at the end of such a source. */
void rattle__emit_end_of_lanes(FILE *out);
/* The most lanes that this processor has. */
int rattle__most_lanes(void);
/* Straight code for an f with few elements (rattle__elements_are_few, family.h):
 *     static inline void NAME_value(const REAL *restrict x, REAL *restrict F)
 *     static inline void NAME_jacobian(const REAL *restrict x, REAL *restrict F, REAL *restrict J)     F may be 0
 *     static inline void NAME_hessian(const REAL *restrict x, const REAL *restrict w, REAL *restrict S)   w may be 0
 * the last where f has second derivatives; REAL is that of the prelude. Bits are those of f. Where numbers of f follow from inputs, each has
 * them as a further argument: const REAL *restrict number [rattle__function_inputs]. */
void rattle__emit_straight(FILE *out, const rattle__function *f, const char *name);
#endif
