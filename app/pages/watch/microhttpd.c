/* The functions of libmicrohttpd by their names; the library stays loaded. */
#include "pages/watch/watch.h"

#ifdef RATTLE_MICROHTTPD
#include <dlfcn.h>
#include <string.h>

#include "pages/watch/microhttpd.h"

static int find(void *from, const char *name, void *function) {
  void *symbol = dlsym(from, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

rattle_status watch_load_microhttpd(watch_microhttpd *library, rattle_error *error) {
  void *from = dlopen(RATTLE_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
  int found = from != NULL;
#define FIND(name) found = found && find(from, #name, &library->name);
  WATCH_MICROHTTPD(FIND)
  if (found) return RATTLE_OK;
  const char *why = dlerror();
  return text_fail(error, RATTLE_IO, "--web needs %s: %s", RATTLE_MICROHTTPD,
                   why ? why : "it lacks a function");
}
#endif
