#ifndef RATTLE_STUDY_H
#define RATTLE_STUDY_H
/* Studies: many runs of a problem by one or several methods, evaluated together: orders, drift,
 * work.
 *
 * Errors are relative to a reference solution computed from the problem itself (reference below),
 * at some common times of all runs:
 *
 *     error = max(max_k |q_k - q*_k| / scale_q, max_k |p_k - p*_k| / scale_p)
 *
 * where scale_q, scale_p are the largest |q_k|, |p_k| of the reference at those times. Values
 * within the error of the reference, or within round-off, are not used in fits. Results other than
 * times do not depend on the number of threads. */
#include "rattle/method.h"
#include "rattle/orbit.h"
#include "rattle/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_study rattle_study;

typedef enum rattle_study_kind {
  RATTLE_STUDY_ORDER,       /* errors with decreasing steps, and their slopes */
  RATTLE_STUDY_DRIFT,       /* errors over a long run, and how they grow; frequencies */
  RATTLE_STUDY_WORK,        /* errors against evaluations and time, and the cheapest method for each
                        error */
  RATTLE_STUDY_COMPARE,     /* formulations and methods with the same step */
  RATTLE_STUDY_ADVISE,      /* the cheapest method and step that reach an error */
  RATTLE_STUDY_LYAPUNOV,    /* Lyapunov exponents, MEGNO and SALI, from the tangent maps of the
                            steps */
  RATTLE_STUDY_ORBIT,       /* the periodic orbit near the start, and its Floquet multipliers */
  RATTLE_STUDY_FAMILY,      /* the family of that orbit, and its bifurcations */
  RATTLE_STUDY_EQUILIBRIUM, /* the equilibrium near the start (equilibrium.h) */
  RATTLE_STUDY_MODES        /* the same, and the small motions about it */
} rattle_study_kind;

/* The error that counts: of (q, p), or the largest energy error, relative to scale_energy. */
typedef enum rattle_study_quantity {
  RATTLE_STUDY_SOLUTION,
  RATTLE_STUDY_ENERGY
} rattle_study_quantity;

/* The window of a periodogram. */
typedef enum rattle_study_window { RATTLE_STUDY_HANN, RATTLE_STUDY_NO_WINDOW } rattle_study_window;

/* Progress, reported a few times per second. */
typedef struct rattle_study_progress {
  const char *stage;         /* "reference", "runs", ... */
  long long runs, runs_most; /* finished, and the most there can be in this stage */
  double maps;               /* base maps applied so far: stages of the method times steps */
  double seconds;            /* since the study began */
} rattle_study_progress;

typedef struct rattle_study_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  const char *const
      *method; /* expressions to study; NULL: chosen for the problem, the model's own first */
  int methods;
  const char
      *reference;      /* method of the reference; "quad": the best composition with 113 bits; NULL:
                    the best */
  const double *q, *p; /* [n] the start; NULL: the model's */
  double error;        /* of advise: the error to reach, relative */
  int project;         /* 1: the model's start is projected onto the constraints */
  double start, stop;  /* times; NaN: start of the model (or 0), a stop that suits the study */
  rattle_study_quantity quantity; /* of work and advise: which error to measure */
  double step;     /* of drift, compare, lyapunov and orbit; 0: the model's, or 0.1 over the largest
               frequency */
  long long every; /* of drift: a sample every so many steps; 0: some thousand, dense enough for the
                frequencies */
  const char *const
      *spectrum; /* of drift: coordinates, momenta or observables with a periodogram, in addition
                   to the energy */
  int spectra;   /* NULL, 0: the first few coordinates */
  rattle_study_window window;
  double effort; /* factor for the work that a run may take; 0: 1 */
  int threads;   /* 0: the number of cores */
  const volatile int
      *interrupt; /* may be NULL; if it becomes nonzero (status.h), runs end after the current
                    step: RATTLE_INTERRUPTED */
  void (*progress)(
      void *self,
      const rattle_study_progress *so_far); /* may be NULL; called by the calling thread */
  void *self;
  double period; /* of orbit and family: a guess; 0: from the closest return until `stop` */
  int arcs;      /* of orbit and family: arcs of multiple shooting; 0: as many as suit */
  rattle_orbit_held held;    /* of orbit and family: quantity that is held */
  rattle_family_along along; /* of family: what changes */
  double to;                 /* of family, equilibrium, modes: its end */
  int points;                /* of those: at most; 0: 200 */
  const char
      *parameter; /* of a family along a parameter: its name; the family begins at the value that
                    the problem has. NULL, of equilibrium and modes: no family */
  int nearest;    /* of equilibrium and modes: as in rattle_equilibrium_options */
  int lowest;     /* of modes: how many; as `modes` in rattle_equilibrium_options */
  const rattle_parameter *steady; /* of both, as in rattle_equilibrium_options [steadies] */
  int steadies;
} rattle_study_options;

/* A table of numbers, row by row; unknown numbers are NaN. */
typedef struct rattle_study_table {
  const char *name; /* "points", ... */
  int rows, columns;
  const char *const *column; /* names */
  const double *value;       /* [rows*columns] */
  int bulk;                  /* 1: thousands of rows, intended for plots */
} rattle_study_table;

