/* Strictness: reading a name that does not exist is an error that names the nearest one, or says
 * why it is not there. */
#include <string.h>

#include "ground/support/nearest.h"
#include "files/lua/loader.h"

static const char sealed[] = "models have no access to files and the system";
typedef struct rattle__absent {
  const char *name, *why;
} rattle__absent;
static const rattle__absent absent[] = {
    {"io", sealed},
    {"os", sealed},
    {"package", sealed},
    {"debug", sealed},
    {"dofile", "use require \"name\" for name.lua next to the model"},
    {"loadfile", "use require \"name\" for name.lua next to the model"},
    {"load", "a model cannot create code from strings"},
    {"loadstring", "a model cannot create code from strings"},
    {"dump", "a model cannot create code from strings"},
    {"print", "a model does not print: record a quantity with observe(name, expression), or stop "
              "with error(text)"},
    {"warn", "a model does not print: record a quantity with observe(name, expression), or stop "
             "with error(text)"},
    {"collectgarbage", "memory is managed automatically"},
    {"coroutine", "models run from the first line to the last"},
    {"xpcall", "use pcall"},
    {"randomseed", "the seed is the parameter \"seed\": parameter(\"seed\", 1), or -P seed=..."},
    {"move", "write a loop"},
    {"unpack", "use table.unpack"},
    {"pi", "write math.pi"},
    {"_G", "globals are not accessible as a table"},
};
/* Words that a model might use for something that has another one here. */
#define IN_MECHANICS(word) "write local mech = require \"mechanics\", and mech." word
static const rattle__absent elsewhere[] = {
    {"t", "write local t = time()"},
    {"coordinate", "write local x, px = pair(\"x\")"},
    {"variable", "write local x, px = pair(\"x\")"},
    {"floor", "write math.floor, of a number; wrap(x, L) is an expression x in a period L"},
    {"lagrangian",
     "write H(q, p): hamiltonian(kinetic + potential), with momenta in place of velocities"},
    {"kinetic", "write mass { x = 2 }, or hamiltonian(px^2/(2*m))"},
    {"friction", "write force { x = -c*px }"},
    {"damping", "write force { x = -c*px }"},
    {"dissipation", "write force { x = -c*px }"},
    {"multiplier", "write lambda(\"NAME\"), of the constraint of that name"},
    {"body", IN_MECHANICS("body")},
    {"motor", IN_MECHANICS("motor")},
    {"pid", IN_MECHANICS("pid")},
    {"rolls", IN_MECHANICS("rolls")},
    {"skate", IN_MECHANICS("skate")},
};

/* Joints that are called otherwise elsewhere. */
static const rattle__absent joints[] = {
    {"hinge", "it is mechanics.revolute"},
    {"pin", "it is mechanics.revolute"},
    {"slider", "it is mechanics.prismatic, and with a displacement that is given mechanics.slide"},
    {"ball_joint", "it is mechanics.spherical"},
    {"cardan", "it is mechanics.universal"},
    {"hooke", "it is mechanics.universal"},
    {"weld", "it is mechanics.fixed"},
    {"spur", "it is mechanics.gear"},
    {"pulley", "it is mechanics.rope, or mechanics.belt of two wheels"},
    {"chain", "it is mechanics.belt"},
    {"cable", "it is mechanics.rope"},
    {"force", "it is mechanics.load if it is constant, else mechanics.push"},
};

static const char *why(const char *name, const rattle__absent *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0) return list[i].why;
  return NULL;
}

static const char *why_absent(const char *name) {
  return why(name, absent, sizeof absent / sizeof *absent);
}

/* Tries the string keys of the table at an index. */
static void try_keys(lua_State *L, int index, rattle__nearest *nearest) {
  index = lua_absindex(L, index);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) rattle__nearest_try(nearest, lua_tostring(L, -2));
}

/* Tries the local variables and upvalues of the function at a level of the stack. */
static void try_locals(lua_State *L, lua_Debug *at, rattle__nearest *nearest) {
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, at, i)); i++) {
    lua_pop(L, 1);
    if (name[0] != '(') rattle__nearest_try(nearest, name);
  }
  lua_getinfo(L, "f", at);
  for (int i = 1; (name = lua_getupvalue(L, -1, i)); i++) {
    lua_pop(L, 1);
    if (strcmp(name, "_ENV") != 0) rattle__nearest_try(nearest, name);
  }
  lua_pop(L, 1);
}

static int unknown_name(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "expected a name, found %s", rattle__lua_found(L, 2));
  const char *name = lua_tostring(L, 2), *reason = why_absent(name);
  if (reason) return luaL_error(L, "'%s' is not available in a model: %s", name, reason);
  reason = why(name, elsewhere, sizeof elsewhere / sizeof *elsewhere);
  if (reason) return luaL_error(L, "unknown name '%s': %s", name, reason);
  rattle__nearest nearest = {.name = name};
  lua_Debug at;
  for (int level = 1; level < 20 && lua_getstack(L, level, &at); level++)
    try_locals(L, &at, &nearest);
  try_keys(L, 1, &nearest);
  if (nearest.best)
    return luaL_error(L, "unknown name '%s'; did you mean '%s'?", name, nearest.best);
  return luaL_error(L, "unknown name '%s': expected a local variable or a function of models",
                    name);
}

/* math.xyz, mechanics.xyz; the upvalue is the library's name */
static int unknown_field(lua_State *L) {
  const char *library = lua_tostring(L, lua_upvalueindex(1));
  if (lua_type(L, 2) != LUA_TSTRING)
    return luaL_error(L, "expected a name after '%s.', found %s", library, rattle__lua_found(L, 2));
  const char *name = lua_tostring(L, 2), *reason = why_absent(name);
  if (reason)
    return luaL_error(L, "'%s.%s' is not available in a model: %s", library, name, reason);
  if (!strcmp(library, "mechanics")) reason = why(name, joints, sizeof joints / sizeof *joints);
  if (reason) return luaL_error(L, "%s has no '%s': %s", library, name, reason);
  rattle__nearest nearest = {.name = name};
  try_keys(L, 1, &nearest);
  if (nearest.best)
    return luaL_error(L, "%s has no '%s'; did you mean '%s.%s'?", library, name, library,
                      nearest.best);
  return luaL_error(L, "%s has no '%s'", library, name);
}

/* Seals the table on top with a metatable whose __index is the function below it; pops the
 * function. */
static void seal(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_pop(L, 2);
}

void rattle__lua_seal_module(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_pushcclosure(L, unknown_field, 1);
  lua_pushvalue(L, -2);
  seal(L);
}

void rattle__lua_strict(lua_State *L) {
  static const char *const libraries[] = {"math", "string", "table"};
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    lua_pushstring(L, libraries[i]);
    lua_pushcclosure(L, unknown_field, 1);
    lua_getglobal(L, libraries[i]);
    seal(L);
  }
  lua_pushcfunction(L, unknown_name);
  lua_pushglobaltable(L);
  seal(L);
}
