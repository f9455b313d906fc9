#ifndef RATTLE__MODEL_H
#define RATTLE__MODEL_H
/* The data of a model. Filled by src/problem/model/model.c (calls) and src/files/lua (through those
 * calls); read by problem.c. */
#include "ground/support/holders.h"
#include "ground/expr/walk.h"
#include "ground/support/names.h"
#include "problem/model/sweeps.h"
#include "rattle/draw.h"

enum { RATTLE__SOLUTION = 1, RATTLE__ON_CIRCLE = 2 };

typedef struct rattle__named {
  char *name, *where; /* where: "file:line" of its declaration, or NULL */
  rattle_expr expr;
  int column;  /* of a constraint: its place in rattle__reaction_of.share */
  float terms; /* of a constraint after a change of coordinates: the length of its gradient before
                  it, in the metric of the masses, a size and no more; 0 else */
  unsigned char dirac;    /* of a constraint: rattle_model_set_dirac */
  unsigned char old_word; /* true if the model said "vakonomic" */
  unsigned char massless; /* of an observable: the solution of a coordinate without mass; that of a
                             sine or cosine, which the constraint to the circle bounds */
} rattle__named;

/* The multiplier of a constraint that was eliminated with a part without mass (massless.c):
 * share[0] + sum_j share[1 + j] lambda_j, j over the columns of constraints, observed as number
 * `observable`. */
typedef struct rattle__reaction_of {
  rattle_expr *share; /* [1 + columns] */
  int observable;
} rattle__reaction_of;

typedef struct rattle__pair {
  char *name, *momentum;
  double q, p;         /* start */
  double velocity;     /* start velocity; used where has_velocity */
  char *velocity_name; /* of the symbol of its velocity, "velocity(x)"; NULL: never asked for */
  unsigned char has_velocity, is_free, held; /* held: not moved by a projection of the start */
  unsigned char is_angle, has_start;         /* has_start: q was given */
  unsigned char on_circle;                   /* the sine or cosine of an angle without mass */
  unsigned char idle;                        /* of a switch: switch.c */
} rattle__pair;

/* A residual of a start counts as 0 up to so many times what its terms could be: of the largest
 * coordinate in it, and of the largest of all. */
#define RATTLE__START_NEAR 1e-12
#define RATTLE__START_ALL 1e-16

typedef struct rattle__model_event {
  rattle__named is;
  int direction, stop;
  long long count; /* 0: no limit */
} rattle__model_event;

/* A force on a pair: a part of p' that is no gradient. */
typedef struct rattle__applied {
  int pair;
  rattle_expr expr;
} rattle__applied;

/* An angle that counts turns by its pair: turning.c. angle is the atan2 from there; y, x: of the
 * angle as it was given, or NONE. */
typedef struct rattle__counted_angle {
  int pair;
  rattle_expr angle, y, x;
} rattle__counted_angle;

/* A controller with a sample rate, and its values, which are first .. first + count - 1 of those of
 * all controllers: controller.c. */
typedef struct rattle__controller {
  double every, start;
  int first, count;
  int given; /* 1: its next values are expressions; 0: the caller of a run has them */
} rattle__controller;

/* Constraints that begin and end at events: switch.c. Pairs: on, lost, and of its `rows` first_at
 * ... (where values are held, else -1), first_idle ... */
typedef struct rattle__switch {
  char *name;
  char **constraint;                                                /* [rows] */
  int rows, on, lost, side, first_at, first_idle, event, one_sided; /* side -1: none */
  double restitution;
} rattle__switch;

/* A row of A(q, t) q' = b(q, t): velocity.c. */
typedef struct rattle__velocity_row {
  rattle__named is; /* the expression, affine in velocities and momenta */
  int drives;       /* true if b is not 0: energy goes in or out, and the model has a clock */
} rattle__velocity_row;

/* Meaning of an input of the graph (ground/expr/inputs.h): the value of a parameter, which is set;
 * the start of graph variable `which`; the start velocity of pair `which`; a mass, which is
 * positive; a comparison e < 0, or e <= 0, that turned out to be `which`. */
typedef struct rattle__model_input {
  enum {
    RATTLE__INPUT_PARAMETER,
    RATTLE__INPUT_START,
    RATTLE__INPUT_VELOCITY,
    RATTLE__INPUT_MASS,
    RATTLE__INPUT_LESS,
    RATTLE__INPUT_LESS_OR_EQUAL
  } kind;
  int which;
  rattle_expr e;
} rattle__model_input;

/* A multiplier as a quantity: the constraint, and the symbol "lambda(constraint)". */
typedef struct rattle__multiplier {
  char *constraint, *symbol;
} rattle__multiplier;

/* Awaited symbol k is the graph variable RATTLE__AWAITED + k: a quantity, as the force of a joint,
 * that follows from all that the model holds, so that its chart gives it (chart.h). */
