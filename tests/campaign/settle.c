/* Starts on the constraints. See workshop.h. */
#include "workshop.h"

#include <math.h>
#include <string.h>

#include "general.h"
#include "natural.h"
#include "truth.h"

static int settle_positions(const problem *pr, formula_work *work, long double *q,
                            natural_point *at) {
  long double A[CONSTRAINTS * CONSTRAINTS], v[PAIRS], move = INFINITY;
  dense_factors N;
  for (int round = 0; round < 60; round++) {
    natural_evaluate(pr, q, work, at);
    if (move < 1e-17L) return 0;
    natural_product(pr, at->G, at->G, A);
    long double s[CONSTRAINTS];
    memcpy(s, at->g, sizeof s);
    if (dense_factor(pr->m, A, &N)) return 1;
    dense_solve(&N, s);
    move = 0;
    for (int i = 0; i < pr->m; i++) {
      natural_velocity(pr, at->G + i * pr->n, v);
      for (int k = 0; k < pr->n; k++) {
        q[k] -= v[k] * s[i];
        move = fmaxl(move, fabsl(v[k] * s[i]) / (pr->unit.length + fabsl(q[k])));
      }
    }
    if (!(move < 1e6L)) return 1;
  }
  return !(move < 1e-15L);
}

int problem_settle(problem *pr, double margin) {
  formula_work work = {0};
  natural_point at;
  long double q[PAIRS], p[PAIRS], d[CONSTRAINTS], identity[CONSTRAINTS * CONSTRAINTS] = {0};
  dense_factors N;
  for (int k = 0; k < pr->n; k++) {
    q[k] = pr->q[k];
    p[k] = pr->p[k];
  }
  int failed = settle_positions(pr, &work, q, &at);
  if (!failed) { /* once more at the rounded point */
    for (int k = 0; k < pr->n; k++) q[k] = pr->q[k] = (double)q[k];
    natural_evaluate(pr, q, &work, &at);
    failed = natural_project(pr, &at, p, &N, d);
  }
  if (!failed) { /* |D N^-1 D|, of a matrix with diagonal 1 */
    for (int i = 0; i < pr->m; i++) identity[i * pr->m + i] = d[i] * d[i];
    failed = !(dense_distance(&N, identity, 0, d) < 1 / margin);
  }
  for (int k = 0; k < pr->n && !failed; k++) {
    pr->p[k] = (double)p[k];
    failed = !isfinite(pr->q[k]) || !isfinite(pr->p[k]);
  }
  formula_work_free(&work);
  return failed;
}

/* By how much z_k is moved. */
static long double mobility(const problem *pr, int k) {
  return general_is_time(pr, k) ? 0 : general_size(pr, k);
}

/* Onto g = 0 with as little change of z as there can be, in sizes near 1. */
static int settle_point(const problem *pr, formula_work *work, long double *z) {
  const int size = 2 * pr->n, m = pr->m;
  for (int round = 0; round < 60; round++) {
    general_point at;
    dense_factors factors;
    long double A[CONSTRAINTS * CONSTRAINTS], move = 0;
    general_evaluate(pr, z, FORMULA_H | FORMULA_G, work, &at);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        A[i * m + j] = 0;
        for (int k = 0; k < size; k++) {
          const long double of_z = mobility(pr, k);
          A[i * m + j] += at.dg[i * size + k] * at.dg[j * size + k] * of_z * of_z;
        }
      }
    if (dense_factor(m, A, &factors)) return 1;
    dense_solve(&factors, at.g);
    for (int k = 0; k < size; k++) {
      const long double of_z = mobility(pr, k);
      for (int i = 0; i < m; i++) {
        z[k] -= of_z * of_z * at.dg[i * size + k] * at.g[i];
        move = fmaxl(move, of_z * fabsl(at.dg[i * size + k] * at.g[i]));
      }
    }
    if (!(move < 1e6L)) return 1;
    if (move < 1e-16L) return 0;
  }
  return 1;
}

