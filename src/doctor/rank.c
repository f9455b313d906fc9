/* Ranks: singular values, least squares of smallest length, and which constraints depend on which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "doctor/dirac.h"

/* Singular values up to this share of the largest count as 0: far above round-off, far below what mass ratios of 1e6 make. A row
 * is dependent where so much of its length 1 is left outside the others' span; a gradient vanishes where it is so small against
 * its usual size (a double zero is found to half the digits only). */
static const double rank_tolerance = 1e-9, dependent = 1e-8, vanishing = 1e-6;

/* LAPACK; the lengths of character arguments are passed as gfortran does. */
void dgesdd_(const char *job, const int *rows, const int *columns, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t job_length);
void dgelsy_(const int *rows, const int *columns, const int *right, double *a, const int *lda, double *b, const int *ldb,
             int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);

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
  const int one = 1, longest = rows > columns ? rows : columns, lwork = 4 * longest + 64 * (columns + 1) + 2 * rows;
  int rank = 0, info = 0, *pivot = calloc((size_t)columns, sizeof *pivot);
  double *work = room_of(&d->work, &d->work_room, (size_t)lwork);
  if (pivot && work)
    dgelsy_(&rows, &columns, &one, A, &rows, b, &longest, pivot, &rank_tolerance, &rank, work, &lwork, &info);
  else
    rank = -1;
  free(pivot);
  return rank;
}

int rattle__singular(rattle__dirac *d, int rows, int columns, double *A, double *U) {
  const int least = rows < columns ? rows : columns, most = rows < columns ? columns : rows, one = 1;
  const int lwork = 11 * least * least + 8 * least + 80 * most;
  if (!rows || !columns) {
    for (int i = 0; U && i < rows * rows; i++) U[i] = i % (rows + 1) == 0;
    return 0;
  }
  size_t v = U ? (size_t)columns * (size_t)columns : 1;
  int rank = 0, info = 0, *iwork = calloc(8 * (size_t)least, sizeof *iwork);
  double *s = room_of(&d->work, &d->work_room, (size_t)least + v + (size_t)lwork), unused = 0;
  if (s && iwork) {
    dgesdd_(U ? "A" : "N", &rows, &columns, A, &rows, s, U ? U : &unused, U ? &rows : &one, s + least, U ? &columns : &one,
            s + least + v, &lwork, iwork, &info, 1);
    while (rank < least && s[rank] > rank_tolerance * s[0]) rank++;
  } else {
    rank = -1;
  }
  free(iwork);
  return rank;
}

/* The gradient of chi_i in units, of length 1, into v[vars]; 0 where it vanishes. */
static int unit_row(const rattle__dirac *d, const rattle__sample *s, int i, double *v) {
  const rattle__chi *chi = &d->chi[i];
  double size = rattle__gradient_size(d, s, chi), usual = rattle__gradient_size(d, &d->reference, chi);
  if (!(size > 0) || size <= vanishing * usual) return 0;
  for (int k = 0; k < d->vars; k++) v[k] = s->value[chi->d[k]] * d->scale[k] / size;
  return 1;
}

/* Takes from v its parts along basis[count][vars], twice; what is left of its length. */
static double reject(double *v, const double *basis, int count, int vars) {
  double left = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < count; j++) {
      const double *u = basis + (size_t)j * (size_t)vars;
      double product = 0;
      for (int k = 0; k < vars; k++) product += v[k] * u[k];
      for (int k = 0; k < vars; k++) v[k] -= product * u[k];
    }
  for (int k = 0; k < vars; k++) left += v[k] * v[k];
  return sqrt(left);
}

/* At one sample: seen[i] gets bit 2 where its gradient is there, bit 1 where it is independent of those before it too. Returns
 * how many are. */
