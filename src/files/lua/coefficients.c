/* Coefficients of methods: tableau(name, {...}), splitting(name, {...}). */
#include <string.h>

#include "problem/model/user_coefficients.h"
#include "files/lua/loader.h"

/* Refuses entries of the table at index 2 that are none of the words in `known`. */
static void check_entries(lua_State *L, const char *what, const char *const *known) {
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    int found = 0;
    for (int i = 0; known[i]; i++)
      found |= lua_type(L, -2) == LUA_TSTRING && !strcmp(lua_tostring(L, -2), known[i]);
    if (!found)
      luaL_error(L, "unknown entry in %s: expected %s, found %s", what, known[0],
                 rattle__lua_found(L, -2));
  }
}

/* The list at the top as numbers, at most `most`; returns how many. */
static int read_list(lua_State *L, const char *what, double *x, int most) {
  rattle__lua_table(L, -1, what);
  const lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  if (count > most)
    luaL_error(L, "%s has %I numbers, and at most %d are allowed", what, (LUAI_UACINT)count, most);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    x[i - 1] = rattle__lua_number(L, -1, what);
    lua_pop(L, 1);
  }
  return (int)count;
}

/* Reads the matrix in the entry `name`, whose rows may end early; returns 0 if there is none. */
static int read_matrix(lua_State *L, const char *name, int stages, double *a) {
  memset(a, 0, (size_t)stages * (size_t)stages * sizeof *a);
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return 0;
  }
  rattle__lua_table(L, -1, "a list of rows");
  if ((int)lua_rawlen(L, -1) != stages)
    luaL_error(L, "%s has %I rows, and b has %d numbers", name, (LUAI_UACINT)lua_rawlen(L, -1),
               stages);
  for (int i = 0; i < stages; i++) {
    lua_rawgeti(L, -1, i + 1);
    read_list(L, "a row of the matrix", a + (size_t)i * (size_t)stages, stages);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return 1;
}

static int read_order(lua_State *L) {
  int order = 0;
  if (lua_getfield(L, 2, "order") != LUA_TNIL)
    order = (int)rattle__lua_integer(L, -1, "order", 1, 100);
  lua_pop(L, 1);
  return order;
}

static int tableau(lua_State *L) {
  static const char *const known[] = {
      "A, b, Ahat, bhat or order", "A", "b", "Ahat", "bhat", "order", NULL};
  double A[RATTLE__GIVEN_STAGES * RATTLE__GIVEN_STAGES],
      Ahat[RATTLE__GIVEN_STAGES * RATTLE__GIVEN_STAGES], b[RATTLE__GIVEN_STAGES],
      bhat[RATTLE__GIVEN_STAGES];
  rattle__lua_declaring(L, "tableau");
  const char *name = rattle__lua_string(L, 1, "the name of a tableau");
  rattle__lua_table(L, 2, "tableau(name, { A = {...}, b = {...} })");
  check_entries(L, "a tableau", known);
  lua_getfield(L, 2, "b");
  rattle_tableau made = {.A = A, .b = b, .order = read_order(L)};
  made.stages = read_list(L, "the list b of weights", b, RATTLE__GIVEN_STAGES);
  lua_pop(L, 1);
  if (!made.stages) return luaL_error(L, "the list b of the tableau \"%s\" is empty", name);
  if (!read_matrix(L, "A", made.stages, A))
    return luaL_error(L, "the tableau \"%s\" has no matrix A", name);
  if (read_matrix(L, "Ahat", made.stages, Ahat)) made.Ahat = Ahat;
  if (lua_getfield(L, 2, "bhat") != LUA_TNIL) {
    if (read_list(L, "the list bhat of weights", bhat, RATTLE__GIVEN_STAGES) != made.stages)
      return luaL_error(L, "bhat has %I numbers, and b has %d", (LUAI_UACINT)lua_rawlen(L, -1),
                        made.stages);
    made.bhat = bhat;
  }
  lua_pop(L, 1);
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_charge(L, made.Ahat || made.bhat ? 2e7 : 2e6); /* order conditions */
  rattle__lua_check(L, rattle_model_add_tableau(loader->model, name, &made, &loader->error));
  return 0;
}

static int splitting(lua_State *L) {
  static const char *const known[] = {"c, d or order", "c", "d", "order", NULL};
  double c[RATTLE__GIVEN_PARTS] = {0}, d[RATTLE__GIVEN_PARTS] = {0};
  rattle__lua_declaring(L, "splitting");
  const char *name = rattle__lua_string(L, 1, "the name of a splitting");
  rattle__lua_table(L, 2, "splitting(name, { c = {...}, d = {...} })");
  check_entries(L, "a splitting", known);
  rattle_splitting made = {.c = c, .d = d, .order = read_order(L)};
  lua_getfield(L, 2, "c");
  const int drifts = read_list(L, "the list c of drifts", c, RATTLE__GIVEN_PARTS);
  lua_getfield(L, 2, "d");
  const int kicks = read_list(L, "the list d of kicks", d, RATTLE__GIVEN_PARTS);
  made.stages = drifts > kicks ? drifts : kicks; /* the shorter list ends with zeros */
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_charge(L, 2e4 * made.stages);
  rattle__lua_check(L, rattle_model_add_splitting(loader->model, name, &made, &loader->error));
  return 0;
}

void rattle__lua_coefficients(lua_State *L) {
  lua_register(L, "tableau", tableau);
  lua_register(L, "splitting", splitting);
}
