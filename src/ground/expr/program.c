/* Linear code for a few expressions.
 *
 * Nodes are lowered in the order of their making (operands come first) to values: a value is an
 * input or one operation, and equal operations are one value. Integer powers become multiplications
 * as op.h defines them. Rewrites that change no bit of a result, NaN apart, are done here too: x +
 * (-y) as x - y, 2*x as x + x, x/2^k as x*2^-k. Then values that no output needs are dropped and
 * the rest get registers, used again after a value's last use. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/inputs.h"
#include "ground/expr/op.h"

/* Values: SLOT a, PARAM a, LITERAL (constant number a), or an operation with a < own number and b <
 * own number or -1. */
enum { SLOT = -1, PARAM = -2, LITERAL = -3, SEARCHED = 1000 };

typedef struct value {
  int op, a, b;
  int last; /* last value that uses it; INT_MAX for outputs; -1 unused */
  int at;   /* register */
} value;

typedef struct lowering {
  const rattle_graph *graph;
  int slots;
  value *value;
  int count, room;
  int *bucket; /* hash of values: number + 1, 0 if empty */
  int buckets;
  double *constant;
  int constants, constant_room;
  int *of; /* [nodes + 1] value of a node; WANTED and UNWANTED before that */
  int failed;
} lowering;

enum { UNWANTED = -1, WANTED = -2 };

static size_t mix(int op, int a, int b) {
  uint64_t h = ((uint64_t)(uint32_t)op << 32 ^ (uint32_t)a) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 29 ^ (uint32_t)b) * 0xff51afd7ed558ccdu;
  return (size_t)(h ^ h >> 32);
}

static int more_values(lowering *l) {
  if (l->count < l->room) return 1;
  int room = l->room ? 2 * l->room : 64;
  value *wider = realloc(l->value, (size_t)room * sizeof *wider);
  int *bucket = calloc(4 * (size_t)room, sizeof *bucket);
  if (wider) l->value = wider;
  if (!wider || !bucket) {
    free(bucket);
    return 0;
  }
  l->room = room;
  free(l->bucket);
  l->bucket = bucket;
  l->buckets = 4 * room;
  for (int k = 0; k < l->count; k++) {
    size_t at = mix(wider[k].op, wider[k].a, wider[k].b) & (size_t)(l->buckets - 1);
    while (bucket[at]) at = (at + 1) & (size_t)(l->buckets - 1);
    bucket[at] = k + 1;
  }
  return 1;
}

/* The value op(a, b), made if there is none; after a failure every value is 0. */
static int make(lowering *l, int op, int a, int b) {
  if (l->failed || !more_values(l)) {
    l->failed = 1;
    return 0;
  }
  if ((op == RATTLE_OP_ADD || op == RATTLE_OP_MUL) && a > b) {
    int first = b;
    b = a, a = first;
  }
  size_t at = mix(op, a, b) & (size_t)(l->buckets - 1);
  for (; l->bucket[at]; at = (at + 1) & (size_t)(l->buckets - 1)) {
    const value *v = &l->value[l->bucket[at] - 1];
    if (v->op == op && v->a == a && v->b == b) return l->bucket[at] - 1;
  }
  l->value[l->count] = (value){.op = op, .a = a, .b = b, .last = -1};
  l->bucket[at] = ++l->count;
  return l->count - 1;
}

static int literal(lowering *l, double c) {
  int k = l->constants < SEARCHED ? 0 : l->constants; /* a copy does no harm */
  while (k < l->constants && memcmp(&l->constant[k], &c, sizeof c)) k++;
  if (k == l->constants) {
    if (k == l->constant_room) {
      int room = l->constant_room ? 2 * l->constant_room : 8;
      double *wider = realloc(l->constant, (size_t)room * sizeof *wider);
      if (!wider) {
        l->failed = 1;
        return 0;
      }
      l->constant = wider;
      l->constant_room = room;
    }
    l->constant[l->constants++] = c;
  }
  return make(l, LITERAL, k, -1);
}

