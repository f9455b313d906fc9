/* Files of strangers at which HDF5 itself fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "rattle/record.h"
#include "rattle/study.h"
#include "ground/support/error.h"
#include "record/hdf5/hdf5.h"

/* Files at which HDF5 1.10.8 itself crashes: a study without checksums of its metadata, a study and
 * a record whose sums are right. A child reads them first, so that this process lives; a study of
 * 0.2 without checksums is read. */
static void crashes_of_hdf5(void **state) {
  (void)state;
  static const char *const names[] = {"study-old", "study-sums", "record-sums"};
  char path[512];
  rattle_record *record;
  rattle_study *study;
  rattle_error why;
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/crafted/%s", RATTLE_SOURCE_DIR, names[i]);
    assert_int_equal(rattle_study_load(&study, path, &why), RATTLE_BAD_RECORD);
    if (i < 2 && H5_VERSION_LE(1, 10, 8)) assert_non_null(strstr(why.message, "separate process"));
    assert_int_equal(rattle_record_open(&record, path, &why), RATTLE_BAD_RECORD);
  }
  snprintf(path, sizeof path, "%s/tests/fuzz/corpus/crafted/study-without-sums", RATTLE_SOURCE_DIR);
  if (rattle_study_load(&study, path, &why)) fail_msg("%s", why.message);
  assert_int_equal(rattle_study_result_of(study)->methods, 1);
  rattle_study_destroy(&study);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* A record whose sums are right, in which one part of an object has 1.5 gigabytes: HDF5 took memory
 * for them and read them two dozen times. */
static void larger_than_the_file(void **state) {
  (void)state;
  static const char path[] = RATTLE_SOURCE_DIR "/tests/fuzz/corpus/crafted/record-length";
  rattle_record *record;
  rattle_error why = {0};
  assert_int_equal(rattle_record_open(&record, path, &why), RATTLE_BAD_RECORD);
  if (!strstr(why.message, "the file is shorter than one of its objects"))
    fail_msg("%s", why.message);
}

/* Children that take long, against a clock of ours: each round in which the parent waits takes a
 * second, and ends when the child has done something, if it does. */
typedef struct pace {
  atomic_int rounds, beats; /* of the parent, of the child */
} pace;
static pace *shared;
static int working; /* the child does something in each round */

/* In place of the C library's, for the library too. */
__attribute__((visibility("default"))) int poll(struct pollfd *ends, nfds_t count, int most);
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now);

int poll(struct pollfd *ends, nfds_t count, int most) {
  static int (*real)(struct pollfd *, nfds_t, int);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "poll");
  if (!shared) return real(ends, count, most);
  const int before = shared->beats;
  shared->rounds++;
  int ready;
  do ready = real(ends, count, 1);
  while (ready == 0 && working && shared->beats == before);
  return ready;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  const int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_MONOTONIC && shared) now->tv_sec += shared->rounds;
  return failed;
}

static void rest(void) {
  nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static rattle_status sleep_on(void *self, rattle_error *error) {
  (void)self, (void)error;
  while (shared) (void)pause();
  return RATTLE_OK;
}

/* Works in each round, and takes a thousand of them. */
static rattle_status work_slowly(void *self, rattle_error *error) {
  (void)self, (void)error;
  while (shared->rounds < 1000) {
    const int round = shared->rounds;
    shared->beats++;
    while (shared->rounds == round) rest();
  }
  return RATTLE_OK;
}

static rattle_status ask(const char *path, rattle__act act, rattle_error *why) {
  rattle__h5 h5;
  const rattle__question question = {path, act, NULL, -1};
  rattle__h5_enter(&h5);
  const rattle_status status = rattle__apart(&question, why);
  rattle__h5_leave(&h5);
  return status;
}

static rattle_status ask_slowly(rattle__act act, int works, rattle_error *why) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  working = works;
  const rattle_status status = ask("slow.h5", act, why);
  munmap(shared, sizeof *shared);
  shared = NULL;
  return status;
}

/* A loaded machine is no reason to refuse a file, nothing done for two minutes is one. */
static void children_that_take_long(void **state) {
  (void)state;
  rattle_error why = {0};
  if (ask_slowly(work_slowly, 1, &why)) fail_msg("%s", why.message);
  assert_int_equal(ask_slowly(sleep_on, 0, &why), RATTLE_BAD_RECORD);
  if (!strstr(why.message, "did nothing for 120 s while it read slow.h5"))
    fail_msg("%s", why.message);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* it was ended */
}

/* What the host does with signals is not for the child. */
static rattle_status look_at_signals(void *self, rattle_error *error) {
  (void)self;
  if (rattle__takes()) return RATTLE_OK;
  sigset_t blocked;
  struct sigaction action;
  if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) || sigismember(&blocked, SIGXCPU))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "signals", "SIGXCPU is blocked");
  if (sigaction(SIGXCPU, NULL, &action) || action.sa_handler != SIG_DFL)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "signals", "SIGXCPU has a handler");
  return RATTLE_OK;
}

static void signals_of_the_host(void **state) {
  (void)state;
  sigset_t all, before;
  rattle_error why = {0};
  sigfillset(&all);
  signal(SIGXCPU, SIG_IGN);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const rattle_status status = ask("any.h5", look_at_signals, &why);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  signal(SIGXCPU, SIG_DFL);
  if (status) fail_msg("%s", why.message);
}

/* A pipe that nobody writes is refused at once. */
static void pipes(void **state) {
  (void)state;
  char path[] = "/tmp/rattle-pipe-XXXXXX";
  rattle_record *record;
  rattle_study *study;
  rattle_error why = {0};
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  (void)alarm(20);
  const rattle_status opened = rattle_record_open(&record, path, &why),
                      loaded = rattle_study_load(&study, path, &why);
  (void)alarm(0);
  unlink(path);
  assert_int_equal(opened, RATTLE_BAD_RECORD);
  assert_int_equal(loaded, RATTLE_BAD_RECORD);
  assert_non_null(strstr(why.message, "it is not a file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crashes_of_hdf5), cmocka_unit_test(larger_than_the_file),
      cmocka_unit_test(children_that_take_long), cmocka_unit_test(signals_of_the_host),
      cmocka_unit_test(pipes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
