/* Figures of studies: errors against steps, against work, against time. One curve for each method
 * of each study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"

/* Columns of the tables as they are typeset. */
static const struct {
  const char *name, *symbol;
} symbols[] = {{"step", "|{/:Italic h}|"},
               {"steps", "steps"},
               {"maps", "base maps applied"},
               {"gradient", "gradients of {/:Italic H}"},
               {"hessian", "Hessians of {/:Italic H}"},
               {"newton_iterations", "Newton iterations"},
               {"cpu_seconds", "CPU time in seconds"},
               {"time", "{/:Italic t}"},
               {"error", "relative error"},
               {"error_q", "error of {/:Italic q}"},
               {"error_p", "error of {/:Italic p}"},
               {"energy", "max |{/:Italic H}\u00a0−\u00a0{/:Italic H}_0|"},
               {"g", "max |{/:Italic g}|"},
               {"psi", "max |{/:Italic ψ}|"}};

char *plot_study_symbol(const rattle_study_result *result, const char *name) {
  /* studies of work have the energy error relative to the energies */
  if (!strcmp(name, "energy") && result->kind == RATTLE_STUDY_WORK)
    return strdup("relative energy error");
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (!strcmp(symbols[i].name, name)) return strdup(symbols[i].symbol);
  return plot_plain(name);
}

static char *symbol_of(const plot_request *request, const char *name) {
  return plot_study_symbol(rattle_study_result_of(request->source[0].study), name);
}

static int has_column(const rattle_study_table *table, const char *name) {
  for (int c = 0; table && c < table->columns; c++)
    if (!strcmp(table->column[c], name)) return 1;
  return 0;
}

/* "maps" is made of what is there, where a table does not have it: steps times the stages of the
 * method. */
static double entry(const rattle_study_method *method, const rattle_study_table *table, int row,
                    const char *name) {
  if (!strcmp(name, "maps") && !has_column(table, "maps"))
    return rattle_study_entry(table, row, "steps") *
           (method->claims.stages > 0 ? method->claims.stages : 1);
  return rattle_study_entry(table, row, name);
}

typedef struct plot_study {
  const char *table, *x, *y, *fit; /* fit: whose slope is in the legend, NULL: none */
  plot_drawn drawn;
  int choice; /* of several quantities: legends name each */
  int plain;  /* 1: linear axes unless others are asked for, signs and all */
} plot_study;

/* "method", "method, slope 2.00", "method, file", "method, quantity", as far as there is a
 * choice. */
static char *label_of(const plot_request *request, const plot_source *source,
                      const rattle_study_method *method, const plot_study *what,
                      const char *quantity) {
  char slope[48] = "", *name = plot_plain(method->method), *text = NULL;
  const rattle_study_fit *fit = what->fit ? rattle_study_find_fit(method, what->fit) : NULL;
  if (fit && isfinite(fit->slope))
    snprintf(slope, sizeof slope, ", {/:Italic %s}^{%.2f}", strcmp(what->x, "time") ? "h" : "t",
             fit->slope);
  if (name)
    text = plot_printf("%s%s%s%s%s%s", name, slope, quantity ? ", " : "", quantity ? quantity : "",
                       request->sources > 1 || request->legend ? ", " : "",
                       request->sources > 1 || request->legend ? source->label : "");
  free(name);
  return text;
}

/* The points of one method; what cannot be drawn on logarithmic axes is omitted. */
static rattle_status add_method(plot_figure *figure, const plot_request *request,
                                const plot_source *source, const rattle_study_method *method,
                                const plot_study *what, rattle_error *error) {
  const rattle_study_table *table = rattle_study_find_table(method, what->table);
  if (!table || table->rows == 0) return RATTLE_OK;
  char *symbol = symbol_of(request, what->y),
       *label =
           symbol ? label_of(request, source, method, what, what->choice ? symbol : NULL) : NULL;
  plot_curve *curve =
      label ? plot_add_curve(figure, label, request->drawn ? request->drawn : what->drawn) : NULL;
  rattle_status status = curve ? RATTLE_OK : text_no_memory(error);
  for (int row = 0; row < table->rows && !status; row++) {
    double abscissa = entry(method, table, row, what->x),
           value = entry(method, table, row, what->y);
    if (!what->plain) abscissa = fabs(abscissa);
    if (!isfinite(value) || !isfinite(abscissa) || (figure->x.log && abscissa == 0)) continue;
    if (plot_add_point(curve, abscissa, value)) status = text_no_memory(error);
    figure->samples++;
  }
  free(symbol), free(label);
  return status;
}

static rattle_status check_columns(const plot_source *source, const plot_study *what,
                                   rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(source->study);
  int tables = 0;
  for (int i = 0; i < result->methods; i++) {
    const rattle_study_table *table = rattle_study_find_table(&result->method[i], what->table);
    if (!table) continue;
    tables++;
    for (int a = 0; a < 2; a++) {
      const char *name = a ? what->y : what->x;
      if (has_column(table, name) || (!strcmp(name, "maps") && has_column(table, "steps")))
        continue;
      const char *near = cli_nearest(name, table->column, table->columns);
      return text_fail(error, RATTLE_BAD_ARGUMENT,
                       near ? "%s has no column %s; did you mean %s?" : "%s has no column %s%s",
                       source->path, name, near ? near : "");
    }
  }
  if (tables == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s is a study of %s and has no %s to draw",
                     source->path, result->kind_name, what->table);
  return RATTLE_OK;
}

