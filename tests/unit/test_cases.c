/* Files of cases: rows in any order, what is there, wrong calls, files by other hands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rattle/rattle.h"

enum { CASES = 1500, WIDTH = 5 };
static const char path[] = "test_cases.h5";
static const rattle_cases_column columns[] = {{"x", 1}, {"a/b", 3}, {"x", 1}};

static rattle_cases_about about_of(void) {
  return (rattle_cases_about){.struct_size = sizeof(rattle_cases_about),
                              .title = "T",
                              .plan = "set a=1\n",
                              .cases = CASES,
                              .columns = 3,
                              .column = columns};
}

static void fill(long long number, double row[WIDTH]) {
  for (int i = 0; i < WIDTH; i++) row[i] = (double)(number * WIDTH + i) / 3;
  if (number % 7 == 0) row[2] = (double)NAN;
}

static long long place(long long k) {
  return k * 611 % CASES; /* all of them, 611 and 1500 having no common divisor */
}

static void put(rattle_cases *cases, long long from, long long to) {
  double row[WIDTH];
  for (long long k = from; k < to; k++) {
    fill(place(k), row);
    assert_int_equal(rattle_cases_put(cases, place(k), row, NULL), RATTLE_OK);
  }
}

static void compare(const rattle_cases *cases, long long there) {
  static double rows[CASES][WIDTH];
  static signed char is[CASES];
  double row[WIDTH];
  assert_int_equal(rattle_cases_get(cases, 0, CASES, &rows[0][0], is, NULL), RATTLE_OK);
  for (long long k = 0; k < CASES; k++) {
    assert_int_equal(is[place(k)], k < there);
    fill(place(k), row);
    for (int i = 0; i < WIDTH && k >= there; i++) assert_true(isnan(rows[place(k)][i]));
    if (k < there) assert_memory_equal(row, rows[place(k)], sizeof row);
  }
}

static void rows_in_any_order(void **state) {
  (void)state;
  rattle_cases *cases, *reader;
  rattle_error error;
  rattle_cases_about about = about_of();
  unlink(path);
  assert_int_equal(rattle_cases_create(&cases, path, &about, 0, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_width(cases), WIDTH);
  put(cases, 0, 700);
  assert_int_equal(rattle_cases_flush(cases, NULL), RATTLE_OK);
  /* read while it is written */
  assert_int_equal(rattle_cases_open(&reader, path, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_written(reader), 1);
  compare(reader, 700);
  put(cases, 700, 900);
  assert_int_equal(rattle_cases_flush(cases, NULL), RATTLE_OK);
  compare(reader, 700); /* what came later is there for who opens the file later */
  assert_int_equal(rattle_cases_close(&reader, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_open(&reader, path, NULL), RATTLE_OK);
  compare(reader, 900);
  assert_int_equal(rattle_cases_close(&reader, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_append(&reader, path, &error), RATTLE_IO);
  assert_non_null(strstr(error.message, "is being written"));
  assert_null(reader);
  assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_append(&cases, path, NULL), RATTLE_OK);
  put(cases, 900, CASES);
  assert_int_equal(rattle_cases_open(&reader, path, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_written(reader), 1); /* who opened it then may lack rows */
  assert_int_equal(rattle_cases_close(&reader, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_open(&cases, path, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_written(cases), 0);
  compare(cases, CASES);
  const rattle_cases_about *found = rattle_cases_about_of(cases);
  assert_string_equal(found->title, "T");
  assert_string_equal(found->plan, "set a=1\n");
  assert_string_equal(found->list, "");
  assert_int_equal(found->columns, 3);
  for (int c = 0; c < 3; c++) {
    assert_string_equal(found->column[c].name, columns[c].name);
    assert_int_equal(found->column[c].width, columns[c].width);
  }
  double row[WIDTH] = {0};
  assert_int_equal(rattle_cases_put(cases, 0, row, NULL),
                   RATTLE_BAD_ARGUMENT); /* opened to be read */
  assert_int_equal(rattle_cases_get(cases, CASES - 1, 2, NULL, NULL, NULL), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
}

static void wrong_calls(void **state) {
  (void)state;
  rattle_cases *cases;
  rattle_error error;
  rattle_cases_about about = about_of();
  const rattle_cases_column narrow[] = {{"x", 0}};
  assert_int_equal(rattle_cases_create(&cases, path, &about, 0, &error), RATTLE_EXISTS);
  assert_null(cases);
  about.cases = 0;
  assert_int_equal(rattle_cases_create(&cases, path, &about, 1, &error), RATTLE_BAD_ARGUMENT);
  about = about_of(), about.column = narrow, about.columns = 1;
  assert_int_equal(rattle_cases_create(&cases, path, &about, 1, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_cases_create(&cases, "no/such/folder.h5", &about, 1, &error), RATTLE_IO);
  about = about_of();
  assert_int_equal(rattle_cases_create(&cases, path, &about, 1, NULL), RATTLE_OK);
  compare(cases, 0);
  double row[WIDTH] = {0};
  assert_int_equal(rattle_cases_put(cases, CASES, row, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_cases_put(cases, -1, row, &error), RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
  assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
  /* a record is none, nor is something else */
  FILE *text = fopen("test_cases.txt", "w");
  assert_non_null(text);
  fputs("not HDF5", text);
  fclose(text);
  assert_int_equal(rattle_cases_open(&cases, "test_cases.txt", &error), RATTLE_BAD_RECORD);
  unlink("test_cases.txt");
  assert_int_equal(rattle_cases_open(&cases, "test_cases.none", &error), RATTLE_IO);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_in_any_order),
                                     cmocka_unit_test(wrong_calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
