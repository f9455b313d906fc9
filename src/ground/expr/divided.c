/* Programs of values on divided differences with bounds. See divided.h. */
#include "ground/expr/divided.h"

#include <stdlib.h>
#include <string.h>

#define BALL_SYMBOLS
#include "ground/expr/ball_polynomial.h"
#include "ground/expr/family.h"

typedef rattle__ball_symbol symbol;

/* A register: the value at q; then polynomials, the value at q + t v, and D. */
typedef struct divided_triple {
  symbol *a, *b, *D;
} divided_triple;

enum { SPARE = 6 }; /* polynomials */

static divided_triple triple_at(symbol *registers, rattle__polynomial of, int which) {
  symbol *at = registers + (size_t)which * (1 + 2 * of.room);
  return (divided_triple){at, at + 1, at + 1 + of.room};
}

static void put_constant(divided_triple to, rattle__polynomial of, double value) {
  *to.a = rattle__symbol_exactly(value);
  rattle__polynomial_put(to.b, of, *to.a);
  rattle__polynomial_put(to.D, of, rattle__symbol_exactly(0));
}

/* r = c x + d y */
static void mix(rattle__polynomial of, symbol c, const symbol *x, symbol d, const symbol *y,
                symbol *r) {
  for (size_t e = 0; e < of.room; e++)
    r[e] = rattle__symbol_add(rattle__symbol_times(c, x[e]), rattle__symbol_times(d, y[e]));
}

static void multiply(rattle__polynomial of, divided_triple x, divided_triple y, symbol *spare,
                     divided_triple r) {
  rattle__polynomial_multiply(of, x.D, y.b, spare);
  mix(of, rattle__symbol_exactly(1), spare, *x.a, y.D, r.D);
  rattle__polynomial_multiply(of, x.b, y.b, r.b);
  *r.a = rattle__symbol_times(*x.a, *y.a);
}

static void divide(rattle__polynomial of, divided_triple x, divided_triple y, symbol *spare,
                   divided_triple r) {
  *r.a = rattle__symbol_times(*x.a, rattle__symbol_inverse(*y.a));
  mix(of, rattle__symbol_exactly(1), x.D, rattle__symbol_minus(*r.a), y.D, spare);
  rattle__polynomial_divide(of, spare, y.b, spare + of.room, r.D);
  rattle__polynomial_divide(of, x.b, y.b, spare, r.b);
}

/* The middle and half of the way of x. */
static void halve(rattle__polynomial of, divided_triple x, symbol *middle, symbol *half) {
  for (size_t e = 0; e < of.room; e++) middle[e] = half[e] = rattle__symbol_scaled(x.b[e], 0.5);
  const symbol start = rattle__symbol_scaled(*x.a, 0.5);
  *middle = rattle__symbol_add(*middle, start), *half = rattle__symbol_subtract(*half, start);
}

/* r.D = x.D f(m) F(w), m and w being the middle and half of the way. */
static void by_middle(rattle__polynomial of, divided_triple x, rattle__symbol_values (*f)(symbol),
                      rattle__odd kind, symbol *spare, symbol *D) {
  symbol *m = spare, *w = m + of.room, *u = w + of.room, *v = u + of.room;
  halve(of, x, m, w);
  rattle__polynomial_chain(of, m, f(*m), u);
  rattle__polynomial_chain(of, w, rattle__symbol_odd(kind, *w), v);
  rattle__polynomial_multiply(of, u, v, m);
  rattle__polynomial_multiply(of, x.D, m, D);
}

static rattle__symbol_values cosine(symbol x) {
  return rattle__symbol_function(RATTLE_OP_COS, x);
}

static rattle__symbol_values minus_sine(symbol x) {
  const rattle__symbol_values v = rattle__symbol_function(RATTLE_OP_SIN, x);
  return (rattle__symbol_values){rattle__symbol_minus(v.f), rattle__symbol_minus(v.slope),
                                 rattle__symbol_minus(v.bend)};
}

static rattle__symbol_values exponential(symbol x) {
  return rattle__symbol_function(RATTLE_OP_EXP, x);
}

/* D = x.D/below F((x.b - x.a)/below): half of that of log for below = x.a + x.b, and that of atan
 * for below = 1 + x.a x.b. */
static void by_quotient(rattle__polynomial of, divided_triple x, const symbol *below,
                        rattle__odd kind, symbol *spare, symbol *D) {
  symbol *way = spare, *y = way + of.room, *u = y + of.room, *v = u + of.room;
  memcpy(way, x.b, of.room * sizeof *way);
  *way = rattle__symbol_subtract(*way, *x.a);
  rattle__polynomial_divide(of, way, below, u, y);
  rattle__polynomial_chain(of, y, rattle__symbol_odd(kind, *y), v);
  rattle__polynomial_multiply(of, x.D, v, way);
  rattle__polynomial_divide(of, way, below, u, D);
}

