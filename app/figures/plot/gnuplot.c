/* gnuplot as a child process: the script on its standard input and complaints from its standard
 * error are files, so that nobody waits for anybody; the figure comes through a pipe, since gnuplot
 * does not say when a disk was too full for it. No shell sees any of it. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figures/plot/plot.h"

/* The child: three descriptors, then gnuplot without the user's settings. Its exit status 127 says
 * that there is none. */
static void become_gnuplot(int script, int figure, int complaints) {
  if (dup2(script, STDIN_FILENO) < 0 || dup2(figure, STDOUT_FILENO) < 0 ||
      dup2(complaints, STDERR_FILENO) < 0)
    _exit(126);
  execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
  _exit(errno == ENOENT || errno == EACCES ? 127 : 126);
}

/* The line of gnuplot's complaint that says most: the last one that is not empty. */
static void read_complaint(FILE *complaints, char *text, size_t size) {
  char line[512];
  snprintf(text, size, "no reason given");
  rewind(complaints);
  while (fgets(line, sizeof line, complaints)) {
    line[strcspn(line, "\n")] = 0;
    const char *words = line + strspn(line, " \t^");
    if (*words) snprintf(text, size, "%s", words);
  }
}

/* Copies what comes out of a pipe, to its end, to a file; 0, or the errno of the first failure. */
static int copy(int from, int to) {
  char bytes[1 << 16];
  int trouble = 0;
  for (;;) {
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return trouble;
    for (ssize_t done = 0; done < got && !trouble;) {
      const ssize_t put = write(to, bytes + done, (size_t)(got - done));
      if (put > 0)
        done += put;
      else if (put == 0 || errno != EINTR)
        trouble = put ? errno : ENOSPC;
    }
  }
}

/* *trouble: an errno of the figure. */
static rattle_status run(FILE *script, int figure, FILE *complaints, int *trouble,
                         rattle_error *error) {
  int state, ends[2];
  if (fflush(script) || lseek(fileno(script), 0, SEEK_SET) < 0)
    return text_fail(error, RATTLE_IO, "cannot write the gnuplot script: %s", strerror(errno));
  fflush(NULL);
  if (pipe2(ends, O_CLOEXEC))
    return text_fail(error, RATTLE_IO, "gnuplot could not be started: %s", strerror(errno));
  pid_t child = fork();
  if (child == 0) become_gnuplot(fileno(script), ends[1], fileno(complaints));
  const int reason = errno;
  close(ends[1]);
  *trouble = child < 0 ? 0 : copy(ends[0], figure);
  close(ends[0]);
  if (child < 0)
    return text_fail(error, RATTLE_IO, "gnuplot could not be started: %s", strerror(reason));
  while (waitpid(child, &state, 0) < 0)
    if (errno != EINTR)
      return text_fail(error, RATTLE_IO, "cannot wait for gnuplot: %s", strerror(errno));
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return RATTLE_OK;
  if (WIFEXITED(state) && WEXITSTATUS(state) == 127)
    return text_fail(error, RATTLE_IO,
                     "gnuplot is not installed (Debian, Ubuntu: apt-get install gnuplot-nox); or "
                     "write the script with -o FIG.gp "
                     "and draw it elsewhere");
  if (WIFSIGNALED(state))
    return text_fail(error, RATTLE_IO, "signal %d ended gnuplot", WTERMSIG(state));
  char complaint[256];
  read_complaint(complaints, complaint, sizeof complaint);
  return text_fail(error, RATTLE_IO,
                   "gnuplot failed: %s; write its script with -o FIG.gp to inspect it", complaint);
}

rattle_status plot_run_gnuplot(FILE *script, const char *path, rattle_error *error) {
  struct stat found;
  cli_output output;
  rattle_status status = cli_begin_output(&output, path, 1, error);
  if (status) return status;
  FILE *complaints = tmpfile();
  int trouble = 0;
  if (!complaints)
    status = text_fail(error, RATTLE_IO, "gnuplot could not be started: %s", strerror(errno));
  else
    status = run(script, fileno(output.file), complaints, &trouble, error);
  if (!status && trouble)
    status =
        text_fail(error, RATTLE_IO, "%s could not be written in full: %s", path, strerror(trouble));
  if (!status && (fstat(fileno(output.file), &found) || (S_ISREG(found.st_mode) && !found.st_size)))
    status = text_fail(error, RATTLE_IO,
                       "gnuplot drew nothing; write its script with -o FIG.gp to inspect it");
  if (complaints) fclose(complaints);
  return cli_end_output(&output, status, error);
}
