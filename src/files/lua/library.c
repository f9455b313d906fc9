/* The safe part of Lua's libraries: base, math, string and table, with bounds on the work of one
 * call into C.
 *
 * pairs() visits string keys in alphabetical order: Lua's own order changes from run to run, and
 * sums must not. */
#include <lualib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/lua/loader.h"

enum { LONGEST_STRING = 1 << 20, MOST_STEPS = 1000000000, BYTES_COMPARED = 16 };

/* Calls the original, the upvalue, with all arguments. */
static int call_original(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* ---- base ---- */

/* pcall that cannot hold back a passed limit */
static int protected_call(lua_State *L) {
  luaL_checkany(L, 1);
  rattle__loader *loader = rattle__lua_loader(L);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (loader->exhausted || loader->status == RATTLE_NO_MEMORY || status == LUA_ERRMEM)
    return lua_error(L);
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/* next: after an element that was followed by many others, which are nil now, one call passes them
 * all */
static int next_pair(lua_State *L) {
  rattle__lua_charge(L, 1);
  return call_original(L);
}

static int by_letters(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Iterator of a table with string keys: upvalues the list of keys and the place in it. */
static int next_key(lua_State *L) {
  for (lua_Integer i = lua_tointeger(L, lua_upvalueindex(2)) + 1;; i++) {
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(2));
    if (lua_rawgeti(L, lua_upvalueindex(1), i) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) return 2;
    lua_pop(L, 2);
  }
}

/* Leaves the list of keys on the stack: those that are no strings first, then the strings in
 * alphabetical order. */
static void list_keys(lua_State *L, int strings) {
  const char **name = lua_newuserdatauv(L, (size_t)strings * sizeof *name, 0);
  lua_newtable(L);
  int found = 0, others = 0;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      name[found++] = lua_tostring(L, -2);
    } else {
      lua_pushvalue(L, -2);
      lua_rawseti(L, -4, ++others);
    }
  }
  qsort(name, (size_t)found, sizeof *name, by_letters);
  for (int i = 0; i < found; i++) {
    lua_pushstring(L, name[i]);
    lua_rawseti(L, -2, others + i + 1);
  }
}

static int pairs_in_order(lua_State *L) {
  rattle__lua_charge(L, 1);
  rattle__lua_table(L, 1, "a table in pairs(...)");
  int strings = 0, count = 0;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1), count++)
    strings += lua_type(L, -2) == LUA_TSTRING;
  rattle__lua_charge(L, (strings ? 20.0 : 1.0) * count);
  lua_settop(L, 1);
  if (strings) {
    list_keys(L, strings);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_key, 2);
  } else {
    lua_pushvalue(L, lua_upvalueindex(1));
  }
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* ---- string ---- */

static int repeat(lua_State *L) {
  size_t length, between = 0;
  luaL_checklstring(L, 1, &length);
  double times = (double)luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &between);
  if (length + between == 0)
    return lua_pushliteral(L, ""), 1; /* the loop in C would run all the times */
  if ((double)(length + between) * times > LONGEST_STRING)
    return luaL_error(L,
                      "string.rep would create a string longer than %d bytes, the limit for models",
                      LONGEST_STRING);
  return call_original(L);
}

/* find, match, gmatch, gsub: inside one call a pattern with k repetitions may take length^(k+1)
 * steps, twice as many for each ?, and each step as many as a set [...] is long. A plain text is
 * compared at each place. */
static int match(lua_State *L) {
  size_t length, pattern_length;
  luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &pattern_length);
  const int plain = lua_tointeger(L, lua_upvalueindex(2)) && lua_toboolean(L, 4);
  int repetitions = 0, choices = 0, sets = 0;
  for (size_t i = 0; i < pattern_length && !plain; i++) {
    repetitions += (pattern[i] && strchr("*+-", pattern[i])) ||
                   (pattern[i] == '%' && strchr("b123456789", pattern[i + 1]));
    choices += pattern[i] == '?';
    sets += pattern[i] == '[';
  }
  const double compared = (double)length * (double)pattern_length / BYTES_COMPARED;
  const double steps = pow((double)length + 1, plain ? 0 : repetitions + 1) * pow(2, choices) *
                       (sets ? (double)pattern_length : 1);
  if (steps > MOST_STEPS || compared > MOST_STEPS)
    return luaL_error(L,
                      "the pattern \"%s\" could take too many steps on a string of %d bytes; use a "
                      "simpler pattern",
                      pattern_length < 60 ? pattern : "...", (int)length);
  rattle__lua_charge(L, steps + compared);
  return call_original(L);
}

