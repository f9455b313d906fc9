/* Declarations of a model: title, metadata, parameters, variables, H, constraints, quantities to
 * observe. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/inputs.h"
#include "ground/support/nearest.h"
#include "files/lua/loader.h"

/* Roughly what one more variable or constraint takes, with its name and its places in the index. */
enum { BYTES_PER_PAIR = 200, BYTES_PER_CONSTRAINT = 100 };

static rattle_model *model_of(lua_State *L) {
  return rattle__lua_loader(L)->model;
}

static rattle_error *error_of(lua_State *L) {
  return &rattle__lua_loader(L)->error;
}

/* ---- title, metadata, parameters ---- */

static int title(lua_State *L) {
  rattle__lua_declaring(L, "title");
  const char *text = rattle__lua_string(L, 1, "the title");
  if (model_of(L)->title)
    return luaL_error(L, "the title was already given: \"%s\"", model_of(L)->title);
  rattle__lua_check(L, rattle_model_set_title(model_of(L), text, error_of(L)));
  return 0;
}

static int metadata(lua_State *L) {
  rattle__lua_table(L, 1, "metadata { name = value, ... }");
  /* in alphabetical order: the upvalue is pairs */
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 3);
  for (;;) {
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 4);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) return 0;
    const char *key = rattle__lua_string(L, -2, "a name in metadata");
    int type = lua_type(L, -1);
    if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
      return luaL_error(L,
                        "expected a string, a number, true or false for metadata \"%s\", found %s",
                        key, rattle__lua_found(L, -1));
    rattle__lua_push_text(L, -1);
    rattle__lua_check(L, rattle_model_add_metadata(
                             model_of(L), key, rattle__lua_string(L, -1, "metadata"), error_of(L)));
    lua_pop(L, 2);
    lua_replace(L, 4);
  }
}

double rattle__lua_parameter(lua_State *L, const char *name, double value) {
  rattle__loader *loader = rattle__lua_loader(L);
  for (int i = 0; i < loader->model->parameters; i++)
    if (strcmp(loader->model->parameter[i].name, name) == 0)
      luaL_error(
          L, "the parameter \"%s\" is already declared; keep its value in a local variable%s", name,
          loader->random_seeded && strcmp(name, "seed") == 0
              ? " (random() declares \"seed\" at its first use)"
              : "");
  for (int i = 0; i < loader->override_count; i++) {
    if (strcmp(loader->overrides[i].name, name) != 0) continue;
    loader->asked[i] = 1;
    value = loader->overrides[i].value;
    if (!isfinite(value))
      luaL_error(L, "the value given for the parameter \"%s\" is not a finite number", name);
  }
  if (isnan(value))
    luaL_error(L, "the parameter \"%s\" has no default: give it a value, as in -P %s=1", name,
               name);
  rattle__lua_check(L, rattle__model_add_parameter(loader->model, name, value, &loader->error));
  return value;
}

/* True if the parameter remains a symbol. */
static int is_input(const rattle__loader *loader, const char *name) {
  for (int i = 0; i < loader->input_count; i++)
    if (strcmp(loader->inputs[i], name) == 0) return 1;
  return 0;
}

/* The parameter declared last, as a symbol. */
static int push_symbol(lua_State *L, double value, int whole) {
  rattle__loader *loader = rattle__lua_loader(L);
  const rattle_expr e = rattle__input_make(loader->model->graph, value, whole);
  const rattle__model_input input = {RATTLE__INPUT_PARAMETER, loader->model->parameters - 1, e};
  rattle__lua_check(L, rattle__model_add_input(loader->model, input, &loader->error));
  return rattle__lua_push(L, e);
}

