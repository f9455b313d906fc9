/* pair_potential{...}: forces between all beads but those that are few bonds apart. */
#include <math.h>
#include <string.h>

#include "files/lua/loader.h"

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

/* Beads that are few bonds apart have no force, or a part of it. */
static void read_bonded(lua_State *L, rattle_pair_potential *own) {
  lua_pushnumber(L, rattle__lua_option(L, "pair_potential", "exclude", 1));
  const int exclude =
      (int)rattle__lua_integer(L, -1, "exclude, how many bonds apart beads have no force", 0, 3);
  own->scale = rattle__lua_option(L, "pair_potential", "scale_14", 1);
  if (own->scale < 0)
    luaL_error(L, "scale_14 of pair_potential cannot be negative, found %f", own->scale);
  if (own->scale != 1 && exclude == 3)
    luaL_error(L, "exclude = 3 leaves no pairs 1-4 that scale_14 could scale: omit one of them");
  if (exclude) own->exclusions = rattle__lua_bonded_pairs(L, 1, exclude, &own->excluded);
  if (own->scale != 1) own->scaled_pairs = rattle__lua_bonded_pairs(L, 3, 3, &own->scaled);
}

/* ---- species ---- */

/* A number of the table on top of the stack. */
static double read_number(lua_State *L, const char *name, const char *what) {
  if (lua_getfield(L, -1, name) == LUA_TNIL) luaL_error(L, "%s needs %s = number", what, name);
  const double value = rattle__lua_number(L, -1, name);
  lua_pop(L, 1);
  return value;
}

/* { epsilon = number, sigma = number } on top of the stack, and nothing else but `names` names. */
static void read_parameters(lua_State *L, const char *what, int names, double *epsilon,
                            double *sigma) {
  *epsilon = read_number(L, "epsilon", what);
  *sigma = read_number(L, "sigma", what);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name ? strcmp(name, "epsilon") != 0 && strcmp(name, "sigma") != 0
             : !lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1 || lua_tointeger(L, -2) > names)
      luaL_error(L, "%s has epsilon and sigma alone, found %s", what,
                 name ? name : rattle__lua_found(L, -2));
  }
}

/* The kind of beads of a species that the table `species` has, from 0 on. */
static int kind_of(lua_State *L, int index, int kinds) {
  const int number = rattle__lua_species(L, index);
  if (number > kinds)
    luaL_error(L, "pair_potential: no bead is of the species \"%s\"", lua_tostring(L, index));
  return number - 1;
}

/* The species that molecules have are kinds of beads, in the order in which they occur. */
static void read_kinds(lua_State *L, rattle_pair_potential *own) {
  const rattle__beads *beads = &rattle__lua_loader(L)->beads;
  const int table = lua_gettop(L), kinds = rattle__lua_species_count(L);
  for (int b = 0; b < beads->count; b++)
    if (!beads->species[b])
      luaL_error(L,
                 "bead %d has no species, which pair_potential asks for: give species = \"name\" "
                 "to its molecule",
                 b + 1);
  int *kind = lua_newuserdatauv(L, (size_t)beads->count * sizeof *kind, 0);
  double *epsilon = lua_newuserdatauv(L, 2 * (size_t)kinds * sizeof *epsilon, 0),
         *sigma = epsilon + kinds;
  for (int b = 0; b < beads->count; b++) kind[b] = beads->species[b] - 1;
  for (int k = 0; k < kinds; k++) {
    const char *name = rattle__lua_species_name(L, k + 1);
    if (lua_getfield(L, table, name) != LUA_TTABLE)
      luaL_error(L,
                 "pair_potential needs species = { %s = { epsilon = number, sigma = number } }: "
                 "beads are of that species",
                 name);
    const char *what = lua_pushfstring(L, "species \"%s\" of pair_potential", name);
    lua_insert(L, -2);
    read_parameters(L, what, 0, &epsilon[k], &sigma[k]);
    lua_pop(L, 3);
  }
  own->kinds = kinds;
  own->bead_kind = kind;
  own->epsilons = epsilon;
  own->sigmas = sigma;
}

