/* The arithmetic of vectors, matrices and quaternions for the shipped module "vectors", which gives
 * them their words: sums and products of entries that are numbers or expressions, without the terms
 * that are 0. A body takes some hundred of them, so that a mechanism of 10^4 would take most of its
 * time here in Lua.
 *
 * arithmetic(vec3, quat, matrix), of one sample each, returns the functions. They return nothing
 * where an operand is of another kind, and the module says then what is wrong. */
#include <stdlib.h>

#include "files/lua/loader.h"

enum { VEC3 = 1, QUAT, MATRIX, KINDS = MATRIX, ENTRIES = 9 };

/* The kind of the value at an index by its metatable; 0: another. */
static int kind_of(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return 0;
  int kind = KINDS;
  while (kind && !lua_rawequal(L, -1, lua_upvalueindex(kind))) kind--;
  lua_pop(L, 1);
  return kind;
}

static int is_scalar(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TNUMBER || lua_type(L, index) == LUA_TLIGHTUSERDATA;
}

static int entries_of(int kind) {
  return kind == VEC3 ? 3 : kind == QUAT ? 4 : ENTRIES;
}

static void push_entry(lua_State *L, int table, int i) {
  if (lua_rawgeti(L, table, i) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_geti(L, table, i);
}

/* Pushes the entries of what is at an index, those of a matrix row by row; the index of the first.
 */
static int push_entries(lua_State *L, int index, int kind) {
  const int first = lua_gettop(L) + 1, count = kind == QUAT ? 4 : 3;
  for (int i = 1; i <= count; i++) {
    push_entry(L, index, i);
    if (kind != MATRIX) continue;
    const int row = lua_gettop(L);
    luaL_checktype(L, row, LUA_TTABLE);
    for (int j = 1; j <= 3; j++) push_entry(L, row, j);
    lua_remove(L, row);
  }
  return first;
}

/* Pops the entries on top, and pushes what they make. */
static int make(lua_State *L, int kind) {
  const int first = lua_gettop(L) - entries_of(kind) + 1;
  lua_createtable(L, kind == QUAT ? 4 : 3, 0);
  const int made = lua_gettop(L);
  for (int i = 0; i < 3 && kind == MATRIX; i++) {
    lua_createtable(L, 3, 0);
    for (int j = 0; j < 3; j++) {
      lua_pushvalue(L, first + 3 * i + j);
      lua_rawseti(L, -2, j + 1);
    }
    lua_rawseti(L, made, i + 1);
  }
  for (int i = 0; i < entries_of(kind) && kind != MATRIX; i++) {
    lua_pushvalue(L, first + i);
    lua_rawseti(L, made, i + 1);
  }
  lua_pushvalue(L, lua_upvalueindex(kind));
  lua_setmetatable(L, made);
  return 1;
}

/* ---- entries ---- */

static int is(lua_State *L, int index, double value) {
  return lua_type(L, index) == LUA_TNUMBER && lua_tonumber(L, index) == value;
}

typedef struct operation {
  rattle_op op;
  int lua;
  const char *left, *right;
} operation;

static const operation sum = {RATTLE_OP_ADD, LUA_OPADD, "to the left of +", "to the right of +"},
                       difference = {RATTLE_OP_SUB, LUA_OPSUB, "to the left of -",
                                     "to the right of -"},
                       product = {RATTLE_OP_MUL, LUA_OPMUL, "to the left of *",
                                  "to the right of *"},
                       quotient = {RATTLE_OP_DIV, LUA_OPDIV, "to the left of /",
                                   "to the right of /"};

/* Pushes the result for what is at two indices. */
static void apply(lua_State *L, const operation *o, int a, int b) {
  if (is_scalar(L, a) && is_scalar(L, b) &&
      (lua_type(L, a) == LUA_TLIGHTUSERDATA || lua_type(L, b) == LUA_TLIGHTUSERDATA)) {
    const rattle_expr left = rattle__lua_expr(L, a, o->left),
                      right = rattle__lua_expr(L, b, o->right);
    rattle_graph *graph = rattle__lua_loader(L)->model->graph;
    rattle__lua_push(L, rattle_expr_binary(graph, o->op, left, right));
    return;
  }
  lua_pushvalue(L, a), lua_pushvalue(L, b);
  lua_arith(L, o->lua);
}

static void negative(lua_State *L, int a) {
  if (lua_type(L, a) == LUA_TLIGHTUSERDATA) {
    rattle_graph *graph = rattle__lua_loader(L)->model->graph;
    rattle__lua_push(L, rattle_expr_unary(graph, RATTLE_OP_NEG, rattle__lua_expr(L, a, "")));
    return;
  }
  lua_pushvalue(L, a);
  lua_arith(L, LUA_OPUNM);
}

static void times(lua_State *L, int a, int b) {
  if (is(L, a, 0) || is(L, b, 0))
    lua_pushinteger(L, 0);
  else if (is(L, a, 1))
    lua_pushvalue(L, b);
  else if (is(L, b, 1))
    lua_pushvalue(L, a);
  else if (is(L, a, -1))
    negative(L, b);
  else if (is(L, b, -1))
    negative(L, a);
  else
    apply(L, &product, a, b);
}

static void plus(lua_State *L, int a, int b) {
  if (is(L, a, 0))
    lua_pushvalue(L, b);
  else if (is(L, b, 0))
    lua_pushvalue(L, a);
  else
    apply(L, &sum, a, b);
}

static void minus(lua_State *L, int a, int b) {
  if (is(L, b, 0))
    lua_pushvalue(L, a);
  else if (is(L, a, 0))
    negative(L, b);
  else
    apply(L, &difference, a, b);
}

static void over(lua_State *L, int a, int b) {
  if (is(L, a, 0))
    lua_pushinteger(L, 0);
  else
    apply(L, &quotient, a, b);
}

typedef void (*of_two)(lua_State *L, int a, int b);

/* The function at two indices that f is. */
static int as_function(lua_State *L, of_two f) {
  lua_settop(L, 2);
  f(L, 1, 2);
  return 1;
}
static int call_times(lua_State *L) {
  return as_function(L, times);
}
static int call_plus(lua_State *L) {
  return as_function(L, plus);
}
static int call_minus(lua_State *L) {
  return as_function(L, minus);
}

/* Pushes sum_k a_k b_k of `count` entries, those of b `stride` apart. */
static void contract(lua_State *L, int a, int b, int count, int stride) {
  lua_pushinteger(L, 0);
  for (int k = 0; k < count; k++) {
    const int total = lua_gettop(L);
    times(L, a + k, b + k * stride);
    plus(L, total, total + 1);
    lua_replace(L, total);
    lua_settop(L, total);
  }
}

/* ---- what consists of them ---- */

/* f of the entries of two of one kind. */
static int by_entries(lua_State *L, of_two f) {
  const int kind = kind_of(L, 1);
  lua_settop(L, 2);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  if (!kind || kind != kind_of(L, 2)) return 0;
  const int a = push_entries(L, 1, kind), b = push_entries(L, 2, kind);
  for (int i = 0; i < entries_of(kind); i++) f(L, a + i, b + i);
  return make(L, kind);
}
static int add(lua_State *L) {
  return by_entries(L, plus);
}
static int subtract(lua_State *L) {
  return by_entries(L, minus);
}

/* f of the entries of what is at index 1 and of the scalar at 2, or with `swapped` the other way
 * round. */
static int with_scalar(lua_State *L, of_two f, int swapped) {
  const int kind = kind_of(L, 1 + swapped), a = push_entries(L, 1 + swapped, kind);
  for (int i = 0; i < entries_of(kind); i++) swapped ? f(L, 1, a + i) : f(L, a + i, 2);
  return make(L, kind);
}

static int negate(lua_State *L) {
  lua_settop(L, 1);
  lua_pushinteger(L, -1);
  lua_insert(L, 1);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  return kind_of(L, 2) ? with_scalar(L, times, 1) : 0;
}

/* By scalars, or a matrix by a vector or a matrix. */
static int multiply(lua_State *L) {
  lua_settop(L, 2);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  const int left = kind_of(L, 1), right = kind_of(L, 2);
  if (right && is_scalar(L, 1)) return with_scalar(L, times, 1);
  if (left && is_scalar(L, 2)) return with_scalar(L, times, 0);
  if (left != MATRIX || (right != VEC3 && right != MATRIX)) return 0;
  const int a = push_entries(L, 1, left), b = push_entries(L, 2, right), wide = right == MATRIX;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < (wide ? 3 : 1); j++) contract(L, a + 3 * i, b + j, 3, wide ? 3 : 1);
  return make(L, right);
}

