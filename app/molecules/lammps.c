/* Data files of LAMMPS: masses, atoms, bonds, angles and their harmonic coefficients. Other
 * sections are passed over. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/topology.h"

enum { MOST_TYPES = 100000 };

/* How many atoms, bonds, angles, and types of them. */
enum { ATOMS, BONDS, ANGLES, KINDS };
static const char *const kinds[] = {"atom", "bond", "angle"}, *const plurals[] = {"atoms", "bonds",
                                                                                  "angles"};

typedef struct data_file {
  topology *t;
  topology_reader *r;
  const topology_options *options;
  long long count[KINDS], types[KINDS];
  double low[3], high[3], tilt[3];
  double *mass;                       /* of types, from 1 on */
  double *rest[KINDS], *stiff[KINDS]; /* of types of bonds and angles; stiff -1: no coefficients
                                         were read */
  int *source[KINDS];                 /* of rest */
  char *kept, *seen;                  /* types of angles; atoms */
  topology_list list[KINDS];          /* bonds and angles, with their types as values */
} data_file;

static int header_ends(const topology_reader *r) {
  static const char *const sections[] = {"Masses",
                                         "Atoms",
                                         "Bonds",
                                         "Angles",
                                         "Velocities",
                                         "Pair",
                                         "PairIJ",
                                         "Bond",
                                         "Angle",
                                         "Dihedral",
                                         "Improper",
                                         "Dihedrals",
                                         "Impropers",
                                         "Ellipsoids",
                                         "Lines",
                                         "Bodies",
                                         "Triangles",
                                         "BondBond",
                                         "BondAngle",
                                         "MiddleBondTorsion",
                                         "EndBondTorsion",
                                         "AngleTorsion",
                                         "AngleAngleTorsion",
                                         "BondBond13",
                                         "AngleAngle"};
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
    if (!strcmp(r->word[0], sections[k])) return 1;
  return 0;
}

static rattle_status read_header_line(data_file *f) {
  topology_reader *r = f->r;
  static const char *const axis[] = {"xlo", "ylo", "zlo"};
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < KINDS && r->words >= 2; k++) {
    /* a line for each of them, at least two characters */
    if (r->words == 2 && !strcmp(r->word[1], plurals[k]))
      return topology_whole(r, 0, "a count", 0, (long long)(r->size / 2), &f->count[k]);
    if (r->words == 3 && !strcmp(r->word[1], kinds[k]) && !strcmp(r->word[2], "types"))
      return topology_whole(r, 0, "a count", 0, MOST_TYPES, &f->types[k]);
  }
  for (int d = 0; d < 3; d++)
    if (r->words >= 4 && !strcmp(r->word[2], axis[d])) {
      status = topology_number(r, 0, "an edge", &f->low[d]);
      return status ? status : topology_number(r, 1, "an edge", &f->high[d]);
    }
  for (int d = 0; d < 3 && r->words >= 6 && !strcmp(r->word[3], "xy") && !status; d++)
    status = topology_number(r, d, "a tilt", &f->tilt[d]);
  return status;
}

/* The types that --angles names. */
static rattle_status read_kept(data_file *f) {
  const char *at = f->options->angles;
  while (at && *at) {
    char *rest;
    const long type = strtol(at, &rest, 10);
    if (rest == at || type < 1 || type > f->types[ANGLES] || (*rest && *rest != ','))
      return topology_wrong(f->r,
                            "--angles %.60s: types of angles from 1 to %lld, separated by commas",
                            f->options->angles, f->types[ANGLES]);
    f->kept[type] = 1;
    at = *rest ? rest + 1 : rest;
  }
  return RATTLE_OK;
}

static rattle_status make_room(data_file *f) {
  rattle_status status = topology_room(f->t, f->count[ATOMS], 1, f->options, f->r);
  if (status) return status;
  f->mass = calloc((size_t)f->types[ATOMS] + 1, sizeof *f->mass);
  f->kept = calloc((size_t)f->types[ANGLES] + 1, 1);
  f->seen = calloc((size_t)f->count[ATOMS] + 1, 1);
  int made = f->mass && f->kept && f->seen;
  for (int k = BONDS; k <= ANGLES; k++) {
    f->rest[k] = calloc((size_t)f->types[k] + 1, sizeof(double)),
    f->stiff[k] = calloc((size_t)f->types[k] + 1, sizeof(double));
    f->source[k] = calloc((size_t)f->types[k] + 1, sizeof(int));
    made = made && f->rest[k] && f->stiff[k] && f->source[k];
    for (long long e = 0; e <= f->types[k] && f->stiff[k]; e++) f->stiff[k][e] = -1;
  }
  return made ? read_kept(f) : topology_wrong(f->r, "no memory for %lld atoms", f->count[ATOMS]);
}

/* "12345", or "3 # a remark": sections end at a line that begins with a letter. */
static int in_section(topology_reader *r) {
  return topology_line(r) && !isalpha((unsigned char)r->word[0][0]);
}

