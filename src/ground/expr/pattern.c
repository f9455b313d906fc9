/* Sparsity of J and S, where each instance writes, and which families may store instead of add.
 *
 * Entries (row, column) come in order of family, instance, output. Two stable counting sorts, by
 * column and then by row, bring equal places together in the order of compressed rows; an entry's
 * place is the number of different ones before it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "ground/expr/family.h"

typedef struct entries {
  size_t count;
  int *row, *col; /* [count] */
} entries;

/* order[count] such that key[order[.]] ascends, equal keys in the order of `before` (NULL: 0, 1, 2
 * ..). */
static int counting_sort(const int *key, int keys, const int *before, int count, int *order) {
  int *start = calloc((size_t)keys + 1, sizeof *start);
  if (!start) return -1;
  for (int e = 0; e < count; e++) start[key[e] + 1]++;
  for (int k = 0; k < keys; k++) start[k + 1] += start[k];
  for (int e = 0; e < count; e++) {
    const int from = before ? before[e] : e;
    order[start[key[from]]++] = from;
  }
  free(start);
  return 0;
}

/* The entries in the order of compressed rows; 0, or -1 without memory. */
static int sort(const entries *in, int rows, int cols, int *order) {
  int *by_col = malloc((in->count + 1) * sizeof *by_col);
  const int failed = !by_col || counting_sort(in->col, cols, NULL, (int)in->count, by_col) ||
                     counting_sort(in->row, rows, by_col, (int)in->count, order);
  free(by_col);
  return failed ? -1 : 0;
}

/* Compressed rows of the entries, and at[e], the place of entry e. */
static int compress(const entries *in, int rows, int cols, int **ptr, int **col, int **at) {
  int *order = malloc((in->count + 1) * sizeof *order), places = 0;
  *ptr = calloc((size_t)rows + 1, sizeof **ptr);
  *at = malloc((in->count + 1) * sizeof **at);
  int failed = !*ptr || !*at || !order || sort(in, rows, cols, order);
  for (size_t k = 0; !failed && k < in->count; k++) {
    const int e = order[k], previous = k ? order[k - 1] : e;
    if (!k || in->row[e] != in->row[previous] || in->col[e] != in->col[previous]) {
      (*ptr)[in->row[e] + 1]++;
      order[places++] = e; /* the first at its place; the entry overwritten was read before */
    }
    (*at)[e] = places - 1;
  }
  if (!failed) failed = !(*col = malloc(((size_t)places + 1) * sizeof **col));
  for (int k = 0; !failed && k < places; k++) (*col)[k] = in->col[order[k]];
  for (int r = 0; !failed && r < rows; r++) (*ptr)[r + 1] += (*ptr)[r];
  free(order);
  return failed ? -1 : 0;
}

/* To the entries of J those of J W, for the pattern of W. They come last, and nothing is written to
 * them. */
static int spread(const rattle__build *build, entries *in) {
  const int *ptr = build->spread_ptr, *col = build->spread_col;
  size_t count = in->count, to = count;
  for (size_t e = 0; e < in->count; e++) count += (size_t)(ptr[in->col[e] + 1] - ptr[in->col[e]]);
  if (count >= INT_MAX) return -1;
  int *row = realloc(in->row, (count + 1) * sizeof *row);
  if (row) in->row = row;
  int *column = realloc(in->col, (count + 1) * sizeof *column);
  if (column) in->col = column;
  if (!row || !column) return -1;
  for (size_t e = 0; e < in->count; e++)
    for (int k = ptr[column[e]]; k < ptr[column[e] + 1]; k++, to++) {
      row[to] = row[e];
      column[to] = col[k];
    }
  in->count = count;
  return 0;
}

/* All entries of J (second = 0) or S (second = 1). */
static int list(const rattle__elements *elements, int second, entries *in) {
  *in = (entries){0};
  for (int k = 0; k < elements->families; k++) {
    const rattle__family *f = &elements->family[k];
    in->count += (size_t)f->count * (size_t)(second ? f->hess_outs : f->jac_outs);
  }
  if (in->count >= INT_MAX) return -1;
  in->row = malloc((in->count + 1) * sizeof *in->row);
  in->col = malloc((in->count + 1) * sizeof *in->col);
  if (!in->row || !in->col) return -1;
  size_t e = 0;
  for (int k = 0; k < elements->families; k++) {
    const rattle__family *f = &elements->family[k];
    int outs = second ? f->hess_outs : f->jac_outs;
    for (int i = 0; i < f->count; i++) {
      const int *column = f->slot + (size_t)i * f->slots;
      for (int j = 0; j < outs; j++, e++) {
        in->row[e] = second ? column[f->hess_slot[j]] : f->row[i];
        in->col[e] = column[second ? f->hess_slot2[j] : f->jac_slot[j]];
      }
    }
  }
  return 0;
}

/* Counts up to 2 the entries at each place. Returns 1 if some place has not exactly one. */
static int count_writers(unsigned char *writers, int places, const int *at, size_t count) {
  memset(writers, 0, (size_t)places);
  for (size_t e = 0; e < count; e++) writers[at[e]] = writers[at[e]] ? 2 : 1;
  for (int p = 0; p < places; p++)
    if (writers[p] != 1) return 1;
  return 0;
}

