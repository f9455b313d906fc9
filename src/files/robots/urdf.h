#ifndef RATTLE__URDF_H
#define RATTLE__URDF_H
#include <stdio.h>

#include "files/robots/xml.h"

/* The robot of a document whose root is <robot>, as text in Lua. */
rattle_status rattle__urdf_write(FILE *file, rattle__document *document, int module,
                                 rattle_error *error);
#endif
