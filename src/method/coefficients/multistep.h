#ifndef RATTLE__COEFF_MULTISTEP_H
#define RATTLE__COEFF_MULTISTEP_H
/* Coefficients of the symmetric multistep methods, K = 2 half steps, all symmetric about the
 * centre:
 *
 *     rho(E) q = h^2 sigma(E) a,   rho(z) = (z - 1)^2 pi(z)
 *     h v_n = sum_{d=0}^{half-1} slope_d (D_{n+d} + D_{n-1-d}),   D_j = q_{j+1} - q_j,   to order
 *     K */

enum { RATTLE__MULTISTEP_HALF = 4 };
typedef struct rattle__recurrence {
  int half;
  double pi[2 * RATTLE__MULTISTEP_HALF - 1]; /* of z^0 .. z^(K-2); the last is 1 */
  double beta[RATTLE__MULTISTEP_HALF];       /* beta[d]: of a_{n+d} and a_{n-d} */
  double slope[RATTLE__MULTISTEP_HALF];
} rattle__recurrence;

/* By the name of the row; returns 0 if there is none of that name. */
int rattle__recurrence_of(const char *name, rattle__recurrence *recurrence);
#endif
