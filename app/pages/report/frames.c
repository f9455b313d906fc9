/* Rows of numbers at evenly spaced or scattered samples, and at the samples where a column is
 * lowest or highest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages/report/frames.h"
#include "words/error.h"
#include "ground/support/random.h"

rattle_status report_frames_plan(report_frames *frames, int columns, long long first,
                                 long long stride, long long room, rattle_error *error) {
  *frames = (report_frames){.columns = columns, .first = first, .stride = stride, .room = room};
  size_t width = (size_t)columns;
  frames->row = malloc(((size_t)room * width + 1) * sizeof(double));
  frames->time = malloc(((size_t)room + 1) * sizeof(double));
  frames->low = malloc((2 * width + 1) * sizeof(double));
  if (!frames->row || !frames->time || !frames->low) return text_no_memory(error);
  frames->high = frames->low + width;
  for (size_t c = 0; c < 2 * width; c++) frames->low[c] = (double)NAN;
  return RATTLE_OK;
}

rattle_status report_frames_scatter(report_frames *frames, rattle_error *error) {
  size_t numbers = 2 * (size_t)frames->columns * (size_t)frames->columns;
  frames->extreme = malloc((numbers + 1) * sizeof(double));
  if (!frames->extreme) return text_no_memory(error);
  for (size_t c = 0; c < numbers; c++) frames->extreme[c] = (double)NAN;
  frames->scattered = 1;
  return RATTLE_OK;
}

/* Which sample of stretch k is picked: the same for every run of the program. */
static long long pick(const report_frames *frames, long long k) {
  return (long long)(rattle__random_at(UINT64_C(0x2545f4914f6cdd1d), (uint64_t)k) %
                     (uint64_t)frames->stride);
}

static void keep_extremes(report_frames *frames, const double *row) {
  size_t width = (size_t)frames->columns;
  for (size_t c = 0; c < width; c++) {
    if (!isfinite(row[c])) continue;
    if (!(row[c] >= frames->low[c])) {
      frames->low[c] = row[c];
      if (frames->scattered) memcpy(frames->extreme + 2 * c * width, row, width * sizeof *row);
    }
    if (!(row[c] <= frames->high[c])) {
      frames->high[c] = row[c];
      if (frames->scattered)
        memcpy(frames->extreme + (2 * c + 1) * width, row, width * sizeof *row);
    }
  }
}

int report_frames_want(const report_frames *frames, long long i) {
  long long after = i - frames->first;
  return after >= 0 && frames->count < frames->room &&
         after % frames->stride == (frames->scattered ? pick(frames, after / frames->stride) : 0);
}

void report_frames_offer(report_frames *frames, long long i, double time, const double *row) {
  int wanted = report_frames_want(frames, i);
  if (frames->scattered || wanted) keep_extremes(frames, row);
  if (!wanted) return;
  size_t width = (size_t)frames->columns;
  memcpy(frames->row + (size_t)frames->count * width, row, width * sizeof *row);
  frames->time[frames->count++] = time;
}

void report_frames_free(report_frames *frames) {
  free(frames->row), free(frames->time), free(frames->low), free(frames->extreme);
  *frames = (report_frames){0};
}
