/* The text of method expressions: words, and messages that point at a character. */
#include "method/notation/reader.h"

#include <string.h>

#include "ground/support/error.h"

static int is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char rattle__peek(rattle__reader *P) {
  while (is_space(P->text[P->at])) P->at++;
  return P->text[P->at];
}

rattle__span rattle__read_word(rattle__reader *P) {
  rattle__peek(P);
  rattle__span word = {P->at, 0};
  while (rattle__is_letter(P->text[P->at]) || rattle__is_digit(P->text[P->at])) P->at++;
  word.length = P->at - word.at;
  return word;
}

int rattle__is_word(const rattle__reader *P, rattle__span word, const char *name) {
  return strlen(name) == word.length && !memcmp(P->text + word.at, name, word.length);
}

const char *rattle__spell(const rattle__reader *P, rattle__span word, char name[48]) {
  snprintf(name, 48, "%.*s%s", (int)(word.length < 40 ? word.length : 40), P->text + word.at,
           word.length < 40 ? "" : "...");
  return name;
}

const char *rattle__found(const rattle__reader *P, size_t at, char name[48]) {
  const unsigned char c = (unsigned char)P->text[at];
  rattle__reader Q = *P;
  Q.at = at;
  const rattle__span word = c ? rattle__read_word(&Q) : (rattle__span){at, 0};
  if (!c)
    snprintf(name, 48, "the end");
  else if (word.length)
    snprintf(name, 48, "'%.*s'", (int)(word.length < 40 ? word.length : 40), P->text + word.at);
  else if (c > ' ' && c < 127)
    snprintf(name, 48, "'%c'", c);
  else
    snprintf(name, 48, "the byte 0x%02x", c);
  return name;
}

void rattle__bad(rattle__reader *P, size_t at, const char *sentence) {
  enum { WINDOW = 72 };
  const size_t length = strlen(P->text), from = at > WINDOW / 2 ? at - WINDOW / 2 : 0;
  char picture[WINDOW + 1];
  size_t shown = 0;
  for (; shown < WINDOW && from + shown < length; shown++) {
    const unsigned char c = (unsigned char)P->text[from + shown];
    picture[shown] = (char)(c < ' ' ? ' ' : c < 127 ? c : '?');
  }
  picture[shown] = 0;
  char where[48];
  snprintf(where, sizeof where, "character %zu", at + 1);
  rattle__fail(P->error, RATTLE_BAD_METHOD, where,
               "method expression, character %zu: %s\n    %s\n    %*s^", at + 1, sentence, picture,
               (int)(at - from), "");
}

void rattle__unknown(rattle__reader *P, rattle__span word, rattle__method_kind kind) {
  char name[48];
  const char *what = kind == RATTLE__SOLVER ? "solver" : kind == RATTLE__FIELD ? "field" : "method";
  const char *near = rattle__method_nearest(rattle__spell(P, word, name), kind);
  if (near) {
    RATTLE__BAD(P, word.at, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    return;
  }
  char list[400];
  rattle__text text = {list, sizeof list};
  const int few = kind == RATTLE__SOLVER || kind == RATTLE__FIELD;
  const rattle_method_row *row;
  const int rows = rattle_method_rows(&row);
  for (int i = 0, count = 0; few && i < rows; i++)
    if (rattle__method_kind_of(&row[i]) == kind)
      rattle__put(&text, "%s%s", count++ ? ", " : "", row[i].name);
  RATTLE__BAD(P, word.at, "unknown %s '%s'; %s%s", what, rattle__spell(P, word, name),
              few ? "there are " : "run `rattle methods` for the table", few ? list : "");
}
