/* The programs of a function's elements in another arithmetic than double. Before inclusion:
 * `real`, the type, and REAL(sin), the name of its sine, and so for all operations of
 * rattle/ops.def. No header guard: each includer has its own.
 *
 * Operations, sums and their order are those of the block interpreter; constants of the model are
 * the doubles that they are. */
#include "ground/expr/family.h"
#include "ground/expr/op.h"
#include "rattle/expr.h"

#define OP_REAL real
#define OP_CALL(function) REAL(function)
#define OP_NAME(name) precise_##name
#include "ground/expr/op_text.h"

/* Registers r of instance i of the family after a program. */
static inline void precise_execute(const rattle__family *f, const rattle__program *p, int i,
                                   const real *x, real *r) {
  const int *column = f->slot + (size_t)i * f->slots;
  const double *param = f->param + (size_t)i * f->params;
  real *to = r;
  for (int j = 0; j < p->slots; j++) *to++ = x[column[p->slot[j]]];
  for (int j = 0; j < p->params; j++) *to++ = param[p->param[j]];
  for (int j = 0; j < p->constants; j++) *to++ = p->constant[j];
  for (const rattle__code *c = p->code, *end = c + p->length; c < end; c++)
    r[c->to] = precise_apply((rattle_op)c->op, r[c->a], r[c->b]);
}

/* F[rows], and J[jac_nnz] in its pattern, of a function from expressions at x[vars]; room for
 * rattle__elements_registers. */
static inline void precise_jacobian(const rattle__function *f, const real *x, real *F, real *J,
                                    real *room) {
  const rattle__elements *e = f->self;
  for (int r = 0; r < f->rows; r++) F[r] = 0;
  for (int k = 0; k < f->jac_nnz; k++) J[k] = 0;
  for (int k = 0; k < e->families; k++) {
    const rattle__family *family = &e->family[k];
    const rattle__program *p = &family->program[RATTLE__BOTH];
    const int *to = e->table[k].jac;
    for (int i = 0; i < family->count && p->outs; i++, to += family->jac_outs) {
      precise_execute(family, p, i, x, room);
      F[family->row[i]] += room[p->out[0]];
      for (int j = 0; j < family->jac_outs; j++) J[to[j]] += room[p->out[j + 1]];
    }
  }
}

/* F[rows] of a function from expressions at x[vars]; room for rattle__elements_registers. */
static inline void precise_value(const rattle__function *f, const real *x, real *F, real *room) {
  const rattle__elements *e = f->self;
  for (int r = 0; r < f->rows; r++) F[r] = 0;
  for (int k = 0; k < e->families; k++) {
    const rattle__family *family = &e->family[k];
    const rattle__program *p = &family->program[RATTLE__VALUE];
    for (int i = 0; i < family->count && p->outs; i++) {
      precise_execute(family, p, i, x, room);
      F[family->row[i]] += room[p->out[0]];
    }
  }
}
