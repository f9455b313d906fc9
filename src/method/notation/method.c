/* Parsed method expressions. */
#include "method/notation/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/support/number.h"

struct rattle_method {
  rattle__node *root;
  char *text;
  size_t size; /* of text's room, in which an option of the outermost map can be added */
  void *held;  /* what has the coefficients that the model gives; NULL: nothing */
  void (*leave)(void *held);
};

/* Parses and prints into a new object. */
static rattle_status create(rattle_method *method, const char *expression, rattle_error *error) {
  rattle_error failure = {.status = RATTLE_OK};
  method->root = rattle__method_parse(expression, &failure);
  if (!method->root) {
    if (error) *error = failure;
    return failure.status;
  }
  /* the canonical text of an argument is at most twice as long as the text read: .1 becomes 0.1,
   * "," becomes ", " */
  method->size = 2 * strlen(expression) + 64;
  method->text = malloc(method->size);
  if (!method->text) return rattle__no_memory(error);
  rattle__put_node(&(rattle__text){method->text, method->size}, method->root);
  return RATTLE_OK;
}

rattle_status rattle_method_parse(rattle_method **method, const char *expression,
                                  rattle_error *error) {
  *method = NULL;
  if (!expression)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "rattle_method_parse",
                        "the method expression is NULL");
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

rattle_status rattle__method_copy(rattle_method **copy, const rattle_method *method,
                                  rattle_error *error) {
  rattle_method *made = *copy = calloc(1, sizeof *made);
  if (!made) return rattle__no_memory(error);
  made->root = rattle__node_copy(method->root);
  made->text = malloc(method->size);
  made->size = method->size;
  if (made->text) strcpy(made->text, method->text);
  if (made->root && made->text) return RATTLE_OK;
  rattle_method_destroy(copy);
  return rattle__no_memory(error);
}

void rattle_method_destroy(rattle_method **method) {
  if (!method || !*method) return;
  rattle__node_destroy((*method)->root);
  rattle__method_hold(*method, NULL, NULL);
  free((*method)->text);
  free(*method);
  *method = NULL;
}

void rattle__method_hold(rattle_method *method, void *held, void (*leave)(void *held)) {
  if (method->held) method->leave(method->held);
  method->held = held;
  method->leave = leave;
}

const char *rattle_method_text(const rattle_method *method) {
  return method->text;
}

void rattle_method_compensate(rattle_method *method) {
  if (method->root->quad) return;
  method->root->compensated = 1;
  rattle__put_node(&(rattle__text){method->text, method->size}, method->root);
}

rattle_claims rattle_method_claims(const rattle_method *method) {
  return rattle__method_claims(method->root);
}

int rattle_method_adapts(const rattle_method *method) {
  for (const rattle__node *at = method->root; at; at = rattle__method_inside(at))
    if (at->kind == RATTLE__WRAPPER && rattle__wrapper_of(at->row)->adapts) return 1;
  return 0;
}

int rattle_method_samples(const rattle_method *method) {
  return method->root->kind == RATTLE__SAMPLER;
}

rattle__node *rattle__method_nodes(rattle_method *method) {
  return method->root;
}

const rattle__node *rattle__method_root(const rattle_method *method) {
  return method->root;
}
