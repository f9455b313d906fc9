/* Events in records: what was observed is what is read, a resumed run adds what the whole run has,
 * a killed one loses nothing that was written. */
#include "evaluators.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 400 };

static const char *const model_text =
    "event('down', x, { direction = -1 })\nevent('up', x, { direction = 1, count = 3 })\n"
    "observe('height', y + 2)\n";
static const double by = 0.7;

typedef struct heard {
  int count[3];
  double row[3][MOST][7]; /* step, time, direction, x, py, lambda, height */
  long long kill_at;      /* step, 0: never */
} heard;

static rattle_status hear(void *self, const rattle_occurrence *o, rattle_error *error) {
  heard *h = self;
  const rattle_sample *s = o->sample;
  (void)error;
  const double row[] = {(double)s->step, s->time,           o->direction,  s->q[0],
                        s->p[1],         s->multipliers[0], s->observed[0]};
  memcpy(h->row[o->event][h->count[o->event]++], row, sizeof row);
  return RATTLE_OK;
}

static rattle_status die(void *self, const rattle_sample *sample, rattle_error *error) {
  const heard *h = self;
  (void)error;
  /* the clock of flushes has ticks of some milliseconds */
  if (h->kill_at && sample->step % 400 == 0)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  if (h->kill_at && sample->step >= h->kill_at) kill(getpid(), SIGKILL);
  return RATTLE_OK;
}

static void begin_run(run *r) {
  begin(r, pendulum, model_text, "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.05);
}

/* Steps into the record, which is closed. */
static void go(run *r, rattle_record **record, heard *h, long long steps,
               const rattle_events *events) {
  rattle_observer last = {.struct_size = sizeof last, .self = h, .record = die, .event = hear};
  rattle_observer *const both[] = {rattle_record_observer(*record), &last};
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = steps,
                                      .every = 4,
                                      .initial_energy = (double)NAN,
                                      .events = events};
  if (rattle_run(r->integrator, &r->state, &options, both, 2, NULL, &r->error))
    fail_msg("%s", r->error.message);
  rattle_record_close(record);
}

/* A new record of a run from the start. */
static void write_new(const char *path, heard *h, long long steps, double flush_seconds) {
  run r = {0};
  rattle_record *record;
  const rattle_events events = {.struct_size = sizeof events, .time_step = by};
  const rattle_record_options options = {.struct_size = sizeof options,
                                         .force = 1,
                                         .method = "rattle(verlet)",
                                         .step = 0.05,
                                         .stop = (double)NAN,
                                         .steps = steps,
                                         .every = 4,
                                         .flush_seconds = flush_seconds,
                                         .events = &events};
  begin_run(&r);
  if (rattle_record_create(&record, path, r.problem, &options, &r.error))
    fail_msg("%s", r.error.message);
  go(&r, &record, h, steps, &events);
  end(&r);
}

/* A record is continued with what it knows. */
static void continue_to(const char *path, heard *h, long long last) {
  run r = {0};
  rattle_record *record, *appended;
  begin_run(&r);
  assert_int_equal(rattle_record_open(&record, path, NULL), RATTLE_OK);
  assert_int_equal(rattle_record_state(record, r.state.q, r.state.p, NULL, 0, &r.state.step, NULL),
                   RATTLE_OK);
  assert_int_equal(rattle_record_append(&appended, path, NULL), RATTLE_OK);
  go(&r, &appended, h, last - r.state.step, rattle_record_info_of(record)->events_so_far);
  rattle_record_close(&record);
  end(&r);
}

/* All that the record has is what was heard in a whole run. */
static void assert_has(const char *path, const heard *whole) {
  rattle_record *record;
  rattle_error error;
  if (rattle_record_open(&record, path, &error)) fail_msg("%s", error.message);
  const rattle_record_info *info = rattle_record_info_of(record);
  static const rattle_column columns[] = {{RATTLE_STEP_NUMBER, 0}, {RATTLE_TIME, 0},
                                          {RATTLE_DIRECTION, 0},   {RATTLE_COORDINATE, 0},
                                          {RATTLE_MOMENTUM, 1},    {RATTLE_MULTIPLIER, 0},
                                          {RATTLE_OBSERVABLE, 0}};
  assert_int_equal(info->events, 3);
  assert_string_equal(info->event_names[0], "down");
  assert_string_equal(info->event_names[2], "at");
  for (int e = 0; e < 3; e++) {
    double values[MOST];
    const int count = whole->count[e];
    assert_int_equal(info->events_so_far->counts[e], count);
    assert_true(info->events_so_far->last[e] == whole->row[e][count - 1][1]);
    for (int c = 0; c < 7; c++) {
      if (rattle_record_read_event(record, e, columns[c], 0, count, values, &error))
        fail_msg("%s", error.message);
      for (int i = 0; i < count; i++)
        if (values[i] != whole->row[e][i][c])
          fail_msg("event %d, %d: column %d is %.17g, not %.17g", e, i, c, values[i],
                   whole->row[e][i][c]);
    }
    assert_int_equal(rattle_record_read_event(record, e, columns[1], 0, count + 1, values, NULL),
                     RATTLE_BAD_ARGUMENT);
  }
  assert_int_equal(rattle_record_read_event(record, 3, columns[1], 0, 0, NULL, NULL),
                   RATTLE_BAD_ARGUMENT);
  rattle_record_close(&record);
}

