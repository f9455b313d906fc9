/* One pass over a record: blocks of samples are read, and each sample is offered to the channels
 * and to the frames. */
#include <math.h>
#include <stdlib.h>

#include "pages/report/scan.h"
#include "words/error.h"

enum { BLOCK_NUMBERS = 1 << 20, MOST_SAMPLES = 65536 };

/* A block of samples as they are read. */
typedef struct block {
  long long first, count, room;
  double *numbers; /* all of the following lie in it */
  double *time, *energy, *H, *work, *step, *g, *psi, *q, *p, *multipliers, *observed;
} block;

static rattle_status make_block(block *b, const rattle_record_info *info, rattle_error *error) {
  size_t n = (size_t)info->n, m = (size_t)info->m, o = (size_t)info->observables,
         width = 7 + 2 * n + m + o;
  size_t room = BLOCK_NUMBERS / width + 1;
  if (room > MOST_SAMPLES) room = MOST_SAMPLES;
  if (room > (size_t)info->samples) room = (size_t)info->samples;
  *b = (block){.room = (long long)room, .numbers = malloc(room * width * sizeof(double))};
  if (!b->numbers) return text_no_memory(error);
  b->time = b->numbers, b->energy = b->time + room, b->g = b->energy + room, b->psi = b->g + room;
  b->step = b->psi + room, b->H = b->step + room, b->work = b->H + room;
  b->q = b->work + room, b->p = b->q + room * n, b->multipliers = b->p + room * n,
  b->observed = b->multipliers + room * m;
  return RATTLE_OK;
}

static rattle_status read_block(block *b, const rattle_record *record, long long first,
                                rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  b->first = first;
  b->count = info->samples - first < b->room ? info->samples - first : b->room;
  rattle_status status = rattle_record_read(record, first, b->count, b->time, b->energy, b->q, b->p,
                                            info->m ? b->multipliers : NULL,
                                            info->observables ? b->observed : NULL, error);
  const struct {
    rattle_quantity quantity;
    double *values;
    int there;
  } columns[] = {{RATTLE_STEP_NUMBER, b->step, 1},
                 {RATTLE_CONSTRAINT, b->g, info->m > 0},
                 {RATTLE_HIDDEN, b->psi, info->m > 0},
                 {RATTLE_HAMILTONIAN, b->H, info->has_work},
                 {RATTLE_WORK, b->work, info->has_work}};
  for (size_t c = 0; c < sizeof columns / sizeof *columns && !status; c++)
    if (columns[c].there)
      status = rattle_record_read_column(record, (rattle_column){columns[c].quantity, 0}, first,
                                         b->count, columns[c].values, error);
  return status;
}

/* The value of a channel at sample i of the block; of all multipliers that which is largest in
 * magnitude. */
static double value(const block *b, const rattle_record_info *info, const report_channel *channel,
                    long long i) {
  switch (channel->kind) {
  case REPORT_ENERGY:
    return b->energy[i] - info->initial_energy;
  case REPORT_HAMILTONIAN:
    return b->H[i];
  case REPORT_WORK:
    return b->work[i];
  case REPORT_CONSTRAINT:
    return b->g[i];
  case REPORT_HIDDEN:
    return b->psi[i];
  case REPORT_MULTIPLIER:
    return b->multipliers[i * info->m + channel->index];
  case REPORT_OBSERVED:
    return b->observed[i * info->observables + channel->index];
  case REPORT_COORDINATE:
    return b->q[i * info->n + channel->index];
  case REPORT_MOMENTUM:
    return b->p[i * info->n + channel->index];
  default:
    return (double)NAN;
  }
}

static void offer(report_channel *channel, long long bucket, double time, double value) {
  if (channel->counted + channel->missing == 0) channel->first = value;
  channel->last = value;
  if (!isfinite(value)) {
    channel->missing++;
    return;
  }
  channel->counted++;
  channel->total += value;
  channel->sum[bucket] += value, channel->finite[bucket]++;
  if (!(value >= channel->low[bucket])) channel->low[bucket] = value;
  if (!(value <= channel->high[bucket])) channel->high[bucket] = value;
  if (!(value >= channel->lowest)) channel->lowest = value, channel->lowest_time = time;
  if (!(value <= channel->highest)) channel->highest = value, channel->highest_time = time;
}

/* The places of what the model draws, where a clip wants them: numbers that are observed after
 * those of the record. */
