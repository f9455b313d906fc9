/* Names of sections, which end the one before, and labels of types, which may begin a line. */
#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/lammps.h"

static const char forces[] = "forces that keep no length, and are not in the largest step",
                  pairs[] = "parameters of forces between atoms that are not bonded",
                  shapes[] = "shapes of atoms, which bear on no length",
                  others[] = "they do not bear on lengths",
                  shake[] = "they choose bonds for fix shake; here all bonds are taken";

static const lammps_section sections[] = {
    {"Atom Type Labels", LAMMPS_LABELS, LAMMPS_ATOMS, NULL},
    {"Bond Type Labels", LAMMPS_LABELS, LAMMPS_BONDS, NULL},
    {"Angle Type Labels", LAMMPS_LABELS, LAMMPS_ANGLES, NULL},
    {"Dihedral Type Labels", LAMMPS_LABELS, LAMMPS_KINDS, NULL},
    {"Improper Type Labels", LAMMPS_LABELS, LAMMPS_KINDS, NULL},
    {"Masses", LAMMPS_MASSES, 0, NULL},
    {"Atoms", LAMMPS_PLACED, 0, NULL},
    {"Coords", LAMMPS_COORDS, 0, NULL},
    {"Bonds", LAMMPS_MEMBERS, LAMMPS_BONDS, NULL},
    {"Angles", LAMMPS_MEMBERS, LAMMPS_ANGLES, NULL},
    {"Bond Coeffs", LAMMPS_COEFFICIENTS, LAMMPS_BONDS, NULL},
    {"Angle Coeffs", LAMMPS_COEFFICIENTS, LAMMPS_ANGLES, NULL},
    {"Dihedrals", LAMMPS_UNUSED, 0, forces},
    {"Impropers", LAMMPS_UNUSED, 0, forces},
    {"Dihedral Coeffs", LAMMPS_UNUSED, 0, forces},
    {"Improper Coeffs", LAMMPS_UNUSED, 0, forces},
    {"BondBond Coeffs", LAMMPS_UNUSED, 0, forces},
    {"BondAngle Coeffs", LAMMPS_UNUSED, 0, forces},
    {"UreyBradley Coeffs", LAMMPS_UNUSED, 0, forces},
    {"MiddleBondTorsion Coeffs", LAMMPS_UNUSED, 0, forces},
    {"EndBondTorsion Coeffs", LAMMPS_UNUSED, 0, forces},
    {"AngleTorsion Coeffs", LAMMPS_UNUSED, 0, forces},
    {"AngleAngleTorsion Coeffs", LAMMPS_UNUSED, 0, forces},
    {"BondBond13 Coeffs", LAMMPS_UNUSED, 0, forces},
    {"AngleAngle Coeffs", LAMMPS_UNUSED, 0, forces},
    {"Pair Coeffs", LAMMPS_UNUSED, 0, pairs},
    {"PairIJ Coeffs", LAMMPS_UNUSED, 0, pairs},
    {"Special Bond Counts", LAMMPS_UNUSED, 0, pairs},
    {"Special Bonds", LAMMPS_UNUSED, 0, pairs},
    {"Charges", LAMMPS_UNUSED, 0, pairs},
    {"Ellipsoids", LAMMPS_UNUSED, 0, shapes},
    {"Lines", LAMMPS_UNUSED, 0, shapes},
    {"Bodies", LAMMPS_UNUSED, 0, shapes},
    {"Triangles", LAMMPS_UNUSED, 0, shapes},
    {"Diameters", LAMMPS_UNUSED, 0, shapes},
    {"Body Integers", LAMMPS_UNUSED, 0, shapes},
    {"Body Doubles", LAMMPS_UNUSED, 0, shapes},
    {"Velocities", LAMMPS_UNUSED, 0, others},
    {"Types", LAMMPS_UNUSED, 0, others},
    {"Molecules", LAMMPS_UNUSED, 0, others},
    {"Fragments", LAMMPS_UNUSED, 0, others},
    {"Dipoles", LAMMPS_UNUSED, 0, others},
    {"Shake Flags", LAMMPS_UNUSED, 0, shake},
    {"Shake Atoms", LAMMPS_UNUSED, 0, shake},
    {"Shake Bond Types", LAMMPS_UNUSED, 0, shake}};

