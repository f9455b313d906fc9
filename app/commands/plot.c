/* rattle plot: a figure of one record, or of several in comparison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many/markov/markov.h"
#include "figures/plot/plot.h"

static const cli_option options[] = {
    {"output", 'o', "FIG",
     "the figure: .svg, .png, .pdf or .eps; .tex, for pgfplots; or .gp, gnuplot's script"},
    {"style", 0, "STYLE", "what to draw, see below (energy; for a study its kind)"},
    {"x", 0, "NAME", "the column on the horizontal axis"},
    {"y", 0, "NAMES", "the columns on the vertical axis, separated by commas"},
    {"z", 0, "NAME",
     "the column that colours show, of a heat map; of which each value is a curve, of cases"},
    {"event", 0, "NAME", "the event of a section (the first one)"},
    {"from", 0, "T", "first time to draw"},
    {"to", 0, "T", "last time to draw"},
    {"log", 0, "AXES", "logarithmic axes: x, y, xy or none"},
    {"with", 0, "KIND", "lines, points or both"},
    {"legend", 0, "NAMES", "names for the legend, separated by commas (methods or file names)"},
    {"title", 0, "TEXT", "title above the figure (none)"},
    {"width", 0, "CM", "width in cm (8.6, one column)"},
    {"height", 0, "CM", "height in cm (two thirds of the width, plus the legend)"},
    {"font", 0, "NAME", "font (Helvetica)"},
    {"size", 0, "PT", "size of the font in points as printed (8 at 8.6 cm, 11 at 17 cm)"},
    {"gnuplot", 0, NULL, "write FIG.gp, the script with its numbers, instead of the figure"},
    {"force", 0, NULL, "replace an existing file"},
    {NULL, 0, NULL, NULL}};

/* Which file is written, and what is in it. */
typedef struct plan {
  plot_output output;
  char *figure, *script; /* names; script NULL: gnuplot is run */
  int force;
} plan;

static rattle_status check_size(double value, const char *option, double least, double most,
                                rattle_error *error) {
  if (value >= least && value <= most) return RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT, "--%s %g: expected a number from %g to %g", option,
                   value, least, most);
}

static rattle_status read_sizes(plan *p, const cli_args *args, rattle_error *error) {
  plot_output *output = &p->output;
  *output =
      (plot_output){.width = 8.6, .height = (double)NAN, .size = (double)NAN, .font = "Helvetica"};
  if (cli_flag(args, "font")) output->font = cli_text(args, "font");
  rattle_status status = cli_real(args, "width", &output->width, error);
  if (!status) status = cli_real(args, "height", &output->height, error);
  if (!status) status = cli_real(args, "size", &output->size, error);
  if (!status) status = check_size(output->width, "width", 2, 100, error);
  if (!status && !isnan(output->height))
    status = check_size(output->height, "height", 2, 100, error);
  if (isnan(output->size)) output->size = 8 * sqrt(output->width / 8.6);
  if (!status) status = check_size(output->size, "size", 3, 40, error);
  return status;
}

/* The ending of a name decides on the format. */
static rattle_status read_output(plan *p, const cli_args *args, rattle_error *error) {
  static const struct {
    const char *ending;
    int format;
  } formats[] = {{".svg", PLOT_SVG}, {".png", PLOT_PNG}, {".pdf", PLOT_PDF},
                 {".eps", PLOT_EPS}, {".tex", PLOT_TEX}, {".gp", PLOT_PDF}};
  const char *name = cli_text(args, "output"), *dot = name ? strrchr(name, '.') : NULL;
  int found = -1;
  if (!name)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "no output file: pass -o FIG.svg (or .png, .pdf, .eps, .tex, .gp)");
  for (int i = 0; i < 6 && dot && dot > name && dot[-1] != '/'; i++)
    if (!strcmp(dot, formats[i].ending)) found = i;
  if (found < 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "-o %s: the name must end in .svg, .png, .pdf, .eps, .tex or .gp", name);
  p->output.format = formats[found].format;
  if (p->output.format == PLOT_TEX && cli_flag(args, "gnuplot"))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "-o %s: pgfplots draws it, without a script of gnuplot: leave --gnuplot out, "
                     "or take .pdf",
                     name);
  p->figure = found == 5 ? plot_printf("%.*s.pdf", (int)(dot - name), name) : strdup(name);
  if (found == 5 || cli_flag(args, "gnuplot"))
    p->script = plot_printf("%.*s.gp", (int)(dot - name), name);
  if (!p->figure) return text_no_memory(error);
  p->force = cli_flag(args, "force");
  const char *inputs[CLI_MOST_OPERANDS + 1] = {NULL};
  for (int i = 0; i < args->operands; i++) inputs[i] = args->operand[i];
  return cli_check_output(p->script ? p->script : p->figure, p->force, inputs, error);
}

/* A table is text for LaTeX alone. */
static rattle_status check_table(const plot_request *request, const cli_args *args,
                                 rattle_error *error) {
  const char *name = cli_text(args, "output"), *dot = name ? strrchr(name, '.') : NULL;
  if (strcmp(request->style, "table") != 0 ||
      (dot && !strcmp(dot, ".tex") && !cli_flag(args, "gnuplot")))
    return RATTLE_OK;
  return cli_flag(args, "style")
             ? text_fail(error, RATTLE_BAD_ARGUMENT, "a table is for LaTeX: -o TABLE.tex")
             : text_fail(error, RATTLE_BAD_ARGUMENT,
                         "%s is a study of where a mechanism rests, which has no figure: `rattle "
                         "info` and `rattle report` show it, -o TABLE.tex makes a table",
                         args->operand[0]);
}

