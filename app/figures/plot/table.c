/* Tables for LaTeX: a `tabular` that needs no package, with the rules of booktabs where the
 * document loads it. */
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

void table_next(table_writer *w) {
  fputs(w->cells++ ? " & " : "  ", w->out);
}

void table_end_row(table_writer *w) {
  fputs(" \\\\\n", w->out);
  w->cells = 0;
}

void table_rule(table_writer *w, const char *rule) {
  fprintf(w->out, "  \\%srule\n", rule);
}

void table_words(table_writer *w, const char *typeset) {
  table_next(w);
  plot_latex_text(w->out, typeset ? typeset : "");
}

void table_plain(table_writer *w, const char *words) {
  char *typeset = plot_plain(words);
  table_words(w, typeset);
  free(typeset);
}

void table_name(table_writer *w, const char *name) {
  char *typeset = plot_symbol(name);
  table_words(w, typeset);
  free(typeset);
}

void table_number(table_writer *w, const char *format, double value) {
  table_next(w);
  plot_latex_number(w->out, format, value);
}

void table_head(table_writer *w, const char *typeset, table_unit in) {
  char frequency[96];
  snprintf(frequency, sizeof frequency, "%s%s", w->units.time, *w->units.time ? "-1" : "");
  const char *given = in == TABLE_TIME        ? w->units.time
                      : in == TABLE_FREQUENCY ? frequency
                      : in == TABLE_ENERGY    ? w->units.energy
                                              : "";
  table_words(w, typeset);
  if (!*given) return;
  char *shown = plot_unit(given);
  fputs(" (", w->out);
  plot_latex_text(w->out, shown ? shown : "");
  fputs(")", w->out);
  free(shown);
}

/* Columns of words are to the left, of numbers to the right. */
void table_begin(table_writer *w, const char *columns) {
  fprintf(w->out,
          "%% Written by rattle %s. Rules are those of booktabs if the document loads it.\n"
          "\\providecommand{\\toprule}{\\hline}\\providecommand{\\midrule}{\\hline}"
          "\\providecommand{\\bottomrule}{\\hline}\n"
          "\\begin{tabular}{%s}\n",
          rattle_version(), columns);
  table_rule(w, "top");
}

void table_end(table_writer *w) {
  table_rule(w, "bottom");
  fputs("\\end{tabular}\n", w->out);
}
