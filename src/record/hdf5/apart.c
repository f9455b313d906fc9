/* Files of strangers, read by a child process.
 *
 * HDF5 1.10 reads and writes freed memory, divides by 0 and does not end where the metadata of a
 * file say what no writer writes. A checksum keeps damage away, not somebody who computes it anew.
 * So a child of this process asks HDF5, and this process takes what it passes on (parcel.h). A
 * child lives for one question. docs/decisions has the reasons. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "record/hdf5/hdf5.h"

/* Limits of the child's processor time, of which a record of 10^5 observables takes five seconds,
 * and of the time in which it uses none. How long the child is about it says nothing: others may
 * have the processors. */
enum { MOST_SECONDS = 60, MOST_SECONDS_ASLEEP = 120 };

/* The child says this first; then come the bytes that it passes on. */
typedef struct answer {
  rattle_status status;
  size_t size;
  rattle_error error;
} answer;

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

/* Ends of pipes and locks of the host are not the child's to keep: descriptors from `first` to
 * `last` are closed, where the system can do so at once. */
static void leave_alone(long long first, long long last) {
#ifdef SYS_close_range
  if (first <= last) (void)syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0);
#else
  (void)first, (void)last;
#endif
}

static void keep_only(int out, int kept) {
  const int low = kept >= 0 && kept < out ? kept : out, high = kept > out ? kept : out;
  const int first = STDERR_FILENO + 1;
  leave_alone(first, low - 1LL);
  leave_alone(low < first ? first : low + 1LL, high - 1LL);
  leave_alone(high < first ? first : high + 1LL, ~0u);
}

static int say(int out, const void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t put = write(out, (const char *)data + done, size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return -1;
    done += (size_t)put;
  }
  return 0;
}

static _Noreturn void act_and_end(const rattle__question *asked, const rattle__parcel *parcel,
                                  int out) {
  answer said = {.status = RATTLE_OK};
  be_a_child();
  keep_only(out, asked->kept);
  said.status = asked->act(asked->self, &said.error);
  said.size = said.status ? 0 : parcel->size;
  _exit(say(out, &said, sizeof said) || say(out, parcel->bytes, said.size) ? 1 : 0);
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

/* How it went with what a child says. */
enum { HEARD, ENDED, SLEPT, FORGOTTEN /* there is no memory for it */ };

static int hear(int in, pid_t child, void *data, size_t size) {
  for (size_t done = 0; done < size;) {
    if (!wait_for(in, child)) return SLEPT;
    const ssize_t got = read(in, (char *)data + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return ENDED;
    done += (size_t)got;
  }
  return HEARD;
}

/* In parts, so that memory is taken for what is said alone. */
static int hear_all(int in, pid_t child, answer *said, rattle__parcel *parcel) {
  enum { PART = 1 << 20 };
  int heard = hear(in, child, said, sizeof *said);
  if (heard) return heard;
  said->error.message[sizeof said->error.message - 1] = 0;
  said->error.where[sizeof said->error.where - 1] = 0;
  const int failed = said->status != RATTLE_OK;
  if ((unsigned)said->status >= RATTLE_STATUS_COUNT ||
      (failed && (said->error.status != said->status || !said->error.message[0])))
    return ENDED;
  for (size_t left = failed ? 0 : said->size, part; left > 0 && !heard; left -= part) {
    part = left < PART ? left : PART;
    char *to = rattle__parcel_extend(parcel, part);
    heard = to ? hear(in, child, to, part) : FORGOTTEN;
  }
  return heard;
}

/* The signal that ended the child, ASLEEP, or 0 if that is unknown, as where the host waits for all
 * its children. A child that sleeps or has said all is ended here, if it is still there: its number
 * may belong to another process by now. */
enum { ASLEEP = -1 };
static int end_of(pid_t child, int heard) {
  int how = 0;
  pid_t ended;
  if (heard != ENDED && waitpid(child, NULL, WNOHANG) == 0) (void)kill(child, SIGKILL);
  do ended = waitpid(child, &how, 0);
  while (ended < 0 && errno == EINTR);
  if (heard == SLEPT) return ASLEEP;
  return ended == child && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

static rattle_status refuse(const char *path, int by, rattle_error *error) {
  static const char harm[] = "the file is damaged, or was made to do harm";
  if (by == SIGINT || by == SIGTERM || by == SIGHUP)
    return rattle__fail(error, RATTLE_INTERRUPTED, path, "interrupted while %s was read", path);
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

/* The answer of a child. */
static rattle_status fork_and_hear(const rattle__question *asked, rattle__parcel *parcel,
                                   rattle_error *error) {
  answer said;
  int ends[2];
  const char *path = asked->path;
  const int made = pipe2(ends, O_CLOEXEC) == 0;
  const pid_t child = made ? fork() : -1;
  if (child == 0) act_and_end(asked, parcel, ends[1]);
  if (child < 0) {
    const int reason = errno;
    if (made) close(ends[0]), close(ends[1]);
    return rattle__fail(error, RATTLE_IO, path,
                        "%s was not opened: no process could be made to read it: %s", path,
                        strerror(reason));
  }
  close(ends[1]);
  const int heard = hear_all(ends[0], child, &said, parcel);
  close(ends[0]);
  const int by = end_of(child, heard);
  if (heard == FORGOTTEN) return rattle__no_memory(error);
  if (heard) return refuse(path, by, error);
  if (said.status && error) *error = said.error;
  return said.status;
}

/* In the parcel is what the act passes on. */
static rattle_status ask(const rattle__question *asked, rattle__parcel *parcel,
                         rattle_error *error) {
  return rattle__forks() ? fork_and_hear(asked, parcel, error) : asked->act(asked->self, error);
}

rattle_status rattle__apart(const rattle__question *asked, rattle_error *error) {
  rattle__h5 *h5 = rattle__h5_section();
  rattle__parcel parcel = {0};
  h5->parcel = &parcel;
  rattle_status status = ask(asked, &parcel, error);
  parcel.takes = 1;
  if (!status) status = asked->act(asked->self, error);
  h5->parcel = NULL;
  free(parcel.bytes);
  return status;
}
