/* Seeded random numbers, the same on every machine. The seed is the parameter "seed", by default
 * 1. */
#include <math.h>
#include <string.h>

#include "files/lua/loader.h"
#include "ground/support/random.h"

/* Seeds from the parameter "seed", which is asked for here unless the model has asked for it
 * before. */
static void seed(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  const rattle_parameter *known = NULL;
  for (int i = 0; i < loader->model->parameters; i++)
    if (strcmp(loader->model->parameter[i].name, "seed") == 0) known = &loader->model->parameter[i];
  lua_pushnumber(L, known ? known->value : rattle__lua_parameter(L, "seed", 1));
  loader->random =
      (uint64_t)rattle__lua_integer(L, -1, "the parameter seed", 0, (long long)1 << 53);
  loader->random_seeded = 1;
  lua_pop(L, 1);
}

/* random(): in [0, 1); random(m): 1..m; random(m, n): m..n */
static int draw(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  int arguments = lua_gettop(L);
  if (!loader->random_seeded) seed(L);
  if (arguments == 0) {
    lua_pushnumber(L, (double)(rattle__random(&loader->random) >> 11) * 0x1p-53);
    return 1;
  }
  long long limit = (long long)1 << 53;
  long long low =
      arguments > 1 ? rattle__lua_integer(L, 1, "the lower end of random", -limit, limit) : 1;
  long long high =
      rattle__lua_integer(L, arguments > 1 ? 2 : 1, "the upper end of random", -limit, limit);
  if (high < low)
    return luaL_error(L, "random(%I, %I) has an empty range", (LUAI_UACINT)low, (LUAI_UACINT)high);
  uint64_t size = (uint64_t)(high - low) + 1, excess = UINT64_MAX - UINT64_MAX % size, z;
  do z = rattle__random(&loader->random);
  while (z >= excess);
  rattle__lua_push_integer(L, (double)(low + (long long)(z % size)));
  return 1;
}

uint64_t *rattle__lua_random_state(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  if (!loader->random_seeded) seed(L);
  return &loader->random;
}

double rattle__lua_normal(lua_State *L) {
  uint64_t *random = rattle__lua_random_state(L);
  double a, b, square;
  do { /* Marsaglia's polar method */
    a = rattle__random_signed(random);
    b = rattle__random_signed(random);
    square = a * a + b * b;
  } while (square >= 1 || square == 0);
  return a * sqrt(-2 * log(square) / square);
}

void rattle__lua_random(lua_State *L) {
  lua_getglobal(L, "math");
  lua_pushcfunction(L, draw);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "random");
  lua_setglobal(L, "random");
  lua_pop(L, 1);
}
