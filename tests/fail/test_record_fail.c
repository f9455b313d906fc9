/* Failures of records: no counted sample is lost, and the message gives a remedy. */
#include "record_fake.h"
#include "ground/support/random.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static const char *const chain[] = {"x[1]", "x[2]", "x[3]", "y[1]", "y[2]", "y[3]", NULL};
static const char *const rod[] = {"rod", NULL};
static const char *const speed[] = {"speed", NULL};

static fake problem(void) {
  return fake_problem(chain, rod, speed);
}

/* A whole record of `samples` samples at `path`. */
static void write_record(const fake *f, const char *path, long long samples) {
  rattle_record_options options = fake_options(samples - 1, 1);
  rattle_record *record;
  CHECK(rattle_record_create(&record, path, f->problem, &options, error));
  CHECK(fake_run(f, rattle_record_observer(record), 0, samples - 1, 1, error));
  rattle_record_close(&record);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void expect_open(const char *path, rattle_status want, const char *words) {
  rattle_record *record;
  rattle_error error = {0};
  assert_int_equal(rattle_record_open(&record, path, &error), want);
  assert_null(record);
  if (!strstr(error.message, words))
    fail_msg("\"%s\" says nothing of \"%s\"", error.message, words);
  assert_int_equal(rattle_record_append(&record, path, &error), want);
  assert_null(record);
}

/* Neither an existing file nor one that comes while the run is prepared is replaced without force;
 * with it, only by a run that has begun. */
static void exists(void **state) {
  (void)state;
  fake f = problem();
  char path[256];
  strcpy(path, fake_path("exists.h5"));
  rattle_record_options options = fake_options(10, 1);
  rattle_record *record;
  rattle_error refusal;
  write_text(path, "precious");
  assert_int_equal(rattle_record_create(&record, path, f.problem, &options, &refusal),
                   RATTLE_EXISTS);
  assert_non_null(strstr(refusal.message, "--force"));

  unlink(path);
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  write_text(path, "precious");
  assert_int_equal(fake_run(&f, rattle_record_observer(record), 0, 10, 1, &refusal), RATTLE_EXISTS);
  rattle_record_close(&record);

  options.force = 1;
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  rattle_record_close(&record);
  char text[16] = "";
  FILE *file = fopen(path, "r");
  assert_non_null(fgets(text, sizeof text, file));
  fclose(file);
  assert_string_equal(text, "precious");

  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  CHECK(fake_run(&f, rattle_record_observer(record), 0, 10, 1, error));
  rattle_record_close(&record);
  CHECK(rattle_record_open(&record, path, error));
  fake_check(&f, record, 11, 1);
  rattle_record_close(&record);
  char command[300];
  snprintf(command, sizeof command, "test $(ls %s | grep -c part) = 0", fake_folder);
  assert_int_equal(system(command), 0);
  fake_free(&f);
}

/* As a user without rights, since root may write everywhere. */
static void folder_not_writable(void **state) {
  (void)state;
  fake f = problem();
  char folder[256], path[300];
  strcpy(folder, fake_path("locked"));
  assert_int_equal(mkdir(folder, 0555), 0);
  snprintf(path, sizeof path, "%s/run.h5", folder);
  pid_t child = fork();
  if (child == 0) {
    rattle_record_options options = fake_options(10, 1);
    rattle_record *record;
    rattle_error error;
    if (geteuid() == 0 && (chmod(fake_folder, 0755) || setgid(65534) || setuid(65534))) _exit(9);
    _exit(rattle_record_create(&record, path, f.problem, &options, &error) == RATTLE_IO &&
                  strstr(error.message, path) && strstr(error.message, "ermission")
              ? 0
              : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  rattle_record_options options = fake_options(10, 1);
  rattle_record *record;
  rattle_error refusal;
  assert_int_equal(
      rattle_record_create(&record, "/nowhere/at/all.h5", f.problem, &options, &refusal),
      RATTLE_IO);
  assert_non_null(strstr(refusal.message, "No such file"));
  fake_free(&f);
}

static void newer_version(void **state) {
  (void)state;
  fake f = problem();
  const char *path = fake_path("newer.h5");
  write_record(&f, path, 10);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  H5Adelete_by_name(file, "/rattle", "format", H5P_DEFAULT);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t format = H5Acreate_by_name(file, "/rattle", "format", H5T_NATIVE_INT, space, H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Awrite(format, H5T_NATIVE_INT, &(int){99}) >= 0);
  H5Aclose(format), H5Sclose(space), H5Fclose(file);
  expect_open(path, RATTLE_NEWER_RECORD, "format 99");
  fake_free(&f);
}

static void no_record(void **state) {
  (void)state;
  const char *path = fake_path("no.h5");
  expect_open(path, RATTLE_IO, "No such file");
  write_text(path, "x = 1\n");
  expect_open(path, RATTLE_BAD_RECORD, "not an HDF5 file");
  write_text(path, "");
  expect_open(path, RATTLE_BAD_RECORD, "is empty");
  long long samples;
  rattle_error refusal;
  assert_int_equal(rattle_record_recover(path, &samples, &refusal), RATTLE_BAD_RECORD);
  unlink(path);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
  H5Pclose(access);
  expect_open(path, RATTLE_BAD_RECORD, "not a record of rattle");
  assert_int_equal(rattle_record_open(&(rattle_record *){NULL}, "/tmp", &refusal),
                   RATTLE_BAD_RECORD);
}

/* The same, of a process that dies before it closes the file. */
static void leave_record_open(const fake *f, const char *path, long long samples) {
  pid_t child = fork();
  if (child == 0) {
    rattle_record_options options = fake_options(samples - 1, 1);
    rattle_record *record;
    if (rattle_record_create(&record, path, f->problem, &options, NULL)) _exit(1);
    rattle_observer *observer = rattle_record_observer(record);
    fake_sample s = fake_sample_room(f);
    if (observer->begin(observer->self, NULL, fake_fill(f, &s, 0), NULL)) _exit(2);
    for (long long step = 0; step < samples; step++) {
      if (observer->record(observer->self, fake_fill(f, &s, step), NULL)) _exit(3);
      if (step % 1000 != 999) continue;
      rattle_summary summary = fake_summary(0, step, RATTLE_OK, "");
      observer->progress(observer->self, &summary, samples - 1);
    }
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
}

/* A record truncated at any length is refused with a sentence, whether it was closed or left open.
 * The result of recover is right then; the damaged file is kept. */
static void truncated(void **state) {
  (void)state;
  fake f = problem();
  char path[256], damaged[300];
  strcpy(path, fake_path("cut.h5"));
  snprintf(damaged, sizeof damaged, "%s.damaged", path);
  struct stat found;
  long long recovered[2] = {0}, partly[2] = {0};
  for (int part = 0; part < 40; part++) {
    unlink(path), unlink(damaged);
    (part % 2 ? write_record : leave_record_open)(&f, path, 20000);
    stat(path, &found);
    assert_int_equal(truncate(path, part * (found.st_size / 40) + (part % 3) * 5), 0);
    expect_open(path, RATTLE_BAD_RECORD, path);
    long long samples = -1;
    rattle_error refusal = {0};
    rattle_status status = rattle_record_recover(path, &samples, &refusal);
    if (status) {
      assert_int_equal(status, RATTLE_BAD_RECORD);
      assert_non_null(strstr(refusal.message, path));
      assert_null(strstr(refusal.message, ".part"));
      continue;
    }
    recovered[part % 2]++;
    assert_true(samples < 20000);
    partly[part % 2] += samples > 0;
    assert_int_equal(access(damaged, F_OK), 0);
    rattle_record *record;
    CHECK(rattle_record_open(&record, path, error));
    assert_int_equal(rattle_record_info_of(record)->samples, samples);
    fake_check(&f, record, samples, 1);
    fake_check_state(&f, record, 19999);
    rattle_record_close(&record);
  }
  print_message("of 20 and 20 cut files %lld and %lld recovered, %lld and %lld with samples\n",
                recovered[0], recovered[1], partly[0], partly[1]);
  assert_true(partly[0] > 5 && partly[1] > 5);
  fake_free(&f);
}

/* Writes until killed, and reports the number of counted samples after each flush. */
static void write_until_killed(const fake *f, const char *path, int report, int resumed) {
  rattle_record_options options = fake_options(1000000000, 1);
  options.flush_seconds = 0.001;
  rattle_record *record;
  rattle_error error;
  if (resumed ? rattle_record_append(&record, path, &error)
              : rattle_record_create(&record, path, f->problem, &options, &error))
    _exit(1);
  rattle_observer *observer = rattle_record_observer(record);
  fake_sample s = fake_sample_room(f);
  long long step = rattle_record_info_of(record)->last_step, counted = 0;
  if (observer->begin(observer->self, NULL, fake_fill(f, &s, step), &error)) _exit(2);
  for (;; step++) {
    if (observer->record(observer->self, fake_fill(f, &s, step), &error)) _exit(3);
    if (step % 50 == 0) {
      rattle_summary summary = fake_summary(0, step, RATTLE_OK, "");
      observer->progress(observer->self, &summary, 1000000000);
    }
    long long now = rattle_record_info_of(record)->samples;
    if (now != counted && write(report, &now, sizeof now) != sizeof now) _exit(4);
    counted = now;
  }
}

static long long kill_after(const fake *f, const char *path, int resumed, long microseconds) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) write_until_killed(f, path, ends[1], resumed);
  close(ends[1]);
  /* from the first sample counted on */
  long long counted = 0, next;
  assert_int_equal(read(ends[0], &counted, sizeof counted), sizeof counted);
  struct timespec start, t;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    if (read(ends[0], &next, sizeof next) == sizeof next) counted = next;
    clock_gettime(CLOCK_MONOTONIC, &t);
  } while ((t.tv_sec - start.tv_sec) * 1000000 + (t.tv_nsec - start.tv_nsec) / 1000 < microseconds);
  kill(child, SIGKILL);
  while (read(ends[0], &next, sizeof next) == sizeof next) counted = next;
  close(ends[0]);
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFSIGNALED(status));
  return counted;
}

