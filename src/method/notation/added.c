/* The list of plug-ins. Threads may read and add at the same time: a link is set once, by whoever
 * is first. */
#include "method/notation/added.h"

#include <string.h>

static _Atomic(rattle__added *) first;

rattle__added *rattle__added_next(const rattle__added *plugin) {
  return plugin ? atomic_load(&plugin->next) : atomic_load(&first);
}

const rattle__added *rattle__added_push(rattle__added *plugin,
                                        int (*clashes)(const rattle__added *other,
                                                       const rattle__added *plugin)) {
  _Atomic(rattle__added *) *link = &first;
  for (;;) {
    rattle__added *other = NULL;
    if (atomic_compare_exchange_strong(link, &other, plugin)) return NULL;
    if (clashes(other, plugin)) return other;
    link = &other->next;
  }
}

const rattle_method_row *rattle__added_find(const char *name, size_t length) {
  for (const rattle__added *at = NULL; (at = rattle__added_next(at));)
    for (int i = 0; i < at->rows; i++)
      if (strlen(at->row[i].row.name) == length && !memcmp(at->row[i].row.name, name, length))
        return &at->row[i].row;
  return NULL;
}
