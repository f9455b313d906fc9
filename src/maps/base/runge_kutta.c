/* runge_kutta(name, field): the Runge-Kutta method of a tableau that the model gives, explicit or
 * not, partitioned or not.
 *
 * Map      Z_i = z0 + h sum_j a_ij f(Z_j), z1 = z0 + h sum_j b_j f(Z_j); the momenta with ahat_ij,
 *          bhat_j where those are given
 * Source   J. C. Butcher, J. Austral. Math. Soc. 3 (1963) 185; Hairer, Lubich, Wanner, Geometric
 *          Numerical Integration, II.1, II.2
 * Claims   what its coefficients satisfy: order by the conditions of rooted trees, symmetric,
 *          symplectic (problem/model/user_coefficients.h)
 * Cost     one value of the field a stage, or a system of equations for all stages
 * Differs  nothing */
#include "problem/model/user_coefficients.h"
#include "maps/base/base.h"

static void tableau(const rattle__node *node, rattle__tableau *t) {
  const rattle__given *given = node->given;
  const int s = given->found.stages;
  *t = (rattle__tableau){
      .stages = s, .symmetric = given->found.symmetric, .other_bhat = given->found.partitioned};
  for (int i = 0; i < s; i++) {
    t->b[i] = given->b[i];
    t->bhat[i] = given->bhat[i];
    for (int j = 0; j < s; j++) {
      t->a[i][j] = given->a[i * s + j];
      t->ahat[i][j] = given->ahat[i * s + j];
    }
  }
}

const rattle__base rattle__runge_kutta = {.tableau = tableau, .given = "tableau"};
