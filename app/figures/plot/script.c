/* A figure in gnuplot's language: settings first, then the numbers, then the command that draws, so
 * that authors can change what they like. Nothing but numbers and quoted texts of ours depends on
 * the record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"
#include "words/text.h"

/* Points of different shapes, so that curves differ in more than colour. */
static const int shapes[] = {7, 5, 9, 11, 13, 6, 4, 8};

/* SVG counts in pixels of 1/96 inch, PNG is drawn at 300 dots per inch, PDF and EPS in
 * centimetres. */
static void write_terminal(FILE *out, const plot_output *output) {
  double inches[2] = {output->width / 2.54, output->height / 2.54};
  switch (output->format) {
  case PLOT_SVG:
    fprintf(out,
            "set terminal svg enhanced background '#FFFFFF' size %.0f,%.0f fontscale %.4f font ",
            96 * inches[0], 96 * inches[1], 96.0 / 72);
    break;
  case PLOT_PNG:
    fprintf(out,
            "set terminal pngcairo enhanced size %.0f,%.0f fontscale %.4f linewidth %.4f "
            "pointscale %.4f font ",
            300 * inches[0], 300 * inches[1], 300.0 / 96, 300.0 / 96, 300.0 / 96);
    break;
  default:
    /* a line of width 1 is 0.75 points wide in all formats */
    fprintf(out,
            "set terminal %s enhanced color size %.4gcm,%.4gcm fontscale %.4g linewidth %.4g font ",
            output->format == PLOT_PDF ? "pdfcairo" : "epscairo", output->width, output->height,
            output->format == PLOT_PDF ? 0.75 : 1, output->format == PLOT_PDF ? 1.5 : 3.0);
    break;
  }
  char *font = plot_printf("%s,%.4g", output->font, output->size);
  text_put_gnuplot(out, font ? font : "");
  free(font);
  putc('\n', out);
}

static void write_axis(FILE *out, char name, const plot_axis *axis) {
  char *label = plot_axis_label(axis);
  fprintf(out, "set %clabel ", name);
  text_put_gnuplot(out, label ? label : "");
  free(label);
  putc('\n', out);
  if (axis->log) {
    fprintf(out, "set logscale %c 10\nset format %c '10^{%%L}'\n", name, name);
    if (axis->zero > 0)
      fprintf(out, "set %ctics add ('0' %.17g) # where the value is exactly 0\n", name, axis->zero);
  }
  if (axis->low < axis->high) /* of one sample alone it is for gnuplot to choose */
    fprintf(out, "set %crange [%.10g:%.10g]\n", name, axis->low, axis->high);
}

static void write_data(FILE *out, const plot_figure *figure) {
  for (int c = 0; c < figure->curves; c++) {
    const plot_curve *curve = &figure->curve[c];
    fprintf(out, "\n$curve%d << END\n", c + 1);
    for (size_t i = 0; i < curve->count; i++) {
      const double *point = curve->xy + 2 * i;
      if (isfinite(point[0]) && isfinite(point[1]))
        fprintf(out, "%.10g %.10g\n", point[0], point[1]);
      else
        fputs("NaN NaN\n", out);
    }
    fputs("END\n", out);
  }
}

/* A heat map, in the colours of J. R. Nuñez, C. R. Anderton and R. S. Renslow (PLoS ONE 13 (2018)
 * e0199239), which all kinds of colour vision order alike. */
static void write_cells(FILE *out, const plot_figure *figure) {
  fputs("set palette defined (0 '#00204D', 0.25 '#414D6B', 0.5 '#7C7B78', 0.75 '#BCAF6F', 1 "
        "'#FFEA46')\nset cblabel ",
        out);
  text_put_gnuplot(out, figure->cell_label ? figure->cell_label : "");
  fputs("\n\n$cells << END\n", out);
  for (size_t i = 0; i < figure->cells; i++) {
    const plot_cell *cell = &figure->cell[i];
    fprintf(out, "%.10g %.10g %.10g %.10g %.10g %.10g %.10g\n", (cell->x[0] + cell->x[1]) / 2,
            (cell->y[0] + cell->y[1]) / 2, cell->x[0], cell->x[1], cell->y[0], cell->y[1],
            cell->value);
  }
  fputs("END\n", out);
}

