#ifndef RATTLE__ROWS_H
#define RATTLE__ROWS_H
/* Products with a sparse Jacobian of short rows: G x and G^T w, in loops whose length the compiler
 * knows.
 *
 * Rows of the same length that follow one another are a stripe (a chain has two: the link at the
 * wall, and all others). */
#include <float.h>
#include <math.h>

#include "ground/support/arena.h"
#include "ground/support/function.h"

typedef struct rattle__stripe {
  int first, last, width; /* rows first .. last-1 have `width` entries each */
  int col_step, x_step;   /* from a row to the next: of the place in col, and of the vector that col
                           * points into. If columns only move by the same number from row to row,
                           * col stays and the vector moves: (0, that number), so that the indices
                           * of a chain stay in the cache; else (width, 0) */
} rattle__stripe;

typedef struct rattle__rows {
  int count, vars, nnz, stripes;
  const int *ptr, *col;
  const rattle__stripe *stripe;
} rattle__rows;

/* The rows of the Jacobian of f, which they point into; the stripes are the arena's. NULL in
 * rows->stripe: no memory, which the arena knows. */
rattle__rows rattle__rows_of(const rattle__function *f, rattle__arena *arena);

#if defined(__GNUC__)
#define RATTLE__INLINE static inline __attribute__((always_inline))
#else
#define RATTLE__INLINE static inline
#endif

/* body(width, ...) for each stripe, width being a constant for the lengths that bonds in two and
 * three dimensions have */
#define RATTLE__EACH_STRIPE(rows, body, ...)                                                       \
  for (int each_ = 0; each_ < (rows)->stripes; each_++) {                                          \
    const rattle__stripe *r_ = (rows)->stripe + each_;                                             \
    switch (r_->width) {                                                                           \
    case 2:                                                                                        \
      body(2, rows, r_, __VA_ARGS__);                                                              \
      break;                                                                                       \
    case 3:                                                                                        \
      body(3, rows, r_, __VA_ARGS__);                                                              \
      break;                                                                                       \
    case 4:                                                                                        \
      body(4, rows, r_, __VA_ARGS__);                                                              \
      break;                                                                                       \
    case 6:                                                                                        \
      body(6, rows, r_, __VA_ARGS__);                                                              \
      break;                                                                                       \
    default:                                                                                       \
      body(r_->width, rows, r_, __VA_ARGS__);                                                      \
    }                                                                                              \
  }

RATTLE__INLINE void rattle__stripe_subtract(int width, const rattle__rows *rows,
                                            const rattle__stripe *r, double c,
                                            const double *restrict J, const double *restrict w,
                                            double *restrict x) {
  const int *restrict col = rows->col + rows->ptr[r->first];
  J += rows->ptr[r->first];
  for (int i = r->first; i < r->last; i++, J += width, col += r->col_step, x += r->x_step) {
    double cw = c * w[i];
    for (int k = 0; k < width; k++) x[col[k]] -= cw * J[k];
  }
}

/* x -= c J^T w */
static inline void rattle__rows_subtract(const rattle__rows *rows, double c, const double *J,
                                         const double *w, double *x){
    RATTLE__EACH_STRIPE(rows, rattle__stripe_subtract, c, J, w, x)}

RATTLE__INLINE void rattle__stripe_multiply(int width, const rattle__rows *rows,
                                            const rattle__stripe *r, const double *restrict J,
                                            const double *restrict x, double *restrict value) {
  const int *restrict col = rows->col + rows->ptr[r->first];
  J += rows->ptr[r->first];
  for (int i = r->first; i < r->last; i++, J += width, col += r->col_step, x += r->x_step) {
    double sum = 0;
    for (int k = 0; k < width; k++) sum += J[k] * x[col[k]];
    value[i] = sum;
  }
}

/* value = J x */
static inline void rattle__rows_multiply(const rattle__rows *rows, const double *J, const double *x,
                                         double *value){
    RATTLE__EACH_STRIPE(rows, rattle__stripe_multiply, J, x, value)}

RATTLE__INLINE void rattle__stripe_measure(int width, const rattle__rows *rows,
                                           const rattle__stripe *r, const double *restrict J,
                                           const double *restrict x, const double *restrict least,
                                           double *restrict value, double *restrict inverse) {
  const int *restrict col = rows->col + rows->ptr[r->first];
  J += rows->ptr[r->first];
  for (int i = r->first; i < r->last;
       i++, J += width, col += r->col_step, x += r->x_step, least += r->x_step) {
    double sum = 0, size = DBL_MIN / DBL_EPSILON;
    for (int k = 0; k < width; k++) {
      double term = J[k] * x[col[k]];
      sum += term;
      size += fabs(term) + least[col[k]] * fabs(J[k]);
    }
    value[i] = sum;
    inverse[i] = 1 / (DBL_EPSILON * size);
  }
}

