/* The coupling matrix C = A B^T of two sparse matrices of one pattern: C_ij = sum_k A_ik B_jk.
 *
 * Symbols: rows x vars the shape of A and B; transposed lists: for each variable k, the (row, place) of its entries. Terms of an
 * entry of C are summed by ascending k, whatever the pattern. */
#include "linear/linear.h"

#include "support/error.h"

#include <limits.h>
#include <stdlib.h>

/* Entries by variable, and marks by row that are used to find the distinct columns of a row of C. */
typedef struct scratch {
  int *start, *row, *place;   /* [vars+1], [nnz], [nnz] */
  int *mark, *slot, *touched; /* [rows]: last row that saw it, its terms or where they go, the columns of the current row */
} scratch;

static int by_number(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int scratch_init(scratch *w, int rows, int vars, const int *ptr, const int *col) {
  const size_t nnz = (size_t)ptr[rows] + 1, room = (size_t)rows + 1;
  w->start = calloc((size_t)vars + 2, sizeof *w->start);
  w->row = calloc(nnz, sizeof *w->row);
  w->place = calloc(nnz, sizeof *w->place);
  w->mark = calloc(room, sizeof *w->mark);
  w->slot = calloc(room, sizeof *w->slot);
  w->touched = calloc(room, sizeof *w->touched);
  if (!w->start || !w->row || !w->place || !w->mark || !w->slot || !w->touched) return 0;
  for (int e = 0; e < ptr[rows]; e++) w->start[col[e] + 2]++;
  for (int k = 0; k < vars; k++) w->start[k + 2] += w->start[k + 1];
  for (int i = 0; i < rows; i++)
    for (int e = ptr[i]; e < ptr[i + 1]; e++) {
      const int to = w->start[col[e] + 1]++;
      w->row[to] = i;
      w->place[to] = e;
    }
  return 1;
}

static void scratch_free(scratch *w) {
  free(w->start);
  free(w->row);
  free(w->place);
  free(w->mark);
  free(w->slot);
  free(w->touched);
}

/* Columns of row i of C into touched[], ascending, with slot[j] = the number of terms of C_ij; returns how many. */
static int columns_of_row(scratch *w, int i, const int *ptr, const int *col) {
  int count = 1;
  w->touched[0] = i;
  w->mark[i] = i + 1;
  w->slot[i] = 0;
  for (int e = ptr[i]; e < ptr[i + 1]; e++)
    for (int t = w->start[col[e]]; t < w->start[col[e] + 1]; t++) {
      const int j = w->row[t];
      if (w->mark[j] != i + 1) {
        w->mark[j] = i + 1;
        w->slot[j] = 0;
        w->touched[count++] = j;
      }
      w->slot[j]++;
    }
  qsort(w->touched, (size_t)count, sizeof *w->touched, by_number);
  return count;
}

/* Entries of C and terms in all. */
static void count_all(scratch *w, int rows, const int *ptr, const int *col, long long *entries, long long *terms) {
  *entries = *terms = 0;
  for (int i = 0; i < rows; i++) {
    const int count = columns_of_row(w, i, ptr, col);
    *entries += count;
    for (int c = 0; c < count; c++) *terms += w->slot[w->touched[c]];
  }
}

static void fill(rattle__coupling *c, scratch *w, const int *ptr, const int *col) {
  int entry = 0, term = 0;
  for (int i = 0; i < c->rows; i++) w->mark[i] = 0;
  for (int i = 0; i < c->rows; i++) {
    const int count = columns_of_row(w, i, ptr, col);
    for (int t = 0; t < count; t++) {
      const int j = w->touched[t], terms = w->slot[j];
      c->col[entry] = j;
      c->term_ptr[entry++] = term;
      w->slot[j] = term;
      term += terms;
    }
    c->ptr[i + 1] = entry;
    for (int e = ptr[i]; e < ptr[i + 1]; e++)
      for (int t = w->start[col[e]]; t < w->start[col[e] + 1]; t++) {
        const int to = w->slot[w->row[t]]++;
        c->left[to] = e;
        c->right[to] = w->place[t];
      }
  }
  c->term_ptr[entry] = term;
}

/* Whether row i repeats the lists of row i-1, every place moved by shift. */
static int repeats(const rattle__coupling *c, int i, int shift) {
  const int entries = c->ptr[i + 1] - c->ptr[i], terms = c->term_ptr[c->ptr[i + 1]] - c->term_ptr[c->ptr[i]];
  if (entries != c->ptr[i] - c->ptr[i - 1]) return 0;
  for (int e = 0; e <= entries; e++)
    if (c->term_ptr[c->ptr[i] + e] - c->term_ptr[c->ptr[i - 1] + e] != terms) return 0;
  for (int t = c->term_ptr[c->ptr[i]]; t < c->term_ptr[c->ptr[i]] + terms; t++)
    if (c->left[t] - c->left[t - terms] != shift || c->right[t] - c->right[t - terms] != shift) return 0;
  return 1;
}

/* The stretches; c->stretch has room for them, or is NULL: only counted. */
static int find_stretches(const rattle__coupling *c, const int *ptr) {
  int count = 0;
  for (int i = 0; i < c->rows; count++) {
    const int first = i++, shift = i < c->rows ? ptr[i] - ptr[first] : 0;
    while (i < c->rows && ptr[i + 1] - ptr[i] == shift && repeats(c, i, shift)) i++;
    if (c->stretch) c->stretch[count] = (rattle__stretch){first, i, shift};
  }
  return count;
}

rattle_status rattle__coupling_create(rattle__coupling **created, int rows, int vars, const int *ptr, const int *col,
                                      rattle_error *error) {
  *created = NULL;
  scratch w = {0};
  rattle__coupling *c = calloc(1, sizeof *c);
  if (!c || !scratch_init(&w, rows, vars, ptr, col)) {
    scratch_free(&w);
    free(c);
    return rattle__no_memory(error);
  }
  long long entries, terms;
  count_all(&w, rows, ptr, col, &entries, &terms);
  rattle_status status = RATTLE_OK;
  if (entries >= INT_MAX || terms >= INT_MAX)
    status = rattle__fail(error, RATTLE_NO_MEMORY, NULL, "the coupling matrix of %d constraints has too many entries: %lld", rows,
                          terms);
  if (!status) {
    c->rows = rows;
    c->nnz = (int)entries;
    c->ptr = calloc((size_t)rows + 1, sizeof *c->ptr);
    c->col = calloc((size_t)entries + 1, sizeof *c->col);
    c->term_ptr = calloc((size_t)entries + 1, sizeof *c->term_ptr);
    c->left = calloc((size_t)terms + 1, sizeof *c->left);
    c->right = calloc((size_t)terms + 1, sizeof *c->right);
    if (!c->ptr || !c->col || !c->term_ptr || !c->left || !c->right) status = rattle__no_memory(error);
  }
  if (!status) {
    fill(c, &w, ptr, col);
    c->stretches = find_stretches(c, ptr);
    c->stretch = calloc((size_t)c->stretches + 1, sizeof *c->stretch);
    if (c->stretch)
      find_stretches(c, ptr);
    else
      status = rattle__no_memory(error);
  }
  scratch_free(&w);
  if (status) rattle__coupling_destroy(&c);
  *created = c;
  return status;
}

void rattle__coupling_destroy(rattle__coupling **c) {
  if (!*c) return;
  free((*c)->ptr);
  free((*c)->col);
  free((*c)->term_ptr);
  free((*c)->left);
  free((*c)->right);
  free((*c)->stretch);
  free(*c);
  *c = NULL;
}

void rattle__coupling_assemble(const rattle__coupling *c, const double *restrict A, const double *restrict B,
                               double *restrict value) {
  for (const rattle__stretch *s = c->stretch; s < c->stretch + c->stretches; s++) {
    const int *restrict left = c->left, *restrict right = c->right, *restrict term_ptr = c->term_ptr + c->ptr[s->first];
    const int entries = c->ptr[s->first + 1] - c->ptr[s->first];
    double *to = value + c->ptr[s->first];
    for (int i = s->first, at = 0; i < s->last; i++, at += s->shift)
      for (int e = 0; e < entries; e++) {
        double sum = 0;
        for (int t = term_ptr[e]; t < term_ptr[e + 1]; t++) sum += A[left[t] + at] * B[right[t] + at];
        *to++ = sum;
      }
  }
}
