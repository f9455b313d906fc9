#ifndef RATTLE__ENSEMBLE_PARTS_H
#define RATTLE__ENSEMBLE_PARTS_H
/* Inside of an ensemble: the calls of the user, one at a time, and what each thread has of its own. */
#include <pthread.h>

#include "rattle/ensemble.h"

/* What all threads share. */
typedef struct rattle__ensemble {
  const rattle_problem *problem;
  const rattle_ensemble_options *options;
  pthread_mutex_t lock; /* of all that follows, and of the calls of the user */
  pthread_cond_t change;
  long long next, ended;
  int threads;              /* at work */
  volatile int stop;        /* a case or a call has ended the ensemble */
  const volatile int *flag; /* of runs: `stop`, which the waiting thread sets; without one that of the options */
  rattle_status status;     /* why */
  rattle_error error;
} rattle__ensemble;

/* Whether cases are to end now. */
static inline int rattle__ensemble_stopped(const rattle__ensemble *e) {
  const volatile int *flag = e->options->interrupt;
  return e->stop || (flag && *flag);
}

/* What a thread keeps from one case to the next. */
typedef struct rattle__worker {
  rattle__ensemble *shared;
  rattle_case c;
  rattle_parameter *given; /* [room_given] copy of those of the case */
  int room_given;
  double until;                  /* the same */
  double *parameter;             /* values by which `own` was made [parameters of the model]; NULL: there is none */
  const rattle_problem *from;    /* whose model it was made from */
  rattle_model *model;           /* remade for parameters; NULL: none is */
  rattle_problem *own;           /* of that model */
  const rattle_problem *at;      /* the problem of `integrator` */
  rattle_integrator *integrator; /* NULL: none is made */
  char *method;                  /* its expression, as given */
  int room;                      /* pairs that there is room for */
  double *z;                     /* [6 room]: start, state, output */
} rattle__worker;

/* model.c: *problem of the case, made if there are parameters; NULL on failure. */
rattle_status rattle__worker_problem(rattle__worker *w, const rattle_problem **problem, rattle_error *error);
/* The integrator of that problem and of the method of the case. */
rattle_status rattle__worker_integrator(rattle__worker *w, const rattle_problem *problem, rattle_error *error);
void rattle__worker_release(rattle__worker *w);

/* member.c: case `number`, from its description to the call of `end`. Its failure is not that of the call. */
rattle_status rattle__worker_run(rattle__worker *w, long long number, rattle_error *error);
#endif