static int all_alone(const unsigned char *writers, const int *at, size_t count) {
  for (size_t e = 0; e < count; e++)
    if (writers[at[e]] != 1) return 0;
  return 1;
}

/* Sets zero_ and store_ of F, J and S. */
static int find_stores(rattle__elements *elements, const rattle__function *f, size_t jac_count,
                       size_t hess_count) {
  size_t most = (size_t)f->rows + (size_t)f->jac_nnz + (size_t)f->hess_nnz;
  unsigned char *of_F = malloc(most + 1);
  if (!of_F) return -1;
  unsigned char *of_J = of_F + f->rows, *of_S = of_J + f->jac_nnz;
  memset(of_F, 0, (size_t)f->rows);
  for (int k = 0; k < elements->families; k++)
    for (int i = 0; i < elements->family[k].count; i++) {
      unsigned char *writers = &of_F[elements->family[k].row[i]];
      *writers = *writers ? 2 : 1;
    }
  for (int r = 0; r < f->rows; r++) elements->zero_F |= of_F[r] != 1;
  elements->zero_J = count_writers(of_J, f->jac_nnz, elements->jac_at, jac_count);
  elements->zero_S = count_writers(of_S, f->hess_nnz, elements->hess_at, hess_count);
  for (int k = 0; k < elements->families; k++) {
    rattle__family *family = &elements->family[k];
    const rattle__table *t = &elements->table[k];
    family->store_F = all_alone(of_F, family->row, (size_t)family->count);
    family->store_J = all_alone(of_J, t->jac, (size_t)family->count * (size_t)family->jac_outs);
    family->store_S = all_alone(of_S, t->hess, (size_t)family->count * (size_t)family->hess_outs);
  }
  free(of_F);
  return 0;
}

/* Replaces the pattern of J by full rows. */
static int make_dense(rattle__elements *elements, entries *jac, int rows, int vars) {
  elements->jac_ptr = malloc(((size_t)rows + 1) * sizeof(int));
  elements->jac_col = malloc(((size_t)rows * (size_t)vars + 1) * sizeof(int));
  elements->jac_at = malloc((jac->count + 1) * sizeof(int));
  if (!elements->jac_ptr || !elements->jac_col || !elements->jac_at) return -1;
  for (int r = 0; r <= rows; r++) elements->jac_ptr[r] = r * vars;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < vars; c++) elements->jac_col[(size_t)r * vars + c] = c;
  for (size_t e = 0; e < jac->count; e++) elements->jac_at[e] = jac->row[e] * vars + jac->col[e];
  return 0;
}

/* The tables of machine code and of the interpreter. */
static int make_tables(rattle__elements *elements) {
  elements->table = malloc(((size_t)elements->families + 1) * sizeof *elements->table);
  if (!elements->table) return -1;
  size_t jac = 0, hess = 0;
  for (int k = 0; k < elements->families; k++) {
    const rattle__family *f = &elements->family[k];
    elements->table[k] = (rattle__table){.count = f->count,
                                         .slot = f->slot,
                                         .param = f->param,
                                         .row = f->row,
                                         .jac = elements->jac_at + jac,
                                         .hess = elements->hess_at + hess};
    jac += (size_t)f->count * (size_t)f->jac_outs;
    hess += (size_t)f->count * (size_t)f->hess_outs;
  }
  return 0;
}

/* The pattern of J, *count its entries that are written; 0, or -1 without memory. */
static int make_jacobian(rattle__elements *elements, const rattle__function *f,
                         const rattle__build *build, size_t *count) {
  entries jac;
  int failed = list(elements, 0, &jac);
  *count = jac.count;
  if (!failed && build->spread_ptr) failed = spread(build, &jac);
  if (!failed)
    failed = build->dense ? make_dense(elements, &jac, f->rows, f->vars)
                          : compress(&jac, f->rows, f->vars, &elements->jac_ptr, &elements->jac_col,
                                     &elements->jac_at);
  free(jac.row);
  free(jac.col);
  return failed;
}

/* The pattern of S, *count its entries that are written; 0, or -1 without memory. */
static int make_second(rattle__elements *elements, const rattle__function *f, size_t *count) {
  entries hess;
  int failed = list(elements, 1, &hess);
  *count = hess.count;
  if (!failed)
    failed = compress(&hess, f->vars, f->vars, &elements->hess_ptr, &elements->hess_col,
                      &elements->hess_at);
  free(hess.row);
  free(hess.col);
  return failed;
}

rattle_status rattle__pattern_build(rattle__elements *elements, rattle__function *f,
                                    const rattle__build *build, rattle_error *error) {
  if (build->dense && (long long)f->rows * f->vars >= INT_MAX)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                        "%d dense rows of %d columns are too many", f->rows, f->vars);
  size_t jac_count, hess_count;
  int failed = make_jacobian(elements, f, build, &jac_count) ||
               make_second(elements, f, &hess_count) || make_tables(elements);
  if (!failed) {
    f->jac_ptr = elements->jac_ptr;
    f->jac_col = elements->jac_col;
    f->jac_nnz = f->jac_ptr[f->rows];
    f->hess_ptr = elements->hess_ptr;
    f->hess_col = elements->hess_col;
    f->hess_nnz = f->hess_ptr[f->vars];
    failed = find_stores(elements, f, jac_count, hess_count);
  }
  return failed ? rattle__no_memory(error) : RATTLE_OK;
}
