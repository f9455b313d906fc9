/* A linear system before it has a backend: its pattern and its values. */
#include <stdlib.h>

#include "ground/linear/backend.h"
#include "ground/support/error.h"

static rattle_status check_pattern(int size, const int *ptr, const int *col, rattle_error *error) {
  if (size < 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL, "a linear system of size %d", size);
  for (int i = 0; i < size; i++)
    for (int e = ptr[i]; e < ptr[i + 1]; e++)
      if (col[e] < 0 || col[e] >= size || (e > ptr[i] && col[e] <= col[e - 1]))
        return rattle__fail(error, RATTLE_BAD_ARGUMENT, NULL,
                            "row %d of a pattern: columns must ascend and be below %d", i, size);
  return RATTLE_OK;
}

/* The pattern with every diagonal entry. */
static int copy_pattern(rattle__linear *a, const int *ptr, const int *col) {
  const int n = a->size;
  const size_t room = (size_t)(n ? ptr[n] : 0) + (size_t)n + 1;
  int *own_ptr = calloc((size_t)n + 1, sizeof *own_ptr), *own_col = calloc(room, sizeof *own_col);
  a->ptr = own_ptr;
  a->col = own_col;
  if (!own_ptr || !own_col) return 0;
  int to = 0;
  for (int i = 0; i < n; i++) {
    int e = ptr[i];
    while (e < ptr[i + 1] && col[e] < i) own_col[to++] = col[e++];
    own_col[to++] = i;
    if (e < ptr[i + 1] && col[e] == i) e++;
    while (e < ptr[i + 1]) own_col[to++] = col[e++];
    own_ptr[i + 1] = to;
  }
  a->nnz = to;
  a->value = calloc((size_t)to + 1, sizeof *a->value);
  a->turn = calloc((size_t)n + 1, 1);
  return a->value && a->turn;
}

rattle_status rattle__linear_allocate(rattle__linear **created, int size, const int *ptr,
                                      const int *col, int symmetric, rattle_error *error) {
  *created = NULL;
  rattle_status status = check_pattern(size, ptr, col, error);
  if (status) return status;
  rattle__linear *a = calloc(1, sizeof *a);
  if (!a) return rattle__no_memory(error);
  a->size = size;
  a->symmetric = symmetric;
  a->blame = -1;
  if (!copy_pattern(a, ptr, col)) {
    rattle__linear_destroy(&a);
    return rattle__no_memory(error);
  }
  *created = a;
  return RATTLE_OK;
}

void rattle__linear_destroy(rattle__linear **a) {
  if (!*a) return;
  if ((*a)->self) (*a)->destroy(*a);
  free((int *)(*a)->ptr);
  free((int *)(*a)->col);
  free((*a)->value);
  free((*a)->turn);
  free((*a)->part);
  free((*a)->expected);
  free(*a);
  *a = NULL;
}
