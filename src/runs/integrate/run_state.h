#ifndef RATTLE__RUN_STATE_H
#define RATTLE__RUN_STATE_H
/* Inside of the driver of runs. */
#include "rattle/run.h"
#include "runs/integrate/events.h"
#include "problem/functions/probe.h"
#include "problem/functions/answers.h"

typedef struct rattle__run {
  rattle_integrator *integrator;
  const rattle_problem *problem;
  rattle__probe *probe; /* evaluates the samples */
  rattle_state *state;
  const rattle_run_options *options;
  rattle_observer *const *observers;
  int observer_count, begun; /* begun: how many observers have begun */
  int n, m, observables, recording;
  long long every;                /* samples at step numbers divisible by it */
  long long degenerate_every;     /* N is evaluated if the step number is divisible by it */
  long long first, last, sampled; /* step numbers: start, wanted end, of the last sample taken */
  long long expected;             /* steps; if they adapt, those of h that the time would take */
  const double *until;            /* if steps adapt: the time wanted, or NULL */
  double low, high;
  double sample_g, sample_psi; /* largest residuals over the samples */
  double clock;                /* at the start of the run */
  double end; /* the time of a sample within a step, at which the run has ended; NaN: none */
  double *room, *q, *p, *g, *psi, *multipliers, *observed, *extra, *energies;
  double *noted, noted_time; /* the last values for extremes [observables] (extremes.c) */
  rattle__answers *answers;  /* of callbacks, in the integrator */
  rattle__events *events;    /* NULL: none are sought */
  rattle_summary summary;
} rattle__run;

/* The time of the state; whether the state is that of the end. */
double rattle__run_time(const rattle__run *d);
int rattle__run_is_over(const rattle__run *d);

/* samples.c: where samples are taken; room for them. */
void rattle__run_plan_samples(rattle__run *d);
rattle_status rattle__run_make_room(rattle__run *d, rattle_error *error);
/* The sample at the present state; for the observers that have begun; both. */
rattle_status rattle__run_sample(rattle__run *d, rattle_sample *sample, rattle_error *error);
rattle_status rattle__run_hand_out(rattle__run *d, const rattle_sample *sample,
                                   rattle_error *error);
rattle_status rattle__run_take_sample(rattle__run *d, rattle_error *error);

/* extremes.c: takes the point of the state, or at an event in a step that in q and p, for extremes;
 * their means at the end. */
rattle_status rattle__run_note(rattle__run *d, int first, rattle_error *error);
void rattle__run_note_end(rattle__run *d, double time);
void rattle__run_means(const rattle__run *d);

int rattle__run_hears_events(const rattle_observer *observer);
/* Takes the events since the last whole step, up to one that ends the run: the state is then that
 * step again. The second seeks them first. */
rattle_status rattle__run_take_events(rattle__run *d, rattle_error *error);
rattle_status rattle__run_seek_events(rattle__run *d, rattle_error *error);
#endif
