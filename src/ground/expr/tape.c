/* The tape: how small functions are interpreted.
 *
 * All instances of all families are written out, one after the other, as one program over one set
 * of registers,
 *     inputs x[column[j]], inputs v[direction[j]], constants, results of operations,
 * with the list of registers to store at the end. So a pendulum costs a few loads and stores around
 * its operations. Operations and sums have the order of the block interpreter. */
#include <stdlib.h>
#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/op.h"

/* Register `from` goes to place `to` of F, J or S; `weight` is the row whose weight S takes. */
typedef struct store {
  int from, to, weight, adds;
} store;

typedef struct tape {
  int *column;    /* [inputs] */
  int *direction; /* [directions], of ALONG */
  double *constant;
  rattle__code *code;
  store *first, *second; /* of F; of J or S */
  struct {
    int constant;
    const double *from; /* a parameter that inputs determine */
  } * settable;         /* [settables] */
  int inputs, directions, constants, length, firsts, seconds, settables;
} tape;

struct rattle__tapes {
  tape tape[RATTLE__PROGRAMS];
};

/* Sizes that are enough for one kind of result. */
static int reserve(tape *t, const rattle__elements *e, int kind) {
  size_t operations = 1, inputs = 1, constants = 1, outs = 1, instances = 1;
  for (int k = 0; k < e->families; k++) {
    const rattle__program *p = &e->family[k].program[kind];
    size_t count = (size_t)e->family[k].count;
    operations += count * (size_t)p->length;
    inputs += count * (size_t)p->slots;
    constants += count * (size_t)(p->params + p->constants);
    outs += count * (size_t)p->outs;
    instances += count;
  }
  t->column = malloc(inputs * sizeof *t->column);
  t->direction = malloc((kind == RATTLE__ALONG ? constants : 1) *
                        sizeof *t->direction); /* parameters of the programs */
  t->constant = malloc(constants * sizeof *t->constant);
  t->settable = malloc(constants * sizeof *t->settable);
  t->code = malloc(operations * sizeof *t->code);
  t->first = malloc(instances * sizeof *t->first);
  t->second = malloc(outs * sizeof *t->second);
  return t->column && t->direction && t->constant && t->settable && t->code && t->first && t->second
             ? 0
             : -1;
}

/* Equal inputs and constants share a register, as long as there are not too many to search. */
enum { SEARCHED = 1000 };

static int input(int *list, int *inputs, int column) {
  int j = *inputs < SEARCHED ? 0 : *inputs;
  while (j < *inputs && list[j] != column) j++;
  if (j == *inputs) list[(*inputs)++] = column;
  return j;
}

static int is_settable(const tape *t, int constant) {
  for (int k = 0; k < t->settables; k++)
    if (t->settable[k].constant == constant) return 1;
  return 0;
}

static int constant(tape *t, double value) {
  int j = t->constants < SEARCHED ? 0 : t->constants;
  while (j < t->constants && (memcmp(&t->constant[j], &value, sizeof value) || is_settable(t, j)))
    j++;
  if (j == t->constants) t->constant[t->constants++] = value;
  return j;
}

static int settable_constant(tape *t, const double *from) {
  for (int k = 0; k < t->settables; k++)
    if (t->settable[k].from == from) return t->settable[k].constant;
  t->settable[t->settables].constant = t->constants, t->settable[t->settables++].from = from;
  t->constant[t->constants] = *from;
  return t->constants++;
}

/* Registers while a tape is written: inputs j, inputs of v DIRECTION + j, constants CONSTANT + j,
 * results RESULT + j; made dense by `settle`. */
enum { DIRECTION = 1 << 27, CONSTANT = 1 << 28, RESULT = 1 << 29 };

/* Register of the program's parameter j. */
static int parameter(tape *t, const rattle__family *f, const rattle__program *p, int i, int j) {
  int slot = p->param[j] - f->params;
  if (slot < 0 && slot >= -f->settables)
    return CONSTANT + settable_constant(t, &f->param[(size_t)i * f->params + p->param[j]]);
  if (slot < 0) return CONSTANT + constant(t, f->param[(size_t)i * f->params + p->param[j]]);
  return DIRECTION + input(t->direction, &t->directions, f->slot[(size_t)i * f->slots + slot]);
}

/* Appends one instance; at[] holds the register on the tape of each register of the program. */
static void append(tape *t, const rattle__family *f, const rattle__table *table, int kind, int i,
                   int *at) {
  const rattle__program *p = &f->program[kind];
  for (int j = 0; j < p->slots; j++)
    at[j] = input(t->column, &t->inputs, f->slot[(size_t)i * f->slots + p->slot[j]]);
  for (int j = 0; j < p->params; j++) at[p->slots + j] = parameter(t, f, p, i, j);
  for (int j = 0; j < p->constants; j++)
    at[p->slots + p->params + j] = CONSTANT + constant(t, p->constant[j]);
  for (int k = 0; k < p->length; k++) {
    const rattle__code *c = &p->code[k];
    t->code[t->length] =
        (rattle__code){.op = c->op, .to = RESULT + t->length, .a = at[c->a], .b = at[c->b]};
    at[c->to] = RESULT + t->length++;
  }
  const int *out = p->out, *end = p->out + p->outs;
  if (kind == RATTLE__VALUE || kind == RATTLE__BOTH)
    t->first[t->firsts++] = (store){.from = at[*out++], .to = f->row[i], .adds = !f->store_F};
  const int *to = kind == RATTLE__CURVATURE ? table->hess + (size_t)i * f->hess_outs
                                            : table->jac + (size_t)i * f->jac_outs;
  int adds = kind == RATTLE__CURVATURE ? !f->store_S : !f->store_J;
  while (out < end)
    t->second[t->seconds++] =
        (store){.from = at[*out++], .to = *to++, .weight = f->row[i], .adds = adds};
}

