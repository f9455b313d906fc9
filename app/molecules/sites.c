/* The list of constructed sites of a topology. */
#include <stdlib.h>
#include <string.h>

#include "molecules/topology.h"

topology_site *topology_site_add(topology *t, const topology_reader *r, const topology_site *site,
                                 const char *molecule) {
  const size_t numbers = (size_t)site->numbers * sizeof *site->number,
               parents = (size_t)site->parents * sizeof *site->parent, path = strlen(r->path) + 1,
               name = strlen(molecule) + 1;
  topology_site *made = calloc(1, sizeof *made + numbers + parents + path + name);
  if (!made) return NULL;
  *made = *site;
  made->number = (double *)(made + 1);
  made->parent = (int *)(made->number + site->numbers);
  char *text = (char *)(made->parent + site->parents);
  made->path = memcpy(text, r->path, path);
  made->name = memcpy(text + path, molecule, name);
  made->line = r->line;
  if (t->last_site)
    t->last_site->next = made;
  else
    t->site = made;
  return t->last_site = made;
}

void topology_sites_free(topology *t) {
  for (topology_site *s = t->site, *next; s; s = next) next = s->next, free(s);
  t->site = t->last_site = NULL;
}
