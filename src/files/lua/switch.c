/* Constraints that begin and end: switch { constraint =, begins =, ends =, ... } and one_sided {
 * constraint =, restitution = }. Both return a table with the values `on`, `lost` and
 * `side`. */
#include <string.h>

#include "files/lua/loader.h"
#include "ground/support/nearest.h"

enum { TABLE = 1, MOST = 1000, BYTES = 2000 };

static void check_options(lua_State *L, const char *word, const char *const *known, int count) {
  for (lua_pushnil(L); lua_next(L, TABLE); lua_pop(L, 1)) {
    const char *name = rattle__lua_option_name(L, word);
    rattle__nearest nearest = {.name = name};
    int found = 0;
    for (int i = 0; i < count; i++) {
      found |= !strcmp(name, known[i]);
      rattle__nearest_try(&nearest, known[i]);
    }
    if (!found && nearest.best)
      luaL_error(L, "unknown option \"%s\" in %s; did you mean \"%s\"?", name, word, nearest.best);
    if (!found)
      luaL_error(L,
                 "unknown option \"%s\" in %s: expected constraint, restitution, active%s or name",
                 name, word, count > 4 ? ", begins, ends, either, hold" : "");
  }
}

/* The names in the field constraint, one or a list, which stay on the stack. */
static int take_names(lua_State *L, const char *word, const char **names) {
  if (lua_getfield(L, TABLE, "constraint") == LUA_TSTRING) {
    names[0] = rattle__lua_string(L, -1, "the name of a constraint");
    return 1;
  }
  if (!lua_istable(L, -1))
    luaL_error(L, "expected constraint = \"name\", or a list of names, in %s { ... }, found %s",
               word, rattle__lua_found(L, -1));
  const int list = lua_gettop(L), count = (int)lua_rawlen(L, list);
  if (count < 1 || count > MOST)
    luaL_error(L, "expected from 1 to %d names in constraint = { ... } of %s", MOST, word);
  luaL_checkstack(L, count, word);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, list, i + 1);
    names[i] = rattle__lua_string(L, -1, "the name of a constraint");
  }
  return count;
}

static rattle_expr condition(lua_State *L, const char *field) {
  rattle_expr e = RATTLE_EXPR_NONE;
  if (lua_getfield(L, TABLE, field) != LUA_TNIL) {
    if (lua_isboolean(L, -1))
      luaL_error(L,
                 "expected an expression that rises through 0 in %s, found the comparison of "
                 "two: for x > 1 write x - 1",
                 field);
    e = rattle__lua_expr(L, -1, "that rises through 0 where constraints begin or end");
  }
  lua_pop(L, 1);
  return e;
}

static int flag(lua_State *L, const char *field) {
  const int on = lua_getfield(L, TABLE, field) != LUA_TNIL && rattle__lua_boolean(L, -1, field);
  lua_pop(L, 1);
  return on;
}

static int add(lua_State *L, const char *word, rattle_switch *s) {
  rattle__loader *loader = rattle__lua_loader(L);
  static const char *const key[] = {"on", "lost", "side"};
  rattle_expr value[RATTLE_SWITCH_VALUES];
  const char **names = lua_newuserdatauv(L, MOST * sizeof *names, 0);
  s->struct_size = sizeof *s;
  s->count = take_names(L, word, names);
  s->constraints = names;
  if (lua_getfield(L, TABLE, "name") != LUA_TNIL)
    s->name = rattle__lua_string(L, -1, "the name of a switch");
  if (lua_getfield(L, TABLE, "restitution") != LUA_TNIL)
    s->restitution = rattle__lua_number(L, -1, "restitution");
  s->active = flag(L, "active");
  rattle__lua_charge_bytes(L, (size_t)s->count * BYTES);
  rattle__lua_check(L, rattle_model_add_switch(loader->model, s, value, &loader->error));
  loader->model->event[loader->model->events - 1].is.where = rattle__lua_where(L);
  lua_createtable(L, 0, RATTLE_SWITCH_VALUES);
  for (int i = 0; i < RATTLE_SWITCH_VALUES; i++) {
    if (value[i] == RATTLE_EXPR_NONE) continue;
    rattle__lua_push(L, value[i]);
    lua_setfield(L, -2, key[i]);
  }
  return 1;
}

static int switch_word(lua_State *L) {
  static const char *const known[] = {"constraint", "name", "active", "restitution",
                                      "begins",     "ends", "either", "hold"};
  rattle__lua_declaring(L, "switch");
  rattle__lua_table(L, TABLE, "switch { constraint = \"rod\", ends = expression }");
  lua_settop(L, TABLE);
  check_options(L, "switch", known, 8);
  rattle_switch s = {.begins = condition(L, "begins"), .ends = condition(L, "ends")};
  s.either = flag(L, "either"), s.hold = flag(L, "hold");
  return add(L, "switch", &s);
}

static int one_sided(lua_State *L) {
  static const char *const known[] = {"constraint", "name", "active", "restitution"};
  rattle__lua_declaring(L, "one_sided");
  rattle__lua_table(L, TABLE, "one_sided { constraint = \"floor\", restitution = 0.5 }");
  lua_settop(L, TABLE);
  check_options(L, "one_sided", known, 4);
  rattle_switch s = {.one_sided = 1};
  return add(L, "one_sided", &s);
}

void rattle__lua_switches(lua_State *L) {
  lua_register(L, "switch", switch_word);
  lua_register(L, "one_sided", one_sided);
}
