/* Input and output files. Outputs are checked before anything is computed, and not overwritten
 * without --force. */
#define _GNU_SOURCE /* F_OFD_GETLK */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cli.h"
#include "ground/support/lock.h"

/* The folder of path: "." where it names none. */
static void folder_of(const char *path, char *folder, size_t size) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    snprintf(folder, size, ".");
  else
    snprintf(folder, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static int same_file(const struct stat *a, const char *path) {
  struct stat b;
  return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* True if `name` is `typed` with the ending of a model or a record. */
static int adds_ending(const char *name, const char *typed) {
  const size_t length = strlen(typed);
  return !strncmp(name, typed, length) &&
         (!strcmp(name + length, ".lua") || !strcmp(name + length, ".h5"));
}

/* The name in the folder of path that is near its own; "" where none is. */
static void find_near(const char *path, char *near, size_t size) {
  char folder[4096];
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  folder_of(path, folder, sizeof folder);
  DIR *there = opendir(folder);
  near[0] = 0;
  for (struct dirent *entry; there && (entry = readdir(there)) && !adds_ending(near, name);) {
    const char *best = cli_nearest(name, (const char *const[]){near, entry->d_name}, 2);
    if (adds_ending(entry->d_name, name) || (best == entry->d_name && best[0] != '.'))
      snprintf(near, size, "%s", entry->d_name);
  }
  if (there) closedir(there);
}

int cli_is_record(const char *path) {
  static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  char begin[8] = {0};
  struct stat there;
  FILE *file = stat(path, &there) == 0 && S_ISREG(there.st_mode) ? fopen(path, "rb") : NULL;
  if (!file) return 0;
  const size_t got = fread(begin, 1, sizeof begin, file);
  return fclose(file) == 0 && got == sizeof begin && !memcmp(begin, signature, sizeof begin);
}

rattle_status cli_check_input(const char *path, rattle_error *error) {
  struct stat there;
  if (!path[0]) return text_fail(error, RATTLE_BAD_ARGUMENT, "the name of the input file is empty");
  if (stat(path, &there) != 0 || access(path, R_OK) != 0) {
    const int why = errno;
    char near[256] = "";
    if (why == ENOENT) find_near(path, near, sizeof near);
    const int folder =
        (int)strlen(path) - (int)strlen(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (!near[0])
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s cannot be read: %s", path, strerror(why));
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s cannot be read: %s; did you mean %.*s%s?",
                     path, strerror(why), folder, path, near);
  }
  if (S_ISDIR(there.st_mode))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s is a folder; a file is needed", path);
  return RATTLE_OK;
}

rattle_status cli_read_text(const char *path, char **text, rattle_error *error) {
  char room[65536];
  size_t size = 0;
  ssize_t got = 0;
  *text = NULL;
  rattle_status status = cli_check_input(path, error);
  if (status) return status;
  /* without waiting for who might write a pipe; with waiting for what he writes */
  const int in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE *out = in < 0 || fcntl(in, F_SETFL, 0) ? NULL : open_memstream(text, &size);
  if (!out) status = text_fail(error, RATTLE_IO, "%s cannot be read: %s", path, strerror(errno));
  while (!status && (got = read(in, room, sizeof room)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      status = text_fail(error, RATTLE_IO, "%s cannot be read: %s", path, strerror(errno));
    else if (memchr(room, 0, (size_t)got))
      status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s is not a text", path);
    else if (fwrite(room, 1, (size_t)got, out) < (size_t)got)
      status = text_no_memory(error);
  }
  if (in >= 0) close(in);
  if (out && fclose(out) && !status) status = text_no_memory(error);
  if (!status && !size) status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s is empty", path);
  if (status) free(*text), *text = NULL;
  return status;
}

rattle_status cli_check_output(const char *path, int force, const char *const *inputs,
                               rattle_error *error) {
  struct stat there, folder_there;
  if (!path[0])
    return text_fail(error, RATTLE_BAD_ARGUMENT, "the name of the output file is empty");
  if (!strcmp(path, "-")) return cli_refuse_dash(error);
  if (stat(path, &there) == 0) {
    if (S_ISDIR(there.st_mode))
      return text_fail(error, RATTLE_BAD_ARGUMENT, "%s is a folder; give the name of a file in it",
                       path);
    for (; inputs && *inputs; inputs++)
      if (same_file(&there, *inputs))
        return text_fail(error, RATTLE_EXISTS,
                         "%s is an input of this command; choose another name for the output",
                         path);
    if (!force && S_ISREG(there.st_mode) && !rattle__lock_left_empty(path))
      return text_fail(error, RATTLE_EXISTS,
                       "%s exists; choose another name, or pass --force to replace it", path);
    if (rattle__lock_held(path) == 1)
      return text_fail(error, RATTLE_IO,
                       "%s is being written by a run; wait for it to end, or interrupt it", path);
    if (access(path, W_OK) != 0)
      return text_fail(error, RATTLE_IO, "%s cannot be replaced: %s", path, strerror(errno));
    return RATTLE_OK;
  }
  char folder[4096];
  folder_of(path, folder, sizeof folder);
  if (stat(folder, &folder_there) != 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s cannot be written: there is no folder %s",
                     path, folder);
  if (!S_ISDIR(folder_there.st_mode))
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s cannot be written: %s is not a folder", path,
                     folder);
  if (access(folder, W_OK | X_OK) != 0)
    return text_fail(error, RATTLE_IO, "%s cannot be written: folder %s: %s", path, folder,
                     strerror(errno));
  return RATTLE_OK;
}

rattle_status cli_take_place(cli_place *place, const char *path, int force, rattle_error *error) {
  const int left_empty = rattle__lock_left_empty(path);
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  *place = (cli_place){.path = path, .made = fd >= 0 || left_empty, .fd = -1};
  if (fd < 0 && errno == EEXIST && !force && !left_empty)
    return text_fail(error, RATTLE_EXISTS,
                     "%s exists; choose another name, or pass --force to replace it", path);
  if (fd < 0 && errno == EEXIST) fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return text_fail(error, RATTLE_IO, "%s cannot be written: %s", path, strerror(errno));
  if (rattle__lock_hold(fd)) {
    close(fd);
    return text_fail(error, RATTLE_IO,
                     "%s is being written by a run; wait for it to end, or interrupt it", path);
  }
  place->fd = fd;
  return RATTLE_OK;
}

void cli_open_place(cli_place *place) {
  if (place->fd >= 0) close(place->fd);
  place->fd = -1;
}

void cli_leave_place(cli_place *place) {
  struct stat there;
  cli_open_place(place);
  if (place->made && stat(place->path, &there) == 0 && there.st_size == 0) unlink(place->path);
  place->made = 0;
}