/* The range in the options of a parameter, at index 3. */
static void take_range(lua_State *L, const char *name, double value) {
  double range[2];
  rattle__lua_table(L, 3, "the options of a parameter, { range = {low, high} }");
  for (lua_pushnil(L); lua_next(L, 3); lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "of that kind";
    if (strcmp(key, "range") != 0)
      luaL_error(L, "a parameter has no option %s: its only one is range = {low, high}", key);
  }
  if (lua_getfield(L, 3, "range") == LUA_TNIL) return;
  rattle__lua_table(L, -1, "range = {low, high}");
  for (int side = 0; side < 2; side++) {
    lua_geti(L, -1, side + 1);
    range[side] = rattle__lua_number(L, -1, "an end of the range of a parameter");
    lua_pop(L, 1);
  }
  if (lua_rawlen(L, -1) != 2 || !isfinite(range[0]) || !isfinite(range[1]) || range[0] >= range[1])
    luaL_error(L, "the range of the parameter \"%s\" is not {low, high} with low < high", name);
  if (value < range[0] || value > range[1])
    luaL_error(L, "the default of the parameter \"%s\" is not in its range: widen the range", name);
  rattle__lua_check(L, rattle__model_add_parameter_range(model_of(L), range, error_of(L)));
}

/* parameter(name, default, options): a whole number where the default is an integer, as the model
 * writes it, and the value is whole */
static int parameter(lua_State *L) {
  rattle__lua_declaring(L, "parameter");
  const char *name = rattle__lua_string(L, 1, "the name of a parameter");
  int good = isalpha((unsigned char)name[0]) || name[0] == '_';
  for (const char *c = name; *c; c++)
    good = good && (isalnum((unsigned char)*c) || *c == '_' || *c == '.');
  if (!good || strlen(name) > 64)
    return luaL_error(
        L, "the name of a parameter has at most 64 letters, digits, _ and ., found \"%s\"", name);
  double value =
      lua_isnoneornil(L, 2) ? (double)NAN : rattle__lua_number(L, 2, "the default of a parameter");
  const double standard = value;
  int whole = lua_isinteger(L, 2);
  value = rattle__lua_parameter(L, name, value);
  if (!lua_isnoneornil(L, 3)) take_range(L, name, standard);
  if (is_input(rattle__lua_loader(L), name)) return push_symbol(L, value, whole);
  if (whole && value == floor(value))
    rattle__lua_push_integer(L, value);
  else
    lua_pushnumber(L, value);
  return 1;
}

void rattle__lua_finish_parameters(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  for (int i = 0; i < loader->override_count; i++) {
    if (loader->asked[i]) continue;
    rattle__nearest nearest = {.name = loader->overrides[i].name};
    for (int j = 0; j < loader->model->parameters; j++)
      rattle__nearest_try(&nearest, loader->model->parameter[j].name);
    if (nearest.best)
      luaL_error(L, "the model has no parameter \"%s\"; did you mean \"%s\"?", nearest.name,
                 nearest.best);
    luaL_error(L, "the model has no parameter \"%s\"%s", nearest.name,
               loader->model->parameters ? "" : "; it has no parameters");
  }
}

/* ---- variables ---- */

static void check_variable(lua_State *L, const char *name) {
  if (strcmp(name, "project") == 0 || strcmp(name, "hold") == 0 || strcmp(name, "replace") == 0)
    luaL_error(L, "a variable cannot be named \"%s\": start{...} has an option of that name", name);
}

static void push_variable(lua_State *L, int index) {
  rattle__lua_push(L, rattle_expr_variable(model_of(L)->graph, index));
}

static int pair(lua_State *L) {
  rattle__lua_declaring(L, "pair");
  if (lua_istable(L, 1))
    return luaL_error(L, "pair(name) declares a coordinate and its momentum; forces between beads "
                         "are pair_potential{...}");
  const char *name = rattle__lua_string(L, 1, "the name of a pair");
  const char *momentum =
      lua_isnoneornil(L, 2) ? NULL : rattle__lua_string(L, 2, "the name of a momentum");
  int k;
  check_variable(L, name);
  if (momentum) check_variable(L, momentum);
  rattle__lua_charge_bytes(L, BYTES_PER_PAIR);
  rattle__lua_check(L, rattle_model_add_pair(model_of(L), name, momentum, &k, error_of(L)));
  push_variable(L, 2 * k);
  push_variable(L, 2 * k + 1);
  return 2;
}