static int divide(lua_State *L) {
  lua_settop(L, 2);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  return kind_of(L, 1) && is_scalar(L, 2) ? with_scalar(L, over, 0) : 0;
}

/* dot(a, b) of as many entries as a has */
static int dot(lua_State *L) {
  lua_settop(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE), luaL_checktype(L, 2, LUA_TTABLE);
  const lua_Integer count = luaL_len(L, 1);
  if (count > 4) rattle__lua_charge(L, (double)count);
  lua_pushinteger(L, 0);
  for (lua_Integer i = 1; i <= count; i++, lua_settop(L, 3)) {
    lua_geti(L, 1, i), lua_geti(L, 2, i);
    times(L, 4, 5);
    plus(L, 3, 6);
    lua_replace(L, 3);
  }
  return 1;
}

static int cross(lua_State *L) {
  lua_settop(L, 2);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  luaL_checktype(L, 1, LUA_TTABLE), luaL_checktype(L, 2, LUA_TTABLE);
  const int a = push_entries(L, 1, VEC3), b = push_entries(L, 2, VEC3);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3, at = lua_gettop(L) + 1;
    times(L, a + j, b + k), times(L, a + k, b + j);
    minus(L, at, at + 1);
    lua_replace(L, at);
    lua_settop(L, at);
  }
  return make(L, VEC3);
}

