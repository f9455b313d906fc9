/* Records that somebody made to do harm: each is refused with a sentence, and touches nothing but
 * itself. */
#include "record_fake.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <time.h>

static const char *const axes[] = {"x", "y", NULL};
static const char *const rod[] = {"rod", NULL};
static const char *const speed[] = {"speed", NULL};

/* HDF5 leaks where its metadata are damaged. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

enum { SAMPLES = 200 };

/* A whole record, opened by HDF5 to be changed. */
static hid_t begin_record(const char *path) {
  fake f = fake_problem(axes, rod, speed);
  rattle_record_options options = fake_options(SAMPLES - 1, 1);
  rattle_record *record;
  char damaged[300];
  snprintf(damaged, sizeof damaged, "%s.damaged", path);
  unlink(path), unlink(damaged);
  CHECK(rattle_record_create(&record, path, f.problem, &options, error));
  CHECK(fake_run(&f, rattle_record_observer(record), 0, SAMPLES - 1, 1, error));
  rattle_record_close(&record);
  fake_free(&f);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

/* Nothing of HDF5 is open: no file, data set, group, type or attribute. */
static void expect_nothing_open(void) {
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* No way to open it, to read, to append or to recover. */
static void expect_refusal(hid_t file, const char *path, const char *words) {
  rattle_record *record;
  rattle_error error = {0};
  long long samples;
  H5Fclose(file);
  assert_int_equal(rattle_record_open(&record, path, &error), RATTLE_BAD_RECORD);
  assert_null(record);
  if (!strstr(error.message, words))
    fail_msg("\"%s\" says nothing of \"%s\"", error.message, words);
  assert_int_equal(rattle_record_append(&record, path, &error), RATTLE_BAD_RECORD);
  /* nothing to recover, or no sample of those that are not there */
  rattle_status status = rattle_record_recover(path, &samples, &error);
  if (status != RATTLE_BAD_RECORD && (status || samples > SAMPLES))
    fail_msg("%d: %s", (int)status, error.message);
  expect_nothing_open();
}

static hid_t text_type(size_t size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

static hid_t room_for(hsize_t count) {
  return H5Screate_simple(1, &count, NULL);
}

/* The attribute of `path` anew, with so many texts of a size. */
static void put_texts(hid_t file, const char *path, const char *name, hsize_t count, size_t size) {
  hid_t type = text_type(size), space = room_for(count);
  char *block = malloc(count * size);
  memset(block, 'A', count * size);
  assert_true(H5Adelete_by_name(file, path, name, H5P_DEFAULT) >= 0);
  hid_t attribute =
      H5Acreate_by_name(file, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0 && H5Awrite(attribute, type, block) >= 0);
  H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
  free(block);
}

static void put_integer(hid_t file, const char *path, const char *name, long long value) {
  hid_t space = H5Screate(H5S_SCALAR);
  assert_true(H5Adelete_by_name(file, path, name, H5P_DEFAULT) >= 0);
  hid_t attribute = H5Acreate_by_name(file, path, name, H5T_STD_I64LE, space, H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT);
  assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_LLONG, &value) >= 0);
  H5Aclose(attribute), H5Sclose(space);
}

/* A data set in the place of another; -1: only the place is made free. */
static void replace(hid_t file, const char *path, hid_t type, hid_t space, hid_t creation) {
  assert_true(H5Ldelete(file, path, H5P_DEFAULT) >= 0);
  if (type < 0) return;
  hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  assert_true(dataset >= 0);
  H5Dclose(dataset);
}

/* A text is one text: 600 of them are not read into the room of one. */
static void many_texts(void **state) {
  (void)state;
  const char *path = fake_path("texts.h5");
  hid_t file = begin_record(path);
  put_texts(file, "/rattle", "title", 600, 100);
  expect_refusal(file, path, "description");
  file = begin_record(path);
  hid_t type = text_type(100), space = room_for(600);
  replace(file, "/rattle/model/text", type, space, H5P_DEFAULT);
  H5Tclose(type), H5Sclose(space);
  expect_refusal(file, path, "description");
}

/* Sizes that are larger than the file, or that do not fit one another. */
static void large_sizes(void **state) {
  (void)state;
  const char *path = fake_path("sizes.h5");
  static const struct {
    const char *name;
    long long value;
  } integers[] = {{"n", 0},
                  {"n", -1},
                  {"n", 1LL << 40},
                  {"m", -1},
                  {"m", 1LL << 33},
                  {"every", -5},
                  {"extra", -7},
                  {"extra", 1LL << 29},
                  {"dimension", 0},
                  {"dimension", -2},
                  {"observables", -(1LL << 40)},
                  {"steps", -1}};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    hid_t file = begin_record(path);
    put_integer(file, "/rattle", integers[i].name, integers[i].value);
    expect_refusal(file, path, "damaged");
  }
  static const struct {
    const char *path;
    hsize_t count;
    int is_text;
  } sets[] = {{"/rattle/model/text", 1, 1 << 30},
              {"/rattle/names/coordinates", 2, 1 << 30},
              {"/rattle/names/coordinates", 1LL << 33, 8},
              {"/rattle/names/place", 1LL << 40, 0}};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    hid_t file = begin_record(path),
          space = sets[i].count > 1 ? room_for(sets[i].count) : H5Screate(H5S_SCALAR);
    hid_t type = sets[i].is_text ? text_type((size_t)sets[i].is_text) : H5Tcopy(H5T_NATIVE_INT);
    replace(file, sets[i].path, type, space, H5P_DEFAULT);
    H5Tclose(type), H5Sclose(space);
    expect_refusal(file, path, "larger than the file");
  }
}

