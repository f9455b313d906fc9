/* One generation of Dirac's algorithm: what the conditions
 *
 *     {chi_a,H} + sum_j u_j {chi_a,g_j} = 0        a over all constraints so far, j over the user's
 *
 * say of the multipliers u and, once those are gone, of the point. Elimination is of expressions, so that new constraints are
 * exact; which entries are 0 on the manifold is decided at its sample points. Rows of lower generations are used up first; of
 * their entries constants, then those furthest from 0, become pivots. A row left without u is a new constraint where it is not 0
 * on the manifold, and a contradiction where it is a number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "doctor/dirac.h"
#include "expr/graph.h"

typedef struct table {
  rattle__dirac *d;
  int rows, columns;    /* columns: of u; column `columns` is {chi_a,H} */
  int *row, *column;    /* which chi, which g */
  rattle_expr *entry;   /* [rows*(columns+1)] */
  int *used;            /* [rows]: 1 where it holds a pivot */
  unsigned char *taken; /* [columns] */
} table;

static rattle_expr *entry(const table *t, int i, int j) {
  return &t->entry[(size_t)i * (size_t)(t->columns + 1) + (size_t)j];
}

static int is_nought(const table *t, rattle_expr e) {
  return rattle__is_constant(t->d->graph, e) && rattle__value(t->d->graph, e) == 0;
}

/* Entries that vanish on the manifold become the constant 0. */
static rattle_status clean(table *t, int first, int last, rattle_error *error) {
  size_t width = (size_t)t->columns + 1;
  rattle_status status = rattle__values_all(t->d, t->entry + (size_t)first * width, (last - first) * (t->columns + 1), error);
  rattle_expr zero = rattle_expr_constant(t->d->graph, 0);
  for (int i = first; i < last && !status; i++)
    for (int j = 0; j <= t->columns; j++)
      if (rattle__is_weakly_zero(t->d, *entry(t, i, j))) *entry(t, i, j) = zero;
  return status;
}

static rattle_status fill(table *t, rattle_error *error) {
  rattle__dirac *d = t->d;
  for (int c = 0; c < d->count; c++) {
    if (!rattle__is_used(&d->chi[c])) continue;
    t->row[t->rows++] = c;
    if (c < d->m) t->column[t->columns++] = c;
  }
  t->entry = calloc((size_t)t->rows * (size_t)(t->columns + 1) + 1, sizeof *t->entry);
  if (!t->entry) return rattle__no_memory(error);
  for (int i = 0; i < t->rows; i++)
    for (int j = 0; j <= t->columns; j++) {
      const rattle_expr *other = j < t->columns ? d->chi[t->column[j]].d : d->motion.d;
      *entry(t, i, j) = rattle__poisson(d, d->chi[t->row[i]].d, other);
      if (!*entry(t, i, j)) return rattle__no_memory(error);
    }
  return clean(t, 0, t->rows, error);
}

/* How good a pivot: number of samples where it is not 0, then constants, then how far from 0 it stays. */
static double score(const table *t, int i, int j) {
  const rattle__dirac *d = t->d;
  rattle_expr e = *entry(t, i, j);
  double count = 0, least = 1;
  if (is_nought(t, e)) return 0;
  for (int k = 0; k < d->samples; k++) {
    const rattle__sample *s = &d->sample[k];
    if (!s->good || rattle__is_zero(d, s, e)) continue;
    double size = rattle__gradient_size(d, s, &d->chi[t->row[i]]) * rattle__gradient_size(d, s, &d->chi[t->column[j]]);
    count++;
    least = fmin(least, fabs(s->value[e]) * d->action / size);
  }
  return count > 0 ? 3 * count + (rattle__is_constant(d->graph, e) ? 1 : 0) + least : 0;
}

