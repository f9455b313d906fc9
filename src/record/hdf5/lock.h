#ifndef RATTLE__RECORD_LOCK_H
#define RATTLE__RECORD_LOCK_H
/* The lock of a writer, and the state of the file. */
#include <sys/types.h>

#include "ground/support/error.h"

/* A lock of our own on the record: HDF5 gives up its own when SWMR writing starts. *lock is a file
 * descriptor, to be closed. RATTLE_IO if another process has it; file systems without locks are
 * taken at their word. */
rattle_status rattle__lock_take(const char *path, int *lock, rattle_error *error);
typedef struct rattle__file_condition {
  int open_flag;       /* 1: a writer has it open, or died */
  long long size, end; /* bytes there are, and bytes that a file closed in order must have (0 if
                          open_flag) */
  dev_t device;        /* with the inode, which file it is */
  ino_t inode;
} rattle__file_condition;
/* Reads the superblock. RATTLE_IO: no such file; RATTLE_BAD_RECORD: not HDF5, or cut in its first
 * bytes. */
rattle_status rattle__look(const char *path, rattle__file_condition *condition,
                           rattle_error *error);
/* to the disk, with its folder */
rattle_status rattle__sync(const char *path, rattle_error *error);
#endif
