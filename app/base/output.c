/* Files that are written whole: under a temporary name beside their own, which they get when all of
 * their bytes are on file. A failure leaves what was there before, and nothing else. */
#define _GNU_SOURCE /* mkostemp */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cli.h"
#include "ground/support/lock.h"

static rattle_status taken(const char *path, rattle_error *error) {
  return text_fail(error, RATTLE_EXISTS,
                   "%s exists; choose another name, or pass --force to replace it", path);
}

static rattle_status cannot(const char *path, int why, rattle_error *error) {
  return text_fail(error, RATTLE_IO, "%s cannot be written: %s", path, strerror(why));
}

rattle_status cli_refuse_dash(rattle_error *error) {
  return text_fail(
      error, RATTLE_BAD_ARGUMENT,
      "standard output has no name '-' here: name a file, a pipe as /dev/stdout, or ./-"
      " for a file of that name");
}

static void drop(cli_output *output) {
  if (output->file) fclose(output->file);
  if (output->temporary) unlink(output->temporary);
  free(output->temporary);
  *output = (cli_output){0};
}

rattle_status cli_begin_output(cli_output *output, const char *path, int force,
                               rattle_error *error) {
  struct stat there, name;
  if (!strcmp(path, "-")) return cli_refuse_dash(error);
  const int found = stat(path, &there) == 0;
  *output = (cli_output){.path = path, .force = force || rattle__lock_left_empty(path)};
  if (found && S_ISREG(there.st_mode) && !output->force) return taken(path, error);
  if (found && S_ISREG(there.st_mode) && !lstat(path, &name) && S_ISLNK(name.st_mode))
    return text_fail(error, RATTLE_IO,
                     "%s cannot be replaced: it is a link, which would be lost; name the file it "
                     "leads to",
                     path);
  if (found && !S_ISREG(there.st_mode)) { /* a pipe, a terminal */
    output->file = fopen(path, "we");
    return output->file ? RATTLE_OK : cannot(path, errno, error);
  }
  const size_t room = strlen(path) + sizeof ".XXXXXX.part";
  if (!(output->temporary = malloc(room))) return text_no_memory(error);
  snprintf(output->temporary, room, "%s.XXXXXX.part", path);
  const int fd = mkostemps(output->temporary, (int)strlen(".part"), O_CLOEXEC);
  output->file = fd < 0 ? NULL : fdopen(fd, "w");
  if (output->file) {
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(fd, 0666 & ~mask);
    return RATTLE_OK;
  }
  const int why = errno;
  if (fd >= 0)
    close(fd);
  else
    free(output->temporary), output->temporary = NULL;
  drop(output);
  return cannot(path, why, error);
}

/* 0, or an errno. A link fails where the name is taken, which a rename does not; some file systems
 * have no links. */
static int give_name(const cli_output *output) {
  if (!output->force && !link(output->temporary, output->path)) return 0;
  if (!output->force && errno == EEXIST) return EEXIST;
  return rename(output->temporary, output->path) ? errno : 0;
}

rattle_status cli_flush_output(const cli_output *output, rattle_error *error) {
  errno = 0;
  const int bad = fflush(output->file) | ferror(output->file);
  return bad ? text_fail(error, RATTLE_IO, "%s could not be written in full: %s", output->path,
                         errno ? strerror(errno) : "write error")
             : RATTLE_OK;
}

rattle_status cli_end_output(cli_output *output, rattle_status status, rattle_error *error) {
  const char *path = output->path;
  if (!output->file) return status;
  if (!status) status = cli_flush_output(output, error);
  const int why = status || !output->temporary ? 0 : give_name(output);
  if (why) status = why == EEXIST ? taken(path, error) : cannot(path, why, error);
  drop(output);
  return status;
}
