/* The native evaluator's folder, its objects, and doing without a compiler. */
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ground/expr/elements.h"
#include "ground/expr/native.h"
#include "fake_compiler.h"

enum { ROOM = 1024 }; /* of a path */

/* Each test has its own base folder, and the PATH of the start. */
static char base[64], folder[512], *path;

static int fresh_base(void **unused) {
  (void)unused;
  strcpy(base, "/tmp/rattle-test-XXXXXX");
  if (!mkdtemp(base)) return -1;
  snprintf(folder, sizeof folder, "%s/rattle", base);
  return setenv("XDG_CACHE_HOME", base, 1) || setenv("PATH", path, 1);
}

static int drop_base(void **unused) {
  (void)unused;
  char command[128];
  snprintf(command, sizeof command, "/bin/rm -rf '%s'", base);
  return setenv("PATH", path, 1) || system(command);
}

/* x^2 + sin(y) with the given evaluator. */
static rattle_status build(rattle__evaluator evaluator, rattle__function **f, rattle_error *error) {
  rattle_graph *g = NULL;
  assert_int_equal(rattle_graph_create(&g, NULL), RATTLE_OK);
  rattle_expr x = rattle_expr_variable(g, 0), y = rattle_expr_variable(g, 1);
  rattle_expr e = rattle_expr_binary(g, RATTLE_OP_ADD, rattle_expr_binary(g, RATTLE_OP_MUL, x, x),
                                     rattle_expr_unary(g, RATTLE_OP_SIN, y));
  const int place[] = {0, 1};
  rattle__build how = {
      .place = place, .places = 2, .vars = 2, .hessian = 1, .evaluator = evaluator};
  rattle_status status = rattle__function_from_graph(f, g, &e, 1, &how, error);
  rattle_graph_destroy(&g);
  return status;
}

static void assert_right(const rattle__function *f) {
  double x[] = {3, 0.5}, F, J[2], work[32];
  assert_true(f->work <= 32);
  assert_int_equal(f->jacobian(f, x, &F, J, work), 0);
  assert_true(F == 9 + sin(0.5) && J[0] == 6 && J[1] == cos(0.5));
}

static void assert_native(int native) {
  rattle__function *f = NULL;
  assert_int_equal(build(RATTLE__NATIVE_IF_POSSIBLE, &f, NULL), RATTLE_OK);
  assert_int_equal(f->native, native);
  assert_right(f);
  rattle__function_destroy(&f);
}

/* RATTLE__NATIVE fails with `words`; RATTLE__NATIVE_IF_POSSIBLE interprets. */
static void assert_refused(const char *words) {
  rattle__function *f = NULL;
  rattle_error error = {0};
  assert_int_equal(build(RATTLE__NATIVE, &f, &error), RATTLE_IO);
  assert_null(f);
  assert_int_equal(error.status, RATTLE_IO);
  if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
  assert_native(0);
}

/* Files of the folder whose name ends so; the last one's path in found (may be NULL). */
static int count_files(const char *end, char *found) {
  DIR *d = opendir(folder);
  int count = 0;
  for (struct dirent *entry; d && (entry = readdir(d));) {
    size_t size = strlen(entry->d_name), tail = strlen(end);
    if (entry->d_name[0] == '.' || size < tail || strcmp(entry->d_name + size - tail, end))
      continue;
    count++;
    if (found) snprintf(found, ROOM, "%s/%s", folder, entry->d_name);
  }
  if (d) closedir(d);
  return count;
}

static void objects_are_kept(void **unused) {
  (void)unused;
  assert_native(1);
  struct stat s, again;
  assert_int_equal(stat(folder, &s), 0);
  assert_int_equal(s.st_mode & 07777, 0700);
  char object[ROOM];
  assert_int_equal(count_files(".so", object), 1);
  assert_int_equal(count_files(".sum", NULL), 1);
  assert_int_equal(count_files("", NULL), 2); /* nothing temporary is left */
  assert_int_equal(stat(object, &s), 0);
  assert_native(1);
  assert_int_equal(stat(object, &again), 0);
  assert_int_equal(s.st_ino, again.st_ino);
}

