#ifndef RATTLE__GRID_H
#define RATTLE__GRID_H
/* Rows of a data set, read without HDF5: where its chunks are in the file is what a child says, and
 * the numbers are read there.
 *
 * A row is [middle][last], a chunk [chunk_rows][chunk_middle][last], all numbers of 8 bytes. Rows
 * that are compressed, or not as they are in memory, as other programs may have rewritten them, are
 * unpacked into a temporary file by a child when the first of them is asked for. */
#include "record/hdf5/hdf5.h"

/* The file that is read: the same one, whatever is renamed meanwhile. */
typedef struct rattle__origin {
  char *path;
  int fd;
  dev_t device;
  ino_t inode;
  int salvage; /* 1: it may have been cut, and it is asked where compressed chunks are, too */
} rattle__origin;

typedef struct rattle__grid {
  const rattle__origin *origin;
  rattle__h5_place place; /* of the data set */
  hid_t type;             /* of a number in memory */
  int packed, unpacked;   /* unpacked: descriptor of the temporary file, -1: there is none yet */
  long long good;         /* rows that could be unpacked */
  long long rows, middle, last, chunk_rows, chunk_middle;
  long long *end; /* [chunks] where each ends in the file, in the order of rows; -1: it has no
                     place */
} rattle__grid;

/* --- origin.c --- */
/* *origin may be a part to close. */
rattle_status rattle__origin_open(rattle__origin **origin, const char *path, rattle_error *error);
void rattle__origin_close(rattle__origin *origin);
/* A list, to be closed, by which files are made, without a cache of chunks. Rows come in good
 * portions anyway, and a cached chunk that finds the disk full is lost to HDF5's own book-keeping,
 * which then complains on standard error at the end of the process. */
hid_t rattle__h5_access_to_write(int *trouble, rattle__remake *remake);
/* The file by HDF5, without a cache too, since a reader asks the driver for what it wants alone: an
 * id. The file is that of the origin, if it is not NULL. Negative: the reason is in the section. */
typedef enum rattle__purpose { RATTLE__TO_READ, RATTLE__TO_SALVAGE } rattle__purpose;
hid_t rattle__origin_reach(const char *path, const rattle__origin *origin, rattle__purpose purpose,
                           int *trouble);

/* --- grid.c --- */
/* The places of the first rows of a data set of that shape: found in the child, taken here. -1;
 * else *grid, to be freed. */
typedef struct rattle__extent {
  hid_t type; /* of a number in memory */
  int rank;
  const hsize_t *dims; /* [3]; the first is not used */
} rattle__extent;
int rattle__grid_make(rattle__grid **grid, const rattle__origin *origin, hid_t dataset,
                      const rattle__extent *shape, long long rows);
void rattle__grid_free(rattle__grid **grid);
/* Its chunks, as sizes of a data set; unchanged where rows are packed. */
void rattle__grid_chunk(const rattle__grid *grid, hsize_t chunk[3]);
/* Unpacks the rows, where that must be done, now. */
int rattle__grid_unpack(rattle__grid *grid);
/* Gives a data set of the same shape, new in a file that is made anew, the rows where they are. */
int rattle__grid_adopt(const rattle__grid *grid, hid_t dataset, rattle__remake *remake);
/* Rows [first, first+count), or number `place` of each, as they are. */
int rattle__grid_read(rattle__grid *grid, long long first, long long count, void *rows);
int rattle__grid_read_place(rattle__grid *grid, int place, long long first, long long count,
                            void *values);
/* How many of the first rows lie within so many bytes of the file. */
long long rattle__grid_within(const rattle__grid *grid, long long rows, long long size);
#endif
