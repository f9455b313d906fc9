#ifndef RATTLE_BENCH_MOLECULES_H
#define RATTLE_BENCH_MOLECULES_H
/* Many copies of a molecule, and a plain hand-written SHAKE and RATTLE for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/bonds.h"
#include "ground/support/random.h"

static const double tolerance = 1e-10;

typedef struct molecules {
  long long atoms, bonds;
  int *pair;
  double *length, *mass, *x0, *free, *x, *v0, *v; /* free: x after a step without constraints */
} molecules;

/* --- the twin: sweeps over the bonds of one molecule after the other, until all lengths are
 * right */

static void shake(const molecules *s, long long first, long long bonds, double step) {
  for (int wrong = 1; wrong;) {
    wrong = 0;
    for (long long k = first; k < first + bonds; k++) {
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      double r[3], u[3], uu = 0, ur = 0;
      for (int d = 0; d < 3; d++) {
        r[d] = s->x0[i + d] - s->x0[j + d], u[d] = s->x[i + d] - s->x[j + d];
        uu += u[d] * u[d], ur += u[d] * r[d];
      }
      const double dd = s->length[k] * s->length[k], off = uu - dd;
      if (fabs(off) <= 2 * tolerance * dd) continue;
      wrong = 1;
      const double wi = 1 / s->mass[i / 3], wj = 1 / s->mass[j / 3],
                   lambda = off / (2 * ur * (wi + wj));
      for (int d = 0; d < 3; d++) {
        s->x[i + d] -= wi * lambda * r[d], s->x[j + d] += wj * lambda * r[d];
        s->v[i + d] -= wi * lambda * r[d] / step, s->v[j + d] += wj * lambda * r[d] / step;
      }
    }
  }
}

static void rattle(const molecules *s, long long first, long long bonds) {
  for (int wrong = 1; wrong;) {
    wrong = 0;
    for (long long k = first; k < first + bonds; k++) {
      const int i = 3 * s->pair[2 * k], j = 3 * s->pair[2 * k + 1];
      double r[3], rate = 0, rr = 0;
      for (int d = 0; d < 3; d++) {
        r[d] = s->x[i + d] - s->x[j + d];
        rate += r[d] * (s->v[i + d] - s->v[j + d]), rr += r[d] * r[d];
      }
      if (fabs(rate) <= tolerance) continue;
      wrong = 1;
      const double wi = 1 / s->mass[i / 3], wj = 1 / s->mass[j / 3], mu = rate / (rr * (wi + wj));
      for (int d = 0; d < 3; d++) s->v[i + d] -= wi * mu * r[d], s->v[j + d] += wj * mu * r[d];
    }
  }
}

/* --- molecules -------------------------------------------------------------------------------- */

static void *room(long long count, size_t size) {
  void *p = calloc((size_t)count, size);
  if (!p) abort();
  return p;
}

/* One molecule; its arrays are freed by free_shape. */
typedef struct shape {
  int atoms, bonds, *pair;
  double *place, *mass;
} shape;

static shape make_shape(int atoms, int bonds, const int *pair, const double *place,
                        const double *mass) {
  shape one = {.atoms = atoms, .bonds = bonds, .pair = room(2 * bonds, sizeof(int))};
  one.place = room(3 * atoms, sizeof(double)), one.mass = room(atoms, sizeof(double));
  if (pair) memcpy(one.pair, pair, 2 * (size_t)bonds * sizeof *pair);
  if (place) memcpy(one.place, place, 3 * (size_t)atoms * sizeof *place);
  if (mass) memcpy(one.mass, mass, (size_t)atoms * sizeof *mass);
  return one;
}

static void free_shape(shape *one) {
  free(one->pair), free(one->place), free(one->mass);
}

static shape water_shape(void) {
  static const int pair[] = {0, 1, 0, 2, 1, 2};
  static const double place[] = {0, 0, 0, 1, 0, 0, -1.0 / 3, 0.9428090415820634, 0},
                      mass[] = {15.999, 1.008, 1.008};
  return make_shape(3, 3, pair, place, mass);
}

