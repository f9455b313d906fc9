#ifndef RATTLE_PROBLEM_H
#define RATTLE_PROBLEM_H
/* Problems: H, g, their derivatives, sparsity and kind. Immutable; shared by threads.
 *
 *     q' =  H_p + g_p^T lambda,   p' = -H_q - g_q^T lambda,   0 = g(q,p)          (seed 000, equation 2)
 *
 * z = (q, p) has 2n entries, coordinates first. psi_i = {g_i, H} are the hidden constraints. */
#include "rattle/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_problem rattle_problem;

/* Which structure was found; each kind has its cheapest algorithm. Flags of rattle_problem_kind. */
enum {
  RATTLE_SEPARABLE = 1,    /* H = T(p) + V(q) */
  RATTLE_NATURAL = 2,      /* separable, T = 1/2 p^T M^-1 p with constant M */
  RATTLE_HOLONOMIC = 4,    /* g = g(q); also said of m = 0 */
  RATTLE_QUADRATIC_G = 8,  /* every g_i is a polynomial of degree <= 2 in z */
  RATTLE_MOMENTUM_G = 16,  /* g = g(p), m > 0 */
  RATTLE_QUADRATIC_H = 32, /* H is a polynomial of degree <= 2 in z: X_H is linear */
  RATTLE_SECOND_CLASS = 64 /* the matrix {g_i,g_j} is invertible on g = 0: for second_class(...); there are no psi = {g,H} then */
};

typedef struct rattle_problem_options {
  /* block: interpreted; native: compiled to machine code by the system's cc, an error where that cannot be; auto: native where
   * there is a compiler and `steps` are so many that compiling pays, else block. The bits of results do not depend on it. */
  enum { RATTLE_EVALUATOR_AUTO, RATTLE_EVALUATOR_BLOCK, RATTLE_EVALUATOR_NATIVE } evaluator;
  long long steps; /* how many steps are planned; 0: not known, taken as many */
} rattle_problem_options;

/* Makes the problem of a model. options may be NULL. The problem keeps a pointer to the model, which must outlive it. */
RATTLE_API rattle_status rattle_problem_create(rattle_problem **problem, rattle_model *model,
                                               const rattle_problem_options *options, rattle_error *error);

/* A problem from C callbacks. Each returns 0; positive: this point cannot be evaluated (the step fails, the run stops there);
 * negative: give up. Either way RATTLE_CALLBACK, the state being that of the last good step. Jacobians and Hessians are dense,
 * row by row; every entry is to be written. The struct and the names are copied, what context points to is not. */
typedef struct rattle_callbacks {
  int n, m;
  void *context; /* passed to each callback; called by several threads at once if the problem is shared */
  /* RATTLE_SEPARABLE | ... that the caller vouches for. RATTLE_NATURAL needs inverse_mass: then V(q) = H(q, 0), and the kinetic
   * part is 1/2 p^T M^-1 p, whatever the callback makes of p. RATTLE_SEPARABLE alone: H is called when the problem is made, too,
   * at (0, 0) and, where that is not finite, at a few other points */
  int flags;
  const double *inverse_mass; /* natural H: diagonal of M^-1 [n]; copied */
  /* H(z) and its gradient [2n]; for separable and natural problems too */
  int (*hamiltonian)(void *context, const double *z, double *H, double *gradient);
  /* optional: H_zz [2n*2n]. Where NULL, Newton matrices take differences of the gradient: steps stay the same to round-off,
   * since iterations run until the residual is at round-off; only counts of evaluations grow. Multipliers and the nondegeneracy
   * matrix of rattle_problem_multipliers and its sisters then have an error of about 1e-9 */
  int (*hamiltonian_hessian)(void *context, const double *z, double *hessian);
  /* g(z) [m] and its Jacobian [m*2n]; not called when m = 0. Holonomic: columns n..2n-1 must be 0 */
  int (*constraint)(void *context, const double *z, double *g, double *jacobian);
  /* optional: sum_i w_i g_i'' [2n*2n]; NULL: as above */
  int (*constraint_hessian)(void *context, const double *z, const double *w, double *hessian);
  const char *const *coordinate_names; /* optional [n]; else "q[0]", "q[1]" ... */
  const char *const *constraint_names; /* optional [m]; else "g[0]" ... */
} rattle_callbacks;

