#ifndef RATTLE_PROBLEM_H
#define RATTLE_PROBLEM_H
/* Problems: H, g, their derivatives, sparsity and kind. Nothing that was made of a problem sees it
 * change, and threads may share it: rattle_problem_set_parameters is for a problem of which nothing
 * has been made, or is there any more.
 *
 *     q' =  H_p + g_p^T lambda,   p' = -H_q + f - g_q^T lambda,   0 = g(q,p)
 *
 * with forces f(q,p), if there are any (RATTLE_FORCED); then g = g(q).
 *
 * z = (q, p) has 2n entries, coordinates first. The constraints must be in involution
 * (coisotropic): {g_i, g_j} = 0 wherever g = 0. psi_i = {g_i, H} are the hidden constraints, N_ij =
 * {{H, g_i}, g_j} is the matrix that determines lambda. */
#include "rattle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_problem rattle_problem;

/* The structure of a problem, which selects the algorithm. Flags of rattle_problem_kind, an int
 * that is a sum of them. */
typedef enum rattle_problem_flag {
  RATTLE_SEPARABLE = 1, /* H = T(p) + V(q) */
  RATTLE_NATURAL =
      2, /* separable, T = 1/2 p^T M^-1 p with constant M: diagonal, or of a model any; under
            constraints without negative eigenvalues */
  RATTLE_HOLONOMIC = 4,    /* g = g(q); also set if m = 0 */
  RATTLE_QUADRATIC_G = 8,  /* every g_i is a polynomial of degree <= 2 in z */
  RATTLE_MOMENTUM_G = 16,  /* g = g(p), m > 0 */
  RATTLE_QUADRATIC_H = 32, /* H is a polynomial of degree <= 2 in z: X_H is linear */
  RATTLE_SECOND_CLASS =
      64, /* the matrix {g_i,g_j} is invertible on g = 0: for second_class(...); then there are
             no hidden constraints */
  RATTLE_FORCED =
      128, /* forces that are no gradient act; the problem is then neither separable nor natural */
  RATTLE_DIRAC =
      256, /* of callbacks: constraints linear in p are meant as those of a Hamiltonian system, as
                            rattle_model_set_dirac says of those of a model */
  RATTLE_VAKONOMIC = 256 /* its name of version 0.2 */
} rattle_problem_flag;

typedef enum rattle_evaluator {
  RATTLE_EVALUATOR_AUTO,
  RATTLE_EVALUATOR_BLOCK,
  RATTLE_EVALUATOR_NATIVE
} rattle_evaluator;

typedef struct rattle_problem_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* block: interpreted; native: compiled by the system's cc, an error if that fails; auto: native
   * if it was compiled before, or `steps` is 0 and there is a compiler; otherwise block, and
   * integrators change over to native when a compiler that works meanwhile is done, if `steps` is
   * large enough for that to pay off. Results do not depend on it, bit for bit. */
  rattle_evaluator evaluator;
  long long steps; /* planned number of steps; 0: unknown, treated as large */
} rattle_problem_options;

/* Creates the problem of a model, which it holds: the handles may be destroyed in any order.
 * options may be NULL. */
RATTLE_API rattle_status rattle_problem_create(rattle_problem **problem, rattle_model *model,
                                               const rattle_problem_options *options,
                                               rattle_error *error);

/* A problem with other values of parameters, made with the same options: that of the text of the
 * problem's model, read with these values; parameters that are not given have those of the model,
 * and starts that were set after it was read are not kept. The given problem does not change.
 * RATTLE_UNSUITABLE: callbacks, or a model built by calls; failures of rattle_model_parse, which
 * names a parameter that the model does not declare. */
RATTLE_API rattle_status rattle_problem_with_parameters(rattle_problem **other,
                                                        const rattle_problem *problem,
                                                        const rattle_parameter *parameters,
                                                        int count, rattle_error *error);

/* The same in place, in microseconds, of a problem whose model was read with these parameters as
 * inputs (rattle_model_options): the problem is then, to the bit, that of the model read with these
 * values. Those that are not given keep theirs; parameters and starts of the model follow. The
 * problem has no machine code. No other thread may use it meanwhile. RATTLE_BAD_ARGUMENT, and
 * nothing has changed: something that was made of the problem (an integrator, a chain, another
 * handle), or another problem of its model, is still there. RATTLE_UNSUITABLE: with these values
 * the model has another structure, as with a mass or a coefficient 0, and is to be read anew; after
 * this failure the problem is not to be used until other values are set. */
RATTLE_API rattle_status rattle_problem_set_parameters(rattle_problem *problem,
                                                       const rattle_parameter *parameters,
                                                       int count, rattle_error *error);

