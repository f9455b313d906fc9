/* The algebra of expressions: operators of the light userdata that stand for them, and functions
 * that take numbers and expressions alike. A value that is not finite is an error of the operation
 * that made it. */
#include <math.h>
#include <stdlib.h>

#include "ground/expr/inputs.h"
#include "files/lua/loader.h"

static rattle_graph *graph_of(lua_State *L) {
  return rattle__lua_loader(L)->model->graph;
}

static int is_expr(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA;
}

rattle_expr rattle__lua_expr(lua_State *L, int index, const char *what) {
  if (is_expr(L, index)) return (rattle_expr)(uintptr_t)lua_touserdata(L, index);
  if (lua_type(L, index) != LUA_TNUMBER || !isfinite(lua_tonumber(L, index)))
    luaL_error(L, "expected an expression or a finite number %s, found %s", what,
               rattle__lua_found(L, index));
  rattle__lua_check_integer(L, index);
  return rattle_expr_constant(graph_of(L), lua_tonumber(L, index));
}

rattle_expr rattle__lua_input(lua_State *L, int index) {
  if (!is_expr(L, index)) return RATTLE_EXPR_NONE;
  const rattle_expr e = (rattle_expr)(uintptr_t)lua_touserdata(L, index);
  return rattle__input_number(graph_of(L), e) >= 0 ? e : RATTLE_EXPR_NONE;
}

static int is_constant(const rattle_graph *graph, rattle_expr e) {
  return rattle_expr_op(graph, e) == RATTLE_OP_CONSTANT;
}

/* Does e have no finite value anywhere? The graph folds constants only where the result is
 * finite. */
static int is_nowhere_finite(const rattle_graph *graph, rattle_expr e) {
  rattle_expr a = rattle_expr_operand(graph, e, 0), b = rattle_expr_operand(graph, e, 1);
  if (a == RATTLE_EXPR_NONE) return is_constant(graph, e) && !isfinite(rattle_expr_value(graph, e));
  if (rattle_expr_op(graph, e) == RATTLE_OP_DIV && is_constant(graph, b) &&
      rattle_expr_value(graph, b) == 0)
    return 1;
  return is_constant(graph, a) && (b == RATTLE_EXPR_NONE || is_constant(graph, b));
}

int rattle__lua_push(lua_State *L, rattle_expr e) {
  if (e == RATTLE_EXPR_NONE) return rattle__lua_no_memory(L);
  lua_pushlightuserdata(L, (void *)(uintptr_t)e);
  if (is_nowhere_finite(graph_of(L), e))
    return luaL_error(
        L, "%s has no finite value: check for a division by zero, or a function outside its domain",
        rattle__lua_found(L, -1));
  rattle__lua_charge_bytes(L, 0);
  return 1;
}

/* ---- operators ---- */

static int binary(lua_State *L, rattle_op op, const char *left, const char *right) {
  rattle_expr a = rattle__lua_expr(L, 1, left), b = rattle__lua_expr(L, 2, right);
  return rattle__lua_push(L, rattle_expr_binary(graph_of(L), op, a, b));
}

