/* Rows and columns of a matrix scaled so that the logarithms of its entries are as near to 0 as scaling permits, and its distance from
 * singular matrices where it seems singular all the same: a small pivot may be made of terms that are as small.
 *
 * Method  the sum of their squares is least where the mean over each row and over each column is 0: one after the other, again and
 *         again. It does not depend on the units that rows and columns had, which the largest entries alone would
 * Source  A. R. Curtis, J. K. Reid, On the automatic scaling of matrices for Gaussian elimination, J. Inst. Math. Appl. 10 (1972) 118
 * Cost    some passes over the entries; only where the matrix as it is seemed singular */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/backend.h"
#include "support/error.h"

enum { ROUNDS = 40, NEGLIGIBLE = -26 };

rattle_status rattle__scaling_init(rattle__scaling *s, const rattle__linear *a, rattle_error *error) {
  const size_t n = (size_t)a->size + 1;
  s->on = 0;
  s->row = calloc(n, sizeof *s->row);
  s->column = calloc(n, sizeof *s->column);
  s->value = calloc((size_t)a->nnz + 1, sizeof *s->value);
  s->scratch = calloc(4 * n, sizeof *s->scratch);
  return s->scratch && s->row && s->column && s->value ? RATTLE_OK : rattle__no_memory(error);
}

void rattle__scaling_free(rattle__scaling *s) {
  free(s->row);
  free(s->column);
  free(s->value);
  free(s->scratch);
}

/* The logarithm of an entry as scaled so far; in later rounds negligible ones, such as derivatives that vanish but for round-off, do not
 * count. Returns 0 for those and for zeros. */
static int counts(const rattle__linear *a, const rattle__scaling *s, int row, int e, int round, double *size) {
  if (a->value[e] == 0) return 0;
  *size = logb(a->value[e]) + s->row[row] + s->column[a->col[e]];
  return round < ROUNDS / 2 || *size > NEGLIGIBLE;
}

/* row and column as exponents, of the matrix in `value` */
static void equilibrate(const rattle__linear *a, rattle__scaling *s) {
  const size_t n = (size_t)a->size;
  double *sum = s->scratch, *count = s->scratch + n;
  memset(s->row, 0, n * sizeof(double));
  memset(s->column, 0, n * sizeof(double));
  for (int round = 0; round < ROUNDS; round++) {
    memset(s->scratch, 0, 2 * n * sizeof(double));
    for (int i = 0; i < a->size; i++) {
      double sum_of_row = 0, count_of_row = 0, size;
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        if (counts(a, s, i, e, round, &size)) {
          sum_of_row += size;
          count_of_row += 1;
        }
      if (count_of_row > 0) s->row[i] -= sum_of_row / count_of_row;
      for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
        if (counts(a, s, i, e, round, &size)) {
          sum[a->col[e]] += size;
          count[a->col[e]] += 1;
        }
    }
    for (int j = 0; j < a->size; j++)
      if (count[j] > 0) s->column[j] -= sum[j] / count[j];
  }
  for (int i = 0; i < a->size; i++) {
    s->row[i] = rint(s->row[i]);
    s->column[i] = rint(s->column[i]);
  }
}

/* Any pivot but 0, if that is what a matrix farther from singular ones than round-off has. */
static rattle_status insist(rattle__linear *a, rattle__scaling *s, rattle_status (*plain)(rattle__linear *a)) {
  const int blame = a->blame;
  double *v = s->scratch;
  s->tiny = 0;
  rattle_status status = plain(a);
  for (int i = 0; i < a->size; i++) v[i] = 1;
  if (!status && !rattle__regular_nearby(a, rattle__tiny(a->size), v, v + a->size)) status = RATTLE_SINGULAR;
  if (status) a->blame = blame;
  return status;
}

double rattle__scaling_log(const rattle__linear *a, const rattle__scaling *s) {
  double sum = 0;
  for (int i = 0; i < a->size && s->on; i++) sum += log(s->row[i]) + log(s->column[i]);
  return sum;
}

rattle_status rattle__factor_scaled(rattle__linear *a, rattle__scaling *s, rattle_status (*plain)(rattle__linear *a)) {
  const size_t bytes = (size_t)a->nnz * sizeof(double);
  s->on = 0;
  s->tiny = rattle__tiny(a->size);
  rattle_status status = plain(a);
  if (status != RATTLE_SINGULAR) return status;
  for (int e = 0; e < a->nnz; e++)
    if (!(fabs(a->value[e]) <= DBL_MAX)) return RATTLE_SINGULAR;
  equilibrate(a, s);
  memcpy(s->value, a->value, bytes);
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) a->value[e] = ldexp(a->value[e], (int)(s->row[i] + s->column[a->col[e]]));
  for (int i = 0; i < a->size; i++) {
    s->row[i] = ldexp(1, (int)s->row[i]);
    s->column[i] = ldexp(1, (int)s->column[i]);
  }
  status = plain(a);
  if (status == RATTLE_SINGULAR) status = insist(a, s, plain);
  memcpy(a->value, s->value, bytes);
  s->on = !status;
  return status;
}
