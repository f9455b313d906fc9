/* Values of all nodes of a graph at a point, with bounds on their round-off.
 *
 * Nodes are in order of making, operands first: one sweep. Running error analysis (J. H. Wilkinson;
 * N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.3): coordinates and
 * parameters are off by eps of their size, and an operation adds eps |result| to the propagated
 * errors of its operands. The error due to the point's distance from the manifold is the difference
 * between the point and its twins (sample.c), which shows how errors of one cause cancel. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "ground/support/error.h"
#include "problem/dirac/dirac.h"
#include "ground/expr/graph.h"
#include "ground/expr/op.h"
#include "ground/expr/round_off.h"

/* Rounding of the derivatives of a function, relative to their length in units. */
static const double rounded = 4 * DBL_EPSILON;

static double leaf(const rattle__dirac *d, const double *x, rattle_expr e) {
  if (rattle__is_constant(d->graph, e)) return rattle__value(d->graph, e);
  const int k = rattle_expr_index(d->graph, e);
  return k < d->vars ? x[k] : d->parameter[k - d->vars];
}

/* Values at x; a constant is exact, coordinates and parameters are rounded. */
static void sweep(const rattle__dirac *d, rattle__sample *s, uint32_t from, uint32_t to) {
  const rattle_graph *g = d->graph;
  for (rattle_expr e = from; e <= to; e++) {
    const rattle_op op = rattle__op(g, e);
    const int arity = rattle__arity(op);
    if (!arity) {
      s->value[e] = leaf(d, s->x, e);
      s->bound[e] = op == RATTLE_OP_CONSTANT ? 0 : DBL_EPSILON * fabs(s->value[e]);
      continue;
    }
    const rattle_expr a = rattle__first(g, e), b = arity == 2 ? rattle__second(g, e) : a;
    const double v = rattle__op_apply(op, s->value[a], s->value[b]);
    s->value[e] = v;
    s->bound[e] = rattle__spread(op, s->value[a], s->value[b], v, s->bound[a], s->bound[b]) +
                  DBL_EPSILON * fabs(v);
  }
}

static void sweep_twin(const rattle__dirac *d, const double *x, double *value, uint32_t from,
                       uint32_t to) {
  const rattle_graph *g = d->graph;
  for (rattle_expr e = from; e <= to; e++) {
    const rattle_op op = rattle__op(g, e);
    const int arity = rattle__arity(op);
    const rattle_expr a = arity ? rattle__first(g, e) : e,
                      b = arity == 2 ? rattle__second(g, e) : a;
    value[e] = arity ? rattle__op_apply(op, value[a], value[b]) : leaf(d, x, e);
  }
}

static int enlarge(double **array, uint32_t room) {
  double *larger = realloc(*array, room * sizeof *larger);
  if (larger) *array = larger;
  return larger != NULL;
}

rattle_status rattle__values(const rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  uint32_t count = rattle_graph_count(d->graph);
  if (count >= s->room) {
    const uint32_t room = count + count / 2 + 64;
    int there = enlarge(&s->value, room) && enlarge(&s->bound, room);
    for (int t = 0; t < RATTLE__DIRAC_TWINS; t++) there = there && enlarge(&s->other[t], room);
    if (!there) return rattle__no_memory(error);
    s->room = room;
  }
  sweep(d, s, s->known + 1, count);
  for (int t = 0; t < s->twins; t++) sweep_twin(d, s->twin[t], s->other[t], s->known + 1, count);
  s->known = count;
  return RATTLE_OK;
}

rattle_status rattle__values_at(const rattle__dirac *d, rattle__sample *s, rattle_error *error) {
  s->known = 0;
  s->twins = 0;
  return rattle__values(d, s, error);
}

rattle_status rattle__values_all(rattle__dirac *d, const rattle_expr *list, int count,
                                 rattle_error *error) {
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

double rattle__uncertainty(const rattle__sample *s, rattle_expr e) {
  double change = 0;
  for (int t = 0; t < s->twins; t++) change = fmax(change, fabs(s->other[t][e] - s->value[e]));
  return s->bound[e] + change;
}

int rattle__is_zero(const rattle__sample *s, rattle_expr e) {
  return rattle__is_round_off(s->value[e], rattle__uncertainty(s, e));
}

int rattle__is_weakly_zero(const rattle__dirac *d, rattle_expr e) {
  for (int i = 0; i < d->samples; i++)
    if (d->sample[i].good && !rattle__is_zero(&d->sample[i], e)) return 0;
  return 1;
}

double rattle__gradient_size(const rattle__dirac *d, const rattle__sample *s,
                             const rattle__chi *chi, double *bound) {
  double sum = 0, off = 0;
  for (int i = 0; i < chi->nnz; i++) {
    rattle_expr e = chi->d[chi->at[i]];
    double part = s->value[e] * d->scale[chi->at[i]], error = s->bound[e] * d->scale[chi->at[i]];
    sum += part * part;
    off += error * error;
  }
  if (bound) *bound = sqrt(off) + rounded * sqrt(sum);
  return sqrt(sum);
}

/* True if the gradient differs from the one at the start by at most `most` times that one's size,
 * or is round-off there. */
static int is_near(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *chi,
                   double most) {
  double bound, size = rattle__gradient_size(d, &d->sample[0], chi, &bound), change = 0;
  for (int i = 0; i < chi->nnz; i++) {
    rattle_expr e = chi->d[chi->at[i]];
    change = hypot(change, (s->value[e] - d->sample[0].value[e]) * d->scale[chi->at[i]]);
  }
  return rattle__is_round_off(size, bound) || change <= most * size;
}

int rattle__is_tame(const rattle__dirac *d, const rattle__sample *s) {
  const double of_g = 1, of_H = 10; /* the start may be near an equilibrium, where H' vanishes */
  int yes = is_near(d, s, &d->motion, of_H);
  for (int i = 0; i < d->count && yes; i++) yes = is_near(d, s, &d->chi[i], of_g);
  return yes;
}
