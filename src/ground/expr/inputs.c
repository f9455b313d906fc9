/* See inputs.h. */
#include "ground/expr/inputs.h"

#include <math.h>
#include <stdlib.h>

#include "ground/expr/graph.h"
#include "ground/expr/op.h"

static const double exact_below = 0x1p53;

/* The last node becomes input e = op(a, b). */
static rattle_expr enter(rattle_graph *graph, rattle__input input) {
  if (!input.e) return RATTLE_EXPR_NONE;
  if (graph->inputs == graph->inputs_room) {
    const int room = graph->inputs_room ? 2 * graph->inputs_room : 16;
    rattle__input *grown = realloc(graph->input, (size_t)room * sizeof *grown);
    if (!grown) return RATTLE_EXPR_NONE;
    graph->input = grown, graph->inputs_room = room;
  }
  graph->input[graph->inputs++] = input;
  return input.e;
}

rattle_expr rattle__input_make(rattle_graph *graph, double value, int whole) {
  return enter(graph, (rattle__input){.e = rattle__constant_apart(graph, value),
                                      .whole = (unsigned char)whole});
}

rattle_expr rattle__input_of(rattle_graph *graph, rattle_expr of, double value) {
  for (int k = 0; k < graph->inputs; k++)
    if (graph->input[k].of == of) return graph->input[k].e;
  return enter(graph, (rattle__input){.e = rattle__constant_apart(graph, value), .of = of});
}

double rattle__input_value(rattle_op op, double a, double b) {
  return op == RATTLE_OP_POW && b == 2 ? a * a : rattle__op_apply(op, a, b);
}

static double value_of(const rattle_graph *graph, const rattle__input *input) {
  return rattle__input_value((rattle_op)input->op, rattle__value(graph, input->a),
                             input->b ? rattle__value(graph, input->b) : 0);
}

static int is_whole(const rattle_graph *graph, rattle_expr e) {
  const int at = e ? rattle__which_input(graph, e) : -1;
  return at >= 0 && graph->input[at].whole;
}

/* Brings op(a, b) to a form that is the same for equal values: x^2 becomes x*x, -1*x becomes -x. */
static void simplify(const rattle_graph *graph, rattle_op *op, rattle_expr *a, rattle_expr *b) {
  const double x = rattle__which_input(graph, *a) < 0 ? rattle__value(graph, *a) : 0;
  const double y = *b && rattle__which_input(graph, *b) < 0 ? rattle__value(graph, *b) : 0;
  if ((*op == RATTLE_OP_POW || *op == RATTLE_OP_POWI) && y == 2) *op = RATTLE_OP_MUL, *b = *a;
  if (*op == RATTLE_OP_MUL && x == -1) *op = RATTLE_OP_NEG, *a = *b, *b = RATTLE_EXPR_NONE;
  if (*op == RATTLE_OP_MUL && y == -1) *op = RATTLE_OP_NEG, *b = RATTLE_EXPR_NONE;
  if ((*op == RATTLE_OP_MUL || *op == RATTLE_OP_ADD) && *a > *b) {
    const rattle_expr first = *b;
    *b = *a, *a = first;
  }
}

/* The number that e is, if it is no input; else NaN. */
static double number_of(const rattle_graph *graph, rattle_expr e) {
  return e && rattle__which_input(graph, e) < 0 ? rattle__value(graph, e) : (double)NAN;
}

/* op(a, b) that is a constant from before whatever the values of inputs are, but for the sign of a
 * zero; NONE: it is none. */
static rattle_expr known_result(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  const double x = number_of(graph, a), y = number_of(graph, b);
  const int at = rattle__which_input(graph, a);
  if ((op == RATTLE_OP_MUL && (x == 0 || y == 0)) || (op == RATTLE_OP_SUB && a == b) ||
      (op == RATTLE_OP_DIV && x == 0))
    return rattle_expr_constant(graph, 0);
  if ((op == RATTLE_OP_ADD && x == 0) || (op == RATTLE_OP_MUL && x == 1)) return b;
  if (((op == RATTLE_OP_ADD || op == RATTLE_OP_SUB) && y == 0) ||
      ((op == RATTLE_OP_MUL || op == RATTLE_OP_DIV) && y == 1))
    return a;
  return op == RATTLE_OP_NEG && at >= 0 && graph->input[at].op == RATTLE_OP_NEG &&
                 graph->input[at].a
             ? graph->input[at].a
             : RATTLE_EXPR_NONE;
}

rattle_expr rattle__input_derive(rattle_graph *graph, rattle_op op, rattle_expr a, rattle_expr b) {
  const rattle_expr found = known_result(graph, op, a, b);
  if (found) return found;
  simplify(graph, &op, &a, &b);
  for (int k = 0; k < graph->inputs; k++) {
    const rattle__input *known = &graph->input[k];
    if (known->a == a && known->b == b && known->op == op) return known->e;
  }
  rattle__input new = {.a = a, .b = b, .op = (unsigned char)op};
  const int of_whole =
      op == RATTLE_OP_ADD || op == RATTLE_OP_SUB || op == RATTLE_OP_MUL || op == RATTLE_OP_NEG;
  new.whole = of_whole && (is_whole(graph, a) || is_whole(graph, b));
  const double value = value_of(graph, &new);
  if (!isfinite(value)) graph->unlike = 1;
  new.e = rattle__constant_apart(graph, isfinite(value) ? value : 1);
  return enter(graph, new);
}