/* 2^40 samples in a file of 42 kB, and fewer than none. */
static void many_samples(void **state) {
  (void)state;
  const char *path = fake_path("samples.h5");
  static const char *const sets[] = {
      "/particles/system/position/step",  "/particles/system/position/time",
      "/particles/system/position/value", "/particles/system/momentum/value",
      "/observables/energy/value",        "/observables/constraint/value",
      "/observables/hidden/value",        "/observables/multipliers/value",
      "/observables/speed/value"};
  const long long counts[] = {1LL << 40, LLONG_MAX, -1, LLONG_MIN};
  for (int k = 0; k < 4; k++) {
    hid_t file = begin_record(path);
    for (size_t i = 0; i < sizeof sets / sizeof *sets && counts[k] > 0; i++) {
      hid_t dataset = H5Dopen2(file, sets[i], H5P_DEFAULT), space = H5Dget_space(dataset);
      hsize_t dims[3];
      H5Sget_simple_extent_dims(space, dims, NULL);
      dims[0] = 1LL << 40;
      assert_true(H5Dset_extent(dataset, dims) >= 0);
      H5Sclose(space), H5Dclose(dataset);
    }
    /* the count in both slots, with the checksum that it needs: of all numbers but itself */
    hid_t head = H5Dopen2(file, "/rattle/checkpoint/head", H5P_DEFAULT),
          last = H5Dopen2(file, "/rattle/checkpoint/state", H5P_DEFAULT);
    hid_t figures = H5Dopen2(file, "/rattle/checkpoint/figures", H5P_DEFAULT);
    int64_t heads[2][19], states[2][7], reals[2][12];
    assert_true(H5Dread(head, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, heads) >= 0);
    assert_true(H5Dread(figures, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals) >= 0);
    assert_true(H5Dread(last, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, states) >= 0);
    for (int slot = 0; slot < 2; slot++) {
      uint64_t sum = 1;
      heads[slot][1] = counts[k];
      const struct {
        const int64_t *number;
        int count;
      } parts[] = {{heads[slot], 15}, {reals[slot], 12}, {states[slot], 7}, {heads[slot] + 16, 3}};
      for (int part = 0; part < 4; part++)
        for (int i = 0; i < parts[part].count; i++) {
          sum = (sum ^ (uint64_t)parts[part].number[i]) * 0x9e3779b97f4a7c15u;
          sum ^= sum >> 32;
        }
      heads[slot][15] = (int64_t)sum;
    }
    assert_true(H5Dwrite(head, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, heads) >= 0);
    H5Dclose(head), H5Dclose(last), H5Dclose(figures);
    expect_refusal(file, path, k < 2 ? "table of samples" : "checkpoint");
  }
}

/* Contents of other files are neither read nor written: external storage, virtual data sets,
 * external and soft links. */
