#ifndef RATTLE__RECORD_ABOUT_H
#define RATTLE__RECORD_ABOUT_H
/* The part of a record that is constant over its life. */
#include "rattle/record.h"
#include "record/hdf5/hdf5.h"

enum {
  RATTLE__RECORD_FORMAT = 4
}; /* grows when an older library could not read the file; 1: without events, 2: particles alone, 3:
      without work */

#define RATTLE__MASSES "/particles/system/mass"

typedef struct rattle__about {
  char *title, *method, *kind, *version, *hdf5, *build, *model_file, *hash, *created, *author,
      *email, *solver, *evaluator;
  char *text;              /* of the model; "" if it was built by calls */
  char *plugin;            /* name and version of the plug-in that the method needs; "" if none */
  long long plugin_adapts; /* with a plug-in: rattle_method_adapts, which nobody without it can
                              tell */
  long long has_work;      /* 1: samples have H and the work */
  double step, start_time, stop;
  long long steps, every, n, m, observables, extra, dimension;
  rattle__labels coordinates, momenta, constraints, observed, parameter_names, metadata_keys,
      metadata_values;
  double *parameter_values;
  rattle__labels events; /* those of the model, of the run, "at" */
  double *at;            /* [ats] output at given times: by which step of time (0: none), the end
                            (NaN: none), the times */
  long long ats;         /* 0: no output is */
  double *mass;          /* of particles; NULL: unknown */
  int *place; /* [n] the position of coordinate k in a row of /particles/system/position/value;
                n-1: beyond it, that of the time */
} rattle__about;

rattle_status rattle__about_describe(rattle__about *about, const rattle_problem *problem,
                                     const rattle_record_options *options, rattle_error *error);
int rattle__about_write(const rattle__about *about, hid_t file);
int rattle__about_read(rattle__about *about, hid_t file);
void rattle__about_free(rattle__about *about);
/* 1 where all coordinates are those of particles but one, which is the time and has a channel of
 * its own. */
static inline int rattle__has_clock(const rattle__about *about) {
  return about->dimension > 1 && about->n % about->dimension != 0;
}
static inline int rattle__particles(const rattle__about *about) {
  return (int)(about->n / about->dimension);
}
#endif
