/* Records: what is written is read back bit for bit, in the H5MD layout, while writing and
 * after. */
#define H5_USE_110_API /* H5O_info_t has an address */
#include "record_fake.h"

#include <hdf5.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>

#include "record/hdf5/checkpoint.h"
#include "record/hdf5/sha256.h"

static const char *const none[] = {NULL};
static const char *const odd_coordinates[] = {"x[1]", "θ", "λ'", NULL};
static const char *const odd_constraints[] = {"link[1]", "Länge = 1, \"rod\"", NULL};
static const char *const odd_observables[] = {"speed^2", "energy", ".", "Δ φ", NULL};
static const char *const numbered[] = {"x1", "y1", "x2", "y2", NULL};
static const char *const not_numbered[] = {"x1", "y1", "x2", "z2", NULL};
static const char *const chain[] = {"x[1]", "x[2]", "x[3]", "y[1]", "y[2]",
                                    "y[3]", "z[1]", "z[2]", "z[3]", NULL};

/* A record of the steps 0 .. last, of `steps` that were asked for, still open to be written. */
static rattle_record *recorded(fake *f, const char *path, long long steps, long long last,
                               long long every) {
  const rattle_record_options options = fake_options(steps, every);
  rattle_record *record;
  CHECK(rattle_record_create(&record, path, f->problem, &options, error));
  CHECK(fake_run(f, rattle_record_observer(record), 0, last, every, error));
  return record;
}

/* Closed, and opened to be read. */
static rattle_record *reopened(rattle_record *record, const char *path) {
  rattle_record_close(&record);
  CHECK(rattle_record_open(&record, path, error));
  return record;
}

/* One run of 5000 samples, more than a chunk, with names that need care. */
static void round_trip(void **state) {
  (void)state;
  fake f = fake_problem(odd_coordinates, odd_constraints, odd_observables);
  f.model->text = strdup("title \"Ω\"\n-- model\n");
  f.model->file = rattle__model_keep(f.model, "/home/someone/secret/pendulum.lua");
  const char *path = fake_path("round.h5");
  rattle_record *record = reopened(recorded(&f, path, 15000, 14997, 3), path);
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_int_equal(info->samples, 5000);
  assert_int_equal(info->n, 3), assert_int_equal(info->m, 2),
      assert_int_equal(info->observables, 4);
  for (int i = 0; i < 3; i++) assert_string_equal(info->coordinate_names[i], odd_coordinates[i]);
  for (int i = 0; i < 2; i++) assert_string_equal(info->constraint_names[i], odd_constraints[i]);
  for (int i = 0; i < 4; i++) assert_string_equal(info->observable_names[i], odd_observables[i]);
  assert_string_equal(info->momentum_names[0], "px[1]");
  assert_string_equal(info->method, "rattle(verlet)");
  assert_string_equal(info->model_text, "title \"Ω\"\n-- model\n");
  assert_string_equal(info->model_file, "pendulum.lua");
  assert_string_equal(info->solver, "tridiagonal");
  assert_string_equal(info->status_name, "OK"), assert_string_equal(info->message, "");
  assert_int_equal(info->closed, 1);
  assert_int_equal(info->last_step, 14997), assert_int_equal(info->steps_asked, 15000),
      assert_int_equal(info->every, 3);
  assert_true(info->last_time == 0.125 * 14997 && info->step == 0.125 && info->g_max == 1e-13 &&
              info->initial_energy == 1);
  assert_int_equal(info->counts.gradient, 7), assert_int_equal(info->counts.followed, 3);
  fake_check(&f, record, 5000, 3);
  fake_check_state(&f, record, 14997);

  rattle_error refusal;
  double time[2];
  assert_int_equal(
      rattle_record_read(record, 4999, 2, time, NULL, NULL, NULL, NULL, NULL, &refusal),
      RATTLE_BAD_ARGUMENT);
  long long step;
  assert_int_equal(rattle_record_state(record, time, time, NULL, 0, &step, &refusal),
                   RATTLE_BAD_ARGUMENT);
  rattle_record_close(&record);
  fake_free(&f);
}

static hid_t dataset(hid_t file, const char *name, int rank, const hsize_t *want) {
  hid_t found = H5Dopen2(file, name, H5P_DEFAULT);
  if (found < 0) fail_msg("no dataset %s", name);
  hid_t space = H5Dget_space(found);
  hsize_t dims[4] = {0};
  assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
  H5Sget_simple_extent_dims(space, dims, NULL);
  for (int i = 0; i < rank; i++) assert_int_equal(dims[i], want[i]);
  H5Sclose(space);
  return found;
}

