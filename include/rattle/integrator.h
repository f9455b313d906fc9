#ifndef RATTLE_INTEGRATOR_H
#define RATTLE_INTEGRATOR_H
/* Integrators: a method expression compiled for a problem, with one arena. A step allocates nothing. One thread at a time. */
#include "rattle/method.h"
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_integrator rattle_integrator;

/* A view on the caller's arrays. Time is t0 + step*h, but for methods that adapt their steps: rattle_integrator_time. */
typedef struct rattle_state {
  double *q, *p; /* [n], [n] */
  double t0, h;  /* start time and step, h != 0, may be negative */
  long long step;
} rattle_state;

/* Counts since the integrator was made or last reset. */
typedef struct rattle_counts {
  long long steps, gradient, hessian, constraint, jacobian, factorisation, newton_iterations, position_projections,
      momentum_projections, followed; /* followed: steps whose multipliers were doubtful, followed from h = 0 by the guard */
} rattle_counts;

/* Largest residuals over the steps done since made or reset, as the method left them; 0 where m = 0. */
typedef struct rattle_residuals {
  double g, psi;             /* max |g_i|, |psi_i| over all steps; psi counts only where the method projects (else NaN) */
  double iteration_residual; /* largest final residual of the nonlinear loop, in units of round-off */
} rattle_residuals;

/* Looks up in the problem's model what the method takes by name, runge_kutta(name), splitting(name): what it claims follows from
 * that, and is not known before. rattle_integrator_create does so, too. RATTLE_BAD_METHOD says which name is not there, or what
 * makes no sense with what was found; RATTLE_UNSUITABLE that the order claimed is another for this H. The model must outlive the
 * method. Methods without such names stay as they are. */
RATTLE_API rattle_status rattle_method_resolve(rattle_method *method, const rattle_problem *problem, rattle_error *error);

/* Compiles `method` for `problem`. RATTLE_UNSUITABLE says which need is not met and what would do. The problem must outlive it.
 */
RATTLE_API rattle_status rattle_integrator_create(rattle_integrator **integrator, const rattle_problem *problem,
                                                  const char *method, rattle_error *error);
RATTLE_API void rattle_integrator_destroy(rattle_integrator **integrator);

/* Advances the state by `steps` steps. On failure the state is that of the last good step, bit for bit, and the error says which
 * step failed, where and why. A step is a pure function of (t, h, q, p) where the method claims so (rattle_claims.pure); else of
 * the extra state too (rattle_integrator_extra), which begins anew where q or p were changed from outside. */
RATTLE_API rattle_status rattle_integrator_step(rattle_integrator *integrator, rattle_state *state, long long steps,
                                                rattle_error *error);
/* The point (q, p) to look at. For methods with project=output a copy of the state that is slid onto psi = 0; for those that step
 * with other variables, impetuses (fields `impetus`) or differences of positions (shake_two_step), the (q, p) that belong to them:
 * energies and residuals of the state itself mean nothing there. For other methods a plain copy. q_out, p_out [n] may alias the
 * state's arrays, but going on from there is another run. */
RATTLE_API rattle_status rattle_integrator_output(rattle_integrator *integrator, const rattle_state *state, double *q_out,
                                                  double *p_out, rattle_error *error);

/* The time of a state: t0 + step*h. Methods that adapt their steps (rattle_method_adapts) add their own lengths up: the time is
 * that of the state as it was left by the last step, or restored with its extra state. Where the caller has changed t0, h or step
 * it is t0 + step*h again, from where they go on adding; so before steps back: time = rattle_integrator_time(...), h = -h,
 * t0 = time - step*h. Where q or p were changed they begin anew altogether. */
RATTLE_API double rattle_integrator_time(const rattle_integrator *integrator, const rattle_state *state);
/* Of methods that adapt their steps, the shortest and the longest since the last reset, in time; NaN where there was none, and for
 * other methods. */
RATTLE_API void rattle_integrator_step_lengths(const rattle_integrator *integrator, double *shortest, double *longest);

RATTLE_API const rattle_method *rattle_integrator_method(const rattle_integrator *integrator);
RATTLE_API rattle_counts rattle_integrator_counts(const rattle_integrator *integrator);
RATTLE_API rattle_residuals rattle_integrator_residuals(const rattle_integrator *integrator);
RATTLE_API void rattle_integrator_reset(rattle_integrator *integrator); /* counts, residuals, lengths: as if made now */
/* Declared extra state (past points of multistep methods; what a double does not hold of q and p where the method says
 * `compensated` or `quad`: its first 2n numbers, to be added to (q, p)): size in doubles (0 for pure methods), and getting and
 * setting it, for a record that resumes bit for bit. */
RATTLE_API int rattle_integrator_extra(const rattle_integrator *integrator);
RATTLE_API void rattle_integrator_get_extra(const rattle_integrator *integrator, double *extra);
RATTLE_API void rattle_integrator_set_extra(rattle_integrator *integrator, const double *extra);
/* The solver chosen for the multipliers, "dense", "tridiagonal", "sparse", ...; "none" where m = 0. */
RATTLE_API const char *rattle_integrator_solver(const rattle_integrator *integrator);

#ifdef __cplusplus
}
#endif
#endif
