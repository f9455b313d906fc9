/* The values of a node's parameters, found by the declarations of its row. */
#include "method/notation/row.h"
#include "ground/support/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int index_of(const rattle__node *node, const char *name) {
  const rattle_method_parameter *parameter = node->row->parameter;
  for (int i = 0; parameter[i].name; i++)
    if (!strcmp(parameter[i].name, name)) return i;
  return -1;
}

double rattle__option_number(const rattle__node *node, const char *name) {
  const int i = index_of(node, name);
  return i < 0 || isnan(node->argument[i].number) ? 0 : node->argument[i].number;
}

const char *rattle__option_word(const rattle__node *node, const char *name) {
  const int i = index_of(node, name);
  return i < 0 ? "" : node->argument[i].word;
}

int rattle__projects_output(const rattle__node *node) {
  return !strcmp(rattle__option_word(node, "project"), "output");
}

const rattle_method_row *rattle__option_solver(const rattle__node *node) {
  const rattle_method_parameter *parameter = node->row->parameter;
  for (int i = 0; parameter[i].name; i++)
    if (parameter[i].type == RATTLE_TAKES_SOLVER)
      return rattle__method_find(node->argument[i].word, strlen(node->argument[i].word));
  return NULL;
}

double rattle__option_effect(const rattle__node *node, rattle_parameter_effect effect) {
  const rattle_method_parameter *parameter = node->row->parameter;
  for (int i = 0; parameter[i].name; i++)
    if (parameter[i].effect == effect && node->argument[i].number > 0)
      return node->argument[i].number;
  return 0;
}

/* The word of its options that makes a step depend on the one before, or -1. */
static int remembering(const rattle__node *node) {
  const rattle_method_parameter *parameter = node->row->parameter;
  for (int i = 0; parameter[i].name; i++)
    if (parameter[i].effect == RATTLE_REMEMBERS &&
        strcmp(node->argument[i].word, parameter[i].fallback) != 0)
      return i;
  return -1;
}

int rattle__remembers(const rattle__node *node) {
  return remembering(node) >= 0;
}

rattle__node rattle__method_forgetting(const rattle__node *node) {
  rattle__node forgetting = *node;
  const int word = remembering(node);
  if (word >= 0) rattle__option_default(&forgetting, word);
  return forgetting;
}

void rattle__option_default(rattle__node *node, int which) {
  const rattle_method_parameter *parameter = &node->row->parameter[which];
  const char *fallback = parameter->fallback;
  const int number =
      parameter->type == RATTLE_TAKES_INTEGER || parameter->type == RATTLE_TAKES_NUMBER;
  rattle__argument *argument = &node->argument[which];
  *argument = (rattle__argument){.number = number && fallback && fallback[0]
                                               ? rattle__number_read(fallback, NULL)
                                               : (double)NAN};
  if (!number && fallback) strncat(argument->word, fallback, sizeof argument->word - 1);
}

void rattle__option_note(rattle__node *node, int which) {
  rattle__argument *argument = &node->argument[which];
  const char *fallback = node->row->parameter[which].fallback;
  argument->given = argument->node || !fallback ||
                    (isnan(argument->number)
                         ? strcmp(argument->word, fallback) != 0
                         : !fallback[0] || argument->number != rattle__number_read(fallback, NULL));
}

int rattle__method_bath(const rattle__node *node, rattle__bath *bath) {
  if (node->kind != RATTLE__SAMPLER) return 0;
  const rattle__sampler *own = rattle__sampler_of(node->row);
  return own->bath && own->bath(node, bath);
}

const rattle__node *rattle__method_steps(const rattle__node *node) {
  const rattle__node *map = node->kind == RATTLE__SAMPLER ? rattle__method_inside(node) : NULL;
  return map ? map : node;
}

rattle__node rattle__method_plain(const rattle__node *node) {
  const rattle_method_parameter *parameter = node->row->parameter;
  rattle__node plain = *node;
  plain.compensated = plain.quad = 0;
  for (int i = 0; parameter[i].name; i++)
    if (parameter[i].option && parameter[i].type != RATTLE_TAKES_WORD)
      rattle__option_default(&plain, i);
  return plain;
}

static const rattle__solver as_fits = {.renewal = RATTLE__AS_FITS};
const rattle__solving rattle__automatic = {&as_fits, "auto", 0};

rattle__solving rattle__method_solving(const rattle__node *node) {
  const rattle_method_row *row = rattle__option_solver(node);
  if (!row) return rattle__automatic;
  return (rattle__solving){rattle__solver_of(row), row->name,
                           rattle__option_effect(node, RATTLE_LOOSENS)};
}

int rattle__is_automatic(const rattle__solving *solving) {
  const rattle__solver *s = solving->solver;
  return s->renewal == RATTLE__AS_FITS && !s->general && !s->symmetric && !s->sweeps &&
         solving->tol == 0;
}