static int pairs_of(lua_State *L) {
  rattle__lua_declaring(L, "pairs_of");
  const char *name = rattle__lua_string(L, 1, "the name of a list of pairs");
  long long n = rattle__lua_integer(L, 2, "the number of pairs", 1, 500000000);
  const char *momentum =
      lua_isnoneornil(L, 3) ? NULL : rattle__lua_string(L, 3, "the name of the momenta");
  if (strlen(name) > 50 || (momentum && strlen(momentum) > 50))
    return luaL_error(L, "the name of a list has at most 50 letters");
  rattle__lua_charge_bytes(L, (size_t)n * BYTES_PER_PAIR);
  lua_createtable(L, (int)n, 0);
  lua_createtable(L, (int)n, 0);
  for (long long i = 1; i <= n; i++) {
    char element[72], element_momentum[72];
    int k;
    snprintf(element, sizeof element, "%s[%lld]", name, i);
    snprintf(element_momentum, sizeof element_momentum, "%s%s[%lld]", momentum ? "" : "p",
             momentum ? momentum : name, i);
    rattle__lua_check(
        L, rattle_model_add_pair(model_of(L), element, element_momentum, &k, error_of(L)));
    push_variable(L, 2 * k);
    lua_rawseti(L, -3, i);
    push_variable(L, 2 * k + 1);
    lua_rawseti(L, -2, i);
  }
  return 2;
}

static int free_variable(lua_State *L) {
  rattle__lua_declaring(L, "free");
  const char *name = rattle__lua_string(L, 1, "the name of a free variable");
  int k;
  check_variable(L, name);
  rattle__lua_charge_bytes(L, BYTES_PER_PAIR + BYTES_PER_CONSTRAINT);
  rattle__lua_check(L, rattle_model_add_free(model_of(L), name, &k, error_of(L)));
  push_variable(L, 2 * k);
  return 1;
}

/* time(): the same variable in each call */
static int time_variable(lua_State *L) {
  rattle__lua_declaring(L, "time");
  if (lua_gettop(L)) return luaL_error(L, "time() takes no argument: write local t = time()");
  rattle_expr t = RATTLE_EXPR_NONE;
  rattle__lua_charge_bytes(L, BYTES_PER_PAIR);
  rattle__lua_check(L, rattle_model_time(model_of(L), &t, error_of(L)));
  return rattle__lua_push(L, t);
}

/* turning_angle(y, x): atan2(y, x) that counts turns */
static int turning_angle(lua_State *L) {
  rattle__lua_declaring(L, "turning_angle");
  if (lua_gettop(L) != 2)
    return luaL_error(L, "turning_angle takes two arguments, y and x, found %d", lua_gettop(L));
  const rattle_expr y = rattle__lua_expr(L, 1, "as y of turning_angle(y, x)"),
                    x = rattle__lua_expr(L, 2, "as x of turning_angle(y, x)");
  rattle_expr angle = RATTLE_EXPR_NONE;
  rattle__lua_charge_bytes(L, BYTES_PER_PAIR);
  rattle__lua_check(L, rattle_model_turning_angle(model_of(L), y, x, &angle, error_of(L)));
  return rattle__lua_push(L, angle);
}

/* ---- H, constraints, quantities ---- */

static int hamiltonian(lua_State *L) {
  rattle__lua_declaring(L, "hamiltonian");
  if (lua_gettop(L) == 0) return rattle__lua_hamiltonian_so_far(L, rattle__lua_where(L));
  rattle__lua_loader(L)->hamiltonian_used = 1;
  rattle__lua_check(L, rattle_model_add_hamiltonian(model_of(L),
                                                    rattle__lua_expr(L, 1, "in hamiltonian(...)"),
                                                    error_of(L)));
  return 0;
}

static int potential(lua_State *L) {
  rattle__lua_declaring(L, "potential");
  if (lua_gettop(L) == 0) return rattle__lua_potential_so_far(L, rattle__lua_where(L));
  rattle__lua_loader(L)->potential_used = 1;
  rattle__lua_check(L, rattle_model_add_hamiltonian(
                           model_of(L), rattle__lua_expr(L, 1, "in potential(...)"), error_of(L)));
  return 0;
}