static rattle_status read_words(plot_request *request, const cli_args *args, rattle_error *error) {
  const char *log = cli_text(args, "log"), *with = cli_text(args, "with");
  *request = (plot_request){.from = (double)NAN, .to = (double)NAN, .log_x = -1, .log_y = -1};
  request->x = cli_text(args, "x"), request->y = cli_text(args, "y"),
  request->z = cli_text(args, "z"), request->title = cli_text(args, "title");
  request->legend = cli_text(args, "legend"), request->event = cli_text(args, "event");
  request->style =
      cli_flag(args, "style") ? cli_text(args, "style") : plot_default_style(args->operand[0]);
  rattle_status status = check_table(request, args, error);
  if (status) return status;
  /* of a record, columns that are named */
  if (!cli_flag(args, "style") && (request->x || request->y) && !strcmp(request->style, "energy"))
    request->style = "series";
  if (request->event && strcmp(request->style, "section") != 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--event is for --style section");
  if (log) {
    if (strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0 &&
        strcmp(log, "none") != 0)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--log %s: expected x, y, xy or none", log);
    request->log_x = log[0] == 'x', request->log_y = log[strlen(log) - 1] == 'y';
  }
  if (with) {
    static const char *const kinds[] = {"lines", "points", "both"};
    for (int i = 0; i < 3; i++)
      if (!strcmp(with, kinds[i])) request->drawn = (plot_drawn)(PLOT_LINES + i);
    if (!request->drawn)
      return text_fail(error, RATTLE_BAD_ARGUMENT, "--with %s: expected lines, points or both",
                       with);
  }
  status = cli_real(args, "from", &request->from, error);
  return status ? status : cli_real(args, "to", &request->to, error);
}

/* A height where none is asked for: two thirds of the width, and room for a legend of many lines;
 * less where one scale for both axes would leave bands above and below. */
static void choose_height(plot_output *output, const plot_figure *figure) {
  int lines = plot_legend_lines(figure, output);
  if (!isnan(output->height)) return;
  output->height =
      output->width * 2 / 3 + (lines > 1 ? (lines - 1) * 1.3 * output->size / 72 * 2.54 : 0);
  if (figure->equal) output->height = fmin(output->height, plot_flat_height(figure, output, lines));
}

static rattle_status draw(const plot_figure *figure, const plan *p, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  if (p->script) {
    cli_output output;
    status = cli_begin_output(&output, p->script, p->force, error);
    if (status) return status;
    plot_write_script(output.file, figure, &p->output, p->figure);
    return cli_end_output(&output, RATTLE_OK, error);
  }
  if (p->output.format == PLOT_TEX) {
    cli_output output;
    status = cli_begin_output(&output, p->figure, p->force, error);
    if (status) return status;
    status = plot_write_latex(output.file, figure, &p->output, error);
    return cli_end_output(&output, status, error);
  }
  FILE *script = tmpfile();
  if (!script)
    return text_fail(error, RATTLE_IO, "cannot create a temporary file for the gnuplot script");
  plot_write_script(script, figure, &p->output, NULL);
  status = plot_run_gnuplot(script, p->figure, error);
  fclose(script);
  return status;
}

static int plot(const cli_args *args) {
  rattle_error error = {0};
  plot_figure figure;
  plot_request request = {0};
  plan p = {0};
  plot_figure_init(&figure);
  rattle_status status = read_words(&request, args, &error);
  const plot_style *style = status ? NULL : plot_find_style(request.style, &error);
  const plot_kind of = !style                     ? PLOT_OF_RECORD
                       : style->of == PLOT_OF_ANY ? plot_kind_of(args->operand[0])
                                                  : style->of;
  if (!status && !style) status = error.status;
  if (!status) status = read_sizes(&p, args, &error);
  if (!status) status = read_output(&p, args, &error);
  if (!status) status = plot_open_sources(&request, of, args->operand, args->operands, &error);
  if (!status) status = style->build(&figure, &request, &error);
  if (!status && request.title && !(figure.title = plot_plain(request.title)))
    status = text_fail(&error, RATTLE_NO_MEMORY, "out of memory");
  if (!status) plot_fit_axes(&figure), choose_height(&p.output, &figure);
  if (!status) status = draw(&figure, &p, &error);
  if (!status)
    cli_print(stdout, "%s: %s, %lld %s%s%s%s\n", p.script ? p.script : p.figure, style->name,
              figure.samples,
              figure.table                                                    ? "row"
              : of == PLOT_OF_STUDY                                           ? "point"
              : of == PLOT_OF_SWEEP && !markov_is_file(request.source->cases) ? "case"
                                                                              : "sample",
              figure.samples == 1 ? "" : "s", figure.remark[0] ? "; " : "", figure.remark);
  plot_close_sources(&request);
  plot_figure_free(&figure);
  free(p.figure), free(p.script);
  return status ? cli_end_badly(args, &error, 0) : CLI_DONE;
}

const cli_command cli_plot = {
    "plot",
    "FILE.h5...",
    "Draws a figure of one or more records, studies or sweeps with gnuplot.",
    1,
    CLI_MOST_OPERANDS,
    "styles:\n"
#define STYLE(name, kind, text) "  " #name ": " text "\n"
#include "figures/plot/styles.def"
#undef STYLE
    "\ncolumns: the coordinates, momenta and observables of the record (rattle info FILE.h5), and "
    "time, step, energy,\n"
    "energy_error, relative_energy_error, g, psi, lambda[CONSTRAINT]; for studies those of their "
    "tables, such as\n"
    "step, steps, maps, gradient, cpu_seconds, time, error, energy, g, psi\n",
    options,
    plot};