enum { RATTLE__AWAITED = RATTLE_LAMBDA + (1 << 28) };

struct rattle_model {
  rattle__holders holders;
  rattle_status (*parse)(rattle_model **model, const char *text, const char *name,
                         const rattle_model_options *options,
                         rattle_error *error); /* reads a text like its own; NULL: built by calls */
  rattle_graph *graph;
  char *title, *file, *text;
  rattle__pair *pair;
  int n, n_room;
  int clock; /* 1 + the pair (t, p_t) of rattle_model_time, 0 if there is none */
  rattle__named *constraint, *observable;
  int m, m_room, observables, observables_room;
  rattle__named *omitted; /* constraints that follow from the others: rattle_model_omit_redundant */
  double
      *omitted_size; /* what their values would be at a distance of the size of the coordinates */
  int omissions,
      first_omitted; /* observables first_omitted .. +omissions-1 are their multipliers */
  rattle__reaction_of *reaction;
  int reactions, columns;
  rattle__model_event *event;
  int events, events_room;
  rattle__multiplier *multiplier; /* those that are quantities: multiplier.c */
  int multipliers, multipliers_room;
  int awaits;    /* awaited symbols, until there is a chart */
  int old_names; /* rattle_model_options */
  int cotangent,
      first_cotangent;     /* 1: observables first_cotangent .. +n-1 are momenta, to be taken modulo
                          G^T lambda */
  rattle_expr hamiltonian; /* RATTLE_EXPR_NONE until given */
  rattle__model_sweeps *sweeps;       /* the part of H that sweeps along a tree evaluate, or NULL */
  rattle__velocity_row *velocity_row; /* constraints on velocities */
  int velocity_rows, velocity_rows_room;
  rattle__applied *applied; /* forces, by pair, ascending */
  int applieds, applieds_room;
  rattle__counted_angle *turning; /* angles that count turns */
  int turnings, turnings_room;
  rattle__controller *controller;
  int controllers, controllers_room;
  /* values that are constant between samples, coordinates of pairs without motion; next: after a
   * sample */
  rattle__named *next;
  int *held_pair;
  int held, held_room, held_pair_room;
  rattle__switch *change;
  int changes, changes_room;
  rattle__named *condition; /* begins, ends of each [2 changes] */
  int conditions, conditions_room;
  rattle_expr *fibre, *flow; /* [2n] or NULL, see rattle_model_set_fibre */
  rattle_wishes wishes;
  double *at; /* times of the wishes */
  int at_room;
  rattle_parameter *parameter;
  int parameters, parameters_room;
  struct rattle__parameter_range {
    int parameter;
    double end[2];
  } * parameter_range;
  int parameter_ranges, parameter_ranges_room;
  rattle__model_input *input;
  int inputs, inputs_room;
  char **metadata;                   /* key, value, key, value ... */
  int metadata_count, metadata_room; /* of pairs */
  struct rattle__given *given;       /* coefficients: user_coefficients.h */
  int givens, givens_room;
  struct rattle__pairs **force; /* forces between all pairs of beads */
  int forces, forces_room;
  rattle_drawing *drawing; /* see drawing.c */
  int drawings, drawings_room;
  rattle__pool pool; /* every string above but text */
  rattle__names variable_names, constraint_names, observable_names, event_names;
  int indexed; /* 1: the first two are complete; 0: they are empty */
};

/* Index of the pair or constraint with that name, -1 if none (hashed until the model is packed:
 * fast for 10^6 names). A momentum's name gives the pair too and sets *is_momentum (may be
 * NULL). */
int rattle__model_find_pair(const rattle_model *model, const char *name, int *is_momentum);
/* A force that changes at once where u = a - b, or a with b NONE, an expression with momenta, is 0:
 * friction.c. seam: the operation that chooses. */
typedef struct rattle__friction {
  int pair;
  rattle_expr seam, a, b;
} rattle__friction;
/* 1 if the force of that number is one; u, values [2n] being q_0, p_0, q_1 ...; u in words. */
int rattle__model_friction(const rattle_model *model, int force, rattle__friction *friction);
double rattle__friction_side(const rattle_model *model, const rattle__friction *friction,
                             const double *values);
void rattle__friction_name(const rattle_model *model, const rattle__friction *friction, char *text,
                           size_t size);
/* 1 if the coordinate of that pair has no mass and stays as it is in a step: what an angle that
 * counts turns is measured from, or the value of a controller. */
