/* Programs of values on divided differences with bounds. See divided.h. */
#include "ground/expr/divided.h"

#include <stdlib.h>
#include <string.h>

#include "ground/expr/ball_odd.h"
#include "ground/expr/ball_polynomial.h"
#include "ground/expr/family.h"

/* A register: the value at q; then polynomials, the value at q + t v, and D. */
typedef struct divided_triple {
  rattle__ball *a, *b, *D;
} divided_triple;

enum { SPARE = 6 }; /* polynomials */

static divided_triple triple_at(rattle__ball *registers, rattle__polynomial of, int which) {
  rattle__ball *at = registers + (size_t)which * (1 + 2 * of.room);
  return (divided_triple){at, at + 1, at + 1 + of.room};
}

static void put_constant(divided_triple to, rattle__polynomial of, double value) {
  *to.a = rattle__exactly(value);
  rattle__polynomial_put(to.b, of, *to.a);
  rattle__polynomial_put(to.D, of, rattle__exactly(0));
}

/* r = c x + d y */
static void mix(rattle__polynomial of, rattle__ball c, const rattle__ball *x, rattle__ball d,
                const rattle__ball *y, rattle__ball *r) {
  for (size_t e = 0; e < of.room; e++)
    r[e] = rattle__ball_add(rattle__ball_times(c, x[e]), rattle__ball_times(d, y[e]));
}

static void multiply(rattle__polynomial of, divided_triple x, divided_triple y, rattle__ball *spare,
                     divided_triple r) {
  rattle__polynomial_multiply(of, x.D, y.b, spare);
  mix(of, rattle__exactly(1), spare, *x.a, y.D, r.D);
  rattle__polynomial_multiply(of, x.b, y.b, r.b);
  *r.a = rattle__ball_times(*x.a, *y.a);
}

static void divide(rattle__polynomial of, divided_triple x, divided_triple y, rattle__ball *spare,
                   divided_triple r) {
  *r.a = rattle__ball_times(*x.a, rattle__ball_inverse(*y.a));
  mix(of, rattle__exactly(1), x.D, rattle__ball_minus(*r.a), y.D, spare);
  rattle__polynomial_divide(of, spare, y.b, spare + of.room, r.D);
  rattle__polynomial_divide(of, x.b, y.b, spare, r.b);
}

/* The middle and half of the way of x. */
static void halve(rattle__polynomial of, divided_triple x, rattle__ball *middle,
                  rattle__ball *half) {
  for (size_t e = 0; e < of.room; e++) middle[e] = half[e] = rattle__ball_scaled(x.b[e], 0.5);
  const rattle__ball start = rattle__ball_scaled(*x.a, 0.5);
  *middle = rattle__ball_add(*middle, start), *half = rattle__ball_subtract(*half, start);
}

/* r.D = x.D f(m) F(w), m and w being the middle and half of the way. */
static void by_middle(rattle__polynomial of, divided_triple x,
                      rattle__ball_values (*f)(rattle__ball), rattle__odd kind, rattle__ball *spare,
                      rattle__ball *D) {
  rattle__ball *m = spare, *w = m + of.room, *u = w + of.room, *v = u + of.room;
  halve(of, x, m, w);
  rattle__polynomial_chain(of, m, f(*m), u);
  rattle__polynomial_chain(of, w, rattle__ball_odd(kind, *w), v);
  rattle__polynomial_multiply(of, u, v, m);
  rattle__polynomial_multiply(of, x.D, m, D);
}

static rattle__ball_values cosine(rattle__ball x) {
  return rattle__ball_function(RATTLE_OP_COS, x);
}

static rattle__ball_values minus_sine(rattle__ball x) {
  const rattle__ball_values v = rattle__ball_function(RATTLE_OP_SIN, x);
  return (rattle__ball_values){rattle__ball_minus(v.f), rattle__ball_minus(v.slope),
                               rattle__ball_minus(v.bend)};
}

static rattle__ball_values exponential(rattle__ball x) {
  return rattle__ball_function(RATTLE_OP_EXP, x);
}

/* D = x.D/below F((x.b - x.a)/below): half of that of log for below = x.a + x.b, and that of atan
 * for below = 1 + x.a x.b. */
static void by_quotient(rattle__polynomial of, divided_triple x, const rattle__ball *below,
                        rattle__odd kind, rattle__ball *spare, rattle__ball *D) {
  rattle__ball *way = spare, *y = way + of.room, *u = y + of.room, *v = u + of.room;
  memcpy(way, x.b, of.room * sizeof *way);
  *way = rattle__ball_subtract(*way, *x.a);
  rattle__polynomial_divide(of, way, below, u, y);
  rattle__polynomial_chain(of, y, rattle__ball_odd(kind, *y), v);
  rattle__polynomial_multiply(of, x.D, v, way);
  rattle__polynomial_divide(of, way, below, u, D);
}

/* Nowhere unless y > 0. */
static void be_positive(rattle__ball *y) {
  if (!(y->at * (1 - 0x1p-50) > y->by)) *y = (rattle__ball){(double)NAN, (double)INFINITY};
}