void rattle__input_set(rattle_graph *graph, rattle_expr e, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  graph->key[e] = (rattle__expr_key){{(uint32_t)(bits >> 32), (uint32_t)bits}};
}

/* The operand `which` of a binary operation, if it is constant and the other operand is not; else
 * NONE. */
static rattle_expr constant_of(const rattle_graph *graph, rattle_expr e, int which) {
  if (rattle__arity(rattle__op(graph, e)) != 2) return RATTLE_EXPR_NONE;
  const rattle_expr a = rattle_expr_operand(graph, e, which),
                    b = rattle_expr_operand(graph, e, 1 - which);
  return rattle__is_constant(graph, a) && !rattle__is_constant(graph, b) ? a : RATTLE_EXPR_NONE;
}

/* Lists node e, whose operand `which` is constant c, with those before it that differ in this
 * constant alone; last [count + 1], before [count + 1]: operations with a constant by their other
 * operand, the last one and the one before each. 0 if there is no memory. */
static int list_rivals(rattle_graph *graph, rattle_expr e, int which, rattle_expr c,
                       rattle_expr *last, rattle_expr *before) {
  const int at = rattle__which_input(graph, c);
  const rattle_op op = rattle__op(graph, e);
  rattle_expr *list = &last[rattle_expr_operand(graph, e, 1 - which)];
  if (at >= 0) graph->input[at].factor |= op == RATTLE_OP_MUL || op == RATTLE_OP_DIV;
  for (rattle_expr f = *list; f; f = before[f]) {
    const rattle_expr d =
        rattle__op(graph, f) == op ? constant_of(graph, f, which) : RATTLE_EXPR_NONE;
    if (!d || d == c || (at < 0 && rattle__which_input(graph, d) < 0)) continue;
    if (graph->rivals == graph->rivals_room) {
      const int room = graph->rivals_room ? 2 * graph->rivals_room : 8;
      rattle__rivals *grown = realloc(graph->rival, (size_t)room * sizeof *grown);
      if (!grown) return 0;
      graph->rival = grown, graph->rivals_room = room;
    }
    graph->rival[graph->rivals++] = (rattle__rivals){c, d};
  }
  before[e] = *list;
  *list = e;
  return 1;
}

int rattle__inputs_watch(rattle_graph *graph) {
  if (!graph->inputs) return 1;
  rattle_expr *last = calloc(2 * ((size_t)graph->count + 1), sizeof *last),
              *before = last + graph->count + 1;
  int done = last != NULL;
  graph->rivals = 0;
  for (rattle_expr e = 1; e <= graph->count && !graph->unlike && done; e++)
    for (int which = 0; which < 2 && done; which++) {
      const rattle_expr c = constant_of(graph, e, which);
      if (c) done = list_rivals(graph, e, which, c, last, before);
    }
  free(last);
  return done;
}

int rattle__inputs_update(rattle_graph *graph) {
  int good = 1;
  for (int k = 0; k < graph->inputs; k++) {
    const rattle__input *input = &graph->input[k];
    if (input->a) rattle__input_set(graph, input->e, value_of(graph, input));
    const double value = rattle__value(graph, input->e);
    good &= isfinite(value) && !(value == 0 && signbit(value)) &&
            !(input->whole && fabs(value) >= exact_below);
    good &= !(graph->crowded && input->factor && fabs(value) == 1);
  }
  for (int k = 0; k < graph->rivals; k++)
    good &= rattle__value(graph, graph->rival[k].a) != rattle__value(graph, graph->rival[k].b);
  return good;
}

int rattle__inputs_take(rattle_graph *graph, const rattle_graph *from) {
  int good = 1;
  for (int k = 0; k < graph->inputs; k++) {
    const rattle_expr of = graph->input[k].of;
    if (of) rattle__input_set(graph, graph->input[k].e, rattle__value(from, of));
  }
  good = rattle__inputs_update(graph);
  for (int k = 0; k < graph->inputs; k++) {
    int exponent;
    const double value = rattle__value(graph, graph->input[k].e);
    good &= value != 0 && fabs(frexp(value, &exponent)) != 0.5;
  }
  return good;
}

int rattle__input_number(const rattle_graph *graph, rattle_expr e) {
  return rattle__which_input(graph, e);
}

double rattle__input_present(const rattle_graph *graph, int k) {
  return rattle__value(graph, graph->input[k].e);
}

int rattle__graph_inputs(const rattle_graph *graph) {
  return graph->inputs;
}

int rattle__graph_is_unlike(const rattle_graph *graph) {
  return graph->unlike;
}

void rattle__inputs_forget(rattle_graph *graph) {
  graph->inputs = graph->rivals = 0;
  graph->unlike = 0;
}
