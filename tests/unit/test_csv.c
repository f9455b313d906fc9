/* CSV: the table that is written, and what happens if it cannot be. */
#include "record_fake.h"

#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "rattle/observe.h"

static const char *const odd_coordinates[] = {"x[1]", "a,b", "z", NULL};
static const char *const odd_constraints[] = {"the \"rod\"", "w[2]", NULL};
static const char *const odd_observables[] = {"Δ φ", NULL};
static const char *const many[] = {"a", "b", "c", "d", "e", "f", "g", "h", NULL};
static const char *const none[] = {NULL};

static char *read_all(const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 22);
  size_t length = fread(text, 1, (1 << 22) - 1, file);
  text[length] = 0;
  fclose(file);
  return text;
}

/* The next number of a line; the comma or line end after it is passed. */
static double number(char **at) {
  double value = strtod(*at, at);
  assert_true(**at == ',' || **at == '\n');
  (*at)++;
  return value;
}

/* Header and every number of a table. */
static void table(void **state) {
  (void)state;
  fake f = fake_problem(odd_coordinates, odd_constraints, odd_observables);
  const char *path = fake_path("table.csv");
  rattle_csv *csv;
  CHECK(rattle_csv_create(&csv, path, f.problem, 0, error));
  CHECK(fake_run(&f, rattle_csv_observer(csv), 0, 3000, 3, error));
  rattle_csv_destroy(&csv);
  char *text = read_all(path), *at = strchr(text, '\n') + 1;
  at[-1] = 0;
  assert_string_equal(text, "step,time,x[1],\"a,b\",z,px[1],\"pa,b\",pz,energy,\"g[the "
                            "\"\"rod\"\"]\",g[w[2]],\"psi[the \"\"rod\"\"]\",psi[w[2]],"
                            "\"lambda[the \"\"rod\"\"]\",lambda[w[2]],Δ φ");
  fake_sample s = fake_sample_room(&f);
  for (long long step = 0; step <= 3000; step += 3) {
    const rattle_sample *want = fake_fill(&f, &s, step);
    assert_true(number(&at) == (double)step && number(&at) == want->time);
    for (int k = 0; k < 3; k++) assert_true(number(&at) == want->q[k]);
    for (int k = 0; k < 3; k++) assert_true(number(&at) == want->p[k]);
    assert_true(number(&at) == want->energy);
    for (int i = 0; i < 2; i++) assert_true(number(&at) == want->g[i]);
    for (int i = 0; i < 2; i++) assert_true(number(&at) == want->psi[i]);
    for (int i = 0; i < 2; i++) assert_true(number(&at) == want->multipliers[i]);
    assert_true(number(&at) == want->observed[0] && at[-1] == '\n');
  }
  assert_int_equal(*at, 0);
  free(s.q), free(text);
  fake_free(&f);
}

static void exists(void **state) {
  (void)state;
  fake f = fake_problem(many, none, none);
  const char *path = fake_path("exists.csv");
  rattle_csv *csv;
  rattle_error refusal;
  CHECK(rattle_csv_create(&csv, path, f.problem, 0, error));
  FILE *file = fopen(path, "w");
  fputs("precious", file);
  fclose(file);
  assert_int_equal(fake_run(&f, rattle_csv_observer(csv), 0, 3, 1, &refusal), RATTLE_EXISTS);
  rattle_csv_destroy(&csv);
  assert_int_equal(rattle_csv_create(&csv, path, f.problem, 0, &refusal), RATTLE_EXISTS);
  assert_null(csv);
  char *text = read_all(path);
  assert_string_equal(text, "precious");
  free(text);
  CHECK(rattle_csv_create(&csv, path, f.problem, 1, error));
  CHECK(fake_run(&f, rattle_csv_observer(csv), 0, 3, 1, error));
  rattle_csv_destroy(&csv);
  text = read_all(path);
  assert_int_equal(strncmp(text, "step,time,a,b,", 14), 0);
  free(text);
  CHECK(rattle_csv_create(&csv, "/dev/null", f.problem, 0, error));
  CHECK(fake_run(&f, rattle_csv_observer(csv), 0, 3, 1, error));
  rattle_csv_destroy(&csv);
  fake_free(&f);
}

/* A full disk is reported with path and remedy; the file ends with a complete line. */
static void full_disk(void **state) {
  (void)state;
  fake f = fake_problem(many, none, none);
  const char *path = fake_path("full.csv");
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){700000, 700000});
    rattle_csv *csv;
    rattle_error error;
    if (rattle_csv_create(&csv, path, f.problem, 0, &error)) _exit(1);
    if (fake_run(&f, rattle_csv_observer(csv), 0, 1000000, 1, &error) != RATTLE_IO) _exit(2);
    _exit(strstr(error.message, path) && strstr(error.message, "free space") ? 0 : 3);
  }
  int status;
  waitpid(child, &status, 0);
  assert_int_equal(status, 0);
  char *text = read_all(path);
  size_t length = strlen(text);
  assert_true(length > 690000 && length <= 700000);
  assert_int_equal(text[length - 1], '\n');
  free(text);
  if (access("/dev/full", W_OK) == 0) {
    rattle_csv *csv;
    rattle_error refusal;
    CHECK(rattle_csv_create(&csv, "/dev/full", f.problem, 0, error));
    assert_int_equal(fake_run(&f, rattle_csv_observer(csv), 0, 3, 1, &refusal), RATTLE_IO);
    assert_non_null(strstr(refusal.message, "No space left"));
    rattle_csv_destroy(&csv);
  }
  fake_free(&f);
}

/* The table has a decimal point in a locale with a decimal comma. */
static void decimal_point(void **state) {
  (void)state;
  const char *set = NULL;
  char command[256];
  fake_path("de_DE.UTF-8");
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
           fake_folder);
  if (system(command) == 0) setenv("LOCPATH", fake_folder, 1);
  static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
  for (int i = 0; i < 4 && !set; i++) set = setlocale(LC_NUMERIC, locales[i]);
  if (!set) skip();
  fake f = fake_problem(many, none, none);
  const char *path = fake_path("locale.csv");
  rattle_csv *csv;
  CHECK(rattle_csv_create(&csv, path, f.problem, 0, error));
  CHECK(fake_run(&f, rattle_csv_observer(csv), 1, 1, 1, error));
  rattle_csv_destroy(&csv);
  setlocale(LC_NUMERIC, "C");
  char *text = read_all(path), *line = strchr(text, '\n') + 1;
  assert_int_equal(strncmp(line, "1,0.125,", 8), 0);
  int commas = 0;
  for (; *line; line++) commas += *line == ',';
  assert_int_equal(commas, 2 + 16);
  free(text);
  fake_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(exists),
                                     cmocka_unit_test(full_disk), cmocka_unit_test(decimal_point)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
