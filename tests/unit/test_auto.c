/* The evaluator `auto`: what was compiled before is used from the first step, nothing is compiled
 * for a short run, and a long one changes over. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_compiler.h"
#include "rattle/rattle.h"

static const char pendulum[] =
    "x, px = pair('x')\ny, py = pair('y')\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', x^2 + y^2 - 1)\nstart { x = 1 }\n";
/* t is a coordinate, as the third */
static const char breathing[] =
    "x, px = pair('x')\ny, py = pair('y')\nt = time()\nhamiltonian((px^2 + py^2)/2 + y)\n"
    "constrain('rod', x^2 + y^2 - (1 + 0.3*sin(2*t))^2)\n";
static const char *text = pendulum;
static int pairs = 2;

enum { SHORT = 100 };
static const long long LONG = 1000000000000;

static char base[64], *path;

static int fresh_cache(void **unused) {
  (void)unused;
  strcpy(base, "/tmp/rattle-test-XXXXXX");
  return !mkdtemp(base) || setenv("XDG_CACHE_HOME", base, 1) || setenv("PATH", path, 1);
}

static int drop_cache(void **unused) {
  (void)unused;
  char command[128];
  snprintf(command, sizeof command, "/bin/rm -rf '%s'", base);
  return setenv("PATH", path, 1) || system(command);
}

/* Files of the cache whose name ends so. */
static int count_files(const char *end) {
  char folder[128];
  snprintf(folder, sizeof folder, "%s/rattle", base);
  DIR *d = opendir(folder);
  int count = 0;
  for (struct dirent *entry; d && (entry = readdir(d));) {
    const size_t size = strlen(entry->d_name), tail = strlen(end);
    count += entry->d_name[0] != '.' && size >= tail && !strcmp(entry->d_name + size - tail, end);
  }
  if (d) closedir(d);
  return count;
}

typedef struct made {
  rattle_model *model;
  rattle_problem *problem;
  rattle_integrator *integrator;
  double z[6];
  rattle_state state;
} made;

static void make(made *m, const char *method, int evaluator, long long steps) {
  const rattle_problem_options options = {
      .struct_size = sizeof options, .evaluator = evaluator, .steps = steps};
  rattle_error error;
  *m = (made){.z = {1, 0, 0, 0}};
  m->state = (rattle_state){.q = m->z, .p = m->z + pairs, .h = 0.01};
  if (rattle_model_parse(&m->model, text, "pendulum", NULL, &error)) fail_msg("%s", error.message);
  if (rattle_problem_create(&m->problem, m->model, &options, &error)) fail_msg("%s", error.message);
  if (rattle_integrator_create(&m->integrator, m->problem, method, &error))
    fail_msg("%s", error.message);
}

static void drop(made *m) {
  rattle_integrator_destroy(&m->integrator);
  rattle_problem_destroy(&m->problem);
  rattle_model_destroy(&m->model);
}

/* The end of so many steps, and the evaluator that made it. */
static const char *end_of(int evaluator, long long expected, double z[4]) {
  made m;
  rattle_error error;
  make(&m, "rattle(verlet)", evaluator, expected);
  if (rattle_integrator_step(m.integrator, &m.state, SHORT, &error)) fail_msg("%s", error.message);
  memcpy(z, m.z, 4 * sizeof *z);
  const char *name = rattle_problem_evaluator(m.problem);
  drop(&m);
  return name;
}

static void short_runs_use_what_is_there(void **unused) {
  (void)unused;
  double first[4], compiled[4], again[4];
  assert_string_equal(end_of(RATTLE_EVALUATOR_AUTO, SHORT, first), "block");
  assert_int_equal(count_files(""), 0);
  assert_string_equal(end_of(RATTLE_EVALUATOR_NATIVE, SHORT, compiled), "native");
  assert_int_equal(count_files(".so"), 2); /* V and g together, and the step */
  assert_string_equal(end_of(RATTLE_EVALUATOR_AUTO, SHORT, again), "native");
  assert_int_equal(count_files(".so"), 2);
  assert_memory_equal(first, compiled, sizeof first);
  assert_memory_equal(first, again, sizeof first);
}

static void step(made *m, long long steps) {
  rattle_error error;
  if (rattle_integrator_step(m->integrator, &m->state, steps, &error))
    fail_msg("%s", error.message);
}

/* Steps until the evaluator has changed. */
static void step_until_changed(made *m) {
  while (!strcmp(rattle_integrator_evaluator(m->integrator), "block")) step(m, 777);
}

