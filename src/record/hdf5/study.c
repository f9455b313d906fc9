/* Studies written to files. Everything is written to a temporary file, which is renamed when it is
 * complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground/support/error.h"
#include "files/observe/place.h"
#include "record/hdf5/study_layout.h"

typedef const char *(*namer)(const void *list, int i);

/* A list of names as an attribute; none is omitted. */
static int write_names(hid_t file, const char *path, const char *attribute, int count,
                       const void *list, namer name) {
  rattle__labels labels;
  size_t longest = 0;
  if (count == 0) return 0;
  for (int i = 0; i < count; i++)
    longest = strlen(name(list, i)) > longest ? strlen(name(list, i)) : longest;
  int failed = rattle__labels_make(&labels, count, longest);
  for (int i = 0; i < count && !failed; i++) strcpy(labels.name[i], name(list, i));
  if (!failed) failed = rattle__h5_write_names_attribute(file, path, attribute, &labels);
  rattle__labels_free(&labels);
  return failed;
}

static const char *figure_name(const void *list, int i) {
  return ((const rattle_study_figure *)list)[i].name;
}

static const char *fit_name(const void *list, int i) {
  return ((const rattle_study_fit *)list)[i].name;
}

static const char *table_name(const void *list, int i) {
  return ((const rattle_study_table *)list)[i].name;
}

static const char *column_name(const void *list, int i) {
  return ((const char *const *)list)[i];
}

static const char *parameter_name(const void *list, int i) {
  return ((const rattle_parameter *)list)[i].name;
}

static int make_group(hid_t file, const char *path) {
  hid_t group = rattle__h5_make_group(file, path);
  return group < 0 || H5Gclose(group) < 0 ? -1 : 0;
}

/* Attributes by their kinds (rattle/fields.h): of the struct that `of` points to, of the object at
 * `path` in `file`. */
