#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H
/* Whole states at some times. */
#include "rattle/status.h"

/* Rows of `columns` numbers at samples first, first + stride, ..., or, scattered, at one sample
 * picked out of each stride, so that what repeats itself is not always met at the same place; with
 * them, where scattered, the rows at which a column is lowest and highest: row 2c and 2c + 1 of
 * `extreme`. */
typedef struct report_frames {
  int columns, scattered;
  long long first, stride, room, count;
  double *row, *time; /* [room*columns], [room] */
  double *extreme;    /* [2*columns*columns] */
  double *low, *high; /* [columns] over all samples that were offered */
} report_frames;
rattle_status report_frames_plan(report_frames *frames, int columns, long long first,
                                 long long stride, long long room, rattle_error *error);
/* Makes planned frames scattered ones. */
rattle_status report_frames_scatter(report_frames *frames, rattle_error *error);
/* Offers the row of sample i. */
int report_frames_want(const report_frames *frames, long long i);
void report_frames_offer(report_frames *frames, long long i, double time, const double *row);
void report_frames_free(report_frames *frames);
#endif
