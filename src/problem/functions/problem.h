#ifndef RATTLE__PROBLEM_H
#define RATTLE__PROBLEM_H
/* A problem: the functions H, V, T, g that the maps see. Immutable once made. */
#include <limits.h>

#include "ground/expr/elements.h"
#include "ground/support/holders.h"
#include "problem/functions/mass.h"
#include "rattle/problem.h"

enum { RATTLE__PARTS = 6 }; /* H, V, T, g, force, velocity */

struct rattle_problem {
  struct rattle__held_problem
      *held;       /* who holds it; of a view: who holds the problem that it is a view of */
  int n, m, flags; /* pairs, constraints, RATTLE_SEPARABLE | ... */
  int account;     /* 1: the last pair is the account of work
                                              * (forced.h) */
  int clock;       /* 1 + the pair (t, p_t), 0 if H and g do not depend on time */
  const rattle_model *model;        /* NULL: from callbacks */
  rattle_graph *graph;              /* of the model, NULL: from callbacks */
  rattle__function *H;              /* R^2n -> R, dense gradient; with forces see
                                              * forced.h */
  rattle__function *energy, *force; /* with forces: H alone; f: R^2n -> R^k; else NULL */
  int swept;                        /* 1: H is evaluated by sweeps (sweeps.h) */
  int *pushed;                      /* the pairs on which the forces act, ascending [k] */
  rattle__function *V,
      *T; /* separable: R^n -> R of q and of p, dense gradients; T NULL if natural */
  rattle__function
      *kinetic; /* natural, with parameters that can be set: T, for the masses; else NULL */
  rattle_model *settable; /* the model, if it has such parameters; else NULL */
  const rattle_problem
      *remassed; /* masses are numbers of a metric, which code takes as inputs: the problem that
                    this one is of with other masses; else NULL */
  const struct rattle__whitening
      *whitening; /* coordinates are y of q = L y (whitened.h); NULL: they are q */
  rattle__function
      *bonded; /* the part of V that is an expression, where V has forces between pairs of beads */
  rattle__function *g; /* R^n -> R^m if holonomic, else R^2n -> R^m; NULL if m = 0 */
  rattle__function
      *velocity;             /* (q, v) -> A(q) v: constraints on velocities (velocity.h), or NULL */
  rattle__function *implied; /* the same of those that follow from others (implied.c), or NULL */
  int *velocity_row;         /* which rows of the model these are: of velocity, then of implied */
  rattle__function
      *terms; /* R^2n -> R^k, the terms of H that are not constant; NULL: callbacks, or too many */
  rattle__function
      *omitted; /* R^2n -> R^k, redundant constraints of the model; NULL if there are none */
  rattle__function *shares; /* rattle__reaction_of.share of the constraints that are left, and of
                               omitted ones; NULL if none was eliminated */
  int partial; /* 1: H may be undefined on a part of phase space (rattle__is_partial) */
  int nailed;  /* a coordinate without inertia that forces or constraints act on; -1: none */
  rattle__function *observed;   /* R^(2n+c) -> R^k of (z, cited); NULL if nothing is observed */
  rattle__function *conditions; /* the same of switches: begins and ends of each; NULL: none */
  rattle__function *events;     /* R^(2n+c) -> R^k, of the model; NULL if it has none */
  rattle__function *next;       /* R^(2n+c) -> R^k, what values of controllers become in a sample;
                                 NULL if there are none */
  int cited;     /* c: multipliers that the three contain, those of the model (cited.c) */
  int *cited_at; /* their places [c]: i >= 0: multiplier i of the problem; -1 - j: observable j;
                    RATTLE__NOWHERE */
  rattle__function *angles; /* R^2n -> R^2k: y and x of each angle that may jump or counts turns;
                                 NULL if there are none */
  rattle_expr *angle;       /* these [k] */
  rattle__function *fibre;  /* user's: R^(2n+m) -> R^2n, (z, s) -> exp(sum s_i X_gi) z; or NULL */
  rattle__function *flow;   /* user's: R^(2n+1) -> R^2n, (z, h) -> exp(h X_H) z; or NULL */
  rattle__mass *mass;       /* natural, or that but for p_t: M^-1; else NULL */
  rattle__mass *inertia; /* with forces, where H alone is that and M is diagonal: M^-1; else NULL */
  struct rattle__halves *split; /* second-class constraints: their halves (split.h); else NULL */
  char **constraint_name, **coordinate_name; /* of callbacks; NULL: the model has the names */
  rattle__evaluator evaluator;               /* that was wanted */
  rattle_problem_options how;                /* as the caller made it of a model */
  void *library[RATTLE__PARTS];              /* machine code of the functions above; NULL: none */
};

/* H = p^T M^-1 p/2 + V(q) and constraints g(q), if any: momenta are projected by a linear system,
 * masses measure coordinates. */
static inline int rattle__is_natural_holonomic(const rattle_problem *problem) {
  return problem->flags & RATTLE_NATURAL && problem->flags & RATTLE_HOLONOMIC;
}

/* The same, or H = p^T M^-1 p/2 + p_t + V(q,t) and g(q,t): steps are kicks by V, drifts, and slides
 * that are linear in the multipliers. */
static inline int rattle__kicks_and_drifts(const rattle_problem *problem) {
  return problem->mass && problem->flags & RATTLE_HOLONOMIC;
}

