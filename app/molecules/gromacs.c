/* Topologies of GROMACS: masses, bonds of types 1 to 3, constraints, settles, harmonic angles, and
 * molecules. Bonds are kept as by constraints = all-bonds. */
#include "molecules/gromacs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 24, MOST_TYPES = 20000 };

typedef struct atom_type {
  char name[NAME], bonded[NAME];
  double mass;
} atom_type;

/* A row of bondtypes, constrainttypes or angletypes. */
typedef struct bonded_type {
  char name[3][NAME];
  double value, constant;
} bonded_type;

typedef struct molecule {
  char name[NAME];
  int *type; /* of each atom, in the table of atom types */
  double *mass;
  int atoms, room;
  topology_list bond, bend; /* atoms from 0 on */
} molecule;

enum { BOND_TYPES, CONSTRAINT_TYPES, ANGLE_TYPES, TABLES };

typedef struct gromacs_file {
  topology *t;
  gromacs_lines lines;
  const topology_options *options;
  atom_type *type;
  int types;
  bonded_type *row[TABLES];
  int rows[TABLES];
  molecule *molecule;
  int molecules;
  topology_list used; /* number of the molecule, how many */
} gromacs_file;

static rattle_status copy_name(const topology_reader *r, const char *word, char *name) {
  if (strlen(word) >= NAME)
    return topology_wrong(r, "%.60s: names of more than %d characters are not understood", word,
                          NAME - 1);
  strcpy(name, word);
  return RATTLE_OK;
}

/* One more of an array in steps of powers of two; NULL: no memory. */
static void *one_more(void *array, int count, size_t size) {
  return count & (count - 1) ? array : realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

/* name [bonded type] [atomic number] mass charge ptype ... */
static rattle_status read_atom_type(gromacs_file *f, const topology_reader *r) {
  int letter = 0;
  for (int k = 3; k < r->words && k < 6 && !letter; k++)
    if (!r->word[k][1] && strchr("AVDS", r->word[k][0])) letter = k;
  if (!letter)
    return topology_wrong(r, "an atom type has a mass, a charge and one of the letters A, D, S, V");
  if (f->types == MOST_TYPES) return topology_wrong(r, "more than %d atom types", MOST_TYPES);
  atom_type *wider = one_more(f->type, f->types, sizeof *wider), made = {.mass = 0};
  if (!wider) return topology_wrong(r, "no memory for atom types");
  f->type = wider;
  rattle_status status = copy_name(r, r->word[0], made.name);
  const int bonded = letter > 3 && isalpha((unsigned char)r->word[1][0]);
  if (!status) status = copy_name(r, r->word[bonded], made.bonded);
  if (!status) status = topology_number(r, letter - 2, "a mass", &made.mass);
  if (!status) f->type[f->types++] = made;
  return status;
}

/* Bonds of types 1 to 3 with b0 and, but for Morse's, a constant; constraints with b0; harmonic
 * angles. Numbers of a second state, as many as of the first, are left out. */
static rattle_status read_parameters(const topology_reader *r, int table, int at, double *value,
                                     double *constant) {
  double second = 0;
  const char kind = r->word[at][0];
  const int numbers = table == CONSTRAINT_TYPES ? 1
                      : table == BOND_TYPES     ? (kind == '3' ? 3 : 2)
                      : kind == '5'             ? 4
                                                : 2;
  rattle_status status = RATTLE_OK;
  if (r->words != at + 1 + numbers && r->words != at + 1 + 2 * numbers)
    status = topology_wrong(
        r, "%d numbers follow type %c; it has %d, and as many again for a second state",
        r->words - at - 1, kind, numbers);
  if (!status) status = topology_number(r, at + 1, "a length or an angle", value);
  *constant = table == CONSTRAINT_TYPES ? (double)INFINITY : 0;
  if (table == CONSTRAINT_TYPES || (table == BOND_TYPES && kind == '3') || status) return status;
  status = topology_number(r, at + 2, "a force constant", &second);
  *constant = table == BOND_TYPES && kind == '2' ? 2 * second * *value * *value : second;
  if (table == ANGLE_TYPES) *value = topology_radians(*value);
  return status;
}

/* True if the kind of a bond or an angle in word `at` is one that is understood. */
static int understood(const topology_reader *r, int table, int at) {
  if (at >= r->words || r->word[at][1]) return 0;
  return strchr(table == BOND_TYPES         ? "123"
                : table == CONSTRAINT_TYPES ? "12"
                                            : "15",
                r->word[at][0]) != NULL;
}

static rattle_status read_row(gromacs_file *f, const topology_reader *r, int table) {
  const int of = table == ANGLE_TYPES ? 3 : 2;
  if (!understood(r, table, of)) return RATTLE_OK;
  if (f->rows[table] == MOST_TYPES)
    return topology_wrong(r, "more than %d types of bonds", MOST_TYPES);
  bonded_type *wider = one_more(f->row[table], f->rows[table], sizeof *wider), made = {.value = 0};
  if (!wider) return topology_wrong(r, "no memory for types of bonds");
  f->row[table] = wider;
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < of && !status; k++) status = copy_name(r, r->word[k], made.name[k]);
  if (!status) status = read_parameters(r, table, of, &made.value, &made.constant);
  if (!status) f->row[table][f->rows[table]++] = made;
  return status;
}

