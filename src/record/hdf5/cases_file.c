/* The head of a file of cases, and the places of its rows. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/hdf5/cases_file.h"
#include "record/hdf5/sha256.h"
#include "ground/support/error.h"
#include "ground/support/names.h"

static const char root[] = "/cases";
static const char *const texts[] = {"title", "model_file", "model",  "plan",
                                    "list",  "version",    "created"};
enum { TEXTS = sizeof texts / sizeof *texts, MOST_COLUMNS = 1 << 20, PATH_ROOM = 300 };

static void text_path(int i, char path[PATH_ROOM]) {
  snprintf(path, PATH_ROOM, "%s/%s", root, texts[i]);
}

static const char *column_name(const void *cases, uint32_t c) {
  return ((const rattle_cases *)cases)->column[c].name;
}

/* A data set has the name of its column, where that can be one and is the first of that name.
 * `known`: the names of the columns before, to which that of c is added. -1: no memory. */
static int column_path(const rattle_cases *cases, int c, rattle__names *known,
                       char path[PATH_ROOM]) {
  const char *name = cases->column[c].name;
  const int is_new = rattle__names_find(known, name, column_name, cases) < 0;
  const int usable = is_new && name[0] && strlen(name) < 200 && !strchr(name, '/') &&
                     strcmp(name, ".") != 0 && strncmp(name, "column[", 7) != 0;
  if (usable)
    snprintf(path, PATH_ROOM, "%s/columns/%s", root, name);
  else
    snprintf(path, PATH_ROOM, "%s/columns/column[%d]", root, c);
  return is_new && rattle__names_add(known, name, (uint32_t)c) ? rattle__h5_no_memory() : 0;
}

/* The SHA-256 of all that is constant. */
static void sum_of(const rattle_cases *cases, char text[65]) {
  rattle__sha256 hash;
  char line[64];
  rattle__sha256_begin(&hash);
  for (int i = 0; i < TEXTS; i++)
    rattle__sha256_add(&hash, cases->text[i], strlen(cases->text[i]) + 1);
  snprintf(line, sizeof line, "cases %lld columns %d", cases->about.cases, cases->about.columns);
  rattle__sha256_add(&hash, line, strlen(line) + 1);
  for (int c = 0; c < cases->about.columns; c++) {
    rattle__sha256_add(&hash, cases->column[c].name, strlen(cases->column[c].name) + 1);
    snprintf(line, sizeof line, "%d", cases->column[c].width);
    rattle__sha256_add(&hash, line, strlen(line) + 1);
  }
  rattle__sha256_end(&hash, text);
}

static void take_seed(rattle_cases *cases, const char *sum) {
  cases->seed = 0;
  for (int i = 0; i < 16; i++)
    cases->seed = cases->seed << 4 | (uint64_t)(sum[i] <= '9' ? sum[i] - '0' : sum[i] - 'a' + 10);
}

/* Room for rows that is taken at once, and filled in the file itself, by pwrite. */
static int make_rows(hid_t file, const char *path, hid_t type, long long cases, int width) {
  const hsize_t dims[2] = {(hsize_t)cases, (hsize_t)width};
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), links = rattle__h5_links(),
        space = H5Screate_simple(width > 1 ? 2 : 1, dims, NULL);
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  hid_t dataset = H5Dcreate2(file, path, type, space, links, creation, H5P_DEFAULT);
  H5Sclose(space), H5Pclose(links), H5Pclose(creation);
  if (dataset < 0) return -1;
  return H5Dclose(dataset) < 0 ? -1 : 0;
}

static int write_about(const rattle_cases *cases, hid_t file, const char *sum) {
  const long long format = RATTLE__CASES_FORMAT, count = cases->about.cases;
  char path[PATH_ROOM];
  hid_t group = rattle__h5_make_group(file, root);
  if (group < 0 || H5Gclose(group) < 0) return -1;
  if (rattle__h5_write_integers_attribute(file, root, "format", &format, -1) ||
      rattle__h5_write_integers_attribute(file, root, "cases", &count, -1) ||
      rattle__h5_write_text_attribute(file, root, "description_sum", sum))
    return -1;
  for (int i = 0; i < TEXTS; i++) {
    text_path(i, path);
    if (rattle__h5_write_text(file, path, cases->text[i])) return -1;
  }
  return rattle__h5_write_names(file, "/cases/names", &cases->names);
}

