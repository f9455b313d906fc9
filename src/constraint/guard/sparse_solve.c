/* Systems with the comparison matrix of X. See sparse_curve.h.
 *
 * Lemma    X_ii x_i - sum |X_ij| x_j > need_i for all i, x > 0, and |X e| <= need: then |e| < x. For
 *          the i of the largest rho = |e_i|/x_i, need_i >= |X e|_i >= rho (X_ii x_i - sum |X_ij| x_j),
 *          so that rho < 1
 * Method   Jacobi's iteration from 0, which comes from below and is done in a few sweeps where X is
 *          nearly 1; else (taut chains, where a sweep carries as far as a window) BiCGSTAB (van der
 *          Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631), scaled by the diagonal, for more than
 *          is needed: by the mean of it, since residuals become small as a whole, not row by row.
 *          What comes out is a proposal that is tested */
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

/* to = v - H D^-1 v, D the diagonal. */
static void multiply(rattle__sparse_curve *c, const double *v, double *to) {
  for (int i = 0; i < c->curve.m; i++) c->scaled[i] = v[i] / c->least[i];
  rattle__sparse_times_H(c, c->scaled, to);
  for (int i = 0; i < c->curve.m; i++) to[i] = v[i] - to[i];
}

static double dot(int m, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += a[i] * b[i];
  return sum;
}

/* x += D^-1 (alpha p + omega s), rest = s - omega t. True if no row lacks more than what was asked
 * beyond its need. */
static int correct(rattle__sparse_curve *c, double alpha, double omega, double *x) {
  int good = 1;
  for (int i = 0; i < c->curve.m; i++) {
    x[i] += (alpha * c->turn[i] + omega * c->s[i]) / c->least[i];
    c->rest[i] = c->s[i] - omega * c->t[i];
    good &= c->rest[i] <= c->ask[i] - c->ask[i] / 1.1;
  }
  return good;
}

int rattle__sparse_dominate(rattle__sparse_curve *c, const double *need, double *x) {
  const int m = c->curve.m;
  double mean = 0, rho = 0;
  for (int i = 0; i < m; i++) mean += need[i] / m;
  for (int i = 0; i < m; i++) {
    c->ask[i] = c->rest[i] = c->turn[i] = 1.1 * (need[i] + mean) + 0x1p-500;
    rho += c->ask[i] * c->ask[i], x[i] = 0;
  }
  for (int k = 0; k < RATTLE__PIECE_SWEEPS; k++) {
    multiply(c, c->turn, c->v_of_turn);
    const double alpha = rho / dot(m, c->ask, c->v_of_turn);
    for (int i = 0; i < m; i++) c->s[i] = c->rest[i] - alpha * c->v_of_turn[i];
    multiply(c, c->s, c->t);
    const double size = dot(m, c->t, c->t), omega = size > 0 ? dot(m, c->t, c->s) / size : 0;
    if (correct(c, alpha, omega, x) && is_bound(c, need, x)) return 1;
    const double next = dot(m, c->ask, c->rest), beta = next / rho * (alpha / omega);
    if (!isfinite(beta)) return 0;
    rho = next;
    for (int i = 0; i < m; i++)
      c->turn[i] = c->rest[i] + beta * (c->turn[i] - omega * c->v_of_turn[i]);
  }
  return 0;
}

void rattle__sparse_bound(rattle__sparse_curve *c, const double *need, double *x) {
  const int m = c->curve.m;
  memset(x, 0, (size_t)m * sizeof *x);
  for (int sweep = 0; sweep < RATTLE__PIECE_TRIALS; sweep++) {
    rattle__sparse_times_H(c, x, c->sum);
    for (int i = 0; i < m; i++) x[i] = (1.1 * need[i] + c->sum[i] + 0x1p-1000) / c->least[i];
    if (is_bound(c, need, x)) return;
  }
  if (rattle__sparse_dominate(c, need, x)) return;
  for (int i = 0; i < m; i++) x[i] = INFINITY;
}
