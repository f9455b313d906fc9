/* The parser of method expressions, driven by the parameter lists of the table.
 *
 *     map       name [ "(" [ argument { "," argument } ] ")" ]
 *     argument  map | word | number | name "=" (map | word | number) | "compensated" | "quad"
 *
 * An argument without a name takes the first place that is still free. Errors point at the
 * responsible character. */
#include "method/notation/reader.h"
#include "ground/support/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"

enum { MAX_LENGTH = 4096, MAX_DEPTH = 16 };

/* Arguments of one call while they are read: a bit for each parameter given, and its place in the
 * text. */
typedef struct call {
  rattle__node *node;
  const rattle_method_row *row;
  unsigned given;
  size_t where[RATTLE_PARAMETERS];
} call;

static rattle__node *parse_map(rattle__reader *P, int field);

static int is_choice(const rattle__reader *P, rattle__span word, const char *choices) {
  for (const char *c = choices; *c;) {
    const size_t length = strcspn(c, "|");
    if (length == word.length && !memcmp(c, P->text + word.at, length)) return 1;
    c += length + (c[length] == '|');
  }
  return 0;
}

static int parse_word(rattle__reader *P, call *C, int which) {
  const rattle_method_parameter *parameter = &C->row->parameter[which];
  char name[48];
  const size_t at = P->at;
  const rattle__span word = rattle__read_word(P);
  if (!is_choice(P, word, parameter->choices)) {
    RATTLE__BAD(P, at, "%s of %s must be %s, found %s", parameter->name, C->row->name,
                parameter->choices, rattle__found(P, at, name));
    return 0;
  }
  snprintf(C->node->argument[which].word, sizeof C->node->argument[which].word, "%.31s",
           rattle__spell(P, word, name));
  return 1;
}

static int parse_number(rattle__reader *P, call *C, int which) {
  const rattle_method_parameter *parameter = &C->row->parameter[which];
  const int whole = parameter->type == RATTLE_TAKES_INTEGER;
  const size_t at = P->at;
  char name[48], *end = NULL;
  const char *start = P->text + at, *digits = start + (*start == '-' || *start == '+');
  /* strtod alone would take inf, nan and hexadecimal numbers too */
  const int plain =
      (rattle__is_digit(*digits) || (*digits == '.' && rattle__is_digit(digits[1]))) &&
      !(digits[0] == '0' && strchr("xX", digits[1]) && digits[1]);
  const double x = plain ? rattle__number_read(start, &end) : (double)NAN;
  if (plain) P->at += (size_t)(end - start);
  if (!plain || rattle__is_letter(*end)) {
    RATTLE__BAD(P, at, "%s of %s must be a %snumber, found %s", parameter->name, C->row->name,
                whole ? "whole " : "", rattle__found(P, at, name));
    return 0;
  }
  if (!(x >= parameter->minimum && x <= parameter->maximum) || (whole && x != rint(x))) {
    RATTLE__BAD(P, at, "%s of %s must be %s %g .. %g, found %.*s", parameter->name, C->row->name,
                whole ? "a whole number" : "in", parameter->minimum, parameter->maximum,
                (int)(end - start), start);
    return 0;
  }
  C->node->argument[which].number = x;
  return 1;
}

static int parse_solver(rattle__reader *P, call *C, int which) {
  char name[48];
  const size_t at = P->at;
  const rattle__span word = rattle__read_word(P);
  const rattle_method_row *row = rattle__method_find(P->text + word.at, word.length);
  if (!word.length)
    RATTLE__BAD(P, at, "expected the name of a solver, found %s", rattle__found(P, at, name));
  else if (!row || rattle__method_kind_of(row) != RATTLE__SOLVER)
    rattle__unknown(P, word, RATTLE__SOLVER);
  else {
    snprintf(C->node->argument[which].word, sizeof C->node->argument[which].word, "%.31s",
             row->name);
    return 1;
  }
  return 0;
}

/* A field; the default one leaves no node. */
static int parse_field(rattle__reader *P, call *C, int which) {
  rattle__node *field = parse_map(P, 1);
  if (!field) return 0;
  if (!strcmp(field->row->name, C->row->parameter[which].fallback)) {
    rattle__node_destroy(field);
    return 1;
  }
  C->node->argument[which].node = field;
  C->node->argument[which].word[0] = 0;
  return 1;
}

/* A name that the model gives. */
static int parse_given_name(rattle__reader *P, call *C, int which) {
  char name[48];
  const size_t at = P->at;
  const rattle__span word = rattle__read_word(P);
  if (!word.length || word.length > 31) {
    RATTLE__BAD(P, at,
                "%s of %s must be a name of at most 31 letters, digits and underscores, found %s",
                C->row->parameter[which].name, C->row->name, rattle__found(P, at, name));
    return 0;
  }
  snprintf(C->node->argument[which].word, sizeof C->node->argument[which].word, "%.31s",
           rattle__spell(P, word, name));
  return 1;
}