static void offer_drawn(report_scan *scan, const block *b, const rattle_record_info *info,
                        long long i, double *place) {
  report_motion *motion = &scan->motion;
  int wanted = 0;
  for (int c = 0; c < motion->clips; c++)
    wanted |= report_frames_want(&motion->clip[c], b->first + i);
  if (!wanted) return;
  rattle_error ignored; /* what is not finite is not drawn */
  rattle_problem_observe(scan->problem, b->q + i * info->n, b->p + i * info->n, place, &ignored);
  for (int c = 0; c < motion->clips; c++)
    report_frames_offer(&motion->clip[c], b->first + i, b->time[i], place + motion->drawn->first);
}

static void offer_place(report_scan *scan, const block *b, const rattle_record_info *info,
                        long long i, double *place) {
  for (int c = 0; c < scan->motion.columns; c++) {
    int k = scan->motion.coordinate[c];
    place[c] = k >= 0 ? b->q[i * info->n + k] : b->p[i * info->n - 1 - k];
  }
  for (int c = 0; c < scan->motion.clips; c++)
    report_frames_offer(&scan->motion.clip[c], b->first + i, b->time[i], place);
}

static void offer_block(report_scan *scan, const block *b, const rattle_record_info *info,
                        double *row, double *place) {
  report_channels *channels = &scan->channels;
  for (long long i = 0; i < b->count; i++) {
    long long sample = b->first + i, bucket = sample / channels->width;
    if (sample % channels->width == 0) channels->time[bucket] = b->time[i];
    for (int c = 0; c < channels->count; c++) {
      report_channel *channel = &channels->channel[c];
      row[c] = value(b, info, channel, i);
      if (channel->kind != REPORT_MULTIPLIERS) offer(channel, bucket, b->time[i], row[c]);
      for (int k = 0; channel->kind == REPORT_MULTIPLIERS && k < info->m; k++)
        offer(channel, bucket, b->time[i], b->multipliers[i * info->m + k]);
    }
    if (scan->portrait.room) {
      report_frames_offer(&scan->portrait, sample, b->time[i], row);
      report_frames_offer(&scan->end, sample, b->time[i], row);
    }
    report_spectra_offer(&scan->spectra, (long long)b->step[i], row);
    if (scan->motion.columns == 0) continue;
    if (scan->motion.drawn)
      offer_drawn(scan, b, info, i, place);
    else
      offer_place(scan, b, info, i, place);
  }
}

static rattle_status plan(report_scan *scan, const rattle_record_info *info,
                          const report_remade *remade, rattle_error *error) {
  rattle_status status = report_motion_find(&scan->motion, info, error);
  if (!status) status = report_channels_plan(&scan->channels, info, &scan->motion, error);
  if (!status && remade->problem && remade->drawn.things > 0)
    status = report_motion_draw(&scan->motion, &remade->drawn, error);
  else if (!status && remade->model)
    status = report_shape_find(&scan->motion, info, remade->model, error);
  scan->motion.model = remade->model, scan->motion.surfaces = remade->drawn.surfaces,
  scan->motion.surface = remade->drawn.surface;
  scan->problem = remade->problem;
  if (!status) status = report_motion_plan(&scan->motion, info, error);
  if (!status) status = report_spectra_plan(&scan->spectra, &scan->channels, info, error);
  if (status || scan->channels.width == 1) return status;
  long long room = scan->channels.buckets, stride = scan->channels.width;
  status = report_frames_plan(&scan->portrait, scan->channels.count, 0, stride, room, error);
  if (!status) status = report_frames_scatter(&scan->portrait, error);
  if (status) return status;
  return report_frames_plan(&scan->end, scan->channels.count, info->samples - room, 1, room, error);
}

rattle_status report_scan_record(report_scan *scan, const rattle_record *record,
                                 const report_remade *remade, rattle_error *error) {
  const rattle_record_info *info = rattle_record_info_of(record);
  block b = {0};
  *scan = (report_scan){0};
  rattle_status status = plan(scan, info, remade, error);
  if (!status) status = make_block(&b, info, error);
  const report_drawn *drawn = scan->motion.drawn;
  const int places = drawn ? drawn->first + drawn->columns : scan->motion.columns;
  double *row = malloc(((size_t)scan->channels.count + (size_t)places + 1) * sizeof *row);
  if (!status && !row) status = text_no_memory(error);
  for (long long first = 0; first < info->samples && !status; first += b.room) {
    status = read_block(&b, record, first, error);
    if (!status) offer_block(scan, &b, info, row, row + scan->channels.count);
  }
  if (!status) report_spectra_end(&scan->spectra);
  free(row), free(b.numbers);
  return status;
}

void report_scan_free(report_scan *scan) {
  report_channels_free(&scan->channels);
  report_frames_free(&scan->portrait);
  report_frames_free(&scan->end);
  report_motion_free(&scan->motion);
  report_spectra_free(&scan->spectra);
}
