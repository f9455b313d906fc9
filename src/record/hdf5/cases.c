/* Files of cases: made, opened, and their rows, which are written and read in the places that HDF5
 * has given to them, without HDF5. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "rattle/cases.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/observe/place.h"
#include "record/hdf5/cases_file.h"
#include "record/hdf5/lock.h"
#include "ground/support/error.h"
#include "ground/support/lock.h"
#include "ground/support/random.h"
#include "ground/support/sized.h"

enum { MODEL_TEXT = 2, VERSION = 5, CREATED = 6, TEXTS = 7 };
static const double flush_seconds = 0.2;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- rows ---- */

/* The checksum of a row, its number and its sweep; never 0. */
static uint64_t sum_of(const rattle_cases *cases, long long number, const double *row) {
  uint64_t sum = rattle__random_mix(cases->seed + (uint64_t)number * RATTLE__WEYL);
  for (int i = 0; i < cases->width; i++) {
    uint64_t bits;
    memcpy(&bits, &row[i], sizeof bits);
    sum = rattle__random_mix((sum ^ bits) + RATTLE__WEYL);
  }
  return sum | 1;
}

/* All bytes, or an errno. */
static int write_at(int fd, const void *bytes, size_t size, long long offset) {
  for (size_t done = 0; done < size;) {
    const ssize_t put =
        pwrite(fd, (const char *)bytes + done, size - done, (off_t)(offset + (long long)done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put ? errno : ENOSPC;
    done += (size_t)put;
  }
  return 0;
}

/* All bytes; what a file that was cut no longer has is 0. */
static int read_at(int fd, void *bytes, size_t size, long long offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd, (char *)bytes + done, size - done, (off_t)(offset + (long long)done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    done += (size_t)got;
  }
  memset((char *)bytes + done, 0, size - done);
  return 0;
}

static int by_number(const void *a, const void *b) {
  const long long *const *x = a, *const *y = b;
  return (**x > **y) - (**x < **y);
}

/* Rows order[0 .. count), of consecutive numbers. */
static int write_run(rattle_cases *cases, long long *const *order, long long count) {
  const int columns = cases->about.columns;
  const long long first = *order[0];
  int trouble = 0;
  for (int c = 0, at = 0; c <= columns && !trouble; c++) {
    const int width = cases->place[c].width;
    for (long long k = 0; k < count; k++) {
      const double *row = cases->row + (order[k] - cases->number) * cases->width;
      if (c < columns) {
        memcpy(cases->scratch + k * width, row + at, (size_t)width * sizeof *row);
      } else {
        const uint64_t sum = sum_of(cases, *order[k], row);
        memcpy(&cases->scratch[k], &sum, sizeof sum);
      }
    }
    trouble = write_at(cases->fd, cases->scratch, (size_t)(count * width) * 8,
                       cases->place[c].offset + 8 * first * width);
    at += width;
  }
  return trouble;
}

rattle_status rattle_cases_flush(rattle_cases *cases, rattle_error *error) {
  long long *order[RATTLE__CASES_ROOM];
  const long long count = cases->waiting;
  int trouble = 0;
  for (long long k = 0; k < count; k++) order[k] = &cases->number[k];
  qsort(order, (size_t)count, sizeof *order, by_number);
  for (long long k = 0, run; k < count && !trouble; k += run) {
    for (run = 1; k + run < count && *order[k + run] == *order[k] + run;) run++;
    trouble = write_run(cases, order + k, run);
  }
  cases->waiting = 0, cases->flushed = now();
  return trouble ? rattle__place_fail(error, cases->path, "written", strerror(trouble)) : RATTLE_OK;
}

rattle_status rattle_cases_put(rattle_cases *cases, long long number, const double *row,
                               rattle_error *error) {
  if (!cases->writing || number < 0 || number >= cases->about.cases)
    return rattle__fail(
        error, RATTLE_BAD_ARGUMENT, cases->path, "case %lld cannot be written to %s: %s", number,
        cases->path, cases->writing ? "there is no such case" : "the file was opened to be read");
  memcpy(cases->row + cases->waiting * cases->width, row, (size_t)cases->width * sizeof *row);
  cases->number[cases->waiting++] = number;
  return cases->waiting < cases->room && now() < cases->flushed + flush_seconds
             ? RATTLE_OK
             : rattle_cases_flush(cases, error);
}

/* At most ROOM rows. */
static int read_rows(const rattle_cases *cases, long long first, long long count, double *row,
                     signed char *there) {
  const int columns = cases->about.columns;
  int widest = 1, trouble = 0;
  for (int c = 0; c < columns; c++)
    if (cases->place[c].width > widest) widest = cases->place[c].width;
  double *column = malloc((size_t)(count * widest) * sizeof *column);
  if (!column) return ENOMEM;
  for (int c = 0, at = 0; c < columns && !trouble; c++) {
    const int width = cases->place[c].width;
    trouble = read_at(cases->fd, column, (size_t)(count * width) * 8,
                      cases->place[c].offset + 8 * first * width);
    for (long long k = 0; k < count; k++)
      memcpy(row + k * cases->width + at, column + k * width, (size_t)width * sizeof *row);
    at += width;
  }
  if (!trouble)
    trouble =
        read_at(cases->fd, column, (size_t)count * 8, cases->place[columns].offset + 8 * first);
  for (long long k = 0; k < count && !trouble; k++) {
    uint64_t sum;
    memcpy(&sum, &column[k], sizeof sum);
    double *own = row + k * cases->width;
    there[k] = sum == 0 ? 0 : sum == sum_of(cases, first + k, own) ? 1 : -1;
    if (there[k] != 1)
      for (int i = 0; i < cases->width; i++) own[i] = (double)NAN;
  }
  free(column);
  return trouble;
}

/* Rows are what they were found to be when they were first asked for. Returns EIO where one that
 * was there has gone. */
static int keep_verdicts(const rattle_cases *cases, long long first, long long count, double *row,
                         signed char *there) {
  for (long long k = 0; k < count; k++) {
    signed char before = RATTLE__CASES_UNSEEN;
    if (__atomic_compare_exchange_n(&cases->verdict[first + k], &before, there[k], 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        before == there[k])
      continue;
    if (before == 1) return EIO;
    there[k] = before;
    for (int i = 0; i < cases->width; i++) row[k * cases->width + i] = (double)NAN;
  }
  return 0;
}

rattle_status rattle_cases_get(const rattle_cases *cases, long long first, long long count,
                               double *row, signed char *there, rattle_error *error) {
  signed char seen[RATTLE__CASES_ROOM];
  if (first < 0 || count < 0 || first > cases->about.cases || count > cases->about.cases - first)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, cases->path, "%s has no cases %lld to %lld",
                        cases->path, first, first + count - 1);
  const size_t rows = (size_t)(count < RATTLE__CASES_ROOM ? count : RATTLE__CASES_ROOM);
  double *room = row ? NULL : malloc((rows * (size_t)cases->width + 1) * sizeof *room);
  if (!row && !room) return rattle__no_memory(error);
  int trouble = 0, gone = 0;
  for (long long k = 0, some; k < count && !trouble && !gone; k += some) {
    double *own = row ? row + k * cases->width : room;
    some = count - k < RATTLE__CASES_ROOM ? count - k : RATTLE__CASES_ROOM;
    trouble = read_rows(cases, first + k, some, own, seen);
    if (!trouble && cases->verdict) gone = keep_verdicts(cases, first + k, some, own, seen);
    if (there) memcpy(there + k, seen, (size_t)some);
  }
  free(room);
  if (trouble == ENOMEM) return rattle__no_memory(error);
  if (gone)
    return rattle__fail(error, RATTLE_BAD_RECORD, cases->path,
                        "%s has lost rows while it was read: another program has changed it",
                        cases->path);
  return trouble ? rattle__place_fail(error, cases->path, "read", strerror(trouble)) : RATTLE_OK;
}

/* ---- files ---- */

static rattle_status make(rattle_cases **cases, const char *path, rattle_error *error) {
  rattle_cases *own = *cases = calloc(1, sizeof *own);
  if (!own || !(own->path = strdup(path))) return rattle__no_memory(error);
  own->fd = -1;
  return RATTLE_OK;
}

static void drop(rattle_cases **cases) {
  rattle_cases *own = *cases;
  if (!own) return;
  if (own->fd >= 0) close(own->fd);
  for (int i = 0; i < TEXTS; i++) free(own->text[i]);
  rattle__labels_free(&own->names);
  free(own->column), free(own->place), free(own->verdict), free(own->number), free(own->row);
  free(own->scratch), free(own->path), free(own);
  *cases = NULL;
}

static void show(rattle_cases *cases) {
  rattle_cases_about *about = &cases->about;
  about->title = cases->text[0], about->model_file = cases->text[1],
  about->model_text = cases->text[MODEL_TEXT];
  about->plan = cases->text[3], about->list = cases->text[4];
  about->version = cases->text[VERSION], about->created = cases->text[CREATED];
  about->column = cases->column;
}

static rattle_status make_room(rattle_cases *cases, rattle_error *error) {
  const int few = cases->about.cases < RATTLE__CASES_ROOM;
  const size_t room = few ? (size_t)cases->about.cases : RATTLE__CASES_ROOM;
  cases->room = (int)room;
  cases->number = malloc(room * sizeof *cases->number);
  cases->row = malloc(room * (size_t)cases->width * sizeof *cases->row);
  cases->scratch = malloc(room * (size_t)cases->width * sizeof *cases->scratch);
  cases->writing = 1, cases->flushed = now();
  return cases->number && cases->row && cases->scratch ? RATTLE_OK : rattle__no_memory(error);
}

static void forget(rattle_cases *cases) {
  for (int i = 0; i < TEXTS; i++) free(cases->text[i]), cases->text[i] = NULL;
  rattle__labels_free(&cases->names);
  free(cases->column), free(cases->place);
  cases->column = NULL, cases->place = NULL;
}

static rattle_status act(void *self, rattle_error *error) {
  forget(self);
  return rattle__cases_read(self, error);
}

/* Reads the description, in a child process unless it is this process's own. */
static rattle_status open_file(rattle_cases *cases, const char *path, int own,
                               rattle_error *error) {
  rattle__h5 h5;
  rattle__file_condition condition;
  rattle_status status = rattle__look(path, &condition, error);
  if (status) return status;
  rattle__h5_enter(&h5);
  const rattle__question question = {path, act, cases, -1};
  status = own ? act(cases, error) : rattle__apart(&question, error);
  rattle__h5_leave(&h5);
  if (!status) show(cases);
  return status;
}

rattle_status rattle_cases_open(rattle_cases **cases, const char *path, rattle_error *error) {
  rattle_status status = make(cases, path, error);
  /* before any row, so that rows which come later do not look like rows that never came */
  if (!status) (*cases)->held = rattle__lock_held(path);
  if (!status) status = open_file(*cases, path, 0, error);
  if (!status) {
    (*cases)->fd = open(path, O_RDONLY | O_CLOEXEC);
    if ((*cases)->fd < 0) status = rattle__place_fail(error, path, "opened", strerror(errno));
  }
  if (!status) {
    const size_t count = (size_t)(*cases)->about.cases;
    if (((*cases)->verdict = malloc(count)))
      memset((*cases)->verdict, RATTLE__CASES_UNSEEN, count);
    else
      status = rattle__no_memory(error);
  }
  if (status) drop(cases);
  return status;
}

rattle_status rattle_cases_append(rattle_cases **cases, const char *path, rattle_error *error) {
  rattle_status status = make(cases, path, error);
  if (!status) status = open_file(*cases, path, 0, error);
  if (!status) status = rattle__lock_take(path, &(*cases)->fd, error);
  if (!status) status = make_room(*cases, error);
  if (status) drop(cases);
  return status;
}

static rattle_status describe(rattle_cases *cases, const rattle_cases_about *about,
                              rattle_error *error) {
  const char *given[TEXTS] = {about->title, about->model_file, about->model_text,
                              about->plan,  about->list,       rattle_version(),
                              NULL};
  char date[32];
  time_t seconds = time(NULL);
  struct tm utc;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  given[CREATED] = date;
  int failed = 0;
  for (int i = 0; i < TEXTS; i++) failed |= !(cases->text[i] = strdup(given[i] ? given[i] : ""));
  cases->about = (rattle_cases_about){
      .struct_size = sizeof cases->about, .cases = about->cases, .columns = about->columns};
  size_t longest = 1;
  for (int c = 0; c < about->columns; c++)
    if (strlen(about->column[c].name) > longest) longest = strlen(about->column[c].name);
  failed = failed || rattle__labels_make(&cases->names, about->columns, longest);
  cases->column = calloc((size_t)about->columns, sizeof *cases->column);
  if (failed || !cases->column) return rattle__no_memory(error);
  for (int c = 0; c < about->columns; c++) {
    strcpy(cases->names.name[c], about->column[c].name);
    cases->column[c] = (rattle_cases_column){cases->names.name[c], about->column[c].width};
    if (about->column[c].width < 1)
      return rattle__fail(error, RATTLE_BAD_ARGUMENT, about->column[c].name,
                          "column '%s' has width %d; it must be 1 or more", about->column[c].name,
                          about->column[c].width);
  }
  return RATTLE_OK;
}

/* Under its temporary name; with the lock of a writer when it gets its own. */
static rattle_status put_file(rattle_cases *cases, const char *temporary, rattle_error *error) {
  rattle__h5 h5;
  int trouble = 0;
  rattle__h5_enter(&h5);
  rattle_status status = RATTLE_OK;
  if (rattle__cases_write(cases, temporary, &trouble))
    status = trouble ? rattle__place_fail(error, cases->path, "written", strerror(trouble))
                     : rattle__h5_fail(&h5, error, cases->path, "written");
  rattle__h5_leave(&h5);
  if (status) return status;
  char *path = cases->path; /* reads what was written: the places of the rows */
  cases->path = strdup(temporary);
  if (!cases->path) return cases->path = path, rattle__no_memory(error);
  status = open_file(cases, temporary, 1, error);
  free(cases->path);
  cases->path = path;
  return status ? status : rattle__lock_take(temporary, &cases->fd, error);
}

rattle_status rattle_cases_create(rattle_cases **cases, const char *path,
                                  const rattle_cases_about *given, int force, rattle_error *error) {
  rattle_cases_about about;
  char *temporary = NULL;
  *cases = NULL;
  rattle_status status = RATTLE__TAKE(&about, rattle_cases_about, created, given, error);
  if (!status && (about.cases < 1 || about.columns < 1))
    status = rattle__fail(error, RATTLE_BAD_ARGUMENT, path,
                          "a file of %lld cases and %d columns: both must be 1 or more",
                          about.cases, about.columns);
  if (!status) status = rattle__place_check(path, force, error);
  if (!status) status = make(cases, path, error);
  if (!status) status = describe(*cases, &about, error);
  if (!status) status = rattle__place_temporary(path, &temporary, error);
  if (!status) status = put_file(*cases, temporary, error);
  if (!status) status = make_room(*cases, error);
  if (!status) status = rattle__place_publish(temporary, path, force, error);
  if (status && temporary) unlink(temporary);
  free(temporary);
  if (status) drop(cases);
  return status;
}

const rattle_cases_about *rattle_cases_about_of(const rattle_cases *cases) {
  return &cases->about;
}

int rattle_cases_width(const rattle_cases *cases) {
  return cases->width;
}

int rattle_cases_written(const rattle_cases *cases) {
  return cases->writing ? rattle__lock_held(cases->path) : cases->held;
}

rattle_status rattle_cases_close(rattle_cases **cases, rattle_error *error) {
  rattle_cases *own = *cases;
  if (!own) return RATTLE_OK;
  rattle_status status = own->writing ? rattle_cases_flush(own, error) : RATTLE_OK;
  if (!status && own->writing && fsync(own->fd))
    status = rattle__place_fail(error, own->path, "synced to the disk", strerror(errno));
  drop(cases);
  return status;
}
