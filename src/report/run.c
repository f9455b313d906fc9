/* One run in the page: what its record says, its channels and its motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

enum { MOST_NAMES = 64, WORD = 65535 };

static void put_names(report_json *json, const char *key, const char *const *names, int count) {
  report_json_open(json, key, '[');
  for (int i = 0; i < count && i < MOST_NAMES; i++) report_json_text(json, NULL, names[i]);
  report_json_close(json, ']');
}

static void put_counts(report_json *json, const rattle_counts *counts) {
  report_json_open(json, "counts", '{');
  report_json_integer(json, "gradient", counts->gradient);
  report_json_integer(json, "hessian", counts->hessian);
  report_json_integer(json, "constraint", counts->constraint);
  report_json_integer(json, "jacobian", counts->jacobian);
  report_json_integer(json, "factorisation", counts->factorisation);
  report_json_integer(json, "newton_iterations", counts->newton_iterations);
  report_json_integer(json, "position_projections", counts->position_projections);
  report_json_integer(json, "momentum_projections", counts->momentum_projections);
  report_json_close(json, '}');
}

static void put_figures(report_json *json, const rattle_record_info *info) {
  report_json_open(json, "figures", '{');
  report_json_real(json, "energy_initial", info->initial_energy);
  report_json_real(json, "energy_max_error", info->energy_max_error);
  report_json_real(json, "energy_max_relative_error", info->energy_max_relative_error);
  report_json_real(json, "g_max", info->g_max);
  report_json_real(json, "psi_max", info->psi_max);
  report_json_real(json, "min_singular_value", info->min_singular_value);
  report_json_real(json, "min_singular_time", info->min_singular_time);
  report_json_real(json, "wall_seconds", info->wall_seconds);
  report_json_close(json, '}');
}

static void put_info(report_json *json, const rattle_record_info *info, const char *path) {
  const char *slash = strrchr(path, '/');
  report_json_text(json, "file", slash ? slash + 1 : path);
  report_json_text(json, "title", info->title);
  report_json_text(json, "method", info->method);
  report_json_text(json, "kind", info->kind);
  report_json_text(json, "version", info->version);
  report_json_text(json, "created", info->created);
  report_json_text(json, "solver", info->solver);
  report_json_text(json, "evaluator", info->evaluator);
  report_json_text(json, "model_file", info->model_file);
  report_json_text(json, "model_hash", info->model_hash);
  report_json_text(json, "model_text", info->model_text);
  report_json_integer(json, "n", info->n);
  report_json_integer(json, "m", info->m);
  report_json_integer(json, "samples", info->samples);
  report_json_integer(json, "every", info->every);
  report_json_integer(json, "steps", info->last_step);
  report_json_integer(json, "steps_asked", info->steps_asked);
  report_json_real(json, "step", info->step);
  report_json_real(json, "start_time", info->start_time);
  report_json_real(json, "last_time", info->last_time);
  report_json_bool(json, "closed", info->closed);
  report_json_text(json, "status", info->status_name);
  report_json_text(json, "message", info->message);
  put_names(json, "coordinates", info->coordinate_names, info->n);
  put_names(json, "momenta", info->momentum_names, info->n);
  put_names(json, "constraints", info->constraint_names, info->m);
  put_names(json, "observables", info->observable_names, info->observables);
  report_json_open(json, "parameters", '[');
  for (int i = 0; i < info->parameters; i++) {
    report_json_open(json, NULL, '{');
    report_json_text(json, "name", info->parameter[i].name);
    report_json_real(json, "value", info->parameter[i].value);
    report_json_close(json, '}');
  }
  report_json_close(json, ']');
  put_counts(json, &info->counts);
  put_figures(json, info);
}

/* Numbers are kept as (value - base)/scale: a float32 has the digits to tell apart what lies far from 0. */
static void choose_unit(double lowest, double highest, double *base, double *scale) {
  double middle = lowest / 2 + highest / 2, range = highest - lowest;
  *base = 0, *scale = 1;
  if (!isfinite(middle)) return;
  if (fabs(middle) > 1e3 * range) *base = middle;
  double most = fmax(fabs(lowest - *base), fabs(highest - *base));
  if (most > 1e37 || (most > 0 && most < 1e-30)) *scale = most;
}

