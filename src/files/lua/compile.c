/* Compiling the text of a model or of a module, with what Lua's complaints mean. */
#include <ctype.h>
#include <string.h>

#include "files/lua/loader.h"

static const double most_jumps = 1e8;

/* Slips that the compiler complains of near a token, and the correct notation. */
static const struct {
  const char *complaint, *in_text, *meant;
} slips[] = {
    {"near '*'", "**", "a power is written with ^, as in x^2"},
    {"expected near '='", "=",
     "an equation is an expression that is to be 0, x^2 - 1 for x^2 = 1; options stand in braces, "
     "as in start { x = 1 }"},
    {"near '//'", "//", "comments begin with --"},
    {"syntax error near", "//", "comments begin with --"},
    {"near '#'", "#", "comments begin with --"},
    {"near '+'", "+=", "write x = x + 1"},
    {"malformed number", "", "a product is written with *, as in 2*x"},
};

/* Raises Lua's complaint, on top of the stack, with the correct notation after it. */
static void misread(lua_State *L, const char *text) {
  const char *complaint = lua_tostring(L, -1), *meant = NULL,
             *next = strstr(complaint, "')' expected near '");
  for (size_t i = 0; i < sizeof slips / sizeof *slips && !meant; i++)
    if (strstr(complaint, slips[i].complaint) && strstr(text, slips[i].in_text))
      meant = slips[i].meant;
  if (next && !meant && (isalnum((unsigned char)next[19]) || next[19] == '('))
    meant = "is an operator missing, as in 2*x?";
  if (meant) {
    lua_pushfstring(L, "; %s", meant);
    lua_concat(L, 2);
  }
  lua_error(L);
}

static double count_of(const char *text, const char *word) {
  double count = 0;
  for (; (text = strstr(text, word)); text += strlen(word)) count++;
  return count;
}

/* The text, in pieces: the clock is read between them, since the compiler runs without hooks and
 * takes up to 50 us for a name. Long integers get a point. */
typedef struct pieces {
  const char *left, *literal; /* the end of the next long integer, NULL: there is none */
} pieces;

static const char *next_piece(lua_State *L, void *self, size_t *size) {
  pieces *text = self;
  const char *piece = text->left;
  rattle__lua_charge(L, 1);
  if (piece == text->literal) {
    text->literal = rattle__lua_long_literal(piece);
    *size = 2;
    return ".0";
  }
  const size_t most = 1 << 12, before = text->literal ? (size_t)(text->literal - piece) : most;
  *size = strnlen(piece, before < most ? before : most);
  text->left += *size;
  return piece;
}

void rattle__lua_compile(lua_State *L, const char *text, const char *name) {
  /* a first line that begins with # is for the shell */
  const char *begin = text[0] == '#' ? text + strcspn(text, "\n") : text;
  if (text[0] == '\033') luaL_error(L, "expected a text, found a compiled chunk of Lua");
  /* Lua's compiler looks for each goto among all labels */
  if (count_of(text, "goto") * count_of(text, "::") > most_jumps)
    luaL_error(L, "the model has too many labels and gotos");
  rattle__lua_check_bits(L, text, name);
  if (lua_load(L, next_piece, &(pieces){begin, rattle__lua_long_literal(begin)}, name, "t"))
    misread(L, begin);
}