/* kill -9 at 24 instants, each run killed, recovered, resumed and killed again: no sample that was
 * counted is lost, the state fits the last sample, and a reader needs no recovery. */
static void killed(void **state) {
  (void)state;
  fake f = problem();
  char path[256];
  strcpy(path, fake_path("killed.h5"));
  uint64_t seed = 12345;
  long long before = 0;
  for (int trial = 0; trial < 24; trial++) {
    if (trial % 4 == 0) unlink(path), before = 0;
    long long counted =
        kill_after(&f, path, trial % 4 > 0, 500 + (int)(rattle__random(&seed) % 40000));
    rattle_record *record;
    rattle_error refusal;
    CHECK(rattle_record_open(&record, path, error));
    const rattle_record_info *info = rattle_record_info_of(record);
    assert_int_equal(info->closed, 0);
    assert_string_equal(info->status_name, "");
    assert_true(info->samples >= counted && info->samples > before);
    fake_check(&f, record, info->samples, 1);
    fake_check_state(&f, record, info->samples - 1);
    before = info->samples;
    rattle_record_close(&record);

    assert_int_equal(rattle_record_append(&record, path, &refusal), RATTLE_BAD_RECORD);
    assert_non_null(strstr(refusal.message, "rattle recover"));
    long long samples;
    CHECK(rattle_record_recover(path, &samples, error));
    assert_int_equal(samples, before);
    CHECK(rattle_record_recover(path, &samples, error));
    assert_int_equal(samples, before);
    CHECK(rattle_record_open(&record, path, error));
    info = rattle_record_info_of(record);
    assert_int_equal(info->closed, 1);
    assert_string_equal(info->status_name, "INTERRUPTED");
    fake_check(&f, record, samples, 1);
    fake_check_state(&f, record, samples - 1);
    rattle_record_close(&record);
  }
  fake_free(&f);
}

