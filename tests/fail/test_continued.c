/* Records that are continued, whoever has made them: their metadata are made anew, and nothing that
 * they hold is lost, whenever that is interrupted. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "record_fake.h"

#include <dlfcn.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const axes[] = {"x[1]", "x[2]", "y[1]", "y[2]", NULL};
static const char *const rod[] = {"rod", NULL};
static const char *const speed[] = {"speed", NULL};

enum { SAMPLES = 5000, MORE = 700, FEW = 60, PARTS = 8 };

/* ---- writes of this process, in place of the C library's ---- */

static long long left = -1; /* writes until it is killed; -1: it is not */

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *bytes, size_t size,
                                                      off_t at);
__attribute__((visibility("default"))) int ftruncate(int fd, off_t size);
__attribute__((visibility("default"))) int fsync(int fd);

static void count(void) {

  if (left > 0 && --left == 0) _exit(9); /* as kill -9 does: nothing is closed */
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  ssize_t (*put)(int, const void *, size_t, off_t);
  *(void **)&put = dlsym(RTLD_NEXT, __func__);
  count();
  return put(fd, bytes, size, at);
}

int ftruncate(int fd, off_t size) {
  int (*cut)(int, off_t);
  *(void **)&cut = dlsym(RTLD_NEXT, __func__);
  count();
  return cut(fd, size);
}

int fsync(int fd) {
  (void)fd;
  count();
  return 0;
}

/* ---- records ---- */

static void write_record(const fake *f, const char *path, long long samples) {
  rattle_record_options options = fake_options(samples - 1, 1);
  rattle_record *record;
  unlink(path);
  CHECK(rattle_record_create(&record, path, f->problem, &options, error));
  CHECK(fake_run(f, rattle_record_observer(record), 0, samples - 1, 1, error));
  rattle_record_close(&record);
}

/* Up to so many samples. */
static rattle_status go_on(const fake *f, const char *path, long long samples,
                           rattle_error *error) {
  rattle_record *record;
  rattle_status status = rattle_record_append(&record, path, error);
  if (status) return status;
  const long long last = rattle_record_info_of(record)->last_step;
  status = fake_run(f, rattle_record_observer(record), last, samples - 1, 1, error);
  rattle_record_close(&record);
  return status;
}

static void check(const fake *f, const char *path, long long samples) {
  rattle_record *record;
  CHECK(rattle_record_open(&record, path, error));
  assert_int_equal(rattle_record_info_of(record)->samples, samples);
  assert_int_equal(rattle_record_info_of(record)->closed, 1);
  fake_check(f, record, samples, 1);
  fake_check_state(f, record, samples - 1);
  rattle_record_close(&record);
}

static long long size_of(const char *path) {
  struct stat found;
  assert_int_equal(stat(path, &found), 0);
  return (long long)found.st_size;
}

/* ---- tests ---- */

/* In several parts, while somebody reads: each sample is there, the reader follows, and a part costs
 * no more than the metadata of a record. */
static void in_parts(void **state) {
  (void)state;
  fake f = fake_problem(axes, rod, speed);
  char path[256];
  strcpy(path, fake_path("parts.h5"));
  rattle_record *reader;
  write_record(&f, path, 1);
  const long long small = size_of(path);
  write_record(&f, path, SAMPLES);
  const long long before = size_of(path);
  CHECK(rattle_record_open(&reader, path, error));
  long long samples = SAMPLES;
  for (int part = 0; part < PARTS; part++) {
    samples += 1 + part * 37;
    CHECK(go_on(&f, path, samples, error));
    CHECK(rattle_record_refresh(reader, error));
    assert_int_equal(rattle_record_info_of(reader)->samples, samples);
    fake_check(&f, reader, samples, 1);
  }
  rattle_record_close(&reader);
  check(&f, path, samples);
  assert_true(size_of(path) - before < PARTS * small + (samples - SAMPLES) * 8 * 16 + (1 << 20));
  fake_free(&f);
}

/* Killed before any of its writes: the record is the one that it was, or it was left open with all
 * of its samples, which are recovered. */
