/* Drawings: draw { kind = place, size =, colour =, ... }, and draw(function() ... end), a function
 * that is called when the file has been read: the nodes that it makes come after all nodes that are
 * computed. */
#include <string.h>

#include "files/lua/loader.h"
#include "ground/support/nearest.h"

enum { MOST_JOINTS = 1000 };
static const char functions[] = "rattle functions that draw";
static const char *const kinds[] = {"point", "link", "spring", "damper", "cylinder", "sphere",
                                    "box",   "mark", "rail",   "guide",  "surface",  "angles"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char *const options[] = {"size", "colour", "turn", "angle", "over", "at"};
enum { OPTIONS = sizeof options / sizeof *options };

/* The kind in the table at index 1, which is left on top with its value; options are checked. */
static const char *find_kind(lua_State *L) {
  const char *kind = NULL;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "expected what is drawn by name, as in draw { point = {x, y} }, found %s",
                 rattle__lua_found(L, -2));
    rattle__nearest nearest = {.name = lua_tostring(L, -2)};
    int found = 0;
    for (int i = 0; i < KINDS + OPTIONS; i++) {
      const char *known = i < KINDS ? kinds[i] : options[i - KINDS];
      rattle__nearest_try(&nearest, known);
      if (strcmp(known, nearest.name)) continue;
      found = 1;
      if (i < KINDS && kind)
        luaL_error(L, "one draw { ... } draws one thing, found %s and %s: write two", kind, known);
      if (i < KINDS) kind = known;
    }
    if (!found && nearest.best)
      luaL_error(L, "draw has no option \"%s\"; did you mean \"%s\"?", nearest.name, nearest.best);
    if (!found) luaL_error(L, "draw has no option \"%s\"", nearest.name);
  }
  if (!kind)
    luaL_error(L, "draw needs what is drawn: point, link, spring, damper, cylinder, sphere, box, "
                  "mark, rail, guide, surface or angles = { ... }");
  lua_getfield(L, 1, kind);
  return kind;
}

/* The list at the top has no more entries than are read. */
static void limit(lua_State *L, int most, const char *what) {
  if (lua_rawlen(L, -1) > (lua_Unsigned)most)
    luaL_error(L, "expected %s in draw, found a list of %I", what, (LUAI_UACINT)lua_rawlen(L, -1));
}

/* The list at the top as a place: {x, y} or {x, y, z}, or a vector of the module vectors. */
static void read_place(lua_State *L, rattle_expr at[3]) {
  if (lua_type(L, -1) != LUA_TTABLE)
    luaL_error(L, "expected a place {x, y} or {x, y, z} in draw, found %s",
               rattle__lua_found(L, -1));
  limit(L, 3, "a place {x, y} or {x, y, z}");
  for (int i = 0; i < 3; i++) {
    at[i] = lua_geti(L, -1, i + 1) == LUA_TNIL && i == 2
                ? RATTLE_EXPR_NONE
                : rattle__lua_expr(L, -1, "in a place {x, y} of draw");
    lua_pop(L, 1);
  }
}

/* turn = a rotation matrix by rows, or angle = one about z. */
static void read_turn(lua_State *L, rattle_expr axes[9]) {
  if (lua_getfield(L, 1, "turn") != LUA_TNIL) {
    if (lua_type(L, -1) == LUA_TTABLE) limit(L, 3, "three rows of a rotation matrix for turn");
    for (int i = 0; i < 3; i++) {
      if (lua_type(L, -1) != LUA_TTABLE || lua_geti(L, -1, i + 1) != LUA_TTABLE)
        luaL_error(L, "expected a rotation matrix {{...}, {...}, {...}} for turn, found %s",
                   rattle__lua_found(L, -1));
      read_place(L, axes + 3 * i);
      if (!axes[3 * i + 2]) luaL_error(L, "a row of the rotation matrix turn has three entries");
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  if (lua_getfield(L, 1, "angle") != LUA_TNIL) {
    if (axes[0]) luaL_error(L, "draw takes one of turn and angle");
    rattle_graph *graph = rattle__lua_loader(L)->model->graph;
    const rattle_expr angle = rattle__lua_expr(L, -1, "for angle in draw"),
                      zero = rattle__lua_constant(L, 0);
    const rattle_expr c = rattle_expr_unary(graph, RATTLE_OP_COS, angle),
                      s = rattle_expr_unary(graph, RATTLE_OP_SIN, angle);
    const rattle_expr less = s ? rattle_expr_unary(graph, RATTLE_OP_NEG, s) : s,
                      one = rattle__lua_constant(L, 1);
    if (!c || !s || !less) rattle__lua_no_memory(L);
    const rattle_expr made[9] = {c, less, zero, s, c, zero, zero, zero, one};
    memcpy(axes, made, sizeof made);
  }
  lua_pop(L, 1);
}

/* size = number or {a, b, c}; colour. */
static void read_looks(lua_State *L, rattle_drawing *d) {
  int type = lua_getfield(L, 1, "size");
  if (type == LUA_TTABLE) {
    limit(L, 3, "a size {a, b, c}");
    for (int i = 0; i < 3; i++, lua_pop(L, 1))
      if (lua_geti(L, -1, i + 1) != LUA_TNIL) {
        rattle__lua_settle(L, -1);
        d->size[i] = rattle__lua_number(L, -1, "size in draw");
      }
  } else if (type != LUA_TNIL) {
    rattle__lua_settle(L, -1);
    d->size[0] = d->size[1] = d->size[2] = rattle__lua_number(L, -1, "size in draw");
  }
  lua_pop(L, 1);
  if (lua_getfield(L, 1, "colour") != LUA_TNIL) d->colour = rattle__lua_string(L, -1, "a colour");
  lua_pop(L, 1); /* the table keeps it */
}

static void add(lua_State *L, const rattle_drawing *d) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_charge_bytes(L, sizeof *d);
  rattle__lua_check(L, rattle_model_add_drawing(loader->model, d, &loader->error));
}

/* The list at the top: places that follow each other; two, unless a link is drawn. */
static void draw_between(lua_State *L, rattle_drawing *d) {
  rattle__lua_table(L, -1, "two places, as in draw { link = {{0, 0}, {x, y}} }");
  const lua_Integer count = luaL_len(L, -1);
  if (count < 2 || (count > 2 && strcmp(d->kind, "link")) || count > MOST_JOINTS)
    luaL_error(L, "a %s is drawn between two places {{x, y}, {x, y}}, found %I", d->kind,
               (LUAI_UACINT)count);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_geti(L, -1, i);
    memcpy(d->at[0], d->at[1], sizeof d->at[0]);
    read_place(L, d->at[1]);
    lua_pop(L, 1);
    if (i > 1) add(L, d);
  }
}

