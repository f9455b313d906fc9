/* Data files of LAMMPS and molecule templates: sections, and bonds with the values of their
 * types. */
#include "molecules/lammps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rattle_status read_members(lammps_file *f, int kind) {
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  const char *const what = kind == LAMMPS_BONDS ? "Bonds" : "Angles";
  f->list[kind].of = kind + 1;
  if (!f->atoms)
    return topology_wrong(r, "%s come before the atoms, and LAMMPS refuses that", what);
  while (!status && lammps_line(f)) {
    long long type = 0, number = 0;
    int atom[3] = {0};
    status = lammps_type(f, 1, kind, &type);
    for (int k = 0; k <= kind && !status; k++) {
      status = topology_whole(r, 2 + k, "an atom", 1, f->t->atoms, &number);
      if (!status && !(f->t->mass[number] > 0))
        status = topology_wrong(r, "there is no atom %lld", number);
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

static rattle_status pass_over(lammps_file *f, const char *why) {
  const topology_reader at = *f->r;
  char name[80];
  snprintf(name, sizeof name, "%.40s%s%.30s", at.word[0], at.words > 1 ? " " : "",
           at.words > 1 ? at.word[1] : "");
  f->lines = 0;
  while (lammps_line(f)) continue;
  return topology_unused(f->t, &at, name, why, f->lines - (f->r->words > 0));
}

/* s NULL: the name is not known. */
static rattle_status read_section(lammps_file *f, const lammps_section *s) {
  switch (s ? s->read : LAMMPS_UNUSED) {
  case LAMMPS_LABELS:
    return lammps_read_labels(f, s->kind);
  case LAMMPS_MASSES:
    return lammps_read_masses(f);
  case LAMMPS_PLACED:
    return lammps_read_atoms(f);
  case LAMMPS_COORDS:
    return lammps_read_places(f);
  case LAMMPS_MEMBERS:
    return read_members(f, s->kind);
  case LAMMPS_COEFFICIENTS:
    return lammps_read_coefficients(f, s->kind);
  default:
    return pass_over(f, s ? s->why
                          : "sections that are not known, as those of a fix: no bonds are read "
                            "from them");
  }
}

static rattle_status read_sections(lammps_file *f) {
  topology_reader *r = f->r;
  rattle_status status = RATTLE_OK;
  while (!status && r->words) {
    const lammps_section *s = lammps_find_section(r);
    f->section = s ? s->name : "";
    if (!lammps_blank_follows(r))
      status = topology_wrong(r,
                              "%.60s: a section has a name that is known or a line of its own, "
                              "and a blank line after it",
                              r->word[0]);
    else
      status = read_section(f, s);
  }
  return status;
}

/* The types that --angles names. */
static rattle_status read_kept(lammps_file *f) {
  const char *at = f->options->angles;
  while (at && *at) {
    char *rest;
    const long type = strtol(at, &rest, 10);
    if (rest == at || type < 1 || type > f->types[LAMMPS_ANGLES] || (*rest && *rest != ','))
      return topology_wrong(f->r,
                            "--angles %.60s: types of angles from 1 to %lld, separated by commas",
                            f->options->angles, f->types[LAMMPS_ANGLES]);
    f->kept[type] = 1;
    at = *rest ? rest + 1 : rest;
  }
  return RATTLE_OK;
}

static rattle_status make_room(lammps_file *f) {
  const long long atoms = f->count[LAMMPS_ATOMS];
  rattle_status status = topology_room(f->t, atoms, 1, f->options, f->r);
  if (status) return status;
  f->room = atoms, f->t->atoms = f->molecule ? atoms : 0;
  /* templates count no types */
  for (int k = LAMMPS_BONDS; k <= LAMMPS_ANGLES && f->molecule; k++) f->types[k] = LAMMPS_TYPES;
  f->mass = calloc((size_t)(f->molecule ? atoms : f->types[LAMMPS_ATOMS]) + 1, sizeof *f->mass);
  f->kept = calloc((size_t)f->types[LAMMPS_ANGLES] + 1, 1);
  int made = f->mass && f->kept;
  for (int k = LAMMPS_BONDS; k <= LAMMPS_ANGLES; k++) {
    const size_t types = (size_t)f->types[k] + 1;
    f->rest[k] = calloc(types, sizeof(double)), f->stiff[k] = calloc(types, sizeof(double)),
    f->source[k] = calloc(types, sizeof(int)), f->given[k] = calloc(types, 1);
    made = made && f->rest[k] && f->stiff[k] && f->source[k] && f->given[k];
    for (size_t e = 0; e < types && f->stiff[k]; e++) f->stiff[k][e] = -1;
  }
  return made ? read_kept(f) : RATTLE_NO_MEMORY;
}

/* The head against the sections. */
static rattle_status check_counts(lammps_file *f) {
  static const char *const what[] = {"atoms", "bonds", "angles"};
  for (int kind = LAMMPS_ATOMS; kind <= LAMMPS_ANGLES; kind++) {
    const long long found = kind == LAMMPS_ATOMS ? f->atoms : f->list[kind].count;
    if (found != f->count[kind])
      return topology_wrong(f->r,
                            "the head of the file counts %lld %s and its section has %lld: the "
                            "file was cut or changed",
                            f->count[kind], what[kind], found);
  }
  return RATTLE_OK;
}

static rattle_status keep_bond(lammps_file *f, const int *atom, int type) {
  topology *t = f->t;
  topology_entry entry = {f->rest[LAMMPS_BONDS][type], fmax(f->stiff[LAMMPS_BONDS][type], 0),
                          f->source[LAMMPS_BONDS][type]};
  if (f->stiff[LAMMPS_BONDS][type] < 0) {
    double s[3];
    char what[60];
    topology_difference(t, t->place, atom[0], atom[1], s);
    entry.value = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const char *label = lammps_label_of(f, LAMMPS_BONDS, type);
    if (label)
      snprintf(what, sizeof what, "positions, bonds of type %.30s", label);
    else
      snprintf(what, sizeof what, "positions, bonds of type %d", type);
    if ((entry.source = topology_source_of(t, NULL, what, 0)) < 0) return RATTLE_NO_MEMORY;
  }
  if (entry.value == 0)
    return topology_remark(t, NULL,
                           "bonds of type %d have the length 0, as springs of Drude particles: "
                           "they are not kept, and not in the largest step",
                           type);
  return topology_add(&t->bond, atom, entry, f->r->error);
}

static rattle_status keep_angle(lammps_file *f, const int *atom, int type) {
  const topology_entry entry = {f->rest[LAMMPS_ANGLES][type], f->stiff[LAMMPS_ANGLES][type],
                                f->source[LAMMPS_ANGLES][type]};
  if (entry.constant < 0 && f->kept[type])
    return topology_wrong(f->r, "the angle of type %d has no coefficients that give its value",
                          type);
  if (!f->kept[type] && !(entry.constant > 0)) return RATTLE_OK;
  return topology_add(f->kept[type] ? &f->t->angle : &f->t->bend, atom, entry, f->r->error);
}

/* Masses, lengths and force constants from the types. */
static rattle_status finish(lammps_file *f) {
  topology *t = f->t;
  f->r->line = 0;
  rattle_status status = check_counts(f);
  if (status) return status;
  if (f->molecule && f->section_masses == 0)
    return topology_wrong(f->r, "the template has no section Masses, and its atoms have the masses "
                                "of the simulation: add `Masses` with a line `ATOM MASS` for each");
  t->missing = t->atoms - f->atoms;
  for (long long a = 1; a <= t->atoms; a++)
    t->mass[a] = f->molecule ? f->mass[a] : t->mass[a] > 0 ? f->mass[(int)t->mass[a]] : 0;
  if (t->missing)
    status = topology_remark(t, NULL, "numbers of atoms have gaps: %lld are not used", t->missing);
  if (!status) status = lammps_box(f);
  for (int kind = LAMMPS_BONDS; kind <= LAMMPS_ANGLES; kind++)
    for (long long k = 0; k < f->list[kind].count && !status; k++) {
      const int type = (int)f->list[kind].value[k], *atom = f->list[kind].atom + (kind + 1) * k;
      status = kind == LAMMPS_BONDS ? keep_bond(f, atom, type) : keep_angle(f, atom, type);
    }
  return status;
}

static void release(lammps_file *f) {
  free(f->mass), free(f->kept);
  for (int k = LAMMPS_BONDS; k <= LAMMPS_ANGLES; k++) {
    free(f->rest[k]), free(f->stiff[k]), free(f->source[k]), free(f->given[k]);
    topology_list_free(&f->list[k]);
  }
  lammps_labels_free(f);
}

rattle_status topology_read_lammps(topology *t, topology_reader *r,
                                   const topology_options *options) {
  lammps_file f = {.t = t, .r = r, .options = options};
  f.class2 = strstr(r->text, "\nBondBond Coeffs") || strstr(r->text, "\nBondAngle Coeffs");
  rattle_status status = lammps_head(&f);
  t->format = f.molecule ? "LAMMPS molecule template" : "LAMMPS data";
  if (!status) status = make_room(&f);
  if (!status) status = read_sections(&f);
  if (!status) status = finish(&f);
  release(&f);
  return status;
}
