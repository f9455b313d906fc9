/* Files that others may have written are read by a child process alone: an HDF5 that writes over
 * memory, and a child that says what no file says, do no harm here. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "record_fake.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rattle/cases.h"
#include "rattle/study.h"
#include "ground/support/error.h"
#include "record/hdf5/hdf5.h"

/* HDF5 loses memory of files that it finds damaged. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

static const char *const axes[] = {"x", "y", NULL};
static const char *const rod[] = {"rod", NULL};
static const char *const speed[] = {"speed", NULL};

enum { SAMPLES = 300, CASES = 40 };
static const char study_path[] = RATTLE_SOURCE_DIR "/tests/fuzz/corpus/crafted/study-without-sums";
static char record_path[256], packed_path[256], cases_path[256];

/* ---- HDF5 and write in place of the libraries' ---- */

static int harmful; /* HDF5 writes over memory that is not its own, in a file that it has opened */
static int opened;
static unsigned char memory[1 << 16];
static pid_t host;
static struct {
  long long at, said; /* which byte of what a child says is another one; -1: none; bytes it said */
} * lie;              /* shared with children */

__attribute__((visibility("default"))) hid_t H5Fopen(const char *path, unsigned flags, hid_t list);
__attribute__((visibility("default"))) herr_t H5Aread(hid_t attribute, hid_t type, void *values);
__attribute__((visibility("default"))) herr_t H5Dread(hid_t dataset, hid_t type, hid_t room,
                                                      hid_t file, hid_t list, void *values);
__attribute__((visibility("default"))) ssize_t write(int fd, const void *bytes, size_t size);

static void *real(const char *name) {
  if (harmful && opened) memset(memory, 0xa5, sizeof memory);
  return dlsym(RTLD_NEXT, name);
}

hid_t H5Fopen(const char *path, unsigned flags, hid_t list) {
  hid_t (*open)(const char *, unsigned, hid_t);
  opened = 1;
  *(void **)&open = real(__func__);
  return open(path, flags, list);
}

herr_t H5Aread(hid_t attribute, hid_t type, void *values) {
  herr_t (*read)(hid_t, hid_t, void *);
  *(void **)&read = real(__func__);
  return read(attribute, type, values);
}

herr_t H5Dread(hid_t dataset, hid_t type, hid_t room, hid_t file, hid_t list, void *values) {
  herr_t (*read)(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
  *(void **)&read = real(__func__);
  return read(dataset, type, room, file, list, values);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  if (!host || getpid() == host) return syscall(SYS_write, fd, bytes, size);
  unsigned char *copy = malloc(size);
  if (!copy) return -1;
  memcpy(copy, bytes, size);
  if (lie->at >= lie->said && lie->at < lie->said + (long long)size)
    copy[lie->at - lie->said] ^= (unsigned char)(1 + lie->at % 255);
  lie->said += (long long)size; /* before: the host ends a child that has said all */
  const ssize_t put = syscall(SYS_write, fd, copy, size);
  if (put > 0) lie->said -= (long long)size - put;
  free(copy);
  return put;
}

/* ---- files ---- */

static void write_record(const char *path) {
  fake f = fake_problem(axes, rod, speed);
  rattle_record_options options = fake_options(SAMPLES, 1);
  rattle_record *record;
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  CHECK(fake_run(&f, rattle_record_observer(record), 0, SAMPLES - 1, 1, error));
  rattle_record_close(&record);
  fake_free(&f);
}

/* Its energies as h5repack writes them. */
static void pack(const char *path) {
  static const char name[] = "/observables/energy/value";
  double energy[SAMPLES];
  const hsize_t count = SAMPLES, most = H5S_UNLIMITED, chunk = 64;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE),
        space = H5Screate_simple(1, &count, &most);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_chunk(creation, 1, &chunk), H5Pset_shuffle(creation), H5Pset_deflate(creation, 6);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, access), dataset = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, energy) >= 0);
  H5Dclose(dataset), H5Ldelete(file, name, H5P_DEFAULT);
  dataset = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, energy) >= 0);
  H5Dclose(dataset), H5Fclose(file);
  H5Sclose(space), H5Pclose(creation), H5Pclose(access);
}

