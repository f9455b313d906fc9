/* Studies read from files. Sizes are checked before use, whatever the file contains. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ground/support/error.h"
#include "record/hdf5/study_layout.h"

enum { MOST_METHODS = 999, MOST_ROWS = 1 << 24, MOST_COLUMNS = 1 << 16 };

/* Reading: what is read lives in the study's arena. */
typedef struct study_reader {
  rattle_study *study;
  hid_t file;
  long long *room; /* numbers of tables that the file can still hold, were it compressed */
} study_reader;

static int read_text(const study_reader *in, const char *path, const char *name,
                     const char **text) {
  char *read = NULL;
  if (rattle__h5_read_text_attribute(in->file, path, name, &read)) return free(read), -1;
  *text = rattle__study_text(in->study, "%s", read);
  free(read);
  return 0;
}

static int read_long(const study_reader *in, const char *path, const char *name, long long *value) {
  return rattle__h5_read_integer_attribute(in->file, path, name, value);
}

static int read_int(const study_reader *in, const char *path, const char *name, int *value) {
  long long whole;
  if (read_long(in, path, name, &whole)) return -1;
  *value = (int)whole;
  return 0;
}

static int read_real(const study_reader *in, const char *path, const char *name, double *value) {
  return rattle__h5_read_real_attribute(in->file, path, name, value);
}

/* Attributes by their kinds (rattle/fields.h), into the struct that `of` points to. */
#define read_integer(in, path, name, value)                                                        \
  _Generic((value), int * : read_int, long long * : read_long)(in, path, name, value)
