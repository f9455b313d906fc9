/* Systems with the comparison matrix of X. See sparse_curve.h.
 *
 * Lemma    X_ii x_i - sum |X_ij| x_j > need_i for all i, x > 0, and |X e| <= need: then |e| < x.
 *          For the i of the largest rho = |e_i|/x_i, need_i >= |X e|_i >= rho (X_ii x_i - sum
 *          |X_ij| x_j), so that rho < 1
 * Method   Jacobi's iteration from 0, which comes from below and is done in a few sweeps where X is
 *          nearly 1; else (taut chains, where a sweep carries no farther than a window) the factors
 *          of the comparison matrix, with more asked of all rows than round-off of sums, for those
 *          of which nearly nothing is needed. Either is a proposal that is tested */
#include "constraint/guard/sparse_curve.h"

#include <math.h>
#include <string.h>

#include "ground/expr/real.h"
#include "constraint/guard/piece.h"

/* True if x > 0 is that of the lemma; sum = H x. */
static int is_bound(rattle__sparse_curve *c, const double *need, const double *x) {
  int good = 1;
  rattle__sparse_times_H(c, x, c->sum);
  for (int i = 0; i < c->curve.m; i++) {
    const double most = rattle__above(need[i] + c->sum[i], c->roundings);
    good &= x[i] > 0 && c->least[i] * x[i] * (1 - 0x1p-52) > most;
  }
  return good;
}

/* The comparison matrix, factored. 0: singular. */
static int factor(rattle__sparse_curve *c) {
  rattle__linear *X = c->X;
  memset(X->value, 0, (size_t)X->nnz * sizeof *X->value);
  for (int k = 0; k < c->windows; k++) {
    const rattle__sparse_window *d = &c->window[k];
    for (int e = 0; e < d->reached * d->core; e++) X->value[d->place[e]] = -d->H[e];
  }
  for (int i = 0; i < c->curve.m; i++) X->value[c->diagonal[i]] = c->least[i];
  c->is_factored = !X->factor(X);
  return c->is_factored;
}

int rattle__sparse_dominate(rattle__sparse_curve *c, const double *need, double *x) {
  if (!c->is_factored && !factor(c)) return 0;
  const double part =
      sqrt(c->roundings * 0x1p-52) / c->curve.m; /* half of the digits of the mean */
  double more = 0;
  for (int i = 0; i < c->curve.m; i++) more += part * need[i];
  for (int i = 0; i < c->curve.m; i++) x[i] = 1.1 * need[i] + more + 0x1p-1000;
  c->X->solve(c->X, x);
  return is_bound(c, need, x);
}

void rattle__sparse_bound(rattle__sparse_curve *c, const double *need, double *x) {
  const int m = c->curve.m;
  memset(c->sum, 0, (size_t)m * sizeof *c->sum);
  for (int sweep = 0; sweep < RATTLE__PIECE_TRIALS; sweep++) {
    for (int i = 0; i < m; i++) x[i] = (1.1 * need[i] + c->sum[i] + 0x1p-1000) / c->least[i];
    if (is_bound(c, need, x)) return;
  }
  if (rattle__sparse_dominate(c, need, x)) return;
  for (int i = 0; i < m; i++) x[i] = INFINITY;
}
