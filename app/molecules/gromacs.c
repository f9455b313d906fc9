/* Topologies of GROMACS: sections, and molecules one after the other. Bonds are kept as by
 * constraints = all-bonds. */
#include "molecules/gromacs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names in [ molecules ] may have another case, where one molecule fits. */
static rattle_status use_molecule(gromacs_file *f, const topology_reader *r, int unused) {
  (void)unused;
  long long count = 0;
  int found = -1, others = 0;
  const rattle_status status = topology_whole(r, 1, "how many molecules", 0, 1000000000, &count);
  if (status) return status;
  for (int k = 0; k < f->molecules; k++)
    if (!strcmp(f->molecule[k].name, r->word[0]))
      found = k, others = -1, k = f->molecules;
    else if (!gromacs_compare(f->molecule[k].name, r->word[0]))
      found = k, others++;
  if (found < 0 || others > 1)
    return topology_wrong(r, "%s molecule type %.60s", found < 0 ? "there is no" : "more than one",
                          r->word[0]);
  return topology_add(&f->used, &found, (topology_entry){.value = (double)count}, r->error);
}

static rattle_status begin_whole(gromacs_file *f, const topology_reader *r, int unused) {
  (void)unused;
  return topology_wrong(r, "%s holds other sections alone", f->title);
}

static const char forces[] = "forces that keep no length, and are not in the largest step",
                  parameters[] = "parameters of forces between atoms that are not bonded",
                  words[] = "they do not bear on lengths",
                  between[] = "bonds between molecules are not kept, and not in the largest step";

/* How a section is read; NULL: it is not used, and why. Those inside a molecule have inside 1. */
static const struct gromacs_section {
  const char *title;
  rattle_status (*read)(gromacs_file *, const topology_reader *, int);
  int argument, inside;
  const char *why;
} sections[] = {{"[ atomtypes ]", gromacs_atom_type, 0, 0, NULL},
                {"[ bondtypes ]", gromacs_row_read, GROMACS_BONDS, 0, NULL},
                {"[ constrainttypes ]", gromacs_row_read, GROMACS_CONSTRAINTS, 0, NULL},
                {"[ angletypes ]", gromacs_row_read, GROMACS_ANGLES, 0, NULL},
                {"[ moleculetype ]", gromacs_begin_molecule, 0, 0, NULL},
                {"[ atoms ]", gromacs_atom, 0, 1, NULL},
                {"[ bonds ]", gromacs_bonded, GROMACS_BONDS, 1, NULL},
                {"[ constraints ]", gromacs_bonded, GROMACS_CONSTRAINTS, 1, NULL},
                {"[ angles ]", gromacs_bonded, GROMACS_ANGLES, 1, NULL},
                {"[ settles ]", gromacs_settle, 0, 1, NULL},
                {"[ virtual_sites1 ]", gromacs_site, 1, 1, NULL},
                {"[ virtual_sites2 ]", gromacs_site, 2, 1, NULL},
                {"[ virtual_sites3 ]", gromacs_site, 3, 1, NULL},
                {"[ virtual_sites4 ]", gromacs_site, 4, 1, NULL},
                {"[ virtual_sitesn ]", gromacs_site, 0, 1, NULL},
                {"[ dummies1 ]", gromacs_site, 1, 1, NULL},
                {"[ dummies2 ]", gromacs_site, 2, 1, NULL},
                {"[ dummies3 ]", gromacs_site, 3, 1, NULL},
                {"[ dummies4 ]", gromacs_site, 4, 1, NULL},
                {"[ dummiesn ]", gromacs_site, 0, 1, NULL},
                {"[ molecules ]", use_molecule, 0, 0, NULL},
                {"[ intermolecular_interactions ]", begin_whole, 0, 0, NULL},
                {"[ defaults ]", NULL, 0, 0, parameters},
                {"[ system ]", NULL, 0, 0, words},
                {"[ pairtypes ]", NULL, 0, 0, parameters},
                {"[ nonbond_params ]", NULL, 0, 0, parameters},
                {"[ implicit_genborn_params ]", NULL, 0, 0, parameters},
                {"[ implicit_surface_params ]", NULL, 0, 0, parameters},
                {"[ pairs ]", NULL, 0, 1, parameters},
                {"[ pairs_nb ]", NULL, 0, 1, parameters},
                {"[ exclusions ]", NULL, 0, 1, parameters},
                {"[ dihedraltypes ]", NULL, 0, 0, forces},
                {"[ cmaptypes ]", NULL, 0, 0, forces},
                {"[ dihedrals ]", NULL, 0, 1, forces},
                {"[ cmap ]", NULL, 0, 1, forces},
                {"[ polarization ]", NULL, 0, 1, forces},
                {"[ water_polarization ]", NULL, 0, 1, forces},
                {"[ thole_polarization ]", NULL, 0, 1, forces},
                {"[ position_restraints ]", NULL, 0, 1, forces},
                {"[ distance_restraints ]", NULL, 0, 1, forces},
                {"[ dihedral_restraints ]", NULL, 0, 1, forces},
                {"[ orientation_restraints ]", NULL, 0, 1, forces},
                {"[ angle_restraints ]", NULL, 0, 1, forces},
                {"[ angle_restraints_z ]", NULL, 0, 1, forces}};

