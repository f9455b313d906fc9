#ifndef RATTLE__WORKER_H
#define RATTLE__WORKER_H
/* Inside of an ensemble: the calls of the user, one at a time, and what each thread has of its
 * own. */
#include <pthread.h>

#include "runs/integrate/wide.h"
#include "rattle/ensemble.h"
#include "problem/functions/probe.h"
#include "rattle/tangent.h"
#include "runs/start/start.h"
#include "ground/support/flag.h"

/* The problems that cases have named: held until the ensemble ends (problem_set.c). */
typedef struct rattle__problem_set {
  rattle_problem **slot; /* [room] hashed by address, NULL: free */
  size_t room, count;
} rattle__problem_set;

/* Holds a problem, once however often it is named; NULL is none. */
rattle_status rattle__problem_set_hold(rattle__problem_set *set, const rattle_problem *problem,
                                       rattle_error *error);
void rattle__problem_set_release(rattle__problem_set *set);

/* Data that all threads share. */
typedef struct rattle__ensemble {
  const rattle_problem *problem;
  const rattle_ensemble_options *options;
  pthread_mutex_t lock; /* of all that follows, and of the calls of the user */
  pthread_cond_t change;
  long long next, ended;
  rattle__problem_set problems;
  int threads;              /* at work */
  int wanted;               /* threads that were to be at work, set before they are */
  volatile int stop;        /* a case or a call has ended the ensemble */
  const volatile int *flag; /* for runs: `stop`, which the waiting thread sets; without a waiting
                             * thread the flag of the options */
  rattle_status status;     /* why */
  rattle_error error;
} rattle__ensemble;

/* True if cases must end now. */
static inline int rattle__ensemble_stopped(const rattle__ensemble *e) {
  return rattle__flag_is_set(&e->stop) || rattle__flag_is_set(e->options->interrupt);
}

/* The errors of a case so far (errors.c): H at the start, the least and the largest, residuals. */
typedef struct rattle__watch {
  rattle__probe *probe; /* NULL: nobody looks */
  double initial, range[2], g, psi;
  double *residual; /* [2m] scratch */
} rattle__watch;

/* A case on its way, and the point of the event that ended it. */
typedef struct rattle__member {
  struct rattle__worker *w;
  rattle_case c;
  const rattle_problem *problem;
  rattle_integrator *integrator;     /* NULL: none is made */
  int n, room;                       /* pairs; those that there is room for */
  double *q0, *p0, *q, *p, *q1, *p1; /* [n] start, state, output; one array, q0 */
  rattle_state state;
  double end; /* time of the event that ended the run; NaN: none did */
  rattle_observer ender, keeper;
  rattle_trajectory *trajectory;
  long long
      pause; /* with output at given times (outputs.c): the step from which the next one is near;
                watched: that of the next sample; else not used */
  rattle__watch watch;
  rattle_errors errors; /* rattle__member_energies sets its energies */
  rattle_summary summary;
  int extremes;                 /* 1: those of the thread are its own */
  int started, went, ran, felt; /* there is a start, an integrator, a summary, `chaos` */
  rattle_chaos chaos;
  rattle_status status;
  rattle_error why;
} rattle__member;

/* A problem whose parameters are set from case to case, in place of those that are made anew for
 * each (inputs.c). */
typedef struct rattle__settable {
  const rattle_problem *from; /* whose model it was made from; NULL: none was */
  const char **name;          /* [names] of the parameters, of `model` or of `from` */
  int names;
  rattle_model *model;
  rattle_problem *problem; /* NULL: it cannot be made from that model, or not with these names */
  int agrees;              /* 1: it has been found to be the one that is made anew */
  double *value; /* those it has, of all parameters of the model; NULL: none that it can have */
} rattle__settable;

/* The part of a case with set parameters that a lane keeps; the thread gets the part of the case
 * that was in the lane before. */
typedef struct rattle__seat {
  rattle__settable settable;
  const rattle_problem *at;
  rattle_integrator *integrator;
  char *method;
  rattle__start start;
  rattle_parameter *given;
  int room_given;
} rattle__seat;

/* Cases of a thread that are stepped together, in the lanes of vectors; those without a case are
 * copies of others. */