static int write_integer(hid_t file, const char *path, const char *name, long long value) {
  return rattle__h5_write_integers_attribute(file, path, name, &value, -1);
}
#define write_bool write_integer
#define write_real rattle__h5_write_real_attribute
#define write_text rattle__h5_write_text_attribute
#define WRITE(kind, name, member)                                                                  \
  if (write_##kind(file, path, name, of->member)) return -1;

/* Figures: their names in order, and each as an attribute. */
static int write_figures(hid_t file, const char *under, int figures,
                         const rattle_study_figure *figure) {
  rattle__study_path path;
  rattle__study_at(path, "%s/figures", under);
  if (make_group(file, path) || write_names(file, path, "names", figures, figure, figure_name))
    return -1;
  for (int i = 0; i < figures; i++)
    if (rattle__h5_write_real_attribute(file, path, figure[i].name, figure[i].value)) return -1;
  return 0;
}

static int write_fits(hid_t file, const char *under, const rattle_study_method *method) {
  rattle__study_path path;
  rattle__study_at(path, "%s/fits", under);
  if (make_group(file, path) ||
      write_names(file, path, "names", method->fits, method->fit, fit_name))
    return -1;
  for (int i = 0; i < method->fits; i++) {
    const rattle_study_fit *of = &method->fit[i];
    rattle__study_at(path, "%s/fits/%s", under, of->name);
    if (make_group(file, path)) return -1;
    RATTLE_STUDY_FIT_FIELDS(WRITE)
  }
  return 0;
}

/* A dataset for each column; a slash in its name becomes a line there. */
static int write_table(hid_t file, const char *under, const rattle_study_table *table) {
  rattle__study_path path;
  rattle__study_at(path, "%s/%s", under, table->name);
  if (make_group(file, path) || write_integer(file, path, "rows", table->rows) ||
      write_integer(file, path, "bulk", table->bulk) ||
      write_names(file, path, "columns", table->columns, table->column, column_name))
    return -1;
  double *value = malloc(((size_t)table->rows + 1) * sizeof *value);
  int failed = value ? 0 : rattle__h5_no_memory();
  for (int c = 0; c < table->columns && !failed; c++) {
    rattle__study_column(path, under, table->name, table->column[c]);
    for (int r = 0; r < table->rows; r++)
      value[r] = table->value[(size_t)r * (size_t)table->columns + (size_t)c];
    failed = rattle__h5_write_array(file, path, H5T_NATIVE_DOUBLE, value, table->rows);
  }
  free(value);
  return failed;
}

static int write_claims(hid_t file, const char *path, const rattle_claims *of) {
  RATTLE_CLAIMS_FIELDS(WRITE)
  return 0;
}

static int write_method(hid_t file, int i, const rattle_study_method *of) {
  rattle__study_path path;
  rattle__study_at(path, "/study/methods/%03d", i);
  if (make_group(file, path)) return -1;
  RATTLE__METHOD_ATTRIBUTES(WRITE)
  if (write_claims(file, path, &of->claims) || write_integer(file, path, "status", of->status) ||
      write_figures(file, path, of->figures, of->figure) || write_fits(file, path, of) ||
      write_names(file, path, "tables", of->tables, of->table, table_name))
    return -1;
  for (int t = 0; t < of->tables; t++)
    if (write_table(file, path, &of->table[t])) return -1;
  return 0;
}

static int write_parameters(hid_t file, const rattle_study_result *r) {
  double *value = calloc((size_t)r->parameters + 1, sizeof *value);
  if (!value) return rattle__h5_no_memory();
  for (int i = 0; i < r->parameters; i++) value[i] = r->parameter[i].value;
  int failed = make_group(file, "/study/parameters") ||
               write_names(file, "/study/parameters", "names", r->parameters, r->parameter,
                           parameter_name) ||
               rattle__h5_write_array(file, "/study/parameters/values", H5T_NATIVE_DOUBLE, value,
                                      r->parameters);
  free(value);
  return failed;
}

static int write_reference(hid_t file, const rattle_study_reference *of) {
  const char *path = "/study/reference";
  if (make_group(file, path)) return -1;
  RATTLE__REFERENCE_ATTRIBUTES(WRITE)
  return 0;
}

static int write_all(hid_t file, const rattle_study_result *of) {
  const char *path = "/study";
  if (make_group(file, path) || write_integer(file, path, "format", RATTLE__STUDY_FORMAT) ||
      write_integer(file, path, "status", of->status))
    return -1;
  RATTLE__STUDY_ATTRIBUTES(WRITE)
  if (rattle__h5_write_text(file, "/study/model", of->model_text) || write_parameters(file, of) ||
      write_reference(file, &of->reference) || write_figures(file, path, of->figures, of->figure) ||
      write_names(file, path, "tables", of->tables, of->table, table_name) ||
      make_group(file, "/study/methods"))
    return -1;
  for (int t = 0; t < of->tables; t++)
    if (write_table(file, path, &of->table[t])) return -1;
  for (int i = 0; i < of->methods; i++)
    if (write_method(file, i, &of->method[i])) return -1;
  return 0;
}

/* The file under its temporary name. *trouble: an errno where the system refused to write. */
static int write_file(const char *path, const rattle_study_result *r, int *trouble) {
  hid_t file = rattle__driver_create(path, trouble);
  if (file < 0) return -1;
  int failed = write_all(file, r);
  failed |= H5Fclose(file) < 0;
  return failed || *trouble ? -1 : 0;
}

rattle_status rattle_study_save(const rattle_study *study, const char *path, int force,
                                rattle_error *error) {
  char *temporary = NULL;
  int trouble = 0;
  rattle_status status = rattle__place_check(path, force, error);
  if (!status) status = rattle__place_temporary(path, &temporary, error);
  if (status) return status;
  rattle__h5 h5;
  rattle__h5_enter(&h5);
  if (write_file(temporary, &study->r, &trouble))
    status = trouble ? rattle__place_fail(error, path, "written", strerror(trouble))
                     : rattle__h5_fail(&h5, error, path, "written");
  rattle__h5_leave(&h5);
  if (!status) status = rattle__place_publish(temporary, path, force, error);
  if (status) unlink(temporary);
  free(temporary);
  return status;
}
