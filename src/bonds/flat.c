/* Flat molecules: places from distances, and the bodies that they are; bodies that are given. */
#include "bonds/flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds/bonds.h"
#include "ground/support/error.h"

/* Twice the area of a triangle, squared and times four: Heron's formula by differences of sides. */
static double area_of(double a, double b, double c) {
  return (a + b + c) * (a + b - c) * (a - b + c) * (b + c - a);
}

/* The three atoms from which the others are placed: two that are far apart, and one far from their
 * line. */
static void choose(int n, const double *length, int from[3]) {
  double best = 0;
  from[0] = 0, from[1] = 1, from[2] = n > 2 ? 2 : 1;
  for (int i = 1; i < n; i++)
    if (length[i] > length[from[1]]) from[1] = i;
  for (int i = 1; i < n; i++) {
    const double area = area_of(length[from[1]], length[i], length[from[1] * n + i]);
    if (i != from[1] && area > best) best = area, from[2] = i;
  }
}

double rattle__bonds_lay_flat(int n, const double *length, double *place, int *worst) {
  int from[3];
  choose(n, length, from);
  const double base = length[from[1]], a = length[from[2]], b = length[from[1] * n + from[2]],
               x = (a * a + (base - b) * (base + b)) / (2 * base),
               y = sqrt(fmax(0, area_of(base, a, b))) / (2 * base);
  double off = 0;
  for (int i = 0; i < n; i++) {
    const double d0 = length[i], d1 = length[from[1] * n + i], d2 = length[from[2] * n + i];
    double *at = place + 2 * i;
    at[0] = i == from[0]   ? 0
            : i == from[1] ? base
                           : (d0 * d0 + (base - d1) * (base + d1)) / (2 * base);
    at[1] = i == from[0] || i == from[1] ? 0
            : i == from[2]               ? y
                           : ((d0 - d2) * (d0 + d2) + a * a - 2 * at[0] * x) / (2 * y);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double found = hypot(place[2 * i] - place[2 * j], place[2 * i + 1] - place[2 * j + 1]),
                   now = fabs(found / length[i * n + j] - 1);
      if (now <= off) continue; /* NaN of a line is not */
      off = now;
      *worst = i * n + j;
    }
  return off;
}

/* Room for a body of n atoms among those of the list; 0: no memory. */
static int begin_solid(rattle_bonds *b, rattle__bond_solid *s, const int *atom, int n,
                       const double *masses) {
  s->atoms = n;
  s->atom = rattle__arena_take(&b->arena, (size_t)n * sizeof *s->atom);
  s->place = rattle__arena_doubles(&b->arena, 4 * (size_t)n);
  if (b->arena.failed) return 0;
  s->mass = s->place + 3 * n;
  for (int i = 0; i < n; i++) {
    s->atom[i] = atom[i];
    s->mass[i] = masses[atom[i]];
  }
  b->clusters++, b->bonded += n;
  return 1;
}

static rattle_status make_bodies(rattle_bonds *b, rattle__bond_solid *s,
                                 const rattle_bonds_topology *t, rattle_error *error) {
  for (long long k = 0; k < t->bodies; k++, s++) {
    const long long first = t->body_first[k], n = t->body_first[k + 1] - first;
    double reach;
    if (!begin_solid(b, s, t->body_atoms + first, (int)n, t->masses))
      return rattle__no_memory(error);
    memcpy(s->place, t->body_places + 3 * first, 3 * (size_t)n * sizeof *s->place);
    if (!rattle__bonds_align_solid(s, &reach))
      return rattle__fail(
          error, RATTLE_BAD_ARGUMENT, "bodies",
          "body %lld, of atom %d and %d others, lies on a line: give its bonds, two "
          "and their distance, instead",
          k, s->atom[0], s->atoms - 1);
    b->longest = fmax(b->longest, reach); /* images are those near the first atom */
  }
  return RATTLE_OK;
}

rattle_status rattle__bonds_make_solids(rattle_bonds *b, const rattle__bond_prepared *p,
                                        const rattle_bonds_topology *t, rattle_error *error) {
  const rattle__bond_flats *f = &p->flats;
  const size_t all = (size_t)f->count + (size_t)t->bodies;
  int largest = 0;
  if (!all) return RATTLE_OK;
  b->solid = rattle__arena_take(&b->arena, all * sizeof *b->solid);
  for (int k = 0; k < f->count && b->solid; k++) {
    rattle__bond_solid *s = &b->solid[k];
    const int first = f->first[k], n = f->first[k + 1] - first;
    if (!begin_solid(b, s, f->atom + first, n, t->masses)) break;
    for (int i = 0; i < 2 * n; i++) s->place[3 * (i / 2) + i % 2] = f->place[2 * first + i];
    double reach; /* bonds know it */
    rattle__bonds_align_solid(s, &reach);
    const long long bonds = (long long)n * (n - 1) / 2;
    if (n > largest) largest = n, b->shapes++;
    if (bonds > b->largest) b->largest = bonds;
  }
  if (b->arena.failed) return rattle__no_memory(error);
  b->solids = (int)all;
  b->bodies = (int)t->bodies;
  return make_bodies(b, b->solid + f->count, t, error);
}
