#ifndef RECORD_FAKE_H
#define RECORD_FAKE_H
/* A run without its numerics, for tests of records and other observers: a problem with chosen
 * names, and a "run" whose samples are a known function of the step, so that any sample can be
 * checked wherever it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "problem/model/model.h"
#include "rattle/integrator.h"
#include "rattle/record.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    rattle_error check_error = {0};                                                                \
    rattle_error *error = &check_error;                                                            \
    if (call) fail_msg("%s: %s", #call, check_error.message);                                      \
  } while (0)

#if defined(__GNUC__)
#define FAKE_MAYBE_UNUSED __attribute__((unused))
#else
#define FAKE_MAYBE_UNUSED
#endif

enum { FAKE_EXTRA = 3 };

/* The real integrator is not part of these tests; the observers need only these functions. */
int rattle_integrator_extra(const rattle_integrator *integrator) {
  (void)integrator;
  return FAKE_EXTRA;
}

int rattle_integrator_has_work(const rattle_integrator *integrator) {
  (void)integrator;
  return 0;
}

const char *rattle_integrator_solver(const rattle_integrator *integrator) {
  (void)integrator;
  return "tridiagonal";
}

typedef struct fake {
  rattle_model *model;
  rattle_problem *problem;
  int n, m, observables;
} fake;

/* Coordinates, constraints and observables with the names given, each list ended by NULL. */
static fake fake_problem(const char *const *coordinates, const char *const *constraints,
                         const char *const *observables) {
  fake f = {0};
  CHECK(rattle_model_create(&f.model, error));
  rattle_graph *graph = rattle_model_graph(f.model);
  for (; coordinates[f.n]; f.n++)
    CHECK(rattle_model_add_pair(f.model, coordinates[f.n], NULL, NULL, error));
  rattle_expr half = rattle_expr_constant(graph, 0.5);
  for (int k = 0; k < f.n; k++) {
    rattle_expr p = rattle_expr_variable(graph, 2 * k + 1);
    rattle_expr square = rattle_expr_binary(graph, RATTLE_OP_MUL, p, p);
    CHECK(rattle_model_add_hamiltonian(
        f.model, rattle_expr_binary(graph, RATTLE_OP_MUL, half, square), error));
  }
  for (; constraints[f.m]; f.m++)
    CHECK(rattle_model_add_constraint(f.model, constraints[f.m],
                                      rattle_expr_variable(graph, 2 * f.m), error));
  for (; observables[f.observables]; f.observables++)
    CHECK(rattle_model_add_observable(f.model, observables[f.observables],
                                      rattle_expr_variable(graph, 0), error));
  rattle_problem_options options = {.evaluator = RATTLE_EVALUATOR_BLOCK};
  CHECK(rattle_problem_create(&f.problem, f.model, &options, error));
  return f;
}

static void fake_free(fake *f) {
  rattle_problem_destroy(&f->problem);
  rattle_model_destroy(&f->model);
}

/* Number `which` of the sample at `step`. */
static double fake_value(long long step, int which) {
  return sin(1.0 + (double)step * 0.37 + which * 1.7) * 1e3 + (double)step;
}

enum {
  FAKE_P = 1000000,
  FAKE_MULTIPLIER = 2000000,
  FAKE_OBSERVED = 3000000,
  FAKE_STATE = 4000000,
  FAKE_G = 5000000
};

typedef struct fake_sample {
  rattle_sample sample;
  double *q, *p, *g, *psi, *multipliers, *observed, *state_q, *state_p, extra[FAKE_EXTRA];
} fake_sample;

static fake_sample fake_sample_room(const fake *f) {
  fake_sample s = {0};
  size_t n = (size_t)f->n, m = (size_t)f->m;
  double *room = calloc(4 * n + 3 * m + (size_t)f->observables + 1, sizeof *room);
  s.q = room, s.p = s.q + n, s.state_q = s.p + n, s.state_p = s.state_q + n;
  s.g = s.state_p + n, s.psi = s.g + m, s.multipliers = s.psi + m, s.observed = s.multipliers + m;
  return s;
}

static const rattle_sample *fake_fill(const fake *f, fake_sample *s, long long step) {
  for (int k = 0; k < f->n; k++) {
    s->q[k] = fake_value(step, k), s->p[k] = fake_value(step, FAKE_P + k);
    s->state_q[k] = fake_value(step, FAKE_STATE + k),
    s->state_p[k] = fake_value(step, FAKE_STATE + FAKE_P + k);
  }
  for (int i = 0; i < f->m; i++) {
    s->g[i] = 1e-16 * fake_value(step, FAKE_G + i),
    s->psi[i] = -1e-15 * fake_value(step, FAKE_G + i);
    s->multipliers[i] = fake_value(step, FAKE_MULTIPLIER + i);
  }
  for (int i = 0; i < f->observables; i++) s->observed[i] = fake_value(step, FAKE_OBSERVED + i);
  for (int i = 0; i < FAKE_EXTRA; i++) s->extra[i] = fake_value(step, -1 - i);
  s->sample = (rattle_sample){.step = step,
                              .time = 0.125 * (double)step,
                              .q = s->q,
                              .p = s->p,
                              .energy = 1 + 1e-6 * sin((double)step),
                              .g = s->g,
                              .psi = s->psi,
                              .multipliers = s->multipliers,
                              .observed = s->observed,
                              .state_q = s->state_q,
                              .state_p = s->state_p,
                              .extra = s->extra,
                              .extra_size = FAKE_EXTRA};
  return &s->sample;
}

