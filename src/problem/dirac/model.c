/* The model's expressions in the algorithm's graph. Constants that stand for a number near them
 * become parameters. */
#include <math.h>
#include <stdlib.h>

#include "problem/dirac/dirac.h"
#include "ground/expr/graph.h"
#include "ground/expr/walk.h"
#include "ground/support/error.h"

/* True for multiples of 2^-10, which are taken to be exact; 0.1, pi and the results of arithmetic
 * are rounded. */
static int is_exact(double value) {
  const double grain = 1024, largest = 1e9;
  return fabs(value) < largest && value * grain == floor(value * grain);
}

static rattle_expr constant(rattle__dirac *d, double value) {
  if (is_exact(value) || !isfinite(value)) return rattle_expr_constant(d->graph, value);
  if (d->parameters == d->parameter_room) {
    int room = 2 * d->parameter_room + 16;
    double *larger = realloc(d->parameter, (size_t)room * sizeof *larger);
    if (!larger) return RATTLE_EXPR_NONE;
    d->parameter = larger;
    d->parameter_room = room;
  }
  d->parameter[d->parameters] = value;
  return rattle_expr_variable(d->graph, d->vars + d->parameters++);
}

/* Exponents are taken as they are. */
static rattle_expr copy_node(rattle__dirac *d, rattle_expr e, const rattle_expr *to) {
  const rattle_graph *g = d->model->graph;
  rattle_expr child[2];
  rattle_op op = rattle__op(g, e);
  int arity = rattle__operands(g, e, child);
  if (op == RATTLE_OP_CONSTANT) return constant(d, rattle__value(g, e));
  if (op == RATTLE_OP_VARIABLE) return rattle_expr_variable(d->graph, rattle_expr_index(g, e));
  if (arity == 1) return rattle_expr_unary(d->graph, op, to[child[0]]);
  if ((op == RATTLE_OP_POW || op == RATTLE_OP_POWI) && rattle__is_constant(g, child[1]))
    return rattle_expr_binary(d->graph, op, to[child[0]],
                              rattle_expr_constant(d->graph, rattle__value(g, child[1])));
  return rattle_expr_binary(d->graph, op, to[child[0]], to[child[1]]);
}

/* Copies an expression; to[] holds the copies of nodes made so far. */
static rattle_status copy(rattle__dirac *d, rattle_expr from, rattle_expr *to, rattle_expr *result,
                          rattle_error *error) {
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, d->model->graph, from, rattle__operands);
  for (size_t i = 0; i < walk.count && !status; i++) {
    rattle_expr e = walk.node[i];
    if (!to[e]) to[e] = copy_node(d, e, to);
    if (!to[e]) status = RATTLE_NO_MEMORY;
  }
  rattle__walk_end(&walk);
  *result = status ? RATTLE_EXPR_NONE : to[from];
  return status ? rattle__no_memory(error) : RATTLE_OK;
}

rattle_status rattle__dirac_read(rattle__dirac *d, rattle_error *error) {
  const rattle_model *model = d->model;
  rattle_expr *to = calloc((size_t)rattle_graph_count(model->graph) + 1, sizeof *to), e;
  rattle_status status = to ? RATTLE_OK : rattle__no_memory(error);
  if (!status) status = copy(d, model->hamiltonian, to, &d->motion.e, error);
  if (!status) status = rattle__chi_gradient(d, &d->motion, error);
  for (int i = 0; i < d->m && !status; i++) {
    status = copy(d, model->constraint[i].expr, to, &e, error);
    if (!status) status = rattle__add_chi(d, e, 0, i, model->constraint[i].name, error);
  }
  free(to);
  return status;
}

int rattle__is_number(rattle__dirac *d, rattle_expr e) {
  const rattle_graph *g = d->graph;
  uint32_t count = rattle_graph_count(g);
  if (e > d->judged) {
    unsigned char *larger = realloc(d->number, (size_t)count + 1);
    if (!larger) return 0;
    d->number = larger;
    for (rattle_expr k = d->judged + 1; k <= count; k++) {
      rattle_expr child[2];
      int arity = rattle__operands(g, k, child);
      larger[k] = rattle__op(g, k) != RATTLE_OP_VARIABLE || rattle_expr_index(g, k) >= d->vars;
      for (int i = 0; i < arity; i++) larger[k] &= larger[child[i]];
    }
    d->judged = count;
  }
  return d->number[e];
}
