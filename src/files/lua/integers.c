/* Whole numbers of models. Lua's integers wrap at 2^63 without an error: the square of 149597870700
 * would be 3.6e18. Models need integers that print without a point, for the names of variables, and
 * floats for everything else: a numeral of five digits or more is a float
 * (docs/decisions/081-whole-numbers.md). */
#include <math.h>
#include <string.h>

#include "ground/support/number.h"
#include "files/lua/loader.h"

static const double least_float = 1e4;
static const double inexact = 0x1p53;

void rattle__lua_push_integer(lua_State *L, double value) {
  if (fabs(value) < least_float)
    lua_pushinteger(L, (lua_Integer)value);
  else
    lua_pushnumber(L, value);
}

void rattle__lua_push_text(lua_State *L, int index) {
  const double value =
      lua_type(L, index) == LUA_TNUMBER && !lua_isinteger(L, index) ? lua_tonumber(L, index) : 0;
  char text[40];
  if (fabs(value) < least_float || fabs(value) >= inexact || value != floor(value)) {
    luaL_tolstring(L, index, NULL);
    return;
  }
  rattle__print(text, sizeof text, "%.0f", value);
  lua_pushstring(L, text);
}

void rattle__lua_check_integer(lua_State *L, int index) {
  if (!lua_isinteger(L, index) || fabs(lua_tonumber(L, index)) < inexact) return;
  luaL_error(L,
             "found the integer %I: integers are exact up to 2^53 and wrap at 2^63; let one factor "
             "be a number with a point, as "
             "1.0 in local f = 1.0; for i = 1, n do f = f*i end",
             (LUAI_UACINT)lua_tointeger(L, index));
}

/* ---- texts ---- */

/* True if the numeral is a decimal integer of five digits or more. */
static int is_long(const char *at, const char *end) {
  const size_t length = (size_t)(end - at), zeros = strspn(at, "0");
  return strspn(at, "0123456789") == length && length - (zeros < length ? zeros : length) > 4;
}

const char *rattle__lua_long_literal(const char *at) {
  rattle__token kind;
  for (const char *end; *at; at = end) {
    end = rattle__lua_token(at, &kind);
    if (kind == TOKEN_NUMBER && is_long(at, end)) return end;
  }
  return NULL;
}

/* True if the text has one of the operators & | ~ << >>. */
static int has_bits(const char *at) {
  rattle__token kind;
  for (const char *end; *at; at = end) {
    end = rattle__lua_token(at, &kind);
    if (kind == TOKEN_SIGN &&
        (strchr("&|", *at) ||
         (end - at == 1 ? *at == '~' : (*at == '<' || *at == '>') && at[1] == *at)))
      return 1;
  }
  return 0;
}

void rattle__lua_check_bits(lua_State *L, const char *text, const char *name) {
  const char *end = rattle__lua_long_literal(text);
  if (!end || !has_bits(text)) return;
  int line = 1;
  for (const char *c = text; c < end; c++) line += *c == '\n';
  const char *begin = end;
  while (begin > text && strchr("0123456789", begin[-1])) begin--;
  lua_pushlstring(L, begin, (size_t)(end - begin));
  luaL_error(L,
             "%s:%d: this file has operations on bits, so that it must say what %s is: write %s.0 "
             "for a number, or 0x and its "
             "hexadecimal digits for an integer of 64 bits, which wraps",
             name + 1, line, lua_tostring(L, -1), lua_tostring(L, -1));
}

/* ---- functions that make whole numbers ---- */

static int rounded(lua_State *L, double (*round)(double)) {
  if (rattle__lua_has_value(L, 1) && lua_islightuserdata(L, 1)) {
    rattle__lua_push_integer(L, rattle__lua_rounded(L, 1, round));
    return 1;
  }
  if (lua_islightuserdata(L, 1))
    return luaL_error(L, "math.floor and math.ceil are not smooth: they cannot be used in "
                         "expressions; wrap(x, L) is x in a period L");
  rattle__lua_push_integer(L, round(luaL_checknumber(L, 1)));
  return 1;
}

static int round_down(lua_State *L) {
  return rounded(L, floor);
}

static int round_up(lua_State *L) {
  return rounded(L, ceil);
}

/* tonumber(text), the original as upvalue: a text has the value that it would have as a numeral of
 * a model */
static int to_number(lua_State *L) {
  luaL_checkany(L, 1);
  const int decimal =
      lua_type(L, 1) == LUA_TSTRING && lua_gettop(L) == 1 && !strpbrk(lua_tostring(L, 1), "xX");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  if (decimal && lua_isinteger(L, -1)) rattle__lua_push_integer(L, lua_tonumber(L, -1));
  return 1;
}

static int to_text(lua_State *L) {
  luaL_checkany(L, 1);
  rattle__lua_settle(L, 1);
  rattle__lua_push_text(L, 1);
  return 1;
}

void rattle__lua_integers(lua_State *L) {
  lua_register(L, "tostring", to_text);
  lua_getglobal(L, "tonumber");
  lua_pushcclosure(L, to_number, 1);
  lua_setglobal(L, "tonumber");
  lua_getglobal(L, "math");
  lua_pushcfunction(L, round_down);
  lua_setfield(L, -2, "floor");
  lua_pushcfunction(L, round_up);
  lua_setfield(L, -2, "ceil");
  lua_pop(L, 1);
}
