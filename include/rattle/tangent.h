#ifndef RATTLE_TANGENT_H
#define RATTLE_TANGENT_H
/* Derivatives of trajectories: the tangent maps of steps, W <- DR_h(z) W, by the implicit function
 * theorem through the equations of the multipliers, not by differences; and gradients of functions
 * of a trajectory by a reverse sweep.
 *
 * Vectors w = (dq, dp) have 2n entries, coordinates first; W holds `count` of them, row by row. A
 * vector is tangent to the manifold if g' w = 0 and psi' w = 0; steps of rattle(...) map tangent
 * vectors to tangent vectors, and keep w1^T J w2 of any two to round-off. docs/derivatives.md has
 * the equations. */
#include "rattle/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_tangent rattle_tangent;

/* Compiles `method` for `problem`, with the derivatives of its steps: rattle(...) and shake(...)
 * around maps with derivatives, spark, base maps, and compositions of these. RATTLE_UNSUITABLE: the
 * method has none, or the problem has no second derivatives (callbacks without hamiltonian_hessian
 * or constraint_hessian). The tangent holds the problem. One thread at a time. */
RATTLE_API rattle_status rattle_tangent_create(rattle_tangent **tangent,
                                               const rattle_problem *problem, const char *method,
                                               rattle_error *error);
RATTLE_API void rattle_tangent_destroy(rattle_tangent **tangent);
/* The integrator that makes the steps; it belongs to the tangent. */
RATTLE_API rattle_integrator *rattle_tangent_integrator(rattle_tangent *tangent);

/* Advances the state by `steps` steps, with the bits of rattle_integrator_step, and W [count*2n]
 * with it. On failure state and W are those of the last good step. A call with a larger count than
 * before allocates; steps do not. */
RATTLE_API rattle_status rattle_tangent_step(rattle_tangent *tangent, rattle_state *state,
                                             long long steps, int count, double *W,
                                             rattle_error *error);
/* W onto the tangent space at (q, p), orthogonally in the units of the model. Nothing to do if m =
 * 0. RATTLE_SINGULAR: the point is not regular. */
RATTLE_API rattle_status rattle_tangent_project(rattle_tangent *tangent, const double *q,
                                                const double *p, int count, double *W,
                                                rattle_error *error);
/* An orthonormal basis of the tangent space at (q, p): rows 0 .. dimension-1 of W [2n*2n];
 * dimension = 2(n-m). */
RATTLE_API rattle_status rattle_tangent_basis(rattle_tangent *tangent, const double *q,
                                              const double *p, int *dimension, double *W,
                                              rattle_error *error);

/* A function of a trajectory, F = sum_k f_k(q_k, p_k) over the steps k = every, 2 every, ... of a
 * sweep and its last one. */
typedef struct rattle_objective {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* adds f_k to *value and its gradient to gradient [2n]; `step` is state->step after the step.
   * Called once for each k, the last one first. Returns 0; otherwise the sweep ends as
   * RATTLE_CALLBACK */
  int (*add)(void *self, long long step, const double *q, const double *p, double *value,
             double *gradient);
  void *self;
  long long every; /* 0: the last step alone */
} rattle_objective;

/* Advances the state by `steps` steps, and finds F and its gradient [2n] by the start: the tangent
 * vector v such that v . w is the derivative of F along any tangent w. A reverse sweep: its cost
 * does not depend on n for methods that are symmetric and symplectic, where the transpose of a
 * step's derivative is taken from the step back; for others it takes 2n tangents a step. Steps are
 * made twice, from about sqrt(steps) checkpoints. On failure the state is as it was. */
RATTLE_API rattle_status rattle_tangent_gradient(rattle_tangent *tangent, rattle_state *state,
                                                 long long steps, const rattle_objective *objective,
                                                 double *value, double *gradient,
                                                 rattle_error *error);
/* The memory of such a sweep, in numbers (doubles). */
RATTLE_API size_t rattle_tangent_gradient_memory(const rattle_tangent *tangent, long long steps);

#ifdef __cplusplus
}
#endif
#endif
