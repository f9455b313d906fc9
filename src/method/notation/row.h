#ifndef RATTLE__METHOD_ROW_H
#define RATTLE__METHOD_ROW_H
/* The constants that the file of a row defines, by the kind of the row. A new method is one row in
 * methods.def and one file with
 *
 *     const rattle__base rattle__NAME                     BASE and CONSTRAINED
 *     const rattle__wrapper rattle__wrapper_NAME          WRAPPER
 *     const rattle__field_row rattle__field_NAME          FIELD
 *     const rattle__solver rattle__solver_NAME            SOLVER
 *     const rattle__composition rattle__composition_NAME  COMPOSITION; for a fixed set of
 *     coefficients
 *                                                         a line in compositions.def is enough
 *     const rattle__sampler rattle__sampler_NAME          SAMPLER
 *
 * which the table finds by that name. Functions of expressions (claims, sensible, explain_...) are
 * called before there is a problem; functions that make maps are called for one. */
#include "method/notation/method.h"

struct rattle__context;
struct rattle__formula;
struct rattle__kernel;
struct rattle__linear;
struct rattle__map;
struct rattle__scheme;
struct rattle__relaxation;
struct rattle__tableau;
struct rattle__constrained_tableau;

/* Makes the map of a node. On failure *map may be a part to destroy, or NULL. */
typedef rattle_status rattle__create(struct rattle__map **map, struct rattle__context *context,
                                     const rattle__node *node, rattle_error *error);

/* A base map: one or both of two forms with coefficients (maps/base/base.h), or a map that makes
 * itself. */
typedef struct rattle__base {
  void (*scheme)(const rattle__node *node, struct rattle__scheme *scheme); /* NULL: no such form */
  void (*tableau)(const rattle__node *node,
                  struct rattle__tableau *tableau); /* NULL: no such form */
  /* of kind constrained: its tableau with constraints at nodes; NULL: no such form */
  void (*constrained)(const rattle__node *node, struct rattle__constrained_tableau *tableau);
  /* for maps without such a form, and for a step that is divided; those of kind constrained include
   * their constraints */
  rattle__create *create;
  /* of constrained maps that end with a slide onto psi = 0: the step without it, which has a
   * tangent (constraint/step/map.h); NULL: they have no derivative */
  rattle__create *before_slide;
  int (*order)(const rattle__node *node); /* NULL: the order of the row's claims */
  int rolls; /* of constrained maps: they know constraints on velocities */
  const char
      *given; /* "tableau" or "splitting", if it takes coefficients of the model; else NULL */
} rattle__base;

/* How a wrapper treats constraints: ignores them; slides along fibres; moves points onto them. In a
 * problem without constraints a wrapper of the last two kinds is the map inside. */
typedef enum rattle__care { RATTLE__IGNORES, RATTLE__SLIDES, RATTLE__MOVES } rattle__care;

/* claims, sensible and create are there in each wrapper; the functions that explain may be NULL. */
typedef struct rattle__wrapper {
  rattle__care care;
  int adapts;            /* its steps differ in length */
  int rolls;             /* it knows constraints on velocities, beside those of its care */
  int other_hamiltonian; /* the map inside integrates an H of the wrapper, which is never
                            separable */
  rattle_claims (*claims)(const rattle__node *node, rattle_claims inner);
  int (*sensible)(const rattle__node *node, rattle__text *reason,
                  int *blame); /* as rattle__method_sensible */
  /* advice to compositions, which need a symmetric map, as "compose ..."; NULL: none */
  const char *symmetric_form;
  rattle__create *create;
  /* For rattle_method_explain: lines on its action; the end of the sentence on its order, from the
   * comma on; lines on its claims; a clause on the cost of so many applications in a step, from the
   * comma or semicolon on. */
  void (*explain_action)(rattle__text *out, const rattle__node *node);
  void (*explain_order)(rattle__text *out, const rattle__node *node, const rattle_claims *own,
                        const rattle_claims *inner);
  void (*explain_claims)(rattle__text *out, const rattle__node *node);
  void (*explain_cost)(rattle__text *out, const rattle__node *node, int applications);
} rattle__wrapper;

/* A composition: fractions gamma[0..stages) of the step, symmetric, summing to 1. A fixed set is
 * static data in extended precision; other fractions are computed for the node and the order of the
 * map inside, by functions that a fixed set does not have. */
