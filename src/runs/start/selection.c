/* Which rows stand for all of a rank-deficient matrix at places along a way: those whose volume
 * keeps its sign from one place to the next, so that it does not vanish between them, and is
 * largest at the place where it is least.
 *
 * Begins   with Gram-Schmidt at all places at once, where the next row is the one that has the most
 *          left at its worst place
 * Goes on  with exchanges. At each place the rows that are not kept are T times those that are, and
 *          the volume becomes T_ji times what it was if row j takes the place of row i. The best
 *          exchange is made while there is one: Gram-Schmidt begins with ties that rounding
 *          decides, and its greed ends where it will
 * Signs    the determinant of A B^T, where A and B are the kept rows at two places whose normal
 *          spaces are not at right angles anywhere
 * Source   M. Gu, S. C. Eisenstat, SIAM J. Sci. Comput. 17 (1996) 848 (exchanges at one place) */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ground/linear/reflections.h"
#include "ground/support/error.h"
#include "runs/start/redundant.h"

rattle_status rattle__selection_create(rattle__selection *choice, const rattle__spans *rows,
                                       int places, rattle_error *error) {
  *choice = (rattle__selection){.m = rows->m, .n = rows->n, .room = places};
  choice->rows = malloc((size_t)places * (size_t)rows->m * (size_t)rows->n * sizeof(double));
  choice->kept = calloc((size_t)rows->m, 1);
  return choice->rows && choice->kept ? RATTLE_OK : rattle__no_memory(error);
}

void rattle__selection_destroy(rattle__selection *choice) {
  free(choice->rows);
  free(choice->kept);
}