#define READ(kind, name, member)                                                                   \
  if (read_##kind(in, path, name, &of->member)) return -1;

/* A claim of a method; 0 if the file was written before there was such a claim. */
static int read_claim(const study_reader *in, const char *path, const char *name, int *value) {
  const int exists = rattle__h5_attribute_exists(in->file, path, name);
  *value = 0;
  return exists > 0 ? read_int(in, path, name, value) : exists < 0 ? -1 : 0;
}

static int read_claims(const study_reader *in, const char *path, rattle_claims *of) {
#define CLAIM(kind, name, member)                                                                  \
  if (read_claim(in, path, name, &of->member)) return -1;
  RATTLE_CLAIMS_FIELDS(CLAIM)
#undef CLAIM
  return 0;
}

/* A list of names; none if there is no such attribute. */
static int read_names(const study_reader *in, const char *path, const char *attribute, int *count,
                      const char *const **names) {
  rattle__labels labels = {0};
  int exists = rattle__h5_attribute_exists(in->file, path, attribute);
  *count = 0;
  *names = NULL;
  if (exists <= 0) return exists < 0 ? -1 : 0;
  int failed = rattle__h5_read_names_attribute(in->file, path, attribute, &labels);
  const char **copy =
      failed ? NULL : rattle__arena_take(&in->study->arena, (size_t)labels.count * sizeof *copy);
  for (int i = 0; copy && i < labels.count; i++)
    copy[i] = rattle__study_text(in->study, "%s", labels.name[i]);
  *names = copy;
  *count = copy ? labels.count : 0;
  rattle__labels_free(&labels);
  return failed || !copy ? -1 : 0;
}

static int read_figures(const study_reader *in, const char *under, int *figures,
                        const rattle_study_figure **list) {
  rattle__study_path path;
  const char *const *name;
  rattle__study_at(path, "%s/figures", under);
  if (read_names(in, path, "names", figures, &name)) return -1;
  rattle_study_figure *figure =
      rattle__arena_take(&in->study->arena, (size_t)*figures * sizeof *figure);
  for (int i = 0; i < *figures && figure; i++) {
    figure[i].name = name[i];
    if (read_real(in, path, name[i], &figure[i].value)) return -1;
  }
  *list = figure;
  return figure ? 0 : -1;
}

static int read_fits(const study_reader *in, const char *under, rattle_study_method *method) {
  rattle__study_path path;
  const char *const *name;
  rattle__study_at(path, "%s/fits", under);
  if (read_names(in, path, "names", &method->fits, &name)) return -1;
  rattle_study_fit *fits =
      rattle__arena_take(&in->study->arena, (size_t)method->fits * sizeof *fits);
  if (!fits) return -1;
  for (int i = 0; i < method->fits; i++) {
    rattle_study_fit *of = &fits[i];
    rattle__study_at(path, "%s/fits/%s", under, name[i]);
    of->name = name[i];
    RATTLE_STUDY_FIT_FIELDS(READ)
  }
  method->fit = fits;
  return 0;
}

static int read_table(const study_reader *in, const char *under, const char *name,
                      rattle_study_table *table) {
  rattle__study_path path;
  const char *const *column;
  long long rows, bulk;
  int columns;
  rattle__study_at(path, "%s/%s", under, name);
  if (read_long(in, path, "rows", &rows) || read_long(in, path, "bulk", &bulk) ||
      read_names(in, path, "columns", &columns, &column))
    return -1;
  if (rows < 0 || rows > MOST_ROWS || columns > MOST_COLUMNS || bulk < 0 || bulk > 1 ||
      rows * columns > *in->room)
    return -1;
  *in->room -= rows * columns;
  double *value, *read = malloc(((size_t)rows + 1) * sizeof *read);
  *table = rattle__study_table(in->study, name, (int)rows, columns, column, &value);
  table->bulk = (int)bulk;
  int failed = read && value ? 0 : rattle__h5_no_memory();
  for (int c = 0; c < columns && !failed; c++) {
    rattle__study_column(path, under, name, column[c]);
    failed = rattle__h5_read_array(in->file, path, H5T_NATIVE_DOUBLE, read, (int)rows);
    for (int r = 0; r < rows && !failed; r++)
      value[(size_t)r * (size_t)columns + (size_t)c] = read[r];
  }
  free(read);
  return failed;
}

static int read_tables(const study_reader *in, const char *under, int *tables,
                       const rattle_study_table **list) {
  const char *const *name;
  if (read_names(in, under, "tables", tables, &name)) return -1;
  rattle_study_table *table =
      rattle__arena_take(&in->study->arena, (size_t)*tables * sizeof *table);
  for (int t = 0; t < *tables && table; t++)
    if (read_table(in, under, name[t], &table[t])) return -1;
  *list = table;
  return table ? 0 : -1;
}

static int read_method(const study_reader *in, int i, rattle_study_method *of) {
  rattle__study_path path;
  int status;
  rattle__study_at(path, "/study/methods/%03d", i);
  RATTLE__METHOD_ATTRIBUTES(READ)
  if (read_claims(in, path, &of->claims) || read_claim(in, path, "status", &status) ||
      (unsigned)status >= RATTLE_STATUS_COUNT ||
      read_figures(in, path, &of->figures, &of->figure) || read_fits(in, path, of))
    return -1;
  of->status = (rattle_status)status;
  return read_tables(in, path, &of->tables, &of->table);
}

static int read_parameters(const study_reader *in) {
  rattle_study_result *r = &in->study->r;
  const char *const *name;
  if (read_names(in, "/study/parameters", "names", &r->parameters, &name)) return -1;
  rattle_parameter *parameter =
      rattle__arena_take(&in->study->arena, (size_t)r->parameters * sizeof *parameter);
  double *value = rattle__arena_doubles(&in->study->arena, (size_t)r->parameters);
  if (!parameter || !value ||
      rattle__h5_read_array(in->file, "/study/parameters/values", H5T_NATIVE_DOUBLE, value,
                            r->parameters))
    return -1;
  for (int i = 0; i < r->parameters; i++)
    parameter[i] = (rattle_parameter){.name = name[i], .value = value[i]};
  r->parameter = parameter;
  return 0;
}

static int read_reference(const study_reader *in) {
  const char *path = "/study/reference";
  rattle_study_reference *of = &in->study->r.reference;
  RATTLE__REFERENCE_ATTRIBUTES(READ)
  return 0;
}

static int read_all(const study_reader *in) {
  const char *path = "/study";
  rattle_study_result *of = &in->study->r;
  char *text = NULL;
  int status;
  RATTLE__STUDY_ATTRIBUTES(READ)
  if (read_int(in, path, "status", &status) || (unsigned)status >= RATTLE_STATUS_COUNT) return -1;
  of->status = (rattle_status)status;
  if (rattle__h5_read_text(in->file, "/study/model", &text)) return free(text), -1;
  of->model_text = rattle__study_text(in->study, "%s", text);
  free(text);
  if (rattle__study_kind_of(of->kind_name, &of->kind) || of->methods < 0 ||
      of->methods > MOST_METHODS || read_parameters(in) || read_reference(in) ||
      read_figures(in, path, &of->figures, &of->figure) ||
      read_tables(in, path, &of->tables, &of->table))
    return -1;
  rattle_study_method *method =
      rattle__arena_take(&in->study->arena, (size_t)of->methods * sizeof *method);
  if (!method) return -1;
  for (int i = 0; i < of->methods; i++)
    if (read_method(in, i, &method[i])) return -1;
  of->method = method;
  return 0;
}

static rattle_status read_file(const study_reader *in, const rattle__h5 *h5, const char *path,
                               rattle_error *error) {
  long long format;
  const char *version = "";
  const int missing = rattle__h5_attribute_exists(in->file, "/study", "format") <= 0 ||
                      read_long(in, "/study", "format", &format);
  if (h5->no_memory) return rattle__no_memory(error);
  if (missing)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s is an HDF5 file, but not a study of rattle", path);
  if (format > RATTLE__STUDY_FORMAT) {
    (void)read_text(in, "/study", "version", &version);
    return rattle__fail(
        error, RATTLE_NEWER_RECORD, path,
        "%s was written by rattle %s in study format %lld; rattle %s reads formats up to %d: %s",
        path, version, format, rattle_version(), RATTLE__STUDY_FORMAT,
        rattle_status_remedy(RATTLE_NEWER_RECORD));
  }
  const int failed = read_all(in);
  if (h5->no_memory || in->study->arena.failed) return rattle__no_memory(error);
  if (failed)
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s is damaged: the description of its study cannot be read%s%s", path,
                        h5->reason[0] ? ": " : "", h5->reason);
  return RATTLE_OK;
}