/* x1, y1 are a particle as x[1], y[1] are; coordinates that are no particles of one dimension stand
 * one by one. */
static void particles_without_brackets(void **state) {
  (void)state;
  static const struct {
    const char *const *names;
    hsize_t dims[3];
    int masses;
  } rows[] = {{numbered, {10, 2, 2}, 2}, {not_numbered, {10, 4, 1}, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fake f = fake_problem(rows[i].names, none, none);
    const char *path = fake_path("numbered.h5");
    rattle_record *record = recorded(&f, path, 9, 9, 1);
    rattle_record_close(&record);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Dclose(dataset(file, "/particles/system/position/value", 3, rows[i].dims));
    assert_int_equal(H5Lexists(file, "/particles/system/mass", H5P_DEFAULT) > 0,
                     rows[i].masses > 0);
    if (rows[i].masses) {
      double mass[2] = {0, 0};
      hid_t masses = dataset(file, "/particles/system/mass", 1, (hsize_t[]){2});
      H5Dread(masses, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, mass);
      assert_true(mass[0] == 1 && mass[1] == 1);
      H5Dclose(masses);
    }
    H5Fclose(file);
    CHECK(rattle_record_open(&record, path, error));
    fake_check(&f, record, 10, 1);
    rattle_record_close(&record);
    remove(path);
    fake_free(&f);
  }
}

/* Masses of particles are known where their axes have the same, with forces that are no gradient
 * too. */
static void masses_of_particles(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const int y2 = 16 + k % 2;
    rattle_model *model;
    rattle_problem *problem;
    rattle__about about;
    rattle_record_options options = fake_options(9, 1);
    char text[200];
    snprintf(text, sizeof text,
             "for i, m in ipairs {3, 16} do mass(pair('x' .. i), m) end mass(pair 'y1', 3) "
             "mass(pair 'y2', %d)%s",
             y2, k > 1 ? " force { y1 = -1 }" : "");
    CHECK(rattle_model_parse(&model, text, "masses", NULL, error));
    CHECK(rattle_problem_create(&problem, model, NULL, error));
    CHECK(rattle__about_describe(&about, problem, &options, error));
    assert_int_equal(about.dimension, 2);
    if (y2 == 16)
      assert_true(about.mass && about.mass[0] == 3 && about.mass[1] == 16);
    else
      assert_null(about.mass);
    rattle__about_free(&about);
    rattle_problem_destroy(&problem);
    rattle_model_destroy(&model);
  }
}

/* x[i], y[i], z[i] are particles: position/value is [samples][N][3], interleaved; times are one
 * dataset. */
