/* Records whose model, samples or description were exchanged by a stranger, sums and all: the
 * command refuses them with a sentence, before it reads or writes by sizes that do not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rattle/rattle.h"

static const char path[] = "test_exchanged.h5", text_path[] = "test_exchanged.lua";
static const char two_rods[] = "local q = {} for _, x in ipairs { 'x', 'y', 'u', 'v' } do q[x] = "
                               "pair(x) end mass { x = 1, y = 1, u = 1, v = 1 } potential(q.y) "
                               "constrain('a', q.x^2 + q.y^2 - 1) constrain('b', q.u^2 + q.v^2 - 1)"
                               " start { x = 1, u = 1 }",
                  one_rod[] = "local x, y = pair('x'), pair('y') mass { x = 1, y = 1 } "
                              "potential(y) constrain('a', x^2 + y^2 - 1) start { x = 1 }",
                  free_model[] = "local x, px = pair('x') hamiltonian((px^2 + x^2)/2) "
                                 "start { x = 1 }",
                  many_pairs[] = "for i = 1, 99 do pair('z' .. i) end local x, px = pair('x') "
                                 "hamiltonian((px^2 + x^2)/2) start { x = 1 }";

static void write_model(const char *text) {
  FILE *file = fopen(text_path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void make_record(const char *text, const char *method) {
  char command[300];
  write_model(text);
  snprintf(command, sizeof command,
           "%s run %s --method '%s' --step 0.1 --steps 8 -o %s --force --quiet", RATTLE_COMMAND,
           text_path, method, path);
  assert_int_equal(system(command), 0);
}

/* The record, without its sums, as one of an older version. */
static hid_t open_record(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
  H5Pclose(access);
  assert_true(file >= 0);
  assert_true(H5Adelete_by_name(file, "rattle", "description_sum", H5P_DEFAULT) >= 0);
  assert_true(H5Ldelete(file, "rattle/sums", H5P_DEFAULT) >= 0);
  return file;
}

static void exchange_model(const char *text) {
  hid_t file = open_record(), type = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR);
  H5Tset_size(type, strlen(text));
  assert_true(H5Ldelete(file, "rattle/model/text", H5P_DEFAULT) >= 0);
  hid_t dataset =
      H5Dcreate2(file, "rattle/model/text", type, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
  H5Dclose(dataset), H5Sclose(scalar), H5Tclose(type), H5Fclose(file);
}

/* Numbers of a data set: those from `from` on, each times `by` plus `shift`. */
typedef struct edit {
  const char *what;
  int from;
  double by, shift;
} edit;

static void change_numbers(const edit *e) {
  double value[64];
  hid_t file = open_record(), dataset = H5Dopen2(file, e->what, H5P_DEFAULT);
  hid_t space = H5Dget_space(dataset);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  assert_true(count > e->from && count <= 64);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
  for (int k = e->from; k < count; k++) value[k] = value[k] * e->by + e->shift;
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
  H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
}

static void expect(int exit_status, const char *words, const char *sentence) {
  char command[400], said[2000] = "";
  snprintf(command, sizeof command, "%s %s 2>&1", RATTLE_COMMAND, words);
  FILE *out = popen(command, "r");
  assert_non_null(out);
  const size_t got = fread(said, 1, sizeof said - 1, out);
  const int status = pclose(out);
  if (status != exit_status << 8 || !got || !strstr(said, sentence))
    fail_msg("%s: status %#x, not %d: %s\nnot: %s", command, (unsigned)status, exit_status, said,
             sentence);
}

/* A model of other sizes than the samples. */
static void models(void **state) {
  (void)state;
  make_record(two_rods, "rattle(verlet)");
  exchange_model(one_rod);
  expect(2, "certify test_exchanged.h5", "has n = 4 and m = 2, its model n = 2 and m = 1");
  expect(2, "resume test_exchanged.h5 --stop 2", "has n = 4 and m = 2, its model n = 2 and m = 1");
  make_record(one_rod, "rattle(verlet)");
  exchange_model(two_rods);
  expect(2, "certify test_exchanged.h5", "its model n = 4 and m = 2");
  expect(2, "resume test_exchanged.h5 --stop 2", "its model n = 4 and m = 2");
  make_record(free_model, "verlet");
  exchange_model(many_pairs);
  expect(2, "plot test_exchanged.h5 --style levels --x x --y px -o test_exchanged.svg --force",
         "the model in test_exchanged.h5 has not the coordinates of its samples");
}

/* Samples of other steps, times and places than the run's. */
static void samples(void **state) {
  (void)state;
  static const char step[] = "observables/constraint/step", time[] = "observables/constraint/time",
                    place[] = "particles/system/position/value";
  static const struct {
    edit e;
    const char *sentence;
  } rows[] = {
      {{step, 4, 1e17, 0}, "sample 4 of test_exchanged.h5 is of step 4"},
      {{step, 4, 0, 0}, "sample 4 of test_exchanged.h5 is of step 0, after one of step 3"},
      {{time, 3, 2, 0}, "sample 3 of test_exchanged.h5 is of step 3, which ends at time 0.3"},
      {{time, 0, 1, 1e-9}, "sample 0 of test_exchanged.h5 is of step 0, which ends at time"},
      {{place, 8, 1, 0.1}, "step 4 of test_exchanged.h5 is not what its method makes"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    make_record(one_rod, "rattle(verlet)");
    change_numbers(&rows[i].e);
    expect(2, "certify test_exchanged.h5", rows[i].sentence);
  }
  /* within the steps, as at the ends of runs by time, points are counted, and the end is compared */
  make_record(one_rod, "rattle(verlet)");
  change_numbers(&(edit){time, 1, 1, 1e-9});
  expect(0, "certify test_exchanged.h5",
         "1 at the ends of steps, the same to the last bit; 8 within steps, not compared");
}

/* The place of the warnings is another one's: what is recovered can be read, and says so. */
static void warnings(void **state) {
  (void)state;
  make_record(one_rod, "rattle(verlet)");
  hid_t file = open_record();
  assert_true(H5Ldelete(file, "rattle/checkpoint/warnings", H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_hard(file, "rattle/checkpoint/state", file, "rattle/checkpoint/warnings",
                             H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  expect(2, "info test_exchanged.h5", "its last messages cannot be read");
  expect(0, "recover test_exchanged.h5", "9 samples");
  expect(0, "info test_exchanged.h5", "the warnings of the run are lost");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(models), cmocka_unit_test(samples),
                                     cmocka_unit_test(warnings)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (!failed) unlink(path), unlink(text_path);
  return failed;
}
