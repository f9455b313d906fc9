/* Reading a model: the file, one protected run of its text, and the error as a rattle_error. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/error.h"
#include "support/number.h"
#include "support/sized.h"
#include "lua/loader.h"

static const long long default_instructions = 20000000000;
static const size_t largest_memory = (size_t)16 << 30, longest_file = (size_t)256 << 20;
static const double default_seconds = 600, most_jumps = 1e8;

/* Half of what the machine has. */
static size_t default_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return largest_memory;
  const double half = 0.5 * (double)pages * (double)page;
  return half < (double)largest_memory ? (size_t)half : largest_memory;
}

static double count_of(const char *text, const char *word) {
  double count = 0;
  for (; (text = strstr(text, word)); text += strlen(word)) count++;
  return count;
}

/* ---- the run ---- */

/* How the file is called in messages: its path, or where that is long, its last part. */
static const char *short_name(const rattle_model *model) {
  const char *slash = strrchr(model->file, '/');
  return slash && strlen(model->file) > 50 ? slash + 1 : model->file;
}

/* Slips that the compiler complains of near a token, and what was meant. */
static const struct {
  const char *complaint, *in_text, *meant;
} slips[] = {
    {"near '*'", "**", "a power is written with ^, as in x^2"},
    {"expected near '='", "=",
     "an equation is an expression that is to be 0, x^2 - 1 for x^2 = 1; options stand in braces, as in start { x = 1 }"},
    {"near '//'", "//", "comments begin with --"},
    {"syntax error near", "//", "comments begin with --"},
    {"near '#'", "#", "comments begin with --"},
    {"near '+'", "+=", "write x = x + 1"},
    {"malformed number", "", "a product is written with *, as in 2*x"},
};

