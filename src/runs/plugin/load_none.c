/* In place of load.c where a build loads nothing at run time (RATTLE_NATIVE=OFF). */
#include "ground/support/error.h"
#include "rattle/plugin.h"

rattle_status rattle_plugin_load(const char *path, const rattle_plugin **plugin,
                                 rattle_error *error) {
  if (plugin) *plugin = NULL;
  return rattle__fail(error, RATTLE_IO, "rattle_plugin_load",
                      "the plug-in %.500s cannot be loaded: this build loads none "
                      "(RATTLE_NATIVE=OFF); link it and call rattle_plugin_add",
                      path ? path : "");
}
