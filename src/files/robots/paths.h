#ifndef RATTLE__PATHS_H
#define RATTLE__PATHS_H
#include "files/robots/xml.h"

/* The path of a file in a folder below that of the document, NULL if it is not below it; folder:
 * NULL, that of the document. */
char *rattle__robot_path(rattle__document *document, const char *folder, const char *name);
#endif
