/* Tokens of Lua, as far as texts are read here before its compiler reads them. */
#include <ctype.h>
#include <string.h>

#include "files/lua/loader.h"

/* Past the end of a long bracket, [[ or [=[; NULL: at is none. */
static const char *long_bracket(const char *at) {
  if (*at != '[') return NULL;
  const size_t level = 1 + strspn(at + 1, "=");
  if (at[level] != '[') return NULL;
  for (const char *c = at; *c; c++)
    if (*c == ']' && strspn(c + 1, "=") == level - 1 && c[level] == ']') return c + level + 1;
  return at + strlen(at);
}

static const char *string_end(const char *at) {
  const char quote = *at++;
  while (*at && *at != quote && *at != '\n') at += *at == '\\' && at[1] ? 2 : 1;
  return *at ? at + 1 : at;
}

static int is_letter(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

static int is_digit(char c) {
  return isdigit((unsigned char)c);
}

/* As Lua reads numerals: letters behind one belong to it, and make it malformed. */
static const char *number_end(const char *at) {
  const char *exponents = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? "pP" : "eE";
  while (is_letter(*at) || is_digit(*at) || *at == '.')
    at += strchr(exponents, *at) && (at[1] == '+' || at[1] == '-') ? 2 : 1;
  return at;
}

static const char *sign_end(const char *at) {
  const int two =
      (strchr("=~<>", at[0]) && at[1] == '=') || (strchr("<>/:.", at[0]) && at[1] == at[0]);
  return at + (two ? 2 : 1);
}

const char *rattle__lua_token(const char *at, rattle__token *kind) {
  const char *end;
  *kind = TOKEN_BLANK;
  if (!*at) return *kind = TOKEN_NONE, at;
  if (isspace((unsigned char)*at)) return at + 1;
  if (at[0] == '-' && at[1] == '-')
    return (end = long_bracket(at + 2)) ? end : at + strcspn(at, "\n");
  *kind = TOKEN_STRING;
  if (*at == '"' || *at == '\'') return string_end(at);
  if ((end = long_bracket(at))) return end;
  *kind = TOKEN_NUMBER;
  if (is_digit(at[0]) || (at[0] == '.' && is_digit(at[1]))) return number_end(at);
  *kind = TOKEN_NAME;
  if (!is_letter(*at)) return *kind = TOKEN_SIGN, sign_end(at);
  while (is_letter(*at) || is_digit(*at)) at++;
  return at;
}
