/* Why an expression is not finite: from the root down to the first operation that makes something
 * infinite or undefined of finite operands, described in one clause with the values of the
 * variables in it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ground/expr/elements.h"
#include "ground/support/number.h"
#include "ground/expr/graph.h"
#include "ground/expr/print.h"
#include "ground/expr/walk.h"

enum { SHOWN_VARIABLES = 8, SHOWN_TEXT = 160 };

/* Text about an expression of `graph` at x, written into the caller's buffer and cut when the
 * buffer is full. */
typedef struct clause {
  const rattle_graph *graph;
  const double *x;
  rattle__naming names;
  char *buffer;
  size_t size, used;
} clause;

static void say(clause *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(clause *c, const char *format, ...) {
  if (c->used + 1 >= c->size) return;
  va_list arguments;
  va_start(arguments, format);
  int length = rattle__format(c->buffer + c->used, c->size - c->used, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  c->used = (size_t)length < c->size - c->used ? c->used + (size_t)length : c->size - 1;
}

/* The fault of operation op with operands a and b (arity 2), all finite. */
static void say_fault(clause *c, rattle_op op, double a, double b) {
  char A[RATTLE__NUMBER], B[RATTLE__NUMBER];
  rattle__print_number(a, A);
  rattle__print_number(b, B);
  int power = op == RATTLE_OP_POW || op == RATTLE_OP_POWI;
  if (op == RATTLE_OP_DIV && b == 0)
    say(c, "division by 0");
  else if (power && (a == 0 || (a < 0 && b != nearbyint(b))))
    say(c, "%s to the power %s", A, B);
  else if (op == RATTLE_OP_SQRT || op == RATTLE_OP_LOG || op == RATTLE_OP_ASIN ||
           op == RATTLE_OP_ACOS)
    say(c, "%s of %s", rattle__symbol(op), A);
  else if (op == RATTLE_OP_ATLEAST || op == RATTLE_OP_ATMOST)
    say(c, "%s lies %s %s, the %s of its range,", A, op == RATTLE_OP_ATLEAST ? "below" : "above", B,
        op == RATTLE_OP_ATLEAST ? "start" : "end");
  else if (power || rattle__arity(op) == 1)
    say(c, power ? "overflow of %s^%s" : "overflow of %s(%s)", power ? A : rattle__symbol(op),
        power ? B : A);
  else
    say(c, "overflow of %s %s %s", A, rattle__symbol(op), B);
}

/* ", where x = 1, y = 2": the variables below e, the first few of them. */
static void say_variables(clause *c, rattle_expr e) {
  const rattle_graph *g = c->graph;
  rattle__walk walk;
  char text[SHOWN_TEXT], number[RATTLE__NUMBER];
  int shown = 0;
  if (rattle__walk_begin(&walk, g, e, rattle__operands) == RATTLE_OK)
    for (size_t i = 0; i < walk.count && shown <= SHOWN_VARIABLES; i++) {
      int32_t index = rattle_expr_index(g, walk.node[i]);
      if (index < 0) continue;
      if (shown++ == SHOWN_VARIABLES) {
        say(c, ", ...");
        break;
      }
      rattle_expr_print(g, walk.node[i], c->names.of, c->names.context, text, sizeof text);
      say(c, "%s%s = %s", shown == 1 ? " where " : ", ", text,
          rattle__print_number(c->x[index], number));
    }
  rattle__walk_end(&walk);
}

/* From the root, whose value is not finite, down while an operand is not finite either. value[i]
 * belongs to node i. */
static rattle_expr culprit(const rattle_graph *g, const rattle__walk *walk, const double *value) {
  rattle_expr e = walk->top;
  for (;;) {
    rattle_expr child[2], next = RATTLE_EXPR_NONE;
    int arity = rattle__operands(g, e, child);
    for (int k = arity; k-- > 0;)
      if (!isfinite(value[rattle__place(walk, child[k]) - 1])) next = child[k];
    if (!next) return e;
    e = next;
  }
}

static void describe(clause *c, const rattle__walk *walk, rattle_expr e, const double *value) {
  const rattle_graph *g = c->graph;
  char text[SHOWN_TEXT], number[RATTLE__NUMBER];
  rattle_expr child[2];
  int arity = rattle__operands(g, e, child);
  rattle_expr_print(g, e, c->names.of, c->names.context, text, sizeof text);
  if (arity == 0) {
    rattle__print_number(value[rattle__place(walk, e) - 1], number);
    if (rattle__is_constant(g, e))
      say(c, "the constant %s", number);
    else
      say(c, "%s is %s", text, number);
    return;
  }
  double a = value[rattle__place(walk, child[0]) - 1],
         b = arity == 2 ? value[rattle__place(walk, child[1]) - 1] : 0;
  say_fault(c, rattle__op(g, e), a, b);
  say(c, " in %s", text);
  say_variables(c, e);
}

int rattle__domain_fault(const rattle_graph *graph, rattle_expr e, const double *x,
                         rattle__naming names, char *buffer, size_t size) {
  if (!rattle__valid(graph, e)) return 0;
  clause c = {.graph = graph, .x = x, .names = names, .buffer = buffer, .size = size};
  rattle__walk walk;
  rattle_status status = rattle__walk_begin(&walk, graph, e, rattle__operands);
  double *value = status ? NULL : malloc(walk.count * sizeof *value);
  int found = !value;
  if (value) {
    rattle__walk_evaluate(&walk, graph, x, value);
    found = !isfinite(value[walk.count - 1]);
    if (found) describe(&c, &walk, culprit(graph, &walk, value), value);
  } else {
    say(&c, "out of memory");
  }
  free(value);
  rattle__walk_end(&walk);
  return found;
}