static rattle_summary fake_summary(long long first, long long last, rattle_status status,
                                   const char *message) {
  rattle_summary s = {.steps = last - first,
                      .step = 0.125,
                      .start = 0.125 * (double)first,
                      .stop = 0.125 * (double)last,
                      .wall_seconds = 2,
                      .energy_initial = 1,
                      .energy_final = 1 + 1e-6 * sin((double)last),
                      .energy_max_error = 1e-6,
                      .energy_max_relative_error = 1e-6,
                      .g_max = 1e-13,
                      .psi_max = 1e-12,
                      .min_singular_value = 0.5,
                      .min_singular_time = 0.25,
                      .counts = {.steps = last - first, .gradient = 7, .followed = 3},
                      .status = status};
  snprintf(s.error.message, sizeof s.error.message, "%s", message);
  return s;
}

/* Samples first, first+every ... last. Returns the first failure of begin or record; end gets it as
 * the driver would give it. */
FAKE_MAYBE_UNUSED static rattle_status fake_run(const fake *f, rattle_observer *observer,
                                                long long first, long long last, long long every,
                                                rattle_error *error) {
  fake_sample s = fake_sample_room(f);
  rattle_status status = observer->begin(observer->self, NULL, fake_fill(f, &s, first), error),
                ended;
  if (status) return free(s.q), status;
  for (long long step = first; step <= last && !status; step += every) {
    status = observer->record(observer->self, fake_fill(f, &s, step), error);
    if (step % 1024 != 0 || status || !observer->progress) continue;
    rattle_summary so_far = fake_summary(first, step, RATTLE_OK, "");
    observer->progress(observer->self, &so_far, last - first);
  }
  rattle_summary summary = fake_summary(first, last, status, status ? error->message : "");
  ended = observer->end(observer->self, &summary, status ? NULL : error);
  free(s.q);
  return status ? status : ended;
}

FAKE_MAYBE_UNUSED static rattle_record_options fake_options(long long steps, long long every) {
  return (rattle_record_options){.method = "rattle(verlet)",
                                 .step = 0.125,
                                 .start_time = 0,
                                 .stop = 0.125 * (double)steps,
                                 .steps = steps,
                                 .every = every};
}

/* Every number of samples [0, samples) at steps 0, every, 2 every ... */
FAKE_MAYBE_UNUSED static void fake_check(const fake *f, const rattle_record *record,
                                         long long samples, long long every) {
  size_t n = (size_t)f->n, m = (size_t)f->m, k = (size_t)f->observables, count = (size_t)samples;
  double *time = malloc(count * sizeof(double)), *energy = malloc(count * sizeof(double)),
         *q = malloc(count * n * sizeof(double));
  double *p = malloc(count * n * sizeof(double)),
         *multipliers = malloc((count * m + 1) * sizeof(double));
  double *observed = malloc((count * k + 1) * sizeof(double));
  CHECK(rattle_record_read(record, 0, samples, time, energy, q, p, multipliers, observed, error));
  fake_sample s = fake_sample_room(f);
  for (size_t i = 0; i < count; i++) {
    const rattle_sample *want = fake_fill(f, &s, (long long)i * every);
    assert_memory_equal(&time[i], &want->time, 8);
    assert_memory_equal(&energy[i], &want->energy, 8);
    assert_memory_equal(q + i * n, want->q, n * 8);
    assert_memory_equal(p + i * n, want->p, n * 8);
    if (m > 0) assert_memory_equal(multipliers + i * m, want->multipliers, m * 8);
    if (k > 0) assert_memory_equal(observed + i * k, want->observed, k * 8);
  }
  free(s.q), free(time), free(energy), free(q), free(p), free(multipliers), free(observed);
}

/* The state that fits the last sample. */
FAKE_MAYBE_UNUSED static void fake_check_state(const fake *f, const rattle_record *record,
                                               long long step) {
  fake_sample s = fake_sample_room(f);
  long long found;
  double extra[FAKE_EXTRA], *q = malloc((size_t)f->n * 8), *p = malloc((size_t)f->n * 8);
  CHECK(rattle_record_state(record, q, p, extra, FAKE_EXTRA, &found, error));
  assert_int_equal(found, step);
  fake_fill(f, &s, step);
  assert_memory_equal(q, s.state_q, (size_t)f->n * 8);
  assert_memory_equal(p, s.state_p, (size_t)f->n * 8);
  assert_memory_equal(extra, s.extra, sizeof extra);
  free(s.q), free(q), free(p);
}

/* A folder of this process's own under the system's; "FOLDER/name" in a static buffer. */
static char fake_folder[64];
FAKE_MAYBE_UNUSED static const char *fake_path(const char *name) {
  static char path[256];
  if (!fake_folder[0]) {
    strcpy(fake_folder, "/tmp/rattle-test-XXXXXX");
    assert_non_null(mkdtemp(fake_folder));
  }
  snprintf(path, sizeof path, "%s/%s", fake_folder, name);
  unlink(path);
  return path;
}

FAKE_MAYBE_UNUSED static int fake_clean(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", fake_folder);
  return fake_folder[0] ? system(command) : 0;
}

/* Memory shared by a process that writes and one that reads: the reader decides how far the writer
 * goes on, on any machine. */
typedef struct fake_shared {
  atomic_int begin, enough;
  atomic_llong last; /* the last step written */
} fake_shared;

static inline fake_shared *fake_share(void) {
  fake_shared *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(shared != MAP_FAILED);
  return shared;
}

static inline void fake_rest(void) {
  nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static inline void fake_wait_for(const char *path) {
  while (access(path, F_OK)) fake_rest();
}
#endif