typedef struct ended {
  rattle_status status;
  long long counted, objects;
  char message[1024];
} ended;

/* A run in a process whose files may not grow beyond `limit` bytes, quiet on standard error to the
 * very end. `shown`: with progress, which flushes. */
static ended run_limited(const fake *f, const char *path, long long limit, long long steps,
                         int shown) {
  ended result = {.status = RATTLE_OK};
  char noise[128];
  snprintf(noise, sizeof noise, "%s/noise", fake_folder);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    if (!freopen(noise, "w", stderr)) _exit(1);
    setvbuf(stderr, NULL, _IONBF, 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)limit, (rlim_t)limit});
    rattle_record_options options = fake_options(steps, 1);
    options.flush_seconds = 1000;
    rattle_record *record;
    rattle_error error = {0};
    if (rattle_record_create(&record, path, f->problem, &options, &error)) _exit(2);
    if (!shown) rattle_record_observer(record)->progress = NULL;
    result.status = fake_run(f, rattle_record_observer(record), 0, steps, 1, &error);
    result.counted = rattle_record_info_of(record)->samples;
    snprintf(result.message, sizeof result.message, "%s", error.message);
    rattle_record_close(&record);
    result.objects = (long long)H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    H5close();
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 3);
  }
  int status;
  struct stat found;
  close(ends[1]);
  assert_int_equal(read(ends[0], &result, sizeof result), sizeof result);
  close(ends[0]);
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  assert_int_equal(result.objects, 0);
  assert_int_equal(stat(noise, &found), 0);
  assert_int_equal(found.st_size, 0);
  return result;
}

