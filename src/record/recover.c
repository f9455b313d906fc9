/* Making a record that was left open readable and resumable again.
 *
 * The file is never corrected in place: what its last whole checkpoint counts is copied to a new file, which is synced
 * to the disk and then takes its place. If something that was counted cannot be read (a cut file), the damaged file stays as
 * PATH.damaged. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/error.h"
#include "observe/place.h"
#include "record/parts.h"

/* What is whole: so many samples, and the channel whose damage ends them, -1 if none does. */
typedef struct salvage {
  long long samples;
  int damaged, killed; /* killed: the writer left the file open */
} salvage;

static void drop_rows(void **rows, int count) {
  for (int c = 0; rows && c < count; c++) free(rows[c]);
  free(rows);
}

/* Room for the rows of a block, in each channel. */
static void **make_rows(const rattle__record_channels *channels, long long block) {
  void **rows = calloc((size_t)channels->count, sizeof *rows);
  if (!rows) rattle__h5_no_memory();
  for (int c = 0; rows && c < channels->count; c++) {
    if ((rows[c] = malloc((size_t)block * (size_t)channels->channel[c].width * sizeof(double) + 1))) continue;
    drop_rows(rows, c);
    rattle__h5_no_memory();
    return NULL;
  }
  return rows;
}

/* Of the first `samples`, those that can be read and match their checksums. -1 samples: no memory. */
static salvage find_whole(const rattle__store *store, const rattle__h5 *h5, long long samples) {
  const rattle__record_channels *channels = &store->channels;
  const long long block = rattle__sums_block(channels);
  salvage found = {samples, -1, 0};
  void **rows = make_rows(channels, block);
  if (!rows) return (salvage){-1, -1, 0};
  for (int c = 0; c < channels->count; c++)
    for (long long done = 0; done < found.samples; done += block) {
      const long long count = found.samples - done < block ? found.samples - done : block;
      const long long good = rattle__sums_check(store, c, done, count);
      if (good < done + count || rattle__channel_read(&channels->channel[c], done, count, rows[c]))
        found.samples = good < done + count ? good : done, found.damaged = c;
    }
  drop_rows(rows, channels->count);
  if (h5->no_memory) found.samples = -1;
  return found;
}

/* Block by block, so that the copy has its checksums. */
static int copy_rows(const rattle__store *from, rattle__store *to, long long samples) {
  const rattle__record_channels *channels = &to->channels;
  const long long block = to->sums.block;
  void **rows = make_rows(channels, block);
  int failed = !rows;
  for (long long done = 0; done < samples && !failed; done += block) {
    const long long count = samples - done < block ? samples - done : block;
    for (int c = 0; c < channels->count && !failed; c++)
      failed = rattle__channel_read(&from->channels.channel[c], done, count, rows[c]) ||
               rattle__channel_write(&to->channels.channel[c], done, count, rows[c]);
    failed = failed || rattle__sums_add(to, done, count, rows);
  }
  drop_rows(rows, channels->count);
  return failed ? -1 : 0;
}

/* What the copy says of the end of its run. */
static void say_end(const rattle__store *from, rattle__store *to, const salvage *found, char message[RATTLE__MESSAGE_SIZE]) {
  rattle__head *head = &to->checkpoint.head;
  char name[RATTLE__PATH];
  int used = 0;
  if (!head->ended) {
    head->ended = 1, head->status = RATTLE_INTERRUPTED;
    used = snprintf(message, RATTLE__MESSAGE_SIZE, "%s; its record was recovered with %lld samples, up to step %lld",
                    found->killed ? "the run was killed" : "the last checkpoint of the run is damaged", found->samples,
                    (long long)head->step);
  } else if (rattle__message_load(&from->slots, message)) {
    message[0] = 0;
  } else {
    used = (int)strlen(message);
  }
  const long long lost = from->checkpoint.head.samples - found->samples;
  if (lost <= 0) return;
  if (found->damaged >= 0) rattle__channel_path(&from->about, found->damaged, name);
  snprintf(message + used, RATTLE__MESSAGE_SIZE - (size_t)used,
           "%sthe file was damaged%s%s: the %lld samples from sample %lld on are lost", used ? "; " : "",
           found->damaged >= 0 ? ", first in " : "", found->damaged >= 0 ? name : "", lost, found->samples);
}

