/* Operations of symbols: see ball_symbols.h. */
#include "ground/expr/ball_symbols.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef rattle__ball_symbol symbol;

void rattle__ball_operations_release(rattle__ball_operations *all) {
  free(all->of);
  free(all->same);
  *all = (rattle__ball_operations){0};
}

/* --- operations ------------------------------------------------------------------------------- */

static unsigned hash(const rattle__ball_operation *o) {
  uint64_t at, by, h;
  memcpy(&at, &o->number.at, sizeof at);
  memcpy(&by, &o->number.by, sizeof by);
  h = at ^ (by << 1) ^ ((uint64_t)o->is << 60) ^ ((uint64_t)o->a << 30) ^ (uint64_t)o->b;
  h *= 0x9e3779b97f4a7c15;
  return (unsigned)(h >> 32);
}

static int is_same(const rattle__ball_operation *x, const rattle__ball_operation *y) {
  return x->is == y->is && x->a == y->a && x->b == y->b &&
         !memcmp(&x->number, &y->number, sizeof x->number);
}

/* The slot of the operation, empty if it is not there. */
static int *slot_of(const rattle__ball_operations *all, const rattle__ball_operation *o) {
  unsigned slot = hash(o) & (unsigned)(all->slots - 1);
  while (all->same[slot] && !is_same(&all->of[all->same[slot] - 1], o))
    slot = (slot + 1) & (unsigned)(all->slots - 1);
  return &all->same[slot];
}

/* Room for three more; 0: no memory. */
static int has_room(rattle__ball_operations *all) {
  if (all->count + 3 <= all->room) return 1;
  const int room = all->room ? 2 * all->room : 256;
  rattle__ball_operation *of = realloc(all->of, (size_t)room * sizeof *of);
  if (of) all->of = of;
  int *same = of ? calloc(2 * (size_t)room, sizeof *same) : NULL;
  if (!same) return 0;
  free(all->same);
  all->same = same, all->slots = 2 * room, all->room = room;
  for (int i = 0; i < all->count; i++) *slot_of(all, &all->of[i]) = i + 1;
  return 1;
}

/* The operation, which is appended with its parts unless it is there. */
static int append(rattle__ball_operations *all, rattle__ball_operation o) {
  if (all->failed || !has_room(all)) {
    all->failed = 1;
    return 0;
  }
  int *slot = slot_of(all, &o);
  if (*slot) return *slot - 1;
  const int at = all->count;
  all->of[all->count] = o;
  *slot = ++all->count;
  const int parts = o.is == RATTLE__BALL_FUNCTION || o.is == RATTLE__BALL_ODD ? 2 : 0;
  for (int part = 1; part <= parts; part++) {
    all->of[all->count] = (rattle__ball_operation){.is = RATTLE__BALL_PART, .a = at, .b = part};
    *slot_of(all, &all->of[all->count]) = all->count + 1;
    all->count++;
  }
  return at;
}

static symbol number(rattle__ball x) {
  return (symbol){.number = x};
}

static symbol made(rattle__ball_operations *all, rattle__ball_operation o) {
  return (symbol){.all = all, .at = append(all, o)};
}

/* --- symbols ---------------------------------------------------------------------------------- */

symbol rattle__symbol_input(rattle__ball_operations *all, int part, int place) {
  return made(all, (rattle__ball_operation){.is = RATTLE__BALL_INPUT, .a = part, .b = place});
}

symbol rattle__symbol_exactly(double x) {
  return number(rattle__exactly(x));
}

int rattle__symbol_is_zero(symbol x) {
  return !x.all && rattle__ball_is_zero(x.number);
}

symbol rattle__symbol_minus(symbol x) {
  if (x.all)
    x.negative = !x.negative;
  else
    x.number = rattle__ball_minus(x.number);
  return x;
}

static int operand(rattle__ball_operations *all, symbol x) {
  const rattle__ball_operation o = {.is = RATTLE__BALL_NUMBER, .number = x.number};
  return x.all ? x.at : append(all, o);
}

/* x without its sign, which numbers keep. */
static symbol positive(symbol x) {
  x.negative = 0;
  return x;
}

static symbol signed_by(symbol x, int negative) {
  return negative ? rattle__symbol_minus(x) : x;
}

