#ifndef RATTLE__LOCK_H
#define RATTLE__LOCK_H
/* The lock of a file that is being written. It is a lock of an open file description, so that other
 * descriptors of this process cannot lose it, on one byte far behind the data, clear of the locks
 * of HDF5. It lives exactly as long as the writer. File systems without locks are trusted. Include
 * this file first, or define _GNU_SOURCE: F_OFD_SETLK. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define RATTLE__LOCKED_BYTE ((off_t)1 << 62)

/* 0, or -1 if another writer has it. */
static inline int rattle__lock_hold(int fd) {
#ifdef F_OFD_SETLK
  struct flock range = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RATTLE__LOCKED_BYTE, .l_len = 1};
  if (fcntl(fd, F_OFD_SETLK, &range) && (errno == EAGAIN || errno == EACCES)) return -1;
#else
  (void)fd;
#endif
  return 0;
}

/* 1: another process or descriptor has it; 0: none has; -1: that cannot be known. */
static inline int rattle__lock_held(const char *path) {
  int held = -1;
#ifdef F_OFD_GETLK
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  struct flock range = {
      .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = RATTLE__LOCKED_BYTE, .l_len = 1};
  if (!fcntl(fd, F_OFD_GETLK, &range)) held = range.l_type != F_UNLCK;
  close(fd);
#else
  (void)path;
#endif
  return held;
}

/* True if `path` is an empty file that nobody is writing: kill -9 leaves one if it ends a command
 * before its results. Such a file is replaced without a question. */
static inline int rattle__lock_left_empty(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0 &&
         rattle__lock_held(path) == 0;
}
#endif