static rattle_status begin_section(gromacs_file *f, const topology_reader *r) {
  char title[GROMACS_NAME + 8];
  char *name = r->word[0][1] ? r->word[0] + 1 : r->words > 1 ? r->word[1] : r->word[0];
  name[strcspn(name, "]")] = 0;
  snprintf(title, sizeof title, "[ %.60s ]", name);
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
    if (!gromacs_compare(title, sections[k].title)) {
      f->now = &sections[k], f->title = sections[k].title;
      f->whole |= sections[k].read == begin_whole;
      return RATTLE_OK;
    }
  return topology_wrong(r, "%s is not a section of topologies that is known", title);
}

/* The lines of a section that is not used, after the first. */
static rattle_status end_section(gromacs_file *f) {
  const rattle_status status =
      f->passed > 1 ? topology_unused(f->t, NULL, f->title, f->why, f->passed - 1) : RATTLE_OK;
  f->passed = 0;
  return status;
}

static rattle_status pass_over(gromacs_file *f, const topology_reader *r, const char *why) {
  f->why = why;
  return f->passed++ ? RATTLE_OK : topology_unused(f->t, r, f->title, why, 1);
}

static rattle_status read_line(gromacs_file *f, const topology_reader *r) {
  if (!f->now) {
    if (!strncmp(r->word[0], "%VERSION", 8) || !strncmp(r->word[0], "%FLAG", 5))
      return topology_other(f->lines.outer);
    return topology_remark(f->t, r, "text before the first section is passed over, as grompp does");
  }
  if (r->word[0][0] == '*')
    return topology_wrong(r, "a line that begins with * is data: comments begin with ;");
  if (f->whole && f->now->inside) {
    if (f->now->read == gromacs_settle || f->now->argument == GROMACS_CONSTRAINTS)
      return topology_wrong(r, "constraints between molecules are not understood");
    return pass_over(f, r, between);
  }
  if (f->now->inside && !f->molecules)
    return topology_wrong(r, "%s comes before a [ moleculetype ]", f->title);
  return f->now->read ? f->now->read(f, r, f->now->argument) : pass_over(f, r, f->now->why);
}

static rattle_status place_list(topology_list *to, const topology_list *from, int first,
                                rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < from->count && !status; k++) {
    int atom[3] = {0};
    for (int e = 0; e < from->of; e++) atom[e] = first + from->atom[from->of * k + e];
    status = topology_add(to, atom, topology_entry_of(from, k), error);
  }
  return status;
}

/* Atoms without mass: sites, shells and others. */
static rattle_status name_massless(gromacs_file *f) {
  double sites = 0, shells = 0, others = 0;
  gromacs_sites_end(f);
  for (long long u = 0; u < f->used.count; u++) {
    const gromacs_molecule *m = &f->molecule[f->used.atom[u]];
    for (topology_site *s = f->t->site; s; s = s->next)
      if (s->molecule == f->used.atom[u]) s->count += f->used.value[u];
    for (int a = 0; a < m->atoms; a++) {
      if (m->mass[a] > 0) continue;
      double *of = m->site[a] ? &sites : m->type[a]->letter == 'S' ? &shells : &others;
      *of += f->used.value[u];
    }
  }
  if (!(sites + shells + others > 0)) return RATTLE_OK;
  return topology_remark(
      f->t, NULL,
      "atoms without mass, which take no part: %.0f sites that [ virtual_sites* ] "
      "place, %.0f shells, %.0f others",
      sites, shells, others);
}

