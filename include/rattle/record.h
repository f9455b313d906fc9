#ifndef RATTLE_RECORD_H
#define RATTLE_RECORD_H
/* Records: the HDF5 file of a run in the H5MD 1.1 layout; it contains all that is needed to repeat,
 * resume or report the run. */
#include "rattle/warnings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_record rattle_record;

typedef struct rattle_record_options {
  size_t struct_size; /* sizeof, or 0: status.h */
  int force; /* 1: an existing file is replaced (by renaming a temporary file, after the run has
                started) */
  const char *method;            /* method expression as run */
  double step, start_time, stop; /* as requested; stop NaN: none */
  long long steps,
      every; /* steps: an estimate, for a method that adapts them (rattle_method_adapts) and runs
                up to stop */
  double flush_seconds; /* 0: the default, 1 s: older samples are on disk, also after kill -9 */
  const rattle_events *events; /* of the run, as it gets them; may be NULL */
  const volatile int
      *interrupt; /* may be NULL; if it becomes nonzero (status.h) while the file is created, which
                     takes long where there are 10^5 observables: RATTLE_INTERRUPTED, and no file */
} rattle_record_options;

/* Creates PATH (when its observer begins) for a run of the problem. The folder must be writable and
 * the file must not exist (RATTLE_EXISTS), unless forced; an empty file that nobody is writing, as
 * a killed command may leave it, is replaced. The observer returned by rattle_record_observer
 * writes it. */
RATTLE_API rattle_status rattle_record_create(rattle_record **record, const char *path,
                                              const rattle_problem *problem,
                                              const rattle_record_options *options,
                                              rattle_error *error);
/* Opens a record to append (resume): the file must be closed cleanly or recovered
 * (RATTLE_BAD_RECORD), and no other process may be writing it (RATTLE_IO). A run whose first sample
 * is the last one recorded continues it: that sample is not written twice. When it begins the
 * metadata of the file are made anew, which would lose what others have added to it:
 * RATTLE_BAD_ARGUMENT where there is such a thing. */
RATTLE_API rattle_status rattle_record_append(rattle_record **record, const char *path,
                                              rattle_error *error);
/* Opens a record to read; works while it is being written (SWMR). RATTLE_NEWER_RECORD,
 * RATTLE_BAD_RECORD. Here, in rattle_record_append, rattle_record_recover and rattle_study_load, a
 * child process (fork) reads the file, since HDF5 may crash on files of strangers: RATTLE_IO if
 * there can be no child. Another one reads it again in rattle_record_refresh and when a run that
 * continues it begins, and unpacks rows that another program has compressed when they are first
 * read. */
RATTLE_API rattle_status rattle_record_open(rattle_record **record, const char *path,
                                            rattle_error *error);
RATTLE_API void rattle_record_close(rattle_record **record);
RATTLE_API rattle_observer *rattle_record_observer(rattle_record *record);
/* The sentences that the warnings have when the run begins and when it ends stand in the record,
 * after those of runs that it continues; the last eight are kept. The warnings must live as long as
 * the run. */
RATTLE_API void rattle_record_keep_warnings(rattle_record *record, const rattle_warnings *warnings);

/* The description of a run in its record. Strings belong to the record. */
typedef struct rattle_record_info {
  const char *title, *method, *kind, *version, *model_text, *model_file, *model_hash, *created;
  int n, m, observables;
  long long samples, steps_asked, every, last_step;
  double step, start_time, last_time, initial_energy;
  double energy_max_error, energy_max_relative_error, g_max, psi_max; /* so far */
  const char *status_name, *message; /* "" while running or never closed */
  int closed; /* 1: the run ended (done, failed or interrupted); 0: being written, or left open */
  const char *const *coordinate_names, *const *momentum_names, *const *constraint_names,
                                                                   *const *observable_names;
  int parameters;
  const rattle_parameter *parameter;
  rattle_status status; /* of status_name; RATTLE_OK while running */
  const char *solver, *evaluator;
  double wall_seconds, min_singular_value, min_singular_time; /* so far; NaN if there is none */
  rattle_counts counts; /* so far, all runs together; steps is the last step's number */
  double stop_asked;    /* the requested end time; NaN: none. If steps adapt, steps_asked is an
                     estimate, or the final number */
  int adapts;  /* 1: steps differ in length (rattle_method_adapts), and samples have their own
                 times; step is the first */
  int written; /* of a record opened for reading: 1: a run is writing it; 0: none is; -1: the
                  file system has no locks */
  const char
      *plugin; /* name and version of the plug-in that the method needs (plugin.h); "" if none */
  int events;  /* those of the model, of the run, and "at" if there was output at given
                       * times */
  const char *const *event_names;
  /* To continue the run, with `event` and `count` added if it had events from functions: the times
   * of output, how many there have been of each event (counts) and when the last one was */
  const rattle_events *events_so_far;
  /* Units that the model gives, as H5MD writes them ("u nm2 ps-2"); "" for none. Positions and
   * momenta have one if all coordinates are axes of particles */
  const char *unit_length, *unit_time, *unit_energy, *unit_position, *unit_momentum;
  int has_work;                     /* 1: energy may come in, and `energy` is the balance H - work
                 * (rattle_integrator_has_work); 0 also of records before 0.2, which do not say */
  int warnings;                     /* sentences about the run (rattle_record_keep_warnings) */
  const char *const *warning_texts; /* [warnings] */
} rattle_record_info;
/* The state of a record opened for reading when it was opened or refreshed; of one being written,
 * at the last flush. */
