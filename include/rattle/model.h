#ifndef RATTLE_MODEL_H
#define RATTLE_MODEL_H
/* Models: read from a model file, or built by calls. A model is immutable once a problem has been
 * created from it, but for rattle_problem_set_parameters.
 *
 * Variable 2k of the model's graph is the coordinate of pair k, variable 2k+1 its momentum. */
#include "rattle/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_model rattle_model;

/* A parameter given from outside: rattle run -P name=value. */
typedef struct rattle_parameter {
  const char *name;
  double value;
} rattle_parameter;

typedef struct rattle_model_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  const rattle_parameter
      *parameters; /* overrides; the model must declare each of them, else an error suggests the
                     nearest name */
  int parameter_count;
  long long max_instructions; /* of the model's Lua code; 0: the default, 2e10 */
  size_t max_memory;  /* bytes for Lua and the graph; 0: the default, half of the machine's memory,
                     at most 16 GiB */
  int cotangent;      /* 1: as output { cotangent = true }: rattle_model_observe_cotangent */
  double max_seconds; /* on the clock, within about a second; 0: the default, 600 */
  int old_names;      /* 1: a quantity may have the name of a variable, as models in records of
                    version 0.1 may */
  /* Names of parameters that remain symbols, so that a problem of the model can be given other
   * values of them (rattle_problem_set_parameters). RATTLE_BAD_MODEL, or RATTLE_UNSUITABLE, if the
   * text of the model uses them beyond expressions, starts and masses: its result would depend on
   * their values, and it must be read anew for other ones. */
  const char *const *inputs;
  int input_count;
  const volatile int *interrupt; /* may be NULL; if it becomes nonzero (status.h) while the model's
                                    Lua code works: RATTLE_INTERRUPTED */
  /* 1: comparisons, roundings and texts of inputs go by the values that the parameters have, and
   * modules may have inputs. The model is that of these values, and of others for which they turn
   * out the same; rattle_problem_set_parameters does not take it. */
  int branches;
} rattle_model_options;

/* Reads a model file, or model text (`name` is used in messages). options may be NULL. On failure
 * *model is NULL and the error gives file, line, expectation and the text found. */
RATTLE_API rattle_status rattle_model_load(rattle_model **model, const char *path,
                                           const rattle_model_options *options,
                                           rattle_error *error);
RATTLE_API rattle_status rattle_model_parse(rattle_model **model, const char *text,
                                            const char *name, const rattle_model_options *options,
                                            rattle_error *error);

/* Builds a model by calls. */
RATTLE_API rattle_status rattle_model_create(rattle_model **model, rattle_error *error);
/* The caller is done with the model, and *model is NULL; it is freed when what was made of it
 * (problems, doctors, methods with names that it defines) is gone too, on any thread. */
RATTLE_API void rattle_model_destroy(rattle_model **model);
/* Another handle of the same model, to be destroyed as the first. Returns model; NULL for NULL. */
RATTLE_API rattle_model *rattle_model_retain(const rattle_model *model);
/* Belongs to the model. */
RATTLE_API rattle_graph *rattle_model_graph(rattle_model *model);
/* Adds a canonical pair; its index is stored in *pair (may be NULL). momentum NULL: "p" before the
 * name ("px[1]" for "x[1]"). */
RATTLE_API rattle_status rattle_model_add_pair(rattle_model *model, const char *name,
                                               const char *momentum, int *pair,
                                               rattle_error *error);
/* Adds a variable without a conjugate (index 1: 0 = H_beta). It is embedded as the coordinate of a
 * pair whose momentum is constrained to 0 by a constraint "free:NAME" that this call adds. */
RATTLE_API rattle_status rattle_model_add_free(rattle_model *model, const char *name, int *pair,
                                               rattle_error *error);
