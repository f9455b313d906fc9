/* Rows and columns of a matrix scaled so that the logarithms of its entries are as near to 0 as
 * scaling permits; and the distance of the matrix from singular ones, if it still seems singular: a
 * small pivot may be the sum of terms as small.
 *
 * Method  the sum of the squared logarithms is least if the mean over each row and over each column
 *         is 0: rows and columns are scaled in turns. The result does not depend on the units that
 *         rows and columns had; scaling by the largest entries alone would
 * Source  A. R. Curtis, J. K. Reid, On the automatic scaling of matrices for Gaussian elimination,
 *         J. Inst. Math. Appl. 10 (1972) 118
 * Cost    some passes over the entries; only if the unscaled matrix seemed singular, or a caller
 *         asks for it (equilibrate) */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/backend.h"
#include "ground/support/error.h"

enum { ROUNDS = 20, NEGLIGIBLE = -26 };
static const double settled = 0.25; /* of an exponent */

rattle_status rattle__scaling_init(rattle__scaling *s, const rattle__linear *a,
                                   rattle_error *error) {
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

/* One pass over the rows, then one over the columns, with the entries above `least` in their
 * logarithms, which are in `value`; returns by how much the factor of a row changed at most. */
static double one_round(const rattle__linear *a, rattle__scaling *s, double least) {
  double *sum = s->scratch, *count = sum + a->size, most = 0;
  memset(sum, 0, 2 * (size_t)a->size * sizeof *sum);
  for (int i = 0; i < a->size; i++) {
    double sum_of_row = 0, count_of_row = 0;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      const double size = s->value[e] + s->row[i] + s->column[a->col[e]];
      sum_of_row += size > least ? size : 0;
      count_of_row += size > least;
    }
    const double change = count_of_row > 0 ? sum_of_row / count_of_row : 0;
    most = rattle__larger(fabs(change), most);
    s->row[i] -= change;
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
      const double size = s->value[e] + s->row[i] + s->column[a->col[e]];
      sum[a->col[e]] += size > least ? size : 0;
      count[a->col[e]] += size > least;
    }
  }
  for (int j = 0; j < a->size; j++)
    if (count[j] > 0) s->column[j] -= sum[j] / count[j];
  return most;
}

/* row and column as exponents, of the matrix in `value`; in later rounds negligible entries, such
 * as derivatives that vanish but for round-off, do not count. */
static void equilibrate(const rattle__linear *a, rattle__scaling *s) {
  const size_t bytes = (size_t)a->size * sizeof(double);
  for (int e = 0; e < a->nnz; e++) s->value[e] = logb(a->value[e]); /* of zeros - infinity */
  memset(s->row, 0, bytes);
  memset(s->column, 0, bytes);
  for (int later = 0; later < 2; later++)
    for (int round = 0; round < ROUNDS && one_round(a, s, later ? NEGLIGIBLE : -HUGE_VAL) > settled;
         round++)
      continue;
  for (int i = 0; i < a->size; i++) {
    s->row[i] = rint(s->row[i]);
    s->column[i] = rint(s->column[i]);
  }
}

/* Accepts any pivot but 0, provided that the matrix is farther from singular ones than
 * round-off. */
static rattle_status insist(rattle__linear *a, rattle__scaling *s,
                            rattle_status (*plain)(rattle__linear *a)) {
  const int blame = a->blame;
  double *v = s->scratch;
  s->tiny = 0;
  rattle_status status = plain(a);
  for (int i = 0; i < a->size; i++) v[i] = 1;
  if (!status && !rattle__regular_nearby(a, rattle__tiny(a->size), v, v + a->size))
    status = RATTLE_SINGULAR;
  if (status) a->blame = blame;
  return status;
}

double rattle__scaling_log(const rattle__linear *a, const rattle__scaling *s) {
  double sum = 0;
  for (int i = 0; i < a->size && s->on; i++) sum += log(s->row[i]) + log(s->column[i]);
  return sum;
}

rattle_status rattle__factor_scaled(rattle__linear *a, rattle__scaling *s,
                                    rattle_status (*plain)(rattle__linear *a)) {
  const size_t bytes = (size_t)a->nnz * sizeof(double);
  s->on = 0;
  s->tiny = rattle__tiny(a->size);
  rattle_status status = a->equilibrate ? RATTLE_SINGULAR : plain(a);
  if (status != RATTLE_SINGULAR) return status;
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (!(fabs(a->value[e]) <= DBL_MAX)) {
        a->blame = i;
        return RATTLE_SINGULAR;
      }
  equilibrate(a, s);
  memcpy(s->value, a->value, bytes);
  for (int i = 0; i < a->size; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      a->value[e] = ldexp(a->value[e], (int)(s->row[i] + s->column[a->col[e]]));
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
