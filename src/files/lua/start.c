/* Values by variable: start{...}, velocity{...}, mass{...}. Keys are names or variables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/elements.h"
#include "ground/expr/inputs.h"
#include "files/lua/loader.h"

/* ---- keys ---- */

int rattle__lua_variable(lua_State *L, int index, const char *table) {
  rattle_model *model = rattle__lua_loader(L)->model;
  if (lua_type(L, index) == LUA_TLIGHTUSERDATA) {
    rattle_expr e = rattle__lua_expr(L, index, "");
    const int32_t variable = rattle_expr_index(model->graph, e);
    if (variable >= 0 && variable < RATTLE_VELOCITY) return variable;
  } else if (lua_type(L, index) == LUA_TSTRING) {
    const char *name = lua_tostring(L, index), *nearest;
    int is_momentum, pair = rattle__model_find_pair(model, name, &is_momentum);
    if (pair >= 0) return 2 * pair + is_momentum;
    nearest = rattle__model_nearest(model, name);
    if (nearest)
      return luaL_error(L, "unknown variable \"%s\" in %s; did you mean \"%s\"?", name, table,
                        nearest);
    if (strcmp(name, "velocity") == 0)
      return luaL_error(L, "velocities are not given in %s: write velocity { x = 1 } after it",
                        table);
    return luaL_error(
        L, "unknown variable \"%s\" in %s: expected the name of a coordinate or momentum", name,
        table);
  }
  return luaL_error(L, "expected variables or their names as keys in %s, found %s", table,
                    rattle__lua_found(L, index));
}

unsigned char *rattle__lua_given(lua_State *L, int pair) {
  rattle__loader *loader = rattle__lua_loader(L);
  int had = loader->given_room;
  if (pair >= had) {
    int larger = loader->model->n + loader->model->n / 2;
    unsigned char *grown = realloc(loader->given, (size_t)larger);
    if (!grown) rattle__lua_no_memory(L);
    memset(grown + had, 0, (size_t)(larger - had));
    loader->given = grown;
    loader->given_room = larger;
  }
  return &loader->given[pair];
}

/* ---- start, velocity ---- */

/* Refuses a second, different value. */
static void once(lua_State *L, unsigned char *given, unsigned char flag, double old, double value,
                 const char *name) {
  if ((*given & flag) && old != value)
    luaL_error(L, "the start of \"%s\" was already given as %f, now it is %f", name, old, value);
  *given |= flag;
}

/* replace: whatever was given before */
static void set_start(lua_State *L, int variable, double value, int replace) {
  if (rattle__model_start_is_input(rattle__lua_loader(L)->model, variable))
    luaL_error(L, "a start that is a symbol is given again");
  if (variable / 2 == rattle_model_clock(rattle__lua_loader(L)->model)) {
    if (!replace)
      luaL_error(L,
                 "time begins with the run: write integrate { start_time = %f }, p_t starts at 0",
                 value);
    if (variable % 2 == 0) rattle__lua_loader(L)->wishes.start_time = value;
  }
  rattle__pair *pair = &rattle__lua_loader(L)->model->pair[variable / 2];
  unsigned char *given = rattle__lua_given(L, variable / 2);
  if (replace) *given &= (unsigned char)(variable % 2 ? ~(GIVEN_P | GIVEN_VELOCITY) : ~GIVEN_Q);
  if (replace && variable % 2) pair->has_velocity = 0;
  if (variable % 2) {
    if (*given & GIVEN_VELOCITY)
      luaL_error(L, "\"%s\" has a start velocity already: give its momentum or its velocity",
                 pair->name);
    once(L, given, GIVEN_P, pair->p, value, pair->momentum);
    pair->p = value;
  } else {
    once(L, given, GIVEN_Q, pair->q, value, pair->name);
    pair->q = value, pair->has_start = 1;
  }
}

