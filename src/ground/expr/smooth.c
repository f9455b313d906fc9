/* Programs of values on polynomials whose coefficients are symbols: what they write down are
 * programs with bounds for all points. See smooth.h. */
#include "ground/expr/smooth.h"

#include <stdlib.h>
#include <string.h>

#define BALL_SYMBOLS
#include "ground/expr/ball_polynomial.h"
#include "ground/expr/family.h"

typedef rattle__ball_symbol symbol;

typedef struct smooth_maker {
  rattle__ball_programs *to;
  const rattle__elements *e;
  const char *fixed;
  symbol *registers, *out; /* out: F [rows], then G */
  int rows, entries;
} smooth_maker;

/* Registers from those of the slots, which are first. */
static void execute(const rattle__family *f, int i, rattle__polynomial s, symbol *r) {
  const rattle__program *p = &f->program[RATTLE__VALUE];
  const size_t room = s.room;
  symbol *to = r + (size_t)p->slots * room;
  for (int j = 0; j < p->params; j++, to += room)
    rattle__polynomial_put(to, s, rattle__symbol_exactly(f->param[i * f->params + p->param[j]]));
  for (int j = 0; j < p->constants; j++, to += room)
    rattle__polynomial_put(to, s, rattle__symbol_exactly(p->constant[j]));
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    const symbol *a = r + (size_t)c->a * room, *b = r + (size_t)c->b * room;
    symbol *out = r + (size_t)c->to * room;
    if (c->op == RATTLE_OP_MUL) rattle__polynomial_multiply(s, a, b, out);
    if (c->op == RATTLE_OP_ADD || c->op == RATTLE_OP_SUB)
      rattle__polynomial_combine(s, a, b, c->op == RATTLE_OP_SUB, out);
    for (size_t e = 0; e < room && c->op == RATTLE_OP_NEG; e++) out[e] = rattle__symbol_minus(a[e]);
    if (c->op == RATTLE_OP_DIV)
      rattle__polynomial_divide(s, a, b, r + (size_t)p->registers * room, out);
    if (rattle__ball_has_function(c->op))
      rattle__polynomial_chain(s, a, rattle__symbol_function(c->op, *a), out);
  }
}

static int is_fixed(const smooth_maker *k, int column) {
  return k->fixed && k->fixed[column];
}

static symbol input(smooth_maker *k, int part, int place) {
  return rattle__symbol_input(&k->to->all, part, place);
}

static void add_to(symbol *sum, symbol x) {
  *sum = rattle__symbol_add(*sum, x);
}

static void find_slopes(smooth_maker *k, const int *place) {
  symbol *F = k->out, *G = F + k->rows, *r = k->registers;
  for (int a = 0; a < k->e->families; a++) {
    const rattle__family *f = &k->e->family[a];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    const rattle__polynomial of = rattle__polynomial_of(f->slots, 0);
    for (int i = 0; i < f->count; i++, place += f->slots) {
      if (!p->outs) continue;
      for (int j = 0; j < p->slots; j++) {
        const int column = f->slot[i * f->slots + p->slot[j]];
        symbol *to = r + (size_t)j * of.room;
        rattle__polynomial_put(to, of, input(k, 0, column));
        to[1 + p->slot[j]] = rattle__symbol_exactly(!is_fixed(k, column));
      }
      execute(f, i, of, r);
      const symbol *out = r + (size_t)p->out[0] * of.room;
      add_to(&F[f->row[i]], out[0]);
      for (int s = 0; s < f->slots; s++) add_to(&G[place[s]], out[1 + s]);
    }
  }
}

static void find_seconds(smooth_maker *k) {
  const rattle__polynomial way = rattle__polynomial_of(1, 1);
  symbol *F = k->out, *r = k->registers;
  memset(F, 0, (size_t)k->rows * sizeof *F);
  for (int a = 0; a < k->e->families; a++) {
    const rattle__family *f = &k->e->family[a];
    const rattle__program *p = &f->program[RATTLE__VALUE];
    for (int i = 0; i < f->count && p->outs; i++) {
      for (int j = 0; j < p->slots; j++) {
        const int c = f->slot[i * f->slots + p->slot[j]];
        symbol *to = r + (size_t)j * way.room;
        rattle__polynomial_put(to, way, input(k, 0, c));
        if (!is_fixed(k, c)) to[1] = input(k, 1, c), to[2] = input(k, 2, c);
      }
      execute(f, i, way, r);
      add_to(&F[f->row[i]], r[(size_t)p->out[0] * way.room + 2]);
    }
  }
}

static int lay_out(smooth_maker *k) {
  size_t registers = 1;
  for (int a = 0; a < k->e->families; a++) {
    const rattle__family *f = &k->e->family[a];
    const size_t room = (size_t)f->slots + 3; /* more than a way has */
    const size_t all = room * ((size_t)f->program[RATTLE__VALUE].registers + 1);
    if (all > registers) registers = all;
  }
  k->registers = calloc(registers, sizeof *k->registers);
  k->out = calloc((size_t)(k->rows + k->entries) + 1, sizeof *k->out);
  return k->registers && k->out;
}

int rattle__smooth_make(rattle__ball_programs *p, const rattle__function *f, const int *place,
                        int entries, const char *fixed) {
  smooth_maker k = {.to = p, .e = f->elements, .fixed = fixed, .rows = f->rows, .entries = entries};
  int answer = lay_out(&k) ? 0 : -1;
  if (!answer) {
    find_slopes(&k, place);
    answer = rattle__ball_programs_add(p, k.out, k.rows);
    if (!answer) answer = rattle__ball_programs_add(p, k.out + k.rows, k.entries);
  }
  if (!answer) {
    find_seconds(&k);
    answer = rattle__ball_programs_add(p, k.out, k.rows);
  }
  free(k.registers), free(k.out);
  return answer ? answer : rattle__ball_programs_finish(p);
}
