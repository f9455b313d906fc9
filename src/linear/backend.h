#ifndef RATTLE__BACKEND_H
#define RATTLE__BACKEND_H
/* What the backends of linear systems share: each `init` is given a system with size, nnz, ptr, col, value and symmetric set, and
 * sets name, factor, solve, destroy and self. On failure self is NULL. */
#include "linear/linear.h"

/* A system without a backend: checks and copies the pattern, every diagonal entry added. */
rattle_status rattle__linear_allocate(rattle__linear **a, int size, const int *ptr, const int *col, int symmetric,
                                      rattle_error *error);
rattle_status rattle__dense_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__tridiagonal_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__ldl_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__klu_init(rattle__linear *a, rattle_error *error);
rattle_status rattle__klu_prime(rattle__linear *a, rattle_error *error);

#endif
