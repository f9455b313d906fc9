#ifndef RATTLE__CASES_FILE_H
#define RATTLE__CASES_FILE_H
/* Inside of a file of cases (rattle/cases.h). */
#include <stdint.h>

#include "rattle/cases.h"
#include "record/hdf5/hdf5.h"

enum { RATTLE__CASES_FORMAT = 1 }; /* grows when an older library could not read the file */

/* The place of a data set's numbers in the file. */
typedef struct rattle__place_in_file {
  long long offset;
  int width; /* numbers in a row */
} rattle__place_in_file;

struct rattle_cases {
  char *path;
  rattle_cases_about about;
  char *text[7];               /* title, model_file, model_text, plan, list, version, created */
  rattle_cases_column *column; /* of about */
  rattle__labels names;
  rattle__place_in_file *place; /* [columns], and the checksums */
  uint64_t seed;                /* of checksums: from that of the description */
  int width, writing, fd;
  int held;             /* of files that are read: whether one was writing it when it was opened */
  signed char *verdict; /* [cases] of rows that were asked for, in files that are read: whether they
                           are there, as `there` of rattle_cases_get; UNSEEN before */
  int room;             /* rows that may wait: ROOM, or as many as there are cases */
  long long waiting;    /* rows in `row` */
  long long *number;    /* [room] */
  double *row;          /* [room*width] */
  double *scratch;      /* [room*width] */
  double flushed;       /* when, seconds */
};

enum { RATTLE__CASES_ROOM = 512, RATTLE__CASES_UNSEEN = 2 };

/* --- cases_file.c --- */
/* Makes the file, with the places of all rows. *trouble: an errno. */
int rattle__cases_write(rattle_cases *cases, const char *path, int *trouble);
/* Reads all but rows; within a section. */
rattle_status rattle__cases_read(rattle_cases *cases, rattle_error *error);
#endif