/* Lua's complaint on top of the stack, with what was meant. */
static int misread(lua_State *L, const char *text) {
  const char *complaint = lua_tostring(L, -1), *meant = NULL, *next = strstr(complaint, "')' expected near '");
  for (size_t i = 0; i < sizeof slips / sizeof *slips && !meant; i++)
    if (strstr(complaint, slips[i].complaint) && strstr(text, slips[i].in_text)) meant = slips[i].meant;
  if (next && !meant && (isalnum((unsigned char)next[19]) || next[19] == '(')) meant = "is an operator missing, as in 2*x?";
  if (meant) {
    lua_pushfstring(L, "; %s", meant);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* The text, in pieces: the clock is read between them, since the compiler runs without hooks and takes up to 50 us for a name. */
typedef struct pieces {
  const char *left;
} pieces;

static const char *next_piece(lua_State *L, void *self, size_t *size) {
  pieces *text = self;
  const char *piece = text->left;
  rattle__lua_charge(L, 1);
  *size = strnlen(piece, 1 << 12);
  text->left += *size;
  return piece;
}

/* Everything that can raise: opening the libraries, the text itself, what follows its last line. */
static int run(lua_State *L) {
  rattle__loader *loader = lua_touserdata(L, 1);
  lua_settop(L, 0);
  rattle__lua_make_room(L);
  rattle__lua_libraries(L);
  rattle__lua_metatables(L);
  rattle__lua_algebra(L);
  rattle__lua_random(L);
  rattle__lua_declarations(L);
  rattle__lua_starts(L);
  rattle__lua_wishes(L);
  rattle__lua_flows(L);
  rattle__lua_coefficients(L);
  rattle__lua_molecules(L);
  rattle__lua_bonded(L);
  rattle__lua_pair_potentials(L);
  rattle__lua_strict(L);

  /* a first line that begins with # is for the shell */
  const char *text = loader->model->text, *begin = text[0] == '#' ? text + strcspn(text, "\n") : text;
  if (text[0] == '\033') return luaL_error(L, "expected a text, found a compiled chunk of Lua");
  /* Lua's compiler looks for each goto among all labels */
  if (count_of(text, "goto") * count_of(text, "::") > most_jumps) return luaL_error(L, "the model has too many labels and gotos");
  lua_pushfstring(L, "@%s", short_name(loader->model));
  if (lua_load(L, next_piece, &(pieces){begin}, lua_tostring(L, 1), "t")) return misread(L, begin);
  lua_call(L, 0, 0);
  lua_settop(L, 0);

  rattle__lua_finish_metatables(L);
  rattle__lua_finish_parameters(L);
  rattle__lua_finish_masses(L);
  rattle__lua_finish_flows(L);
  return 0;
}

/* The Lua error on top of the stack. Only strings are used: anything else could run code again. */
static rattle_status convert(lua_State *L, const rattle__loader *loader, int lua_status, rattle_error *error) {
  const char *file = short_name(loader->model);
  if (lua_status == LUA_ERRMEM && loader->exhausted == WITHIN_LIMITS) return rattle__no_memory(error);
  if (lua_status == LUA_ERRMEM && loader->exhausted == TOO_MUCH_WORK)
    return rattle__fail(error, RATTLE_BAD_MODEL, file, "%s: the model exceeds its limit of %lld Lua instructions", file,
                        loader->max_work);
  if (lua_status == LUA_ERRMEM && loader->exhausted == TOO_MUCH_TIME)
    return rattle__fail(error, RATTLE_BAD_MODEL, file, "%s: the model exceeds its limit of %g s", file, loader->max_seconds);
  if (lua_status == LUA_ERRMEM && loader->exhausted == TOO_MUCH_AT_ONCE)
    return rattle__fail(error, RATTLE_BAD_MODEL, file,
                        "%s: a table or text of the model takes more than 256 MiB, the limit of one: use several", file);
  if (lua_status == LUA_ERRMEM)
    return rattle__fail(error, RATTLE_BAD_MODEL, file,
                        "%s: the model exceeds its memory limit of %zu MiB, or has a string of "
                        "more than 1 MiB",
                        file, loader->max_bytes >> 20);
  if (lua_type(L, -1) != LUA_TSTRING)
    return rattle__fail(error, loader->status, file, "%s: the model stopped with an error that is a %s", file,
                        luaL_typename(L, -1));

  /* "file:line: text", or only the text where the error has no line */
  const char *text = lua_tostring(L, -1), *colon = strstr(text, ": ");
  size_t length = strlen(file);
  if (!colon || strncmp(text, file, length) != 0 || text[length] != ':')
    return rattle__fail(error, loader->status, file, "%s: %s", file, text);
  char where[sizeof error->where];
  snprintf(where, sizeof where, "%.*s", (int)(colon - text), text);
  /* Lua's name for what an expression is */
  static const char kind[] = "a userdata value";
  const char *found = strstr(text, kind);
  if (found)
    return rattle__fail(error, loader->status, where, "%.*san expression%s", (int)(found - text), text, found + sizeof kind - 1);
  return rattle__fail(error, loader->status, where, "%s", text);
}

static rattle_status run_protected(rattle__loader *loader, rattle_error *error) {
  lua_State *L = rattle__lua_open(loader);
  if (!L) return rattle__no_memory(error);
  lua_gc(L, LUA_GCINC, 150, 400, 0);
  rattle__locale locale;
  rattle__plain_locale(&locale); /* models write numbers too */
  lua_pushcfunction(L, run);
  lua_pushlightuserdata(L, loader);
  int lua_status = lua_pcall(L, 1, 0, 0);
  rattle_status status = lua_status == LUA_OK ? rattle__model_check(loader->model, error) : convert(L, loader, lua_status, error);
  lua_close(L);
  rattle__restore_locale(&locale);
  return status;
}

/* ---- entry points ---- */

static rattle_status check_options(const rattle_model_options *options, rattle_error *error) {
  for (int i = 0; i < options->parameter_count; i++)
    if (!options->parameters[i].name)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, "parameters", "the name of parameter %d is NULL", i);
  if (options->parameter_count < 0 || options->max_instructions < 0 || !(options->max_seconds >= 0))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "options", "a number in the model's options is negative");
  return RATTLE_OK;
}

