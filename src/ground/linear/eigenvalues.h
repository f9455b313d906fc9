#ifndef RATTLE__EIGENVALUES_H
#define RATTLE__EIGENVALUES_H
/* Eigenvalues of dense matrices by columns, which are destroyed (decision 112). */
#include "rattle/status.h"

/* Those of A [size*size], by falling modulus, of pairs that with the positive imaginary part first.
 * Allocates. RATTLE_DOMAIN: an entry is not finite. */
rattle_status rattle__eigenvalues(int size, double *A, double *real, double *imaginary,
                                  rattle_error *error);
/* Those of a matrix that is 0 below the first subdiagonal, whose columns are `stride` apart; but
 * for pairs without an order. Nonzero: they do not converge. */
int rattle__hessenberg_eigenvalues(int size, int stride, double *H, double *real,
                                   double *imaginary);
#endif
