/* Questions to a topology that was read. */
#include "molecules/topology.h"

#include <math.h>
#include <stdlib.h>

int topology_hydrogen(const topology *t, int atom) {
  return t->hydrogen ? t->hydrogen[atom] : t->mass[atom] >= 0.9 && t->mass[atom] <= 1.2;
}

void topology_difference(const topology *t, const double *x, int i, int j, double r[3]) {
  for (int d = 0; d < 3; d++) r[d] = x[3 * i + d] - x[3 * j + d];
  for (int e = 2; e >= 0 && t->boxed; e--) {
    const double n = nearbyint(r[e] / t->box.edge[e][e]);
    for (int d = 0; d <= e; d++) r[d] -= n * t->box.edge[e][d];
  }
}

void topology_free(topology *t) {
  topology_list *const lists[] = {&t->bond, &t->angle, &t->spring, &t->bend};
  for (int l = 0; l < 4; l++) topology_list_free(lists[l]);
  topology_origin_free(t);
  topology_sites_free(t);
  free(t->mass), free(t->place), free(t->hydrogen), free(t->site_of);
  *t = (topology){0};
}

rattle_bonds_topology topology_of(const topology *t) {
  return (rattle_bonds_topology){.struct_size = sizeof(rattle_bonds_topology),
                                 .atoms = t->atoms + 1,
                                 .bonds = t->bond.count,
                                 .pairs = t->bond.atom,
                                 .lengths = t->bond.value,
                                 .masses = t->mass,
                                 .angles = t->angle.count,
                                 .angle_atoms = t->angle.atom,
                                 .angle_values = t->angle.value};
}