static int independence_at(const rattle__dirac *d, const rattle__sample *s, double *basis, unsigned char *seen) {
  int count = 0;
  for (int i = 0; i < d->count; i++) {
    double *v = basis + (size_t)count * (size_t)d->vars;
    if (!rattle__is_used(&d->chi[i]) || !unit_row(d, s, i, v)) continue;
    seen[i] |= 2;
    double left = reject(v, basis, count, d->vars);
    if (left <= dependent) continue;
    seen[i] |= 1;
    for (int k = 0; k < d->vars; k++) v[k] /= left;
    count++;
  }
  return count;
}

/* The rank that most points have; of two that as many have, the larger. */
static int usual_rank(const rattle__dirac *d, const int *rank) {
  int best = -1, most = 0;
  for (int i = 0; i < d->samples; i++) {
    int same = 0;
    for (int j = 0; j < d->samples; j++) same += d->sample[j].good && rank[j] == rank[i];
    if (!d->sample[i].good || same < most || (same == most && rank[i] < best)) continue;
    most = same;
    best = rank[i];
  }
  return best;
}

rattle_status rattle__independence(rattle__dirac *d, int from, rattle_error *error) {
  int rank[RATTLE__DIRAC_SAMPLES] = {0};
  size_t count = (size_t)d->count;
  unsigned char *seen = calloc(count * (size_t)d->samples + 1, 1), *all = calloc(count + 1, 1);
  double *basis = rattle__dirac_matrix(d, (count + 1) * (size_t)d->vars);
  rattle_status status = seen && all && basis ? rattle__values_all(d, NULL, 0, error) : rattle__no_memory(error);
  if (!status) status = rattle__values(d, &d->reference, error);
  for (int i = 0; i < d->samples && !status; i++)
    if (d->sample[i].good) rank[i] = independence_at(d, &d->sample[i], basis, seen + (size_t)i * count);
  int usual = usual_rank(d, rank);
  for (int i = 0; i < d->samples && !status; i++) {
    rattle__sample *s = &d->sample[i];
    if (!s->good) continue;
    if (rank[i] == usual) {
      for (size_t c = 0; c < count; c++) all[c] |= seen[(size_t)i * count + c];
    } else if (i == 0) {
      d->start_singular = 1;
    } else {
      s->stray = 1;
      s->good = 0;
    }
  }
  for (int c = from; c < d->count && !status; c++) {
    d->chi[c].irregular = !(all[c] & 2);
    d->chi[c].redundant = all[c] == 2;
  }
  free(seen);
  free(all);
  return status;
}

/* Coefficients of the row in terms of the others, all at the sample where the combination is of the most of them. */
rattle_status rattle__combination(rattle__dirac *d, int chi, unsigned char *others, rattle_error *error) {
  const double share = 1e-6;
  int columns = 0;
  for (int c = 0; c < chi; c++) columns += rattle__is_used(&d->chi[c]);
  size_t vars = (size_t)d->vars, longest = vars + (size_t)columns;
  double *b = calloc(2 * longest, sizeof *b);
  rattle_status status = b ? rattle__values_all(d, NULL, 0, error) : rattle__no_memory(error);
  for (int i = 0; i < d->samples && !status; i++) {
    const rattle__sample *s = &d->sample[i];
    double *A = rattle__dirac_matrix(d, vars * (size_t)(columns + 1)), *at = A;
    if (!A) status = rattle__no_memory(error);
    if (status || !s->good || !unit_row(d, s, chi, b)) continue;
    for (int c = 0; c < chi; c++) {
      if (!rattle__is_used(&d->chi[c])) continue;
      if (!unit_row(d, s, c, at)) memset(at, 0, vars * sizeof *at);
      at += vars;
    }
    if (rattle__least_squares(d, d->vars, columns, A, b) < 0) status = rattle__no_memory(error);
    for (int c = 0, j = 0; c < chi && !status; c++)
      if (rattle__is_used(&d->chi[c]) && fabs(b[j++]) > share) others[c] = 1;
  }
  free(b);
  return status;
}
