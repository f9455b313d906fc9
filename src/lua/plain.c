/* Whether a model's text may be read with symbols in place of parameters. Comparisons by < and <=, loops, and functions that need a number raise an
 * error where they find an expression. What does not is sought here, word by word: the text is refused for what it might do. */
#include <ctype.h>
#include <string.h>

#include "lua/loader.h"

/* Answers of these depend on values, or errors are caught. */
static const char *const words[] = {"pcall",  "rawequal", "rawget",    "rawset", "next",   "type",         "tostring",
                                    "format", "require",  "tointeger", "select", "concat", "setmetatable", "random"};

/* Past the end of a long bracket, [[ or [=[; NULL: at is none. */
static const char *long_bracket(const char *at) {
  size_t level = 1 + strspn(at + 1, "=");
  if (*at != '[' || at[level] != '[') return NULL;
  for (const char *c = at; *c; c++)
    if (*c == ']' && strspn(c + 1, "=") == level - 1 && c[level] == ']') return c + level + 1;
  return at + strlen(at);
}

static const char *string_end(const char *at) {
  const char quote = *at++;
  while (*at && *at != quote && *at != '\n') at += *at == '\\' && at[1] ? 2 : 1;
  return *at ? at + 1 : at;
}

/* An index or a key that is written out: [1], ["x"]. */
static int is_literal_index(const char *at) {
  at += 1 + strspn(at + 1, " \t");
  at = *at == '"' || *at == '\'' ? string_end(at) : at + strspn(at, "0123456789");
  return at[strspn(at, " \t")] == ']';
}

static const char *comment_end(const char *at) {
  const char *end = long_bracket(at + 2);
  return end ? end : at + strcspn(at, "\n");
}

static int is_word(const char *at, size_t length) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && !strncmp(words[i], at, length)) return 1;
  return 0;
}

const char *rattle__lua_not_plain(const char *at, size_t *length) {
  while (*at) {
    const char *end;
    *length = 1;
    if (at[0] == '-' && at[1] == '-') {
      at = comment_end(at);
    } else if (*at == '"' || *at == '\'') {
      at = string_end(at);
    } else if (*at == '[' && (end = long_bracket(at))) {
      at = end;
    } else if (*at == '[' && !is_literal_index(at)) {
      return at;
    } else if (isalpha((unsigned char)*at) || *at == '_') {
      while (isalnum((unsigned char)at[*length]) || at[*length] == '_') ++*length;
      if (is_word(at, *length)) return at;
      at += *length;
    } else if ((at[0] == '=' || at[0] == '~') && at[1] == '=') {
      *length = 2;
      return at;
    } else {
      at += (at[0] == '<' || at[0] == '>') && at[1] == '=' ? 2 : 1;
    }
  }
  return NULL;
}
