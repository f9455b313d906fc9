#ifndef RATTLE__FUSED_WHITENED_H
#define RATTLE__FUSED_WHITENED_H
/* The text of g and V of a problem whose coordinates are whitened (problem/functions/whitened.h):
 * functions NAME_jacobian(y, F, J, number) around those of q, by numbers of L from the table. */
#include <stdio.h>

#include "problem/functions/whitened.h"

/* The own numbers of f begin at `own` in the table, those of L at `first`. */
void rattle__emit_whitened(FILE *out, const rattle__function *f, const char *name, int own,
                           int first);
#endif