int rattle__model_is_reference(const rattle_model *model, int pair);
/* switch.c: pairs of switches that are no degrees of freedom at the start. */
int rattle__model_switched(const rattle_model *model);
/* switch.c: the switch whose change that event is, or -1. */
int rattle__model_switch_of(const rattle_model *model, int event);
/* controller.c: BAD_MODEL where a constraint depends on the value of a controller. */
rattle_status rattle__model_check_controllers(const rattle_model *model, rattle_error *error);
/* Time starts with the run: the coordinate t starts at the start_time of the wishes. */
void rattle__model_set_clock(rattle_model *model);
/* True if H has been given; p_t alone, which comes with time, does not count. */
int rattle__model_has_hamiltonian(const rattle_model *model);
/* Known name nearest to `name` among the pairs (edit distance), or NULL if nothing is near. */
const char *rattle__model_nearest(const rattle_model *model, const char *name);
int rattle__model_find_constraint(const rattle_model *model, const char *name);
/* The same of the constraints on velocities. */
int rattle__model_find_velocity_row(const rattle_model *model, const char *name);
/* Frees the indices that only extending the model needs: of the graph's nodes, and of names, which
 * are then sought one by one. Both are made again when the model is extended. */
void rattle__model_pack(rattle_model *model);
/* Name of graph variable `index`, for rattle_expr_print; context: a const rattle_model. Beyond the
 * pairs: "s[i]". */
const char *rattle__model_variable_name(void *context, int32_t index);
/* An array with room for element `count`: array itself, or a larger one (size updated); NULL if
 * there is no memory, array still being there. */
void *rattle__room(void *array, int count, int *size, size_t element);
/* A copy of text that lives as long as the model, NULL if there is no memory. */
char *rattle__model_keep(rattle_model *model, const char *text);
/* BAD_ARGUMENT: a name that records, tables and plots could not show, an expression that is not one
 * of the model's; `what` and `name` are said. */
rattle_status rattle__model_check_name(const char *what, const char *name, rattle_error *error);
rattle_status rattle__model_check_expression(const rattle_model *model, const char *what,
                                             const char *name, rattle_expr e, rattle_error *error);
/* multiplier.c: the multiplier that a graph variable is, or NULL; the place of that of symbol k:
 * one of these, the others being -1; all are -1 of free variables that were eliminated. */
const rattle__multiplier *rattle__model_multiplier(const rattle_model *model, int32_t variable);
typedef struct rattle__multiplier_of {
  int constraint, velocity_row, observable, coordinate;
} rattle__multiplier_of;
rattle__multiplier_of rattle__model_multiplier_of(const rattle_model *model, int k);
/* In expressions, the symbols become the graph variables from `first` on, or the coordinates that
 * they are. */
rattle_status rattle__model_place_multipliers(rattle_model *model, rattle_expr *root, int count,
                                              int32_t first, rattle_error *error);
/* Observes the multipliers of the constraints that are omitted, as "lambda[NAME]". */
rattle_status rattle__model_observe_omitted(rattle_model *model, rattle_error *error);
/* jumps.c: what may jump in a step: angles that H, constraints or forces depend on or that count
 * turns, and, of solutions of coordinates without mass, also poles (ground/expr/poles.h). Adds the
 * angle, or the node with the pole, and its direction y, x to yx. */
rattle_status rattle__model_jumps(const rattle_model *model, rattle__stack *angle,
                                  rattle__stack *yx, rattle_error *error);
/* The coordinate without mass whose solution contains e, or NULL. */
const char *rattle__model_solution_with(const rattle_model *model, rattle_expr e);
/* The whole model: at least one pair, H given, no variable without a pair in H, g or observables.
 * Called by whoever has finished a model or makes a problem of one. */
rattle_status rattle__model_check(const rattle_model *model, rattle_error *error);
/* highest[e]: the highest variable in expression e. */
rattle_status rattle__drawings_check(const rattle_model *model, const int32_t *highest,
                                     rattle_error *error);
rattle_status rattle__model_add_parameter(rattle_model *model, const char *name, double value,
                                          rattle_error *error);
/* For the parameter declared last. */
rattle_status rattle__model_add_parameter_range(rattle_model *model, const double range[2],
                                                rattle_error *error);
/* inputs.c: whether a start of graph variable `which` is an input; all values by those of the
 * parameters given, which must be inputs: UNSUITABLE where the model would be another one. */
rattle_status rattle__model_add_input(rattle_model *model, rattle__model_input input,
                                      rattle_error *error);
int rattle__model_start_is_input(const rattle_model *model, int which);
rattle_status rattle__model_set_inputs(rattle_model *model, const rattle_parameter *parameters,
                                       int count, rattle_error *error);
/* parameter_pairs.c: these inputs become coordinates of pairs, which come last, in their order, and
 * the expressions of all inputs of the model those by these coordinates. The model has no inputs
 * for its problems from then on: the caller takes them out (model->inputs = 0). */
rattle_status rattle__model_parameters_to_pairs(rattle_model *model, const char *const *name,
                                                int count, rattle_error *error);
#endif