static void write_cases(const char *path) {
  static const rattle_cases_column columns[] = {{"x", 1}, {"y", 2}};
  const rattle_cases_about about = {
      .struct_size = sizeof about, .title = "T", .cases = CASES, .columns = 2, .column = columns};
  rattle_cases *cases;
  CHECK(rattle_cases_create(&cases, path, &about, 0, error));
  for (int i = 0; i < CASES; i++)
    CHECK(rattle_cases_put(cases, i, (const double[]){i, 1, 2}, error));
  CHECK(rattle_cases_close(&cases, error));
}

static const char *copy_of(const char *path) {
  static char bytes[1 << 17];
  const char *copy = fake_path("copy.h5");
  FILE *from = fopen(path, "rb"), *to = fopen(copy, "wb");
  assert_true(from && to);
  const size_t size = fread(bytes, 1, sizeof bytes, from);
  assert_true(size < sizeof bytes && fwrite(bytes, 1, size, to) == size);
  fclose(from), fclose(to);
  return copy;
}

static int write_files(void **state) {
  (void)state;
  lie = mmap(NULL, sizeof *lie, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (lie == MAP_FAILED) return -1;
  lie->at = -1, host = getpid();
  strcpy(record_path, fake_path("record.h5")), write_record(record_path);
  strcpy(packed_path, fake_path("packed.h5")), write_record(packed_path), pack(packed_path);
  strcpy(cases_path, fake_path("cases.h5")), write_cases(cases_path);
  return 0;
}

/* ---- tests ---- */

/* An HDF5 that writes over memory that is not its own does so in a child, whatever is read. */
static void memory_is_ours(void **state) {
  (void)state;
  fake f = fake_problem(axes, rod, speed);
  rattle_record *record;
  rattle_study *study;
  rattle_cases *cases;
  double row[3 * CASES], values[SAMPLES];
  signed char there[CASES];
  memset(memory, 0x11, sizeof memory);
  opened = 0, harmful = 1;
  for (int packed = 0; packed < 2; packed++) {
    CHECK(rattle_record_open(&record, packed ? packed_path : record_path, error));
    fake_check(&f, record, SAMPLES, 1);
    const rattle_column energy = {RATTLE_ENERGY, 0};
    CHECK(rattle_record_read_column(record, energy, 0, SAMPLES, values, error));
    CHECK(rattle_record_refresh(record, error));
    fake_check(&f, record, SAMPLES, 1);
    fake_check_state(&f, record, SAMPLES - 1);
    rattle_record_close(&record);
    const char *path = copy_of(packed ? packed_path : record_path);
    CHECK(rattle_record_append(&record, path, error));
    CHECK(fake_run(&f, rattle_record_observer(record), SAMPLES - 1, 2 * SAMPLES - 1, 1, error));
    rattle_record_close(&record);
    CHECK(rattle_record_open(&record, path, error));
    fake_check(&f, record, 2 * SAMPLES, 1);
    rattle_record_close(&record);
  }
  CHECK(rattle_study_load(&study, study_path, error));
  assert_int_equal(rattle_study_result_of(study)->methods, 1);
  rattle_study_destroy(&study);
  CHECK(rattle_cases_open(&cases, cases_path, error));
  CHECK(rattle_cases_get(cases, 0, CASES, row, there, error));
  for (int i = 0; i < CASES; i++) assert_true(there[i] == 1 && row[3 * i] == i);
  CHECK(rattle_cases_close(&cases, error));
  harmful = 0;
  for (size_t i = 0; i < sizeof memory; i++) assert_int_equal(memory[i], 0x11);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
  fake_free(&f);
}

static void *read_all(void *record) {
  fake f = fake_problem(axes, rod, speed);
  for (int i = 0; i < 20; i++) fake_check(&f, record, SAMPLES, 1);
  fake_free(&f);
  return NULL;
}

/* A host that forks reads on in both processes, and one with threads in all of them at once. */
static void hosts_that_fork(void **state) {
  (void)state;
  for (int packed = 0; packed < 2; packed++) {
    rattle_record *record;
    pthread_t other;
    int status;
    CHECK(rattle_record_open(&record, packed ? packed_path : record_path, error));
    const pid_t child = fork();
    assert_int_equal(pthread_create(&other, NULL, read_all, record), 0);
    read_all(record);
    pthread_join(other, NULL);
    rattle_record_close(&record);
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
  }
}

/* What is read of a file whose child lies; a failure has a sentence. */
static rattle_status read_record(const char *path, rattle_error *error) {
  double room[6][2 * SAMPLES];
  rattle_record *record;
  rattle_status status = rattle_record_open(&record, path, error);
  if (status) return status;
  const rattle_record_info *info = rattle_record_info_of(record);
  const long long count = info->samples < SAMPLES ? info->samples : SAMPLES;
  if (info->n <= 2 && info->m <= 1 && info->observables <= 1)
    status = rattle_record_read(record, 0, count, room[0], room[1], room[2], room[3], room[4],
                                room[5], error);
  if (!status) status = rattle_record_refresh(record, error);
  rattle_record_close(&record);
  return status;
}

/* A copy is continued; however that ends, it can be read as before. */
static rattle_status continue_record(const char *path, rattle_error *error) {
  fake f = fake_problem(axes, rod, speed);
  rattle_record *record;
  const char *copy = copy_of(path);
  rattle_status status = rattle_record_append(&record, copy, error);
  if (!status)
    status = fake_run(&f, rattle_record_observer(record), SAMPLES - 1, SAMPLES + 9, 1, error);
  rattle_record_close(&record);
  fake_free(&f);
  return status;
}

static rattle_status read_cases(const char *path, rattle_error *error) {
  double row[64];
  signed char there;
  rattle_cases *cases;
  rattle_status status = rattle_cases_open(&cases, path, error);
  if (status) return status;
  if (rattle_cases_width(cases) <= 64) status = rattle_cases_get(cases, 0, 1, row, &there, error);
  const rattle_status closed = rattle_cases_close(&cases, status ? NULL : error);
  return status ? status : closed;
}

static rattle_status read_study(const char *path, rattle_error *error) {
  rattle_study *study;
  const rattle_status status = rattle_study_load(&study, path, error);
  rattle_study_destroy(&study);
  return status;
}

/* A byte after the other of what a child says is another one. */
static void children_that_lie(void **state) {
  (void)state;
  const struct {
    const char *path;
    rattle_status (*read)(const char *path, rattle_error *error);
    int apart; /* bytes from one lie to the next */
  } files[] = {{record_path, read_record, 211},     {packed_path, read_record, 997},
               {record_path, continue_record, 311}, {packed_path, continue_record, 701},
               {cases_path, read_cases, 29},        {study_path, read_study, 157}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    long long refused = 0, lies = 0;
    for (long long at = 0;; at += files[i].apart) {
      rattle_error why = {0};
      lie->at = at, lie->said = 0;
      const rattle_status status = files[i].read(files[i].path, &why);
      if (lie->said <= at) break;
      if (status) assert_true(status == why.status && why.message[0]);
      refused += status != RATTLE_OK, lies++;
    }
    print_message("of %lld lies about %s %lld refused\n", lies, files[i].path, refused);
    assert_true(lies > 20 && refused > 0);
  }
  lie->at = -1;
}

/* A child that dies while it reads, by a signal that is not sent to the host. */
static rattle_status die(void *self, rattle_error *error) {
  (void)self, (void)error;
  (void)raise(SIGKILL);
  return RATTLE_OK;
}

/* Descriptors of the host are not the child's. */
static rattle_status look_at_descriptors(void *self, rattle_error *error) {
  const int *ends = self;
  if (rattle__takes()) return RATTLE_OK;
  return fcntl(ends[0], F_GETFD) < 0 && fcntl(ends[1], F_GETFD) >= 0
             ? RATTLE_OK
             : rattle__fail(error, RATTLE_BAD_ARGUMENT, "descriptors", "they are there still");
}

static void ends_of_children(void **state) {
  (void)state;
  int ends[2];
  rattle__h5 h5;
  rattle_error why = {0};
  const rattle__question dies = {"any.h5", die, NULL, -1};
  assert_int_equal(pipe(ends), 0);
  const rattle__question looks = {"any.h5", look_at_descriptors, ends, ends[1]};
  rattle__h5_enter(&h5);
  const rattle_status dead = rattle__apart(&dies, &why), seen = rattle__apart(&looks, NULL);
  rattle__h5_leave(&h5);
  close(ends[0]), close(ends[1]);
  assert_int_equal(dead, RATTLE_BAD_RECORD);
  assert_non_null(strstr(why.message, "separate process"));
  assert_int_equal(seen, RATTLE_OK);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_ours), cmocka_unit_test(hosts_that_fork),
      cmocka_unit_test(children_that_lie), cmocka_unit_test(ends_of_children)};
  return cmocka_run_group_tests(tests, write_files, fake_clean);
}