/* Carbon with 1 to 4 hydrogens. */
static shape carbon_shape(int hydrogens) {
  static const int pair[] = {0, 1, 0, 2, 0, 3, 0, 4};
  static const double place[] = {0,     0,     0,    .577,  .577,  .577,  .577, -.577,
                                 -.577, -.577, .577, -.577, -.577, -.577, .577};
  static const double mass[] = {12.011, 1.008, 1.008, 1.008, 1.008};
  return make_shape(hydrogens + 1, hydrogens, pair, place, mass);
}

/* Beads in a zigzag, or on a ring where `closed`. */
static shape bead_shape(int count, int closed) {
  shape one = make_shape(count, closed ? count : count - 1, NULL, NULL, NULL);
  const double turn = 2 * acos(-1) / count;
  for (int k = 0; k < one.bonds; k++) one.pair[2 * k] = k, one.pair[2 * k + 1] = (k + 1) % count;
  for (int k = 0; k < count; k++) {
    one.place[3 * k] = closed ? cos(turn * k) / (2 * sin(turn / 2)) : 0.8 * k;
    one.place[3 * k + 1] = closed ? sin(turn * k) / (2 * sin(turn / 2)) : 0.6 * (k % 2);
    one.mass[k] = 14;
  }
  return one;
}

/* Copies of a molecule, with bonds of the lengths that they have there. */
static void make(molecules *s, int copies, const shape *one) {
  const int atoms = one->atoms, bonds = one->bonds, *pair = one->pair;
  const double *place = one->place, *mass = one->mass;
  uint64_t seed = 1;
  *s = (molecules){.atoms = (long long)copies * atoms, .bonds = (long long)copies * bonds};
  s->pair = room(2 * s->bonds, sizeof *s->pair);
  s->length = room(s->bonds, sizeof(double)), s->mass = room(s->atoms, sizeof(double));
  double **all[] = {&s->x0, &s->free, &s->x, &s->v0, &s->v};
  for (int i = 0; i < 5; i++) *all[i] = room(3 * s->atoms, sizeof(double));
  for (int c = 0; c < copies; c++) {
    double origin[3];
    for (int d = 0; d < 3; d++) origin[d] = 20 * rattle__random_signed(&seed);
    for (int a = 0; a < atoms; a++) {
      s->mass[c * atoms + a] = mass[a];
      for (int d = 0; d < 3; d++) {
        s->x0[3 * (c * atoms + a) + d] = origin[d] + place[3 * a + d];
        s->v0[3 * (c * atoms + a) + d] = rattle__random_signed(&seed) / sqrt(mass[a]);
      }
    }
    for (int k = 0; k < bonds; k++) {
      double sum = 0;
      for (int d = 0; d < 3; d++)
        sum += pow(place[3 * pair[2 * k] + d] - place[3 * pair[2 * k + 1] + d], 2);
      for (int e = 0; e < 2; e++) s->pair[2 * (c * bonds + k) + e] = c * atoms + pair[2 * k + e];
      s->length[c * bonds + k] = sqrt(sum);
    }
  }
}

static void destroy(molecules *s) {
  void *all[] = {s->pair, s->length, s->mass, s->x0, s->free, s->x, s->v0, s->v};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void restart(molecules *s) {
  const size_t bytes = 3 * (size_t)s->atoms * sizeof(double);
  memcpy(s->x, s->free, bytes);
  memcpy(s->v, s->v0, bytes);
}

static rattle_bonds_topology topology_of(const molecules *s) {
  return (rattle_bonds_topology){.struct_size = sizeof(rattle_bonds_topology),
                                 .atoms = s->atoms,
                                 .bonds = s->bonds,
                                 .pairs = s->pair,
                                 .lengths = s->length,
                                 .masses = s->mass};
}
#endif
