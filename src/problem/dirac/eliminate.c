/* One generation of Dirac's algorithm: the consequences of the conditions
 *
 *     {chi_a,H} + sum_j u_j {chi_a,g_j} = 0        a over all constraints so far, j over the user's
 *
 * for the multipliers u and, once those are eliminated, for the point. Expressions are eliminated,
 * so that new constraints are exact; the sample points of the manifold decide which entries are 0
 * on it. Rows of lower generations are used up first; of their entries constants, then those
 * furthest from 0, become pivots. A row left without u is a new constraint unless it is 0 on the
 * manifold, and a contradiction if it is a number. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "problem/dirac/dirac.h"
#include "ground/expr/graph.h"

typedef struct elimination {
  rattle__dirac *d;
  int rows, columns;  /* columns: of u; column `columns` is {chi_a,H} */
  int *row, *column;  /* which chi, which g */
  rattle_expr *entry; /* [rows*(columns+1)] */
  double *rounding; /* [rows*(columns+1)*samples] bounds for what rounded coefficients of the model
                   make of it */
  int *used;        /* [rows]: 1 if it holds a pivot */
  unsigned char *taken; /* [columns] */
} elimination;

static rattle_expr *entry(const elimination *t, int i, int j) {
  return &t->entry[(size_t)i * (size_t)(t->columns + 1) + (size_t)j];
}

static int is_nought(const elimination *t, rattle_expr e) {
  return rattle__is_constant(t->d->graph, e) && rattle__value(t->d->graph, e) == 0;
}

static double *rounding(const elimination *t, int i, int j, int sample) {
  return &t->rounding[((size_t)i * (size_t)(t->columns + 1) + (size_t)j) * (size_t)t->d->samples +
                      (size_t)sample];
}

static int is_zero(const elimination *t, int i, int j, int sample) {
  const rattle__sample *s = &t->d->sample[sample];
  rattle_expr e = *entry(t, i, j);
  return rattle__is_round_off(s->value[e], rattle__uncertainty(s, e) + *rounding(t, i, j, sample));
}

static int is_weakly_zero(const elimination *t, int i, int j) {
  for (int k = 0; k < t->d->samples; k++)
    if (t->d->sample[k].good && !is_zero(t, i, j, k)) return 0;
  return 1;
}

/* Entries that vanish on the manifold become the constant 0. */
static rattle_status clean(elimination *t, int first, int last, rattle_error *error) {
  size_t width = (size_t)t->columns + 1;
  rattle_status status = rattle__values_all(t->d, t->entry + (size_t)first * width,
                                            (last - first) * (t->columns + 1), error);
  rattle_expr zero = rattle_expr_constant(t->d->graph, 0);
  for (int i = first; i < last && !status; i++)
    for (int j = 0; j <= t->columns; j++)
      if (is_weakly_zero(t, i, j)) *entry(t, i, j) = zero;
  return status;
}

static rattle_status fill(elimination *t, rattle_error *error) {
  rattle__dirac *d = t->d;
  for (int c = 0; c < d->count; c++) {
    if (!rattle__is_used(&d->chi[c])) continue;
    t->row[t->rows++] = c;
    if (c < d->m) t->column[t->columns++] = c;
  }
  size_t entries = (size_t)t->rows * (size_t)(t->columns + 1);
  t->entry = calloc(entries + 1, sizeof *t->entry);
  t->rounding = calloc(entries * (size_t)d->samples + 1, sizeof *t->rounding);
  rattle_status status =
      t->entry && t->rounding ? rattle__values_all(d, NULL, 0, error) : rattle__no_memory(error);
  for (int i = 0; i < t->rows && !status; i++)
    for (int j = 0; j <= t->columns && !status; j++) {
      const rattle__chi *one = &d->chi[t->row[i]],
                        *other = j < t->columns ? &d->chi[t->column[j]] : &d->motion;
      *entry(t, i, j) = rattle__poisson(d, one->d, other->d);
      if (!*entry(t, i, j)) status = rattle__no_memory(error);
      for (int k = 0; k < d->samples; k++)
        if (d->sample[k].good)
          (void)rattle__poisson_at(d, &d->sample[k], one, other, rounding(t, i, j, k));
    }
  return status ? status : clean(t, 0, t->rows, error);
}

