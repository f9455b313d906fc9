/* molecule{...}: beads in space, the rods between them, masses, starts; copies of all that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/lua/loader.h"

enum { BYTES_PER_BEAD = 700, MOST_BEADS = 30000000 };

/* Options of one molecule; x, mass and length are in userdata on the stack. */
typedef struct reading {
  rattle__bead_molecule made;
  int bonds, ring, listed; /* listed: bonds are entries of the table `bonds` */
  double *x, *mass, *length;
  int (*bond)[2], *species;
  double temperature, spacing;
} reading;

static void *room(lua_State *L, size_t size) {
  return lua_newuserdatauv(L, size + 1, 0);
}

/* The option `name`: one number for all, or a list of as many. 0: it is missing. */
static int read_numbers(lua_State *L, const char *name, int count, double *to) {
  const int type = lua_getfield(L, 1, name);
  if (type == LUA_TTABLE && (int)lua_rawlen(L, -1) != count)
    luaL_error(L, "expected %d numbers in the list %s of molecule, found %I", count, name,
               (LUAI_UACINT)lua_rawlen(L, -1));
  for (int k = 0; k < count && type != LUA_TNIL; k++) {
    if (type == LUA_TTABLE) lua_rawgeti(L, -1, k + 1);
    to[k] = rattle__lua_number(L, -1, name);
    if (!(to[k] > 0))
      luaL_error(L, "expected a positive number for %s of molecule, found %f", name, to[k]);
    if (type == LUA_TTABLE) lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return type != LUA_TNIL;
}

/* species = "C", or a list of a name for each bead. */
static void read_species(lua_State *L, reading *m) {
  const int type = lua_getfield(L, 1, "species"), count = m->made.beads;
  m->species = room(L, (size_t)count * sizeof *m->species);
  lua_insert(L, -2);
  if (type != LUA_TNIL && type != LUA_TSTRING &&
      (type != LUA_TTABLE || (int)lua_rawlen(L, -1) != count))
    luaL_error(L, "expected a name, or a list of %d names, for species of molecule, found %s",
               count, rattle__lua_found(L, -1));
  for (int k = 0; k < count; k++) {
    if (type == LUA_TTABLE) lua_rawgeti(L, -1, k + 1);
    m->species[k] = type == LUA_TNIL ? 0 : rattle__lua_species(L, -1);
    if (type == LUA_TTABLE) lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* bonds = "chain", "ring", or a list of {i, j} and {i, j, length}. */
static void read_bonds(lua_State *L, reading *m) {
  const int beads = m->made.beads, type = lua_getfield(L, 1, "bonds");
  const char *shape = type == LUA_TSTRING ? lua_tostring(L, -1) : "";
  m->ring = !strcmp(shape, "ring");
  m->listed = type == LUA_TTABLE;
  if (type != LUA_TNIL && !m->ring && !m->listed && strcmp(shape, "chain") != 0)
    luaL_error(L,
               "expected \"chain\", \"ring\" or a list of {i, j} for bonds of molecule, found %s",
               rattle__lua_found(L, -1));
  if (beads < (m->ring ? 3 : 2) && type != LUA_TNIL && !m->listed)
    luaL_error(L, "a %s of %d beads is too short", shape, beads);
  m->bonds = m->listed ? (int)lua_rawlen(L, -1) : type == LUA_TNIL ? 0 : beads - !m->ring;
  lua_pop(L, 1);
  rattle__lua_charge(L, m->bonds);
  m->bond = room(L, (size_t)m->bonds * sizeof *m->bond);
  m->length = room(L, (size_t)m->bonds * sizeof *m->length);
  const int given = read_numbers(L, "length", m->bonds, m->length);
  for (int k = 0; k < m->bonds && !m->listed; k++) {
    m->bond[k][0] = k;
    m->bond[k][1] = (k + 1) % beads;
  }
  if (!m->listed && m->bonds && !given)
    luaL_error(L, "molecule needs length = number, the length of its bonds");
  if (!m->listed) return;
  lua_pushvalue(L, 1);
  lua_getfield(L, 1, "bonds");
  lua_replace(L, 1); /* entries are read of the table at index 1 */
  for (int k = 0; k < m->bonds; k++) {
    const rattle__bead_molecule own = {.beads = beads};
    const double length = rattle__lua_entry(L, "bonds", k + 1, 2, &own, m->bond[k]);
    if (length > 0) m->length[k] = length;
    if (!(length > 0) && !given)
      luaL_error(L, "bond %d has no length: write {i, j, length}, or length = number", k + 1);
  }
  lua_replace(L, 1);
}

/* ---- starts ---- */

/* The position of a bead by `place`, a function or a list of {x, y, z}. */
static void place_bead(lua_State *L, int place, int copy, int bead, double *x) {
  if (lua_istable(L, place)) {
    lua_rawgeti(L, place, bead + 1);
    rattle__lua_table(L, -1, "{x, y, z} for each bead in the list place");
    for (int d = 0; d < 3; d++) lua_rawgeti(L, -1 - d, d + 1);
  } else {
    lua_pushvalue(L, place);
    lua_pushinteger(L, copy + 1);
    lua_pushinteger(L, bead + 1);
    lua_call(L, 2, 3);
  }
  for (int d = 0; d < 3; d++) x[d] = rattle__lua_number(L, d - 3, "a coordinate of a placed bead");
  lua_pop(L, lua_istable(L, place) ? 4 : 3);
}

/* The beads of all copies; returns the index of `place` on the stack, 0 if the molecule has a place
 * of its own. */
static int find_place(lua_State *L, reading *m) {
  const int type = lua_getfield(L, 1, "place");
  const int place = lua_gettop(L);
  m->x = room(L, 3 * (size_t)m->made.beads * sizeof *m->x);
  memset(m->x, 0, 3 * (size_t)m->made.beads * sizeof *m->x);
  if (type == LUA_TFUNCTION) return place;
  if (type == LUA_TTABLE) {
    if ((int)lua_rawlen(L, place) != m->made.beads)
      luaL_error(L, "expected a place for each of %d beads, found %I", m->made.beads,
                 (LUAI_UACINT)lua_rawlen(L, place));
    for (int i = 0; i < m->made.beads; i++) place_bead(L, place, 0, i, m->x + 3 * i);
    return 0;
  }
  if (type != LUA_TNIL)
    luaL_error(L, "expected a list of {x, y, z} or a function(copy, bead) for place, found %s",
               rattle__lua_found(L, place));
  if (m->listed && m->made.beads > 1)
    luaL_error(L, "a molecule whose bonds are a list needs place = {{x, y, z}, ...} or place = "
                  "function(copy, bead)");
  for (int k = 1; k < m->bonds && m->ring; k++)
    if (m->length[k] != m->length[0])
      luaL_error(L, "a ring whose bonds have different lengths needs place = {{x, y, z}, ...}");
  const double apart = m->spacing > 0 ? m->spacing : 1.2;
  const double edge[3] = {apart, apart, apart};
  for (int i = 0; i < m->made.beads && !m->bonds; i++)
    rattle__place_copy(i, m->made.beads, edge, m->x + 3 * i);
  rattle__lua_charge(L, m->bonds ? 2000.0 * m->made.beads : 0);
  if (m->bonds &&
      !rattle__place_coil(m->made.beads, m->ring, m->length, rattle__lua_random_state(L), m->x))
    luaL_error(L, "found no coil that does not overlap itself: give place = {{x, y, z}, ...}, or "
                  "another seed");
  return 0;
}

/* Edges of the cell of a grid that one copy has for itself. */
static void find_edges(const reading *m, double edge[3]) {
  double longest = 0;
  for (int k = 0; k < m->bonds; k++) longest = fmax(longest, m->length[k]);
  if (longest == 0) longest = 1;
  for (int d = 0; d < 3; d++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < m->made.beads; i++) {
      low = fmin(low, m->x[3 * i + d]);
      high = fmax(high, m->x[3 * i + d]);
    }
    edge[d] = high - low + (m->spacing > 0 ? m->spacing : 1.5 * longest);
  }
}

static void set_places(lua_State *L, reading *m) {
  rattle__loader *loader = rattle__lua_loader(L);
  const int place = find_place(L, m);
  double edge[3], offset[3] = {0, 0, 0};
  find_edges(m, edge);
  for (int c = 0; c < m->made.copies; c++) {
    rattle__lua_charge(L, m->made.beads);
    if (!place) rattle__place_copy(c, m->made.copies, edge, offset);
    for (int i = 0; i < m->made.beads; i++) {
      double own[3];
      if (place) place_bead(L, place, c, i, own); /* may declare more */
      rattle__pair *pair =
          &loader->model->pair[loader->beads.pair[m->made.first + c * m->made.beads + i]];
      for (int d = 0; d < 3; d++) {
        pair[d].q = place ? own[d] : m->x[3 * i + d] + offset[d];
        if (!isfinite(pair[d].q))
          luaL_error(L, "the beads of molecule are too far apart for numbers");
      }
    }
  }
}

/* Momenta of Maxwell's distribution, without total momentum. Projection of the start removes the
 * momenta along rods, and the distribution becomes that of the rigid molecule. */
static void set_momenta(lua_State *L, const reading *m) {
  rattle__loader *loader = rattle__lua_loader(L);
  const int beads = m->made.beads * m->made.copies;
  double sum[3] = {0, 0, 0}, mass = 0;
  if (m->temperature == 0) return;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < beads; i++) {
      const double own = m->mass[i % m->made.beads];
      const int first = loader->beads.pair[m->made.first + i];
      rattle__lua_charge(L, 1);
      for (int d = 0; d < 3; d++) {
        rattle__pair *pair = &loader->model->pair[first + d];
        if (pass) {
          pair->p -= own / mass * sum[d];
          continue;
        }
        pair->p = sqrt(own * m->temperature) * rattle__lua_normal(L);
        sum[d] += pair->p;
      }
      if (!pass) mass += own;
    }
  loader->wishes.project = 1;
}

/* ---- the word ---- */

static void add_beads(lua_State *L, const reading *m) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__beads *beads = &loader->beads;
  for (int i = 0; i < m->made.beads * m->made.copies; i++) {
    rattle__lua_charge(L, 10);
    rattle__lua_charge_bytes(L, BYTES_PER_BEAD);
    int *grown = rattle__room(beads->pair, beads->count, &beads->pair_room, sizeof *grown);
    if (!grown) rattle__lua_no_memory(L);
    beads->pair = grown;
    int *named = rattle__room(beads->species, beads->count, &beads->species_room, sizeof *named);
    if (!named) rattle__lua_no_memory(L);
    beads->species = named;
    beads->species[beads->count] = m->species[i % m->made.beads];
    for (int d = 0; d < 3; d++) {
      char name[32];
      int k;
      snprintf(name, sizeof name, "%c[%d]", "xyz"[d], beads -> count + 1);
      rattle__lua_check(L, rattle_model_add_pair(loader->model, name, NULL, &k, &loader->error));
      rattle__lua_give_mass(L, k, m->mass[i % m->made.beads]);
      if (!d) beads->pair[beads->count] = k;
    }
    beads->count++;
  }
}

