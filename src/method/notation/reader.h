#ifndef RATTLE__METHOD_READER_H
#define RATTLE__METHOD_READER_H
/* Reading the text of method expressions: characters, words, and errors that point at them. */
#include "method/notation/method.h"

#include <stdio.h>

typedef struct rattle__reader {
  const char *text;
  size_t at;
  int depth;
  rattle_error *error;
} rattle__reader;

typedef struct rattle__span {
  size_t at, length;
} rattle__span;

static inline int rattle__is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline int rattle__is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The next character that is no space; P->at is there then. */
char rattle__peek(rattle__reader *P);
/* Letters, digits and underscores from here on; length 0 if there is none. */
rattle__span rattle__read_word(rattle__reader *P);
int rattle__is_word(const rattle__reader *P, rattle__span word, const char *name);

/* For messages, into name, which they return: a word, cut if it is long; and a description of the
 * text at a character: a word, a character, or the end. */
const char *rattle__spell(const rattle__reader *P, rattle__span word, char name[48]);
const char *rattle__found(const rattle__reader *P, size_t at, char name[48]);
/* Fails with a sentence and a picture of the place: the text around it and a caret below. */
void rattle__bad(rattle__reader *P, size_t at, const char *sentence);
#define RATTLE__BAD(P, at, ...)                                                                    \
  do {                                                                                             \
    char sentence[600];                                                                            \
    snprintf(sentence, sizeof sentence, __VA_ARGS__);                                              \
    rattle__bad(P, at, sentence);                                                                  \
  } while (0)
/* A name that no row has, where a field, a solver or (any other kind) a map was expected. */
void rattle__unknown(rattle__reader *P, rattle__span word, rattle__method_kind kind);
#endif