/* A power law fitted to columns of a table: log(value) = slope*log(abscissa) + constant.
 * (energy_trend of drift: energy error = slope*t + constant, and error_rate: log(error) = slope*t +
 * constant.) */
typedef struct rattle_study_fit {
  const char *name;   /* of the column */
  double slope;       /* NaN: too few points */
  double uncertainty; /* half the width of the interval of 95 % (Student's t); INFINITY with two
                      points */
  double low, high;   /* range of the abscissa used */
  int points;         /* used */
} rattle_study_fit;

typedef struct rattle_study_figure {
  const char *name;
  double value;
} rattle_study_figure;

/* The results of one method. */
typedef struct rattle_study_method {
  const char *method;   /* canonical text; as given if it could not be parsed */
  rattle_claims claims; /* all 0 if it could not be parsed */
  rattle_status status; /* not RATTLE_OK: it could not be studied; message gives the reason */
  const char *message;  /* "" if status is RATTLE_OK */
  const char *verdict;  /* one word: of an order "confirmed", "refuted", "undecided"; of a drift
                  "bounded", "drifts", "round-off", "failed", "undecided"; of lyapunov
                  "exponential", "regular", "undecided"; of orbit "stable", "unstable",
                  "undecided"; "" if there is none */
  const char *why;      /* sentences */
  int figures, fits, tables;
  const rattle_study_figure *figure;
  const rattle_study_fit *fit;
  const rattle_study_table *table;
  const void *reserved[4]; /* NULL: space for future members */
} rattle_study_method;

/* The reference solution: its step was halved until two solutions agreed as well as round-off
 * permits. */
typedef struct rattle_study_reference {
  const char *method; /* "" if the study has none */
  double step;
  long long steps;
  double error; /* relative, as above: distance to the solution with twice the step; larger if finer
                steps disagreed more */
  double scale_q, scale_p, scale_energy; /* units in which errors are relative; scale_energy:
                       rattle_summary.energy_scale */
  double reserved[4];                    /* 0: space for future members */
} rattle_study_reference;

/* Strings and arrays belong to the study. */
typedef struct rattle_study_result {
  rattle_study_kind kind;
  const char *kind_name;               /* "order", ... */
  const char *title;                   /* of the model, "" if none */
  const char *model_file, *model_text; /* "" if built by calls */
  const char *problem;                 /* rattle_problem_kind_name */
  const char *evaluator;               /* rattle_problem_evaluator */
  const char *version, *created;       /* of the library; UTC, for example 2026-01-31T12:00:00Z */
  int n, m;
  int parameters;
  const rattle_parameter *parameter;
  double start, stop;
  double frequency; /* the largest of the linearised motion, at the start and along some way from
                    there; NaN: unknown */
  rattle_study_reference reference;
  int methods;
  const rattle_study_method *method; /* in the order given */
  int figures;
  const rattle_study_figure *figure; /* of the study as a whole */
  int tables;
  const rattle_study_table *table;
  const char *verdict,
      *why; /* of advise: "sure", "fairly sure", "unsure", "none", and sentences; otherwise "" */
  rattle_status status; /* RATTLE_OK, or RATTLE_INTERRUPTED: the results up to then */
  const char *note;     /* further sentences, "" if none */
} rattle_study_result;

/* Makes a study. A method that cannot be studied is not a failure, unless memory is exhausted; its
 * entry has the reason. RATTLE_INTERRUPTED gives a study of the results up to then, if the
 * reference was complete; after other failures *study is NULL. The study holds the problem. */
RATTLE_API rattle_status rattle_study_create(rattle_study **study, const rattle_problem *problem,
                                             rattle_study_kind kind,
                                             const rattle_study_options *options,
                                             rattle_error *error);
RATTLE_API void rattle_study_destroy(rattle_study **study);
RATTLE_API const rattle_study_result *rattle_study_result_of(const rattle_study *study);

/* Writes a study to an HDF5 file (layout in docs/studies.md). The file appears only when it is
 * complete. The folder must be writable and the file must not exist (RATTLE_EXISTS), unless forced
 * or empty. */
RATTLE_API rattle_status rattle_study_save(const rattle_study *study, const char *path, int force,
                                           rattle_error *error);
/* Reads a study: the same result, bit for bit. RATTLE_BAD_RECORD, RATTLE_NEWER_RECORD. */
RATTLE_API rattle_status rattle_study_load(rattle_study **study, const char *path,
                                           rattle_error *error);

/* By name; NULL if there is none, NaN for a figure. */
RATTLE_API const rattle_study_table *rattle_study_find_table(const rattle_study_method *method,
                                                             const char *name);
RATTLE_API const rattle_study_fit *rattle_study_find_fit(const rattle_study_method *method,
                                                         const char *name);
RATTLE_API double rattle_study_find_figure(const rattle_study_method *method, const char *name);
/* Entry of a column by name; NaN if there is no such row or column. */
RATTLE_API double rattle_study_entry(const rattle_study_table *table, int row, const char *column);

#ifdef __cplusplus
}
#endif
#endif
