/* Expressions as text that the model language reads back as the same operations in the same order.
 *
 * Parentheses stand only if precedence (^ over unary minus, * and / over + and -) or grouping from
 * the left (^: from the right) needs them; negative numbers count as a unary minus. Text is written
 * from the left, with a stack of the pieces still to come, and ends when the buffer is full: a
 * graph with endless text is no danger. */
#include "ground/expr/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/graph.h"

/* How tightly operations bind; an operand that binds less tightly than its place requires gets
 * parentheses. */
enum { BIND_ANY, BIND_SUM, BIND_PRODUCT, BIND_FACTOR, BIND_POWER, BIND_ATOM };

/* Something still to be printed: a literal, or an expression in a place that asks for a binding. */
typedef struct piece {
  const char *text; /* NULL: the expression */
  rattle_expr e;
  char bind, negated; /* negated: the absolute value of a constant (factor), after " - " */
} piece;

typedef struct printer {
  const rattle_graph *graph;
  const char *(*name)(void *context, int32_t index);
  void *context;
  char *buffer;
  size_t size, used;
  int failed; /* the text ends here: buffer full or no memory */
  piece *stack;
  size_t count, room;
} printer;

char *rattle__print_number(double value, char buffer[RATTLE__NUMBER]) {
  if (fabs(value) < 1e15 && value == nearbyint(value)) { /* 2000 rather than 2e+03 */
    snprintf(buffer, RATTLE__NUMBER, "%.0f", value);
    return buffer;
  }
  return rattle__number_shortest(value, buffer);
}

static void put(printer *out, const char *text) {
  size_t length = strlen(text), left = out->size - 1 - out->used;
  if (length > left) {
    length = left;
    out->failed = 1;
  }
  memcpy(out->buffer + out->used, text, length);
  out->used += length;
}

static void push(printer *out, piece what) {
  if (out->count == out->room) {
    size_t room = out->room ? 2 * out->room : 64;
    piece *stack = realloc(out->stack, room * sizeof *stack);
    if (!stack) {
      out->failed = 1;
      return;
    }
    out->stack = stack;
    out->room = room;
  }
  out->stack[out->count++] = what;
}

static void push_text(printer *out, const char *text) {
  push(out, (piece){.text = text});
}
static void push_expr(printer *out, rattle_expr e, int bind) {
  push(out, (piece){.e = e, .bind = (char)bind});
}

static int binding(const rattle_graph *g, rattle_expr e) {
  switch (rattle__op(g, e)) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    return BIND_SUM;
  case RATTLE_OP_MUL:
  case RATTLE_OP_DIV:
  case RATTLE_OP_NEG:
    return BIND_PRODUCT;
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    return BIND_POWER;
  case RATTLE_OP_CONSTANT:
    return signbit(rattle__value(g, e)) ? BIND_PRODUCT : BIND_ATOM;
  default:
    return BIND_ATOM;
  }
}

/* A negative constant, or a product or quotient that starts with one: to be subtracted rather than
 * added. */
static int starts_negative(const rattle_graph *g, rattle_expr e) {
  while (rattle__op(g, e) == RATTLE_OP_MUL || rattle__op(g, e) == RATTLE_OP_DIV)
    e = rattle__first(g, e);
  return rattle__is_constant(g, e) && signbit(rattle__value(g, e));
}

static void put_leaf(printer *out, rattle_expr e, int negated) {
  char number[RATTLE__NUMBER];
  if (rattle__is_constant(out->graph, e)) {
    double value = rattle__value(out->graph, e);
    put(out, rattle__print_number(negated ? -value : value, number));
    return;
  }
  int32_t index = rattle_expr_index(out->graph, e);
  const char *name = out->name ? out->name(out->context, index) : NULL;
  if (!name) snprintf(number, sizeof number, "x[%d]", (int)index);
  put(out, name ? name : number);
}

/* An operation is replaced by its parts, the last pushed first. */
static void open_operation(printer *out, rattle_expr e, int negated) {
  const rattle_graph *g = out->graph;
  rattle_op op = rattle__op(g, e);
  rattle_expr a = rattle__first(g, e), b = rattle__second(g, e);
  int flip;
  switch (op) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    flip = starts_negative(g, b);
    push(out, (piece){.e = b, .bind = BIND_PRODUCT, .negated = (char)flip});
    push_text(out, (op == RATTLE_OP_ADD) != flip ? " + " : " - ");
    push_expr(out, a, BIND_SUM);
    break;
  case RATTLE_OP_MUL:
  case RATTLE_OP_DIV:
    push_expr(out, b, BIND_FACTOR);
    push_text(out, rattle__symbol(op));
    push(out, (piece){.e = a, .bind = BIND_PRODUCT, .negated = (char)negated});
    break;
  case RATTLE_OP_NEG:
    push_expr(out, a, BIND_PRODUCT);
    push_text(out, "-");
    break;
  case RATTLE_OP_POW:
  case RATTLE_OP_POWI:
    push_expr(out, b, rattle__is_constant(g, b) ? BIND_ANY : BIND_POWER);
    push_text(out, "^");
    push_expr(out, a, BIND_ATOM);
    break;
  default:
    push_text(out, ")");
    if (rattle__arity(op) == 2) {
      push_expr(out, b, BIND_ANY);
      push_text(out, ", ");
    }
    push_expr(out, a, BIND_ANY);
    push_text(out, "(");
    push_text(out, rattle__symbol(op));
  }
}

static void put_piece(printer *out, piece what) {
  if (what.text) {
    put(out, what.text);
  } else if (!what.negated && binding(out->graph, what.e) < what.bind) {
    push_text(out, ")");
    push_expr(out, what.e, BIND_ANY);
    push_text(out, "(");
  } else if (rattle__arity(rattle__op(out->graph, what.e)) == 0) {
    put_leaf(out, what.e, what.negated);
  } else {
    open_operation(out, what.e, what.negated);
  }
}

char *rattle_expr_print(const rattle_graph *graph, rattle_expr e,
                        const char *(*name)(void *context, int32_t index), void *context,
                        char *buffer, size_t size) {
  if (size == 0) return buffer;
  printer out = {.graph = graph, .name = name, .context = context, .buffer = buffer, .size = size};
  if (rattle__valid(graph, e))
    push_expr(&out, e, BIND_ANY);
  else
    put(&out, "(none)");
  while (out.count > 0 && !out.failed) put_piece(&out, out.stack[--out.count]);
  free(out.stack);

  /* cut text ends in dots */
  if (out.failed) {
    size_t dots = size - 1 < 3 ? size - 1 : 3,
           at = size - 1 - dots < out.used ? size - 1 - dots : out.used;
    memcpy(buffer + at, "...", dots);
    out.used = at + dots;
  }
  buffer[out.used] = 0;
  return buffer;
}
