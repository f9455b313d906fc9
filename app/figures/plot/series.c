/* Quantities against time (or against any other column that x names): energy, residuals,
 * multipliers, any columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/envelope.h"
#include "figures/plot/plot.h"

enum { BINS = 2000, BLOCK = 32768, MOST_CURVES = 8 };

/* True if most bins share more than half of their range with the next one: a curve through them
 * would cover what is between its lowest and its highest points. */
static int covers(const envelope *e) {
  int shared = 0;
  for (int i = 0; i + 1 < e->bins; i++) {
    const envelope_bin *a = &e->bin[i], *b = &e->bin[i + 1];
    if (isnan(a->low) || isnan(b->low)) return 0;
    const double common = fmin(a->high, b->high) - fmax(a->low, b->low);
    shared += common > fmin(a->high - a->low, b->high - b->low) / 2;
  }
  return 2 * shared > e->bins;
}

/* Along the lowest points, and back along the highest. */
static int put_band(plot_curve *curve, const envelope *e) {
  curve->drawn = PLOT_BAND;
  for (int i = 0; i < e->bins; i++)
    if (plot_add_point(curve, e->bin[i].x_low, e->bin[i].low)) return -1;
  for (int i = e->bins - 1; i >= 0; i--)
    if (plot_add_point(curve, e->bin[i].x_high, e->bin[i].high)) return -1;
  return 0;
}

/* On a logarithmic axis only the largest of a bin is drawn: the size of an error that oscillates
 * through 0. */
static int put_bins(plot_curve *curve, const envelope *e, int log) {
  if (e->stride > 1 && !log && curve->drawn == PLOT_LINES && covers(e)) return put_band(curve, e);
  for (int i = 0; i < e->bins; i++) {
    const envelope_bin *bin = &e->bin[i];
    int failed;
    if (e->stride == 1 || log || bin->x_low == bin->x_high)
      failed = plot_add_point(curve, bin->x_high, bin->high);
    else if (bin->high_first)
      failed = plot_add_point(curve, bin->x_high, bin->high) ||
               plot_add_point(curve, bin->x_low, bin->low);
    else
      failed = plot_add_point(curve, bin->x_low, bin->low) ||
               plot_add_point(curve, bin->x_high, bin->high);
    if (failed) return -1;
  }
  return 0;
}

static void widen(plot_axis *axis, double value) {
  if (!isfinite(value)) return;
  axis->low = fmin(axis->low, value); /* of a NaN and a number fmin gives the number */
  axis->high = fmax(axis->high, value);
}

/* The samples of two channels, in blocks, into an envelope. */
static rattle_status gather(envelope *e, plot_axis *axis, const plot_source *source,
                            const plot_channel *x, const plot_channel *y, int log,
                            rattle_error *error) {
  double *block = malloc(2 * BLOCK * sizeof *block);
  rattle_status status = block ? RATTLE_OK : text_no_memory(error);
  for (long long done = 0; done < source->count && !status; done += BLOCK) {
    long long part = source->count - done < BLOCK ? source->count - done : BLOCK;
    status = plot_read_channel(x, source, done, part, block, error);
    if (!status) status = plot_read_channel(y, source, done, part, block + BLOCK, error);
    for (long long i = 0; i < part && !status && !axis->log; i++) widen(axis, block[i]);
    /* the error of the start is 0 by its definition: nothing to show on a logarithmic axis */
    if (!status && log && done == 0 && source->first == 0 && y->column.quantity == RATTLE_ENERGY &&
        block[BLOCK] == 0)
      block[BLOCK] = (double)NAN;
    for (long long i = 0; i < part && !status; i++)
      envelope_add(e, block[i], log ? fabs(block[BLOCK + i]) : block[BLOCK + i]);
  }
  free(block);
  return status;
}

/* Residuals at round-off come and go with exact zeros: they are drawn as points. */
static plot_drawn drawn_as(const plot_request *request, const plot_channel *y, int log) {
  int residual = y->column.quantity == RATTLE_CONSTRAINT || y->column.quantity == RATTLE_HIDDEN;
  return request->drawn ? request->drawn : residual && log ? PLOT_POINTS : PLOT_LINES;
}

static rattle_status add_series(plot_figure *figure, const plot_request *request,
                                const plot_source *source, const plot_channel *x,
                                const plot_channel *y, const char *label, rattle_error *error) {
  envelope e;
  if (envelope_begin(&e, BINS)) return text_no_memory(error);
  rattle_status status = gather(&e, &figure->x, source, x, y, figure->y.log, error);
  plot_curve *curve =
      status ? NULL : plot_add_curve(figure, label, drawn_as(request, y, figure->y.log));
  if (!status && (!curve || put_bins(curve, &e, figure->y.log))) status = text_no_memory(error);
  figure->samples += source->count;
  envelope_end(&e);
  return status;
}

