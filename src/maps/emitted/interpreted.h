/* The words of step and run_loop.h for the library's own instance, whose parts are interpreted:
 * included once in a file, after stepper.h. */
#ifndef RATTLE__INTERPRETED_H
#define RATTLE__INTERPRETED_H
#include <string.h>

#include "constraint/equation/iterate.h"
#include "maps/emitted/stepper.h"

#define STEPPER ((const rattle__stepper *)k->self)
#define N (STEPPER->n)
#define M (STEPPER->m)
#define U (STEPPER->unknowns)
#define AT_ENERGY (STEPPER->energy)
#define CURVED (STEPPER->curved)
#define BENT (STEPPER->bent)
#define KERNEL_NAME(part) interpreted_##part
#define KERNEL_LINKAGE static
#define KERNEL_INLINE static inline
#define KERNEL_SHARED static inline
#define KERNEL_UNROLL
#define KERNEL_NUMBERS REAL *x = outer->x, *y = outer->y;
#define IS_KEPT (outer->is_known && !memcmp(outer->x, z, 2 * (size_t)N * sizeof *z))
#define PART(name) rattle__emitted_run_part(&STEPPER->parts, PART_##name, x, y);
#define PART_WHERE(active, name) (void)(active), PART(name) /* of one trajectory it is active */
#include "maps/emitted/eliminated.h"
#include "maps/emitted/elimination.h"
#include "maps/emitted/largest.h"
#endif
