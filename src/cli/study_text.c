/* A study for people: tables in columns, and what follows from them in words. */
#include <math.h>
#include <string.h>

#include "cli/study.h"

enum { RIGHT = 110 };

/* Words from column `left` on, broken at spaces; the cursor is in column `at`. */
static void print_words(FILE *out, int at, int left, const char *text) {
  int first = 1;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (!first && at + 1 + length > RIGHT) {
      fprintf(out, "\n%*s", left, "");
      at = left;
    } else if (!first) {
      putc(' ', out);
      at++;
    }
    fprintf(out, "%.*s", length, text);
    at += length;
    first = 0;
    text += length;
    text += strspn(text, " ");
  }
  putc('\n', out);
}

/* A number in a column; what is not known is a dash. */
static void print_cell(FILE *out, int width, const char *format, double value) {
  char text[40];
  snprintf(text, sizeof text, format, value);
  fprintf(out, " %*s", width, isnan(value) ? "-" : text);
}

static void print_head(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  char line[1024];
  fprintf(out, "%s%s%s%s\n", r->title[0] ? r->title : report->model_path, r->title[0] ? " (" : "",
          r->title[0] ? report->model_path : "", r->title[0] ? ")" : "");
  fprintf(out, "  study        %s, time %.10g to %.10g\n", r->kind_name, r->start, r->stop);
  if (!r->reference.method[0]) return;
  fputs("  reference    ", out);
  snprintf(line, sizeof line, "%s, step %.3g: relative error %.1e, by halving the step", r->reference.method, r->reference.step,
           r->reference.error);
  print_words(out, 15, 15, line);
}

/* --- order ---------------------------------------------------------------------------------------------------------------------
 */

/* "2.001 +- 0.003": as many decimals as are known. */
static void say_slope(char *text, size_t size, const rattle_study_fit *fit) {
  if (!fit || fit->points < 2) {
    snprintf(text, size, "-");
    return;
  }
  int decimals = fit->uncertainty > 0 && isfinite(fit->uncertainty) ? (int)ceil(-log10(fit->uncertainty)) : 2;
  decimals = decimals < 1 ? 1 : decimals > 4 ? 4 : decimals;
  int used = snprintf(text, size, "%.*f", decimals, fit->slope);
  if (isfinite(fit->uncertainty)) snprintf(text + used, size - (size_t)used, " +- %.*f", decimals, fmax(fit->uncertainty, 1e-4));
}

/* Rows of a convergence table: all of a short one, else every second or third, the finest always. Slopes are from row to row. */
static void print_points(const rattle_study_method *method, int constrained, FILE *out) {
  enum { MOST = 14 };
  static const char *const column[] = {"error", "error_q", "error_p", "energy", "g", "psi"};
  static const char *const title[] = {"error", "|dq|", "|dp|", "|dH|", "|g|", "|psi|"};
  const rattle_study_table *table = rattle_study_find_table(method, "points");
  const rattle_study_fit *fit = rattle_study_find_fit(method, "error");
  int columns = constrained ? 6 : 4, every = table->rows / (MOST + 1) + 1, before = -1;
  fprintf(out, "  %10s %9s", "step", "steps");
  for (int c = 0; c < columns; c++) fprintf(out, " %9s", title[c]);
  fprintf(out, " %7s\n", "slope");
  for (int r = (table->rows - 1) % every; r < table->rows; r += every) {
    double step = rattle_study_entry(table, r, "step"), slope = (double)NAN;
    int used = fit && fit->points > 0 && fabs(step) >= fit->low && fabs(step) <= fit->high;
    if (before >= 0)
      slope = log(rattle_study_entry(table, before, "error") / rattle_study_entry(table, r, "error")) /
              log(rattle_study_entry(table, before, "step") / step);
    fprintf(out, "%c %10.4g %9.0f", used ? '*' : ' ', step, rattle_study_entry(table, r, "steps"));
    for (int c = 0; c < columns; c++) print_cell(out, 9, "%.2e", rattle_study_entry(table, r, column[c]));
    print_cell(out, 7, "%.2f", slope);
    putc('\n', out);
    before = r;
  }
  if (every > 1) fprintf(out, "               (one in %d of %d points)\n", every, table->rows);
}

