#ifndef RATTLE__MASS_H
#define RATTLE__MASS_H
/* W = M^-1 of a natural problem, H = p^T W p/2 + V(q), or of one that depends on time, H = p^T W
 * p/2 + p_t + V(q, t). W is constant and symmetric; invertible unless it is diagonal; without
 * negative eigenvalues if there are constraints.
 *
 * The pattern of G contains that of G W (ground/expr/elements.h), so that B = G W has the pattern
 * of G whatever W is. */
#include "ground/linear/linear.h"
#include "ground/support/function.h"

typedef struct rattle__mass {
  int n;
  int clock; /* 1 + the pair (t, p_t) of H = p^T W p/2 + p_t + V(q): t moves with velocity 1, its
                row of W is 0; else 0 */
  double *diagonal; /* of W [n] */
  /* where W is not diagonal, its compressed rows, columns ascending, with the whole diagonal; else
   * NULL */
  int *ptr, *col;
  double *value;
} rattle__mass;

/* W = S, a symmetric matrix in compressed rows. *mass NULL without an error, and H is treated as
 * separable: W is neither diagonal nor invertible; or there are constraints and W is not definite,
 * while steps rely on a definite G W G^T wherever it is regular. */
rattle_status rattle__mass_create(rattle__mass **mass, int n, const int *ptr, const int *col,
                                  const double *S, int constrained, rattle_error *error);
rattle_status rattle__mass_create_diagonal(rattle__mass **mass, int n, const double *diagonal,
                                           rattle_error *error);
void rattle__mass_destroy(rattle__mass **mass);

/* W as a system, factored: its solve gives M x. NULL where W is diagonal. */
rattle_status rattle__mass_system(rattle__linear **system, const rattle__mass *W,
                                  rattle_error *error);
/* p = M d/h, by the system of W */
void rattle__mass_momenta(const rattle__mass *W, rattle__linear *system, double h, const double *d,
                          double *p);

/* True if W is a number times the unit matrix. */
static inline int rattle__mass_is_equal(const rattle__mass *W) {
  int equal = !W->value;
  for (int k = 1; k < W->n; k++) equal &= W->diagonal[k] == W->diagonal[0];
  return equal;
}

/* (W p)_k of a W that is not diagonal */
static inline double rattle__mass_row(const rattle__mass *W, int k, const double *p) {
  double sum = W->value[W->ptr[k]] * p[W->col[W->ptr[k]]];
  for (int e = W->ptr[k] + 1; e < W->ptr[k + 1]; e++) sum += W->value[e] * p[W->col[e]];
  return sum;
}

/* c (W p)_k */
static inline double rattle__mass_times(const rattle__mass *W, double c, int k, const double *p) {
  return W->value ? c * rattle__mass_row(W, k, p) : c * W->diagonal[k] * p[k];
}

/* (|W| x)_k */
static inline double rattle__mass_reach(const rattle__mass *W, int k, const double *x) {
  if (!W->value) return fabs(W->diagonal[k]) * x[k];
  double sum = 0;
  for (int e = W->ptr[k]; e < W->ptr[k + 1]; e++) sum += fabs(W->value[e]) * x[W->col[e]];
  return sum;
}

/* p^T W p */
static inline double rattle__mass_twice_kinetic(const rattle__mass *W, const double *p) {
  double sum = 0;
  for (int k = 0; k < W->n && !W->value; k++) sum += W->diagonal[k] * p[k] * p[k];
  for (int k = 0; k < W->n && W->value; k++) sum += rattle__mass_row(W, k, p) * p[k];
  return sum;
}

/* p^T W p/2, and p_t of a clock: all of H but V */
static inline double rattle__mass_kinetic(const rattle__mass *W, const double *p) {
  const double kinetic = 0.5 * rattle__mass_twice_kinetic(W, p);
  return W->clock ? kinetic + p[W->clock - 1] : kinetic;
}

/* q = q0 + c W p; q may be q0 */
static inline void rattle__mass_drift(const rattle__mass *W, double c, const double *q0,
                                      const double *restrict p, double *q) {
  const double *diagonal = W->diagonal;
  const int n = W->n;
  if (W->value)
    for (int k = 0; k < n; k++) q[k] = q0[k] + c * rattle__mass_row(W, k, p);
  else
    for (int k = 0; k < n; k++) q[k] = q0[k] + c * diagonal[k] * p[k];
}

/* mass_root.c: a root of M [rattle__mass_root_size]: of a diagonal M, with 0 for W_kk = 0; else L
 * of W = L L^T; 1 if W is not positive definite. And x becomes a vector of covariance M, from
 * independent numbers of variance 1. */
size_t rattle__mass_root_size(const rattle__mass *W);
int rattle__mass_root(const rattle__mass *W, double *root);
void rattle__mass_spread(const rattle__mass *W, const double *root, double *x);
/* d^T M d by that root; d is written over, and 0 where W_kk = 0. */
double rattle__mass_square(const rattle__mass *W, const double *root, double *d);

/* B = J W in the pattern of g, J being the Jacobian of g(q) in it. */
void rattle__mass_scale(const rattle__mass *W, const rattle__function *g, const double *J,
                        double *B);
#endif
