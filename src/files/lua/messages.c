/* Messages of the Lua front end: place, expectation, and the value found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/lua/loader.h"

const char *rattle__lua_found(lua_State *L, int index) {
  rattle__loader *loader = rattle__lua_loader(L);
  char text[80];
  switch (lua_type(L, index)) {
  case LUA_TNONE:
    return lua_pushliteral(L, "nothing");
  case LUA_TNIL:
    return lua_pushliteral(L, "nil (a name or an index of a list that does not exist)");
  case LUA_TBOOLEAN:
    return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
  case LUA_TNUMBER:
    if (isfinite(lua_tonumber(L, index))) {
      snprintf(text, sizeof text, "the number %.14g", lua_tonumber(L, index));
      return lua_pushstring(L, text);
    }
    return lua_pushstring(L, isnan(lua_tonumber(L, index)) ? "not a number (nan)"
                                                           : "an infinite number");
  case LUA_TSTRING:
    return lua_pushfstring(L,
                           strlen(lua_tostring(L, index)) > 60 ? "a string" : "the string \"%s\"",
                           lua_tostring(L, index));
  case LUA_TLIGHTUSERDATA: {
    rattle_expr e = (rattle_expr)(uintptr_t)lua_touserdata(L, index);
    rattle_expr_print(loader->model->graph, e, rattle__model_variable_name, loader->model, text,
                      sizeof text);
    return lua_pushfstring(L, "the expression %s", text);
  }
  default:
    return lua_pushfstring(L, "a %s", luaL_typename(L, index));
  }
}

int rattle__lua_raise(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  if (loader->error.status == RATTLE_NO_MEMORY) loader->status = RATTLE_NO_MEMORY;
  return luaL_error(L, "%s", loader->error.message);
}

void rattle__lua_check(lua_State *L, rattle_status status) {
  if (status) rattle__lua_raise(L);
}

int rattle__lua_no_memory(lua_State *L) {
  rattle__lua_loader(L)->status = RATTLE_NO_MEMORY;
  return luaL_error(L, "out of memory");
}

const char *rattle__lua_string(lua_State *L, int index, const char *what) {
  size_t length;
  if (lua_type(L, index) != LUA_TSTRING)
    luaL_error(L, "expected %s as a string, found %s", what, rattle__lua_found(L, index));
  const char *text = lua_tolstring(L, index, &length);
  if (strlen(text) != length) luaL_error(L, "%s contains a zero byte", what);
  return text;
}

double rattle__lua_number(lua_State *L, int index, const char *what) {
  double value = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : (double)NAN;
  if (!isfinite(value))
    luaL_error(L, "expected a finite number for %s, found %s", what, rattle__lua_found(L, index));
  rattle__lua_check_integer(L, index);
  return value;
}

long long rattle__lua_integer(lua_State *L, int index, const char *what, long long low,
                              long long high) {
  double value = rattle__lua_number(L, index, what);
  if (value != floor(value) || value < (double)low || value > (double)high)
    luaL_error(L, "expected a whole number from %I to %I for %s, found %s", (LUAI_UACINT)low,
               (LUAI_UACINT)high, what, rattle__lua_found(L, index));
  return (long long)value;
}

void rattle__lua_table(lua_State *L, int index, const char *what) {
  if (lua_type(L, index) != LUA_TTABLE)
    luaL_error(L, "expected %s, found %s", what, rattle__lua_found(L, index));
}

const char *rattle__lua_option_name(lua_State *L, const char *word) {
  if (lua_type(L, -2) == LUA_TNUMBER)
    luaL_error(L, "expected options by name in %s, found %s without a name", word,
               rattle__lua_found(L, -1));
  if (lua_type(L, -2) != LUA_TSTRING)
    luaL_error(L, "expected options by name in %s, found %s", word, rattle__lua_found(L, -2));
  return lua_tostring(L, -2);
}

int rattle__lua_boolean(lua_State *L, int index, const char *what) {
  if (lua_type(L, index) != LUA_TBOOLEAN)
    luaL_error(L, "expected true or false for %s, found %s", what, rattle__lua_found(L, index));
  return lua_toboolean(L, index);
}

void rattle__lua_declaring(lua_State *L, const char *what) {
  if (rattle__lua_loader(L)->closed)
    luaL_error(L, "%s cannot be used in a function given to fibre, flow or draw", what);
}
