/* units { length = "nm", mass = "u", time = "ps" }: names that the record keeps; numbers are not
 * changed. */
#include <string.h>

#include "files/lua/beads.h"
#include "files/lua/loader.h"

static int units(lua_State *L) {
  static const char *const known[] = {"length", "mass", "time", NULL};
  rattle__loader *loader = rattle__lua_loader(L);
  int found = 0;
  rattle__lua_declaring(L, "units");
  rattle__lua_table(L, 1, "units { length = \"nm\", mass = \"u\", time = \"ps\" }");
  rattle__lua_known(L, "units", known, 0);
  for (int i = 0; known[i]; i++) {
    char key[32] = "unit of ";
    if (lua_getfield(L, 1, known[i]) != LUA_TNIL) {
      const char *name = rattle__lua_string(L, -1, "the name of a unit in units { ... }");
      if (!*name || strlen(name) > 32)
        return luaL_error(L, "the name of a unit has 1 to 32 bytes, found \"%s\"", name);
      rattle__lua_check(
          L, rattle_model_add_metadata(loader->model, strcat(key, known[i]), name, &loader->error));
      found++;
    }
    lua_pop(L, 1);
  }
  if (!found)
    return luaL_error(
        L, "units { ... } has the entries length, mass and time, each the name of a unit");
  return 0;
}

void rattle__lua_units(lua_State *L) {
  lua_pushcfunction(L, units);
  lua_setglobal(L, "units");
}