static void killed_at_each_write(void **state) {
  (void)state;
  fake f = fake_problem(axes, rod, speed);
  char path[256];
  int ended = 1, before = 0, after = 0;
  strcpy(path, fake_path("killed.h5"));
  write_record(&f, path, FEW);
  for (long long k = 1; ended; k++) {
    const pid_t child = fork();
    if (child == 0) {
      left = k;
      _exit(go_on(&f, path, FEW + FEW, NULL) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    rattle_record *record;
    CHECK(rattle_record_open(&record, path, error));
    const rattle_record_info *info = rattle_record_info_of(record);
    assert_true(info->samples >= FEW);
    assert_int_equal(WIFEXITED(ended) && WEXITSTATUS(ended) == (ended ? 9 : 0), 1);
    info->closed ? before++ : after++;
    fake_check(&f, record, info->samples, 1);
    fake_check_state(&f, record, info->samples - 1);
    const int left_open = !info->closed;
    rattle_record_close(&record);
    if (!left_open) continue;
    long long samples;
    CHECK(rattle_record_recover(path, &samples, error));
    assert_true(samples >= FEW);
    write_record(&f, path, FEW);
  }
  print_message("killed at %d writes: %d before the record was a new one, %d after it\n",
                before + after - 1, before - 1, after);
  assert_true(before > 20 && after > 5);
  fake_free(&f);
}

/* Others have put something into the file: it is named, and the file stays as it is. */
static void not_ours(void **state) {
  (void)state;
  fake f = fake_problem(axes, rod, speed);
  char path[256];
  static const char *const words[] = {"holds /analysis,", "holds /analysis", "holds note of /,",
                                      "holds colour of /particles/system/position/value,"};
  for (int kind = 0; kind < 4; kind++) {
    strcpy(path, fake_path("foreign.h5"));
    write_record(&f, path, 10);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR),
          links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (kind == 0)
      assert_true(H5Lcreate_soft("/rattle", file, "analysis", links, H5P_DEFAULT) >= 0);
    if (kind == 1) H5Gclose(H5Gcreate2(file, "analysis/deep", links, H5P_DEFAULT, H5P_DEFAULT));
    if (kind > 1)
      H5Aclose(H5Acreate_by_name(file, kind == 2 ? "/" : "/particles/system/position/value",
                                 kind == 2 ? "note" : "colour", H5T_NATIVE_INT, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT));
    H5Pclose(links), H5Sclose(space), H5Fclose(file);
    const long long size = size_of(path);
    rattle_error why = {0};
    assert_int_equal(go_on(&f, path, 20, &why), RATTLE_BAD_ARGUMENT);
    if (!strstr(why.message, words[kind])) fail_msg("%s", why.message);
    assert_int_equal(size_of(path), size);
    check(&f, path, 10);
  }
  fake_free(&f);
}

/* Another program has rewritten a table: compressed, in one piece, in chunks of other sizes. */
static void rewritten(void **state) {
  (void)state;
  static const char name[] = "/particles/system/position/value";
  fake f = fake_problem(axes, rod, speed);
  char path[256];
  static double rows[SAMPLES * 4];
  const hsize_t dims[3] = {SAMPLES, 2, 2}, most[3] = {H5S_UNLIMITED, 2, 2};
  const struct {
    hsize_t chunk[3];
    int packs;
  } ways[] = {{{64, 2, 2}, 1}, {{0}, 0}, {{7, 2, 2}, 0}, {{100, 1, 2}, 0}, {{4096, 2, 1}, 0}};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    strcpy(path, fake_path("rewritten.h5"));
    write_record(&f, path, SAMPLES);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access), dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, dims, ways[way].chunk[0] ? most : NULL);
    if (ways[way].chunk[0]) H5Pset_chunk(creation, 3, ways[way].chunk);
    if (ways[way].packs) H5Pset_shuffle(creation), H5Pset_deflate(creation, 6);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(dataset), H5Ldelete(file, name, H5P_DEFAULT);
    dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(dataset), H5Fclose(file), H5Sclose(space), H5Pclose(creation), H5Pclose(access);
    CHECK(go_on(&f, path, SAMPLES + MORE, error));
    CHECK(go_on(&f, path, SAMPLES + 2 * MORE, error));
    check(&f, path, SAMPLES + 2 * MORE);
  }
  fake_free(&f);
}

/* A full disk while the metadata are made: the record is as it was, to the byte. */
static void full_disk(void **state) {
  (void)state;
  fake f = fake_problem(axes, rod, speed);
  char path[256];
  strcpy(path, fake_path("full.h5"));
  write_record(&f, path, SAMPLES);
  const long long size = size_of(path);
  int refused = 0, status;
  for (long long room = 0; room < 40000; room += 1777) {
    const pid_t child = fork();
    if (child == 0) {
      rattle_error why = {0};
      const rlim_t most = (rlim_t)(size + room);
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
      rattle_record *record;
      if (rattle_record_append(&record, path, &why)) _exit(2);
      rattle_observer *observer = rattle_record_observer(record);
      fake_sample s = fake_sample_room(&f);
      const int full =
          observer->begin(observer->self, NULL, fake_fill(&f, &s, SAMPLES - 1), &why) == RATTLE_IO;
      if (full && !strstr(why.message, "could not be written")) _exit(3);
      rattle_record_close(&record);
      _exit(full ? 4 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 4 || WEXITSTATUS(status) == 0));
    if (WEXITSTATUS(status) == 0) break;
    refused++;
    assert_int_equal(size_of(path), size);
    check(&f, path, SAMPLES);
  }
  assert_true(refused > 5);
  fake_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_parts), cmocka_unit_test(killed_at_each_write),
      cmocka_unit_test(not_ours), cmocka_unit_test(rewritten), cmocka_unit_test(full_disk)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