static int is_literal(const lowering *l, int v, double *c) {
  if (l->failed || l->value[v].op != LITERAL) return 0;
  *c = l->constant[l->value[v].a];
  return 1;
}

static int is_negative(const lowering *l, int v) {
  return !l->failed && l->value[v].op == RATTLE_OP_NEG;
}

static int power(lowering *l, int a, double exponent) {
  if (!(fabs(exponent) <= RATTLE__POWI_MAX)) return make(l, RATTLE_OP_POW, a, literal(l, exponent));
  unsigned n = (unsigned)fabs(exponent), bit = 1;
  if (n == 0) return literal(l, 1);
  while (bit <= n / 2) bit *= 2;
  int r = a;
  while (bit /= 2) {
    r = make(l, RATTLE_OP_MUL, r, r);
    if (n & bit) r = make(l, RATTLE_OP_MUL, r, a);
  }
  return exponent < 0 ? make(l, RATTLE_OP_DIV, literal(l, 1), r) : r;
}

/* op(a, b) in its cheapest form. */
static int operation(lowering *l, int op, int a, int b) {
  double c;
  int exponent;
  switch (op) {
  case RATTLE_OP_ADD:
    if (is_negative(l, b)) return make(l, RATTLE_OP_SUB, a, l->value[b].a);
    if (is_negative(l, a)) return make(l, RATTLE_OP_SUB, b, l->value[a].a);
    break;
  case RATTLE_OP_SUB:
    if (is_negative(l, b)) return make(l, RATTLE_OP_ADD, a, l->value[b].a);
    break;
  case RATTLE_OP_MUL:
    if (is_literal(l, a, &c) && c == 2) return make(l, RATTLE_OP_ADD, b, b);
    if (is_literal(l, b, &c) && c == 2) return make(l, RATTLE_OP_ADD, a, a);
    if (is_literal(l, a, &c) && c == -1) return make(l, RATTLE_OP_NEG, b, -1);
    if (is_literal(l, b, &c) && c == -1) return make(l, RATTLE_OP_NEG, a, -1);
    break;
  case RATTLE_OP_DIV: /* by a power of two whose inverse is a normal number */
    if (is_literal(l, b, &c) && isfinite(c) && fabs(frexp(c, &exponent)) == 0.5 &&
        abs(exponent) < 1000)
      return operation(l, RATTLE_OP_MUL, a, literal(l, 1 / c));
    break;
  default:
    break;
  }
  return make(l, op, a, b);
}

static int lower(lowering *l, rattle_expr e) {
  const rattle_graph *graph = l->graph;
  rattle_op op = rattle_expr_op(graph, e);
  const int input = op == RATTLE_OP_CONSTANT ? rattle__input_number(graph, e) : -1;
  if (input >= 0) return make(l, PARAM, RATTLE__OF_INPUT + input, -1);
  if (op == RATTLE_OP_CONSTANT) return literal(l, rattle_expr_value(graph, e));
  if (op == RATTLE_OP_VARIABLE) {
    int index = rattle_expr_index(graph, e);
    return index < l->slots ? make(l, SLOT, index, -1) : make(l, PARAM, index - l->slots, -1);
  }
  rattle_expr second = rattle_expr_operand(graph, e, 1);
  int a = l->of[rattle_expr_operand(graph, e, 0)];
  if (op == RATTLE_OP_POWI) return power(l, a, rattle_expr_value(graph, second));
  return operation(l, (int)op, a, second ? l->of[second] : -1);
}

/* Values of all nodes that the outputs need; at[k] becomes the value of output k. */
static void lower_all(lowering *l, const rattle_expr *out, int outs, int *at) {
  rattle_expr top = 0;
  for (rattle_expr e = 0; e <= rattle_graph_count(l->graph); e++) l->of[e] = UNWANTED;
  for (int k = 0; k < outs; k++) {
    l->of[out[k]] = WANTED;
    if (out[k] > top) top = out[k];
  }
  for (rattle_expr e = top; e > 0; e--)
    for (int k = 0; k < 2 && l->of[e] == WANTED; k++) {
      rattle_expr operand = rattle_expr_operand(l->graph, e, k);
      if (operand) l->of[operand] = WANTED;
    }
  for (rattle_expr e = 1; e <= top; e++)
    if (l->of[e] == WANTED) l->of[e] = lower(l, e);
  for (int k = 0; k < outs; k++) at[k] = l->of[out[k]];
}