static symbol binary(rattle__ball_is is, symbol a, symbol b) {
  rattle__ball_operations *all = a.all ? a.all : b.all;
  rattle__ball_operation o = {.is = is, .a = operand(all, a), .b = operand(all, b)};
  if (is != RATTLE__BALL_SUBTRACT && o.a > o.b) {
    const int first = o.b;
    o.b = o.a, o.a = first;
  }
  return made(all, o);
}

static symbol unary(rattle__ball_is is, symbol x, int b, double by) {
  const rattle__ball_operation o = {.is = is, .a = x.at, .b = b, .number = rattle__exactly(by)};
  return made(x.all, o);
}

symbol rattle__symbol_add(symbol a, symbol b) {
  if (rattle__symbol_is_zero(a)) return b;
  if (rattle__symbol_is_zero(b)) return a;
  if (!a.all && !b.all) return number(rattle__ball_add(a.number, b.number));
  const int of_a = a.negative, of_b = b.negative;
  a = positive(a), b = positive(b);
  if (of_a == of_b) return signed_by(binary(RATTLE__BALL_ADD, a, b), of_a);
  return of_a ? binary(RATTLE__BALL_SUBTRACT, b, a) : binary(RATTLE__BALL_SUBTRACT, a, b);
}

symbol rattle__symbol_subtract(symbol a, symbol b) {
  return rattle__symbol_add(a, rattle__symbol_minus(b));
}

symbol rattle__symbol_times(symbol a, symbol b) {
  if (rattle__symbol_is_zero(a) || rattle__symbol_is_zero(b)) return rattle__symbol_exactly(0);
  if (!a.all && !b.all) return number(rattle__ball_times(a.number, b.number));
  const int negative = a.negative != b.negative;
  a = positive(a), b = positive(b);
  if (!a.all && a.number.by == 0)
    return signed_by(unary(RATTLE__BALL_MULTIPLE, b, 0, a.number.at), negative);
  if (!b.all && b.number.by == 0)
    return signed_by(unary(RATTLE__BALL_MULTIPLE, a, 0, b.number.at), negative);
  return signed_by(binary(RATTLE__BALL_TIMES, a, b), negative);
}

symbol rattle__symbol_more(symbol sum, symbol a, symbol b) {
  return rattle__symbol_add(sum, rattle__symbol_times(a, b));
}

symbol rattle__symbol_scaled(symbol x, double power_of_2) {
  if (!x.all) return number(rattle__ball_scaled(x.number, power_of_2));
  return signed_by(unary(RATTLE__BALL_SCALED, positive(x), 0, power_of_2), x.negative);
}

symbol rattle__symbol_inverse(symbol x) {
  if (!x.all) return number(rattle__ball_inverse(x.number));
  return signed_by(unary(RATTLE__BALL_INVERSE, positive(x), 0, 0), x.negative);
}

/* x with its sign in an operation of its own. */
static symbol settled(symbol x) {
  return x.negative ? unary(RATTLE__BALL_MINUS, positive(x), 0, 0) : x;
}

symbol rattle__symbol_if_positive(symbol x) {
  if (!x.all) return number(rattle__ball_if_positive(x.number));
  return unary(RATTLE__BALL_POSITIVE, settled(x), 0, 0);
}

/* --- functions -------------------------------------------------------------------------------- */

static rattle__symbol_values values(rattle__ball_is is, int which, symbol x) {
  symbol f = unary(is, settled(x), which, 0), slope = f, bend = f;
  slope.at++, bend.at += 2;
  return (rattle__symbol_values){f, slope, bend};
}

static rattle__symbol_values numbers(rattle__ball_values v) {
  return (rattle__symbol_values){number(v.f), number(v.slope), number(v.bend)};
}

rattle__symbol_values rattle__symbol_function(int op, symbol x) {
  return x.all ? values(RATTLE__BALL_FUNCTION, op, x)
               : numbers(rattle__ball_function(op, x.number));
}

rattle__symbol_values rattle__symbol_odd(rattle__odd kind, symbol x) {
  return x.all ? values(RATTLE__BALL_ODD, (int)kind, x) : numbers(rattle__ball_odd(kind, x.number));
}
