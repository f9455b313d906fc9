/* Ranks and least squares of matrices that may hold numbers that are not finite. */
#include <math.h>
#include <stdlib.h>

#include "ground/linear/singular.h"
#include "ground/support/error.h"
#include "problem/dirac/dirac.h"

/* Singular values up to this share of the largest count as 0 in least squares, which serve to move
 * points only. */
static const double rank_tolerance = 1e-11;

double *rattle__dirac_matrix(rattle__dirac *d, size_t count) {
  if (count > d->matrix_room) {
    double *larger = realloc(d->matrix, (count + count / 2) * sizeof *larger);
    if (!larger) return NULL;
    d->matrix = larger;
    d->matrix_room = count + count / 2;
  }
  return d->matrix;
}

rattle_status rattle__dirac_shortest(int rows, int columns, double *A, double *b,
                                     rattle_error *error) {
  const rattle_status status =
      rattle__least_squares(rows, columns, A, b, rank_tolerance, NULL, error);
  if (status != RATTLE_DOMAIN) return status;
  for (int k = 0; k < columns; k++) b[k] = (double)NAN;
  return RATTLE_OK;
}

rattle_status rattle__dirac_rank(int rows, int columns, double *A, double zero, int *rank,
                                 rattle_error *error) {
  const rattle_status status = rattle__rank(rows, columns, A, zero, rank, error);
  return status == RATTLE_DOMAIN ? RATTLE_OK : status;
}

rattle_status rattle__dirac_null_space(int rows, int columns, double *A, rattle__spectrum *of,
                                       rattle_error *error) {
  double *S = malloc(((size_t)rows + 1) * sizeof *S);
  if (!S) return rattle__no_memory(error);
  rattle_status status = rattle__singular(rows, columns, A, S, of->U, error);
  const int values = status ? 0 : rows < columns ? rows : columns;
  of->rank = 0;
  of->least = (double)INFINITY;
  while (of->rank < values && S[of->rank] > of->zero) of->least = S[of->rank++];
  free(S);
  return status == RATTLE_DOMAIN ? RATTLE_OK : status;
}
