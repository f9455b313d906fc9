/* The results of the scan, in the page: channels over time, whole states, spectra. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/page.h"
#include "pages/report/trend.h"
#include "words/error.h"

enum { MOST_PEAKS = 500 };

/* Numbers are kept as (value - base)/scale: a float32 then has enough digits for values far from
 * 0. */
void report_choose_unit(double lowest, double highest, double *base, double *scale) {
  double middle = lowest / 2 + highest / 2, range = highest - lowest;
  *base = 0, *scale = 1;
  if (!isfinite(middle)) return;
  if (fabs(middle) > 1e3 * range) *base = middle;
  double most = fmax(fabs(lowest - *base), fabs(highest - *base));
  if (most > 1e37 || (most > 0 && most < 1e-30)) *scale = most;
}

static void put_trend(json_writer *json, report_trend trend) {
  if (trend.blocks == 0) return;
  json_open(json, "trend", '{');
  json_real(json, "slope", trend.slope);
  json_real(json, "error", trend.error);
  json_real(json, "swing", trend.swing);
  json_integer(json, "blocks", trend.blocks);
  json_close(json, '}');
}

static void put_channel(json_writer *json, report_blob *blob, const report_scan *scan, int c) {
  const report_channels *channels = &scan->channels;
  const report_channel *channel = &channels->channel[c];
  double base, scale;
  report_choose_unit(channel->lowest, channel->highest, &base, &scale);
  json_open(json, NULL, '{');
  json_text(json, "kind", report_kind_name(channel->kind));
  json_text(json, "name", channel->name);
  json_integer(json, "index", channel->index);
  json_real(json, "base", base);
  json_real(json, "scale", scale);
  report_json_array(json, "low",
                    report_put_floats(blob, channel->low, channels->buckets, base, scale));
  if (channels->width > 1 || channel->kind == REPORT_MULTIPLIERS)
    report_json_array(json, "high",
                      report_put_floats(blob, channel->high, channels->buckets, base, scale));
  json_real(json, "lowest", channel->lowest);
  json_real(json, "lowest_time", channel->lowest_time);
  json_real(json, "highest", channel->highest);
  json_real(json, "highest_time", channel->highest_time);
  json_real(json, "first", channel->first);
  json_real(json, "last", channel->last);
  json_real(json, "mean",
            channel->counted ? channel->total / (double)channel->counted : (double)NAN);
  json_integer(json, "missing", channel->missing);
  if (channel->kind == REPORT_ENERGY || channel->kind == REPORT_OBSERVED)
    put_trend(json, report_trend_of(channels, c));
  json_close(json, '}');
}

static void put_channels(json_writer *json, report_blob *blob, const report_scan *scan) {
  const report_channels *channels = &scan->channels;
  json_open(json, "series", '{');
  json_integer(json, "width", channels->width);
  json_integer(json, "count", channels->buckets);
  report_json_array(json, "time", report_put_doubles(blob, channels->time, channels->buckets));
  json_bool(json, "all_coordinates", channels->all_coordinates);
  json_bool(json, "all_multipliers", channels->all_multipliers);
  json_bool(json, "all_observed", channels->all_observed);
  json_open(json, "channels", '[');
  for (int c = 0; c < channels->count; c++) put_channel(json, blob, scan, c);
  json_close(json, ']');
  json_close(json, '}');
}

/* Columns out of rows, as float32 in the units of the channels. */
static rattle_status put_columns(json_writer *json, report_blob *blob, const char *key,
                                 const double *rows, long long count,
                                 const report_channels *channels, rattle_error *error) {
  double *column = malloc(((size_t)count + 1) * sizeof *column), base, scale;
  if (!column) return text_no_memory(error);
  json_open(json, key, '[');
  for (int c = 0; c < channels->count; c++) {
    for (long long i = 0; i < count; i++) column[i] = rows[i * channels->count + c];
    report_choose_unit(channels->channel[c].lowest, channels->channel[c].highest, &base, &scale);
    report_json_array(json, NULL, report_put_floats(blob, column, count, base, scale));
  }
  json_close(json, ']');
  free(column);
  return RATTLE_OK;
}

static rattle_status put_frames(json_writer *json, report_blob *blob, const char *key,
                                const report_frames *frames, const report_channels *channels,
                                rattle_error *error) {
  json_open(json, key, '{');
  json_integer(json, "stride", frames->stride);
  json_integer(json, "count", frames->count);
  report_json_array(json, "time", report_put_doubles(blob, frames->time, frames->count));
  rattle_status status =
      put_columns(json, blob, "values", frames->row, frames->count, channels, error);
  if (!status && frames->scattered)
    status = put_columns(json, blob, "extremes", frames->extreme, 2 * (long long)frames->columns,
                         channels, error);
  json_close(json, '}');
  return status;
}

static rattle_status put_portrait(json_writer *json, report_blob *blob, const report_scan *scan,
                                  rattle_error *error) {
  if (scan->portrait.room == 0) return RATTLE_OK;
  rattle_status status =
      put_frames(json, blob, "portrait", &scan->portrait, &scan->channels, error);
  return status ? status : put_frames(json, blob, "end", &scan->end, &scan->channels, error);
}

static rattle_status put_spectra(json_writer *json, report_blob *blob,
                                 const report_spectra *spectra, rattle_error *error) {
  if (spectra->count == 0 || spectra->done == 0) return RATTLE_OK;
  double *frequency = malloc(2 * MOST_PEAKS * sizeof *frequency),
         *amplitude = frequency + MOST_PEAKS;
  if (!frequency) return text_no_memory(error);
  json_open(json, "spectra", '{');
  json_integer(json, "segments", spectra->done);
  json_integer(json, "length", spectra->length < spectra->seen ? spectra->length : spectra->seen);
  json_integer(json, "size", spectra->size);
  json_open(json, "list", '[');
  for (int c = 0; c < spectra->count; c++) {
    long long peaks = report_spectra_peaks(spectra, c, frequency, amplitude, MOST_PEAKS);
    if (peaks == 0) continue;
    json_open(json, NULL, '{');
    json_integer(json, "channel", spectra->channel[c]);
    report_json_array(json, "frequency", report_put_floats(blob, frequency, peaks, 0, 1));
    report_json_array(json, "amplitude", report_put_floats(blob, amplitude, peaks, 0, 1));
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
  free(frequency);
  return RATTLE_OK;
}

rattle_status report_put_scan(json_writer *json, report_blob *blob, const report_scan *scan,
                              rattle_error *error) {
  put_channels(json, blob, scan);
  rattle_status status = put_portrait(json, blob, scan, error);
  if (!status) status = put_spectra(json, blob, &scan->spectra, error);
  return status ? status : report_put_motion(json, blob, &scan->motion, error);
}
