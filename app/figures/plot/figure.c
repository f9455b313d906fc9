/* Figures: curves gathered, then axes fitted to them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"

/* The colours of pages, after Okabe and Ito, "Color universal design" (2008): distinct with all
 * common kinds of colour vision; yellow, too pale for lines on paper, is darker. */
static const char *const palette[PLOT_COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                  "#B58900", "#56B4E9", "#7F4FA3", "#555D64"};

const char *plot_colour(int number) {
  return palette[number % PLOT_COLOURS];
}

char *plot_axis_label(const plot_axis *axis) {
  /* an expression of several symbols is put in parentheses before it is divided */
  const char *symbol = axis->label ? axis->label : "";
  int several = strstr(symbol, "−") || strstr(symbol, " / ");
  const char *before = axis->unit ? " (" : "", *unit = axis->unit ? axis->unit : "",
             *after = axis->unit ? ")" : "";
  return axis->exponent ? plot_printf("%s%s%s / 10^{%s%d}%s%s%s", several ? "(" : "", symbol,
                                      several ? ")" : "", axis->exponent < 0 ? "−" : "",
                                      abs(axis->exponent), before, unit, after)
                        : plot_printf("%s%s%s%s", symbol, before, unit, after);
}

void plot_figure_init(plot_figure *figure) {
  *figure = (plot_figure){.remark = ""};
  figure->x = figure->y = (plot_axis){.low = (double)NAN, .high = (double)NAN};
}

void plot_figure_free(plot_figure *figure) {
  for (int i = 0; i < figure->curves; i++) free(figure->curve[i].label), free(figure->curve[i].xy);
  free(figure->curve), free(figure->x.label), free(figure->y.label), free(figure->x.unit),
      free(figure->y.unit);
  free(figure->cell), free(figure->cell_label), free(figure->title), free(figure->table);
  free(figure->grid.value);
  plot_figure_init(figure);
}

plot_curve *plot_add_curve(plot_figure *figure, const char *label, plot_drawn drawn) {
  plot_curve *grown = realloc(figure->curve, ((size_t)figure->curves + 1) * sizeof *grown);
  if (!grown) return NULL;
  figure->curve = grown;
  plot_curve *curve = &grown[figure->curves];
  *curve = (plot_curve){.drawn = drawn, .colour = drawn == PLOT_GUIDE ? 0 : figure->colours};
  if (label && !(curve->label = strdup(label))) return NULL;
  figure->curves++;
  figure->colours += drawn != PLOT_GUIDE;
  return curve;
}

int plot_add_point(plot_curve *curve, double x, double y) {
  if (curve->count == curve->room) {
    size_t room = curve->room ? 2 * curve->room : 1024;
    double *grown = realloc(curve->xy, 2 * room * sizeof *grown);
    if (!grown) return -1;
    curve->xy = grown, curve->room = room;
  }
  double *point = curve->xy + 2 * curve->count++;
  point[0] = x, point[1] = y;
  return 0;
}

/* The least and the largest of what is finite (and, on a logarithmic axis, positive). */
typedef struct extent {
  double low, high;
  int zeros;
} extent;

static extent measure(const plot_figure *figure, int which, int log) {
  extent e = {DBL_MAX, -DBL_MAX, 0};
  for (int c = 0; c < figure->curves; c++) {
    const plot_curve *curve = &figure->curve[c];
    for (size_t i = 0; i < curve->count; i++) {
      double value = curve->xy[2 * i + (size_t)which];
      if (!isfinite(value)) continue;
      if (log && value <= 0) {
        e.zeros |= value == 0;
        continue;
      }
      if (value < e.low) e.low = value;
      if (value > e.high) e.high = value;
    }
  }
  return e;
}

/* Whole decades, where there are few; zeros lie on one more, below. */
static void fit_log(plot_figure *figure, plot_axis *axis, int which) {
  extent e = measure(figure, which, 1);
  if (e.low > e.high) e.low = e.high = DBL_EPSILON;
  double low = pow(10, floor(log10(e.low) + 1e-9)), high = pow(10, ceil(log10(e.high) - 1e-9));
  if (high <= low) high = 10 * low;
  double room = pow(e.high / e.low, 0.04);
  if (e.high >= 100 * e.low && !e.zeros) low = e.low / room;
  if (e.high >= 100 * e.low) high = e.high * room;
  if (e.zeros) {
    axis->zero = low / 10;
    for (int c = 0; c < figure->curves; c++) {
      double *value = figure->curve[c].xy + which;
      for (size_t i = 0; i < figure->curve[c].count; i++)
        if (value[2 * i] == 0) value[2 * i] = axis->zero;
    }
    low = axis->zero;
  }
  if (isnan(axis->low)) axis->low = low;
  if (isnan(axis->high)) axis->high = high;
}

static int exponent_of(extent e) {
  double largest = fmax(fabs(e.low), fabs(e.high));
  if (e.low > e.high || largest == 0) return 0;
  int exponent = (int)floor(log10(largest));
  return exponent > -3 && exponent < 6 ? 0 : exponent;
}

/* Small or large numbers are divided by a power of ten. */
static void scale(plot_figure *figure, plot_axis *axis, int which, int exponent) {
  double factor = pow(10, -exponent);
  axis->exponent = exponent;
  axis->low *= factor, axis->high *= factor;
  figure->grid.low[which] *= factor, figure->grid.high[which] *= factor;
  for (int c = 0; c < figure->curves; c++)
    for (size_t i = 0; i < figure->curve[c].count; i++)
      figure->curve[c].xy[2 * i + (size_t)which] *= factor;
}

void plot_fit_axes(plot_figure *figure) {
  plot_axis *axes[] = {&figure->x, &figure->y};
  int exponent[2];
  for (int which = 0; which < 2; which++) exponent[which] = exponent_of(measure(figure, which, 0));
  if (figure->equal)
    exponent[0] = exponent[1] = exponent[0] > exponent[1] ? exponent[0] : exponent[1];
  for (int which = 0; which < 2; which++) {
    if (axes[which]->log)
      fit_log(figure, axes[which], which);
    else if (exponent[which])
      scale(figure, axes[which], which, exponent[which]);
  }
}
