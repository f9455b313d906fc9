/* A function as expressions again: what it adds up, term by term, in its own order. */
#include <math.h>
#include <stdlib.h>

#include "ground/expr/family.h"
#include "ground/expr/graph.h"
#include "ground/expr/inputs.h"
#include "ground/support/error.h"

static rattle_expr settable(const rattle__family *f, int i, int k, rattle_graph *graph);

/* Operand a of a settable parameter; a < 0: the number. */
static rattle_expr operand(const rattle__family *f, int i, int a, double number,
                           rattle_graph *graph) {
  return a < 0 ? rattle_expr_constant(graph, number) : settable(f, i, a, graph);
}

/* Settable parameter k of instance i as an input. */
static rattle_expr settable(const rattle__family *f, int i, int k, rattle_graph *graph) {
  const rattle__settable_parameter *s = &f->settable[k];
  const size_t first = (size_t)(f->params - f->settables);
  if (s->hole >= 0) {
    const size_t at = (size_t)i * (size_t)f->holes + (size_t)s->hole;
    const double value = f->param[(size_t)i * (size_t)f->params + first + (size_t)k];
    return f->input[at] ? rattle__input_of(graph, f->input[at], value)
                        : rattle_expr_constant(graph, value);
  }
  const int two = rattle__arity(s->op) == 2;
  const rattle_expr a = operand(f, i, s->a, s->number_a, graph),
                    b = two ? operand(f, i, s->b, s->number_b, graph) : RATTLE_EXPR_NONE;
  if (!a || (two && !b)) return RATTLE_EXPR_NONE;
  if (rattle__input_number(graph, a) >= 0 || (b && rattle__input_number(graph, b) >= 0))
    return rattle__input_derive(graph, s->op, a, b);
  return rattle_expr_constant(graph, rattle__input_value(s->op, rattle_expr_value(graph, a),
                                                         b ? rattle_expr_value(graph, b) : 0));
}

/* a/2^k as a 2^-k: programs with numbers have no other (program.c). */
static rattle_expr binary(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  int exponent;
  if (op != RATTLE_OP_DIV || !b || rattle_expr_op(graph, b) != RATTLE_OP_CONSTANT ||
      rattle__input_number(graph, b) >= 0)
    return rattle_expr_binary(graph, op, a, b);
  const double by = rattle_expr_value(graph, b);
  if (!isfinite(by) || fabs(frexp(by, &exponent)) != 0.5 || abs(exponent) >= 1000)
    return rattle_expr_binary(graph, op, a, b);
  return rattle_expr_binary(graph, RATTLE_OP_MUL, a, rattle_expr_constant(graph, 1 / by));
}

/* Parameter j of instance i. */
static rattle_expr parameter(const rattle__family *f, int i, int j, rattle_graph *graph,
                             int inputs) {
  const int k = j - (f->params - f->settables);
  return inputs && k >= 0
             ? settable(f, i, k, graph)
             : rattle_expr_constant(graph, f->param[(size_t)i * (size_t)f->params + (size_t)j]);
}

/* The term of instance i, in the registers at[]. */
static rattle_expr term(const rattle__family *f, int i, rattle_graph *graph,
                        const rattle_expr *column, int inputs, rattle_expr *at) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  rattle_expr *next = at;
  for (int j = 0; j < p->slots; j++)
    *next++ = column[f->slot[(size_t)i * (size_t)f->slots + (size_t)p->slot[j]]];
  for (int j = 0; j < p->params; j++) *next++ = parameter(f, i, p->param[j], graph, inputs);
  for (int j = 0; j < p->constants; j++) *next++ = rattle_expr_constant(graph, p->constant[j]);
  for (const rattle__code *c = p->code; c < p->code + p->length; c++)
    at[c->to] = c->op < RATTLE_OP_NEG ? binary(graph, (rattle_op)c->op, at[c->a], at[c->b])
                                      : rattle_expr_unary(graph, (rattle_op)c->op, at[c->a]);
  return at[p->out[0]];
}

static rattle_status rows(const rattle__function *f, rattle_graph *graph, const rattle_expr *column,
                          int inputs, rattle_expr *row, rattle_error *error) {
  const rattle__elements *e = rattle__function_elements(f);
  rattle_expr *at = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *at);
  int failed = !at;
  for (int r = 0; r < f->rows; r++) row[r] = RATTLE_EXPR_NONE;
  for (int k = 0; k < e->families && !failed; k++)
    for (int i = 0; i < e->family[k].count && !failed; i++) {
      const rattle_expr added = term(&e->family[k], i, graph, column, inputs, at);
      rattle_expr *sum = &row[e->family[k].row[i]];
      *sum = *sum ? rattle_expr_binary(graph, RATTLE_OP_ADD, *sum, added) : added;
      failed = !*sum;
    }
  for (int r = 0; r < f->rows && !failed; r++)
    if (!row[r]) failed = !(row[r] = rattle_expr_constant(graph, 0));
  free(at);
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__function_rows(const rattle__function *f, rattle_graph *graph,
                                    const rattle_expr *column, rattle_expr *row,
                                    rattle_error *error) {
  return rows(f, graph, column, 0, row, error);
}

rattle_status rattle__function_rows_with_inputs(const rattle__function *f, rattle_graph *graph,
                                                const rattle_expr *column, rattle_expr *row,
                                                rattle_error *error) {
  return rows(f, graph, column, 1, row, error);
}
