/* Bounds on round-off, evaluated as the function itself is. */
#include "ground/expr/round_off.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/family.h"
#include "ground/expr/op.h"

double rattle__spread(rattle_op op, double a, double b, double v, double ea, double eb) {
  switch (op) {
  case RATTLE_OP_ADD:
  case RATTLE_OP_SUB:
    return ea + eb;
  case RATTLE_OP_MUL:
    return fabs(a) * eb + fabs(b) * ea + ea * eb;
  case RATTLE_OP_DIV:
    return (ea + fabs(v) * eb) / fabs(b);
  case RATTLE_OP_POW:
    return a > 0 ? fabs(v * b / a) * ea + fabs(v * log(a)) * eb : 0;
  case RATTLE_OP_POWI: /* at a = 0 the second term counts */
    return fabs(b * rattle__op_apply(op, a, b - 1)) * ea +
           fabs(b * rattle__op_apply(op, ea, fmax(b, 1)));
  case RATTLE_OP_ATAN2:
    return (fabs(a) * eb + fabs(b) * ea) / (a * a + b * b);
  case RATTLE_OP_LT:
  case RATTLE_OP_SIGN:
    return 0;
  case RATTLE_OP_WHEN:
    return a > 0 ? eb : 0;
  case RATTLE_OP_MIN:
  case RATTLE_OP_MAX:
    return fmax(ea, eb);
  case RATTLE_OP_SQRT:
    return v > 0 ? ea / (2 * v) : sqrt(ea);
  case RATTLE_OP_EXP:
    return fabs(v) * ea;
  case RATTLE_OP_LOG:
    return ea / fabs(a);
  case RATTLE_OP_EXPM1:
    return (1 + fabs(v)) * ea;
  case RATTLE_OP_LOG1P:
    return ea / fabs(1 + a);
  case RATTLE_OP_ERF:
  case RATTLE_OP_ERFC:
    return M_2_SQRTPI * ea;
  case RATTLE_OP_TAN:
    return (1 + v * v) * ea;
  case RATTLE_OP_ASIN:
  case RATTLE_OP_ACOS:
    return fabs(a) < 1 ? ea / sqrt(1 - a * a) : sqrt(ea);
  case RATTLE_OP_SINH:
  case RATTLE_OP_COSH:
    return (1 + fabs(v)) * ea;
  default:
    return ea; /* functions whose derivative is at most 1 */
  }
}

/* A register: a value and the bound of its error. */
typedef struct known {
  double value, error;
} known;

size_t rattle__round_off_room(const rattle__function *f) {
  const rattle__elements *e = rattle__function_elements(f);
  const size_t registers = e ? (size_t)rattle__elements_registers(e) : 0;
  const size_t doubles = e ? (size_t)f->rows + (size_t)f->jac_nnz
                           : (size_t)f->rows + (size_t)f->jac_nnz + (size_t)f->hess_nnz + f->work;
  return registers * sizeof(known) + doubles * sizeof(double);
}

static void execute(const rattle__family *f, const rattle__program *p, int i, const double *x,
                    const double *reach, known *r) {
  const int *column = f->slot + (size_t)i * f->slots;
  const double *param = f->param + (size_t)i * f->params;
  known *to = r;
  for (int j = 0; j < p->slots; j++) {
    const int c = column[p->slot[j]];
    *to++ = (known){x[c], reach[c]};
  }
  for (int j = 0; j < p->params; j++) *to++ = (known){param[p->param[j]], 0};
  for (int j = 0; j < p->constants; j++) *to++ = (known){p->constant[j], 0};
  for (const rattle__code *c = p->code, *end = c + p->length; c < end; c++) {
    const known a = r[c->a], b = r[c->b];
    const double v = rattle__op_apply((rattle_op)c->op, a.value, b.value);
    const double passed_on =
        rattle__spread((rattle_op)c->op, a.value, b.value, v, a.error, b.error);
    r[c->to] = (known){v, passed_on + DBL_EPSILON * fabs(v)};
  }
}

