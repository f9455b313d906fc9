/* The order study as text. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

/* Rows of a convergence table: all of a short one, else every second or third, the finest always.
 * Slopes are from row to row. */
static void print_points(const rattle_study_method *method, int constrained, FILE *out) {
  enum { MOST = 14 };
  static const char *const column[] = {"error", "error_q", "error_p", "energy", "g", "psi"};
  static const char *const title[] = {"error", "|dq|", "|dp|", "|dH|", "|g|", "|psi|"};
  const rattle_study_table *table = rattle_study_find_table(method, "points");
  const rattle_study_fit *fit = rattle_study_find_fit(method, "error");
  int columns = constrained ? 6 : 4, every = table->rows / (MOST + 1) + 1, before = -1;
  cli_print(out, "  %10s %9s", "step", "steps");
  for (int c = 0; c < columns; c++) cli_print(out, " %9s", title[c]);
  cli_print(out, " %7s\n", "slope");
  for (int r = (table->rows - 1) % every; r < table->rows; r += every) {
    double step = rattle_study_entry(table, r, "step"), slope = (double)NAN;
    int used = fit && fit->points > 0 && fabs(step) >= fit->low && fabs(step) <= fit->high;
    if (before >= 0)
      slope =
          log(rattle_study_entry(table, before, "error") / rattle_study_entry(table, r, "error")) /
          log(rattle_study_entry(table, before, "step") / step);
    cli_print(out, "%c %10.4g %9.0f", used ? '*' : ' ', step,
              rattle_study_entry(table, r, "steps"));
    for (int c = 0; c < columns; c++)
      cli_study_cell(out, 9, "%.2e", rattle_study_entry(table, r, column[c]));
    cli_study_cell(out, 7, "%.2f", slope);
    putc('\n', out);
    before = r;
  }
  if (every > 1) cli_print(out, "               (one in %d of %d points)\n", every, table->rows);
}

static void print_order(const rattle_study_method *method, int constrained, FILE *out) {
  static const char *const fitted[][2] = {
      {"error_q", "q"}, {"error_p", "p"}, {"energy", "energy"}, {"g", "g"}, {"psi", "psi"}};
  char slope[64], line[1024];
  const rattle_study_fit *fit = rattle_study_find_fit(method, "error");
  int used = 0;
  if (method->status) return;
  print_points(method, constrained, out);
  cli_study_slope(slope, sizeof slope, fit);
  if (fit && fit->points >= 2)
    cli_print(out, "  slope        %s for the error, from the %d points marked *\n", slope,
              fit->points);
  for (size_t i = 0; i < sizeof fitted / sizeof *fitted; i++) {
    const rattle_study_fit *of = rattle_study_find_fit(method, fitted[i][0]);
    if (!of || of->points < 3) continue;
    cli_study_slope(slope, sizeof slope, of);
    used += snprintf(line + used, sizeof line - (size_t)used, "%s%s %s", used ? ", " : "",
                     fitted[i][1], slope);
  }
  if (used) {
    fputs("               ", out);
    cli_study_words(out, 15, 15, line);
  }
}

/* The order claimed, measured and the verdict, method by method. */
static void print_orders(const rattle_study_result *r, FILE *out) {
  size_t width = 6;
  for (int i = 0; i < r->methods; i++)
    width = strlen(r->method[i].method) > width ? strlen(r->method[i].method) : width;
  cli_print(out, "\n  %-*s  claimed  measured           points\n", (int)width, "method");
  for (int i = 0; i < r->methods; i++) {
    const rattle_study_method *method = &r->method[i];
    const rattle_study_fit *fit = rattle_study_find_fit(method, "error");
    char slope[64];
    cli_print(out, "  %-*s  ", (int)width, method->method);
    if (method->status) {
      fputs("not studied: ", out);
      cli_study_words(out, (int)width + 17, 8, method->message);
      continue;
    }
    cli_study_slope(slope, sizeof slope, fit);
    cli_print(out, method->claims.order >= RATTLE_ORDER_EXACT ? "  exact  " : "%7d  ",
              method->claims.order);
    cli_print(out, "%-18s %6d  %s\n", slope, fit ? fit->points : 0, method->verdict);
    if (method->why[0]) {
      fputs("        ", out);
      cli_study_words(out, 8, 8, method->why);
    }
  }
}

const cli_study_teller cli_study_tells_order = {print_order, print_orders};