/* Takes over `text`. */
static rattle_status parse(rattle_model **model, char *text, const char *name, const rattle_model_options *given,
                           rattle_error *error) {
  rattle_model_options own, *options = &own;
  rattle_model *made = NULL;
  rattle_status status = RATTLE__TAKE(&own, rattle_model_options, cotangent, given, error);
  if (!status) status = check_options(options, error);
  if (!status) status = rattle_model_create(&made, error);
  if (status) {
    free(text);
    return status;
  }
  made->text = text;
  made->file = rattle__model_keep(made, name);
  made->old_names = options->old_names;
  rattle__loader loader = {
      .model = made,
      .status = RATTLE_BAD_MODEL,
      .overrides = options->parameters,
      .override_count = options->parameter_count,
      .asked = calloc((size_t)options->parameter_count + 1, 1),
      .max_work = options->max_instructions ? options->max_instructions : default_instructions,
      .max_bytes = options->max_memory ? options->max_memory : default_memory(),
      .max_seconds = options->max_seconds > 0 ? options->max_seconds : default_seconds,
      .reserve = 1 << 14,
      .fibre = LUA_NOREF,
      .flow = LUA_NOREF,
      .wishes = made->wishes,
  };
  loader.deadline = rattle__lua_clock() + loader.max_seconds;
  status = loader.asked && made->file ? run_protected(&loader, error) : rattle__no_memory(error);
  if (!status) status = rattle_model_set_wishes(made, &loader.wishes, error);
  if (!status && (options->cotangent || loader.wishes.cotangent)) status = rattle_model_observe_cotangent(made, error);
  rattle__model_pack(made);
  free(loader.asked);
  free(loader.given);
  free(loader.mass);
  free(loader.beads.pair);
  free(loader.beads.bond);
  free(loader.beads.molecule);
  if (status) rattle_model_destroy(&made);
  *model = made;
  return status;
}

rattle_status rattle_model_parse(rattle_model **model, const char *text, const char *name, const rattle_model_options *options,
                                 rattle_error *error) {
  if (!model) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_parse", "rattle_model_parse: model is NULL");
  *model = NULL;
  if (!text) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_parse", "rattle_model_parse: text is NULL");
  char *copy = strdup(text);
  return copy ? parse(model, copy, name ? name : "model", options, error) : rattle__no_memory(error);
}

/* The whole file with a zero byte, malloc'ed. */
static rattle_status read_file(char **text, const char *path, rattle_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) return rattle__fail(error, RATTLE_IO, path, "cannot open the model \"%s\": %s", path, strerror(errno));
  rattle_status status = RATTLE_OK;
  size_t used = 0, size = 1 << 14;
  char *buffer = malloc(size);
  while (buffer) {
    used += fread(buffer + used, 1, size - 1 - used, file);
    if (used < size - 1 || used > longest_file) break;
    char *grown = realloc(buffer, size *= 2);
    if (!grown) free(buffer);
    buffer = grown;
  }
  if (!buffer) {
    status = rattle__no_memory(error);
  } else if (ferror(file)) {
    status = rattle__fail(error, RATTLE_IO, path, "cannot read the model \"%s\": %s", path, strerror(errno));
  } else if (used > longest_file) {
    status = rattle__fail(error, RATTLE_BAD_MODEL, path, "\"%s\" is longer than 256 MiB: expected a model, a text file", path);
  } else if (buffer[0] == '\033' || memchr(buffer, 0, used)) {
    status = rattle__fail(error, RATTLE_BAD_MODEL, path, "\"%s\" is not a text file: expected a model in Lua, found binary data",
                          path);
  } else {
    buffer[used] = 0;
    *text = buffer;
  }
  fclose(file);
  if (status) free(buffer);
  return status;
}

rattle_status rattle_model_load(rattle_model **model, const char *path, const rattle_model_options *options,
                                rattle_error *error) {
  if (!model) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_load", "rattle_model_load: model is NULL");
  *model = NULL;
  if (!path) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_model_load", "rattle_model_load: path is NULL");
  char *text = NULL;
  rattle_status status = read_file(&text, path, error);
  return status ? status : parse(model, text, path, options, error);
}
