/* pair_potential{...}: forces between all beads that are not bonded. */
#include <math.h>
#include <string.h>

#include "lua/loader.h"

enum { BYTES_PER_BEAD = 400 };

/* The edges of `box`: a number, or three. */
static void read_box(lua_State *L, double box[3]) {
  const int type = lua_getfield(L, 1, "box");
  if (type == LUA_TTABLE && lua_rawlen(L, -1) != 3)
    luaL_error(L, "expected box = edge or box = {a, b, c}, found %s", rattle__lua_found(L, -1));
  for (int d = 0; d < 3 && type != LUA_TNIL; d++) {
    if (type == LUA_TTABLE) lua_rawgeti(L, -1, d + 1);
    box[d] = rattle__lua_number(L, -1, "an edge of the box");
    if (!(box[d] > 0)) luaL_error(L, "expected a positive edge of the box, found %f", box[d]);
    if (type == LUA_TTABLE) lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Bonded beads of all molecules, as exclusions. */
static const int *find_exclusions(lua_State *L, long long *count) {
  const rattle__beads *beads = &rattle__lua_loader(L)->beads;
  int *pair = lua_newuserdatauv(L, 2 * ((size_t)beads->bonds + 1) * sizeof *pair, 0);
  for (int k = 0; k < 2 * beads->bonds; k++) pair[k] = beads->bond[k / 2].bead[k % 2];
  *count = beads->bonds;
  return pair;
}

static int pair_potential(lua_State *L) {
  static const char *const known[] = {"kind", "epsilon", "sigma", "cutoff", "switch", "smooth", "box", NULL};
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_declaring(L, "pair_potential");
  rattle__lua_table(L, 1, "pair_potential { kind = \"lennard_jones\" }");
  lua_settop(L, 1);
  rattle__lua_known(L, "pair_potential", known, 0);
  const rattle__beads *beads = &loader->beads;
  rattle__lua_molecule(L, "pair_potential");
  rattle__lua_charge(L, 100.0 * beads->count);
  rattle__lua_charge_bytes(L, BYTES_PER_BEAD * (size_t)beads->count);
  rattle_pair_potential own = {.struct_size = sizeof own, .beads = beads->count};
  if (lua_getfield(L, 1, "kind") == LUA_TNIL)
    return luaL_error(L, "pair_potential needs kind = \"lennard_jones\" or kind = \"wca\"");
  own.kind = rattle__lua_string(L, -1, "the kind of pair_potential");
  own.epsilon = rattle__lua_option(L, "pair_potential", "epsilon", 1);
  own.sigma = rattle__lua_option(L, "pair_potential", "sigma", 1);
  own.cutoff = rattle__lua_option(L, "pair_potential", "cutoff", 0);
  own.from = rattle__lua_option(L, "pair_potential", "switch", 0);
  lua_pushnumber(L, rattle__lua_option(L, "pair_potential", "smooth", 0));
  own.smooth = (int)rattle__lua_whole(L, -1, "smooth, the number of continuous derivatives at the cutoff", 0, 7);
  read_box(L, own.box);
  int *pairs = lua_newuserdatauv(L, 3 * (size_t)beads->count * sizeof *pairs, 0);
  for (int k = 0; k < 3 * beads->count; k++) pairs[k] = beads->pair[k / 3] + k % 3;
  own.pairs = pairs;
  own.exclusions = find_exclusions(L, &own.excluded);
  loader->potential_used = 1;
  rattle__lua_check(L, rattle_model_add_pair_potential(loader->model, &own, &loader->error));
  return 0;
}

void rattle__lua_pair_potentials(lua_State *L) {
  lua_register(L, "pair_potential", pair_potential);
}