/* The time t as an expression, for H, constraints and quantities. The first call adds the canonical
 * pair ("t", "p_t") and p_t to H: the system is that of H(q,p,t) + p_t on the extended phase space
 * (C. Lanczos, The Variational Principles of Mechanics, chapter VI), with t' = 1, p_t' = -H_t -
 * lambda^T g_t, and psi = {g,H} + g_t. The motion conserves H + p_t, the energy less the energy
 * supplied since the start, where p_t = 0. Integrators set t to t0 + k h. */
RATTLE_API rattle_status rattle_model_time(rattle_model *model, rattle_expr *t,
                                           rattle_error *error);
/* The pair of the time, -1 if the model does not use it. */
RATTLE_API int rattle_model_clock(const rattle_model *model);
/* The angle of the direction (x, y) as an expression that counts turns: atan2(y, x) where a run
 * begins, and from there continued from step to step. It adds a pair "turns[k]" whose coordinate, a
 * multiple of pi, is what the angle is measured from: no part of the motion, part of the state, so
 * that it is recorded. A step that turns the angle beyond pi from there fails (RATTLE_DOMAIN), as
 * one does in which an atan2 jumps that H, a constraint or a force depends on. The same y and x
 * give the same angle. */
RATTLE_API rattle_status rattle_model_turning_angle(rattle_model *model, rattle_expr y,
                                                    rattle_expr x, rattle_expr *angle,
                                                    rattle_error *error);
/* The same for who builds it: r, HELD of the coordinate of that pair, of no mass, is what `angle` =
 * atan2(y cos r - x sin r, x cos r + y sin r) is measured from; r + angle counts turns. */
RATTLE_API rattle_status rattle_model_count_turns(rattle_model *model, int pair, rattle_expr angle,
                                                  rattle_error *error);
/* Adds e to the Hamiltonian. */
RATTLE_API rattle_status rattle_model_add_hamiltonian(rattle_model *model, rattle_expr e,
                                                      rattle_error *error);
/* Adds e to the force on a pair, in units of momentum over time: p' = -H_q + f(q,p) - lambda g_q.
 * For forces that are no gradient: friction, drives, controllers, follower forces. The work of all
 * forces since the start of a run is rattle_integrator_work, and the energy error of a run is the
 * error of H minus this work. */
RATTLE_API rattle_status rattle_model_add_force(rattle_model *model, int pair, rattle_expr e,
                                                rattle_error *error);
/* Adds the constraint e = 0, or a quantity to observe. Names are unique; a quantity has not the
 * name of a variable either, which is always recorded. */
RATTLE_API rattle_status rattle_model_add_constraint(rattle_model *model, const char *name,
                                                     rattle_expr e, rattle_error *error);
/* Says that the motion under this constraint is that of a Hamiltonian system as Dirac has it, whose
 * multiplier displaces coordinates too. Needed where it is linear in the momenta, velocities
 * determine these, and it is not implied by constraints on coordinates: a start refuses it
 * otherwise, since that of a constraint on velocities (rattle_model_add_velocity_constraint) is
 * another motion. */
RATTLE_API rattle_status rattle_model_set_dirac(rattle_model *model, int constraint,
                                                rattle_error *error);
/* The same under its name of version 0.2. */
RATTLE_API rattle_status rattle_model_set_vakonomic(rattle_model *model, int constraint,
                                                    rattle_error *error);
/* The velocity of the coordinate of pair k is the graph variable RATTLE_VELOCITY + k, which stands
 * in constraints on velocities alone. */
enum { RATTLE_VELOCITY = 1073741824 };
/* The velocity of a coordinate as a symbol, for constraints on velocities alone; 1 for the time. */
RATTLE_API rattle_status rattle_model_velocity(rattle_model *model, int pair, rattle_expr *velocity,
                                               rattle_error *error);
/* Adds the constraint e = 0 on velocities, with e affine in the symbols of rattle_model_velocity:
 * A(q,t) q' = b(q,t), as of wheels, blades and motors. The reaction acts along A^T (Lagrange and
 * d'Alembert): p' = -H_q + f - G^T kappa - A^T lambda. e may contain momenta of an H with a
 * constant mass matrix, which stand for velocities. If b is not 0 the model gets its time
 * (rattle_model_time), and the motion keeps H + p_t. Names are those of no other constraint. In the
 * problem these rows follow the constraints on coordinates. RATTLE_BAD_ARGUMENT: e contains no
 * velocity, or is not affine. */
