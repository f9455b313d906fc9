/* Lyapunov exponents as text. */
#include <math.h>
#include <string.h>

#include "commands/study.h"

enum { MOST = 12 }; /* exponents of either end */

static void print_one(const rattle_study_method *method, int constrained, FILE *out) {
  const rattle_study_table *table = rattle_study_find_table(method, "exponents");
  (void)constrained;
  if (!table) return;
  const int d = table->columns - 3, row = table->rows - 1;
  /* NaN: studies of before have none */
  const double error = rattle_study_find_figure(method, "error");
  fputs("  exponents   ", out);
  for (int k = 0; k < d; k++) {
    if (d > 2 * MOST && k == MOST) fputs(" ...", out);
    if (d > 2 * MOST && k >= MOST && k < d - MOST) continue;
    if (k > 0 && k % 6 == 0) fputs("\n              ", out);
    cli_print(out, " %+.6f", table->value[(size_t)row * (size_t)table->columns + 3 + (size_t)k]);
  }
  if (isfinite(error))
    cli_print(out, "\n  error        of the largest %.1e%s", error,
              strcmp(method->verdict, "exponential") != 0 ? "; it is not distinguished from 0"
                                                          : "");
  cli_print(out, "\n  sum          %.1e; pairs +-: to %.1e\n",
            rattle_study_find_figure(method, "sum"), rattle_study_find_figure(method, "pairing"));
  cli_print(out, "  indicators   MEGNO %.4g, SALI %.2g\n",
            rattle_study_find_figure(method, "megno"), rattle_study_find_figure(method, "sali"));
  if (method->status) {
    cli_print(out, "  failed       after time %.6g: ",
              table->value[(size_t)row * (size_t)table->columns]);
    cli_study_words(out, 15, 15, method->message);
  }
  fputs("  verdict      ", out);
  char line[512];
  snprintf(line, sizeof line, "%s: %s", method->verdict, method->why);
  cli_study_words(out, 15, 15, line);
}

static void print_all(const rattle_study_result *r, FILE *out) {
  cli_study_failures(r, "exponents", out);
}

const cli_study_teller cli_study_tells_lyapunov = {print_one, print_all};