typedef struct rattle__composition {
  const long double *gamma;
  int stages;
  /* of a fixed set, the numbers before the centre with all their digits: "0.28L, 0.62L" */
  const char *digits;
  int (*order)(const rattle__node *node);
  int (*count)(const rattle__node *node, int inner_order);
  void (*fill)(const rattle__node *node, int inner_order, long double *gamma);
  int (*sensible)(const rattle__node *node, const rattle_claims *inner, rattle__text *reason,
                  int *blame);
} rattle__composition;

/* A field: writes its formula f and r (maps/field/formula.h). */
typedef struct rattle__field_row {
  rattle_status (*write)(struct rattle__formula *formula, rattle_error *error); /* NULL: X_H */
  /* it is defined for second-class constraints as well; for g(q) alone; its state holds other
   * momenta than p, which moving onto psi = 0 resets */
  int second_class, holonomic, other_momenta;
  int hamiltonian; /* 1: the field of another Hamiltonian; problems with forces that are no gradient
                    * have none */
} rattle__field_row;

/* When Newton's matrix is made: as the map chooses, at each iteration, or once a step and again
 * when convergence slows. */
typedef enum rattle__renewal {
  RATTLE__AS_FITS,
  RATTLE__EACH_ITERATION,
  RATTLE__ONCE_A_STEP
} rattle__renewal;

/* A solver of the multiplier equations: Newton's method with a linear backend, or sweeps in its
 * place. */
typedef struct rattle__solver {
  rattle__renewal renewal;
  /* the backend's init (ground/linear/backend.h) for any matrix and for symmetric values; NULL: by
   * size and pattern */
  rattle_status (*general)(struct rattle__linear *a, rattle_error *error),
      (*symmetric)(struct rattle__linear *a, rattle_error *error);
  /* in place of Newton's method, for natural H and g(q) alone; else NULL */
  rattle_status (*sweeps)(struct rattle__relaxation **relaxation, struct rattle__context *context,
                          double tol, rattle_error *error);
} rattle__solver;

/* A sampler: one transition of a Markov chain (runs/sample/kernel.h). In its claims, `order` is the
 * order in h of the error of its stationary measure, RATTLE_ORDER_EXACT: no error; `symmetric` is
 * detailed balance, up to the sign of the momenta. */
/* The heat bath of a sampler whose transitions are steps of the map inside, all of them accepted:
 * `run` makes a trajectory of such a sampler. */
typedef struct rattle__bath {
  double temperature, friction, seed;
} rattle__bath;

typedef struct rattle__sampler {
  void (*adjust)(const rattle__node *node, rattle_claims *claims); /* NULL: the claims of the row */
  int (*sensible)(const rattle__node *node, rattle__text *reason); /* NULL: always */
  /* the acceptance to which a warm-up steers; 0: nothing is rejected for its energy */
  double (*acceptance)(const rattle__node *node);
  rattle_status (*create)(struct rattle__kernel *kernel, const rattle__node *node,
                          rattle_error *error);
  int (*bath)(const rattle__node *node,
              rattle__bath *bath); /* 0, or NULL: it makes no trajectory */
} rattle__sampler;

/* The bath of a method's outermost node; 0: it has none. And the node whose map makes the steps:
 * the one inside a sampler, or the node itself. */
int rattle__method_bath(const rattle__node *node, rattle__bath *bath);
const rattle__node *rattle__method_steps(const rattle__node *node);

/* How a map finds its multipliers: the solver of its node, its name, and the tolerance, 0:
 * round-off. */
typedef struct rattle__solving {
  const rattle__solver *solver;
  const char *name;
  double tol;
} rattle__solving;
rattle__solving rattle__method_solving(const rattle__node *node);
/* The solving of a node without such options: the map chooses, to round-off; and true if `solving`
 * is this. */
extern const rattle__solving rattle__automatic;
int rattle__is_automatic(const rattle__solving *solving);

/* Checks of several wrappers: the map inside is a function of the point alone; it does not include
 * constraints. 1, or 0 with the reason. */
int rattle__takes_one_step_map(const rattle__node *node, rattle__text *reason);
int rattle__takes_free_map(const rattle__node *node, rattle__text *reason);

/* Sentences that several wrappers share: on a tolerance; on solves for the multipliers of g = 0,
 * and if `hidden` of psi = 0. */
void rattle__explain_loose(rattle__text *out);
void rattle__explain_solves(rattle__text *out, int applications, int hidden);

/* Stages and fractions of a node of kind composition. */
int rattle__composition_stages(const rattle__node *node);
void rattle__composition_fill(const rattle__node *node, long double *gamma);
#endif