RATTLE_API rattle_status rattle_model_add_velocity_constraint(rattle_model *model, const char *name,
                                                              rattle_expr e, rattle_error *error);
/* A controller with a sample rate. At the times start, start + every, start + 2 every ..., in a run
 * from its start on, its values, outputs and states alike, become others at once, which follow from
 * the point there; in between they are constant (zero-order hold). Steps end at these times: a run
 * refuses a step that does not divide them. */
typedef struct rattle_controller {
  size_t struct_size;       /* sizeof, or 0: status.h */
  double every;             /* above 0 */
  double start;             /* the time of a sample; there is none before */
  int count;                /* of values, 1 or more */
  const char *const *names; /* of the values [count], which are coordinates of those names */
  const double *starts;     /* before the first sample [count]; NULL: 0 */
} rattle_controller;
/* values [count]: the values as expressions, which may stand in H, forces, observables, events,
 * drawings and in the next values of controllers, not in constraints: these cannot jump. Each value
 * is the coordinate of a pair without motion. *number (may be NULL): which controller it is. */
RATTLE_API rattle_status rattle_model_add_controller(rattle_model *model,
                                                     const rattle_controller *controller,
                                                     rattle_expr *values, int *number,
                                                     rattle_error *error);
/* The values of a controller after a sample [count]: expressions in all variables, in multipliers,
 * and in values before the sample. Without this call the caller of a run says them
 * (rattle_integrator_set_control). */
RATTLE_API rattle_status rattle_model_set_sample(rattle_model *model, int controller,
                                                 const rattle_expr *next, rattle_error *error);
/* How many controllers there are. */
RATTLE_API int rattle_model_controllers(const rattle_model *model);
/* Constraints that begin and end at events: release, docking, clutches, slack ropes, impact. Those
 * that are off have the multiplier, g and psi 0. At a beginning, within a step, momenta jump by the
 * one impulse along the gradients of all constraints that are on, p+ = p - G^T Lambda, such that
 * psi(p+) = 0, or -restitution psi(p) (Newton's law of impact: D. E. Stewart, Rigid-body dynamics
 * with friction and impact, SIAM Review 42 (2000) 3). The energy that this takes from H is in the
 * work of a run (rattle_integrator_work) and in the value "NAME.lost". */
typedef struct rattle_switch {
  size_t struct_size; /* sizeof, or 0: status.h */
  /* of the event that each change is (run.h), and of the values; NULL: that of the first
   * constraint */
  const char *name;
  const char *const *constraints; /* names of constraints on coordinates [count] */
  int count;
  int active; /* 1: they are on at the start of a run */
  /* they begin, or end, where it rises through 0 or jumps above it; NONE: never. If `ends`, with
   * them on, is above 0 where they begin, momenta jump and they stay off */
  rattle_expr begins, ends;
  /* 0 .. 1, of one constraint: it is on only once bounces are below round-off */
  double restitution;
  /* 1: one constraint g, with g >= 0 while it is off. It begins where g falls to 0 and ends where
   * its multiplier rises to 0, above which it would pull; begins and ends are NONE */
  int one_sided;
  int hold; /* 1: constraints g keep the values that they have where they begin */
  /* 1: they begin where `begins` comes to 0 from either side, as a sliding speed. While they are
   * off, the value `side` is 1 or -1, the sign of `begins`: for the force of dry friction, which
   * jumps with the switch alone then */
  int either;
} rattle_switch;
/* The places of the values of a switch. */
enum { RATTLE_SWITCH_ON, RATTLE_SWITCH_LOST, RATTLE_SWITCH_SIDE, RATTLE_SWITCH_VALUES };
/* value [RATTLE_SWITCH_VALUES] (may be NULL): 1 or 0, whether they are on; the energy that they
 * have lost in impacts so far; and the side, with `either`, else RATTLE_EXPR_NONE. They are
 * expressions for H, forces, observables and events: the coordinates "NAME.on", "NAME.lost" and
 * "NAME.side" of pairs without motion. "NAME.at[i]" are the values that are held; "NAME.idle[i]" is
 * at rest at 0 and stands for constraint i while that is off. RATTLE_BAD_ARGUMENT: a constraint
 * that there is not, or that another switch has. */
