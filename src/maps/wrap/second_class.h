#ifndef RATTLE__SECOND_CLASS_H
#define RATTLE__SECOND_CLASS_H
/* second_class(map): what its two files share. */
#include "maps/wrap/along_fibres.h"

/* The model of (H~, phi) for the problem's split, in a graph of its own; the caller destroys it. */
rattle_status rattle__second_class_model(rattle_model **derived, const rattle_problem *problem,
                                         rattle_error *error);
#endif
