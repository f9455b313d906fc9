#ifndef RATTLE__STUDY_H
#define RATTLE__STUDY_H
/* The interface between the studies: the problem and its start, the reference, measured runs, and
 * room for the results.
 *
 * Symbols: z = (q, p) [2n]; T = stop - start; every run has steps h = T/N, N being a multiple of
 * `ticks`; errors are taken at the common times start + look_at[j] T/ticks, j = 0 .. looks - 1. If
 * a method adapts its steps, h is about the first one; it goes on to the first step that reaches a
 * time, and from there the solution is carried back to it. */
#include "ground/support/arena.h"
#include "rattle/integrator.h"
#include "rattle/study.h"
#include "examine/study/fit.h"
#include "examine/study/jobs.h"

/* The points of a solution at the common times, and how well it is known. */
typedef struct rattle__reference {
  double *z;     /* [looks*2n] */
  double *error; /* [looks] how well it is known there, relative */
  double maps;   /* base maps that it took */
  double map;    /* seconds of one, at the least; INFINITY: not known */
  /* of its run, or where it has more digits than the methods studied of the same run with plain
   * sums: */
  double rounding; /* how far that is from it, relative */
  double energy;   /* largest energy error */
  double g, psi;   /* largest residuals */
  int known;       /* 1: there is one */
} rattle__reference;

struct rattle_study {
  rattle_study_result r;
  rattle_study_options options;
  const rattle_problem *problem;
  rattle__arena arena;
  rattle__progress progress;
  int n, m, looks;
  long long ticks, *look_at; /* [looks], rising, the last is ticks */
  double *z0;                /* [2n] the start */
  double span;               /* T */
  double energy0;
  int still; /* 1: the start is an equilibrium, nothing moves */
  rattle__reference reference;
  const char *finest;  /* the method of highest order */
  const char **method; /* [methods] expressions to study */
  int methods;
};

/* study.c: the kind of that name; 0, or -1 if there is none. */
int rattle__study_kind_of(const char *name, rattle_study_kind *kind);

