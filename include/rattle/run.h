#ifndef RATTLE_RUN_H
#define RATTLE_RUN_H
/* Runs: an integrator driven over many steps, with observers. */
#include "rattle/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One sample as observers see it: const views, valid during the call. */
typedef struct rattle_sample {
  long long step;
  double time;
  const double *q, *p;             /* [n], projected for output where the method asks for it */
  double energy;                   /* H */
  const double *g, *psi;           /* [m] residuals at the sample */
  const double *multipliers;       /* [m] lambda of equation (2) at the sample */
  const double *observed;          /* the model's observables */
  const double *state_q, *state_p; /* what the integrator steps from: differs from q, p for project=output */
  const double *extra;             /* declared extra state, NULL where none */
  int extra_size;
} rattle_sample;

typedef struct rattle_summary {
  long long steps;                    /* done in this run */
  double step, start, stop;           /* h, first and last time */
  double shortest_step, longest_step; /* where steps differ in length, else NaN */
  double wall_seconds;
  double energy_initial, energy_final, energy_max_error, energy_max_relative_error; /* every step counted; against the initial */
  double g_max, g_final, psi_max, psi_final;    /* max over steps (psi: over samples where the method leaves psi open) */
  double min_singular_value, min_singular_time; /* of N_ij, over at most 1000 of the samples; NaN where m = 0 */
  rattle_counts counts;
  rattle_status status;
  rattle_error error; /* filled where status is not RATTLE_OK */
} rattle_summary;

/* An observer. begin is called once before the first sample; record for each sample (the start is the first); end once, with
 * the summary, whether the run succeeded or not. A failing begin or record ends the run with that status (an
 * observer whose begin failed is not ended); a failing end makes it the status of a run that went well. Any of the four may be
 * NULL. progress is called a few times per second. Where no observer records, samples only serve the summary and are thinned to
 * at most 1000. */
typedef struct rattle_observer {
  void *self;
  rattle_status (*begin)(void *self, const rattle_integrator *integrator, const rattle_sample *start, rattle_error *error);
  rattle_status (*record)(void *self, const rattle_sample *sample, rattle_error *error);
  rattle_status (*end)(void *self, const rattle_summary *summary, rattle_error *error);
  void (*progress)(void *self, const rattle_summary *so_far, long long steps_in_all);
} rattle_observer;

typedef struct rattle_run_options {
  long long steps;          /* to do from the state given */
  long long every;          /* a sample each so many steps (step numbers divisible by it), and always the last */
  double initial_energy;    /* NaN: that of the state given (a resumed run passes the first run's) */
  const volatile int *stop; /* may be NULL; when it becomes nonzero the run ends after the step in hand: RATTLE_INTERRUPTED */
  const double *until;      /* may be NULL; the run ends at the first step whose time reaches it, or after `steps` */
} rattle_run_options;

/* Runs. The state is advanced in place. On failure the state is that of the last good step, observers have got a last sample
 * of it, and summary->error and *error say why. summary may be NULL. */
RATTLE_API rattle_status rattle_run(rattle_integrator *integrator, rattle_state *state, const rattle_run_options *options,
                                    rattle_observer *const *observers, int observer_count, rattle_summary *summary,
                                    rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
