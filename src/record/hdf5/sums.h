#ifndef RATTLE__RECORD_SUMS_H
#define RATTLE__RECORD_SUMS_H
/* Checksums of the samples. */
#include <stdint.h>

#include "record/hdf5/channels.h"

#define RATTLE__SUMS "/rattle/sums"
typedef struct rattle__sums {
  hid_t dataset;          /* -1: the record has none, or a child has it open */
  rattle__grid *grid;     /* of its rows, which are blocks; as of a channel */
  long long block;        /* samples in a block */
  int width;              /* channels; 0: the record has none, since it is of version 0.1 */
  unsigned char *checked; /* [room][width] 1: found whole */
  long long room;         /* blocks */
} rattle__sums;
/* A checksum of `count` numbers of 8 bytes, begun with another. */
uint64_t rattle__mix(uint64_t sum, const void *data, size_t count);
uint64_t rattle__sum_rows(long long first, long long count, int width, const void *rows);
/* as new records have it: a power of 2 */
long long rattle__sums_block(const rattle__record_channels *channels);
/* `like`: the sums in whose chunks they are, NULL: none. */
int rattle__sums_make(rattle__sums *sums, const rattle__record_channels *channels, hid_t file,
                      const char *path, const rattle__sums *like);
/* For so many rows; as rattle__channels_open. */
int rattle__sums_open(rattle__sums *sums, const rattle__record_channels *channels, hid_t file,
                      const char *path, const rattle__origin *origin, long long rows);
/* The sums that the other ones are, where they are. */
int rattle__sums_adopt(const rattle__sums *sums, const rattle__sums *old, rattle__remake *remake);
/* Takes over what was checked of the same sums as they were before. */
void rattle__sums_keep(rattle__sums *sums, rattle__sums *before);
int rattle__sums_close(rattle__sums *sums);
#endif