RATTLE_API rattle_status rattle_model_add_switch(rattle_model *model, const rattle_switch *given,
                                                 rattle_expr *value, rattle_error *error);
/* How many there are. */
RATTLE_API int rattle_model_switches(const rattle_model *model);
/* The multiplier of a constraint, on coordinates or velocities, as a symbol: the graph variable
 * RATTLE_LAMBDA + k, which may stand in observables, events and drawings alone. It is the lambda of
 * p' = -H_q + f - lambda g_q at the point (rattle_problem_multipliers; of least norm where
 * constraints follow from others), so that a force -lambda g_q has the order of the method. It is
 * NaN for a constraint on velocities that follows from others. RATTLE_BAD_ARGUMENT: there is no
 * such constraint yet. */
enum { RATTLE_LAMBDA = 1610612736 };
RATTLE_API rattle_status rattle_model_multiplier(rattle_model *model, const char *constraint,
                                                 rattle_expr *multiplier, rattle_error *error);
RATTLE_API rattle_status rattle_model_add_observable(rattle_model *model, const char *name,
                                                     rattle_expr e, rattle_error *error);
/* Observes the point of the cotangent bundle T*Q, Q = {g(q) = 0}: the momenta modulo G^T lambda, as
 * "cotangent:px" for each momentum px. They are the same for all points of a fibre, so SHAKE and
 * RATTLE agree. The momentum that represents a fibre is p - G^T lambda with G M^-1 p = 0 for
 * natural H (as RATTLE's), with G p = 0 otherwise. Call it after all pairs have been added; a
 * second call has no effect. A problem with constraints other than g(q) is then
 * RATTLE_UNSUITABLE. */
RATTLE_API rattle_status rattle_model_observe_cotangent(rattle_model *model, rattle_error *error);
/* Adds an event, a zero of e (run.h, rattle_event: direction, count, stop). Names are unique; "at"
 * is reserved for output at given times. */
RATTLE_API rattle_status rattle_model_add_event(rattle_model *model, const char *name,
                                                rattle_expr e, int direction, long long count,
                                                int stop, rattle_error *error);
/* Omits constraints g(q) that follow from others: rows of G = g' that depend on those before them,
 * at the start and at points around it, as in overconstrained mechanisms (Bennett's linkage,
 * parallel bars). Multipliers are those of least norm of all constraints, since rigid bodies leave
 * open how these share the forces; those of omitted ones are observed as "lambda[NAME]". Omitted
 * ones are evaluated after each step of a method that keeps g: where one no longer holds, as beyond
 * a position where the rank changes, the step fails (RATTLE_DEGENERATE). A start that is to be
 * projected is put onto all constraints; RATTLE_BAD_MODEL names one that does not hold with the
 * others. Constraints that are dependent at the start alone, or nearly, stay as they are, and the
 * start is refused. For up to 1000 pairs; after all else has been given. */
RATTLE_API rattle_status rattle_model_omit_redundant(rattle_model *model, rattle_error *error);
/* Eliminates parts without mass: coordinates u whose momenta are in no function, and that follow
 * from a constraint in which u is linear, or else from H_u = 0, linear in u. They are observed
 * under their names, and leave the pairs: those after them are renumbered; the multiplier of such
 * a constraint is observed as "lambda[NAME]". Those that nonlinear equations determine together
 * with the multipliers of their constraints become free variables, and these multipliers new ones,
 * the last pairs (decision 120; not beside constraints on velocities). Models from texts are made
 * so; of others call it after all else has been given, and before rattle_model_omit_redundant.
 * Models with fibres, pair potentials or cotangent output stay as they are. RATTLE_BAD_MODEL: the
 * start of such a coordinate is not where its equation holds. */