/* |N^-1| in sizes near 1 */
static long double inverse_size(const problem *pr, formula_work *work, const long double *z) {
  const int m = pr->m;
  const long double energy = (long double)pr->unit.mass * pr->unit.length * pr->unit.length /
                             (pr->unit.time * pr->unit.time);
  general_point at;
  dense_factors factors;
  long double N[CONSTRAINTS * CONSTRAINTS], reach[CONSTRAINTS],
      one[CONSTRAINTS * CONSTRAINTS] = {0};
  general_evaluate(pr, z, FORMULA_H | FORMULA_G, work, &at);
  general_reach(pr, &at, reach);
  if (general_matrix(pr, z, work, N)) return INFINITY;
  for (int i = 0; i < m; i++) {
    one[i * m + i] = 1;
    for (int j = 0; j < m; j++) N[i * m + j] /= reach[i] * reach[j] * energy;
  }
  return dense_factor(m, N, &factors) ? INFINITY : dense_distance(&factors, one, 0, NULL);
}

static void take_start(const problem *pr, long double *z) {
  for (int k = 0; k < pr->n; k++) {
    z[k] = pr->q[k];
    z[pr->n + k] = pr->p[k];
  }
}

/* x, or 0 if it is the rest that a Newton iteration to 0 leaves. */
static double without_dust(long double x, long double size) {
  return fabsl(x) < 1e-30L * size ? 0 : (double)x;
}

/* Rounds the start to double; 1 if it is far from where problems are. */
static int give_start(problem *pr, const long double *z) {
  int failed = 0;
  for (int k = 0; k < pr->n; k++) {
    pr->q[k] = without_dust(z[k], general_size(pr, k));
    pr->p[k] = without_dust(z[pr->n + k], general_size(pr, pr->n + k));
    failed |= !(fabs(pr->q[k]) < 1e5 * pr->unit.length) ||
              !(fabsl(z[pr->n + k]) < 20 * general_size(pr, pr->n + k));
  }
  return failed;
}

int problem_settle_general(problem *pr, double margin) {
  const int n = pr->n;
  formula_work work = {0};
  long double z[ENTRIES];
  int failed = 0;
  problem_classify(pr);
  take_start(pr, z);
  for (int round = 0; round < 3 && !failed; round++) { /* again from what was rounded to double */
    failed = settle_point(pr, &work, z);
    const step at = {pr, 1, z, z + n, 0, &work};
    if (!failed) failed = truth_descend(&at, z, z + n);
    for (int k = 0; k < 2 * n && round < 2; k++) z[k] = (double)z[k];
  }
  if (!failed) failed = !(inverse_size(pr, &work, z) < 1 / margin);
  formula_work_free(&work);
  return give_start(pr, z) || failed;
}

int problem_settle_second_class(problem *pr, double margin) {
  const int m = pr->m;
  formula_work work = {0};
  long double z[ENTRIES], C[CONSTRAINTS * CONSTRAINTS], one[CONSTRAINTS * CONSTRAINTS] = {0};
  general_point at;
  dense_factors factors;
  take_start(pr, z);
  int failed = settle_point(pr, &work, z);
  general_evaluate(pr, z, FORMULA_H | FORMULA_G, &work, &at);
  general_brackets(pr, &at, C);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) { /* in sizes near 1 */
      const long double action =
          (long double)pr->unit.mass * pr->unit.length * pr->unit.length / pr->unit.time;
      long double reach[CONSTRAINTS];
      general_reach(pr, &at, reach);
      C[i * m + j] /= reach[i] * reach[j] * action;
      one[i * m + j] = i == j;
    }
  failed |= dense_factor(m, C, &factors) || !(dense_distance(&factors, one, 0, NULL) < 1 / margin);
  formula_work_free(&work);
  return give_start(pr, z) || failed;
}
