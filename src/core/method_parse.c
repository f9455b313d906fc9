/* The parser of method expressions, driven by the parameter lists of the table.
 *
 *     map       name [ "(" [ argument { "," argument } ] ")" ]
 *     argument  map | word | number | name "=" (map | word | number) | "compensated"
 *
 * An argument without a name takes the first place that is still free. Errors point at the character to blame. */
#include "core/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

enum { MAX_LENGTH = 4096, MAX_DEPTH = 16 };

typedef struct parser {
  const char *text;
  size_t at;
  int depth;
  rattle_error *error;
} parser;

typedef struct span {
  size_t at, length;
} span;

/* Arguments of one call while they are read: a bit for each parameter given, and where it stood. */
typedef struct call {
  rattle__node *node;
  const rattle_method_row *row;
  unsigned given;
  size_t where[RATTLE_PARAMETERS];
} call;

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static int is_digit(char c) {
  return c >= '0' && c <= '9';
}
static int is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char peek(parser *P) {
  while (is_space(P->text[P->at])) P->at++;
  return P->text[P->at];
}

/* Letters, digits and underscores from here on; length 0 where there is none. */
static span read_word(parser *P) {
  peek(P);
  span word = {P->at, 0};
  while (is_letter(P->text[P->at]) || is_digit(P->text[P->at])) P->at++;
  word.length = P->at - word.at;
  return word;
}

static int is_word(const parser *P, span word, const char *name) {
  return strlen(name) == word.length && !memcmp(P->text + word.at, name, word.length);
}

/* A word for messages, cut where it is long. */
static const char *spell(const parser *P, span word, char name[48]) {
  snprintf(name, 48, "%.*s%s", (int)(word.length < 40 ? word.length : 40), P->text + word.at, word.length < 40 ? "" : "...");
  return name;
}

