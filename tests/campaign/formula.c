/* Formulas: making, printing, evaluating. See formula.h. */
#include "formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int push(formula *f, formula_node node) {
  if (f->count == f->room) {
    f->room = f->room ? 2 * f->room : 64;
    f->nodes = realloc(f->nodes, (size_t)f->room * sizeof *f->nodes);
    if (!f->nodes) abort();
  }
  f->nodes[f->count] = node;
  return f->count++;
}

void formula_free(formula *f) {
  free(f->nodes);
  *f = (formula){0};
}

int f_constant(formula *f, double value) {
  return push(f, (formula_node){F_CONSTANT, 0, 0, value, {{0}}, FORMULA_ALL});
}
int f_variable(formula *f, int index) {
  formula_node node = {F_VARIABLE, index, 0, 0, {{0}}, FORMULA_ALL};
  node.depends.word[index / 64] = (uint64_t)1 << index % 64;
  return push(f, node);
}

formula_set formula_joined(formula_set a, formula_set b) {
  for (int w = 0; w < FORMULA_WORDS; w++) a.word[w] |= b.word[w];
  return a;
}

int formula_set_has(formula_set set, int variable) {
  return (int)(set.word[variable / 64] >> variable % 64 & 1);
}

static double folded(formula_op op, double x, double y, int exponent) {
  switch (op) {
  case F_ADD:
    return x + y;
  case F_SUB:
    return x - y;
  case F_MUL:
    return x * y;
  case F_DIV:
    return x / y;
  case F_POWER:
    return pow(x, exponent);
  case F_SIN:
    return sin(x);
  case F_COS:
    return cos(x);
  case F_SQRT:
    return sqrt(x);
  default:
    return exp(x);
  }
}

static int binary(formula *f, formula_op op, int a, int b) {
  const formula_node *x = &f->nodes[a], *y = &f->nodes[b];
  if (x->op == F_CONSTANT && y->op == F_CONSTANT)
    return f_constant(f, folded(op, x->value, y->value, 0));
  return push(f, (formula_node){op, a, b, 0, formula_joined(x->depends, y->depends), FORMULA_ALL});
}

static int unary(formula *f, formula_op op, int a, int exponent) {
  if (f->nodes[a].op == F_CONSTANT)
    return f_constant(f, folded(op, f->nodes[a].value, 0, exponent));
  return push(f, (formula_node){op, a, exponent, 0, f->nodes[a].depends, FORMULA_ALL});
}

int f_add(formula *f, int a, int b) {
  return binary(f, F_ADD, a, b);
}
int f_sub(formula *f, int a, int b) {
  return binary(f, F_SUB, a, b);
}
int f_mul(formula *f, int a, int b) {
  return binary(f, F_MUL, a, b);
}
int f_div(formula *f, int a, int b) {
  return binary(f, F_DIV, a, b);
}
int f_power(formula *f, int a, int exponent) {
  return exponent == 1 ? a : unary(f, F_POWER, a, exponent);
}
int f_sin(formula *f, int a) {
  return unary(f, F_SIN, a, 0);
}
int f_cos(formula *f, int a) {
  return unary(f, F_COS, a, 0);
}
int f_sqrt(formula *f, int a) {
  return unary(f, F_SQRT, a, 0);
}
int f_exp(formula *f, int a) {
  return unary(f, F_EXP, a, 0);
}
int f_times(formula *f, double factor, int a) {
  return factor == 1 ? a : f_mul(f, f_constant(f, factor), a);
}
int f_shift(formula *f, int a, double by) {
  return by == 0 ? a : f_sub(f, a, f_constant(f, by));
}
int f_square(formula *f, int a) {
  return f_power(f, a, 2);
}

void f_term(formula_sum *sum, int node) {
  if (sum->count == FORMULA_TERMS) abort();
  sum->term[sum->count++] = node;
}

/* ---- printing ---- */

typedef struct sink {
  char *text;
  int size, length;
} sink;

static void say(sink *out, const char *text) {
  for (; *text; text++, out->length++)
    if (out->length + 1 < out->size) out->text[out->length] = *text;
}

static void print(sink *out, const formula *f, int k) {
  static const char *const signs[] = {
      [F_ADD] = " + ", [F_SUB] = " - ", [F_MUL] = "*", [F_DIV] = "/"};
  static const char *const names[] = {
      [F_SIN] = "sin(", [F_COS] = "cos(", [F_SQRT] = "sqrt(", [F_EXP] = "exp("};
  const formula_node *node = &f->nodes[k];
  char text[40];
  switch (node->op) {
  case F_CONSTANT:
    snprintf(text, sizeof text, node->value < 0 ? "(%.17g)" : "%.17g", node->value);
    say(out, text);
    return;
  case F_VARIABLE:
    say(out, f->names[node->a]);
    return;
  case F_ADD:
  case F_SUB:
  case F_MUL:
  case F_DIV:
    say(out, "(");
    print(out, f, node->a);
    say(out, signs[node->op]);
    print(out, f, node->b);
    say(out, ")");
    return;
  case F_POWER: {
    const int nested = f->nodes[node->a].op == F_POWER; /* ^ is right associative */
    say(out, nested ? "(" : "");
    print(out, f, node->a);
    snprintf(text, sizeof text, nested ? ")^%d" : "^%d", node->b);
    say(out, text);
    return;
  }
  default:
    say(out, names[node->op]);
    print(out, f, node->a);
    say(out, ")");
  }
}

