#ifndef RATTLE_PLOT_H
#define RATTLE_PLOT_H
/* rattle plot: a style makes a figure of records, script.c writes it in gnuplot's language,
 * gnuplot.c has gnuplot draw it. */
#include <stdio.h>

#include "base/cli.h"
#include "rattle/cases.h"

/* --- figure.c: what is drawn --- */
typedef enum plot_drawn {
  PLOT_AUTO,
  PLOT_LINES,
  PLOT_POINTS,
  PLOT_THIN,   /* lines, of many */
  PLOT_MARKED, /* points joined by lines */
  PLOT_BAND,   /* the area that the points go round */
  PLOT_GUIDE   /* a thin grey guide line with its label */
} plot_drawn;

typedef struct plot_curve {
  char *label; /* typeset; NULL: not in the legend */
  double *xy;  /* [2*count] pairs; NaN: a gap */
  size_t count, room;
  plot_drawn drawn;
  int colour; /* its number: colours, shapes and dashes come in turn */
} plot_curve;

typedef struct plot_axis {
  char *label; /* typeset */
  char *unit;  /* typeset; NULL: none */
  int log;
  double low, high; /* NaN: as the numbers want */
  int exponent;     /* numbers are divided by 10^exponent, the label says so */
  double zero;      /* log: where zeros are drawn, 0 if there are none */
} plot_axis;

/* Numbers over a rectangle, drawn as level curves. */
enum { PLOT_MOST_LEVELS = 24 };
typedef struct plot_grid {
  int columns, rows; /* 0: no grid */
  double low[2], high[2];
  double *value; /* [rows*columns], rows from low y to high y; NaN: not there */
  double level[PLOT_MOST_LEVELS];
  int levels;
} plot_grid;

/* A rectangle in the colour of a value. */
typedef struct plot_cell {
  double x[2], y[2], value;
} plot_cell;

typedef struct plot_figure {
  plot_curve *curve;
  int curves, colours;
  plot_axis x, y;
  plot_grid grid;
  plot_cell *cell; /* [cells] of a heat map */
  size_t cells;
  char *cell_label; /* typeset: what colours show */
  char *title;      /* typeset; NULL: none */
  char *table;      /* LaTeX; NULL: it is a figure */
  int equal;        /* 1: one unit has the same length on both axes */
  long long samples;
  char remark[160]; /* one more thing to say of it, "" for none */
} plot_figure;

void plot_figure_init(plot_figure *figure);
void plot_figure_free(plot_figure *figure);
/* A new curve with a copy of label (typeset, may be NULL) in the next colour; NULL: out of memory.
 * The pointer is good until the next one is made. */
plot_curve *plot_add_curve(plot_figure *figure, const char *label, plot_drawn drawn);
int plot_add_point(plot_curve *curve, double x, double y); /* -1: out of memory */

/* --- raster.c: of points that fall in one cell of a figure one is drawn --- */
typedef struct plot_raster {
  int cells;              /* along each axis */
  double low[2], high[2]; /* extents */
  unsigned char *taken;   /* [cells * cells] */
} plot_raster;
int plot_raster_begin(plot_raster *raster, int cells); /* -1: out of memory; plot_raster_end in
                                                          any case */
void plot_raster_end(plot_raster *raster);
/* to a point; what is not finite is passed over */
void plot_raster_stretch(plot_raster *raster, const double at[2]);
/* 1: the first one in its cell */
int plot_raster_takes(plot_raster *raster, const double at[2]);
/* The least and the largest of a coordinate, 0 or 1, of the points that are drawn. */
void plot_range(const plot_figure *figure, int which, double range[2]);
/* Colours come in turn: "#RRGGBB". */
enum { PLOT_COLOURS = 8 };
const char *plot_colour(int number);
/* With its power of ten and its unit; the caller's, NULL: no memory. */
char *plot_axis_label(const plot_axis *axis);
/* When all curves are there: ranges, powers of ten, zeros on logarithmic axes. */
void plot_fit_axes(plot_figure *figure);

/* --- names.c: names as they are typeset, in gnuplot's enhanced text --- */
/* Text that is printed as it is: what gnuplot would take for markup is escaped. All results are the
 * caller's, NULL: no memory. */
char *plot_plain(const char *text);
/* The same, but for formulas between two $, such as $z_1^-$: letters that stand alone in italics,
 * Greek ones by name. */
