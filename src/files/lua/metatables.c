/* setmetatable. A table gets a copy of the metatable's events without __mode and __gc, and no code
 * of a model can reach the copy: Lua clears tables with weak keys in as many passes as they have
 * members, without hooks and without reading a clock (10 000 of them took 50 s), and runs
 * finalizers without hooks. A model that changes an event later gets an error, since the copy has
 * the old one. */
#include "files/lua/loader.h"

/* Their addresses are the keys of tables: copy by original, original by copy, uses by original. */
static const char copies, originals, uses;
static const char *const events[] = {
    "__index", "__newindex", "__call",     "__add",    "__sub",      "__mul", "__div",
    "__mod",   "__pow",      "__unm",      "__idiv",   "__band",     "__bor", "__bxor",
    "__shl",   "__shr",      "__bnot",     "__concat", "__len",      "__eq",  "__lt",
    "__le",    "__close",    "__tostring", "__name",   "__metatable"};
static const char *const refused[] = {"__gc", "__mode"};
enum { EVENTS = sizeof events / sizeof *events, REFUSED = sizeof refused / sizeof *refused };

/* Pushes event i of the metatable at an index as its copy has it: getmetatable answers with the
 * original. */
static void push_event(lua_State *L, int index, int i) {
  lua_pushstring(L, events[i]);
  lua_rawget(L, index);
  if (i == EVENTS - 1 && lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushvalue(L, index);
  }
}

static void refuse(lua_State *L, int index) {
  for (int i = 0; i < REFUSED; i++) {
    lua_pushstring(L, refused[i]);
    if (lua_rawget(L, index) != LUA_TNIL)
      luaL_error(L, "a metatable with %s is not allowed in a model", refused[i]);
    lua_pop(L, 1);
  }
}

static void compare(lua_State *L, int original, int copy) {
  refuse(L, original);
  for (int i = 0; i < EVENTS; i++) {
    push_event(L, original, i);
    lua_pushstring(L, events[i]);
    lua_rawget(L, copy);
    if (!lua_rawequal(L, -1, -2))
      luaL_error(
          L, "%s of a metatable was changed after setmetatable was called with it; set it before",
          events[i]);
    lua_pop(L, 2);
  }
}

/* True of the first, second, fourth, eighth use of a metatable, and so on: vectors and matrices
 * have one by the thousand. When a file has been read, all are compared again. */
static int is_due(lua_State *L, int original) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &uses);
  lua_pushvalue(L, original);
  lua_rawget(L, -2);
  const lua_Integer count = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  lua_pushvalue(L, original);
  lua_pushinteger(L, count);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return (count & (count - 1)) == 0;
}

/* Pushes the copy of the metatable at an index, a new one at its first use. */
static void push_copy(lua_State *L, int original) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &copies);
  lua_pushvalue(L, original);
  if (lua_rawget(L, -2) != LUA_TNIL) {
    const int copy = lua_gettop(L);
    if (is_due(L, original)) compare(L, original, copy);
    return;
  }
  refuse(L, original);
  lua_pop(L, 1);
  lua_newtable(L);
  const int copy = lua_gettop(L);
  for (int i = 0; i < EVENTS; i++) {
    lua_pushstring(L, events[i]);
    push_event(L, original, i);
    lua_rawset(L, copy);
  }
  lua_pushvalue(L, original);
  lua_pushvalue(L, copy);
  lua_rawset(L, copy - 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &originals);
  lua_pushvalue(L, copy);
  lua_pushvalue(L, original);
  lua_rawset(L, -3);
  lua_settop(L, copy);
}

/* True if the metatable on top, which is popped, has __metatable, or is one of ours. */
static int is_protected(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &originals);
  lua_insert(L, -2);
  int found = lua_rawget(L, -2) == LUA_TNIL;
  if (!found) {
    lua_pushliteral(L, "__metatable");
    found = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
  return found;
}

static int set_metatable(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
  lua_settop(L, 2);
  rattle__lua_charge(L, EVENTS);
  if (lua_getmetatable(L, 1) && is_protected(L))
    return luaL_error(L, "cannot change a protected metatable");
  if (lua_istable(L, 2)) push_copy(L, 2);
  lua_setmetatable(L, 1);
  lua_settop(L, 1);
  return 1;
}

void rattle__lua_metatables(lua_State *L) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &copies);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &originals);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &uses);
  lua_pushcfunction(L, set_metatable);
  lua_setglobal(L, "setmetatable");
}

void rattle__lua_finish_metatables(lua_State *L) {
  lua_settop(L, 0);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &copies);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    rattle__lua_charge(L, EVENTS);
    compare(L, 2, 3);
  }
  lua_settop(L, 0);
}
