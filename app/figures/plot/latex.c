/* A figure for LaTeX: the package pgfplots draws it, with the letters and sizes of the document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/plot.h"
#include "ground/support/utf8.h"
#include "words/error.h"

static const char *const greek[] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta", "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "o",    "pi",   "rho",   "varsigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",  "omega"};
static const char *const capital[] = {"A",     "B",  "Gamma", "Delta",  "E",     "Z", "H",
                                      "Theta", "I",  "K",     "Lambda", "M",     "N", "Xi",
                                      "O",     "Pi", "P",     "Sigma",  "Sigma", "T", "Upsilon",
                                      "Phi",   "X",  "Psi",   "Omega"};

/* A letter as LaTeX has it; its length in bytes. */
static int put_letter(FILE *out, const char *s) {
  const unsigned char c = (unsigned char)s[0], d = c ? (unsigned char)s[1] : 0;
  const unsigned code = c >= 0xC0 && c < 0xE0 ? (c & 31u) << 6 | (d & 63u) : 0;
  const int length = rattle__utf8_length(s) > 0 ? rattle__utf8_length(s) : 1;
  if (code >= 0x3B1 && code <= 0x3C9)
    fprintf(out, code == 0x3BF ? "%s" : "\\ensuremath{\\%s}", greek[code - 0x3B1]);
  else if (code >= 0x391 && code <= 0x3A9)
    fprintf(out, strlen(capital[code - 0x391]) > 1 ? "\\ensuremath{\\%s}" : "%s",
            capital[code - 0x391]);
  else if (!strncmp(s, "−", 3))
    fputs("\\ensuremath{-}", out);
  else if (!strncmp(s, "′", 3))
    fputs("\\ensuremath{'}", out);
  else if (!strncmp(s, "″", 3))
    fputs("\\ensuremath{''}", out);
  else if (!strncmp(s, "–", 3))
    fputs("--", out);
  else if (!strncmp(s, "·", 2))
    fputs("\\ensuremath{\\cdot}", out);
  else if (strchr("|<>", s[0]))
    fprintf(out, "\\ensuremath{%c}", s[0]);
  else if (s[0] == '[') /* which \\ would take for its argument */
    fputs("{[}", out);
  else if (strchr("#$%&_{}", s[0]))
    fprintf(out, "\\%c", s[0]);
  else if (s[0] == '~' || s[0] == '^' || s[0] == '\\')
    fprintf(out, "\\text%s{}",
            s[0] == '~'   ? "asciitilde"
            : s[0] == '^' ? "asciicircum"
                          : "backslash");
  else
    fwrite(s, 1, (size_t)length, out);
  return length;
}

/* gnuplot's enhanced text, to its end or to the brace that closes it; where it ends. */
static const char *put_text(FILE *out, const char *s);

/* An index or a power: a group, or a letter. */
static const char *put_raised(FILE *out, const char *s) {
  fprintf(out, "\\text%sscript{", *s == '_' ? "sub" : "super");
  s++;
  if (*s == '{')
    s = put_text(out, s + 1), s += *s == '}';
  else if (*s)
    s += put_letter(out, s);
  fputs("}", out);
  return s;
}

static const char *put_text(FILE *out, const char *s) {
  static const char italic[] = "{/:Italic ";
  while (*s && *s != '}') {
    if (!strncmp(s, italic, sizeof italic - 1)) {
      fputs("\\textit{", out);
      s = put_text(out, s + sizeof italic - 1), s += *s == '}';
      fputs("}", out);
    } else if (*s == '{') {
      s = put_text(out, s + 1), s += *s == '}';
    } else if (*s == '_' || *s == '^') {
      s = put_raised(out, s);
    } else {
      s += *s == '\\' && s[1];
      s += put_letter(out, s);
    }
  }
  return s;
}

void plot_latex_text(FILE *out, const char *typeset) {
  put_text(out, typeset);
}

void plot_latex_number(FILE *out, const char *format, double value) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  const char *exponent = strchr(text, 'e');
  if (isnan(value))
    fputs("--", out);
  else if (isinf(value))
    fputs(value > 0 ? "$\\infty$" : "$-\\infty$", out);
  else if (exponent && atoi(exponent + 1) == 0)
    fprintf(out, "$%.*s$", (int)(exponent - text), text);
  else if (exponent)
    fprintf(out, "$%.*s\\times10^{%d}$", (int)(exponent - text), text, atoi(exponent + 1));
  else
    fprintf(out, "$%s$", text);
}

/* A round number to be taken off along axis k. TeX calculates with five digits: where numbers
 * differ by less than a thousandth of their size, hardly any would be left. */
static double base_of(const plot_figure *figure, int k) {
  double range[2];
  plot_range(figure, k, range);
  const double length = range[1] - range[0], size = fmax(fabs(range[0]), fabs(range[1]));
  if ((k ? figure->y.log : figure->x.log) || !(length > 0 && length < 1e-3 * size)) return 0;
  const double unit = pow(10, ceil(log10(length)));
  return unit * round(range[0] / unit);
}