/* force { x = f, ... }: on the momenta of coordinates */
static int force(lua_State *L) {
  rattle__lua_declaring(L, "force");
  rattle__lua_table(L, 1, "force { coordinate = expression, ... }");
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    const int variable = rattle__lua_variable(L, -2, "force");
    const rattle__pair *on = &model_of(L)->pair[variable / 2];
    if (variable % 2)
      return luaL_error(L,
                        "expected coordinates in force, found the momentum \"%s\": the force on it "
                        "is that on \"%s\"",
                        on->momentum, on->name);
    const rattle_expr e = rattle__lua_expr(L, -1, "in force { coordinate = expression }");
    rattle__lua_check(L, rattle_model_add_force(model_of(L), variable / 2, e, error_of(L)));
  }
  return 0;
}

/* "file:line" of the call; a loop says the same line again and again, and shares the text */
char *rattle__lua_where(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  lua_Debug at;
  if (!rattle__lua_place(L, 1, &at)) return NULL;
  if (at.currentline != loader->where_line || at.source != loader->where_source || !loader->where) {
    lua_pushfstring(L, "%s:%d", at.source + 1, at.currentline);
    loader->where = rattle__model_keep(loader->model, lua_tostring(L, -1));
    loader->where_line = at.currentline;
    loader->where_source = at.source;
    lua_pop(L, 1);
  }
  return loader->where;
}

/* { dirac = true }, and the old word for it */
typedef struct kind_of_motion {
  int dirac, vakonomic;
} kind_of_motion;

static kind_of_motion motion_of(lua_State *L, int index) {
  kind_of_motion said = {0, 0};
  rattle__lua_table(L, index,
                    "a table of options, as in constrain(name, expression, { dirac = true })");
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char *word =
        lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : rattle__lua_found(L, -2);
    int *to = !strcmp(word, "dirac")       ? &said.dirac
              : !strcmp(word, "vakonomic") ? &said.vakonomic
                                           : NULL;
    if (!to)
      luaL_error(
          L, "expected the option dirac in constrain(name, expression, { dirac = true }), found %s",
          word);
    *to = rattle__lua_boolean(L, -1, word);
  }
  return said;
}

static int constrain(lua_State *L) {
  rattle__lua_declaring(L, "constrain");
  const char *name = rattle__lua_string(L, 1, "the name of a constraint");
  if (lua_isboolean(L, 2))
    return luaL_error(L, "expected an expression that is to be 0 in constrain(name, expression), "
                         "found the comparison of two: for "
                         "x^2 == 1 write constrain(name, x^2 - 1)");
  rattle_expr e = rattle__lua_expr(L, 2, "that is to be 0 in constrain(name, expression)");
  rattle__lua_charge_bytes(L, BYTES_PER_CONSTRAINT);
  const kind_of_motion said = lua_isnoneornil(L, 3) ? (kind_of_motion){0, 0} : motion_of(L, 3);
  rattle__lua_check(L, rattle_model_add_constraint(model_of(L), name, e, error_of(L)));
  const int last = rattle_model_constraints(model_of(L)) - 1;
  if (said.vakonomic)
    rattle__lua_check(L, rattle_model_set_vakonomic(model_of(L), last, error_of(L)));
  if (said.dirac) rattle__lua_check(L, rattle_model_set_dirac(model_of(L), last, error_of(L)));
  model_of(L)->constraint[model_of(L)->m - 1].where = rattle__lua_where(L);
  return 0;
}

