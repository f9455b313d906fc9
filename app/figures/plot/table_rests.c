/* Tables of studies: equilibria and modes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

/* Numbers that the largest of them leaves no digit of are 0. */
static void put_pairs(table_writer *w, const rattle_study_table *table) {
  double most = 0;
  for (int c = 0; c < table->columns; c++) most = fmax(most, fabs(table->value[c]));
  for (int c = 0; c < table->columns; c++) {
    table_name(w, table->column[c]);
    table_number(w, "%.10g", fabs(table->value[c]) > 2.3e-16 * most ? table->value[c] : 0);
    table_end_row(w);
    w->figure->samples++;
  }
}

void table_of_equilibrium(table_writer *w, const rattle_study_table *at) {
  const rattle_study_table *forces = cli_study_table(w->r, "multipliers");
  table_begin(w, "lr");
  table_head(w, "coordinate", TABLE_BARE), table_head(w, "equilibrium", TABLE_BARE),
      table_end_row(w);
  table_rule(w, "mid");
  put_pairs(w, at);
  if (forces && forces->columns > 0) {
    table_rule(w, "mid");
    table_words(w, "constraint"), table_words(w, "multiplier"), table_end_row(w);
    table_rule(w, "mid");
    put_pairs(w, forces);
  }
  table_rule(w, "mid");
  table_head(w, "{/:Italic H}", TABLE_ENERGY);
  table_number(w, "%.10g", cli_study_figure(w->r, "energy")), table_end_row(w);
  table_words(w, "stability"), table_plain(w, w->r->verdict), table_end_row(w);
  table_end(w);
}

void table_of_modes(table_writer *w, const rattle_study_table *modes) {
  static const char *const names[] = {"frequency", "cycles", "decay", "ratio"};
  const rattle_study_table *shapes = cli_study_table(w->r, "shapes"),
                           *imaginary = cli_study_table(w->r, "shapes_imaginary");
  table_begin(w, "rrrrrl");
  table_words(w, "mode");
  for (int c = 0; c < 4; c++) table_head(w, names[c], c < 3 ? TABLE_FREQUENCY : TABLE_BARE);
  table_words(w, "motion"), table_end_row(w), table_rule(w, "mid");
  for (int i = 0; i < modes->rows; i++) {
    int place[CLI_LEADING], count = 0;
    const size_t from = shapes ? (size_t)i * (size_t)shapes->columns : 0;
    const double *x = shapes ? shapes->value + from : NULL,
                 *y = imaginary ? imaginary->value + from : NULL;
    table_number(w, "%.0f", i + 1);
    for (int c = 0; c < 4; c++)
      table_number(w, c < 3 ? "%.6g" : "%.4g", rattle_study_entry(modes, i, names[c]));
    table_next(w);
    if (shapes) count = cli_study_leading(x, y, shapes->columns, place);
    for (int k = 0; k < count; k++) {
      char *name = plot_symbol(shapes->column[place[k]]);
      const double real = x[place[k]], turned = y ? y[place[k]] : 0;
      fputs(k ? ", $" : "$", w->out);
      if (cli_study_is_seen(real) || !cli_study_is_seen(turned)) fprintf(w->out, "%+.3f", real);
      if (cli_study_is_seen(turned)) fprintf(w->out, "%+.3f\\mathrm{i}", turned);
      fputs("$ ", w->out);
      plot_latex_text(w->out, name ? name : "");
      free(name);
    }
    table_end_row(w);
    w->figure->samples++;
  }
  table_end(w);
}
