/* Limits: a Lua state whose allocator counts bytes and whose hook counts instructions and looks at
 * the clock (docs/decisions/019-limits-of-models.md).
 *
 * Hooks do not fire inside C functions, so that what C does in one call is bounded or charged:
 * bytes allocated count as work (1/64 each), strings are at most 1 MiB, tables as long as 256 MiB
 * hold, and library.c charges the functions that loop. Once a limit is passed, `exhausted` stays
 * set, every pcall passes the error on, and the hook raises it again at each instruction and each
 * call, so that handlers of __close do nothing more. Finalizers, which run without hooks, are
 * refused in library.c. */
#include <stdlib.h>
#include <time.h>

#include "files/lua/loader.h"
#include "ground/support/flag.h"

enum {
  INSTRUCTIONS_PER_HOOK = 100,
  CLOCKED_BYTES = 1 << 16,
  BYTES_PER_WORK = 64,
  BYTES_PER_NODE = 48
};
/* The largest table: an element of a list takes 16 bytes, an element of another table 24, and their
 * number is a power of two. C functions that pass over a whole table, and the collector, take a few
 * tenths of a second for one, without hooks. */
static const size_t largest_block = (size_t)1 << 28;
static const char sentence; /* its address is the key of the sentence for fail_limit */

double rattle__lua_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void hook(lua_State *L, lua_Debug *at);

/* The first limit that is passed is the one that is named. From here on the hook comes at each
 * instruction and each call. */
static void exhaust(rattle__loader *loader, rattle__limit limit) {
  if (loader->exhausted) return;
  loader->exhausted = limit;
  if (loader->L) lua_sethook(loader->L, hook, LUA_MASKCOUNT | LUA_MASKCALL, 1);
}

/* Sees to what comes from outside: the clock, and the caller's wish to end. */
static void look_out(rattle__loader *loader) {
  if (rattle__flag_is_set(loader->interrupt)) exhaust(loader, WAS_INTERRUPTED);
  if (rattle__lua_clock() > loader->deadline) exhaust(loader, TOO_MUCH_TIME);
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
    if (loader->work > loader->max_work) exhaust(loader, TOO_MUCH_WORK);
    if (size - had > CLOCKED_BYTES) look_out(loader);
    if (size - had > loader->max_bytes || loader->bytes > loader->max_bytes - (size - had))
      exhaust(loader, TOO_MUCH_MEMORY);
    if (!block && old == LUA_TSTRING && size > RATTLE__LUA_LONGEST_STRING + 64)
      exhaust(loader, TOO_MUCH_MEMORY);
    if (size > largest_block) exhaust(loader, TOO_MUCH_AT_ONCE);
    if (loader->exhausted && size - had > loader->reserve) return NULL;
    if (loader->exhausted) loader->reserve -= size - had;
  }
  void *grown = realloc(block, size);
  if (grown) loader->bytes += size - had;
  return grown;
}

/* level: of the function whose line is named; 0 in a hook, 1 in a C function. The sentence is made
 * once: where memory is exhausted, each new one would cost a collection of all garbage. */
static void fail_limit(lua_State *L, int level) {
  rattle__loader *loader = rattle__lua_loader(L);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &sentence) == LUA_TSTRING) lua_error(L);
  luaL_where(L, level);
  if (loader->exhausted == WAS_INTERRUPTED) {
    lua_pushliteral(L, "interrupted");
  } else if (loader->exhausted == TOO_MUCH_TIME) {
    lua_pushfstring(L, "the model exceeds its limit of %f s: an infinite loop?",
                    (LUAI_UACNUMBER)loader->max_seconds);
  } else if (loader->exhausted == TOO_MUCH_WORK) {
    lua_pushfstring(L, "the model exceeds its limit of %I Lua instructions: an infinite loop?",
                    (LUAI_UACINT)loader->max_work);
  } else if (loader->exhausted == TOO_MUCH_AT_ONCE) {
    lua_pushfstring(
        L, "a table or text of the model takes more than %I MiB, the limit of one: use several",
        (LUAI_UACINT)(largest_block >> 20));
  } else {
    lua_pushfstring(L, "the model exceeds its memory limit of %I MiB",
                    (LUAI_UACINT)(loader->max_bytes >> 20));
  }
  lua_concat(L, 2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &sentence);
  lua_error(L);
}

void rattle__lua_make_room(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &sentence);
}

static void charge(lua_State *L, double work, int level) {
  rattle__loader *loader = rattle__lua_loader(L);
  double left = (double)(loader->max_work - loader->work);
  loader->work = work > left ? loader->max_work + 1 : loader->work + (long long)work;
  if (loader->work > loader->max_work) exhaust(loader, TOO_MUCH_WORK);
  look_out(loader);
  if (loader->exhausted) fail_limit(L, level);
}

void rattle__lua_charge(lua_State *L, double work) {
  charge(L, work, 1);
}

void rattle__lua_charge_bytes(lua_State *L, size_t size) {
  rattle__loader *loader = rattle__lua_loader(L);
  size_t graph = (size_t)rattle_graph_count(loader->model->graph) * BYTES_PER_NODE;
  if (size > loader->max_bytes || graph > loader->max_bytes ||
      loader->bytes + size > loader->max_bytes - graph) {
    exhaust(loader, TOO_MUCH_MEMORY);
    fail_limit(L, 1);
  }
  loader->bytes += size;
}

/* The handler of errors runs in any case: it is called for the sentence that says which limit is
 * passed. */
static void hook(lua_State *L, lua_Debug *at) {
  if (at->event == LUA_HOOKCALL) {
    const int is_handler = lua_getinfo(L, "f", at) && lua_tocfunction(L, -1) == rattle__lua_blame;
    lua_pop(L, 1);
    if (is_handler) return;
  }
  charge(L, INSTRUCTIONS_PER_HOOK, 0);
}

lua_State *rattle__lua_open(rattle__loader *loader) {
  lua_State *L = lua_newstate(allocate, loader);
  if (!L) return NULL;
  *(rattle__loader **)lua_getextraspace(L) = loader;
  loader->L = L;
  lua_sethook(L, hook, LUA_MASKCOUNT, INSTRUCTIONS_PER_HOOK);
  return L;
}