/* Level curves are found by gnuplot and drawn from a table of their own. */
static void write_grid(FILE *out, const plot_grid *grid) {
  fputs("\n$grid << END\n", out);
  for (int row = 0; row < grid->rows; row++) {
    double y = grid->low[1] + (grid->high[1] - grid->low[1]) * row / (grid->rows - 1);
    for (int column = 0; column < grid->columns; column++) {
      double x = grid->low[0] + (grid->high[0] - grid->low[0]) * column / (grid->columns - 1);
      double value = grid->value[row * grid->columns + column];
      if (isfinite(value))
        fprintf(out, "%.8g %.8g %.10g\n", x, y, value);
      else
        fprintf(out, "%.8g %.8g NaN\n", x, y);
    }
    putc('\n', out);
  }
  fputs("END\n\nset contour base\nunset surface\nset cntrparam levels discrete ", out);
  for (int i = 0; i < grid->levels; i++) fprintf(out, "%s%.10g", i ? ", " : "", grid->level[i]);
  fputs("\nset table $levels\nsplot $grid\nunset table\nunset contour\n", out);
}

static void write_curve(FILE *out, const plot_curve *curve) {
  const char *colour = plot_colour(curve->colour);
  int shape = shapes[curve->colour % PLOT_COLOURS], dash = 1 + curve->colour / PLOT_COLOURS;
  switch (curve->drawn) {
  case PLOT_GUIDE:
    fputs("with lines linewidth 0.7 dashtype 2 linecolor rgb '#808080'", out);
    break;
  case PLOT_THIN:
    fprintf(out, "with lines linewidth 0.3 linecolor rgb '%s'", colour);
    break;
  case PLOT_BAND:
    fprintf(out,
            "with filledcurves closed fillstyle transparent solid 0.35 border linecolor rgb '%s' "
            "linewidth 0.5 fillcolor rgb '%s'",
            colour, colour);
    break;
  case PLOT_POINTS:
    fprintf(out, "with points pointtype 7 pointsize %s linecolor rgb '%s'",
            curve->count > 500 ? "0.12" : "0.3", colour);
    break;
  case PLOT_MARKED:
    fprintf(
        out,
        "with linespoints linewidth 1 dashtype %d pointtype %d pointsize 0.4 linecolor rgb '%s'",
        dash, shape, colour);
    break;
  default:
    fprintf(out, "with lines linewidth 1 dashtype %d linecolor rgb '%s'", dash, colour);
  }
}

/* In the legend points are drawn larger than in the figure, where there may be many. */
static void write_title(FILE *out, const plot_curve *curve) {
  if (!curve->label || curve->drawn == PLOT_GUIDE) {
    fputs(" notitle", out);
    return;
  }
  if (curve->drawn == PLOT_POINTS)
    fprintf(out, " notitle, NaN with points pointtype 7 pointsize 0.5 linecolor rgb '%s'",
            plot_colour(curve->colour));
  fputs(" title ", out);
  text_put_gnuplot(out, curve->label);
}

/* Widths of the characters from space to ~ in DejaVu Sans, which stands in where a font is missing,
 * and is wider than most: hundredths of the size. */