static int by_name(const void *a, const void *b) {
  const lammps_label *p = a, *q = b;
  return p->kind != q->kind ? p->kind - q->kind : strcmp(p->name, q->name);
}

static int is_label(const lammps_file *f, const char *word) {
  for (int kind = LAMMPS_ATOMS; kind <= LAMMPS_KINDS; kind++)
    if (tfind(&(lammps_label){.kind = kind, .name = word}, &f->labels, by_name)) return 1;
  return 0;
}

static rattle_status add_label(lammps_file *f, int kind, const char *name, long long type) {
  lammps_label *made = malloc(sizeof *made);
  if (!made) return RATTLE_NO_MEMORY;
  *made = (lammps_label){.kind = kind, .name = name, .type = type, .next = f->label};
  f->label = made;
  return tsearch(made, &f->labels, by_name) ? RATTLE_OK : RATTLE_NO_MEMORY;
}

rattle_status lammps_type(lammps_file *f, int index, int kind, long long *type) {
  static const char *const what[] = {"a type of atoms", "a type of bonds", "a type of angles"};
  const topology_reader *r = f->r;
  if (index >= r->words || !isalpha((unsigned char)r->word[index][0]))
    return topology_whole(r, index, what[kind], 1, f->types[kind], type);
  const char *name = r->word[index];
  lammps_label *const *found =
      tfind(&(lammps_label){.kind = kind, .name = name}, &f->labels, by_name);
  if (found) *type = (*found)->type;
  if (found) return RATTLE_OK;
  if (!f->molecule) return topology_wrong(r, "%.60s is no label of %s", name, what[kind]);
  if (f->own_labels >= LAMMPS_TYPES / 2)
    return topology_wrong(r, "more than %d labels of types", LAMMPS_TYPES / 2);
  *type = LAMMPS_TYPES - f->own_labels++; /* as few templates have numbers */
  return add_label(f, kind, name, *type);
}

const char *lammps_label_of(const lammps_file *f, int kind, long long type) {
  const lammps_label *k = f->label;
  while (k && (k->kind != kind || k->type != type)) k = k->next;
  return k ? k->name : NULL;
}

/* Numbers of types and their labels; those of kinds that are not used are known too, as words that
 * are no names of sections. */
rattle_status lammps_read_labels(lammps_file *f, int kind) {
  rattle_status status = RATTLE_OK;
  while (!status && lammps_line(f)) {
    long long type = 0;
    const long long most = kind < LAMMPS_KINDS ? f->types[kind] : LAMMPS_TYPES;
    status = topology_whole(f->r, 0, "the number of a type", 1, most, &type);
    if (!status && f->r->words != 2)
      status = topology_wrong(f->r, "the number of a type and its label are expected");
    if (!status) status = add_label(f, kind, f->r->word[1], type);
  }
  return status;
}

void lammps_labels_free(lammps_file *f) {
  while (f->labels) tdelete(*(lammps_label *const *)f->labels, &f->labels, by_name);
  for (lammps_label *k = f->label, *next; k; k = next) next = k->next, free(k);
}

const lammps_section *lammps_find_section(const topology_reader *r) {
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
    const char *at = sections[k].name;
    int word = 0;
    for (; word < r->words; word++) {
      const size_t length = strlen(r->word[word]);
      if (strncmp(at, r->word[word], length) || (at[length] && at[length] != ' ')) break;
      at += length + (at[length] == ' ');
    }
    if (word == r->words && !*at) return &sections[k];
  }
  return NULL;
}

int lammps_blank_follows(const topology_reader *r) {
  const char *at = r->at + strspn(r->at, " \t\r\f\v");
  return !*at || *at == '\n' || *at == '#';
}

int lammps_line(lammps_file *f) {
  topology_reader *r = f->r;
  const long long before = r->line;
  if (!topology_line(r)) return 0;
  const int letter = isalpha((unsigned char)r->word[0][0]);
  /* a line of data may begin with the label of a type */
  f->lines++;
  return !letter || !(lammps_find_section(r) || (r->line > before + 1 && lammps_blank_follows(r) &&
                                                 !is_label(f, r->word[0])));
}
