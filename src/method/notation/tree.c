/* Trees of methods: the map, the field and the node inside a node. */
#include <stdlib.h>

#include "method/notation/method.h"

const rattle__node *rattle__method_inside(const rattle__node *node) {
  const int holds = node->kind == RATTLE__WRAPPER || node->kind == RATTLE__COMPOSITION ||
                    node->kind == RATTLE__SAMPLER;
  return holds && node->row->parameter[0].type == RATTLE_TAKES_MAP ? node->argument[0].node : NULL;
}

const rattle__node *rattle__method_field(const rattle__node *node) {
  for (int i = 0; i < node->arguments; i++)
    if (node->argument[i].node && node->argument[i].node->kind == RATTLE__FIELD)
      return node->argument[i].node;
  return NULL;
}

const rattle__node *rattle__method_field_below(const rattle__node *node) {
  while (rattle__method_inside(node)) node = rattle__method_inside(node);
  return rattle__method_field(node);
}

void rattle__node_destroy(rattle__node *node) {
  if (!node) return;
  for (int i = 0; i < RATTLE_PARAMETERS; i++) rattle__node_destroy(node->argument[i].node);
  free(node);
}

rattle__node *rattle__node_copy(const rattle__node *node) {
  rattle__node *copy = malloc(sizeof *copy);
  if (!copy) return NULL;
  *copy = *node;
  copy->given = NULL;
  copy->found = (rattle_claims){0};
  copy->given_stages = 0;
  copy->fails = NULL;
  int failed = 0;
  for (int i = 0; i < RATTLE_PARAMETERS; i++) {
    const rattle__node *inside = node->argument[i].node;
    copy->argument[i].node = inside ? rattle__node_copy(inside) : NULL;
    failed |= inside && !copy->argument[i].node;
  }
  if (!failed) return copy;
  rattle__node_destroy(copy);
  return NULL;
}

const char *rattle__method_given_name(const rattle__node *node) {
  const rattle_method_parameter *parameter = node->row->parameter;
  for (int i = 0; i < node->arguments; i++)
    if (parameter[i].type == RATTLE_TAKES_NAME) return node->argument[i].word;
  return NULL;
}

int rattle__method_unresolved(const rattle__node *node) {
  while (rattle__method_inside(node)) node = rattle__method_inside(node);
  return rattle__method_given_name(node) && !node->given;
}