RATTLE_API rattle_status rattle_model_eliminate_massless(rattle_model *model, rattle_error *error);
/* The i-th constraint that was omitted; NULL beyond the last. */
RATTLE_API const char *rattle_model_omitted(const rattle_model *model, int i);
/* Start values of a pair; the default is 0. */
RATTLE_API rattle_status rattle_model_set_start(rattle_model *model, int pair, double q, double p,
                                                rattle_error *error);
/* Starts from velocities: momenta are computed from q' = H_p when the problem is created (exactly
 * for natural H, otherwise by Newton's method). A velocity overrides the momentum of
 * rattle_model_set_start. */
RATTLE_API rattle_status rattle_model_set_velocity(rattle_model *model, int pair, double velocity,
                                                   rattle_error *error);
/* The start value of the coordinate or momentum of that name, in place of the one that the model
 * has. The other variable of the pair stays; a momentum replaces a start velocity; the time t is
 * the start time of the wishes too. Before the problem is created. RATTLE_BAD_ARGUMENT if there is
 * no such variable (the message suggests the nearest name), or the value is not finite. */
RATTLE_API rattle_status rattle_model_start_variable(rattle_model *model, const char *name,
                                                     double value, rattle_error *error);
/* The exact fibre flow: image[j] (j < 2n: coordinates first, then momenta) as expressions in the
 * variables and in s_i = variable 2n+i; the flow is exp(sum s_i X_{g_i}). Call it after all pairs
 * and constraints have been added. */
RATTLE_API rattle_status rattle_model_set_fibre(rattle_model *model, const rattle_expr *image,
                                                rattle_error *error);
/* The exact flow of H, for the base map `exact`: image[j] in the variables and in h = variable
 * 2n. */
RATTLE_API rattle_status rattle_model_set_flow(rattle_model *model, const rattle_expr *image,
                                               rattle_error *error);

/* Coefficients that methods take by name, runge_kutta(name, field) and splitting(name). Names are
 * unique, of letters, digits and underscores. Their order conditions are evaluated when they are
 * added: RATTLE_BAD_ARGUMENT names one that does not hold if the order is less than `order`, the
 * claimed order (0: no claim), or less than 1. All arrays are copied. A claim that a tableau
 * satisfies only for H = T(p) + V(q) is accepted; methods for another H refuse it. */
typedef struct rattle_tableau {
  int stages;         /* 1 .. 16 */
  const double *A;    /* [stages*stages] by rows */
  const double *b;    /* [stages] */
  const double *Ahat; /* as A, for the momenta; NULL: A for them too */
  const double *bhat; /* as b, for the momenta; NULL: b for them too */
  int order;
} rattle_tableau;
/* Alternating drifts q += c_i h T_p and kicks p -= d_i h V_q, i = 1 .. stages. */
typedef struct rattle_splitting {
  int stages; /* 1 .. 64 */
  const double *c, *d;
  int order;
} rattle_splitting;
RATTLE_API rattle_status rattle_model_add_tableau(rattle_model *model, const char *name,
                                                  const rattle_tableau *tableau,
                                                  rattle_error *error);
RATTLE_API rattle_status rattle_model_add_splitting(rattle_model *model, const char *name,
                                                    const rattle_splitting *splitting,
                                                    rattle_error *error);
/* Properties of a set of coefficients. */
typedef struct rattle_coefficients {
  const char *name, *kind; /* "tableau" or "splitting" */
  int stages;
  int order; /* conditions are evaluated up to order 10, for partitioned tableaus up to 8 */
  int symmetric, symplectic, explicit_, partitioned;
  int separable_order, separable_symplectic; /* for H = T(p) + V(q) */
  const char *fails; /* the first condition that does not hold, "" if none is known */
  int reserved[8];   /* 0: space for future members */
} rattle_coefficients;
/* The i-th set (set may be NULL); returns the number of sets. */
RATTLE_API int rattle_model_coefficients(const rattle_model *model, int i,
                                         rattle_coefficients *set);

