/* Data of fits: CSV with a column t, columns with the names of quantities, and sigma_NAME. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/fit.h"

static const char prefix[] = "sigma_";

static int find_column(const cli_table *table, const char *name, size_t length) {
  for (int i = 0; i < table->columns; i++)
    if (strlen(table->name[i]) == length && !strncmp(table->name[i], name, length)) return i;
  return -1;
}

static int find_sigma(const cli_table *table, const char *name) {
  for (int i = 0; i < table->columns; i++)
    if (!strncmp(table->name[i], prefix, sizeof prefix - 1) &&
        !strcmp(table->name[i] + sizeof prefix - 1, name))
      return i;
  return -1;
}

/* True if the column has the uncertainties of another one. */
static int is_sigma(const cli_table *table, int i) {
  const char *name = table->name[i], *of = name + sizeof prefix - 1;
  return !strncmp(name, prefix, sizeof prefix - 1) && find_column(table, of, strlen(of)) >= 0;
}

static void add_column(fit_file *file, int place) {
  file->column[file->columns] = file->table.name[place];
  file->place[file->columns] = place;
  file->sigma_place[file->columns++] = find_sigma(&file->table, file->table.name[place]);
}

/* The columns that --columns names, or all others than those of times and uncertainties. */
static rattle_status choose_columns(fit_file *file, const char *asked, int time,
                                    rattle_error *error) {
  const cli_table *table = &file->table;
  for (int i = 0; i < table->columns && !asked; i++)
    if (i != time && !is_sigma(table, i)) add_column(file, i);
  for (const char *at = asked; at; at = *at ? at + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    const int place = find_column(table, at, length);
    if (place < 0)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--columns: %s has no column '%.*s'", file->path,
                       (int)length, at);
    if (file->columns == table->columns)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--columns: there are more than in %s",
                       file->path);
    add_column(file, place);
    at += length;
  }
  return file->columns ? RATTLE_OK
                       : text_fail(error, RATTLE_BAD_ARGUMENT,
                                   "%s: there is no column of data beside the time", file->path);
}

static rattle_status find_time(const fit_file *file, int *time, rattle_error *error) {
  const cli_table *table = &file->table;
  *time = find_column(table, "t", 1);
  if (*time < 0) *time = find_column(table, "time", 4);
  for (int i = 0; i < table->columns; i++)
    for (int j = 0; j < i; j++)
      if (!strcmp(table->name[i], table->name[j]))
        return text_fail(error, RATTLE_BAD_ARGUMENT, "%s: two columns are '%s'", file->path,
                         table->name[i]);
  if (*time >= 0) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "%s: no column is 't' or 'time'; the first line has the names of the columns",
                   file->path);
}

/* The uncertainty that --sigma gives of a column: NAME=NUMBER, or a number for all. NaN: none. */
static rattle_status sigma_of(const cli_args *args, const char *name, double *sigma,
                              rattle_error *error) {
  const size_t length = strlen(name);
  const char *word;
  int at = 0;
  *sigma = (double)NAN;
  while ((word = cli_next(args, "sigma", &at))) {
    const char *equals = strrchr(word, '=');
    double value = 0;
    if (!cli_is_number(equals ? equals + 1 : word, &value) || !(value > 0))
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--sigma %s: expected a positive number, or NAME=NUMBER", word);
    if (!equals && isnan(*sigma)) *sigma = value;
    if (equals && (size_t)(equals - word) == length && !strncmp(word, name, length)) *sigma = value;
  }
  return RATTLE_OK;
}

/* sigma [rows*columns] of the data: those of all columns, or of none. */
static rattle_status fill_sigma(fit_file *file, const cli_args *args, rattle_error *error) {
  const long long rows = file->table.rows;
  const char *lacks = NULL;
  int known = 0;
  for (int c = 0; c < file->columns; c++) {
    double all;
    const double *own = file->sigma_place[c] < 0 ? NULL : file->block + file->sigma_place[c] * rows;
    const rattle_status status = sigma_of(args, file->column[c], &all, error);
    if (status) return status;
    if (own || !isnan(all))
      known++;
    else
      lacks = file->column[c];
    for (long long i = 0; i < rows; i++) file->sigma[i * file->columns + c] = own ? own[i] : all;
  }
  if (known && lacks)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s: uncertainties are given of some columns, and not of '%s': give it by "
                     "--sigma %s=NUMBER or a column %s%s",
                     file->path, lacks, lacks, prefix, lacks);
  file->data.sigma = known ? file->sigma : NULL;
  return RATTLE_OK;
}

