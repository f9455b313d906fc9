#ifndef TOPOLOGY_GROMACS_H
#define TOPOLOGY_GROMACS_H
/* Lines of a topology of GROMACS, after its preprocessor: #include of files in the folder of the
 * including one or below, #define, #ifdef. */
#include "molecules/topology.h"

enum { GROMACS_DEPTH = 16, GROMACS_FILES = 256, GROMACS_CONDITIONS = 32 };

typedef struct gromacs_define {
  const char *name;
  char *words[TOPOLOGY_WORDS], *text;
  int count;
  struct gromacs_define *before; /* of all that were made, in use or not */
} gromacs_define;

typedef struct gromacs_lines {
  topology_reader *outer, inner[GROMACS_DEPTH]; /* the file, and those that are included */
  char *path[GROMACS_DEPTH];
  int depth, files;
  int taken[GROMACS_CONDITIONS], conditions; /* whether the lines of each #ifdef are read */
  gromacs_define *last;
  void *known; /* a tree of those in use, by name (search.h) */
  int defines;
} gromacs_lines;

/* The reader that holds the next line; NULL: there are no more, or an error. */
topology_reader *gromacs_next(gromacs_lines *lines, rattle_status *status);
void gromacs_lines_free(gromacs_lines *lines);
#endif
