/* Samples as lines of comma-separated values.
 *
 * Lines are built in memory and written whole, so that a file that is being written, or whose
 * writer was killed, never ends within a line. n, m, k: coordinates, constraints, observables. */
#define _GNU_SOURCE /* memrchr */
#include "rattle/observe.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/csv.h"
#include "ground/support/error.h"
#include "ground/support/lock.h"
#include "ground/support/names.h"
#include "ground/support/number.h"
#include "problem/functions/problem.h"
#include "files/observe/place.h"

enum { BUFFER = 256 * 1024, LONGEST_NUMBER = 32, LONGEST_OWN = 512, LONGEST_PREFIX = 16 };
static const double flush_seconds = 1;

struct rattle_csv {
  rattle_observer observer;
  const rattle_problem *problem;
  char *path, *temporary; /* temporary: NULL once the file is in its place */
  int force, file, n, m, k;
  int has_work;      /* columns H, work, balance */
  int clock;         /* the coordinate that is the time, which has its own column; -1: none */
  int seekable;      /* 1: a regular file, whose last line can be taken back */
  long long written; /* bytes of whole lines */
  char *buffer;
  size_t used, room; /* of the buffer; whole lines */
  double flushed;    /* when, on the monotonic clock */
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Writes the waiting lines. If writing fails, the incomplete line is removed again. */
static rattle_status flush(rattle_csv *csv, rattle_error *error) {
  size_t done = 0;
  while (done < csv->used) {
    ssize_t put = write(csv->file, csv->buffer + done, csv->used - done);
    if (put > 0) done += (size_t)put;
    if (put > 0 || (put < 0 && errno == EINTR)) continue;
    int reason = put < 0 ? errno : ENOSPC;
    const char *line = done > 0 ? memrchr(csv->buffer, '\n', done) : NULL;
    csv->written += line ? line + 1 - csv->buffer : 0;
    if (csv->seekable) (void)!ftruncate(csv->file, (off_t)csv->written);
    csv->used = 0;
    return rattle__place_fail(error, csv->path, "written", strerror(reason));
  }
  csv->written += (long long)csv->used;
  csv->used = 0;
  csv->flushed = now();
  return RATTLE_OK;
}

/* Room for `size` more bytes. */
static int reserve(rattle_csv *csv, size_t size) {
  if (csv->used + size <= csv->room) return 0;
  size_t room = 2 * csv->room > csv->used + size ? 2 * csv->room : csv->used + size;
  char *buffer = realloc(csv->buffer, room);
  if (!buffer) return -1;
  csv->buffer = buffer, csv->room = room;
  return 0;
}

static void put_text(rattle_csv *csv, const char *text) {
  size_t length = strlen(text);
  memcpy(csv->buffer + csv->used, text, length);
  csv->used += length;
}

/* A comma, and a name between `before` and `after`. */
static int put_name(rattle_csv *csv, const char *before, const char *name, const char *after) {
  if (reserve(csv, strlen(before) + 2 * strlen(name) + strlen(after) + LONGEST_NUMBER)) return -1;
  csv->buffer[csv->used++] = ',';
  csv->used += rattle__csv_name(csv->buffer + csv->used, before, name, after);
  return 0;
}

/* The names that the model gives to columns: coordinates, and, not of a problem of callbacks,
 * momenta and observables. */
static const char *given_name(const void *problem, uint32_t number) {
  const rattle_problem *of = problem;
  const rattle_model *model = rattle_problem_model(of);
  const int i = (int)number, n = rattle_problem_n(of);
  return i < n       ? rattle__problem_coordinate_name(of, i)
         : i < 2 * n ? rattle_model_momentum_name(model, i - n)
                     : rattle_model_observable_name(model, i - 2 * n);
}

/* A column that every run has. If the model has given its name to another column, it is "rattle:"
 * and the name. */
static int put_own_name(rattle_csv *csv, const rattle__names *given, const char *before,
                        const char *name, const char *after) {
  char whole[LONGEST_OWN], prefixed[LONGEST_PREFIX];
  snprintf(whole, sizeof whole, "%s%s%s", before, name, after);
  const int taken = rattle__names_find(given, whole, given_name, csv->problem) >= 0;
  snprintf(prefixed, sizeof prefixed, "%s%s", taken ? "rattle:" : "", before);
  return put_name(csv, prefixed, name, after);
}

static int put_header_names(rattle_csv *csv, const rattle__names *given) {
  const rattle_problem *problem = csv->problem;
  const rattle_model *model = rattle_problem_model(problem);
  if (put_own_name(csv, given, "", "step", "") || put_own_name(csv, given, "", "time", ""))
    return -1;
  for (int i = 0; i < csv->n; i++)
    if (i != csv->clock && put_name(csv, "", rattle__problem_coordinate_name(problem, i), ""))
      return -1;
  for (int i = 0; i < csv->n; i++) {
    /* of a problem of callbacks: "p" before the coordinate's name */
    const char *name =
        model ? rattle_model_momentum_name(model, i) : rattle__problem_coordinate_name(problem, i);
    if (put_name(csv, model ? "" : "p", name, "")) return -1;
  }
  if (put_own_name(csv, given, "", "energy", "")) return -1;
  static const char *const prefixes[] = {"g[", "psi[", "lambda["};
  for (int i = 0; i < 3 * csv->m; i++)
    if (put_own_name(csv, given, prefixes[i / csv->m],
                     rattle_problem_constraint_name(problem, i % csv->m), "]"))
      return -1;
  for (int j = 0; j < csv->k; j++)
    if (put_name(csv, "", rattle_model_observable_name(model, j), "")) return -1;
  static const char *const of_work[] = {"H", "work", "balance"};
  for (int i = 0; i < 3 * csv->has_work; i++)
    if (put_own_name(csv, given, "", of_work[i], "")) return -1;
  return 0;
}

static int put_header(rattle_csv *csv) {
  rattle__names given = {0};
  const int names = rattle_problem_model(csv->problem) ? 2 * csv->n + csv->k : csv->n;
  int failed = 0;
  for (int i = 0; i < names && !failed; i++)
    failed = rattle__names_add(&given, given_name(csv->problem, (uint32_t)i), (uint32_t)i);
  const size_t start = csv->used;
  failed = failed || put_header_names(csv, &given) || reserve(csv, 1);
  rattle__names_clear(&given);
  if (failed) return -1;
  csv->used--; /* the comma before the first name */
  memmove(csv->buffer + start, csv->buffer + start + 1, csv->used - start);
  csv->buffer[csv->used++] = '\n';
  return 0;
}

/* ",value"; the room is there. */
static void put_numbers(rattle_csv *csv, const double *x, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(x[i])) {
      put_text(csv, isnan(x[i]) ? ",nan" : x[i] > 0 ? ",inf" : ",-inf");
      continue;
    }
    csv->used += (size_t)snprintf(csv->buffer + csv->used, LONGEST_NUMBER, ",%.17g", x[i]);
  }
}

