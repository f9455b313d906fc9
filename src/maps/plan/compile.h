#ifndef RATTLE__COMPILE_H
#define RATTLE__COMPILE_H
#include "maps/base/base.h"

/* The map of a method expression for the context's problem. On failure *map may be a part to
 * destroy, or NULL. */
rattle_status rattle__compile(rattle__map **map, rattle__context *context, const rattle__node *node,
                              rattle_error *error);
#endif
