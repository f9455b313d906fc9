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
  double energy;                   /* the balance H - work - supplied, which the motion keeps */
  const double *g, *psi;           /* [m] residuals at the sample */
  const double *multipliers;       /* [m] lambda of the equations of motion at the sample */
  const double *observed;          /* the model's observables */
  const double *state_q, *state_p; /* the point from which the integrator steps: differs from q, p
                                    * for project=output */
  const double *extra;             /* declared extra state, NULL if none */
  int extra_size;
  double energy_scale; /* rattle_summary's, so far */
  double work;         /* of the forces so far (rattle_integrator_work); 0 without them */
  /* of a step after `step`: above 0 for the last sample of a run that ends within a step, at an
   * event or a given time. q, p are the end then, state_q, state_p and extra the whole step, from
   * which a run goes on. 0: a whole step */
  double fraction;
  /* energy that drives and moving constraints have supplied so far, -p_t; 0 without a time in the
   * model. H at the sample is energy + work + supplied */
  double supplied;
} rattle_sample;

/* An event: a zero of e(t, q, p) along the motion, at which e changes its sign. After each step e
 * is evaluated at the points that are samples where every step is one; where its sign has changed
 * the zero is found to round-off, as the end of a step of fractional length from the last whole
 * step, of the same method (of a method that uses past points: as it makes its first step; of one
 * that adapts its steps: of the map inside). So the point satisfies the constraints as any other,
 * and the steps of the run are the same with and without events. A zero at the end of a whole step
 * belongs to that step. Two zeros in one step, between which e has a single extremum, are found
 * where the tangents at both ends of the step intersect beyond 0: always if e is convex, or
 * concave, along the step; a pair that is missed so leaves no trace. Three zeros in one step count
 * as one. The start of a run at step 0 is not an event if e is 0 to round-off there. */
typedef struct rattle_event {
  size_t struct_size; /* sizeof, or 0: status.h; the same in all elements of an array */
  const char *name;   /* unique among the events of a run, those of its model included; not "at" */
  /* *e at a point; returns 0, or fails as callbacks do (problem.h), and the run with it */
  int (*value)(void *self, double time, const double *q, const double *p, double *e);
  void *self;
  int direction;     /* 1: e rises through 0 as time goes on in the direction of h; -1: it falls; 0:
                    both */
  long long count;   /* how many are wanted, 0: all; with stop, 0 is 1 */
  int stop;          /* 1: the last one wanted ends the run */
  void *reserved[2]; /* NULL: space for future members */
} rattle_event;

/* Points that a run finds between its steps, in addition to the events of its model
 * (rattle_model_add_event): events, and output at given times. Output is an event with the name
 * "at", last in order; its points are ends of fractional steps too. A time of a whole step, to
 * round-off, is that step. */
typedef struct rattle_events {
  size_t struct_size;        /* sizeof, or 0: status.h */
  const rattle_event *event; /* [count], used until the function that was given them returns */
  int count;
  const double *times; /* in any order; may be NULL */
  int time_count;
  double
      time_step; /* above 0: output at start time + this times 1, 2, 3 ..., in the direction of h */
  const double *end; /* may be NULL; a time of output at which the run ends, as its last sample */
  /* for each event of a resumed run, "at" included if there is one: how many there were before, and
   * the time of the last, NaN: none. May be NULL (rattle_record_info has them) */
  const long long *counts;
  const double *last;
} rattle_events;

/* An event as observers see it. */
typedef struct rattle_occurrence {
  int event;        /* its number: those of the model, those of the run, "at" */
  const char *name; /* of the event */
  long long number; /* this is the number-th one */
  int direction;    /* 1: e rises, -1: it falls; 0: output at a given time */
  int ends;         /* 1: the run ends here */
  double fraction;  /* of the step, 0 .. 1 */
  const rattle_sample
      *sample; /* there; step: the last whole step before; state_q, state_p and extra are NULL */
} rattle_occurrence;

/* Result of rattle_run. Initialise it, `rattle_summary summary = {.struct_size = sizeof summary}`;
 * the run writes all other members. */
