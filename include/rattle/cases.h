#ifndef RATTLE_CASES_H
#define RATTLE_CASES_H
/* Files of cases: the HDF5 file of many trajectories, a row of numbers for each case (ensemble.h,
 * rattle sweep).
 *
 * Rows are written in any order, in the places that they have from the beginning, each with a
 * checksum of its numbers: a row is there when its checksum fits. So a file whose writer was killed
 * is a valid file at any moment, and a case that was cut, or damaged later, counts as not there and
 * is computed again when the sweep is continued. The layout is in docs/sweeps.md. */
#include <stddef.h>

#include "rattle/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rattle_cases rattle_cases;

typedef struct rattle_cases_column {
  const char *name;
  int width; /* numbers in a row, 1 or more */
} rattle_cases_column;

/* The file's description of its cases. */
typedef struct rattle_cases_about {
  size_t struct_size;                          /* sizeof, or 0: status.h */
  const char *title, *model_file, *model_text; /* NULL: "" */
  const char *plan,
      *list;       /* texts by which the cases can be made again: of `rattle sweep` its options, and
                its list of cases. NULL: "" */
  long long cases; /* 1 or more */
  int columns;     /* 1 or more */
  const rattle_cases_column *column;
  const char *version, *created; /* of a file that was opened; not read by rattle_cases_create */
} rattle_cases_about;

/* Creates PATH with no rows. The folder must be writable and the file must not exist
 * (RATTLE_EXISTS), unless forced or empty. */
RATTLE_API rattle_status rattle_cases_create(rattle_cases **cases, const char *path,
                                             const rattle_cases_about *about, int force,
                                             rattle_error *error);
/* Opens a file to add rows; no other process may be writing it (RATTLE_IO). */
RATTLE_API rattle_status rattle_cases_append(rattle_cases **cases, const char *path,
                                             rattle_error *error);
/* Opens a file to read, also while it is being written. RATTLE_BAD_RECORD, RATTLE_NEWER_RECORD; a
 * child process reads the file, as for records (record.h). */
RATTLE_API rattle_status rattle_cases_open(rattle_cases **cases, const char *path,
                                           rattle_error *error);
/* Strings belong to the object. */
RATTLE_API const rattle_cases_about *rattle_cases_about_of(const rattle_cases *cases);
/* Numbers in a row: the sum of the widths. */
RATTLE_API int rattle_cases_width(const rattle_cases *cases);
/* The row of a case: the numbers of all columns, in order. Rows are on file after a second at most,
 * and after rattle_cases_flush. */
RATTLE_API rattle_status rattle_cases_put(rattle_cases *cases, long long number, const double *row,
                                          rattle_error *error);
RATTLE_API rattle_status rattle_cases_flush(rattle_cases *cases, rattle_error *error);
/* Cases [first, first+count): row[count*width], and there[count]: 1 the row is there; 0 it is not;
 * -1 it is damaged, or being written. Rows that are not there are NaN. Either may be NULL. A file
 * that was opened to be read may be growing: which of its rows are there is said once, when a row
 * is first asked for, and stays so for this object; open the file again to see more.
 * RATTLE_BAD_RECORD where a row that was there is there no more. */
RATTLE_API rattle_status rattle_cases_get(const rattle_cases *cases, long long first,
                                          long long count, double *row, signed char *there,
                                          rattle_error *error);
/* 1: a sweep is writing the file, or was when it was opened to be read; 0: none is; -1: the file
 * system has no locks. */
RATTLE_API int rattle_cases_written(const rattle_cases *cases);
/* Writes what waits, and to the disk. The object is gone in any case. */
RATTLE_API rattle_status rattle_cases_close(rattle_cases **cases, rattle_error *error);

#ifdef __cplusplus
}
#endif
#endif
