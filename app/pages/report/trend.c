/* A straight line through the means of equal blocks of a run, by least squares: does a quantity
 * drift? */
#include <math.h>

#include "pages/report/trend.h"

enum { BLOCKS = 16 };

report_trend report_trend_of(const report_channels *channels, int c) {
  const report_channel *channel = &channels->channel[c];
  report_trend trend = {.slope = (double)NAN, .error = (double)NAN, .swing = (double)NAN};
  double t[BLOCKS], y[BLOCKS], low = (double)NAN, high = (double)NAN;
  if (channels->buckets < 4 * BLOCKS) return trend;
  for (int b = 0; b < BLOCKS; b++) {
    long long first = channels->buckets * b / BLOCKS, last = channels->buckets * (b + 1) / BLOCKS,
              count = 0;
    double sum = 0;
    for (long long i = first; i < last; i++) sum += channel->sum[i], count += channel->finite[i];
    if (count == 0) return trend;
    t[b] = (channels->time[first] + channels->time[last - 1]) / 2, y[b] = sum / (double)count;
    low = fmin(low, y[b]), high = fmax(high, y[b]);
  }
  double mt = 0, my = 0, tt = 0, ty = 0, rest = 0;
  for (int b = 0; b < BLOCKS; b++) mt += t[b] / BLOCKS, my += y[b] / BLOCKS;
  for (int b = 0; b < BLOCKS; b++) tt += (t[b] - mt) * (t[b] - mt), ty += (t[b] - mt) * (y[b] - my);
  if (!(tt > 0)) return trend;
  trend.slope = ty / tt;
  for (int b = 0; b < BLOCKS; b++) {
    double miss = y[b] - my - trend.slope * (t[b] - mt);
    rest += miss * miss;
  }
  trend.error = sqrt(rest / (BLOCKS - 2) / tt);
  trend.swing = high - low;
  trend.blocks = BLOCKS;
  return trend;
}
