/* The table that a file, or several runs, are. */
#include <stdlib.h>
#include <string.h>

#include "figures/plot/cases.h"
#include "figures/plot/table.h"
#include "many/markov/markov.h"

/* The units that the model of the file gives. */
static cli_units units_of(const plot_source *source, rattle_model **model) {
  const rattle_study_result *r = source->study ? rattle_study_result_of(source->study) : NULL;
  const rattle_cases_about *about = source->cases ? rattle_cases_about_of(source->cases) : NULL;
  if (source->info) {
    cli_units units = {.length = source->info->unit_length, .time = source->info->unit_time};
    snprintf(units.energy, sizeof units.energy, "%s", source->info->unit_energy);
    return units;
  }
  rattle_error unread;
  const rattle_model_options options = {.struct_size = sizeof options,
                                        .parameters = r ? r->parameter : NULL,
                                        .parameter_count = r ? r->parameters : 0};
  const char *text = r       ? r->model_text
                     : about ? about->model_text
                             : "",
             *file = r       ? r->model_file
                     : about ? about->model_file
                             : "";
  if (*text) rattle_model_parse(model, text, file, &options, &unread);
  return *model ? cli_units_of(*model) : (cli_units){.length = "", .time = ""};
}

static rattle_status put(table_writer *w, const plot_request *request, const char *names,
                         rattle_error *error) {
  const plot_source *source = &request->source[0];
  const int several = request->sources > 1;
  if (source->record && !names) return table_of_runs(w, request, error);
  if (several && source->record)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "a table of samples is of one run at a time; without --x and --y a table has "
                     "a row for each run");
  if (several)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "--style table is of one study, sweep or file of samples at a time");
  if (source->record) return table_of_record(w, source, names, error);
  if (source->study) return table_of_study(w, names, error);
  return markov_is_file(source->cases) ? table_of_samples(w, source, names, error)
                                       : table_of_sweep(w, request, names, error);
}

rattle_status plot_table(plot_figure *figure, const plot_request *request, rattle_error *error) {
  const plot_source *source = &request->source[0];
  rattle_model *model = NULL;
  size_t size;
  table_writer w = {.out = open_memstream(&figure->table, &size),
                    .figure = figure,
                    .r = source->study ? rattle_study_result_of(source->study) : NULL,
                    .units = units_of(source, &model)};
  const char *x = source->cases ? cases_axis(source, request->x) : request->x;
  char *asked = x && request->y ? plot_printf("%s,%s", x, request->y) : NULL;
  rattle_status status = w.out ? put(&w, request,
                                     asked        ? asked
                                     : request->y ? request->y
                                                  : x,
                                     error)
                               : text_no_memory(error);
  if (w.out && fclose(w.out) && !status) status = text_no_memory(error);
  rattle_model_destroy(&model);
  free(asked);
  return status;
}
