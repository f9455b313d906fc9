/* Events of a run in the page: times, and the quantities that charts offer, of all rows or of one
 * in so many. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/page.h"
#include "words/error.h"

enum { MOST_EVENTS = 32, NUMBERS = 120000, MOST_ROWS = 6000, BLOCK = 65536 };

typedef struct event_rows {
  const rattle_record *record;
  int event;
  long long count, stride, rows;
  double *block, *value; /* [BLOCK], [rows] */
} event_rows;

static rattle_status read_column(event_rows *r, rattle_column column, rattle_error *error) {
  for (long long first = 0; first < r->count; first += BLOCK) {
    const long long count = r->count - first < BLOCK ? r->count - first : BLOCK;
    rattle_status status =
        rattle_record_read_event(r->record, r->event, column, first, count, r->block, error);
    if (status) return status;
    for (long long i = (r->stride - first % r->stride) % r->stride; i < count; i += r->stride)
      r->value[(first + i) / r->stride] = r->block[i];
  }
  return RATTLE_OK;
}

static int column_of(const report_channel *channel, rattle_column *column) {
  column->index = channel->index;
  column->quantity = channel->kind == REPORT_OBSERVED     ? RATTLE_OBSERVABLE
                     : channel->kind == REPORT_COORDINATE ? RATTLE_COORDINATE
                                                          : RATTLE_MOMENTUM;
  return channel->kind == REPORT_OBSERVED || channel->kind == REPORT_COORDINATE ||
         channel->kind == REPORT_MOMENTUM;
}

static rattle_status put_column(json_writer *json, report_blob *blob, event_rows *r,
                                const report_channel *channel, rattle_error *error) {
  rattle_column column;
  double low = (double)NAN, high = (double)NAN, base, scale;
  if (!column_of(channel, &column)) return RATTLE_OK;
  rattle_status status = read_column(r, column, error);
  if (status) return status;
  for (long long i = 0; i < r->rows; i++)
    if (isfinite(r->value[i])) low = fmin(low, r->value[i]), high = fmax(high, r->value[i]);
  report_choose_unit(low, high, &base, &scale);
  json_open(json, NULL, '{');
  json_text(json, "kind", report_kind_name(channel->kind));
  json_text(json, "name", channel->name);
  json_real(json, "base", base);
  json_real(json, "scale", scale);
  report_json_array(json, "values", report_put_floats(blob, r->value, r->rows, base, scale));
  json_close(json, '}');
  return RATTLE_OK;
}

static rattle_status put_event(json_writer *json, report_blob *blob, event_rows *r,
                               const char *name, const report_channels *channels,
                               rattle_error *error) {
  json_open(json, NULL, '{');
  json_text(json, "name", name);
  json_integer(json, "count", r->count);
  json_integer(json, "stride", r->stride);
  rattle_status status = read_column(r, (rattle_column){RATTLE_TIME, 0}, error);
  if (!status) report_json_array(json, "time", report_put_doubles(blob, r->value, r->rows));
  if (!status) status = read_column(r, (rattle_column){RATTLE_DIRECTION, 0}, error);
  if (!status)
    report_json_array(json, "direction", report_put_floats(blob, r->value, r->rows, 0, 1));
  json_open(json, "columns", '[');
  for (int c = 0; c < channels->count && !status; c++)
    status = put_column(json, blob, r, &channels->channel[c], error);
  json_close(json, ']');
  json_close(json, '}');
  return status;
}

rattle_status report_put_events(json_writer *json, report_blob *blob,
                                const report_channels *channels, const rattle_record *record,
                                rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  const long long room = NUMBERS / (channels->count + 1),
                  most = room < MOST_ROWS ? room : MOST_ROWS;
  event_rows r = {.record = record,
                  .block = malloc(BLOCK * sizeof(double)),
                  .value = malloc(((size_t)most + 1) * sizeof(double))};
  rattle_status status = r.block && r.value ? RATTLE_OK : text_no_memory(error);
  json_open(json, "events", '[');
  for (int e = 0; e < info->events && e < MOST_EVENTS && !status; e++) {
    r.event = e, r.count = info->events_so_far->counts[e];
    if (r.count <= 0) continue;
    r.stride = (r.count + most - 1) / most;
    r.rows = (r.count + r.stride - 1) / r.stride;
    status = put_event(json, blob, &r, info->event_names[e], channels, error);
  }
  json_close(json, ']');
  free(r.block), free(r.value);
  return status;
}
