/* Expression graph to C statements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/export.h"

enum { DEEPEST = 10 }; /* operations nested in one printed expression */

/* Per node 0 .. top: how often it is used by what is printed; how deep it nests when printed;
 * number of its temporary, 0: none. */
typedef struct emitter {
  FILE *out;
  const rattle_graph *graph;
  rattle_expr top;
  int *uses, *depth, *temporary;
} emitter;

static int arity(rattle_op op) {
  static const int table[] = {
#define OP(name, arity, symbol) arity,
#include "rattle/ops.def"
#undef OP
  };
  return table[op];
}

static const char *symbol(rattle_op op) {
  static const char *const table[] = {
#define OP(name, arity, symbol) symbol,
#include "rattle/ops.def"
#undef OP
  };
  return table[op];
}

/* How strongly an operation binds in C: sums 1, products 2, the sign 3, calls and leaves 4. */
static int binding(const emitter *e, rattle_expr node) {
  if (e->temporary[node]) return 4;
  switch (rattle_expr_op(e->graph, node)) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    return 1;
  case RATTLE_OP_MUL:
  case RATTLE_OP_DIV:
    return 2;
  case RATTLE_OP_NEG:
    return 3;
  case RATTLE_OP_CONSTANT:
    return rattle_expr_value(e->graph, node) < 0 ? 3 : 4;
  default:
    return 4;
  }
}

static void print_constant(FILE *out, double value) {
  char text[40];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value) snprintf(text, sizeof text, "%.17g", value);
  if (isnan(value))
    fputs("NAN", out);
  else if (isinf(value))
    fputs(value > 0 ? "INFINITY" : "-INFINITY", out);
  else
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_node(const emitter *e, rattle_expr node);

static void print_operand(const emitter *e, rattle_expr node, int least) {
  int brackets = binding(e, node) < least;
  if (brackets) putc('(', e->out);
  print_node(e, node);
  if (brackets) putc(')', e->out);
}

static void print_call(const emitter *e, const char *name, rattle_expr a, rattle_expr b) {
  fprintf(e->out, "%s(", name);
  print_node(e, a);
  if (b != RATTLE_EXPR_NONE) fputs(", ", e->out), print_node(e, b);
  putc(')', e->out);
}

static void print_operation(const emitter *e, rattle_expr node) {
  rattle_op op = rattle_expr_op(e->graph, node);
  rattle_expr a = rattle_expr_operand(e->graph, node, 0),
              b = rattle_expr_operand(e->graph, node, 1);
  int own = op == RATTLE_OP_ADD || op == RATTLE_OP_SUB ? 1 : 2;
  switch (op) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
  case RATTLE_OP_MUL:
  case RATTLE_OP_DIV: /* grouped from the left, as in the graph */
    print_operand(e, a, own);
    fprintf(e->out, own == 1 ? " %s " : "%s", symbol(op));
    print_operand(e, b, own + 1);
    break;
  case RATTLE_OP_NEG:
    putc('-', e->out);
    print_operand(e, a, 4);
    break;
  case RATTLE_OP_POWI:
    fputs("power(", e->out);
    print_node(e, a);
    fprintf(e->out, ", %d)", (int)rattle_expr_value(e->graph, b));
    break;
  case RATTLE_OP_POW:
    print_call(e, "pow", a, b);
    break;
  case RATTLE_OP_ABS:
    print_call(e, "fabs", a, RATTLE_EXPR_NONE);
    break;
  default:
    print_call(e, symbol(op), a, arity(op) == 2 ? b : RATTLE_EXPR_NONE);
    break;
  }
}

static void print_node(const emitter *e, rattle_expr node) {
  rattle_op op = rattle_expr_op(e->graph, node);
  int index = rattle_expr_index(e->graph, node);
  if (e->temporary[node])
    fprintf(e->out, "t%d", e->temporary[node]);
  else if (op == RATTLE_OP_VARIABLE)
    fprintf(e->out, "%c[%d]", index % 2 ? 'p' : 'q', index / 2);
  else if (op == RATTLE_OP_CONSTANT)
    print_constant(e->out, rattle_expr_value(e->graph, node));
  else
    print_operation(e, node);
}