/* 1 - tanh x.a tanh x.b, and with it D; r.a and r.b are there. */
static void by_tanh(rattle__polynomial of, divided_triple x, divided_triple r, symbol *spare) {
  symbol *way = spare, *u = way + of.room, *v = u + of.room;
  memcpy(way, x.b, of.room * sizeof *way);
  *way = rattle__symbol_subtract(*way, *x.a);
  rattle__polynomial_chain(of, way, rattle__symbol_odd(RATTLE__ODD_TANH, *way), u);
  rattle__polynomial_multiply(of, x.D, u, v);
  for (size_t e = 0; e < of.room; e++)
    u[e] = rattle__symbol_minus(rattle__symbol_times(*r.a, r.b[e]));
  *u = rattle__symbol_add(*u, rattle__symbol_exactly(1));
  rattle__polynomial_multiply(of, v, u, r.D);
}

/* sqrt and abs: D = x.D top/(r.a + r.b), top = 1 or x.a + x.b; r.a and r.b are there. */
static void by_sum(rattle__polynomial of, int op, divided_triple x, divided_triple r,
                   symbol *spare) {
  symbol *sum = spare, *top = sum + of.room, *u = top + of.room, *v = u + of.room;
  memcpy(sum, r.b, of.room * sizeof *sum);
  *sum = rattle__symbol_add(*sum, *r.a);
  rattle__polynomial_put(top, of, rattle__symbol_exactly(1));
  if (op == RATTLE_OP_ABS) {
    memcpy(top, x.b, of.room * sizeof *top);
    *top = rattle__symbol_add(*top, *x.a);
  }
  rattle__polynomial_multiply(of, x.D, top, u);
  rattle__polynomial_divide(of, u, sum, v, r.D);
}

static void apply(rattle__polynomial of, int op, divided_triple x, symbol *spare,
                  divided_triple r) {
  *r.a = rattle__symbol_function(op, *x.a).f;
  rattle__polynomial_chain(of, x.b, rattle__symbol_function(op, *x.b), r.b);
  if (op == RATTLE_OP_SIN) by_middle(of, x, cosine, RATTLE__ODD_SIN, spare, r.D);
  if (op == RATTLE_OP_COS) by_middle(of, x, minus_sine, RATTLE__ODD_SIN, spare, r.D);
  if (op == RATTLE_OP_EXP) by_middle(of, x, exponential, RATTLE__ODD_SINH, spare, r.D);
  if (op == RATTLE_OP_TANH) by_tanh(of, x, r, spare);
  if (op == RATTLE_OP_SQRT || op == RATTLE_OP_ABS) by_sum(of, op, x, r, spare);
  if (op != RATTLE_OP_LOG && op != RATTLE_OP_ATAN) return;
  symbol *below = spare + 5 * of.room;
  if (op == RATTLE_OP_LOG)
    memcpy(below, x.b, of.room * sizeof *below);
  else
    for (size_t e = 0; e < of.room; e++) below[e] = rattle__symbol_times(*x.a, x.b[e]);
  *below = rattle__symbol_add(*below, op == RATTLE_OP_LOG ? *x.a : rattle__symbol_exactly(1));
  *below = rattle__symbol_if_positive(*below);
  by_quotient(of, x, below, op == RATTLE_OP_LOG ? RATTLE__ODD_ATANH : RATTLE__ODD_ATAN, spare, r.D);
  for (size_t e = 0; e < of.room && op == RATTLE_OP_LOG; e++)
    r.D[e] = rattle__symbol_scaled(r.D[e], 2);
}

static void combine(rattle__polynomial of, int op, divided_triple x, divided_triple y,
                    divided_triple r) {
  const double sign = op == RATTLE_OP_NEG ? 0 : op == RATTLE_OP_SUB ? -1 : 1;
  const symbol c = rattle__symbol_exactly(op == RATTLE_OP_NEG ? -1 : 1),
               d = rattle__symbol_exactly(sign);
  *r.a = rattle__symbol_add(rattle__symbol_times(c, *x.a), rattle__symbol_times(d, *y.a));
  mix(of, c, x.b, d, y.b, r.b);
  mix(of, c, x.D, d, y.D, r.D);
}