/* Quality of a pivot: first the number of samples at which it is not 0, then being constant, then
 * its distance from 0. */
static double score(const elimination *t, int i, int j) {
  const rattle__dirac *d = t->d;
  rattle_expr e = *entry(t, i, j);
  double count = 0, least = 1;
  if (is_nought(t, e)) return 0;
  for (int k = 0; k < d->samples; k++) {
    const rattle__sample *s = &d->sample[k];
    if (!s->good || is_zero(t, i, j, k)) continue;
    double size = rattle__gradient_size(d, s, &d->chi[t->row[i]], NULL) *
                  rattle__gradient_size(d, s, &d->chi[t->column[j]], NULL);
    count++;
    least = fmin(least, fabs(s->value[e]) * d->action / size);
  }
  return count > 0 ? 3 * count + (rattle__is_number(t->d, e) ? 1 : 0) + least : 0;
}

static int find_pivot(const elimination *t, int level, int *row, int *column) {
  double best = 0;
  for (int i = 0; i < t->rows; i++) {
    if (t->used[i] || t->d->chi[t->row[i]].level != level) continue;
    for (int j = 0; j < t->columns; j++) {
      double value = t->taken[j] ? 0 : score(t, i, j);
      if (value <= best) continue;
      best = value;
      *row = i;
      *column = j;
    }
  }
  return best > 0;
}

/* Adds to row i, a_ij - (a_ic/a_rc) a_rj, the propagated roundings of the pivot's row r and of
 * entry (i, column). */
static void spread(const elimination *t, int row, int column, int i) {
  const rattle__dirac *d = t->d;
  for (int k = 0; k < d->samples; k++) {
    const double *value = d->sample[k].value;
    if (!d->sample[k].good) continue;
    double pivot = fabs(value[*entry(t, row, column)]),
           factor = fabs(value[*entry(t, i, column)]) / pivot;
    double off = (*rounding(t, i, column, k) + factor * *rounding(t, row, column, k)) / pivot;
    for (int j = 0; j <= t->columns; j++)
      if (j != column)
        *rounding(t, i, j, k) +=
            factor * *rounding(t, row, j, k) + off * fabs(value[*entry(t, row, j)]);
  }
}

/* Takes the pivot's column out of the rows that hold no pivot. */
static rattle_status eliminate(elimination *t, int row, int column, rattle_error *error) {
  rattle_graph *g = t->d->graph;
  rattle_status status = RATTLE_OK;
  rattle_expr pivot = *entry(t, row, column);
  t->used[row] = t->taken[column] = 1;
  /* a point where the pivot is 0 is not used from here on */
  for (int k = 0; k < t->d->samples; k++)
    if (t->d->sample[k].good && is_zero(t, row, column, k)) t->d->sample[k].good = 0;
  for (int i = 0; i < t->rows && !status; i++) {
    if (t->used[i] || is_nought(t, *entry(t, i, column))) continue;
    rattle_expr factor = rattle_expr_binary(g, RATTLE_OP_DIV, *entry(t, i, column), pivot);
    spread(t, row, column, i);
    for (int j = 0; j <= t->columns; j++) {
      if (is_nought(t, *entry(t, row, j))) continue;
      rattle_expr product = rattle_expr_binary(g, RATTLE_OP_MUL, factor, *entry(t, row, j));
      *entry(t, i, j) = j == column
                            ? rattle_expr_constant(g, 0)
                            : rattle_expr_binary(g, RATTLE_OP_SUB, *entry(t, i, j), product);
      if (!*entry(t, i, j)) return rattle__no_memory(error);
    }
    status = clean(t, i, i + 1, error);
  }
  return status;
}

/* e = 0 in its simplest form: constant factors, signs, divisors, roots and powers are dropped, so
 * that z^2 = 0 becomes the regular z = 0. */
