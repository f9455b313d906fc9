/* Sparse matrices from terms: sorted by place when planned, in the order in which they were added
 * within a place. */
#include "ground/linear/assembly.h"

#include <stdlib.h>

#include "ground/linear/places.h"
#include "ground/support/error.h"

typedef struct rattle__assembly_term {
  rattle__matrix_place at;
  int from;
  double plain, times_h;
} term;

rattle_status rattle__assembly_create(rattle__assembly **assembly, int size, int sources,
                                      rattle_error *error) {
  rattle__assembly *a = calloc(1, sizeof *a);
  *assembly = a;
  if (!a) return rattle__no_memory(error);
  a->size = size;
  a->source = calloc((size_t)sources + 1, sizeof *a->source);
  if (!a->source) return rattle__no_memory(error);
  a->source[0] = 1;
  return RATTLE_OK;
}

void rattle__assembly_add(rattle__assembly *a, int row, int col, int from, double plain,
                          double times_h) {
  if (a->terms == a->room && !a->failed) {
    const int room = a->room ? 2 * a->room : 256;
    term *grown = realloc(a->term, (size_t)room * sizeof *grown);
    if (grown) {
      a->term = grown;
      a->room = room;
    } else
      a->failed = 1;
  }
  if (a->failed) return;
  a->term[a->terms] = (term){{row, col}, from, plain, times_h};
  a->terms++;
}

/* 0: no memory. */
static int sort(rattle__assembly *a) {
  int *order = rattle__places_in_order(a->term, sizeof *a->term, a->terms, a->size);
  term *sorted = malloc((size_t)a->terms * sizeof *sorted);
  const int done = order && sorted;
  if (done) {
    for (int i = 0; i < a->terms; i++) sorted[i] = a->term[order[i]];
    free(a->term);
    a->term = sorted, a->room = a->terms;
  } else {
    free(sorted);
  }
  free(order);
  return done;
}

/* Compressed rows from the sorted terms, and the first term of each entry. */
static void compress(rattle__assembly *a, int *ptr, int *col) {
  int nnz = 0;
  for (int i = 0; i < a->terms; i++) {
    const term *t = a->term + i;
    if (i && t->at.row == t[-1].at.row && t->at.col == t[-1].at.col) continue;
    a->first[nnz] = i;
    col[nnz++] = t->at.col;
    ptr[t->at.row + 1]++;
  }
  a->first[nnz] = a->terms;
  for (int i = 0; i < a->size; i++) ptr[i + 1] += ptr[i];
}

rattle_status rattle__assembly_plan(rattle__assembly *a, int multipliers, rattle_error *error) {
  for (int i = 0; i < a->size; i++)
    rattle__assembly_add(a, i, i, 0, 0, 0); /* the diagonal is always there */
  int *ptr = calloc((size_t)a->size + 1, sizeof *ptr),
      *col = malloc((size_t)(a->terms + 1) * sizeof *col);
  a->first = malloc((size_t)(a->terms + 1) * sizeof *a->first);
  rattle_status status = RATTLE_OK;
  if (a->failed || !ptr || !col || !a->first || !sort(a)) {
    status = rattle__no_memory(error);
  } else {
    compress(a, ptr, col);
    status = rattle__linear_create_saddle(
        &a->matrix, &(rattle__saddle){a->size, multipliers, ptr, col}, NULL, error);
  }
  free(ptr);
  free(col);
  return status;
}

void rattle__assembly_fill(rattle__assembly *a, double h) {
  double *value = a->matrix->value;
  for (int e = 0; e < a->matrix->nnz; e++) {
    double sum = 0;
    for (int i = a->first[e]; i < a->first[e + 1]; i++) {
      const term *t = a->term + i;
      sum += (t->plain + h * t->times_h) * a->source[t->from];
    }
    value[e] = sum;
  }
}

void rattle__assembly_destroy(rattle__assembly **assembly) {
  rattle__assembly *a = *assembly;
  if (!a) return;
  rattle__linear_destroy(&a->matrix);
  free(a->source);
  free(a->term);
  free(a->first);
  free(a);
  *assembly = NULL;
}