static void print_order(const rattle_study_method *method, int constrained, FILE *out) {
  static const char *const fitted[][2] = {{"error_q", "q"}, {"error_p", "p"}, {"energy", "energy"}, {"g", "g"}, {"psi", "psi"}};
  char slope[64], line[1024];
  const rattle_study_fit *fit = rattle_study_find_fit(method, "error");
  int used = 0;
  if (method->status) return;
  print_points(method, constrained, out);
  say_slope(slope, sizeof slope, fit);
  if (fit && fit->points >= 2) fprintf(out, "  slope        %s of the error, from %d points, those with *\n", slope, fit->points);
  for (size_t i = 0; i < sizeof fitted / sizeof *fitted; i++) {
    const rattle_study_fit *of = rattle_study_find_fit(method, fitted[i][0]);
    if (!of || of->points < 3) continue;
    say_slope(slope, sizeof slope, of);
    used += snprintf(line + used, sizeof line - (size_t)used, "%s%s %s", used ? ", " : "", fitted[i][1], slope);
  }
  if (used) {
    fputs("               ", out);
    print_words(out, 15, 15, line);
  }
}

/* The order claimed, measured and the verdict, method by method. */
static void print_orders(const rattle_study_result *r, FILE *out) {
  size_t width = 6;
  for (int i = 0; i < r->methods; i++) width = strlen(r->method[i].method) > width ? strlen(r->method[i].method) : width;
  fprintf(out, "\n  %-*s  claimed  measured           points\n", (int)width, "method");
  for (int i = 0; i < r->methods; i++) {
    const rattle_study_method *method = &r->method[i];
    const rattle_study_fit *fit = rattle_study_find_fit(method, "error");
    char slope[64];
    fprintf(out, "  %-*s  ", (int)width, method->method);
    if (method->status) {
      fputs("not studied: ", out);
      print_words(out, (int)width + 17, 8, method->message);
      continue;
    }
    say_slope(slope, sizeof slope, fit);
    fprintf(out, method->claims.order >= RATTLE_ORDER_EXACT ? "  exact  " : "%7d  ", method->claims.order);
    fprintf(out, "%-18s %6d  %s\n", slope, fit ? fit->points : 0, method->verdict);
    if (method->why[0]) {
      fputs("        ", out);
      print_words(out, 8, 8, method->why);
    }
  }
}

/* --- drift ---------------------------------------------------------------------------------------------------------------------
 */

/* The table of growth, an octave of time from row to row. */
static void print_growth(const rattle_study_method *method, int constrained, FILE *out) {
  static const char *const column[] = {"energy", "error", "g", "psi"};
  static const char *const title[] = {"max |dH|", "max error", "max |g|", "max |psi|"};
  const rattle_study_table *table = rattle_study_find_table(method, "growth");
  int columns = constrained ? 4 : 2, first = table && table->rows > 32 ? table->rows - 32 : 0;
  if (!table || table->rows < 1) return;
  fprintf(out, "  %12s", "time");
  for (int c = 0; c < columns; c++) fprintf(out, " %9s", title[c]);
  putc('\n', out);
  for (int r = first + (table->rows - 1 - first) % 4; r < table->rows; r += 4) {
    fprintf(out, "  %12.6g", rattle_study_entry(table, r, "time"));
    for (int c = 0; c < columns; c++) print_cell(out, 9, "%.2e", rattle_study_entry(table, r, column[c]));
    putc('\n', out);
  }
}

/* "grows like t^1.02 +- 0.01", or why there is no such thing. */
static void print_exponent(const rattle_study_method *method, const char *label, const char *name, FILE *out) {
  const rattle_study_fit *fit = rattle_study_find_fit(method, name);
  char slope[64], figure[64];
  snprintf(figure, sizeof figure, "%s_max", name);
  double most = rattle_study_find_figure(method, figure);
  snprintf(figure, sizeof figure, "%s_floor", name);
  fprintf(out, "  %-12s at most %.2e", label, most);
  if (fit && isfinite(fit->slope)) {
    say_slope(slope, sizeof slope, fit);
    fprintf(out, ", grows like t^%s\n", slope);
  } else {
    fputs(most <= rattle_study_find_figure(method, figure) ? ", round-off\n" : "\n", out);
  }
}

