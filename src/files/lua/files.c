/* Reading text files: models by their path; modules next to them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "files/lua/loader.h"

static const size_t longest_file = (size_t)256 << 20;

/* `what` a file is, as in "model"; `length`: NULL, or where the count of bytes goes of a file that
 * need not be a text. */
struct file_kind {
  const char *what, *path;
  size_t *length;
};

/* The rest of the stream with a zero byte, malloc'ed. */
static rattle_status read_stream(char **text, FILE *file, const struct file_kind *as,
                                 rattle_error *error) {
  const char *what = as->what, *path = as->path;
  rattle_status status = RATTLE_OK;
  size_t used = 0, size = 1 << 14;
  char *buffer = malloc(size);
  while (buffer) {
    used += fread(buffer + used, 1, size - 1 - used, file);
    if (used < size - 1 || used > longest_file) break;
    char *grown = realloc(buffer, size *= 2);
    if (!grown) free(buffer);
    buffer = grown;
  }
  if (!buffer) {
    status = rattle__no_memory(error);
  } else if (ferror(file)) {
    status = rattle__fail(error, RATTLE_IO, path, "cannot read the %s \"%s\": %s", what, path,
                          strerror(errno));
  } else if (used > longest_file) {
    status = rattle__fail(error, RATTLE_BAD_MODEL, path,
                          "\"%s\" is longer than 256 MiB: expected a %s%s", path, what,
                          as->length ? "" : ", a text file");
  } else if (!as->length && (buffer[0] == '\033' || memchr(buffer, 0, used))) {
    status = rattle__fail(error, RATTLE_BAD_MODEL, path,
                          "\"%s\" is not a text file: expected a %s in Lua, found binary data",
                          path, what);
  } else {
    buffer[used] = 0;
    *text = buffer;
    if (as->length) *as->length = used;
  }
  if (status) free(buffer);
  return status;
}

/* Without waiting for who might write to a pipe; with waiting for what he writes. */
static FILE *open_model(const char *path) {
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE *file = descriptor < 0 || fcntl(descriptor, F_SETFL, 0) ? NULL : fdopen(descriptor, "rb");
  if (descriptor >= 0 && !file) close(descriptor);
  return file;
}

rattle_status rattle__lua_read_model(char **text, const char *path, rattle_error *error) {
  FILE *file = open_model(path);
  if (!file)
    return rattle__fail(error, RATTLE_IO, path, "cannot open the model \"%s\": %s", path,
                        strerror(errno));
  const rattle_status status =
      read_stream(text, file, &(struct file_kind){"model", path, NULL}, error);
  fclose(file);
  return status;
}

rattle_status rattle__lua_read_module(char **text, size_t *length, const char *path,
                                      rattle_error *error) {
  const struct file_kind as = {length ? "file" : "module", path, length};
  struct stat about;
  *text = NULL;
  const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) return RATTLE_OK;
  if (descriptor < 0 && errno == ELOOP)
    return rattle__fail(error, RATTLE_BAD_MODEL, path,
                        "\"%s\" is a symbolic link, which require does not follow", path);
  if (descriptor < 0)
    return rattle__fail(error, RATTLE_IO, path, "cannot open the %s \"%s\": %s", as.what, path,
                        strerror(errno));
  FILE *file =
      fstat(descriptor, &about) || !S_ISREG(about.st_mode) ? NULL : fdopen(descriptor, "rb");
  if (!file) {
    close(descriptor);
    return rattle__fail(error, RATTLE_BAD_MODEL, path,
                        "\"%s\" is not a regular file: expected a %s", path,
                        length ? "file" : "module in Lua");
  }
  const rattle_status status = read_stream(text, file, &as, error);
  fclose(file);
  return status;
}
