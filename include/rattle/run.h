#ifndef RATTLE_RUN_H
#define RATTLE_RUN_H
/* Runs: many steps of an integrator, with observers. */
#include "rattle/integrator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One sample as observers see it: const views, valid during the call. */
typedef struct rattle_sample {
  long long step;
  double time;
  const double *q, *p;             /* [n], projected for output if the method does so */
  double energy;                   /* H */
  const double *g, *psi;           /* [m] residuals at the sample */
  const double *multipliers;       /* [m] lambda of the equations of motion at the sample */
  const double *observed;          /* the model's observables */
  const double *state_q, *state_p; /* what the integrator steps from: differs from q, p for project=output */
  const double *extra;             /* declared extra state, NULL if none */
  int extra_size;
  double energy_scale; /* rattle_summary's, so far */
} rattle_sample;

/* Of rattle_run: initialised by the caller, `rattle_summary summary = {.struct_size = sizeof summary}`; what follows is written. */
typedef struct rattle_summary {
  size_t struct_size;                 /* sizeof, or 0: status.h */
  long long steps;                    /* done in this run */
  double step, start, stop;           /* h, first and last time */
  double shortest_step, longest_step; /* if steps differ in length, otherwise NaN */
  double wall_seconds;
  double energy_initial, energy_final, energy_max_error,
      energy_max_relative_error;                /* over every step; relative to energy_scale */
  double g_max, g_final, psi_max, psi_final;    /* max over steps (psi: over samples if the method does not keep psi) */
  double min_singular_value, min_singular_time; /* of N_ij, over at most 1000 of the samples; NaN if m = 0 */
  rattle_counts counts;
  rattle_status status;
  rattle_error error; /* filled if status is not RATTLE_OK */
  /* the size of the energies: the largest sum of the sizes of H's terms, constants apart, at the start, after 1, 2, 4, 8 ... steps
   * and at the end; of H from callbacks |T| + |V|, or max(|H|, sum |p H_p|/2) */
  double energy_scale;
} rattle_summary;

/* An observer. begin is called once before the first sample; record for each sample (the start is the first); end once, with
 * the summary, whether the run succeeded or not. If begin or record fails, the run ends with that status (end is not
 * called after a failed begin); if end fails, its status becomes that of a successful run. Any of the four may be NULL. progress
 * is called a few times per second. If no observer records, samples only serve the summary, and at most 1000 are taken. */
typedef struct rattle_observer {
  size_t struct_size; /* sizeof, or 0: status.h */
  void *self;
  rattle_status (*begin)(void *self, const rattle_integrator *integrator, const rattle_sample *start, rattle_error *error);
  rattle_status (*record)(void *self, const rattle_sample *sample, rattle_error *error);
  rattle_status (*end)(void *self, const rattle_summary *summary, rattle_error *error);
  void (*progress)(void *self, const rattle_summary *so_far, long long steps_in_all);
} rattle_observer;

typedef struct rattle_run_options {
  size_t struct_size;       /* sizeof, or 0: status.h */
  long long steps;          /* to make from the given state */
  long long every;          /* a sample every so many steps (step numbers divisible by it), and the last step */
  double initial_energy;    /* NaN: that of the given state (a resumed run passes that of the first run) */
  const volatile int *stop; /* may be NULL; if it becomes nonzero, the run ends after the current step: RATTLE_INTERRUPTED */
  const double *until;      /* may be NULL; the run ends at the first step whose time reaches it, or after `steps` */
} rattle_run_options;

/* Runs. The state is advanced in place. On failure the state is that of the last good step, observers have received a
 * last sample of it, and summary->error and *error give the reason. summary may be NULL. */
RATTLE_API rattle_status rattle_run(rattle_integrator *integrator, rattle_state *state, const rattle_run_options *options,
                                    rattle_observer *const *observers, int observer_count, rattle_summary *summary,
                                    rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