/* A new file is written next to its place and moved there with its first line. */
static rattle_status open_file(rattle_csv *csv, rattle_error *error) {
  struct stat found;
  csv->seekable = stat(csv->path, &found) != 0 || S_ISREG(found.st_mode);
  if (csv->seekable) {
    rattle_status status = rattle__place_temporary(csv->path, &csv->temporary, error);
    if (status) return status;
    csv->file = open(csv->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (csv->file >= 0) (void)rattle__lock_hold(csv->file);
  } else {
    csv->file = open(csv->path, O_WRONLY | O_CLOEXEC);
  }
  return csv->file < 0 ? rattle__place_fail(error, csv->path, "opened", strerror(errno))
                       : RATTLE_OK;
}

static rattle_status begin(void *self, const rattle_integrator *integrator,
                           const rattle_sample *start, rattle_error *error) {
  rattle_csv *csv = self;
  (void)start;
  csv->has_work = rattle_integrator_has_work(integrator);
  if (csv->file >= 0)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, csv->path,
                        "%s already belongs to a finished run", csv->path);
  rattle_status status = open_file(csv, error);
  if (!status && put_header(csv)) status = rattle__no_memory(error);
  if (!status) status = flush(csv, error);
  if (!status && csv->temporary)
    status = rattle__place_publish(csv->temporary, csv->path, csv->force, error);
  if (status) return status;
  free(csv->temporary), csv->temporary = NULL;
  return RATTLE_OK;
}