static void what_is_read_is_what_was_heard(void **state) {
  (void)state;
  static heard whole, part;
  write_new("record_events.h5", &whole, 4000, 0);
  assert_true(whole.count[0] > 40 && whole.count[1] == 3 && whole.count[2] == 285);
  assert_has("record_events.h5", &whole);
  write_new("record_events_part.h5", &part, 1701, 0);
  continue_to("record_events_part.h5", &part, 4000);
  assert_has("record_events_part.h5", &whole);
}

static void a_killed_run_goes_on(void **state) {
  (void)state;
  static heard whole, killed, rest;
  long long samples;
  rattle_error error;
  write_new("record_events.h5", &whole, 4000, 0);
  for (int flushes = 0; flushes < 2; flushes++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      killed.kill_at = 2222;
      write_new("record_events_killed.h5", &killed, 4000, flushes ? 1e-9 : 3600);
      _exit(1);
    }
    int how;
    assert_true(waitpid(child, &how, 0) == child && WIFSIGNALED(how));
    if (rattle_record_recover("record_events_killed.h5", &samples, &error))
      fail_msg("%s", error.message);
    if (flushes ? samples < 500 : samples >= 557) fail_msg("%lld samples", samples);
    rest = (heard){0};
    continue_to("record_events_killed.h5", &rest, 4000);
    assert_has("record_events_killed.h5", &whole);
  }
}

/* One bit of a number in the file is another. */
static void damage(const char *path, double number) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  static unsigned char bytes[1 << 22];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  size_t at = 0;
  while (at + sizeof number <= size && memcmp(bytes + at, &number, sizeof number) != 0) at++;
  assert_true(at + sizeof number <= size);
  bytes[at] ^= 1;
  assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
  assert_int_equal(fwrite(bytes + at, 1, 1, file), 1);
  assert_int_equal(fclose(file), 0);
}

static void damaged_events_are_found(void **state) {
  (void)state;
  static heard whole;
  const char *path = "record_events_damaged.h5";
  rattle_record *record;
  rattle_error error;
  double value;
  long long samples;
  write_new(path, &whole, 4000, 0);
  damage(path, whole.row[0][7][1]);
  assert_int_equal(rattle_record_open(&record, path, NULL), RATTLE_OK);
  assert_int_equal(
      rattle_record_read_event(record, 0, (rattle_column){RATTLE_TIME, 0}, 9, 1, &value, &error),
      RATTLE_BAD_RECORD);
  assert_non_null(strstr(error.message, "/events/down/time from event 0 on"));
  assert_int_equal(
      rattle_record_read_event(record, 1, (rattle_column){RATTLE_TIME, 0}, 2, 1, &value, NULL),
      RATTLE_OK);
  rattle_record_close(&record);
  assert_int_equal(rattle_record_recover(path, &samples, NULL), RATTLE_OK);
  assert_int_equal(samples, 1001);
  assert_int_equal(rattle_record_open(&record, path, NULL), RATTLE_OK);
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_true(info->events_so_far->counts[0] == 0 && info->events_so_far->counts[1] == 3);
  assert_non_null(strstr(info->message, "of its events are lost"));
  rattle_record_close(&record);
  assert_int_equal(remove("record_events_damaged.h5.damaged"), 0);
}

static void other_events_are_refused(void **state) {
  (void)state;
  run r = {0};
  rattle_record *record;
  const rattle_record_options options = {.struct_size = sizeof options,
                                         .force = 1,
                                         .method = "rattle(verlet)",
                                         .step = 0.05,
                                         .stop = (double)NAN,
                                         .steps = 100,
                                         .every = 4};
  const rattle_events events = {.struct_size = sizeof events, .time_step = by};
  begin_run(&r);
  assert_int_equal(
      rattle_record_create(&record, "record_events_other.h5", r.problem, &options, NULL),
      RATTLE_OK);
  rattle_observer *const one[] = {rattle_record_observer(record)};
  const rattle_run_options run_options = {.struct_size = sizeof run_options,
                                          .steps = 100,
                                          .every = 4,
                                          .initial_energy = (double)NAN,
                                          .events = &events};
  assert_int_equal(rattle_run(r.integrator, &r.state, &run_options, one, 1, NULL, &r.error),
                   RATTLE_BAD_ARGUMENT);
  assert_non_null(strstr(r.error.message, "without the event \"at\""));

  rattle_record_close(&record);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_read_is_what_was_heard), cmocka_unit_test(a_killed_run_goes_on),
      cmocka_unit_test(damaged_events_are_found), cmocka_unit_test(other_events_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
