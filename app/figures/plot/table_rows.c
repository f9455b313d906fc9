/* Tables of studies: rows of the tables that they keep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

/* How the numbers of a column are written; NULL: it holds no numbers but names. */
static const char *format_of(const rattle_study_table *table, const char *name) {
  static const char *const counts[] = {"steps", "maps", "gradient", "hessian", "newton_iterations",
                                       NULL};
  static const char *const errors[] = {"error", "error_q",     "error_p", "g",
                                       "psi",   "cpu_seconds", NULL};
  for (int i = 0; counts[i]; i++)
    if (!strcmp(counts[i], name)) return "%.0f";
  for (int i = 0; errors[i]; i++)
    if (!strcmp(errors[i], name)) return "%.2e";
  /* of points and growth the largest error of the energy, of families the energy */
  if (!strcmp(name, "energy") && (!strcmp(table->name, "points") || !strcmp(table->name, "growth")))
    return "%.2e";
  if (!strcmp(name, "step")) return "%.4g";
  return !strncmp(name, "method_by_", 10) || !strcmp(name, "event") || !strcmp(name, "stable")
             ? NULL
             : "%.8g";
}

static void put_word(table_writer *w, const char *name, double value) {
  if (!strncmp(name, "method_by_", 10))
    table_plain(w,
                value >= 0 && value < w->r->methods ? w->r->method[(int)value].method : "\u2013");
  else if (!strcmp(name, "stable"))
    table_words(w, value > 0 ? "stable" : value < 0 ? "undecided" : "unstable");
  else if (w->r->kind == RATTLE_STUDY_FAMILY)
    table_words(w, rattle_family_event_name((rattle_family_event)value));
  else
    table_words(w, rattle_equilibria_event_name((rattle_equilibria_event)value));
}

static void put_column_head(table_writer *w, const rattle_study_table *table, const char *name) {
  const int values = format_of(table, name) && !strcmp(format_of(table, name), "%.8g");
  const table_unit in = !strcmp(name, "step") || !strcmp(name, "time") || !strcmp(name, "period")
                            ? TABLE_TIME
                        : !strncmp(name, "frequency", 9) ? TABLE_FREQUENCY
                        : !strcmp(name, "energy") && w->r->kind != RATTLE_STUDY_WORK ? TABLE_ENERGY
                                                                                     : TABLE_BARE;
  char *head = !strcmp(name, "method_by_gradient") ? strdup("fewest gradients")
               : !strcmp(name, "method_by_cpu")    ? strdup("least time")
               : !strncmp(name, "set:", 4)         ? plot_symbol(name + 4)
               : !strcmp(name, "energy") && values ? strdup("{/:Italic H}")
                                                   : plot_study_symbol(w->r, name);
  table_head(w, head, in);
  free(head);
}

/* The table in which a column is: that of the names, or one beside it. */
static const rattle_study_table *table_with(const rattle_study_result *r,
                                            const rattle_study_table *table, const char *name) {
  static const char *const beside[] = {"family_modes", "family_multipliers"};
  const int family = !strcmp(table->name, "family");
  for (int c = 0; c < table->columns; c++)
    if (!strcmp(table->column[c], name)) return table;
  for (int t = 0; t < 2 && family; t++) {
    const rattle_study_table *other = cli_study_table(r, beside[t]);
    for (int c = 0; other && c < other->columns; c++)
      if (!strcmp(other->column[c], name)) return other;
  }
  return NULL;
}

static int shown(const rattle_study_table *table, int row, int every) {
  return row % every == 0 || rattle_study_entry(table, row, "event") > 0;
}

/* The heads of the columns, a list of names. */
static rattle_status open_rows(table_writer *w, const rattle_study_table *table, const char *names,
                               rattle_error *error) {
  char align[64] = "";
  size_t count = 0;
  for (const char *list = names; list;) {
    char *name = plot_next_name(&list);
    if (!name) return text_no_memory(error);
    rattle_status status = RATTLE_OK;
    if (count + 1 >= sizeof align)
      status = text_fail(error, RATTLE_BAD_ARGUMENT, "a table has at most %d columns: --y NAMES",
                         (int)sizeof align - 1);
    else if (!table_with(w->r, table, name)) {
      const char *near = cli_nearest(name, table->column, table->columns);
      status = text_fail(error, RATTLE_BAD_ARGUMENT,
                         near ? "the table %s has no column %s; did you mean %s?"
                              : "the table %s has no column %s%s",
                         table->name, name, near ? near : "");
    } else
      align[count++] = format_of(table, name) ? 'r' : 'l';
    free(name);
    if (status) return status;
  }
  table_begin(w, align);
  for (const char *list = names; list;) {
    char *name = plot_next_name(&list);
    if (name) put_column_head(w, table, name);
    free(name);
  }
  table_end_row(w);
  return RATTLE_OK;
}

