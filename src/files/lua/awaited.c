/* Quantities that a chart gives when the file has been read, as forces of joints that have no
 * constraint: awaited() is a symbol for one, an entry of the images that chart returns says what it
 * is, and push(x), an argument of the function given to chart, says what acts on a coordinate
 * then. */
#include "files/lua/loader.h"
#include "ground/expr/derivative.h"

/* awaited(): for parts of the library's modules */
static int awaited(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_declaring(L, "awaited");
  return rattle__lua_push(
      L, rattle_expr_variable(loader->model->graph, RATTLE__AWAITED + loader->model->awaits++));
}

int rattle__lua_awaited(lua_State *L, int index) {
  const rattle__loader *loader = rattle__lua_loader(L);
  if (lua_type(L, index) != LUA_TLIGHTUSERDATA) return -1;
  const int32_t v = rattle_expr_index(loader->model->graph, rattle__lua_expr(L, index, ""));
  return v >= RATTLE__AWAITED ? v - RATTLE__AWAITED : -1;
}

/* e <- e + factor * part */
static void add(lua_State *L, rattle_expr *e, rattle_expr factor, rattle_expr part) {
  rattle_graph *graph = rattle__lua_loader(L)->model->graph;
  *e = rattle_expr_binary(graph, RATTLE_OP_ADD, *e,
                          rattle_expr_binary(graph, RATTLE_OP_MUL, factor, part));
  if (!*e) rattle__lua_no_memory(L);
}

static rattle_expr multiplier(lua_State *L, const char *name) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_expr e = RATTLE_EXPR_NONE;
  rattle__lua_check(L, rattle_model_multiplier(loader->model, name, &e, &loader->error));
  return e;
}

static void gradient(lua_State *L, rattle_expr e, const int32_t *variable, int count,
                     rattle_expr *slope) {
  if (rattle__gradient(rattle__lua_loader(L)->model->graph, e, variable, count, slope))
    rattle__lua_no_memory(L);
}

/* act[2n]: what moves each variable but for the kinetic energy of masses: -H_x + f - sum lambda
 * g_x, with rows on velocities -lambda e_x', of a momentum -H_p - sum lambda (g_p + e_p). */
static void take_pushes(lua_State *L, rattle_expr *act) {
  const rattle_model *model = rattle__lua_loader(L)->model;
  rattle_graph *graph = model->graph;
  const int n = model->n;
  const rattle_expr one = rattle_expr_constant(graph, 1), minus = rattle_expr_constant(graph, -1);
  rattle_expr still = rattle_expr_constant(graph, 0), moving = still;
  int32_t *variable = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *variable, 0);
  rattle_expr *slope = lua_newuserdatauv(L, 2 * (size_t)n * sizeof *slope, 0);
  if (model->hamiltonian) add(L, &still, one, model->hamiltonian);
  for (int i = 0; i < model->m; i++)
    add(L, &still, multiplier(L, model->constraint[i].name), model->constraint[i].expr);
  for (int i = 0; i < model->velocity_rows; i++)
    add(L, &moving, multiplier(L, model->velocity_row[i].is.name), model->velocity_row[i].is.expr);
  for (int v = 0; v < 2 * n; v++) variable[v] = v;
  gradient(L, still, variable, 2 * n, act);
  for (int k = 0; k < n; k++) variable[2 * k] = RATTLE_VELOCITY + k;
  gradient(L, moving, variable, 2 * n, slope);
  for (int v = 0; v < 2 * n; v++) {
    add(L, &act[v], one, slope[v]);
    act[v] = rattle_expr_binary(graph, RATTLE_OP_MUL, minus, act[v]);
    if (!act[v]) rattle__lua_no_memory(L);
  }
  for (int i = 0; i < model->applieds; i++)
    add(L, &act[2 * model->applied[i].pair], one, model->applied[i].expr);
  lua_pop(L, 2);
}

/* push(x): of a coordinate or a momentum. All are taken by the first call: the function that has
 * push declares pairs before it. */
static int push(lua_State *L) {
  const int variable = rattle__lua_variable(L, 1, "push");
  const rattle_model *model = rattle__lua_loader(L)->model;
  const rattle_graph *graph = model->graph;
  if (lua_isnil(L, lua_upvalueindex(1))) {
    take_pushes(L, lua_newuserdatauv(L, 2 * (size_t)model->n * sizeof(rattle_expr), 0));
    lua_replace(L, lua_upvalueindex(1));
  }
  rattle_expr *act = lua_touserdata(L, lua_upvalueindex(1));
  if (rattle_expr_op(graph, act[variable]) != RATTLE_OP_CONSTANT)
    return rattle__lua_push(L, act[variable]);
  lua_pushnumber(L, rattle_expr_value(graph, act[variable]));
  return 1;
}

void rattle__lua_push_pushes(lua_State *L) {
  lua_pushnil(L);
  lua_pushcclosure(L, push, 1);
}

void rattle__lua_awaiting(lua_State *L) {
  lua_register(L, "awaited", awaited);
}
