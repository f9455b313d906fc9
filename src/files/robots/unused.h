#ifndef RATTLE__UNUSED_H
#define RATTLE__UNUSED_H
/* The parts of a document that a reader did not use, named. */
#include <stdio.h>

#include "files/robots/xml.h"

/* The entry `not_used` of the metadata, in Lua: the note, unless it is NULL, the mass that the
 * ground holds, if any, and one part for each kind of element or attribute. Nothing where all was
 * used. Names in XML need no quoting in Lua. */
void rattle__unused_write(FILE *file, const rattle__document *document, double held,
                          const char *note);
#endif
