#ifndef RATTLE__LAPACK_H
#define RATTLE__LAPACK_H
/* Dense matrices of moderate size by LAPACK: least squares, singular vectors, eigenvalues. Every
 * call allocates. Entries that are not finite are refused: RATTLE_DOMAIN. */
#include "rattle/status.h"

/* x of smallest length among those that minimise |A x - b| (dgelsd). A [rows*columns] by columns,
 * destroyed; b [max(rows, columns)]: b in, x out. Singular values up to `tolerance` times the
 * largest count as 0; *rank (may be NULL) is how many do not. */
rattle_status rattle__lapack_least_squares(int rows, int columns, double *A, double *b,
                                           double tolerance, int *rank, rattle_error *error);
/* The right singular vectors of A [rows*columns] by rows, destroyed: V [columns*columns] by rows,
 * those of falling singular values S [min(rows, columns)], and after them those of the null space
 * (dgesvd). */
rattle_status rattle__lapack_singular(int rows, int columns, double *A, double *S, double *V,
                                      rattle_error *error);
/* Eigenvalues of A [size*size], destroyed (dgeev); by falling modulus, of pairs that with the
 * positive imaginary part first. */
rattle_status rattle__lapack_eigenvalues(int size, double *A, double *real, double *imaginary,
                                         rattle_error *error);
#endif