/* The list of one axis of coordinates or momenta, as a field of the table on top. */
static void push_list(lua_State *L, const reading *m, const char *name, int axis, int momentum) {
  const rattle__loader *loader = rattle__lua_loader(L);
  const int count = m->made.beads * m->made.copies;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    const int pair = loader->beads.pair[m->made.first + i] + axis;
    rattle__lua_push(L, rattle_expr_variable(loader->model->graph, 2 * pair + momentum));
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

static void push_whole(lua_State *L, const char *name, int value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static int push_molecule(lua_State *L, const reading *m) {
  static const char *const names[] = {"x", "y", "z", "px", "py", "pz"};
  lua_createtable(L, 0, 10);
  for (int k = 0; k < 6; k++) push_list(L, m, names[k], k % 3, k / 3);
  push_whole(L, "beads", m->made.beads);
  push_whole(L, "copies", m->made.copies);
  push_whole(L, "first", m->made.first + 1);
  push_whole(L, "number", rattle__lua_loader(L)->beads.molecules);
  return 1;
}

static void keep(lua_State *L, const reading *m) {
  rattle__beads *beads = &rattle__lua_loader(L)->beads;
  rattle__bead_molecule *grown =
      rattle__room(beads->molecule, beads->molecules, &beads->molecule_room, sizeof *grown);
  if (!grown) rattle__lua_no_memory(L);
  beads->molecule = grown;
  beads->molecule[beads->molecules++] = m->made;
}

static int molecule(lua_State *L) {
  static const char *const known[] = {"beads", "bonds",   "length",      "mass",    "copies",
                                      "place", "spacing", "temperature", "species", NULL};
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_declaring(L, "molecule");
  rattle__lua_table(L, 1, "molecule { beads = number, bonds = \"chain\", length = number }");
  lua_settop(L, 1);
  luaL_checkstack(L, 40, NULL);
  rattle__lua_known(L, "molecule", known, 0);
  reading m = {.made.first = loader->beads.count};
  lua_pushnumber(L, rattle__lua_option(L, "molecule", "beads", (double)NAN));
  m.made.beads = (int)rattle__lua_integer(L, -1, "beads", 1, MOST_BEADS);
  lua_pushnumber(L, rattle__lua_option(L, "molecule", "copies", 1));
  m.made.copies = (int)rattle__lua_integer(L, -1, "copies", 1,
                                           (MOST_BEADS - loader->beads.count) / m.made.beads);
  m.temperature = rattle__lua_option(L, "molecule", "temperature", 0);
  m.spacing = rattle__lua_option(L, "molecule", "spacing", 0);
  if (m.temperature < 0 || m.spacing < 0)
    return luaL_error(L, "temperature and spacing of molecule cannot be negative");
  m.mass = room(L, (size_t)m.made.beads * sizeof *m.mass);
  for (int i = 0; i < m.made.beads; i++) m.mass[i] = 1;
  read_numbers(L, "mass", m.made.beads, m.mass);
  read_species(L, &m);
  read_bonds(L, &m);
  add_beads(L, &m);
  for (int c = 0; c < m.made.copies; c++)
    for (int k = 0; k < m.bonds; k++) {
      const int first = m.made.first + c * m.made.beads;
      rattle__lua_rod(L, first + m.bond[k][0], first + m.bond[k][1], m.length[k]);
    }
  set_places(L, &m);
  set_momenta(L, &m);
  keep(L, &m);
  return push_molecule(L, &m);
}

void rattle__lua_molecules(lua_State *L) {
  lua_register(L, "molecule", molecule);
}
