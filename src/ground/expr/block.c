/* The block interpreter: one operation of a program is done for a block of instances before the
 * next one.
 *
 * Registers of a block of n instances lie in `work`, register j at work[j*BLOCK .. j*BLOCK + n -
 * 1]. Results are stored in the order of instances, then outputs, as machine code stores them: sums
 * have the same bits. */
#include <math.h>
#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/op.h"

enum { BLOCK = 64 };

/* Arrays that receive results; NULL: not wanted. */
typedef struct target {
  double *F, *J, *S;
  const double *w; /* NULL: weight 1 */
  const double *v; /* of ALONG */
} target;

#define EACH(result)                                                                               \
  for (int i = 0; i < n; i++) to[i] = (result);                                                    \
  break

static void execute_block(const rattle__program *p, double *r, int n) {
  const rattle__code *end = p->code + p->length;
  for (const rattle__code *c = p->code; c < end; c++) {
    double *restrict to = r + (size_t)c->to * BLOCK;
    const double *a = r + (size_t)c->a * BLOCK, *b = r + (size_t)c->b * BLOCK;
    switch (c->op) {
    case RATTLE_OP_ADD:
      EACH(a[i] + b[i]);
    case RATTLE_OP_SUB:
      EACH(a[i] - b[i]);
    case RATTLE_OP_MUL:
      EACH(a[i] * b[i]);
    case RATTLE_OP_DIV:
      EACH(a[i] / b[i]);
    case RATTLE_OP_NEG:
      EACH(-a[i]);
    case RATTLE_OP_SQRT:
      EACH(sqrt(a[i]));
    default:
      EACH(rattle__op_apply((rattle_op)c->op, a[i], b[i]));
    }
  }
}

static void gather(const rattle__program *p, const rattle__family *f, const double *x,
                   const double *v, int first, int n, double *r) {
  const int *column = f->slot + (size_t)first * f->slots;
  for (int j = 0; j < p->slots; j++, r += BLOCK)
    for (int i = 0; i < n; i++) r[i] = x[column[(size_t)i * f->slots + p->slot[j]]];
  const double *param = f->param + (size_t)first * f->params;
  for (int j = 0; j < p->params; j++, r += BLOCK) {
    int which = p->param[j], slot = which - f->params;
    if (slot < 0)
      for (int i = 0; i < n; i++) r[i] = param[(size_t)i * f->params + which];
    else
      for (int i = 0; i < n; i++) r[i] = v[column[(size_t)i * f->slots + slot]];
  }
}

/* Register out[k] of instance i goes to y[at[i*outs + k]]: alone there, or added in order. */
static void scatter(const double *r, const int *out, int outs, const int *at, int n, double *y,
                    int store) {
  if (store) {
    for (int k = 0; k < outs; k++) {
      const double *from = r + (size_t)out[k] * BLOCK;
      for (int i = 0; i < n; i++) y[at[(size_t)i * outs + k]] = from[i];
    }
    return;
  }
  for (int i = 0; i < n; i++, at += outs)
    for (int k = 0; k < outs; k++) y[at[k]] += r[(size_t)out[k] * BLOCK + i];
}

static void scatter_weighted(const double *r, const rattle__program *p, const int *at,
                             const int *row, int n, const target *y, int store) {
  for (int i = 0; i < n; i++, at += p->outs) {
    double w = y->w ? y->w[row[i]] : 1;
    for (int k = 0; k < p->outs; k++) {
      double value = w * r[(size_t)p->out[k] * BLOCK + i];
      y->S[at[k]] = store ? value : y->S[at[k]] + value;
    }
  }
}

static void run_family(const rattle__family *f, const rattle__table *t, const rattle__program *p,
                       const double *x, const target *y, double *r) {
  double *constant = r + (size_t)(p->slots + p->params) * BLOCK;
  for (int k = 0; k < p->constants; k++)
    for (int i = 0; i < BLOCK && i < f->count; i++) constant[k * BLOCK + i] = p->constant[k];
  for (int first = 0; first < f->count; first += BLOCK) {
    int n = f->count - first < BLOCK ? f->count - first : BLOCK;
    gather(p, f, x, y->v, first, n, r);
    execute_block(p, r, n);
    if (y->S) {
      scatter_weighted(r, p, t->hess + (size_t)first * p->outs, f->row + first, n, y, f->store_S);
      continue;
    }
    if (y->F) scatter(r, p->out, 1, f->row + first, n, y->F, f->store_F);
    if (y->J)
      scatter(r, p->out + (y->F != NULL), f->jac_outs, t->jac + (size_t)first * f->jac_outs, n,
              y->J, f->store_J);
  }
}

static int run(const rattle__function *f, int kind, const double *x, const target *y,
               double *work) {
  const rattle__elements *e = f->self;
  if (y->F && e->zero_F) memset(y->F, 0, (size_t)f->rows * sizeof *y->F);
  if (y->J && e->zero_J) memset(y->J, 0, (size_t)f->jac_nnz * sizeof *y->J);
  if (y->S && e->zero_S) memset(y->S, 0, (size_t)f->hess_nnz * sizeof *y->S);
  for (int k = 0; k < e->families; k++) {
    const rattle__family *family = &e->family[k];
    const rattle__program *p = &family->program[kind];
    if (p->outs) run_family(family, &e->table[k], p, x, y, work);
  }
  return 0;
}

static int value(const rattle__function *f, const double *x, double *F, double *work) {
  return run(f, RATTLE__VALUE, x, &(target){.F = F}, work);
}

static int jacobian(const rattle__function *f, const double *x, double *F, double *J,
                    double *work) {
  return run(f, F ? RATTLE__BOTH : RATTLE__GRADIENT, x, &(target){.F = F, .J = J}, work);
}

static int hessian(const rattle__function *f, const double *x, const double *w, double *S,
                   double *work) {
  return run(f, RATTLE__CURVATURE, x, &(target){.S = S, .w = w}, work);
}

static int along(const rattle__function *f, const double *x, const double *v, double *D,
                 double *work) {
  return run(f, RATTLE__ALONG, x, &(target){.J = D, .v = v}, work);
}

void rattle__block_attach(rattle__function *f, const rattle__build *build) {
  const rattle__elements *e = f->self;
  f->work = 1;
  for (int k = 0; k < e->families; k++)
    for (int kind = 0; kind < RATTLE__PROGRAMS; kind++) {
      size_t registers = (size_t)e->family[k].program[kind].registers * BLOCK;
      if (registers > f->work) f->work = registers;
    }
  f->native = 0;
  f->value = value;
  f->jacobian = jacobian;
  f->hessian = build->hessian ? hessian : NULL;
  f->along = build->hessian && build->constraints ? along : NULL;
}
