/* Figures of families of equilibria: coordinates, frequencies or other columns against the
 * parameter, thin where the equilibrium is not stable, with points where it folds or branches. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"

enum { MOST_FREQUENCIES = 8 };
static const char *const tables[] = {"family", "family_modes", "family_multipliers"};

/* The column of that name, in one of the tables; NULL: there is none. */
static const double *find_column(const rattle_study_result *r, const char *name, int *stride) {
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    const rattle_study_table *table = cli_study_table(r, tables[t]);
    for (int c = 0; table && c < table->columns; c++)
      if (!strcmp(table->column[c], name)) return *stride = table->columns, table->value + c;
  }
  return NULL;
}

static rattle_status no_column(const plot_source *source, const char *name, rattle_error *error) {
  const rattle_study_table *table =
      cli_study_table(rattle_study_result_of(source->study), tables[0]);
  const char *near = cli_nearest(name, table->column, table->columns);
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   near ? "%s has no column %s; did you mean %s?" : "%s has no column %s%s",
                   source->path, name, near ? near : "");
}

/* The coordinate that changes most along the family; where all of them stand still but for
 * round-off, as those of a straight column, the softest stiffness. */
static const char *most_changed(const rattle_study_result *r) {
  const rattle_study_table *table = cli_study_table(r, tables[0]);
  int best = table->columns - r->n;
  double most = -1, largest = 0;
  for (int c = table->columns - r->n; c < table->columns; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < table->rows; i++) {
      const double x = table->value[(size_t)i * (size_t)table->columns + (size_t)c];
      low = fmin(low, x), high = fmax(high, x), largest = fmax(largest, fabs(x));
    }
    if (high - low > most) most = high - low, best = c;
  }
  return most > 16 * DBL_EPSILON * largest ? table->column[best] : "softest";
}

/* The columns that are drawn if none is asked for: of modes the frequencies. */
static char *usual(const rattle_study_result *r) {
  const rattle_study_table *modes = cli_study_table(r, tables[1]);
  if (!modes || modes->columns < 2) return strdup(most_changed(r));
  char *list = strdup(modes->column[0]);
  for (int c = 2; list && c < modes->columns && c < 2 * MOST_FREQUENCIES; c += 2) {
    char *longer = plot_printf("%s,%s", list, modes->column[c]);
    free(list);
    list = longer;
  }
  return list;
}

/* One curve of the rows that are stable, or that are not; others are gaps, but for the first beside
 * them, so that both meet. events: points at events instead. */
typedef enum drawn_part { STABLE, OTHERS, EVENTS } drawn_part;
static rattle_status add_part(plot_figure *figure, const plot_source *source, const char *x,
                              const char *y, drawn_part part, const char *label,
                              rattle_error *error) {
  const rattle_study_result *r = rattle_study_result_of(source->study);
  const rattle_study_table *table = cli_study_table(r, tables[0]);
  const plot_drawn drawn[] = {PLOT_LINES, PLOT_THIN, PLOT_POINTS};
  int of_x = 0, of_y = 0, any = 0;
  const double *xs = find_column(r, x, &of_x), *ys = find_column(r, y, &of_y);
  if (!xs || !ys) return no_column(source, xs ? y : x, error);
  plot_curve *curve = NULL;
  for (int i = 0; i < table->rows; i++) {
    const int event = rattle_study_entry(table, i, "event") > RATTLE_EQUILIBRIA_END;
    const int stable = rattle_study_entry(table, i, "stable") > 0;
    const int seen = part == EVENTS ? event : event || stable == (part == STABLE);
    if (!seen && part == EVENTS) continue;
    any |= seen && (part == EVENTS || !event);
    if (!curve) curve = plot_add_curve(figure, label, drawn[part]);
    if (!curve || plot_add_point(curve, seen ? xs[(size_t)i * (size_t)of_x] : (double)NAN,
                                 seen ? ys[(size_t)i * (size_t)of_y] : (double)NAN))
      return text_no_memory(error);
    figure->samples += seen;
  }
  if (curve && !any) curve->count = 0;
  return RATTLE_OK;
}

static rattle_status add_column(plot_figure *figure, const plot_request *request,
                                const plot_source *source, const char *x, const char *y,
                                rattle_error *error) {
  static const char *const words[] = {"", ", not stable", ", events"};
  char *plain = plot_plain(y);
  rattle_status status = plain ? RATTLE_OK : text_no_memory(error);
  for (int p = STABLE; p <= EVENTS && !status; p++) {
    char *label = plot_printf("%s%s%s%s", plain, words[p], request->sources > 1 ? ", " : "",
                              request->sources > 1 ? source->label : "");
    status =
        label ? add_part(figure, source, x, y, (drawn_part)p, label, error) : text_no_memory(error);
    free(label);
  }
  free(plain);
  return status;
}

rattle_status plot_rests(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_study_result *r = rattle_study_result_of(request->source[0].study);
  const char *x = request->x ? request->x : cli_study_table(r, tables[0])->column[0];
  char *names = request->y ? strdup(request->y) : usual(r);
  rattle_status status = names ? RATTLE_OK : text_no_memory(error);
  figure->x.log = request->log_x > 0, figure->y.log = request->log_y > 0;
  figure->x.label = plot_plain(strncmp(x, "set:", 4) ? x : x + 4);
  const int modes = !request->y && cli_study_table(r, tables[1]) != NULL;
  figure->y.label = modes ? strdup("frequency") : names ? plot_plain(names) : NULL;
  for (const char *list = names; list && !status;) {
    char *y = plot_next_name(&list);
    if (!y) status = text_no_memory(error);
    for (int s = 0; s < request->sources && !status; s++) {
      if (cli_study_table(rattle_study_result_of(request->source[s].study), tables[0]))
        status = add_column(figure, request, &request->source[s], x, y, error);
      else
        status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s is no family of equilibria",
                           request->source[s].path);
    }
    free(y);
  }
  free(names);
  return status;
}
