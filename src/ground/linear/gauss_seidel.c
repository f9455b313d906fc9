/* Gauss-Seidel sweeps: the SHAKE iteration of Ryckaert, Ciccotti and Berendsen for positions, and
 * its linear kin for momenta.
 *
 * Cost     a sweep: one evaluation of each row, and two passes over its entries
 * Rate     the spectral radius of the Gauss-Seidel matrix of A = J B^T: near 1 for straight chains,
 *          rings and clusters */
#include "ground/linear/gauss_seidel.h"

#include <float.h>
#include <math.h>

/* Keeps the largest |value_i| / floor_i, NaN if that is met. */
static inline double larger(rattle__gauss_seidel *s, int i, double most) {
  double r = fabs(s->value[i]) * s->inverse_floor[i];
  if (r <= most) return most;
  s->worst = i;
  return r;
}

static double end_early(rattle__gauss_seidel *s, int i, int answer, int singular) {
  s->worst = i;
  s->answer = answer;
  s->singular = singular;
  return (double)NAN;
}

double rattle__gauss_seidel_positions(rattle__gauss_seidel *s, const double *q0, const double *B0,
                                      double *q, double *sum) {
  const rattle__function *g = s->g;
  double most = 0;
  s->answer = s->singular = 0;
  for (int i = 0; i < g->rows; i++) {
    int answer = g->row(g, i, q, s->value, s->J, s->work), first = g->jac_ptr[i],
        last = g->jac_ptr[i + 1];
    if (answer || !(fabs(s->value[i]) <= DBL_MAX)) return end_early(s, i, answer, 0);
    double R = 0, size = 0, level = DBL_MIN / DBL_EPSILON;
    for (int k = first; k < last; k++) {
      double term = s->J[k] * B0[k];
      R += term;
      size += fabs(term);
      if (!q0) continue;
      const int c = g->jac_col[k];
      level += fabs(s->J[k]) * (fabs(q[c]) + fabs(q0[c]) + 2 * s->least[c]);
    }
    if (!(fabs(R) > 8 * DBL_EPSILON * size)) return end_early(s, i, 0, size <= DBL_MAX);
    if (q0) s->inverse_floor[i] = 2 / (DBL_EPSILON * level);
    most = larger(s, i, most);
    double d = s->value[i] / R;
    sum[i] += d;
    for (int k = first; k < last; k++) q[g->jac_col[k]] -= d * B0[k];
  }
  return most;
}

double rattle__gauss_seidel_momenta(rattle__gauss_seidel *s, int is_first, const double *J,
                                    const double *B, double *p) {
  const rattle__function *g = s->g;
  double most = 0;
  s->answer = s->singular = 0;
  for (int i = 0; i < g->rows; i++) {
    double A = 0, psi = 0, level = DBL_MIN / DBL_EPSILON;
    int first = g->jac_ptr[i], last = g->jac_ptr[i + 1];
    for (int k = first; k < last; k++) {
      double term = B[k] * p[g->jac_col[k]];
      A += J[k] * B[k];
      psi += term;
      level += fabs(term) + s->least[g->jac_col[k]] * fabs(B[k]);
    }
    s->value[i] = psi;
    if (!(A > 0) || !(fabs(psi) <= DBL_MAX)) return end_early(s, i, 0, A == 0);
    if (is_first) s->inverse_floor[i] = 1 / (DBL_EPSILON * level);
    most = larger(s, i, most);
    for (int k = first; k < last; k++) p[g->jac_col[k]] -= psi / A * J[k];
  }
  return most;
}

/* Scales p to length 1; returns its former length. */
static double normalise(double *p, int vars) {
  double sum = 0;
  for (int c = 0; c < vars; c++) sum += p[c] * p[c];
  double length = sqrt(sum);
  for (int c = 0; c < vars && length > 0; c++) p[c] /= length;
  return length;
}

void rattle__gauss_seidel_spread(rattle__gauss_seidel *s, const double *B0, double *moved) {
  const rattle__function *g = s->g;
  for (int c = 0; c < g->vars; c++) moved[c] = 0;
  for (int i = 0; i < g->rows; i++) {
    double R = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) R += s->J[k] * B0[k];
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      moved[g->jac_col[k]] += fabs(B0[k] / (R * s->inverse_floor[i]));
  }
  for (int i = 0; i < g->rows; i++) {
    double floor = 1 / s->inverse_floor[i];
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++)
      floor += fabs(s->J[k]) * moved[g->jac_col[k]];
    s->inverse_floor[i] = 1 / floor;
  }
}

/* p = J^T w */
static void pull(const rattle__function *g, const double *J, const double *w, double *p) {
  for (int c = 0; c < g->vars; c++) p[c] = 0;
  for (int i = 0; i < g->rows; i++)
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) p[g->jac_col[k]] += J[k] * w[i];
}

/* Sweeps for J^T w = 0 by w, p being J^T w. */
static void sweep_by_multipliers(const rattle__function *g, const double *J, const double *B,
                                 double *w, double *p) {
  for (int i = 0; i < g->rows; i++) {
    double A = 0, psi = 0;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) {
      A += J[k] * B[k];
      psi += B[k] * p[g->jac_col[k]];
    }
    if (!(A > 0)) continue;
    w[i] -= psi / A;
    for (int k = g->jac_ptr[i]; k < g->jac_ptr[i + 1]; k++) p[g->jac_col[k]] -= psi / A * J[k];
  }
}

/* p is made from w before each sweep: rounding leaves it parts that no sweep reduces, which would
 * remain alone where sweeps converge fast, and have the rate 1. */
double rattle__gauss_seidel_rate(const rattle__gauss_seidel *s, const double *J, const double *B,
                                 double *w, double *p) {
  enum { WORK = 20000000, LEAST = 100, MOST = 4000 };
  const rattle__function *g = s->g;
  int sweeps = WORK / (g->jac_nnz + 1);
  sweeps = sweeps < LEAST ? LEAST : sweeps > MOST ? MOST : sweeps;
  for (int i = 0; i < g->rows; i++) w[i] = 0.5 + fmod(0.6180339887498949 * i, 1); /* irregular */
  double product = 1, counted = sweeps / 2;
  for (int sweep = 0; sweep <= sweeps; sweep++) {
    pull(g, J, w, p);
    const double length = normalise(p, g->vars);
    if (!(length > 0)) return length;
    if (sweep > sweeps - sweeps / 2) product *= pow(length, 1 / counted);
    for (int i = 0; i < g->rows; i++) w[i] /= length;
    sweep_by_multipliers(g, J, B, w, p);
  }
  return product;
}
