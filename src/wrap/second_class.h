#ifndef RATTLE__SECOND_CLASS_H
#define RATTLE__SECOND_CLASS_H
/* second_class(map): what its two files share. */
#include "core/method.h"
#include "map/map.h"

/* The model of (H~, phi) for the problem's split, in a graph of its own; the caller destroys it. */
rattle_status rattle__second_class_model(rattle_model **derived, const rattle_problem *problem, rattle_error *error);

/* The map of second_class(inner). On failure *map may be a part to destroy, or NULL. */
rattle_status rattle__second_class_create(rattle__map **map, rattle__context *context, const rattle__node *node,
                                          rattle_error *error);
#endif