/* Registers from those of the slots, which are first. */
static divided_triple execute(const rattle__family *f, int i, rattle__polynomial of, symbol *r) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  int to = p->slots;
  for (int j = 0; j < p->params; j++)
    put_constant(triple_at(r, of, to++), of, f->param[i * f->params + p->param[j]]);
  for (int j = 0; j < p->constants; j++) put_constant(triple_at(r, of, to++), of, p->constant[j]);
  symbol *spare = triple_at(r, of, p->registers).a;
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    const divided_triple x = triple_at(r, of, c->a), y = triple_at(r, of, c->b),
                         out = triple_at(r, of, c->to);
    if (c->op == RATTLE_OP_MUL)
      multiply(of, x, y, spare, out);
    else if (c->op == RATTLE_OP_DIV)
      divide(of, x, y, spare, out);
    else if (rattle__ball_has_function(c->op))
      apply(of, c->op, x, spare, out);
    else
      combine(of, c->op, x, y, out);
  }
  return triple_at(r, of, p->out[0]);
}

/* Parts of the inputs. */
enum { OF_Q, OF_V, OF_RATE, OF_SECOND, OF_T, OF_T_RATE, OF_T_SECOND };

typedef struct divided_maker {
  rattle__divided *to;
  symbol *registers, *out; /* out: D [rows], its derivatives, F(q) [rows] */
} divided_maker;

static symbol input(divided_maker *k, int part, int place) {
  return rattle__symbol_input(&k->to->programs.all, part, place);
}

static void add_to(symbol *sum, symbol x) {
  *sum = rattle__symbol_add(*sum, x);
}

/* The value and D of a slot of which q is constant, with v and t of the way; derivatives are the
 * caller's. */
static divided_triple put_slot(divided_maker *k, rattle__polynomial of, int slot, int column) {
  const divided_triple to = triple_at(k->registers, of, slot);
  const symbol v = input(k, OF_V, column);
  *to.a = input(k, OF_Q, column);
  rattle__polynomial_put(to.b, of, rattle__symbol_more(*to.a, input(k, OF_T, 0), v));
  rattle__polynomial_put(to.D, of, v);
  return to;
}

static void find_slopes(divided_maker *k) {
  const rattle__divided *d = k->to;
  const int *place = d->q->place;
  symbol *D = k->out, *G = D + d->rows, *F = G + d->ptr[d->rows];
  for (int a = 0; a < d->q->f->elements->families; a++) {
    const rattle__family *f = &d->q->f->elements->family[a];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    const int s = f->slots;
    const rattle__polynomial of = rattle__polynomial_of(s + 1, 0);
    for (int i = 0; i < f->count; i++, place += s) {
      if (!p->outs) continue;
      for (int j = 0; j < p->slots; j++) {
        const int slot = p->slot[j], c = f->slot[i * s + slot];
        const divided_triple to = put_slot(k, of, j, c);
        to.b[1 + slot] = input(k, OF_T, 0), to.b[1 + s] = input(k, OF_V, c);
        to.D[1 + slot] = rattle__symbol_exactly(1);
      }
      const divided_triple out = execute(f, i, of, k->registers);
      const int row = f->row[i];
      add_to(&F[row], *out.a), add_to(&D[row], *out.D);
      for (int j = 0; j < s; j++) add_to(&G[place[j] + row], out.D[1 + j]);
      add_to(&G[d->ptr[row + 1] - 1], out.D[1 + s]);
    }
  }
}

static void find_seconds(divided_maker *k) {
  const rattle__divided *d = k->to;
  const rattle__polynomial of = rattle__polynomial_of(1, 1);
  const symbol t = input(k, OF_T, 0), rate = input(k, OF_T_RATE, 0),
               second = input(k, OF_T_SECOND, 0), twice = rattle__symbol_scaled(rate, 2);
  memset(k->out, 0, (size_t)d->rows * sizeof *k->out);
  for (int a = 0; a < d->q->f->elements->families; a++) {
    const rattle__family *f = &d->q->f->elements->family[a];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    for (int i = 0; i < f->count && p->outs; i++) {
      for (int j = 0; j < p->slots; j++) {
        const int c = f->slot[i * f->slots + p->slot[j]];
        const divided_triple to = put_slot(k, of, j, c);
        const symbol v = input(k, OF_V, c), v1 = input(k, OF_RATE, c), v2 = input(k, OF_SECOND, c);
        to.D[1] = v1, to.D[2] = v2;
        to.b[1] = rattle__symbol_more(rattle__symbol_times(rate, v), t, v1);
        to.b[2] = rattle__symbol_more(rattle__symbol_times(second, v), t, v2);
        to.b[2] = rattle__symbol_more(to.b[2], twice, v1);
      }
      add_to(&k->out[f->row[i]], execute(f, i, of, k->registers).D[2]);
    }
  }
}

/* --- how they are executed -------------------------------------------------------------------- */

