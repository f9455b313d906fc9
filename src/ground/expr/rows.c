/* A function as expressions again: what it adds up, term by term, in its own order. */
#include <stdlib.h>

#include "ground/expr/family.h"
#include "ground/support/error.h"

/* The term of instance i, in the registers at[]. */
static rattle_expr term(const rattle__family *f, int i, rattle_graph *graph,
                        const rattle_expr *column, rattle_expr *at) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  rattle_expr *next = at;
  for (int j = 0; j < p->slots; j++)
    *next++ = column[f->slot[(size_t)i * (size_t)f->slots + (size_t)p->slot[j]]];
  for (int j = 0; j < p->params; j++)
    *next++ =
        rattle_expr_constant(graph, f->param[(size_t)i * (size_t)f->params + (size_t)p->param[j]]);
  for (int j = 0; j < p->constants; j++) *next++ = rattle_expr_constant(graph, p->constant[j]);
  for (const rattle__code *c = p->code; c < p->code + p->length; c++)
    at[c->to] = c->op < RATTLE_OP_NEG
                    ? rattle_expr_binary(graph, (rattle_op)c->op, at[c->a], at[c->b])
                    : rattle_expr_unary(graph, (rattle_op)c->op, at[c->a]);
  return at[p->out[0]];
}

rattle_status rattle__function_rows(const rattle__function *f, rattle_graph *graph,
                                    const rattle_expr *column, rattle_expr *row,
                                    rattle_error *error) {
  const rattle__elements *e = rattle__function_elements(f);
  rattle_expr *at = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *at);
  int failed = !at;
  for (int r = 0; r < f->rows; r++) row[r] = RATTLE_EXPR_NONE;
  for (int k = 0; k < e->families && !failed; k++)
    for (int i = 0; i < e->family[k].count && !failed; i++) {
      const rattle_expr added = term(&e->family[k], i, graph, column, at);
      rattle_expr *sum = &row[e->family[k].row[i]];
      *sum = *sum ? rattle_expr_binary(graph, RATTLE_OP_ADD, *sum, added) : added;
      failed = !*sum;
    }
  for (int r = 0; r < f->rows && !failed; r++)
    if (!row[r]) failed = !(row[r] = rattle_expr_constant(graph, 0));
  free(at);
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}
