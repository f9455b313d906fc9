#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H
/* A plain dense long-double SHAKE and RATTLE that shares no code with the library, and the exact
 * flow of the DAE.
 *
 *     S_h(z0) = phi_h(exp(h sum_i lambda_i X_{g_i})(z0)),   g(S_h(z0)) = 0
 *     R_h(z0) = exp(h sum_i sigma_i X_{g_i})(S_h(z0)),      psi(R_h(z0)) = 0
 *
 * First derivatives come from complex steps, Newton matrices from central differences, implicit
 * maps from fixed-point iteration, fibres from an 8-stage Gauss rule: all different from what the
 * library does. Functions return 0, or 1 if an iteration did not come to round-off. z has 2n
 * entries, coordinates first. */
#include "common_problems.h"

typedef enum reference_base {
  REFERENCE_EULER_A,
  REFERENCE_EULER_B,
  REFERENCE_VERLET_A,
  REFERENCE_VERLET_B,
  REFERENCE_GAUSS_1, /* midpoint */
  REFERENCE_GAUSS_2,
  REFERENCE_GAUSS_3,
  REFERENCE_GAUSS_4,
  REFERENCE_HEUN /* order 2 and not symplectic: a method that claims must be refuted for */
} reference_base;

long double reference_energy(const tests_problem *problem, const long double *z);
/* gradient[2n] of H; jacobian[m*2n] of g, row by row; g[m]; psi[m] */
void reference_gradient(const tests_problem *problem, const long double *z, long double *gradient);
void reference_jacobian(const tests_problem *problem, const long double *z, long double *jacobian);
void reference_constraint(const tests_problem *problem, const long double *z, long double *g);
void reference_hidden(const tests_problem *problem, const long double *z, long double *psi);
/* psi_jacobian[m*2n], to about 1e-15 */
void reference_hidden_jacobian(const tests_problem *problem, const long double *z,
                               long double *psi_jacobian);
/* N[m*m], N_ij = {psi_i, g_j} up to the sign that all entries share; lambda[m] of z' = X_H + sum
 * lambda_i X_{g_i} */
int reference_multipliers(const tests_problem *problem, const long double *z, long double *N,
                          long double *lambda);

/* A vector field: dz = f(z). X_H with self = the problem; sum s_i X_{g_i} with self = a
 * direction. */
typedef int reference_vector(const void *self, const long double *z, long double *dz);
typedef struct reference_direction {
  const tests_problem *problem;
  const long double *s; /* [m] */
} reference_direction;
reference_vector reference_field, reference_fibre_field;
/* One step of an s-stage Gauss rule, s <= 8, for z[size]; the stages by fixed-point iteration to
 * stagnation. */
int reference_gauss_step(int s, reference_vector *f, const void *self, int size, long double h,
                         long double *z);

/* All in place: the base map; the fibre flow exp(sum s_i X_{g_i}); SHAKE; the slide onto psi = 0;
 * RATTLE; `steps` times. */
int reference_base_step(const tests_problem *problem, reference_base base, long double h,
                        long double *z);
int reference_slide(const tests_problem *problem, const long double *s, long double *z);
int reference_shake(const tests_problem *problem, reference_base base, long double h,
                    long double *z);
int reference_project(const tests_problem *problem, long double *z);
int reference_rattle(const tests_problem *problem, reference_base base, long double h,
                     long double *z);

/* The start: problem->near moved onto g = 0 (least change) and along the fibre onto psi = 0,
 * rounded to double. */
int reference_start(const tests_problem *problem, double *q, double *p);
/* The solution of the DAE at time t, from its underlying ODE by an 8-stage Gauss rule, to about
 * 1e-14. */
int reference_flow(const tests_problem *problem, long double t, int steps, long double *z);

/* Solves A x = b for dense A[size*size] (destroyed) with partial pivoting, x replaces b; 1 if A is
 * singular. */
int reference_solve(int size, long double *A, long double *b);
#endif