static double *row_of(const rattle__selection *c, int place, int i) {
  return c->rows + ((size_t)place * (size_t)c->m + (size_t)i) * (size_t)c->n;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* Rows as they are left, at [place*m + i]: their extents and squares. */
struct rests {
  rattle__reach *extent;
  double *square;
};

/* The row that has most left at its worst place. */
static int best_row(const rattle__selection *c, const struct rests *rests) {
  double most = -1;
  int best = 0;
  for (int i = 0; i < c->m; i++) {
    double least = c->kept[i] ? -2 : INFINITY;
    for (int place = 0; place < c->places && !c->kept[i]; place++)
      least = fmin(least, rests->square[(size_t)place * (size_t)c->m + (size_t)i]);
    if (!(least > most)) continue;
    most = least;
    best = i;
  }
  return best;
}

/* Takes what is along row `best` off all others at a place. */
static void take_off(const rattle__selection *c, const struct rests *rests, int place, int best) {
  const size_t first = (size_t)place * (size_t)c->m;
  const double *own = row_of(c, place, best), square = rests->square[first + (size_t)best];
  const rattle__reach extent = rests->extent[first + (size_t)best];
  for (int i = 0; i < c->m; i++) {
    double *row = row_of(c, place, i);
    rattle__reach *of_row = &rests->extent[first + (size_t)i];
    if (c->kept[i]) continue;
    const double part = rattle__reach_dot(row, *of_row, own, extent) / square;
    if (part == 0) continue;
    rattle__reach_subtract(row, of_row, part, own, extent);
    rests->square[first + (size_t)i] = rattle__reach_dot(row, *of_row, row, *of_row);
  }
}

/* Kept rows, from what is left of all of them, which is changed. */
static rattle_status choose_greedily(rattle__selection *c, int count, rattle_error *error) {
  const size_t all = (size_t)c->places * (size_t)c->m;
  struct rests rests = {malloc(all * sizeof *rests.extent), malloc(all * sizeof *rests.square)};
  const int good = rests.extent && rests.square;
  for (size_t k = 0; k < all && good; k++) {
    const double *row = c->rows + k * (size_t)c->n;
    rests.extent[k] = rattle__reach_of(row, c->n);
    rests.square[k] = rattle__reach_dot(row, rests.extent[k], row, rests.extent[k]);
  }
  for (int step = 0; step < count && good; step++) {
    const int best = best_row(c, &rests);
    c->kept[best] = 1;
    for (int place = 0; place < c->places; place++) take_off(c, &rests, place, best);
  }
  free(rests.extent);
  free(rests.square);
  return good ? RATTLE_OK : rattle__no_memory(error);
}

/* --- exchanges -------------------------------------------------------------------------------- */

/* Rows that are kept and those that are not, by their numbers; at each place T [out*in] by rows,
 * the logarithm of the volume, and 1 where its sign is another one at the next place. */
typedef struct exchange {
  int in, out, places;
  int *kept, *other, *turns;
  double *T, *volume;
} exchange;

/* How good a choice is: fewer changes of sign come first. */
typedef struct merit {
  int turns;
  double left; /* the logarithm of the volume at the worst place */
} merit;

static double *entry(const exchange *x, int place, int j, int i) {
  return x->T + ((size_t)place * (size_t)x->out + (size_t)j) * (size_t)x->in + i;
}

/* T at a place, whose rows are columns here: kept ones are Q R, the others Q R T^T. Q [n*in]. */
static void express(const rattle__selection *c, exchange *x, int place, double *Q, double *tau,
                    double *y) {
  const int n = c->n, k = x->in;
  const size_t bytes = (size_t)n * sizeof *Q;
  for (int i = 0; i < k; i++) memcpy(Q + (long)i * n, row_of(c, place, x->kept[i]), bytes);
  rattle__factor_qr(n, k, Q, tau, NULL);
  x->volume[place] = 0;
  for (int i = 0; i < k; i++) x->volume[place] += log(fabs(Q[i + (long)i * n]));
  for (int j = 0; j < x->out; j++) {
    memcpy(y, row_of(c, place, x->other[j]), bytes);
    rattle__times_q(n, k, Q, tau, 1, y);
    for (int i = k - 1; i >= 0; i--) {
      const double *column = Q + (long)i * n, part = y[i] /= column[i];
      for (int l = 0; l < i; l++) y[l] -= part * column[l];
    }
    memcpy(entry(x, place, j, 0), y, (size_t)k * sizeof *y);
  }
}

/* x->turns at a place; M [in*in], tau [in] scratch */
static void compare_signs(const rattle__selection *c, exchange *x, int place, double *M,
                          double *tau) {
  const int k = x->in;
  int negative = 0;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      M[i + (long)j * k] =
          dot(row_of(c, place, x->kept[i]), row_of(c, place + 1, x->kept[j]), c->n);
  rattle__factor_qr(k, k, M, tau, NULL);
  for (int i = 0; i < k; i++) negative ^= (tau[i] != 0) ^ (M[i + (long)i * k] < 0);
  x->turns[place] = negative;
}

/* True if T_ji has another sign at the next place. */
static int turns_by(const exchange *x, int place, int j, int i) {
  return (*entry(x, place, j, i) < 0) != (*entry(x, place + 1, j, i) < 0);
}

/* The choice as it is (j < 0), or with row j for row i. */
static merit judge(const exchange *x, int j, int i) {
  merit of = {.left = INFINITY};
  for (int place = 0; place < x->places; place++) {
    const double factor = j < 0 ? 1 : fabs(*entry(x, place, j, i));
    of.left = fmin(of.left, x->volume[place] + log(factor));
    if (place + 1 < x->places) of.turns += x->turns[place] ^ (j >= 0 && turns_by(x, place, j, i));
  }
  return of;
}

/* Row j takes the place of row i: one step of elimination. */
static void trade(exchange *x, int j, int i) {
  for (int place = 0; place + 1 < x->places; place++) x->turns[place] ^= turns_by(x, place, j, i);
  for (int place = 0; place < x->places; place++) {
    double *own = entry(x, place, j, 0);
    const double pivot = own[i];
    x->volume[place] += log(fabs(pivot));
    own[i] = -1;
    for (int l = 0; l < x->in; l++) own[l] /= -pivot;
    for (int k = 0; k < x->out; k++) {
      double *row = entry(x, place, k, 0);
      const double part = row[i];
      if (k == j) continue;
      row[i] = 0;
      for (int l = 0; l < x->in; l++) row[l] += part * own[l];
    }
  }
  const int row = x->kept[i];
  x->kept[i] = x->other[j];
  x->other[j] = row;
}

/* The best exchange; 0: none is better than what is there by more than rounding. */
static int improve(exchange *x) {
  const double rounding = (x->in + x->out) * DBL_EPSILON;
  merit best = judge(x, -1, -1);
  int row[2] = {-1, -1};
  for (int j = 0; j < x->out; j++)
    for (int i = 0; i < x->in; i++) {
      const merit of = judge(x, j, i);
      if (of.left == -INFINITY || of.turns > best.turns ||
          (of.turns == best.turns && !(of.left > best.left + rounding)))
        continue;
      best = of;
      row[0] = j, row[1] = i;
    }
  if (row[0] >= 0) trade(x, row[0], row[1]);
  return row[0] >= 0;
}

/* The rows as they are at all places, and those kept by greed: exchanged until none is better. */
static rattle_status exchange_rows(rattle__selection *c, int count, rattle_error *error) {
  exchange x = {.in = count, .out = c->m - count, .places = c->places};
  const size_t k = (size_t)count, n = (size_t)c->n, places = (size_t)c->places;
  double *Q = NULL, *tau = NULL, *y = NULL, *M = NULL;
  const rattle__array arrays[] = {{&x.T, places * k * (size_t)x.out},
                                  {&x.volume, places},
                                  {&Q, n * k},
                                  {&tau, k},
                                  {&y, n},
                                  {&M, k * k}};
  double *block = RATTLE__BLOCK(arrays);
  x.kept = malloc((size_t)c->m * sizeof *x.kept);
  x.turns = calloc(places + 1, sizeof *x.turns);
  const rattle_status status = block && x.kept && x.turns ? RATTLE_OK : rattle__no_memory(error);
  x.other = status ? NULL : x.kept + count;
  for (int i = 0, in = 0, out = 0; i < c->m && !status; i++)
    *(c->kept[i] ? &x.kept[in++] : &x.other[out++]) = i;
  for (int place = 0; place < x.places && !status; place++) express(c, &x, place, Q, tau, y);
  for (int place = 0; place + 1 < x.places && !status; place++) compare_signs(c, &x, place, M, tau);
  while (!status && improve(&x)) continue;
  for (int i = 0; i < c->m && !status; i++) c->kept[x.kept[i]] = i < count;
  free(block);
  free(x.kept);
  free(x.turns);
  return status;
}

rattle_status rattle__select(rattle__selection *choice, int count, rattle_error *error) {
  const size_t bytes =
      (size_t)choice->places * (size_t)choice->m * (size_t)choice->n * sizeof(double);
  double *rows = choice->rows, *left = malloc(bytes);
  if (!left) return rattle__no_memory(error);
  choice->rows = memcpy(left, rows, bytes);
  const rattle_status status = choose_greedily(choice, count, error);
  choice->rows = rows;
  free(left);
  return status ? status : exchange_rows(choice, count, error);
}