/* Last uses, from the outputs down; an unused value keeps -1. */
static void find_last_uses(lowering *l, const int *at, int outs) {
  for (int k = 0; k < outs; k++) l->value[at[k]].last = l->count;
  for (int k = l->count - 1; k >= 0; k--) {
    const value *v = &l->value[k];
    if (v->op < 0 || v->last < 0) continue;
    if (l->value[v->a].last < k) l->value[v->a].last = k;
    if (v->b >= 0 && l->value[v->b].last < k) l->value[v->b].last = k;
  }
}

/* Gives the inputs of one kind the next registers and notes which they are. */
static int place_inputs(lowering *l, int kind, int first, int *which) {
  int used = 0;
  for (int k = 0; k < l->count; k++) {
    value *v = &l->value[k];
    if (v->op != kind || v->last < 0) continue;
    which[used] = v->a;
    v->at = first + used++;
  }
  return used;
}

/* Writes the code, taking registers from `unused` first; a result never shares a register with its
 * operands. */
static void assign(lowering *l, rattle__program *p, int *unused) {
  int count = 0;
  p->registers = p->slots + p->params + p->constants;
  int inputs = p->registers;
  for (int k = 0; k < l->count; k++) {
    value *v = &l->value[k];
    if (v->op < 0 || v->last < 0) continue;
    v->at = count ? unused[--count] : p->registers++;
    int a = l->value[v->a].at, b = v->b < 0 ? -1 : l->value[v->b].at;
    p->code[p->length++] = (rattle__code){.op = v->op, .to = v->at, .a = a, .b = b < 0 ? a : b};
    if (l->value[v->a].last == k && a >= inputs) unused[count++] = a;
    if (b >= 0 && b != a && l->value[v->b].last == k && b >= inputs) unused[count++] = b;
  }
}

static int generate(lowering *l, rattle__program *p, const rattle_expr *out, int outs) {
  p->outs = outs;
  if (!(p->out = malloc(((size_t)outs + 1) * sizeof *p->out))) return -1;
  lower_all(l, out, outs, p->out);
  if (l->failed) return -1;
  find_last_uses(l, p->out, outs);
  size_t count = (size_t)l->count + 1;
  p->slot = malloc(count * sizeof *p->slot);
  p->param = malloc(count * sizeof *p->param);
  p->constant = malloc(count * sizeof *p->constant);
  p->code = malloc(count * sizeof *p->code);
  int *scratch = malloc(count * sizeof *scratch);
  if (p->slot && p->param && p->constant && p->code && scratch) {
    p->slots = place_inputs(l, SLOT, 0, p->slot);
    p->params = place_inputs(l, PARAM, p->slots, p->param);
    p->constants = place_inputs(l, LITERAL, p->slots + p->params, scratch);
    for (int k = 0; k < p->constants; k++) p->constant[k] = l->constant[scratch[k]];
    assign(l, p, scratch);
    for (int k = 0; k < outs; k++) p->out[k] = l->value[p->out[k]].at;
  } else
    l->failed = 1;
  free(scratch);
  return l->failed ? -1 : 0;
}

int rattle__program_compile(rattle__program *program, const rattle_graph *graph, int slots,
                            const rattle_expr *out, int outs) {
  *program = (rattle__program){0};
  lowering l = {.graph = graph, .slots = slots};
  l.of = malloc(((size_t)rattle_graph_count(graph) + 1) * sizeof *l.of);
  int failed = l.of ? generate(&l, program, out, outs) : -1;
  free(l.of);
  free(l.value);
  free(l.bucket);
  free(l.constant);
  if (failed) rattle__program_release(program);
  return failed;
}

void rattle__program_release(rattle__program *program) {
  free(program->slot);
  free(program->param);
  free(program->constant);
  free(program->code);
  free(program->out);
  *program = (rattle__program){0};
}
