#ifndef RATTLE_EQUILIBRIUM_H
#define RATTLE_EQUILIBRIUM_H
/* Equilibria under constraints g(q) = 0, and the small motions about them.
 *
 *     0 = -H_q + f - g_q^T lambda,  H_p = 0,  g = 0        at rest
 *     x'' + C x' + K x = 0                                 q = q* + B x + O(x^2)
 *
 * The columns of B are a basis of the directions of motion in which the kinetic energy is |x'|^2/2
 * (B^T M B = 1, M^-1 = H_pp), so that K, B^T (H_qq - f_q + lambda . g_qq) B, has the squares of the
 * frequencies for its eigenvalues where no forces act. Multipliers of constraints that depend on
 * others, omitted ones included, are those of least norm. docs/statics.md explains it. */
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_equilibrium rattle_equilibrium;

typedef struct rattle_equilibrium_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* 1: the equilibrium that Newton's method finds from the guess, stable or not; 0: down the
   * potential from the guess, where there is one (no forces, or dampers alone) */
  int nearest;
  const volatile int *interrupt; /* may be NULL; if it becomes nonzero (status.h), the search ends:
                    RATTLE_INTERRUPTED */
} rattle_equilibrium_options;

/* Arrays belong to the equilibrium. */
typedef struct rattle_equilibrium_result {
  int n, m, degrees; /* pairs; constraints; degrees of freedom, n less the rank of g_q */
  const double *q;   /* [n] */
  int omitted; /* constraints that were omitted since others hold them: rattle_model_omitted */
  const double *multipliers; /* [m + omitted], the omitted ones last */
  double energy;             /* H at rest there */
  double residual;           /* how far Newton's method would move it still, in parts of the largest
                      coordinate: round-off */
  int iterations;
  int stable;     /* 1, 0; -1: linear terms do not decide, as along a family of equilibria */
  double softest; /* the least eigenvalue of the symmetric part of K */
  /* Small motions, exp(mu t): of each pair of conjugate mu that with the positive imaginary part,
   * by rising |mu| */
  int modes;
  const double *real, *imaginary; /* [modes] */
  /* [modes*n] of each mode the motion of the coordinates, its largest entry 1; of a complex one
   * its real and imaginary parts */
  const double *shape, *shape_imaginary;
  const double *basis;               /* B [n*degrees] by rows */
  const double *stiffness, *damping; /* K, C [degrees*degrees] by rows */
} rattle_equilibrium_result;

/* Finds the equilibrium near q [n]; NULL: the start of the model, projected onto the constraints if
 * need be. Time, the coordinate t of problems that depend on it, is held at its value there.
 * RATTLE_UNSUITABLE: constraints that are not g(q), H_p that is not 0 at p = 0, constraints on
 * velocities, or more than 400 pairs; RATTLE_NOT_CONVERGED: none was found, with a sentence that
 * says what to try. *found is NULL then. */
RATTLE_API rattle_status rattle_equilibrium_create(rattle_equilibrium **found,
                                                   const rattle_problem *problem, const double *q,
                                                   const rattle_equilibrium_options *options,
                                                   rattle_error *error);
RATTLE_API void rattle_equilibrium_destroy(rattle_equilibrium **found);
RATTLE_API const rattle_equilibrium_result *
rattle_equilibrium_result_of(const rattle_equilibrium *found);

#ifdef __cplusplus
}
#endif
#endif