typedef struct rattle_summary {
  size_t struct_size;                 /* sizeof, or 0: status.h */
  long long steps;                    /* done in this run */
  double step, start, stop;           /* h, first and last time: that of the last sample */
  double shortest_step, longest_step; /* if steps differ in length, otherwise NaN */
  double wall_seconds;
  double energy_initial, energy_final, energy_max_error,
      energy_max_relative_error; /* over every step; relative to energy_scale */
  double g_max, g_final, psi_max,
      psi_final; /* max over steps (psi: over samples if the method does not keep psi) */
  double min_singular_value,
      min_singular_time; /* of N_ij, over at most 1000 of the samples; NaN if m = 0 */
  rattle_counts counts;
  rattle_status status;
  rattle_error error; /* filled if status is not RATTLE_OK */
  /* the size of the energies: the largest sum of the sizes of H's terms, constants apart, at the
   * start, after 1, 2, 4, 8 ... steps and at the end; of H from callbacks |T| + |V|, or max(|H|,
   * sum |p H_p|/2) */
  double energy_scale;
  /* number of the event that ended the run, whose point is the last sample; the state is the last
   * whole step before it. -1: none, the run came to the end that it was given */
  int ended_by;
  /* work of forces (RATTLE_FORCED; otherwise 0), since the start of the first run. The energies
   * above are those of the balance, H - work */
  double work;
} rattle_summary;

/* An observer. begin is called once before the first sample; record for each sample (the start is
 * the first); end once, with the summary, whether the run succeeded or not. If begin or record
 * fails, the run ends with that status (end is not called after a failed begin); if end fails, a
 * successful run gets its status. Any of the four may be NULL. progress is called a few times per
 * second. If no observer records, samples only serve the summary, and at most 1000 are taken. */
typedef struct rattle_observer {
  size_t struct_size; /* sizeof, or 0: status.h */
  void *self;
  rattle_status (*begin)(void *self, const rattle_integrator *integrator,
                         const rattle_sample *start, rattle_error *error);
  rattle_status (*record)(void *self, const rattle_sample *sample, rattle_error *error);
  rattle_status (*end)(void *self, const rattle_summary *summary, rattle_error *error);
  void (*progress)(void *self, const rattle_summary *so_far, long long steps_in_all);
  /* each event, in order, between the samples before and after it; may be NULL. If it fails, the
   * run ends with that status */
  rattle_status (*event)(void *self, const rattle_occurrence *occurrence, rattle_error *error);
} rattle_observer;

/* The values of an observable over a run: at the start, after each step and at the end. A value
 * that is not finite makes all five NaN. */
typedef struct rattle_extreme {
  double least, least_time, peak, peak_time;
  double mean; /* over time, by the trapezoidal rule; of a run without steps its value */
} rattle_extreme;

typedef struct rattle_run_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  long long steps;    /* to make from the given state */
  long long every;    /* a sample every so many steps (step numbers divisible by it), and the end */
  double initial_energy; /* NaN: the energy of the given state (a resumed run passes that of the
                          * first run) */
  /* may be NULL; if it becomes nonzero (status.h), the run ends after the current step, or within a
   * step that takes long, whose start is then the state: RATTLE_INTERRUPTED */
  const volatile int *interrupt;
  const double
      *until; /* may be NULL; the run ends at the first step whose time reaches it, or after
                `steps` */
  const rattle_events
      *events; /* may be NULL: those of the model alone. Events that nobody observes and that end
                 no run are not sought */
  rattle_extreme *extremes; /* may be NULL; [observables of the model]: filled. All are evaluated
                               after each step */
} rattle_run_options;

/* Runs. The state is advanced in place. A failure leaves the state of the last good step, of which
 * observers have received a last sample, and summary->error and *error give the reason. summary may
 * be NULL. */
RATTLE_API rattle_status rattle_run(rattle_integrator *integrator, rattle_state *state,
                                    const rattle_run_options *options,
                                    rattle_observer *const *observers, int observer_count,
                                    rattle_summary *summary, rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
