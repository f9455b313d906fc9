#ifndef RATTLE__RECORD_HANDLE_H
#define RATTLE__RECORD_HANDLE_H
/* A record in a program's hands. */
#include "record/hdf5/lock.h"
#include "record/hdf5/store.h"

enum { RATTLE__UNITS = 4 };
struct rattle_record {
  char *path;
  rattle__store store;
  int writing;  /* 1: created or appended to; 0: read */
  int in_order; /* 1: closed by its writer, with all samples counted */
  int held;     /* whether a run is writing it, as in info */
  const char *sentence[RATTLE__WARNINGS];
  rattle_record_info info;
  char unit[RATTLE__UNITS][RATTLE__UNIT]; /* of info */
  rattle_parameter *parameter;            /* [parameters] of info */
  rattle_events events;                   /* of info, with these [events] */
  long long *counts;
  double *last;

  /* writing */
  rattle_observer observer;
  char *temporary;               /* name until the run has begun well; NULL from then on, and
                                    where appended */
  int force, lock;               /* lock: file descriptor, -1: none */
  double flush_seconds, flushed; /* flushed: when, on the monotonic clock */
  int unflushed;                 /* channels that were written to since then */
  struct rattle__queue {
    int row_count;
    void **rows;                      /* [row_count] rows that wait, [room * width] numbers each */
    long long room, waiting, written; /* rows: room for, waiting, in the datasets */
    long long most_uncounted;         /* rows in the datasets that no checkpoint counts yet */
  } * queue;                          /* [tables of the store] */
  long long first_step;               /* of this run */
  int has_begun;
  const rattle_warnings *warnings; /* of this run; may be NULL */
  rattle__checkpoint before;       /* figures of the runs before this one; without state */
  rattle_status broken; /* not RATTLE_OK: writing failed, nothing more is written; why says
                                it */
  rattle_error why;
};

/* RATTLE_BAD_RECORD where rows [first, first+count) of a channel of table t do not match their
 * checksums. */
rattle_status rattle__check_rows(const rattle_record *record, int t, int c, long long first,
                                 long long count, rattle_error *error);
/* Fills record->info from the parts. */
rattle_status rattle__info_fill(rattle_record *record, rattle_error *error);
void rattle__info_update(rattle_record *record);
void rattle__units_fill(rattle_record *record); /* unit_attributes.c */
/* A record that was opened to append becomes a running one: the end of the run before is taken
 * back. */
rattle_status rattle__writer_reopen(rattle_record *record, rattle__h5 *h5, rattle_error *error);
/* The observer's functions, and the end of a record that was never ended. */
void rattle__writer_init(rattle_record *record);
void rattle__writer_close(rattle_record *record);
#endif
