/* Reads as of a disk in a network, for LD_PRELOAD: each takes a millisecond more, so that a writer
 * comes between two of them. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sys/types.h>
#include <time.h>

typedef ssize_t (*reader)(int, void *, size_t, off_t);

static ssize_t read_slowly(reader *real, const char *name, int fd, void *to, size_t size,
                           off_t at) {
  const struct timespec millisecond = {.tv_nsec = 1000000};
  if (!*real) *(void **)real = dlsym(RTLD_NEXT, name);
  (void)nanosleep(&millisecond, NULL);
  return (*real)(fd, to, size, at);
}

__attribute__((visibility("default"))) ssize_t pread(int fd, void *to, size_t size, off_t at) {
  static reader real;
  return read_slowly(&real, "pread", fd, to, size, at);
}

__attribute__((visibility("default"))) ssize_t pread64(int fd, void *to, size_t size, off_t at) {
  static reader real;
  return read_slowly(&real, "pread64", fd, to, size, at);
}
