#ifndef RATTLE__FITTING_H
#define RATTLE__FITTING_H
/* Inside of fits.
 *
 * Symbols  theta [k] the parameters; z [nz], nz = 2(n+k), a start of the model whose parameters are
 *          coordinates (q, theta, p, 0); u the unknowns: theta, and for each run a [freedom],
 *          coordinates of its start on the constraints, z = z0 + sum_l a_l B_l + O(a^2)
 * W        the derivatives of z by theta and a, [(k + freedom)*nz] */
#include "ground/support/arena.h"
#include "problem/model/model.h"
#include "rattle/fit.h"
#include "runs/tangent/tangent.h"

/* The model with its parameters as coordinates, as it was read at some values of these: made anew
 * where a comparison in it turns out otherwise (branches.c). */
typedef struct rattle__fit_system {
  const rattle_problem *given; /* as the caller has it */
  const char *method;
  rattle_model *model;
  rattle_problem *problem;
  rattle_tangent *tangent;
  int n, k, nz;
  rattle__model_input *start; /* what the start has of parameters */
  rattle_expr *slope;         /* its derivatives [starts*k] */
  int starts;
  double *observed, *row_slope, *work, *extra; /* of one point: quantities, their derivatives; of
                                                * the integrator, or NULL */
  const char **name;                           /* [k], the caller's */
  double t0, h;
} rattle__fit_system;

rattle_status rattle__fit_system_create(rattle__fit_system *s, const rattle_problem *problem,
                                        const rattle_fit_options *options, rattle_error *error);
void rattle__fit_system_destroy(rattle__fit_system *s);
/* start.c: the start z that a run of the model has with these parameters, and the system at them;
 * `z` NULL: this alone. With project = 1 moved onto the constraints. */
rattle_status rattle__fit_system_start(rattle__fit_system *s, const double *theta, int project,
                                       double *z, rattle_error *error);
/* The model read with these values of the parameters, as numbers, or with symbols = 1 as symbols
 * that have them. */
rattle_status rattle__fit_read(const rattle__fit_system *s, const double *theta, int symbols,
                               rattle_model **model, rattle_error *error);
/* The parts of the system that depend on where it is read. */
rattle_status rattle__fit_system_make(rattle__fit_system *s, const double *theta,
                                      rattle_error *error);
void rattle__fit_system_unmake(rattle__fit_system *s);
/* branches.c: the system for these parameters, with which the model read as numbers is `model`. */
rattle_status rattle__fit_system_follow(rattle__fit_system *s, const rattle_model *model,
                                        const double *theta, rattle_error *error);
/* The system follows each parameter: it is the model also a little beside theta. */
rattle_status rattle__fit_system_check(const rattle__fit_system *s, const double *theta,
                                       rattle_error *error);
/* Those numbers of a start that are expressions of parameters, at the parameters in z, into z. */
rattle_status rattle__fit_system_place(const rattle__fit_system *s, double *z, rattle_error *error);
/* W [k*nz]: the derivatives by the parameters of a start as the model gives it; momenta that follow
 * from velocities too. */
rattle_status rattle__fit_system_slopes(const rattle__fit_system *s, const double *z, double *W,
                                        rattle_error *error);
/* The place in z of variable v of the model's graph: 2i and 2i + 1 of pair i. */
static inline int rattle__fit_place(const rattle__fit_system *s, int v) {
  return (v % 2 ? s->n + s->k : 0) + v / 2;
}

typedef struct rattle__fit_column {
  int variable; /* place in z; -1: an observable */
  int observable;
} rattle__fit_column;

typedef struct rattle__fit_run {
  rattle_fit_data data;
  rattle__fit_column *column;
  int first_row, rows, first, freedom;    /* of its data; of its unknowns */
  double *z, *W, *next, *next_W, *fitted; /* next: of the step that is tried */
} rattle__fit_run;

struct rattle_fit {
  rattle_problem *problem; /* held */
  rattle__fit_system system;
  rattle__arena arena;
  rattle__fit_run *run;
  int runs, rows, unknowns, k, most_steps, named;
  int projects;        /* 1: the model moves its start onto the constraints */
  unsigned char *free; /* [nz]: 1: starts of this place are found */
  double *theta, *next, *low, *high;
  double *residual, *J, *change; /* [rows], [rows*unknowns] by columns, [unknowns] */
  double *noise;                 /* [rows]: sizes of what the residuals are differences of */
  double *trial_residual, *trial_J;
  double *end, *W; /* z and W along a run */
  long long most;  /* the most steps of a run: as many round */
  const volatile int *interrupt;
  rattle_fit_result result;
  char combination[400];
};

/* start.c: z onto the constraints by the places that are free; next_W at z of a run, and its
 * freedom at the first point. */
rattle_status rattle__fit_start_retract(rattle_fit *fit, double *z, rattle_error *error);
rattle_status rattle__fit_start_directions(rattle_fit *fit, rattle__fit_run *run, const double *z,
                                           rattle_error *error);
/* run.c: residuals [rows] and J at the starts run->next. */
rattle_status rattle__fit_residuals(rattle_fit *fit, double *residual, double *J,
                                    rattle_error *error);
/* search.c, errors.c: from theta and the starts to the least sum, and what that says. */
rattle_status rattle__fit_search(rattle_fit *fit, rattle_error *error);
rattle_status rattle__fit_errors(rattle_fit *fit, rattle_error *error);
#endif