char *plot_text(const char *text);
/* A name of a record's column as mathematics: x[3] as x with index 3, theta as a Greek letter. */
char *plot_symbol(const char *name);
char *plot_unit(const char *unit);
/* The largest errors of a run. */
#define PLOT_MAX_ENERGY "max |{/:Italic H}\u00a0−\u00a0{/:Italic H}_0|"
#define PLOT_MAX_G "max |{/:Italic g}|"
#define PLOT_MAX_PSI "max |{/:Italic ψ}|"
/* The beginning that the names of a list share, x of x[1],x[2]; "" if there is none. */
char *plot_family(const char *names);
char *plot_printf(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* --- styles.c --- */
/* PLOT_OF_ANY: a table, of whatever the first file is */
typedef enum plot_kind { PLOT_OF_RECORD, PLOT_OF_STUDY, PLOT_OF_SWEEP, PLOT_OF_ANY } plot_kind;
typedef struct plot_request plot_request;
typedef struct plot_style {
  const char *name;
  plot_kind of;
  rattle_status (*build)(plot_figure *figure, const plot_request *request, rattle_error *error);
} plot_style;
/* NULL: unknown, the error names the nearest */
const plot_style *plot_find_style(const char *name, rattle_error *error);

/* --- source.c: records and their columns --- */
typedef struct plot_source {
  const char *path;
  rattle_record *record; /* NULL: of a study */
  const rattle_record_info *info;
  rattle_study *study;
  rattle_cases *cases;    /* of a sweep */
  int event;              /* 0: the samples of the run are drawn; k: those of event k - 1 */
  long long first, count; /* the samples that are drawn */
  char *label;            /* typeset: what distinguishes it from the other records */
} plot_source;

/* A column, or what is made of one. */
typedef struct plot_channel {
  rattle_column column;
  double offset, factor; /* (value - offset)*factor is drawn */
  char *label;           /* typeset */
  char *unit;            /* typeset; NULL: none */
} plot_channel;

struct plot_request {
  /* NULL: not given; y and legend may be lists */
  const char *style, *x, *y, *z, *event, *title, *legend;
  double from, to; /* times; NaN: not given */
  plot_drawn drawn;
  int log_x, log_y; /* -1: as the style says */
  plot_source *source;
  int sources;
};

rattle_status plot_open_sources(plot_request *request, plot_kind of, const char *const *paths,
                                int count, rattle_error *error);
/* The kind of a file; PLOT_OF_RECORD where it cannot be read. */
plot_kind plot_kind_of(const char *path);
/* The style for a file if none is asked for. */
const char *plot_default_style(const char *path);
void plot_close_sources(plot_request *request);
/* A column by its name; besides those of the record: energy_error, relative_energy_error. */
/* The symbol of what is drawn, its size on a logarithmic axis, and its unit; an axis that has a
 * label keeps it. */
void plot_label_axis(plot_axis *axis, const plot_channel *channel);
rattle_status plot_find_channel(plot_channel *channel, const plot_source *source, const char *name,
                                rattle_error *error);
void plot_free_channel(plot_channel *channel);
/* Samples [first, first+count) of the source's range, transformed. */
rattle_status plot_read_channel(const plot_channel *channel, const plot_source *source,
                                long long first, long long count, double *values,
                                rattle_error *error);
/* The next name of a list "a,b[1,2],c(d,e)", copied; *list moves on and becomes NULL at its end.
 * NULL: no memory. */
char *plot_next_name(const char **list);
/* The label of a curve: what is drawn, from which record, as far as there is a choice of either. */
char *plot_curve_label(const plot_request *request, const plot_source *source, const char *what,
                       int choice);

/* --- the styles --- */
rattle_status plot_energy(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_residuals(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_multipliers(plot_figure *figure, const plot_request *request,
                               rattle_error *error);
rattle_status plot_series(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_phase(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_trajectory(plot_figure *figure, const plot_request *request,
                              rattle_error *error);
rattle_status plot_section(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_periodogram(plot_figure *figure, const plot_request *request,
                               rattle_error *error);
rattle_status plot_levels(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_order(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_work(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_cases(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_fan(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_trace(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_autocorrelation(plot_figure *figure, const plot_request *request,
                                   rattle_error *error);
rattle_status plot_histogram(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_heat(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_growth(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_exponents(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_continuation(plot_figure *figure, const plot_request *request,
                                rattle_error *error);
/* rests.c: what plot_continuation draws of equilibria. */
rattle_status plot_rests(plot_figure *figure, const plot_request *request, rattle_error *error);
rattle_status plot_orbit(plot_figure *figure, const plot_request *request, rattle_error *error);
/* study.c: a column of a study's tables as it is typeset; the caller's, NULL: no memory. */
char *plot_study_symbol(const rattle_study_result *result, const char *name);
/* table_any.c: no figure but figure->table */
rattle_status plot_table(plot_figure *figure, const plot_request *request, rattle_error *error);

/* --- script.c --- */
typedef struct plot_output {
  enum { PLOT_SVG, PLOT_PNG, PLOT_PDF, PLOT_EPS, PLOT_TEX } format;
  double width, height, size; /* cm, cm, points */
  const char *font;
} plot_output;
/* tics.c: after the axes */
void plot_write_tics(FILE *out, const plot_figure *figure, const plot_output *output, int lines);
/* latex.c: the same figure for pgfplots; refuses what gnuplot alone can draw. */
rattle_status plot_write_latex(FILE *out, const plot_figure *figure, const plot_output *output,
                               rattle_error *error);
/* Typeset text, and a number by a format of printf, as LaTeX has them; what is not known is a
 * dash. */
void plot_latex_text(FILE *out, const char *typeset);
void plot_latex_number(FILE *out, const char *format, double value);
/* The height in cm at which a figure with one scale for both axes fills its width; NaN: none. */
double plot_flat_height(const plot_figure *figure, const plot_output *output, int lines);
/* Lines that the legend takes above the figure. */
int plot_legend_lines(const plot_figure *figure, const plot_output *output);
/* `path` is where the script draws to, NULL: standard output. */
void plot_write_script(FILE *out, const plot_figure *figure, const plot_output *output,
                       const char *path);

/* --- gnuplot.c --- */
/* Has gnuplot draw the script (a file, at its beginning) to `path`, which is replaced when all went
 * well. */
rattle_status plot_run_gnuplot(FILE *script, const char *path, rattle_error *error);
#endif
