/* Records to be drawn, and their columns by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "many/markov/markov.h"
#include "figures/plot/plot.h"

/* Samples of the run, or of an event, in their order; and how many there are. */
static rattle_status read_rows(const plot_source *source, rattle_column column, long long first,
                               long long count, double *values, rattle_error *error) {
  return source->event == 0
             ? rattle_record_read_column(source->record, column, first, count, values, error)
             : rattle_record_read_event(source->record, source->event - 1, column, first, count,
                                        values, error);
}

static long long rows_of(const plot_source *source) {
  return source->event == 0 ? source->info->samples
                            : source->info->events_so_far->counts[source->event - 1];
}

/* The event of a section: that with the name, or the first one. */
static rattle_status choose_event(plot_source *source, const plot_request *request,
                                  rattle_error *error) {
  const rattle_record_info *info = source->info;
  if (info->events == 0)
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "%s has no events: a section needs one, as in event(\"section\", x) in the model",
        source->path);
  source->event = request->event ? 0 : 1;
  for (int e = 0; e < info->events && request->event; e++)
    if (!strcmp(info->event_names[e], request->event)) source->event = e + 1;
  if (source->event && rows_of(source) > 0) return RATTLE_OK;
  if (source->event)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "%s: the event \"%s\" has not happened",
                     source->path, info->event_names[source->event - 1]);
  const char *near = cli_nearest(request->event, info->event_names, info->events);
  return text_fail(error, RATTLE_BAD_ARGUMENT, "%s has no event \"%s\"%s%s%s", source->path,
                   request->event, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "");
}

/* The first sample, of those in order of time, at or after `time` (before: 1: after it). */
static rattle_status find_time(const plot_source *source, double time, int beyond, long long *found,
                               rattle_error *error) {
  long long low = 0, high = rows_of(source);
  double direction = source->info->step < 0 ? -1 : 1;
  while (low < high) {
    long long middle = low + (high - low) / 2;
    double at;
    rattle_status status =
        read_rows(source, (rattle_column){RATTLE_TIME, 0}, middle, 1, &at, error);
    if (status) return status;
    double difference = direction * (at - time);
    if (beyond ? difference > 0 : difference >= 0)
      high = middle;
    else
      low = middle + 1;
  }
  *found = low;
  return RATTLE_OK;
}

static rattle_status choose_samples(plot_source *source, const plot_request *request,
                                    rattle_error *error) {
  long long first = 0, end = rows_of(source);
  int backwards = source->info->step < 0;
  double from = backwards ? request->to : request->from,
         to = backwards ? request->from : request->to;
  rattle_status status = RATTLE_OK;
  if (!isnan(from)) status = find_time(source, from, 0, &first, error);
  if (!status && !isnan(to)) status = find_time(source, to, 1, &end, error);
  if (status) return status;
  source->first = first, source->count = end - first;
  if (source->info->samples == 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s has no samples yet; run `rattle plot` again later", source->path);
  if (source->count <= 0)
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s has no samples between the times %g and %g; its samples are from %g to %g",
                     source->path, request->from, request->to, source->info->start_time,
                     source->info->last_time);
  return RATTLE_OK;
}

/* A file's name without folders and ".h5". */
static char *short_name(const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = strdup(slash ? slash + 1 : path);
  size_t length = name ? strlen(name) : 0;
  if (length > 3 && !strcmp(name + length - 3, ".h5")) name[length - 3] = 0;
  return name;
}

/* The names that were asked for, one for each file. */
static rattle_status take_legend(plot_request *request, rattle_error *error) {
  const char *list = request->legend;
  int names = 0;
  for (; list; names++) {
    char *name = plot_next_name(&list);
    if (name && names < request->sources) request->source[names].label = plot_plain(name);
    free(name);
  }
  if (names != request->sources)
    return text_fail(error, RATTLE_BAD_ARGUMENT, "--legend %s: %d names for %d files",
                     request->legend, names, request->sources);
  for (int i = 0; i < request->sources; i++)
    if (!request->source[i].label) return text_no_memory(error);
  return RATTLE_OK;
}

/* Records are named by their methods if all differ, otherwise by their file names. */
static rattle_status label_sources(plot_request *request, rattle_error *error) {
  int distinct = 1;
  if (request->legend) return take_legend(request, error);
  for (int i = 0; i < request->sources; i++)
    for (int j = 0; j < i; j++)
      if (!request->source[i].info ||
          !strcmp(request->source[i].info->method, request->source[j].info->method))
        distinct = 0;
  for (int i = 0; i < request->sources; i++) {
    plot_source *source = &request->source[i];
    char *name = distinct && source->info ? strdup(source->info->method) : short_name(source->path);
    source->label = name ? plot_plain(name) : NULL;
    free(name);
    if (!source->label) return text_no_memory(error);
  }
  return RATTLE_OK;
}

