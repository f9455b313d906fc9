/* Molecules of GROMACS: atoms, bonds and settles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/gromacs.h"

void gromacs_molecule_free(gromacs_molecule *m) {
  topology_list *const lists[] = {&m->bond, &m->bend, &m->spring};
  for (int l = 0; l < 3; l++) topology_list_free(lists[l]);
  free(m->type), free(m->mass), free(m->hydrogen), free(m->site);
}

rattle_status gromacs_begin_molecule(gromacs_file *f, const topology_reader *r, int unused) {
  (void)unused;
  if (!(f->molecules & (f->molecules - 1))) {
    const size_t room = f->molecules ? 2 * (size_t)f->molecules : 1;
    gromacs_molecule *wider = realloc(f->molecule, room * sizeof *wider);
    if (!wider) return RATTLE_NO_MEMORY;
    f->molecule = wider;
  }
  gromacs_molecule *m = &f->molecule[f->molecules++];
  *m = (gromacs_molecule){.bond.of = 2, .bend.of = 3, .spring.of = 2};
  return gromacs_copy_name(r, r->word[0], m->name);
}

static gromacs_molecule *last(gromacs_file *f) {
  return &f->molecule[f->molecules - 1];
}

static int widen(gromacs_molecule *m) {
  if (m->atoms < m->room) return 1;
  const size_t room = (size_t)(m->room = 2 * m->room + 16);
  const gromacs_type **type = realloc(m->type, room * sizeof *type);
  if (type) m->type = type;
  double *mass = realloc(m->mass, room * sizeof *mass);
  if (mass) m->mass = mass;
  char *hydrogen = realloc(m->hydrogen, room);
  if (hydrogen) m->hydrogen = hydrogen;
  topology_site **site = realloc(m->site, room * sizeof *site);
  if (site) m->site = site;
  return type && mass && hydrogen && site;
}

/* nr type resnr residue atom cgnr [charge [mass]] */
rattle_status gromacs_atom(gromacs_file *f, const topology_reader *r, int unused) {
  (void)unused;
  gromacs_molecule *m = last(f);
  long long number = 0;
  const long long most = f->options->most_atoms ? f->options->most_atoms : 20000000;
  if (m->atoms >= most) return topology_wrong(r, "a molecule of more than %lld atoms", most);
  rattle_status status =
      topology_whole(r, 0, "the number of an atom", m->atoms + 1, m->atoms + 1, &number);
  if (status || r->words < 5)
    return status ? status
                  : topology_wrong(r, "nr, type, resnr, residue, atom and cgnr are expected");
  const gromacs_type *type = gromacs_find_type(f, r->word[1]);
  if (!type) return topology_wrong(r, "atom type %.60s is not known", r->word[1]);
  if (!widen(m)) return RATTLE_NO_MEMORY;
  const char initial = r->word[4][0];
  m->type[m->atoms] = type, m->mass[m->atoms] = type->mass;
  m->hydrogen[m->atoms] = initial == 'H' || initial == 'h';
  m->site[m->atoms] = NULL;
  if (r->words > 7) status = topology_number(r, 7, "a mass", &m->mass[m->atoms]);
  if (!status && r->words > 8)
    status = topology_remark(f->t, r, "%s: numbers of a second state (B) are left out", f->title);
  if (!status && m->mass[m->atoms] < 0) status = topology_wrong(r, "a mass is not below 0");
  m->atoms++;
  return status;
}

static rattle_status atoms_of(const gromacs_molecule *m, const topology_reader *r, int of,
                              int *atom) {
  for (int k = 0; k < of; k++) {
    long long number = 0;
    const rattle_status status = topology_whole(r, k, "an atom", 1, m->atoms, &number);
    if (status) return status;
    atom[k] = (int)number - 1;
    for (int e = 0; e < k; e++)
      if (atom[e] == atom[k]) return topology_wrong(r, "atom %lld occurs twice", number);
  }
  return RATTLE_OK;
}

