/* Tables of sweeps: a row for each case; figures of many cases; one result over two columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"
#include "many/sweep/sweep.h"

enum { MOST_COLUMNS = 62, ROWS = 24, RESULTS = 4 };

static const char *format_of(const char *name) {
  const char *colon = strrchr(name, ':');
  if (!strcmp(name, "steps") || (colon && !strcmp(colon, ":count"))) return "%.0f";
  return cases_is_common(name) && strcmp(name, "H") != 0 && strcmp(name, "time") != 0 &&
                 strcmp(name, "work") != 0
             ? "%.2e"
             : "%.6g";
}

static void put_head(table_writer *w, const char *name) {
  char *symbol = cases_symbol(name);
  const int energy = !strcmp(name, "energy_error") || !strcmp(name, "H") || !strcmp(name, "work") ||
                     !strcmp(name, "balance");
  table_head(w, symbol,
             !strcmp(name, "step") || !strcmp(name, "time") ? TABLE_TIME
             : energy                                       ? TABLE_ENERGY
                                                            : TABLE_BARE);
  free(symbol);
}

static void put_value(table_writer *w, const rattle_cases_about *about, const char *name,
                      double value) {
  if (!strcmp(name, "method")) {
    char *method = cases_method(about, value);
    table_words(w, method);
    free(method);
  } else if (!strcmp(name, "status") && value >= 0 && value < RATTLE_STATUS_COUNT)
    table_plain(w, rattle_status_name((rattle_status)value));
  else
    table_number(w, format_of(name), value);
}

static char alignment_of(const char *name) {
  return !strcmp(name, "method") || !strcmp(name, "status") ? 'l' : 'r';
}

static rattle_status find_columns(const plot_source *source, const char *names, int *column,
                                  int *count, rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  rattle_status status = RATTLE_OK;
  for (*count = 0; names && !status; ++*count) {
    char *name = plot_next_name(&names);
    if (!name) return text_no_memory(error);
    if (*count == MOST_COLUMNS)
      status = text_fail(error, RATTLE_BAD_ARGUMENT, "a table has at most %d columns: --y NAMES",
                         MOST_COLUMNS);
    if (!status) status = cases_find(source, name, 0, &column[*count], error);
    if (!status && about->column[column[*count]].width > 1)
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         "column %s has %d numbers for each case; a row of a table takes one", name,
                         about->column[column[*count]].width);
    free(name);
  }
  return status;
}

/* The inputs, the first results, the error of the energy. */
static int choose_columns(const rattle_cases_about *about, int *column) {
  int count = 0, results = 0;
  for (int c = 0; c < about->columns && count < MOST_COLUMNS / 2; c++)
    if (cases_is_input(about->column[c].name)) column[count++] = c;
  for (int c = 0; c < about->columns && results < RESULTS; c++)
    if (!cases_is_input(about->column[c].name) && !cases_is_common(about->column[c].name) &&
        about->column[c].width == 1)
      column[count++] = c, results++;
  for (int c = 0; c < about->columns; c++)
    if (!strcmp(about->column[c].name, "energy_error")) column[count++] = c;
  return count;
}

/* True if a case that failed has it. */
static int outlives(const char *name) {
  return cases_is_input(name) || !strcmp(name, "status") || !strcmp(name, "time") ||
         !strcmp(name, "steps");
}

static rattle_status put_cases(table_writer *w, const plot_source *source, const int *column,
                               int columns, rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const int at_status = sweep_find_place(about, "status");
  double *row = malloc((size_t)rattle_cases_width(source->cases) * sizeof *row);
  rattle_status status = row ? RATTLE_OK : text_no_memory(error);
  long long failed = 0;
  for (long long k = 0; k < about->cases && !status; k++) {
    signed char there;
    status = rattle_cases_get(source->cases, k, 1, row, &there, error);
    if (status || there != 1) continue;
    const int good = at_status < 0 || row[at_status] == 0;
    failed += !good;
    for (int i = 0; i < columns; i++) {
      const char *name = about->column[column[i]].name;
      int place = 0;
      for (int c = 0; c < column[i]; c++) place += about->column[c].width;
      put_value(w, about, name, good || outlives(name) ? row[place] : (double)NAN);
    }
    table_end_row(w);
    w->figure->samples++;
  }
  free(row);
  if (failed)
    snprintf(w->figure->remark, sizeof w->figure->remark,
             "%lld of them failed, without results (--y status: why)", failed);
  return status;
}