void rattle__divided_at(const rattle__divided *d, const rattle__ball *q,
                        const rattle__divided_way *way, rattle__ball *D, rattle__ball *F,
                        rattle__ball *G) {
  const rattle__ball *const in[] = {q, way->v, NULL, NULL, &way->t};
  if (D) rattle__ball_program_run(&d->programs, RATTLE__SMOOTH_VALUE, in, D);
  if (F) rattle__ball_program_run(&d->programs, RATTLE__SMOOTH_START, in, F);
  if (G) rattle__ball_program_run(&d->programs, RATTLE__SMOOTH_SLOPES, in, G);
}

void rattle__divided_near(const rattle__divided *d, const rattle__divided_point *point, double *D,
                          double *F, double *G) {
  const double *const in[] = {point->q, point->v, NULL, NULL, point->t};
  rattle__ball_program_run_numbers(&d->programs, RATTLE__SMOOTH_VALUE, in, D);
  rattle__ball_program_run_numbers(&d->programs, RATTLE__SMOOTH_START, in, F);
  rattle__ball_program_run_numbers(&d->programs, RATTLE__SMOOTH_SLOPES, in, G);
}

void rattle__divided_second(const rattle__divided *d, const rattle__ball *q,
                            const rattle__divided_way *way, rattle__ball *D) {
  const rattle__ball *const in[] = {q,       way->v,       way->rate,     way->second,
                                    &way->t, &way->t_rate, &way->t_second};
  rattle__ball_program_run(&d->programs, RATTLE__SMOOTH_SECOND, in, D);
}

/* --- how it is made --------------------------------------------------------------------------- */

static int find_pattern(rattle__divided *d) {
  const rattle__quadratic *q = d->q;
  d->ptr = calloc((size_t)d->rows + 1, sizeof *d->ptr);
  d->col = calloc((size_t)(q->ptr[d->rows] + d->rows) + 1, sizeof *d->col);
  if (!d->ptr || !d->col) return 0;
  for (int i = 0, at = 0; i < d->rows; i++) {
    for (int c = q->ptr[i]; c < q->ptr[i + 1]; c++) d->col[at++] = q->col[c];
    d->col[at++] = d->vars;
    d->ptr[i + 1] = at;
  }
  return 1;
}

static int lay_out(divided_maker *k) {
  const rattle__divided *d = k->to;
  const rattle__elements *e = d->q->f->elements;
  size_t registers = 1;
  for (int a = 0; a < e->families; a++) {
    const rattle__family *f = &e->family[a];
    const int slots = f->slots + 1 > 2 ? f->slots + 1 : 2; /* more than a way has */
    const size_t room = rattle__polynomial_of(slots, 0).room;
    const size_t all = (size_t)f->program[RATTLE__VALUE].registers * (1 + 2 * room) + SPARE * room;
    if (all > registers) registers = all;
  }
  k->registers = calloc(registers, sizeof *k->registers);
  k->out = calloc((size_t)(2 * d->rows + d->ptr[d->rows]) + 1, sizeof *k->out);
  return k->registers && k->out;
}

static int make_programs(rattle__divided *d) {
  divided_maker k = {.to = d};
  const int entries = d->ptr[d->rows];
  int answer = lay_out(&k) ? 0 : -1;
  if (!answer) {
    find_slopes(&k);
    symbol *F = k.out + d->rows + entries; /* which SECOND does not overwrite */
    answer = rattle__ball_programs_add(&d->programs, k.out, d->rows);
    if (!answer) answer = rattle__ball_programs_add(&d->programs, k.out + d->rows, entries);
    find_seconds(&k);
    if (!answer) answer = rattle__ball_programs_add(&d->programs, k.out, d->rows);
    if (!answer) answer = rattle__ball_programs_add(&d->programs, F, d->rows);
  }
  free(k.registers), free(k.out);
  return answer ? answer : rattle__ball_programs_finish(&d->programs);
}

int rattle__divided_create(rattle__divided **d, const rattle__function *f) {
  *d = calloc(1, sizeof **d);
  int answer = *d ? rattle__quadratic_create_smooth(&(*d)->q, f, NULL) : -1;
  if (!answer) {
    (*d)->rows = f->rows, (*d)->vars = f->vars;
    answer = find_pattern(*d) ? make_programs(*d) : -1;
  }
  if (answer) rattle__divided_destroy(d);
  return answer;
}

void rattle__divided_destroy(rattle__divided **d) {
  if (!d || !*d) return;
  rattle__quadratic_destroy(&(*d)->q);
  rattle__ball_programs_release(&(*d)->programs);
  free((*d)->ptr), free((*d)->col), free(*d);
  *d = NULL;
}
