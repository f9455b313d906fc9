/* chart(function() ... end): coordinates that follow from others. The function is called once, when
 * the file has been read, with true if the start is to be projected, and with push (awaited.c); it
 * returns the images { x = expression, px = expression, ... } of coordinates and momenta, and of
 * awaited symbols, the kinetic energy in the
 * coordinates that stay, and, where bodies move along a tree of joints, the tree in numbers
 * (problem/model/sweeps.h): { gravity, nodes = { {...}, ... }, weights = { [x] = factor, ... } },
 * weights being the linear terms of H that the sweeps have too. */
#include <stdlib.h>
#include <string.h>

#include "files/lua/loader.h"
#include "ground/expr/copy.h"
#include "ground/support/error.h"
#include "problem/model/massless.h"

static int chart(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_declaring(L, "chart");
  if (lua_type(L, 1) != LUA_TFUNCTION)
    return luaL_error(L, "expected a function in chart(function() return { ... }, T end), found %s",
                      rattle__lua_found(L, 1));
  if (loader->chart_of != LUA_NOREF) return luaL_error(L, "chart was already given");
  lua_settop(L, 1);
  loader->chart_of = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static rattle__chart *make(const rattle_model *model) {
  const size_t n = (size_t)model->n + 1;
  rattle__chart *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->pair = calloc(n, sizeof *made->pair);
  made->x = calloc(n, sizeof *made->x);
  made->p = calloc(n, sizeof *made->p);
  made->mass = calloc(n, sizeof *made->mass);
  made->moved = calloc(n, 1);
  made->awaited = calloc((size_t)model->awaits + 1, sizeof *made->awaited);
  if (!made->pair || !made->x || !made->p || !made->mass || !made->moved || !made->awaited)
    rattle__chart_destroy(&made);
  return made;
}

/* The images in the table at an index: of variables, and of awaited symbols unless made is NULL. */
static void take_images(lua_State *L, int table, rattle_expr *image, rattle__chart *made) {
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    const rattle_expr e = rattle__lua_expr(L, -1, "as the image of a variable");
    const int k = made ? rattle__lua_awaited(L, -2) : -1;
    if (k >= 0)
      made->awaited[k] = e;
    else
      image[rattle__lua_variable(L, -2, "chart")] = e;
  }
  for (int k = 0; made && k < rattle__lua_loader(L)->model->awaits; k++)
    if (!made->awaited[k]) luaL_error(L, "chart gives no image of an awaited symbol");
}

/* Marks the variables in e[count], in one walk. */
static void mark(lua_State *L, const rattle_expr *e, int count, unsigned char *marks) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_check(L, rattle__mark_all_variables(loader->model, e, count, marks, &loader->error));
}

/* Images are functions of what stays, and H contains the momenta of what goes in p^2/2m alone. */
static void check_images(lua_State *L, const rattle__chart *made, unsigned char *marks) {
  const rattle_model *model = rattle__lua_loader(L)->model;
  mark(L, made->x, made->count, marks), mark(L, made->p, made->count, marks);
  mark(L, &made->kinetic, 1, marks);
  for (int c = 0; c < made->count; c++) {
    const int k = made->pair[c];
    if (marks[2 * k] || marks[2 * k + 1])
      luaL_error(L, "the image of a variable in chart depends on \"%s\", which has one itself",
                 model->pair[k].name);
  }
}

static void check(lua_State *L, const rattle__chart *made, unsigned char *marks) {
  const rattle_model *model = rattle__lua_loader(L)->model;
  check_images(L, made, marks);
  memset(marks, 0, 2 * (size_t)model->n);
  mark(L, &model->hamiltonian, 1, marks);
  for (int c = 0; c < made->count; c++)
    if (marks[2 * made->pair[c] + 1])
      luaL_error(L,
                 "H contains the momentum \"%s\" in more than the kinetic energy of its mass, "
                 "which is not carried over to other coordinates: use those of bodies",
                 model->pair[made->pair[c]].momentum);
}

/* Field `name` of the table on top: numbers into to[count], one number as it is. */
static void numbers(lua_State *L, const char *name, int count, double *to) {
  const int type = lua_getfield(L, -1, name);
  for (int i = 0; i < count && type == LUA_TTABLE; i++, lua_pop(L, 1)) {
    lua_geti(L, -1, i + 1);
    to[i] = rattle__lua_number(L, -1, name);
  }
  if (type != LUA_TTABLE) to[0] = rattle__lua_number(L, -1, name);
  lua_pop(L, 1);
}

