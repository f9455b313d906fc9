/* Parameters that remain symbols, read as numbers are where a program of Lua asks for their values
 * (rattle_model_options.branches): comparisons, roundings, types and texts. Comparisons
 * and roundings are kept with the model, which is right as long as they turn out the same. */
#include <math.h>

#include "ground/expr/inputs.h"
#include "files/lua/loader.h"

static rattle_model *model_of(lua_State *L) {
  return rattle__lua_loader(L)->model;
}

/* The input at an index, where inputs have values; else NONE. */
static rattle_expr symbol(lua_State *L, int index) {
  if (!rattle__lua_loader(L)->branches || !lua_islightuserdata(L, index)) return RATTLE_EXPR_NONE;
  const rattle_expr e = (rattle_expr)(uintptr_t)lua_touserdata(L, index);
  return rattle__input_number(model_of(L)->graph, e) >= 0 ? e : RATTLE_EXPR_NONE;
}

static double value_at(lua_State *L, int index) {
  const rattle_expr e = symbol(L, index);
  return e ? rattle_expr_value(model_of(L)->graph, e) : lua_tonumber(L, index);
}

int rattle__lua_has_value(lua_State *L, int index) {
  return rattle__lua_loader(L)->branches &&
         (lua_type(L, index) == LUA_TNUMBER || symbol(L, index) != RATTLE_EXPR_NONE);
}

void rattle__lua_settle(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (!symbol(L, index)) return;
  lua_pushnumber(L, value_at(L, index));
  lua_replace(L, index);
}

/* The input or number at an index, as an expression. */
static rattle_expr expression(lua_State *L, int index) {
  const rattle_expr e = symbol(L, index);
  return e ? e : rattle_expr_constant(model_of(L)->graph, lua_tonumber(L, index));
}

int rattle__lua_less(lua_State *L, int a, int b, int or_equal) {
  rattle_model *model = model_of(L);
  const double x = value_at(L, a), y = value_at(L, b);
  const int is = or_equal ? x <= y : x < y;
  if (!isfinite(x) || !isfinite(y)) return is; /* numbers can be, symbols are not */
  const rattle_expr difference =
      rattle_expr_binary(model->graph, RATTLE_OP_SUB, expression(L, a), expression(L, b));
  const rattle__model_input note = {or_equal ? RATTLE__INPUT_LESS_OR_EQUAL : RATTLE__INPUT_LESS, is,
                                    difference};
  /* numbers alone, or a parameter and itself, compare always the same */
  const int varies = difference && rattle__input_number(model->graph, difference) >= 0;
  if (difference && (!varies || !rattle__model_add_input(model, note, NULL))) return is;
  rattle__lua_loader(L)->status = RATTLE_NO_MEMORY;
  return luaL_error(L, "out of memory");
}

double rattle__lua_rounded(lua_State *L, int index, double (*round)(double)) {
  const double whole = round(value_at(L, index)), low = round == floor ? whole : whole - 1;
  const int top = lua_gettop(L);
  index = lua_absindex(L, index);
  lua_pushnumber(L, low);
  lua_pushnumber(L, low + 1);
  rattle__lua_less(L, top + 1, index, round == floor); /* whole <= a < whole + 1 */
  rattle__lua_less(L, index, top + 2, round != floor); /* whole - 1 < a <= whole */
  lua_settop(L, top);
  return whole;
}

/* type, math.type: upvalues are the original, and the answer for a symbol */
static int type_of(lua_State *L) {
  lua_settop(L, 1);
  if (symbol(L, 1)) {
    lua_pushvalue(L, lua_upvalueindex(2));
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

/* string.format, the original as upvalue */
static int format(lua_State *L) {
  for (int i = lua_gettop(L); i > 1; i--) rattle__lua_settle(L, i);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

void rattle__lua_branches(lua_State *L) {
  if (!rattle__lua_loader(L)->branches) return;
  lua_getglobal(L, "type");
  lua_pushliteral(L, "number");
  lua_pushcclosure(L, type_of, 2);
  lua_setglobal(L, "type");
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "type");
  lua_pushliteral(L, "float");
  lua_pushcclosure(L, type_of, 2);
  lua_setfield(L, -2, "type");
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "format");
  lua_pushcclosure(L, format, 1);
  lua_setfield(L, -2, "format");
  lua_pop(L, 2);
}
