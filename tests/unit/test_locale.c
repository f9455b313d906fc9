/* A host with a decimal comma: the same text, hashes, native code, models and messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rattle/doctor.h"
#include "rattle/integrator.h"
#include "rattle/observe.h"
#include "rattle/problem.h"
#include "rattle/record.h"
#include "rattle/run.h"
#include "ground/support/number.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    rattle_error check_error = {0}, *error = &check_error;                                         \
    if (call) fail_msg("%s: %s", #call, check_error.message);                                      \
  } while (0)

static char folder[64] = "/tmp/rattle-test-XXXXXX";

/* A locale of our own, since few systems have one with a comma installed. */
static int make_locale(void **state) {
  (void)state;
  char command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/comma >/dev/null 2>&1", folder);
  (void)!system(command);
  return setenv("LOCPATH", folder, 1) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int drop_locale(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

/* Skips where no locale can be made. */
static void begin_comma(void) {
  char half[8];
  if (!setlocale(LC_ALL, "comma")) {
    print_message("skipped: there is no locale de_DE (Debian: the package locales)\n");
    skip();
  }
  snprintf(half, sizeof half, "%.1f", 0.5);
  assert_string_equal(half, "0,5");
}

static void end_comma(void) {
  char half[8];
  snprintf(half, sizeof half, "%.1f", 0.5);
  assert_string_equal(half, "0,5"); /* what the host had set stays set */
  setlocale(LC_ALL, "C");
}

static void numbers(void **state) {
  (void)state;
  static const double x[] = {0.1, -1e-300, 1.0 / 3, 5e-324, 1.7976931348623157e308, 0, 1e22};
  char text[RATTLE__NUMBER_ROOM], *end;
  begin_comma();
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    assert_true(rattle__number_read(rattle__number_exact(x[i], text), &end) == x[i] && !*end);
    assert_true(rattle__number_read(rattle__number_hex(x[i], text), &end) == x[i] && !*end);
    assert_true(rattle__number_read(rattle__number_shortest(x[i], text), &end) == x[i] && !*end);
  }
  assert_string_equal(rattle__number_shortest(0.1, text), "0.1");
  end_comma();
}

static const char model_text[] =
    "local x, px = pair('x') local y, py = pair('y') "
    "assert(tostring(0.5) == '0.5' and string.format('%g', 0.25) == '0.25' and tonumber('0.125')) "
    "mass { x = 1.5, y = 0.7 } potential(0.3*y + 0.1*x^2) constrain('rod', x^2 + y^2 - 1.21) "
    "start { x = 1.1, py = 0.3 } integrate { method = 'rattle(verlet, tol=0.5e-9)', step = 0.01, "
    "steps = 50 }";

typedef struct outcome {
  char hash[65], method[64], message[1024], lost[1024], usual[4096], *csv, *read;
  double q[2], p[2];
  int native;
} outcome;

static char *contents(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 16);
  assert_non_null(file);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 100);
  fclose(file);
  return text;
}

/* The text of a record, but for the time when it was written. */
static char *description(const char *path) {
  rattle_record *record;
  char *text = calloc(1, 1 << 12), number[RATTLE__NUMBER_ROOM];
  assert_non_null(text);
  CHECK(rattle_record_open(&record, path, error));
  const rattle_record_info *info = rattle_record_info_of(record);
  snprintf(text, 1 << 12, "%s %s %s %lld ", info->model_hash, info->method, info->kind,
           info->samples);
  strcat(text, rattle__number_exact(info->step, number));
  strcat(text, rattle__number_exact(info->energy_max_error, number));
  rattle_record_close(&record);
  return text;
}

