#ifndef RATTLE_DOCTOR_H
#define RATTLE_DOCTOR_H
/* The problem doctor: what a problem is, before it is integrated.
 *
 * Dirac's algorithm on the model's expressions (symbols where they are exact, ranks by singular values at the start and at random
 * points of the manifold where numbers must decide), which methods can integrate the problem and which is advised, and conserved
 * quantities that are cheap to see. Models of more than 256 pairs or 128 constraints and problems from callbacks are looked at
 * with sparse matrices and without symbols: hidden constraints beyond psi are not followed there, and `note` says so. */
#include <stdint.h>

#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_doctor rattle_doctor;

typedef struct rattle_doctor_options {
  uint64_t seed;       /* of the random points; the same seed gives the same diagnosis, but for times */
  int samples;         /* random points of the manifold, 1 .. 31; 0: 8 */
  int no_trial;        /* 1: no trial run: the step advised comes from the frequency alone, and no cost is measured */
  const double *q, *p; /* [n]: the start of a problem from callbacks; not looked at where there is a model */
} rattle_doctor_options;

/* Constraints of one generation: 0 those of the user, k + 1 what the conditions on generation k leave. */
typedef struct rattle_generation {
  int count;
  const char *const *name;       /* the user's name, or "{name,H}" */
  const char *const *expression; /* as text, cut with "..." where long; "" where there are no expressions */
} rattle_generation;

typedef struct rattle_refusal {
  const char *method, *reason;
} rattle_refusal;

/* Strings and arrays belong to the doctor. */
typedef struct rattle_diagnosis {
  const char *title, *kind; /* kind: as rattle_problem_kind_name, but "general" where g(q,p) is not coisotropic */
  int n, m;
  double dof; /* degrees of freedom, (2n - second class - 2 first class)/2; NaN where not known */
  /* "unconstrained"; "coisotropic": {g_i,g_j} = 0 on the manifold and the motion is determined; "first_class": the same, but the
   * motion is not determined (a gauge freedom); "second_class": the matrix {g_i,g_j} has an inverse; "mixed": some pairs do not
   * commute; "inconsistent"; "unknown" where the doctor cannot tell (see refused) */
  const char *class_;
  /* of the differential-algebraic equation: 0 unconstrained, 1 free variables only, 2 second class, 3 mechanics, more where
   * hidden constraints go on; -1 where the motion is not determined or nothing is known */
  int index;
  int generations;
  const rattle_generation *generation;
  int redundants;
  const char *const *redundant;              /* names */
  const char *const *redundant_sentence;     /* "'rod[3]' is a combination of 'rod[1]', 'rod[2]'" */
  int first_class_count, second_class_count; /* among all generations; -1 where not known */
  /* {g_i,g_j}: 2 vanishes identically, 1 on the manifold, 0 does not: then the pair, its bracket, and its value at a point */
  int commuting;
  const char *pair[2], *pair_expression; /* NULL where they commute */
  double pair_value;
  /* N_ij = {{H,g_i},g_j}, singular values: at the start, and the worst over the random points; NaN where there is none */
  double min_singular_value, condition, worst_singular_value, worst_condition;
  int points, degenerate_points; /* points of the manifold looked at; those where a rank is lower than elsewhere */
  int start_is_degenerate;
  int on_constraints, on_hidden; /* the start, to the tolerance of rattle_problem_start */
  double residual_constraints, residual_hidden;
  const char *fibre; /* "kick", "shift", "straight" (both at once), "linear", "user", "numerical"; NULL where there is none */
  int valid_methods;
  const char *const *valid_method;
  int refusals;
  const rattle_refusal *refusal;
  const char *advice_method, *advice_why; /* method NULL: none can be advised */
  double advice_step;                     /* NaN: none */
  double frequency;                       /* the largest, of the linearised constrained motion at the start; NaN: not known */
  /* per step of the advised method with the advised step, from a trial run; NaN where there was none */
  double cost_gradients, cost_newton_iterations, cost_nanoseconds, trial_energy_error;
  int symmetries;
  const char *const *symmetry; /* conserved quantities: "energy", "momentum along x", "angular momentum about z", "p_phi" */
  const char *refused;         /* why SHAKE and RATTLE cannot integrate the problem, and what to do; NULL: they can */
  const char *note;            /* further sentences, "" where none */
} rattle_diagnosis;

/* Examines a model (problem may be NULL: one is made with the interpreting evaluator, where that is possible) or a problem from
 * callbacks (model NULL). Model and problem must outlive the doctor. options may be NULL. Fails for want of memory, for a model
 * that is not complete, and where H or g are not finite at the start; what is wrong with a problem is no failure but its
 * diagnosis. */
RATTLE_API rattle_status rattle_doctor_create(rattle_doctor **doctor, rattle_model *model, const rattle_problem *problem,
                                              const rattle_doctor_options *options, rattle_error *error);
RATTLE_API void rattle_doctor_destroy(rattle_doctor **doctor);
RATTLE_API const rattle_diagnosis *rattle_doctor_diagnosis(const rattle_doctor *doctor);

#ifdef __cplusplus
}
#endif
#endif
