/* Tics of the horizontal axis whose labels do not touch.
 *
 * gnuplot makes up to ten intervals of 1, 2 or 5 times a power of ten, whatever is written there.
 * If those labels would touch, the next longer ones are chosen; the axis ends where gnuplot would
 * have ended it. */
#include <math.h>
#include <string.h>

#include "figures/plot/plot.h"

/* The range of x that is drawn. */
static void find_range(const plot_figure *figure, double range[2]) {
  range[0] = INFINITY, range[1] = -INFINITY;
  for (int c = 0; c < figure->curves; c++)
    for (size_t i = 0; i < figure->curve[c].count; i++) {
      const double *point = figure->curve[c].xy + 2 * i;
      if (isfinite(point[0]) && isfinite(point[1]))
        range[0] = fmin(range[0], point[0]), range[1] = fmax(range[1], point[0]);
    }
  if (!isnan(figure->x.low)) range[0] = figure->x.low, range[1] = figure->x.high;
}

/* The next longer interval: 1, 2, 5, 10 ... */
static double longer(double step) {
  const double power = pow(10, floor(log10(step) + 0.01));
  return (step < 1.5 * power ? 2 : step < 3 * power ? 5 : 10) * power;
}

/* The widest label of tics, in the size of its letters. */
static double widest(double low, double high, double step) {
  double most = 0;
  for (double k = ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k++) {
    char text[32];
    double width = 0;
    snprintf(text, sizeof text, "%g", k == 0 ? 0 : k * step);
    for (const char *c = text; *c; c++) width += *c == '.' ? 0.32 : *c == '-' ? 0.84 : 0.64;
    most = fmax(most, width);
  }
  return most;
}

void plot_write_tics(FILE *out, const plot_figure *figure, const plot_output *output) {
  double range[2];
  find_range(figure, range);
  /* the latter in sizes of letters */
  const double length = range[1] - range[0], axes = 9, apart = 0.8;
  if (figure->x.log || figure->cells > 0 || figure->grid.rows > 0 || figure->equal ||
      !isfinite(length))
    return;
  if (!(length > 1e-9 * fmax(fabs(range[0]), fabs(range[1])))) return;
  double step = pow(10, floor(log10(length)) - 1);
  while (length / step > 10) step = longer(step);
  const double usual = step, room = output->width / 2.54 * 72 / output->size - axes;
  const double ends[2] = {floor(range[0] / usual) * usual, ceil(range[1] / usual) * usual};
  while (step < length &&
         (widest(ends[0], ends[1], step) + apart) * (ends[1] - ends[0]) / step > room)
    step = longer(step);
  if (step == usual) return;
  fprintf(out, "set xtics %.10g\n", step);
  if (isnan(figure->x.low)) fprintf(out, "set xrange [%.10g:%.10g]\n", ends[0], ends[1]);
}