/* --- results.c: room --- */
/* A text that lives as long as the study; "" if there is no memory, which is noticed at the end. */
const char *rattle__study_text(rattle_study *study, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One more sentence of the note. */
void rattle__study_note(rattle_study *study, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Rows for the methods, made by the study: r.methods of them, with text and claims. NULL: no
 * memory. */
rattle_study_method *rattle__study_rows(rattle_study *study, int methods,
                                        const char *const *method);
/* A table with room for its rows, filled with NaN. *value [rows*columns] is NULL if there is no
 * memory. */
rattle_study_table rattle__study_table(rattle_study *study, const char *name, int rows, int columns,
                                       const char *const *column, double **value);

/* --- trial.c: one run, measured --- */
/* The values that a tap gets at each tick of a run, the start included. */
typedef struct rattle__view {
  long long tick;
  const double *q, *p;   /* the output there */
  double energy, g, psi; /* energy error and residuals of that point; NaN if m = 0 */
  double energy_max;     /* largest energy error so far, every step counted */
} rattle__view;
typedef struct rattle__trial {
  rattle_status status;
  rattle_error error;
  long long steps; /* if they adapt, as many of `step` as make the time */
  double step;     /* 0: span/steps */
  long long taken; /* steps that were made */
  double *z;       /* [looks*2n] the output at the common times; NULL: not wanted */
  double energy;   /* largest energy error, every step counted */
  double g, psi;   /* largest residuals; NaN if m = 0 */
  double cpu;      /* seconds of this thread in steps */
  double most;     /* seconds after which the run is given up as RATTLE_INTERRUPTED; 0: never */
  rattle_counts counts;
  void (*tap)(void *self, const rattle__view *view); /* NULL: none */
  void *self;
} rattle__trial;
/* Runs `method` over T in trial->steps steps, a multiple of ticks. A failure is in trial->status; a
 * job that was stopped is RATTLE_INTERRUPTED. */
void rattle__trial_run(const rattle_study *study, const char *method, rattle__trial *trial,
                       rattle__job *job);

/* Repeats a run that went well with nothing but steps, until the clock can be trusted: trial->cpu
 * becomes the shortest time, and trial->counts those of the steps alone. */
void rattle__trial_time(const rattle_study *study, const char *method, rattle__trial *trial,
                        rattle__job *job);

/* The largest errors against the reference over the common times: in q and in p in the units of the
 * model, and relative. */
typedef struct rattle__errors {
  double q, p, relative;
} rattle__errors;
rattle__errors rattle__trial_errors(const rattle_study *study, const double *z);
/* The errors at one of them. */
rattle__errors rattle__trial_errors_at(const rattle_study *study, const double *z, int look);
/* Round-off of the error, the energy error and the residuals of a run of so many base maps: smaller
 * values are not trusted. */
typedef struct rattle__floors {
  double relative, energy, g, psi;
} rattle__floors;
rattle__floors rattle__trial_floors(const rattle_study *study, double maps);

/* --- whole_run.c --- */
/* The largest relative error of a run of so many steps after each of them, or at some 2000 points
 * between if there are more. NaN: a run failed. There is a reference. */
double rattle__study_whole_run(const rattle_study *study, const char *method, long long steps,
                               rattle__job *job);

/* --- between_times.c --- */
typedef struct rattle__carrier rattle__carrier;
/* On failure destroy all the same. */
rattle_status rattle__carrier_create(rattle__carrier **carrier, const rattle_study *study,
                                     rattle_error *error);
void rattle__carrier_destroy(rattle__carrier **carrier);
/* z [2n] becomes the point that so much time later (or earlier) is reached from it, to
 * round-off. */
rattle_status rattle__carry(rattle__carrier *carrier, double time, double *z, rattle_error *error);

/* --- methods.c: which methods --- */
/* The method that the doctor would advise, without a step. */
const char *rattle__study_inner(const rattle_study *study);
/* The method of highest order for the reference. */
const char *rattle__study_best(rattle_study *study);
/* The method of the reference: the one asked for, for the word quad the best composition with 113
 * bits; else the best. */
const char *rattle__study_reference(rattle_study *study);
/* An expression without `compensated` and `quad`, and about how many times less its steps cost;
 * NULL if it has neither. */
const char *rattle__study_plain(rattle_study *study, const char *expression, double *costlier);
/* The methods of a study: those asked for; else a choice. */
typedef enum rattle__choice {
  RATTLE__CHOICE_ORDERS, /* the model's own, the one advised, and the best composition of each
                            order */
  RATTLE__CHOICE_OWN,    /* the model's own, or the one advised */
  RATTLE__CHOICE_FINEST, /* the best composition around the method advised */
  RATTLE__CHOICE_KINDS,  /* the model's own, each way of posing and solving the problem that the
                           table has, compositions as above */
  RATTLE__CHOICE_COMPOSITIONS /* the model's own, the one advised, constrained maps of higher
                                 order, every composition of it, and with steps that adapt */
} rattle__choice;
rattle_status rattle__study_choose(rattle_study *study, rattle__choice choice, rattle_error *error);
/* Base maps in a step of a method; 1 if it cannot be parsed. */
int rattle__study_stages(const rattle_study *study, const char *method);

/* --- reference.c --- */
/* WISHED: a reference that cannot be made, or not with a reasonable amount of work, is no failure;
 * see reference.known. */
typedef enum rattle__need { RATTLE__NEEDED, RATTLE__WISHED } rattle__need;
rattle_status rattle__reference_make(rattle_study *study, rattle__need need, rattle_error *error);

/* --- the studies: each fills r.method and sets r.methods --- */
rattle_status rattle__study_order(rattle_study *study, rattle_error *error);
rattle_status rattle__study_drift(rattle_study *study, rattle_error *error);
rattle_status rattle__study_work(rattle_study *study, rattle_error *error);
rattle_status rattle__study_compare(rattle_study *study, rattle_error *error);
rattle_status rattle__study_advise(rattle_study *study, rattle_error *error);
rattle_status rattle__study_lyapunov(rattle_study *study, rattle_error *error);
rattle_status rattle__study_orbit(rattle_study *study, rattle_error *error);
rattle_status rattle__study_family(rattle_study *study, rattle_error *error);
rattle_status rattle__study_equilibrium(rattle_study *study, rattle_error *error);
rattle_status rattle__study_modes(rattle_study *study, rattle_error *error);
/* --- orbit_jobs.c: what the studies of an orbit and of its family share: one job for each
 * method */
typedef struct rattle__quest {
  rattle_study *study;
  rattle_orbit_options how; /* the search of an orbit that the options ask for */
  rattle_status status;
  rattle_error error;
  void *found; /* what make() made; drop() ends it */
} rattle__quest;
typedef struct rattle__orbit_jobs {
  const char *stage; /* "orbits" */
  int most_pairs;
  rattle_status (*make)(rattle__quest *quest);
  void (*report)(const rattle__quest *quest,
                 rattle_study_method *method); /* of a quest that went well */
  void (*drop)(rattle__quest *quest);
} rattle__orbit_jobs;
rattle_status rattle__orbit_jobs_run(rattle_study *study, const rattle__orbit_jobs *jobs,
                                     rattle_error *error);

/* --- span.c: times --- */
/* The span of a kind of study: start, stop, up to four common times. */
typedef struct rattle__study_span {
  /* if nothing is asked for the model's span, but not more than so many radians of the fastest
   * motion; with whole = 1 the model's as it is, and so many radians only where it has none */
  double turns;
  int whole;
} rattle__study_span;
/* r.frequency: the largest of the linearised motion at the start and on some way from there. */
rattle_status rattle__span_frequency(rattle_study *study, rattle_error *error);
rattle_status rattle__span_find(rattle_study *study, rattle__study_span how, rattle_error *error);
/* The common times: `looks` of them, evenly. */
rattle_status rattle__span_look_evenly(rattle_study *study, int looks, rattle_error *error);
/* The step asked for, in the direction of the span: of the options, the model, or 0.1 over the
 * largest frequency. */
rattle_status rattle__span_step(const rattle_study *study, double *step, rattle_error *error);
/* Whole steps that reach the stop. */
rattle_status rattle__span_steps(const rattle_study *study, double step, long long *steps,
                                 rattle_error *error);

/* --- motion.c --- */
/* False of t and p_t, places of z [2n]: a time and what drives supply are no part of the motion, of
 * which errors are in units of its own size. */
int rattle__study_is_motion(const rattle_study *study, int place);

/* --- rest.c: where little or nothing moves --- */
/* Momenta that move as fast as shifts of q by so much at the largest frequency; 0 if unknown. */
double rattle__rest_momentum(const rattle_study *study, double scale_q);
/* Sets still: for some radians of the fastest motion everything stays where it is to 1e-12. */
rattle_status rattle__rest_find(rattle_study *study, rattle_error *error);

/* --- channels.c: quantities that are measured over a run --- */
typedef struct rattle__study_channels {
  int count, observed; /* observed: whether any is an observable */
  const char **name;
  int *index; /* in z = (q, p), or 2n + which observable */
} rattle__study_channels;
/* The name of entry `index` of (q, p, observables). */
const char *rattle__channel_name(rattle_study *study, int index);
/* Those asked for in the options, else the first few coordinates. RATTLE_BAD_ARGUMENT names the
 * nearest name. */
rattle_status rattle__channels_choose(rattle_study *study, rattle__study_channels *channels,
                                      rattle_error *error);
#endif