/* The run ends with RATTLE_IO, the samples counted before stay, and it can go on from there. */
static void full_disk(void **state) {
  (void)state;
  fake f = problem();
  char path[256];
  for (int shown = 0; shown < 2; shown++) {
    strcpy(path, fake_path("full.h5"));
    ended run = run_limited(&f, path, 20 << 20, 10000000, shown);
    assert_int_equal(run.status, RATTLE_IO);
    assert_true(strstr(run.message, path) && strstr(run.message, "free space") &&
                strstr(run.message, "too large"));
    assert_true(run.counted > 50000);
    rattle_record *record;
    CHECK(rattle_record_open(&record, path, error));
    assert_int_equal(rattle_record_info_of(record)->samples, run.counted);
    assert_string_equal(rattle_record_info_of(record)->status_name, "IO");
    assert_non_null(strstr(rattle_record_info_of(record)->message, "free space"));
    fake_check(&f, record, run.counted, 1);
    rattle_record_close(&record);
    long long samples;
    CHECK(rattle_record_recover(path, &samples, error));
    assert_int_equal(samples, run.counted);
    CHECK(rattle_record_append(&record, path, error));
    fake_check_state(&f, record, run.counted - 1);
    CHECK(fake_run(&f, rattle_record_observer(record), run.counted - 1, run.counted + 5000, 1,
                   error));
    rattle_record_close(&record);
    CHECK(rattle_record_open(&record, path, error));
    fake_check(&f, record, run.counted + 5001, 1);
    rattle_record_close(&record);
  }
  fake_free(&f);
}

/* A short run that finds the disk full at its beginning, in its middle, at its end: either there is
 * no file, or one that is right. */
