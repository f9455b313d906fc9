#ifndef RATTLE__STUDY_H
#define RATTLE__STUDY_H
/* What the studies share: the problem and its start, the reference, measured runs, and room for what was found.
 *
 * Symbols: z = (q, p) [2n]; T = stop - start; every run has steps h = T/N and is looked at at the times start + j T/looks,
 * j = 1 .. looks, so N is a multiple of looks. */
#include "core/arena.h"
#include "rattle/integrator.h"
#include "rattle/study.h"
#include "study/fit.h"
#include "study/jobs.h"

/* The points of a solution at the common times, and how well it is known. */
typedef struct rattle__reference {
  double *z;     /* [looks*2n] */
  double maps;   /* base maps that it took */
  double energy; /* largest energy error of its run */
  double g, psi; /* largest residuals of its run */
  int known;     /* 1: there is one */
} rattle__reference;

struct rattle_study {
  rattle_study_result r;
  rattle_study_options options;
  const rattle_problem *problem;
  rattle__arena arena;
  rattle__watch watch;
  int n, m, looks;
  double *z0;  /* [2n] the start */
  double span; /* T */
  double energy0;
  rattle__reference reference;
  const char **method; /* [methods] expressions to study */
  int methods;
  size_t noted, room; /* of the note */
  char *note;
};

/* --- study.c: room --- */
/* The kind of that name; 0, or -1 where there is none. */
int rattle__study_kind_of(const char *name, rattle_study_kind *kind);
/* A text that lives as long as the study; "" where there is no memory, which is noticed at the end. */
const char *rattle__study_text(rattle_study *study, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One more sentence of the note. */
void rattle__study_note(rattle_study *study, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Rows for the methods, made by the study: r.methods of them, with text and claims. NULL: no memory. */
rattle_study_method *rattle__study_rows(rattle_study *study, int methods, const char *const *method);
/* A table with room for its rows, filled with NaN. *value [rows*columns] is NULL where there is no memory. */
rattle_study_table rattle__study_table(rattle_study *study, const char *name, int rows, int columns, const char *const *column,
                                       double **value);

/* --- trial.c: one run, measured --- */
typedef struct rattle__trial {
  rattle_status status;
  rattle_error error;
  long long steps;
  double *z;     /* [looks*2n] what is put out at the common times; NULL: not wanted */
  double energy; /* largest energy error, every step counted */
  double g, psi; /* largest residuals; NaN where m = 0 */
  double cpu;    /* seconds of this thread in steps */
  rattle_counts counts;
} rattle__trial;
/* Runs `method` over T in trial->steps steps, a multiple of looks. What failed is in trial->status; a job that was stopped
 * is RATTLE_INTERRUPTED. */
void rattle__trial_run(const rattle_study *study, const char *method, rattle__trial *trial, rattle__job *job);

/* Errors against the reference: in q and in p in the units of the model, and relative. */
typedef struct rattle__errors {
  double q, p, relative;
} rattle__errors;
rattle__errors rattle__trial_errors(const rattle_study *study, const double *z);
/* What round-off makes of the error, the energy error and the residuals of a run of so many base maps: less is not trusted. */
typedef struct rattle__floors {
  double relative, energy, g, psi;
} rattle__floors;
rattle__floors rattle__trial_floors(const rattle_study *study, double maps);

/* --- methods.c: which methods --- */
/* The method that the doctor would advise, without a step. */
const char *rattle__study_inner(const rattle_study *study);
/* The method of highest order for the reference. */
const char *rattle__study_best(rattle_study *study);
/* The methods of a study: those asked for, or the model's own, the one advised, and the best composition of each order. */
rattle_status rattle__study_choose(rattle_study *study, rattle_error *error);
/* Base maps in a step of a method; 1 where it cannot be parsed. */
int rattle__study_stages(const char *method);

/* --- reference.c --- */
rattle_status rattle__reference_make(rattle_study *study, rattle_error *error);

/* --- sweep.c: growing numbers of steps --- */
enum { RATTLE__SWEEP_MOST = 96 };
/* Numbers of steps for runs of a method of this order, multiples of looks: doubled each time, with points between for higher
 * orders, whose errors fall fast. Returns how many; at least 1. */
int rattle__sweep_steps(const rattle_study *study, int order, int stages, long long steps[RATTLE__SWEEP_MOST]);
/* Whether a run of `next` steps would take more evaluations than a run may, judged by one that was made. */
int rattle__sweep_over(const rattle_study *study, const rattle__trial *trial, long long next);

/* --- the studies: each fills r.method and sets r.methods --- */
rattle_status rattle__study_order(rattle_study *study, rattle_error *error);
#endif
