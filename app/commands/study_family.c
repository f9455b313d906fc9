/* Families of periodic orbits as text. */
#include <string.h>

#include "commands/study.h"

enum { ROWS = 16 };

/* Some rows evenly, and each event. */
static void print_one(const rattle_study_method *method, int constrained, FILE *out) {
  const rattle_study_table *table = rattle_study_find_table(method, "family");
  (void)constrained;
  if (!table) return;
  const int every = (table->rows + ROWS - 1) / ROWS;
  const char *parameter = NULL; /* the column of the one that changes */
  for (int c = 0; c < table->columns; c++)
    if (!strncmp(table->column[c], "set:", 4)) parameter = table->column[c];
  if (parameter) cli_print(out, " %13s", parameter + 4);
  fputs("     arclength        energy        period        radius\n", out);
  for (int i = 0; i < table->rows; i++) {
    const rattle_family_event event = (rattle_family_event)rattle_study_entry(table, i, "event");
    if (i % every && event == RATTLE_FAMILY_NONE) continue;
    putc(' ', out);
    if (parameter) cli_study_cell(out, 13, "%.8g", rattle_study_entry(table, i, parameter));
    cli_study_cell(out, 12, "%.6g", rattle_study_entry(table, i, "arclength"));
    cli_study_cell(out, 13, "%.8g", rattle_study_entry(table, i, "energy"));
    cli_study_cell(out, 13, "%.8g", rattle_study_entry(table, i, "period"));
    cli_study_cell(out, 13, "%.8g", rattle_study_entry(table, i, "radius"));
    cli_print(out, "%s%s\n", event ? "  " : "", rattle_family_event_name(event));
  }
  cli_print(out, "  points       %d, events %.0f\n  verdict      ", table->rows,
            rattle_study_find_figure(method, "events"));
  cli_study_words(out, 15, 15, method->why);
}

static void print_all(const rattle_study_result *r, FILE *out) {
  cli_study_failures(r, "family", out);
}

const cli_study_teller cli_study_tells_family = {print_one, print_all};