/* A symmetric map for the problem, which messages of methods that cannot serve it name. */
static inline const char *rattle__symmetric_map(const rattle_problem *problem) {
  const int constrained = problem->m || problem->velocity;
  if (rattle__kicks_and_drifts(problem)) return constrained ? "rattle(verlet)" : "verlet";
  return constrained ? "rattle(midpoint)" : "midpoint";
}

/* The time of a point, 0 where nothing depends on it: t0 of a state that begins there. */
static inline double rattle__time_at(const rattle_problem *problem, const double *q) {
  return problem->clock ? q[problem->clock - 1] : 0;
}

/* M^-1 of such an H, with forces or without, else NULL: q' = M^-1 p, and 1 for time. */
static inline const rattle__mass *rattle__inertia(const rattle_problem *problem) {
  return problem->mass ? problem->mass : problem->inertia;
}

/* cited.c: finds the places of the multipliers that are cited, after the constraints have theirs;
 * whether a function of (z, cited) depends on one of them. */
#define RATTLE__NOWHERE INT_MIN
rattle_status rattle__problem_cite(rattle_problem *problem, rattle_error *error);
int rattle__cites(const rattle_problem *problem, const rattle__function *f);
/* read_again.c: the model of the problem, from its text, with other values of its parameters. */
rattle_status rattle__problem_read_again(rattle_model **made, const rattle_problem *problem,
                                         const rattle_parameter *parameters, int count,
                                         rattle_error *error);
/* lifetime.c: a problem, all 0, that one holds; NULL: no memory. */
rattle_problem *rattle__problem_allocate(void);
/* The last holder calls release(context). */
void rattle__problem_tell(rattle_problem *problem, void (*release)(void *context), void *context);
/* True if anything but its owner holds the problem, or anything but that and the model's owner the
 * model. */
int rattle__problem_is_shared(const rattle_problem *problem);
/* parameters.c: M^-1 by H_pp of T = p^T M^-1 p/2, or that + p_t; *mass NULL: T is not that.
 * UNSUITABLE where a problem whose parameters can be set may not be made; whether two problems of
 * the same text are one to the bit, in what runs evaluate, at a few points. */
rattle_status rattle__mass_of(rattle__mass **mass, const rattle__function *T, int clock,
                              int constrained, rattle_error *error);
rattle_status rattle__problem_may_be_set(const rattle_problem *problem, rattle_error *error);
int rattle__problems_agree(const rattle_problem *a, const rattle_problem *b);
/* rattle_problem_set_parameters of a problem that has inputs, by who knows that what was made of it
 * is not used meanwhile. */
rattle_status rattle__problem_set_parameters(rattle_problem *problem,
                                             const rattle_parameter *parameters, int count,
                                             rattle_error *error);

/* True if so many operations, so often, take less time than a compiler does. */
int rattle__evaluations_are_few(double operations, long long times);
/* True if so many steps are interpreted before machine code would be there: compiling takes some
 * tenths of a second, and an interpreted step about 10 ns for each node of the model's graph. */
int rattle__steps_are_few(const rattle_model *model, long long steps);

/* True if g depends on time. */
int rattle__constraints_move(const rattle_problem *problem);

/* class.c: the error for m > n constraints. As many as coordinates hold what they are on still. */
rattle_status rattle__too_many_constraints(int m, int n, const char *where, rattle_error *error);

/* The sentence about the coordinate `nailed`, by name. */
#define RATTLE__NAILED                                                                             \
  "coordinate '%s' would never move: its momentum is not in H, as that of a part without mass, "   \
  "and its equations do not determine it, or not at its start; start it near its balance, give "   \
  "it a mass, make it a parameter, or tie it to others by a constraint in which it is linear"

/* NULL beyond the pairs. */
const char *rattle__problem_coordinate_name(const rattle_problem *problem, int pair);

/* The function T(p) + V(q) as one: T NULL stands for 1/2 p^T M^-1 p. Borrows its parts. */
rattle_status rattle__function_separable(rattle__function **f, int n, const rattle__function *V,
                                         const rattle__function *T, const rattle__mass *mass,
                                         rattle_error *error);
/* UNSUITABLE where the problem has no second derivatives of H, which `what` needs. */
rattle_status rattle__needs_hessian(const rattle_problem *problem, const char *what,
                                    rattle_error *error);
/* energy.c: the size of the energies at z [2n], to which errors of the energy are compared; NaN if
 * it cannot be computed. room [rattle__energy_room]. */
size_t rattle__energy_room(const rattle_problem *problem);
double rattle__energy_size(const rattle_problem *problem, const double *z, double *room);
/* energy_unit.c: what round-off makes of the energy at z in steps of h, however small its terms
 * are; NaN if it cannot be computed. */
double rattle__energy_unit(const rattle_problem *problem, const double *z, double h);
/* The error for a function that is not finite at z: names H or the constraint, the operation and
 * the values. RATTLE_OK if H, g and their derivatives are finite there, or nothing but z itself is
 * to blame. */
rattle_status rattle__domain_error(const rattle_problem *problem, const double *z,
                                   rattle_error *error);
/* DOMAIN: why observable `which` of the model is not finite at z. */
rattle_status rattle__observable_error(const rattle_problem *problem, int which, const double *z,
                                       rattle_error *error);
/* A callback's nonzero answer as an error; any answer as a status. */
rattle_status rattle__callback_error(int answer, const char *what, rattle_error *error);
static inline rattle_status rattle__answer(int answer, const char *what, rattle_error *error) {
  return answer ? rattle__callback_error(answer, what, error) : RATTLE_OK;
}
#endif
