/* Records of particles in a model with time(): frames of H5MD are those of the particles alone, t
 * and its momentum are read all the same, from samples, events and a record that was continued;
 * masses and species stand with the particles. */
#include "evaluators.h"

#include <hdf5.h>

enum { MOST = 300, PAIRS = 5 };

static const char *const dimer =
    "local x, px = pairs_of('x', 2)\nlocal y, py = pairs_of('y', 2)\nlocal t = time()\n"
    "mass(x, {1, 3}) mass(y, {1, 3})\npotential(y[1] + 3*y[2] + 0.3*x[1]*cos(5*t))\n"
    "constrain('rod', (x[1] - x[2])^2 + (y[1] - y[2])^2 - 1)\nstart { [x[2]] = 1, [py[1]] = 5 }\n"
    "event('over', x[1] - x[2])\n";

typedef struct heard {
  int samples, events;
  double z[MOST][2 * PAIRS], event[MOST][2 * PAIRS];
} heard;

static void keep(double *row, const rattle_sample *s) {
  memcpy(row, s->q, PAIRS * sizeof *row), memcpy(row + PAIRS, s->p, PAIRS * sizeof *row);
}

static rattle_status hear_sample(void *self, const rattle_sample *s, rattle_error *error) {
  heard *h = self;
  (void)error;
  keep(h->z[h->samples++], s);
  return RATTLE_OK;
}

static rattle_status hear_event(void *self, const rattle_occurrence *o, rattle_error *error) {
  heard *h = self;
  (void)error;
  keep(h->event[h->events++], o->sample);
  return RATTLE_OK;
}

/* A run of `steps`, into a new record or one that is continued. */
static void write(const char *path, int continues, long long steps, heard *h) {
  run r = {0};
  rattle_record *record = NULL, *old = NULL;
  const rattle_record_options made = {.struct_size = sizeof made,
                                      .force = 1,
                                      .method = "rattle(verlet)",
                                      .step = 0.05,
                                      .stop = (double)NAN,
                                      .steps = steps,
                                      .every = 2};
  begin(&r, dimer, "", "rattle(verlet)", RATTLE_EVALUATOR_BLOCK, 0.05);
  if (continues
          ? rattle_record_open(&old, path, &r.error) ||
                rattle_record_state(old, r.state.q, r.state.p, NULL, 0, &r.state.step, &r.error) ||
                rattle_record_append(&record, path, &r.error)
          : rattle_record_create(&record, path, r.problem, &made, &r.error))
    fail_msg("%s", r.error.message);
  rattle_observer hears = {
      .struct_size = sizeof hears, .self = h, .record = hear_sample, .event = hear_event};
  rattle_observer *const both[] = {rattle_record_observer(record), &hears};
  const rattle_run_options options = {.struct_size = sizeof options,
                                      .steps = steps - r.state.step,
                                      .every = 2,
                                      .initial_energy = (double)NAN,
                                      .events =
                                          old ? rattle_record_info_of(old)->events_so_far : NULL};
  if (rattle_run(r.integrator, &r.state, &options, both, 2, NULL, &r.error))
    fail_msg("%s", r.error.message);
  rattle_record_close(&record);
  rattle_record_close(&old);
  end(&r);
}

static void assert_has(const char *path, const heard *h) {
  rattle_record *record;
  rattle_error error;
  static double q[MOST][PAIRS], p[MOST][PAIRS], column[MOST];
  if (rattle_record_open(&record, path, &error)) fail_msg("%s", error.message);
  assert_int_equal(rattle_record_info_of(record)->samples, h->samples);
  if (rattle_record_read(record, 0, h->samples, NULL, NULL, q[0], p[0], NULL, NULL, &error))
    fail_msg("%s", error.message);
  for (int i = 0; i < h->samples; i++) {
    assert_memory_equal(q[i], h->z[i], sizeof q[i]);
    assert_memory_equal(p[i], h->z[i] + PAIRS, sizeof p[i]);
  }
  for (int k = 0; k < 2 * PAIRS; k++) {
    const rattle_column at = {k < PAIRS ? RATTLE_COORDINATE : RATTLE_MOMENTUM, k % PAIRS};
    if (rattle_record_read_column(record, at, 0, h->samples, column, &error))
      fail_msg("%s", error.message);
    for (int i = 0; i < h->samples; i++) assert_true(column[i] == h->z[i][k]);
    if (rattle_record_read_event(record, 0, at, 0, h->events, column, &error))
      fail_msg("%s", error.message);
    for (int i = 0; i < h->events; i++) assert_true(column[i] == h->event[i][k]);
  }
  rattle_record_close(&record);
}

static void all_is_read(void **state) {
  (void)state;
  static heard whole, first, rest;
  write("record_clock.h5", 0, 400, &whole);
  assert_true(whole.samples == 201 && whole.events > 3);
  assert_true(whole.z[200][4] == 20 && whole.z[200][9] != 0); /* t and its momentum */
  assert_has("record_clock.h5", &whole);
  write("record_clock_part.h5", 0, 150, &first);
  write("record_clock_part.h5", 1, 400, &rest);
  assert_has("record_clock_part.h5", &whole);
}

/* The shape of a dataset of doubles or whole numbers; its entries if there are few. */
static int entries(hid_t file, const char *path, hsize_t dims[3], double values[4]) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
  const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
  if (rank == 1)
    assert_true(dims[0] <= 4 &&
                H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space), H5Dclose(dataset);
  return rank;
}

static void frames_are_of_particles(void **state) {
  (void)state;
  static heard h;
  hsize_t dims[3];
  double values[4];
  write("record_clock.h5", 0, 20, &h);
  hid_t file = H5Fopen("record_clock.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_int_equal(entries(file, "/particles/system/position/value", dims, values), 3);
  assert_true(dims[1] == 2 && dims[2] == 2);
  assert_int_equal(entries(file, "/rattle/clock/value", dims, values), 2);
  assert_true(dims[0] == 11 && dims[1] == 2);
  assert_int_equal(entries(file, "/particles/system/mass", dims, values), 1);
  assert_true(dims[0] == 2 && values[0] == 1 && values[1] == 3);
  assert_int_equal(entries(file, "/particles/system/species", dims, values), 1);
  assert_true(dims[0] == 2 && values[0] == 0 && values[1] == 1);
  H5Fclose(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_is_read),
                                     cmocka_unit_test(frames_are_of_particles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
