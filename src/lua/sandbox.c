/* Limits: a Lua state whose allocator counts bytes and whose hook counts instructions and looks at the clock
 * (docs/decisions/019-limits-of-models.md).
 *
 * Hooks do not fire inside C functions, so that what C does in one call is bounded or charged: bytes allocated count as
 * work (1/64 each), strings are at most 1 MiB, and library.c charges the functions that loop. Once a limit is passed,
 * `exhausted` stays set and every pcall passes the error on. Finalizers, which run without hooks, are refused there too. */
#include <stdlib.h>
#include <time.h>

#include "lua/loader.h"

enum { INSTRUCTIONS_PER_HOOK = 1000, CLOCKED_BYTES = 1 << 16, BYTES_PER_WORK = 64, BYTES_PER_NODE = 48 };
static const size_t longest_string = (size_t)1 << 20;

double rattle__lua_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_clock(rattle__loader *loader) {
  if (!loader->exhausted && rattle__lua_clock() > loader->deadline) loader->exhausted = TOO_MUCH_TIME;
}

static void *allocate(void *context, void *block, size_t old, size_t size) {
  rattle__loader *loader = context;
  size_t had = block ? old : 0; /* without a block, `old` is the kind of object */
  if (size == 0) {
    loader->bytes -= had;
    free(block);
    return NULL;
  }
  if (size > had) {
    loader->work += (long long)((size - had) / BYTES_PER_WORK);
    if (loader->work > loader->max_work) loader->exhausted = TOO_MUCH_WORK;
    if (size - had > CLOCKED_BYTES) check_clock(loader);
    if (size - had > loader->max_bytes || loader->bytes > loader->max_bytes - (size - had)) loader->exhausted = TOO_MUCH_MEMORY;
    if (!block && old == LUA_TSTRING && size > longest_string + 64) loader->exhausted = TOO_MUCH_MEMORY;
    if (loader->exhausted && size - had > loader->reserve) return NULL;
    if (loader->exhausted) loader->reserve -= size - had;
  }
  void *grown = realloc(block, size);
  if (grown) loader->bytes += size - had;
  return grown;
}

/* level: of the function whose line is named; 0 in a hook, 1 in a C function */
static void fail_limit(lua_State *L, int level) {
  rattle__loader *loader = rattle__lua_loader(L);
  luaL_where(L, level);
  if (loader->exhausted == TOO_MUCH_TIME) {
    lua_pushfstring(L, "the model exceeds its limit of %f s: an infinite loop?", (LUAI_UACNUMBER)loader->max_seconds);
  } else if (loader->exhausted == TOO_MUCH_WORK) {
    lua_pushfstring(L, "the model exceeds its limit of %I Lua instructions: an infinite loop?", (LUAI_UACINT)loader->max_work);
  } else {
    lua_pushfstring(L, "the model exceeds its memory limit of %I MiB", (LUAI_UACINT)(loader->max_bytes >> 20));
  }
  lua_concat(L, 2);
  lua_error(L);
}

static void charge(lua_State *L, double work, int level) {
  rattle__loader *loader = rattle__lua_loader(L);
  double left = (double)(loader->max_work - loader->work);
  loader->work = work > left ? loader->max_work + 1 : loader->work + (long long)work;
  if (loader->work > loader->max_work) loader->exhausted = TOO_MUCH_WORK;
  check_clock(loader);
  if (loader->exhausted) fail_limit(L, level);
}

void rattle__lua_charge(lua_State *L, double work) {
  charge(L, work, 1);
}

void rattle__lua_charge_bytes(lua_State *L, size_t size) {
  rattle__loader *loader = rattle__lua_loader(L);
  size_t graph = (size_t)rattle_graph_count(loader->model->graph) * BYTES_PER_NODE;
  if (size > loader->max_bytes || graph > loader->max_bytes || loader->bytes + size > loader->max_bytes - graph) {
    loader->exhausted = TOO_MUCH_MEMORY;
    fail_limit(L, 1);
  }
  loader->bytes += size;
}

static void hook(lua_State *L, lua_Debug *at) {
  (void)at;
  charge(L, INSTRUCTIONS_PER_HOOK, 0);
}

lua_State *rattle__lua_open(rattle__loader *loader) {
  lua_State *L = lua_newstate(allocate, loader);
  if (!L) return NULL;
  *(rattle__loader **)lua_getextraspace(L) = loader;
  lua_sethook(L, hook, LUA_MASKCOUNT, INSTRUCTIONS_PER_HOOK);
  return L;
}