/* A problem from C callbacks. Each returns 0 on success; positive: this point cannot be evaluated
 * (the step fails, the run stops there); negative: fatal, the step or run ends without another
 * call. Both give RATTLE_CALLBACK, with the state of the last good step. Jacobians and Hessians are
 * dense, row by row; every entry must be written. The struct and the names are copied, the object
 * at context is not. */
typedef struct rattle_callbacks {
  size_t struct_size; /* sizeof, or 0: status.h */
  int n, m;
  void *
      context; /* passed to each callback; several threads call at once if they share the problem */
  /* RATTLE_SEPARABLE | ... that the caller guarantees. RATTLE_NATURAL needs inverse_mass: then V(q)
   * = H(q, 0), and the kinetic part is 1/2 p^T M^-1 p, regardless of the callback. With
   * RATTLE_SEPARABLE alone H is also called when the problem is created, at (0, 0) and, if that is
   * not finite, at a few other points */
  int flags;
  const double *inverse_mass; /* natural H: diagonal of M^-1, all of it [n]; copied. Another M:
                       RATTLE_SEPARABLE */
  /* H(z) and its gradient [2n]; for separable and natural problems too */
  int (*hamiltonian)(void *context, const double *z, double *H, double *gradient);
  /* optional: H_zz [2n*2n]. If NULL, Newton matrices use differences of the gradient. Steps are the
   * same to round-off, since iterations end at round-off; only the number of evaluations increases.
   * Multipliers and N from rattle_problem_multipliers and related functions then have an error of
   * about 1e-9 */
  int (*hamiltonian_hessian)(void *context, const double *z, double *hessian);
  /* g(z) [m] and its Jacobian [m*2n]; not called when m = 0. Holonomic: columns n..2n-1 must be
   * 0 */
  int (*constraint)(void *context, const double *z, double *g, double *jacobian);
  /* optional: sum_i w_i g_i'' [2n*2n]; NULL: as above */
  int (*constraint_hessian)(void *context, const double *z, const double *w, double *hessian);
  const char *const *coordinate_names; /* optional [n]; default "q[0]", "q[1]" ... */
  const char *const *constraint_names; /* optional [m]; default "g[0]" ... */
  /* optional: forces f(z) [n] and their Jacobian [n*2n], as rattle_model_add_force; constraints
   * must be holonomic, and the problem is not RATTLE_SEPARABLE, whatever the flags */
  int (*force)(void *context, const double *z, double *f, double *jacobian);
  /* optional: 1 + the pair (t, p_t) whose coordinate is the time, as rattle_model_time makes it: H
   * contains p_t with the factor 1, steps set t. A step that does not move t by h is
   * RATTLE_UNSUITABLE. Not with RATTLE_NATURAL */
  int clock;
  /* optional: called once with the context when nothing needs it any more: when the last holder of
   * the problem is gone, on any thread, or before a rattle_problem_create_callbacks returns that
   * fails */
  void (*release)(void *context);
  /* optional: how many names coordinate_names and constraint_names have, for callers whose lists
   * know their lengths: another number than n or m is refused before a name is read. 0: n and m */
  int coordinate_name_count, constraint_name_count;
} rattle_callbacks;

RATTLE_API rattle_status rattle_problem_create_callbacks(rattle_problem **problem,
                                                         const rattle_callbacks *callbacks,
                                                         rattle_error *error);
/* The caller is done with the problem, and *problem is NULL; it is freed when what was made of it
 * (integrators, tangents, orbits, sliders, chains, samplings, doctors, studies, CSV files) is gone
 * too, on any thread. */
RATTLE_API void rattle_problem_destroy(rattle_problem **problem);
/* Another handle of the same problem, to be destroyed as the first. Returns problem; NULL for
 * NULL. */
RATTLE_API rattle_problem *rattle_problem_retain(const rattle_problem *problem);

RATTLE_API int rattle_problem_n(const rattle_problem *problem); /* pairs */
RATTLE_API int rattle_problem_m(
    const rattle_problem
        *problem); /* constraints, those on velocities included, which are the last ones */
RATTLE_API int rattle_problem_velocity_constraints(
    const rattle_problem *problem); /* how many of them are constraints on velocities */
/* The i-th constraint on velocities that was left out, since it follows from the others at the
 * start and at points of the manifold near it; NULL beyond the last. The motion is the same, and
 * its share of the reaction is that of the others. Steps that keep psi evaluate it, and one where
 * it no longer holds fails (RATTLE_DEGENERATE). One that follows at the start alone, or contradicts
 * others, remains, and the start is refused. */