/* hold = { "x", y, ... }: coordinates that a projection of the start does not move */
static void hold(lua_State *L) {
  rattle__lua_table(L, -1, "a list of variables, as in hold = { \"x\" }");
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    int variable = rattle__lua_variable(L, -1, "hold");
    if (variable % 2)
      luaL_error(L, "expected coordinates in hold, found the momentum \"%s\"",
                 rattle__lua_loader(L)->model->pair[variable / 2].momentum);
    rattle__lua_loader(L)->model->pair[variable / 2].held = 1;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* The value at the top, for a variable that has no start yet, is a symbol. */
static void set_symbol(lua_State *L, int variable) {
  rattle__loader *loader = rattle__lua_loader(L);
  const rattle_expr e = rattle__lua_input(L, -1);
  const int flags = variable % 2 ? GIVEN_P | GIVEN_VELOCITY : GIVEN_Q;
  if (variable / 2 == rattle_model_clock(loader->model) ||
      *rattle__lua_given(L, variable / 2) & flags)
    luaL_error(L, "a start is given again as a symbol");
  set_start(L, variable, rattle_expr_value(loader->model->graph, e), 0);
  const rattle__model_input input = {RATTLE__INPUT_START, variable, e};
  rattle__lua_check(L, rattle__model_add_input(loader->model, input, &loader->error));
}

static int start(lua_State *L) {
  rattle__lua_declaring(L, "start");
  rattle__lua_table(L, 1, "start { variable = value, ... }");
  const int replace =
      lua_getfield(L, 1, "replace") != LUA_TNIL && rattle__lua_boolean(L, -1, "replace");
  lua_settop(L, 1);
  rattle_model *model = rattle__lua_loader(L)->model;
  /* others that follow from these, as parts without mass, are no longer given */
  for (int k = 0; k < model->n && replace; k++) model->pair[k].has_start = 0;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "project") == 0) {
      rattle__lua_loader(L)->wishes.project = rattle__lua_boolean(L, -1, "project");
    } else if (lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "hold") == 0) {
      hold(L);
    } else if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "replace") != 0) {
      int variable = rattle__lua_variable(L, -2, "start");
      if (rattle__lua_input(L, -1) && !replace)
        set_symbol(L, variable);
      else
        set_start(L, variable,
                  rattle__lua_number(
                      L, -1, rattle__model_variable_name(rattle__lua_loader(L)->model, variable)),
                  replace);
    }
  }
  return 0;
}

/* velocity(x): the symbol of the velocity of a coordinate, for velocity_constrain */
static int velocity_symbol(lua_State *L) {
  rattle_model *model = rattle__lua_loader(L)->model;
  const int variable = rattle__lua_variable(L, 1, "velocity(coordinate)");
  rattle_expr v = RATTLE_EXPR_NONE;
  if (variable % 2)
    return luaL_error(L, "expected a coordinate in velocity(coordinate), found \"%s\"",
                      rattle__model_variable_name(model, variable));
  rattle__lua_check(L,
                    rattle_model_velocity(model, variable / 2, &v, &rattle__lua_loader(L)->error));
  return rattle__lua_push(L, v);
}

static int velocity(lua_State *L) {
  rattle__lua_declaring(L, "velocity");
  rattle_model *model = rattle__lua_loader(L)->model;
  if (lua_gettop(L) == 1 && !lua_istable(L, 1)) return velocity_symbol(L);
  rattle__lua_table(L, 1, "velocity { coordinate = value, ... }");
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    int variable = rattle__lua_variable(L, -2, "velocity");
    rattle__pair *pair = &model->pair[variable / 2];
    const rattle_expr symbol = rattle__lua_input(L, -1);
    const double value =
        symbol ? rattle_expr_value(model->graph, symbol) : rattle__lua_number(L, -1, pair->name);
    unsigned char *given = rattle__lua_given(L, variable / 2);
    if (variable % 2)
      return luaL_error(L, "expected coordinates in velocity, found the momentum \"%s\"",
                        pair->momentum);
    if (pair->is_free) return luaL_error(L, "\"%s\" is free: it has no start velocity", pair->name);
    if (*given & GIVEN_P)
      return luaL_error(L, "\"%s\" has a start momentum already: give its momentum or its velocity",
                        pair->name);
    if (symbol && *given & GIVEN_VELOCITY)
      return luaL_error(L, "a start velocity is given again as a symbol");
    once(L, given, GIVEN_VELOCITY, pair->velocity, value, pair->name);
    const rattle__model_input input = {RATTLE__INPUT_VELOCITY, variable / 2, symbol};
    if (symbol)
      rattle__lua_check(L, rattle__model_add_input(model, input, &rattle__lua_loader(L)->error));
    rattle__lua_check(
        L, rattle_model_set_velocity(model, variable / 2, value, &rattle__lua_loader(L)->error));
  }
  return 0;
}

/* ---- mass ---- */