static void h5md_layout(void **state) {
  (void)state;
  fake f = fake_problem(chain, odd_constraints, odd_observables);
  const char *path = fake_path("layout.h5");
  rattle_record *record = recorded(&f, path, 9, 9, 1);
  rattle_record_close(&record);

  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hid_t position = dataset(file, "/particles/system/position/value", 3, (hsize_t[]){10, 3, 3});
  double value[10][3][3];
  H5Dread(position, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  for (int i = 0; i < 3; i++)
    for (int axis = 0; axis < 3; axis++)
      assert_true(value[7][i][axis] == fake_value(7, 3 * axis + i));
  H5Dclose(position);
  H5Dclose(dataset(file, "/particles/system/momentum/value", 3, (hsize_t[]){10, 3, 3}));
  H5Dclose(dataset(file, "/observables/multipliers/value", 2, (hsize_t[]){10, 2}));
  static const char *const elements[] = {
      "/observables/energy",  "/observables/constraint",    "/observables/hidden",
      "/observables/speed^2", "/observables/observable[2]", "/observables/observable[3]",
      "/observables/Δ φ",     "/particles/system/momentum"};
  H5O_info_t shared, own;
  H5Oget_info_by_name2(file, "/particles/system/position/step", &shared, H5O_INFO_BASIC,
                       H5P_DEFAULT);
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    char name[128];
    snprintf(name, sizeof name, "%s/step", elements[i]);
    assert_true(H5Oget_info_by_name2(file, name, &own, H5O_INFO_BASIC, H5P_DEFAULT) >= 0);
    assert_true(own.addr == shared.addr);
    H5L_info_t link;
    assert_true(H5Lget_info(file, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD);
    snprintf(name, sizeof name, "%s/time", elements[i]);
    H5Dclose(dataset(file, name, 1, (hsize_t[]){10}));
  }
  H5Fclose(file);
  CHECK(rattle_record_open(&record, path, error));
  fake_check(&f, record, 10, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

/* A run in two parts gives the samples of one; maxima and costs are of both. */
static void append(void **state) {
  (void)state;
  fake f = fake_problem(chain, none, none);
  const char *path = fake_path("append.h5");
  rattle_record_options options = fake_options(100, 1);
  rattle_record *record = recorded(&f, path, 100, 100, 1);
  assert_int_equal(rattle_record_info_of(record)->samples, 101);
  rattle_record_close(&record);

  CHECK(rattle_record_append(&record, path, error));
  fake_check_state(&f, record, 100);
  fake_check(&f, record, 101, 1);
  rattle_error refusal;
  rattle_record *second;
  assert_int_equal(rattle_record_append(&second, path, &refusal), RATTLE_IO);
  assert_non_null(strstr(refusal.message, "being written"));
  long long samples;
  assert_int_equal(rattle_record_recover(path, &samples, &refusal), RATTLE_IO);
  options.force = 1;
  assert_int_equal(rattle_record_create(&second, path, f.problem, &options, &refusal), RATTLE_IO);
  CHECK(fake_run(&f, rattle_record_observer(record), 100, 10000, 1, error));
  record = reopened(record, path);
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_int_equal(info->samples, 10001), assert_int_equal(info->steps_asked, 10000);
  assert_true(info->wall_seconds == 4 && info->closed);
  assert_int_equal(info->counts.gradient, 14), assert_int_equal(info->counts.followed, 6);
  fake_check(&f, record, 10001, 1);
  fake_check_state(&f, record, 10000);
  rattle_record_close(&record);

  CHECK(rattle_record_append(&record, path, error));
  assert_int_equal(fake_run(&f, rattle_record_observer(record), 50, 60, 1, &refusal),
                   RATTLE_BAD_ARGUMENT);
  record = reopened(record, path);
  assert_int_equal(rattle_record_info_of(record)->closed, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

/* A second process reads while the first writes: more and more samples, each of them right. */
static void read_while_written(void **state) {
  (void)state;
  fake f = fake_problem(chain, odd_constraints, none);
  const char *path = fake_path("swmr.h5");
  fake_shared *shared = fake_share();
  pid_t writer = fork();
  assert_true(writer >= 0);
  if (writer == 0) {
    alarm(600); /* it does not outlive a test that fails */
    rattle_record_options options = fake_options(1000000000, 1);
    options.flush_seconds = 0.005;
    rattle_record *record;
    if (rattle_record_create(&record, path, f.problem, &options, NULL)) _exit(1);
    rattle_observer *observer = rattle_record_observer(record);
    fake_sample s = fake_sample_room(&f);
    if (observer->begin(observer->self, NULL, fake_fill(&f, &s, 0), NULL)) _exit(2);
    for (long long step = 0; !shared->enough; step++) {
      if (observer->record(observer->self, fake_fill(&f, &s, step), NULL)) _exit(3);
      if (step % 16 == 0) fake_rest();
      shared->last = step;
    }
    rattle_summary summary =
        fake_summary(0, shared->last, RATTLE_INTERRUPTED, "interrupted by hand");
    _exit(observer->end(observer->self, &summary, NULL) ? 4 : 0);
  }
  fake_wait_for(path);
  long long before = 0, times_grown = 0;
  int exited = 0, exit_status = 0;
  while (!exited) {
    exited = waitpid(writer, &exit_status, WNOHANG) == writer;
    rattle_record *record;
    CHECK(rattle_record_open(&record, path, error));
    long long samples = rattle_record_info_of(record)->samples;
    assert_true(samples >= before);
    times_grown += samples > before;
    before = samples;
    if (samples > 0) {
      fake_check(&f, record, samples, 1);
      fake_check_state(&f, record, samples - 1);
    }
    rattle_record_close(&record);
    shared->enough = times_grown > 5;
  }
  assert_int_equal(exit_status, 0);
  rattle_record *record;
  CHECK(rattle_record_open(&record, path, error));
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_true(info->samples == shared->last + 1 && info->samples >= before);
  assert_string_equal(info->status_name, "INTERRUPTED"),
      assert_string_equal(info->message, "interrupted by hand");
  assert_int_equal(info->closed, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

/* The digests of FIPS 180's own examples, and of lengths around a block as coreutils gives them. */
static void sha256(void **state) {
  (void)state;
  static const struct {
    const char *text, *digest;
  } cases[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
               {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
               {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rattle__sha256 hash;
    char digest[65];
    rattle__sha256_begin(&hash);
    size_t length = strlen(cases[i].text), part = length / 3;
    rattle__sha256_add(&hash, cases[i].text, part);
    rattle__sha256_add(&hash, cases[i].text + part, length - part);
    rattle__sha256_end(&hash, digest);
    assert_string_equal(digest, cases[i].digest);
  }
}

/* Gives a record the head that records of version 0.1 have: without the counts that came later. */
static void make_older(const char *path, int columns) {
  rattle__checkpoint checkpoint;
  const rattle__about about = {.n = 3, .extra = FAKE_EXTRA, .observables = 4};
  rattle__slots slots;
  assert_int_equal(rattle__checkpoint_allot(&checkpoint, &about), 0);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_int_equal(rattle__slots_open(&slots, &about, file), 0);
  assert_int_equal(rattle__checkpoint_load(&checkpoint, &slots), 0);
  H5Dclose(slots.head), H5Ldelete(file, "/rattle/checkpoint/head", H5P_DEFAULT);
  slots.head = rattle__h5_make_slots(file, "/rattle/checkpoint/head", H5T_NATIVE_INT64, 2,
                                     (hsize_t[]){2, (hsize_t)columns});
  slots.columns = columns;
  const int whole = columns >= (int)(offsetof(rattle__head, followed) / 8);
  for (int slot = 0; slot < 2 && whole; slot++)
    assert_int_equal(rattle__checkpoint_store(&checkpoint, &slots), 0);
  assert_int_equal(rattle__slots_close(&slots), 0);
  H5Fclose(file);
  free(checkpoint.state);
}

/* Counts that an older record has no room for are 0 there; continued, it has those of the new part,
 * and all else is as ever. */
static void older_head(void **state) {
  (void)state;
  const int columns = offsetof(rattle__head, followed) / 8;
  fake f = fake_problem(odd_coordinates, odd_constraints, odd_observables);
  const char *path = fake_path("older.h5");
  rattle_record *record = recorded(&f, path, 200, 100, 1);
  rattle_record_close(&record);
  make_older(path, columns);
  CHECK(rattle_record_append(&record, path, error));
  CHECK(fake_run(&f, rattle_record_observer(record), 100, 200, 1, error));
  record = reopened(record, path);
  const rattle_record_info *info = rattle_record_info_of(record);
  assert_int_equal(info->samples, 201);
  assert_int_equal(info->counts.gradient, 14), assert_int_equal(info->counts.followed, 3);
  fake_check(&f, record, 201, 1);
  rattle_record_close(&record);

  rattle_error refusal;
  make_older(path, columns - 1);
  assert_int_equal(rattle_record_open(&record, path, &refusal), RATTLE_BAD_RECORD);
  fake_free(&f);
}

/* For check_h5md.py: writes until standard input ends, and prints the number of samples. */
static int write_slowly(const char *path) {
  fake f = fake_problem(chain, odd_constraints, odd_observables);
  rattle_record_options options = fake_options(1000000000, 1);
  options.flush_seconds = 0.02;
  rattle_record *record;
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  rattle_observer *observer = rattle_record_observer(record);
  fake_sample s = fake_sample_room(&f);
  CHECK(observer->begin(observer->self, NULL, fake_fill(&f, &s, 0), error));
  long long steps = 0;
  for (struct pollfd input = {.fd = 0, .events = POLLIN}; !poll(&input, 1, 0); steps++) {
    CHECK(observer->record(observer->self, fake_fill(&f, &s, steps), error));
    if (steps % 5 == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  printf("%lld\n", steps);
  rattle_summary summary = fake_summary(0, steps - 1, RATTLE_OK, "");
  CHECK(observer->end(observer->self, &summary, error));
  rattle_record_close(&record);
  free(s.q);
  fake_free(&f);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_slowly(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(sha256),
                                     cmocka_unit_test(round_trip),
                                     cmocka_unit_test(h5md_layout),
                                     cmocka_unit_test(particles_without_brackets),
                                     cmocka_unit_test(masses_of_particles),
                                     cmocka_unit_test(append),
                                     cmocka_unit_test(older_head),
                                     cmocka_unit_test(read_while_written)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
