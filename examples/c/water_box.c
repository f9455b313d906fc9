/* Rigid water in a periodic box, with librattle_bonds alone: both stages, virial and degrees of freedom. No forces act, so that each molecule
 * flies and turns by itself.
 *
 *     cc water_box.c $(pkg-config --cflags --libs rattle-bonds) -Wl,-rpath,$(pkg-config --variable=libdir rattle-bonds) -lm -o water_box
 *     ./water_box
 *
 * Prints
 *
 *     648 atoms, 216 molecules, 1293 degrees of freedom
 *     the largest relative error of a length below 1e-12
 *     the virial is minus twice the energy of rotation: off by less than 1 per cent
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/bonds.h"

enum { EDGE = 6, MOLECULES = EDGE * EDGE * EDGE, ATOMS = 3 * MOLECULES, STEPS = 200 };
static const double length = 0.09572, across = 0.15139, box_edge = 1.9, h = 0.0005; /* nm, ps */
static double x0[3 * ATOMS], x[3 * ATOMS], v[3 * ATOMS], masses[ATOMS], lengths[ATOMS];
static int pairs[2 * ATOMS], all[ATOMS];

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

/* The difference of two coordinates by nearest images. */
static double apart(double a, double b) {
  return a - b - box_edge * round((a - b) / box_edge);
}

/* Molecule m: O, H, H on a grid, with velocities from a simple generator. */
static void place(int m) {
  static unsigned drawn = 1;
  const int own[] = {0, 1, 0, 2, 1, 2};
  const double height = sqrt(length * length - across * across / 4);
  for (int e = 0; e < 6; e++) pairs[6 * m + e] = 3 * m + own[e];
  for (int k = 0; k < 3; k++) {
    const int a = 3 * m + k;
    masses[a] = k ? 1.008 : 15.999, lengths[a] = k < 2 ? length : across;
    x[3 * a] = box_edge * (m % EDGE) / EDGE + (k ? (k - 1.5) * across : 0);
    x[3 * a + 1] = box_edge * (m / EDGE % EDGE) / EDGE + (k ? height : 0);
    x[3 * a + 2] = box_edge * (m / EDGE / EDGE) / EDGE;
    for (int d = 0; d < 3; d++)
      v[3 * a + d] = ((drawn = drawn * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5;
  }
}

/* Twice the kinetic energy of the atoms of molecule m about its centre of mass. */
static double turning(int m) {
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    double momentum = 0, mass = 0;
    for (int a = 3 * m; a < 3 * m + 3; a++) momentum += masses[a] * v[3 * a + d], mass += masses[a];
    for (int a = 3 * m; a < 3 * m + 3; a++)
      sum += masses[a] * pow(v[3 * a + d] - momentum / mass, 2);
  }
  return sum;
}

int main(void) {
  for (int m = 0; m < MOLECULES; m++) place(m);
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = ATOMS,
                                          .bonds = ATOMS,
                                          .pairs = pairs,
                                          .lengths = lengths,
                                          .masses = masses};
  const rattle_bonds_box box = {{{box_edge, 0, 0}, {0, box_edge, 0}, {0, 0, box_edge}}};
  rattle_bonds *bonds;
  rattle_error error;
  check(rattle_bonds_create(&bonds, &topology, NULL, &error), &error);
  check(rattle_bonds_velocities(bonds, x, v, &box, &error), &error);
  double removed, virial[6];
  check(rattle_bonds_removed(bonds, all, 1, &removed, &error),
        &error); /* all atoms are in group 0 */
  printf("%d atoms, %d molecules, %.0f degrees of freedom\n", ATOMS, MOLECULES,
         3.0 * ATOMS - 3 - removed);
  const rattle_bonds_outputs out = {.struct_size = sizeof out, .virial = virial, .scale = 2 / h};
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < 3 * ATOMS; i++) x0[i] = x[i], x[i] += h * v[i];
    check(rattle_bonds_positions(bonds, x0, x, v, h, &box, &error), &error);
    check(rattle_bonds_velocities_out(bonds, x, v, &box, &out, &error), &error);
    for (int i = 0; i < 3 * ATOMS; i++)
      x[i] -= box_edge * floor(x[i] / box_edge); /* atoms are wrapped one by one */
  }
  double off = 0, energy = 0;
  for (int k = 0; k < ATOMS; k++) {
    const double *a = x + 3 * pairs[2 * k], *b = x + 3 * pairs[2 * k + 1];
    const double d =
        sqrt(pow(apart(a[0], b[0]), 2) + pow(apart(a[1], b[1]), 2) + pow(apart(a[2], b[2]), 2));
    off = fmax(off, fabs(d / lengths[k] - 1));
  }
  for (int m = 0; m < MOLECULES; m++) energy += turning(m);
  const double ratio = -(virial[0] + virial[1] + virial[2]) / energy;
  printf("the largest relative error of a length %s 1e-12\n", off < 1e-12 ? "below" : "above");
  printf("the virial is minus twice the energy of rotation: off by %s than 1 per cent\n",
         fabs(ratio - 1) < 0.01 ? "less" : "more");
  rattle_bonds_destroy(&bonds);
  return !(off < 1e-12 && fabs(ratio - 1) < 0.01);
}