RATTLE_API rattle_status rattle_problem_create_callbacks(rattle_problem **problem, const rattle_callbacks *callbacks,
                                                         rattle_error *error);
RATTLE_API void rattle_problem_destroy(rattle_problem **problem);

RATTLE_API int rattle_problem_n(const rattle_problem *problem);    /* pairs */
RATTLE_API int rattle_problem_m(const rattle_problem *problem);    /* constraints */
RATTLE_API int rattle_problem_kind(const rattle_problem *problem); /* flags above */
/* One word: "unconstrained", "natural", "separable", "holonomic", "coisotropic", "second_class". */
RATTLE_API const char *rattle_problem_kind_name(const rattle_problem *problem);
/* The model it was made of; NULL: from callbacks. */
RATTLE_API const rattle_model *rattle_problem_model(const rattle_problem *problem);
RATTLE_API const char *rattle_problem_constraint_name(const rattle_problem *problem, int constraint);
/* The evaluator in use: "native", "block" or "callbacks". */
RATTLE_API const char *rattle_problem_evaluator(const rattle_problem *problem);

/* At a point (q[n], p[n]). Any of the results may be NULL. g[m], psi[m]; multipliers[m] are the lambda of equation (2) there,
 * for which d psi/dt = 0; observed[rattle_model_observables]. RATTLE_DOMAIN names what is not finite, the results being written
 * all the same. Each call plans anew: for many points of a run use observers (run.h). */
RATTLE_API rattle_status rattle_problem_energy(const rattle_problem *problem, const double *q, const double *p, double *H,
                                               rattle_error *error);
RATTLE_API rattle_status rattle_problem_residuals(const rattle_problem *problem, const double *q, const double *p, double *g,
                                                  double *psi, rattle_error *error);
/* RATTLE_SINGULAR where the nondegeneracy matrix N (below) has no inverse. NaN where N would take more than 5e7 products to
 * assemble (constraints that share nearly all variables, thousands of them). */
RATTLE_API rattle_status rattle_problem_multipliers(const rattle_problem *problem, const double *q, const double *p,
                                                    double *multipliers, rattle_error *error);
RATTLE_API rattle_status rattle_problem_observe(const rattle_problem *problem, const double *q, const double *p, double *observed,
                                                rattle_error *error);
/* N_ij = {{H,g_i},g_j}: smallest singular value and condition number. To round-off for m <= 30; above that to about 1 per cent
 * for g(q), and as 1-norm estimates for g(q,p) with m > 500. NaN where m = 0 or N is too large, as above. */
RATTLE_API rattle_status rattle_problem_nondegeneracy(const rattle_problem *problem, const double *q, const double *p,
                                                      double *smallest, double *condition, rattle_error *error);

/* The start that the model gives: q[n], p[n] (velocities turned into momenta). A problem from callbacks has no model: there q and
 * p hold the start on entry. With project = 1, or where the model asks for it, the start is moved onto g = 0 and psi = 0:
 * positions of natural problems mass-orthogonally, of others with as little change of z as there can be, held coordinates not at
 * all; then along the fibre onto psi = 0. moved[2] (may be NULL) says how far q and p went (Euclidean length). A start that is
 * there already is not touched.
 *
 * Without projection a start off the constraints by more than about 1e-12 of their terms is RATTLE_OFF_CONSTRAINTS, saying by
 * how much; with it, one that cannot be moved there. Constraints that are redundant, contradictory or not regular at the start
 * are RATTLE_NOT_REGULAR, naming one; a singular N there is RATTLE_SINGULAR. On failure q and p are the start as given. */
RATTLE_API rattle_status rattle_problem_start(const rattle_problem *problem, int project, double *q, double *p, double *moved,
                                              rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
