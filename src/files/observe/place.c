/* Output files that appear only when complete, and the errors for places where none can be put. */
#define _GNU_SOURCE /* F_OFD_GETLK */
#include "files/observe/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "ground/support/lock.h"

rattle_status rattle__place_fail(rattle_error *error, const char *path, const char *done,
                                 const char *reason) {
  return rattle__fail(error, RATTLE_IO, path, "%s could not be %s: %s; %s", path, done, reason,
                      rattle_status_remedy(RATTLE_IO));
}

rattle_status rattle__place_busy(rattle_error *error, const char *path) {
  return rattle__fail(error, RATTLE_IO, path,
                      "%s is being written by another run; wait for it to end, or interrupt it",
                      path);
}

static rattle_status taken(const char *path, rattle_error *error) {
  return rattle__fail(error, RATTLE_EXISTS, path, "%s exists; %s", path,
                      rattle_status_remedy(RATTLE_EXISTS));
}

/* The folder of a path, malloc'ed: "." for a bare name. */
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

rattle_status rattle__place_check(const char *path, int force, rattle_error *error) {
  struct stat found, target;
  if (!*path)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "path", "the name of the output file is empty");
  if (lstat(path, &found) == 0) {
    if (!force && !rattle__lock_left_empty(path)) return taken(path, error);
    /* a file that is written whole takes the place of a name */
    if (S_ISLNK(found.st_mode) && !stat(path, &target) && S_ISREG(target.st_mode))
      return rattle__place_fail(error, path, "replaced",
                                "it is a link, which would be lost; name the file it leads to");
    if (S_ISDIR(found.st_mode))
      return rattle__place_fail(error, path, "replaced", "it is a folder");
    if (rattle__lock_held(path) == 1) return rattle__place_busy(error, path);
  }
  char *folder = folder_of(path);
  if (!folder) return rattle__no_memory(error);
  int denied = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ? errno : 0;
  free(folder);
  return denied ? rattle__place_fail(error, path, "written in its folder", strerror(denied))
                : RATTLE_OK;
}

rattle_status rattle__place_temporary(const char *path, char **temporary, rattle_error *error) {
  size_t size = strlen(path) + 32;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  unsigned tag = (unsigned)t.tv_nsec ^ (unsigned)getpid() << 12;
  if (!(*temporary = malloc(size))) return rattle__no_memory(error);
  do snprintf(*temporary, size, "%s.%06x.part", path, tag++ & 0xffffffu);
  while (access(*temporary, F_OK) == 0);
  return RATTLE_OK;
}

rattle_status rattle__place_move(const char *temporary, const char *path, rattle_error *error) {
  return rename(temporary, path) ? rattle__place_fail(error, path, "written", strerror(errno))
                                 : RATTLE_OK;
}

rattle_status rattle__place_publish(const char *temporary, const char *path, int force,
                                    rattle_error *error) {
  if (!force) {
    /* a link fails where the name is taken, which a rename does not; some file systems have no
     * links */
    if (link(temporary, path) == 0) {
      unlink(temporary);
      return RATTLE_OK;
    }
    if ((errno == EEXIST || access(path, F_OK) == 0) && !rattle__lock_left_empty(path))
      return taken(path, error);
  }
  /* two that replace the same file: the second looks for a writer when the first has moved its file
   * there */
  char *folder = folder_of(path);
  int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR) continue;
  rattle_status status = RATTLE_OK;
  if (rattle__lock_held(path) == 1)
    status = rattle__place_busy(error, path);
  else if (!force && access(path, F_OK) == 0 && !rattle__lock_left_empty(path))
    status = taken(path, error);
  else
    status = rattle__place_move(temporary, path, error);
  if (fd >= 0) close(fd);
  return status;
}
