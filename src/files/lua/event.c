/* Events: event(name, e, { direction =, count =, stop = }) and stop { when = e }. */
#include <string.h>

#include "files/lua/loader.h"
#include "ground/support/nearest.h"

/* Options in the table. */
typedef struct event_options {
  int direction, stop;
  long long count;
  int when; /* 1: there is `when` */
} event_options;

/* Reads the table at an index, the options of event or of stop. */
static event_options read_options(lua_State *L, int index, const char *table) {
  static const char *const known[] = {"direction", "count", "stop", "when"};
  const int is_stop = !strcmp(table, "stop");
  event_options result = {.stop = is_stop};
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *name = rattle__lua_option_name(L, table);
    rattle__nearest nearest = {.name = name};
    for (int i = 0; i < 4; i++)
      if (i != 2 + !is_stop) rattle__nearest_try(&nearest, known[i]);
    if (!strcmp(name, "direction"))
      result.direction = (int)rattle__lua_integer(L, -1, "direction", -1, 1);
    else if (!strcmp(name, "count"))
      result.count = rattle__lua_integer(L, -1, "count", 1, (long long)1 << 53);
    else if (!strcmp(name, "stop") && !is_stop)
      result.stop = rattle__lua_boolean(L, -1, "stop");
    else if (!strcmp(name, "when") && is_stop)
      result.when = 1;
    else if (nearest.best)
      luaL_error(L, "unknown option \"%s\" in %s; did you mean \"%s\"?", name, table, nearest.best);
    else
      luaL_error(L, "unknown option \"%s\" in %s: expected direction, count or %s", name, table,
                 is_stop ? "when" : "stop");
  }
  return result;
}

static rattle_expr expression(lua_State *L, int index, const char *what) {
  if (lua_isboolean(L, index))
    luaL_error(L, "expected an expression that is 0 at the event, found the comparison of two: for "
                  "x == 1 write x - 1");
  return rattle__lua_expr(L, index, what);
}

static int add(lua_State *L, const char *name, rattle_expr e, const event_options *options) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  rattle__lua_check(L, rattle_model_add_event(model, name, e, options->direction, options->count,
                                              options->stop, &loader->error));
  model->event[model->events - 1].is.where = rattle__lua_where(L);
  return 0;
}

static int event(lua_State *L) {
  rattle__lua_declaring(L, "event");
  const char *name = rattle__lua_string(L, 1, "the name of an event");
  const rattle_expr e = expression(L, 2, "that is 0 at the event, in event(name, expression)");
  event_options options = {0};
  if (!lua_isnoneornil(L, 3)) {
    rattle__lua_table(L, 3, "a table of options, as in event(name, expression, { direction = 1 })");
    options = read_options(L, 3, "event");
  }
  return add(L, name, e, &options);
}

static int stop(lua_State *L) {
  rattle__lua_declaring(L, "stop");
  rattle__lua_table(L, 1, "stop { when = expression }");
  const event_options options = read_options(L, 1, "stop");
  if (!options.when)
    return luaL_error(L, "stop has no expression: write stop { when = expression }, which ends the "
                         "run where it is 0");
  lua_getfield(L, 1, "when");
  return add(L, "stop",
             expression(L, -1, "that is 0 where the run is to end, in stop { when = expression }"),
             &options);
}

void rattle__lua_events(lua_State *L) {
  lua_register(L, "event", event);
  lua_register(L, "stop", stop);
}