/* sum += term: sum[0] the value, sum[1] its error, in two arrays */
static void add(known term, double *value, double *error) {
  *value += term.value;
  *error += term.error + DBL_EPSILON * fabs(*value);
}

static void of_expressions(const rattle__function *f, const double *x, const double *reach,
                           double *F, double *J, void *room) {
  const rattle__elements *e = f->self;
  double *value = room, *slope = value + f->rows;
  known *registers = (known *)(slope + f->jac_nnz);
  memset(value, 0, ((size_t)f->rows + (size_t)f->jac_nnz) * sizeof(double));
  if (F) memset(F, 0, (size_t)f->rows * sizeof *F);
  if (J) memset(J, 0, (size_t)f->jac_nnz * sizeof *J);
  for (int k = 0; k < e->families; k++) {
    const rattle__family *family = &e->family[k];
    const rattle__program *p = &family->program[J ? RATTLE__BOTH : RATTLE__VALUE];
    const int *to = e->table[k].jac;
    for (int i = 0; i < family->count && p->outs; i++, to += family->jac_outs) {
      execute(family, p, i, x, reach, registers);
      const int row = family->row[i];
      if (F) add(registers[p->out[0]], value + row, F + row);
      for (int j = 0; j < family->jac_outs && J; j++)
        add(registers[p->out[j + 1]], slope + to[j], J + to[j]);
    }
  }
}

/* The largest coordinates: of q, and of p, or of all if f is not a function of pairs. One on which
 * the derivatives of an energy of (q, p) do not depend, such as the work of forces, has a unit of
 * its own and does not count. */
static void find_largest(const rattle__function *f, const double *x, double largest[2]) {
  const int energy = f->rows == 1 && f->hessian;
  largest[0] = largest[1] = 0;
  for (int c = 0; c < f->vars; c++) {
    const int half = f->pairs && c >= f->pairs;
    const int alone = f->pairs && energy && f->hess_ptr[c + 1] == f->hess_ptr[c];
    if (!alone) largest[half] = fmax(largest[half], fabs(x[c]));
  }
}

/* The error of coordinate k of x: none is known better than a small part of the largest of its
 * unit. */
static double error_of(const rattle__function *f, const double *x, const double *reach,
                       const double largest[2], int k) {
  const double most = largest[f->pairs && k >= f->pairs];
  return DBL_EPSILON * fmax(fabs(x[k]), most / 64) + reach[k];
}

static int of_callback(const rattle__function *f, const double *x, const double *reach, double *F,
                       double *J, void *room) {
  double *value = room, *slope = value + f->rows, *S = slope + f->jac_nnz, *work = S + f->hess_nnz;
  double largest[2];
  find_largest(f, x, largest);
  int answer = f->jacobian(f, x, value, slope, work);
  for (int r = 0; r < f->rows && F && !answer; r++) {
    F[r] = DBL_EPSILON * fabs(value[r]);
    for (int k = f->jac_ptr[r]; k < f->jac_ptr[r + 1]; k++)
      F[r] += fabs(slope[k]) * error_of(f, x, reach, largest, f->jac_col[k]);
  }
  for (int k = 0; k < f->jac_nnz && J; k++) J[k] = DBL_EPSILON * fabs(slope[k]);
  if (answer || !J || !f->hessian || f->rows != 1 || f->jac_nnz != f->vars) return answer;
  answer = f->hessian(f, x, NULL, S, work);
  for (int k = 0; k < f->vars && !answer; k++)
    for (int e = f->hess_ptr[k]; e < f->hess_ptr[k + 1]; e++)
      J[k] += fabs(S[e]) * error_of(f, x, reach, largest, f->hess_col[e]);
  return answer;
}

int rattle__round_off(const rattle__function *f, const double *x, const double *reach, double *F,
                      double *J, void *room) {
  if (!rattle__function_elements(f)) return of_callback(f, x, reach, F, J, room);
  of_expressions(f, x, reach, F, J, room);
  return 0;
}
