#ifndef RATTLE__CUSTOM_H
#define RATTLE__CUSTOM_H
#include "maps/base/base.h"

/* The base of all rows of plug-ins: it makes maps of the rattle_base_map that the row was added
 * with. */
extern const rattle__base rattle__custom;
/* The words for a problem's kind in the row of such a map, as in methods.def; NULL: there are none
 * for these flags. */
const char *rattle__custom_needs(int flags);
#endif