/* velocity_constrain(name, e): e = 0, affine in velocities */
static int velocity_constrain(lua_State *L) {
  rattle__lua_declaring(L, "velocity_constrain");
  const char *name = rattle__lua_string(L, 1, "the name of a velocity constraint");
  if (lua_isboolean(L, 2))
    return luaL_error(L, "expected an expression that is to be 0 in velocity_constrain(name, "
                         "expression), found the comparison of two");
  const rattle_expr e =
      rattle__lua_expr(L, 2, "that is to be 0 in velocity_constrain(name, expression)");
  rattle__lua_charge_bytes(L, BYTES_PER_CONSTRAINT + BYTES_PER_PAIR); /* it may make the clock */
  rattle__lua_check(L, rattle_model_add_velocity_constraint(model_of(L), name, e, error_of(L)));
  model_of(L)->velocity_row[model_of(L)->velocity_rows - 1].is.where = rattle__lua_where(L);
  return 0;
}

/* redundant "omit" or "refuse", the default */
static int redundant(lua_State *L) {
  rattle__lua_declaring(L, "redundant");
  const char *what = rattle__lua_string(L, 1, "\"omit\" or \"refuse\"");
  if (strcmp(what, "omit") != 0 && strcmp(what, "refuse") != 0)
    return luaL_error(L,
                      "constraints that follow from others are redundant \"omit\" or redundant "
                      "\"refuse\", found \"%s\"",
                      what);
  rattle__lua_loader(L)->omit_redundant = what[0] == 'o';
  return 0;
}

/* lambda(name): the multiplier of a constraint, for what is seen of the motion */
static int lambda(lua_State *L) {
  rattle__lua_declaring(L, "lambda");
  const char *name = rattle__lua_string(L, 1, "the name of a constraint, as in lambda(\"rod\")");
  rattle_expr e = RATTLE_EXPR_NONE;
  rattle__lua_check(L, rattle_model_multiplier(model_of(L), name, &e, error_of(L)));
  return rattle__lua_push(L, e);
}

/* derivative(e, x): by a coordinate, a momentum or the symbol of a velocity */
static int derivative(lua_State *L) {
  rattle_graph *graph = model_of(L)->graph;
  const rattle_expr e = rattle__lua_expr(L, 1, "in derivative(expression, variable)"),
                    x = rattle__lua_expr(L, 2, "in derivative(expression, variable)");
  if (rattle_expr_op(graph, x) != RATTLE_OP_VARIABLE)
    return luaL_error(L,
                      "derivative(expression, variable) is one by a coordinate, a momentum or "
                      "velocity(x), and this is %s",
                      rattle__lua_found(L, 2));
  return rattle__lua_push(L, rattle_expr_derivative(graph, e, rattle_expr_index(graph, x)));
}

static int observe(lua_State *L) {
  rattle__lua_declaring(L, "observe");
  const char *name = rattle__lua_string(L, 1, "the name of a quantity to observe");
  if (lua_gettop(L) == 1 && rattle__model_find_pair(model_of(L), name, NULL) >= 0)
    return luaL_error(
        L, "observe(\"%s\") is not needed: coordinates and momenta are always recorded", name);
  rattle_expr e = rattle__lua_expr(L, 2, "in observe(name, expression)");
  rattle__lua_charge_bytes(L, BYTES_PER_CONSTRAINT);
  rattle__lua_check(L, rattle_model_add_observable(model_of(L), name, e, error_of(L)));
  model_of(L)->observable[model_of(L)->observables - 1].where = rattle__lua_where(L);
  return 0;
}

void rattle__lua_declarations(lua_State *L) {
  static const luaL_Reg declarations[] = {
      {"title", title},
      {"parameter", parameter},
      {"pair", pair},
      {"pairs_of", pairs_of},
      {"free", free_variable},
      {"potential", potential},
      {"observe", observe},
      {"lambda", lambda},
      {"derivative", derivative},
      {"constrain", constrain},
      {"velocity_constrain", velocity_constrain},
      {"redundant", redundant},
      {"hamiltonian", hamiltonian},
      {"force", force},
      {"time", time_variable},
      {"turning_angle", turning_angle},
      {NULL, NULL},
  };
  lua_pushglobaltable(L);
  luaL_setfuncs(L, declarations, 0);
  lua_getfield(L, -1, "pairs");
  lua_pushcclosure(L, metadata, 1);
  lua_setfield(L, -2, "metadata");
  lua_pop(L, 1);
}
