/* Files of cases on a full disk, at any moment: a sentence, no file or a right one, nothing on
 * standard error, and HDF5 comes to a good end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rattle/rattle.h"

enum { CASES = 20000 };
static const char path[] = "test_cases_fail.h5", noise[] = "test_cases_fail.noise";

typedef struct ended {
  rattle_status status;
  char message[1024];
} ended;

static rattle_status fill(long long *put, rattle_error *error) {
  static const rattle_cases_column columns[] = {{"x", 1}, {"y", 2}};
  const rattle_cases_about about = {
      .struct_size = sizeof about, .title = "T", .cases = CASES, .columns = 2, .column = columns};
  rattle_cases *cases;
  rattle_status status = rattle_cases_create(&cases, path, &about, 0, error);
  for (*put = 0; *put < CASES && !status; ++*put) {
    const double row[] = {(double)*put, 1, 2};
    status = rattle_cases_put(cases, *put, row, error);
  }
  const rattle_status closed = rattle_cases_close(&cases, status ? NULL : error);
  return status ? status : closed;
}

/* In a process whose files may not grow beyond `limit` bytes. */
static ended fill_limited(long long limit) {
  ended result = {.status = RATTLE_OK};
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    long long put;
    rattle_error error = {0};
    if (!freopen(noise, "w", stderr)) _exit(1);
    setvbuf(stderr, NULL, _IONBF, 0);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)limit, (rlim_t)limit});
    result.status = fill(&put, &error);
    snprintf(result.message, sizeof result.message, "%s", error.message);
    H5close();
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 3);
  }
  close(ends[1]);
  assert_int_equal(read(ends[0], &result, sizeof result), sizeof result);
  close(ends[0]);
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  return result;
}

static void full_at_any_moment(void **state) {
  (void)state;
  int none = 0, all = 0;
  for (long long limit = 1000; limit < 2000000; limit += 1 + limit / 4) {
    struct stat found;
    unlink(path);
    const ended end = fill_limited(limit);
    assert_int_equal(stat(noise, &found), 0);
    assert_int_equal(found.st_size, 0);
    if (end.status) {
      assert_int_equal(end.status, RATTLE_IO);
      assert_non_null(strstr(end.message, path));
      assert_non_null(strstr(end.message, "File too large"));
    }
    if (stat(path, &found)) {
      assert_int_equal(end.status, RATTLE_IO);
      none++;
      continue;
    }
    rattle_cases *cases;
    static double row[CASES][3];
    static signed char there[CASES];
    assert_int_equal(rattle_cases_open(&cases, path, NULL), RATTLE_OK);
    assert_int_equal(rattle_cases_get(cases, 0, CASES, &row[0][0], there, NULL), RATTLE_OK);
    long long rows = 0;
    for (long long k = 0; k < CASES; k++)
      if (there[k] == 1) rows++, assert_true(row[k][0] == (double)k && row[k][2] == 2);
    assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
    assert_int_equal(rows == CASES, end.status == RATTLE_OK);
    all += !end.status;
  }
  print_message("no file %d times, all %d times\n", none, all);
  assert_true(none > 2 && all > 0);
  assert_int_equal(system("test $(ls | grep -c 'test_cases_fail.*part') = 0"), 0);
  unlink(path), unlink(noise);
}

/* A plan that has more cases than its file is refused before numbers are made of it, by how many
 * there are. */
static void plans_of_strangers(void **state) {
  (void)state;
  static const char *const plans[][2] = {
      {"set a=0:1:1e-8\nsteps 1\n", "more than 3: the step must lead"},
      {"set a=1,2\nsteps-of 1e-9:1:1e-9\nsteps 1\n", "more than 3: the step must lead"},
      {"set a=1\nat 0:1:1e-8\nsteps 1\n", "more than 1000000: the step must lead"},
      {"set a=1,2\nstart x=1,2\nsteps 1\n", "4 cases: at most 3 can be"},
      {"set a=1\nset b=1,2\nsteps 1\n", "no parameter 'b'"}};
  const rattle_cases_column column = {"set:a", 1};
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    const rattle_cases_about about = {
        .model_text = "local a, x, px = parameter('a', 1), pair('x')\nhamiltonian(px^2/2 + a*x^2)\n"
                      "integrate { method = 'verlet', step = 0.1 }\n",
        .model_file = "m.lua",
        .plan = plans[i][0],
        .cases = 3,
        .columns = 1,
        .column = &column};
    char command[500];
    rattle_cases *cases;
    assert_int_equal(rattle_cases_create(&cases, path, &about, 1, NULL), RATTLE_OK);
    assert_int_equal(rattle_cases_close(&cases, NULL), RATTLE_OK);
    snprintf(command, sizeof command, "%s resume %s 2>&1 | grep -qF \"%s\"", RATTLE_COMMAND, path,
             plans[i][1]);
    if (system(command)) fail_msg("plan %s: %s", plans[i][0], command);
  }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(full_at_any_moment),
                                     cmocka_unit_test(plans_of_strangers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
