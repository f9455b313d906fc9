/* Functions that are made of several operations: those that are smooth in pieces, abs, sign, min,
 * max, comparisons, where, table1d; and poly, wrap, hypot, lgamma and logaddexp.
 *
 * They take numbers and expressions alike; a comparison is 1 or 0, as Lua's own operators could
 * only be true or false. */
#include <math.h>

#include "files/lua/loader.h"
#include "rattle/special.h"

static rattle_graph *graph_of(lua_State *L) {
  return rattle__lua_loader(L)->model->graph;
}

static int is_expr(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TLIGHTUSERDATA;
}

static void arguments(lua_State *L, int count, const char *call) {
  if (lua_gettop(L) != count)
    luaL_error(L, "expected %s, found %d argument%s", call, lua_gettop(L),
               lua_gettop(L) == 1 ? "" : "s");
}

/* Pushes a number for a constant that numbers alone made. */
static int push(lua_State *L, rattle_expr e, int of_numbers) {
  if (!of_numbers || e == RATTLE_EXPR_NONE || rattle_expr_op(graph_of(L), e) != RATTLE_OP_CONSTANT)
    return rattle__lua_push(L, e);
  lua_pushnumber(L, rattle_expr_value(graph_of(L), e));
  return 1;
}

static int absolute(lua_State *L) {
  arguments(L, 1, "abs(a)");
  if (is_expr(L, 1))
    return rattle__lua_push(
        L, rattle_expr_unary(graph_of(L), RATTLE_OP_ABS, rattle__lua_expr(L, 1, "")));
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

static int sign(lua_State *L) {
  arguments(L, 1, "sign(a)");
  return push(L,
              rattle_expr_unary(graph_of(L), RATTLE_OP_SIGN, rattle__lua_expr(L, 1, "in sign(a)")),
              !is_expr(L, 1));
}

/* Spreads the list that is the only argument over the stack, and counts. */
static int spread(lua_State *L, const char *name) {
  if (lua_gettop(L) == 1 && lua_istable(L, 1)) {
    const lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
    rattle__lua_charge(L, (double)count);
    if (count > 100000 || !lua_checkstack(L, (int)count + 10))
      luaL_error(L, "%s takes at most 100000 values", name);
    for (lua_Integer i = 1; i <= count; i++) lua_rawgeti(L, 1, i);
    lua_remove(L, 1);
  }
  if (lua_gettop(L) == 0) luaL_error(L, "%s takes at least one value", name);
  return lua_gettop(L);
}

/* min, max, both, either; upvalues: the name, the operation, the function of Lua for numbers or
 * nil. */
static int fold(lua_State *L) {
  const char *name = lua_tostring(L, lua_upvalueindex(1));
  const rattle_op op = (rattle_op)lua_tointeger(L, lua_upvalueindex(2));
  const int count = spread(L, name);
  int numbers = 1;
  for (int i = 1; i <= count; i++) numbers &= !is_expr(L, i);
  if (numbers && !lua_isnil(L, lua_upvalueindex(3))) {
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_insert(L, 1);
    lua_call(L, count, 1);
    return 1;
  }
  rattle_expr e = rattle__lua_expr(L, 1, name);
  for (int i = 2; i <= count; i++)
    e = rattle_expr_binary(graph_of(L), op, e, rattle__lua_expr(L, i, name));
  return push(L, e, numbers);
}

/* lt, gt, le, ge; upvalues: how the call is written, whether operands are exchanged, whether the
 * result is negated */
static int compare(lua_State *L) {
  const char *call = lua_tostring(L, lua_upvalueindex(1));
  const int exchanged = lua_toboolean(L, lua_upvalueindex(2)),
            negated = lua_toboolean(L, lua_upvalueindex(3));
  arguments(L, 2, call);
  rattle_graph *graph = graph_of(L);
  const rattle_expr a = rattle__lua_expr(L, exchanged ? 2 : 1, call),
                    b = rattle__lua_expr(L, exchanged ? 1 : 2, call);
  rattle_expr e = rattle_expr_binary(graph, RATTLE_OP_LT, a, b);
  if (negated) e = rattle_expr_binary(graph, RATTLE_OP_SUB, rattle_expr_constant(graph, 1), e);
  return push(L, e, !is_expr(L, 1) && !is_expr(L, 2));
}

static int where(lua_State *L) {
  arguments(L, 3, "where(condition, a, b)");
  if (lua_isboolean(L, 1)) {
    lua_pushvalue(L, lua_toboolean(L, 1) ? 2 : 3);
    return 1;
  }
  const rattle_expr condition =
                        rattle__lua_expr(L, 1, "as the condition of where(condition, a, b)"),
                    a = rattle__lua_expr(L, 2, "as a of where(condition, a, b)"),
                    b = rattle__lua_expr(L, 3, "as b of where(condition, a, b)");
  return push(L, rattle_expr_where(graph_of(L), condition, a, b),
              !is_expr(L, 1) && !is_expr(L, 2) && !is_expr(L, 3));
}

/* when, atleast, atmost: what expressions print; upvalues: how the call is written, the
 * operation */
static int pair(lua_State *L) {
  const char *call = lua_tostring(L, lua_upvalueindex(1));
  arguments(L, 2, call);
  const rattle_expr a = rattle__lua_expr(L, 1, call), b = rattle__lua_expr(L, 2, call);
  return rattle__lua_push(
      L, rattle_expr_binary(graph_of(L), (rattle_op)lua_tointeger(L, lua_upvalueindex(2)), a, b));
}

/* L/(2 pi) atan2(sin(2 pi x/L), cos(2 pi x/L)) */
static int wrap(lua_State *L) {
  arguments(L, 2, "wrap(x, period)");
  const double period = rattle__lua_number(L, 2, "the period of wrap(x, period)");
  if (!(period > 0))
    return luaL_error(L, "the period of wrap(x, period) must be positive, found %f", period);
  rattle_graph *graph = graph_of(L);
  const rattle_expr x = rattle__lua_expr(L, 1, "in wrap(x, period)"),
                    angle =
                        rattle_expr_binary(graph, RATTLE_OP_MUL,
                                           rattle_expr_constant(graph, 2 * acos(-1.0) / period), x),
                    whole = rattle_expr_binary(graph, RATTLE_OP_ATAN2,
                                               rattle_expr_unary(graph, RATTLE_OP_SIN, angle),
                                               rattle_expr_unary(graph, RATTLE_OP_COS, angle));
  return push(L,
              rattle_expr_binary(graph, RATTLE_OP_MUL,
                                 rattle_expr_constant(graph, period / (2 * acos(-1.0))), whole),
              !is_expr(L, 1));
}

/* sqrt(a^2 + b^2) */
static int hypotenuse(lua_State *L) {
  arguments(L, 2, "hypot(a, b)");
  rattle_graph *graph = graph_of(L);
  const rattle_expr two = rattle_expr_constant(graph, 2);
  rattle_expr square[2];
  for (int i = 0; i < 2; i++)
    square[i] =
        rattle_expr_binary(graph, RATTLE_OP_POW, rattle__lua_expr(L, i + 1, "in hypot(a, b)"), two);
  const rattle_expr sum = rattle_expr_binary(graph, RATTLE_OP_ADD, square[0], square[1]);
  return push(L, rattle_expr_unary(graph, RATTLE_OP_SQRT, sum), !is_expr(L, 1) && !is_expr(L, 2));
}

static int log_gamma(lua_State *L) {
  arguments(L, 1, "lgamma(a)");
  const rattle_expr a = rattle__lua_expr(L, 1, "in lgamma(a)");
  if (!is_expr(L, 1) && !(lua_tonumber(L, 1) > 0))
    return luaL_error(L, "lgamma(a) is of positive numbers, found %f", lua_tonumber(L, 1));
  return push(L, rattle_expr_lgamma(graph_of(L), a), !is_expr(L, 1));
}

static int log_add_exp(lua_State *L) {
  arguments(L, 2, "logaddexp(a, b)");
  const rattle_expr a = rattle__lua_expr(L, 1, "in logaddexp(a, b)"),
                    b = rattle__lua_expr(L, 2, "in logaddexp(a, b)");
  return push(L, rattle_expr_logaddexp(graph_of(L), a, b), !is_expr(L, 1) && !is_expr(L, 2));
}

/* c[1] + x (c[2] + x (c[3] + ...)) */
static int polynomial(lua_State *L) {
  arguments(L, 2, "poly(x, {c0, c1, ...})");
  rattle__lua_table(L, 2, "the coefficients of poly(x, {c0, c1, ...})");
  rattle_graph *graph = graph_of(L);
  const rattle_expr x = rattle__lua_expr(L, 1, "in poly(x, {c0, c1, ...})");
  const lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  int numbers = !is_expr(L, 1);
  if (count == 0) return luaL_error(L, "poly(x, {c0, c1, ...}) has no coefficients");
  rattle__lua_charge(L, (double)count);
  rattle_expr e = RATTLE_EXPR_NONE;
  for (lua_Integer i = count; i >= 1; i--) {
    lua_rawgeti(L, 2, i);
    numbers &= !is_expr(L, -1);
    const rattle_expr c = rattle__lua_expr(L, -1, "as a coefficient of poly(x, {c0, c1, ...})");
    e = i == count ? c
                   : rattle_expr_binary(graph, RATTLE_OP_ADD, c,
                                        rattle_expr_binary(graph, RATTLE_OP_MUL, x, e));
    lua_pop(L, 1);
  }
  return push(L, e, numbers);
}

/* The list at an index as numbers, in memory that Lua frees. */
static double *list(lua_State *L, int index, int count, const char *what) {
  double *x = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *x, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    x[i] = rattle__lua_number(L, -1, what);
    lua_pop(L, 1);
  }
  return x;
}

