/* Tridiagonal systems: LU with partial pivoting inside the band, from both ends at once.
 *
 * Symbols: n >= 2 size; v[3n-2] the band by rows: A_ij at v[2i + j], so that row i is v[3i-1 ..
 * 3i+1] and column j v[3j-2], v[3j], v[3j+2]. Elimination goes down from row 0 and up from row n-1
 * until two rows are left, in columns s and s+1, s = (n-2)/2: the two chains of divisions overlap
 * in the processor, which halves the time of either alone. Each chain carries one pending row, with
 * entries in its next two columns only; where the row that follows is exchanged with it, the
 * finished row has a third entry, as in LAPACK's dgttrf. From below, the matrix is the same with
 * its rows and columns reversed. */
#include "ground/linear/backend.h"

#include "ground/support/error.h"

#include <math.h>
#include <stdlib.h>

/* A finished row, by the column it eliminates: (1, first, second) / inverse, and the multiplier of
 * the other row. */
typedef struct finished {
  double multiplier, inverse, first;
} finished;

typedef struct band {
  finished *done;                                      /* [n] */
  double *second;                                      /* [n], set where exchanged */
  char *exchanged;                                     /* [n] */
  double corner, middle_multiplier, middle_inverse[2]; /* the last two rows, columns s and s+1 */
  int middle_exchanged;
  int *place;   /* [nnz] index in `full` of each value; NULL if the pattern is the full band */
  double *full; /* [3n-2]; NULL likewise */
} band;

/* A row not finished: its entries in the column to be eliminated, the next and the one after; the
 * larger of the terms that a is the difference of, which its round-off goes by; its index. */
typedef struct line {
  double a, b, c, terms;
  int row;
} line;

static inline line line_of(double a, double b, double c, int row) {
  return (line){a, b, c, fabs(a), row};
}

static inline double larger_size(double a, double b) {
  return rattle__larger(fabs(a), fabs(b));
}

/* Eliminates column j from the pending row (c = 0) and the following one; *pending becomes the row
 * that remains. Nonzero: no pivot. */
static inline int eliminate(band *w, line *pending, const line next, int j, double tiny) {
  const int exchange = fabs(next.a) > fabs(pending->a);
  w->exchanged[j] = (char)exchange;
  if (exchange) {
    const double r = 1 / next.a, l = pending->a * r, product = l * next.b;
    if (!rattle__good_pivot(next.a, r, 0, 0)) return 1;
    w->done[j] = (finished){l, r, next.b * r};
    w->second[j] = next.c * r;
    *pending = (line){pending->b - product, -l * next.c, 0, larger_size(pending->b, product),
                      pending->row};
    return 0;
  }
  const double r = 1 / pending->a, l = next.a * r, product = l * pending->b;
  if (!rattle__good_pivot(pending->a, r, pending->terms, tiny)) return 1;
  w->done[j] = (finished){l, r, pending->b * r};
  *pending = (line){next.b - product, next.c, 0, larger_size(next.b, product), next.row};
  return 0;
}

/* The last two rows: top has entries (a, b) in columns (s, s+1), bottom (b, a). */
static int eliminate_middle(rattle__linear *a, band *w, const line *top, const line *bottom) {
  const int exchange = fabs(bottom->b) > fabs(top->a);
  const double first[2] = {exchange ? bottom->b : top->a, exchange ? bottom->a : top->b};
  const double other[2] = {exchange ? top->a : bottom->b, exchange ? top->b : bottom->a};
  const double terms[2] = {exchange ? 0 : top->terms, exchange ? fabs(top->b) : bottom->terms};
  const double tiny = rattle__tiny(a->size), r = 1 / first[0], l = other[0] * r,
               product = l * first[1], d = other[1] - product;
  w->middle_exchanged = exchange;
  w->middle_multiplier = l;
  w->corner = first[1];
  w->middle_inverse[0] = r;
  w->middle_inverse[1] = 1 / d;
  if (!rattle__good_pivot(first[0], r, terms[0], tiny))
    a->blame = exchange ? bottom->row : top->row;
  else if (!rattle__good_pivot(d, w->middle_inverse[1], larger_size(terms[1], product), tiny))
    a->blame = exchange ? top->row : bottom->row;
  return a->blame >= 0;
}

static rattle_status factor(rattle__linear *a) {
  band *w = a->self;
  const int n = a->size, s = (n - 2) / 2;
  const double tiny = rattle__tiny(n), *v = a->value;
  if (w->full) {
    for (int e = 0; e < a->nnz; e++) w->full[w->place[e]] = a->value[e];
    v = w->full;
  }
  a->blame = -1;

  line top = line_of(v[0], v[1], 0, 0), bottom = line_of(v[3 * n - 3], v[3 * n - 4], 0, n - 1);
  int bad_top = 0, bad_bottom = 0, j = 0, k = n - 1;
  for (; j < s && !(bad_top | bad_bottom); j++, k--) {
    const double *u = v + 3 * (j + 1), *d = v + 3 * (k - 1);
    bad_top = eliminate(w, &top, line_of(u[-1], u[0], u[1], j + 1), j, tiny);
    bad_bottom = eliminate(w, &bottom, line_of(d[1], d[0], d[-1], k - 1), k, tiny);
  }
  if (n % 2 && !(bad_top | bad_bottom)) {
    const double *d = v + 3 * (k - 1);
    bad_bottom = eliminate(w, &bottom, line_of(d[1], d[0], d[-1], k - 1), k, tiny);
  }
  if (bad_top) a->blame = top.row;
  if (bad_bottom) a->blame = bottom.row;
  return a->blame >= 0 || eliminate_middle(a, w, &top, &bottom) ? RATTLE_SINGULAR : RATTLE_OK;
}