/* The list at the top: two places; at = where between them something is. */
static void draw_rail(lua_State *L, rattle_drawing *d) {
  if (lua_getfield(L, 1, "at") == LUA_TNIL)
    luaL_error(L, "a rail needs where something is on it, 0 at its first place and 1 at its "
                  "second, as in draw { rail = {{0, 0}, {1, 0}}, at = x }");
  d->axes[0] = rattle__lua_expr(L, -1, "for at in draw");
  lua_pop(L, 1);
  draw_between(L, d);
}

/* The list at the top: a point as a body sees it; at = where the body stands. */
static void draw_guide(lua_State *L, rattle_drawing *d) {
  read_place(L, d->at[1]);
  if (lua_getfield(L, 1, "at") == LUA_TNIL)
    luaL_error(L, "a guide needs where the body stands that has it, as in draw { guide = {u, v}, "
                  "at = {x, y}, angle = a }");
  read_place(L, d->at[0]);
  lua_pop(L, 1);
  read_turn(L, d->axes);
  add(L, d);
}

/* A constraint by its name, or an expression; over = {x, y, z}: coordinates */
static void draw_surface(lua_State *L, rattle_drawing *d) {
  const rattle_model *model = rattle__lua_loader(L)->model;
  if (lua_type(L, -1) == LUA_TSTRING) {
    const int i = rattle__model_find_constraint(model, lua_tostring(L, -1));
    if (i < 0)
      luaL_error(L, "no constraint has the name \"%s\": draw the surface after it",
                 lua_tostring(L, -1));
    d->zero = model->constraint[i].expr;
  } else {
    d->zero = rattle__lua_expr(L, -1, "or the name of a constraint in draw { surface = ... }");
  }
  if (lua_getfield(L, 1, "over") != LUA_TTABLE)
    luaL_error(
        L,
        "a surface needs its coordinates, as in draw { surface = \"sphere\", over = {x, y, z} }");
  for (int i = 0; i < 3; i++, lua_pop(L, 1)) {
    if (lua_geti(L, -1, i + 1) == LUA_TNIL && i == 2) {
      d->over[2] = -1;
      continue;
    }
    const int variable = rattle__lua_variable(L, -1, "over");
    if (variable % 2)
      luaL_error(L, "expected coordinates in over, found %s", rattle__lua_found(L, -1));
    d->over[i] = variable / 2;
  }
  lua_pop(L, 1);
  add(L, d);
}

static void draw_angles(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_table(L, -1, "a list of coordinates in draw { angles = { ... } }");
  for (lua_Integer i = 1; lua_geti(L, -1, i) != LUA_TNIL; i++, lua_pop(L, 1)) {
    const int variable = rattle__lua_variable(L, -1, "angles");
    if (variable % 2)
      luaL_error(L, "expected coordinates in angles, found %s", rattle__lua_found(L, -1));
    rattle__lua_check(L, rattle_model_add_angle(loader->model, variable / 2, &loader->error));
  }
  lua_pop(L, 1);
}

/* draw(function() ... end): kept */
static int draw_later(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, functions);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  return 0;
}

static int draw(lua_State *L) {
  if (lua_isfunction(L, 1)) return draw_later(L);
  rattle__lua_table(L, 1, "draw { kind = place, ... }, as in draw { point = {x, y} }");
  lua_settop(L, 1);
  luaL_checkstack(L, 20, NULL);
  rattle_drawing d = {.struct_size = sizeof d};
  read_looks(L, &d);
  d.kind = find_kind(L);
  if (!strcmp(d.kind, "angles")) {
    draw_angles(L);
  } else if (!strcmp(d.kind, "surface")) {
    draw_surface(L, &d);
  } else if (!strcmp(d.kind, "rail")) {
    draw_rail(L, &d);
  } else if (!strcmp(d.kind, "guide")) {
    draw_guide(L, &d);
  } else if (!strcmp(d.kind, "link") || !strcmp(d.kind, "spring") || !strcmp(d.kind, "damper") ||
             !strcmp(d.kind, "cylinder")) {
    draw_between(L, &d);
  } else {
    read_place(L, d.at[0]);
    if (!strcmp(d.kind, "box")) read_turn(L, d.axes);
    add(L, &d);
  }
  return 0;
}

void rattle__lua_finish_drawings(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, functions);
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TFUNCTION; i++) lua_call(L, 0, 0);
  lua_pop(L, 2);
}

void rattle__lua_drawings(lua_State *L) {
  lua_register(L, "draw", draw);
}