static int find_pivot(const table *t, int level, int *row, int *column) {
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

/* Takes the pivot's column out of the rows that hold no pivot. */
static rattle_status eliminate(table *t, int row, int column, rattle_error *error) {
  rattle_graph *g = t->d->graph;
  rattle_status status = RATTLE_OK;
  rattle_expr pivot = *entry(t, row, column);
  t->used[row] = t->taken[column] = 1;
  /* a point where the pivot is 0 is no guide for what follows */
  for (int k = 0; k < t->d->samples; k++)
    if (t->d->sample[k].good && rattle__is_zero(t->d, &t->d->sample[k], pivot)) t->d->sample[k].good = 0;
  for (int i = 0; i < t->rows && !status; i++) {
    if (t->used[i] || is_nought(t, *entry(t, i, column))) continue;
    rattle_expr factor = rattle_expr_binary(g, RATTLE_OP_DIV, *entry(t, i, column), pivot);
    for (int j = 0; j <= t->columns; j++) {
      if (is_nought(t, *entry(t, row, j))) continue;
      rattle_expr product = rattle_expr_binary(g, RATTLE_OP_MUL, factor, *entry(t, row, j));
      *entry(t, i, j) = j == column ? rattle_expr_constant(g, 0) : rattle_expr_binary(g, RATTLE_OP_SUB, *entry(t, i, j), product);
      if (!*entry(t, i, j)) return rattle__no_memory(error);
    }
    status = clean(t, i, i + 1, error);
  }
  return status;
}

/* e = 0 in its simplest form: constant factors, signs, divisors, roots and powers are dropped, so that z^2 = 0 becomes the
 * regular z = 0. */
static rattle_expr strip(rattle_graph *g, rattle_expr e) {
  for (;;) {
    rattle_op op = rattle__op(g, e);
    rattle_expr a = rattle__arity(op) > 0 ? rattle__first(g, e) : e, b = rattle__arity(op) == 2 ? rattle__second(g, e) : e;
    if (op == RATTLE_OP_NEG || op == RATTLE_OP_DIV || op == RATTLE_OP_SQRT || (op == RATTLE_OP_POWI && rattle__value(g, b) > 0))
      e = a;
    else if (op == RATTLE_OP_MUL && rattle__is_constant(g, a))
      e = b;
    else if (op == RATTLE_OP_MUL && rattle__is_constant(g, b))
      e = a;
    else
      break;
  }
  if (rattle__op(g, e) != RATTLE_OP_MUL) return e;
  rattle_expr a = rattle__first(g, e), b = rattle__second(g, e);
  if (rattle__op(g, a) == RATTLE_OP_POWI && rattle__value(g, rattle__second(g, a)) > 0) a = rattle__first(g, a);
  if (rattle__op(g, b) == RATTLE_OP_POWI && rattle__value(g, rattle__second(g, b)) > 0) b = rattle__first(g, b);
  return rattle_expr_binary(g, RATTLE_OP_MUL, a, b);
}

/* Whether e is a number other than 0: as an expression, or 0 at no sample and without a derivative at any. */
static int is_number(rattle__dirac *d, rattle_expr e, const rattle_expr *derivative) {
  if (rattle__is_constant(d->graph, e)) return 1;
  for (int k = 0; k < d->vars; k++)
    if (!rattle__is_weakly_zero(d, derivative[k])) return 0;
  for (int i = 0; i < d->samples; i++)
    if (d->sample[i].good && rattle__is_zero(d, &d->sample[i], e)) return 0;
  return 1;
}

static rattle_status contradiction(rattle__dirac *d, const char *name, rattle_expr e) {
  char text[200];
  snprintf(
      d->trouble, sizeof d->trouble,
      "the constraints contradict the motion: %s = 0 would have to hold, but it is %s, which is 0 nowhere on the manifold; no "
      "motion stays on the constraints",
      name, rattle__dirac_print(d, e, text, sizeof text));
  d->inconsistent = 1;
  return RATTLE_OK;
}

/* What is left of row i: a new constraint, a contradiction, or nothing. */
static rattle_status judge(table *t, int i, int *added, rattle_error *error) {
  rattle__dirac *d = t->d;
  rattle_expr e = *entry(t, i, t->columns);
  char name[256];
  if (is_nought(t, e)) return RATTLE_OK;
  int origin = t->row[i];
  snprintf(name, sizeof name, "{%s,H}", d->chi[origin].name);
  if (rattle__is_constant(d->graph, e)) return contradiction(d, name, e);
  rattle_status status = rattle__add_chi(d, strip(d->graph, e), d->levels + 1, origin, name, error);
  if (!status) status = rattle__values_all(d, NULL, 0, error);
  if (status) return status;
  const rattle__chi *chi = &d->chi[d->count - 1];
  if (is_number(d, chi->e, chi->d)) return contradiction(d, name, chi->e);
  ++*added;
  return RATTLE_OK;
}

rattle_status rattle__eliminate(rattle__dirac *d, int *added, rattle_error *error) {
  size_t rows = (size_t)d->count + 1, columns = (size_t)d->m + 1;
  table t = {.d = d};
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
    while (!status && find_pivot(&t, level, &row, &column)) status = eliminate(&t, row, column, error);
  for (int i = 0; i < t.rows && !status && !d->inconsistent; i++)
    if (!t.used[i]) status = judge(&t, i, added, error);
  free(t.entry);
  free(t.row);
  free(t.taken);
  return status;
}