static rattle_status table_of_cases(table_writer *w, const plot_source *source, const int *column,
                                    int columns, rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  char align[MOST_COLUMNS + 1] = "";
  for (int i = 0; i < columns; i++) align[i] = alignment_of(about->column[column[i]].name);
  table_begin(w, align);
  for (int i = 0; i < columns; i++) put_head(w, about->column[column[i]].name);
  table_end_row(w), table_rule(w, "mid");
  rattle_status status = put_cases(w, source, column, columns, error);
  table_end(w);
  return status;
}

/* Figures of each column over the cases that ended well. */
static rattle_status table_of_figures(table_writer *w, const plot_source *source,
                                      rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  sweep_survey survey;
  rattle_status status = sweep_survey_make(&survey, source->cases, error);
  if (!status) {
    table_begin(w, "lrrrr");
    table_words(w, "quantity"), table_words(w, "mean"), table_words(w, "deviation");
    table_words(w, "least"), table_words(w, "largest");
    table_end_row(w), table_rule(w, "mid");
  }
  for (int c = 0, at = 0; c < about->columns && !status; at += about->column[c++].width) {
    const sweep_figures *f = &survey.figures[at];
    const char *name = about->column[c].name;
    if (about->column[c].width > 1 || !strcmp(name, "status") || !strcmp(name, "method")) continue;
    put_head(w, name);
    table_number(w, "%.5g", f->count ? f->mean : (double)NAN);
    table_number(w, "%.5g", f->count > 1 ? f->deviation : (double)NAN);
    table_number(w, "%.5g", f->count ? f->low : (double)NAN);
    table_number(w, "%.5g", f->count ? f->high : (double)NAN);
    table_end_row(w);
    w->figure->samples++;
  }
  if (!status) table_end(w);
  snprintf(w->figure->remark, sizeof w->figure->remark,
           "figures of %lld cases (--y NAMES: a row for each case)", survey.there - survey.failed);
  sweep_survey_free(&survey);
  return status;
}

/* The mean of z: a row for each x, a column for each y. */
static rattle_status put_grid(table_writer *w, const plot_source *source, const cases_grid *grid,
                              rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const cases_numbers *column = grid->column;
  const long long rows = grid->count[0], columns = grid->count[1];
  char align[MOST_COLUMNS + 2] = "r", *z = cases_symbol(column[2].name),
                            *y = cases_symbol(column[1].name);
  if (columns > MOST_COLUMNS || !z || !y) {
    free(z), free(y);
    return columns > MOST_COLUMNS
               ? text_fail(error, RATTLE_BAD_ARGUMENT,
                           "%s has %lld values, each a column of the table, which has %d: take it "
                           "as --x, or draw --style heat",
                           column[1].name, columns, MOST_COLUMNS)
               : text_no_memory(error);
  }
  memset(align + 1, 'r', (size_t)columns);
  table_begin(w, align);
  fprintf(w->out, "  & \\multicolumn{%lld}{c}{", columns);
  plot_latex_text(w->out, z);
  fputs(", ", w->out);
  plot_latex_text(w->out, y);
  fputs(" =} \\\\\n", w->out);
  free(z), free(y);
  put_head(w, column[0].name);
  for (long long j = 0; j < columns; j++) put_value(w, about, column[1].name, grid->axis[1][j]);
  table_end_row(w), table_rule(w, "mid");
  for (long long i = 0; i < rows; i++) {
    put_value(w, about, column[0].name, grid->axis[0][i]);
    for (long long j = 0; j < columns; j++)
      put_value(w, about, column[2].name, grid->mean[j * rows + i]);
    table_end_row(w);
    w->figure->samples++;
  }
  table_end(w);
  return RATTLE_OK;
}

static rattle_status table_of_grid(table_writer *w, const plot_request *request,
                                   rattle_error *error) {
  enum { MOST_CELLS = 20000 };
  cases_grid grid;
  rattle_status status = cases_grid_make(&grid, request, request->z, MOST_CELLS, error);
  if (!status) status = put_grid(w, &request->source[0], &grid, error);
  cases_grid_free(&grid);
  return status;
}

rattle_status table_of_sweep(table_writer *w, const plot_request *request, const char *names,
                             rattle_error *error) {
  const plot_source *source = &request->source[0];
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  int column[MOST_COLUMNS + 1], columns;
  if (request->z) return table_of_grid(w, request, error);
  if (!names && about->cases > ROWS) return table_of_figures(w, source, error);
  if (!names) {
    columns = choose_columns(about, column);
    return table_of_cases(w, source, column, columns, error);
  }
  rattle_status status = find_columns(source, names, column, &columns, error);
  return status ? status : table_of_cases(w, source, column, columns, error);
}