static void set_mass(lua_State *L, int key, int value) {
  rattle__loader *loader = rattle__lua_loader(L);
  int variable = rattle__lua_variable(L, key, "mass"), k = variable / 2;
  const rattle__pair *pair = &loader->model->pair[k];
  const rattle_expr symbol = rattle__lua_input(L, value);
  double mass = symbol ? rattle_expr_value(loader->model->graph, symbol)
                       : rattle__lua_number(L, value, "a mass");
  if (variable % 2)
    luaL_error(L, "expected coordinates in mass, found the momentum \"%s\"", pair->momentum);
  if (mass <= 0) luaL_error(L, "expected a positive mass for \"%s\", found %f", pair->name, mass);
  if (k < loader->mass_room && *rattle__lua_given(L, k) & GIVEN_MASS &&
      (symbol || loader->mass_input[k]))
    luaL_error(L, "a mass is given again as a symbol");
  rattle__lua_give_mass(L, k, mass);
  loader->mass_input[k] = symbol;
  const rattle__model_input input = {RATTLE__INPUT_MASS, k, symbol};
  if (symbol) rattle__lua_check(L, rattle__model_add_input(loader->model, input, &loader->error));
}

void rattle__lua_give_mass(lua_State *L, int k, double mass) {
  rattle__loader *loader = rattle__lua_loader(L);
  const rattle__pair *pair = &loader->model->pair[k];
  loader->mass_used = 1;
  if (k >= loader->mass_room) {
    int larger = loader->model->n + loader->model->n / 2;
    double *grown = realloc(loader->mass, (size_t)larger * sizeof *grown);
    if (!grown) rattle__lua_no_memory(L);
    loader->mass = grown;
    rattle_expr *symbols = realloc(loader->mass_input, (size_t)larger * sizeof *symbols);
    if (!symbols) rattle__lua_no_memory(L);
    memset(symbols + loader->mass_room, 0, (size_t)(larger - loader->mass_room) * sizeof *symbols);
    loader->mass_input = symbols;
    loader->mass_room = larger;
  }
  unsigned char *given = rattle__lua_given(L, k);
  if ((*given & GIVEN_MASS) && loader->mass[k] != mass)
    luaL_error(L, "the mass of \"%s\" was already given as %f, now it is %f", pair->name,
               loader->mass[k], mass);
  *given |= GIVEN_MASS;
  loader->mass[k] = mass;
}

/* mass { x = 2, [y] = 2 }, mass(x, 2), or mass(list, value) with one value or a list of them */
static int mass(lua_State *L) {
  rattle__lua_declaring(L, "mass");
  rattle__lua_loader(L)->mass_used = 1;
  if (lua_gettop(L) == 1) {
    rattle__lua_table(L, 1, "mass { variable = value, ... } or mass(variable, value)");
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
      set_mass(L, lua_absindex(L, -2), lua_absindex(L, -1));
  } else if (lua_istable(L, 1)) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    if (lua_istable(L, 2) && (lua_Integer)lua_rawlen(L, 2) != count)
      return luaL_error(L, "expected as many masses as variables, %I, found %I", (LUAI_UACINT)count,
                        (LUAI_UACINT)lua_rawlen(L, 2));
    rattle__lua_charge(L, (double)count);
    for (lua_Integer i = 1; i <= count; i++) {
      lua_rawgeti(L, 1, i);
      if (lua_istable(L, 2)) {
        lua_rawgeti(L, 2, i);
      } else {
        lua_pushvalue(L, 2);
      }
      set_mass(L, lua_gettop(L) - 1, lua_gettop(L));
      lua_pop(L, 2);
    }
  } else {
    set_mass(L, 1, 2);
  }
  return 0;
}

/* T = sum p^2 / (2 m) in the order of the pairs, after `kinetic` and without those that a chart
 * replaces where one is given, and the rest of H. NONE: there is nothing. */
