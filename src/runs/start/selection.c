/* Which rows stand for all of a rank-deficient matrix at several places: Gram-Schmidt at all places
 * at once, where the next row is the one that has the most left at the place where it has least. */
#include <math.h>
#include <stdlib.h>

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

/* The row that has most left at its worst place. */
static int best_row(const rattle__selection *c) {
  double most = -1;
  int best = 0;
  for (int i = 0; i < c->m; i++) {
    double least = c->kept[i] ? -2 : INFINITY;
    for (int place = 0; place < c->places && !c->kept[i]; place++)
      least = fmin(least, dot(row_of(c, place, i), row_of(c, place, i), c->n));
    if (!(least > most)) continue;
    most = least;
    best = i;
  }
  return best;
}

void rattle__select(rattle__selection *choice, int count) {
  for (int step = 0; step < count; step++) {
    const int best = best_row(choice);
    choice->kept[best] = 1;
    for (int place = 0; place < choice->places; place++) {
      const double *own = row_of(choice, place, best), square = dot(own, own, choice->n);
      for (int i = 0; i < choice->m; i++) {
        double *row = row_of(choice, place, i);
        if (choice->kept[i]) continue;
        const double part = dot(row, own, choice->n) / square;
        for (int k = 0; k < choice->n; k++) row[k] -= part * own[k];
      }
    }
  }
}