static void put_axis(FILE *out, char name, const plot_axis *axis, double base) {
  char *label = plot_axis_label(axis);
  fprintf(out, "  %clabel={", name);
  put_text(out, label ? label : "");
  if (base != 0) fprintf(out, " \\ensuremath{{}%c %.12g}", base > 0 ? '-' : '+', fabs(base));
  fputs("},\n", out);
  free(label);
  if (axis->log) fprintf(out, "  %cmode=log,\n", name);
  if (axis->zero > 0)
    fprintf(out,
            "  extra %c ticks={%.10g}, extra %c tick labels={0},\n"
            "  extra %c tick style={tick label style={fill=white}},\n",
            name, axis->zero, name, name);
  if (!isnan(axis->low))
    fprintf(out, "  %cmin=%.10g, %cmax=%.10g,\n", name, axis->low - base, name, axis->high - base);
}

static void put_style(FILE *out, const plot_curve *curve) {
  static const char *const marks[] = {"*",         "square*", "triangle*", "diamond*",
                                      "pentagon*", "o",       "square",    "triangle"};
  static const char *const dashes[] = {"solid", "dashed", "dotted", "dashdotted"};
  char colour[32];
  snprintf(colour, sizeof colour, "rattle%s", plot_colour(curve->colour) + 1);
  const char *dash = dashes[curve->colour / PLOT_COLOURS % 4];
  switch (curve->drawn) {
  case PLOT_GUIDE:
    fputs("black!50, dashed, line width=0.5pt, forget plot", out);
    break;
  case PLOT_THIN:
    fprintf(out, "%s, line width=0.2pt", colour);
    break;
  case PLOT_BAND:
    fprintf(out, "draw=%s, fill=%s, fill opacity=0.35, line width=0.4pt, area legend", colour,
            colour);
    break;
  case PLOT_POINTS:
    fprintf(out, "only marks, mark=*, mark size=%s, %s", curve->count > 500 ? "0.3pt" : "0.7pt",
            colour);
    break;
  case PLOT_MARKED:
    fprintf(out, "%s, %s, mark=%s, mark size=1.2pt, mark options={solid}, line width=0.7pt", colour,
            dash, marks[curve->colour % PLOT_COLOURS]);
    break;
  default:
    fprintf(out, "%s, %s, line width=0.7pt", colour, dash);
  }
}

static void put_curve(FILE *out, const plot_curve *curve, const double *base) {
  fputs("\\addplot[", out);
  put_style(out, curve);
  if (!curve->label && curve->drawn != PLOT_GUIDE) fputs(", forget plot", out);
  fputs("] table {\n", out);
  for (size_t i = 0; i < curve->count; i++) {
    const double *point = curve->xy + 2 * i;
    if (isfinite(point[0]) && isfinite(point[1]))
      fprintf(out, "%.8g %.8g\n", point[0] - base[0], point[1] - base[1]);
    else
      fputs("nan nan\n", out);
  }
  fputs(curve->drawn == PLOT_BAND ? "} -- cycle;\n" : "};\n", out);
  if (curve->drawn == PLOT_GUIDE) return;
  if (!curve->label) return;
  fputs("\\addlegendentry{", out);
  put_text(out, curve->label);
  fputs("}\n", out);
}

rattle_status plot_write_latex(FILE *out, const plot_figure *figure, const plot_output *output,
                               rattle_error *error) {
  if (figure->table) return fputs(figure->table, out), RATTLE_OK;
  if (figure->cells > 0 || figure->grid.rows > 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "level curves and heat maps are drawn by gnuplot alone: -o FIG.pdf, which "
                     "\\includegraphics takes");
  fprintf(out,
          "%% Written by rattle %s. In the preamble: \\usepackage{pgfplots}, "
          "\\pgfplotsset{compat=1.17}.\n",
          rattle_version());
  int labels = 0;
  for (int c = 0; c < figure->curves; c++) {
    const plot_curve *curve = &figure->curve[c];
    labels += curve->label && curve->drawn != PLOT_GUIDE;
    const char *colour = plot_colour(curve->colour) + 1;
    fprintf(out, "\\definecolor{rattle%s}{HTML}{%s}\n", colour, colour);
  }
  fprintf(out, "\\begin{tikzpicture}\n\\begin{axis}[\n  width=%.4gcm, height=%.4gcm,\n",
          output->width, output->height);
  const double base[2] = {base_of(figure, 0), base_of(figure, 1)};
  put_axis(out, 'x', &figure->x, base[0]);
  put_axis(out, 'y', &figure->y, base[1]);
  if (figure->equal) fputs("  axis equal image,\n", out);
  if (figure->title) {
    fputs("  title={", out);
    put_text(out, figure->title);
    fputs("},\n", out);
  }
  fprintf(out, "  unbounded coords=jump, tick align=outside, tick pos=left, %s\n]\n",
          labels ? "legend cell align=left,\n  legend style={at={(0,1.03)}, anchor=south west, "
                   "draw=none, font=\\small}"
                 : "legend style={draw=none, fill=none}");
  for (int c = 0; c < figure->curves; c++) put_curve(out, &figure->curve[c], base);
  fputs("\\end{axis}\n\\end{tikzpicture}\n", out);
  return RATTLE_OK;
}