typedef struct rattle__wide {
  int width;            /* 0: not known yet; 1: cases are stepped one by one */
  int taken;            /* lanes with a case */
  long long gone;       /* steps that lanes made lately, */
  int stops;            /* and how often they stopped for a step that one of them takes alone */
  rattle__member *lane; /* [width]; problem NULL: without a case */
  rattle__wide_points lanes; /* their points */
  /* where parameters differ: what steps the lanes, its method and the origin of its problem, and
   * [width]; NULL: the worker's integrator does */
  rattle_integrator *lead;
  char *method;
  const rattle_problem *from;
  const char **name;
  int names;
  double *value; /* of all parameters, with which that problem was read */
  rattle__seat *seat;
} rattle__wide;

/* Memory that a thread keeps from one case to the next. */
typedef struct rattle__worker {
  rattle__ensemble *shared;
  rattle_case c;
  rattle_parameter *given; /* [room_given] copy of those of the case */
  int room_given;
  double until; /* the same */
  double *
      parameter; /* values by which `own` was made [parameters of the model]; NULL: there is none */
  const rattle_problem *from; /* whose model it was made from */
  rattle_model *model;        /* remade for parameters; NULL: none is */
  rattle_problem *own;        /* of that model */
  rattle__settable settable;
  const rattle_problem *at;      /* the problem of `integrator` */
  rattle_integrator *integrator; /* NULL: none is made */
  rattle__start start;           /* of start.problem, NULL: none is made */
  rattle_tangent *tangent;       /* of that problem and method; NULL: none is made */
  double *deviation;             /* [2n + 3][2n] tangent vectors, and a point */
  char *method;                  /* its expression, as given */
  double *observed;              /* [room_observed] of the case that ends */
  int room_observed;
  rattle_extreme *extremes; /* [room_extremes] of its observables */
  int room_extremes;
  rattle__member alone; /* the case that is not stepped with others */
  rattle__wide wide;    /* of `integrator`, or of its own lead */
  int vain; /* how often few of the lanes were taken when the integrator changed, or there were
               none */
} rattle__worker;

/* drive.c: whether events are sought; the case from its start by the driver of runs. */
int rattle__seeks_events(const rattle__worker *w, const rattle_problem *problem);
rattle_status rattle__member_drive(rattle__member *m, rattle_error *error);
/* thread_slot.c: whether the case has just these parameters; its method; whether no more is kept of
 * it than ends, and indicators of chaos; whether lanes may take it. */
int rattle__parameters_are(const rattle_case *c, const char *const *name, int names);
const char *rattle__case_method(const rattle_case *c, const rattle_problem *problem);
int rattle__case_needs_no_run(const rattle__worker *w, const rattle_case *c,
                              const rattle_problem *problem);
int rattle__case_goes_wide(const rattle__worker *w, const rattle_case *c,
                           const rattle_problem *problem);
/* outputs.c: whether nothing is kept of the case but its end and output at a few given times. Then:
 * a trajectory for it, and the first pause; from there the steps around the next time, and the
 * pause after it. */
int rattle__case_has_outputs(const rattle__worker *w, const rattle_case *c,
                             const rattle_problem *problem);
rattle_status rattle__member_plan_outputs(rattle__member *m, rattle_error *error);
rattle_status rattle__member_pass_output(rattle__member *m, rattle_error *error);
/* errors.c: whether nothing is kept of the case but its end and its errors; and whether samples are
 * far enough from one another for lanes. Then all of it, alone; or from its start, what looks at it
 * (a failure: it is to go alone), and the first pause; the sample at a pause, and the next one; the
 * residuals of steps since those of its integrator were reset; steps alone; what lanes see, in and
 * out; no more of it; after a failure in the lane, the whole case by the driver. */
int rattle__case_has_errors(const rattle__worker *w, const rattle_case *c,
                            const rattle_problem *problem);
int rattle__case_has_sparse_errors(const rattle__worker *w, const rattle_case *c,
                                   const rattle_problem *problem);
rattle_status rattle__member_go_watched(rattle__member *m, rattle_error *error);
rattle_status rattle__member_watch(rattle__member *m, rattle_error *error);
rattle_status rattle__member_look(rattle__member *m, rattle_error *error);
void rattle__member_heed_residuals(rattle__member *m);
rattle_status rattle__member_step_watched(rattle__member *m, long long steps, rattle_error *error);
void rattle__watch_put(const rattle__watch *watch, double *seen, int width);
void rattle__watch_get(rattle__member *m, const double *seen, int width);
void rattle__member_turn_away(rattle__member *m);
void rattle__member_go_again(rattle__member *m);
/* Release, before a problem goes, the start made of it; the integrator, with the lanes that it
 * steps; the problem; lanes; a lane's seat, which the thread's replaces; all. */
