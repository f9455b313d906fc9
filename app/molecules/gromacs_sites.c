/* Sites of molecules of GROMACS: [ virtual_sites1 ] to [ virtual_sites4 ], [ virtual_sitesn ], and
 * [ dummies* ], their older name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/gromacs.h"

static const rattle_site_kind *kind_of(int section, int function) {
  const rattle_site_kind *kind;
  for (int k = 0; (kind = rattle_site_kind_of(k)); k++)
    if (kind->section == section && kind->function == function) return kind;
  return NULL;
}

/* Words of a line: the site, then the parents of a section that has so many, and the function; or
 * the function, and all the rest. */
static rattle_status find_kind(const gromacs_file *f, const topology_reader *r, int section,
                               topology_site *site) {
  int function = 0;
  const int at = section ? section + 1 : 1;
  const rattle_status status = gromacs_function(r, at, &function);
  if (status) return status;
  site->kind = kind_of(section, function);
  if (!site->kind)
    return topology_wrong(r, "function %d of %s is not known to GROMACS", function, f->title);
  const int more = r->words - at - 1;
  if (r->words == TOPOLOGY_WORDS)
    return topology_wrong(r, "a site of more than %d parents", TOPOLOGY_WORDS - 3);
  site->parents = section ? section : site->kind->function == 3 ? more / 2 : more;
  site->numbers = section ? more : site->kind->function == 3 ? more / 2 : 0;
  if (section ? more && more != site->kind->numbers
              : more < 1 || (site->kind->function == 3 && more % 2))
    return topology_wrong(r, "%d numbers follow function %d of %s, which has %s", more, function,
                          f->title, site->kind->text);
  return RATTLE_OK;
}

/* Parents and numbers of a line whose kind is known: in [ virtual_sitesn ] after the function,
 * weights one by one after their atoms. */
static rattle_status read_parts(const gromacs_molecule *m, const topology_reader *r, int section,
                                topology_site *site) {
  const int weights = !section && site->numbers, from = section ? 1 : 2;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < site->parents && !status; k++) {
    long long number = 0;
    const int at = from + (weights ? 2 : 1) * k;
    status = topology_whole(r, at, "an atom", 1, m->atoms, &number);
    site->parent[k] = (int)number;
    if (!status && number == site->atom)
      status = topology_wrong(r, "site %d is its own parent", site->atom);
    if (!status && weights) status = topology_number(r, at + 1, "a weight", &site->number[k]);
  }
  for (int k = 0; k < site->numbers && section && !status; k++)
    status = topology_number(r, section + 2 + k, "a number of a site", &site->number[k]);
  if (!strcmp(site->kind->name, "3fad") && site->numbers) site->number[0] *= acos(-1) / 180;
  return status;
}

rattle_status gromacs_site(gromacs_file *f, const topology_reader *r, int section) {
  gromacs_molecule *m = &f->molecule[f->molecules - 1];
  long long number = 0;
  topology_site given = {.molecule = f->molecules - 1};
  rattle_status status = topology_whole(r, 0, "an atom", 1, m->atoms, &number);
  if (status) return status;
  if (m->mass[number - 1] != 0)
    return topology_wrong(r, "atom %lld is a site of %s, and its mass is %g: a site has the mass 0",
                          number, f->title, m->mass[number - 1]);
  given.atom = (int)number;
  status = find_kind(f, r, section, &given);
  topology_site *site = status ? NULL : topology_site_add(f->t, r, &given, m->name);
  if (!site) return status ? status : RATTLE_NO_MEMORY;
  site->whole = m->site[number - 1] ? -1 : 0;
  if (site->whole) m->site[number - 1]->whole = -1;
  m->site[number - 1] = site;
  return read_parts(m, r, section, site);
}

/* Parent k, if it has no mass: its line, or NULL. */
static int is_massless(const gromacs_molecule *m, const topology_site *site, int k,
                       topology_site **line) {
  *line = m->site[site->parent[k] - 1];
  return m->mass[site->parent[k] - 1] == 0;
}

static int can_be_written(const gromacs_molecule *m, const topology_site *site) {
  topology_site *parent;
  if (site->kind->section && site->numbers != site->kind->numbers) return 0;
  for (int k = 0; k < site->parents; k++)
    if (is_massless(m, site, k, &parent) && !(parent && parent->whole == 1)) return 0;
  return 1;
}

static topology_site *undecided_parent(const gromacs_molecule *m, const topology_site *site) {
  topology_site *parent;
  for (int k = 0; k < site->parents; k++)
    if (is_massless(m, site, k, &parent) && parent && !parent->whole) return parent;
  return NULL;
}

/* Parents first; those that are waited for are not 0, so that no circle is followed twice. */
static void decide(const gromacs_molecule *m, topology_site *site) {
  enum { WAITED_FOR = 2 };
  site->after = NULL;
  while (site) {
    topology_site *parent = undecided_parent(m, site);
    if (parent) {
      site->whole = WAITED_FOR;
      parent->after = site;
      site = parent;
    } else {
      site->whole = can_be_written(m, site) ? 1 : -1;
      site = site->after;
    }
  }
}

void gromacs_sites_end(gromacs_file *f) {
  for (topology_site *s = f->t->site; s; s = s->next)
    if (!s->whole) decide(&f->molecule[s->molecule], s);
}