static int write_columns(const rattle_cases *cases, hid_t file) {
  char path[PATH_ROOM];
  rattle__names known = {0};
  int failed = 0;
  for (int c = 0; c < cases->about.columns && !failed; c++)
    failed = column_path(cases, c, &known, path) ||
             make_rows(file, path, H5T_NATIVE_DOUBLE, cases->about.cases, cases->column[c].width);
  rattle__names_clear(&known);
  return failed ? -1 : 0;
}

static int write_file(rattle_cases *cases, hid_t file) {
  const int columns = cases->about.columns;
  char sum[65];
  int *width = malloc((size_t)columns * sizeof *width);
  if (!width) return rattle__h5_no_memory();
  for (int c = 0; c < columns; c++) width[c] = cases->column[c].width;
  sum_of(cases, sum);
  int failed = write_about(cases, file, sum) ||
               rattle__h5_write_array(file, "/cases/widths", H5T_NATIVE_INT, width, columns) ||
               write_columns(cases, file);
  free(width);
  return failed || make_rows(file, "/cases/sums", H5T_NATIVE_UINT64, cases->about.cases, 1) ? -1
                                                                                            : 0;
}

int rattle__cases_write(rattle_cases *cases, const char *path, int *trouble) {
  hid_t file = rattle__driver_create(path, trouble);
  if (file < 0) return -1;
  int failed = write_file(cases, file);
  failed |= H5Fclose(file) < 0;
  return failed || *trouble ? -1 : 0;
}

/* ---- reading ---- */

/* A data set of rows, in one piece inside the file. */
static int look_for_rows(const rattle_cases *cases, hid_t file, const char *path, hid_t type,
                         rattle__place_in_file *place) {
  hid_t dataset = rattle__h5_open_dataset(file, path);
  if (dataset < 0) return -1;
  hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset),
        creation = H5Dget_create_plist(dataset);
  hsize_t dims[2] = {0, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  const haddr_t offset = H5Dget_offset(dataset);
  int good = (rank == 1 || rank == 2) && H5Sget_simple_extent_dims(space, dims, NULL) == rank &&
             dims[0] == (hsize_t)cases->about.cases && dims[1] == (hsize_t)place->width &&
             H5Tequal(stored, type) > 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
             offset != HADDR_UNDEF;
  H5Pclose(creation), H5Tclose(stored), H5Sclose(space), H5Dclose(dataset);
  place->offset = good ? (long long)offset : -1;
  return 0;
}

static int find_rows(const rattle_cases *cases, hid_t file, const char *path, hid_t type,
                     rattle__place_in_file *place) {
  struct stat found;
  if (!rattle__takes() && look_for_rows(cases, file, path, type, place)) return -1;
  if (rattle__pass(&place->offset, sizeof place->offset)) return -1;
  const long long size = stat(cases->path, &found) ? 0 : (long long)found.st_size;
  return place->offset >= 0 && place->offset <= size &&
                 cases->about.cases <= (size - place->offset) / (8LL * place->width)
             ? 0
             : rattle__h5_refuse(path, "is not as rattle writes it; was the file rewritten by "
                                       "another program, or on a machine "
                                       "with another byte order?");
}

