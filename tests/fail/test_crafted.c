/* Files of strangers at which HDF5 itself fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <hdf5.h>

#include "rattle/record.h"
#include "rattle/study.h"

/* Files at which HDF5 1.10.8 itself crashes: a study without checksums of its metadata, a study and a record whose sums are right. A child
 * reads them first, so that this process lives; a study of 0.2 without checksums is read. */
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(crashes_of_hdf5)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