static int table(lua_State *L) {
  arguments(L, 3, "table1d(x, xs, ys)");
  rattle__lua_table(L, 2, "the list xs of table1d(x, xs, ys)");
  rattle__lua_table(L, 3, "the list ys of table1d(x, xs, ys)");
  const lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  if (count != (lua_Integer)lua_rawlen(L, 3))
    return luaL_error(L, "table1d(x, xs, ys) has %I numbers in xs and %I in ys", (LUAI_UACINT)count,
                      (LUAI_UACINT)lua_rawlen(L, 3));
  if (count > 1000000) return luaL_error(L, "table1d has too many knots");
  rattle__lua_charge(L, 20 * (double)count);
  const double *x = list(L, 2, (int)count, "xs of table1d(x, xs, ys)"),
               *y = list(L, 3, (int)count, "ys of table1d(x, xs, ys)");
  if (!is_expr(L, 1) && count > 0 &&
      !(rattle__lua_number(L, 1, "in table1d(x, xs, ys)") >= x[0] &&
        lua_tonumber(L, 1) <= x[count - 1]))
    return luaL_error(L, "table1d of the number %f, which lies outside the table, %f to %f",
                      lua_tonumber(L, 1), x[0], x[count - 1]);
  const rattle_expr e =
      rattle_expr_table(graph_of(L), rattle__lua_expr(L, 1, "in table1d(x, xs, ys)"), (int)count, x,
                        y, &rattle__lua_loader(L)->error);
  return e == RATTLE_EXPR_NONE ? rattle__lua_raise(L) : push(L, e, !is_expr(L, 1));
}

