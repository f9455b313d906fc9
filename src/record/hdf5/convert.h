#ifndef RATTLE__CONVERT_H
#define RATTLE__CONVERT_H
/* The samples of a record as frames of particles in space, for the formats of other programs. */
#include <stdio.h>

#include "record/hdf5/handle.h"

enum { RATTLE__FRAME_BLOCK = 64 }; /* frames that are in memory at a time */

typedef struct rattle__frames {
  const rattle_record *record;
  const rattle_record_export *with;
  long long samples;
  int count, dimension;
  const double *mass;          /* [count], of the record; NULL: unknown, and so are velocities */
  int known;                   /* units are known: lengths are in Angstrom, times in picoseconds */
  double length, time;         /* of a unit of the record */
  double box[3];               /* edges, so scaled */
  double *q, *p, *times;       /* of the block that was read */
  double *position, *velocity; /* [RATTLE__FRAME_BLOCK][count][3]; velocity: NULL if unknown */
} rattle__frames;

/* Makes them for the record and `with`; they are to be freed whatever comes back. */
rattle_status rattle__frames_make(rattle__frames *frames, rattle_error *error);
void rattle__frames_free(rattle__frames *frames);
/* Reads frames [first, first+count), at most a block of them. */
rattle_status rattle__frames_read(rattle__frames *frames, long long first, long long count,
                                  rattle_error *error);
/* The formats: each writes the whole file; ferror says whether it could. */
rattle_status rattle__write_xyz(FILE *file, rattle__frames *frames, rattle_error *error);
rattle_status rattle__write_netcdf(FILE *file, rattle__frames *frames, rattle_error *error);
rattle_status rattle__write_csv(FILE *file, const rattle_record *record, rattle_error *error);
/* HDF5 writes the file by its path, which is there and empty. */
rattle_status rattle__write_h5md(const char *path, rattle__frames *frames, rattle_error *error);
#endif
