/* Values of all nodes of a graph at a point, with a bound on what round-off makes of each.
 *
 * Nodes are in order of making, operands first: one sweep. Running error analysis (J. H. Wilkinson; N. J. Higham, Accuracy and
 * Stability of Numerical Algorithms, section 3.3): variables are off by some units of round-off of their size, an operation adds
 * eps |result| to what its operands are off by. A value counts as 0 up to `generous` times its bound: a point of the manifold is
 * as far off it as round-off and its condition have it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "doctor/dirac.h"
#include "expr/graph.h"
#include "expr/op.h"

static const double generous = 1e4;

/* What errors ea, eb of the operands a, b make of the result v. */
static double spread(rattle_op op, double a, double b, double v, double ea, double eb) {
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
    return fabs(b * rattle__op_apply(op, a, b - 1)) * ea + fabs(b * rattle__op_apply(op, ea, fmax(b, 1)));
  case RATTLE_OP_ATAN2:
    return (fabs(a) * eb + fabs(b) * ea) / (a * a + b * b);
  case RATTLE_OP_SQRT:
    return v > 0 ? ea / (2 * v) : sqrt(ea);
  case RATTLE_OP_EXP:
    return fabs(v) * ea;
  case RATTLE_OP_LOG:
    return ea / fabs(a);
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

static void sweep(const rattle__dirac *d, rattle__sample *s, uint32_t from, uint32_t to) {
  const rattle_graph *g = d->graph;
  for (rattle_expr e = from; e <= to; e++) {
    rattle_op op = rattle__op(g, e);
    if (op == RATTLE_OP_CONSTANT) {
      s->value[e] = rattle__value(g, e);
      s->bound[e] = 0;
    } else if (op == RATTLE_OP_VARIABLE) {
      int k = rattle_expr_index(g, e);
      s->value[e] = s->x[k];
      s->bound[e] = 4 * DBL_EPSILON * (fabs(s->x[k]) + d->scale[k]);
    } else {
      rattle_expr a = rattle__first(g, e), b = rattle__arity(op) == 2 ? rattle__second(g, e) : a;
      double v = rattle__op_apply(op, s->value[a], s->value[b]);
      s->value[e] = v;
      s->bound[e] = spread(op, s->value[a], s->value[b], v, s->bound[a], s->bound[b]) + DBL_EPSILON * fabs(v);
    }
  }
}

rattle_status rattle__values(const rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  uint32_t count = rattle_graph_count(d->graph);
  if (count >= s->room) {
    uint32_t room = count + count / 2 + 64;
    double *value = realloc(s->value, room * sizeof *value);
    if (value) s->value = value;
    double *bound = realloc(s->bound, room * sizeof *bound);
    if (bound) s->bound = bound;
    if (!value || !bound) return rattle__no_memory(error);
    s->room = room;
  }
  sweep(d, s, s->known + 1, count);
  s->known = count;
  return RATTLE_OK;
}

rattle_status rattle__values_all(rattle__dirac *d, const rattle_expr *list, int count, rattle_error *error) {
  for (int i = 0; i < d->samples; i++) {
    rattle__sample *s = &d->sample[i];
    if (!s->good) continue;
    rattle_status status = rattle__values(d, s, error);
    if (status) return status;
    for (int k = 0; k < count; k++)
      if (!isfinite(s->value[list[k]])) s->good = 0;
  }
  return RATTLE_OK;
}

int rattle__is_round_off(double value, double bound) {
  return fabs(value) <= generous * bound;
}

int rattle__is_zero(const rattle__dirac *d, const rattle__sample *s, rattle_expr e) {
  if (rattle__is_constant(d->graph, e)) return rattle__value(d->graph, e) == 0;
  return rattle__is_round_off(s->value[e], s->bound[e]);
}

int rattle__is_weakly_zero(const rattle__dirac *d, rattle_expr e) {
  for (int i = 0; i < d->samples; i++)
    if (d->sample[i].good && !rattle__is_zero(d, &d->sample[i], e)) return 0;
  return 1;
}

double rattle__gradient_size(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *chi) {
  double sum = 0;
  for (int i = 0; i < chi->nnz; i++) {
    double part = s->value[chi->d[chi->at[i]]] * d->scale[chi->at[i]];
    sum += part * part;
  }
  return sqrt(sum);
}
