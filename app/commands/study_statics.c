/* Equilibria and small motions as text. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "commands/study.h"

enum { MOST = 24 };

/* Numbers that the largest of them leaves no digit of are 0. */
static void print_row(const char *label, const rattle_study_table *table, FILE *out) {
  double most = 0;
  for (int c = 0; c < table->columns; c++) most = fmax(most, fabs(table->value[c]));
  cli_print(out, "  %-12s", label);
  for (int c = 0; c < table->columns && c < MOST; c++) {
    if (c > 0 && c % 3 == 0) fputs("\n              ", out);
    cli_print(out, " %s = %.11g%s", table->column[c],
              fabs(table->value[c]) > DBL_EPSILON * most ? table->value[c] : 0,
              c + 1 < table->columns ? "," : "");
  }
  if (table->columns > MOST) cli_print(out, " ... (%d in all)", table->columns);
  putc('\n', out);
}

/* x + i y and a name. */
static void print_entry(double x, double y, const char *name, FILE *out) {
  putc(' ', out);
  if (cli_study_is_seen(x) || !cli_study_is_seen(y)) cli_print(out, "%+.3f", x);
  if (cli_study_is_seen(y)) cli_print(out, "%+.3fi", y);
  cli_print(out, " %s", name);
}

/* The largest entries of the shape of a mode; imaginary: their imaginary parts, or NULL. */
static void print_shape(const rattle_study_table *shapes, const rattle_study_table *imaginary,
                        int row, FILE *out) {
  const size_t from = (size_t)row * (size_t)shapes->columns;
  const double *x = shapes->value + from, *y = imaginary ? imaginary->value + from : NULL;
  int place[CLI_LEADING];
  const int count = cli_study_leading(x, y, shapes->columns, place);
  for (int k = 0; k < count; k++) {
    fputs(k ? "," : "", out);
    print_entry(x[place[k]], y ? y[place[k]] : 0, shapes->column[place[k]], out);
  }
}

static void print_modes(const rattle_study_result *r, FILE *out) {
  const rattle_study_table *modes = cli_study_table(r, "modes"),
                           *shapes = cli_study_table(r, "shapes"),
                           *imaginary = cli_study_table(r, "shapes_imaginary");
  fputs("\n   mode   frequency    cycles       decay       ratio    motion\n", out);
  for (int i = 0; i < modes->rows && i < MOST; i++) {
    const double *row = modes->value + (size_t)i * (size_t)modes->columns;
    cli_print(out, "  %4d  ", i + 1);
    for (int c = 0; c < 4; c++) cli_study_cell(out, 12, c < 3 ? "%.6g" : "%.4g", row[c]);
    fputs("   ", out);
    if (shapes) print_shape(shapes, imaginary, i, out);
    putc('\n', out);
  }
  if (modes->rows > MOST) cli_print(out, "   ... %d in all\n", modes->rows);
}

/* --- along a parameter ------------------------------------------------------------------------ */

enum { ROWS = 24, COORDINATES = 3, FREQUENCIES = 3 };

/* Some rows evenly, the last, and each event. */
static void print_family(const rattle_study_result *r, const rattle_study_table *table, FILE *out) {
  const rattle_study_table *modes = cli_study_table(r, "family_modes");
  const int every = (table->rows + ROWS - 1) / ROWS, lead = table->columns - r->n;
  const int shown = modes ? (modes->columns / 2 < FREQUENCIES ? modes->columns / 2 : FREQUENCIES)
                    : r->n < COORDINATES ? r->n
                                         : COORDINATES;
  cli_print(out, "\n %16s %13s %13s", table->column[0] + 4, "energy", "softest");
  for (int c = 0; c < shown; c++)
    cli_print(out, " %13s", modes ? modes->column[2 * c] : table->column[lead + c]);
  fputs("  rest\n", out);
  for (int i = 0; i < table->rows; i++) {
    const rattle_equilibria_event event =
        (rattle_equilibria_event)rattle_study_entry(table, i, "event");
    const double *row = table->value + (size_t)i * (size_t)table->columns;
    const double stable = rattle_study_entry(table, i, "stable");
    if (i % every && event == RATTLE_EQUILIBRIA_NONE) continue;
    cli_study_cell(out, 16, event > RATTLE_EQUILIBRIA_END ? "%.13g" : "%.8g", row[0]);
    cli_study_cell(out, 13, "%.8g", rattle_study_entry(table, i, "energy"));
    cli_study_cell(out, 13, "%.6g", rattle_study_entry(table, i, "softest"));
    for (int c = 0; c < shown; c++)
      cli_study_cell(out, 13, "%.8g",
                     modes ? modes->value[(size_t)i * (size_t)modes->columns + (size_t)(2 * c)]
                           : row[lead + c]);
    cli_print(out, "  %s%s%s\n",
              stable > 1   ? "gyroscopic"
              : stable > 0 ? "stable"
              : stable < 0 ? "undecided"
                           : "unstable",
              event ? ", " : "", rattle_equilibria_event_name(event));
  }
  cli_print(out, "  points       %d, events %.0f\n  verdict      %s: ", table->rows,
            cli_study_figure(r, "events"), r->verdict);
  cli_study_words(out, 17 + (int)strlen(r->verdict), 15, r->why);
}

/* A steady motion goes along these. */
static void print_speeds(const rattle_study_result *r, FILE *out) {
  for (int i = 0; i < r->figures; i++)
    if (!strncmp(r->figure[i].name, "steady:", 7))
      cli_print(out, "  steady       along %s by %.10g a unit of time\n", r->figure[i].name + 7,
                r->figure[i].value);
}

static void print_all(const rattle_study_result *r, FILE *out) {
  const rattle_study_table *at = cli_study_table(r, "equilibrium"),
                           *momenta = cli_study_table(r, "momenta"),
                           *forces = cli_study_table(r, "multipliers"),
                           *modes = cli_study_table(r, "modes"),
                           *family = cli_study_table(r, "family");
  print_speeds(r, out);
  if (family) print_family(r, family, out);
  if (!at) return;
  print_row("equilibrium", at, out);
  if (momenta) print_row("momenta", momenta, out);
  if (forces) print_row("multipliers", forces, out);
  cli_print(out, "  energy       %.12g\n", cli_study_figure(r, "energy"));
  if (cli_study_figure(r, "degrees") > 0)
    cli_print(out, "  freedom      %.0f degrees; softest stiffness %.6g\n",
              cli_study_figure(r, "degrees"), cli_study_figure(r, "softest"));
  else
    fputs("  freedom      none: constraints hold everything still\n", out);
  cli_print(out, "  verdict      %s: ", r->verdict);
  cli_study_words(out, 17 + (int)strlen(r->verdict), 15, r->why);
  if (modes && modes->rows) print_modes(r, out);
}

const cli_study_teller cli_study_tells_statics = {NULL, print_all};
