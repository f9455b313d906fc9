/* Operations of symbols: see sweeps_symbols.h. */
#include "problem/functions/sweeps_symbols.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int rattle__sweep_operations_create(rattle__sweep_operations *all, int most) {
  int slots = 2;
  while (slots < 2 * most) slots *= 2;
  *all = (rattle__sweep_operations){.most = most, .slots = slots};
  all->of = malloc((size_t)most * sizeof *all->of);
  all->same = calloc((size_t)slots, sizeof *all->same);
  return all->of && all->same ? 0 : -1;
}

void rattle__sweep_operations_release(rattle__sweep_operations *all) {
  free(all->of);
  free(all->same);
}

static unsigned hash(const rattle__sweep_operation *o) {
  uint64_t bits, h;
  memcpy(&bits, &o->number, sizeof bits);
  h = bits ^ ((uint64_t)o->is << 60) ^ ((uint64_t)o->a << 30) ^ (uint64_t)o->b;
  h *= 0x9e3779b97f4a7c15;
  return (unsigned)(h >> 32);
}

static int is_same(const rattle__sweep_operation *x, const rattle__sweep_operation *y) {
  return x->is == y->is && x->a == y->a && x->b == y->b &&
         !memcmp(&x->number, &y->number, sizeof x->number);
}

/* The operation, which is appended unless it is there; 0 if there is no room for it. */
static int append(rattle__sweep_operations *all, rattle__sweep_operation o) {
  unsigned slot = hash(&o) & (unsigned)(all->slots - 1);
  for (; all->same[slot]; slot = (slot + 1) & (unsigned)(all->slots - 1))
    if (is_same(&all->of[all->same[slot] - 1], &o)) return all->same[slot] - 1;
  if (all->count == all->most) {
    all->failed = 1;
    return 0;
  }
  all->of[all->count] = o;
  all->same[slot] = ++all->count;
  return all->count - 1;
}

rattle__sweep_symbol rattle__sweep_number(double x) {
  return (rattle__sweep_symbol){.number = x};
}

rattle__sweep_symbol rattle__sweep_same(rattle__sweep_symbol x) {
  return x;
}

rattle__sweep_symbol rattle__sweep_input(rattle__sweep_operations *all, int place) {
  const rattle__sweep_operation o = {.is = RATTLE__SWEEP_INPUT, .a = place};
  return (rattle__sweep_symbol){.all = all, .at = append(all, o)};
}

void rattle__sweep_sine_cosine(rattle__sweep_symbol q, rattle__sweep_symbol *sine,
                               rattle__sweep_symbol *cosine) {
  const rattle__sweep_operation s = {.is = RATTLE__SWEEP_SINE, .a = q.at},
                                c = {.is = RATTLE__SWEEP_COSINE, .a = q.at};
  *sine = *cosine = q;
  sine->at = append(q.all, s), cosine->at = append(q.all, c);
}

static int is(rattle__sweep_symbol x, double number) {
  return !x.all && x.number == number;
}

static rattle__sweep_symbol minus(rattle__sweep_symbol x) {
  if (x.all)
    x.negative = !x.negative;
  else
    x.number = -x.number;
  return x;
}

/* Takes the sign off, and returns whether there was one. */
static int take_sign(rattle__sweep_symbol *x) {
  const int negative = x->all ? x->negative : x->number < 0;
  if (negative) *x = minus(*x);
  return negative;
}

static int operand(rattle__sweep_operations *all, rattle__sweep_symbol x) {
  const rattle__sweep_operation o = {.is = RATTLE__SWEEP_NUMBER, .number = x.number};
  if (!x.all && !isfinite(x.number)) all->failed = 1;
  return x.all ? x.at : append(all, o);
}

/* The operands have no signs, and one of them at least is no number. */
static rattle__sweep_symbol operation(int kind, rattle__sweep_symbol x, rattle__sweep_symbol y) {
  rattle__sweep_operations *all = x.all ? x.all : y.all;
  if (all->failed) return rattle__sweep_number(0);
  rattle__sweep_operation o = {.a = operand(all, x), .b = operand(all, y)};
  o.is = kind;
  if ((o.is == RATTLE__SWEEP_ADD || o.is == RATTLE__SWEEP_MUL) && o.a > o.b) {
    const int a = o.a;
    o.a = o.b, o.b = a;
  }
  return (rattle__sweep_symbol){.all = all, .at = append(all, o)};
}

rattle__sweep_symbol rattle__sweep_add(rattle__sweep_symbol a, rattle__sweep_symbol b) {
  if (!a.all && !b.all) return rattle__sweep_number(a.number + b.number);
  if (is(a, 0) || is(b, 0)) return is(a, 0) ? b : a;
  const int of_a = take_sign(&a), of_b = take_sign(&b);
  if (of_a != of_b && a.all && b.all && a.at == b.at) return rattle__sweep_number(0);
  if (of_a != of_b)
    return of_a ? operation(RATTLE__SWEEP_SUB, b, a) : operation(RATTLE__SWEEP_SUB, a, b);
  const rattle__sweep_symbol sum = operation(RATTLE__SWEEP_ADD, a, b);
  return of_a ? minus(sum) : sum;
}

rattle__sweep_symbol rattle__sweep_sub(rattle__sweep_symbol a, rattle__sweep_symbol b) {
  return rattle__sweep_add(a, minus(b));
}

rattle__sweep_symbol rattle__sweep_mul(rattle__sweep_symbol a, rattle__sweep_symbol b) {
  if (!a.all && !b.all) return rattle__sweep_number(a.number * b.number);
  if (is(a, 0) || is(b, 0)) return rattle__sweep_number(0);
  const int negative = take_sign(&a) != take_sign(&b);
  const rattle__sweep_symbol x = is(a, 1) ? b : is(b, 1) ? a : operation(RATTLE__SWEEP_MUL, a, b);
  return negative ? minus(x) : x;
}

rattle__sweep_symbol rattle__sweep_div(rattle__sweep_symbol a, rattle__sweep_symbol b) {
  if (!a.all && !b.all) return rattle__sweep_number(a.number / b.number);
  if (is(a, 0)) return rattle__sweep_number(0);
  const int negative = take_sign(&a) != take_sign(&b);
  const rattle__sweep_symbol x = is(b, 1) ? a : operation(RATTLE__SWEEP_DIV, a, b);
  return negative ? minus(x) : x;
}