/* The new file: the same about and state, and an end if there was none. */
static int copy(rattle__store *from, rattle__store *to, const char *path, const salvage *found) {
  char message[RATTLE__MESSAGE_SIZE];
  to->about = from->about, to->checkpoint = from->checkpoint;
  say_end(from, to, found, message);
  memset(to->checkpoint.sums, 0, (size_t)to->checkpoint.channels * sizeof *to->checkpoint.sums);
  if (rattle__store_make(to, path, 0) || copy_rows(from, to, found->samples)) return -1;
  rattle__head *head = &to->checkpoint.head;
  head->samples = found->samples, head->file_size = 0;
  return rattle__message_store(&to->slots, message) || rattle__checkpoint_store(&to->checkpoint, &to->slots) ? -1 : 0;
}

/* HDF5 does not open a file that was closed in order and then cut. A copy of what is left, made as long as the file was, it does;
 * the lost parts are zeros, and are recognised by their position. */
static rattle_status lengthen(const char *path, const char *copy, long long length, rattle_error *error) {
  enum { PART = 1 << 20 };
  char *buffer = malloc(PART);
  int from = open(path, O_RDONLY | O_CLOEXEC), to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
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
  return reason ? rattle__place_fail(error, path, "copied to a temporary file", strerror(reason)) : RATTLE_OK;
}

/* The samples that are there: all that the checkpoint counts, unless the file was cut. */
static long long readable(const rattle__store *store, const rattle__file_condition *condition) {
  const rattle__head *head = &store->checkpoint.head;
  long long samples = rattle__channels_samples(&store->channels);
  if (samples > head->samples) samples = head->samples;
  if (samples > rattle__channels_most(&store->channels)) samples = rattle__channels_most(&store->channels);
  int cut = condition->size < condition->end || (condition->open_flag && condition->size < head->file_size);
  return cut ? rattle__channels_within(&store->channels, samples, condition->size) : samples;
}

/* The new file in place of the old; the old one kept where not everything came over. */
static rattle_status replace(const char *temporary, const char *path, int lossy, rattle_error *error) {
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

static rattle_status rebuild(rattle__store *from, rattle__h5 *h5, const char *path, const salvage *found, rattle_error *error) {
  char *temporary = NULL;
  long long counted = from->checkpoint.head.samples;
  rattle__store to = {
      .file = -1, .slots = {.head = -1, .figures = -1, .state = -1, .message = -1, .sums = -1}, .sums = {.dataset = -1}};
  rattle_status status = rattle__place_temporary(path, &temporary, error);
  if (status) return status;
  h5->reason[0] = 0;
  int failed = copy(from, &to, temporary, found), reason = rattle__store_close(&to);
  if (reason)
    status = rattle__place_fail(error, path, "copied to a temporary file", strerror(reason));
  else if (failed)
    status = rattle__h5_fail(h5, error, path, "copied to a temporary file");
  else
    status = replace(temporary, path, found->samples < counted, error);
  if (status) unlink(temporary);
  free(temporary);
  return status;
}

/* Reads the file, or for a cut one its lengthened copy, and rebuilds it where that is needed. */
static rattle_status examine(const char *path, const char *readable_path, const rattle__file_condition *condition,
                             long long *samples, rattle_error *error) {
  rattle__store store;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  rattle_status status = rattle__store_open(&store, &h5, readable_path, RATTLE__TO_SALVAGE, error);
  if (!status) {
    long long counted = store.checkpoint.head.samples;
    salvage found = find_whole(&store, &h5, readable(&store, condition));
    found.killed = condition->open_flag;
    char message[RATTLE__MESSAGE_SIZE];
    int whole = condition->size >= condition->end && rattle__channels_samples(&store.channels) == counted &&
                !rattle__message_load(&store.slots, message);
    if (found.samples < 0)
      status = rattle__no_memory(error);
    else if (condition->open_flag || !whole || found.samples < counted)
      status = rebuild(&store, &h5, path, &found, error);
    if (!status) *samples = found.samples;
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
                 "%s is truncated: %lld of its %lld bytes are left, and no samples can be recovered from them", path,
                 condition.size, condition.end);
  if (copy) unlink(copy);
  free(copy);
  close(lock);
  return status;
}