/* One curve for each record and name. names: a list. */
static rattle_status draw_names(plot_figure *figure, const plot_request *request, const char *names,
                                rattle_error *error) {
  int choice = strchr(names, ',') != NULL;
  rattle_status status = RATTLE_OK;
  if (choice && !figure->y.label) figure->y.label = plot_family(names);
  for (int s = 0; s < request->sources && !status; s++) {
    const plot_source *source = &request->source[s];
    for (const char *list = names; list && !status;) {
      plot_channel x = {.factor = 1}, y = {.factor = 1};
      char *name = plot_next_name(&list), *label = NULL;
      status = name ? plot_find_channel(&x, source, request->x ? request->x : "time", error)
                    : text_no_memory(error);
      if (!status) status = plot_find_channel(&y, source, name, error);
      if (!status) label = plot_curve_label(request, source, y.label, choice);
      if (!status) plot_label_axis(&figure->x, &x);
      if (!status && !choice) plot_label_axis(&figure->y, &y);
      if (!status) status = add_series(figure, request, source, &x, &y, label, error);
      plot_free_channel(&x), plot_free_channel(&y), free(name), free(label);
    }
  }
  return status;
}

static void choose_logs(plot_figure *figure, const plot_request *request, int log_y) {
  figure->x.log = request->log_x > 0;
  figure->y.log = request->log_y < 0 ? log_y : request->log_y;
}

/* Round-off of the energy: a line for the eye, where errors come near it. */
static rattle_status guide(plot_figure *figure, const plot_request *request, int relative,
                           rattle_error *error) {
  double scale = fabs(request->source[0].info->initial_energy),
         level = ldexp(relative ? 1 : scale, -52), least = (double)INFINITY;
  if (!figure->y.log || figure->x.log || !(scale > 0)) return RATTLE_OK;
  for (int c = 0; c < figure->curves; c++)
    for (size_t i = 0; i < figure->curve[c].count; i++)
      if (figure->curve[c].xy[2 * i + 1] > 0) least = fmin(least, figure->curve[c].xy[2 * i + 1]);
  if (!(least < 1000 * level)) return RATTLE_OK;
  plot_curve *curve =
      plot_add_curve(figure, relative ? "2^{−52}" : "2^{−52}|{/:Italic H}_0|", PLOT_GUIDE);
  if (!curve || plot_add_point(curve, figure->x.low, level) ||
      plot_add_point(curve, figure->x.high, level))
    return text_no_memory(error);
  return RATTLE_OK;
}

rattle_status plot_energy(plot_figure *figure, const plot_request *request, rattle_error *error) {
  int work = request->sources > 0;
  for (int s = 0; s < request->sources; s++) work &= request->source[s].info->has_work;
  const char *names = request->y ? request->y
                      : work     ? "rattle:H,rattle:work,rattle:balance"
                                 : "energy_error";
  if (work && !request->y && !figure->y.label) figure->y.label = plot_printf("energy");
  choose_logs(figure, request, 0);
  rattle_status status = draw_names(figure, request, names, error);
  int relative = !strcmp(names, "relative_energy_error");
  if (!status && (relative || !strcmp(names, "energy_error")))
    status = guide(figure, request, relative, error);
  return status;
}

static rattle_status needs_constraints(const plot_request *request, rattle_error *error) {
  for (int s = 0; s < request->sources; s++)
    if (request->source[s].info->m == 0)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--style %s: the model of %s has no constraints",
                       request->style, request->source[s].path);
  return RATTLE_OK;
}

rattle_status plot_residuals(plot_figure *figure, const plot_request *request,
                             rattle_error *error) {
  rattle_status status = needs_constraints(request, error);
  if (status) return status;
  choose_logs(figure, request, 1);
  figure->y.label = plot_printf("residual");
  return draw_names(figure, request, request->y ? request->y : "g,psi", error);
}

/* Names joined to a list, at most MOST_CURVES of them; *left: how many were omitted. */
static char *join(const char *format, const char *const *names, int count, int *left) {
  char *list = strdup("");
  int most = count < MOST_CURVES ? count : MOST_CURVES;
  *left = count - most;
  for (int i = 0; i < most && list; i++) {
    char *name = plot_printf(format, names[i]),
         *longer = name ? plot_printf("%s%s%s", list, i ? "," : "", name) : NULL;
    free(name), free(list);
    list = longer;
  }
  return list;
}

static rattle_status draw_default(plot_figure *figure, const plot_request *request,
                                  const char *format, const char *const *names, int count,
                                  rattle_error *error) {
  int left = 0;
  char *list = request->y ? strdup(request->y) : join(format, names, count, &left);
  if (!list) return text_no_memory(error);
  rattle_status status = draw_names(figure, request, list, error);
  if (left > 0)
    snprintf(figure->remark, sizeof figure->remark, "the first %d of %d; choose others with --y",
             MOST_CURVES, count);
  free(list);
  return status;
}

rattle_status plot_multipliers(plot_figure *figure, const plot_request *request,
                               rattle_error *error) {
  const rattle_record_info *info = request->source[0].info;
  rattle_status status = needs_constraints(request, error);
  if (status) return status;
  choose_logs(figure, request, 0);
  return draw_default(figure, request, "lambda[%s]", info->constraint_names, info->m, error);
}

/* The observables of the model; if it has none, its coordinates. */
rattle_status plot_series(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_record_info *info = request->source[0].info;
  choose_logs(figure, request, 0);
  return info->observables > 0
             ? draw_default(figure, request, "%s", info->observable_names, info->observables, error)
             : draw_default(figure, request, "%s", info->coordinate_names, info->n, error);
}
