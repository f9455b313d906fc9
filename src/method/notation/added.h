#ifndef RATTLE__ADDED_H
#define RATTLE__ADDED_H
/* Rows that plug-ins add to the table while the program runs: a list that only grows, so that
 * whoever has found a row keeps it. */
#include <stdatomic.h>

#include "method/notation/row.h"

struct rattle_plugin;

typedef struct rattle__added rattle__added;

typedef struct rattle__added_row {
  rattle_method_row row; /* first: a row leads to this */
  const rattle__base *base;
  const void *map; /* data from which the base makes maps */
  const rattle__added *plugin;
} rattle__added_row;

/* A plug-in and its rows. */
struct rattle__added {
  const struct rattle_plugin *given; /* as the caller has it */
  const void *own;                   /* a copy that this version of the library knows all of */
  int rows;
  rattle__added_row *row;
  _Atomic(rattle__added *) next;
};

/* Those that follow one, the first after NULL; NULL: none. */
rattle__added *rattle__added_next(const rattle__added *plugin);
/* Adds a plug-in at the end, unless clashes(other, plugin) for one that is there: that is returned
 * then, else NULL. */
const rattle__added *rattle__added_push(rattle__added *plugin,
                                        int (*clashes)(const rattle__added *other,
                                                       const rattle__added *plugin));
/* The row of that name (length characters), NULL if none. */
const rattle_method_row *rattle__added_find(const char *name, size_t length);
#endif
