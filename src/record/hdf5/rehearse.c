/* Files of strangers, read by a child process first.
 *
 * HDF5 1.10 reads and writes freed memory, divides by 0 and does not end where the metadata of a
 * file say what no writer writes. A checksum keeps damage away, not somebody who computes it anew.
 * So all that will be read of a file's metadata is read by a child of this process, by the same
 * calls from the same state: what it survives, this process survives too. docs/decisions has the
 * reasons. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "record/hdf5/hdf5.h"

/* Limits of the child's processor time, of which a record of 10^5 observables takes five seconds,
 * and of the time in which it uses none. How long the child is about it says nothing: others may
 * have the processors. */
enum { MOST_SECONDS = 60, MOST_SECONDS_ASLEEP = 120 };

/* The message of the child at its end; one write into a pipe, which is not divided. */
typedef struct verdict {
  rattle_status status;
  rattle_error error;
} verdict;

static void limit(int what, rlim_t most) {
  struct rlimit now;
  if (getrlimit(what, &now) || now.rlim_cur <= most) return;
  now.rlim_cur = most;
  (void)setrlimit(what, &now);
}

/* Signals mean what they mean to a process without handlers, and none is blocked: what the host
 * does with them is not for the child. */
static void be_a_child(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGABRT, SIGTRAP,
                                SIGXCPU, SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  sigset_t none;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  sigemptyset(&none);
  (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, MOST_SECONDS);
}

static _Noreturn void act_and_end(rattle__act act, void *self, int out) {
  verdict said = {.status = RATTLE_OK};
  be_a_child();
  said.status = act(self, &said.error);
  _exit(write(out, &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
}

static double seconds_of(clockid_t clock) {
  struct timespec t;
  return clock_gettime(clock, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time that the child has used. A child that reads uses some, however slow the disk. */
static double used_by(pid_t child) {
  clockid_t clock;
  return clock_getcpuclockid(child, &clock) ? 0 : seconds_of(clock);
}

/* Waits until the child has something to say, or has ended: 1; 0: it has slept for too long. A
 * round counts as one second at most, since this process may have been stopped meanwhile. */
static int wait_for(int in, pid_t child) {
  struct pollfd end = {.fd = in, .events = POLLIN};
  double now = seconds_of(CLOCK_MONOTONIC), used = used_by(child), asleep = 0;
  for (;;) {
    const int ready = poll(&end, 1, 1000);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return 1;
    const double then = now, before = used;
    now = seconds_of(CLOCK_MONOTONIC), used = used_by(child);
    asleep = used > before ? 0 : asleep + fmin(now - then, 1);
    if (asleep >= MOST_SECONDS_ASLEEP) return 0;
  }
}

/* 1: the child has said it, 0: it ended before. */
static int hear(int in, verdict *said) {
  ssize_t got;
  do got = read(in, said, sizeof *said);
  while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof *said && (unsigned)said->status < RATTLE_STATUS_COUNT;
}

/* The signal that ended the child, ASLEEP, or 0 if that is unknown, as where the host waits for all
 * its children. A child that sleeps is ended here, if it is still there: its number may belong to
 * another process by now. */
enum { ASLEEP = -1 };
static int end_of(pid_t child, int awake) {
  int how = 0;
  pid_t ended;
  if (!awake && waitpid(child, NULL, WNOHANG) == 0) (void)kill(child, SIGKILL);
  do ended = waitpid(child, &how, 0);
  while (ended < 0 && errno == EINTR);
  if (!awake) return ASLEEP;
  return ended == child && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

static rattle_status refuse(const char *path, int by, rattle_error *error) {
  static const char harm[] = "the file is damaged, or was made to do harm";
  if (by == SIGINT || by == SIGTERM || by == SIGHUP)
    return rattle__fail(error, RATTLE_INTERRUPTED, path, "interrupted while %s was opened", path);
  if (by == SIGXCPU)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "the HDF5 library did not finish reading %s in %d s of processor time: %s",
                        path, MOST_SECONDS, harm);
  if (by == ASLEEP)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "the HDF5 library did nothing for %d s while it read %s: %s, or is on a "
                        "disk that does not answer",
                        MOST_SECONDS_ASLEEP, path, harm);
  return rattle__fail(error, RATTLE_BAD_RECORD, path,
                      "the HDF5 library crashed when a separate process read %s with it: %s", path,
                      harm);
}

rattle_status rattle__rehearse(const char *path, rattle__act act, void *self, rattle_error *error) {
  verdict said;
  int ends[2];
  if (!rattle__rehearses()) return RATTLE_OK;
  const int made = pipe2(ends, O_CLOEXEC) == 0;
  const pid_t child = made ? fork() : -1;
  if (child == 0) act_and_end(act, self, ends[1]);
  if (child < 0) {
    const int reason = errno;
    if (made) close(ends[0]), close(ends[1]);
    return rattle__fail(error, RATTLE_IO, path,
                        "%s was not opened: no process could be made to read it first: %s", path,
                        strerror(reason));
  }
  close(ends[1]);
  const int awake = wait_for(ends[0], child);
  const int heard = awake && hear(ends[0], &said);
  close(ends[0]);
  const int by = end_of(child, awake);
  if (!heard) return refuse(path, by, error);
  if (said.status && error) *error = said.error;
  return said.status;
}