/* Forces between all pairs of beads within a cutoff, V = sum_{i<j} v(|x_i - x_j|), for molecules
 * with excluded volume. V is added to the Hamiltonian, which must be T(p) + V(q), with constraints
 * on coordinates only. Cells and lists of neighbours find the pairs; V is a function of the
 * coordinates to the last bit, however the lists came about. Second derivatives, which implicit
 * methods need, are available for up to 384 pairs (q, p).
 *
 * kind "lennard_jones": v = S(r) 4 epsilon ((sigma/r)^12 - (sigma/r)^6), where S switches from 1 at
 * `from` to 0 at `cutoff` by a
 *                       polynomial in r^2, with `smooth` continuous derivatives
 *      "wca":           v = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) + epsilon up to its minimum,
 *      2^(1/6) sigma; 0 beyond. One continuous
 *                       derivative (J. D. Weeks, D. Chandler, H. C. Andersen, J. Chem. Phys. 54
 *                       (1971) 5237)
 *
 * With s continuous derivatives methods keep an order of up to s + 1: a step across the cutoff has
 * an error of h^(s+1) in p, and their number does not grow as h goes to 0. */
typedef struct rattle_pair_special {
  int kind[2];
  double epsilon, sigma; /* at least 0 */
} rattle_pair_special;

typedef struct rattle_pair_potential {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *kind;
  double epsilon, sigma; /* above 0 */
  double cutoff; /* lennard_jones, of all pairs; 0: 2.5 times the largest sigma of two beads */
  double from;   /* lennard_jones: where the switch begins, below the cutoff; 0: 0.8 cutoff */
  int smooth;    /* lennard_jones: 1 to 7; 0: 3 */
  double
      box[3]; /* edges of a periodic box, at least twice the cutoff; 0: no images along that axis */
  long long beads;
  const int *pairs; /* the pairs (q, p) that are x, y and z of each bead [3 beads]; copied */
  long long excluded;
  const int *exclusions; /* pairs of beads, from 0 on, between which there is no force [2 excluded];
                     copied */
  int kinds; /* of beads; 0: all beads have the epsilon and the sigma above, which are not read
                otherwise */
  const int *bead_kind;            /* from 0 on [beads]; copied */
  const double *epsilons, *sigmas; /* of two beads of a kind [kinds], at least 0; copied */
  const char
      *mixing; /* of two kinds: "lorentz_berthelot" or NULL: the mean of sigma, the geometric mean
                 of epsilon; "geometric": of both */
  int specials;
  const rattle_pair_special *special; /* two kinds that do not mix [specials]; copied */
  long long scaled;
  const int
      *scaled_pairs; /* pairs of beads whose force is multiplied by `scale`, none an exclusion [2
                       scaled]; copied */
  double scale;      /* at least 0 */
} rattle_pair_potential;
/* BAD_ARGUMENT with the reason. */
RATTLE_API rattle_status rattle_model_add_pair_potential(rattle_model *model,
                                                         const rattle_pair_potential *potential,
                                                         rattle_error *error);
/* How many there are, and the smallest number of continuous derivatives among them, 0 if there are
 * none. */
RATTLE_API int rattle_model_pair_potentials(const rattle_model *model);
RATTLE_API int rattle_model_smoothness(const rattle_model *model);
/* The order that a method can have with the least smooth operation of H, the constraints and the
 * forces (abs, min, max, where, tables ...): steps across a kink of H or a jump of a force have
 * order 1, across a jump of H 0, across a kink of a force 2. text (`size` bytes) names the
 * operation, without a full stop. -1 and an empty text: all are smooth in their domains. Pair
 * potentials are not counted: see above. */