static int remarks(const topology_reader *r, const char *word) {
  const char *at = r->remark + strspn(r->remark, " \t");
  const size_t length = strlen(word);
  return !strncmp(at, word, length) && !isalnum((unsigned char)at[length]);
}

static rattle_status read_masses(data_file *f) {
  rattle_status status = RATTLE_OK;
  while (!status && in_section(f->r)) {
    long long type = 0;
    status = topology_whole(f->r, 0, "a type of atoms", 1, f->types[ATOMS], &type);
    if (!status) status = topology_number(f->r, 1, "a mass", &f->mass[type]);
    if (!status) status = topology_ends(f->r, 2);
  }
  return status;
}

/* Words of a line of atoms: id, molecule, type, charge, x y z, and three images that may be
 * missing. */
static rattle_status read_atoms(data_file *f) {
  topology_reader *r = f->r;
  static const char *const molecular[] = {"molecular", "bond", "angle"};
  int first = remarks(r, "full") ? 4 : 0; /* word of the first coordinate; 0: not known yet */
  for (int k = 0; k < 3; k++)
    if (remarks(r, molecular[k])) first = 3; /* without a charge */
  rattle_status status = RATTLE_OK;
  if (!first && r->remark[strspn(r->remark, " \t\r")])
    return topology_wrong(
        r, "atoms of the style%.40s are not understood: bond, angle, molecular or full", r->remark);
  while (!status && in_section(r)) {
    if (!first)
      first = r->words == 7 || r->words == 10 ? 4 : r->words == 6 || r->words == 9 ? 3 : 0;
    if (!first || r->words < first + 3)
      return topology_wrong(r, "%d words are no atom of the styles bond, angle, molecular or full",
                            r->words);
    long long atom = 0, type = 0;
    status = topology_whole(r, 0, "the number of an atom", 1, f->count[ATOMS], &atom);
    if (!status) status = topology_whole(r, 2, "a type of atoms", 1, f->types[ATOMS], &type);
    for (int d = 0; d < 3 && !status; d++)
      status = topology_number(r, first + d, "a position", &f->t->place[3 * atom + d]);
    if (!status) status = topology_ends(r, r->words > first + 3 ? first + 6 : first + 3);
    if (!status && f->seen[atom]) status = topology_wrong(r, "atom %lld occurs twice", atom);
    f->t->mass[atom] = (double)type; /* masses may follow */
    f->seen[atom] = 1;
  }
  return status;
}

static rattle_status read_members(data_file *f, int kind) {
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  f->list[kind].of = kind + 1;
  while (!status && in_section(r)) {
    long long type = 0, number = 0;
    int atom[3] = {0};
    status = topology_whole(r, 1, "a type", 1, f->types[kind], &type);
    for (int k = 0; k <= kind && !status; k++) {
      status = topology_whole(r, 2 + k, "an atom", 1, f->count[ATOMS], &number);
      atom[k] = (int)number;
    }
    for (int k = 0; k < kind && !status; k++)
      if (atom[k] == atom[kind] || atom[0] == atom[1])
        status = topology_wrong(r, "an atom occurs twice");
    if (!status) status = topology_ends(r, 3 + kind);
    if (!status)
      status =
          topology_add(&f->list[kind], atom, (topology_entry){.value = (double)type}, r->error);
  }
  return status;
}

/* Harmonic ones, E = K (value - rest)^2; those of other styles leave lengths to the positions. */
static rattle_status read_coefficients(data_file *f, int kind) {
  static const char *const coefficients[] = {"", "Bond Coeffs", "Angle Coeffs"};
  topology_reader *r = f->r;
  const int named = r->remark[strspn(r->remark, " \t\r")] != 0, harmonic = remarks(r, "harmonic");
  rattle_status status = RATTLE_OK;
  while (!status && in_section(r)) {
    long long type = 0;
    double constant = 0;
    if (named ? !harmonic : r->words != 3) continue;
    status = topology_whole(r, 0, "a type", 1, f->types[kind], &type);
    if (!status) status = topology_number(r, 1, "a force constant", &constant);
    if (!status) status = topology_number(r, 2, "a length or an angle", &f->rest[kind][type]);
    f->stiff[kind][type] = 2 * constant;
    f->source[kind][type] = topology_source_of(f->t, r, coefficients[kind], (double)type);
    if (f->source[kind][type] < 0) return RATTLE_NO_MEMORY;
    if (kind == ANGLES) f->rest[kind][type] = topology_radians(f->rest[kind][type]);
  }
  return status;
}

static rattle_status skip(data_file *f) {
  while (in_section(f->r)) continue;
  return RATTLE_OK;
}