/* special = { {"C", "O", epsilon = number, sigma = number}, ... } */
static void read_specials(lua_State *L, rattle_pair_potential *own) {
  if (lua_getfield(L, 1, "special") == LUA_TNIL) return;
  rattle__lua_table(L, -1, "special = { {\"A\", \"B\", epsilon = number, sigma = number}, ... }");
  const int table = lua_gettop(L);
  own->specials = (int)lua_rawlen(L, table);
  rattle_pair_special *special =
      lua_newuserdatauv(L, (size_t)(own->specials + 1) * sizeof *special, 0);
  for (int k = 0; k < own->specials; k++) {
    lua_rawgeti(L, table, k + 1);
    rattle__lua_table(L, -1, "{\"A\", \"B\", epsilon = number, sigma = number} in special");
    for (int e = 0; e < 2; e++) {
      lua_rawgeti(L, -1, e + 1);
      special[k].kind[e] = kind_of(L, -1, own->kinds);
      lua_pop(L, 1);
    }
    read_parameters(L, "an entry of special", 2, &special[k].epsilon, &special[k].sigma);
    lua_pop(L, 1);
  }
  own->special = special;
}

/* species = { A = { epsilon =, sigma = }, ... }, mixing, special; or one epsilon and sigma for all
 * beads */
static void read_species(lua_State *L, rattle_pair_potential *own) {
  static const char *const others[] = {"epsilon", "sigma"}, *const own_words[] = {"mixing",
                                                                                  "special"};
  const int given = lua_getfield(L, 1, "species") != LUA_TNIL;
  for (int k = 0; k < 2; k++) {
    if (lua_getfield(L, 1, given ? others[k] : own_words[k]) != LUA_TNIL)
      luaL_error(L,
                 given ? "pair_potential has species, each with its own epsilon and sigma: omit %s"
                       : "pair_potential has %s, which needs species = { name = { epsilon = "
                         "number, sigma = number } }",
                 given ? others[k] : own_words[k]);
    lua_pop(L, 1);
  }
  if (!given) {
    own->epsilon = rattle__lua_option(L, "pair_potential", "epsilon", 1);
    own->sigma = rattle__lua_option(L, "pair_potential", "sigma", 1);
    return;
  }
  rattle__lua_table(L, -1, "species = { name = { epsilon = number, sigma = number } }");
  read_kinds(L, own);
  read_specials(L, own);
  if (lua_getfield(L, 1, "mixing") != LUA_TNIL)
    own->mixing = rattle__lua_string(L, -1, "the mixing rule of pair_potential");
}

static int pair_potential(lua_State *L) {
  static const char *const known[] = {"kind",    "epsilon",  "sigma",   "cutoff", "switch",
                                      "smooth",  "box",      "species", "mixing", "special",
                                      "exclude", "scale_14", NULL};
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_declaring(L, "pair_potential");
  rattle__lua_table(L, 1, "pair_potential { kind = \"lennard_jones\" }");
  lua_settop(L, 1);
  luaL_checkstack(L, 60, NULL);
  rattle__lua_known(L, "pair_potential", known, 0);
  const rattle__beads *beads = &loader->beads;
  rattle__lua_molecule(L, "pair_potential");
  rattle__lua_charge(L, 100.0 * beads->count);
  rattle__lua_charge_bytes(L, BYTES_PER_BEAD * (size_t)beads->count);
  rattle_pair_potential own = {.struct_size = sizeof own, .beads = beads->count};
  if (lua_getfield(L, 1, "kind") == LUA_TNIL)
    return luaL_error(L, "pair_potential needs kind = \"lennard_jones\" or kind = \"wca\"");
  own.kind = rattle__lua_string(L, -1, "the kind of pair_potential");
  read_species(L, &own);
  own.cutoff = rattle__lua_option(L, "pair_potential", "cutoff", 0);
  own.from = rattle__lua_option(L, "pair_potential", "switch", 0);
  lua_pushnumber(L, rattle__lua_option(L, "pair_potential", "smooth", 0));
  own.smooth = (int)rattle__lua_integer(
      L, -1, "smooth, the number of continuous derivatives at the cutoff", 0, 7);
  read_box(L, own.box);
  int *pairs = lua_newuserdatauv(L, 3 * (size_t)beads->count * sizeof *pairs, 0);
  for (int k = 0; k < 3 * beads->count; k++) pairs[k] = beads->pair[k / 3] + k % 3;
  own.pairs = pairs;
  read_bonded(L, &own);
  loader->potential_used = 1;
  rattle__lua_check(L, rattle_model_add_pair_potential(loader->model, &own, &loader->error));
  return 0;
}

void rattle__lua_pair_potentials(lua_State *L) {
  lua_register(L, "pair_potential", pair_potential);
}