static int dense(const tape *t, int at) {
  if (at >= RESULT) return at - RESULT + t->inputs + t->directions + t->constants;
  if (at >= CONSTANT) return at - CONSTANT + t->inputs + t->directions;
  return at >= DIRECTION ? at - DIRECTION + t->inputs : at;
}

static void settle(tape *t) {
  for (int k = 0; k < t->length; k++) {
    rattle__code *c = &t->code[k];
    *c = (rattle__code){
        .op = c->op, .to = dense(t, c->to), .a = dense(t, c->a), .b = dense(t, c->b)};
  }
  for (int k = 0; k < t->firsts; k++) t->first[k].from = dense(t, t->first[k].from);
  for (int k = 0; k < t->seconds; k++) t->second[k].from = dense(t, t->second[k].from);
}

/* Fills r with the results of all operations. */
static inline void execute(const tape *t, const double *x, const double *v, double *r) {
  double *to = r;
  for (int j = 0; j < t->inputs; j++) *to++ = x[t->column[j]];
  for (int j = 0; v && j < t->directions; j++) *to++ = v[t->direction[j]];
  for (int j = 0; j < t->constants; j++) *to++ = t->constant[j];
  const rattle__code *end = t->code + t->length;
  for (const rattle__code *c = t->code; c < end; c++)
    *to++ = rattle__op_apply((rattle_op)c->op, r[c->a], r[c->b]);
}

static inline void put(const store *s, int count, const double *r, double *y) {
  for (const store *end = s + count; s < end; s++)
    y[s->to] = s->adds ? y[s->to] + r[s->from] : r[s->from];
}

static inline void clear(double *y, int count) {
  for (int k = 0; k < count; k++) y[k] = 0;
}

static const tape *start(const rattle__function *f, int kind, const double *x, double *work) {
  const rattle__elements *e = f->self;
  const tape *t = &e->tapes->tape[kind];
  execute(t, x, NULL, work);
  return t;
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  const tape *t = start(f, RATTLE__VALUE, x, work);
  if (((const rattle__elements *)f->self)->zero_F) clear(F, f->rows);
  put(t->first, t->firsts, work, F);
  return 0;
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  const rattle__elements *e = f->self;
  const tape *t = start(f, F ? RATTLE__BOTH : RATTLE__GRADIENT, x, work);
  if (F) {
    if (e->zero_F) clear(F, f->rows);
    put(t->first, t->firsts, work, F);
  }
  if (e->zero_J) clear(J, f->jac_nnz);
  put(t->second, t->seconds, work, J);
  return 0;
}

static int hessian(const rattle__function *f, const double *x, const double *w, double *S,
                   double *work) {
  const tape *t = start(f, RATTLE__CURVATURE, x, work);
  if (((const rattle__elements *)f->self)->zero_S) clear(S, f->hess_nnz);
  for (const store *s = t->second, *end = s + t->seconds; s < end; s++) {
    double weighted = (w ? w[s->weight] : 1) * work[s->from];
    S[s->to] = s->adds ? S[s->to] + weighted : weighted;
  }
  return 0;
}

static int along(const rattle__function *f, const double *x, const double *v, double *D,
                 double *work) {
  const rattle__elements *e = f->self;
  const tape *t = &e->tapes->tape[RATTLE__ALONG];
  execute(t, x, v, work);
  if (e->zero_J) clear(D, f->jac_nnz);
  put(t->second, t->seconds, work, D);
  return 0;
}

void rattle__tapes_destroy(rattle__tapes **tapes) {
  for (int kind = 0; *tapes && kind < RATTLE__PROGRAMS; kind++) {
    tape *t = &(*tapes)->tape[kind];
    free(t->column);
    free(t->direction);
    free(t->constant);
    free(t->settable);
    free(t->code);
    free(t->first);
    free(t->second);
  }
  free(*tapes);
  *tapes = NULL;
}

void rattle__tapes_set_values(rattle__tapes *tapes) {
  for (int kind = 0; kind < RATTLE__PROGRAMS; kind++) {
    const tape *t = &tapes->tape[kind];
    for (int k = 0; k < t->settables; k++)
      t->constant[t->settable[k].constant] = *t->settable[k].from;
  }
}

int rattle__tape_attach(rattle__function *f, const rattle__build *build) {
  rattle__elements *e = f->self;
  int *at = malloc(((size_t)rattle__elements_registers(e) + 1) * sizeof *at), failed = !at;
  e->tapes = calloc(1, sizeof *e->tapes);
  f->work = 1;
  for (int kind = 0; kind < RATTLE__PROGRAMS && !failed && e->tapes; kind++) {
    tape *t = &e->tapes->tape[kind];
    failed = reserve(t, e, kind);
    for (int k = 0; k < e->families && !failed; k++)
      for (int i = 0; i < e->family[k].count && e->family[k].program[kind].outs; i++)
        append(t, &e->family[k], &e->table[k], kind, i, at);
    settle(t);
    size_t registers =
        (size_t)t->inputs + (size_t)t->directions + (size_t)t->constants + (size_t)t->length;
    if (registers > f->work) f->work = registers;
  }
  free(at);
  if (failed || !e->tapes) return -1;
  f->value = value;
  f->jacobian = jacobian;
  f->hessian = build->hessian ? hessian : NULL;
  f->along = build->hessian && build->constraints ? along : NULL;
  return 0;
}