/* The study to be read. */
typedef struct loading {
  rattle__h5 *h5;
  const char *path;
  long long size; /* of the file */
  rattle_study *study;
} loading;

static rattle_status load(void *self, rattle_error *error) {
  const loading *asked = self;
  const char *path = asked->path;
  const int takes = rattle__takes();
  long long room = 100 * asked->size;
  study_reader in = {.study = asked->study,
                     .file = takes ? -1 : rattle__h5_open_file(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                     .room = &room};
  if (in.file < 0 && asked->h5->no_memory) return rattle__no_memory(error);
  if (in.file < 0 && !takes)
    return rattle__fail(error, RATTLE_BAD_RECORD, path, "%s could not be opened as a study: %s",
                        path, asked->h5->reason);
  rattle_status status = read_file(&in, asked->h5, path, error);
  if (!takes) H5Fclose(in.file);
  return status;
}

rattle_status rattle_study_load(rattle_study **study, const char *path, rattle_error *error) {
  rattle__h5 h5;
  struct stat there = {.st_size = 0};
  *study = NULL;
  if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return rattle__fail(error, RATTLE_BAD_RECORD, path,
                        "%s could not be opened as a study: it is not a file", path);
  *study = calloc(1, sizeof **study);
  if (!*study) return rattle__no_memory(error);
  rattle__h5_enter(&h5);
  loading asked = {.h5 = &h5, .path = path, .size = there.st_size, .study = *study};
  const rattle__question question = {path, load, &asked, -1};
  rattle_status status = rattle__apart(&question, error);
  rattle__h5_leave(&h5);
  if (status) rattle_study_destroy(study);
  return status;
}
