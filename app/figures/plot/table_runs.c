/* Tables of runs: a row for each record, or for samples of one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"

/* Columns that the rows of runs need. */
typedef struct runs_seen {
  int named, constrained, adapts;
} runs_seen;

static runs_seen look(const plot_request *request) {
  runs_seen seen = {.named = request->legend != NULL};
  for (int i = 0; i < request->sources; i++) {
    const rattle_record_info *info = request->source[i].info;
    for (int j = 0; j < i; j++)
      seen.named |= !strcmp(info->method, request->source[j].info->method);
    seen.constrained |= info->m > 0, seen.adapts |= info->adapts;
  }
  return seen;
}

static void put_run(table_writer *w, const plot_source *source, runs_seen seen) {
  const rattle_record_info *info = source->info;
  if (seen.named) table_words(w, source->label);
  table_plain(w, info->method);
  table_number(w, "%.6g", info->step);
  table_number(w, "%.6g", info->last_time);
  table_number(w, "%.0f", (double)info->last_step);
  table_number(w, "%.2e", info->energy_max_error);
  if (seen.constrained) {
    table_number(w, "%.2e", info->m ? info->g_max : (double)NAN);
    table_number(w, "%.2e", info->m ? info->psi_max : (double)NAN);
  }
  table_end_row(w);
  w->figure->samples++;
}

rattle_status table_of_runs(table_writer *w, const plot_request *request, rattle_error *error) {
  const runs_seen seen = look(request);
  char align[16];
  (void)error;
  snprintf(align, sizeof align, "%slrrrr%s", seen.named ? "l" : "", seen.constrained ? "rr" : "");
  table_begin(w, align);
  if (seen.named) table_words(w, "run");
  table_words(w, "method");
  table_head(w, seen.adapts ? "first step" : "step", TABLE_TIME);
  table_head(w, "end", TABLE_TIME), table_words(w, "steps");
  table_head(w, PLOT_MAX_ENERGY, TABLE_ENERGY);
  if (seen.constrained) table_words(w, PLOT_MAX_G), table_words(w, PLOT_MAX_PSI);
  table_end_row(w), table_rule(w, "mid");
  for (int i = 0; i < request->sources; i++) put_run(w, &request->source[i], seen);
  table_end(w);
  return RATTLE_OK;
}

enum { MOST_COLUMNS = 62, ROWS = 24 };

static void put_channel_head(table_writer *w, const plot_channel *channel) {
  table_words(w, channel->label);
  if (!channel->unit) return;
  fputs(" (", w->out);
  plot_latex_text(w->out, channel->unit);
  fputs(")", w->out);
}

/* An error is written as one. */
static const char *format_of(const plot_channel *channel) {
  const rattle_quantity quantity = channel->column.quantity;
  return channel->factor != 1 || channel->offset != 0 || quantity == RATTLE_CONSTRAINT ||
                 quantity == RATTLE_HIDDEN
             ? "%.2e"
             : "%.8g";
}

static rattle_status put_samples(table_writer *w, const plot_source *source,
                                 const plot_channel *channel, int columns, rattle_error *error) {
  const long long every = 1 + (source->count - 1) / ROWS;
  for (long long k = 0; k < source->count; k += every) {
    for (int c = 0; c < columns; c++) {
      double value;
      rattle_status status = plot_read_channel(&channel[c], source, k, 1, &value, error);
      if (status) return status;
      table_number(w, format_of(&channel[c]), value);
    }
    table_end_row(w);
    w->figure->samples++;
  }
  if (every > 1)
    snprintf(w->figure->remark, sizeof w->figure->remark,
             "one in %lld of %lld samples (--from, --to: a part of them)", every, source->count);
  return RATTLE_OK;
}

rattle_status table_of_record(table_writer *w, const plot_source *source, const char *names,
                              rattle_error *error) {
  plot_channel channel[MOST_COLUMNS];
  char align[MOST_COLUMNS + 1] = "";
  int columns = 0;
  rattle_status status = RATTLE_OK;
  while (names && !status) {
    char *name = plot_next_name(&names);
    if (!name)
      status = text_no_memory(error);
    else if (columns == MOST_COLUMNS)
      status = text_fail(error, RATTLE_BAD_ARGUMENT, "a table has at most %d columns: --y NAMES",
                         MOST_COLUMNS);
    else
      status = plot_find_channel(&channel[columns], source, name, error);
    free(name);
    if (!status) align[columns++] = 'r';
  }
  if (!status) {
    table_begin(w, align);
    for (int c = 0; c < columns; c++) put_channel_head(w, &channel[c]);
    table_end_row(w), table_rule(w, "mid");
    status = put_samples(w, source, channel, columns, error);
    table_end(w);
  }
  for (int c = 0; c < columns; c++) plot_free_channel(&channel[c]);
  return status;
}
