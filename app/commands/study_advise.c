/* Advice as text: what to run, its cost, how sure that is, and what else was tried. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/study.h"
#include "words/text.h"

static void print_advice(const rattle_study_result *r, const rattle_study_method *best, FILE *out) {
  char line[512];
  double step = rattle_study_find_figure(best, "step"),
         seconds = rattle_study_find_figure(best, "cpu_seconds");
  snprintf(line, sizeof line, "%s with step %.6g: %.0f steps", best->method, step,
           rattle_study_find_figure(best, "steps"));
  fputs("  advice       ", out);
  cli_study_words(out, 15, 15, line);
  fputs("               rattle run ", out);
  text_put_shell(out, r->model_file);
  fputs(" --method ", out);
  text_put_shell(out, best->method);
  cli_print(out, " --step %.12g --stop %.12g\n", step, r->stop);
  snprintf(line, sizeof line, "error %.1e; %.2g s of CPU time, %.4g ns and %.3g gradients per step",
           rattle_study_find_figure(best, "error"), seconds,
           rattle_study_find_figure(best, "ns_per_step"),
           rattle_study_find_figure(best, "gradient") / rattle_study_find_figure(best, "steps"));
  fputs("  expected     ", out);
  cli_study_words(out, 15, 15, line);
}

/* The candidates, those before the clock first, cheapest first. */
static int rank(const void *a, const void *b) {
  const rattle_study_method *const *x = a, *const *y = b;
  double s = rattle_study_find_figure(*x, "cpu_seconds"),
         t = rattle_study_find_figure(*y, "cpu_seconds");
  if (isnan(s) || isnan(t))
    return isnan(s) - isnan(t) ? isnan(s) - isnan(t) : (*x > *y) - (*x < *y);
  return (s > t) - (s < t);
}

static void print_candidates(const rattle_study_result *r, FILE *out) {
  const rattle_study_method **list = calloc((size_t)r->methods + 1, sizeof *list);
  int width = 6;
  for (int i = 0; i < r->methods && list; i++) {
    list[i] = &r->method[i];
    if ((int)strlen(r->method[i].method) > width) width = (int)strlen(r->method[i].method);
  }
  if (list) qsort(list, (size_t)r->methods, sizeof *list, rank);
  cli_print(out, "\n  %-*s %10s %9s %8s %10s %9s  order here\n", width, "candidates", "step",
            "steps", "error", "gradients", "CPU s");
  for (int i = 0; i < r->methods && list; i++) {
    const rattle_study_method *method = list[i];
    cli_print(out, "  %-*s ", width, method->method);
    if (!method->figures) {
      cli_print(out, " %s%s", method->status ? "not studied" : method->verdict, ": ");
      cli_study_words(out, width + 20, 8, method->status ? method->message : method->why);
      continue;
    }
    cli_study_cell(out, 9, "%.4g", rattle_study_find_figure(method, "step"));
    cli_study_cell(out, 9, "%.0f", rattle_study_find_figure(method, "steps"));
    cli_study_cell(out, 8, "%.1e", rattle_study_find_figure(method, "error"));
    cli_study_cell(out, 10, "%.0f", rattle_study_find_figure(method, "gradient"));
    cli_study_cell(out, 9, "%.2e", rattle_study_find_figure(method, "cpu_seconds"));
    cli_print(out, "  %.1f\n", rattle_study_find_figure(method, "local_order"));
  }
  free(list);
}

static void print_all(const rattle_study_result *r, FILE *out) {
  double best = cli_study_figure(r, "best");
  char line[1024];
  cli_print(out, "  target       an error of %.3g\n", cli_study_figure(r, "error_wanted"));
  if (best >= 0 && best < r->methods)
    print_advice(r, &r->method[(int)best], out);
  else
    fputs("  advice       none\n", out);
  snprintf(line, sizeof line, "%s%s%s", best >= 0 ? r->verdict : "", best >= 0 ? ": " : "", r->why);
  fputs(best >= 0 ? "  how sure     " : "               ", out);
  cli_study_words(out, 15, 15, line);
  if (r->methods > 0 && strcmp(r->method[0].verdict, "not tried") != 0) print_candidates(r, out);
}

const cli_study_teller cli_study_tells_advise = {NULL, print_all};
