#ifndef RATTLE__EMIT_H
#define RATTLE__EMIT_H
/* C text of programs. A loop body reads its instance through s (slots) and c (parameters). */
#include "ground/expr/family.h"

/* Operations of all families that are handed to a compiler, whose time for long programs grows
 * faster than they do. */
enum { RATTLE__EMIT_MOST = 12000 };

/* Declarations and operations of one program. instance >= 0: of that instance, with its columns and
 * parameters written out; -1: of the instance of a loop. text[register] is filled for
 * rattle__emit_register; [registers]. */
void rattle__emit_program(FILE *out, const rattle__family *f, const rattle__program *p,
                          int instance, int *text);
/* A register after that program, as an operand. */
void rattle__emit_register(FILE *out, const rattle__family *f, const rattle__program *p,
                           int instance, const int *text, int at);
/* emit.c: straight code in addition to that of rattle__emit_straight, for an f that has them:
 *     static inline void NAME_along(const double *restrict x, const double *restrict v, double
 *     *restrict J) static inline void NAME_row(int r, const double *restrict x, double *restrict F,
 *     double *restrict J) */
void rattle__emit_straight_along(FILE *out, const rattle__function *f, const char *name);
void rattle__emit_straight_row(FILE *out, const rattle__function *f, const char *name);
/* emit_loop.c: the functions rattle_value, rattle_jacobian, rattle_hessian, rattle_along of a
 * rattle__function, as loops over instances, and for single rows the table rattle_both of the loops
 * of BOTH. */
void rattle__emit_loops(FILE *out, const rattle__function *f);
#endif
