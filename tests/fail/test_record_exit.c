/* A program that opened a damaged record ends without a word of HDF5 on standard error, and keeps
 * its own way to print HDF5's errors. */
#include "record_fake.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* HDF5 loses memory of files that it finds damaged. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}
/* Which says so on standard error. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void) {
  return "print_suppressions=0";
}

static const char *const axes[] = {"x", "y", NULL};
static const char *const rod[] = {"rod", NULL};
static const char *const none[] = {NULL};

enum { STEPS = 20, PLACES = 64 };

static void write_record(const char *path) {
  fake f = fake_problem(axes, rod, none);
  rattle_record_options options = fake_options(STEPS, 1);
  rattle_record *record;
  unlink(path);
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  CHECK(fake_run(&f, rattle_record_observer(record), 0, STEPS, 1, error));
  rattle_record_close(&record);
  fake_free(&f);
}

static void flip(const char *path, long at) {
  FILE *file = fopen(path, "r+b");
  fseek(file, at, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
}

/* In a process of its own, whose standard error goes to a file: opens the record and exits. Exit
 * status: 1 if it was refused. */
static void open_and_exit(const char *path, const char *words) {
  rattle_record *record;
  const int file = open(words, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  H5E_auto2_t function = NULL;
  void *data;
  if (file < 0 || dup2(file, STDERR_FILENO) < 0) _exit(99);
  const int refused = rattle_record_open(&record, path, NULL) != RATTLE_OK;
  rattle_record_close(&record);
  H5Eget_auto2(H5E_DEFAULT, &function, &data);
  exit(function ? refused : 98);
}

static void nothing_is_printed(void **state) {
  (void)state;
  char path[256], words[256];
  struct stat found;
  int refused = 0;
  strcpy(path, fake_path("exit.h5"));
  strcpy(words, fake_path("exit.txt"));
  write_record(path);
  assert_int_equal(stat(path, &found), 0);
  for (int place = 0; place < PLACES; place++) {
    const long at = found.st_size * place / PLACES + 40;
    int status;
    flip(path, at);
    const pid_t child = fork();
    if (child == 0) open_and_exit(path, words);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    refused += WEXITSTATUS(status);
    assert_int_equal(stat(words, &found), 0);
    if (found.st_size)
      fail_msg("byte %ld: %lld bytes on standard error", at, (long long)found.st_size);
    flip(path, at);
    assert_int_equal(stat(path, &found), 0);
  }
  print_message("%d of %d damaged records refused\n", refused, PLACES);
  assert_true(refused > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_printed)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