/* 1 - tanh x.a tanh x.b, and with it D; r.a and r.b are there. */
static void by_tanh(rattle__polynomial of, divided_triple x, divided_triple r,
                    rattle__ball *spare) {
  rattle__ball *way = spare, *u = way + of.room, *v = u + of.room;
  memcpy(way, x.b, of.room * sizeof *way);
  *way = rattle__ball_subtract(*way, *x.a);
  rattle__polynomial_chain(of, way, rattle__ball_odd(RATTLE__ODD_TANH, *way), u);
  rattle__polynomial_multiply(of, x.D, u, v);
  for (size_t e = 0; e < of.room; e++) u[e] = rattle__ball_minus(rattle__ball_times(*r.a, r.b[e]));
  *u = rattle__ball_add(*u, rattle__exactly(1));
  rattle__polynomial_multiply(of, v, u, r.D);
}

/* sqrt and abs: D = x.D top/(r.a + r.b), top = 1 or x.a + x.b; r.a and r.b are there. */
static void by_sum(rattle__polynomial of, int op, divided_triple x, divided_triple r,
                   rattle__ball *spare) {
  rattle__ball *sum = spare, *top = sum + of.room, *u = top + of.room, *v = u + of.room;
  memcpy(sum, r.b, of.room * sizeof *sum);
  *sum = rattle__ball_add(*sum, *r.a);
  rattle__polynomial_put(top, of, rattle__exactly(1));
  if (op == RATTLE_OP_ABS) {
    memcpy(top, x.b, of.room * sizeof *top);
    *top = rattle__ball_add(*top, *x.a);
  }
  rattle__polynomial_multiply(of, x.D, top, u);
  rattle__polynomial_divide(of, u, sum, v, r.D);
}

static void apply(rattle__polynomial of, int op, divided_triple x, rattle__ball *spare,
                  divided_triple r) {
  *r.a = rattle__ball_function(op, *x.a).f;
  rattle__polynomial_chain(of, x.b, rattle__ball_function(op, *x.b), r.b);
  if (op == RATTLE_OP_SIN) by_middle(of, x, cosine, RATTLE__ODD_SIN, spare, r.D);
  if (op == RATTLE_OP_COS) by_middle(of, x, minus_sine, RATTLE__ODD_SIN, spare, r.D);
  if (op == RATTLE_OP_EXP) by_middle(of, x, exponential, RATTLE__ODD_SINH, spare, r.D);
  if (op == RATTLE_OP_TANH) by_tanh(of, x, r, spare);
  if (op == RATTLE_OP_SQRT || op == RATTLE_OP_ABS) by_sum(of, op, x, r, spare);
  if (op != RATTLE_OP_LOG && op != RATTLE_OP_ATAN) return;
  rattle__ball *below = spare + 5 * of.room;
  if (op == RATTLE_OP_LOG)
    memcpy(below, x.b, of.room * sizeof *below);
  else
    for (size_t e = 0; e < of.room; e++) below[e] = rattle__ball_times(*x.a, x.b[e]);
  *below = rattle__ball_add(*below, op == RATTLE_OP_LOG ? *x.a : rattle__exactly(1));
  be_positive(below);
  by_quotient(of, x, below, op == RATTLE_OP_LOG ? RATTLE__ODD_ATANH : RATTLE__ODD_ATAN, spare, r.D);
  for (size_t e = 0; e < of.room && op == RATTLE_OP_LOG; e++)
    r.D[e] = rattle__ball_scaled(r.D[e], 2);
}

static void combine(rattle__polynomial of, int op, divided_triple x, divided_triple y,
                    divided_triple r) {
  const double sign = op == RATTLE_OP_NEG ? 0 : op == RATTLE_OP_SUB ? -1 : 1;
  const rattle__ball c = rattle__exactly(op == RATTLE_OP_NEG ? -1 : 1), d = rattle__exactly(sign);
  *r.a = rattle__ball_add(rattle__ball_times(c, *x.a), rattle__ball_times(d, *y.a));
  mix(of, c, x.b, d, y.b, r.b);
  mix(of, c, x.D, d, y.D, r.D);
}

/* Registers from those of the slots, which are first. */
static divided_triple execute(const rattle__family *f, int i, rattle__polynomial of,
                              rattle__ball *r) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  int to = p->slots;
  for (int j = 0; j < p->params; j++)
    put_constant(triple_at(r, of, to++), of, f->param[i * f->params + p->param[j]]);
  for (int j = 0; j < p->constants; j++) put_constant(triple_at(r, of, to++), of, p->constant[j]);
  rattle__ball *spare = triple_at(r, of, p->registers).a;
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

/* The value and D of a slot of which q is constant, with v and t of that way; derivatives are the
 * caller's. */
static void put_slot(divided_triple to, rattle__polynomial of, rattle__ball q, rattle__ball v,
                     rattle__ball t) {
  *to.a = q;
  rattle__polynomial_put(to.b, of, rattle__ball_more(q, t, v));
  rattle__polynomial_put(to.D, of, v);
}

