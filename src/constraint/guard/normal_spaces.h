#ifndef RATTLE__NORMAL_SPACES_H
#define RATTLE__NORMAL_SPACES_H
/* Newton's matrix of stages over constraints g(q), R = (w_ij G_i M^-1 G_j^T), i = 1..r, j = 0..r-1,
 * by the angles between the normal spaces at the stages and that at the start.
 *
 * Symbols  V_i = range M^-1/2 G_i^T, the normal space at stage i; phi_i the largest angle between
 *          V_i and V_0, t_i = tan phi_i; |.| of matrices by entries
 * Theorem  if the matrix |w^-1| (t_i |w_ij| t_j) has a norm below 1, R is regular, and joined with
 *          R for a vanishing step by regular matrices
 * Proof    V_i is a graph over V_0: its vectors are u + T_i u, u in V_0, T_i u orthogonal to V_0,
 *          |T_i| = t_i. Let R y = 0, and u_j + T_j u_j = M^-1/2 G_j^T y_j. Row i says that sum_j
 *          w_ij (u_j + T_j u_j) is orthogonal to V_i, that is sum_j w_ij (u_j + T_i^T T_j u_j) = 0.
 *          So u = -(w^-1 x 1) (w_ij T_i^T T_j) u, and the lengths a_j of u_j satisfy
 *          a <= |w^-1| (t_i |w_ij| t_j) a: a = 0. The same holds for T_i times any number from 0,
 *          where V_i = V_0, to 1
 * Angles   with A_i = G_i M^-1 G_i^T and C_i = G_i M^-1 G_0^T, det C_i^2 / (det A_i det A_0) is the
 *          product of cos^2 over all principal angles (A. Bjoerck, G. H. Golub, Math. Comp. 27
 *          (1973) 579), so that t_i^2 is at most its inverse less 1
 * Why      R^-1 R_0 is far from 1 where rows of G that nearly depend on each other turn together,
 *          as those of a body do, though their space hardly turns; and the weights multiply that */
#include "ground/linear/linear.h"

/* t^2, at most, from the logarithms of det A_0 and det A_i, and from C_i, factored, whose parts are
 * watched; infinity where one of them turned its orientation. */
double rattle__turn_of_normals(double log_A0, double log_A, const rattle__linear *C);
/* True if the theorem holds: squares [r + 1], the t_i^2 of the start, 0, and of the stages; weights
 * [r][r], inverse [r][r]: |w| and |w^-1|. */
int rattle__stages_are_regular(int r, const double *squares, const double *weights,
                               const double *inverse);
#endif