static double number(lua_State *L, const char *name) {
  double value;
  numbers(L, name, 1, &value);
  return value;
}

/* The same of a whole number from low to high. */
static int integer(lua_State *L, const char *name, int low, int high) {
  lua_getfield(L, -1, name);
  const int value = (int)rattle__lua_integer(L, -1, name, low, high);
  lua_pop(L, 1);
  return value;
}

/* The pair of the coordinate on top, which stays. */
static int take_pair(lua_State *L, const rattle_expr *image) {
  const int variable = rattle__lua_variable(L, -1, "chart");
  if (variable % 2 || image[variable])
    luaL_error(L, "a node of chart moves by a coordinate that stays, found another variable");
  return variable / 2;
}

/* The way in which a node is turned: most joints act along an axis of the frame before. */
static int way_of(const rattle__sweep_node *node) {
  const int k = node->axis;
  int along = node->kind == RATTLE__TURN, straight = node->kind == RATTLE__SLIDE;
  for (int e = 0; e < 9; e++) {
    const int same = node->turn[e] == (e % 4 == 0);
    straight = straight && same;
    along = along && (same || (e / 3 != k && e % 3 != k));
  }
  return along ? k : straight ? RATTLE__STRAIGHT : RATTLE__SKEW;
}

/* The node in the table on top, after `count` others. */
static rattle__sweep_node take_node(lua_State *L, int count, const rattle_expr *image) {
  rattle__lua_table(L, -1, "a table for a node of chart");
  rattle__sweep_node node = {.kind = integer(L, "kind", RATTLE__TURN, RATTLE__BALL),
                             .before = integer(L, "before", -1, count - 1),
                             .axis = integer(L, "axis", 0, 2),
                             .sign = number(L, "sign"),
                             .mass = number(L, "mass"),
                             .armature = number(L, "armature"),
                             .scale = number(L, "scale")};
  numbers(L, "turn", 9, node.turn), numbers(L, "r", 3, node.r);
  numbers(L, "first", 3, node.first), numbers(L, "inertia", 6, node.inertia);
  node.way = way_of(&node);
  lua_getfield(L, -1, "q");
  rattle__lua_table(L, -1, "a list of coordinates for q of a node of chart");
  for (int i = 0; i < rattle__sweep_pairs(&node); i++, lua_pop(L, 1)) {
    lua_geti(L, -1, i + 1);
    node.pair[i] = take_pair(L, image);
  }
  lua_pop(L, 1);
  rattle__pair *first = &rattle__lua_loader(L)->model->pair[node.pair[0]];
  if (node.kind == RATTLE__BALL && !first->has_start) first->q = 1; /* the quaternion of no turn */
  return node;
}

/* The tree in the table at index 3. */
static void take_sweeps(lua_State *L, const rattle_expr *image) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__model_sweeps *tree = loader->model->sweeps = calloc(1, sizeof *tree);
  if (!tree) rattle__lua_no_memory(L);
  lua_settop(L, 3);
  numbers(L, "gravity", 3, tree->gravity);
  lua_getfield(L, 3, "nodes");
  rattle__lua_table(L, -1, "a list of nodes from chart");
  const lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  tree->node = calloc((size_t)count + 1, sizeof *tree->node);
  if (!tree->node) rattle__lua_no_memory(L);
  for (; tree->count < count; tree->count++, lua_pop(L, 1)) {
    lua_geti(L, -1, tree->count + 1);
    tree->node[tree->count] = take_node(L, tree->count, image);
  }
  lua_getfield(L, 3, "weights");
  rattle__lua_table(L, -1, "a table of weights from chart");
  loader->weight = calloc((size_t)loader->model->n + 1, sizeof *loader->weight);
  if (!loader->weight) rattle__lua_no_memory(L);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    const int variable = rattle__lua_variable(L, -2, "chart");
    loader->weight[variable / 2] = rattle__lua_number(L, -1, "a weight");
  }
  lua_settop(L, 3);
}