static rattle_status draw(plot_figure *figure, const plot_request *request, plot_study what,
                          rattle_error *error) {
  what.choice = request->y && strchr(request->y, ',') != NULL;
  if (request->x) what.x = request->x;
  figure->x.log = what.plain ? request->log_x > 0 : request->log_x != 0;
  figure->y.log = what.plain ? request->log_y > 0 : request->log_y != 0;
  figure->x.label = symbol_of(request, what.x);
  rattle_status status = figure->x.label ? RATTLE_OK : text_no_memory(error);
  for (const char *list = request->y ? request->y : what.y; list && !status;) {
    char *y = plot_next_name(&list);
    if (!y) return text_no_memory(error);
    what.y = y;
    if (!figure->y.label)
      figure->y.label =
          what.choice ? strdup(what.plain ? "value" : "error") : symbol_of(request, y);
    for (int s = 0; s < request->sources && !status; s++) {
      const rattle_study_result *result = rattle_study_result_of(request->source[s].study);
      status = check_columns(&request->source[s], &what, error);
      for (int i = 0; i < result->methods && !status; i++)
        status = add_method(figure, request, &request->source[s], &result->method[i], &what, error);
    }
    free(y);
  }
  return status;
}

/* A line of slope r through the finest point that the fit used, for each order that a method
 * claims. */
static rattle_status guide_orders(plot_figure *figure, const plot_request *request, const char *y,
                                  rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(request->source[0].study);
  unsigned drawn = 0;
  for (int i = 0; i < result->methods; i++) {
    const rattle_study_method *method = &result->method[i];
    const rattle_study_fit *fit = rattle_study_find_fit(method, y);
    const rattle_study_table *table = rattle_study_find_table(method, "points");
    int order = method->claims.order, finest = -1;
    if (!fit || !table || !isfinite(fit->slope) || order < 1 || order > 31 || drawn >> order & 1)
      continue;
    for (int row = 0; row < table->rows; row++)
      if (fabs(fabs(rattle_study_entry(table, row, "step")) / fit->low - 1) < 1e-6) finest = row;
    if (finest < 0) continue;
    char label[64];
    double h = fit->low, e = rattle_study_entry(table, finest, y), longest = fit->high;
    snprintf(label, sizeof label, "{/:Italic h}^{%d}", order);
    plot_curve *curve = plot_add_curve(figure, label, PLOT_GUIDE);
    /* a little below the points, so that both are seen */
    if (!curve || plot_add_point(curve, h, e / 2) ||
        plot_add_point(curve, longest, e / 2 * pow(longest / h, order)))
      return text_no_memory(error);
    drawn |= 1u << order;
  }
  return RATTLE_OK;
}

rattle_status plot_order(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const char *y = request->y ? request->y : "error";
  rattle_status status =
      draw(figure, request, (plot_study){"points", "step", "error", y, PLOT_MARKED, 0, 0}, error);
  if (!status && !request->x && !strchr(y, ',') && figure->x.log && figure->y.log)
    status = guide_orders(figure, request, y, error);
  return status;
}

rattle_status plot_work(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(request->source[0].study);
  const rattle_study_table *table =
      result->methods > 0 ? rattle_study_find_table(&result->method[0], "points") : NULL;
  return draw(figure, request,
              (plot_study){"points", has_column(table, "gradient") ? "gradient" : "maps", "error",
                           NULL, PLOT_MARKED, 0, 0},
              error);
}

rattle_status plot_growth(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const char *y = request->y ? request->y : "energy";
  return draw(figure, request, (plot_study){"growth", "time", "energy", y, PLOT_LINES, 0, 0},
              error);
}

rattle_status plot_exponents(plot_figure *figure, const plot_request *request,
                             rattle_error *error) {
  return draw(figure, request,
              (plot_study){"exponents", "time", "exponent_1", NULL, PLOT_LINES, 0, 1}, error);
}

rattle_status plot_orbit(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(request->source[0].study);
  const rattle_study_table *table =
      result->methods > 0 ? rattle_study_find_table(&result->method[0], "orbit") : NULL;
  const char *x = table && table->columns > 2 ? table->column[1] : "time",
             *y = table && table->columns > 2 ? table->column[2] : "";
  figure->equal =
      result->n > 1 && !request->x && !request->y && request->log_x <= 0 && request->log_y <= 0;
  return draw(figure, request, (plot_study){"orbit", x, y, NULL, PLOT_LINES, 0, 1}, error);
}

rattle_status plot_continuation(plot_figure *figure, const plot_request *request,
                                rattle_error *error) {
  const rattle_study_result *result = rattle_study_result_of(request->source[0].study);
  if (cli_study_table(result, "family")) return plot_rests(figure, request, error);
  const rattle_study_table *table =
      result->methods > 0 ? rattle_study_find_table(&result->method[0], "family") : NULL;
  const char *x = "energy"; /* or the parameter, if one changes */
  for (int c = 0; table && c < table->columns; c++)
    if (!strncmp(table->column[c], "set:", 4)) x = table->column[c];
  return draw(figure, request, (plot_study){"family", x, "period", NULL, PLOT_MARKED, 0, 1}, error);
}
