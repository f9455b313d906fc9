/* Poisson brackets {F,G} = sum_k F_q G_p - F_p G_q: as expressions, at points, and those of the constraints among themselves. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "doctor/dirac.h"
#include "expr/graph.h"

static int is_nought(const rattle__dirac *d, rattle_expr e) {
  return rattle__is_constant(d->graph, e) && rattle__value(d->graph, e) == 0;
}

rattle_expr rattle__poisson(rattle__dirac *d, const rattle_expr *dF, const rattle_expr *dG) {
  rattle_graph *g = d->graph;
  rattle_expr total = rattle_expr_constant(g, 0);
  for (int k = 0; k < d->n && total; k++) {
    const rattle_expr term[2][2] = {{dF[2 * k], dG[2 * k + 1]}, {dF[2 * k + 1], dG[2 * k]}};
    for (int t = 0; t < 2 && total; t++) {
      if (is_nought(d, term[t][0]) || is_nought(d, term[t][1])) continue;
      rattle_expr product = rattle_expr_binary(g, RATTLE_OP_MUL, term[t][0], term[t][1]);
      total = rattle_expr_binary(g, t ? RATTLE_OP_SUB : RATTLE_OP_ADD, total, product);
    }
  }
  return total;
}

double rattle__poisson_at(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *F, const rattle__chi *G,
                          double *value) {
  double sum = 0, bound = 0;
  for (int i = 0; i < F->nnz; i++) {
    int k = F->at[i];
    rattle_expr f = F->d[k], g = G->d[k ^ 1];
    double a = s->value[f], b = s->value[g];
    sum += k & 1 ? -a * b : a * b;
    bound += fabs(a) * s->bound[g] + fabs(b) * s->bound[f] + s->bound[f] * s->bound[g] + 4e-16 * fabs(a * b);
  }
  if (value) *value = sum;
  if (rattle__is_round_off(sum, bound)) return 0;
  double size = rattle__gradient_size(d, s, F) * rattle__gradient_size(d, s, G);
  return size > 0 ? sum * d->action / size : 0;
}

double *rattle__bracket_matrix(rattle__dirac *d, const rattle__sample *s, int columns, int *rows, int *width) {
  *rows = *width = 0;
  for (int c = 0; c < d->count; c++) {
    *rows += rattle__is_used(&d->chi[c]);
    *width += c < columns && rattle__is_used(&d->chi[c]);
  }
  double *A = rattle__dirac_matrix(d, (size_t)*rows * (size_t)*width + 1), *at = A;
  for (int b = 0; b < columns && A; b++)
    for (int a = 0; a < d->count && rattle__is_used(&d->chi[b]); a++)
      if (rattle__is_used(&d->chi[a])) *at++ = rattle__poisson_at(d, s, &d->chi[a], &d->chi[b], NULL);
  return A;
}

/* The pair of the user's constraints whose bracket is the largest in units, if it is larger than *most. */
static void worst_pair(rattle__dirac *d, const rattle__sample *s, double *most) {
  for (int i = 1; i < d->m; i++)
    for (int j = 0; j < i; j++) {
      const rattle__chi *a = &d->chi[j], *b = &d->chi[i];
      if (!rattle__is_used(a) || !rattle__is_used(b)) continue;
      double value, unit = fabs(rattle__poisson_at(d, s, a, b, &value));
      if (!(unit > *most)) continue;
      *most = unit;
      d->pair[0] = j;
      d->pair[1] = i;
      d->pair_value = value;
    }
}

/* Whether all brackets are the constant 0 as expressions. */
static int vanish_as_expressions(rattle__dirac *d) {
  for (int i = 1; i < d->m; i++)
    for (int j = 0; j < i; j++) {
      rattle_expr e = rattle__poisson(d, d->chi[j].d, d->chi[i].d);
      if (!e || !is_nought(d, e)) return 0;
    }
  return 1;
}

rattle_status rattle__brackets_of_g(rattle__dirac *d, rattle_error *error) {
  double most = 0;
  d->commuting = 2;
  if (vanish_as_expressions(d)) return RATTLE_OK;
  rattle_status status = rattle__values_all(d, NULL, 0, error);
  for (int i = 0; i < d->samples && !status; i++) {
    const rattle__sample *s = &d->sample[i];
    if (!s->good) continue;
    worst_pair(d, s, &most);
    int rows, columns;
    double *A = rattle__bracket_matrix(d, s, d->m, &rows, &columns);
    int rank = A ? rattle__singular(d, rows, columns, A, NULL) : -1;
    if (rank < 0) return rattle__no_memory(error);
    if (rank > d->rank_gg) d->rank_gg = rank;
  }
  d->commuting = d->rank_gg == 0;
  if (d->rank_gg) d->pair_bracket = rattle__poisson(d, d->chi[d->pair[0]].d, d->chi[d->pair[1]].d);
  return status;
}
