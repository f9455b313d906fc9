/* Tics whose labels do not touch.
 *
 * gnuplot makes up to ten intervals of 1, 2 or 5 times a power of ten, whatever is written there.
 * If those labels would touch, the next longer ones are chosen; the axis ends where gnuplot would
 * have ended it. */
#include <math.h>
#include <string.h>

#include "figures/plot/plot.h"

/* In sizes of letters: what stands beside the box, below and above it, and between two labels. */
static const double beside = 9, around = 5, apart[2] = {0.8, 0.4};

void plot_range(const plot_figure *figure, int which, double range[2]) {
  const plot_axis *axis = which ? &figure->y : &figure->x;
  range[0] = INFINITY, range[1] = -INFINITY;
  for (int c = 0; c < figure->curves; c++)
    for (size_t i = 0; i < figure->curve[c].count; i++) {
      const double *point = figure->curve[c].xy + 2 * i;
      if (isfinite(point[0]) && isfinite(point[1]))
        range[0] = fmin(range[0], point[which]), range[1] = fmax(range[1], point[which]);
    }
  if (!isnan(axis->low)) range[0] = axis->low, range[1] = axis->high;
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

/* The box of the axes, in sizes of letters; with one scale for both it fills one of them. */
static void find_box(const plot_figure *figure, const plot_output *output, int lines,
                     double box[2]) {
  const double size = output->size / 72 * 2.54;
  double x[2], y[2];
  box[0] = output->width / size - beside;
  box[1] = output->height / size - around - 1.3 * lines;
  if (!figure->equal) return;
  plot_range(figure, 0, x), plot_range(figure, 1, y);
  const double scale = fmin(box[0] / (x[1] - x[0]), box[1] / (y[1] - y[0]));
  box[0] = scale * (x[1] - x[0]), box[1] = scale * (y[1] - y[0]);
}

static void write_tics(FILE *out, const plot_figure *figure, int which, double room) {
  const plot_axis *axis = which ? &figure->y : &figure->x;
  double range[2];
  plot_range(figure, which, range);
  const double length = range[1] - range[0];
  if (axis->log || !isfinite(length) || !(length > 1e-9 * fmax(fabs(range[0]), fabs(range[1]))))
    return;
  double step = pow(10, floor(log10(length)) - 1);
  while (length / step > 10) step = longer(step);
  const double usual = step;
  const double ends[2] = {floor(range[0] / usual) * usual, ceil(range[1] / usual) * usual};
  while (step < length && ((which ? 1 : widest(ends[0], ends[1], step)) + apart[which]) *
                                  (ends[1] - ends[0]) / step >
                              room)
    step = longer(step);
  if (step == usual) return;
  const char name = which ? 'y' : 'x';
  fprintf(out, "set %ctics %.10g\n", name, step);
  if (isnan(axis->low)) fprintf(out, "set %crange [%.10g:%.10g]\n", name, ends[0], ends[1]);
}

void plot_write_tics(FILE *out, const plot_figure *figure, const plot_output *output, int lines) {
  double box[2];
  if (figure->cells > 0 || figure->grid.rows > 0) return;
  find_box(figure, output, lines, box);
  for (int which = 0; which < 2; which++) write_tics(out, figure, which, box[which]);
}

double plot_flat_height(const plot_figure *figure, const plot_output *output, int lines) {
  const double size = output->size / 72 * 2.54;
  double x[2], y[2];
  plot_range(figure, 0, x), plot_range(figure, 1, y);
  const double ratio = (y[1] - y[0]) / (x[1] - x[0]);
  const double box = fmax((output->width - beside * size) * ratio, 4 * size); /* two labels */
  return isfinite(ratio) ? box + (around + 1.3 * lines) * size : (double)NAN;
}