RATTLE_API const char *rattle_problem_implied(const rattle_problem *problem, int i);
RATTLE_API int rattle_problem_kind(const rattle_problem *problem); /* flags above */
/* One word: "unconstrained", "natural", "separable", "holonomic", "coisotropic", "second_class". */
RATTLE_API const char *rattle_problem_kind_name(const rattle_problem *problem);
/* The model it was created from, for as long as the problem is held; NULL: from callbacks. */
RATTLE_API const rattle_model *rattle_problem_model(const rattle_problem *problem);
RATTLE_API const char *rattle_problem_constraint_name(const rattle_problem *problem,
                                                      int constraint);
/* The evaluator in use: "native", "block" or "callbacks". */
RATTLE_API const char *rattle_problem_evaluator(const rattle_problem *problem);

/* Constraints on velocities (rattle_model_add_velocity_constraint), A(q,t) q' = b(q,t), have no g:
 * it is 0. Their psi is A H_p - b, their multiplier that of the reaction -A^T lambda, and N is C
 * H_pp C^T with C = [g_q; A].
 *
 * At a point (q[n], p[n]). Any of the results may be NULL. g[m], psi[m]. multipliers[m] are the
 * lambda of the equations above, for which d psi/dt = 0. If constraints were omitted
 * (rattle_model_omit_redundant) they are those of the least-norm multipliers of all constraints,
 * and the others are observed as "lambda[NAME]". observed[rattle_model_observables]. RATTLE_DOMAIN
 * names a function that is not finite; results are written nevertheless. Each call prepares its
 * work again: for many points of a run use observers (run.h). */
RATTLE_API rattle_status rattle_problem_energy(const rattle_problem *problem, const double *q,
                                               const double *p, double *H, rattle_error *error);
RATTLE_API rattle_status rattle_problem_residuals(const rattle_problem *problem, const double *q,
                                                  const double *p, double *g, double *psi,
                                                  rattle_error *error);
/* RATTLE_SINGULAR if N is singular. NaN if N would take more than 5e7 products to assemble
 * (thousands of constraints that share nearly all variables). */
RATTLE_API rattle_status rattle_problem_multipliers(const rattle_problem *problem, const double *q,
                                                    const double *p, double *multipliers,
                                                    rattle_error *error);
RATTLE_API rattle_status rattle_problem_observe(const rattle_problem *problem, const double *q,
                                                const double *p, double *observed,
                                                rattle_error *error);
/* N_ij = {{H,g_i},g_j}: smallest singular value and condition number. To round-off for m <= 30; for
 * larger m to about 1 per cent for g(q), and as 1-norm estimates for g(q,p) with m > 500. NaN if m
 * = 0 or if N is too large, as above. */
RATTLE_API rattle_status rattle_problem_nondegeneracy(const rattle_problem *problem,
                                                      const double *q, const double *p,
                                                      double *smallest, double *condition,
                                                      rattle_error *error);

/* The start of the model: q[n], p[n] (velocities converted to momenta). For a problem from
 * callbacks q and p contain the start on entry. With project = 1, or if the model requests it, the
 * start is projected onto g = 0 and psi = 0: first onto g = 0, for natural problems
 * mass-orthogonally (by the diagonal of M^-1 if coordinates are held), for others with the smallest
 * change of z, without moving held coordinates; then along the fibre onto psi = 0. moved[2] (may be
 * NULL) returns the distances in q and p (Euclidean). A start that satisfies the constraints is not
 * changed.
 *
 * Without projection, a start that violates the constraints by more than about 1e-12 of their terms
 * is RATTLE_OFF_CONSTRAINTS, and the message says by how much; with projection, a start that cannot
 * be projected is. Constraints that are redundant, contradictory or not regular at the start are
 * RATTLE_NOT_REGULAR, with one of them named; a singular N is RATTLE_SINGULAR; a constraint
 * linear in the momenta without the word for the motion that is meant (rattle_model_set_dirac) is
 * RATTLE_BAD_MODEL. Models of up to 32 pairs that are not
 * natural are refused for the reasons of the doctor too (doctor.h). On failure q and p are the
 * start as given. */
RATTLE_API rattle_status rattle_problem_start(const rattle_problem *problem, int project, double *q,
                                              double *p, double *moved, rattle_error *error);

/* *constraint: a constraint that is linear in the momenta, follows from no constraint on
 * coordinates (Frobenius' theorem, at q[n], p[n] and at points of the manifold near it), such as
 * the blade of a sleigh, and is not declared to be Dirac's (rattle_model_set_dirac). -1: there is
 * none, H_pp is singular, or there are more than 200 pairs or constraints. The Hamiltonian motion
 * under such a constraint is not that of a body that rolls or skates: a start refuses it. */
RATTLE_API rattle_status rattle_problem_not_integrable(const rattle_problem *problem,
                                                       const double *q, const double *p,
                                                       int *constraint, rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