static rattle_status read_sections(data_file *f) {
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  while (!status && r->words) {
    const char *word = r->word[0], *next = r->words > 1 ? r->word[1] : "";
    if (!header_ends(r))
      return topology_wrong(r, "%.60s is not a section of data files that is known", word);
    if (!strcmp(word, "Masses"))
      status = read_masses(f);
    else if (!strcmp(word, "Atoms"))
      status = read_atoms(f);
    else if (!strcmp(word, "Bonds"))
      status = read_members(f, BONDS);
    else if (!strcmp(word, "Angles"))
      status = read_members(f, ANGLES);
    else if (!strcmp(word, "Bond") && !strcmp(next, "Coeffs"))
      status = read_coefficients(f, BONDS);
    else if (!strcmp(word, "Angle") && !strcmp(next, "Coeffs"))
      status = read_coefficients(f, ANGLES);
    else
      status = skip(f);
  }
  return status;
}

/* Masses, lengths and force constants from the types. */
static rattle_status finish(data_file *f) {
  topology *t = f->t;
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  r->line = 0;
  for (long long a = 1; a <= t->atoms; a++) {
    if (!f->seen[a]) return topology_wrong(r, "atom %lld is missing", a);
    t->mass[a] = f->mass[(int)t->mass[a]];
  }
  for (int d = 0; d < 3; d++) {
    t->boxed |= f->high[d] > f->low[d];
    t->box.edge[d][d] = f->high[d] - f->low[d];
  }
  t->box.edge[1][0] = f->tilt[0], t->box.edge[2][0] = f->tilt[1], t->box.edge[2][1] = f->tilt[2];
  for (int d = 0; d < 3; d++)
    if (t->boxed && !(t->box.edge[d][d] > 0))
      return topology_wrong(r, "an edge of the box is not above 0");
  for (int kind = BONDS; kind <= ANGLES; kind++)
    if (f->list[kind].count != f->count[kind])
      return topology_wrong(r,
                            "the head of the file counts %lld %s and its section has %lld: the "
                            "file was cut or changed",
                            f->count[kind], plurals[kind], f->list[kind].count);
  for (int kind = BONDS; kind <= ANGLES; kind++)
    for (long long k = 0; k < f->list[kind].count && !status; k++) {
      const int type = (int)f->list[kind].value[k], *atom = f->list[kind].atom + (kind + 1) * k;
      const double stiff = f->stiff[kind][type];
      if (kind == ANGLES && stiff < 0 && f->kept[type])
        status = topology_wrong(
            r, "the angle of type %d has no harmonic coefficients that give its value", type);
      else if (kind == ANGLES && (stiff >= 0 || f->kept[type]))
        status = topology_add(f->kept[type] ? &t->angle : &t->bend, atom,
                              (topology_entry){f->rest[kind][type], stiff, f->source[kind][type]},
                              r->error);
      else if (kind == BONDS) {
        double s[3];
        topology_difference(t, t->place, atom[0], atom[1], s);
        const double length =
            stiff < 0 ? sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) : f->rest[kind][type];
        if (stiff < 0) {
          char what[60];
          snprintf(what, sizeof what, "positions, bonds of type %d", type);
          if ((f->source[kind][type] = topology_source_of(t, NULL, what, 0)) < 0)
            return RATTLE_NO_MEMORY;
        }
        status =
            topology_add(&t->bond, atom,
                         (topology_entry){length, fmax(stiff, 0), f->source[kind][type]}, r->error);
      }
    }
  return status;
}

static rattle_status choose_units(data_file *f, const char *title) {
  static const struct {
    const char *name, *time;
    double unit;
  } known[] = {{"real", "fs", 48.8882129084}, {"metal", "ps", 0.0101805057125}, {"lj", "tau", 1}};
  const char *named = f->options->units, *said = strstr(title, "units = ");
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (named  ? !strcmp(named, known[k].name)
        : said ? !strncmp(said + 8, known[k].name, strlen(known[k].name))
               : k == 0) {
      f->t->time = known[k].time, f->t->unit = known[k].unit;
      return RATTLE_OK;
    }
  return topology_wrong(f->r,
                        "units of the style %.20s are not understood; --units is real, metal or lj",
                        named ? named : said + 8);
}

static rattle_status read(data_file *f) {
  const char *title = topology_raw_line(f->r);
  rattle_status status = choose_units(f, title ? title : "");
  while (!status && topology_line(f->r) && !header_ends(f->r)) status = read_header_line(f);
  if (!status && f->count[ATOMS] < 1)
    status = topology_wrong(f->r, "this is no topology: not `rattle-bonds 1`, not a data file of "
                                  "LAMMPS with `N atoms`, and its "
                                  "name does not end in .top as those of GROMACS do");
  if (!status) status = make_room(f);
  if (!status) status = read_sections(f);
  return status ? status : finish(f);
}

rattle_status topology_read_lammps(topology *t, topology_reader *r,
                                   const topology_options *options) {
  data_file f = {.t = t, .r = r, .options = options};
  t->format = "LAMMPS data";
  const rattle_status status = read(&f);
  free(f.mass), free(f.kept), free(f.seen);
  for (int k = BONDS; k <= ANGLES; k++)
    free(f.rest[k]), free(f.stiff[k]), free(f.source[k]), topology_list_free(&f.list[k]);
  return status;
}
