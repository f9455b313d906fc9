/* Parameters that are functions of inputs: how they follow from the holes of an instance, in the
 * order of their making. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/graph.h"
#include "ground/expr/inputs.h"

/* Operand e: its place among the settable parameters, -1 for a number; *number: its value. */
static int operand(const rattle_graph *graph, rattle_expr e, double *number) {
  *number = e ? rattle__value(graph, e) : 0;
  return e ? rattle__which_input(graph, e) : -1;
}

static rattle__settable_parameter settable_of(const rattle_graph *graph, const rattle__input *input,
                                              const rattle_expr *of_hole, int holes) {
  rattle__settable_parameter r = {.hole = -1, .op = (rattle_op)input->op, .a = -1, .b = -1};
  if (input->a) {
    r.a = operand(graph, input->a, &r.number_a), r.b = operand(graph, input->b, &r.number_b);
    return r;
  }
  for (int h = 0; h < holes && r.hole < 0; h++)
    if (of_hole[h] == input->e) r.hole = h;
  return r;
}

/* Those of inputs follow the others; the directions of ALONG follow all. */
static void renumber(rattle__family *f, int others, int settables) {
  for (int kind = 0; kind < RATTLE__PROGRAMS; kind++)
    for (int j = 0; j < f->program[kind].params; j++) {
      int *param = &f->program[kind].param[j];
      *param = *param >= RATTLE__OF_INPUT ? others + *param - RATTLE__OF_INPUT
               : *param >= others         ? *param + settables
                                          : *param;
    }
}

int rattle__settables_make(rattle__family *f, const rattle_graph *graph,
                           const rattle_expr *of_hole) {
  const int others = f->params, settables = graph->inputs;
  if (!settables) return 0;
  const size_t params = (size_t)(others + settables);
  f->settable = malloc((size_t)settables * sizeof *f->settable);
  double *param = malloc((size_t)f->count * params * sizeof *param);
  if (!f->settable || !param) {
    free(param);
    return -1;
  }
  for (int k = 0; k < settables; k++)
    f->settable[k] = settable_of(graph, &graph->input[k], of_hole, f->holes);
  for (int i = 0; i < f->count; i++)
    memcpy(param + (size_t)i * params, f->param + (size_t)i * (size_t)others,
           (size_t)others * sizeof *param);
  renumber(f, others, settables);
  free(f->param);
  f->param = param, f->params = (int)params, f->settables = settables;
  return 0;
}

int rattle__family_set_values(rattle__family *f, const rattle_graph *of_function) {
  int good = 1;
  for (int i = 0; i < f->count && f->settables; i++) {
    double *to = f->param + (size_t)i * (size_t)f->params + f->params - f->settables;
    for (int k = 0; k < f->settables; k++) {
      const rattle__settable_parameter *r = &f->settable[k];
      const size_t at = (size_t)i * (size_t)f->holes + (size_t)(r->hole < 0 ? 0 : r->hole);
      if (r->hole >= 0)
        to[k] = f->input[at] ? rattle__value(of_function, f->input[at]) : f->hole[at];
      else
        to[k] = rattle__input_value(r->op, r->a < 0 ? r->number_a : to[r->a],
                                    r->b < 0 ? r->number_b : to[r->b]);
      good &= isfinite(to[k]) && to[k] != 0;
    }
  }
  return good;
}