static void print_error(const rattle_study_method *method, FILE *out) {
  const rattle_study_table *table = rattle_study_find_table(method, "growth");
  const rattle_study_fit *power = rattle_study_find_fit(method, "error"), *rate = rattle_study_find_fit(method, "error_rate");
  char slope[64];
  double last = table ? rattle_study_entry(table, table->rows - 1, "error") : (double)NAN;
  if (isnan(last)) return;
  fprintf(out, "  error        at most %.2e", last);
  if (power && isfinite(power->slope)) {
    say_slope(slope, sizeof slope, power);
    fprintf(out, "; from time %.3g to %.3g it grows like t^%s", power->low, power->high, slope);
    say_slope(slope, sizeof slope, rate);
    if (rate->slope > 0 && rate->uncertainty / rate->slope < 0.5 * power->uncertainty / power->slope)
      fprintf(out, ", better: like exp(%s t)", slope);
  }
  putc('\n', out);
}

/* "energy: 0.6034 (1.2e-09), ..." of every table of peaks. */
static void print_peaks(const rattle_study_method *method, FILE *out) {
  int said = 0;
  for (int i = 0; i < method->tables; i++) {
    const rattle_study_table *table = &method->table[i];
    char line[512];
    if (strncmp(table->name, "peaks:", 6)) continue;
    int used = snprintf(line, sizeof line, "%s:", table->name + 6);
    for (int r = 0; r < table->rows && r < 3 && used < (int)sizeof line; r++)
      used += snprintf(line + used, sizeof line - (size_t)used, "%s %.6g (power %.3g)", r ? "," : "",
                       rattle_study_entry(table, r, "interpolated"), rattle_study_entry(table, r, "power"));
    fprintf(out, "  %-12s ", said++ ? "" : "frequencies");
    print_words(out, 15, 17, table->rows ? line : "");
  }
}

static void print_drift(const rattle_study_method *method, int constrained, FILE *out) {
  const rattle_study_fit *trend = rattle_study_find_fit(method, "energy_trend");
  if (!rattle_study_find_table(method, "growth")) return;
  print_growth(method, constrained, out);
  print_exponent(method, "energy", "energy", out);
  if (trend && isfinite(trend->slope))
    fprintf(out, "               trend %.1e +- %.1e per unit of time, swings by +- %.1e about it\n", trend->slope,
            trend->uncertainty, rattle_study_find_figure(method, "energy_swing"));
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
    print_words(out, 15, 15, line);
  }
  if (method->status) {
    fputs("  failed       ", out);
    print_words(out, 15, 15, method->message);
  }
}

static void print_drifts(const rattle_study_result *r, FILE *out) {
  for (int i = 0; i < r->methods; i++) {
    if (!r->method[i].status || rattle_study_find_table(&r->method[i], "growth")) continue;
    fprintf(out, "\n%s\n  not studied  ", r->method[i].method);
    print_words(out, 15, 15, r->method[i].message);
  }
}

/* --- all -----------------------------------------------------------------------------------------------------------------------
 */

/* How each kind is told: of one method, and of all together. */
static const struct {
  void (*method)(const rattle_study_method *method, int constrained, FILE *out);
  void (*all)(const rattle_study_result *result, FILE *out);
} tellers[] = {[RATTLE_STUDY_ORDER] = {print_order, print_orders}, [RATTLE_STUDY_DRIFT] = {print_drift, print_drifts}};

void cli_study_text(const cli_study_report *report, FILE *out) {
  const rattle_study_result *r = report->result;
  print_head(report, out);
  for (int i = 0; i < r->methods; i++) {
    if (r->method[i].tables == 0) continue;
    fprintf(out, "\n%s\n", r->method[i].method);
    tellers[r->kind].method(&r->method[i], r->m > 0, out);
  }
  tellers[r->kind].all(r, out);
  if (r->note[0]) {
    fputs("  note         ", out);
    print_words(out, 15, 15, r->note);
  }
  if (report->record_path) fprintf(out, "  record       %s\n", report->record_path);
}
