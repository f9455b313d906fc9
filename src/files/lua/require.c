/* require "name": the value of a module, which is run once.
 *
 * A module is sought in the text of the model, which holds those of a record (bundle.h); as
 * NAME.lua, then as NAME.urdf, NAME.xml or NAME.sdf, or as the table NAME.csv, next to the file of
 * the model; and among those that are shipped with the library (docs/decisions/035-modules.md).
 * Models that are not files have no such files. Modules run within the limits of the model. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/nearest.h"
#include "files/lua/loader.h"
#include "files/robots/robot.h"

enum { MOST_MODULES = 256, LONGEST_NAME = 64 };
static const char
    values; /* its address is the key of a table: values by name, false while a module runs */

static const char *from_library(const char *name) {
  const rattle__module *m = rattle__shipped;
  while (m->name && strcmp(m->name, name) != 0) m++;
  return m->name ? m->text : NULL;
}

static void check_name(lua_State *L, const char *name) {
  int good = isalpha((unsigned char)name[0]) || name[0] == '_';
  for (const char *c = name; *c; c++) good = good && (isalnum((unsigned char)*c) || *c == '_');
  if (!strncmp(name, "rattle.", 7) && from_library(name + 7)) /* its name in Python */
    luaL_error(L, "there is no module \"%s\"; did you mean \"%s\"?", name, name + 7);
  if (!good || strlen(name) > LONGEST_NAME)
    luaL_error(L,
               "the name of a module has letters, digits and _, and its file is next to the model: "
               "require \"name\" for name.lua; "
               "found \"%s\"",
               strlen(name) > LONGEST_NAME ? "a long name" : name);
}

/* A module whose text is kept by the model and is to follow the model's own. */
static rattle__module *add(lua_State *L, const char *name, const char *text, int shipped) {
  rattle__loader *loader = rattle__lua_loader(L);
  if (loader->modules == MOST_MODULES)
    luaL_error(L, "a model has at most %d modules", MOST_MODULES);
  if (!loader->module) loader->module = calloc(MOST_MODULES, sizeof *loader->module);
  char *kept = loader->module ? rattle__model_keep(loader->model, name) : NULL;
  if (!kept) rattle__lua_no_memory(L);
  rattle__module *m = &loader->module[loader->modules++];
  *m = (rattle__module){kept, text, shipped};
  return m;
}

/* A part of the model's text, or the whole text of a file: kept by the model. */
static const char *keep(lua_State *L, const char *text, size_t length) {
  rattle__lua_charge_bytes(L, length);
  char *copy = strndup(text, length),
       *kept = copy ? rattle__model_keep(rattle__lua_loader(L)->model, copy) : NULL;
  free(copy);
  if (!kept) rattle__lua_no_memory(L);
  return kept;
}

/* The file of that ending next to the model, NULL if there is none; leaves its name for messages on
 * the stack. */
static const char *from_file(lua_State *L, const char *name, const char *ending) {
  rattle__loader *loader = rattle__lua_loader(L);
  if (!loader->from_file) return lua_pushnil(L), NULL;
  const char *slash = strrchr(loader->model->file, '/');
  lua_pushlstring(L, loader->model->file, slash ? (size_t)(slash + 1 - loader->model->file) : 0);
  lua_pushfstring(L, "%s%s", name, ending);
  lua_concat(L, 2);
  char *text = NULL;
  const char *path = lua_tostring(L, -1);
  rattle__lua_check(L, rattle__lua_read_module(&text, NULL, path, &loader->error));
  if (!text) return NULL;
  if (strcmp(ending, ".csv") == 0) {
    if (strlen(text) > RATTLE__LUA_LONGEST_STRING) {
      free(text);
      luaL_error(L,
                 "\"%s\" is longer than 1 MiB, the most of a table of a model: keep fewer lines, "
                 "columns or digits",
                 path);
    }
    char *module = rattle__csv_module(strrchr(path, '/') ? strrchr(path, '/') + 1 : path, text);
    free(text);
    if (!(text = module)) rattle__lua_no_memory(L);
  } else if (strcmp(ending, ".lua") != 0) {
    const rattle_status status =
        rattle__robot_model(&text, path, 1, rattle__lua_read_module, &loader->error);
    if (status) free(text);
    rattle__lua_check(L, status);
  }
  char *kept = rattle__model_keep(loader->model, text);
  const size_t length = strlen(text);
  free(text);
  if (!kept) rattle__lua_no_memory(L);
  rattle__lua_charge_bytes(L, length);
  return kept;
}