static int parse_by_type(rattle__reader *P, call *C, int which) {
  switch (C->row->parameter[which].type) {
  case RATTLE_TAKES_MAP:
    return (C->node->argument[which].node = parse_map(P, 0)) != NULL;
  case RATTLE_TAKES_WORD:
    return parse_word(P, C, which);
  case RATTLE_TAKES_INTEGER:
  case RATTLE_TAKES_NUMBER:
    return parse_number(P, C, which);
  case RATTLE_TAKES_FIELD:
    return parse_field(P, C, which);
  case RATTLE_TAKES_NAME:
    return parse_given_name(P, C, which);
  case RATTLE_TAKES_SOLVER:
    return parse_solver(P, C, which);
  }
  return 0;
}

static int parse_value(rattle__reader *P, call *C, int which) {
  rattle__peek(P);
  C->where[which] = P->at;
  C->given |= 1u << which;
  if (!parse_by_type(P, C, which)) return 0;
  rattle__option_note(C->node, which);
  return 1;
}

/* NAME, NAME=1 or NAME=0: an option of every outermost map. */
static int parse_switch(rattle__reader *P, size_t at, const char *option, int *on) {
  if (P->depth > 1) {
    RATTLE__BAD(P, at, "%s applies to the whole step: write it in the outermost map", option);
    return 0;
  }
  if (*on) {
    RATTLE__BAD(P, at, "%s is given twice", option);
    return 0;
  }
  *on = 1;
  if (rattle__peek(P) != '=') return 1;
  P->at++;
  const char value = rattle__peek(P);
  if ((value != '0' && value != '1') || rattle__is_digit(P->text[P->at + 1]) ||
      rattle__is_letter(P->text[P->at + 1])) {
    char name[48];
    RATTLE__BAD(P, P->at, "%s is 0 or 1, found %s", option, rattle__found(P, P->at, name));
    return 0;
  }
  *on = value == '1';
  P->at++;
  return 1;
}

static void unknown_option(rattle__reader *P, const call *C, rattle__span word) {
  char name[48], list[200];
  rattle__text text = {list, sizeof list};
  for (int i = 0; C->row->parameter[i].name; i++)
    if (C->row->parameter[i].option) rattle__put(&text, "%s, ", C->row->parameter[i].name);
  rattle__put(&text, "compensated and quad (in the outermost map)");
  RATTLE__BAD(P, word.at, "%s has no option '%s'; it takes %s", C->row->name,
              rattle__spell(P, word, name), list);
}

/* name=value, the name having been read. */
static int parse_named(rattle__reader *P, call *C, rattle__span word) {
  char name[48];
  int which = 0;
  while (C->row->parameter[which].name && !rattle__is_word(P, word, C->row->parameter[which].name))
    which++;
  if (!C->row->parameter[which].name) {
    unknown_option(P, C, word);
    return 0;
  }
  if (C->given & 1u << which) {
    RATTLE__BAD(P, word.at, "%s is given twice", rattle__spell(P, word, name));
    return 0;
  }
  P->at++;
  return parse_value(P, C, which);
}

static int is_field(const rattle__reader *P, rattle__span word) {
  const rattle_method_row *row = rattle__method_find(P->text + word.at, word.length);
  return row && rattle__method_kind_of(row) == RATTLE__FIELD;
}

static int parse_argument(rattle__reader *P, call *C) {
  const rattle__span word = rattle__read_word(P);
  if (rattle__is_word(P, word, "compensated"))
    return parse_switch(P, word.at, "compensated", &C->node->compensated);
  if (rattle__is_word(P, word, "quad")) return parse_switch(P, word.at, "quad", &C->node->quad);
  if (word.length && rattle__peek(P) == '=') return parse_named(P, C, word);
  P->at = word.at;
  const int field = is_field(P, word);
  for (int i = 0; i < C->node->arguments && field; i++)
    if (C->row->parameter[i].type == RATTLE_TAKES_FIELD && !(C->given & 1u << i))
      return parse_value(P, C, i);
  for (int i = 0; i < C->node->arguments; i++)
    if (!(C->given & 1u << i)) return parse_value(P, C, i);
  char name[48];
  if (!P->text[word.at])
    RATTLE__BAD(P, word.at, "expected an argument of %s, found the end", C->row->name);
  else
    RATTLE__BAD(P, word.at, "%s takes %d argument%s%s%s%s; unexpected %s", C->row->name,
                C->node->arguments, C->node->arguments == 1 ? "" : "s",
                C->row->parameters[0] ? " (" : "", C->row->parameters,
                C->row->parameters[0] ? ")" : "", rattle__found(P, word.at, name));
  return 0;
}

static int parse_arguments(rattle__reader *P, call *C) {
  if (rattle__peek(P) != '(') return 1;
  P->at++;
  if (rattle__peek(P) == ')') {
    P->at++;
    return 1;
  }
  for (;;) {
    if (!parse_argument(P, C)) return 0;
    const char c = rattle__peek(P);
    if (c != ',' && c != ')') {
      char name[48];
      RATTLE__BAD(P, P->at, "expected ',' or ')', found %s", rattle__found(P, P->at, name));
      return 0;
    }
    P->at++;
    if (c == ')') return 1;
  }
}

