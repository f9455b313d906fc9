/* The coupling matrix C = A B^T of two sparse matrices of one pattern: C_ij = sum_k A_ik B_jk.
 *
 * Symbols: rows x vars the shape of A and B; transposed lists: for each variable k, the (row,
 * place) of its entries. Terms of an entry of C are summed by ascending k, whatever the pattern. */
#include "ground/linear/linear.h"

#include "ground/support/error.h"
#include "ground/support/widen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Entries by variable, marks by row that are used to find the distinct columns of a row of C, and
 * the index list of that row. */
typedef struct scratch {
  int *start, *row, *place;     /* [vars+1], [nnz], [nnz] */
  int *mark, *slot, *touched;   /* [rows]: last row that saw it, its terms or their place, the
                                 * columns of the current row */
  int *term_ptr, *left, *right; /* for the longest row */
  int entries, terms;           /* of the row */
  size_t lists, list_room;      /* numbers in all term_ptr, and room for them */
  size_t all_terms, terms_room; /* the same of left and right */
  size_t stretch_room;
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
  free(w->term_ptr);
  free(w->left);
  free(w->right);
}

/* Columns of row i of C into touched[], ascending, with slot[j] = the number of terms of C_ij;
 * returns how many. */
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

/* Counts the entries of C, and makes room for the list of any row; 0 if there is no memory. */
static int count_all(scratch *w, int rows, const int *ptr, const int *col, long long *entries) {
  long long longest = 0;
  int most = 0;
  *entries = 0;
  for (int i = 0; i < rows; i++) {
    const int count = columns_of_row(w, i, ptr, col);
    long long terms = 0;
    for (int c = 0; c < count; c++) terms += w->slot[w->touched[c]];
    *entries += count;
    if (count > most) most = count;
    if (terms > longest) longest = terms;
  }
  if (longest >= INT_MAX) return 0;
  w->term_ptr = calloc((size_t)most + 1, sizeof *w->term_ptr);
  w->left = calloc((size_t)longest + 1, sizeof *w->left);
  w->right = calloc((size_t)longest + 1, sizeof *w->right);
  return w->term_ptr && w->left && w->right;
}

/* Writes columns and index list of row i. */
static void list_row(scratch *w, int i, const int *ptr, const int *col) {
  w->entries = columns_of_row(w, i, ptr, col);
  w->terms = 0;
  for (int c = 0; c < w->entries; c++) {
    const int j = w->touched[c], terms = w->slot[j];
    w->term_ptr[c] = w->slot[j] = w->terms;
    w->terms += terms;
  }
  w->term_ptr[w->entries] = w->terms;
  for (int e = ptr[i]; e < ptr[i + 1]; e++)
    for (int t = w->start[col[e]]; t < w->start[col[e] + 1]; t++) {
      const int to = w->slot[w->row[t]]++;
      w->left[to] = e;
      w->right[to] = w->place[t];
    }
}

/* True if the list of row i equals the list of the stretch, moved. */
static int repeats(const rattle__coupling *c, const rattle__stretch *s, const scratch *w, int i,
                   const int *ptr) {
  const int shift = ptr[s->first + 1] - ptr[s->first], moved = (i - s->first) * shift;
  const int *term_ptr = c->term_ptr + s->list, *left = c->left + term_ptr[0],
            *right = c->right + term_ptr[0];
  if (ptr[i + 1] - ptr[i] != shift || c->ptr[s->first + 1] - c->ptr[s->first] != w->entries)
    return 0;
  for (int e = 0; e <= w->entries; e++)
    if (w->term_ptr[e] != term_ptr[e] - term_ptr[0]) return 0;
  for (int t = 0; t < w->terms; t++)
    if (w->left[t] != left[t] + moved || w->right[t] != right[t] + moved) return 0;
  return 1;
}

