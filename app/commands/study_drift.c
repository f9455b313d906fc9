/* The drift study as text. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

/* The table of growth, an octave of time from row to row. */
static void print_growth(const rattle_study_method *method, int constrained, FILE *out) {
  static const char *const column[] = {"energy", "error", "g", "psi"};
  static const char *const title[] = {"max |dH|", "max error", "max |g|", "max |psi|"};
  const rattle_study_table *table = rattle_study_find_table(method, "growth");
  int columns = constrained ? 4 : 2, first = table && table->rows > 32 ? table->rows - 32 : 0;
  if (!table || table->rows < 1) return;
  cli_print(out, "  %12s", "time");
  for (int c = 0; c < columns; c++) cli_print(out, " %9s", title[c]);
  putc('\n', out);
  for (int r = first + (table->rows - 1 - first) % 4; r < table->rows; r += 4) {
    cli_print(out, "  %12.6g", rattle_study_entry(table, r, "time"));
    for (int c = 0; c < columns; c++)
      cli_study_cell(out, 9, "%.2e", rattle_study_entry(table, r, column[c]));
    putc('\n', out);
  }
}

/* "grows like t^1.02 +- 0.01", or the reason if there is no exponent. */
static void print_exponent(const rattle_study_method *method, const char *label, const char *name,
                           FILE *out) {
  const rattle_study_fit *fit = rattle_study_find_fit(method, name);
  char slope[64], figure[64];
  snprintf(figure, sizeof figure, "%s_max", name);
  double most = rattle_study_find_figure(method, figure);
  snprintf(figure, sizeof figure, "%s_floor", name);
  cli_print(out, "  %-12s at most %.2e", label, most);
  if (fit && isfinite(fit->slope)) {
    cli_study_slope(slope, sizeof slope, fit);
    cli_print(out, ", grows like t^%s\n", slope);
  } else {
    fputs(most <= rattle_study_find_figure(method, figure) ? ", round-off\n" : "\n", out);
  }
}

static void print_error(const rattle_study_method *method, FILE *out) {
  const rattle_study_table *table = rattle_study_find_table(method, "growth");
  const rattle_study_fit *power = rattle_study_find_fit(method, "error"),
                         *rate = rattle_study_find_fit(method, "error_rate");
  char slope[64];
  double last = table ? rattle_study_entry(table, table->rows - 1, "error") : (double)NAN;
  if (isnan(last)) return;
  cli_print(out, "  error        at most %.2e", last);
  if (power && isfinite(power->slope)) {
    cli_study_slope(slope, sizeof slope, power);
    cli_print(out, "; from time %.3g to %.3g it grows like t^%s", power->low, power->high, slope);
    cli_study_slope(slope, sizeof slope, rate);
    if (rate->slope > 0 &&
        rate->uncertainty / rate->slope < 0.5 * power->uncertainty / power->slope)
      cli_print(out, ", better: like exp(%s t)", slope);
  }
  putc('\n', out);
}

/* "energy: 0.6034 (1.2e-09), ..." of every table of peaks. */
static void print_peaks(const rattle_study_method *method, FILE *out) {
  int said = 0;
  for (int i = 0; i < method->tables; i++) {
    const rattle_study_table *table = &method->table[i];
    char line[512];
    if (strncmp(table->name, "peaks:", 6) || table->rows == 0) continue;
    int used = snprintf(line, sizeof line, "%s:", table->name + 6);
    for (int r = 0; r < table->rows && r < 3 && used < (int)sizeof line; r++)
      used += snprintf(line + used, sizeof line - (size_t)used, "%s %.6g (power %.3g)",
                       r ? "," : "", rattle_study_entry(table, r, "interpolated"),
                       rattle_study_entry(table, r, "power"));
    cli_print(out, "  %-12s ", said++ ? "" : "frequencies");
    cli_study_words(out, 15, 17, table->rows ? line : "");
  }
}

static void print_drift(const rattle_study_method *method, int constrained, FILE *out) {
  const rattle_study_fit *trend = rattle_study_find_fit(method, "energy_trend");
  if (!rattle_study_find_table(method, "growth")) return;
  print_growth(method, constrained, out);
  print_exponent(method, "energy", "energy", out);
  if (trend && isfinite(trend->slope))
    cli_print(out,
              "               trend %.1e +- %.1e per unit of time; it swings by +- %.1e about the "
              "trend\n",
              trend->slope, trend->uncertainty, rattle_study_find_figure(method, "energy_swing"));
  if (constrained) {
    print_exponent(method, "|g|", "g", out);
    print_exponent(method, "|psi|", "psi", out);
  }
  print_error(method, out);
  print_peaks(method, out);
  if (method->verdict[0]) {
    char line[1024];
    snprintf(line, sizeof line, "%s%s%s", method->verdict, method->why[0] ? ": " : "", method->why);
    fputs("  verdict      ", out);
    cli_study_words(out, 15, 15, line);
  }
  if (method->status) {
    fputs("  failed       ", out);
    cli_study_words(out, 15, 15, method->message);
  }
}

static void print_drifts(const rattle_study_result *r, FILE *out) {
  cli_study_failures(r, "growth", out);
}

const cli_study_teller cli_study_tells_drift = {print_drift, print_drifts};