/* The style for a file of cases; NULL: it is none. */
static const char *style_of_cases(const char *path) {
  rattle_cases *cases = NULL;
  rattle_error unused;
  const char *style = rattle_cases_open(&cases, path, &unused) ? NULL
                      : markov_is_file(cases)                  ? "trace"
                                                               : "cases";
  (void)rattle_cases_close(&cases, &unused);
  return style;
}

static rattle_status open_record(plot_source *source, const plot_request *request,
                                 rattle_error *error) {
  rattle_error unused;
  rattle_status status = rattle_record_open(&source->record, source->path, error);
  if (status == RATTLE_BAD_RECORD && !rattle_study_load(&source->study, source->path, &unused))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s is a study, which --style %s cannot draw; --style %s does", source->path,
                     request->style, plot_default_style(source->path));
  if (status == RATTLE_BAD_RECORD && style_of_cases(source->path))
    return text_fail(error, RATTLE_BAD_ARGUMENT,
                     "%s is a file of cases, which --style %s cannot draw; --style %s does",
                     source->path, request->style, plot_default_style(source->path));
  if (status) return status;
  source->info = rattle_record_info_of(source->record);
  if (!strcmp(request->style, "section")) status = choose_event(source, request, error);
  return status ? status : choose_samples(source, request, error);
}

static rattle_status open_study(plot_source *source, const plot_request *request,
                                rattle_error *error) {
  rattle_error unused;
  rattle_status status = rattle_study_load(&source->study, source->path, error);
  if (status && !rattle_record_open(&source->record, source->path, &unused))
    return text_fail(
        error, RATTLE_BAD_ARGUMENT,
        "%s is the record of a run; --style %s draws studies (rattle study -o FILE.h5)",
        source->path, request->style);
  return status;
}

plot_kind plot_kind_of(const char *path) {
  rattle_study *study = NULL;
  rattle_error unused;
  if (style_of_cases(path)) return PLOT_OF_SWEEP;
  const int is_study = !rattle_study_load(&study, path, &unused);
  rattle_study_destroy(&study);
  return is_study ? PLOT_OF_STUDY : PLOT_OF_RECORD;
}

/* A file that could not be opened as one of the kind of the first: the sentence that says why,
 * where it is another kind of file. */
static rattle_status blame_kind(plot_kind of, const char *first, const char *path,
                                rattle_error *error) {
  static const char *const words[] = {[PLOT_OF_RECORD] = "a record of a run",
                                      [PLOT_OF_STUDY] = "a study",
                                      [PLOT_OF_SWEEP] = "a sweep or a file of samples"};
  const plot_kind kind = plot_kind_of(path);
  rattle_record *record = NULL;
  rattle_error unused;
  const int known = kind != PLOT_OF_RECORD || !rattle_record_open(&record, path, &unused);
  rattle_record_close(&record);
  if (kind == of || !known) return error->status;
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   "%s is %s, and %s is %s: --style table takes files of one kind", path,
                   words[kind], first, words[of]);
}

rattle_status plot_open_sources(plot_request *request, plot_kind of, const char *const *paths,
                                int count, rattle_error *error) {
  request->source = calloc((size_t)count, sizeof *request->source);
  if (!request->source) return text_no_memory(error);
  for (int i = 0; i < count; i++) {
    plot_source *source = &request->source[request->sources++];
    source->path = paths[i];
    rattle_status status = cli_check_input(paths[i], error);
    if (!status && of == PLOT_OF_SWEEP)
      status = rattle_cases_open(&source->cases, paths[i], error);
    else if (!status)
      status = of == PLOT_OF_STUDY ? open_study(source, request, error)
                                   : open_record(source, request, error);
    if (status && i > 0 && !strcmp(request->style, "table"))
      status = blame_kind(of, paths[0], paths[i], error);
    if (status) return status;
  }
  return label_sources(request, error);
}

const char *plot_default_style(const char *path) {
  rattle_study *study = NULL;
  rattle_error unused;
  static const char *const styles[] = {
      [RATTLE_STUDY_ORDER] = "order",       [RATTLE_STUDY_DRIFT] = "growth",
      [RATTLE_STUDY_WORK] = "work",         [RATTLE_STUDY_COMPARE] = "growth",
      [RATTLE_STUDY_ADVISE] = "work",       [RATTLE_STUDY_LYAPUNOV] = "exponents",
      [RATTLE_STUDY_ORBIT] = "orbit",       [RATTLE_STUDY_FAMILY] = "continuation",
      [RATTLE_STUDY_EQUILIBRIUM] = "table", [RATTLE_STUDY_MODES] = "table"};
  const char *style = "energy";
  if (!rattle_study_load(&study, path, &unused)) {
    const rattle_study_result *r = rattle_study_result_of(study);
    style = cli_study_table(r, "family") ? "continuation" : styles[r->kind];
  } else if (style_of_cases(path))
    style = style_of_cases(path);
  rattle_study_destroy(&study);
  return style;
}

