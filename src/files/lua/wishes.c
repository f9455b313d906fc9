/* How the model wants to be run: integrate{...} and output{...}. One table of options, so that an
 * unknown one can be named. */
#include <math.h>
#include <string.h>

#include "ground/support/nearest.h"
#include "files/lua/loader.h"

static void set_method(lua_State *L, rattle_wishes *wishes) {
  /* the string is kept by the model; the load's table of wishes must outlive the Lua string */
  rattle__loader *loader = rattle__lua_loader(L);
  wishes->method = rattle__model_keep(loader->model, rattle__lua_string(L, -1, "the method"));
  if (!wishes->method) rattle__lua_no_memory(L);
}

static void set_step(lua_State *L, rattle_wishes *wishes) {
  wishes->step = rattle__lua_number(L, -1, "step");
  if (wishes->step == 0) luaL_error(L, "the step is 0: expected a number other than 0");
}

static void set_stop(lua_State *L, rattle_wishes *wishes) {
  wishes->stop = rattle__lua_number(L, -1, "stop");
}

static void set_steps(lua_State *L, rattle_wishes *wishes) {
  wishes->steps = rattle__lua_integer(L, -1, "steps", 0, (long long)1 << 53);
}

static void set_start_time(lua_State *L, rattle_wishes *wishes) {
  wishes->start_time = rattle__lua_number(L, -1, "start_time");
}

static void set_every(lua_State *L, rattle_wishes *wishes) {
  wishes->every = rattle__lua_integer(L, -1, "every", 1, (long long)1 << 53);
}

static void set_compensated(lua_State *L, rattle_wishes *wishes) {
  wishes->compensated = rattle__lua_boolean(L, -1, "compensated");
}

static void set_cotangent(lua_State *L, rattle_wishes *wishes) {
  wishes->cotangent = rattle__lua_boolean(L, -1, "cotangent");
}

/* at = { 0.5, 2 }: at these times; at = 0.5: by this step of time */
static void set_at(lua_State *L, rattle_wishes *wishes) {
  rattle_model *model = rattle__lua_loader(L)->model;
  if (lua_type(L, -1) == LUA_TNUMBER) {
    wishes->at_step = rattle__lua_number(L, -1, "at");
    if (!(wishes->at_step > 0))
      luaL_error(L, "the time step of output in at is %f: expected a number above 0",
                 wishes->at_step);
    return;
  }
  rattle__lua_table(L, -1, "a list of times, as in at = { 0.5, 2 }, or a step of time");
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++, lua_pop(L, 1)) {
    rattle__lua_charge_bytes(L, 2 * sizeof *model->at);
    double *grown = rattle__room(model->at, wishes->at_count, &model->at_room, sizeof *grown);
    if (!grown) rattle__lua_no_memory(L);
    model->at = grown;
    grown[wishes->at_count++] = rattle__lua_number(L, -1, "a time in at");
    wishes->at = grown;
  }
  lua_pop(L, 1);
  if (!wishes->at_count)
    luaL_error(L, "at has no times: expected a list of numbers, as in at = { 0.5, 2 }");
}

static void set_exact(lua_State *L, rattle_wishes *wishes) {
  wishes->exact = rattle__lua_boolean(L, -1, "exact");
}

static void set_certify(lua_State *L, rattle_wishes *wishes) {
  wishes->certify = rattle__lua_boolean(L, -1, "certify");
}

struct option {
  const char *table, *name;
  void (*set)(lua_State *L, rattle_wishes *wishes);
};

static const struct option options[] = {
    {"integrate", "method", set_method},
    {"integrate", "step", set_step},
    {"integrate", "stop", set_stop},
    {"integrate", "steps", set_steps},
    {"integrate", "start_time", set_start_time},
    {"integrate", "exact", set_exact},
    {"integrate", "certify", set_certify},
    {"output", "every", set_every},
    {"output", "at", set_at},
    {"output", "compensated", set_compensated},
    {"output", "cotangent", set_cotangent},
};

/* Names of these options in other programs. */
static const struct {
  const char *name, *option;
} habits[] = {
    {"dt", "step"},           {"h", "step"},        {"tau", "step"},  {"time", "stop"},
    {"t_end", "stop"},        {"tstop", "stop"},    {"tmax", "stop"}, {"duration", "stop"},
    {"integrator", "method"}, {"t0", "start_time"},
};

static const char *by_habit(const char *table, const char *name) {
  for (size_t i = 0; i < sizeof habits / sizeof *habits && table[0] == 'i'; i++)
    if (strcmp(habits[i].name, name) == 0) return habits[i].option;
  return NULL;
}

static const struct option *find(lua_State *L, const char *table, const char *name) {
  rattle__nearest nearest = {.name = name, .best = by_habit(table, name)};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const int here = strcmp(options[i].table, table) == 0;
    if (strcmp(options[i].name, name) == 0) {
      if (here) return &options[i];
      luaL_error(L, "option \"%s\" belongs to %s { ... }, not to %s", name, options[i].table,
                 table);
    }
    if (!here || by_habit(table, name)) continue;
    rattle__nearest_try(&nearest, options[i].name);
  }
  if (nearest.best)
    luaL_error(L, "unknown option \"%s\" in %s; did you mean \"%s\"?", name, table, nearest.best);
  luaL_error(L, "unknown option \"%s\" in %s: expected %s", name, table,
             table[0] == 'i' ? "method, step, stop, steps, exact, certify or start_time"
                             : "every, at, compensated or cotangent");
  return NULL;
}

static int read_options(lua_State *L, const char *table, int *used) {
  rattle__loader *loader = rattle__lua_loader(L);
  rattle__lua_declaring(L, table);
  rattle__lua_table(L, 1,
                    "a table of options, as in integrate { method = \"rattle(verlet)\", step = "
                    "0.01, stop = 10 }");
  if (*used) return luaL_error(L, "%s was already given: combine both calls", table);
  *used = 1;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1))
    find(L, table, rattle__lua_option_name(L, table))->set(L, &loader->wishes);
  rattle__lua_check(L, rattle_model_set_wishes(loader->model, &loader->wishes, &loader->error));
  return 0;
}

static int integrate(lua_State *L) {
  return read_options(L, "integrate", &rattle__lua_loader(L)->integrate_used);
}
static int output(lua_State *L) {
  return read_options(L, "output", &rattle__lua_loader(L)->output_used);
}

void rattle__lua_wishes(lua_State *L) {
  lua_register(L, "integrate", integrate);
  lua_register(L, "output", output);
}
