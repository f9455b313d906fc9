/* Masses and atoms of data files and of molecule templates. */
#include <stdlib.h>
#include <string.h>

#include "molecules/lammps.h"

rattle_status lammps_read_masses(lammps_file *f) {
  rattle_status status = RATTLE_OK;
  f->section_masses = 1;
  while (!status && lammps_line(f)) {
    long long of = 0;
    status = f->molecule ? topology_whole(f->r, 0, "an atom", 1, f->count[LAMMPS_ATOMS], &of)
                         : lammps_type(f, 0, LAMMPS_ATOMS, &of);
    if (!status) status = topology_number(f->r, 1, "a mass", &f->mass[of]);
    if (!status) status = topology_ends(f->r, 2);
  }
  return status;
}

/* Words of a line of atoms: type, first coordinate, how many without three images; 0:
 * as many as the other styles of a hybrid have. */
typedef struct atom_style {
  const char *name;
  int type, place, words;
} atom_style;
static const atom_style styles[] = {
    {"molecular", 2, 3, 6}, {"bond", 2, 3, 6},   {"angle", 2, 3, 6},  {"full", 2, 4, 7},
    {"atomic", 1, 2, 5},    {"charge", 1, 3, 6}, {"dipole", 1, 3, 9}, {"hybrid", 1, 2, 0}};

/* Other styles of LAMMPS, whose columns are not understood. */
static const char *const others[] = {
    "amoeba",    "apip",   "body", "bpm/sphere", "dielectric", "dpd",  "edpd",      "electron",
    "ellipsoid", "line",   "mdpd", "mesont",     "oxdna",      "peri", "rheo",      "smd",
    "sph",       "sphere", "spin", "tdpd",       "template",   "tri",  "wavepacket"};

/* NULL: the remark names none; *status: one that is not understood. */
static const atom_style *find_style(const lammps_file *f, rattle_status *status) {
  const topology_reader *r = f->r;
  const char *at = r->remark + strspn(r->remark, " \t\r");
  const size_t length = strcspn(at, " \t\r,;");
  if (!length) return NULL;
  for (size_t k = 0; k < sizeof styles / sizeof *styles; k++)
    if (strlen(styles[k].name) == length && !strncmp(styles[k].name, at, length)) return &styles[k];
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (strlen(others[k]) == length && !strncmp(others[k], at, length)) {
      *status = topology_wrong(r,
                               "atoms of the style %.40s are not understood: angle, atomic, bond, "
                               "charge, dipole, full, hybrid or molecular",
                               at);
      return NULL;
    }
  *status =
      topology_remark(f->t, r, "Atoms # %.40s: this is no style of atoms; columns tell it", at);
  return NULL;
}

/* Numbers of atoms may have gaps. */
static rattle_status make_room(lammps_file *f, long long atom) {
  topology *t = f->t;
  if (atom > f->room) {
    const long long room = atom + atom / 2;
    double *mass = realloc(t->mass, ((size_t)room + 1) * sizeof *mass);
    if (mass) t->mass = mass;
    double *place = realloc(t->place, 3 * ((size_t)room + 1) * sizeof *place);
    if (place) t->place = place;
    if (!mass || !place) return RATTLE_NO_MEMORY;
    memset(mass + f->room + 1, 0, (size_t)(room - f->room) * sizeof *mass);
    memset(place + 3 * (f->room + 1), 0, 3 * (size_t)(room - f->room) * sizeof *place);
    f->room = room;
  }
  if (atom > t->atoms) t->atoms = atom;
  return RATTLE_OK;
}

static rattle_status read_atom(lammps_file *f, const atom_style *s) {
  topology_reader *r = f->r;
  long long atom = 0, type = 0;
  const long long most = f->options->most_atoms ? f->options->most_atoms : 20000000;
  if (s->words && r->words != s->words && r->words != s->words + 3)
    return topology_wrong(r,
                          "%d words are no atom of the style %s, which has %d, or %d with images: "
                          "the name after Atoms # is not that of the columns",
                          r->words, s->name, s->words, s->words + 3);
  rattle_status status = topology_whole(r, 0, "the number of an atom", 1, most, &atom);
  if (!status) status = lammps_type(f, s->type, LAMMPS_ATOMS, &type);
  if (!status) status = make_room(f, atom);
  for (int d = 0; d < 3 && !status; d++)
    status = topology_number(r, s->place + d, "a position", &f->t->place[3 * atom + d]);
  if (status) return status;
  if (f->t->mass[atom] > 0) return topology_wrong(r, "atom %lld occurs twice", atom);
  f->t->mass[atom] = (double)type; /* masses may follow */
  f->atoms++;
  return RATTLE_OK;
}

rattle_status lammps_read_atoms(lammps_file *f) {
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  const atom_style *s = find_style(f, &status);
  while (!status && lammps_line(f)) {
    if (!s)
      s = r->words == 7 || r->words == 10  ? &styles[3]
          : r->words == 6 || r->words == 9 ? &styles[0]
                                           : NULL;
    status =
        s ? read_atom(f, s)
          : topology_wrong(r, "%d words are no atom of the styles bond, angle, molecular or full",
                           r->words);
  }
  return status;
}

/* Those of a template: a number and a place. */
rattle_status lammps_read_places(lammps_file *f) {
  rattle_status status = RATTLE_OK;
  while (!status && lammps_line(f)) {
    long long atom = 0;
    if (f->r->words != 4) return topology_wrong(f->r, "a number and x y z are expected");
    status = topology_whole(f->r, 0, "the number of an atom", 1, f->count[LAMMPS_ATOMS], &atom);
    for (int d = 0; d < 3 && !status; d++)
      status = topology_number(f->r, 1 + d, "a position", &f->t->place[3 * atom + d]);
    if (!status && f->t->mass[atom] > 0)
      status = topology_wrong(f->r, "atom %lld occurs twice", atom);
    f->t->mass[atom] = 1, f->atoms++;
  }
  return status;
}
