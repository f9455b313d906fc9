/* Figures of sweeps: columns against one another, histograms, heat maps, trajectories over each
 * other. Cases that failed are not drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/cases.h"

enum {
  MOST_PATHS = 200,
  MOST_BINS = 200,
  MOST_CELLS = 250000,
  MOST_POINTS = 100000,
  CELLS = 400,
  MOST_GROUPS = 12
};

static rattle_status set_labels(plot_figure *figure, const char *x, const char *y,
                                rattle_error *error) {
  if (!figure->x.label) figure->x.label = cases_symbol(x);
  if (!figure->y.label) figure->y.label = cases_symbol(y);
  return figure->x.label && figure->y.label ? RATTLE_OK : text_no_memory(error);
}

static void set_logs(plot_figure *figure, const plot_request *request) {
  figure->x.log = request->log_x > 0, figure->y.log = request->log_y > 0;
}

/* Point i of all cases; 0: there is none. */
static int point_of(const cases_numbers *x, const cases_numbers *y, long long i, double to[2]) {
  to[0] = x->value[i / y->width], to[1] = y->value[i];
  return isfinite(to[0]) && isfinite(to[1]);
}

/* All points, or where there are very many one of each cell. */
static rattle_status add_points(plot_curve *curve, const plot_figure *figure,
                                const cases_numbers *x, const cases_numbers *y,
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

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A curve for each value of z, its points in order along x. */
static rattle_status add_groups(plot_figure *figure, const plot_request *request,
                                const plot_source *source, const cases_numbers *x,
                                const cases_numbers *y, rattle_error *error) {
  cases_numbers z = {0}, part = *y;
  long long values = 0;
  rattle_status status = cases_read(&z, source, cases_axis(source, request->z), 0, error);
  double *value = !status && z.width == 1 ? cases_values(&z, &values) : NULL;
  part.value = malloc((size_t)(y->cases * y->width) * sizeof *part.value);
  if (!status && z.width > 1)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--z %s: the column has %d numbers for each case; a curve needs one", z.name,
                       z.width);
  if (!status && (!value || !part.value)) status = text_no_memory(error);
  if (!status && values > MOST_GROUPS)
    status = text_fail(error, RATTLE_BAD_ARGUMENT,
                       "--z %s has %lld values, each of them a curve, and a figure shows %d: draw "
                       "--style heat",
                       z.name, values, MOST_GROUPS);
  for (long long g = 0; g < values && !status; g++) {
    char *symbol = cases_symbol(z.name),
         *label = !strcmp(z.name, "method")
                      ? cases_method(rattle_cases_about_of(source->cases), value[g])
                  : symbol ? plot_printf("%s = %.6g", symbol, value[g])
                           : NULL,
         *full = label && request->sources > 1 ? plot_printf("%s, %s", label, source->label)
                 : label                       ? strdup(label)
                                               : NULL;
    plot_curve *curve = full ? plot_add_curve(figure, full,
                                              request->drawn ? request->drawn
                                              : y->width > 1 ? PLOT_POINTS
                                                             : PLOT_MARKED)
                             : NULL;
    for (long long i = 0; i < y->cases * y->width; i++)
      part.value[i] = z.value[i / y->width] == value[g] ? y->value[i] : (double)NAN;
    status = curve ? add_points(curve, figure, x, &part, error) : text_no_memory(error);
    if (!status) qsort(curve->xy, curve->count, 2 * sizeof *curve->xy, ascending);
    free(symbol), free(label), free(full);
  }
  free(z.value), free(value), free(part.value);
  return status;
}

/* Points: each number of a case against its abscissa. Points of an event against a parameter make a
 * bifurcation diagram. */
static rattle_status add_source(plot_figure *figure, const plot_request *request,
                                const plot_source *source, const cases_numbers *x,
                                const cases_numbers *y, rattle_error *error) {
  if (request->z) return add_groups(figure, request, source, x, y, error);
  plot_curve *curve = plot_add_curve(figure, request->sources > 1 ? source->label : NULL,
                                     request->drawn ? request->drawn : PLOT_POINTS);
  return curve ? add_points(curve, figure, x, y, error) : text_no_memory(error);
}

