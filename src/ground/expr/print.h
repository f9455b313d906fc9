#ifndef RATTLE__PRINT_H
#define RATTLE__PRINT_H
#include <stddef.h>

#include "ground/support/number.h"

enum { RATTLE__NUMBER = RATTLE__NUMBER_ROOM };
/* The shortest decimal text that reads back as the same double. Returns buffer. */
char *rattle__print_number(double value, char buffer[RATTLE__NUMBER]);
#endif