static int read_columns(rattle_cases *cases, hid_t file) {
  if (rattle__h5_read_names(file, "/cases/names", &cases->names)) return -1;
  const int columns = cases->about.columns = cases->names.count;
  if (columns < 1 || columns > MOST_COLUMNS)
    return rattle__h5_refuse("/cases/names", "has no names");
  cases->column = calloc((size_t)columns, sizeof *cases->column);
  cases->place = calloc((size_t)columns + 1, sizeof *cases->place);
  int *width = calloc((size_t)columns, sizeof *width);
  int failed = !cases->column || !cases->place || !width;
  if (failed) rattle__h5_no_memory();
  failed = failed || rattle__h5_read_array(file, "/cases/widths", H5T_NATIVE_INT, width, columns);
  cases->width = 0;
  for (int c = 0; c < columns && !failed; c++) {
    failed = width[c] < 1 || width[c] > (1 << 28) || (cases->width += width[c]) > (1 << 28);
    cases->column[c] = (rattle_cases_column){cases->names.name[c], width[c]};
    cases->place[c].width = width[c];
  }
  free(width);
  return failed ? rattle__h5_refuse("/cases/widths", "has impossible widths") : 0;
}

static int find_columns(rattle_cases *cases, hid_t file) {
  char path[PATH_ROOM];
  rattle__names known = {0};
  int failed = 0;
  for (int c = 0; c < cases->about.columns && !failed; c++)
    failed = column_path(cases, c, &known, path) ||
             find_rows(cases, file, path, H5T_NATIVE_DOUBLE, &cases->place[c]);
  rattle__names_clear(&known);
  return failed ? -1 : 0;
}

static int read_all(rattle_cases *cases, hid_t file) {
  char sum[65], path[PATH_ROOM], *kept = NULL;
  if (rattle__h5_read_integer_attribute(file, root, "cases", &cases->about.cases) ||
      rattle__h5_read_text_attribute(file, root, "description_sum", &kept))
    return free(kept), -1;
  int failed = cases->about.cases < 1;
  for (int i = 0; i < TEXTS && !failed; i++) {
    text_path(i, path);
    failed = rattle__h5_read_text(file, path, &cases->text[i]);
  }
  failed = failed || read_columns(cases, file);
  if (!failed) {
    sum_of(cases, sum);
    take_seed(cases, sum);
    if (strcmp(sum, kept) != 0)
      failed = rattle__h5_refuse(root, "does not have the checksum that was written");
  }
  free(kept);
  if (failed || find_columns(cases, file)) return -1;
  cases->place[cases->about.columns].width = 1;
  return find_rows(cases, file, "/cases/sums", H5T_NATIVE_UINT64,
                   &cases->place[cases->about.columns]);
}

static rattle_status read_file(rattle_cases *cases, hid_t file, rattle_error *error) {
  const rattle__h5 *h5 = rattle__h5_section();
  const char *path = cases->path;
  long long format = 0;
  const int missing = rattle__h5_attribute_exists(file, root, "format") <= 0 ||
                      rattle__h5_read_integer_attribute(file, root, "format", &format);
  if (h5->no_memory) return rattle__no_memory(error);
  if (missing)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s is an HDF5 file, but not a sweep of rattle", path);
  if (format > RATTLE__CASES_FORMAT)
    return rattle__fail(error, RATTLE_NEWER_RECORD, path,
                        "%s is a sweep in format %lld; rattle %s reads formats up to %d: %s", path,
                        format, rattle_version(), RATTLE__CASES_FORMAT,
                        rattle_status_remedy(RATTLE_NEWER_RECORD));
  const int failed = read_all(cases, file);
  if (h5->no_memory) return rattle__no_memory(error);
  if (failed)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s is damaged: the description of its sweep cannot be read%s%s", path,
                        h5->reason[0] ? ": " : "", h5->reason);
  return RATTLE_OK;
}

rattle_status rattle__cases_read(rattle_cases *cases, rattle_error *error) {
  const rattle__h5 *h5 = rattle__h5_section();
  if (rattle__takes()) return read_file(cases, -1, error);
  hid_t file = rattle__h5_open_file(cases->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0 && h5->no_memory) return rattle__no_memory(error);
  if (file < 0)
    return rattle__fail(error, RATTLE_BAD_RECORD, cases->path,
                        "%s could not be opened as a sweep: %s", cases->path, h5->reason);
  rattle_status status = read_file(cases, file, error);
  H5Fclose(file);
  return status;
}
