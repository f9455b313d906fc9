#ifndef RATTLE__RECORD_STORE_H
#define RATTLE__RECORD_STORE_H
/* The file of a record with its parts. */
#include "record/hdf5/checkpoint.h"
#include "record/hdf5/sums.h"

typedef struct rattle__record_table {
  rattle__record_channels channels;
  rattle__sums sums;
} rattle__record_table;
typedef struct rattle__store {
  hid_t file;             /* in HDF5's hands; -1: there is none */
  rattle__origin *origin; /* of a file that is read; NULL: there is none */
  int trouble; /* errno of the first write that failed, see driver.c; HDF5's own results do not
                  show it */
  const volatile int *interrupt; /* ends the making of a file; may be NULL */
  rattle__remake remake;         /* of a record that is continued */
  rattle__about about;
  rattle__record_table *table; /* [tables] */
  int tables;
  rattle__slots slots;
  rattle__checkpoint checkpoint;
  char message[RATTLE__MESSAGE_SIZE]; /* of the end */
  rattle__sentences sentences;        /* warnings */
  int speechless, silent;             /* 1: the message, the warnings cannot be read */
} rattle__store;
/* No file. */
extern const rattle__store rattle__store_none;
/* Rows of table t that are kept. */
long long rattle__rows_kept(const rattle__store *store, int t);
/* Rows [first, first+count) of table t that were written, within one block: rows[c] of each
 * channel. */
int rattle__sums_add(rattle__store *store, int t, long long first, long long count,
                     void *const *rows);
/* The end of those of [first, first+count) that are whole, up to the block that is not: first+count
 * if all are. */
long long rattle__sums_check(const rattle__store *store, int t, int c, long long first,
                             long long count);
/* A new file from store->about, closed to other writers. `old`, which may be NULL: in place of that
 * one, in the same file, whose rows are adopted later. */
int rattle__store_make(rattle__store *store, const char *path, const rattle__store *old);
/* 1: the rows of table t of the old file are adopted as they are, 0: they must be copied. */
int rattle__is_adopted(const rattle__store *old, int t);
/* Readable from here on. */
int rattle__store_share(rattle__store *store);
/* Loads a file and its parts, by a child process; HDF5 does not see the file here. To salvage: to
 * read what nobody is writing, so that what cannot be read at once never will. */
rattle_status rattle__store_open(rattle__store *store, rattle__h5 *h5, const char *path,
                                 rattle__purpose purpose, rattle_error *error);
/* 1: it has a file. */
static inline int rattle__is_open(const rattle__store *store) {
  return store->file >= 0 || store->origin;
}
/* --- remake.c: the metadata of a file that is read are made anew, to be written to; RATTLE_EXISTS
 * where it holds something that would be lost. The file is what it was until
 * rattle__store_publish. --- */
rattle_status rattle__store_remake(rattle__store *store, rattle__h5 *h5, const char *path,
                                   rattle_error *error);
int rattle__store_publish(rattle__store *store);
/* --- copy.c: rows from one record to another --- */
/* Room for the rows of a block, in each channel; to be dropped. */
void **rattle__rows_make(const rattle__record_channels *channels, long long block);
void rattle__rows_drop(void **rows, int count);
/* The first rows of table t, with checksums of their own. */
int rattle__rows_copy(const rattle__store *from, rattle__store *to, int t, long long count);
/* Tables without datasets in place of those that there were. */
int rattle__store_make_tables(rattle__store *store);
/* The path of the checksums of a table. */
const char *rattle__sums_path(const rattle__about *about, int t, char path[RATTLE__PATH]);
/* Closes the file, keeping what was loaded. An errno where something could not be written. */
int rattle__store_close(rattle__store *store);
/* Reads the newest checkpoint of a file that is read, and the samples that it counts. On failure
 * the store is as it was. */
rattle_status rattle__store_refresh(rattle__store *store, rattle__h5 *h5, const char *path,
                                    rattle_error *error);
void rattle__store_free(rattle__store *store);
#endif