/* NAME.lua, or the robot NAME.urdf, NAME.xml or NAME.sdf, or the table NAME.csv. Leaves the name of
 * the file, of the first one if there is none, on the stack. */
static const char *from_files(lua_State *L, const char *name) {
  static const char *const endings[] = {".lua", ".urdf", ".xml", ".sdf", ".csv"};
  for (int i = 0; i < 5; i++) {
    const char *text = from_file(L, name, endings[i]);
    if (text) return text;
    if (i) lua_pop(L, 1);
  }
  return NULL;
}

static void unknown(lua_State *L, const char *name) {
  rattle__nearest nearest = {.name = name};
  for (const rattle__module *m = rattle__shipped; m->name; m++)
    rattle__nearest_try(&nearest, m->name);
  if (nearest.best)
    luaL_error(L, "there is no module \"%s\"; did you mean \"%s\"?", name, nearest.best);
  if (rattle__lua_loader(L)->from_file)
    luaL_error(L,
               "there is no module \"%s\": expected the file \"%s\", or the name of a module that "
               "is shipped",
               name, lua_tostring(L, -1));
  luaL_error(L,
             "there is no module \"%s\": a model that is not read from a file can require shipped "
             "modules only",
             name);
}

/* Pushes the function that the text of a module is; whether it is a shipped one. Positions in
 * shipped ones are those of the model's lines that call them (load.c). */
static int push_function(lua_State *L, const char *name) {
  rattle__loader *loader = rattle__lua_loader(L);
  size_t length = 0;
  int shipped = 0;
  const char *text = rattle__bundled(loader->model->text, name, &length, &shipped);
  if (text) {
    text = keep(L, text, length);
    lua_pushfstring(L, "%s.lua", name);
  } else if ((text = from_files(L, name)) || (text = from_library(name))) {
    shipped = text == from_library(name);
    add(L, name, text, shipped);
  } else {
    unknown(L, name);
  }
  if (shipped)
    lua_pushfstring(L, "=[%s]", name);
  else
    lua_pushfstring(L, "@%s", lua_tostring(L, -1));
  rattle__lua_compile(L, text, lua_tostring(L, -1));
  return shipped;
}

static int require(lua_State *L) {
  const char *name = rattle__lua_string(L, 1, "the name of a module");
  lua_settop(L, 1);
  luaL_checkstack(L, 20, NULL);
  rattle__lua_declaring(L, "require");
  check_name(L, name);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &values);
  if (lua_getfield(L, 2, name) != LUA_TNIL) {
    if (lua_isboolean(L, -1) && !lua_toboolean(L, -1))
      return luaL_error(L,
                        "the module \"%s\" requires itself: %s.lua comes before a table or a robot "
                        "of that name; rename one of them",
                        name, name);
    return 1;
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, 2, name);
  const int shipped = push_function(L, name);
  lua_pushvalue(L, 1);
  if (shipped) lua_pushcfunction(L, rattle__lua_arithmetic); /* for "vectors" */
  lua_call(L, shipped ? 2 : 1, 1);
  if (lua_isnil(L, -1) || (lua_isboolean(L, -1) && !lua_toboolean(L, -1))) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
  }
  if (shipped && lua_istable(L, -1)) rattle__lua_seal_module(L, name);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name);
  return 1;
}

void rattle__lua_require(lua_State *L) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &values);
  lua_register(L, "require", require);
}
