/* The rows of C made orthogonal in the metric H_pp, one after another (velocity.h):
 *
 *     Q = T C, T lower triangular with 1 on its diagonal,   Q H_pp Q^T = D,   N^-1 = T^T D^-1 T
 *
 * Method     modified Gram-Schmidt; a row that loses more than half of its length is made
 *            orthogonal once more (W. Kahan; B. N. Parlett, The Symmetric Eigenvalue Problem
 *            (1980), 6.9).
 *            Rows that are parallel but for 1e-9 keep seven digits of that, of which N has none
 * Rank       a row depends on those before it where what is left of it is no longer, in the metric
 *            H_pp, than what rounding makes of the sum: no threshold, and no units that mix
 * Unknowns   reactions are p - Q^T x, of which no part cancels another; lambda = T^T x */
#include "problem/functions/velocity.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ground/expr/round_off.h"
#include "ground/linear/dot.h"
#include "ground/support/larger.h"

/* Row i without its parts along those before it. */
static void part(rattle__reaction *s, int i) {
  const int n = s->n, m = s->m;
  double *row = s->Q + (size_t)i * (size_t)n, *T = s->T + (size_t)i * (size_t)m;
  for (int j = 0; j < i; j++) {
    const double *other = s->Q + (size_t)j * (size_t)n, *before = s->T + (size_t)j * (size_t)m;
    const double c = rattle__dot(n, row, s->pushed + (size_t)j * (size_t)n) / s->length[j];
    for (int k = 0; k < n; k++) row[k] -= c * other[k];
    for (int k = 0; k <= j; k++) T[k] -= c * before[k];
  }
}

/* Entry k of the sum that row i of Q is, by its terms. */
static double terms_of(const rattle__reaction *s, int i, size_t k) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  double sum = 0;
  for (size_t j = 0; j <= (size_t)i; j++) sum += fabs(s->T[(size_t)i * m + j] * s->C[j * n + k]);
  return sum;
}

/* Errors of the same by rounding, and by those of C */
static void own_errors(const rattle__reaction *s, const double *errors, int i, double *error) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  for (size_t k = 0; k < n; k++) {
    error[k] = DBL_EPSILON * terms_of(s, i, k);
    for (size_t j = 0; j <= (size_t)i && errors; j++)
      error[k] += fabs(s->T[(size_t)i * m + j]) * errors[j * n + k];
  }
}

double rattle__reaction_error(const rattle__reaction *s, const double *errors, int i, int k) {
  const size_t n = (size_t)s->n;
  double *own = s->zv;
  own_errors(s, errors, i, own);
  double error = own[k];
  for (size_t l = 0; l < (size_t)i; l++) { /* and of what is taken from the row with other rows */
    double part = 0;
    for (size_t c = 0; c < n; c++) part += own[c] * fabs(s->pushed[l * n + c]);
    error += part / fabs(s->length[l]) * fabs(s->Q[l * n + (size_t)k]);
  }
  return error;
}

/* Entries of row i that are round-off become 0: no reaction is where none belongs, to be balanced
 * by others. */
static void sweep(rattle__reaction *s, int i) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  double *row = s->Q + (size_t)i * n, most = 0; /* of what terms_of(k) is at most */
  for (size_t j = 0; j <= (size_t)i; j++) most += fabs(s->T[(size_t)i * m + j]) * s->largest[j];
  for (size_t k = 0; k < n; k++)
    if (rattle__is_round_off(row[k], DBL_EPSILON * most) && row[k] != 0 &&
        rattle__is_round_off(row[k], DBL_EPSILON * terms_of(s, i, k)))
      row[k] = 0;
}

/* Row i orthogonal to those before it, with its image and length; true if it lost much. */
static int clean(rattle__reaction *s, int i) {
  const size_t n = (size_t)s->n;
  double *row = s->Q + (size_t)i * n, *image = s->pushed + (size_t)i * n;
  s->largest[i] = 0;
  for (size_t k = 0; k < n; k++) s->largest[i] = rattle__larger(fabs(row[k]), s->largest[i]);
  rattle__reaction_image(s, row, image);
  const double before = rattle__dot(s->n, row, image);
  s->length[i] = before;
  for (int pass = 0; pass < 2 && i > 0; pass++) {
    if (pass && fabs(s->length[i]) > 0.5 * fabs(before)) break;
    part(s, i);
    sweep(s, i);
    rattle__reaction_image(s, row, image);
    s->length[i] = rattle__dot(s->n, row, image);
  }
  return !(fabs(s->length[i]) > 0.5 * fabs(before));
}

/* True if the length of what is left of row i is round-off. */
static int depends(rattle__reaction *s, const double *errors, int i) {
  double *error = s->row, *reach = s->room;
  own_errors(s, errors, i, error);
  rattle__reaction_reach(s, error, reach);
  return rattle__is_round_off(sqrt(fabs(s->length[i])), sqrt(rattle__dot(s->n, error, reach)));
}

rattle_status rattle__reaction_orthogonal(rattle__reaction *s, const double *errors,
                                          unsigned char *dependent) {
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  s->blame = -1;
  memcpy(s->Q, s->C, m * n * sizeof *s->Q);
  memset(s->T, 0, m * m * sizeof *s->T);
  for (int i = 0; i < s->m; i++) {
    s->T[(size_t)i * m + (size_t)i] = 1;
    const int lost = clean(s, i);
    const int is_left = isfinite(s->length[i]) && s->length[i] != 0;
    const int left_out = lost && (!is_left || depends(s, errors, i));
    if (dependent) dependent[i] = (unsigned char)left_out;
    if (!left_out) continue;
    if (s->blame < 0) s->blame = i;
    if (!dependent) return RATTLE_SINGULAR;
    s->length[i] = INFINITY; /* no part of any row is along this one */
  }
  return RATTLE_OK;
}

void rattle__reaction_solve_all(const rattle__reaction *s, double *rows) {
  const size_t m = (size_t)s->m;
  for (size_t i = m; i-- > 0;) {
    double *row = rows + i * m;
    const double scale = 1 / s->length[i];
    for (size_t k = 0; k < i; k++) {
      const double c = s->T[i * m + k];
      for (size_t j = 0; j < m; j++) row[j] += c * rows[k * m + j];
    }
    for (size_t j = 0; j < m; j++) row[j] *= scale;
  }
}

int rattle__reaction_negative(const rattle__reaction *s) {
  int count = 0;
  for (int i = 0; i < s->m; i++) count += s->length[i] < 0;
  return count;
}

void rattle__reaction_solve(const rattle__reaction *s, double *x) {
  const size_t m = (size_t)s->m;
  for (size_t i = m; i-- > 0;) { /* from below: T is lower triangular */
    double sum = 0;
    for (size_t k = 0; k <= i; k++) sum += s->T[i * m + k] * x[k];
    x[i] = sum / s->length[i];
  }
}

void rattle__reaction_multiply(const rattle__reaction *s, double *x) {
  const size_t m = (size_t)s->m;
  for (size_t k = 0; k < m; k++) {
    double sum = 0;
    for (size_t i = k; i < m; i++) sum += s->T[i * m + k] * x[i];
    x[k] = sum;
  }
}
