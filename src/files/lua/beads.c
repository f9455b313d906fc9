/* Beads and rods of a model: the part that the words about them share. */
#include "files/lua/beads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ground/support/nearest.h"
#include "files/lua/loader.h"

enum { BYTES_PER_BOND = 200 };

void rattle__lua_known(lua_State *L, const char *word, const char *const *known, int list) {
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    if (list && lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1) continue;
    rattle__nearest nearest = {.name = rattle__lua_option_name(L, word)};
    int found = 0;
    for (int i = 0; known[i]; i++) {
      found |= !strcmp(known[i], nearest.name);
      rattle__nearest_try(&nearest, known[i]);
    }
    if (!found && nearest.best)
      luaL_error(L, "%s has no option \"%s\"; did you mean \"%s\"?", word, nearest.name,
                 nearest.best);
    if (!found) luaL_error(L, "%s has no option \"%s\"", word, nearest.name);
  }
}

double rattle__lua_option(lua_State *L, const char *word, const char *name, double value) {
  if (lua_getfield(L, 1, name) != LUA_TNIL)
    value = rattle__lua_number(L, -1, name);
  else if (isnan(value))
    luaL_error(L, "%s needs %s = number", word, name);
  lua_pop(L, 1);
  return value;
}

rattle__bead_molecule rattle__lua_molecule(lua_State *L, const char *word) {
  const rattle__beads *beads = &rattle__lua_loader(L)->beads;
  rattle__bead_molecule found = {.beads = beads->count, .copies = 1};
  if (!beads->count) luaL_error(L, "%s needs beads: declare them by molecule{...} first", word);
  if (lua_getfield(L, 1, "molecule") != LUA_TNIL) {
    rattle__lua_table(L, -1, "what molecule{...} returned");
    lua_getfield(L, -1, "number");
    found =
        beads
            ->molecule[rattle__lua_integer(L, -1, "the number of a molecule", 1, beads->molecules) -
                       1];
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return found;
}

double rattle__lua_entry(lua_State *L, const char *word, int entry, int many,
                         const rattle__bead_molecule *in, int *bead) {
  double length = 0;
  lua_rawgeti(L, 1, entry);
  const int count = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
  if (count < many || count > many + 1)
    luaL_error(L, "expected a list of %d beads as entry %d of %s, found %s", many, entry, word,
               rattle__lua_found(L, -1));
  for (int k = 0; k < many; k++) {
    lua_rawgeti(L, -1, k + 1);
    bead[k] = in->first + (int)rattle__lua_integer(L, -1, "the number of a bead", 1, in->beads) - 1;
    lua_pop(L, 1);
    for (int i = 0; i < k; i++)
      if (bead[i] == bead[k])
        luaL_error(L, "bead %d occurs twice in entry %d of %s", bead[k] - in->first + 1, entry,
                   word);
  }
  if (count > many) {
    lua_rawgeti(L, -1, many + 1);
    length = rattle__lua_number(L, -1, "a length");
    if (!(length > 0))
      luaL_error(L, "expected a positive length in entry %d of %s, found %f", entry, word, length);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return length;
}

rattle__bonded rattle__lua_bonded_beads(lua_State *L) {
  const rattle__beads *beads = &rattle__lua_loader(L)->beads;
  const size_t count = (size_t)beads->count, bonds = (size_t)beads->bonds;
  rattle__lua_charge(L, (double)(count + bonds));
  rattle__bonded n = {.first = lua_newuserdatauv(L, (count + 2) * sizeof(int), 0)};
  n.to = lua_newuserdatauv(L, 2 * (bonds + 1) * sizeof(int), 0);
  memset(n.first, 0, (count + 2) * sizeof(int));
  for (size_t k = 0; k < 2 * bonds; k++) n.first[beads->bond[k / 2].bead[k % 2] + 2]++;
  for (size_t b = 0; b < count; b++) n.first[b + 2] += n.first[b + 1];
  for (size_t k = 0; k < 2 * bonds; k++)
    n.to[n.first[beads->bond[k / 2].bead[k % 2] + 1]++] = beads->bond[k / 2].bead[1 - k % 2];
  return n;
}

/* ---- expressions ---- */

rattle_expr rattle__lua_binary(lua_State *L, rattle_op op, rattle_expr a, rattle_expr b) {
  const rattle_expr e = rattle_expr_binary(rattle__lua_loader(L)->model->graph, op, a, b);
  if (e == RATTLE_EXPR_NONE) rattle__lua_no_memory(L);
  return e;
}

rattle_expr rattle__lua_constant(lua_State *L, double value) {
  const rattle_expr e = rattle_expr_constant(rattle__lua_loader(L)->model->graph, value);
  if (e == RATTLE_EXPR_NONE) rattle__lua_no_memory(L);
  return e;
}

rattle_expr rattle__lua_bead(lua_State *L, int bead, int axis) {
  const rattle__loader *loader = rattle__lua_loader(L);
  const rattle_expr e =
      rattle_expr_variable(loader->model->graph, 2 * (loader->beads.pair[bead] + axis));
  if (e == RATTLE_EXPR_NONE) rattle__lua_no_memory(L);
  return e;
}

void rattle__lua_difference(lua_State *L, int a, int b, rattle_expr d[3]) {
  for (int k = 0; k < 3; k++)
    d[k] =
        rattle__lua_binary(L, RATTLE_OP_SUB, rattle__lua_bead(L, a, k), rattle__lua_bead(L, b, k));
}

rattle_expr rattle__lua_dot(lua_State *L, const rattle_expr a[3], const rattle_expr b[3]) {
  rattle_expr sum = RATTLE_EXPR_NONE;
  for (int k = 0; k < 3; k++) {
    const rattle_expr term = rattle__lua_binary(L, RATTLE_OP_MUL, a[k], b[k]);
    sum = sum ? rattle__lua_binary(L, RATTLE_OP_ADD, sum, term) : term;
  }
  return sum;
}

/* ---- rods ---- */

void rattle__lua_rod(lua_State *L, int a, int b, double length) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__beads *beads = &loader->beads;
  char name[32];
  rattle_expr d[3];
  if (!(length * length > 0) || !isfinite(length * length))
    luaL_error(L,
               "the square of a bond's length is out of the range of numbers, found the length %f",
               length);
  rattle__lua_charge(L, 10);
  rattle__lua_charge_bytes(L, BYTES_PER_BOND);
  rattle__bead_bond *grown =
      rattle__room(beads->bond, beads->bonds, &beads->bond_room, sizeof *grown);
  if (!grown) rattle__lua_no_memory(L);
  beads->bond = grown;
  beads->bond[beads->bonds++] = (rattle__bead_bond){{a, b}};
  rattle__lua_difference(L, b, a, d);
  const rattle_expr g = rattle__lua_binary(L, RATTLE_OP_SUB, rattle__lua_dot(L, d, d),
                                           rattle__lua_constant(L, length * length));
  snprintf(name, sizeof name, "bond[%d]", beads->bonds);
  rattle__lua_check(L, rattle_model_add_constraint(loader->model, name, g, &loader->error));
  loader->model->constraint[loader->model->m - 1].where = rattle__lua_where(L);
}
