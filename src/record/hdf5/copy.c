/* Rows of a record in another one. */
#include <stdlib.h>
#include <string.h>

#include "record/hdf5/store.h"

void rattle__rows_drop(void **rows, int count) {
  for (int c = 0; rows && c < count; c++) free(rows[c]);
  free(rows);
}

void **rattle__rows_make(const rattle__record_channels *channels, long long block) {
  void **rows = calloc((size_t)channels->count, sizeof *rows);
  if (!rows) rattle__h5_no_memory();
  for (int c = 0; rows && c < channels->count; c++) {
    if ((rows[c] = malloc((size_t)block * (size_t)channels->channel[c].width * sizeof(double) + 1)))
      continue;
    rattle__rows_drop(rows, c);
    rattle__h5_no_memory();
    return NULL;
  }
  return rows;
}

/* The sums of the block at the end of table t. */
static void *sums_of(const rattle__checkpoint *checkpoint, int t) {
  if (t == 0) return checkpoint->sums;
  return rattle__event_of(checkpoint, t) + RATTLE__EVENT_SUMS;
}

/* Block by block, so that the copy has its checksums. */
int rattle__rows_copy(const rattle__store *from, rattle__store *to, int t, long long count) {
  const rattle__record_channels *channels = &to->table[t].channels;
  const long long block = to->table[t].sums.block;
  void **rows = rattle__rows_make(channels, block);
  int failed = !rows;
  memset(sums_of(&to->checkpoint, t), 0, (size_t)channels->count * sizeof(uint64_t));
  for (long long done = 0; done < count && !failed; done += block) {
    const long long part = count - done < block ? count - done : block;
    for (int c = 0; c < channels->count && !failed; c++)
      failed = rattle__channel_read(&from->table[t].channels.channel[c], done, part, rows[c]) ||
               rattle__channel_write(&channels->channel[c], done, part, rows[c]);
    failed = failed || rattle__sums_add(to, t, done, part, rows);
  }
  rattle__rows_drop(rows, channels->count);
  return failed ? -1 : 0;
}