/* The doctor's advice, and the methods that it lists with their arguments. */
static void advise(rattle_model *model, const rattle_problem *problem, char *text, size_t size) {
  rattle_doctor *doctor;
  CHECK(rattle_doctor_create(&doctor, model, problem, NULL, error));
  const rattle_diagnosis *found = rattle_doctor_diagnosis(doctor);
  size_t used = (size_t)snprintf(text, size, "%s\n", found->advice_why);
  for (int i = 0; i < found->valid_methods && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s\n", found->valid_method[i]);
  rattle_doctor_destroy(&doctor);
}

/* A run with native code and a record, and what is said of a wrong start. */
static outcome run_once(const char *path) {
  outcome o = {.native = 0};
  rattle_model *model;
  rattle_problem *problem;
  rattle_method *method;
  rattle_integrator *integrator;
  rattle_record *record;
  rattle_error refusal = {0};
  rattle_summary summary = {.struct_size = sizeof summary};
  const rattle_problem_options how = {.evaluator = RATTLE_EVALUATOR_NATIVE};
  CHECK(rattle_model_parse(&model, model_text, "m.lua", NULL, error));
  CHECK(rattle_problem_create(&problem, model, &how, error));
  o.native = !strcmp(rattle_problem_evaluator(problem), "native");
  const rattle_wishes *wishes = rattle_model_wishes(model);
  CHECK(rattle_method_parse(&method, wishes->method, error));
  snprintf(o.method, sizeof o.method, "%s", rattle_method_text(method));
  CHECK(rattle_integrator_create(&integrator, problem, wishes->method, error));
  CHECK(rattle_problem_start(problem, 0, o.q, o.p, NULL, error));
  rattle_state state = {.q = o.q, .p = o.p, .h = wishes->step};
  rattle_record_options options = {.method = wishes->method,
                                   .step = wishes->step,
                                   .stop = 0.5,
                                   .steps = 50,
                                   .every = 1,
                                   .force = 1};
  CHECK(rattle_record_create(&record, path, problem, &options, error));
  snprintf(o.hash, sizeof o.hash, "%s", rattle_record_info_of(record)->model_hash);
  rattle_run_options run = {
      .struct_size = sizeof run, .steps = 50, .every = 1, .initial_energy = (double)NAN};
  char table[128];
  rattle_csv *csv;
  snprintf(table, sizeof table, "%s.csv", path);
  CHECK(rattle_csv_create(&csv, table, problem, 1, error));
  rattle_observer *observers[] = {rattle_record_observer(record), rattle_csv_observer(csv)};
  CHECK(rattle_run(integrator, &state, &run, observers, 2, &summary, error));
  rattle_record_close(&record);
  rattle_csv_destroy(&csv);
  o.csv = contents(table);
  o.read = description(path);
  advise(model, problem, o.usual, sizeof o.usual);
  double q[2] = {1.1, 0}, p[2] = {0, 0.3};
  rattle_state far = {.q = q, .p = p, .h = 5};
  if (rattle_integrator_step(integrator, &far, 1, &refusal))
    snprintf(o.lost, sizeof o.lost, "%s", refusal.message);
  refusal = (rattle_error){0};
  rattle_method *bad;
  assert_int_not_equal(rattle_method_parse(&bad, "rattle(verlet, tol=-0.25)", &refusal), RATTLE_OK);
  snprintf(o.message, sizeof o.message, "%s", refusal.message);
  rattle_integrator_destroy(&integrator);
  rattle_method_destroy(&method);
  rattle_problem_destroy(&problem);
  rattle_model_destroy(&model);
  return o;
}

static void runs(void **state) {
  (void)state;
  char path[128];
  snprintf(path, sizeof path, "%s/run.h5", folder);
  const outcome plain = run_once(path);
  snprintf(path, sizeof path, "rm -rf %s/rattle", folder); /* compiled anew */
  assert_int_equal(system(path), 0);
  snprintf(path, sizeof path, "%s/comma.h5", folder);
  begin_comma();
  const outcome comma = run_once(path);
  end_comma();
  assert_string_equal(comma.hash, plain.hash);
  assert_string_equal(comma.method, plain.method);
  assert_string_equal(comma.message, plain.message);
  assert_string_equal(comma.csv, plain.csv);
  assert_string_equal(comma.read, plain.read);
  assert_string_equal(comma.usual, plain.usual);
  assert_non_null(strstr(plain.lost, " there"));
  assert_string_equal(comma.lost, plain.lost);
  assert_int_equal(comma.native, plain.native);
  assert_memory_equal(comma.q, plain.q, sizeof plain.q);
  assert_memory_equal(comma.p, plain.p, sizeof plain.p);
  char *const texts[] = {plain.csv, plain.read, comma.csv, comma.read};
  for (int i = 0; i < 4; i++) free(texts[i]);
}

static void expect_shortest(double x) {
  char wanted[RATTLE__NUMBER_ROOM], text[RATTLE__NUMBER_ROOM];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(wanted, sizeof wanted, "%.*g", digits, x);
    if (strtod(wanted, NULL) == x) break;
  }
  assert_string_equal(rattle__number_shortest(x, text), wanted);
}

/* No other number of digits is the least: decimals of few digits, doubles of any bits, those
 * below the normal ones. */
static void shortest(void **state) {
  (void)state;
  uint64_t bits = 1;
  for (int e = -320; e <= 308; e++) {
    char text[32];
    for (int digit = 1; digit <= 9; digit += 4) {
      snprintf(text, sizeof text, "%d.%de%d", digit, 9 - digit, e);
      expect_shortest(strtod(text, NULL));
    }
  }
  for (int k = 0; k < 4000; k++) {
    double x;
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) expect_shortest(x), expect_shortest(x * 0x1p-1022), expect_shortest(k / 7.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(shortest),
                                     cmocka_unit_test(runs)};
  return cmocka_run_group_tests(tests, make_locale, drop_locale);
}
