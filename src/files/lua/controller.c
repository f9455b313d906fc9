/* Controllers with a sample rate: controller { every =, start =, name =, outputs = {}, states = {},
 * sample = function(s) ... end }. The function is called once, with the values before a sample as
 * expressions, and returns those after it: it is compiled, and no Lua runs in a run. */
#include <stdlib.h>
#include <string.h>

#include "files/lua/loader.h"
#include "ground/support/nearest.h"

enum { TABLE = 1, MOST_VALUES = 1000, BYTES_PER_VALUE = 300, LONGEST_NAME = 100 };

/* The values in a userdata on the stack, outputs and states, each in alphabetical order. */
typedef struct values {
  int count;
  const char *key[MOST_VALUES]; /* belong to the tables of the model */
  char name[MOST_VALUES][LONGEST_NAME];
  const char *names[MOST_VALUES];
  double start[MOST_VALUES];
  rattle_expr now[MOST_VALUES], next[MOST_VALUES];
} values;

static void check_option(lua_State *L, const char *name) {
  static const char *const known[] = {"every", "start", "name", "outputs", "states", "sample"};
  rattle__nearest nearest = {.name = name};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!strcmp(name, known[i])) return;
    rattle__nearest_try(&nearest, known[i]);
  }
  if (nearest.best)
    luaL_error(L, "unknown option \"%s\" in controller; did you mean \"%s\"?", name, nearest.best);
  luaL_error(L,
             "unknown option \"%s\" in controller: expected every, start, name, outputs, states or "
             "sample",
             name);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names and starts in the table of that field, after those there are. */
static void take_values(lua_State *L, values *v, const char *field) {
  const int first = v->count;
  if (lua_getfield(L, TABLE, field) == LUA_TNIL) return;
  rattle__lua_table(L, -1, "a table of values, as in outputs = { u = 0 }");
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "expected names and starts in %s = { u = 0 } of a controller, found %s", field,
                 rattle__lua_found(L, -2));
    if (v->count == MOST_VALUES)
      luaL_error(L, "a controller has at most %d values: write several controllers", MOST_VALUES);
    v->key[v->count++] = lua_tostring(L, -2);
  }
  qsort(v->key + first, (size_t)(v->count - first), sizeof *v->key, by_name);
  for (int i = first; i < v->count; i++) {
    for (int k = 0; k < first; k++)
      if (!strcmp(v->key[k], v->key[i]))
        luaL_error(L,
                   "\"%s\" is an output and a state of a controller: an output is known in the "
                   "next sample too, omit the state",
                   v->key[i]);
    lua_getfield(L, -1, v->key[i]);
    v->start[i] = rattle__lua_number(L, -1, "the start of a value of a controller");
    lua_pop(L, 1);
  }
  /* the table stays on the stack, with its names */
}

/* The names in the model: "NAME.u" for a controller with a name. */
static void name_values(lua_State *L, values *v) {
  const char *prefix = "";
  if (lua_getfield(L, TABLE, "name") != LUA_TNIL)
    prefix = rattle__lua_string(L, -1, "the name of a controller");
  for (int i = 0; i < v->count; i++) {
    if (strlen(prefix) + strlen(v->key[i]) + 2 > LONGEST_NAME)
      luaL_error(L, "a name of a controller's value has at most %d letters", LONGEST_NAME - 2);
    strcpy(v->name[i], prefix);
    if (prefix[0]) strcat(v->name[i], ".");
    v->names[i] = strcat(v->name[i], v->key[i]);
  }
}

static void push_now(lua_State *L, const values *v) {
  lua_createtable(L, 0, v->count);
  for (int i = 0; i < v->count; i++) {
    rattle__lua_push(L, v->now[i]);
    lua_setfield(L, -2, v->key[i]);
  }
}

/* The table that the function returned is on top. */
static void take_sample(lua_State *L, values *v) {
  if (!lua_istable(L, -1))
    luaL_error(L,
               "expected that sample of a controller returns { value = expression, ... }, found "
               "%s",
               rattle__lua_found(L, -1));
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    const char *key = rattle__lua_option_name(L, "sample");
    rattle__nearest nearest = {.name = key};
    int known = 0;
    for (int i = 0; i < v->count; i++) {
      known |= !strcmp(key, v->key[i]);
      rattle__nearest_try(&nearest, v->key[i]);
    }
    if (!known && nearest.best)
      luaL_error(L,
                 "sample returns \"%s\", which is no value of this controller; did you mean "
                 "\"%s\"?",
                 key, nearest.best);
    if (!known)
      luaL_error(L,
                 "sample returns \"%s\", which is no value of this controller: declare it in "
                 "outputs or states",
                 key);
  }
  for (int i = 0; i < v->count; i++) {
    if (lua_getfield(L, -1, v->key[i]) == LUA_TNIL)
      luaL_error(L,
                 "sample of a controller does not return \"%s\": add %s = s.%s to what it "
                 "returns if it stays",
                 v->key[i], v->key[i], v->key[i]);
    v->next[i] = rattle__lua_expr(L, -1, "as the next value in a sample");
    lua_pop(L, 1);
  }
}

static int controller(lua_State *L) {
  rattle__lua_declaring(L, "controller");
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_table(L, TABLE,
                    "controller { every = 0.01, outputs = { u = 0 }, sample = "
                    "function(s) return { u = ... } end }");
  lua_settop(L, TABLE);
  for (lua_pushnil(L); lua_next(L, TABLE); lua_pop(L, 1))
    check_option(L, rattle__lua_option_name(L, "controller"));
  values *v = lua_newuserdatauv(L, sizeof *v, 0);
  v->count = 0;
  take_values(L, v, "outputs");
  take_values(L, v, "states");
  name_values(L, v);
  lua_getfield(L, TABLE, "every");
  rattle_controller c = {.struct_size = sizeof c, .count = v->count, .names = v->names};
  c.every = rattle__lua_number(L, -1, "the time between samples, every = ... in controller");
  c.starts = v->start;
  if (lua_getfield(L, TABLE, "start") != LUA_TNIL)
    c.start = rattle__lua_number(L, -1, "the time of a sample, start = ... in controller");
  const int given = lua_getfield(L, TABLE, "sample") != LUA_TNIL;
  if (given && !lua_isfunction(L, -1))
    return luaL_error(L, "expected a function in sample = function(s) ... end, found %s",
                      rattle__lua_found(L, -1));
  int number = 0;
  rattle__lua_charge_bytes(L, (size_t)v->count * BYTES_PER_VALUE);
  rattle__lua_check(
      L, rattle_model_add_controller(loader->model, &c, v->now, &number, &loader->error));
  push_now(L, v); /* holds the names in v, whatever the function does to the tables it was given */
  const int kept = lua_gettop(L);
  if (given) {
    lua_pushvalue(L, kept - 1);
    push_now(L, v);
    lua_call(L, 1, 1);
    take_sample(L, v);
    rattle__lua_check(L, rattle_model_set_sample(loader->model, number, v->next, &loader->error));
  }
  lua_pushvalue(L, kept);
  return 1;
}

void rattle__lua_controllers(lua_State *L) {
  lua_register(L, "controller", controller);
}
