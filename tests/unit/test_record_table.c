/* Records as tables: columns by their names, and a record followed through its refreshes while
 * another process writes it. */
#include "record_fake.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const char *const none[] = {NULL};
static const char *const chain[] = {"x[1]", "x[2]", "x[3]", "y[1]", "y[2]", "y[3]", NULL};
static const char *const links[] = {"link[1]", "rod", NULL};
static const char *const observables[] = {"speed", "energy", NULL};

static void write_whole(fake *f, const char *path, long long steps) {
  rattle_record_options options = fake_options(steps, 1);
  rattle_record *record;
  CHECK(rattle_record_create(&record, path, f->problem, &options, error));
  CHECK(fake_run(f, rattle_record_observer(record), 0, steps, 1, error));
  rattle_record_close(&record);
}

/* The column `name` of samples [first, first+count) is that of `value`. */
static void expect_column(const fake *f, const rattle_record *record, const char *name,
                          double (*value)(const rattle_sample *)) {
  enum { FIRST = 4000, COUNT = 300 };
  double values[COUNT];
  rattle_column column;
  CHECK(rattle_record_find_column(record, name, &column, error));
  CHECK(rattle_record_read_column(record, column, FIRST, COUNT, values, error));
  fake_sample s = fake_sample_room(f);
  for (int i = 0; i < COUNT; i++) {
    double want = value(fake_fill(f, &s, FIRST + i));
    if (values[i] != want)
      fail_msg("%s, sample %d: %.17g, expected %.17g", name, FIRST + i, values[i], want);
  }
  free(s.q);
}

static double step_of(const rattle_sample *s) {
  return (double)s->step;
}
static double time_of(const rattle_sample *s) {
  return s->time;
}
static double energy_of(const rattle_sample *s) {
  return s->energy;
}
static double largest_g(const rattle_sample *s) {
  return fmax(fabs(s->g[0]), fabs(s->g[1]));
}
static double largest_psi(const rattle_sample *s) {
  return fmax(fabs(s->psi[0]), fabs(s->psi[1]));
}
static double second_multiplier(const rattle_sample *s) {
  return s->multipliers[1];
}
static double y2(const rattle_sample *s) {
  return s->q[4];
}
static double px3(const rattle_sample *s) {
  return s->p[2];
}
static double second_observable(const rattle_sample *s) {
  return s->observed[1];
}

/* Across the border of two chunks; coordinates of particles stand in another order in the file. */
static void columns(void **state) {
  (void)state;
  fake f = fake_problem(chain, links, observables);
  const char *path = fake_path("table.h5");
  write_whole(&f, path, 5000);
  rattle_record *record;
  CHECK(rattle_record_open(&record, path, error));
  expect_column(&f, record, "step", step_of), expect_column(&f, record, "time", time_of);
  expect_column(&f, record, "g", largest_g), expect_column(&f, record, "psi", largest_psi);
  expect_column(&f, record, "lambda[rod]", second_multiplier);
  expect_column(&f, record, "y[2]", y2), expect_column(&f, record, "px[3]", px3);
  expect_column(&f, record, "energy", second_observable); /* the model's names go before ours */
  expect_column(&f, record, "rattle:energy", energy_of),
      expect_column(&f, record, "rattle:time", time_of);
  expect_column(&f, record, "rattle:lambda[rod]", second_multiplier);

  rattle_column column;
  rattle_error refusal;
  double value;
  assert_int_equal(rattle_record_find_column(record, "speeed", &column, &refusal),
                   RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(refusal.message, "did you mean speed?"));
  assert_int_equal(rattle_record_find_column(record, "lambda[link]", &column, &refusal),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_record_find_column(record, "", &column, &refusal), RATTLE_BAD_ARGUMENT);
  column = (rattle_column){RATTLE_MULTIPLIER, 2};
  assert_int_equal(rattle_record_read_column(record, column, 0, 1, &value, &refusal),
                   RATTLE_BAD_ARGUMENT);
  column = (rattle_column){RATTLE_TIME, 0};
  assert_int_equal(rattle_record_read_column(record, column, 5000, 2, &value, &refusal),
                   RATTLE_BAD_ARGUMENT);
  assert_int_equal(rattle_record_read_column(record, column, 5000, 1, &value, &refusal), RATTLE_OK);
  assert_int_equal(rattle_record_info_of(record)->written, 0);
  rattle_record_close(&record);
  fake_free(&f);
}

static void columns_without_constraints(void **state) {
  (void)state;
  fake f = fake_problem(chain, none, none);
  const char *path = fake_path("free.h5");
  write_whole(&f, path, 10);
  rattle_record *record;
  rattle_column column;
  rattle_error refusal;
  CHECK(rattle_record_open(&record, path, error));
  assert_int_equal(rattle_record_find_column(record, "g", &column, &refusal), RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(refusal.message, "no constraints"));
  double value;
  column = (rattle_column){RATTLE_HIDDEN, 0};
  assert_int_equal(rattle_record_read_column(record, column, 0, 1, &value, &refusal),
                   RATTLE_BAD_ARGUMENT);
  CHECK(rattle_record_find_column(record, "energy", &column, error));
  rattle_record_close(&record);
  fake_free(&f);
}