/* What stands at a character, for messages: a word, a character, or the end. */
static const char *found(const parser *P, size_t at, char name[48]) {
  const unsigned char c = (unsigned char)P->text[at];
  parser Q = *P;
  Q.at = at;
  const span word = c ? read_word(&Q) : (span){at, 0};
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

/* Fails with a sentence and a picture of the place: the text around it and a caret below. */
static void bad(parser *P, size_t at, const char *sentence) {
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
  rattle__fail(P->error, RATTLE_BAD_METHOD, where, "method expression, character %zu: %s\n    %s\n    %*s^", at + 1, sentence,
               picture, (int)(at - from), "");
}

#define BAD(P, at, ...)                                                                                                          \
  do {                                                                                                                           \
    char sentence[600];                                                                                                          \
    snprintf(sentence, sizeof sentence, __VA_ARGS__);                                                                            \
    bad(P, at, sentence);                                                                                                        \
  } while (0)

static void unknown(parser *P, span word, int solver) {
  char name[48];
  const char *kind = solver ? "solver" : "method";
  const char *near = rattle__method_nearest(spell(P, word, name), solver);
  if (near) {
    BAD(P, word.at, "unknown %s '%s'; did you mean '%s'?", kind, name, near);
    return;
  }
  char list[400];
  rattle__text text = {list, sizeof list};
  for (int i = 0, count = 0; solver && i < RATTLE__METHOD_COUNT; i++)
    if (rattle__method_kind_of((rattle__method_id)i) == RATTLE__SOLVER)
      rattle__put(&text, "%s%s", count++ ? ", " : "", rattle__method_name((rattle__method_id)i));
  BAD(P, word.at, "unknown %s '%s'; %s%s", kind, spell(P, word, name),
      solver ? "there are " : "run `rattle methods` for the table", solver ? list : "");
}

static rattle__node *parse_map(parser *P);

/* A parameter's choice by index, or -1. */
static int choice(const parser *P, span word, const char *choices) {
  int index = 0;
  for (const char *c = choices; *c; index++) {
    const size_t length = strcspn(c, "|");
    if (length == word.length && !memcmp(c, P->text + word.at, length)) return index;
    c += length + (c[length] == '|');
  }
  return -1;
}

static int parse_word(parser *P, call *C, int which) {
  const rattle_method_parameter *parameter = &C->row->parameter[which];
  char name[48];
  const size_t at = P->at;
  const span word = read_word(P);
  const int index = choice(P, word, parameter->choices);
  if (index < 0) {
    BAD(P, at, "%s of %s must be %s, found %s", parameter->name, C->row->name, parameter->choices, found(P, at, name));
    return 0;
  }
  if (parameter->option)
    C->node->project_output = index;
  else
    snprintf(C->node->argument[which].word, sizeof C->node->argument[which].word, "%.31s", spell(P, word, name));
  return 1;
}

static int parse_number(parser *P, call *C, int which) {
  const rattle_method_parameter *parameter = &C->row->parameter[which];
  const int whole = parameter->type == RATTLE_TAKES_INTEGER;
  const size_t at = P->at;
  char name[48], *end = NULL;
  const char *start = P->text + at, *digits = start + (*start == '-' || *start == '+');
  /* strtod alone would take inf, nan and hexadecimal numbers too */
  const int plain = (is_digit(*digits) || (*digits == '.' && is_digit(digits[1]))) &&
                    !(digits[0] == '0' && strchr("xX", digits[1]) && digits[1]);
  const double x = plain ? strtod(start, &end) : (double)NAN;
  if (plain) P->at += (size_t)(end - start);
  if (!plain || is_letter(*end)) {
    BAD(P, at, "%s of %s must be a %snumber, found %s", parameter->name, C->row->name, whole ? "whole " : "", found(P, at, name));
    return 0;
  }
  if (!(x >= parameter->minimum && x <= parameter->maximum) || (whole && x != rint(x))) {
    BAD(P, at, "%s of %s must be %s %g .. %g, found %.17g", parameter->name, C->row->name, whole ? "a whole number" : "in",
        parameter->minimum, parameter->maximum, x);
    return 0;
  }
  if (parameter->option)
    C->node->tol = x;
  else
    C->node->argument[which].number = x;
  return 1;
}

static int parse_solver(parser *P, call *C) {
  char name[48];
  const size_t at = P->at;
  const span word = read_word(P);
  const rattle__method_id id = rattle__method_find(P->text + word.at, word.length);
  if (!word.length)
    BAD(P, at, "expected the name of a solver, found %s", found(P, at, name));
  else if (id == RATTLE__METHOD_COUNT || rattle__method_kind_of(id) != RATTLE__SOLVER)
    unknown(P, word, 1);
  else {
    C->node->solver = id;
    return 1;
  }
  return 0;
}

static int parse_value(parser *P, call *C, int which) {
  peek(P);
  C->where[which] = P->at;
  C->given |= 1u << which;
  switch (C->row->parameter[which].type) {
  case RATTLE_TAKES_MAP:
    return (C->node->argument[which].node = parse_map(P)) != NULL;
  case RATTLE_TAKES_WORD:
    return parse_word(P, C, which);
  case RATTLE_TAKES_INTEGER:
  case RATTLE_TAKES_NUMBER:
    return parse_number(P, C, which);
  case RATTLE_TAKES_SOLVER:
    return parse_solver(P, C);
  }
  return 0;
}

/* compensated, compensated=1 or compensated=0: an option of every outermost map. */
static int parse_compensated(parser *P, call *C, size_t at) {
  if (P->depth > 1) {
    BAD(P, at, "compensated belongs to the whole step: write it in the outermost map");
    return 0;
  }
  C->node->compensated = 1;
  if (peek(P) != '=') return 1;
  P->at++;
  const char value = peek(P);
  if ((value != '0' && value != '1') || is_digit(P->text[P->at + 1]) || is_letter(P->text[P->at + 1])) {
    char name[48];
    BAD(P, P->at, "compensated is 0 or 1, found %s", found(P, P->at, name));
    return 0;
  }
  C->node->compensated = value == '1';
  P->at++;
  return 1;
}

static void unknown_option(parser *P, const call *C, span word) {
  char name[48], list[200];
  rattle__text text = {list, sizeof list};
  for (int i = 0; C->row->parameter[i].name; i++)
    if (C->row->parameter[i].option) rattle__put(&text, "%s, ", C->row->parameter[i].name);
  rattle__put(&text, "compensated (in the outermost map)");
  BAD(P, word.at, "%s has no option '%s'; it takes %s", C->row->name, spell(P, word, name), list);
}

/* name=value, the name having been read. */
static int parse_named(parser *P, call *C, span word) {
  char name[48];
  int which = 0;
  while (C->row->parameter[which].name && !is_word(P, word, C->row->parameter[which].name)) which++;
  if (!C->row->parameter[which].name) {
    unknown_option(P, C, word);
    return 0;
  }
  if (C->given & 1u << which) {
    BAD(P, word.at, "%s is given twice", spell(P, word, name));
    return 0;
  }
  P->at++;
  return parse_value(P, C, which);
}

static int parse_argument(parser *P, call *C) {
  const span word = read_word(P);
  if (is_word(P, word, "compensated")) return parse_compensated(P, C, word.at);
  if (word.length && peek(P) == '=') return parse_named(P, C, word);
  P->at = word.at;
  for (int i = 0; i < C->node->arguments; i++)
    if (!(C->given & 1u << i)) return parse_value(P, C, i);
  char name[48];
  if (!P->text[word.at])
    BAD(P, word.at, "expected an argument of %s, found the end", C->row->name);
  else
    BAD(P, word.at, "%s takes %d argument%s%s%s%s, and %s is one too many", C->row->name, C->node->arguments,
        C->node->arguments == 1 ? "" : "s", C->row->parameters[0] ? " (" : "", C->row->parameters,
        C->row->parameters[0] ? ")" : "", found(P, word.at, name));
  return 0;
}

static int parse_arguments(parser *P, call *C) {
  if (peek(P) != '(') return 1;
  P->at++;
  if (peek(P) == ')') {
    P->at++;
    return 1;
  }
  for (;;) {
    if (!parse_argument(P, C)) return 0;
    const char c = peek(P);
    if (c != ',' && c != ')') {
      char name[48];
      BAD(P, P->at, "expected ',' or ')', found %s", found(P, P->at, name));
      return 0;
    }
    P->at++;
    if (c == ')') return 1;
  }
}

/* The arguments are read: whether none is missing and all together make sense. `at`: where the name stood. */
static int complete(parser *P, const call *C, size_t at) {
  for (int i = 0; i < C->node->arguments; i++) {
    const rattle_method_parameter *parameter = &C->row->parameter[i];
    if (parameter->fallback || C->given & 1u << i) continue;
    if (parameter->type == RATTLE_TAKES_MAP)
      BAD(P, at, "%s needs a map, as in %s(%s)", C->row->name, C->row->name,
          C->node->kind == RATTLE__WRAPPER ? "verlet" : "rattle(verlet)");
    else
      BAD(P, at, "%s needs %s, a whole number %g .. %g: %s(%s)", C->row->name, parameter->name, parameter->minimum,
          parameter->maximum, C->row->name, C->row->parameters);
    return 0;
  }
  char reason[500];
  int blame = 0;
  if (rattle__method_sensible(C->node, reason, sizeof reason, &blame)) return 1;
  bad(P, C->where[blame], reason);
  return 0;
}

static rattle__node *new_node(rattle__method_id id) {
  rattle__node *node = calloc(1, sizeof *node);
  if (!node) return NULL;
  const rattle_method_row *row = rattle__method_row(id);
  node->id = id;
  node->kind = rattle__method_kind_of(id);
  node->solver = RATTLE__METHOD_auto;
  for (int i = 0; row->parameter[i].name && !row->parameter[i].option; i++) {
    const char *fallback = row->parameter[i].fallback;
    node->argument[i].number = (double)NAN;
    if (fallback) snprintf(node->argument[i].word, sizeof node->argument[i].word, "%s", fallback);
    node->arguments++;
  }
  return node;
}

/* The row of a map's name, or RATTLE__METHOD_COUNT with the error filled. */
static rattle__method_id parse_name(parser *P, span *word) {
  char name[48];
  *word = read_word(P);
  const rattle__method_id id = rattle__method_find(P->text + word->at, word->length);
  if (P->depth >= MAX_DEPTH)
    BAD(P, word->at, "more than %d maps inside one another", MAX_DEPTH);
  else if (!word->length || is_digit(P->text[word->at]))
    BAD(P, word->at, "expected a method such as rattle(verlet), found %s", found(P, word->at, name));
  else if (id == RATTLE__METHOD_COUNT)
    unknown(P, *word, 0);
  else if (rattle__method_kind_of(id) == RATTLE__SOLVER)
    BAD(P, word->at, "%s is a solver, no method: write solver=%s inside rattle or shake", rattle__method_name(id),
        rattle__method_name(id));
  else
    return id;
  return RATTLE__METHOD_COUNT;
}

static rattle__node *parse_map(parser *P) {
  span word;
  const rattle__method_id id = parse_name(P, &word);
  if (id == RATTLE__METHOD_COUNT) return NULL;
  call C = {.node = new_node(id), .row = rattle__method_row(id)};
  if (!C.node) {
    rattle__no_memory(P->error);
    return NULL;
  }
  P->depth++;
  const int good = parse_arguments(P, &C) && complete(P, &C, word.at);
  P->depth--;
  if (good) return C.node;
  rattle__node_destroy(C.node);
  return NULL;
}

rattle__node *rattle__method_parse(const char *expression, rattle_error *error) {
  parser P = {.text = expression, .error = error};
  if (strnlen(expression, MAX_LENGTH + 1) > MAX_LENGTH) {
    rattle__fail(error, RATTLE_BAD_METHOD, "character 4097", "method expression: longer than %d characters", MAX_LENGTH);
    return NULL;
  }
  if (!peek(&P)) {
    rattle__fail(error, RATTLE_BAD_METHOD, "character 1",
                 "method expression: it is empty; write a method such as rattle(verlet)");
    return NULL;
  }
  rattle__node *root = parse_map(&P);
  if (!root || !peek(&P)) return root;
  char name[48];
  BAD(&P, P.at, "expected the end of the expression, found %s", found(&P, P.at, name));
  rattle__node_destroy(root);
  return NULL;
}
