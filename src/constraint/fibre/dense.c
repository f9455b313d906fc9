/* Functions that fibres with a dense pattern share. */
#include <math.h>
#include <string.h>

#include "constraint/fibre/fibre.h"

rattle__fibre *rattle__fibre_dense(rattle__context *context, const char *name) {
  int n = context->problem->n, m = context->problem->m, nz = 2 * n;
  rattle__fibre *f = rattle__arena_take(&context->arena, sizeof *f);
  int *ptr = rattle__arena_take(&context->arena, ((size_t)m + 1) * sizeof *ptr);
  int *col = rattle__arena_take(&context->arena, (size_t)m * (size_t)nz * sizeof *col);
  if (!f || !ptr || !col) return NULL;
  for (int i = 0; i <= m; i++) ptr[i] = i * nz;
  for (int i = 0; i < m * nz; i++) col[i] = i % nz;
  *f = (rattle__fibre){
      .name = name, .context = context, .n = n, .m = m, .ptr = ptr, .col = col, .nnz = m * nz};
  return f;
}

double rattle__norm_of_blocks(double block[2][2]) {
  const double middle = (block[0][0] + block[1][1]) / 2, half = (block[0][0] - block[1][1]) / 2;
  return middle + hypot(half, sqrt(block[0][1]) * sqrt(block[1][0]));
}

void rattle__hamiltonian_field(int n, const double *J, const int *col, int count, double *v) {
  memset(v, 0, 2 * (size_t)n * sizeof *v);
  for (int k = 0; k < count; k++) {
    if (col[k] < n)
      v[n + col[k]] = -J[k];
    else
      v[col[k] - n] = J[k];
  }
}
