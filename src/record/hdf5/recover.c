/* Making a record that was left open readable and resumable again.
 *
 * The file is never corrected in place: what its last whole checkpoint counts is copied to a new
 * file, which is synced to the disk and then takes its place. If something that was counted cannot
 * be read (a cut file), the damaged file stays as PATH.damaged. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "files/observe/place.h"
#include "record/hdf5/lock.h"
#include "record/hdf5/store.h"

/* The whole part of a file: so many rows of each table, and the table and the channel whose damage
 * ends the samples, -1 if none does. */
typedef struct salvage {
  long long *rows;     /* [tables of the store]; those of table 0 are samples */
  int damaged, killed; /* killed: the writer left the file open */
  int lossy;           /* not all that was counted is whole */
} salvage;

/* How many of the first `count` rows of table t can be read and match their checksums; *damaged:
 * the channel that ends them. */
static long long find_whole_rows(const rattle__store *store, int t, long long count, int *damaged) {
  const rattle__record_channels *channels = &store->table[t].channels;
  const long long block = rattle__sums_block(channels);
  void **rows = rattle__rows_make(channels, block);
  for (int c = 0; rows && c < channels->count; c++)
    for (long long done = 0; done < count; done += block) {
      const long long part = count - done < block ? count - done : block,
                      good = rattle__sums_check(store, t, c, done, part);
      if (good < done + part || rattle__channel_read(&channels->channel[c], done, part, rows[c]))
        count = good < done + part ? good : done, *damaged = c;
    }
  rattle__rows_drop(rows, channels->count);
  return count;
}

/* Writes how the run ended into the copy. */
static void say_end(const rattle__store *from, rattle__store *to, const salvage *found,
                    char message[RATTLE__MESSAGE_SIZE]) {
  rattle__head *head = &to->checkpoint.head;
  char name[RATTLE__PATH];
  int used = 0;
  if (!head->ended) {
    head->ended = 1, head->status = RATTLE_INTERRUPTED;
    used =
        snprintf(message, RATTLE__MESSAGE_SIZE,
                 "%s; its record was recovered with %lld samples, up to step %lld",
                 found->killed ? "the run was killed" : "the last checkpoint of the run is damaged",
                 found->rows[0], (long long)head->step);
  } else {
    strcpy(message, from->message);
    used = (int)strlen(message);
  }
  long long events = 0;
  for (int t = 1; t < from->tables; t++) events += rattle__rows_kept(from, t) - found->rows[t];
  if (events > 0)
    used +=
        snprintf(message + used, RATTLE__MESSAGE_SIZE - (size_t)used,
                 "%sthe file was damaged: %lld of its events are lost", used ? "; " : "", events);
  if (from->silent)
    used += snprintf(message + used, RATTLE__MESSAGE_SIZE - (size_t)used,
                     "%sthe file was damaged: the warnings of the run are lost", used ? "; " : "");
  const long long lost = from->checkpoint.head.samples - found->rows[0];
  if (lost <= 0) return;
  if (found->damaged >= 0) rattle__channel_path(&from->about, 0, found->damaged, name);
  snprintf(message + used, RATTLE__MESSAGE_SIZE - (size_t)used,
           "%sthe file was damaged%s%s: the %lld samples from sample %lld on are lost",
           used ? "; " : "", found->damaged >= 0 ? ", first in " : "",
           found->damaged >= 0 ? name : "", lost, found->rows[0]);
}

/* The new file: the same about and state, and an end if there was none. */
static int copy(rattle__store *from, rattle__store *to, const char *path, const salvage *found) {
  char message[RATTLE__MESSAGE_SIZE];
  to->about = from->about, to->checkpoint = from->checkpoint;
  say_end(from, to, found, message);
  int failed = rattle__store_make(to, path, NULL);
  for (int t = 0; t < from->tables && !failed; t++)
    failed = rattle__rows_copy(from, to, t, found->rows[t]);
  if (failed) return -1;
  rattle__head *head = &to->checkpoint.head;
  head->samples = found->rows[0], head->file_size = 0;
  for (int t = 1; t < from->tables; t++)
    rattle__event_of(&to->checkpoint, t)[RATTLE__EVENT_ROWS] = found->rows[t];
  return rattle__message_store(&to->slots, message) ||
                 rattle__warnings_store(&to->slots, &from->sentences) ||
                 rattle__checkpoint_store(&to->checkpoint, &to->slots)
             ? -1
             : 0;
}

/* HDF5 does not open a file that was closed in order and then cut. A copy of what is left, made as
 * long as the file was, it does; the lost parts are zeros, and are recognised by their position. */
static rattle_status lengthen(const char *path, const char *copy, long long length,
                              rattle_error *error) {
  enum { PART = 1 << 20 };
  char *buffer = malloc(PART);
  int from = open(path, O_RDONLY | O_CLOEXEC),
      to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  ssize_t got = 0, put = 0;
  int reason = from < 0 || to < 0 || !buffer ? errno : 0;
  while (!reason && (got = read(from, buffer, PART)) > 0) {
    for (ssize_t done = 0; done < got && !reason; done += put)
      if ((put = write(to, buffer + done, (size_t)(got - done))) < 0) reason = errno;
  }
  if (!reason && (got < 0 || ftruncate(to, (off_t)length))) reason = errno;
  if (to >= 0 && close(to) && !reason) reason = errno;
  if (from >= 0) close(from);
  free(buffer);
  return reason ? rattle__place_fail(error, path, "copied to a temporary file", strerror(reason))
                : RATTLE_OK;
}

