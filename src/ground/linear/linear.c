/* Linear systems: the choice of a backend. */
#include "ground/linear/backend.h"

#include "ground/support/error.h"

#include <stdlib.h>
#include <string.h>

enum { DENSE_ALWAYS = 3, DENSE_UP_TO = 30, DENSE_GENERAL_UP_TO = 15, DENSE_HALF_FULL_UP_TO = 2000 };

static rattle__backend choose(const rattle__linear *a) {
  const int n = a->size;
  int width = 0;
  for (int i = 0; i < n; i++)
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
      if (abs(a->col[e] - i) > width) width = abs(a->col[e] - i);
  if (n <= DENSE_ALWAYS) return RATTLE__LINEAR_DENSE;
  if (width <= 1) return RATTLE__LINEAR_TRIDIAGONAL;
  if (n <= (a->symmetric ? DENSE_UP_TO : DENSE_GENERAL_UP_TO)) return RATTLE__LINEAR_DENSE;
  if (n <= DENSE_HALF_FULL_UP_TO && 2.0 * a->nnz > (double)n * n) return RATTLE__LINEAR_DENSE;
  return a->symmetric ? RATTLE__LINEAR_LDL : RATTLE__LINEAR_KLU;
}

static rattle__init *init_of(rattle__backend backend) {
  static rattle__init *const table[] = {[RATTLE__LINEAR_AUTO] = NULL,
                                        [RATTLE__LINEAR_DENSE] = rattle__dense_init,
                                        [RATTLE__LINEAR_TRIDIAGONAL] = rattle__tridiagonal_init,
                                        [RATTLE__LINEAR_LDL] = rattle__ldl_init,
                                        [RATTLE__LINEAR_KLU] = rattle__klu_init};
  return table[backend];
}

/* Gives the system a backend, NULL: by size and pattern; without one it is destroyed. */
static rattle_status furnish(rattle__linear **a, rattle__init *init, rattle_error *error) {
  const int size = (*a)->size;
  if (!init) init = init_of(choose(*a));
  if (size == 0 || (size == 1 && init == rattle__tridiagonal_init)) init = rattle__dense_init;
  const rattle_status status = init(*a, error);
  if (status) rattle__linear_destroy(a);
  return status;
}

rattle_status rattle__linear_create_by(rattle__linear **a, int size, const int *ptr, const int *col,
                                       int symmetric, rattle__init *init, rattle_error *error) {
  const rattle_status status = rattle__linear_allocate(a, size, ptr, col, symmetric, error);
  return status ? status : furnish(a, init, error);
}

rattle_status rattle__linear_create_saddle(rattle__linear **a, const rattle__saddle *saddle,
                                           rattle__init *init, rattle_error *error) {
  const rattle_status status =
      rattle__linear_allocate(a, saddle->size, saddle->ptr, saddle->col, 0, error);
  if (status) return status;
  (*a)->multipliers = saddle->multipliers;
  return furnish(a, init, error);
}

rattle_status rattle__linear_create(rattle__linear **created, int size, const int *ptr,
                                    const int *col, int symmetric, rattle__backend backend,
                                    rattle_error *error) {
  return rattle__linear_create_by(created, size, ptr, col, symmetric, init_of(backend), error);
}

void rattle__linear_solve_well(rattle__linear *a, double *x) {
  double *b = a->spare, *r = b ? b + a->size : NULL;
  if (b) memcpy(b, x, (size_t)a->size * sizeof *b);
  a->solve(a, x);
  for (int i = 0; b && i < a->size; i++) {
    r[i] = b[i];
    for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) r[i] -= a->value[e] * x[a->col[e]];
  }
  if (b) a->solve(a, r);
  for (int i = 0; b && i < a->size; i++) x[i] += r[i];
}