rattle_status plot_cases(plot_figure *figure, const plot_request *request, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  set_logs(figure, request);
  for (int s = 0; s < request->sources && !status; s++) {
    const plot_source *source = &request->source[s];
    cases_numbers x = {0}, y = {0};
    status = cases_read(&x, source, cases_axis(source, request->x), 0, error);
    if (!status)
      status = cases_read(&y, source,
                          request->y ? request->y
                                     : cases_first_result(rattle_cases_about_of(source->cases)),
                          0, error);
    if (!status && x.width > 1)
      status = text_fail(
          error, RATTLE_BAD_ARGUMENT,
          "--x %s: the column has %d numbers for each case, the horizontal axis takes one", x.name,
          x.width);
    if (!status) status = set_labels(figure, x.name, y.name, error);
    if (!status) status = add_source(figure, request, source, &x, &y, error);
    figure->samples += y.good;
    free(x.value), free(y.value);
  }
  return status;
}

/* Trajectories over each other: samples of cases, at most some hundred of them, evenly chosen. */
rattle_status plot_fan(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const plot_source *source = &request->source[0];
  cases_numbers x = {0}, y = {0};
  if (!request->y)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style fan needs --y NAME, a column samples:NAME of %s", source->path);
  rattle_status status = cases_read(&y, source, request->y, 0, error);
  const char *of = strchr(request->y, ':');
  char *time = of ? plot_printf("%.*s:time", (int)(of - request->y), request->y) : NULL;
  if (!status && (request->x || time))
    status = cases_read(&x, source, request->x ? request->x : time, 0, error);
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
                                    : cases_first_result(rattle_cases_about_of(source->cases));
    cases_numbers y = {0};
    long long count = 0;
    status = cases_read(&y, source, name, 0, error);
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

/* The edge before cell k of an axis: half way from its neighbour. */
static double edge(const double *axis, long long count, long long k) {
  if (count == 1) return axis[0] + (k ? 0.5 : -0.5);
  if (k == 0) return axis[0] - (axis[1] - axis[0]) / 2;
  return k == count ? axis[k - 1] + (axis[k - 1] - axis[k - 2]) / 2 : (axis[k - 1] + axis[k]) / 2;
}

/* Cells in the colours of their means. */
static rattle_status add_cells(plot_figure *figure, const cases_grid *grid, rattle_error *error) {
  const double *x = grid->axis[0], *y = grid->axis[1];
  const long long *count = grid->count;
  figure->cell = malloc((size_t)(count[0] * count[1]) * sizeof *figure->cell);
  if (!figure->cell) return text_no_memory(error);
  for (long long j = 0; j < count[1]; j++)
    for (long long i = 0; i < count[0]; i++)
      if (!isnan(grid->mean[j * count[0] + i]))
        figure->cell[figure->cells++] =
            (plot_cell){{edge(x, count[0], i), edge(x, count[0], i + 1)},
                        {edge(y, count[1], j), edge(y, count[1], j + 1)},
                        grid->mean[j * count[0] + i]};
  figure->x.low = edge(x, count[0], 0), figure->x.high = edge(x, count[0], count[0]);
  figure->y.low = edge(y, count[1], 0), figure->y.high = edge(y, count[1], count[1]);
  figure->samples = grid->cases;
  return RATTLE_OK;
}

rattle_status plot_heat(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const plot_source *source = &request->source[0];
  const rattle_cases_about *about = rattle_cases_about_of(source->cases);
  const char *z = request->z ? request->z : cases_first_result(about);
  cases_grid grid;
  rattle_status status = cases_grid_make(&grid, request, z, MOST_CELLS, error);
  if (!status) status = set_labels(figure, grid.column[0].name, grid.column[1].name, error);
  if (!status && !(figure->cell_label = cases_symbol(grid.column[2].name)))
    status = text_no_memory(error);
  if (!status) status = add_cells(figure, &grid, error);
  cases_grid_free(&grid);
  return status;
}
