/* The format of docs/bonds.md: a word and its numbers in each line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecules/topology.h"

/* Atoms in words 1 to `count`, all different and declared before. */
static rattle_status atoms_of(const topology *t, const topology_reader *r, int count, int *atom) {
  for (int k = 0; k < count; k++) {
    long long number = 0;
    if (t->atoms < 1) return topology_wrong(r, "%s comes after the atoms", r->word[0]);
    const rattle_status status = topology_whole(r, 1 + k, "an atom", 1, t->atoms, &number);
    if (status) return status;
    atom[k] = (int)number;
    for (int e = 0; e < k; e++)
      if (atom[e] == atom[k]) return topology_wrong(r, "atom %d occurs twice", atom[k]);
  }
  return RATTLE_OK;
}

static rattle_status read_atom(topology *t, const topology_reader *r,
                               const topology_options *options, long long *room) {
  const int placed = r->words > 2;
  if (t->atoms && placed != (t->place != NULL))
    return topology_wrong(r, "positions are given for all atoms or for none");
  if (t->atoms == (options->most_atoms ? options->most_atoms : 20000000))
    return topology_wrong(r, "more atoms than %lld", t->atoms);
  if (t->atoms == *room) {
    *room = 2 * *room + 64;
    double *mass = realloc(t->mass, ((size_t)*room + 1) * sizeof *mass);
    if (mass) t->mass = mass;
    double *place = placed ? realloc(t->place, 3 * ((size_t)*room + 1) * sizeof *place) : NULL;
    if (place) t->place = place;
    if (!mass || (placed && !place)) return topology_wrong(r, "no memory for the atoms");
  }
  if (!t->atoms) t->mass[0] = 1;
  if (!t->atoms && placed) memset(t->place, 0, 3 * sizeof *t->place);
  rattle_status status = topology_number(r, 1, "a mass", &t->mass[t->atoms + 1]);
  for (int d = 0; d < 3 && placed && !status; d++)
    status = topology_number(r, 2 + d, "a position", &t->place[3 * (t->atoms + 1) + d]);
  t->atoms += !status;
  return status;
}

static rattle_status read_box(topology *t, const topology_reader *r) {
  static const int row[] = {0, 1, 2, 1, 2, 2}, column[] = {0, 1, 2, 0, 0, 1};
  rattle_status status = RATTLE_OK;
  for (int k = 0; k < 6 && !status && k < r->words - 1; k++)
    status = topology_number(r, 1 + k, "an edge of the box", &t->box.edge[row[k]][column[k]]);
  t->boxed = 1;
  return status || r->words == 4 || r->words == 7
             ? status
             : topology_wrong(r, "box LX LY LZ, or box LX LY LZ XY XZ YZ");
}

static rattle_status add(topology *t, topology_list *to, const int *atom, topology_entry entry,
                         const topology_reader *r) {
  entry.source = topology_source_of(t, r, to->of == 3 ? "angle" : "bond", entry.value);
  return entry.source < 0 ? RATTLE_NO_MEMORY : topology_add(to, atom, entry, r->error);
}

rattle_status topology_read_plain(topology *t, topology_reader *r,
                                  const topology_options *options) {
  long long room = 0;
  rattle_status status = RATTLE_OK;
  t->format = "rattle-bonds", t->time = "", t->unit = 1;
  topology_line(r); /* rattle-bonds 1 */
  if (r->words != 2 || strcmp(r->word[1], "1"))
    return topology_wrong(r, "the first line of this format is: rattle-bonds 1");
  if (options->units) status = topology_units(t, r, options->units);
  while (!status && topology_line(r)) {
    const char *word = r->word[0];
    int atom[3] = {0}, words = r->words;
    topology_entry entry = {.constant = (double)INFINITY};
    if (!strcmp(word, "atom")) {
      words = r->words > 2 ? 5 : 2;
      status = read_atom(t, r, options, &room);
    } else if (!strcmp(word, "bond") || !strcmp(word, "spring")) {
      words = word[0] == 's' ? 5 : 4;
      status = atoms_of(t, r, 2, atom);
      if (!status) status = topology_number(r, 3, "a length", &entry.value);
      if (!status && word[0] == 's')
        status = topology_number(r, 4, "a force constant", &entry.constant);
      if (!status) status = add(t, word[0] == 's' ? &t->spring : &t->bond, atom, entry, r);
    } else if (!strcmp(word, "angle") || !strcmp(word, "bend")) {
      words = word[0] == 'b' ? 6 : 5;
      status = atoms_of(t, r, 3, atom);
      if (!status) status = topology_number(r, 4, "an angle", &entry.value);
      if (!status && word[0] == 'b')
        status = topology_number(r, 5, "a force constant", &entry.constant);
      entry.value = topology_radians(entry.value);
      if (!status) status = add(t, word[0] == 'b' ? &t->bend : &t->angle, atom, entry, r);
    } else if (!strcmp(word, "box")) {
      status = read_box(t, r);
    } else {
      status = topology_wrong(
          r, "%.60s is unknown; lines begin with atom, bond, angle, spring, bend or box", word);
    }
    if (!status) status = topology_ends(r, words);
  }
  return status;
}
