#ifndef RATTLE_INTEGRATOR_H
#define RATTLE_INTEGRATOR_H
/* Integrators: a method expression compiled for a problem, with one arena. A step allocates
 * nothing, but what a certificate needs when one is asked about a step in doubt for the first time.
 * An integrator may be used by one thread at a time. */
#include "rattle/method.h"
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_integrator rattle_integrator;

/* A view of the caller's arrays. Time is t0 + step*h, except for methods that adapt their steps:
 * see rattle_integrator_time. If the problem depends on time (rattle_model_clock) the coordinate t
 * in q must be that time, else steps are RATTLE_BAD_ARGUMENT; steps set it. */
typedef struct rattle_state {
  size_t struct_size; /* sizeof, or 0: status.h */
  double *q, *p;      /* [n], [n] */
  double t0, h;       /* start time and step, h != 0, may be negative */
  long long step;
} rattle_state;

/* Counts since the integrator was created or last reset. */
typedef struct rattle_counts {
  long long steps;
#define COUNT(name, text) long long name;
#include "rattle/counts.def"
#undef COUNT
  long long reserved[4]; /* 0: space for future counts */
} rattle_counts;

/* Largest residuals after the steps made since creation or reset; 0 if m = 0. */
typedef struct rattle_residuals {
  double g,
      psi; /* max |g_i|, |psi_i| over all steps; psi is NaN if the method does not project onto
              psi = 0 */
  double
      iteration_residual; /* largest final residual of the nonlinear loop, in units of round-off */
  double reserved[5];     /* 0: space for future residuals */
} rattle_residuals;

/* Looks up the names that the method takes from the problem's model, as in runge_kutta(name) and
 * splitting(name). Its claims follow from the coefficients, and are unknown before this call.
 * rattle_integrator_create does the same. RATTLE_BAD_METHOD: a name is missing, or the expression
 * is not valid with these coefficients; RATTLE_UNSUITABLE: the claimed order does not hold for this
 * H. The method then holds the model. Methods without such names are not changed. */
RATTLE_API rattle_status rattle_method_resolve(rattle_method *method, const rattle_problem *problem,
                                               rattle_error *error);

/* The default method of a problem, an expression: the one that `rattle run` uses, `rattle check`
 * recommends and studies begin with. Static text. */
RATTLE_API const char *rattle_default_method(const rattle_problem *problem);

/* Compiles `method` for `problem`, which the integrator holds. RATTLE_UNSUITABLE names the unmet
 * need and an alternative. */
RATTLE_API rattle_status rattle_integrator_create(rattle_integrator **integrator,
                                                  const rattle_problem *problem, const char *method,
                                                  rattle_error *error);
/* The same for a parsed method, which stays the caller's, and as it is: one that was not resolved
 * is resolved for the integrator alone. */
RATTLE_API rattle_status rattle_integrator_create_by(rattle_integrator **integrator,
                                                     const rattle_problem *problem,
                                                     const rattle_method *method,
                                                     rattle_error *error);
RATTLE_API void rattle_integrator_destroy(rattle_integrator **integrator);

/* Advances the state by `steps` steps. A failure leaves the state of the last good step, bit for
 * bit, and the error gives the failed step, the place and the reason. A step is a pure function of
 * (t, h, q, p) if the method claims so (rattle_claims.pure); otherwise also of the extra state
 * (rattle_integrator_extra), which starts anew if the caller has changed q or p. */
RATTLE_API rattle_status rattle_integrator_step(rattle_integrator *integrator, rattle_state *state,
                                                long long steps, rattle_error *error);
/* The point (q, p) for output. For methods with project=output it is a copy of the state, projected
 * onto psi = 0. For methods that step in other variables, impetuses (field `impetus`) or
 * differences of positions (shake_two_step), it is the corresponding (q, p); energies and residuals
 * of the state itself are meaningless there. For other methods it is a plain copy. q_out, p_out [n]
 * may alias the state's arrays, but continuing from there is a different run. */
RATTLE_API rattle_status rattle_integrator_output(rattle_integrator *integrator,
                                                  const rattle_state *state, double *q_out,
                                                  double *p_out, rattle_error *error);

