/* The work study as text. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

static void print_cost(const rattle_study_method *method, int constrained, FILE *out) {
  enum { MOST = 12 };
  const rattle_study_table *table = rattle_study_find_table(method, "points");
  (void)constrained;
  if (!table) return;
  int every = table->rows / (MOST + 1) + 1;
  cli_print(out, "  %10s %9s %9s %9s %10s %10s %9s %9s\n", "step", "steps", "error", "rel |dH|",
            "gradients", "Newton", "CPU s", "ns/step");
  for (int r = (table->rows - 1) % every; r < table->rows; r += every) {
    double steps = rattle_study_entry(table, r, "steps"),
           seconds = rattle_study_entry(table, r, "cpu_seconds");
    cli_print(out, "  %10.4g %9.0f", rattle_study_entry(table, r, "step"), steps);
    cli_study_cell(out, 9, "%.2e", rattle_study_entry(table, r, "error"));
    cli_study_cell(out, 9, "%.2e", rattle_study_entry(table, r, "energy"));
    cli_study_cell(out, 10, "%.0f", rattle_study_entry(table, r, "gradient"));
    cli_study_cell(out, 10, "%.0f", rattle_study_entry(table, r, "newton_iterations"));
    cli_study_cell(out, 9, "%.2e", seconds);
    cli_study_cell(out, 9, "%.4g", 1e9 * seconds / steps);
    putc('\n', out);
  }
  if (every > 1) cli_print(out, "               (one in %d of %d points)\n", every, table->rows);
}

static const char *name_of(const rattle_study_result *r, double place) {
  return place >= 0 && place < r->methods ? r->method[(int)place].method : "-";
}

/* The cheapest method of each decade. */
static void print_best(const rattle_study_result *r, FILE *out) {
  const rattle_study_table *best = r->tables > 0 ? &r->table[0] : NULL;
  int width = 14;
  for (int i = 0; i < r->methods; i++)
    if (!r->method[i].status && (int)strlen(r->method[i].method) > width)
      width = (int)strlen(r->method[i].method);
  if (best && best->rows > 0)
    cli_print(out, "\n  %7s  %-*s %10s  %-*s %9s\n", "error", width, "fewest gradients",
              "gradients", width, "least time", "CPU s");
  for (int k = 0; best && k < best->rows; k++)
    cli_print(out, "  %7.0e  %-*s %10.3g  %-*s %9.2e\n", rattle_study_entry(best, k, "error"),
              width, name_of(r, rattle_study_entry(best, k, "method_by_gradient")),
              rattle_study_entry(best, k, "gradient"), width,
              name_of(r, rattle_study_entry(best, k, "method_by_cpu")),
              rattle_study_entry(best, k, "cpu_seconds"));
  if (best && best->rows == 0)
    fputs("\n  no method reached an error of 0.1: use an earlier --stop or more --effort\n", out);
  cli_study_failures(r, "points", out);
}

const cli_study_teller cli_study_tells_work = {print_cost, print_best};