static rattle_expr strip(rattle__dirac *d, rattle_expr e) {
  rattle_graph *g = d->graph;
  for (;;) {
    rattle_op op = rattle__op(g, e);
    rattle_expr a = rattle__arity(op) > 0 ? rattle__first(g, e) : e,
                b = rattle__arity(op) == 2 ? rattle__second(g, e) : e;
    if (op == RATTLE_OP_NEG || op == RATTLE_OP_DIV || op == RATTLE_OP_SQRT ||
        (op == RATTLE_OP_POWI && rattle__value(g, b) > 0))
      e = a;
    else if (op == RATTLE_OP_MUL && rattle__is_number(d, a))
      e = b;
    else if (op == RATTLE_OP_MUL && rattle__is_number(d, b))
      e = a;
    else
      break;
  }
  if (rattle__op(g, e) != RATTLE_OP_MUL) return e;
  rattle_expr a = rattle__first(g, e), b = rattle__second(g, e);
  if (rattle__op(g, a) == RATTLE_OP_POWI && rattle__value(g, rattle__second(g, a)) > 0)
    a = rattle__first(g, a);
  if (rattle__op(g, b) == RATTLE_OP_POWI && rattle__value(g, rattle__second(g, b)) > 0)
    b = rattle__first(g, b);
  return rattle_expr_binary(g, RATTLE_OP_MUL, a, b);
}

/* True if chi is a number other than 0: as an expression, or because it is 0 at no sample and has
 * no derivative at any. */
static int is_number(rattle__dirac *d, const rattle__chi *chi) {
  if (rattle__is_number(d, chi->e)) return 1;
  for (int k = 0; k < d->samples; k++) {
    const rattle__sample *s = &d->sample[k];
    double bound, size = rattle__gradient_size(d, s, chi, &bound);
    if (!s->good) continue;
    if (!rattle__is_round_off(size, bound + DBL_EPSILON * fabs(s->value[chi->e])) ||
        rattle__is_zero(s, chi->e))
      return 0;
  }
  return 1;
}

static rattle_status contradiction(rattle__dirac *d, const char *name, rattle_expr e) {
  char text[200];
  snprintf(d->trouble, sizeof d->trouble,
           "the constraints contradict the motion: it requires %s = 0, but that equals %s, which "
           "is nowhere 0 on the manifold; no "
           "motion satisfies the constraints",
           name, rattle__dirac_print(d, e, text, sizeof text));
  d->inconsistent = 1;
  return RATTLE_OK;
}

/* Judges the remainder of row i: a new constraint, a contradiction, or nothing. */
static rattle_status judge(elimination *t, int i, int *added, rattle_error *error) {
  rattle__dirac *d = t->d;
  rattle_expr e = *entry(t, i, t->columns);
  char name[256];
  if (is_nought(t, e)) return RATTLE_OK;
  int origin = t->row[i];
  snprintf(name, sizeof name, "{%s,H}", d->chi[origin].name);
  if (rattle__is_number(d, e)) return contradiction(d, name, e);
  rattle_status status = rattle__add_chi(d, strip(d, e), d->levels + 1, origin, name, error);
  if (!status) status = rattle__values_all(d, NULL, 0, error);
  if (status) return status;
  const rattle__chi *chi = &d->chi[d->count - 1];
  if (is_number(d, chi)) return contradiction(d, name, chi->e);
  ++*added;
  return RATTLE_OK;
}

rattle_status rattle__eliminate(rattle__dirac *d, int *added, rattle_error *error) {
  size_t rows = (size_t)d->count + 1, columns = (size_t)d->m + 1;
  elimination t = {.d = d};
  *added = 0;
  t.row = calloc(2 * rows + columns, sizeof *t.row);
  t.taken = calloc(columns, 1);
  rattle_status status = t.row && t.taken ? RATTLE_OK : rattle__no_memory(error);
  if (!status) {
    t.used = t.row + rows;
    t.column = t.used + rows;
    status = fill(&t, error);
  }
  int row = 0, column = 0;
  for (int level = 0; level <= d->levels && !status; level++)
    while (!status && find_pivot(&t, level, &row, &column))
      status = eliminate(&t, row, column, error);
  for (int i = 0; i < t.rows && !status && !d->inconsistent; i++)
    if (!t.used[i]) status = judge(&t, i, added, error);
  free(t.entry);
  free(t.rounding);
  free(t.row);
  free(t.taken);
  return status;
}