static void other_files(void **state) {
  (void)state;
  const char *sets[] = {"/particles/system/position/value",
                        "/particles/system/position/time",
                        "/observables/energy/value",
                        "/observables/speed/value",
                        "/rattle/checkpoint/state",
                        "/rattle/checkpoint/message",
                        "/rattle/model/text",
                        "/rattle/names/place"};
  char path[256], other[256];
  strcpy(path, fake_path("links.h5")), strcpy(other, fake_path("precious"));
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (int kind = 0; kind < 4; kind++) {
      FILE *precious = fopen(other, "w");
      for (int k = 0; k < 4096; k++) fputs("precious", precious);
      fclose(precious);
      hid_t file = begin_record(path), dataset = H5Dopen2(file, sets[i], H5P_DEFAULT),
            space = H5Dget_space(dataset);
      hid_t type = H5Dget_type(dataset), creation = H5Pcreate(H5P_DATASET_CREATE);
      hsize_t dims[3] = {1, 1, 1};
      int rank = H5Sget_simple_extent_dims(space, dims, NULL);
      H5Dclose(dataset), H5Sclose(space);
      space = rank > 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
      if (kind == 0) {
        H5Pset_external(creation, other, 0, H5F_UNLIMITED);
        replace(file, sets[i], type, space, creation);
      } else if (kind == 1 && rank > 0) {
        H5Pset_virtual(creation, space, other, "/anything", space);
        replace(file, sets[i], type, space, creation);
      } else if (kind == 2) {
        assert_true(H5Lmove(file, sets[i], file, "/moved", H5P_DEFAULT, H5P_DEFAULT) >= 0);
        assert_true(H5Lcreate_soft("/moved", file, sets[i], H5P_DEFAULT, H5P_DEFAULT) >= 0);
      } else {
        replace(file, sets[i], -1, -1, -1);
        assert_true(
            H5Lcreate_external(other, "/anything", file, sets[i], H5P_DEFAULT, H5P_DEFAULT) >= 0);
      }
      H5Sclose(space), H5Tclose(type), H5Pclose(creation);
      expect_refusal(file, path,
                     kind == 0 || (kind == 1 && rank > 0) ? "in another file"
                                                          : "link to another place");
      char text[9] = "";
      struct stat found;
      precious = fopen(other, "r");
      assert_non_null(fgets(text, 9, precious));
      fclose(precious);
      assert_string_equal(text, "precious");
      assert_int_equal(stat(other, &found), 0);
      assert_int_equal(found.st_size, 8 * 4096);
    }
}

/* A group that is reached by a link. */
static void linked_groups(void **state) {
  (void)state;
  const char *path = fake_path("groups.h5");
  static const char *const groups[] = {"/rattle", "/rattle/names", "/observables", "/h5md/author",
                                       "/particles/system/position"};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    hid_t file = begin_record(path);
    assert_true(H5Lmove(file, groups[i], file, "/moved", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/moved", file, groups[i], H5P_DEFAULT, H5P_DEFAULT) >= 0);
    expect_refusal(file, path, i == 0 ? "not a record" : "link to another place");
  }
}

/* A bit that flips anywhere: the record is refused, or what it gives is right, at once; so is what
 * recover makes of it. */
static void flipped_bits(void **state) {
  (void)state;
  fake f = fake_problem(axes, rod, speed);
  char path[256], damaged[300], command[700];
  strcpy(path, fake_path("flipped.h5"));
  snprintf(damaged, sizeof damaged, "%s.damaged", path);
  int refused = 0, detected = 0, harmless = 0, resumed = 0;
  struct stat found;
  H5Fclose(begin_record(path));
  snprintf(command, sizeof command, "cp %s %s.whole", path, path);
  assert_int_equal(system(command), 0);
  assert_int_equal(stat(path, &found), 0);
  snprintf(command, sizeof command, "cp %s.whole %s", path, path);
  for (int place = 0; place < 196; place++) {
    unlink(damaged);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "r+b");
    const long at = (long)((double)found.st_size * (place + 0.5) / 196);
    fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ (1 << place % 8), file);
    fclose(file);

    time_t begun = time(NULL);
    rattle_record *record;
    rattle_error why = {0};
    double time_of[SAMPLES], q[2 * SAMPLES];
    if (rattle_record_open(&record, path, &why)) {
      assert_true(why.status == RATTLE_BAD_RECORD || why.status == RATTLE_NEWER_RECORD);
      refused++;
    } else if (rattle_record_read(record, 0, rattle_record_info_of(record)->samples, time_of, NULL,
                                  q, NULL, NULL, NULL, &why)) {
      assert_true(why.status == RATTLE_BAD_RECORD || why.status == RATTLE_IO);
      detected++;
    } else {
      for (int i = 0; i < rattle_record_info_of(record)->samples; i++)
        assert_true(time_of[i] == 0.125 * i && q[2 * i] == fake_value(i, 0) &&
                    q[2 * i + 1] == fake_value(i, 1));
      harmless++;
    }
    rattle_record_close(&record);
    if (!rattle_record_append(&record, path, &why)) {
      fake_check_state(&f, record, SAMPLES - 1);
      assert_string_equal(rattle_record_info_of(record)->method, "rattle(verlet)");
      rattle_record_close(&record);
      resumed++;
    }
    long long samples;
    if (!rattle_record_recover(path, &samples, &why)) {
      CHECK(rattle_record_open(&record, path, error));
      assert_int_equal(rattle_record_info_of(record)->samples, samples);
      if (samples > 0) fake_check(&f, record, samples, 1);
      if (samples < SAMPLES)
        assert_non_null(strstr(rattle_record_info_of(record)->message, "damaged"));
      rattle_record_close(&record);
    }
    assert_true(time(NULL) - begun <= 2);
    expect_nothing_open();
  }
  print_message("of 196 damaged records %d refused, %d with samples refused, %d harmless; %d can "
                "be resumed\n",
                refused, detected, harmless, resumed);
  assert_true(refused > 20 && detected > 20 && resumed > 20);
  fake_free(&f);
}

