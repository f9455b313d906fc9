#ifndef REPORT_TREND_H
#define REPORT_TREND_H
#include "pages/report/channels.h"

/* A straight line through the means of blocks of the run: slope per unit of time and its standard
 * error, NaN if there are too few samples; swing is the range of the block means. */
typedef struct report_trend {
  double slope, error, swing;
  int blocks;
} report_trend;
report_trend report_trend_of(const report_channels *channels, int c);
#endif