/* Writes from the last step shared on until the reader has enough (or, killed, does not end); in a
 * process of its own, which begins when the reader says so: one that appends must be there before
 * this process opens the file, of which HDF5 would tell it. */
static pid_t start_writer(fake *f, const char *path, fake_shared *shared) {
  pid_t writer = fork();
  if (writer == 0) alarm(600); /* it does not outlive a test that fails */
  assert_true(writer >= 0);
  if (writer > 0) return writer;
  while (!shared->begin) fake_rest();
  const long long first = shared->last;
  const int appending = first > 0;
  rattle_record_options options = fake_options(1000000000, 1);
  options.flush_seconds = 0.005;
  rattle_record *record;
  if (appending ? rattle_record_append(&record, path, NULL)
                : rattle_record_create(&record, path, f->problem, &options, NULL))
    _exit(1);
  rattle_observer *observer = rattle_record_observer(record);
  fake_sample s = fake_sample_room(f);
  if (observer->begin(observer->self, NULL, fake_fill(f, &s, first), NULL)) _exit(2);
  for (long long step = first; !shared->enough; step++) {
    if (observer->record(observer->self, fake_fill(f, &s, step), NULL)) _exit(3);
    shared->last = step;
    if (step % 16 == 0) fake_rest();
    if (step % 64 != 0) continue;
    rattle_summary so_far = fake_summary(first, step, RATTLE_OK, "");
    observer->progress(observer->self, &so_far, 1000000000 - first);
  }
  rattle_summary summary =
      fake_summary(first, shared->last, RATTLE_INTERRUPTED, "interrupted by hand");
  _exit(observer->end(observer->self, &summary, NULL) ? 4 : 0);
}

/* Refreshes until the record has grown so often, and then until it has ended or nobody writes it
 * any more. */
static void follow(const fake *f, rattle_record *record, fake_shared *shared, int often) {
  const rattle_record_info *info = rattle_record_info_of(record);
  const char *title = info->coordinate_names[0];
  long long before = info->samples;
  int grown = 0;
  do {
    CHECK(rattle_record_refresh(record, error));
    assert_true(info->samples >= before);
    assert_ptr_equal(info->coordinate_names[0], title);
    grown += info->samples > before;
    if (info->samples > before)
      fake_check(f, record, info->samples, 1), fake_check_state(f, record, info->samples - 1);
    before = info->samples;
    shared->enough = grown >= often;
  } while (info->written == 1);
  assert_true(grown >= often);
}

/* One open record sees a run grow and end, be continued by another process, and grow and end
 * again. */
static void follows_runs(void **state) {
  (void)state;
  fake f = fake_problem(chain, links, none);
  const char *path = fake_path("growing.h5");
  fake_shared *shared = fake_share(), *later = fake_share();
  int exit_status = 0;
  pid_t second = start_writer(&f, path, later), writer = start_writer(&f, path, shared);
  shared->begin = 1;
  rattle_record *record;
  fake_wait_for(path);
  CHECK(rattle_record_open(&record, path, error));
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_int_equal(info->written, 1);
  follow(&f, record, shared, 6);
  waitpid(writer, &exit_status, 0);
  assert_int_equal(exit_status, 0);
  assert_true(info->samples == shared->last + 1);
  assert_int_equal(info->closed, 1), assert_int_equal(info->written, 0);
  assert_int_equal(info->status, RATTLE_INTERRUPTED),
      assert_string_equal(info->message, "interrupted by hand");

  later->last = shared->last;
  later->begin = 1;
  while (info->written != 1) {
    fake_rest();
    CHECK(rattle_record_refresh(record, error));
  }
  follow(&f, record, later, 2); /* who appends flushes once a second */
  waitpid(second, &exit_status, 0);
  assert_int_equal(exit_status, 0);
  assert_true(info->samples == later->last + 1 && info->last_step == later->last &&
              later->last > shared->last);
  assert_int_equal(info->closed, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

/* A killed writer is distinguished from a running one; replacing a record by another file is
 * detected, and the object does not change. */
static void killed_and_replaced(void **state) {
  (void)state;
  fake f = fake_problem(chain, links, none);
  const char *path = fake_path("killed.h5");
  fake_shared *shared = fake_share();
  pid_t writer = start_writer(&f, path, shared);
  shared->begin = 1;
  rattle_record *record;
  fake_wait_for(path);
  CHECK(rattle_record_open(&record, path, error));
  const rattle_record_info *info = rattle_record_info_of(record);
  while (info->samples < 1000) CHECK(rattle_record_refresh(record, error));
  assert_int_equal(info->written, 1), assert_int_equal(info->closed, 0);
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  CHECK(rattle_record_refresh(record, error));
  assert_int_equal(info->written, 0), assert_int_equal(info->closed, 0),
      assert_string_equal(info->status_name, "");
  fake_check(&f, record, info->samples, 1);

  long long samples, before = info->samples;
  rattle_error refusal;
  CHECK(rattle_record_recover(path, &samples, error));
  assert_int_equal(samples, before);
  assert_int_equal(rattle_record_refresh(record, &refusal), RATTLE_BAD_RECORD);
  assert_non_null(strstr(refusal.message, "another file has replaced"));
  fake_check(&f, record, before, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns), cmocka_unit_test(columns_without_constraints),
      cmocka_unit_test(follows_runs), cmocka_unit_test(killed_and_replaced)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