void plot_close_sources(plot_request *request) {
  for (int i = 0; i < request->sources; i++) {
    rattle_record_close(&request->source[i].record);
    rattle_study_destroy(&request->source[i].study);
    (void)rattle_cases_close(&request->source[i].cases, NULL);
    free(request->source[i].label);
  }
  free(request->source);
  request->source = NULL, request->sources = 0;
}

/* Columns with symbols of their own. */
static const char *known_symbol(const plot_source *source, rattle_column column) {
  switch (column.quantity) {
  case RATTLE_STEP_NUMBER:
    return "step";
  case RATTLE_TIME:
    return "{/:Italic t}";
  case RATTLE_ENERGY:
    return cli_is_balance(source->info) ? "{/:Italic H} − {/:Italic W}" : "{/:Italic H}";
  case RATTLE_HAMILTONIAN:
    return "{/:Italic H}";
  case RATTLE_WORK:
    return "{/:Italic W}";
  case RATTLE_CONSTRAINT:
    return "|{/:Italic g}|";
  case RATTLE_HIDDEN:
    return "|{/:Italic ψ}|";
  default:
    return NULL;
  }
}

/* `balance`: the label where energy comes in, W, which is 0 at the start. */
static const struct {
  const char *name, *label, *balance;
  int relative;
} made_of_energy[] = {
    {"energy_error", "{/:Italic H} − {/:Italic H}_0",
     "{/:Italic H} − {/:Italic W} − {/:Italic H}_0", 0},
    {"relative_energy_error", "({/:Italic H} − {/:Italic H}_0) / |{/:Italic H}_0|",
     "({/:Italic H} − {/:Italic W} − {/:Italic H}_0) / |{/:Italic H}_0|", 1},
};

/* The unit that the model gives, NULL where there is none. */
static char *unit_of(const plot_channel *channel, const rattle_record_info *info) {
  const rattle_quantity quantity = channel->column.quantity;
  const int energy =
      quantity == RATTLE_ENERGY || quantity == RATTLE_HAMILTONIAN || quantity == RATTLE_WORK;
  const char *unit = quantity == RATTLE_TIME         ? info->unit_time
                     : energy                        ? info->unit_energy
                     : quantity == RATTLE_COORDINATE ? info->unit_position
                     : quantity == RATTLE_MOMENTUM   ? info->unit_momentum
                                                     : "";
  return *unit && channel->factor == 1 ? plot_unit(unit) : NULL;
}

void plot_label_axis(plot_axis *axis, const plot_channel *channel) {
  const char *symbol = channel->label;
  const int bare = !axis->log || symbol[0] == '|' || channel->column.quantity == RATTLE_TIME ||
                   channel->column.quantity == RATTLE_STEP_NUMBER;
  if (axis->label) return;
  axis->label = plot_printf(bare ? "%s" : "|%s|", symbol);
  axis->unit = channel->unit ? strdup(channel->unit) : NULL;
}

rattle_status plot_find_channel(plot_channel *channel, const plot_source *source, const char *name,
                                rattle_error *error) {
  *channel = (plot_channel){.factor = 1};
  rattle_status status = rattle_record_find_column(source->record, name, &channel->column, error);
  for (size_t i = 0; status && i < sizeof made_of_energy / sizeof *made_of_energy; i++) {
    if (strcmp(name, made_of_energy[i].name) != 0) continue;
    double initial = source->info->initial_energy;
    if (made_of_energy[i].relative && !(fabs(initial) > 0))
      return text_fail(
          error, RATTLE_BAD_ARGUMENT,
          "%s: the energy at the start is %g, so a relative error is not defined; draw "
          "energy_error",
          source->path, initial);
    *channel =
        (plot_channel){.column = {RATTLE_ENERGY, 0},
                       .offset = initial,
                       .factor = made_of_energy[i].relative ? 1 / fabs(initial) : 1,
                       .label = strdup(cli_is_balance(source->info) ? made_of_energy[i].balance
                                                                    : made_of_energy[i].label)};
    status = RATTLE_OK;
  }
  if (status) return status;
  const char *symbol = channel->label ? NULL : known_symbol(source, channel->column);
  if (symbol) channel->label = strdup(symbol);
  if (!channel->label) channel->label = plot_symbol(name);
  channel->unit = unit_of(channel, source->info);
  return channel->label ? RATTLE_OK : text_no_memory(error);
}

void plot_free_channel(plot_channel *channel) {
  free(channel->label), free(channel->unit);
  *channel = (plot_channel){0};
}

rattle_status plot_read_channel(const plot_channel *channel, const plot_source *source,
                                long long first, long long count, double *values,
                                rattle_error *error) {
  rattle_status status =
      read_rows(source, channel->column, source->first + first, count, values, error);
  if (status || (channel->offset == 0 && channel->factor == 1)) return status;
  for (long long i = 0; i < count; i++) values[i] = (values[i] - channel->offset) * channel->factor;
  return RATTLE_OK;
}
