/* Poisson brackets {F,G} = sum_k F_q G_p - F_p G_q: as expressions, and at points. */
#include <float.h>
#include <math.h>

#include "problem/dirac/dirac.h"
#include "ground/expr/graph.h"

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

/* |F|_s, of F' only what meets a derivative of G. */
static double shared_size(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *F,
                          const rattle__chi *G) {
  double size = 0;
  for (int i = 0; i < F->nnz; i++) {
    int k = F->at[i];
    if (!is_nought(d, G->d[k ^ 1])) size = hypot(size, s->value[F->d[k]] * d->scale[k]);
  }
  return size;
}

static double at_twin(const rattle__sample *s, const rattle__chi *F, const rattle__chi *G, int t) {
  double sum = 0;
  for (int i = 0; i < F->nnz; i++) {
    const int k = F->at[i];
    const double product = s->other[t][F->d[k]] * s->other[t][G->d[k ^ 1]];
    sum += k & 1 ? -product : product;
  }
  return sum;
}

double rattle__poisson_at(const rattle__dirac *d, const rattle__sample *s, const rattle__chi *F,
                          const rattle__chi *G, double *bound) {
  const double size_F = shared_size(d, s, F, G), size_G = shared_size(d, s, G, F);
  double sum = 0, change = 0;
  *bound = 0;
  for (int i = 0; i < F->nnz; i++) {
    const int k = F->at[i];
    const rattle_expr f = F->d[k], g = G->d[k ^ 1];
    if (is_nought(d, g)) continue;
    const double a = s->value[f], b = s->value[g];
    const double of_F = s->bound[f] + DBL_EPSILON * size_F / d->scale[k];
    const double of_G = s->bound[g] + DBL_EPSILON * size_G / d->scale[k ^ 1];
    sum += k & 1 ? -a * b : a * b;
    *bound += fabs(a) * of_G + fabs(b) * of_F + of_F * of_G + 2 * DBL_EPSILON * fabs(a * b);
  }
  for (int t = 0; t < s->twins; t++) change = fmax(change, fabs(at_twin(s, F, G, t) - sum));
  *bound += change;
  return sum;
}