/* combine(v, {a, b, c}): v_1 a + v_2 b + v_3 c of vectors; one that v has 0 of may be missing. */
static int combine(lua_State *L) {
  lua_settop(L, 2);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  luaL_checktype(L, 1, LUA_TTABLE), luaL_checktype(L, 2, LUA_TTABLE);
  const int v = push_entries(L, 1, VEC3);
  int at[3];
  for (int j = 0; j < 3; j++) {
    const int is_there = lua_rawgeti(L, 2, j + 1) == LUA_TTABLE;
    if (!is_there && !is(L, v + j, 0)) return 0;
    at[j] = is_there ? push_entries(L, lua_gettop(L), VEC3) : 0;
  }
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, 0);
    const int total = lua_gettop(L);
    for (int j = 0; j < 3; j++) {
      if (!at[j]) continue;
      times(L, v + j, at[j] + i);
      plus(L, total, total + 1);
      lua_replace(L, total);
      lua_settop(L, total);
    }
  }
  return make(L, VEC3);
}

/* The entries first, first + stride ... of the matrix at 1, as a vector. */
static int part(lua_State *L, int along) {
  const int number = (int)luaL_checkinteger(L, 2);
  luaL_argcheck(L, number >= 1 && number <= 3, 2, "1, 2 or 3");
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  const int a = push_entries(L, 1, MATRIX), first = along ? a + 3 * (number - 1) : a + number - 1;
  for (int i = 0; i < 3; i++) lua_pushvalue(L, first + i * (along ? 1 : 3));
  return make(L, VEC3);
}
static int row(lua_State *L) {
  return part(L, 1);
}
static int column(lua_State *L) {
  return part(L, 0);
}

static int transpose(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  const int a = push_entries(L, 1, MATRIX);
  for (int i = 0; i < ENTRIES; i++) lua_pushvalue(L, a + i % 3 * 3 + i / 3);
  return make(L, MATRIX);
}

/* The matrix of three columns. */
static int columns(lua_State *L) {
  lua_settop(L, 3);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  for (int j = 1; j <= 3; j++) luaL_checktype(L, j, LUA_TTABLE);
  const int a = push_entries(L, 1, VEC3);
  push_entries(L, 2, VEC3), push_entries(L, 3, VEC3);
  for (int i = 0; i < ENTRIES; i++) lua_pushvalue(L, a + i % 3 * 3 + i / 3);
  return make(L, MATRIX);
}

/* vec3(x, y, z), or vec3{x, y, z} */
static int vec3(lua_State *L) {
  lua_settop(L, 3);
  if (lua_istable(L, 1)) {
    for (int i = 1; i <= 3; i++) push_entry(L, 1, i);
    lua_remove(L, 1), lua_remove(L, 1), lua_remove(L, 1);
  }
  for (int i = 1; i <= 3; i++)
    if (!is_scalar(L, i))
      return luaL_error(L, "expected a number or an expression as %c of a vector, found a %s",
                        "xyz"[i - 1], luaL_typename(L, i));
  return make(L, VEC3);
}

/* The matrix of w x. */
static int hat(lua_State *L) {
  static const int entry[ENTRIES] = {0, -3, 2, 3, 0, -1, -2, 1, 0};
  lua_settop(L, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkstack(L, 4 * ENTRIES, NULL);
  const int w = push_entries(L, 1, VEC3), minus_one = w + 3;
  lua_pushinteger(L, -1);
  for (int i = 0; i < ENTRIES; i++) {
    const int from = abs(entry[i]);
    if (!from)
      lua_pushinteger(L, 0);
    else if (entry[i] < 0)
      times(L, minus_one, w + from - 1);
    else
      lua_pushvalue(L, w + from - 1);
  }
  return make(L, MATRIX);
}

int rattle__lua_arithmetic(lua_State *L) {
  static const luaL_Reg functions[] = {{"times", call_times}, {"plus", call_plus},
                                       {"minus", call_minus}, {"add", add},
                                       {"sub", subtract},     {"neg", negate},
                                       {"mul", multiply},     {"div", divide},
                                       {"dot", dot},          {"cross", cross},
                                       {"row", row},          {"column", column},
                                       {"columns", columns},  {"transpose", transpose},
                                       {"vec3", vec3},        {"hat", hat},
                                       {"combine", combine},  {NULL, NULL}};
  lua_settop(L, KINDS);
  for (int i = 1; i <= KINDS; i++) {
    luaL_checktype(L, i, LUA_TTABLE);
    if (!lua_getmetatable(L, i)) lua_newtable(L);
    lua_replace(L, i);
  }
  luaL_newlibtable(L, functions);
  lua_insert(L, 1);
  luaL_setfuncs(L, functions, KINDS);
  return 1;
}
