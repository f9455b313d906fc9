/* Columns of a sweep: found, read, named, and their means over a grid. Cases that failed have no
 * numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/cases.h"
#include "many/sweep/sweep.h"

enum { BLOCK = 512 };

/* The column by its name, or by what follows "set:" or "start:"; NULL: the k-th one. */
static int place_of_name(const rattle_cases_about *about, const char *name, int k) {
  int found = -1;
  for (int c = 0; c < about->columns; c++) {
    const char *own = about->column[c].name, *colon = strchr(own, ':');
    const int given = !strncmp(own, "set:", 4) || !strncmp(own, "start:", 6);
    if (name && !strcmp(own, name)) return c;
    if (name && given && !strcmp(colon + 1, name)) found = c;
  }
  return name ? found : k < about->columns ? k : -1;
}

static rattle_status no_column(const plot_source *source, const char *name, rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const char *names[256];
  int count = 0;
  for (int c = 0; c < about->columns && count < 256; c++) {
    const char *own = about->column[c].name;
    names[count++] = !strncmp(own, "set:", 4)     ? own + 4
                     : !strncmp(own, "start:", 6) ? own + 6
                                                  : own;
  }
  const char *near = cli_nearest(name, names, count);
  return near ? text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no column %s; did you mean %s?",
                          source->path, name, near)
              : text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no column %s", source->path, name);
}

rattle_status cases_find(const plot_source *source, const char *name, int k, int *column,
                         rattle_error *error) {
  *column = place_of_name(rattle_cases_about_of(source->cases), name, k);
  return *column < 0 ? no_column(source, name ? name : "?", error) : RATTLE_OK;
}

const char *cases_axis(const plot_source *source, const char *name) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  for (int c = 0; c < about->columns && name; c++) {
    const char *own = about->column[c].name, *colon = strchr(own, ':');
    if (cases_is_input(own) && colon && !strcmp(colon + 1, name)) return own;
  }
  return name;
}

rattle_status cases_read(cases_numbers *numbers, const plot_source *source, const char *name, int k,
                         rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const int width = rattle_cases_width(source->cases), s = place_of_name(about, "status", 0);
  int c, at = 0, at_status = 0;
  rattle_status status = cases_find(source, name, k, &c, error);
  if (status) return status;
  for (int i = 0; i < c; i++) at += about->column[i].width;
  for (int i = 0; i < s; i++) at_status += about->column[i].width;
  *numbers = (cases_numbers){
      .cases = about->cases, .width = about->column[c].width, .name = about->column[c].name};
  numbers->value = malloc((size_t)about->cases * (size_t)numbers->width * sizeof *numbers->value);
  double *row = malloc((size_t)BLOCK * (size_t)width * sizeof *row);
  signed char there[BLOCK];
  status = row && numbers->value ? RATTLE_OK : text_no_memory(error);
  for (long long k0 = 0; k0 < about->cases && !status; k0 += BLOCK) {
    const long long count = about->cases - k0 < BLOCK ? about->cases - k0 : BLOCK;
    status = rattle_cases_get(source->cases, k0, count, row, there, error);
    for (long long i = 0; i < count && !status; i++) {
      const int good = there[i] == 1 && (s < 0 || row[i * width + at_status] == 0);
      numbers->good += good;
      for (int j = 0; j < numbers->width; j++)
        numbers->value[(k0 + i) * numbers->width + j] =
            good ? row[i * width + at + j] : (double)NAN;
    }
  }
  free(row);
  if (!status && !numbers->good)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no case that has ended well yet",
                       source->path);
  return status;
}

int cases_is_input(const char *name) {
  return !strncmp(name, "set:", 4) || !strncmp(name, "start:", 6) || !strcmp(name, "method") ||
         !strcmp(name, "step");
}

int cases_is_common(const char *name) {
  static const char *const all[] = {"status", "time",   "steps", "energy_error", "g",      "psi",
                                    "chain",  "sample", "H",     "work",         "balance"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(name, all[i])) return 1;
  return 0;
}

const char *cases_first_result(const rattle_cases_about *about) {
  for (int c = 0; c < about->columns; c++)
    if (!cases_is_input(about->column[c].name) && !cases_is_common(about->column[c].name))
      return about->column[c].name;
  return "energy_error";
}

