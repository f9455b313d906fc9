#ifndef RATTLE__INERTIA_H
#define RATTLE__INERTIA_H
/* How many eigenvalues of the symmetric matrix A [m*m] are not positive; A is lost. By Sylvester's
 * law they are those of D in A = L D L^T with D of blocks of one and two, whose pivots are chosen
 * on the diagonal.
 *
 * Source  J. R. Bunch, L. Kaufman, Math. Comp. 31 (1977) 163, algorithm A
 * Cost    2 m^3/3 */
int rattle__not_positive(int m, double *A);
#endif
