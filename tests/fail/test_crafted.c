/* Files of strangers at which HDF5 itself fails. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Limits a sleeping child: the alarm is set, and its signal ends the process whatever the host does
 * with it. Here it is one second. */
static rattle_status sleep_on(void *self, rattle_error *error) {
  (void)self;
  sigset_t blocked;
  struct sigaction action;
  const unsigned left = alarm(0);
  if (left == 0 || left > 120)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "alarm", "the alarm comes in %u s", left);
  if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) || sigismember(&blocked, SIGALRM))
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "alarm", "the alarm is blocked");
  if (sigaction(SIGALRM, NULL, &action) || action.sa_handler != SIG_DFL)
    return rattle__fail(error, RATTLE_BAD_ARGUMENT, "alarm", "the alarm has a handler");
  (void)alarm(1);
  for (;;) (void)pause();
}

static void a_child_that_sleeps(void **state) {
  (void)state;
  sigset_t all, before;
  rattle_error why = {0};
  sigfillset(&all);
  signal(SIGALRM, SIG_IGN);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const rattle_status status = rattle__rehearse("asleep.h5", sleep_on, NULL, &why);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  signal(SIGALRM, SIG_DFL);
  if (status != RATTLE_BAD_RECORD) fail_msg("%d: %s", status, why.message);
  if (!strstr(why.message, "did not finish reading asleep.h5 in 120 s"))
    fail_msg("%s", why.message);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(crashes_of_hdf5),
                                     cmocka_unit_test(a_child_that_sleeps),
                                     cmocka_unit_test(pipes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
