/* gauss(s): collocation at the s Gauss-Legendre nodes.
 *
 * Map      Z_i = z0 + h sum_j a_ij X_H(Z_j),  z1 = z0 + h sum_j b_j X_H(Z_j)
 * Symbols  c nodes, b weights, a_ij = integral of the j-th Lagrange polynomial of the nodes from 0
 *          to c_i
 * Source   J. C. Butcher, Math. Comp. 18 (1964) 50; Hairer, Lubich, Wanner, Geometric Numerical
 *          Integration, II.1.3
 * Claims   order 2s, symmetric, symplectic
 * Memory   with guess=past, of steps by contraction: the stages of the last step (continued.h)
 * Cost     per iteration s gradients and, where the matrix is refreshed, s Hessians
 * Differs  nothing */
#include "maps/base/base.h"

void rattle__gauss_tableau(int s, rattle__tableau *t) {
  double c[RATTLE__STAGES];
  *t = (rattle__tableau){.stages = s, .symmetric = 1};
  rattle__gauss_coefficients(s, c, t->b, t->a);
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) t->ahat[i][j] = t->a[i][j];
}

static void tableau(const rattle__node *node, rattle__tableau *t) {
  rattle__gauss_tableau((int)node->argument[0].number, t);
  t->remembers = rattle__remembers(node);
}

static int order(const rattle__node *node) {
  return 2 * (int)node->argument[0].number;
}

const rattle__base rattle__gauss = {.tableau = tableau, .order = order};
