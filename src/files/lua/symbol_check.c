/* Checks that a model's text may be read with symbols in place of parameters. Comparisons by < and
 * <=, loops, and functions that need a number raise an error if they find an expression. The
 * operations that raise none are sought here, word by word: the text is refused if it might use
 * one. */
#include <string.h>

#include "files/lua/loader.h"

/* Functions whose results depend on values, or which catch errors. */
static const char *const words[] = {"pcall",  "rawequal", "rawget",       "rawset",  "next",
                                    "type",   "tostring", "format",       "require", "tointeger",
                                    "select", "concat",   "setmetatable", "random"};

static const char *past_blanks(const char *at) {
  return at + strspn(at, " \t");
}

/* An index or a key that is written out: [1], ["x"]. */
static int is_literal_index(const char *at) {
  rattle__token kind;
  const char *end = rattle__lua_token(past_blanks(at + 1), &kind);
  return (kind == TOKEN_NUMBER || kind == TOKEN_STRING) && *past_blanks(end) == ']';
}

static int is_word(const char *at, size_t length) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && !strncmp(words[i], at, length)) return 1;
  return 0;
}

static int is_sign_in_doubt(const char *at, size_t length) {
  if (length == 1) return *at == '[' && !is_literal_index(at);
  return !strncmp(at, "==", 2) || !strncmp(at, "~=", 2);
}

const char *rattle__lua_value_dependent(const char *at, size_t *length) {
  rattle__token kind;
  for (const char *end; *at; at = end) {
    end = rattle__lua_token(at, &kind);
    *length = (size_t)(end - at);
    if (kind == TOKEN_NAME && is_word(at, *length)) return at;
    if (kind == TOKEN_SIGN && is_sign_in_doubt(at, *length)) return at;
  }
  return NULL;
}
