/* From a file to bonds: which format it has, which bonds are kept, and what all formats must
 * satisfy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/topology.h"

/* Bonds of the force field with hydrogen are kept; the others vibrate. */
static rattle_status keep_hydrogens(topology *t, rattle_error *error) {
  long long kept = 0;
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < t->bond.count && !status; k++) {
    const int *atom = t->bond.atom + 2 * k;
    const topology_entry entry = topology_entry_of(&t->bond, k);
    if (isfinite(entry.constant) && !topology_hydrogen(t, atom[0]) &&
        !topology_hydrogen(t, atom[1])) {
      if (entry.constant > 0) status = topology_add(&t->spring, atom, entry, error);
    } else {
      topology_put(&t->bond, kept++, atom, entry);
    }
  }
  t->bond.count = kept;
  return status;
}

/* Bonds that vibrate carry hydrogens too. Atoms have numbers from 1 on here. */
static rattle_status repartition(topology *t, const topology_options *options,
                                 const topology_reader *r) {
  if (!options->rule) return RATTLE_OK;
  const topology_list *const lists[] = {&t->bond, &t->spring};
  const long long bonds = t->bond.count + t->spring.count;
  int *pairs = malloc((2 * (size_t)bonds + 1) * sizeof *pairs), *next = pairs;
  char *hydrogen = calloc((size_t)t->atoms + 1, 1);
  const rattle_bonds_topology all = {.struct_size = sizeof all,
                                     .atoms = t->atoms + 1,
                                     .bonds = bonds,
                                     .pairs = pairs,
                                     .masses = t->mass};
  const double first = t->mass[0];
  rattle_error error;
  t->mass[0] = 0; /* of no atom */
  rattle_status status =
      pairs && hydrogen ? RATTLE_OK : topology_wrong(r, "no memory to repartition masses");
  for (int l = 0; l < 2 && !status; l++)
    for (long long k = 0; k < 2 * lists[l]->count; k++) *next++ = lists[l]->atom[k];
  for (int a = 1; a <= t->atoms && !status; a++) hydrogen[a] = (char)topology_hydrogen(t, a);
  if (!status && rattle_bonds_repartition(options->rule, options->repartition, &all, hydrogen,
                                          t->mass, &error))
    status = topology_wrong(r, "%s", error.message);
  t->mass[0] = first;
  free(pairs), free(hydrogen);
  return status;
}

/* A matrix that couples all bonds of an atom would fill the memory. */
static rattle_status check_crowding(const topology *t, const topology_reader *r) {
  enum { MOST = 64 };
  rattle_status status = RATTLE_OK;
  unsigned char *bonds = calloc((size_t)t->atoms + 1, 1);
  if (!bonds) return topology_wrong(r, "no memory to count bonds");
  for (long long k = 0; k < 2 * t->bond.count && !status; k++)
    if (++bonds[t->bond.atom[k]] > MOST)
      status = topology_wrong(r, "atom %d has more than %d bonds", t->bond.atom[k], MOST);
  free(bonds);
  return status;
}

/* True if all atoms have the same coordinate along an axis on which only one edge lies. */
static int is_flat(const topology *t, int axis) {
  long long first = 0;
  for (int e = 0; e < 3; e++)
    if (e != axis && (t->box.edge[e][axis] != 0 || t->box.edge[axis][e] != 0)) return 0;
  for (long long a = 1; a <= t->atoms; a++) {
    if (!(t->mass[a] > 0)) continue;
    if (!first) first = a;
    if (t->place[3 * a + axis] < t->place[3 * first + axis] ||
        t->place[3 * a + axis] > t->place[3 * first + axis])
      return 0;
  }
  return 1;
}

/* Motion in a plane or on a line has boxes that are narrow across it. Images along that axis are
 * farther than the atoms themselves, whatever its period is. */
static rattle_status widen_flat(topology *t) {
  double longest = 0;
  rattle_status status = RATTLE_OK;
  for (long long k = 0; k < t->bond.count; k++) longest = fmax(longest, t->bond.value[k]);
  for (int e = 0; e < 3 && t->boxed && t->place && !status; e++) {
    if (2 * longest < t->box.edge[e][e] || !is_flat(t, e)) continue;
    t->box.edge[e][e] = 4 * longest;
    status = topology_remark(t, NULL, "all atoms have the same %c: the period along it is left out",
                             "xyz"[e]);
  }
  return status;
}

/* topology_difference takes the nearest image if that is shorter than half of a_x, b_y and c_z;
 * where it is not, it finds none that is. Stages refuse the box then too. */
static rattle_status check_images(const topology *t, const topology_reader *r) {
  for (long long k = 0; k < t->bond.count && t->boxed && t->place; k++)
    for (int e = 0; e < 3; e++)
      if (!(2 * t->bond.value[k] < t->box.edge[e][e]))
        return topology_wrong(r,
                              "the box is %g wide along %c, and the bond of atoms %d and %d, of "
                              "%g, is not shorter than half of that: its nearest image may be "
                              "another atom",
                              t->box.edge[e][e], "xyz"[e], t -> bond.atom[2 * k],
                              t->bond.atom[2 * k + 1], t->bond.value[k]);
  return RATTLE_OK;
}

