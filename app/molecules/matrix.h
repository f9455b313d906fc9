#ifndef TOPOLOGY_MATRIX_H
#define TOPOLOGY_MATRIX_H
/* A = G M^-1 G^T of a cluster, with unit vectors along bonds as rows of G: condition, and how fast
 * iterations on it converge.
 *
 * Source  Gauss-Seidel and Jacobi iterations as J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J.
 *         Comput. Phys. 23 (1977) 327 (SHAKE) and B. Hess, H. Bekker, H. J. C. Berendsen, J. G. E.
 *         M. Fraaije, J. Comput. Chem. 18 (1997) 1463 (LINCS) have them. */
#include "rattle/status.h"

/* Rows of A without the diagonal. */
typedef struct topology_matrix {
  int rows;
  int *first, *column; /* [rows + 1], [first[rows]] */
  double *value, *diagonal;
} topology_matrix;

typedef struct topology_rates {
  double condition;    /* largest over smallest eigenvalue of A; INFINITY: singular to round-off */
  double gauss_seidel; /* spectral radius of a sweep, by which SHAKE reduces errors */
  double series;       /* of 1 - D^-1/2 A D^-1/2, whose powers LINCS sums; from 1 on the sum does
                          not converge */
} topology_rates;

/* bonds [bonds]: numbers in pair and r, r: unit vectors; atoms occur in pair [2 ...]. NO_MEMORY. */
rattle_status topology_matrix_make(topology_matrix *a, int bonds, const int *bond, const int *pair,
                                   const double *r, const double *mass, rattle_error *error);
void topology_matrix_free(topology_matrix *a);
rattle_status topology_matrix_rates(const topology_matrix *a, topology_rates *rates,
                                    rattle_error *error);
#endif