int formula_print(const formula *f, const formula_sum *sum, char *text, int size) {
  sink out = {text, size, 0};
  for (int i = 0; i < sum->count; i++) {
    if (i) say(&out, " + ");
    print(&out, f, sum->term[i]);
  }
  if (!sum->count) say(&out, "0");
  if (size > 0) text[out.length < size ? out.length : size - 1] = 0;
  return out.length;
}

/* ---- evaluating ---- */

void formula_use_none(formula *f) {
  for (int k = 0; k < f->count; k++) f->nodes[k].used = 0;
}

void formula_use(formula *f, const formula_sum *sums, int count, unsigned function) {
  for (int i = 0; i < count; i++)
    for (int t = 0; t < sums[i].count; t++) f->nodes[sums[i].term[t]].used |= function;
  for (int k = f->count - 1; k >= 0; k--) { /* operands come before */
    const formula_node *node = &f->nodes[k];
    if (node->op < F_ADD || !(node->used & function)) continue;
    f->nodes[node->a].used |= function;
    if (node->op <= F_DIV) f->nodes[node->b].used |= function;
  }
}

void formula_work_free(formula_work *work) {
  free(work->value);
  free(work->error);
  free(work->gradient);
  *work = (formula_work){0};
}

static void make_room(const formula *f, formula_work *work) {
  if (work->nodes >= f->count && work->variables >= f->variables) return;
  const int nodes = f->count > work->nodes ? f->count : work->nodes;
  const int variables = f->variables > work->variables ? f->variables : work->variables;
  const size_t n = (size_t)nodes, w = (size_t)variables;
  formula_work_free(work);
  work->nodes = nodes;
  work->variables = variables;
  work->value = calloc(n, sizeof(long double));
  work->error = calloc(n, sizeof(long double));
  work->gradient = calloc(n * w, sizeof(long double));
  if (!work->value || !work->error || !work->gradient) abort();
}

/* The function of a node and its derivatives by its operands. */
typedef struct local {
  long double v, a, b;
} local;

static local of_node(const formula_node *node, long double x, long double y) {
  switch (node->op) {
  case F_ADD:
    return (local){x + y, 1, 1};
  case F_SUB:
    return (local){x - y, 1, -1};
  case F_MUL:
    return (local){x * y, y, x};
  case F_DIV:
    return (local){x / y, 1 / y, -x / (y * y)};
  case F_POWER: {
    long double low = 1; /* x^(k-1) */
    for (int i = 1; i < node->b; i++) low *= x;
    return (local){low * x, node->b * low, 0};
  }
  case F_SIN:
    return (local){sinl(x), cosl(x), 0};
  case F_COS:
    return (local){cosl(x), -sinl(x), 0};
  case F_SQRT: {
    const long double root = sqrtl(x);
    return (local){root, 0.5L / root, 0};
  }
  default: {
    const long double e = expl(x);
    return (local){e, e, 0};
  }
  }
}

/* to += factor times the gradient of that node */
static void add_gradient(const formula *f, const formula_work *work, int node, long double factor,
                         long double *to) {
  const long double *from = work->gradient + node * work->variables;
  for (int w = 0; w < FORMULA_WORDS; w++)
    for (uint64_t left = f->nodes[node].depends.word[w]; left; left &= left - 1) {
      const int i = 64 * w + __builtin_ctzll(left);
      to[i] += factor * from[i];
    }
}

void formula_evaluate(const formula *f, const long double *z, unsigned functions,
                      formula_work *work) {
  make_room(f, work);
  for (int k = 0; k < f->count; k++) {
    const formula_node *node = &f->nodes[k];
    long double *gradient = work->gradient + k * work->variables;
    if (!(node->used & functions)) continue;
    work->error[k] = 0;
    if (node->op == F_CONSTANT) {
      work->value[k] = node->value;
      continue;
    }
    if (node->op == F_VARIABLE) {
      work->value[k] = z[node->a];
      gradient[node->a] = 1;
      continue;
    }
    const int two = node->op <= F_DIV, b = two ? node->b : node->a;
    const local d = of_node(node, work->value[node->a], work->value[b]);
    work->value[k] = d.v;
    work->error[k] =
        fabsl(d.a) * work->error[node->a] + fabsl(d.v) * (node->op == F_POWER ? node->b - 1 : 1);
    for (int w = 0; w < FORMULA_WORDS; w++)
      for (uint64_t left = node->depends.word[w]; left; left &= left - 1)
        gradient[64 * w + __builtin_ctzll(left)] = 0;
    add_gradient(f, work, node->a, d.a, gradient);
    if (!two) continue;
    work->error[k] += fabsl(d.b) * work->error[b];
    add_gradient(f, work, b, d.b, gradient);
  }
}

long double formula_read(const formula *f, const formula_sum *sum, const formula_work *work,
                         long double *error, long double *gradient) {
  long double value = 0, bound = 0;
  if (gradient) memset(gradient, 0, sizeof *gradient * (size_t)f->variables);
  for (int t = 0; t < sum->count; t++) {
    const int k = sum->term[t];
    value += work->value[k];
    bound += work->error[k] + (t ? fabsl(value) : 0);
    if (gradient) add_gradient(f, work, k, 1, gradient);
  }
  if (error) *error = bound;
  return value;
}