static void full_at_any_moment(void **state) {
  (void)state;
  fake f = problem();
  char path[256];
  strcpy(path, fake_path("moment.h5"));
  int none = 0, some = 0, all = 0;
  for (long long limit = 1000; limit < 3000000; limit += 1 + limit / 8) {
    unlink(path);
    ended run = run_limited(&f, path, limit, 9000, 1);
    assert_true(run.status == RATTLE_OK || run.status == RATTLE_IO);
    if (access(path, F_OK)) {
      assert_int_equal(run.status, RATTLE_IO);
      none++;
      continue;
    }
    rattle_record *record;
    CHECK(rattle_record_open(&record, path, error));
    long long samples = rattle_record_info_of(record)->samples;
    assert_int_equal(samples, run.counted);
    if (run.status == RATTLE_OK) assert_int_equal(samples, 9001);
    assert_int_equal(rattle_record_info_of(record)->closed, run.status == RATTLE_OK);
    if (samples > 0) fake_check(&f, record, samples, 1);
    if (samples > 0) fake_check_state(&f, record, samples - 1);
    rattle_record_close(&record);
    run.status ? some++ : all++;
  }
  print_message("no file %d times, a part %d times, all %d times\n", none, some, all);
  assert_true(none > 5 && some > 5 && all > 0);
  char command[300];
  snprintf(command, sizeof command, "test $(ls %s | grep -c part) = 0", fake_folder);
  assert_int_equal(system(command), 0);
  fake_free(&f);
}

/* HDF5's own error printing is as the caller had it. */
static herr_t callers_own(hid_t stack, void *data) {
  (void)stack, (void)data;
  return 0;
}

static void errors_stay_the_callers(void **state) {
  (void)state;
  H5E_auto2_t function;
  void *data;
  int mark;
  H5Eset_auto2(H5E_DEFAULT, callers_own, &mark);
  rattle_error refusal;
  const char *path = fake_path("own.h5");
  write_text(
      path,
      "\x89HDF\r\n\x1a\n and then nothing that makes sense to anybody, for sixty bytes or so ...");
  assert_int_equal(rattle_record_open(&(rattle_record *){NULL}, path, &refusal), RATTLE_BAD_RECORD);
  H5Eget_auto2(H5E_DEFAULT, &function, &data);
  assert_true(function == callers_own && data == &mark);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Damages a number of the state in the slot given by `newest`. */
static void damage_slot(const char *path, int newest) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t head = H5Dopen2(file, "/rattle/checkpoint/head", H5P_DEFAULT),
        state = H5Dopen2(file, "/rattle/checkpoint/state", H5P_DEFAULT);
  long long heads[2][32];
  double states[2][64];
  hsize_t dims[2];
  hid_t space = H5Dget_space(head);
  H5Sget_simple_extent_dims(space, dims, NULL);
  H5Sclose(space);
  assert_true(H5Dread(head, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, heads) >= 0);
  assert_true(H5Dread(state, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, states) >= 0);
  int second = ((long long *)heads)[dims[1]] > heads[0][0];
  space = H5Dget_space(state);
  H5Sget_simple_extent_dims(space, dims, NULL);
  H5Sclose(space);
  ((double *)states)[(newest ? second : !second) * (int)dims[1] + 3] += 1e-9;
  assert_true(H5Dwrite(state, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, states) >= 0);
  H5Dclose(head), H5Dclose(state), H5Fclose(file);
}

/* A torn slot is passed over for the other; with both torn the record is damaged, and the error
 * reports it. */
static void torn_checkpoint(void **state) {
  (void)state;
  fake f = problem();
  const char *path = fake_path("torn.h5");
  write_record(&f, path, 5000);
  damage_slot(path, 1);
  rattle_record *record;
  CHECK(rattle_record_open(&record, path, error));
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_int_equal(info->closed, 0);
  assert_true(info->samples > 1000 && info->samples < 5000);
  assert_int_equal(info->last_step, info->samples - 1);
  fake_check_state(&f, record, info->last_step);
  fake_check(&f, record, info->samples, 1);
  rattle_record_close(&record);
  damage_slot(path, 0);
  expect_open(path, RATTLE_BAD_RECORD, "checkpoint");
  fake_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exists),
                                     cmocka_unit_test(folder_not_writable),
                                     cmocka_unit_test(newer_version),
                                     cmocka_unit_test(no_record),
                                     cmocka_unit_test(truncated),
                                     cmocka_unit_test(killed),
                                     cmocka_unit_test(full_disk),
                                     cmocka_unit_test(full_at_any_moment),
                                     cmocka_unit_test(errors_stay_the_callers),
                                     cmocka_unit_test(torn_checkpoint)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
