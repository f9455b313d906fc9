/* `plugin load` for a LAMMPS without the package PLUGIN: opens a plug-in, calls its
 * lammpsplugin_init, and makes known the fix that this registers. Loaded by the same lines as the
 * fix itself, rattle-any.in.in. */
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lammps.h"
#include "lammpsplugin.h"
#include "modify.h"

using namespace LAMMPS_NS;

static int registered;

static void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "ERROR: plug-in: %s\n", what);
  std::exit(1);
}

static void add(lammpsplugin_t *plugin, void *lammps) {
  expect(!std::strcmp(plugin->style, "fix") && !std::strcmp(plugin->name, "rattle/any"), "it registers another style");
  expect(plugin->info && plugin->author && plugin->handle, "it has no info, author or handle");
  (*static_cast<LAMMPS *>(lammps)->modify->fix_map)[plugin->name] = (Modify::FixCreator)plugin->creator.v2;
  registered++;
}

extern "C" __attribute__((visibility("default"))) const char *rattle_lammps_register(void *lammps) {
  void *handle = dlopen(PLUGIN, RTLD_NOW | RTLD_GLOBAL);
  expect(handle, handle ? "" : dlerror());
  void (*init)(void *, void *, void *) = (void (*)(void *, void *, void *))dlsym(handle, "lammpsplugin_init");
  expect(init, "there is no lammpsplugin_init");
  init(lammps, handle, (void *)&add);
  expect(registered == 1, "it did not register one style");
  std::printf("plug-in loaded\n");
  std::fflush(stdout);
  return nullptr;
}
