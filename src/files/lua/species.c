/* Species of beads: names that molecule{...} gives and pair_potential{...} has parameters for. The
 * registry holds names by number and numbers by name. */
#include "files/lua/loader.h"

static const char key = 0; /* its address is the place in the registry */

static void push_names(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

int rattle__lua_species(lua_State *L, int index) {
  const int at = lua_absindex(L, index);
  const char *name = rattle__lua_string(L, at, "the name of a species");
  push_names(L);
  int number = lua_getfield(L, -1, name) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : 0;
  lua_pop(L, 1);
  if (!number) {
    number = (int)lua_rawlen(L, -1) + 1;
    lua_pushvalue(L, at);
    lua_rawseti(L, -2, number);
    lua_pushinteger(L, number);
    lua_setfield(L, -2, name);
  }
  lua_pop(L, 1);
  return number;
}

const char *rattle__lua_species_name(lua_State *L, int number) {
  push_names(L);
  lua_rawgeti(L, -1, number);
  lua_remove(L, -2);
  return lua_tostring(L, -1);
}

int rattle__lua_species_count(lua_State *L) {
  push_names(L);
  const int count = (int)lua_rawlen(L, -1);
  lua_pop(L, 1);
  return count;
}
