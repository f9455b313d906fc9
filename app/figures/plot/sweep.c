/* Figures of sweeps: columns against one another, histograms, heat maps, trajectories over each
 * other. Cases that failed are not drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"

enum {
  BLOCK = 512,
  MOST_PATHS = 200,
  MOST_BINS = 200,
  MOST_CELLS = 250000,
  MOST_POINTS = 100000,
  CELLS = 400
};

/* A column of a sweep: `width` numbers for each case, NaN where there is none. */
typedef struct sweep_numbers {
  long long cases, good; /* good: that ended well */
  int width;
  double *value; /* [cases*width] */
  const char *name;
} sweep_numbers;

/* The column by its name, or by what follows "set:" or "start:"; NULL: the k-th one. */
static int find_column(const rattle_cases_about *about, const char *name, int k) {
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

static rattle_status read_numbers(sweep_numbers *numbers, const plot_source *source,
                                  const char *name, int k, rattle_error *error) {
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const int width = rattle_cases_width(source->cases), c = find_column(about, name, k),
            s = find_column(about, "status", 0);
  if (c < 0) return no_column(source, name ? name : "?", error);
  int at = 0, at_status = 0;
  for (int i = 0; i < c; i++) at += about->column[i].width;
  for (int i = 0; i < s; i++) at_status += about->column[i].width;
  *numbers = (sweep_numbers){
      .cases = about->cases, .width = about->column[c].width, .name = about->column[c].name};
  numbers->value = malloc((size_t)about->cases * (size_t)numbers->width * sizeof *numbers->value);
  double *row = malloc((size_t)BLOCK * (size_t)width * sizeof *row);
  signed char there[BLOCK];
  rattle_status status = row && numbers->value ? RATTLE_OK : text_no_memory(error);
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

static char *symbol_of(const char *name) {
  const char *colon = strchr(name, ':');
  return !strcmp(name, "status") || !strcmp(name, "steps") ? strdup(name)
                                                           : plot_symbol(colon ? colon + 1 : name);
}

/* The first column that is no input and none of those that every sweep has. */
static const char *first_result(const rattle_cases_about *about) {
  static const char *const all[] = {"method", "step", "status", "time",   "steps", "energy_error",
                                    "g",      "psi",  "chain",  "sample", "H",     "work",
                                    "balance"};
  for (int c = 0; c < about->columns; c++) {
    int known =
        !strncmp(about->column[c].name, "set:", 4) || !strncmp(about->column[c].name, "start:", 6);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      known |= !strcmp(about->column[c].name, all[i]);
    if (!known) return about->column[c].name;
  }
  return "energy_error";
}

static rattle_status set_labels(plot_figure *figure, const char *x, const char *y,
                                rattle_error *error) {
  if (!figure->x.label) figure->x.label = symbol_of(x);
  if (!figure->y.label) figure->y.label = symbol_of(y);
  return figure->x.label && figure->y.label ? RATTLE_OK : text_no_memory(error);
}

static void set_logs(plot_figure *figure, const plot_request *request) {
  figure->x.log = request->log_x > 0, figure->y.log = request->log_y > 0;
}

/* Point i of all cases; 0: there is none. */
static int point_of(const sweep_numbers *x, const sweep_numbers *y, long long i, double to[2]) {
  to[0] = x->value[i / y->width], to[1] = y->value[i];
  return isfinite(to[0]) && isfinite(to[1]);
}

/* All points, or where there are very many one of each cell. */
static rattle_status add_points(plot_curve *curve, const plot_figure *figure,
                                const sweep_numbers *x, const sweep_numbers *y,
                                rattle_error *error) {
  const long long count = x->cases * y->width;
  const int log[2] = {figure->x.log, figure->y.log},
            thin = count > MOST_POINTS && curve->drawn == PLOT_POINTS;
  plot_raster raster = {0};
  int failed = thin && plot_raster_begin(&raster, CELLS);
  double to[2];
  for (int round = !thin; round < 2 && !failed; round++)
    for (long long i = 0; i < count && !failed; i++) {
      if (!point_of(x, y, i, to)) continue;
      const double at[2] = {log[0] ? log10(fabs(to[0])) : to[0],
                            log[1] ? log10(fabs(to[1])) : to[1]};
      if (round == 0)
        plot_raster_stretch(&raster, at);
      else if (!thin || plot_raster_takes(&raster, at))
        failed = plot_add_point(curve, to[0], to[1]);
    }
  plot_raster_end(&raster);
  return failed ? text_no_memory(error) : RATTLE_OK;
}

/* Points: each number of a case against its abscissa. Points of an event against a parameter make a
 * bifurcation diagram. */
rattle_status plot_cases(plot_figure *figure, const plot_request *request, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  set_logs(figure, request);
  for (int s = 0; s < request->sources && !status; s++) {
    const plot_source *source = &request->source[s];
    sweep_numbers x = {0}, y = {0};
    status = read_numbers(&x, source, request->x, 0, error);
    if (!status)
      status = read_numbers(
          &y, source, request->y ? request->y : first_result(rattle_cases_about_of(source->cases)),
          0, error);
    if (!status && x.width > 1)
      status = text_fail(
          error, RATTLE_BAD_ARGUMENT,
          "--x %s: the column has %d numbers for each case, the horizontal axis takes one", x.name,
          x.width);
    if (!status) status = set_labels(figure, x.name, y.name, error);
    plot_curve *curve = status ? NULL
                               : plot_add_curve(figure, request->sources > 1 ? source->label : NULL,
                                                request->drawn ? request->drawn : PLOT_POINTS);
    if (!status && !curve) status = text_no_memory(error);
    if (!status) status = add_points(curve, figure, &x, &y, error);
    figure->samples += y.good;
    free(x.value), free(y.value);
  }
  return status;
}

/* Trajectories over each other: samples of cases, at most some hundred of them, evenly chosen. */
rattle_status plot_fan(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const plot_source *source = &request->source[0];
  sweep_numbers x = {0}, y = {0};
  if (!request->y)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style fan needs --y NAME, a column samples:NAME of %s", source->path);
  rattle_status status = read_numbers(&y, source, request->y, 0, error);
  const char *of = strchr(request->y, ':');
  char *time = of ? plot_printf("%.*s:time", (int)(of - request->y), request->y) : NULL;
  if (!status && (request->x || time))
    status = read_numbers(&x, source, request->x ? request->x : time, 0, error);
  if (!status && (!x.value || x.width != y.width || y.width < 2))
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--style fan: %s has no column of %d times for %s; keep samples (--keep "
                       "samples), or name it with --x",
                       source->path, y.width, y.name);
  if (!status) status = set_labels(figure, "t", y.name, error);
  set_logs(figure, request);
  const long long every = 1 + (y.good - 1) / MOST_PATHS;
  long long good = 0;
  for (long long k = 0; k < y.cases && !status; k++) {
    if (isnan(y.value[k * y.width]) || good++ % every) continue;
    plot_curve *curve = plot_add_curve(figure, NULL,
                                       request->drawn ? request->drawn
                                       : y.good > 10  ? PLOT_THIN
                                                      : PLOT_LINES);
    if (!curve)
      status = text_no_memory(error);
    else
      curve->colour = 0;
    for (int j = 0; j < y.width && !status; j++)
      if (isfinite(y.value[k * y.width + j]) &&
          plot_add_point(curve, x.value[k * x.width + j], y.value[k * y.width + j]))
        status = text_no_memory(error);
    figure->samples++;
  }
  free(time), free(x.value), free(y.value);
  return status;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The border before bin k of `bins` between the first and the last of sorted values; where they are
 * equal, of one bin of width 1. */
static double border(const double *value, long long count, int bins, long long k) {
  const double low = value[0], high = value[count - 1], part = (double)k / bins;
  return low < high ? low * (1 - part) + high * part : low + part;
}

/* The outline of a histogram; as many bins as D. Freedman and P. Diaconis say (Z.
 * Wahrscheinlichkeitstheorie 57 (1981) 453), and at least as H. A. Sturges says (J. Amer. Statist.
 * Assoc. 21 (1926) 65). */
static rattle_status outline(plot_figure *figure, const plot_source *source,
                             const plot_request *request, const double *value, long long count,
                             rattle_error *error) {
  const double low = value[0], high = value[count - 1], range = high - low;
  const double spread = value[3 * count / 4] - value[count / 4],
               width = 2 * spread / cbrt((double)count);
  const double wanted =
      range > 0 ? fmax(width > 0 ? ceil(range / width) : 1, ceil(log2((double)count)) + 1) : 1;
  const int bins = wanted < MOST_BINS ? (int)fmax(wanted, 1) : MOST_BINS;
  plot_curve *curve =
      plot_add_curve(figure, request->sources > 1 ? source->label : NULL, PLOT_LINES);
  int failed = !curve || plot_add_point(curve, low, 0);
  for (long long at = 0, bin = 0; bin < bins && !failed; bin++) {
    long long inside = 0;
    for (; at < count && (bin == bins - 1 || value[at] < border(value, count, bins, bin + 1)); at++)
      inside++;
    failed = plot_add_point(curve, border(value, count, bins, bin), (double)inside) ||
             plot_add_point(curve, border(value, count, bins, bin + 1), (double)inside);
  }
  failed = failed || plot_add_point(curve, border(value, count, bins, bins), 0);
  return failed ? text_no_memory(error) : RATTLE_OK;
}

rattle_status plot_histogram(plot_figure *figure, const plot_request *request,
                             rattle_error *error) {
  rattle_status status = RATTLE_OK;
  figure->y.label = strdup("cases");
  set_logs(figure, request);
  for (int s = 0; s < request->sources && !status; s++) {
    const plot_source *source = &request->source[s];
    const char *name = request->y   ? request->y
                       : request->x ? request->x
                                    : first_result(rattle_cases_about_of(source->cases));
    sweep_numbers y = {0};
    long long count = 0;
    status = read_numbers(&y, source, name, 0, error);
    for (long long k = 0; k < y.cases * y.width && !status; k++)
      if (isfinite(y.value[k])) y.value[count++] = y.value[k];
    if (!status && !count)
      status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no finite number in column %s",
                         source->path, y.name);
    if (!status) status = set_labels(figure, y.name, "cases", error);
    if (!status) qsort(y.value, (size_t)count, sizeof *y.value, ascending);
    if (!status) status = outline(figure, source, request, y.value, count, error);
    figure->samples += y.good;
    free(y.value);
  }
  return status;
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
static double *axis_of(const sweep_numbers *numbers, long long *count) {
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

/* The edge before cell k of an axis: half way from its neighbour. */
static double edge(const double *axis, long long count, long long k) {
  if (count == 1) return axis[0] + (k ? 0.5 : -0.5);
  if (k == 0) return axis[0] - (axis[1] - axis[0]) / 2;
  return k == count ? axis[k - 1] + (axis[k - 1] - axis[k - 2]) / 2 : (axis[k - 1] + axis[k]) / 2;
}

/* Cells in the colours of their means; cases without a value on both axes are in none. */
static rattle_status add_cells(plot_figure *figure, const sweep_numbers column[3],
                               const double *const axis[2], const long long count[2],
                               rattle_error *error) {
  const size_t cells = (size_t)(count[0] * count[1]);
  double *sum = calloc(2 * cells, sizeof *sum);
  figure->cell = malloc(cells * sizeof *figure->cell);
  if (!sum || !figure->cell) {
    free(sum);
    return text_no_memory(error);
  }
  for (long long k = 0; k < column[2].cases; k++) {
    const double value = column[2].value[k];
    if (!isfinite(value)) continue;
    const long long x = place_of(axis[0], count[0], column[0].value[k]),
                    y = place_of(axis[1], count[1], column[1].value[k]);
    if (x < 0 || y < 0) continue;
    const size_t cell = (size_t)(y * count[0] + x);
    sum[2 * cell] += value, sum[2 * cell + 1] += 1, figure->samples++;
  }
  for (size_t i = 0; i < cells; i++) {
    const long long x = (long long)i % count[0], y = (long long)i / count[0];
    if (sum[2 * i + 1] > 0)
      figure->cell[figure->cells++] =
          (plot_cell){{edge(axis[0], count[0], x), edge(axis[0], count[0], x + 1)},
                      {edge(axis[1], count[1], y), edge(axis[1], count[1], y + 1)},
                      sum[2 * i] / sum[2 * i + 1]};
  }
  figure->x.low = edge(axis[0], count[0], 0), figure->x.high = edge(axis[0], count[0], count[0]);
  figure->y.low = edge(axis[1], count[1], 0), figure->y.high = edge(axis[1], count[1], count[1]);
  free(sum);
  return RATTLE_OK;
}

rattle_status plot_heat(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const plot_source *source = &request->source[0];
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const char *names[3] = {request->x, request->y, request->z ? request->z : first_result(about)};
  sweep_numbers column[3] = {{0}};
  double *axis[2] = {NULL, NULL};
  long long count[2] = {0, 0};
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < 3 && !status; i++)
    status = read_numbers(&column[i], source, names[i], i, error);
  for (int i = 0; i < 3 && !status; i++)
    if (column[i].width > 1)
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         "column %s has %d numbers for each case; a heat map takes one",
                         column[i].name, column[i].width);
  for (int i = 0; i < 2 && !status; i++)
    if (!(axis[i] = axis_of(&column[i], &count[i]))) status = text_no_memory(error);
  for (int i = 0; i < 2 && !status; i++)
    if (!count[i])
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         "%s has no finite number in column %s, which cannot be an axis then",
                         source->path, column[i].name);
  if (!status && (double)count[0] * (double)count[1] > MOST_CELLS)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "%s and %s have %lld and %lld values, more than %d cells: a heat map needs "
                       "a grid, as --set makes it",
                       column[0].name, column[1].name, count[0], count[1], MOST_CELLS);
  if (!status) status = set_labels(figure, column[0].name, column[1].name, error);
  if (!status && !(figure->cell_label = symbol_of(column[2].name))) status = text_no_memory(error);
  if (!status) status = add_cells(figure, column, (const double *const *)axis, count, error);
  for (int i = 0; i < 3; i++) free(column[i].value);
  free(axis[0]), free(axis[1]);
  return status;
}