void rattle__lua_finish_chart(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  if (loader->chart_of == LUA_NOREF) return;
  if (loader->input_count) luaL_error(L, "a chart is not made with symbols of parameters");
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, loader->chart_of);
  lua_pushboolean(L, loader->wishes.project);
  rattle__lua_push_pushes(L);
  lua_call(L, 2, 4);
  if (lua_isfunction(L, 4)) loader->momenta_of = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_settop(L, 3);
  rattle__lua_table(L, 1, "the images { variable = expression, ... } that chart returns");
  rattle_expr *image = lua_newuserdatauv(L, 2 * (size_t)model->n * sizeof *image, 0);
  unsigned char *marks = lua_newuserdatauv(L, 2 * (size_t)model->n, 0);
  memset(image, 0, 2 * (size_t)model->n * sizeof *image);
  memset(marks, 0, 2 * (size_t)model->n);
  rattle__chart *made = loader->chart = make(model);
  if (!made) rattle__lua_no_memory(L);
  take_images(L, 1, image, made);
  made->kinetic = rattle__lua_expr(L, 2, "for the kinetic energy that chart returns");
  for (int k = 0; k < model->n; k++) {
    if (!image[2 * k] && !image[2 * k + 1]) continue;
    if (!image[2 * k] || (!image[2 * k + 1] && loader->momenta_of == LUA_NOREF))
      luaL_error(L, "chart has an image of one of \"%s\" and \"%s\", and needs both",
                 model->pair[k].name, model->pair[k].momentum);
    if (!loader->mass_used || !(*rattle__lua_given(L, k) & GIVEN_MASS))
      luaL_error(L, "chart has an image of \"%s\", which has no mass", model->pair[k].name);
    made->pair[made->count] = k;
    made->mass[made->count] = loader->mass[k];
    made->x[made->count] = image[2 * k];
    made->p[made->count++] = image[2 * k + 1];
  }
  mark(L, made->x, made->count, marks);
  for (int k = 0; k < model->n; k++) made->moved[k] = marks[2 * k];
  memset(marks, 0, 2 * (size_t)model->n);
  check(L, made, marks);
  if (lua_istable(L, 3)) take_sweeps(L, image);
  lua_settop(L, 0);
}

/* True if the model contains the momentum of a pair of the chart, or if one is to be compared with
 * what was given. T, of the pairs that stay, contains none. */
static int asks_for_momenta(lua_State *L, rattle__chart *made) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  rattle__model_sweeps *sweeps = model->sweeps;
  const rattle_expr H = model->hamiltonian, whole = sweeps ? sweeps->whole : RATTLE_EXPR_NONE;
  rattle__copy copy = rattle__copy_begin(model->graph, model->graph, NULL, 0);
  if (sweeps) model->hamiltonian = sweeps->whole = RATTLE_EXPR_NONE;
  rattle_status status = rattle__model_rewrite(model, &copy, &loader->error);
  if (sweeps) model->hamiltonian = H, sweeps->whole = whole;
  for (int k = 0; k < model->awaits && !status; k++)
    if (!rattle__copy_of(&copy, made->awaited[k])) status = rattle__no_memory(&loader->error);
  int asked = 0;
  for (int c = 0; c < made->count && !status; c++) {
    const rattle__pair *pair = &model->pair[made->pair[c]];
    const rattle_expr p = rattle_expr_variable(model->graph, 2 * made->pair[c] + 1);
    asked |= p < copy.room && copy.known[p];
    asked |= !loader->wishes.project && (pair->has_velocity || pair->p != 0);
  }
  rattle__copy_end(&copy);
  rattle__lua_check(L, status);
  return asked;
}

void rattle__lua_finish_momenta(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__chart *made = loader->chart;
  if (loader->momenta_of == LUA_NOREF || !asks_for_momenta(L, made)) return;
  const size_t variables = 2 * (size_t)loader->model->n;
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, loader->momenta_of);
  lua_call(L, 0, 1);
  rattle__lua_table(L, 1,
                    "the images { momentum = expression, ... } that a chart's function returns");
  rattle_expr *image = lua_newuserdatauv(L, variables * sizeof *image, 0);
  unsigned char *marks = lua_newuserdatauv(L, variables, 0);
  memset(image, 0, variables * sizeof *image);
  memset(marks, 0, variables);
  take_images(L, 1, image, NULL);
  for (int c = 0; c < made->count; c++) {
    if (!made->p[c]) made->p[c] = image[2 * made->pair[c] + 1];
    if (!made->p[c])
      luaL_error(L, "chart has no image of \"%s\"", loader->model->pair[made->pair[c]].momentum);
  }
  check_images(L, made, marks);
  lua_settop(L, 0);
}

void rattle__lua_charts(lua_State *L) {
  lua_register(L, "chart", chart);
}