/* Arguments `at` and `at` + 1 as first and last element, 1 and the length otherwise: as much work
 * as lies between them. */
static void charge_range(lua_State *L, int at) {
  const double first = (double)luaL_optinteger(L, at, 1),
               last = (double)luaL_optinteger(L, at + 1, (lua_Integer)lua_rawlen(L, 1));
  if (last >= first) rattle__lua_charge(L, last - first + 1);
}

/* byte: as many results */
static int bytes(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  if (lua_gettop(L) > 2) rattle__lua_charge(L, (double)length);
  return call_original(L);
}

/* ---- table ---- */

/* concat, unpack: a metatable of the list may provide as many elements as are asked for, without
 * one instruction of Lua */
static int stretch(lua_State *L) {
  rattle__lua_table(L, 1, "a list");
  if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
    return luaL_error(L, "a list with a metatable that has __len cannot be used here");
  charge_range(L, (int)lua_tointeger(L, lua_upvalueindex(2)));
  return call_original(L);
}

/* The order of sort: two strings of 1 MiB with many zero bytes take 40 ms to compare, and sort runs
 * without hooks. */
static int is_less(lua_State *L) {
  rattle__lua_charge(L, 1);
  lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
  return 1;
}

/* insert, remove, sort: as much work as the list is long (sort: 20 times) */
static int walk(lua_State *L) {
  rattle__lua_table(L, 1, "a list");
  if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
    return luaL_error(L, "a list with a metatable that has __len cannot be used here");
  const double times = (double)lua_tointeger(L, lua_upvalueindex(2));
  int whole = times != 0;
  int appends = !whole && lua_gettop(L) == lua_tointeger(L, lua_upvalueindex(3));
  rattle__lua_charge(L, appends ? 1 : (double)lua_rawlen(L, 1) * (whole ? times : 1));
  if (whole && lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    lua_pushcfunction(L, is_less);
  }
  return call_original(L);
}

/* ---- */

/* Replaces field `name` of the table on top by f with the original as its first upvalue, and `more`
 * integers after it. */
static void wrap(lua_State *L, const char *name, lua_CFunction f, int more,
                 const lua_Integer *value) {
  lua_getfield(L, -1, name);
  for (int i = 0; i < more; i++) lua_pushinteger(L, value[i]);
  lua_pushcclosure(L, f, 1 + more);
  lua_setfield(L, -2, name);
}

static void remove_fields(lua_State *L, const char *const *name) {
  for (; *name; name++) {
    lua_pushnil(L);
    lua_setfield(L, -2, *name);
  }
}

void rattle__lua_libraries(lua_State *L) {
  luaL_requiref(L, "_G", luaopen_base, 1);
  remove_fields(L, (const char *const[]){"_G", "collectgarbage", "dofile", "load", "loadfile",
                                         "print", "warn", "xpcall", NULL});
  wrap(L, "next", next_pair, 0, NULL);
  lua_getfield(L, -1, "next");
  lua_pushcclosure(L, pairs_in_order, 1);
  lua_setfield(L, -2, "pairs");
  lua_pushcfunction(L, protected_call);
  lua_setfield(L, -2, "pcall");

  luaL_requiref(L, "math", luaopen_math, 1);
  remove_fields(L, (const char *const[]){"random", "randomseed", NULL});

  luaL_requiref(L, "string", luaopen_string, 1);
  remove_fields(L, (const char *const[]){"dump", "pack", "packsize", "unpack", NULL});
  wrap(L, "rep", repeat, 0, NULL);
  wrap(L, "byte", bytes, 0, NULL);
  /* the number: whether the fourth argument says that the pattern is a plain text */
  wrap(L, "find", match, 1, (const lua_Integer[]){1});
  wrap(L, "match", match, 1, (const lua_Integer[]){0});
  wrap(L, "gmatch", match, 1, (const lua_Integer[]){0});
  wrap(L, "gsub", match, 1, (const lua_Integer[]){0});
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);

  /* the first number: where the range begins among the arguments; or times the length, and how many
   * arguments the cheap form has, which works at the end of the list */
  luaL_requiref(L, "table", luaopen_table, 1);
  remove_fields(L, (const char *const[]){"move", NULL});
  wrap(L, "concat", stretch, 1, (const lua_Integer[]){3});
  wrap(L, "unpack", stretch, 1, (const lua_Integer[]){2});
  wrap(L, "sort", walk, 2, (const lua_Integer[]){20, 0});
  wrap(L, "insert", walk, 2, (const lua_Integer[]){0, 2});
  wrap(L, "remove", walk, 2, (const lua_Integer[]){0, 1});
  lua_settop(L, 0);
}
