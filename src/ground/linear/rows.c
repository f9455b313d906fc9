/* Which rows of a Jacobian have the same length. */
#include "ground/linear/rows.h"

/* How far the columns of row i are from those of the row before; 0 if not all by the same number,
 * or backwards. */
static int shift_of_row(const int *ptr, const int *col, int i) {
  int width = ptr[i + 1] - ptr[i], shift = width ? col[ptr[i]] - col[ptr[i - 1]] : 0;
  for (int k = 1; k < width; k++)
    if (col[ptr[i] + k] - col[ptr[i - 1] + k] != shift) return 0;
  return shift > 0 ? shift : 0;
}

/* How many stripes there are; the first `most` of them go to stripe[]. */
static int find_stripes(const rattle__function *f, rattle__stripe *stripe, int most) {
  const int *ptr = f->jac_ptr;
  int stripes = 0;
  for (int i = 0; i < f->rows;) {
    int first = i++, width = ptr[first + 1] - ptr[first], shift = -1;
    for (; i < f->rows && ptr[i + 1] - ptr[i] == width; i++) {
      int here = shift_of_row(ptr, f->jac_col, i);
      shift = shift < 0 || shift == here ? here : 0; /* one for all rows, or none */
    }
    if (stripes < most)
      stripe[stripes] =
          (rattle__stripe){first, i, width, shift > 0 ? 0 : width, shift > 0 ? shift : 0};
    stripes++;
  }
  return stripes;
}

rattle__rows rattle__rows_of(const rattle__function *f, rattle__arena *arena) {
  const int stripes = find_stripes(f, NULL, 0);
  rattle__stripe *stripe = rattle__arena_take(arena, (size_t)stripes * sizeof *stripe);
  if (stripe) find_stripes(f, stripe, stripes);
  return (rattle__rows){.count = f->rows,
                        .vars = f->vars,
                        .nnz = f->jac_nnz,
                        .stripes = stripes,
                        .ptr = f->jac_ptr,
                        .col = f->jac_col,
                        .stripe = stripe};
}