/* Counts uses from the top down: operands come before the nodes that use them. */
static void count_uses(emitter *e, const rattle_expr *root, int count) {
  for (int i = 0; i < count; i++) e->uses[root[i]]++;
  for (rattle_expr node = e->top; node > 0; node--) {
    if (!e->uses[node]) continue;
    int operands = arity(rattle_expr_op(e->graph, node));
    for (int k = 0; k < operands; k++) e->uses[rattle_expr_operand(e->graph, node, k)]++;
  }
}

/* Prints temporaries from the bottom up. */
static void print_temporaries(emitter *e) {
  int temporaries = 0;
  for (rattle_expr node = 1; node <= e->top; node++) {
    int operands = e->uses[node] ? arity(rattle_expr_op(e->graph, node)) : 0, depth = 0;
    if (operands == 0) continue;
    for (int k = 0; k < operands; k++) {
      rattle_expr operand = rattle_expr_operand(e->graph, node, k);
      if (!e->temporary[operand] && e->depth[operand] > depth) depth = e->depth[operand];
    }
    e->depth[node] = depth + 1;
    int trivial = rattle_expr_op(e->graph, node) == RATTLE_OP_NEG && depth == 0;
    if ((e->uses[node] < 2 || trivial) && depth + 1 < DEEPEST) continue;
    fprintf(e->out, "  const double t%d = ", temporaries + 1);
    print_node(e, node);
    fputs(";\n", e->out);
    e->temporary[node] = ++temporaries;
  }
}

/* `(void)q;` for an argument that no expression reads. */
static void print_unused(const emitter *e) {
  int used[2] = {0, 0};
  for (rattle_expr node = 1; node <= e->top; node++)
    if (e->uses[node] && rattle_expr_op(e->graph, node) == RATTLE_OP_VARIABLE)
      used[rattle_expr_index(e->graph, node) % 2] = 1;
  if (!used[0]) fputs("  (void)q;\n", e->out);
  if (!used[1]) fputs("  (void)p;\n", e->out);
}

static int is_zero(const emitter *e, rattle_expr node) {
  return rattle_expr_op(e->graph, node) == RATTLE_OP_CONSTANT &&
         rattle_expr_value(e->graph, node) == 0;
}

/* Zeros are set all at once. */
static void print_results(const emitter *e, const rattle_expr *root, int count, const char *name) {
  int zeros = 0;
  for (int i = 0; i < count; i++) zeros += is_zero(e, root[i]);
  if (zeros) fprintf(e->out, "  memset(%s, 0, %d * sizeof *%s);\n", name, count, name);
  for (int i = 0; i < count; i++) {
    if (is_zero(e, root[i])) continue;
    fprintf(e->out, "  %s[%d] = ", name, i);
    print_node(e, root[i]);
    fputs(";\n", e->out);
  }
}

int cli_emit(FILE *out, const rattle_graph *graph, const rattle_expr *root, int count,
             const char *name) {
  emitter e = {.out = out, .graph = graph};
  for (int i = 0; i < count; i++)
    if (root[i] > e.top) e.top = root[i];
  size_t nodes = (size_t)e.top + 1;
  e.uses = calloc(3 * nodes, sizeof *e.uses);
  if (!e.uses) return 0;
  e.depth = e.uses + nodes, e.temporary = e.depth + nodes;
  count_uses(&e, root, count);
  print_unused(&e);
  if (count == 0) fprintf(out, "  (void)%s;\n", name);
  print_temporaries(&e);
  if (name) {
    print_results(&e, root, count, name);
  } else {
    fputs("  return ", out);
    print_node(&e, root[0]);
    fputs(";\n", out);
  }
  free(e.uses);
  return 1;
}
