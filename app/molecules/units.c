/* Units of topologies. */
#include <stdio.h>
#include <string.h>

#include "molecules/topology.h"

/* The styles of LAMMPS, and the units of GROMACS: (mass length^2/energy)^(1/2) in the unit of time,
 * from the constants of CODATA 2018; the unit of length in Angstrom and that of mass in u, 0:
 * none. */
static const struct unit_style {
  const char *name, *time;
  double unit, angstrom, dalton;
} known[] = {{"real", "fs", 48.8882129084, 1, 1},
             {"metal", "ps", 0.0101805057125, 1, 1},
             {"lj", "tau", 1, 0, 0},
             {"si", "s", 1, 1e10, 6.02214076e26},
             {"cgs", "s", 1, 1e8, 6.02214076e23},
             {"micro", "us", 1, 1e4, 6.02214076e11},
             {"nano", "ns", 1, 10, 6.02214076e5},
             {"electron", "fs", 1.03274988, 0.529177210903, 1},
             {"gromacs", "ps", 1, 10, 1}};

rattle_status topology_units(topology *t, const topology_reader *r, const char *style) {
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (!strcmp(style, known[k].name)) {
      t->style = k + 1 < sizeof known / sizeof *known ? known[k].name : NULL;
      t->time = known[k].time, t->unit = known[k].unit;
      t->angstrom = known[k].angstrom, t->dalton = known[k].dalton;
      return RATTLE_OK;
    }
  return topology_wrong(r,
                        "units of the style %.20s are not understood; --units is real, metal, lj, "
                        "si, cgs, electron, micro, nano, or gromacs",
                        style);
}
