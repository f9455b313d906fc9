/* How the fix gets into LAMMPS: by rattle_lammps_register, which any program calls that has a
 * LAMMPS object, or by `plugin load`. */
#include "fix_rattle_any.h"
#include "lammps.h"
#include "modify.h"

#if __has_include("lammpsplugin.h")
#include "lammpsplugin.h"
#include "version.h"
#define HAS_PLUGINS
#endif

using namespace LAMMPS_NS;

static Fix *create(LAMMPS *lmp, int count, char **word) {
  return new rattle_any::fix(lmp, count, word);
}

/* lammps: the pointer that lammps_open returns, or that Python's SELF holds. */
extern "C" __attribute__((visibility("default"))) void rattle_lammps_register(void *lammps) {
  (*static_cast<LAMMPS *>(lammps)->modify->fix_map)["rattle/any"] = &create;
}

#ifdef HAS_PLUGINS
extern "C" __attribute__((visibility("default"))) void lammpsplugin_init(void *lmp, void *handle, void *regfunc) {
  lammpsplugin_t plugin = {};
  plugin.version = LAMMPS_VERSION;
  plugin.style = "fix";
  plugin.name = "rattle/any";
  plugin.info = "bond lengths and angles of any topology held by RATTLE";
  plugin.author = "The librattle authors";
  plugin.creator.v2 = (lammpsplugin_factory2 *)&create;
  plugin.handle = handle;
  ((lammpsplugin_regfunc)regfunc)(&plugin, lmp);
}
#endif