/* A run that changes over has the bits of one that does not, its counts and its extra state. */
static void changes_over(const char *method) {
  made m, block;
  make(&m, method, RATTLE_EVALUATOR_AUTO, LONG);
  assert_string_equal(rattle_integrator_evaluator(m.integrator), "block");
  step_until_changed(&m);
  if (strcmp(rattle_integrator_evaluator(m.integrator), "block, then native") != 0)
    fail_msg("%s: %s", method, rattle_integrator_evaluator(m.integrator));
  step(&m, 5000);
  make(&block, method, RATTLE_EVALUATOR_BLOCK, LONG);
  step(&block, m.state.step);
  assert_string_equal(rattle_integrator_evaluator(block.integrator), "block");
  if (memcmp(m.z, block.z, sizeof m.z) != 0) fail_msg("%s: other bits", method);
  const rattle_counts counts[] = {rattle_integrator_counts(m.integrator),
                                  rattle_integrator_counts(block.integrator)};
  if (memcmp(&counts[0], &counts[1], sizeof *counts) != 0) fail_msg("%s: other counts", method);
  double extra[2][64];
  const int size = rattle_integrator_extra(m.integrator);
  assert_true(size <= 64 && size == rattle_integrator_extra(block.integrator));
  rattle_integrator_get_extra(m.integrator, extra[0]);
  rattle_integrator_get_extra(block.integrator, extra[1]);
  assert_memory_equal(extra[0], extra[1], (size_t)size * sizeof(double));
  drop(&m);
  drop(&block);
  assert_int_equal(count_files(".c"), 0);
  assert_int_equal(2 * count_files(".so"), count_files("")); /* nothing temporary is left */
}

static void long_runs_change_over(void **unused) {
  static const char *const methods[] = {"rattle(verlet)",
                                        "shake(verlet)",
                                        "kahan_li8(rattle(verlet))",
                                        "rattle(verlet, compensated)",
                                        "rattle(midpoint)",
                                        "rk4(dirac)",
                                        "project(rk4(classical))",
                                        "shake_two_step",
                                        "spark(3)",
                                        "geodesic_rkn4"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    changes_over(methods[i]);
    drop_cache(unused);
    fresh_cache(unused);
  }
}

/* Time goes on from its grid, t0 + k h to the last bit. */
static void time_goes_on(void **unused) {
  static const char *const methods[] = {"rattle(verlet)", "kahan_li8(rattle(verlet))",
                                        "rattle(midpoint)", "gauss(2, dirac)"};
  text = breathing, pairs = 3;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    changes_over(methods[i]);
    drop_cache(unused);
    fresh_cache(unused);
  }
  text = pendulum, pairs = 2;
}

/* Observes a run: interrupts it some samples after the evaluator has changed. */
typedef struct witness {
  const made *m;
  int samples;
  volatile int stop;
} witness;

static rattle_status witness_record(void *self, const rattle_sample *sample, rattle_error *error) {
  witness *w = self;
  (void)sample;
  (void)error;
  if (strcmp(rattle_integrator_evaluator(w->m->integrator), "block") != 0)
    w->stop = ++w->samples > 5;
  return RATTLE_OK;
}

/* The driver of runs starts a compiler once the rest of the run is long; the summary is the
 * interpreter's. */
static void runs_change_over(void **unused) {
  (void)unused;
  rattle_summary summary[2] = {{.struct_size = sizeof *summary}, {.struct_size = sizeof *summary}};
  made m[2];
  witness w = {.m = m};
  rattle_observer observer = {.struct_size = sizeof observer, .self = &w, .record = witness_record},
                  *observers[] = {&observer};
  rattle_error error;
  rattle_run_options options = {.struct_size = sizeof options,
                                .steps = LONG,
                                .every = 20000,
                                .initial_energy = NAN,
                                .interrupt = &w.stop};
  make(m, "rattle(verlet)", RATTLE_EVALUATOR_AUTO, LONG);
  assert_int_equal(rattle_run(m->integrator, &m->state, &options, observers, 1, summary, &error),
                   RATTLE_INTERRUPTED);
  assert_string_equal(rattle_integrator_evaluator(m->integrator), "block, then native");
  make(m + 1, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, LONG);
  options.steps = m->state.step, options.interrupt = NULL;
  assert_int_equal(rattle_run(m[1].integrator, &m[1].state, &options, NULL, 0, summary + 1, &error),
                   RATTLE_OK);
  assert_memory_equal(m[0].z, m[1].z, sizeof m[0].z);
  assert_true(summary[0].energy_max_error == summary[1].energy_max_error);
  assert_true(summary[0].psi_max == summary[1].psi_max);
  drop(m);
  drop(m + 1);
}

typedef struct derived {
  made m;
  rattle_tangent *tangent;
  double W[16];
} derived;

static void derive(derived *d, int evaluator) {
  int dimension;
  rattle_error error;
  make(&d->m, "rattle(verlet)", evaluator, LONG);
  if (rattle_tangent_create(&d->tangent, d->m.problem, "suzuki4(rattle(verlet))", &error))
    fail_msg("%s", error.message);
  if (rattle_tangent_basis(d->tangent, d->m.z, d->m.z + pairs, &dimension, d->W, &error))
    fail_msg("%s", error.message);
}

