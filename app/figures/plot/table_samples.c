/* Tables of samples: a row for each quantity, with its mean and whether to trust it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/plot/table.h"
#include "many/markov/markov.h"

/* A mean to the second digit of its error. */
static void put_mean(table_writer *w, const rattle_estimate *e) {
  char format[16] = "%.6g";
  const int digits = e->error > 0 ? 1 - (int)floor(log10(e->error)) : -1;
  if (digits >= 0 && digits < 16) snprintf(format, sizeof format, "%%.%df", digits);
  table_number(w, format, e->mean);
}

static void put_row(table_writer *w, const rattle_sampling_result *r, int c) {
  const rattle_estimate *e = &r->estimate[c];
  table_name(w, r->column[c]);
  put_mean(w, e);
  table_number(w, "%.2g", e->error), table_number(w, "%.4g", e->sd);
  table_number(w, "%.0f", e->effective), table_number(w, "%.3f", e->rhat);
  table_end_row(w);
  w->figure->samples++;
}

static rattle_status find(const rattle_sampling_result *r, const plot_source *source,
                          const char *name, int *column, rattle_error *error) {
  for (*column = 0; *column < r->columns; ++*column)
    if (!strcmp(r->column[*column], name)) return RATTLE_OK;
  const char *near = cli_nearest(name, r->column, r->columns);
  return text_fail(error, RATTLE_BAD_ARGUMENT,
                   near ? "%s has no samples of %s; did you mean %s?" : "%s has no samples of %s%s",
                   source->path, name, near ? near : "");
}

static rattle_status put_rows(table_writer *w, const rattle_sampling_result *r,
                              const plot_source *source, const char *names, rattle_error *error) {
  rattle_status status = RATTLE_OK;
  for (int c = 0; c < r->columns && !names; c++) put_row(w, r, c);
  while (names && !status) {
    int column = 0;
    char *name = plot_next_name(&names);
    status = name ? find(r, source, name, &column, error) : text_no_memory(error);
    if (!status) put_row(w, r, column);
    free(name);
  }
  return status;
}

rattle_status table_of_samples(table_writer *w, const plot_source *source, const char *names,
                               rattle_error *error) {
  markov_seen seen;
  rattle_status status = markov_read(&seen, source->cases, source->path, error);
  const rattle_sampling_result *r = &seen.result;
  if (!status && !r->draws)
    status = text_fail(error, RATTLE_BAD_ARGUMENT, "%s does not have samples of every chain yet",
                       source->path);
  if (!status) {
    table_begin(w, "lrrrrr");
    table_words(w, "quantity"), table_words(w, "mean"), table_words(w, "MCSE");
    table_words(w, "sd"), table_words(w, "ESS"), table_words(w, "R-hat");
    table_end_row(w), table_rule(w, "mid");
    status = put_rows(w, r, source, names, error);
    table_end(w);
  }
  char doubt[300];
  if (!status && rattle_sampling_doubt(r, 0, doubt, sizeof doubt))
    snprintf(w->figure->remark, sizeof w->figure->remark,
             "these means are in doubt: `rattle info` says why");
  markov_drop(&seen);
  return status;
}