/* ---- */

/* Makes the function on top, whose upvalues are above it, a global, and a field of math at index 1
 * if it was one. */
static void publish(lua_State *L, lua_CFunction f, int upvalues, const char *name) {
  lua_pushcclosure(L, f, upvalues);
  lua_pushstring(L, name);
  if (lua_rawget(L, 1) != LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_setfield(L, 1, name);
  }
  lua_pop(L, 1);
  lua_setglobal(L, name);
}

static void publish_folds(lua_State *L) {
  static const struct {
    const char *name;
    rattle_op op;
  } folds[] = {{"min", RATTLE_OP_MIN},
               {"max", RATTLE_OP_MAX},
               {"both", RATTLE_OP_MUL},
               {"either", RATTLE_OP_MAX}};
  for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
    lua_pushstring(L, folds[i].name);
    lua_pushinteger(L, folds[i].op);
    lua_getfield(L, 1, folds[i].name);
    publish(L, fold, 3, folds[i].name);
  }
}

static void publish_comparisons(lua_State *L) {
  static const struct {
    const char *name, *call;
    int exchanged, negated;
  } comparisons[] = {{"lt", "lt(a, b)", 0, 0},
                     {"gt", "gt(a, b)", 1, 0},
                     {"le", "le(a, b)", 1, 1},
                     {"ge", "ge(a, b)", 0, 1}};
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    lua_pushstring(L, comparisons[i].call);
    lua_pushboolean(L, comparisons[i].exchanged);
    lua_pushboolean(L, comparisons[i].negated);
    publish(L, compare, 3, comparisons[i].name);
  }
}

void rattle__lua_choices(lua_State *L) {
  static const struct {
    const char *name, *call;
    rattle_op op;
  } pairs[] = {{"when", "when(condition, a)", RATTLE_OP_WHEN},
               {"atleast", "atleast(a, b)", RATTLE_OP_ATLEAST},
               {"atmost", "atmost(a, b)", RATTLE_OP_ATMOST}};
  static const luaL_Reg others[] = {
      {"sign", sign},        {"where", where},   {"wrap", wrap},        {"poly", polynomial},
      {"hypot", hypotenuse}, {"table1d", table}, {"lgamma", log_gamma}, {"logaddexp", log_add_exp}};
  lua_settop(L, 0);
  lua_getglobal(L, "math");
  lua_getfield(L, 1, "abs");
  publish(L, absolute, 1, "abs");
  publish_folds(L);
  publish_comparisons(L);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    lua_pushstring(L, pairs[i].call);
    lua_pushinteger(L, pairs[i].op);
    publish(L, pair, 2, pairs[i].name);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    publish(L, others[i].func, 0, others[i].name);
  lua_settop(L, 0);
}