static rattle_status take_table(fit_file *file, const cli_args *args, int time,
                                rattle_error *error) {
  cli_table *table = &file->table;
  const size_t rows = (size_t)table->rows, columns = (size_t)file->columns;
  file->block = calloc(rows * (size_t)table->columns, sizeof *file->block);
  file->value = calloc(2 * rows * columns, sizeof *file->value);
  if (!file->block || !file->value) return text_no_memory(error);
  file->sigma = file->value + rows * columns;
  for (int c = -1; c < file->columns; c++) {
    const int place = c < 0 ? time : file->place[c], sigma = c < 0 ? -1 : file->sigma_place[c];
    table->to[place] = file->block + (size_t)place * rows;
    if (sigma >= 0) table->to[sigma] = file->block + (size_t)sigma * rows;
  }
  table->may_lack = 1;
  const rattle_status status = cli_table_read(table, error);
  for (size_t i = 0; i < rows; i++)
    for (size_t c = 0; c < columns; c++)
      file->value[i * columns + c] = file->block[(size_t)file->place[c] * rows + i];
  file->time = file->block + (size_t)time * rows;
  file->data = (rattle_fit_data){.struct_size = sizeof file->data,
                                 .name = file->path,
                                 .count = (int)table->rows,
                                 .columns = file->columns,
                                 .time = file->time,
                                 .column = file->column,
                                 .value = file->value};
  return status ? status : fill_sigma(file, args, error);
}

rattle_status fit_file_open(fit_file *file, const char *path, const cli_args *args,
                            rattle_error *error) {
  int time = -1;
  *file = (fit_file){.path = path};
  rattle_status status = cli_check_input(path, error);
  if (!status) status = cli_read_text(path, &file->text, error);
  if (!status) status = cli_table_open(&file->table, path, file->text, error);
  if (!status && file->table.rows > 1 << 24)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s: there are more than 2^24 lines", path);
  if (!status) status = find_time(file, &time, error);
  if (status) return status;
  const size_t columns = (size_t)file->table.columns;
  file->column = calloc(columns, sizeof *file->column);
  file->place = calloc(2 * columns, sizeof *file->place);
  if (!file->column || !file->place) return text_no_memory(error);
  file->sigma_place = file->place + columns;
  status = choose_columns(file, cli_text(args, "columns"), time, error);
  return status ? status : take_table(file, args, time, error);
}

rattle_status fit_check_sigma(const fit_plan *plan, const cli_args *args, rattle_error *error) {
  const char *word;
  int at = 0;
  while ((word = cli_next(args, "sigma", &at))) {
    const char *equals = strrchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : 0;
    int known = !equals;
    for (int f = 0; f < plan->files; f++)
      for (int c = 0; c < plan->file[f].columns; c++) {
        const char *name = plan->file[f].column[c];
        known |= strlen(name) == length && !strncmp(word, name, length);
      }
    if (!known)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--sigma %s: no column of the data that is fitted has this name", word);
  }
  return RATTLE_OK;
}

void fit_file_close(fit_file *file) {
  cli_table_close(&file->table);
  free(file->text);
  free((void *)file->column);
  free(file->place);
  free(file->block);
  free(file->value);
}

/* --- what the model makes of them ------------------------------------------------------------- */

/* A name, in quotes where it has a comma. */
static void put_name(FILE *out, const char *name, const char *more) {
  const char *quote = strchr(name, ',') ? "\"" : "";
  fprintf(out, ",%s%s%s%s", quote, name, more, quote);
}

static void write_run(FILE *out, const fit_plan *plan, int r) {
  const rattle_fit_data *data = &plan->file[r].data;
  const double *fitted = rattle_fit_values(plan->fit, r);
  for (int i = 0; i < data->count; i++) {
    if (plan->files > 1) fprintf(out, "%d,", r + 1);
    fprintf(out, "%.17g", data->time[i]);
    for (int c = 0; c < data->columns; c++) {
      const int at = i * data->columns + c;
      if (isnan(data->value[at]))
        fprintf(out, ",,%.17g", fitted[at]);
      else
        fprintf(out, ",%.17g,%.17g", data->value[at], fitted[at]);
    }
    putc('\n', out);
  }
}

/* Files of several runs must have the same columns to be one table. */
static rattle_status check_alike(const fit_plan *plan, rattle_error *error) {
  const rattle_fit_data *first = &plan->file[0].data;
  for (int r = 1; r < plan->files; r++) {
    const rattle_fit_data *data = &plan->file[r].data;
    int same = data->columns == first->columns;
    for (int c = 0; c < data->columns && same; c++)
      same = !strcmp(data->column[c], first->column[c]);
    if (!same)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "-o: %s and %s have other columns, and do not fit in one table",
                       plan->file[0].path, plan->file[r].path);
  }
  return RATTLE_OK;
}

rattle_status fit_write_csv(const fit_plan *plan, const char *path, int force,
                            rattle_error *error) {
  const rattle_fit_data *data = &plan->file[0].data;
  cli_output output;
  rattle_status status = check_alike(plan, error);
  if (!status) status = cli_begin_output(&output, path, force, error);
  if (status) return status;
  fputs(plan->files > 1 ? "run,t" : "t", output.file);
  for (int c = 0; c < data->columns; c++) {
    put_name(output.file, data->column[c], "");
    put_name(output.file, data->column[c], "_fit");
  }
  putc('\n', output.file);
  for (int r = 0; r < plan->files; r++) write_run(output.file, plan, r);
  return cli_end_output(&output, RATTLE_OK, error);
}
