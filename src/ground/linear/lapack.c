/* Dense matrices by LAPACK. */
#include "ground/linear/lapack.h"

#include <math.h>
#include <stdlib.h>

#include "ground/linear/fortran.h"
#include "ground/support/error.h"

static rattle_status check(const double *A, size_t count, rattle_error *error) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(A[i]))
      return rattle__fail(error, RATTLE_DOMAIN, NULL, "a matrix has entries that are not finite");
  return RATTLE_OK;
}

static rattle_status answer(int info, const char *name, rattle_error *error) {
  if (!info) return RATTLE_OK;
  return rattle__fail(error, RATTLE_NOT_CONVERGED, NULL, "%s of LAPACK did not converge (info %d)",
                      name, info);
}

rattle_status rattle__lapack_least_squares(int rows, int columns, double *A, double *b,
                                           double tolerance, int *rank, rattle_error *error) {
  const int one = 1, longest = rows > columns ? rows : columns,
            least = rows < columns ? rows : columns;
  int found = 0, info = 0, lwork = -1, liwork = 0;
  double wish = 0;
  rattle_status status = check(A, (size_t)rows * (size_t)columns, error);
  if (!status) status = check(b, (size_t)rows, error);
  if (status) return status;
  rattle__dgelsd(&rows, &columns, &one, A, &rows, b, &longest, NULL, &tolerance, &found, &wish,
                 &lwork, &liwork, &info);
  lwork = (int)wish;
  double *work = malloc(((size_t)lwork + (size_t)least) * sizeof *work);
  int *iwork = malloc(((size_t)liwork + 1) * sizeof *iwork);
  if (work && iwork)
    rattle__dgelsd(&rows, &columns, &one, A, &rows, b, &longest, work + lwork, &tolerance, &found,
                   work, &lwork, iwork, &info);
  status = work && iwork ? answer(info, "dgelsd", error) : rattle__no_memory(error);
  free(work);
  free(iwork);
  if (rank) *rank = found;
  return status;
}

rattle_status rattle__lapack_singular(int rows, int columns, double *A, double *S, double *V,
                                      rattle_error *error) {
  /* the rows of A are the columns of its transpose, whose left singular vectors are wanted */
  const int one = 1;
  int info = 0, lwork = -1;
  double wish = 0, unused = 0;
  rattle_status status = check(A, (size_t)rows * (size_t)columns, error);
  if (status) return status;
  rattle__dgesvd("A", "N", &columns, &rows, A, &columns, S, V, &columns, &unused, &one, &wish,
                 &lwork, &info, 1, 1);
  lwork = (int)wish;
  double *work = malloc((size_t)lwork * sizeof *work);
  if (!work) return rattle__no_memory(error);
  rattle__dgesvd("A", "N", &columns, &rows, A, &columns, S, V, &columns, &unused, &one, work,
                 &lwork, &info, 1, 1);
  free(work);
  return answer(info, "dgesvd", error);
}

/* Falling moduli; a pair that differs in the sign of the imaginary part alone keeps its order. */
static void sort(int size, double *real, double *imaginary) {
  for (int i = 1; i < size; i++) {
    const double re = real[i], im = imaginary[i], modulus = hypot(re, im);
    int k = i;
    for (; k > 0 && hypot(real[k - 1], imaginary[k - 1]) < modulus; k--)
      real[k] = real[k - 1], imaginary[k] = imaginary[k - 1];
    real[k] = re, imaginary[k] = im;
  }
}

rattle_status rattle__lapack_eigenvalues(int size, double *A, double *real, double *imaginary,
                                         rattle_error *error) {
  const int one = 1;
  int info = 0, lwork = -1;
  double wish = 0, unused = 0;
  rattle_status status = check(A, (size_t)size * (size_t)size, error);
  if (status || !size) return status;
  rattle__dgeev("N", "N", &size, A, &size, real, imaginary, &unused, &one, &unused, &one, &wish,
                &lwork, &info, 1, 1);
  lwork = (int)wish;
  double *work = malloc((size_t)lwork * sizeof *work);
  if (!work) return rattle__no_memory(error);
  rattle__dgeev("N", "N", &size, A, &size, real, imaginary, &unused, &one, &unused, &one, work,
                &lwork, &info, 1, 1);
  free(work);
  if (!info) sort(size, real, imaginary);
  return answer(info, "dgeev", error);
}