/* The words before the quantity in "NAME:least" and its like. */
static const char *words_of(const char *ending) {
  static const char *const words[][2] = {{"least", "least"},
                                         {"least_time", "time of the least"},
                                         {"peak", "largest"},
                                         {"peak_time", "time of the largest"},
                                         {"mean", "mean"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(ending, words[i][0])) return words[i][1];
  return NULL;
}

char *cases_symbol(const char *name) {
  const char *colon = strrchr(name, ':'), *words = colon ? words_of(colon + 1) : NULL;
  if (!strcmp(name, "status") || !strcmp(name, "steps")) return strdup(name);
  if (!strcmp(name, "energy_error")) return strdup(PLOT_MAX_ENERGY);
  if (!strcmp(name, "g")) return strdup(PLOT_MAX_G);
  if (!strcmp(name, "psi")) return strdup(PLOT_MAX_PSI);
  if (colon && !strcmp(colon + 1, "count")) {
    char *event = strndup(name, (size_t)(colon - name)),
         *typeset = event ? plot_plain(event) : NULL,
         *all = typeset ? plot_printf("number of %s", typeset) : NULL;
    free(event), free(typeset);
    return all;
  }
  if (!words && !strncmp(name, "start:", 6)) {
    char *symbol = plot_symbol(colon + 1), *all = symbol ? plot_printf("%s(0)", symbol) : NULL;
    free(symbol);
    return all;
  }
  if (!words) return plot_symbol(colon ? colon + 1 : name);
  char *of = strndup(name, (size_t)(colon - name)), *symbol = of ? plot_symbol(of) : NULL,
       *all = symbol ? plot_printf("%s %s", words, symbol) : NULL;
  free(of), free(symbol);
  return all;
}

char *cases_method(const rattle_cases_about *about, double k) {
  char *methods = sweep_plan_word(about->plan, "methods"), *name = NULL;
  const char *list = methods;
  for (double at = 0; list && at <= k; at++) free(name), name = plot_next_name(&list);
  char *typeset = plot_plain(name ? name : "\u2013");
  free(name), free(methods);
  return typeset;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Different values in ascending order, in place; returns how many. */
static long long distinct(double *value, long long count) {
  long long kept = 0;
  qsort(value, (size_t)count, sizeof *value, ascending);
  for (long long k = 0; k < count; k++)
    if (isfinite(value[k]) && (kept == 0 || value[k] != value[kept - 1])) value[kept++] = value[k];
  return kept;
}

/* The values of an axis: of the cases that ended well. NULL: no memory. */
double *cases_values(const cases_numbers *numbers, long long *count) {
  double *value = malloc((size_t)numbers->cases * sizeof *value);
  *count = 0;
  for (long long k = 0; k < numbers->cases && value; k++)
    if (isfinite(numbers->value[k])) value[(*count)++] = numbers->value[k];
  *count = value ? distinct(value, *count) : 0;
  return value;
}

/* The place of a value among those of an axis; -1: it is no number. */
static long long place_of(const double *axis, long long count, double value) {
  if (!isfinite(value)) return -1; /* `ascending` calls it equal to anything */
  const double *found = bsearch(&value, axis, (size_t)count, sizeof *axis, ascending);
  return found ? found - axis : -1;
}

/* Cases without a value on both axes are in no mean. */
static rattle_status add_means(cases_grid *grid, const cases_numbers column[3],
                               rattle_error *error) {
  const size_t cells = (size_t)(grid->count[0] * grid->count[1]);
  long long *cases = calloc(cells, sizeof *cases);
  grid->mean = calloc(cells, sizeof *grid->mean);
  if (!cases || !grid->mean) {
    free(cases);
    return text_no_memory(error);
  }
  for (long long k = 0; k < column[2].cases; k++) {
    const double value = column[2].value[k];
    const long long x = place_of(grid->axis[0], grid->count[0], column[0].value[k]),
                    y = place_of(grid->axis[1], grid->count[1], column[1].value[k]);
    if (!isfinite(value) || x < 0 || y < 0) continue;
    const size_t cell = (size_t)(y * grid->count[0] + x);
    grid->mean[cell] += value, cases[cell]++, grid->cases++;
  }
  for (size_t i = 0; i < cells; i++)
    grid->mean[i] = cases[i] ? grid->mean[i] / (double)cases[i] : (double)NAN;
  free(cases);
  return RATTLE_OK;
}

rattle_status cases_grid_make(cases_grid *grid, const plot_request *request, const char *z,
                              long long most, rattle_error *error) {
  const plot_source *source = &request->source[0];
  const char *names[3] = {cases_axis(source, request->x), cases_axis(source, request->y), z};
  const cases_numbers *column = grid->column;
  rattle_status status = RATTLE_OK;
  *grid = (cases_grid){0};
  for (int i = 0; i < 3 && !status; i++)
    status = cases_read(&grid->column[i], source, names[i], i, error);
  if (status) return status;
  for (int i = 0; i < 3; i++)
    if (column[i].width > 1)
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "column %s has %d numbers for each case; a heat map, or a table of two "
                       "columns, takes one",
                       column[i].name, column[i].width);
  for (int i = 0; i < 2; i++) {
    grid->axis[i] = cases_values(&column[i], &grid->count[i]);
    if (!grid->axis[i]) return text_no_memory(error);
    if (!grid->count[i])
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s has no finite number in column %s, which cannot be an axis then",
                       source->path, column[i].name);
  }
  if ((double)grid->count[0] * (double)grid->count[1] > (double)most)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s and %s have %lld and %lld values, more than %lld cells: that needs a "
                     "grid, as --set makes it",
                     column[0].name, column[1].name, grid->count[0], grid->count[1], most);
  return add_means(grid, column, error);
}

void cases_grid_free(cases_grid *grid) {
  for (int i = 0; i < 3; i++) free(grid->column[i].value);
  free(grid->axis[0]), free(grid->axis[1]), free(grid->mean);
  *grid = (cases_grid){0};
}
