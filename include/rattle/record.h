#ifndef RATTLE_RECORD_H
#define RATTLE_RECORD_H
/* Records: the HDF5 file of a run in the H5MD 1.1 layout; all that is needed to remake, resume or report it. */
#include "rattle/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_record rattle_record;

typedef struct rattle_record_options {
  int force;                     /* 1: an existing file is replaced (written beside it, then renamed when the run begins well) */
  const char *method;            /* method expression as run */
  double step, start_time, stop; /* as asked for; stop NaN: none was */
  long long steps, every; /* steps: of a method that adapts them (rattle_method_adapts) and runs up to stop, about so many */
  double flush_seconds;   /* 0: the default, 1 s: what is older is on disk, also after kill -9 */
} rattle_record_options;

/* Creates PATH (when its observer begins) for a run of the problem. The folder must be writable and the file must not exist
 * (RATTLE_EXISTS), unless forced. The observer returned by rattle_record_observer writes it. */
RATTLE_API rattle_status rattle_record_create(rattle_record **record, const char *path, const rattle_problem *problem,
                                              const rattle_record_options *options, rattle_error *error);
/* Opens a record to append (resume): the file must be closed cleanly or recovered (RATTLE_BAD_RECORD), and nobody may be writing
 * it (RATTLE_IO). A run whose first sample is the last one recorded continues it: that sample is not written twice. */
RATTLE_API rattle_status rattle_record_append(rattle_record **record, const char *path, rattle_error *error);
/* Opens a record to read; works while it is being written (SWMR). RATTLE_NEWER_RECORD, RATTLE_BAD_RECORD. */
RATTLE_API rattle_status rattle_record_open(rattle_record **record, const char *path, rattle_error *error);
RATTLE_API void rattle_record_close(rattle_record **record);
RATTLE_API rattle_observer *rattle_record_observer(rattle_record *record);

/* What a record says of its run. Strings belong to the record. */
typedef struct rattle_record_info {
  const char *title, *method, *kind, *version, *model_text, *model_file, *model_hash, *created;
  int n, m, observables;
  long long samples, steps_asked, every, last_step;
  double step, start_time, last_time, initial_energy;
  double energy_max_error, energy_max_relative_error, g_max, psi_max; /* so far */
  const char *status_name, *message;                                  /* "" while running or never closed */
  int closed; /* 1: ended in order (done, failed or interrupted); 0: being written or left open */
  const char *const *coordinate_names, *const *momentum_names, *const *constraint_names, *const *observable_names;
  int parameters;
  const rattle_parameter *parameter;
  rattle_status status; /* of status_name; RATTLE_OK while running */
  const char *solver, *evaluator;
  double wall_seconds, min_singular_value, min_singular_time; /* so far; NaN where there is none */
  rattle_counts counts;                                       /* so far, all runs together; steps is the last step's number */
  double stop_asked; /* the end time asked for; NaN: none was. Where steps adapt, steps_asked is how many it will take, or took */
  int adapts;  /* 1: steps differ in length (rattle_method_adapts), samples stand at times of their own; step is the first */
  int written; /* of a record that is read, 1: a run is writing it; 0: none is; -1: the file system does not tell */
} rattle_record_info;
/* Of a record that is read: as it was when opened or refreshed. Of one that is written: as of the last flush. */
RATTLE_API const rattle_record_info *rattle_record_info_of(const rattle_record *record);
/* Looks again at a record that is read while a run writes it: more samples, later figures, perhaps its end. Pointers that the
 * info held stay good. RATTLE_BAD_RECORD: it is damaged, or another file has taken its place (forced, recovered); then, and on
 * any other failure, the record stays as it was. */
RATTLE_API rattle_status rattle_record_refresh(rattle_record *record, rattle_error *error);
/* The state to resume from: q[n], p[n] and extra (as many as the integrator declares; may be NULL where none). The record keeps
 * a checkpoint of the very last state besides the samples. */
RATTLE_API rattle_status rattle_record_state(const rattle_record *record, double *q, double *p, double *extra, int extra_size,
                                             long long *step, rattle_error *error);
/* Reads samples [first, first+count): time[count], energy[count], q[count*n], p[count*n], multipliers[count*m],
 * observed[count*observables]; any may be NULL. */
RATTLE_API rattle_status rattle_record_read(const rattle_record *record, long long first, long long count, double *time,
                                            double *energy, double *q, double *p, double *multipliers, double *observed,
                                            rattle_error *error);

/* A record as a table: a row for each sample, a number in each column. The largest residuals of a sample and the multipliers are
 * there only where m > 0. */
typedef enum rattle_quantity {
  RATTLE_STEP_NUMBER,
  RATTLE_TIME,
  RATTLE_ENERGY,
  RATTLE_CONSTRAINT, /* max_i |g_i| */
  RATTLE_HIDDEN,     /* max_i |psi_i| */
  RATTLE_MULTIPLIER, /* from here on `index` says which: < m, < n, < n, < observables */
  RATTLE_COORDINATE,
  RATTLE_MOMENTUM,
  RATTLE_OBSERVABLE
} rattle_quantity;
typedef struct rattle_column {
  rattle_quantity quantity;
  int index; /* 0 where there is only one */
} rattle_column;
/* The column of a name: of a coordinate, momentum or observable; else "step", "time", "energy", "g", "psi" or "lambda[NAME]" for
 * constraint NAME. RATTLE_BAD_ARGUMENT: there is none; the message says so, with the nearest name. */
RATTLE_API rattle_status rattle_record_find_column(const rattle_record *record, const char *name, rattle_column *column,
                                                   rattle_error *error);
/* Samples [first, first+count) of one column: values[count]. */
RATTLE_API rattle_status rattle_record_read_column(const rattle_record *record, rattle_column column, long long first,
                                                   long long count, double *values, rattle_error *error);
/* Makes a file that was left open (a killed run) readable and resumable again; *samples kept. A file in order is left alone. */
RATTLE_API rattle_status rattle_record_recover(const char *path, long long *samples, rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