RATTLE_API int rattle_model_order_left(const rattle_model *model, char *text, size_t size);

/* The settings of the model; the command line overrides them. */
typedef struct rattle_wishes {
  size_t struct_size; /* sizeof, or 0: status.h */
  char *method;       /* NULL: none given */
  double step;        /* 0: none given */
  double start_time;  /* 0 */
  double stop;        /* NaN: none given */
  long long steps;    /* -1: none given */
  long long every;    /* 1: every step is a sample */
  int project;        /* 1: a start that violates the constraints is projected */
  int compensated;    /* 1: compensated sums for q and p */
  int cotangent;      /* 1: points of T*Q are observed */
  const double *at;   /* output at these times [at_count] (run.h, rattle_events) */
  int at_count;
  double at_step; /* output by this step of time, 0: none */
  int exact;      /* 1: the run ends at `stop` exactly, by a step of fractional length */
  int certify;    /* 1: each step is proved as it is made (certify.h) */
} rattle_wishes;

/* Sets the title, a metadata entry, or all wishes (copied; method may be NULL). */
RATTLE_API rattle_status rattle_model_set_title(rattle_model *model, const char *title,
                                                rattle_error *error);
RATTLE_API rattle_status rattle_model_add_metadata(rattle_model *model, const char *key,
                                                   const char *value, rattle_error *error);
RATTLE_API rattle_status rattle_model_set_wishes(rattle_model *model, const rattle_wishes *wishes,
                                                 rattle_error *error);

/* Queries. Pointers belong to the model. */
RATTLE_API const char *rattle_model_title(const rattle_model *model); /* "" if none */
RATTLE_API const char *rattle_model_text(const rattle_model *model);  /* NULL if built by calls */
RATTLE_API const rattle_wishes *rattle_model_wishes(const rattle_model *model);
RATTLE_API int rattle_model_pairs(const rattle_model *model);
RATTLE_API int rattle_model_constraints(const rattle_model *model);
RATTLE_API int rattle_model_observables(const rattle_model *model);
RATTLE_API int rattle_model_velocity_constraints(const rattle_model *model);
RATTLE_API const char *rattle_model_velocity_constraint_name(const rattle_model *model,
                                                             int constraint);
RATTLE_API rattle_expr rattle_model_velocity_constraint_expr(const rattle_model *model,
                                                             int constraint);
RATTLE_API const char *rattle_model_coordinate_name(const rattle_model *model, int pair);
RATTLE_API const char *rattle_model_momentum_name(const rattle_model *model, int pair);
RATTLE_API const char *rattle_model_constraint_name(const rattle_model *model, int constraint);
RATTLE_API const char *rattle_model_observable_name(const rattle_model *model, int observable);
RATTLE_API int rattle_model_events(const rattle_model *model);
RATTLE_API const char *rattle_model_event_name(const rattle_model *model, int event);
/* The parameters that the model declares, with the values used. */
RATTLE_API int rattle_model_parameters(const rattle_model *model,
                                       const rattle_parameter **parameters);
/* 1: the model gives the parameter a range, range[0] to range[1], in which pages let it move; 0: it
 * gives none, and `range` stays. Values outside it are allowed. */
RATTLE_API int rattle_model_parameter_range(const rattle_model *model, int parameter,
                                            double range[2]);
/* Metadata of the model: count, and the i-th key and value. */
RATTLE_API int rattle_model_metadata(const rattle_model *model, int i, const char **key,
                                     const char **value);
/* The expressions themselves, in the model's graph; H is RATTLE_EXPR_NONE until given. */
RATTLE_API rattle_expr rattle_model_hamiltonian(const rattle_model *model);
RATTLE_API rattle_expr rattle_model_force(const rattle_model *model,
                                          int pair); /* RATTLE_EXPR_NONE: no force */
RATTLE_API rattle_expr rattle_model_constraint_expr(const rattle_model *model, int constraint);

#ifdef __cplusplus
}
#endif
#endif