/* Bonds that no option of grompp makes constraints. */
static rattle_status potential(gromacs_file *f, const topology_reader *r, int table, int function) {
  static const char *const kinds[] = {
      [5] = "a connection", [6] = "a harmonic potential", [7] = "FENE", [8] = "a table",
      [9] = "a table",      [10] = "a restraint"};
  if (table == GROMACS_ANGLES)
    return topology_remark(f->t, r, "angles of function %d are not in the largest step", function);
  return topology_remark(f->t, r, "bonds of function %d (%s) are not kept%s", function,
                         kinds[function], function == 6 ? "" : ", and not in the largest step");
}

/* From the line or from the types; *entry.source -1: from none of them. */
static rattle_status values_of(gromacs_file *f, const topology_reader *r, int table, int function,
                               const int *atom, topology_entry *entry) {
  const int of = table == GROMACS_ANGLES ? 3 : 2;
  const gromacs_molecule *m = last(f);
  entry->source = -1;
  if (r->words > of + 1) {
    const rattle_status status = gromacs_numbers(f, r, table, function, of, entry);
    if (status) return status;
    entry->source = topology_source_of(f->t, r, f->title, entry->value);
    return entry->source < 0 ? RATTLE_NO_MEMORY : RATTLE_OK;
  }
  const gromacs_row *row = gromacs_find_row(f, m, table, function, atom);
  if (row) *entry = row->entry;
  if (row || table == GROMACS_ANGLES) return RATTLE_OK;
  return topology_wrong(r, "no length: there is no type of function %d for %s and %s", function,
                        m->type[atom[0]]->bonded, m->type[atom[1]]->bonded);
}

rattle_status gromacs_bonded(gromacs_file *f, const topology_reader *r, int table) {
  const int of = table == GROMACS_ANGLES ? 3 : 2;
  gromacs_molecule *m = last(f);
  int atom[3], function = 1, massless = 0;
  topology_entry entry = {0};
  rattle_status status = atoms_of(m, r, of, atom);
  if (!status) status = gromacs_function(r, of, &function);
  if (status) return status;
  for (int k = 0; k < of; k++) massless |= m->mass[atom[k]] == 0;
  if (table == GROMACS_CONSTRAINTS && function > 2)
    return topology_wrong(r, "constraints have the function 1 or 2, not %d", function);
  if (table == GROMACS_CONSTRAINTS && massless)
    return topology_wrong(
        r, "a constraint to an atom without mass: a site or a shell cannot have one");
  if (massless)
    return topology_remark(f->t, r, "%s to atoms without mass: such bonds and angles take no part",
                           f->title);
  if (table == GROMACS_BONDS ? function > 4
                             : table == GROMACS_ANGLES && !strchr("\1\2\5\12", function)) {
    status = potential(f, r, table, function);
    if (status || function != 6 || table == GROMACS_ANGLES) return status;
  }
  status = values_of(f, r, table, function, atom, &entry);
  if (status || entry.source < 0) return status;
  return topology_add(table == GROMACS_ANGLES                   ? &m->bend
                      : table == GROMACS_BONDS && function == 6 ? &m->spring
                                                                : &m->bond,
                      atom, entry, r->error);
}

/* oxygen, function, lengths of OH and HH; the hydrogens follow the oxygen. */
rattle_status gromacs_settle(gromacs_file *f, const topology_reader *r, int unused) {
  (void)unused;
  gromacs_molecule *m = last(f);
  long long o = 0;
  double length[2] = {0}; /* OH, HH */
  rattle_status status = topology_ends(r, 4);
  if (!status) status = topology_whole(r, 0, "an atom", 1, (long long)m->atoms - 2, &o);
  for (int k = 0; k < 2 && !status; k++) status = topology_number(r, 2 + k, "a length", &length[k]);
  const int first = (int)o - 1, pair[] = {first, first + 1, first, first + 2, first + 1, first + 2};
  for (int k = 0; k < 3 && !status; k++)
    if (m->mass[first + k] == 0) status = topology_wrong(r, "a settle has an atom without mass");
  for (int k = 0; k < 3 && !status; k++) {
    const topology_entry entry = {length[k == 2], (double)INFINITY,
                                  topology_source_of(f->t, r, "[ settles ]", length[k == 2])};
    status =
        entry.source < 0 ? RATTLE_NO_MEMORY : topology_add(&m->bond, pair + 2 * k, entry, r->error);
  }
  return status;
}