static rattle_status put_sample(void *self, const rattle_sample *sample, rattle_error *error) {
  rattle_csv *csv = self;
  size_t numbers = 2 + 2 * (size_t)csv->n + 3 * (size_t)csv->m + (size_t)csv->k + 4;
  if (reserve(csv, numbers * LONGEST_NUMBER)) return rattle__no_memory(error);
  rattle__locale locale;
  rattle__plain_locale(&locale);
  csv->used += (size_t)snprintf(csv->buffer + csv->used, LONGEST_NUMBER, "%lld", sample->step);
  put_numbers(csv, &sample->time, 1);
  const int before = csv->clock < 0 ? csv->n : csv->clock,
            after = csv->clock < 0 ? 0 : csv->n - csv->clock - 1;
  put_numbers(csv, sample->q, before);
  put_numbers(csv, sample->q + csv->n - after, after);
  put_numbers(csv, sample->p, csv->n);
  put_numbers(csv, &sample->energy, 1);
  put_numbers(csv, sample->g, csv->m);
  put_numbers(csv, sample->psi, csv->m);
  put_numbers(csv, sample->multipliers, csv->m);
  put_numbers(csv, sample->observed, csv->k);
  const double work = sample->work + sample->supplied,
               of_work[] = {sample->energy + work, work, sample->energy};
  put_numbers(csv, of_work, 3 * csv->has_work);
  rattle__restore_locale(&locale);
  csv->buffer[csv->used++] = '\n';
  if (csv->used < BUFFER && now() - csv->flushed < flush_seconds) return RATTLE_OK;
  return flush(csv, error);
}

static rattle_status end(void *self, const rattle_summary *summary, rattle_error *error) {
  rattle_csv *csv = self;
  (void)summary;
  rattle_status status = flush(csv, error);
  /* some file systems tell of a full disk only here */
  if (close(csv->file) && !status)
    status = rattle__place_fail(error, csv->path, "written", strerror(errno));
  csv->file = -1;
  return status;
}

rattle_status rattle_csv_create(rattle_csv **csv, const char *path, const rattle_problem *problem,
                                int force, rattle_error *error) {
  *csv = NULL;
  struct stat found;
  if (stat(path, &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) {
    rattle_status status = rattle__place_check(path, force, error);
    if (status) return status;
  }
  rattle_csv *c = calloc(1, sizeof *c);
  if (!c) return rattle__no_memory(error);
  const rattle_model *model = rattle_problem_model(problem);
  c->observer = (rattle_observer){.self = c, .begin = begin, .record = put_sample, .end = end};
  c->problem = rattle_problem_retain(problem);
  c->force = force;
  c->file = -1;
  c->n = rattle_problem_n(problem), c->m = rattle_problem_m(problem);
  c->clock = model ? rattle_model_clock(model) : -1;
  c->k = model ? rattle_model_observables(model) : 0;
  if (!(c->path = strdup(path)) || reserve(c, BUFFER)) {
    rattle_csv_destroy(&c);
    return rattle__no_memory(error);
  }
  *csv = c;
  return RATTLE_OK;
}

rattle_observer *rattle_csv_observer(rattle_csv *csv) {
  return &csv->observer;
}

void rattle_csv_destroy(rattle_csv **csv) {
  rattle_csv *c = csv ? *csv : NULL;
  if (!c) return;
  if (c->file >= 0) close(c->file);
  if (c->temporary) unlink(c->temporary);
  rattle_problem *problem = (rattle_problem *)c->problem;
  rattle_problem_destroy(&problem);
  free(c->temporary), free(c->path), free(c->buffer), free(c);
  *csv = NULL;
}