/* The time of a state: t0 + step*h. For methods that adapt their steps (rattle_method_adapts) it is
 * the sum of the step sizes: the time after the last step, or restored with the extra state. If the
 * caller has changed t0, h or step, it is t0 + step*h, to which further steps add. To step back:
 * time = rattle_integrator_time(...), h = -h, t0 = time - step*h. If the caller has changed q or p,
 * the method restarts. */
RATTLE_API double rattle_integrator_time(const rattle_integrator *integrator,
                                         const rattle_state *state);
/* The shortest and the longest step since the last reset, for methods that adapt their steps; NaN
 * before the first step, and for other methods. */
RATTLE_API void rattle_integrator_step_lengths(const rattle_integrator *integrator,
                                               double *shortest, double *longest);

/* The work W of the forces that are no gradient (RATTLE_FORCED), in units of energy, since the
 * integrator first stepped from a point that the caller gave: the work of the method's own discrete
 * principle, summed over its steps. The motion keeps H - W. The work is part of the extra state. It
 * is 0 without forces, and resets if you change q or p. */
RATTLE_API double rattle_integrator_work(const rattle_integrator *integrator,
                                         const rattle_state *state);

/* 1: energy may come in: from forces, drives and moving constraints, or from a heat bath of the
 * method. Then runs, records and CSV have H, the work and their balance apart. */
RATTLE_API int rattle_integrator_has_work(const rattle_integrator *integrator);

RATTLE_API const rattle_method *rattle_integrator_method(const rattle_integrator *integrator);
/* rattle_method_claims for the integrator's problem: with forces (RATTLE_FORCED) no method is
 * symplectic, and the work is extra state. Symmetric means R_{-h} R_h = identity, which forces that
 * depend on momenta do not change; they do change that p -> -p reverses the motion. */
RATTLE_API rattle_claims rattle_integrator_claims(const rattle_integrator *integrator);
RATTLE_API rattle_counts rattle_integrator_counts(const rattle_integrator *integrator);
RATTLE_API rattle_residuals rattle_integrator_residuals(const rattle_integrator *integrator);
RATTLE_API void
rattle_integrator_reset(rattle_integrator *integrator); /* clears counts, residuals, lengths */
/* Declared extra state: past points of multistep methods; with forces their work, one number; with
 * `compensated` or `quad` the digits of (q, p) beyond a double, in the first 2n numbers, to be
 * added to (q, p). Its size in doubles (0 for pure methods), and functions to read and restore it,
 * for records that resume bit for bit. */
RATTLE_API int rattle_integrator_extra(const rattle_integrator *integrator);
RATTLE_API void rattle_integrator_get_extra(const rattle_integrator *integrator, double *extra);
RATTLE_API void rattle_integrator_set_extra(rattle_integrator *integrator, const double *extra);
/* The evaluator in use: the problem's; "block, then native" after a run whose machine code was
 * compiled during it (auto); "block" with the reason in parentheses if compiling failed; "native,
 * steps block (compiling failed)" if H and g were compiled and the text of the method's steps was
 * not. Bits are the same. */
RATTLE_API const char *rattle_integrator_evaluator(const rattle_integrator *integrator);
/* The solver chosen for the multipliers, "dense", "tridiagonal", "sparse", ...; "none" if m = 0. */
RATTLE_API const char *rattle_integrator_solver(const rattle_integrator *integrator);
/* The kernel that made the last step (in a composition, its last substep):
 *   "native"   machine code for this problem and method
 *   "fused"    the same text, compiled in the library: few constraints
 *   "chain"    rods along a line, by tridiagonal systems
 *   "bonds"    trees of rods, and molecules
 *   "bodies"   rigid bodies joined by hinges and balls, along the tree
 *   "sparse"   Newton's method on sparse rows, or sweeps: many constraints, and steps that those
 *              above leave in doubt
 *   "general"  any other method or problem
 *   "none"     there was no step yet
 * Static text. Their results differ by round-off at most. */
RATTLE_API const char *rattle_integrator_kernel(const rattle_integrator *integrator);
/* 1: the multipliers of the last step were doubtful, and the guard followed them from h = 0;
 * counts.followed is the number of such steps. */
RATTLE_API int rattle_integrator_followed(const rattle_integrator *integrator);

#ifdef __cplusplus
}
#endif
#endif