/* A stretch that begins with row i; 0 if there is no memory. */
static int begin_stretch(rattle__coupling *c, scratch *w, int i, int shift) {
  size_t left_room = w->terms_room, list = w->lists, terms = w->all_terms;
  w->lists += (size_t)w->entries + 1;
  w->all_terms += (size_t)w->terms;
  if (w->lists >= INT_MAX || w->all_terms >= INT_MAX) return 0;
  if (!rattle__widen(&c->stretch, (size_t)c->stretches + 1, &w->stretch_room, sizeof *c->stretch) ||
      !rattle__widen(&c->term_ptr, w->lists, &w->list_room, sizeof *c->term_ptr) ||
      !rattle__widen(&c->left, w->all_terms, &left_room, sizeof *c->left) ||
      !rattle__widen(&c->right, w->all_terms, &w->terms_room, sizeof *c->right))
    return 0;
  c->stretch[c->stretches++] = (rattle__stretch){.first = i, .shift = shift, .list = (int)list};
  for (int e = 0; e <= w->entries; e++) c->term_ptr[list++] = (int)terms + w->term_ptr[e];
  memcpy(c->left + terms, w->left, (size_t)w->terms * sizeof *w->left);
  memcpy(c->right + terms, w->right, (size_t)w->terms * sizeof *w->right);
  return 1;
}

static int fill(rattle__coupling *c, scratch *w, const int *ptr, const int *col) {
  for (int i = 0; i < c->rows; i++) w->mark[i] = 0;
  for (int i = 0; i < c->rows; i++) {
    list_row(w, i, ptr, col);
    memcpy(c->col + c->ptr[i], w->touched, (size_t)w->entries * sizeof *w->touched);
    c->ptr[i + 1] = c->ptr[i] + w->entries;
    const rattle__stretch *last = i ? c->stretch + c->stretches - 1 : NULL;
    if (!(last && repeats(c, last, w, i, ptr)) && !begin_stretch(c, w, i, ptr[i + 1] - ptr[i]))
      return 0;
    c->stretch[c->stretches - 1].last = i + 1;
  }
  return 1;
}

rattle_status rattle__coupling_create(rattle__coupling **created, int rows, int vars,
                                      const int *ptr, const int *col, rattle_error *error) {
  *created = NULL;
  scratch w = {0};
  rattle__coupling *c = calloc(1, sizeof *c);
  long long entries = 0;
  rattle_status status = RATTLE_OK;
  if (!c || !scratch_init(&w, rows, vars, ptr, col) || !count_all(&w, rows, ptr, col, &entries))
    status = rattle__no_memory(error);
  if (!status && entries >= INT_MAX)
    status = rattle__fail(error, RATTLE_NO_MEMORY, NULL,
                          "the coupling matrix of %d constraints has too many entries: %lld", rows,
                          entries);
  if (!status) {
    c->rows = rows;
    c->nnz = (int)entries;
    c->ptr = calloc((size_t)rows + 1, sizeof *c->ptr);
    c->col = calloc((size_t)entries + 1, sizeof *c->col);
    if (!c->ptr || !c->col || !fill(c, &w, ptr, col)) status = rattle__no_memory(error);
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

void rattle__coupling_assemble(const rattle__coupling *c, const double *restrict A,
                               const double *restrict B, double *restrict value) {
  for (const rattle__stretch *s = c->stretch; s < c->stretch + c->stretches; s++) {
    const int *restrict left = c->left, *restrict right = c->right,
                        *restrict term_ptr = c->term_ptr + s->list;
    const int entries = c->ptr[s->first + 1] - c->ptr[s->first];
    double *to = value + c->ptr[s->first];
    for (int i = s->first, at = 0; i < s->last; i++, at += s->shift)
      for (int e = 0; e < entries; e++) {
        double sum = 0;
        for (int t = term_ptr[e]; t < term_ptr[e + 1]; t++)
          sum += A[left[t] + at] * B[right[t] + at];
        *to++ = sum;
      }
  }
}