/* Atoms of bonds and angles have masses, and values are those of lengths and angles. */
static rattle_status check_values(const topology *t, const topology_reader *r) {
  const topology_list *const lists[] = {&t->bond, &t->angle, &t->spring, &t->bend};
  for (int l = 0; l < 4; l++)
    for (long long k = 0; k < lists[l]->count; k++) {
      const int *atom = lists[l]->atom + lists[l]->of * k;
      for (int e = 0; e < lists[l]->of; e++)
        if (t->mass[atom[e]] == 0)
          return topology_wrong(r, "atom %d has no mass above 0, and a bond or an angle", atom[e]);
      if (lists[l] == &t->bond && lists[l]->value[k] == 0)
        return topology_wrong(r,
                              "the bond of atoms %d and %d has the length 0: two atoms at one "
                              "place have no direction that a bond could push along. Make them one "
                              "atom, or keep their coordinates equal in a model file (`rattle help "
                              "models`)",
                              atom[0], atom[1]);
      /* what vibrates may be at rest at 0 */
      if (!(lists[l]->value[k] > 0 || (l > 1 && lists[l]->value[k] == 0)) ||
          !(lists[l]->constant[k] >= 0))
        return topology_wrong(r,
                              "the bond or angle of atoms %d and %d has a length, an angle or a "
                              "force constant that is not above 0",
                              atom[0], atom[1]);
    }
  return RATTLE_OK;
}

static rattle_status check(const topology *t, const topology_reader *r) {
  if (t->atoms < 1) return topology_wrong(r, "no atoms were found");
  for (long long a = 1; a <= t->atoms; a++)
    if (!(t->mass[a] >= 0)) return topology_wrong(r, "atom %lld has a mass below 0", a);
  for (int d = 0; d < 3 && t->boxed; d++)
    if (!(t->box.edge[d][d] > 0)) return topology_wrong(r, "an edge of the box is not above 0");
  rattle_status status = check_images(t, r);
  if (!status) status = check_crowding(t, r);
  if (status) return status;
  if (t->bond.count < 1) return topology_wrong(r, "there are no bonds to keep");
  return RATTLE_OK;
}

/* GROMACS names its own. */
static rattle_status name_massless(topology *t) {
  long long count = -t->missing;
  for (long long a = 1; a <= t->atoms; a++) count += t->mass[a] == 0;
  if (count < 1) return RATTLE_OK;
  return topology_remark(t, NULL, "atoms without mass and bonds, which take no part: %lld", count);
}

rattle_status topology_finish(topology *t, const topology_reader *r,
                              const topology_options *options) {
  rattle_status status = options->hydrogens ? keep_hydrogens(t, r->error) : RATTLE_OK;
  if (!status) status = check_values(t, r);
  if (!status) status = widen_flat(t);
  if (!status) status = check(t, r);
  if (!status) status = topology_merge(t, r);
  if (!status) status = repartition(t, options, r);
  return status;
}

static int ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && !strcmp(path + length - tail, ending);
}

rattle_status topology_load(topology *t, const char *path, const topology_options *options,
                            rattle_error *error) {
  topology_reader r;
  *t = (topology){.bond.of = 2, .angle.of = 3, .spring.of = 2, .bend.of = 3};
  rattle_status status = topology_open(&r, path, '#', error);
  if (!status) {
    const int plain = !strncmp(r.text, "rattle-bonds", 12),
              gromacs = !plain && (ends_in(path, ".top") || ends_in(path, ".itp"));
    if (options->positions && !gromacs)
      status = topology_wrong(
          &r,
          "a second file, of positions, belongs to a topology of GROMACS, whose name ends in .top");
    else if (!gromacs && (options->defines || options->folders))
      status =
          topology_wrong(&r, "-D and -I belong to a topology of GROMACS, whose name ends in .top");
    else if (options->angles && (plain || gromacs))
      status = topology_wrong(&r, "--angles names types of a LAMMPS data file");
    else if (options->units && gromacs)
      status = topology_wrong(&r, "a topology of GROMACS is in nm, u and ps: leave out --units");
    else if (gromacs)
      status = topology_read_gromacs(t, &r, options);
    else
      status = plain ? topology_read_plain(t, &r, options) : topology_read_lammps(t, &r, options);
    r.line = 0;
    if (!status && options->positions) status = topology_read_gro(t, options->positions, error);
    if (!status) status = topology_finish(t, &r, options);
    if (!status && !gromacs) status = name_massless(t);
  }
  topology_close(&r);
  return status == RATTLE_NO_MEMORY && !error->message[0] ? text_no_memory(error) : status;
}