static void put_channel(report_json *json, report_blob *blob, const report_scan *scan, int c) {
  const report_channels *channels = &scan->channels;
  const report_channel *channel = &channels->channel[c];
  double base, scale;
  choose_unit(channel->lowest, channel->highest, &base, &scale);
  report_json_open(json, NULL, '{');
  report_json_text(json, "kind", report_kind_name(channel->kind));
  report_json_text(json, "name", channel->name);
  report_json_integer(json, "index", channel->index);
  report_json_real(json, "base", base);
  report_json_real(json, "scale", scale);
  report_json_array(json, "low", report_put_floats(blob, channel->low, channels->buckets, base, scale));
  if (channels->width > 1 || channel->kind == REPORT_MULTIPLIERS)
    report_json_array(json, "high", report_put_floats(blob, channel->high, channels->buckets, base, scale));
  report_json_real(json, "lowest", channel->lowest);
  report_json_real(json, "lowest_time", channel->lowest_time);
  report_json_real(json, "highest", channel->highest);
  report_json_real(json, "highest_time", channel->highest_time);
  report_json_real(json, "first", channel->first);
  report_json_real(json, "last", channel->last);
  report_json_real(json, "mean", channel->counted ? channel->total / (double)channel->counted : (double)NAN);
  report_json_integer(json, "missing", channel->missing);
  report_json_close(json, '}');
}

static void put_channels(report_json *json, report_blob *blob, const report_scan *scan) {
  const report_channels *channels = &scan->channels;
  report_json_open(json, "series", '{');
  report_json_integer(json, "width", channels->width);
  report_json_integer(json, "count", channels->buckets);
  report_json_array(json, "time", report_put_doubles(blob, channels->time, channels->buckets));
  report_json_bool(json, "all_coordinates", channels->all_coordinates);
  report_json_bool(json, "all_multipliers", channels->all_multipliers);
  report_json_bool(json, "all_observed", channels->all_observed);
  report_json_open(json, "channels", '[');
  for (int c = 0; c < channels->count; c++) put_channel(json, blob, scan, c);
  report_json_close(json, ']');
  report_json_close(json, '}');
}

/* Columns out of rows, as float32 in the units of the channels. */
static rattle_status put_columns(report_json *json, report_blob *blob, const char *key, const double *rows, long long count,
                                 const report_channels *channels, rattle_error *error) {
  double *column = malloc(((size_t)count + 1) * sizeof *column), base, scale;
  if (!column) return report_no_memory(error);
  report_json_open(json, key, '[');
  for (int c = 0; c < channels->count; c++) {
    for (long long i = 0; i < count; i++) column[i] = rows[i * channels->count + c];
    choose_unit(channels->channel[c].lowest, channels->channel[c].highest, &base, &scale);
    report_json_array(json, NULL, report_put_floats(blob, column, count, base, scale));
  }
  report_json_close(json, ']');
  free(column);
  return RATTLE_OK;
}

static rattle_status put_portrait(report_json *json, report_blob *blob, const report_scan *scan, rattle_error *error) {
  const report_frames *frames = &scan->portrait;
  if (frames->room == 0) return RATTLE_OK;
  report_json_open(json, "portrait", '{');
  report_json_integer(json, "stride", frames->stride);
  report_json_integer(json, "count", frames->count);
  report_json_array(json, "time", report_put_doubles(blob, frames->time, frames->count));
  rattle_status status = put_columns(json, blob, "values", frames->row, frames->count, &scan->channels, error);
  if (!status)
    status = put_columns(json, blob, "extremes", frames->extreme, 2 * (long long)frames->columns, &scan->channels, error);
  report_json_close(json, '}');
  return status;
}

