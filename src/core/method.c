/* Parsed method expressions: the object, and printing a tree as its canonical text, with defaults left out. */
#include "core/method.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

struct rattle_method {
  rattle__node *root;
  char *text;
};

void rattle__put(rattle__text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text->at, text->room, format, arguments);
  va_end(arguments);
  const size_t used = length < 0 ? 0 : (size_t)length < text->room ? (size_t)length : text->room - 1;
  text->at += used;
  text->room -= used;
}

/* The shortest decimal that reads back as x: 1e-6, not 1e-06. */
void rattle__put_number(rattle__text *text, double x) {
  char digits[32];
  if (x == rint(x) && fabs(x) < 1e6) {
    rattle__put(text, "%.0f", x);
    return;
  }
  for (int precision = 1; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, x);
    if (strtod(digits, NULL) == x) break;
  }
  char *exponent = strchr(digits, 'e');
  if (!exponent) {
    rattle__put(text, "%s", digits);
    return;
  }
  *exponent++ = 0;
  rattle__put(text, "%se%d", digits, atoi(exponent));
}

/* What stands between two arguments: "(" before the first. */
static const char *separator(int *count) {
  return (*count)++ ? ", " : "(";
}

void rattle__put_node(rattle__text *text, const rattle__node *node) {
  const rattle_method_row *row = rattle__method_row(node->id);
  int count = 0;
  rattle__put(text, "%s", row->name);
  for (int i = 0; i < node->arguments; i++) {
    const rattle__argument *argument = &node->argument[i];
    const char *fallback = row->parameter[i].fallback;
    if (fallback && !argument->node && !strcmp(argument->word, fallback) && isnan(argument->number)) continue;
    rattle__put(text, "%s", separator(&count));
    if (argument->node)
      rattle__put_node(text, argument->node);
    else if (argument->word[0])
      rattle__put(text, "%s", argument->word);
    else
      rattle__put_number(text, argument->number);
  }
  if (node->project_output) rattle__put(text, "%sproject=output", separator(&count));
  if (node->solver != RATTLE__METHOD_auto) rattle__put(text, "%ssolver=%s", separator(&count), rattle__method_name(node->solver));
  if (node->tol > 0) {
    rattle__put(text, "%stol=", separator(&count));
    rattle__put_number(text, node->tol);
  }
  if (node->every > 0) rattle__put(text, "%severy=%lld", separator(&count), node->every);
  if (node->compensated) rattle__put(text, "%scompensated", separator(&count));
  if (node->quad) rattle__put(text, "%squad", separator(&count));
  if (count) rattle__put(text, ")");
}

const rattle__node *rattle__method_inside(const rattle__node *node) {
  return node->kind == RATTLE__WRAPPER || node->kind == RATTLE__COMPOSITION ? node->argument[0].node : NULL;
}

const rattle__node *rattle__method_field(const rattle__node *node) {
  for (int i = 0; i < node->arguments; i++)
    if (node->argument[i].node && node->argument[i].node->kind == RATTLE__FIELD) return node->argument[i].node;
  return NULL;
}

const rattle__node *rattle__method_field_below(const rattle__node *node) {
  while (rattle__method_inside(node)) node = rattle__method_inside(node);
  return rattle__method_field(node);
}

void rattle__node_destroy(rattle__node *node) {
  if (!node) return;
  for (int i = 0; i < node->arguments; i++) rattle__node_destroy(node->argument[i].node);
  free(node);
}

void rattle__plain_locale(rattle__locale *locale) {
  locale->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale->plain) locale->before = uselocale(locale->plain);
}

void rattle__restore_locale(rattle__locale *locale) {
  if (!locale->plain) return;
  uselocale(locale->before);
  freelocale(locale->plain);
}

/* Parses and prints into a new object. */
static rattle_status create(rattle_method *method, const char *expression, rattle_error *error) {
  rattle_error failure = {.status = RATTLE_OK};
  method->root = rattle__method_parse(expression, &failure);
  if (!method->root) {
    if (error) *error = failure;
    return failure.status;
  }
  /* the canonical text of an argument is at most twice as long as what was written: .1 becomes 0.1, "," becomes ", " */
  const size_t size = 2 * strlen(expression) + 64;
  method->text = malloc(size);
  if (!method->text) return rattle__no_memory(error);
  rattle__put_node(&(rattle__text){method->text, size}, method->root);
  return RATTLE_OK;
}

rattle_status rattle_method_parse(rattle_method **method, const char *expression, rattle_error *error) {
  *method = NULL;
  if (!expression) return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_method_parse", "the method expression is NULL");
  rattle_method *made = calloc(1, sizeof *made);
  if (!made) return rattle__no_memory(error);
  rattle__locale locale;
  rattle__plain_locale(&locale);
  const rattle_status status = create(made, expression, error);
  rattle__restore_locale(&locale);
  if (status) rattle_method_destroy(&made);
  *method = made;
  return status;
}

void rattle_method_destroy(rattle_method **method) {
  if (!*method) return;
  rattle__node_destroy((*method)->root);
  free((*method)->text);
  free(*method);
  *method = NULL;
}

const char *rattle_method_text(const rattle_method *method) {
  return method->text;
}

rattle_claims rattle_method_claims(const rattle_method *method) {
  return rattle__method_claims(method->root);
}

int rattle_method_adapts(const rattle_method *method) {
  for (const rattle__node *at = method->root; at; at = rattle__method_inside(at))
    if (at->id == RATTLE__METHOD_adaptive) return 1;
  return 0;
}

const char *rattle__method_given_name(const rattle__node *node) {
  const rattle_method_parameter *parameter = rattle__method_row(node->id)->parameter;
  for (int i = 0; i < node->arguments; i++)
    if (parameter[i].type == RATTLE_TAKES_NAME) return node->argument[i].word;
  return NULL;
}

int rattle__method_unresolved(const rattle__node *node) {
  while (rattle__method_inside(node)) node = rattle__method_inside(node);
  return rattle__method_given_name(node) && !node->given;
}

rattle__node *rattle__method_nodes(rattle_method *method) {
  return method->root;
}

const rattle__node *rattle__method_root(const rattle_method *method) {
  return method->root;
}
