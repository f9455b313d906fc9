/* See once.h. */
#include "ground/expr/once.h"

#include <stdlib.h>

#include "ground/expr/family.h"
#include "ground/expr/op.h"

struct rattle__once {
  rattle__program program;
};

/* The program of all rows, whose variable c is column c. */
static int compile(rattle__once *s, const rattle__function *f, rattle_graph *graph) {
  rattle_expr *column = malloc(((size_t)f->vars + 1) * sizeof *column),
              *row = malloc(((size_t)f->rows + 1) * sizeof *row);
  int failed = !column || !row;
  for (int c = 0; c < f->vars && !failed; c++)
    failed = !(column[c] = rattle_expr_variable(graph, c));
  failed = failed || rattle__function_rows(f, graph, column, row, NULL) ||
           rattle__program_compile(&s->program, graph, f->vars, row, f->rows);
  free(column), free(row);
  return failed ? -1 : 0;
}

int rattle__once_create(rattle__once **once, const rattle__function *f) {
  *once = NULL;
  if (!f->elements || rattle__elements_operations(f->elements, 1) > RATTLE__TAPE_MOST) return 1;
  rattle_graph *graph = NULL;
  rattle__once *s = calloc(1, sizeof *s);
  int answer = s && !rattle_graph_create(&graph, NULL) ? compile(s, f, graph) : -1;
  rattle_graph_destroy(&graph);
  *once = s;
  if (answer) rattle__once_destroy(once);
  return answer;
}

void rattle__once_destroy(rattle__once **once) {
  if (!*once) return;
  rattle__program_release(&(*once)->program);
  free(*once);
  *once = NULL;
}

size_t rattle__once_room(const rattle__once *once) {
  return (size_t)once->program.registers;
}

void rattle__once_value(const rattle__once *once, const double *x, double *F, double *room) {
  const rattle__program *p = &once->program;
  double *to = room;
  for (int j = 0; j < p->slots; j++) *to++ = x[p->slot[j]];
  for (int j = 0; j < p->constants; j++) *to++ = p->constant[j];
  for (const rattle__code *c = p->code, *end = c + p->length; c < end; c++)
    room[c->to] = rattle__op_apply((rattle_op)c->op, room[c->a], room[c->b]);
  for (int r = 0; r < p->outs; r++) F[r] = room[p->out[r]];
}