static rattle_expr whole_hamiltonian(lua_State *L, const rattle__chart *chart,
                                     rattle_expr kinetic) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  rattle_graph *graph = model->graph;
  const rattle_expr two = rattle_expr_constant(graph, 2);
  for (int k = 0, c = 0; k < model->n; k++) {
    const int follows = chart && c < chart->count && chart->pair[c] == k;
    c += follows;
    if (follows || !loader->mass_used || !(*rattle__lua_given(L, k) & GIVEN_MASS)) continue;
    rattle_expr p = rattle_expr_variable(graph, 2 * k + 1);
    rattle_expr square = rattle_expr_binary(graph, RATTLE_OP_POW, p, two);
    const rattle_expr symbol = loader->mass_input[k];
    const rattle_expr twice = symbol ? rattle__input_derive(graph, RATTLE_OP_MUL, two, symbol)
                                     : rattle_expr_constant(graph, 2 * loader->mass[k]);
    rattle_expr term = rattle_expr_binary(graph, RATTLE_OP_DIV, square, twice);
    kinetic = kinetic ? rattle_expr_binary(graph, RATTLE_OP_ADD, kinetic, term) : term;
    if (!kinetic) rattle__lua_no_memory(L);
  }
  const rattle_expr rest = model->hamiltonian;
  if (!kinetic || !rest) return kinetic ? kinetic : rest;
  const rattle_expr sum = rattle_expr_binary(graph, RATTLE_OP_ADD, kinetic, rest);
  if (!sum) rattle__lua_no_memory(L);
  return sum;
}

/* e without the linear terms of the loader's weights; NONE: nothing is left. */
static rattle_expr without_weights(lua_State *L, rattle_expr e) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  double *coefficient = NULL;
  rattle_expr *term = NULL, sum = RATTLE_EXPR_NONE;
  int count = 0, kept = 0;
  if (!e) return e;
  rattle__lua_check(L, rattle__terms(model->graph, e, &coefficient, &term, &count, &loader->error));
  for (int i = 0; i < count; i++) {
    const int32_t v = rattle_expr_index(model->graph, term[i]);
    double c = coefficient[i];
    if (v >= 0 && v % 2 == 0 && v < 2 * model->n) c -= loader->weight[v / 2];
    if (c == 0) continue;
    coefficient[kept] = c;
    term[kept++] = term[i];
  }
  if (kept) sum = rattle__sum(model->graph, coefficient, term, kept);
  free(coefficient);
  free(term);
  if (kept && !sum) rattle__lua_no_memory(L);
  return sum;
}

rattle_expr rattle__lua_whole_hamiltonian(lua_State *L) {
  return whole_hamiltonian(L, NULL, RATTLE_EXPR_NONE);
}

void rattle__lua_finish_masses(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  for (int k = 0; k < model->n; k++)
    if (!(loader->mass_used && *rattle__lua_given(L, k) & GIVEN_MASS) &&
        (loader->mass_used || loader->potential_used) && !loader->hamiltonian_used &&
        !model->pair[k].is_free && k != rattle_model_clock(model) && !model->pair[k].idle &&
        !(loader->chart && loader->chart->moved[k]) && !rattle__model_is_reference(model, k))
      luaL_error(L,
                 "\"%s\" has no mass: mass { %s = ... } and potential(...) need one for each "
                 "coordinate, unless "
                 "hamiltonian(...) is given",
                 model->pair[k].name, model->pair[k].name);
  for (int k = 0; k < model->n && loader->chart; k++)
    if (loader->chart->moved[k] && loader->mass_used && *rattle__lua_given(L, k) & GIVEN_MASS)
      luaL_error(L,
                 "the kinetic energy of \"%s\" is that of what it moves: give no mass of its own, "
                 "but mass and inertia of bodies",
                 model->pair[k].name);
  rattle_expr whole = whole_hamiltonian(L, NULL, RATTLE_EXPR_NONE);
  if (loader->hamiltonian_read && loader->hamiltonian_read != whole)
    luaL_error(L,
               "%s reads H before it is complete: observe energies after all that adds to H "
               "(masses, hamiltonian(...), potential(...), parts of mechanics, time())",
               loader->hamiltonian_reader);
  if (loader->chart) whole = whole_hamiltonian(L, loader->chart, loader->chart->kinetic);
  if (model->sweeps) {
    model->sweeps->whole = whole;
    model->sweeps->rest = without_weights(L, whole_hamiltonian(L, loader->chart, RATTLE_EXPR_NONE));
  }
  if (!whole || whole == model->hamiltonian) return;
  model->hamiltonian = RATTLE_EXPR_NONE;
  rattle__lua_check(L, rattle_model_add_hamiltonian(model, whole, &loader->error));
}

void rattle__lua_starts(lua_State *L) {
  lua_register(L, "start", start);
  lua_register(L, "velocity", velocity);
  lua_register(L, "mass", mass);
}