/* The molecules one after the other, as in [ molecules ]. */
static rattle_status place_molecules(gromacs_file *f) {
  topology *t = f->t;
  topology_reader *r = f->lines.outer;
  const double most = (double)(f->options->most_atoms ? f->options->most_atoms : 20000000);
  double atoms = 0, bonds = 0;
  for (long long u = 0; u < f->used.count; u++) {
    const gromacs_molecule *m = &f->molecule[f->used.atom[u]];
    atoms += f->used.value[u] * m->atoms;
    bonds += f->used.value[u] * (double)(m->bond.count + m->bend.count + m->spring.count);
  }
  r->line = 0;
  if (!f->used.count)
    return topology_wrong(r, "no [ molecules ] says how many there are of each molecule: a file of "
                             "molecules alone is included by one that does");
  if (atoms > most || bonds > 8 * most)
    return topology_wrong(r,
                          "%.0f atoms with %.0f bonds and angles are more than are read: %.0f "
                          "atoms, 8 times as many bonds",
                          atoms, bonds, most);
  rattle_status status = topology_room(t, (long long)atoms, 0, f->options, r);
  if (!status && !(t->hydrogen = calloc((size_t)atoms + 1, 1))) status = RATTLE_NO_MEMORY;
  if (!status && t->site && !(t->site_of = calloc((size_t)atoms + 1, sizeof *t->site_of)))
    status = RATTLE_NO_MEMORY;
  int first = 1;
  for (long long u = 0; u < f->used.count && !status; u++) {
    const gromacs_molecule *m = &f->molecule[f->used.atom[u]];
    for (double copy = 0; copy < f->used.value[u] && !status && m->atoms; copy++) {
      memcpy(t->mass + first, m->mass, (size_t)m->atoms * sizeof *m->mass);
      memcpy(t->hydrogen + first, m->hydrogen, (size_t)m->atoms);
      if (t->site) memcpy(t->site_of + first, m->site, (size_t)m->atoms * sizeof *m->site);
      status = place_list(&t->bond, &m->bond, first, r->error);
      if (!status) status = place_list(&t->bend, &m->bend, first, r->error);
      if (!status) status = place_list(&t->spring, &m->spring, first, r->error);
      first += m->atoms;
    }
  }
  return status ? status : name_massless(f);
}

static rattle_status read_all(gromacs_file *f) {
  rattle_status status = RATTLE_OK;
  const char *const *word = f->options->defines;
  topology_reader *r;
  while (word && *word && !status) status = gromacs_define_word(&f->lines, *word++);
  while (!status && (r = gromacs_next(&f->lines, &status))) {
    if (r->word[0][0] == '[') {
      status = end_section(f);
      if (!status) status = begin_section(f, r);
    } else {
      status = read_line(f, r);
    }
  }
  if (!status) status = end_section(f);
  if (!status && f->lines.conditions) status = topology_wrong(f->lines.outer, "#endif is missing");
  return status ? status : place_molecules(f);
}

rattle_status topology_read_gromacs(topology *t, topology_reader *outer,
                                    const topology_options *options) {
  gromacs_file f = {.t = t, .options = options, .used.of = 1};
  f.lines = (gromacs_lines){.t = t, .outer = outer, .folders = options->folders};
  t->format = "GROMACS", t->time = "ps", t->unit = 1;
  t->angstrom = 10, t->dalton = 1;
  outer->comment = ';', outer->goes_on = 1;
  const rattle_status status = read_all(&f);
  for (int k = 0; k < f.molecules; k++) gromacs_molecule_free(&f.molecule[k]);
  free(f.molecule);
  gromacs_types_free(&f);
  topology_list_free(&f.used);
  gromacs_lines_free(&f.lines);
  return status;
}