static const unsigned char widths[] = {
    32, 41, 46, 84, 64, 96, 78, 28, 40,  40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69,  62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64,  64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

static double width_of_letter(const char *letter) {
  const unsigned char c = (unsigned char)*letter;
  /* 1 for a letter of several bytes, which are counted once */
  return c >= ' ' && c <= '~' ? widths[c - ' '] / 100.0 : c >= 0xC0;
}

/* The width of typeset text, in its size. */
static double width_of(const char *text) {
  double width = 0;
  for (; *text; text++) {
    if (!strncmp(text, "{/:Italic ", 10))
      text += 9;
    else if (*text == '\\' && text[1])
      width += width_of_letter(++text);
    else if (!strchr("{}^_", *text))
      width += width_of_letter(text);
  }
  return width;
}

typedef struct legend {
  int entries, columns;
  double size; /* of its letters, in points */
} legend;

/* As many columns as the longest label leaves room for; where it is too long for one, in smaller
 * letters. The legend begins at the vertical axis. */
static legend plan_legend(const plot_figure *figure, const plot_output *output) {
  const double axis = 6.5, sample = 3.3, spare = 1.05; /* sizes; a factor */
  legend l = {.size = output->size};
  double longest = 0;
  for (int c = 0; c < figure->curves; c++) {
    if (!figure->curve[c].label || figure->curve[c].drawn == PLOT_GUIDE) continue;
    longest = fmax(longest, width_of(figure->curve[c].label));
    l.entries++;
  }
  const double all = output->width / 2.54 * 72, room = fmax(all - axis * l.size, all / 4);
  const double fit = room / ((longest + sample) * spare * l.size);
  l.columns = fit < 1 ? 1 : (int)fmin(fit, l.entries);
  l.size *= fmin(fit, 1);
  return l;
}

int plot_legend_lines(const plot_figure *figure, const plot_output *output) {
  legend l = plan_legend(figure, output);
  return l.entries > 0 ? (l.entries + l.columns - 1) / l.columns : 0;
}

static void write_legend(FILE *out, const plot_figure *figure, const plot_output *output) {
  legend l = plan_legend(figure, output);
  if (l.entries > 0)
    fprintf(out,
            "set key above left horizontal maxcols %d Left reverse samplen 1.5 spacing 1.1 font "
            "',%.4g'\n",
            l.columns, l.size);
  else
    fputs("set key off\n", out);
  for (int c = 0; c < figure->curves; c++) {
    const plot_curve *curve = &figure->curve[c];
    if (!curve->label || curve->drawn != PLOT_GUIDE || curve->count == 0) continue;
    fputs("set label ", out);
    text_put_gnuplot(out, curve->label);
    fprintf(out, " at %.10g, %.10g left offset 0.4, -0.6 textcolor rgb '#606060'\n", curve->xy[0],
            curve->xy[1]);
  }
}

void plot_write_script(FILE *out, const plot_figure *figure, const plot_output *output,
                       const char *path) {
  fprintf(out,
          "# Written by rattle %s. Settings, numbers, and at the end the command that draws.\n",
          rattle_version());
  fputs("set encoding utf8\n", out);
  write_terminal(out, output);
  if (path) {
    /* gnuplot would take what comes after a bar for a command */
    char *place = plot_printf("%s%s", path[0] == '|' ? "./" : "", path);
    fputs("set output ", out);
    text_put_gnuplot(out, place ? place : "");
    free(place);
    putc('\n', out);
  }
  fputs("set border linewidth 0.7\nset tics nomirror out scale 0.6\nset minussign\n", out);
  write_legend(out, figure, output);
  if (figure->title) {
    fputs("set title ", out);
    text_put_gnuplot(out, figure->title);
    putc('\n', out);
  }
  if (figure->equal) fputs("set size ratio -1\n", out);
  write_axis(out, 'x', &figure->x);
  write_axis(out, 'y', &figure->y);
  plot_write_tics(out, figure, output, plot_legend_lines(figure, output));
  write_data(out, figure);
  if (figure->grid.rows > 0) write_grid(out, &figure->grid);
  if (figure->cells > 0) write_cells(out, figure);
  fputs("\nplot ", out);
  if (figure->cells > 0)
    fputs("$cells using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder linecolor palette "
          "notitle",
          out);
  if (figure->grid.rows > 0)
    fputs("$levels with lines linewidth 0.7 linecolor rgb '#808080' notitle", out);
  for (int c = 0; c < figure->curves; c++) {
    fprintf(out, "%s$curve%d ", c || figure->grid.rows > 0 ? ", \\\n     " : "", c + 1);
    write_curve(out, &figure->curve[c]);
    write_title(out, &figure->curve[c]);
  }
  fputs("\n", out);
}