void rattle__divided_at(const rattle__divided *d, const rattle__ball *q,
                        const rattle__divided_way *way, rattle__ball *D, rattle__ball *F,
                        rattle__ball *G) {
  const rattle__elements *e = d->q->f->elements;
  const int *place = d->q->place;
  memset(D, 0, (size_t)d->rows * sizeof *D);
  memset(F, 0, (size_t)d->rows * sizeof *F);
  memset(G, 0, (size_t)d->ptr[d->rows] * sizeof *G);
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    const int s = f->slots;
    const rattle__polynomial of = rattle__polynomial_of(s + 1, 0);
    for (int i = 0; i < f->count; i++, place += s) {
      if (!p->outs) continue;
      for (int j = 0; j < p->slots; j++) {
        const int slot = p->slot[j], c = f->slot[i * s + slot];
        const divided_triple to = triple_at(d->registers, of, j);
        put_slot(to, of, q[c], way->v[c], way->t);
        to.b[1 + slot] = way->t, to.b[1 + s] = way->v[c], to.D[1 + slot] = rattle__exactly(1);
      }
      const divided_triple out = execute(f, i, of, d->registers);
      const int row = f->row[i], last = d->ptr[row + 1] - 1;
      F[row] = rattle__ball_add(F[row], *out.a), D[row] = rattle__ball_add(D[row], *out.D);
      for (int j = 0; j < s; j++)
        G[place[j] + row] = rattle__ball_add(G[place[j] + row], out.D[1 + j]);
      G[last] = rattle__ball_add(G[last], out.D[1 + s]);
    }
  }
}

void rattle__divided_second(const rattle__divided *d, const rattle__ball *q,
                            const rattle__divided_way *way, rattle__ball *D) {
  const rattle__elements *e = d->q->f->elements;
  const rattle__polynomial of = rattle__polynomial_of(1, 1);
  const rattle__ball t = way->t, rate = way->t_rate, twice = rattle__ball_scaled(rate, 2);
  memset(D, 0, (size_t)d->rows * sizeof *D);
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    for (int i = 0; i < f->count && p->outs; i++) {
      for (int j = 0; j < p->slots; j++) {
        const int c = f->slot[i * f->slots + p->slot[j]];
        const divided_triple to = triple_at(d->registers, of, j);
        const rattle__ball v = way->v[c], v1 = way->rate[c], v2 = way->second[c];
        put_slot(to, of, q[c], v, t);
        to.D[1] = v1, to.D[2] = v2;
        to.b[1] = rattle__ball_more(rattle__ball_times(rate, v), t, v1);
        to.b[2] = rattle__ball_more(rattle__ball_times(way->t_second, v), t, v2);
        to.b[2] = rattle__ball_more(to.b[2], twice, v1);
      }
      const divided_triple out = execute(f, i, of, d->registers);
      D[f->row[i]] = rattle__ball_add(D[f->row[i]], out.D[2]);
    }
  }
}

/* --- how it is made --------------------------------------------------------------------------- */

static int lay_out(rattle__divided *d) {
  const rattle__quadratic *q = d->q;
  const rattle__elements *e = q->f->elements;
  size_t registers = 1;
  for (int k = 0; k < e->families; k++) {
    const rattle__family *f = &e->family[k];
    const int slots = f->slots + 1 > 2 ? f->slots + 1 : 2; /* more than a way has */
    const size_t room = rattle__polynomial_of(slots, 0).room;
    const size_t all = (size_t)f->program[RATTLE__VALUE].registers * (1 + 2 * room) + SPARE * room;
    if (all > registers) registers = all;
  }
  d->ptr = calloc((size_t)d->rows + 1, sizeof *d->ptr);
  d->col = calloc((size_t)(q->ptr[d->rows] + d->rows) + 1, sizeof *d->col);
  d->registers = calloc(registers, sizeof *d->registers);
  if (!d->ptr || !d->col || !d->registers) return 0;
  for (int i = 0, at = 0; i < d->rows; i++) {
    for (int c = q->ptr[i]; c < q->ptr[i + 1]; c++) d->col[at++] = q->col[c];
    d->col[at++] = d->vars;
    d->ptr[i + 1] = at;
  }
  return 1;
}

int rattle__divided_create(rattle__divided **d, const rattle__function *f) {
  *d = calloc(1, sizeof **d);
  int answer = *d ? rattle__quadratic_create_smooth(&(*d)->q, f) : -1;
  if (!answer) (*d)->rows = f->rows, (*d)->vars = f->vars;
  if (!answer && !lay_out(*d)) answer = -1;
  if (answer) rattle__divided_destroy(d);
  return answer;
}

void rattle__divided_destroy(rattle__divided **d) {
  if (!d || !*d) return;
  rattle__quadratic_destroy(&(*d)->q);
  free((*d)->ptr), free((*d)->col), free((*d)->registers), free(*d);
  *d = NULL;
}