/* The arguments are read: whether none is missing and all together make sense. `at`: where the name
 * stood. */
static int complete(rattle__reader *P, const call *C, size_t at) {
  for (int i = 0; i < C->node->arguments; i++) {
    const rattle_method_parameter *parameter = &C->row->parameter[i];
    if (parameter->fallback || C->given & 1u << i) continue;
    if (parameter->type == RATTLE_TAKES_MAP)
      RATTLE__BAD(P, at, "%s needs a map, as in %s(%s)", C->row->name, C->row->name,
                  C->node->kind == RATTLE__WRAPPER ? "verlet" : "rattle(verlet)");
    else if (parameter->type == RATTLE_TAKES_NAME)
      RATTLE__BAD(P, at, "%s needs %s, a name defined by the model: %s(%s)", C->row->name,
                  parameter->name, C->row->name, C->row->parameters);
    else
      RATTLE__BAD(P, at, "%s needs %s, a %snumber %g .. %g: %s(%s)", C->row->name, parameter->name,
                  parameter->type == RATTLE_TAKES_INTEGER ? "whole " : "", parameter->minimum,
                  parameter->maximum, C->row->name, C->row->parameters);
    return 0;
  }
  char reason[500];
  int blame = 0;
  if (rattle__method_sensible(C->node, reason, sizeof reason, &blame)) return 1;
  rattle__bad(P, C->where[blame], reason);
  return 0;
}

static rattle__node *new_node(const rattle_method_row *row) {
  rattle__node *node = calloc(1, sizeof *node);
  if (!node) return NULL;
  node->row = row;
  node->kind = rattle__method_kind_of(row);
  while (row->parameter[node->arguments].name && !row->parameter[node->arguments].option)
    node->arguments++;
  for (int i = 0; row->parameter[i].name; i++) rattle__option_default(node, i);
  return node;
}

/* The row of a map's name, or of a field's, or NULL with the error filled. */
static const rattle_method_row *parse_name(rattle__reader *P, int field, rattle__span *word) {
  char name[48];
  *word = rattle__read_word(P);
  const rattle_method_row *row = rattle__method_find(P->text + word->at, word->length);
  const rattle__method_kind kind = row ? rattle__method_kind_of(row) : RATTLE__BASE;
  if (P->depth >= MAX_DEPTH)
    RATTLE__BAD(P, word->at, "more than %d nested maps", MAX_DEPTH);
  else if (!word->length || rattle__is_digit(P->text[word->at]))
    RATTLE__BAD(P, word->at, "expected %s, found %s",
                field ? "a field such as dirac" : "a method such as rattle(verlet)",
                rattle__found(P, word->at, name));
  else if (!row)
    rattle__unknown(P, *word, field ? RATTLE__FIELD : RATTLE__BASE);
  else if (kind == RATTLE__SOLVER)
    RATTLE__BAD(P, word->at, "%s is a solver, not a method: write solver=%s inside rattle or shake",
                row->name, row->name);
  else if (kind == RATTLE__SAMPLER && P->depth)
    RATTLE__BAD(P, word->at,
                "%s is a sampler: it is the outermost name of an expression, and no map",
                row->name);
  else if (field && kind != RATTLE__FIELD)
    RATTLE__BAD(P, word->at, "expected a field such as dirac, found '%s'", row->name);
  else if (!field && kind == RATTLE__FIELD)
    RATTLE__BAD(P, word->at, "%s is a field, not a method: use it in a base map, as in rk4(%s%s)",
                row->name, row->name, row->parameters[0] ? "(2)" : "");
  else
    return row;
  return NULL;
}

static rattle__node *parse_map(rattle__reader *P, int field) {
  rattle__span word;
  const rattle_method_row *row = parse_name(P, field, &word);
  if (!row) return NULL;
  call C = {.node = new_node(row), .row = row};
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
  rattle__reader P = {.text = expression, .error = error};
  if (strnlen(expression, MAX_LENGTH + 1) > MAX_LENGTH) {
    rattle__fail(error, RATTLE_BAD_METHOD, "character 4097",
                 "method expression: longer than %d characters", MAX_LENGTH);
    return NULL;
  }
  if (!rattle__peek(&P)) {
    rattle__fail(error, RATTLE_BAD_METHOD, "character 1",
                 "method expression: it is empty; write a method such as rattle(verlet)");
    return NULL;
  }
  rattle__node *root = parse_map(&P, 0);
  if (!root || !rattle__peek(&P)) return root;
  char name[48];
  RATTLE__BAD(&P, P.at, "expected the end of the expression, found %s",
              rattle__found(&P, P.at, name));
  rattle__node_destroy(root);
  return NULL;
}
