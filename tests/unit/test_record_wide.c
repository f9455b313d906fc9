/* Records of thousands of observables: nothing that HDF5 goes through again and again grows with
 * their number, and what was flushed survives a writer that dies. */
#include "record_fake.h"

#include <hdf5.h>
#include <sys/wait.h>

enum { WIDE = 4000, SAMPLES = 6, MOST_OPEN = 300, MOST_ENTRIES = 10000, MOST_TOGETHER = 600 };

static const char *const coordinates[] = {"x", NULL};
static const char *const none[] = {NULL};

static int written, most_written; /* data sets since the last flush */

herr_t __real_H5Fflush(hid_t object, H5F_scope_t scope);
herr_t __wrap_H5Fflush(hid_t object, H5F_scope_t scope);
herr_t __real_H5Dwrite(hid_t, hid_t, hid_t, hid_t, hid_t, const void *);
herr_t __wrap_H5Dwrite(hid_t, hid_t, hid_t, hid_t, hid_t, const void *);

herr_t __wrap_H5Fflush(hid_t object, H5F_scope_t scope) {
  written = 0;
  return __real_H5Fflush(object, scope);
}

herr_t __wrap_H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t list,
                       const void *rows) {
  if (++written > most_written) most_written = written;
  return __real_H5Dwrite(dataset, type, memory, file, list, rows);
}

static fake wide_problem(void) {
  static char name[WIDE][16];
  static const char *list[WIDE + 1];
  for (int i = 0; i < WIDE; i++) {
    snprintf(name[i], sizeof name[i], "o%d", i);
    list[i] = name[i];
  }
  return fake_problem(coordinates, none, list);
}

/* The file alone knows how much of it is in memory. */
static void expect_few(void) {
  hid_t file;
  int entries;
  size_t most, least_clean, size;
  assert_int_equal(H5Fget_obj_ids((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE, 1, &file), 1);
  assert_true(H5Fget_mdc_size(file, &most, &least_clean, &size, &entries) >= 0);
  assert_in_range(entries, 1, MOST_ENTRIES);
  assert_in_range(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_DATASET), 1, MOST_OPEN);
}

/* A run that dies after SAMPLES samples, of which the record has counted all but the last few. */
static void die(const fake *f, const char *path) {
  rattle_record_options options = fake_options(10 * SAMPLES, 1);
  rattle_record *record;
  rattle_error error;
  options.flush_seconds = 1e-9;
  fake_sample s = fake_sample_room(f);
  if (rattle_record_create(&record, path, f->problem, &options, &error)) _exit(1);
  rattle_observer *o = rattle_record_observer(record);
  if (o->begin(o->self, NULL, fake_fill(f, &s, 0), &error)) _exit(2);
  for (int step = 0; step < SAMPLES; step++) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* its clock is coarse */
    if (o->record(o->self, fake_fill(f, &s, step), &error)) _exit(3);
  }
  _exit(0);
}

static void wide(void **state) {
  (void)state;
  fake f = wide_problem();
  rattle_record_options options = fake_options(SAMPLES, 1);
  const char *path = fake_path("wide.h5");
  rattle_record *record;
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  rattle_observer *o = rattle_record_observer(record);
  fake_sample s = fake_sample_room(&f);
  CHECK(o->begin(o->self, NULL, fake_fill(&f, &s, 0), error));
  expect_few();
  for (int step = 0; step < SAMPLES; step++)
    CHECK(o->record(o->self, fake_fill(&f, &s, step), error));
  expect_few();
  rattle_summary summary = fake_summary(0, SAMPLES, RATTLE_OK, "");
  CHECK(o->end(o->self, &summary, error));
  rattle_record_close(&record);
  free(s.q);
  assert_in_range(most_written, 1, MOST_TOGETHER);
  CHECK(rattle_record_open(&record, path, error));
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0); /* a child reads it */
  fake_check(&f, record, SAMPLES, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

static void survives(void **state) {
  (void)state;
  fake f = wide_problem();
  const char *path = fake_path("killed.h5");
  int status;
  const pid_t child = fork();
  if (!child) die(&f, path);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  rattle_record *record;
  CHECK(rattle_record_open(&record, path, error));
  const long long samples = rattle_record_info_of(record)->samples;
  assert_in_range(samples, SAMPLES / 2, SAMPLES);
  fake_check(&f, record, samples, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wide), cmocka_unit_test(survives)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
