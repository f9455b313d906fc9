#ifndef RATTLE_DOCTOR_H
#define RATTLE_DOCTOR_H
/* The doctor analyses a problem before it is integrated.
 *
 * It runs Dirac's algorithm on the model's expressions (symbolically as far as this is exact;
 * singular values at the start and at random points of the manifold determine ranks), lists the
 * methods that can integrate the problem, recommends one, and finds some conserved quantities.
 * Models of more than 256 pairs or 128 constraints, and problems from callbacks, are analysed with
 * sparse matrices and without expressions: hidden constraints beyond psi are not computed then, and
 * `note` says so. A start that is off the constraints is first moved onto them, as a run with
 * projection does; if this fails the doctor judges the start itself. */
#include <stdint.h>

#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_doctor rattle_doctor;

typedef struct rattle_doctor_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  uint64_t
      seed;     /* of the random points; the same seed gives the same diagnosis, except for times */
  int samples;  /* random points of the manifold, 1 .. 31; 0: 8 */
  int no_trial; /* 1: no trial run: the recommended step follows from the frequency alone, and no
                   cost is measured */
  const double *q, *p; /* [n]: the start of a problem from callbacks; ignored if there is a model */
  int project; /* 1: runs are to project the start, as where the model says so: `note` is silent
                  about a start that needs it */
} rattle_doctor_options;

/* Constraints of one generation: 0 those of the user, k + 1 those that follow because generation k
 * must remain 0. */
typedef struct rattle_generation {
  int count;
  const char *const *name;       /* the user's name, or "{name,H}" */
  const char *const *expression; /* as text, truncated with "..." if long; "" without expressions */
} rattle_generation;

typedef struct rattle_refusal {
  const char *method, *reason;
} rattle_refusal;

/* Strings and arrays belong to the doctor. */
typedef struct rattle_diagnosis {
  const char *title,
      *kind; /* kind: as rattle_problem_kind_name, but "general" if g(q,p) is not coisotropic */
  int n, m;
  double dof; /* degrees of freedom, (2n - second class - 2 first class)/2; NaN if unknown */
  /* "unconstrained"; "coisotropic": {g_i,g_j} = 0 on the manifold and the motion is determined;
   * "first_class": the same, but the motion is not determined (gauge freedom); "second_class": the
   * matrix {g_i,g_j} is invertible; "mixed": some pairs do not commute; "nonholonomic": there
   * are constraints on velocities; "inconsistent"; "unknown"
   * if the doctor cannot decide (see refused) */
  const char *class_;
  /* differentiation index of the differential-algebraic equation: 0 unconstrained, 1 free variables
   * only, 2 second class, 3 mechanics, more with further generations of hidden constraints; -1 if
   * the motion is not determined, or if unknown */
  int index;
  int generations;
  const rattle_generation *generation;
  int redundants;
  const char *const *redundant;              /* names */
  const char *const *redundant_sentence;     /* "'rod[3]' is a combination of 'rod[1]', 'rod[2]'" */
  int first_class_count, second_class_count; /* among all generations; -1 if unknown */
  /* {g_i,g_j}: 2 vanishes identically, 1 vanishes on the manifold, 0 does not: then the pair, its
   * bracket, its value at a point */
  int commuting;
  const char *pair[2], *pair_expression; /* NULL if they commute */
  double pair_value;
  /* N_ij = {{H,g_i},g_j}: smallest singular value and condition number at the start, and the worst
   * over the random points; NaN if m = 0 */
  double min_singular_value, condition, worst_singular_value, worst_condition;
  int points,
      degenerate_points; /* sampled points of the manifold; those at which a rank is lower than
                            elsewhere */
  int start_is_degenerate;
  int on_constraints, on_hidden; /* the start, to the tolerance of rattle_problem_start */
  double residual_constraints, residual_hidden; /* max |g_i|, max |psi_i| at the start; the second
                                                 * NaN if unknown */
  const char
      *fibre; /* "kick", "shift", "straight" (both at once), "linear", "user", "numerical"; NULL
                if there is none */
  int valid_methods;
  const char *const *valid_method;
  int refusals;
  const rattle_refusal *refusal;
  const char *advice_method, *advice_why; /* method NULL: none is recommended */
  double advice_step;                     /* NaN: none */
  double
      frequency; /* the largest, of the linearised constrained motion at the start; NaN: unknown */
  /* per step of the recommended method with the recommended step, from a trial run; NaN without
   * one. trial_energy_error is relative to the size of the energies
   * (rattle_summary.energy_scale) */
  double cost_gradients, cost_newton_iterations, cost_nanoseconds, trial_energy_error;
  int symmetries;
  const char *const
      *symmetry; /* conserved quantities: "energy", "momentum along x", "angular momentum about
                   z", "p_phi" */
  const char
      *refused;     /* why SHAKE and RATTLE cannot integrate the problem, and what to do; NULL: they
                  can */
  const char *note; /* further sentences, "" if none */
  int velocity_constraints; /* constraints on velocities (rattle_model_add_velocity_constraint),
                               which are not counted in m; each takes half a degree of freedom:
                               dof is that of positions */
} rattle_diagnosis;

/* Analyses a model (problem may be NULL: one is created with the interpreting evaluator, if
 * possible) or a problem from callbacks (model NULL). The doctor holds both. options may be NULL.
 * Fails if memory is exhausted, if the model is incomplete, or if H or g are not finite at the
 * start. A problem that cannot be integrated is a diagnosis, not a failure. The note
 * names a derivative callback that disagrees with the values of its function. */
RATTLE_API rattle_status rattle_doctor_create(rattle_doctor **doctor, rattle_model *model,
                                              const rattle_problem *problem,
                                              const rattle_doctor_options *options,
                                              rattle_error *error);
RATTLE_API void rattle_doctor_destroy(rattle_doctor **doctor);
RATTLE_API const rattle_diagnosis *rattle_doctor_diagnosis(const rattle_doctor *doctor);

/* The step that follows from the fastest motion at q[n], p[n] on the constraints: 0.1 over its
 * frequency, rounded down to 1, 2 or 5 times a power of ten; NaN if there is no frequency. Much
 * cheaper than a diagnosis. */
RATTLE_API rattle_status rattle_doctor_step(const rattle_problem *problem, const double *q,
                                            const double *p, double *step, rattle_error *error);
/* The derivatives that callbacks give near (q, p), compared with differences of their values: a
 * sentence about the one that is farthest off, at most room - 1 bytes; "" if none is, or if there
 * is a model. */
RATTLE_API rattle_status rattle_doctor_derivatives(const rattle_problem *problem, const double *q,
                                                   const double *p, char *sentence, size_t room,
                                                   rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