static void step_derived(derived *d, long long steps) {
  rattle_error error;
  if (rattle_tangent_step(d->tangent, &d->m.state, steps, 2, d->W, &error))
    fail_msg("%s", error.message);
}

static void drop_derived(derived *d) {
  rattle_tangent_destroy(&d->tangent);
  drop(&d->m);
}

/* The derivatives of the substeps of a composition. */
static void derivatives_change_over(void **unused) {
  (void)unused;
  derived d, block;
  derive(&d, RATTLE_EVALUATOR_AUTO);
  const rattle_integrator *integrator = rattle_tangent_integrator(d.tangent);
  while (!strcmp(rattle_integrator_evaluator(integrator), "block")) step_derived(&d, 100);
  assert_string_equal(rattle_integrator_evaluator(integrator), "block, then native");
  step_derived(&d, 10);
  derive(&block, RATTLE_EVALUATOR_BLOCK);
  step_derived(&block, d.m.state.step);
  assert_memory_equal(d.m.z, block.m.z, 4 * sizeof(double));
  assert_memory_equal(d.W, block.W, 8 * sizeof(double));
  drop_derived(&d);
  drop_derived(&block);
}

/* One that compiles H and g but not the text of steps: these are interpreted, and that is not
 * silent. */
static void compilers_that_fail_at_steps(void **unused) {
  (void)unused;
  static const char *const methods[] = {"rattle(verlet)", "rk4(dirac)", "spark(2)"};
  char script[4096];
  snprintf(script, sizeof script,
           "PATH='%s'\nfor a; do case $a in *.c) grep -q 'define "
           "EACH_N\\|rattle_rk_run\\|rattle_spark_run' $a && exit 1;; esac; "
           "done\n"
           "exec cc \"$@\"",
           path);
  make_compiler(base, script);
  for (int k = 0; k < (int)(sizeof methods / sizeof *methods); k++) {
    made m;
    make(&m, methods[k], RATTLE_EVALUATOR_NATIVE, LONG);
    assert_string_equal(rattle_integrator_evaluator(m.integrator),
                        "native, steps block (compiling failed)");
    step(&m, SHORT);
    drop(&m);
    make(&m, methods[k], RATTLE_EVALUATOR_BLOCK, LONG);
    assert_string_equal(rattle_integrator_evaluator(m.integrator), "block");
    drop(&m);
  }
}

/* A compiler that fails, is missing or hangs costs nothing but a word, and nothing of it is
 * left. */
static void bad_compilers(void **unused) {
  (void)unused;
  make_compiler(base, "exit 1");
  made m;
  make(&m, "rattle(verlet)", RATTLE_EVALUATOR_AUTO, LONG);
  step_until_changed(&m);
  assert_string_equal(rattle_integrator_evaluator(m.integrator), "block (compiling failed)");
  step(&m, SHORT);
  drop(&m);
  assert_int_equal(count_files(""), 0);

  setenv("PATH", "", 1);
  make(&m, "rattle(verlet)", RATTLE_EVALUATOR_AUTO, LONG);
  step_until_changed(&m);
  assert_string_equal(rattle_integrator_evaluator(m.integrator), "block (no compiler cc in PATH)");
  drop(&m);

  char script[256];
  snprintf(script, sizeof script, "echo $$ >> %s/pids\nexec /bin/sleep 1000", base);
  make_compiler(base, script);
  make(&m, "rattle(verlet)", RATTLE_EVALUATOR_AUTO, LONG);
  step(&m, 20000);
  char pids[128];
  snprintf(pids, sizeof pids, "%s/pids", base);
  for (struct stat s; stat(pids, &s);) step(&m, 1000);
  step(&m, 20000);
  assert_string_equal(rattle_integrator_evaluator(m.integrator), "block");
  drop(&m);
  assert_int_equal(count_files(""), 0);
  FILE *file = fopen(pids, "r");
  assert_non_null(file);
  int pid, found = 0;
  while (fscanf(file, "%d", &pid) == 1) found++, assert_int_not_equal(kill(pid, 0), 0);
  fclose(file);
  assert_true(found > 0);
}

int main(void) {
  path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
#define EACH(test) cmocka_unit_test_setup_teardown(test, fresh_cache, drop_cache)
  const struct CMUnitTest tests[] = {EACH(short_runs_use_what_is_there),
                                     EACH(long_runs_change_over),
                                     EACH(time_goes_on),
                                     EACH(runs_change_over),
                                     EACH(derivatives_change_over),
                                     EACH(bad_compilers),
                                     EACH(compilers_that_fail_at_steps)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(path);
  return failed;
}
