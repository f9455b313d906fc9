/* Records and studies in files, loaded when they are used: the functions of librattle_record, which
 * alone needs HDF5.
 *
 * librattle_record is in the folder of this library, else where the dynamic loader looks. The first
 * function that is given a path loads it, once for the process; whoever has a record has it loaded
 * already. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ground/support/error.h"
#include "rattle/cases.h"
#include "rattle/record.h"
#include "rattle/study.h"

#define FUNCTIONS(EACH)                                                                            \
  EACH(rattle_record_create)                                                                       \
  EACH(rattle_record_append)                                                                       \
  EACH(rattle_record_open)                                                                         \
  EACH(rattle_record_close)                                                                        \
  EACH(rattle_record_observer)                                                                     \
  EACH(rattle_record_keep_warnings)                                                                \
  EACH(rattle_record_info_of)                                                                      \
  EACH(rattle_record_refresh)                                                                      \
  EACH(rattle_record_state)                                                                        \
  EACH(rattle_record_read)                                                                         \
  EACH(rattle_record_find_column)                                                                  \
  EACH(rattle_record_read_column)                                                                  \
  EACH(rattle_record_read_event)                                                                   \
  EACH(rattle_record_write)                                                                        \
  EACH(rattle_record_recover)                                                                      \
  EACH(rattle_study_save)                                                                          \
  EACH(rattle_study_load)                                                                          \
  EACH(rattle_cases_create)                                                                        \
  EACH(rattle_cases_append)                                                                        \
  EACH(rattle_cases_open)                                                                          \
  EACH(rattle_cases_about_of)                                                                      \
  EACH(rattle_cases_width)                                                                         \
  EACH(rattle_cases_put)                                                                           \
  EACH(rattle_cases_flush)                                                                         \
  EACH(rattle_cases_get)                                                                           \
  EACH(rattle_cases_written)                                                                       \
  EACH(rattle_cases_close)

#define POINTER(name) __typeof__(name) *name;
static struct { FUNCTIONS(POINTER) } library;
static char fault[256]; /* why it is not loaded; "": it is */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(void) {
  Dl_info own;
  char path[4096];
  if (dladdr(&library, &own) && own.dli_fname) {
    const char *slash = strrchr(own.dli_fname, '/');
    const int folder = slash ? (int)(slash - own.dli_fname) : 0;
    if (slash && (size_t)snprintf(path, sizeof path, "%.*s/" RATTLE_RECORD_LIBRARY, folder,
                                  own.dli_fname) < sizeof path) {
      void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (found) return found;
    }
  }
  return dlopen(RATTLE_RECORD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static int find(void *from, const char *name, void *function) {
  void *symbol = dlsym(from, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/* HDF5 1.10 takes 0.25 MB when it begins, and crashes where it does not get it. */
static int has_room(void) {
  enum { ROOM = 1 << 20 };
  void *volatile room = malloc(ROOM);
  free(room);
  return room != NULL;
}

static void load(void) {
  void *from = open_library();
  int found = from != NULL;
#define FIND(name) found = found && find(from, #name, &library.name);
  FUNCTIONS(FIND)
  const char *why = found ? NULL : dlerror();
  if (found && has_room()) return;
  if (found) why = "there is no memory left for the HDF5 library";
  snprintf(fault, sizeof fault, "%s", why ? why : RATTLE_RECORD_LIBRARY " lacks its functions");
}

static rattle_status loaded(rattle_error *error) {
  pthread_once(&once, load);
  return *fault
             ? rattle__fail(error, RATTLE_IO, NULL, "records cannot be read or written: %s", fault)
             : RATTLE_OK;
}

rattle_status rattle_record_create(rattle_record **record, const char *path,
                                   const rattle_problem *problem,
                                   const rattle_record_options *options, rattle_error *error) {
  *record = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_record_create(record, path, problem, options, error);
}

rattle_status rattle_record_append(rattle_record **record, const char *path, rattle_error *error) {
  *record = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_record_append(record, path, error);
}

rattle_status rattle_record_open(rattle_record **record, const char *path, rattle_error *error) {
  *record = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_record_open(record, path, error);
}

rattle_status rattle_record_write(const rattle_record *record, const char *path,
                                  const rattle_record_export *with, rattle_error *error) {
  return library.rattle_record_write(record, path, with, error);
}

rattle_status rattle_record_recover(const char *path, long long *samples, rattle_error *error) {
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_record_recover(path, samples, error);
}

rattle_status rattle_study_save(const rattle_study *study, const char *path, int force,
                                rattle_error *error) {
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_study_save(study, path, force, error);
}

rattle_status rattle_study_load(rattle_study **study, const char *path, rattle_error *error) {
  *study = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_study_load(study, path, error);
}

void rattle_record_close(rattle_record **record) {
  if (record && *record) library.rattle_record_close(record);
}

rattle_observer *rattle_record_observer(rattle_record *record) {
  return library.rattle_record_observer(record);
}

void rattle_record_keep_warnings(rattle_record *record, const rattle_warnings *warnings) {
  library.rattle_record_keep_warnings(record, warnings);
}

const rattle_record_info *rattle_record_info_of(const rattle_record *record) {
  return library.rattle_record_info_of(record);
}

rattle_status rattle_record_refresh(rattle_record *record, rattle_error *error) {
  return library.rattle_record_refresh(record, error);
}

rattle_status rattle_record_state(const rattle_record *record, double *q, double *p, double *extra,
                                  int extra_size, long long *step, rattle_error *error) {
  return library.rattle_record_state(record, q, p, extra, extra_size, step, error);
}

rattle_status rattle_record_read(const rattle_record *record, long long first, long long count,
                                 double *time, double *energy, double *q, double *p,
                                 double *multipliers, double *observed, rattle_error *error) {
  return library.rattle_record_read(record, first, count, time, energy, q, p, multipliers, observed,
                                    error);
}

rattle_status rattle_record_find_column(const rattle_record *record, const char *name,
                                        rattle_column *column, rattle_error *error) {
  return library.rattle_record_find_column(record, name, column, error);
}

rattle_status rattle_record_read_column(const rattle_record *record, rattle_column column,
                                        long long first, long long count, double *values,
                                        rattle_error *error) {
  return library.rattle_record_read_column(record, column, first, count, values, error);
}

rattle_status rattle_record_read_event(const rattle_record *record, int event, rattle_column column,
                                       long long first, long long count, double *values,
                                       rattle_error *error) {
  return library.rattle_record_read_event(record, event, column, first, count, values, error);
}

rattle_status rattle_cases_create(rattle_cases **cases, const char *path,
                                  const rattle_cases_about *about, int force, rattle_error *error) {
  *cases = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_cases_create(cases, path, about, force, error);
}

rattle_status rattle_cases_append(rattle_cases **cases, const char *path, rattle_error *error) {
  *cases = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_cases_append(cases, path, error);
}

rattle_status rattle_cases_open(rattle_cases **cases, const char *path, rattle_error *error) {
  *cases = NULL;
  const rattle_status status = loaded(error);
  return status ? status : library.rattle_cases_open(cases, path, error);
}

const rattle_cases_about *rattle_cases_about_of(const rattle_cases *cases) {
  return library.rattle_cases_about_of(cases);
}

int rattle_cases_width(const rattle_cases *cases) {
  return library.rattle_cases_width(cases);
}

rattle_status rattle_cases_put(rattle_cases *cases, long long number, const double *row,
                               rattle_error *error) {
  return library.rattle_cases_put(cases, number, row, error);
}

rattle_status rattle_cases_flush(rattle_cases *cases, rattle_error *error) {
  return library.rattle_cases_flush(cases, error);
}

rattle_status rattle_cases_get(const rattle_cases *cases, long long first, long long count,
                               double *row, signed char *there, rattle_error *error) {
  return library.rattle_cases_get(cases, first, count, row, there, error);
}

int rattle_cases_written(const rattle_cases *cases) {
  return library.rattle_cases_written(cases);
}

rattle_status rattle_cases_close(rattle_cases **cases, rattle_error *error) {
  return cases && *cases ? library.rattle_cases_close(cases, error) : RATTLE_OK;
}