RATTLE_API const rattle_record_info *rattle_record_info_of(const rattle_record *record);
/* Reads the new samples and figures of a record that a run is writing, and its end. Pointers in the
 * info remain valid. RATTLE_BAD_RECORD: the record is damaged, or another file has replaced it
 * (forced, recovered). After any failure the record object is unchanged. */
RATTLE_API rattle_status rattle_record_refresh(rattle_record *record, rattle_error *error);
/* The state to resume from: q[n], p[n] and extra (as many as the integrator declares; may be NULL
 * if none). In addition to the samples, the record contains a checkpoint of the last state. */
RATTLE_API rattle_status rattle_record_state(const rattle_record *record, double *q, double *p,
                                             double *extra, int extra_size, long long *step,
                                             rattle_error *error);
/* Reads samples [first, first+count): time[count], energy[count], q[count*n], p[count*n],
 * multipliers[count*m], observed[count*observables]; any may be NULL. */
RATTLE_API rattle_status rattle_record_read(const rattle_record *record, long long first,
                                            long long count, double *time, double *energy,
                                            double *q, double *p, double *multipliers,
                                            double *observed, rattle_error *error);

/* A record as a table: a row for each sample, a number in each column. The largest residuals of a
 * sample and the multipliers exist only if m > 0. */
typedef enum rattle_quantity {
  RATTLE_STEP_NUMBER,
  RATTLE_TIME,
  RATTLE_ENERGY,
  RATTLE_CONSTRAINT, /* max_i |g_i| */
  RATTLE_HIDDEN,     /* max_i |psi_i| */
  RATTLE_MULTIPLIER, /* from here on `index` selects one: < m, < n, < n, < observables */
  RATTLE_COORDINATE,
  RATTLE_MOMENTUM,
  RATTLE_OBSERVABLE,
  RATTLE_DIRECTION,  /* of an event alone: 1: e rises, -1: it falls; 0: output at a given time */
  RATTLE_WORK,       /* of forces, drives, moving constraints and heat baths; where info.has_work */
  RATTLE_HAMILTONIAN /* energy + work; where info.has_work */
} rattle_quantity;
typedef struct rattle_column {
  rattle_quantity quantity;
  int index; /* 0 if there is only one */
} rattle_column;
/* The column with a name: a coordinate, momentum or observable; otherwise "step", "time", "energy",
 * where there is work "H", "work" and "balance" (the energy), "g", "psi" or "lambda[NAME]" for
 * constraint NAME, which "rattle:" and that name always finds.
 * RATTLE_BAD_ARGUMENT if there is none; the message suggests the nearest name. */
RATTLE_API rattle_status rattle_record_find_column(const rattle_record *record, const char *name,
                                                   rattle_column *column, rattle_error *error);
/* Samples [first, first+count) of one column: values[count]. */
RATTLE_API rattle_status rattle_record_read_column(const rattle_record *record,
                                                   rattle_column column, long long first,
                                                   long long count, double *values,
                                                   rattle_error *error);
/* The same for samples recorded at an event: its [first, first+count) of
 * events_so_far->counts[event]. RATTLE_STEP_NUMBER is the last whole step before. */
RATTLE_API rattle_status rattle_record_read_event(const rattle_record *record, int event,
                                                  rattle_column column, long long first,
                                                  long long count, double *values,
                                                  rattle_error *error);
/* A record as a file that other programs read (docs/howto-runs.md): extended XYZ, AMBER NetCDF,
 * H5MD of MDAnalysis, or CSV with units. The first three are of models whose coordinates are all
 * axes of particles in the plane, with z = 0, or in space; they are in Angstrom and picoseconds
 * where units are known. */
typedef struct rattle_record_export {
  size_t struct_size;        /* sizeof, or 0: status.h */
  int force;                 /* 1: an existing file is replaced */
  const char *format;        /* "xyz", "nc", "h5md" or "csv"; NULL: by the ending of the path */
  const char *length, *time; /* units of a record that has none, as in units { }; may be NULL */
  double box[3];             /* edges of a periodic box, in units of the record; 0: there is none */
  long long bonds;
  const int *bond; /* [2 bonds] a coordinate of each end, for H5MD; may be NULL */
} rattle_record_export;
/* RATTLE_UNSUITABLE: the coordinates are not those of particles, or units are needed and not known;
 * RATTLE_EXISTS; RATTLE_IO. On failure there is no new file. `with` may be NULL. */
RATTLE_API rattle_status rattle_record_write(const rattle_record *record, const char *path,
                                             const rattle_record_export *with, rattle_error *error);
/* Repairs a file that a killed run left open, so that it can be read and resumed; *samples are
 * kept. An intact file is not changed. */
RATTLE_API rattle_status rattle_record_recover(const char *path, long long *samples,
                                               rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
