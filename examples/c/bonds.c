/* Bonds alone: a rope of 100 rods in a molecular dynamics loop of one's own. All that this program needs is librattle_bonds, which depends
 * on no other library than that of C:
 *
 *     cc bonds.c $(pkg-config --cflags --libs rattle-bonds) -Wl,-rpath,$(pkg-config --variable=libdir rattle-bonds) -lm -o bonds
 *     ./bonds
 *
 * The rope hangs from an atom that cannot move, starts level and at rest, and falls for a second. Prints
 *
 *     100 bonds in 1 cluster
 *     the largest relative error of a length below 1e-12
 *     energy kept to 1e-4 of what fell
 *     weight and the force of the support change the momentum: off by less than 1e-11
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rattle/bonds.h"

enum { RODS = 100, ATOMS = RODS + 1, STEPS = 2000 };
static const double length = 0.01, mass = 0.001, gravity = 9.81, h = 0.0005;

static void check(rattle_status status, const rattle_error *error) {
  if (status == RATTLE_OK) return;
  fprintf(stderr, "%s: %s\n", rattle_status_name(status), error->message);
  exit(1);
}

/* Gravity along -z, half a step. */
static void kick(double *v) {
  for (int a = 1; a < ATOMS; a++) v[3 * a + 2] -= h / 2 * gravity;
}

int main(void) {
  static double x0[3 * ATOMS], x[3 * ATOMS], v[3 * ATOMS], force[3 * ATOMS], masses[ATOMS],
      lengths[RODS];
  static int pairs[2 * RODS];
  for (int a = 0; a < ATOMS; a++) x[3 * a] = a * length, masses[a] = a ? mass : (double)INFINITY;
  for (int k = 0; k < RODS; k++) pairs[2 * k] = k, pairs[2 * k + 1] = k + 1, lengths[k] = length;
  const rattle_bonds_topology topology = {.struct_size = sizeof topology,
                                          .atoms = ATOMS,
                                          .bonds = RODS,
                                          .pairs = pairs,
                                          .lengths = lengths,
                                          .masses = masses};
  rattle_bonds *bonds;
  rattle_error error;
  check(rattle_bonds_create(&bonds, &topology, NULL, &error), &error);
  rattle_bonds_summary summary = {.struct_size = sizeof summary};
  check(rattle_bonds_summarise(bonds, &summary, &error), &error);
  printf("%lld bonds in %lld cluster%s\n", summary.bonds, summary.clusters,
         summary.clusters == 1 ? "" : "s");

  double impulse = 0; /* of the support on the rope, upwards */
  for (int step = 0; step < STEPS; step++) {
    kick(v);
    for (int i = 0; i < 3 * ATOMS; i++) x0[i] = x[i], x[i] += h * v[i];
    rattle_bonds_outputs out = {.struct_size = sizeof out, .forces = force, .scale = 2 / (h * h)};
    check(rattle_bonds_positions_out(bonds, x0, x, v, h, NULL, &out, &error), &error);
    impulse -= h / 2 * force[2];
    kick(v);
    out.scale = 2 / h;
    check(rattle_bonds_velocities_out(bonds, x, v, NULL, &out, &error), &error);
    impulse -= h / 2 * force[2];
  }

  double off = 0, momentum = 0, kinetic = 0, potential = 0;
  for (int k = 0; k < RODS; k++) {
    const double *a = x + 3 * k, *b = a + 3,
                 d = sqrt(pow(b[0] - a[0], 2) + pow(b[1] - a[1], 2) + pow(b[2] - a[2], 2));
    off = fmax(off, fabs(d / length - 1));
  }
  for (int a = 1; a < ATOMS; a++) {
    const double *w = v + 3 * a;
    kinetic += mass / 2 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    potential += mass * gravity * x[3 * a + 2];
    momentum += mass * w[2];
  }
  const double energy = fabs(kinetic + potential) / kinetic,
               balance = fabs(momentum - impulse + RODS * mass * gravity * STEPS * h);
  printf("the largest relative error of a length %s 1e-12\n", off < 1e-12 ? "below" : "above");
  printf("energy %s to 1e-4 of what fell\n", energy < 1e-4 ? "kept" : "not kept");
  printf("weight and the force of the support change the momentum: off by %s than 1e-11\n",
         balance < 1e-11 ? "less" : "more");
  rattle_bonds_destroy(&bonds);
  return !(off < 1e-12 && energy < 1e-4 && balance < 1e-11);
}
