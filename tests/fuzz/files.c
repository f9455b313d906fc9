#include "files.h"

#include <fcntl.h>
#include <hdf5.h>
#include <time.h>

#include "base/cli.h"
#include "record/hdf5/handle.h"

/* HDF5 leaks where its metadata are damaged. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\n";
}

/* In place of the C library's, for HDF5 too. */
__attribute__((visibility("default"))) int nanosleep(const struct timespec *wanted,
                                                     struct timespec *left) {
  (void)wanted, (void)left;
  return 0;
}

__attribute__((visibility("default"))) int fsync(int fd) {
  (void)fd;
  return 0;
}

enum { MOST = 64 };
static char path[64], damaged[80], written[80];

/* HDF5 takes half a megabyte for each file that it opens: kept, else half of the time goes into new
 * pages. */
const char *files_path(void) {
  if (!path[0]) {
    if (atexit(files_remove)) abort();
    if (H5set_free_list_limits(1 << 24, 1 << 22, 1 << 20, 1 << 16, 1 << 20, 1 << 16) < 0) abort();
    snprintf(path, sizeof path, "%s/rattle-fuzz-%d.h5", fuzz_folder(), (int)getpid());
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    snprintf(written, sizeof written, "%s.written", path);
  }
  return path;
}

/* A child's coverage would be lost. */
int files_forks = 0;

int rattle__forks(void) {
  return files_forks;
}

void files_put(const uint8_t *data, size_t size) {
  const int fd = open(files_path(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)size) || pwrite(fd, data, size, 0) != (ssize_t)size ||
      close(fd))
    abort();
}

void files_remove(void) {
  unlink(files_path()), unlink(damaged), unlink(written);
}

/* The last samples of every kind. */
static rattle_status read_samples(const rattle_record *record, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  const long long count = info->samples < MOST ? info->samples : MOST,
                  first = info->samples - count;
  const size_t rows = (size_t)count + 1, n = (size_t)info->n, m = (size_t)info->m,
               k = (size_t)info->observables;
  if (n + m + k > 1000000) return RATTLE_OK;
  double *room = malloc(rows * (2 + 2 * n + m + k) * sizeof *room), *q = room + 2 * rows,
         *p = q + rows * n;
  double *multipliers = p + rows * n, *observed = multipliers + rows * m;
  if (!room) return RATTLE_OK;
  rattle_status status = rattle_record_read(record, first, count, room, room + rows, q, p,
                                            m ? multipliers : NULL, k ? observed : NULL, error);
  for (int c = 0; c < info->n && c < 3 && !status; c++)
    status = rattle_record_read_column(record, (rattle_column){RATTLE_MOMENTUM, c}, first, count,
                                       room, error);
  free(room);
  return status;
}

/* The state, the columns by name, and what was added meanwhile. */
static void read_rest(rattle_record *record) {
  const rattle_record_info *info = rattle_record_info_of(record);
  rattle_column column;
  rattle_error error;
  long long step;
  if (info->n > 0 && info->n < 1000) {
    double *state = malloc(2 * (size_t)info->n * sizeof *state);
    if (state) (void)rattle_record_state(record, state, state + info->n, NULL, 0, &step, &error);
    free(state);
  }
  for (int k = 0; k < info->observables && k < 3; k++)
    (void)rattle_record_find_column(record, info->observable_names[k], &column, &error);
  (void)rattle_record_find_column(record, "lambda[rod]", &column, &error);
  (void)rattle_record_refresh(record, &error);
}

/* For each program that reads samples; bonds may be of coordinates that are none. */
static void write_all(const rattle_record *record) {
  static const char *const formats[] = {"xyz", "nc", "h5md", "csv"};
  const rattle_record_info *info = rattle_record_info_of(record);
  if (info->samples > MOST || info->n > 1000 || info->observables > 1000) return;
  for (int k = 0; k < 8; k++) {
    rattle_error error = {0};
    const rattle_record_export with = {.struct_size = sizeof with,
                                       .force = 1,
                                       .format = formats[k % 4],
                                       .length = k < 4 ? NULL : "nm",
                                       .time = k < 4 ? NULL : "ps",
                                       .box = {k < 4 ? 0 : 3, 4, 5},
                                       .bonds = info->n > 3,
                                       .bond = (int[]){0, 3}};
    if (rattle_record_write(record, written, &with, &error) && !error.message[0]) abort();
  }
}

void files_read(void) {
  rattle_record *record;
  rattle_error error = {0};
  rattle_status status = rattle_record_open(&record, files_path(), &error);
  if (!status) {
    (void)read_samples(record, &error);
    read_rest(record);
    write_all(record);
  } else if (!error.message[0]) {
    abort();
  }
  rattle_record_close(&record);
}

static _Noreturn void end_with(const rattle_error *error) {
  fprintf(stderr, "%s\n", error->message);
  abort();
}

void files_start(unsigned which) {
  static const char *const places[] = {"", "@10", "@1.0", "@at[1]", "@at"};
  char asked[1024];
  cli_point point = {0};
  rattle_error error = {0};
  snprintf(asked, sizeof asked, "%s%s", files_path(), places[which % 5]);
  if (cli_point_read(&point, asked, &error) && !error.message[0]) abort();
  cli_point_drop(&point);
}

/* As the observer does that begins. */
static rattle_status begin(rattle_record *record, rattle_error *error) {
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  const rattle_status status = rattle__writer_reopen(record, &h5, error);
  rattle__h5_leave(&h5);
  record->has_begun = 1;
  return status;
}

void files_continue(void) {
  rattle_record *record;
  rattle_error error = {0};
  rattle_status status = rattle_record_append(&record, files_path(), &error);
  if (!status) {
    const long long samples = rattle_record_info_of(record)->samples;
    status = begin(record, &error);
    rattle_record_close(&record);
    if (!status && rattle_record_open(&record, files_path(), &error)) end_with(&error);
    if (!status && rattle_record_info_of(record)->samples != samples) abort();
  }
  if (status && !error.message[0]) abort();
  rattle_record_close(&record);
}

void files_recover(void) {
  rattle_record *record;
  rattle_error error = {0};
  long long samples = -1;
  if (rattle_record_recover(files_path(), &samples, &error)) {
    if (!error.message[0]) abort();
    return;
  }
  if (rattle_record_open(&record, files_path(), &error)) end_with(&error);
  if (rattle_record_info_of(record)->samples != samples || read_samples(record, &error))
    end_with(&error);
  rattle_record_close(&record);
}

enum { MOST_NUMBERS = 4096 };

static void read_rows(const rattle_cases *cases) {
  static double row[MOST_NUMBERS];
  static signed char there[MOST_NUMBERS];
  const rattle_cases_about *about = rattle_cases_about_of(cases);
  const int width = rattle_cases_width(cases);
  if (about->cases < 1 || about->columns < 1 || width < about->columns) abort();
  for (int c = 0; c < about->columns; c++)
    if (!about->column[c].name || about->column[c].width < 1) abort();
  const long long fit = MOST_NUMBERS / width, count = fit < about->cases ? fit : about->cases;
  rattle_error error = {0};
  for (int end = 0; end < 2 && count > 0; end++)
    if (rattle_cases_get(cases, end ? about->cases - count : 0, count, row, there, &error) &&
        !error.message[0])
      abort();
}

void files_cases(void) {
  rattle_cases *cases = NULL;
  rattle_error error = {0};
  if (!rattle_cases_open(&cases, files_path(), &error)) {
    read_rows(cases);
    (void)rattle_cases_close(&cases, &error);
  } else if (!error.message[0] || cases) {
    abort();
  }
}