/* Right-hand side: y of the pending row, x_next of the one that follows; returns the finished one,
 * leaves the other in *y. */
static inline double forward(const band *w, int j, double *y, double next) {
  const double l = w->done[j].multiplier;
  if (w->exchanged[j]) {
    *y -= l * next;
    return next;
  }
  const double finished_y = *y;
  *y = next - l * finished_y;
  return finished_y;
}

static inline double backward(const band *w, int j, double y, double first, double second) {
  const finished *f = &w->done[j];
  y *= f->inverse;
  if (w->exchanged[j]) y -= w->second[j] * second;
  return y - f->first * first;
}

static void solve(rattle__linear *a, double *restrict x) {
  const band *w = a->self;
  const int n = a->size, s = (n - 2) / 2;
  double top = x[0], bottom = x[n - 1];
  for (int j = 0; j < s; j++) {
    const int k = n - 1 - j;
    x[j] = forward(w, j, &top, x[j + 1]);
    x[k] = forward(w, k, &bottom, x[k - 1]);
  }
  if (n % 2) x[s + 2] = forward(w, s + 2, &bottom, x[s + 1]);

  const double y0 = w->middle_exchanged ? bottom : top, y1 = w->middle_exchanged ? top : bottom;
  x[s + 1] = (y1 - w->middle_multiplier * y0) * w->middle_inverse[1];
  x[s] = (y0 - w->corner * x[s + 1]) * w->middle_inverse[0];

  if (n % 2) x[s + 2] = backward(w, s + 2, x[s + 2], x[s + 1], x[s]);
  double up[2] = {x[s], x[s + 1]}, down[2] = {x[n - s - 1], x[n - s - 2]};
  for (int j = s - 1; j >= 0; j--) {
    const int k = n - 1 - j;
    const double above = backward(w, j, x[j], up[0], up[1]),
                 below = backward(w, k, x[k], down[0], down[1]);
    x[j] = above;
    x[k] = below;
    up[1] = up[0];
    up[0] = above;
    down[1] = down[0];
    down[0] = below;
  }
}

/* Each exchange of rows turns the sign; reversing rows and columns together does not. */
static void turns(const rattle__linear *a, char *turn) {
  const band *w = a->self;
  const int n = a->size, s = (n - 2) / 2;
  for (int j = 0; j < n; j++)
    if (j != s && j != s + 1) turn[j] = (char)((w->done[j].inverse < 0) ^ w->exchanged[j]);
  turn[s] = (char)((w->middle_inverse[0] < 0) ^ w->middle_exchanged);
  turn[s + 1] = w->middle_inverse[1] < 0;
}

static double log_size(const rattle__linear *a) {
  const band *w = a->self;
  const int n = a->size, s = (n - 2) / 2;
  double sum = -log(fabs(w->middle_inverse[0])) - log(fabs(w->middle_inverse[1]));
  for (int j = 0; j < n; j++)
    if (j != s && j != s + 1) sum -= log(fabs(w->done[j].inverse));
  return sum;
}

static void destroy(rattle__linear *a) {
  band *w = a->self;
  free(w->done);
  free(w->second);
  free(w->exchanged);
  free(w->place);
  free(w->full);
  free(w);
}

rattle_status rattle__tridiagonal_init(rattle__linear *a, rattle_error *error) {
  static const rattle__calls calls = {"tridiagonal", factor, solve, turns, log_size, destroy};
  const int n = a->size;
  for (int i = 0; i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (abs(a->col[e] - i) > 1)
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                            "the matrix is not tridiagonal: row %d has column %d", i, a->col[e]);
  band *w = calloc(1, sizeof *w);
  if (!w) return rattle__no_memory(error);
  rattle__linear_take(a, &calls, w);
  const size_t rows = (size_t)n;
  const int missing = a->nnz < 3 * n - 2;
  w->done = calloc(rows, sizeof *w->done);
  w->second = calloc(rows, sizeof *w->second);
  w->exchanged = calloc(rows, 1);
  if (missing) {
    w->place = calloc((size_t)a->nnz, sizeof *w->place);
    w->full = calloc(3 * rows - 2, sizeof *w->full);
  }
  if (!w->done || !w->second || !w->exchanged || (missing && (!w->place || !w->full)))
    return rattle__linear_made(a, rattle__no_memory(error));
  for (int i = 0; missing && i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) w->place[e] = 2 * i + a->col[e];
  return RATTLE_OK;
}
