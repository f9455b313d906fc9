#ifndef RATTLE__NATIVE_H
#define RATTLE__NATIVE_H
/* Machine code made at run time from C source, and C source made from functions.
 *
 * Objects are kept in the user's own folder, $XDG_CACHE_HOME/rattle or ~/.cache/rattle, under a name that is a hash of the
 * source, the compiler and its flags; a second run loads them without compiling. */
#include <stdio.h>

#include "support/function.h"
#include "rattle/status.h"

/* Loads `source` as machine code, compiled by the `cc` of PATH unless that was done before. The source may use nothing but C,
 * the C library and the prelude below. RATTLE_IO if there is no compiler, no safe folder, or the compiler fails. */
rattle_status rattle__native_load(const char *source, void **library, rattle_error *error);
/* Address of a symbol, copied into *function (a pointer to a pointer to a function). 0, or -1 if there is none. */
int rattle__native_symbol(void *library, const char *name, void *function);
void rattle__native_unload(void **library); /* NULL is fine; *library becomes NULL */

/* Declarations that generated code needs; once, at the start of a source. */
void rattle__emit_prelude(FILE *out);
/* Straight code for an f with few elements (rattle__elements_are_few, family.h):
 *     static inline void NAME_value(const double *restrict x, double *restrict F)
 *     static inline void NAME_jacobian(const double *restrict x, double *restrict F, double *restrict J)     F may be 0
 *     static inline void NAME_hessian(const double *restrict x, const double *restrict w, double *restrict S)   w may be 0
 * the last where f has second derivatives. Bits are those of f. */
void rattle__emit_straight(FILE *out, const rattle__function *f, const char *name);
#endif
