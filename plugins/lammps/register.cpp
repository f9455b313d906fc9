/* What the gate, which LAMMPS loads (gate.c), takes from here. */
#include "fix_rattle_any.h"
#include "lammps.h"
#include "modify.h"

using namespace LAMMPS_NS;

#define VISIBLE extern "C" __attribute__((visibility("default")))

VISIBLE const int rattle_lammps_sizes[3] = {sizeof(bigint), sizeof(tagint), sizeof(imageint)};

static Fix *create(LAMMPS *lmp, int count, char **word) {
  return new rattle_any::fix(lmp, count, word);
}

/* The fix as a plug-in's creator. */
VISIBLE void *rattle_lammps_create(void *lammps, int count, char **word) {
  return create(static_cast<LAMMPS *>(lammps), count, word);
}

/* The fix among those that LAMMPS has. */
VISIBLE void rattle_lammps_enter(void *lammps) {
  (*static_cast<LAMMPS *>(lammps)->modify->fix_map)["rattle/any"] = &create;
}
