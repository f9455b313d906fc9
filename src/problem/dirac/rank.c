/* Singular values, and least squares of smallest length. */
#include <math.h>
#include <stdlib.h>

#include "ground/linear/fortran.h"
#include "problem/dirac/dirac.h"

/* Singular values up to this share of the largest count as 0 in least squares, which serve to move
 * points only. */
static const double rank_tolerance = 1e-11;

static double *room_of(double **array, size_t *room, size_t count) {
  if (count > *room) {
    double *larger = realloc(*array, (count + count / 2) * sizeof *larger);
    if (!larger) return NULL;
    *array = larger;
    *room = count + count / 2;
  }
  return *array;
}

double *rattle__dirac_matrix(rattle__dirac *d, size_t count) {
  return room_of(&d->matrix, &d->matrix_room, count);
}

int rattle__least_squares(rattle__dirac *d, int rows, int columns, double *A, double *b) {
  const int one = 1, longest = rows > columns ? rows : columns,
            lwork = 4 * longest + 64 * (columns + 1) + 2 * rows;
  int rank = 0, info = 0, *pivot = calloc((size_t)columns, sizeof *pivot);
  double *work = room_of(&d->work, &d->work_room, (size_t)lwork);
  if (pivot && work)
    rattle__dgelsy(&rows, &columns, &one, A, &rows, b, &longest, pivot, &rank_tolerance, &rank,
                   work, &lwork, &info);
  else
    rank = -1;
  free(pivot);
  return rank;
}

void rattle__singular(rattle__dirac *d, double *A, rattle__spectrum *of) {
  const int rows = of->rows, columns = of->columns, one = 1;
  const int least = rows < columns ? rows : columns, most = rows < columns ? columns : rows;
  const int lwork = 11 * least * least + 8 * least + 80 * most;
  of->rank = 0;
  of->least = (double)INFINITY;
  if (!rows || !columns) {
    for (int i = 0; of->U && i < rows * rows; i++) of->U[i] = i % (rows + 1) == 0;
    return;
  }
  size_t v = of->U ? (size_t)columns * (size_t)columns : 1;
  int info = 0, *iwork = calloc(8 * (size_t)least, sizeof *iwork);
  double *s = room_of(&d->work, &d->work_room, (size_t)least + v + (size_t)lwork), unused = 0;
  if (s && iwork) {
    rattle__dgesdd(of->U ? "A" : "N", &rows, &columns, A, &rows, s, of->U ? of->U : &unused,
                   of->U ? &rows : &one, s + least, of->U ? &columns : &one, s + least + v, &lwork,
                   iwork, &info, 1);
    while (of->rank < least && s[of->rank] > of->zero) of->least = s[of->rank++];
  } else {
    of->rank = -1;
  }
  free(iwork);
}
