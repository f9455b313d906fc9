#ifndef SWEEP_PAGE_H
#define SWEEP_PAGE_H
#include "many/sweep/sweep.h"

/* Writes the page of the file of cases at `path`. */
rattle_status sweep_write_page(FILE *out, const char *path, rattle_error *error);
#endif
