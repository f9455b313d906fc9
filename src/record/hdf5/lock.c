/* The lock of a writer, the state in which a file was left, and syncing to the disk.
 *
 * HDF5 1.10 gives its lock up when SWMR writing starts and keeps only a flag in the superblock,
 * which outlives a killed writer. Our lock (ground/support/lock.h) lives exactly as long as the
 * writer. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/lock.h"
#include "files/observe/place.h"
#include "record/hdf5/lock.h"

rattle_status rattle__lock_take(const char *path, int *lock, rattle_error *error) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  *lock = -1;
  if (fd < 0) return rattle__place_fail(error, path, "opened to be written", strerror(errno));
  if (rattle__lock_hold(fd)) {
    close(fd);
    return rattle__place_busy(error, path);
  }
  *lock = fd;
  return RATTLE_OK;
}

static uint64_t little_endian(const unsigned char *bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/* Superblock version 3 (HDF5 file format 3.0): signature [8], version, size of offsets, size of
 * lengths, consistency flags; then base address, extension address and end of file, 8 bytes
 * each. */
rattle_status rattle__look(const char *path, rattle__file_condition *condition,
                           rattle_error *error) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char block[48];
  struct stat found;
  /* which opens a pipe that nobody writes, too */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return rattle__place_fail(error, path, "opened", strerror(errno));
  ssize_t got =
      fstat(fd, &found) == 0 && S_ISREG(found.st_mode) ? pread(fd, block, sizeof block, 0) : -1;
  if (got > 0 && fstat(fd, &found)) got = -1; /* the size after the end that the block states */
  close(fd);
  if (got == 0)
    return rattle__fail(
        error, RATTLE_BAD_RECORD, path,
        rattle__lock_held(path) == 1
            ? "%s is still empty: a command is computing what it will contain; wait for it to end"
            : "%s is empty: a command that was killed before it had results leaves such a file; "
              "run the command again, "
              "which replaces it",
        path);
  if (got < 8 || memcmp(block, signature, 8) != 0)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s is not a record: it is not an HDF5 file", path);
  *condition = (rattle__file_condition){
      .size = found.st_size, .device = found.st_dev, .inode = found.st_ino};
  if (got < (ssize_t)sizeof block)
    return rattle__fail(
        error, RATTLE_BAD_RECORD, path,
        "%s is truncated: only %lld bytes are left, and nothing can be recovered from them", path,
        condition->size);
  if (block[8] != 3) return RATTLE_OK;
  condition->open_flag = (block[11] & 1) != 0;
  if (!condition->open_flag) condition->end = (long long)little_endian(block + 28);
  return RATTLE_OK;
}

static int sync_one(const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC);
  if (fd < 0) return -1;
  int failed = fsync(fd);
  close(fd);
  return failed;
}

rattle_status rattle__sync(const char *path, rattle_error *error) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder) return rattle__no_memory(error);
  const int reason = sync_one(path, O_RDONLY) ? errno : 0;
  /* some file systems refuse to sync folders; the file itself is safe then */
  (void)sync_one(folder, O_RDONLY | O_DIRECTORY);
  free(folder);
  return reason ? rattle__place_fail(error, path, "synced to the disk", strerror(reason))
                : RATTLE_OK;
}
