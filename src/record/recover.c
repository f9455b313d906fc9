/* Making a record that was left open readable and resumable again.
 *
 * The file is never corrected in place: what its last whole checkpoint counts is copied to a new file, which is synced
 * to the disk and then takes its place. If something that was counted cannot be read (a cut file), the damaged file stays beside
 * as PATH.damaged. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/error.h"
#include "observe/place.h"
#include "record/parts.h"

enum { BLOCK_NUMBERS = 512 * 1024 };

/* Copies rows of one channel as far as they can be read; `samples` becomes less where they cannot. -1: not writable. */
static int copy_channel(const rattle__channel *from, rattle__channel *to, long long *samples) {
  if (from->width == 0) return 0;
  long long block = BLOCK_NUMBERS / from->width / 4096 * 4096, done = 0;
  if (block == 0) block = BLOCK_NUMBERS / from->width + 1;
  void *rows = malloc((size_t)block * (size_t)from->width * 8);
  int failed = !rows;
  while (done < *samples && !failed) {
    long long part = *samples - done < block ? *samples - done : block;
    if (rattle__channel_read(from, done, part, rows))
      *samples = done;
    else
      failed = rattle__channel_write(to, done, part, rows);
    done += part;
  }
  free(rows);
  return failed ? -1 : 0;
}

/* All channels get the length of the shortest. */
static int trim(rattle__record_channels *channels, long long samples) {
  for (int c = 0; c < channels->count; c++) {
    rattle__channel *channel = &channels->channel[c];
    if (channel->width == 0 || channel->dims[0] == (hsize_t)samples) continue;
    channel->dims[0] = (hsize_t)samples;
    if (H5Dset_extent(channel->dataset, channel->dims) < 0) return -1;
  }
  return 0;
}

/* The new file: the same about and state, and an end if there was none. */
static int copy(rattle__store *from, rattle__store *to, const char *path, long long *samples) {
  char message[RATTLE__MESSAGE_SIZE];
  to->about = from->about, to->checkpoint = from->checkpoint;
  if (rattle__store_make(to, path, 0)) return -1;
  for (int c = 0; c < from->channels.count; c++)
    if (copy_channel(&from->channels.channel[c], &to->channels.channel[c], samples)) return -1;
  if (trim(&to->channels, *samples)) return -1;
  rattle__head *head = &to->checkpoint.head;
  if (!head->ended) {
    head->ended = 1, head->status = RATTLE_INTERRUPTED;
    snprintf(message, sizeof message, "the run was killed; its record was recovered with %lld samples, up to step %lld", *samples,
             (long long)head->step);
  } else if (rattle__message_load(&from->slots, message)) {
    message[0] = 0;
  }
  head->samples = *samples, head->file_size = 0;
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
  int cut = condition->size < condition->end || (condition->open_flag && condition->size < head->file_size);
  return cut ? rattle__channels_within(&store->channels, samples, condition->size) : samples;
}

/* The new file in place of the old; the old one kept where not everything came over. */
static rattle_status replace(const char *temporary, const char *path, int lossy, rattle_error *error) {
  if (rattle__sync(temporary)) return rattle__place_fail(error, temporary, "synced to the disk", strerror(errno));
  if (lossy) {
    size_t size = strlen(path) + sizeof ".damaged";
    char *kept = malloc(size);
    if (!kept) return rattle__no_memory(error);
    snprintf(kept, size, "%s.damaged", path);
    rattle_status status = rattle__place_publish(path, kept, 0, error);
    free(kept);
    if (status) return status;
  }
  rattle_status status = rattle__place_publish(temporary, path, 1, error);
  if (!status) (void)rattle__sync(path);
  return status;
}

static rattle_status rebuild(rattle__store *from, rattle__h5 *h5, const char *path, const rattle__file_condition *condition,
                             long long *samples, rattle_error *error) {
  char *temporary = NULL;
  long long counted = from->checkpoint.head.samples;
  rattle__store to = {.file = -1, .slots = {.head = -1, .figures = -1, .state = -1, .message = -1}};
  rattle_status status = rattle__place_beside(path, &temporary, error);
  if (status) return status;
  *samples = readable(from, condition);
  h5->reason[0] = 0;
  int failed = copy(from, &to, temporary, samples), reason = rattle__store_close(&to);
  if (reason)
    status = rattle__place_fail(error, path, "copied to a temporary file", strerror(reason));
  else if (failed)
    status = rattle__h5_fail(h5, error, path, "copied to a temporary file");
  else
    status = replace(temporary, path, *samples < counted, error);
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
    int whole = condition->size >= condition->end && rattle__channels_samples(&store.channels) == counted;
    if (!condition->open_flag && whole)
      *samples = counted;
    else
      status = rebuild(&store, &h5, path, condition, samples, error);
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
    status = rattle__place_beside(path, &copy, error);
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
