/* A record of many observables that is interrupted while its file is created: HDF5 is called no
 * more, and the folder is as it was. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "record_fake.h"

#include <dirent.h>
#include <dlfcn.h>
#include <hdf5.h>

#include "rattle/run.h"

enum { OBSERVABLES = 300, FEW = 20 /* datasets of any record */, STEPS = 4 };

/* Calls that make a dataset or a link; the flag is set within one of them. */
static int calls, set_within, interrupt;

static void count(void) {
  if (++calls == set_within) rattle_interrupt(&interrupt);
}

hid_t H5Dcreate2(hid_t place, const char *name, hid_t type, hid_t space, hid_t links,
                 hid_t creation, hid_t access) {
  hid_t (*real)(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
  *(void **)&real = dlsym(RTLD_NEXT, "H5Dcreate2");
  count();
  return real(place, name, type, space, links, creation, access);
}

herr_t H5Lcreate_hard(hid_t from, const char *old, hid_t to, const char *new, hid_t links,
                      hid_t access) {
  herr_t (*real)(hid_t, const char *, hid_t, const char *, hid_t, hid_t);
  *(void **)&real = dlsym(RTLD_NEXT, "H5Lcreate_hard");
  count();
  return real(from, old, to, new, links, access);
}

static fake many_observables(void) {
  static char names[OBSERVABLES][16];
  static const char *list[OBSERVABLES + 1];
  static const char *const axes[] = {"x", "y", NULL}, *const rod[] = {"rod", NULL};
  for (int i = 0; i < OBSERVABLES; i++) {
    snprintf(names[i], sizeof names[i], "o%d", i);
    list[i] = names[i];
  }
  return fake_problem(axes, rod, list);
}

/* A record of the run, interrupted within call `at` (0: never, -1: before it begins). */
static rattle_status write_record(const fake *f, const char *path, int force, int at,
                                  rattle_error *why) {
  rattle_record *record;
  rattle_record_options options = fake_options(STEPS, 1);
  options.struct_size = sizeof options;
  options.force = force, options.interrupt = &interrupt;
  CHECK(rattle_record_create(&record, path, f->problem, &options, error));
  calls = 0, set_within = at, interrupt = at < 0;
  const rattle_status status = fake_run(f, rattle_record_observer(record), 0, STEPS, 1, why);
  rattle_record_close(&record);
  return status;
}

static int files_in_folder(void) {
  int files = 0;
  DIR *folder = opendir(fake_folder);
  assert_non_null(folder);
  for (struct dirent *one = readdir(folder); one; one = readdir(folder))
    files += one->d_name[0] != '.';
  closedir(folder);
  return files;
}

static void check_interrupted(const fake *f, const char *path, int force, int at) {
  rattle_error why = {0};
  const int files = files_in_folder();
  if (write_record(f, path, force, at, &why) != RATTLE_INTERRUPTED)
    fail_msg("call %d: %s", at, why.message);
  assert_non_null(strstr(why.message, path));
  assert_non_null(strstr(why.message, "interrupted while "));
  if (at > FEW)
    assert_int_equal(calls, at);
  else
    assert_in_range(calls, 0, FEW);
  assert_int_equal(files_in_folder(), files);
}

static void ends_after_the_call(void **state) {
  (void)state;
  char path[256], kept[256];
  rattle_error why = {0};
  rattle_record *record;
  fake f = many_observables();
  strcpy(path, fake_path("new.h5")), strcpy(kept, fake_path("kept.h5"));
  CHECK(write_record(&f, kept, 0, 0, error));
  const int all = calls;
  assert_true(all > 3 * OBSERVABLES); /* a dataset and two links for each */
  const int moments[] = {-1, 1, 2, OBSERVABLES / 2, OBSERVABLES + 20, 2 * OBSERVABLES, all - 2};
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    check_interrupted(&f, path, 0, moments[i]);
    check_interrupted(&f, kept, 1, moments[i]);
  }
  interrupt = 0;
  /* the one that was there has all it had */
  if (rattle_record_open(&record, kept, &why)) fail_msg("%s", why.message);
  fake_check(&f, record, STEPS + 1, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ends_after_the_call)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
