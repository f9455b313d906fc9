/* The table that a study is. */
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

static rattle_status put_study(table_writer *w, const char *asked, rattle_error *error) {
  const rattle_study_result *r = w->r;
  const rattle_study_table *best = cli_study_table(r, "best"),
                           *family = cli_study_table(r, "family"),
                           *modes = cli_study_table(r, "modes"),
                           *at = cli_study_table(r, "equilibrium"),
                           *orbits = r->methods > 0
                                         ? rattle_study_find_table(&r->method[0], "family")
                                         : NULL;
  if (family || (orbits && !asked))
    return table_of_family(w, family ? family : orbits, asked, error);
  if (asked && r->methods > 0) return table_of_points(w, asked, error);
  if (asked)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "a study of %s has one table, without columns to choose: leave --x and --y out",
        r->kind_name);
  if (table_of_methods(w)) return RATTLE_OK;
  if (best)
    return table_of_rows(w, best, "error,method_by_gradient,gradient,method_by_cpu,cpu_seconds", 1,
                         error);
  if (modes && modes->rows) return table_of_modes(w, modes), RATTLE_OK;
  if (at) return table_of_equilibrium(w, at), RATTLE_OK;
  return text_fail(error, RATTLE_BAD_ARGUMENT, "this study of %s has no results to be a table",
                   r->kind_name);
}

rattle_status plot_table(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const rattle_study_result *r = rattle_study_result_of(request->source[0].study);
  if (request->sources > 1)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--style table is of one study at a time");
  const rattle_model_options options = {
      .struct_size = sizeof options, .parameters = r->parameter, .parameter_count = r->parameters};
  size_t size;
  table_writer w = {.out = open_memstream(&figure->table, &size), .figure = figure, .r = r};
  if (!w.out) return text_no_memory(error);
  rattle_error unread;
  if (*r->model_text) rattle_model_parse(&w.model, r->model_text, r->model_file, &options, &unread);
  w.units = w.model ? cli_units_of(w.model) : (cli_units){.length = "", .time = ""};
  char *asked = request->x && request->y ? plot_printf("%s,%s", request->x, request->y) : NULL;
  const char *names = asked ? asked : request->y ? request->y : request->x;
  rattle_status status = put_study(&w, names, error);
  if (fclose(w.out) && !status) status = text_no_memory(error);
  rattle_model_destroy(&w.model);
  free(asked);
  return status;
}