/* A record repacked by h5repack is a record still. */
static void compressed(void **state) {
  (void)state;
  const char *path = fake_path("packed.h5");
  hid_t file = begin_record(path), creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset = H5Dopen2(file, "/observables/energy/value", H5P_DEFAULT),
        space = H5Dget_space(dataset);
  double energy[SAMPLES];
  hsize_t chunk = 64, most = H5S_UNLIMITED, count = SAMPLES;
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, energy) >= 0);
  H5Dclose(dataset), H5Sclose(space);
  space = H5Screate_simple(1, &count, &most);
  H5Pset_chunk(creation, 1, &chunk), H5Pset_shuffle(creation), H5Pset_deflate(creation, 6);
  replace(file, "/observables/energy/value", H5T_IEEE_F64LE, space, creation);
  dataset = H5Dopen2(file, "/observables/energy/value", H5P_DEFAULT);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, energy) >= 0);
  H5Dclose(dataset), H5Sclose(space), H5Pclose(creation), H5Fclose(file);
  rattle_record *record;
  fake f = fake_problem(axes, rod, speed);
  CHECK(rattle_record_open(&record, path, error));
  fake_check(&f, record, SAMPLES, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

/* The last message alone is damaged: recover gives a record that has none. */
static void message_of_another_shape(void **state) {
  (void)state;
  const char *path = fake_path("message.h5");
  hid_t file = begin_record(path), space = H5Screate_simple(1, (hsize_t[]){2}, NULL);
  replace(file, "/rattle/checkpoint/message", H5T_IEEE_F64LE, space, H5P_DEFAULT);
  H5Sclose(space), H5Fclose(file);
  rattle_record *record;
  rattle_error why;
  long long samples;
  fake f = fake_problem(axes, rod, speed);
  assert_int_equal(rattle_record_open(&record, path, &why), RATTLE_BAD_RECORD);
  CHECK(rattle_record_recover(path, &samples, error));
  assert_int_equal(samples, SAMPLES);
  CHECK(rattle_record_open(&record, path, error));
  assert_string_equal(rattle_record_info_of(record)->message, "");
  fake_check(&f, record, SAMPLES, 1);
  rattle_record_close(&record);
  fake_free(&f);
}

/* Times that are no numbers are not near any time: a run that is to start there is refused. */
static void times_of_no_number(void **state) {
  (void)state;
#ifdef RATTLE_COMMAND
  const double times[] = {NAN, INFINITY};
  char command[1024];
  for (int i = 0; i < 2; i++) {
    const char *path = fake_path("times.h5");
    const hsize_t first = 0, one = 1;
    hid_t file = begin_record(path),
          dataset = H5Dopen2(file, "/particles/system/position/time", H5P_DEFAULT),
          space = H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &one, NULL);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &times[i]) >= 0);
    H5Ldelete(file, "/rattle/sums", H5P_DEFAULT);
    H5Sclose(memory), H5Sclose(space), H5Dclose(dataset), H5Fclose(file);
    snprintf(command, sizeof command,
             "echo \"pair('x') pair('y') hamiltonian(parameter('k', 1))\" > %s/m.lua; "
             "%s run %s/m.lua --method euler --step 1 --steps 1 --from %s@7.3 2>&1 | "
             "grep -qF 'no sample at time 7.3'",
             fake_folder, RATTLE_COMMAND, fake_folder, path);
    assert_int_equal(system(command), 0);
  }
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(message_of_another_shape),
                                     cmocka_unit_test(times_of_no_number),
                                     cmocka_unit_test(many_texts),
                                     cmocka_unit_test(large_sizes),
                                     cmocka_unit_test(many_samples),
                                     cmocka_unit_test(other_files),
                                     cmocka_unit_test(linked_groups),
                                     cmocka_unit_test(compressed),
                                     cmocka_unit_test(flipped_bits)};
  return cmocka_run_group_tests(tests, NULL, fake_clean);
}