static const bonded_type *find_row(const gromacs_file *f, const molecule *m, int table,
                                   const int *atom) {
  const int of = table == ANGLE_TYPES ? 3 : 2;
  for (int k = 0; k < f->rows[table]; k++) {
    int same[2] = {1, 1};
    for (int e = 0; e < of; e++) {
      const char *name = f->type[m->type[atom[e]]].bonded;
      same[0] &= !strcmp(name, f->row[table][k].name[e]),
          same[1] &= !strcmp(name, f->row[table][k].name[of - 1 - e]);
    }
    if (same[0] || same[1]) return &f->row[table][k];
  }
  return NULL;
}

/* nr type resnr residue atom cgnr [charge [mass]] */
static rattle_status read_atom(gromacs_file *f, molecule *m, const topology_reader *r) {
  long long number = 0;
  int type = -1;
  const long long most = f->options->most_atoms ? f->options->most_atoms : 20000000;
  if (m->atoms >= most) return topology_wrong(r, "a molecule of more than %lld atoms", most);
  rattle_status status =
      topology_whole(r, 0, "the number of an atom", m->atoms + 1, m->atoms + 1, &number);
  if (status || r->words < 5)
    return status ? status
                  : topology_wrong(r, "nr, type, resnr, residue, atom and cgnr are expected");
  for (int k = f->types - 1; k >= 0 && type < 0; k--)
    if (!strcmp(f->type[k].name, r->word[1])) type = k;
  if (type < 0) return topology_wrong(r, "atom type %.60s is not known", r->word[1]);
  if (m->atoms == m->room) {
    m->room = 2 * m->room + 16;
    int *types = realloc(m->type, (size_t)m->room * sizeof *types);
    if (types) m->type = types;
    double *mass = realloc(m->mass, (size_t)m->room * sizeof *mass);
    if (mass) m->mass = mass;
    if (!types || !mass) return topology_wrong(r, "no memory for atoms");
  }
  m->type[m->atoms] = type, m->mass[m->atoms] = f->type[type].mass;
  if (r->words > 7) status = topology_number(r, 7, "a mass", &m->mass[m->atoms]);
  m->atoms++;
  return status;
}