/* The range of each column over all clips: frames are kept in 65536 parts of it. */
static rattle_status find_ranges(const report_motion *motion, double **low, double **high, rattle_error *error) {
  size_t columns = (size_t)motion->columns;
  *low = malloc(2 * columns * sizeof(double) + 1);
  if (!*low) return report_no_memory(error);
  *high = *low + columns;
  for (size_t c = 0; c < columns; c++) {
    double least = (double)NAN, most = (double)NAN;
    for (int k = 0; k < motion->clips; k++)
      least = fmin(least, motion->clip[k].low[c]), most = fmax(most, motion->clip[k].high[c]);
    (*low)[c] = isfinite(least) ? least : 0, (*high)[c] = isfinite(most) ? most : 0;
  }
  return RATTLE_OK;
}

/* WORD itself says that a number is not finite. */
static rattle_status put_clip(report_json *json, report_blob *blob, const report_frames *clip, const double *low,
                              const double *high, rattle_error *error) {
  size_t numbers = (size_t)clip->count * (size_t)clip->columns;
  uint16_t *words = malloc((numbers + 1) * sizeof *words);
  if (!words) return report_no_memory(error);
  for (size_t i = 0; i < numbers; i++) {
    size_t c = i % (size_t)clip->columns;
    double range = high[c] - low[c], part = range > 0 ? (clip->row[i] - low[c]) / range : 0;
    words[i] = isfinite(clip->row[i]) ? (uint16_t)lround(part * (WORD - 1)) : WORD;
  }
  report_json_open(json, NULL, '{');
  report_json_integer(json, "first", clip->first);
  report_json_integer(json, "stride", clip->stride);
  report_json_integer(json, "count", clip->count);
  report_json_array(json, "time", report_put_doubles(blob, clip->time, clip->count));
  report_json_array(json, "values", report_put_words(blob, words, (long long)numbers));
  report_json_close(json, '}');
  free(words);
  return RATTLE_OK;
}

static rattle_status put_motion(report_json *json, report_blob *blob, const report_motion *motion, rattle_error *error) {
  if (motion->columns == 0) return RATTLE_OK;
  double *low = NULL, *high = NULL;
  rattle_status status = find_ranges(motion, &low, &high, error);
  if (status) return status;
  report_json_open(json, "motion", '{');
  report_json_integer(json, "columns", motion->columns);
  report_json_integer(json, "dimension", motion->dimension);
  report_json_integer(json, "particles", motion->particles);
  report_json_bool(json, "space", motion->is_space);
  put_names(json, "axes", motion->axis, 3);
  report_json_array(json, "place", report_put_integers(blob, motion->column, 3LL * motion->particles));
  report_json_array(json, "low", report_put_doubles(blob, low, motion->columns));
  report_json_array(json, "high", report_put_doubles(blob, high, motion->columns));
  report_json_open(json, "clips", '[');
  for (int c = 0; c < motion->clips && !status; c++) status = put_clip(json, blob, &motion->clip[c], low, high, error);
  report_json_close(json, ']');
  report_json_close(json, '}');
  free(low);
  return status;
}

rattle_status report_put_run(report_json *json, report_blob *blob, const char *path, long long *samples, rattle_error *error) {
  rattle_record *record = NULL;
  report_scan scan = {0};
  rattle_status status = rattle_record_open(&record, path, error);
  if (status) return status;
  const rattle_record_info *info = rattle_record_info_of(record);
  *samples = info->samples;
  if (info->samples == 0)
    status = report_fail(error, RATTLE_BAD_RECORD, "%s holds no sample yet; let the run begin, then report it", path);
  if (!status) status = report_scan_record(&scan, record, error);
  if (!status) {
    report_json_open(json, NULL, '{');
    put_info(json, info, path);
    report_put_method(json, info->method);
    put_channels(json, blob, &scan);
    status = put_portrait(json, blob, &scan, error);
    if (!status) status = put_motion(json, blob, &scan.motion, error);
    report_json_close(json, '}');
  }
  report_scan_free(&scan);
  rattle_record_close(&record);
  return status;
}