/* A damaged object is not loaded but made again. */
static void damage_is_mended(void **unused) {
  (void)unused;
  assert_native(1);
  char object[ROOM], sum[ROOM];
  assert_int_equal(count_files(".so", object), 1);
  struct stat before, after;
  assert_int_equal(stat(object, &before), 0);
  FILE *file = fopen(object, "r+b");
  assert_non_null(file);
  fseek(file, before.st_size / 2, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, before.st_size / 2, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
  assert_native(1);
  file = fopen(object, "rb");
  fseek(file, before.st_size / 2, SEEK_SET);
  assert_int_equal(fgetc(file), byte);
  fclose(file);
  /* cut to nothing */
  assert_int_equal(truncate(object, 0), 0);
  assert_native(1);
  assert_int_equal(stat(object, &after), 0);
  assert_int_equal(after.st_size, before.st_size);
  /* without its checksum */
  assert_int_equal(count_files(".sum", sum), 1);
  assert_int_equal(unlink(sum), 0);
  assert_native(1);
  assert_int_equal(count_files(".sum", NULL), 1);
}

static void unsafe_folders_are_refused(void **unused) {
  (void)unused;
  static const mode_t modes[] = {0777, 0770, 0702, 01777};
  for (int k = 0; k < 4; k++) {
    mkdir(folder, 0700);
    assert_int_equal(chmod(folder, modes[k]), 0);
    assert_refused("others can write");
    assert_int_equal(count_files("", NULL), 0);
  }
  assert_int_equal(rmdir(folder), 0);
  char elsewhere[ROOM];
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", base);
  assert_int_equal(mkdir(elsewhere, 0700), 0);
  assert_int_equal(symlink(elsewhere, folder), 0);
  assert_refused("symbolic link");
  assert_int_equal(unlink(folder), 0);
  FILE *file = fopen(folder, "w");
  assert_non_null(file);
  fclose(file);
  assert_refused("not a folder");
  assert_int_equal(unlink(folder), 0);
  assert_int_equal(chmod(base, 0777), 0);
  assert_refused("above the cache folder, can be written by others");
  assert_int_equal(chmod(base, 0770), 0);
  assert_refused("can be written by others");
  assert_int_equal(chmod(base, 0700), 0);
  if (geteuid() == 0) {
    assert_int_equal(chown(base, 12345, (gid_t)-1), 0);
    assert_refused("above the cache folder, belongs to another user");
    assert_int_equal(chown(base, 0, (gid_t)-1), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chown(folder, 12345, (gid_t)-1), 0);
    assert_refused("another user");
    assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
  }
  assert_native(1);
}

static void without_a_home(void **unused) {
  (void)unused;
  char *home = strdup(getenv("HOME") ? getenv("HOME") : "/");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  unsetenv("HOME");
  assert_refused("XDG_CACHE_HOME");
  setenv("HOME", base, 1);
  assert_native(1);
  snprintf(folder, sizeof folder, "%s/.cache/rattle", base);
  assert_int_equal(count_files(".so", NULL), 1);
  setenv("HOME", home, 1);
  free(home);
}

static void without_a_compiler(void **unused) {
  (void)unused;
  setenv("PATH", "", 1);
  assert_refused("no compiler");
  unsetenv("PATH");
  assert_refused("no compiler");
  setenv("PATH", ".:relative", 1);
  assert_refused("no compiler");
  make_compiler(base, "echo noise; echo noise >&2; exit 1");
  assert_refused("failed");
  assert_int_equal(count_files("", NULL), 0);
  make_compiler(base, "exit 0"); /* makes nothing */
  assert_refused("cannot write");
  make_compiler(base, "while [ \"$1\" != -o ]; do shift; done; echo rubbish > \"$2\"");
  assert_refused("cannot load");
}

/* Another compiler does not find the objects of the first. */
static void compilers_are_told_apart(void **unused) {
  (void)unused;
  assert_native(1);
  char script[4 * ROOM];
  snprintf(script, sizeof script, "PATH='%s'; exec cc \"$@\"", path);
  make_compiler(base, script);
  assert_native(1);
  assert_int_equal(count_files(".so", NULL), 2);
}

/* Deep enough that no compiler should be bothered. */
static void too_much_to_compile(void **unused) {
  (void)unused;
  rattle_graph *g = NULL;
  assert_int_equal(rattle_graph_create(&g, NULL), RATTLE_OK);
  rattle_expr e = rattle_expr_variable(g, 0);
  for (int k = 0; k < 20000; k++)
    e = rattle_expr_unary(g, k % 2 ? RATTLE_OP_SIN : RATTLE_OP_COS, e);
  const int place[] = {0};
  rattle__build how = {.place = place, .places = 1, .vars = 1, .evaluator = RATTLE__NATIVE};
  rattle__function *f = NULL;
  rattle_error error = {0};
  assert_int_equal(rattle__function_from_graph(&f, g, &e, 1, &how, &error), RATTLE_UNSUITABLE);
  assert_non_null(strstr(error.message, "too many to compile"));
  rattle_graph_destroy(&g);
}

static void *build_and_run(void *result) {
  rattle__function *f = NULL;
  int *good = result;
  if (build(RATTLE__NATIVE, &f, NULL)) return NULL;
  double x[] = {3, 0.5}, F;
  f->value(f, x, &F, NULL);
  *good = F == 9 + sin(0.5);
  rattle__function_destroy(&f);
  return NULL;
}

static void threads_at_once(void **unused) {
  (void)unused;
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  int good[THREADS] = {0};
  for (int k = 0; k < THREADS; k++)
    assert_int_equal(pthread_create(&thread[k], NULL, build_and_run, &good[k]), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < THREADS; k++) assert_true(good[k]);
  assert_int_equal(count_files(".so", NULL), 1);
  assert_native(1);
}

/* The unit under it: any source, symbols, errors. */
static void sources(void **unused) {
  (void)unused;
  void *library = NULL;
  rattle_error error = {0};
  int (*answer)(void) = NULL;
  assert_int_equal(rattle__native_load("int answer(void) { return 42; }\n", &library, &error),
                   RATTLE_OK);
  assert_int_equal(rattle__native_symbol(library, "answer", &answer), 0);
  assert_int_equal(answer(), 42);
  assert_int_equal(rattle__native_symbol(library, "question", &answer), -1);
  rattle__native_unload(&library);
  assert_null(library);
  rattle__native_unload(&library);
  assert_int_equal(rattle__native_load("not C\n", &library, &error), RATTLE_IO);
  assert_null(library);
}

int main(void) {
  path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
#define EACH(test) cmocka_unit_test_setup_teardown(test, fresh_base, drop_base)
  const struct CMUnitTest tests[] = {
      EACH(objects_are_kept),    EACH(damage_is_mended),   EACH(unsafe_folders_are_refused),
      EACH(without_a_home),      EACH(without_a_compiler), EACH(compilers_are_told_apart),
      EACH(too_much_to_compile), EACH(threads_at_once),    EACH(sources),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(path);
  return failed;
}
