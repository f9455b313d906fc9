/* Flows given by the user. fibre(function(s) ... end): the flow exp(sum s_i X_{g_i}), X_F = (F_p,
 * -F_q); flow(function(h) ... end): the exact flow of H by a time h. The functions are called once,
 * with expressions, when the file has been read; they return { name = image, ... }, and variables
 * that they omit do not change. */
#include <stdlib.h>

#include "files/lua/loader.h"

static int keep(lua_State *L, const char *what, int *reference) {
  rattle__lua_declaring(L, what);
  if (lua_type(L, 1) != LUA_TFUNCTION)
    return luaL_error(L, "expected a function in %s(function(...) return { ... } end), found %s",
                      what, rattle__lua_found(L, 1));
  if (*reference != LUA_NOREF) return luaL_error(L, "%s was already given", what);
  lua_settop(L, 1);
  *reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static int fibre(lua_State *L) {
  return keep(L, "fibre", &rattle__lua_loader(L)->fibre);
}
static int flow(lua_State *L) {
  return keep(L, "flow", &rattle__lua_loader(L)->flow);
}

/* Calls the function below its argument and turns the table it returns into image[2n], a userdata
 * left on the stack. */
static const rattle_expr *call(lua_State *L, const char *what) {
  rattle_model *model = rattle__lua_loader(L)->model;
  lua_call(L, 1, 1);
  if (!lua_istable(L, -1))
    luaL_error(
        L,
        "expected that the function given to %s returns { variable = expression, ... }, found %s",
        what, rattle__lua_found(L, -1));
  rattle_expr *image = lua_newuserdatauv(L, 2 * (size_t)model->n * sizeof *image, 0);
  for (int k = 0; k < model->n; k++) {
    image[k] = rattle_expr_variable(model->graph, 2 * k);
    image[model->n + k] = rattle_expr_variable(model->graph, 2 * k + 1);
  }
  for (lua_pushnil(L); lua_next(L, -3); lua_pop(L, 1)) {
    int variable = rattle__lua_variable(L, -2, what);
    image[variable / 2 + (variable % 2 ? model->n : 0)] =
        rattle__lua_expr(L, -1, "as the image of a variable");
  }
  return image;
}

void rattle__lua_finish_flows(lua_State *L) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle_model *model = loader->model;
  loader->closed = 1;
  if (loader->fibre != LUA_NOREF) {
    if (model->m == 0) luaL_error(L, "a fibre flow was given, but the model has no constraints");
    lua_rawgeti(L, LUA_REGISTRYINDEX, loader->fibre);
    lua_createtable(L, model->m, 0);
    for (int i = 0; i < model->m; i++) {
      rattle__lua_push(L, rattle_expr_variable(model->graph, 2 * model->n + i));
      lua_rawseti(L, -2, i + 1);
    }
    rattle__lua_check(L, rattle_model_set_fibre(model, call(L, "fibre"), &loader->error));
  }
  if (loader->flow != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, loader->flow);
    rattle__lua_push(L, rattle_expr_variable(model->graph, 2 * model->n));
    rattle__lua_check(L, rattle_model_set_flow(model, call(L, "flow"), &loader->error));
  }
}

void rattle__lua_flows(lua_State *L) {
  lua_register(L, "fibre", fibre);
  lua_register(L, "flow", flow);
}