static void put_rows(table_writer *w, const rattle_study_table *table, const char *names,
                     int every) {
  for (int i = 0; i < table->rows; i++) {
    if (!shown(table, i, every)) continue;
    for (const char *list = names; list;) {
      char *name = plot_next_name(&list);
      const rattle_study_table *of = name ? table_with(w->r, table, name) : NULL;
      const char *format = of ? format_of(of, name) : NULL;
      const double value = of ? rattle_study_entry(of, i, name) : (double)NAN;
      if (format)
        table_number(w, format, value);
      else if (of)
        put_word(w, name, value);
      free(name);
    }
    table_end_row(w);
    w->figure->samples++;
  }
}

/* The columns of a family that are shown if none is asked for. */
static char *family_columns(const rattle_study_result *r, const rattle_study_table *table) {
  enum { COORDINATES = 3 };
  const rattle_study_table *modes = cli_study_table(r, "family_modes");
  char *list = strdup("");
  for (int c = 0; list && c < table->columns; c++) {
    const char *name = table->column[c];
    const int first = table->columns - r->n; /* of the coordinates */
    const int wanted = r->kind == RATTLE_STUDY_FAMILY
                           ? !strncmp(name, "set:", 4) || !strcmp(name, "energy") ||
                                 !strcmp(name, "period") || !strcmp(name, "radius")
                           : c == 0 || !strcmp(name, "energy") || !strcmp(name, "softest") ||
                                 (!modes && c >= first && c < first + COORDINATES);
    char *longer = wanted ? plot_printf("%s%s%s", list, *list ? "," : "", name) : strdup(list);
    free(list);
    list = longer;
  }
  for (int c = 0; list && modes && c < modes->columns && c < 2 * COORDINATES; c += 2) {
    char *longer = plot_printf("%s,%s", list, modes->column[c]);
    free(list);
    list = longer;
  }
  char *all =
      list ? plot_printf(r->kind == RATTLE_STUDY_FAMILY ? "%s,event" : "%s,stable,event", list)
           : NULL;
  free(list);
  return all;
}

rattle_status table_of_rows(table_writer *w, const rattle_study_table *table, const char *names,
                            int every, rattle_error *error) {
  rattle_status status = open_rows(w, table, names, error);
  if (status) return status;
  table_rule(w, "mid");
  put_rows(w, table, names, every);
  table_end(w);
  return RATTLE_OK;
}

/* A family: some rows evenly, and each event. */
rattle_status table_of_family(table_writer *w, const rattle_study_table *table, const char *asked,
                              rattle_error *error) {
  enum { ROWS = 24 };
  const int every = asked ? 1 : (table->rows + ROWS - 1) / ROWS;
  char *names = asked ? strdup(asked) : family_columns(w->r, table);
  rattle_status status =
      names ? table_of_rows(w, table, names, every > 1 ? every : 1, error) : text_no_memory(error);
  if (every > 1)
    snprintf(w->figure->remark, sizeof w->figure->remark,
             "one in %d of %d points, and each event (--y NAMES: all)", every, table->rows);
  free(names);
  return status;
}

/* The columns that were asked for, of the points of each method under its name. */
rattle_status table_of_points(table_writer *w, const char *names, rattle_error *error) {
  static const char *const tables[] = {
      [RATTLE_STUDY_ORDER] = "points",      [RATTLE_STUDY_DRIFT] = "growth",
      [RATTLE_STUDY_WORK] = "points",       [RATTLE_STUDY_COMPARE] = "growth",
      [RATTLE_STUDY_ADVISE] = "points",     [RATTLE_STUDY_LYAPUNOV] = "exponents",
      [RATTLE_STUDY_ORBIT] = "multipliers", [RATTLE_STUDY_FAMILY] = "family"};
  int columns = 1, opened = 0;
  for (const char *list = names; list; columns += list != NULL) free(plot_next_name(&list));
  for (int i = 0; i < w->r->methods; i++) {
    const rattle_study_table *table = rattle_study_find_table(&w->r->method[i], tables[w->r->kind]);
    if (!table) continue;
    rattle_status status = opened ? RATTLE_OK : open_rows(w, table, names, error);
    if (status) return status;
    opened = 1;
    table_rule(w, "mid");
    fprintf(w->out, "  \\multicolumn{%d}{l}{", columns);
    char *method = plot_plain(w->r->method[i].method);
    plot_latex_text(w->out, method ? method : "");
    free(method);
    fputs("} \\\\\n", w->out);
    put_rows(w, table, names, 1);
  }
  if (opened) table_end(w);
  return opened ? RATTLE_OK
                : text_fail(error, RATTLE_BAD_ARGUMENT, "this study of %s has no table of %s",
                            w->r->kind_name, tables[w->r->kind]);
}
