/* Periodic orbits as text. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

enum { MOST = 12 };

static void print_start(const rattle_study_table *start, FILE *out) {
  fputs("  start       ", out);
  for (int c = 0; c < start->columns; c++) {
    if (c > 0 && c % 3 == 0) fputs("\n              ", out);
    cli_print(out, " %s = %.11g%s", start->column[c], start->value[c],
              c + 1 < start->columns ? "," : "");
  }
  putc('\n', out);
}

/* Real ones as numbers, pairs with the angle as modulus and angle; those of the flow and the energy
 * last. */
static void print_multipliers(const rattle_study_table *table, int trivial, FILE *out) {
  const int others = table->rows - trivial;
  fputs("  multipliers ", out);
  for (int i = 0; i < others && i < MOST; i++) {
    const double *row = table->value + (size_t)i * (size_t)table->columns;
    if (i > 0 && i % 4 == 0) fputs("\n              ", out);
    if (row[1] != 0)
      cli_print(out, " %.8g exp(%+.8g i)%s", row[2], row[3], i + 1 < others || trivial ? "," : "");
    else
      cli_print(out, " %.8g%s", row[0], i + 1 < others || trivial ? "," : "");
  }
  if (others > MOST) cli_print(out, " ... (%d in all),", table->rows);
  for (int i = 0; i < trivial; i++) cli_print(out, " 1%s", i + 1 < trivial ? "," : "");
  if (trivial) cli_print(out, " (%s)", trivial > 1 ? "the flow, the energy" : "the flow");
  putc('\n', out);
}

static void print_one(const rattle_study_method *method, int constrained, FILE *out) {
  const rattle_study_table *multipliers = rattle_study_find_table(method, "multipliers"),
                           *start = rattle_study_find_table(method, "start");
  (void)constrained;
  if (!multipliers || !start) return;
  const double repeats = rattle_study_find_figure(method, "repeats"),
               pairing = rattle_study_find_figure(method, "pairing_defect"),
               trivial = rattle_study_find_figure(method, "trivial_defect");
  cli_print(out, "  period       %.12g +- %.1e", rattle_study_find_figure(method, "period"),
            rattle_study_find_figure(method, "period_error"));
  if (repeats > 1) cli_print(out, ", %g times the least period", repeats);
  cli_print(out, "\n  energy       %.12g\n", rattle_study_find_figure(method, "energy"));
  print_start(start, out);
  print_multipliers(multipliers, (int)rattle_study_find_figure(method, "trivial"), out);
  cli_print(out, "  checks       residual %.1e", rattle_study_find_figure(method, "residual"));
  if (isfinite(trivial)) cli_print(out, ", M f - f %.1e", trivial);
  if (isfinite(pairing)) cli_print(out, ", pairs mu mu' - 1 %.1e", pairing);
  cli_print(out, "; %.0f iterations, %.0f steps, arcs %.0f\n",
            rattle_study_find_figure(method, "iterations"),
            rattle_study_find_figure(method, "steps"), rattle_study_find_figure(method, "arcs"));
  fputs("  verdict      ", out);
  cli_study_words(out, 15, 15, method->why);
}

static void print_all(const rattle_study_result *r, FILE *out) {
  cli_study_failures(r, "multipliers", out);
}

const cli_study_teller cli_study_tells_orbit = {print_one, print_all};
