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
  hid_t file;
  int trouble; /* errno of the first write that failed, see driver.c; HDF5's own results do not
                  show it */
  const volatile int *interrupt; /* ends the making of a file; may be NULL */
  rattle__about about;
  rattle__record_table *table; /* [tables] */
  int tables;
  rattle__slots slots;
  rattle__checkpoint checkpoint;
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
/* A new file from store->about, closed to other writers; with swmr = 1 readable from here on. */
int rattle__store_make(rattle__store *store, const char *path, int swmr);
/* Opens a file and loads its parts. To write: to append, in SWMR mode. To salvage: nobody is
 * writing, so what cannot be read at once never will. */
typedef enum rattle__purpose {
  RATTLE__TO_READ,
  RATTLE__TO_WRITE,
  RATTLE__TO_SALVAGE
} rattle__purpose;
rattle_status rattle__store_open(rattle__store *store, rattle__h5 *h5, const char *path,
                                 rattle__purpose purpose, rattle_error *error);
/* Closes the file, keeping what was loaded. An errno where something could not be written. */
int rattle__store_close(rattle__store *store);
/* Reads the newest checkpoint of a file, and the samples that it counts. On failure the store is as
 * it was, but for datasets that may have become longer. */
rattle_status rattle__store_refresh(rattle__store *store, rattle__h5 *h5, const char *path,
                                    rattle_error *error);
void rattle__store_free(rattle__store *store);
#endif