static rattle_status atoms_of(const molecule *m, const topology_reader *r, int of, int *atom) {
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

static rattle_status read_bonded(const gromacs_file *f, molecule *m, const topology_reader *r,
                                 int table) {
  const int of = table == ANGLE_TYPES ? 3 : 2;
  int atom[3];
  double value = 0, constant = 0;
  rattle_status status = atoms_of(m, r, of, atom);
  if (status) return status;
  if (!understood(r, table, of)) {
    if (table == ANGLE_TYPES ||
        (table == BOND_TYPES && of < r->words && strchr("56", r->word[of][0])))
      return RATTLE_OK; /* no bonds that are kept */
    return topology_wrong(r, "bonds of this kind are not understood; those of types 1, 2 and 3 and "
                             "constraints of types 1 and 2 are");
  }
  if (r->words > of + 1) {
    status = read_parameters(r, table, of, &value, &constant);
  } else {
    const bonded_type *row = find_row(f, m, table, atom);
    if (!row && table == ANGLE_TYPES) return RATTLE_OK;
    if (!row)
      return topology_wrong(r, "no length: there is no type for %s and %s",
                            f->type[m->type[atom[0]]].bonded, f->type[m->type[atom[1]]].bonded);
    value = row->value, constant = row->constant;
  }
  return status ? status
                : topology_add(table == ANGLE_TYPES ? &m->bend : &m->bond, atom, value, constant,
                               r->error);
}

/* oxygen, type, lengths of OH and HH; the hydrogens follow the oxygen. */
static rattle_status read_settle(molecule *m, const topology_reader *r) {
  long long o = 0;
  double oh = 0, hh = 0;
  rattle_status status = topology_ends(r, 4);
  if (!status) status = topology_whole(r, 0, "an atom", 1, (long long)m->atoms - 2, &o);
  if (!status) status = topology_number(r, 2, "a length", &oh);
  if (!status) status = topology_number(r, 3, "a length", &hh);
  const int first = (int)o - 1, pair[] = {first, first + 1, first, first + 2, first + 1, first + 2};
  for (int k = 0; k < 3 && !status; k++)
    status = topology_add(&m->bond, pair + 2 * k, k < 2 ? oh : hh, (double)INFINITY, r->error);
  return status;
}

static rattle_status begin_molecule(gromacs_file *f, const topology_reader *r) {
  if (f->molecules == MOST_TYPES)
    return topology_wrong(r, "more than %d molecule types", MOST_TYPES);
  molecule *wider = one_more(f->molecule, f->molecules, sizeof *wider);
  if (!wider) return topology_wrong(r, "no memory for molecules");
  f->molecule = wider;
  f->molecule[f->molecules] = (molecule){.bond.of = 2, .bend.of = 3};
  return copy_name(r, r->word[0], f->molecule[f->molecules++].name);
}

static rattle_status use_molecule(gromacs_file *f, const topology_reader *r) {
  long long count = 0;
  const rattle_status status = topology_whole(r, 1, "how many molecules", 0, 1000000000, &count);
  if (status) return status;
  for (int k = 0; k < f->molecules; k++)
    if (!strcmp(f->molecule[k].name, r->word[0]))
      return topology_add(&f->used, &k, (double)count, 0, r->error);
  return topology_wrong(r, "there is no molecule type %.60s", r->word[0]);
}

static rattle_status read_line(gromacs_file *f, const char *section, const topology_reader *r) {
  static const char *const ignored[] = {"defaults",
                                        "system",
                                        "pairs",
                                        "pairs_nb",
                                        "dihedrals",
                                        "exclusions",
                                        "position_restraints",
                                        "pairtypes",
                                        "dihedraltypes",
                                        "nonbond_params",
                                        "cmap",
                                        "cmaptypes",
                                        "implicit_genborn_params",
                                        "distance_restraints",
                                        "dihedral_restraints",
                                        "orientation_restraints",
                                        "angle_restraints",
                                        "angle_restraints_z"};
  static const char *const inside[] = {"bonds", "constraints", "angles"}, *const tables[] = {
                                                                              "bondtypes",
                                                                              "constrainttypes",
                                                                              "angletypes"};
  for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++)
    if (!strcmp(section, ignored[k])) return RATTLE_OK;
  for (int k = 0; k < TABLES; k++)
    if (!strcmp(section, tables[k])) return read_row(f, r, k);
  if (!strcmp(section, "atomtypes")) return read_atom_type(f, r);
  if (!strcmp(section, "moleculetype")) return begin_molecule(f, r);
  if (!strcmp(section, "molecules")) return use_molecule(f, r);
  molecule *m = f->molecules ? &f->molecule[f->molecules - 1] : NULL;
  if (!m) return topology_wrong(r, "[ %s ] comes before a [ moleculetype ]", section);
  for (int k = 0; k < TABLES; k++)
    if (!strcmp(section, inside[k])) return read_bonded(f, m, r, k);
  if (!strcmp(section, "atoms")) return read_atom(f, m, r);
  if (!strcmp(section, "settles")) return read_settle(m, r);
  return topology_wrong(r, "[ %s ] is not understood", section);
}