/* The rows of table t that are there: all that the checkpoint counts, unless the file was cut. */
static long long readable(const rattle__store *store, int t,
                          const rattle__file_condition *condition) {
  const rattle__record_channels *channels = &store->table[t].channels;
  const rattle__head *head = &store->checkpoint.head;
  long long rows = rattle__channels_samples(channels);
  if (rows > rattle__rows_kept(store, t)) rows = rattle__rows_kept(store, t);
  if (rows > rattle__channels_most(channels)) rows = rattle__channels_most(channels);
  int cut = condition->size < condition->end ||
            (condition->open_flag && condition->size < head->file_size);
  return cut ? rattle__channels_within(channels, rows, condition->size) : rows;
}

/* found->rows: as many as there are tables. */
static void find_whole(const rattle__store *store, const rattle__file_condition *condition,
                       salvage *found) {
  for (int t = 0; t < store->tables; t++) {
    int damaged = -1;
    found->rows[t] = find_whole_rows(store, t, readable(store, t, condition), &damaged);
    if (t == 0) found->damaged = damaged;
    found->lossy |= found->rows[t] < rattle__rows_kept(store, t);
  }
}

/* The new file in place of the old; the old one kept where not everything came over. */
static rattle_status replace(const char *temporary, const char *path, int lossy,
                             rattle_error *error) {
  rattle_status status = rattle__sync(temporary, error);
  if (status) return status;
  if (lossy) {
    size_t size = strlen(path) + sizeof ".damaged";
    char *kept = malloc(size);
    if (!kept) return rattle__no_memory(error);
    snprintf(kept, size, "%s.damaged", path);
    status = rattle__place_publish(path, kept, 0, error);
    free(kept);
    if (status) return status;
  }
  status = rattle__place_move(temporary, path, error);
  if (!status) (void)rattle__sync(path, NULL);
  return status;
}

static rattle_status rebuild(rattle__store *from, rattle__h5 *h5, const char *path,
                             const salvage *found, rattle_error *error) {
  char *temporary = NULL;
  rattle__store to = rattle__store_none;
  rattle_status status = rattle__place_temporary(path, &temporary, error);
  if (status) return status;
  h5->reason[0] = 0;
  int failed = copy(from, &to, temporary, found), reason = rattle__store_close(&to);
  if (reason)
    status = rattle__place_fail(error, path, "copied to a temporary file", strerror(reason));
  else if (failed)
    status = rattle__h5_fail(h5, error, path, "copied to a temporary file");
  else
    status = replace(temporary, path, found->lossy, error);
  if (status) unlink(temporary);
  free(to.table); /* what else it has is that of the other */
  free(temporary);
  return status;
}

/* Reads the file, or for a cut one its lengthened copy, and rebuilds it where that is needed. */
static rattle_status examine(const char *path, const char *readable_path,
                             const rattle__file_condition *condition, long long *samples,
                             rattle_error *error) {
  rattle__store store;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status = rattle__store_open(&store, &h5, readable_path, RATTLE__TO_SALVAGE, error);
  if (!status) {
    salvage found = {.rows = calloc((size_t)store.tables, sizeof *found.rows),
                     .damaged = -1,
                     .killed = condition->open_flag};
    if (found.rows) find_whole(&store, condition, &found);
    int whole = condition->size >= condition->end && !store.silent && !store.speechless;
    for (int t = 0; t < store.tables; t++)
      whole &= rattle__channels_samples(&store.table[t].channels) == rattle__rows_kept(&store, t);
    if (!found.rows || h5.no_memory)
      status = rattle__no_memory(error);
    else if (condition->open_flag || !whole || found.lossy)
      status = rebuild(&store, &h5, path, &found, error);
    if (!status) *samples = found.rows[0];
    free(found.rows);
    (void)rattle__store_close(&store);
    rattle__store_free(&store);
  }
  rattle__h5_leave(&h5);
  return status;
}

rattle_status rattle_record_recover(const char *path, long long *samples, rattle_error *error) {
  rattle__file_condition condition;
  char *copy = NULL;
  int lock;
  rattle_status status = rattle__look(path, &condition, error);
  if (!status) status = rattle__lock_take(path, &lock, error);
  if (status) return status;
  status = rattle__look(path, &condition, error);
  if (!status && condition.size < condition.end) {
    status = rattle__place_temporary(path, &copy, error);
    if (!status) status = lengthen(path, copy, condition.end, error);
  }
  if (!status) status = examine(path, copy ? copy : path, &condition, samples, error);
  /* the copy's name means nothing to the user */
  if (status == RATTLE_BAD_RECORD && copy)
    rattle__fail(error, status, path,
                 "%s is truncated: %lld of its %lld bytes are left, and no samples can be "
                 "recovered from them",
                 path, condition.size, condition.end);
  if (copy) unlink(copy);
  free(copy);
  close(lock);
  return status;
}