/* value = J x, and inverse_i = 1 / (its round-off level, each x_k counting with least[k] more than
 * its size) */
static inline void rattle__rows_measure(const rattle__rows *rows, const double *J, const double *x,
                                        const double *least, double *value, double *inverse){
    RATTLE__EACH_STRIPE(rows, rattle__stripe_measure, J, x, least, value, inverse)}

RATTLE__INLINE
    void rattle__stripe_round_off(int width, const rattle__rows *rows, const rattle__stripe *r,
                                  const double *restrict J, const double *restrict x,
                                  const double *restrict y, const double *restrict least,
                                  double *restrict inverse) {
  const int *restrict col = rows->col + rows->ptr[r->first];
  J += rows->ptr[r->first];
  for (int i = r->first; i < r->last;
       i++, J += width, col += r->col_step, x += r->x_step, y += r->x_step, least += r->x_step) {
    double sum = DBL_MIN / DBL_EPSILON;
    for (int k = 0; k < width; k++)
      sum += fabs(J[k]) * (fabs(x[col[k]]) + fabs(y[col[k]]) + 2 * least[col[k]]);
    inverse[i] = 2 / (DBL_EPSILON * sum);
  }
}

/* inverse_i = 1 / (round-off level of J_i x, x being about as large as (|x| + |y|)/2 + least) */
static inline void rattle__rows_round_off(const rattle__rows *rows, const double *J,
                                          const double *x, const double *y, const double *least,
                                          double *inverse) {
  RATTLE__EACH_STRIPE(rows, rattle__stripe_round_off, J, x, y, least, inverse)
}

/* The largest |x_k|. */
static inline double rattle__largest_of(int count, const double *x) {
  double most[2] = {0, 0};
  for (int k = 0; k < count; k++) most[k & 1] = fabs(x[k]) > most[k & 1] ? fabs(x[k]) : most[k & 1];
  return most[0] > most[1] ? most[0] : most[1];
}

static inline double rattle__larger_of(double x, double y) {
  return x > y ? x : y;
}

/* Largest |value_i| inverse_i, NaN if a value is; *largest is the largest |value_i|. Two rows at a
 * time: the maxima are chains. */
static inline double rattle__rows_ratio(const rattle__rows *rows, const double *restrict value,
                                        const double *restrict inverse, double *largest) {
  double ratio_0 = 0, ratio_1 = 0, size_0 = 0, size_1 = 0, strange = 0;
  int i = 0;
  for (; i + 1 < rows->count; i += 2) {
    double x = fabs(value[i]), y = fabs(value[i + 1]);
    strange += (x + y) * 0;
    ratio_0 = rattle__larger_of(x * inverse[i], ratio_0);
    ratio_1 = rattle__larger_of(y * inverse[i + 1], ratio_1);
    size_0 = rattle__larger_of(x, size_0);
    size_1 = rattle__larger_of(y, size_1);
  }
  if (i < rows->count) {
    double x = fabs(value[i]);
    strange += x * 0;
    ratio_0 = rattle__larger_of(x * inverse[i], ratio_0);
    size_0 = rattle__larger_of(x, size_0);
  }
  *largest = rattle__larger_of(size_0, size_1) + strange;
  return rattle__larger_of(ratio_0, ratio_1) + strange;
}

/* The row whose ratio is that, or is not a number. */
static inline int rattle__rows_worst(const rattle__rows *rows, const double *value,
                                     const double *inverse) {
  int worst = 0;
  double most = 0;
  for (int i = 0; i < rows->count; i++) {
    double r = fabs(value[i]) * inverse[i];
    if (r <= most) continue;
    worst = i;
    if (!(r > most)) break; /* not a number */
    most = r;
  }
  return worst;
}

/* J_i . B_i */
static inline double rattle__row_along(const rattle__rows *rows, int i, const double *J,
                                       const double *B) {
  double sum = 0;
  for (int k = rows->ptr[i]; k < rows->ptr[i + 1]; k++) sum += J[k] * B[k];
  return sum;
}
#endif
