/* Values of many expressions as one program, in which what they share is done once: the places of
 * bodies along a chain, each of which follows from those before. There are no derivatives, whose
 * pattern alone would have as many entries as all rows together have variables; the pattern has the
 * columns from `first` on, in row 0.
 *
 * Bits       those of the expressions
 * Cost       an operation for each node, in time and in memory */
#include "ground/expr/shared.h"

#include <stdlib.h>

#include "ground/expr/family.h"
#include "ground/expr/inputs.h"
#include "ground/expr/op.h"
#include "ground/expr/walk.h"
#include "ground/support/error.h"

typedef struct one_program {
  rattle__function f;
  rattle__program program; /* its slots are columns of x */
  int *index;              /* jac_ptr, jac_col */
} one_program;

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  const rattle__program *p = &((const one_program *)f->self)->program;
  double *to = work;
  for (int j = 0; j < p->slots; j++) *to++ = x[p->slot[j]];
  for (int j = 0; j < p->constants; j++) *to++ = p->constant[j];
  for (const rattle__code *c = p->code, *end = c + p->length; c < end; c++)
    work[c->to] = rattle__op_apply((rattle_op)c->op, work[c->a], work[c->b]);
  for (int r = 0; r < p->outs; r++) F[r] = work[p->out[r]];
  return 0;
}

static void destroy(rattle__function *f) {
  one_program *s = f->self;
  rattle__program_release(&s->program);
  free(s->index);
  free(s);
}

/* The columns in the program's slots, and in the pattern those from `first` on. */
static rattle_status take_columns(one_program *s, const rattle__build *build, int first,
                                  rattle_error *error) {
  rattle__program *p = &s->program;
  int count = 0;
  if (p->params)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                        "an expression has a variable that must not occur in it");
  int *ptr = s->index = calloc((size_t)s->f.rows + 1 + (size_t)p->slots, sizeof *ptr);
  if (!ptr) return rattle__no_memory(error);
  int *col = ptr + s->f.rows + 1;
  for (int j = 0; j < p->slots; j++) {
    p->slot[j] = build->place[p->slot[j]];
    if (p->slot[j] < 0)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                          "an expression has a variable that must not occur in it");
    if (p->slot[j] >= first) col[count++] = p->slot[j];
  }
  for (int r = 1; r <= s->f.rows; r++) ptr[r] = count;
  s->f.jac_ptr = ptr, s->f.jac_col = col, s->f.jac_nnz = s->f.rows ? count : 0;
  return RATTLE_OK;
}

static rattle_status make_shared(rattle__function **f, const rattle_graph *graph,
                                 const rattle_expr *root, int rows, int first,
                                 const rattle__build *build, rattle_error *error) {
  one_program *s = calloc(1, sizeof *s);
  *f = NULL;
  if (!s) return rattle__no_memory(error);
  s->f = (rattle__function){
      .rows = rows, .vars = build->vars, .value = value, .destroy = destroy, .self = s};
  rattle_status status = rattle__program_compile(&s->program, graph, build->places, root, rows)
                             ? rattle__no_memory(error)
                             : take_columns(s, build, first, error);
  s->f.work = (size_t)s->program.registers + 1;
  if (status)
    destroy(&s->f);
  else
    *f = &s->f;
  return status;
}

/* -1: no memory. */
static int share_too_much(const rattle_graph *graph, const rattle_expr *root, int rows) {
  rattle__walk all;
  if (rattle__graph_inputs(graph)) return 0;
  const rattle_status status = rattle__walk_all(&all, graph, root, rows, rattle__operands);
  const size_t nodes = RATTLE__REPEATED * all.count,
               most = nodes > RATTLE__WRITTEN ? nodes : RATTLE__WRITTEN;
  rattle__walk_end(&all);
  return status ? -1 : !rattle__walks_within(graph, root, rows, most);
}

rattle_status rattle__function_of_values(rattle__function **f, rattle_graph *graph,
                                         const rattle_expr *root, int rows, int first,
                                         const rattle__build *build, rattle_error *error) {
  const int too_much = share_too_much(graph, root, rows);
  if (too_much < 0) return rattle__no_memory(error);
  return too_much ? make_shared(f, graph, root, rows, first, build, error)
                  : rattle__function_from_graph(f, graph, root, rows, build, error);
}