void rattle__worker_drop_start(rattle__worker *w, const rattle_problem *of);
void rattle__worker_drop_integrator(rattle__worker *w);
void rattle__worker_drop_problem(rattle__worker *w);
void rattle__settable_release(rattle__worker *w);
void rattle__wide_release(rattle__worker *w);
void rattle__seat_exchange(rattle__worker *w, rattle__seat *s);
void rattle__worker_release(rattle__worker *w);

/* problems.c: *problem of the case, made if there are parameters; NULL on failure. */
rattle_status rattle__worker_problem(rattle__worker *w, const rattle_problem **problem,
                                     rattle_error *error);
/* inputs.c: the problem of the case with the values of all parameters [count], set in a problem
 * that is kept; *problem NULL: the problem must be made anew. Takes over `value` unless *problem is
 * NULL. */
rattle_status rattle__settable_problem(rattle__worker *w, double *value, int count,
                                       const rattle_problem **problem, rattle_error *error);
/* model.c: makes the rattle__start of the problem, or keeps the last one if the problem is the
 * same. */
rattle_status rattle__worker_start(rattle__worker *w, const rattle_problem *problem,
                                   rattle_error *error);
/* model.c: the problem made anew from the text, with these values of all parameters; takes over
 * `value`. */
rattle_status rattle__worker_remake(rattle__worker *w, const rattle_parameter *declared, int count,
                                    double *value, rattle_evaluator evaluator, rattle_error *error);
/* True if the integrator at hand makes the steps that a new one would make; one that remembers
 * steps of the case before may not. */
/* True if a step is a function of the state alone. */
int rattle__is_without_past(const rattle_integrator *integrator);
int rattle__worker_serves(const rattle__worker *w, const rattle_problem *problem);
/* The integrator of that problem and of the method of the case. */
rattle_status rattle__worker_integrator(rattle__worker *w, const rattle_problem *problem,
                                        rattle_error *error);

/* outcome.c: the point for output; and the end of a case, which calls `end` with its status and
 * releases its own data. The status of the case is no failure of this function. */
rattle_status rattle__member_output(rattle__member *m, rattle_error *error);
/* The energies of `errors` at q1, p1; work: of forces and baths. */
static inline void rattle__member_energies(rattle__member *m, double balance, double work) {
  const int clock = m->problem->clock - 1;
  m->errors.balance = balance;
  m->errors.work = work + (clock < 0 ? 0 : 0 - m->p1[clock]); /* no -0 */
  m->errors.H = m->errors.balance + m->errors.work;
}
rattle_status rattle__member_finish(rattle__member *m, rattle_error *error);
/* chaos.c: the indicators of a case that has ended, by its steps once more. */
rattle_status rattle__member_feel(rattle__member *m, rattle_error *error);
/* From its start to its end, with its indicators; the bits are those of steps alone. 0: it is at
 * its start, since something failed. */
int rattle__member_feels_its_way(rattle__member *m);
/* member.c: case `number`, from its description to the call of `end`, or into a lane. */
rattle_status rattle__worker_run(rattle__worker *w, long long number, rattle_error *error);

/* wide.c: whether the case may go with those that are in lanes. */
int rattle__wide_fits(const rattle__worker *w);
/* True if lanes are worth compiling for the case, whose parameters would be set; and makes them, if
 * possible, for the problem of w->settable, of a model with so many parameters. */
int rattle__wide_pays(const rattle__worker *w);
rattle_status rattle__wide_lead(rattle__worker *w, int parameters, rattle_error *error);
/* The case at its start, whose integrator is there, into a lane; 0: it is to be stepped alone. */
int rattle__wide_takes(rattle__worker *w, rattle__member *m);
/* Steps the lanes until one of them is free; until all are. */
rattle_status rattle__wide_go(rattle__worker *w, rattle_error *error);
rattle_status rattle__wide_finish(rattle__worker *w, rattle_error *error);
#endif
