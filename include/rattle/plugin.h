#ifndef RATTLE_PLUGIN_H
#define RATTLE_PLUGIN_H
/* Plug-ins: base maps and observers of your own, in a program or in a shared object that the
 * command loads.
 *
 *     static const rattle_base_map map = {.struct_size = sizeof map, .name = "mine", .order = 2,
 *     .step = step, ...}; static const rattle_base_map *const maps[] = {&map}; static const
 *     rattle_plugin plugin = {.struct_size = sizeof plugin, .name = "mine", .maps = 1, .map =
 *     maps}; RATTLE_PLUGIN(plugin)
 *
 *     cc -shared -fPIC mine.c $(pkg-config --cflags rattle) -o mine.so rattle verify ./mine.so
 *     rattle run pendulum.lua --plugin ./mine.so --method "rattle(mine)"
 *
 * A shared object is loaded only if its path is given to rattle_plugin_load or to the command; it
 * runs with all rights of the program. Models and records never load anything. */
#include "rattle/base_map.h"
#include "rattle/method.h"
#include "rattle/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An observer by name: `rattle run --observe NAME` or NAME:ARGUMENT. */
typedef struct rattle_plugin_observer {
  size_t struct_size;
  const char *name, *text; /* text: a line on its action and its argument */
  /* Fills *observer, whose struct_size is set, for runs of the problem; argument: the text after
   * the colon, "" if there is none */
  rattle_status (*create)(rattle_observer *observer, const rattle_problem *problem,
                          const char *argument, rattle_error *error);
  void (*destroy)(rattle_observer *observer); /* once after a successful create; may be NULL */
} rattle_plugin_observer;

/* A plug-in. The struct and all that it points to must not change while the program runs. */
typedef struct rattle_plugin {
  size_t struct_size;
  const char *name, *version; /* of the plug-in; version: "" if none */
  int maps, observers;
  const rattle_base_map *const *map;
  const rattle_plugin_observer *const *observer;
} rattle_plugin;

/* The function that a shared object exports; it returns its plug-in. */
typedef const rattle_plugin *rattle_plugin_function(void);
#ifdef __cplusplus
#define RATTLE_PLUGIN(plugin_)                                                                     \
  extern "C" RATTLE_API const rattle_plugin *rattle_plugin_entry(void) {                           \
    return &(plugin_);                                                                             \
  }
#else
#define RATTLE_PLUGIN(plugin_)                                                                     \
  RATTLE_API const rattle_plugin *rattle_plugin_entry(void);                                       \
  RATTLE_API const rattle_plugin *rattle_plugin_entry(void) {                                      \
    return &(plugin_);                                                                             \
  }
#endif

/* Adds the base maps and observers of a plug-in to those of this process, for all threads; they
 * stay. RATTLE_BAD_ARGUMENT: something is missing or out of range, or a name is taken; then nothing
 * is added. A plug-in that was added before is not added again. */
RATTLE_API rattle_status rattle_plugin_add(const rattle_plugin *plugin, rattle_error *error);
/* Loads a shared object, adds its plug-in, and stores it in *plugin (may be NULL). A path without a
 * slash is a file in the working folder; no search path is used. RATTLE_IO: it cannot be loaded;
 * RATTLE_BAD_ARGUMENT: it is no plug-in, or as above. */
RATTLE_API rattle_status rattle_plugin_load(const char *path, const rattle_plugin **plugin,
                                            rattle_error *error);
/* The i-th base map added, in order, as a row of the table, which rattle_method_rows does not have;
 * NULL: there are no more. */
RATTLE_API const rattle_method_row *rattle_plugin_row(int i);
/* The plug-in of a name in the expression; NULL: all names are the table's. */
RATTLE_API const rattle_plugin *rattle_method_plugin(const rattle_method *method);
/* The observer of that name, NULL if there is none. */
RATTLE_API const rattle_plugin_observer *rattle_plugin_find_observer(const char *name);

#ifdef __cplusplus
}
#endif
#endif
