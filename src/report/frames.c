/* Rows of numbers at evenly spaced samples, and at the samples where a column is lowest or highest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

rattle_status report_frames_plan(report_frames *frames, int columns, long long first, long long stride, long long room,
                                 int extremes, rattle_error *error) {
  *frames = (report_frames){.columns = columns, .extremes = extremes, .first = first, .stride = stride, .room = room};
  size_t width = (size_t)columns;
  frames->row = malloc(((size_t)room * width + 1) * sizeof(double));
  frames->time = malloc(((size_t)room + 1) * sizeof(double));
  frames->low = malloc((2 * width + 1) * sizeof(double));
  frames->extreme = extremes ? malloc((2 * width * width + 1) * sizeof(double)) : NULL;
  if (!frames->row || !frames->time || !frames->low || (extremes && !frames->extreme)) return report_no_memory(error);
  frames->high = frames->low + width;
  for (size_t c = 0; c < 2 * width; c++) frames->low[c] = (double)NAN;
  for (size_t c = 0; extremes && c < 2 * width * width; c++) frames->extreme[c] = (double)NAN;
  return RATTLE_OK;
}

static void keep_extremes(report_frames *frames, const double *row) {
  size_t width = (size_t)frames->columns;
  for (size_t c = 0; c < width; c++) {
    if (!isfinite(row[c])) continue;
    if (!(row[c] >= frames->low[c])) {
      frames->low[c] = row[c];
      if (frames->extremes) memcpy(frames->extreme + 2 * c * width, row, width * sizeof *row);
    }
    if (!(row[c] <= frames->high[c])) {
      frames->high[c] = row[c];
      if (frames->extremes) memcpy(frames->extreme + (2 * c + 1) * width, row, width * sizeof *row);
    }
  }
}

void report_frames_offer(report_frames *frames, long long i, double time, const double *row) {
  long long after = i - frames->first;
  int wanted = after >= 0 && after % frames->stride == 0 && frames->count < frames->room;
  if (frames->extremes || wanted) keep_extremes(frames, row);
  if (!wanted) return;
  size_t width = (size_t)frames->columns;
  memcpy(frames->row + (size_t)frames->count * width, row, width * sizeof *row);
  frames->time[frames->count++] = time;
}

void report_frames_free(report_frames *frames) {
  free(frames->row), free(frames->time), free(frames->low), free(frames->extreme);
  *frames = (report_frames){0};
}
