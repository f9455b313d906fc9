/* Single rows: the instances that a row consists of, found through an index, are evaluated one by
 * one.
 *
 * Interpreted, an instance is its program over registers in `work`; as machine code it is the loop
 * of its family over a table of one instance. Sums are in the order of the whole Jacobian, so bits
 * are the same. */
#include <stdlib.h>
#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/op.h"

/* Registers of instance i of the family after program BOTH. */
static void execute(const rattle__family *f, int i, const double *x, double *r) {
  const rattle__program *p = &f->program[RATTLE__BOTH];
  const int *column = f->slot + (size_t)i * f->slots;
  const double *param = f->param + (size_t)i * f->params;
  double *to = r;
  for (int j = 0; j < p->slots; j++) *to++ = x[column[p->slot[j]]];
  for (int j = 0; j < p->params; j++) *to++ = param[p->param[j]];
  memcpy(to, p->constant, (size_t)p->constants * sizeof *to);
  for (const rattle__code *c = p->code, *end = c + p->length; c < end; c++)
    r[c->to] = rattle__op_apply((rattle_op)c->op, r[c->a], r[c->b]);
}

static void interpret(const rattle__family *f, const rattle__table *t, int i, const double *x,
                      double *F, double *J, double *r) {
  execute(f, i, x, r);
  const int *out = f->program[RATTLE__BOTH].out, *at = t->jac + (size_t)i * f->jac_outs;
  F[f->row[i]] = f->store_F ? r[out[0]] : F[f->row[i]] + r[out[0]];
  for (int k = 0; k < f->jac_outs; k++)
    J[at[k]] = f->store_J ? r[out[k + 1]] : J[at[k]] + r[out[k + 1]];
}

static int row(const rattle__function *f, int r, const double *x, double *F, double *J,
               double *work) {
  const rattle__elements *e = f->self;
  if (e->zero_F) F[r] = 0;
  if (e->zero_J)
    for (int k = f->jac_ptr[r]; k < f->jac_ptr[r + 1]; k++) J[k] = 0;
  for (int k = e->rows.ptr[r]; k < e->rows.ptr[r + 1]; k++) {
    int which = e->rows.one[k].family, i = e->rows.one[k].instance;
    const rattle__family *family = &e->family[which];
    const rattle__table *t = &e->table[which];
    if (!e->rows.both) {
      interpret(family, t, i, x, F, J, work);
      continue;
    }
    rattle__table one = {.count = 1,
                         .slot = t->slot + (size_t)i * family->slots,
                         .param = t->param + (size_t)i * family->params,
                         .row = t->row + i,
                         .jac = t->jac + (size_t)i * family->jac_outs};
    e->rows.both[which](&one, x, F, J);
  }
  return 0;
}

int rattle__row_attach(rattle__function *f) {
  rattle__elements *e = f->self;
  size_t count = 0;
  for (int k = 0; k < e->families; k++) count += (size_t)e->family[k].count;
  rattle__row_index *rows = &e->rows;
  rows->ptr = calloc((size_t)f->rows + 2, sizeof *rows->ptr);
  rows->one = malloc((count + 1) * sizeof *rows->one);
  if (!rows->ptr || !rows->one) return -1;

  /* sorted by counting: ptr[r + 1] is where row r goes on while the list is filled */
  int *next = rows->ptr + 1;
  for (int k = 0; k < e->families; k++)
    for (int i = 0; i < e->family[k].count; i++) next[e->family[k].row[i] + 1]++;
  for (int r = 0; r < f->rows; r++) next[r + 1] += next[r];
  for (int k = 0; k < e->families; k++)
    for (int i = 0; i < e->family[k].count; i++) {
      int to = next[e->family[k].row[i]]++;
      rows->one[to].family = k;
      rows->one[to].instance = i;
    }

  size_t registers = (size_t)rattle__elements_registers(e);
  if (registers > f->work) f->work = registers;
  f->row = row;
  return 0;
}
