/* Plug-ins from shared objects. They are never unloaded: rows and integrators refer to them. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "rattle/plugin.h"
#include "ground/support/error.h"

static rattle_status open_object(void **object, const char *path, rattle_error *error) {
  char file[4096];
  const int length = snprintf(file, sizeof file, "%s%s", strchr(path, '/') ? "" : "./", path);
  *object = length > 0 && (size_t)length < sizeof file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (*object) return RATTLE_OK;
  const char *why = dlerror();
  return rattle__fail(error, RATTLE_IO, "rattle_plugin_load",
                      "the plug-in cannot be loaded: %.700s", why ? why : path);
}

rattle_status rattle_plugin_load(const char *path, const rattle_plugin **plugin,
                                 rattle_error *error) {
  void *object;
  rattle_plugin_function *entry;
  if (plugin) *plugin = NULL;
  if (!path || !path[0])
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_plugin_load",
                        "the path of the plug-in is empty");
  rattle_status status = open_object(&object, path, error);
  if (status) return status;
  void *symbol = dlsym(object, "rattle_plugin_entry");
  memcpy(&entry, &symbol, sizeof symbol);
  const rattle_plugin *found = symbol ? entry() : NULL;
  if (!found) {
    dlclose(object);
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_plugin_load",
                        "%.500s is no plug-in: it has no RATTLE_PLUGIN(...) (rattle/plugin.h)",
                        path);
  }
  status = rattle_plugin_add(found, error);
  if (plugin && !status) *plugin = found;
  if (status) dlclose(object);
  return status;
}