static rattle_status place_list(topology_list *to, const topology_list *from, int first,
                                rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < from->count && !status; k++) {
    int atom[3] = {0};
    for (int e = 0; e < from->of; e++) atom[e] = first + from->atom[from->of * k + e];
    status = topology_add(to, atom, from->value[k], from->constant[k], error);
  }
  return status;
}

/* The molecules one after the other, as in [ molecules ]. */
static rattle_status place_molecules(gromacs_file *f) {
  topology *t = f->t;
  topology_reader *r = f->lines.outer;
  const double most = (double)(f->options->most_atoms ? f->options->most_atoms : 20000000);
  double atoms = 0, bonds = 0;
  for (long long u = 0; u < f->used.count; u++) {
    const molecule *m = &f->molecule[f->used.atom[u]];
    atoms += f->used.value[u] * m->atoms,
        bonds += f->used.value[u] * (double)(m->bond.count + m->bend.count);
  }
  r->line = 0;
  if (atoms > most || bonds > 8 * most)
    return topology_wrong(r,
                          "%.0f atoms with %.0f bonds and angles are more than are read: %.0f "
                          "atoms, 8 times as many bonds",
                          atoms, bonds, most);
  rattle_status status = topology_room(t, (long long)atoms, 0, f->options, r);
  int first = 1;
  for (long long u = 0; u < f->used.count && !status; u++) {
    const molecule *m = &f->molecule[f->used.atom[u]];
    for (double copy = 0; copy < f->used.value[u] && !status && m->atoms; copy++) {
      for (int a = 0; a < m->atoms; a++) t->mass[first + a] = m->mass[a];
      status = place_list(&t->bond, &m->bond, first, r->error);
      if (!status) status = place_list(&t->bend, &m->bend, first, r->error);
      first += m->atoms;
    }
  }
  return status;
}

rattle_status topology_read_gromacs(topology *t, topology_reader *outer,
                                    const topology_options *options) {
  gromacs_file f = {.t = t, .lines.outer = outer, .options = options, .used.of = 1};
  char section[NAME] = "";
  rattle_status status = RATTLE_OK;
  topology_reader *r;
  t->format = "GROMACS", t->time = "ps", t->unit = 1;
  outer->comment = ';', outer->goes_on = 1;
  while ((r = gromacs_next(&f.lines, &status))) {
    if (r->word[0][0] == '[') {
      /* [ name ], [name] */
      char *name = r->word[0][1] ? r->word[0] + 1 : r->words > 1 ? r->word[1] : r->word[0];
      name[strcspn(name, "]")] = 0;
      status = copy_name(r, name, section);
    } else {
      status = section[0]
                   ? read_line(&f, section, r)
                   : topology_wrong(r, "a topology begins with a section such as [ defaults ]");
    }
    if (status) break;
  }
  if (!status && f.lines.conditions) status = topology_wrong(outer, "#endif is missing");
  if (!status) status = place_molecules(&f);
  for (int k = 0; k < f.molecules; k++) {
    free(f.molecule[k].type), free(f.molecule[k].mass);
    topology_list_free(&f.molecule[k].bond), topology_list_free(&f.molecule[k].bend);
  }
  for (int k = 0; k < TABLES; k++) free(f.row[k]);
  free(f.molecule), free(f.type);
  topology_list_free(&f.used);
  gromacs_lines_free(&f.lines);
  return status;
}