/* To the right of an expression a table with operators of its own, such as a vector, takes over. */
static int defer(lua_State *L, const char *event) {
  if (!lua_istable(L, 2) || luaL_getmetafield(L, 2, event) == LUA_TNIL) return 0;
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

static int add(lua_State *L) {
  return defer(L, "__add") || binary(L, RATTLE_OP_ADD, "to the left of +", "to the right of +");
}
static int subtract(lua_State *L) {
  return defer(L, "__sub") || binary(L, RATTLE_OP_SUB, "to the left of -", "to the right of -");
}
static int multiply(lua_State *L) {
  return defer(L, "__mul") || binary(L, RATTLE_OP_MUL, "to the left of *", "to the right of *");
}
static int divide(lua_State *L) {
  return defer(L, "__div") || binary(L, RATTLE_OP_DIV, "to the left of /", "to the right of /");
}
/* A number or a symbol of one. */
static int is_number(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TNUMBER || rattle__lua_input(L, index);
}
/* A power of numbers is an input with Lua's value; the graph's power differs for integer
 * exponents. */
static int power(lua_State *L) {
  if (is_number(L, 1) && is_number(L, 2))
    return rattle__lua_push(L, rattle__input_derive(graph_of(L), RATTLE_OP_POW,
                                                    rattle__lua_expr(L, 1, "to the left of ^"),
                                                    rattle__lua_expr(L, 2, "to the right of ^")));
  return binary(L, RATTLE_OP_POW, "to the left of ^", "to the right of ^");
}

static int negate(lua_State *L) {
  return rattle__lua_push(
      L, rattle_expr_unary(graph_of(L), RATTLE_OP_NEG, rattle__lua_expr(L, 1, "after -")));
}

static int compare(lua_State *L, int or_equal) {
  if (rattle__lua_has_value(L, 1) && rattle__lua_has_value(L, 2))
    return lua_pushboolean(L, rattle__lua_less(L, 1, 2, or_equal)), 1;
  return luaL_error(L,
                    "an expression has no value while the model is read, so it cannot be compared: "
                    "%s with %s; to "
                    "choose by a comparison, use where(lt(x, y), a, b); constraints are equations, "
                    "contact is not integrated: to keep "
                    "y > 0, add a steep potential to H, such as k*exp(-y/d)",
                    rattle__lua_found(L, 1), rattle__lua_found(L, 2));
}

static int less(lua_State *L) {
  return compare(L, 0);
}
static int less_or_equal(lua_State *L) {
  return compare(L, 1);
}

static int rough(lua_State *L) {
  return luaL_error(L,
                    "// and %% and bit operations are not smooth: they cannot be used in %s; "
                    "wrap(x, L) is x in a period L",
                    rattle__lua_found(L, is_expr(L, 1) ? 1 : 2));
}

/* a//b of inputs is a number, a % b = a - b*(a//b) */
static int whole_quotient(lua_State *L, int remainder) {
  if (!rattle__lua_has_value(L, 1) || !rattle__lua_has_value(L, 2)) return rough(L);
  rattle_graph *graph = graph_of(L);
  const rattle_expr a = rattle__lua_expr(L, 1, ""), b = rattle__lua_expr(L, 2, "");
  lua_settop(L, 0);
  rattle__lua_push(L, rattle_expr_binary(graph, RATTLE_OP_DIV, a, b));
  const double whole = rattle__lua_rounded(L, 1, floor);
  if (!remainder) return rattle__lua_push_integer(L, whole), 1;
  const rattle_expr times =
      rattle_expr_binary(graph, RATTLE_OP_MUL, rattle_expr_constant(graph, whole), b);
  return rattle__lua_push(L, rattle_expr_binary(graph, RATTLE_OP_SUB, a, times));
}
static int divide_whole(lua_State *L) {
  return whole_quotient(L, 0);
}
static int modulo(lua_State *L) {
  return whole_quotient(L, 1);
}

static int no_field(lua_State *L) {
  return luaL_error(L, "%s is not a list: only the result of pairs_of can be indexed",
                    rattle__lua_found(L, 1));
}

static int to_text(lua_State *L) {
  if (rattle__lua_has_value(L, 1)) return rattle__lua_settle(L, 1), rattle__lua_push_text(L, 1), 1;
  char text[2000];
  rattle_model *model = rattle__lua_loader(L)->model;
  lua_pushstring(L, rattle_expr_print(model->graph, rattle__lua_expr(L, 1, "to print"),
                                      rattle__model_variable_name, model, text, sizeof text));
  return 1;
}

/* .. */
static int join(lua_State *L) {
  if (defer(L, "__concat")) return 1;
  for (int i = 1; i <= 2; i++) {
    rattle__lua_settle(L, i);
    if (is_expr(L, i))
      return luaL_error(L, "%s is no text: write tostring(e) for its formula",
                        rattle__lua_found(L, i));
  }
  lua_concat(L, 2);
  return 1;
}

/* ---- functions ---- */

static const struct function {
  const char *name;
  rattle_op op;
  double (*value)(double);
} functions[] = {
    {"sqrt", RATTLE_OP_SQRT, sqrt},    {"exp", RATTLE_OP_EXP, exp},
    {"sin", RATTLE_OP_SIN, sin},       {"cos", RATTLE_OP_COS, cos},
    {"tan", RATTLE_OP_TAN, tan},       {"asin", RATTLE_OP_ASIN, asin},
    {"acos", RATTLE_OP_ACOS, acos},    {"sinh", RATTLE_OP_SINH, sinh},
    {"cosh", RATTLE_OP_COSH, cosh},    {"tanh", RATTLE_OP_TANH, tanh},
    {"expm1", RATTLE_OP_EXPM1, expm1}, {"log1p", RATTLE_OP_LOG1P, log1p},
    {"erf", RATTLE_OP_ERF, erf},       {"erfc", RATTLE_OP_ERFC, erfc},
};

static int push_number(lua_State *L, double value, const char *name) {
  if (!isfinite(value))
    return luaL_error(L, "%s of %s is %s", name, rattle__lua_found(L, 1),
                      isnan(value) ? "not a number" : "infinite");
  lua_pushnumber(L, value);
  return 1;
}

static void one_argument(lua_State *L, const char *name) {
  if (lua_gettop(L) != 1) luaL_error(L, "%s takes one argument, found %d", name, lua_gettop(L));
}

/* sqrt ... erfc; the first upvalue is the row of the table */
static int function(lua_State *L) {
  const struct function *f = &functions[lua_tointeger(L, lua_upvalueindex(1))];
  one_argument(L, f->name);
  if (is_expr(L, 1))
    return rattle__lua_push(L, rattle_expr_unary(graph_of(L), f->op, rattle__lua_expr(L, 1, "")));
  return push_number(L, f->value(rattle__lua_number(L, 1, f->name)), f->name);
}

/* log(a), log(a, base) */
static int logarithm(lua_State *L) {
  if (lua_gettop(L) == 2) {
    double base = rattle__lua_number(L, 2, "the base of a logarithm");
    if (base <= 0 || base == 1)
      return luaL_error(L, "the base of a logarithm must be positive and not 1, found %f", base);
    if (!is_expr(L, 1))
      return push_number(L, log(rattle__lua_number(L, 1, "log")) / log(base), "log");
    rattle_expr a = rattle_expr_unary(graph_of(L), RATTLE_OP_LOG, rattle__lua_expr(L, 1, ""));
    return rattle__lua_push(L, rattle_expr_binary(graph_of(L), RATTLE_OP_DIV, a,
                                                  rattle_expr_constant(graph_of(L), log(base))));
  }
  one_argument(L, "log");
  if (is_expr(L, 1))
    return rattle__lua_push(
        L, rattle_expr_unary(graph_of(L), RATTLE_OP_LOG, rattle__lua_expr(L, 1, "")));
  return push_number(L, log(rattle__lua_number(L, 1, "log")), "log");
}

static int arctangent2(lua_State *L) {
  if (lua_gettop(L) != 2)
    return luaL_error(L, "atan2 takes two arguments, y and x, found %d", lua_gettop(L));
  if (is_expr(L, 1) || is_expr(L, 2))
    return binary(L, RATTLE_OP_ATAN2, "as y of atan2(y, x)", "as x of atan2(y, x)");
  return push_number(L,
                     atan2(rattle__lua_number(L, 1, "y of atan2(y, x)"),
                           rattle__lua_number(L, 2, "x of atan2(y, x)")),
                     "atan2");
}

static int arctangent(lua_State *L) {
  if (lua_gettop(L) == 2) return arctangent2(L);
  one_argument(L, "atan");
  if (is_expr(L, 1))
    return rattle__lua_push(
        L, rattle_expr_unary(graph_of(L), RATTLE_OP_ATAN, rattle__lua_expr(L, 1, "")));
  return push_number(L, atan(rattle__lua_number(L, 1, "atan")), "atan");
}

/* a + b + ... (squares = 0) or a^2 + b^2 + ... over the arguments, or over the list that is the
 * only argument */
static int add_up(lua_State *L, int squares, const char *what) {
  rattle_graph *graph = graph_of(L);
  int list = lua_gettop(L) == 1 && lua_istable(L, 1), found = 0;
  lua_Integer count = list ? (lua_Integer)lua_rawlen(L, 1) : lua_gettop(L);
  double number = 0;
  rattle_expr total = RATTLE_EXPR_NONE;
  rattle__lua_charge(L, (double)count);
  for (lua_Integer i = 1; i <= count; i++) {
    if (list) lua_rawgeti(L, 1, i);
    int at = list ? -1 : (int)i;
    if (rattle__lua_input(L, at) && !rattle__lua_loader(L)->branches)
      return luaL_error(L, "symbols of numbers are not summed here"); /* numbers come last */
    if (!is_expr(L, at)) {
      double value = rattle__lua_number(L, at, what);
      number += squares ? value * value : value;
    } else {
      rattle_expr term = rattle__lua_expr(L, at, what);
      if (squares)
        term = rattle_expr_binary(graph, RATTLE_OP_POW, term, rattle_expr_constant(graph, 2));
      total = found ? rattle_expr_binary(graph, RATTLE_OP_ADD, total, term) : term;
      found = 1;
    }
    if (list) lua_pop(L, 1);
  }
  if (!found) return push_number(L, number, what);
  return rattle__lua_push(L, number == 0 ? total
                                         : rattle_expr_binary(graph, RATTLE_OP_ADD, total,
                                                              rattle_expr_constant(graph, number)));
}

static int squares(lua_State *L) {
  return add_up(L, 1, "abs2");
}
static int sum(lua_State *L) {
  return add_up(L, 0, "sum");
}

/* ---- */

static const luaL_Reg operators[] = {
    {"__add", add},           {"__sub", subtract},      {"__mul", multiply},
    {"__div", divide},        {"__pow", power},         {"__unm", negate},
    {"__lt", less},           {"__le", less_or_equal},  {"__tostring", to_text},
    {"__index", no_field},    {"__newindex", no_field}, {"__mod", modulo},
    {"__idiv", divide_whole}, {"__concat", join},       {"__band", rough},
    {"__bor", rough},         {"__bxor", rough},        {"__shl", rough},
    {"__shr", rough},         {"__bnot", rough},        {NULL, NULL},
};

/* Sets a function as a global and in the table `math` at index 1. */
static void publish(lua_State *L, const char *name, int in_math) {
  if (in_math) {
    lua_pushvalue(L, -1);
    lua_setfield(L, 1, name);
  }
  lua_setglobal(L, name);
}

void rattle__lua_algebra(lua_State *L) {
  lua_pushlightuserdata(L, NULL);
  luaL_newlib(L, operators);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "expression");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_settop(L, 0);

  lua_getglobal(L, "math");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_pushinteger(L, (lua_Integer)i);
    lua_pushcclosure(L, function, 1);
    publish(L, functions[i].name, 1);
  }
  static const luaL_Reg others[] = {{"log", logarithm},
                                    {"atan", arctangent},
                                    {"atan2", arctangent2},
                                    {"abs2", squares},
                                    {"sum", sum}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    lua_pushcfunction(L, others[i].func);
    publish(L, others[i].name, i < 3);
  }
  lua_settop(L, 0);
}
