#ifndef RATTLE__SINGULAR_H
#define RATTLE__SINGULAR_H
/* Ranks, null spaces and least squares of dense matrices A [rows*columns] by columns, which are
 * destroyed (decision 112). Every call allocates. Entries that are not finite are refused:
 * RATTLE_DOMAIN. */
#include "rattle/status.h"

/* Falling singular values S [min(rows, columns)], small ones to digits of their own where columns
 * differ in size. U (may be NULL) [rows*rows]: the left singular vectors, and after them an
 * orthonormal basis of what A does not reach. */
rattle_status rattle__singular(int rows, int columns, double *A, double *S, double *U,
                               rattle_error *error);
/* How many singular values are above `zero`. */
rattle_status rattle__rank(int rows, int columns, double *A, double zero, int *rank,
                           rattle_error *error);
/* x of smallest length among those that minimise |A x - b|. b [max(rows, columns)]: b in, x out.
 * Singular values up to `tolerance` times the largest count as 0; *rank (may be NULL) is how many
 * do not. */
rattle_status rattle__least_squares(int rows, int columns, double *A, double *b, double tolerance,
                                    int *rank, rattle_error *error);
#endif
