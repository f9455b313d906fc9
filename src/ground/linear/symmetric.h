#ifndef RATTLE__SYMMETRIC_H
#define RATTLE__SYMMETRIC_H
/* Eigenvalues and eigenvectors of dense symmetric matrices. */

/* Those of A [size*size], which is destroyed: values rising, and the vectors as the columns of V
 * [size*size] by columns, orthonormal. Nonzero: an entry is not finite. */
int rattle__symmetric_eigen(int size, double *A, double *value, double *V);
#endif
