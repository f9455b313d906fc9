/* Other programs: none of them is waited for without end, no shell sees a word. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cli.h"
#include "ground/support/flag.h"

int cli_has_program(const char *name) {
  char path[4096];
  if (strchr(name, '/')) return access(name, X_OK) == 0;
  for (const char *at = getenv("PATH"); at && *at;) {
    const size_t length = strcspn(at, ":");
    const int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
    if (length && n > 0 && n < (int)sizeof path && access(path, X_OK) == 0) return 1;
    at += length + (at[length] == ':');
  }
  return 0;
}

int cli_read_complaint(FILE *errors, char *text, size_t size) {
  char line[512];
  int found = 0;
  snprintf(text, size, "no reason given");
  rewind(errors);
  while (fgets(line, sizeof line, errors)) {
    line[strcspn(line, "\r\n")] = 0;
    const char *words = line + strspn(line, " \t");
    if (*words) found = 1, snprintf(text, size, "%s", words);
  }
  return found;
}

/* The child: in a group of its own, which can be ended as a whole. */
static void become(const char *const *words, int in, int out, int errors) {
  setpgid(0, 0);
  signal(SIGPIPE, SIG_DFL), signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL);
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
    _exit(126);
  execvp(words[0], (char *const *)words);
  _exit(126);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* 1: it has ended by itself; 0: it was ended. */
static int wait_for(pid_t child, int *state, double seconds, const volatile int *interrupt) {
  const double end = now() + seconds;
  for (;;) {
    const pid_t ended = waitpid(child, state, WNOHANG);
    if (ended == child) return 1;
    if ((ended < 0 && errno != EINTR) || now() > end || rattle__flag_is_set(interrupt)) break;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  kill(-child, SIGKILL);
  while (waitpid(child, state, 0) < 0 && errno == EINTR) continue;
  return 0;
}

rattle_status cli_run_program(const char *const *words, FILE *in, FILE *out, FILE *errors,
                              double seconds, rattle_error *error) {
  const volatile int *interrupt = cli_catch_signals();
  int state = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) become(words, fileno(in), fileno(out), fileno(errors));
  if (child < 0)
    return text_fail(error, RATTLE_IO, "%s could not be started: %s", words[0], strerror(errno));
  const int ended = wait_for(child, &state, seconds, interrupt);
  kill(-child, SIGKILL); /* what it has left behind */
  if (!ended && rattle__flag_is_set(interrupt))
    return text_fail(error, RATTLE_INTERRUPTED, "interrupted: %s was ended", words[0]);
  if (!ended)
    return text_fail(error, RATTLE_IO, "%s did not end within %g s, and was ended", words[0],
                     seconds);
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return RATTLE_OK;
  if (WIFSIGNALED(state))
    return text_fail(error, RATTLE_IO, "signal %d ended %s", WTERMSIG(state), words[0]);
  char complaint[256];
  (void)cli_read_complaint(errors, complaint, sizeof complaint);
  return text_fail(error, RATTLE_IO, "%s failed: %s", words[0], complaint);
}
